"""Kafka's numeric error codes: name, number, whether a client may retry, and a text of our own.

Codes, names and the retriable mark are those of the release named in `messages/SOURCE.md`. Retriable means that Apache
Kafka's clients repeat the request by themselves, after they have refreshed their metadata if that may help.
"""

import enum
from dataclasses import dataclass
from typing import Self


class ErrorCode(enum.IntEnum):
    """Every error code that a Kafka peer may send. A member is its number, with the name, the retriable mark and the
    text.
    """

    retriable: bool
    message: str

    # The defaults are for type checkers only: they take the look-up `ErrorCode(41)` for a call of this method.
    def __new__(cls, code: int, retriable: bool = False, message: str = "") -> Self:
        """Make a member that compares, hashes and encodes as its number."""
        member = int.__new__(cls, code)
        member._value_ = code
        member.retriable = retriable
        member.message = message
        return member

    UNKNOWN_SERVER_ERROR = -1, False, "The server failed in a way that no other code describes."
    NONE = 0, False, "No error."
    OFFSET_OUT_OF_RANGE = 1, False, "The offset lies outside what the log of this partition holds."
    CORRUPT_MESSAGE = 2, True, "A record batch is damaged, or a compacted topic got a record without key."
    UNKNOWN_TOPIC_OR_PARTITION = 3, True, "No such topic or partition is known here."
    INVALID_FETCH_SIZE = 4, False, "The fetch size is not valid."
    LEADER_NOT_AVAILABLE = 5, True, "The partition has no leader at the moment."
    NOT_LEADER_OR_FOLLOWER = 6, True, "This node does not lead the partition, or holds no replica of it."
    REQUEST_TIMED_OUT = 7, True, "The request was not completed within its time limit."
    BROKER_NOT_AVAILABLE = 8, False, "The broker cannot be reached."
    REPLICA_NOT_AVAILABLE = 9, True, "The replica asked for is not available on this broker."
    MESSAGE_TOO_LARGE = 10, False, "A record batch is larger than the topic or the broker allows."
    STALE_CONTROLLER_EPOCH = 11, False, "The request comes from a controller that has been replaced."
    OFFSET_METADATA_TOO_LARGE = 12, False, "The metadata string stored with an offset is longer than allowed."
    NETWORK_EXCEPTION = 13, True, "The connection broke before an answer came."
    COORDINATOR_LOAD_IN_PROGRESS = 14, True, "The coordinator is still loading its state."
    COORDINATOR_NOT_AVAILABLE = 15, True, "No coordinator is available at the moment."
    NOT_COORDINATOR = 16, True, "This broker is not the coordinator asked for."
    INVALID_TOPIC_EXCEPTION = 17, False, "This topic name is not allowed or not open to clients."
    RECORD_LIST_TOO_LARGE = 18, False, "The record batch is larger than a log segment may become."
    NOT_ENOUGH_REPLICAS = 19, True, "Too few replicas are in sync, so nothing was written."
    NOT_ENOUGH_REPLICAS_AFTER_APPEND = 20, True, "The records were written, but to too few in-sync replicas."
    INVALID_REQUIRED_ACKS = 21, False, "The acks of a produce request must be -1, 0 or 1."
    ILLEGAL_GENERATION = 22, False, "The generation of the group has passed, or never existed."
    INCONSISTENT_GROUP_PROTOCOL = 23, False, "The member and the group have no protocol in common."
    INVALID_GROUP_ID = 24, False, "The group id is not valid."
    UNKNOWN_MEMBER_ID = 25, False, "The group has no member with this id."
    INVALID_SESSION_TIMEOUT = 26, False, "The group does not allow this session timeout."
    REBALANCE_IN_PROGRESS = 27, False, "The group is rebalancing; join it again."
    INVALID_COMMIT_OFFSET_SIZE = 28, False, "The offset commit is larger than allowed."
    TOPIC_AUTHORIZATION_FAILED = 29, False, "The principal may not do this to the topic."
    GROUP_AUTHORIZATION_FAILED = 30, False, "The principal may not do this to the group."
    CLUSTER_AUTHORIZATION_FAILED = 31, False, "The principal may not do this to the cluster."
    INVALID_TIMESTAMP = 32, False, "A record's timestamp is too far from the broker's clock, or missing."
    UNSUPPORTED_SASL_MECHANISM = 33, False, "The listener does not offer this SASL mechanism."
    ILLEGAL_SASL_STATE = 34, False, "The request does not belong at this point of the SASL exchange."
    UNSUPPORTED_VERSION = 35, False, "This version of the API or feature is not supported."
    TOPIC_ALREADY_EXISTS = 36, False, "A topic of this name exists."
    INVALID_PARTITIONS = 37, False, "The number of partitions is not valid."
    INVALID_REPLICATION_FACTOR = 38, False, "The replication factor is below 1 or above the broker count."
    INVALID_REPLICA_ASSIGNMENT = 39, False, "The replica assignment is not valid."
    INVALID_CONFIG = 40, False, "A configuration key or value is not valid."
    NOT_CONTROLLER = 41, True, "This node is not the active controller."
    INVALID_REQUEST = 42, False, "The request contradicts itself or holds a value that is not allowed."
    UNSUPPORTED_FOR_MESSAGE_FORMAT = 43, False, "The log's message format cannot serve this request."
    POLICY_VIOLATION = 44, False, "A policy of this cluster forbids the request."
    OUT_OF_ORDER_SEQUENCE_NUMBER = 45, False, "The batch's sequence number does not follow the last one."
    DUPLICATE_SEQUENCE_NUMBER = 46, False, "A batch with this sequence number was written before."
    INVALID_PRODUCER_EPOCH = 47, False, "The producer's epoch has been replaced by a newer one."
    INVALID_TXN_STATE = 48, False, "The transaction is not in a state that allows this."
    INVALID_PRODUCER_ID_MAPPING = 49, False, "The transactional id is bound to another producer id."
    INVALID_TRANSACTION_TIMEOUT = 50, False, "The transaction timeout must be 1..transaction.max.timeout.ms."
    CONCURRENT_TRANSACTIONS = 51, True, "Another operation on the same transaction is under way."
    TRANSACTION_COORDINATOR_FENCED = 52, False, "The coordinator that sent the markers has been replaced."
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED = 53, False, "The principal may not use this transactional id."
    SECURITY_DISABLED = 54, False, "The broker has no authorizer or security feature to carry this out."
    OPERATION_NOT_ATTEMPTED = 55, False, "Not tried, because another part of the same request failed."
    KAFKA_STORAGE_ERROR = 56, True, "A disk failed while the log was read or written."
    LOG_DIR_NOT_FOUND = 57, False, "The broker has no log directory of this path."
    SASL_AUTHENTICATION_FAILED = 58, False, "Authentication failed."
    UNKNOWN_PRODUCER_ID = 59, False, "The broker holds no state for this producer id, or no longer."
    REASSIGNMENT_IN_PROGRESS = 60, False, "The partition is being reassigned."
    DELEGATION_TOKEN_AUTH_DISABLED = 61, False, "Delegation tokens are switched off."
    DELEGATION_TOKEN_NOT_FOUND = 62, False, "No such delegation token exists."
    DELEGATION_TOKEN_OWNER_MISMATCH = 63, False, "The principal neither owns the token nor may renew it."
    DELEGATION_TOKEN_REQUEST_NOT_ALLOWED = 64, False, "Tokens cannot be managed over this kind of connection."
    DELEGATION_TOKEN_AUTHORIZATION_FAILED = 65, False, "The principal may not manage this delegation token."
    DELEGATION_TOKEN_EXPIRED = 66, False, "The delegation token has expired."
    INVALID_PRINCIPAL_TYPE = 67, False, "The principal's type is not supported."
    NON_EMPTY_GROUP = 68, False, "The group still has members."
    GROUP_ID_NOT_FOUND = 69, False, "No group of this id exists."
    FETCH_SESSION_ID_NOT_FOUND = 70, True, "No fetch session of this id exists."
    INVALID_FETCH_SESSION_EPOCH = 71, True, "The epoch does not follow that of the fetch session."
    LISTENER_NOT_FOUND = 72, True, "The leader has no listener of the name used for this request."
    TOPIC_DELETION_DISABLED = 73, False, "Deleting topics is switched off."
    FENCED_LEADER_EPOCH = 74, True, "The leader epoch of the request is older than the partition's."
    UNKNOWN_LEADER_EPOCH = 75, True, "The leader epoch of the request is newer than the one known here."
    UNSUPPORTED_COMPRESSION_TYPE = 76, False, "This version of the request cannot carry this compression."
    STALE_BROKER_EPOCH = 77, False, "The broker epoch is not that of the broker's present registration."
    OFFSET_NOT_AVAILABLE = 78, True, "The new leader does not know the high watermark yet."
    MEMBER_ID_REQUIRED = 79, False, "The member has no id yet; join again with the one given in this answer."
    PREFERRED_LEADER_NOT_AVAILABLE = 80, True, "The preferred leader of the partition is not available."
    GROUP_MAX_SIZE_REACHED = 81, False, "The group has as many members as it may have."
    FENCED_INSTANCE_ID = 82, False, "Another member has taken over this group.instance.id."
    ELIGIBLE_LEADERS_NOT_AVAILABLE = 83, True, "No replica that may lead the partition is available."
    ELECTION_NOT_NEEDED = 84, True, "The partition has the leader that the election would give it."
    NO_REASSIGNMENT_IN_PROGRESS = 85, False, "The partition is not being reassigned."
    GROUP_SUBSCRIBED_TO_TOPIC = 86, False, "The group is subscribed to the topic, so its offsets stay."
    INVALID_RECORD = 87, False, "A record failed the broker's validation."
    UNSTABLE_OFFSET_COMMIT = 88, True, "The partition has offsets of transactions that are still open."
    THROTTLING_QUOTA_EXCEEDED = 89, True, "The quota of the client is used up for now."
    PRODUCER_FENCED = 90, False, "Another producer with the same transactional id has taken over."
    RESOURCE_NOT_FOUND = 91, False, "A resource named in the request does not exist."
    DUPLICATE_RESOURCE = 92, False, "A resource is named twice in the request."
    UNACCEPTABLE_CREDENTIAL = 93, False, "The credential does not meet what is required of it."
    INCONSISTENT_VOTER_SET = 94, False, "Sender or receiver is not in the set of voters."
    INVALID_UPDATE_VERSION = 95, False, "The version to update to, or to update from, is not valid."
    FEATURE_UPDATE_FAILED = 96, False, "The finalized features could not be updated."
    PRINCIPAL_DESERIALIZATION_FAILURE = 97, False, "The principal of a forwarded request cannot be read."
    SNAPSHOT_NOT_FOUND = 98, False, "No such snapshot exists."
    POSITION_OUT_OF_RANGE = 99, False, "The position lies outside the snapshot."
    UNKNOWN_TOPIC_ID = 100, True, "No topic of this id is known here."
    DUPLICATE_BROKER_REGISTRATION = 101, False, "Another live broker is registered under this id."
    BROKER_ID_NOT_REGISTERED = 102, False, "No broker of this id is registered."
    INCONSISTENT_TOPIC_ID = 103, True, "The topic id does not match that of the log."
    INCONSISTENT_CLUSTER_ID = 104, False, "The cluster id does not match that of this cluster."
    TRANSACTIONAL_ID_NOT_FOUND = 105, False, "No such transactional id exists."
    FETCH_SESSION_TOPIC_ID_ERROR = 106, True, "The fetch session mixes topic ids with topic names."
    INELIGIBLE_REPLICA = 107, False, "The new ISR names a replica that may not be in it."
    NEW_LEADER_ELECTED = 108, False, "The partition was changed as asked, and its leader changed with it."
    OFFSET_MOVED_TO_TIERED_STORAGE = 109, False, "The offset is only to be found in the remote tier."
    FENCED_MEMBER_EPOCH = 110, False, "The member is fenced: it must drop its partitions and join again."
    UNRELEASED_INSTANCE_ID = 111, False, "A member still holds this group.instance.id; it has to leave first."
    UNSUPPORTED_ASSIGNOR = 112, False, "The group does not support this assignor or its version."
    STALE_MEMBER_EPOCH = 113, False, "The member's epoch is old; a heartbeat tells the new one."
    MISMATCHED_ENDPOINT_TYPE = 114, False, "The listener is not of the endpoint type the request names."
    UNSUPPORTED_ENDPOINT_TYPE = 115, False, "This kind of endpoint is not supported."
    UNKNOWN_CONTROLLER_ID = 116, False, "No controller of this id is registered."
    UNKNOWN_SUBSCRIPTION_ID = 117, False, "The telemetry subscription is unknown or out of date."
    TELEMETRY_TOO_LARGE = 118, False, "The telemetry push is larger than telemetry.max.bytes."
    INVALID_REGISTRATION = 119, False, "The controller refused the registration."
    TRANSACTION_ABORTABLE = 120, False, "The transaction must be aborted; the producer may then go on."
    INVALID_RECORD_STATE = 121, False, "The record's state does not allow this acknowledgement."
    SHARE_SESSION_NOT_FOUND = 122, True, "No such share session exists."
    INVALID_SHARE_SESSION_EPOCH = 123, True, "The epoch does not follow that of the share session."
    FENCED_STATE_EPOCH = 124, False, "The state epoch of the share group does not match."
    INVALID_VOTER_KEY = 125, False, "The voter id or directory id is not that of this node."
    DUPLICATE_VOTER = 126, False, "This voter is in the set of voters already."
    VOTER_NOT_FOUND = 127, False, "This voter is not in the set of voters."
    INVALID_REGULAR_EXPRESSION = 128, False, "The regular expression cannot be compiled."
    REBOOTSTRAP_REQUIRED = 129, False, "The client's metadata is outdated; begin at the bootstrap servers."
    STREAMS_INVALID_TOPOLOGY = 130, False, "The topology is not valid."
    STREAMS_INVALID_TOPOLOGY_EPOCH = 131, False, "The topology epoch is not valid."
    STREAMS_TOPOLOGY_FENCED = 132, False, "The topology epoch is older than the group's."
    SHARE_SESSION_LIMIT_REACHED = 133, True, "The broker holds as many share sessions as it may."
    GROUP_DELETION_FAILED = 134, False, "The group could not be deleted."
    STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED = (
        135,
        False,
        "The description of the topology could not be stored.",
    )
    CONTROLLER_ID_NOT_REGISTERED = 136, False, "No controller is registered under this id."


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorInfo:
    """What is known about an error code that was received."""

    code: ErrorCode
    """The code; UNKNOWN_SERVER_ERROR for a number that this release does not have."""
    name: str
    """The name of `code`."""
    retriable: bool
    """Whether a client may send the same request again."""
    message: str
    """One or two sentences in English."""


def describe(code: int) -> ErrorInfo:
    """Describe an error code.

    A number that this release does not have becomes UNKNOWN_SERVER_ERROR, with the number in its message.
    """
    try:
        known = ErrorCode(code)
    except ValueError:
        known = ErrorCode.UNKNOWN_SERVER_ERROR
        message = f"Error code {code}, which this release of Kafka does not have."
    else:
        message = known.message
    return ErrorInfo(code=known, name=known.name, retriable=known.retriable, message=message)
