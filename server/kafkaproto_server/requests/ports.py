"""What handlers may use of the node that they run in, as ports by family. A handler names only the families that it
needs.

The fields are functions because what they return changes: the image is the one at the moment of the call.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    ConsumerGroupDescribeResponse,
    CreateTopicsRequest,
    DescribeTransactionsResponse,
    ShareGroupDescribeResponse,
    StreamsGroupDescribeResponse,
)
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.base.types import NO_NODE, Endpoint, LeaderAndEpoch
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.security.authorizer import Authorizer
from kafkaproto_server.requests.caches import ResponseCaches
from kafkaproto_server.requests.consumer_group_requests import Heard, HeartbeatValues
from kafkaproto_server.requests.context import RequestContext, Response, Throttle, UnreadRequest
from kafkaproto_server.requests.data import (
    DeletionItem,
    EpochEnd,
    EpochQuery,
    Fetched,
    LogStatus,
    MarkerItem,
    OffsetQuery,
    OffsetResult,
    Produced,
    ProduceItem,
    ProducerStatus,
    RecordsDeleted,
)
from kafkaproto_server.requests.fetch_requests import FetchValues
from kafkaproto_server.requests.group_requests import (
    DescribedGroup,
    GroupListing,
    Joined,
    JoinValues,
    Synced,
    SyncValues,
)
from kafkaproto_server.requests.offset_requests import (
    Committer,
    GroupDeleted,
    OffsetCommitPartition,
    OffsetReader,
    OffsetsFetched,
    ProducerKey,
    Results,
    TopicPartitions,
)
from kafkaproto_server.requests.share_group_requests import (
    NewOffsets,
    ShareHeard,
    ShareHeartbeatValues,
    ShareOffsetsAltered,
    ShareOffsetsDeleted,
    ShareOffsetsDescribed,
)
from kafkaproto_server.requests.share_requests import (
    Acknowledgements,
    ShareAcknowledgeDone,
    ShareFetchDone,
    ShareFetchValues,
    ShareMember,
)
from kafkaproto_server.requests.share_state import Done, ShareState
from kafkaproto_server.requests.streams_group_requests import StreamsHeard, StreamsHeartbeatValues
from kafkaproto_server.requests.transaction_requests import (
    AddPartitionsValues,
    AsksCoordinator,
    EndTxnValues,
    InitProducerIdValues,
    ListedTransactions,
    ListValues,
    Producer,
    ProducerDone,
    Told,
    TopicPartition,
)


class LogDirectoryStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One log directory of a broker, as the last check found it."""

    path: str
    """Absolute."""
    directory_id: bytes | None
    """None if it could not be read when the node started."""
    is_online: bool
    is_cordoned: bool
    """Whether the directory is cordoned: it takes no new replicas."""
    total_bytes: int
    """Size of its file system in bytes; -1 if it is not known."""
    usable_bytes: int
    """Bytes of it that this process could still fill; -1 if they are not known."""


class NodePort(msgspec.Struct, frozen=True, kw_only=True):
    """The node itself."""

    id: int
    cluster_id: str
    choose: Callable[[int], int]
    """A random number from 0 to its argument - 1."""
    static_config: Mapping[str, str]
    """The node's properties as written in its configuration; some of them are secret."""
    logger_levels: Callable[[], Mapping[str, str]]
    """The level of each of this process's loggers."""
    set_logger_levels: Callable[[Mapping[str, str | None]], None]
    """Set the levels of existing loggers. None removes a level: the logger then has that of the nearest logger
    above."""
    log_directories: Callable[[], Sequence[LogDirectoryStatus]]
    """The directories of this broker's ``log.dirs``."""


class MetadataPort(msgspec.Struct, frozen=True, kw_only=True):
    """The cluster's metadata as this node has it."""

    image: Callable[[], ClusterImage]
    """The newest committed image."""
    authorizer: Callable[[], Authorizer | None]
    """Decides by the newest committed ACLs; None if the node has no authorizer."""
    endpoint: Callable[[int, str], Endpoint | None] = lambda broker_id, listener_name: None
    """The endpoint of a broker on a listener; None if it has none, or is not in the metadata."""
    rack: Callable[[int], str | None] = lambda broker_id: None
    """The rack of a broker."""
    caches: ResponseCaches = msgspec.field(default_factory=ResponseCaches)
    """Parts of responses that were made from the newest images."""


class ControllerPort(msgspec.Struct, frozen=True, kw_only=True):
    """The active controller: this node's own core, or that of another node."""

    submit: Callable[[Message, RequestContext], Deferred[Response]]
    """Submit a command to this node's controller, which refuses it if it is not the active one."""
    forward: Callable[[Message | UnreadRequest, RequestContext], Deferred[Response]]
    """Forward a client's request to the active controller, wherever it is, under the client's principal. The response
    to a message is a message. The response to an unread request is the body that the controller encoded."""
    served_versions: Callable[[], Mapping[int, tuple[int, int]] | None]
    """The versions that the active controller serves, by API key; None until this node has asked it."""
    auto_create_topics: bool
    """The config ``auto.create.topics.enable``."""
    num_partitions: int
    """The config ``num.partitions``, for topics that are created in this way."""
    default_replication_factor: int
    """The config ``default.replication.factor``, for the same."""
    create_internal_topic: Callable[[str], None]
    """Ask the active controller to create an internal topic, as this broker's configs say; nobody waits for the
    response."""
    create_topics: Callable[[Message, RequestContext], None]
    """Ask the active controller to create topics that a client asked for and that do not exist; nobody waits for the
    response."""
    create_streams_topics: Callable[
        [Sequence[CreateTopicsRequest.CreatableTopic], RequestContext, int], list[tuple[str, str]]
    ]
    """The same for internal topics of a Kafka Streams application, and the third argument says how many milliseconds it
    is kept why that failed. Returns the topics of which that is known, with the reason."""


class QuorumPort(msgspec.Struct, frozen=True, kw_only=True):
    """This node's replica of the metadata quorum."""

    leader: Callable[[], LeaderAndEpoch]
    """The quorum's leader as far as this node knows it."""
    kraft_version: Callable[[], int]
    describe: Callable[[Message, int], Message]
    """The response to a DescribeQuorum request, in the given version."""
    answer: Callable[[Message, RequestContext], Deferred[Response]]
    """The response to a request between replicas of the quorum."""


class ReplicaPort(msgspec.Struct, frozen=True, kw_only=True):
    """The replicas of this broker. Results come by callback, now or later."""

    produce: Callable[[Sequence[ProduceItem], int, int, Produced], None]
    """Append items, with the acks and the timeout in milliseconds that a producer asks for."""
    write_markers: Callable[[Sequence[MarkerItem], Produced], None]
    """Append the ends of transactions."""
    fetch: Callable[[FetchValues, int, Callable[[str], bool], Fetched, Throttle | None], Callable[[], None]]
    """Serve a Fetch request of a version. The third argument says whether the sender may read a topic, the last one
    whether the response has to leave without records. Returns the function to call if nobody needs the response any
    more."""
    delete_records: Callable[[DeletionItem, int, RecordsDeleted], None]
    """Delete the oldest records of a partition. The second argument is how long the other replicas have time, in
    milliseconds."""
    alter_directory: Callable[[str, int, str], ErrorCode]
    """Move the replica of a partition, by topic and index, to the log directory with a path; or have it begin there, if
    this broker has none yet. Returns what AlterReplicaLogDirs responds; the move takes its time."""
    find_offset: Callable[[OffsetQuery, Callable[[OffsetResult], None]], None]
    end_of_epoch: Callable[[EpochQuery], EpochEnd]
    """Where an epoch ends in the log of a partition that this broker leads."""
    producers_of: Callable[[str, int], ErrorCode | tuple[int, Iterator[ProducerStatus]]]
    """How many active producers a partition has, by topic and index, and which; or why there is no answer. They are
    looked at one by one, as the iterator is asked; with the first one it takes 8 bytes for each of them."""
    logs: Callable[[], Iterator[LogStatus]]
    """All logs of this broker that are open, looked at one by one."""
    leader_of: Callable[[bytes, int], tuple[int, int]]
    """Broker id and epoch of the leader of a partition, by topic id and partition; -1 for what is not known."""
    new_producer_id: Callable[[Callable[[int | None], None]], None]
    """Hand out a producer id; None if there is none now."""


def _refuse(*_: object) -> Any:
    raise AssertionError("a node that is no broker has no replicas")


NO_REPLICAS = ReplicaPort(
    produce=_refuse,
    write_markers=_refuse,
    fetch=_refuse,
    delete_records=_refuse,
    alter_directory=_refuse,
    find_offset=_refuse,
    end_of_epoch=_refuse,
    producers_of=_refuse,
    logs=_refuse,
    leader_of=lambda topic_id, index: (NO_NODE, NO_NODE),
    new_producer_id=_refuse,
)
"""Of a node that is only a controller: no API of its listeners uses it."""


class GroupPort(msgspec.Struct, frozen=True, kw_only=True):
    """The coordinator of groups. Results come by callback, now or later; errors are among them."""

    join: Callable[[str, JoinValues, Joined], None]
    """Have a member join a group of the classic protocol."""
    sync: Callable[[str, SyncValues, Synced], None]
    """Give a member its assignment."""
    heartbeat: Callable[[str, str, str | None, int], ErrorCode]
    """A member of a generation lives: group, member id, instance id, generation."""
    leave: Callable[[str, Sequence[tuple[str, str | None]]], ErrorCode | list[ErrorCode]]
    """Members leave a group, by id and instance id: a result for each, or one for all."""
    listed: Callable[[], ErrorCode | Iterator[GroupListing]]
    """All groups that this broker coordinates."""
    described: Callable[[str], DescribedGroup]
    """A classic group."""
    described_values: Callable[[str], int]
    """How many values the description of a group of any kind holds, about."""
    commit_offsets: Callable[[str, Committer, Sequence[OffsetCommitPartition], int, Results], None]
    """Commit offsets of a group. The fourth argument is the retention time in milliseconds, or NO_RETENTION_TIME."""
    commit_in_transaction: Callable[
        [str, Committer, Sequence[OffsetCommitPartition], ProducerKey, Results], None
    ]
    """Commit offsets of a group as part of a producer's transaction."""
    fetch_offsets: Callable[[str, OffsetReader, Sequence[TopicPartitions] | None, OffsetsFetched], None]
    """The offsets of a group: some, or all."""
    delete_offsets: Callable[[str, Sequence[TopicPartitions], Results], None]
    """Delete offsets of a group."""
    delete_group: Callable[[str, GroupDeleted], None]
    """Delete a group that has no members, with its offsets."""
    serves_consumer_groups: Callable[[], bool]
    """Whether this broker serves consumer groups at all: that depends on a feature and on a key."""
    consumer_heartbeat: Callable[[HeartbeatValues, Heard], None]
    """A member of a consumer group joins, lives or leaves."""
    consumer_described: Callable[[str], ConsumerGroupDescribeResponse.DescribedGroup]
    """A consumer group."""
    serves_streams_groups: Callable[[], bool]
    """Whether this broker serves streams groups at all: that depends on a feature and on a key."""
    streams_heartbeat: Callable[[StreamsHeartbeatValues, StreamsHeard], None]
    """A member of a streams group joins, lives or leaves."""
    streams_described: Callable[[str], StreamsGroupDescribeResponse.DescribedGroup]
    """A streams group."""


NO_GROUPS = GroupPort(
    join=_refuse,
    sync=_refuse,
    heartbeat=_refuse,
    leave=_refuse,
    listed=_refuse,
    described=_refuse,
    described_values=_refuse,
    commit_offsets=_refuse,
    commit_in_transaction=_refuse,
    fetch_offsets=_refuse,
    delete_offsets=_refuse,
    delete_group=_refuse,
    serves_consumer_groups=_refuse,
    consumer_heartbeat=_refuse,
    consumer_described=_refuse,
    serves_streams_groups=_refuse,
    streams_heartbeat=_refuse,
    streams_described=_refuse,
)
"""Of a node that is only a controller."""


class ShareGroupPort(msgspec.Struct, frozen=True, kw_only=True):
    """The coordinator of share groups. Results come by callback, now or later; errors are among them."""

    serves_share_groups: Callable[[], bool]
    """Whether this broker serves share groups at all: that depends on a feature."""
    share_heartbeat: Callable[[ShareHeartbeatValues, ShareHeard], None]
    """A member of a share group joins, lives or leaves."""
    share_described: Callable[[str], ShareGroupDescribeResponse.DescribedGroup]
    """A share group."""
    describe_share_offsets: Callable[[str, Mapping[str, Sequence[int]] | None, ShareOffsetsDescribed], None]
    """The offsets of a group: of some partitions by topic name, or of all. For some, any broker may be asked."""
    alter_share_offsets: Callable[[str, NewOffsets, ShareOffsetsAltered], None]
    """Have a group without members begin at other offsets."""
    delete_share_offsets: Callable[[str, Sequence[str], ShareOffsetsDeleted], None]
    """Have a group without members forget topics."""


NO_SHARE_GROUPS = ShareGroupPort(
    serves_share_groups=_refuse,
    share_heartbeat=_refuse,
    share_described=_refuse,
    describe_share_offsets=_refuse,
    alter_share_offsets=_refuse,
    delete_share_offsets=_refuse,
)
"""Of a node that is only a controller."""


class TransactionPort(msgspec.Struct, frozen=True, kw_only=True):
    """The coordinator of transactions, and the way to it. Results come by callback, now or later; errors are among
    them."""

    init_producer_id: Callable[[InitProducerIdValues, ProducerDone], None]
    """A transactional producer begins."""
    add_partitions: Callable[[AddPartitionsValues, Told], None]
    """Partitions take part in a transaction; one code holds for all of them."""
    verify_partitions: Callable[[AddPartitionsValues], Mapping[TopicPartition, ErrorCode]]
    """Whether partitions take part in a transaction."""
    end_transaction: Callable[[EndTxnValues, ProducerDone], None]
    """Commit or abort a transaction."""
    transaction_partitions: Callable[[str], int]
    """How many partitions the description of a transaction names; 0 if there is none."""
    describe_transaction: Callable[[str], DescribeTransactionsResponse.TransactionState]
    """One transaction that this broker coordinates."""
    list_transactions: Callable[[ListValues], ErrorCode | ListedTransactions]
    """Those of them that pass filters."""
    offsets_partition: Callable[[str], TopicPartition]
    """The partition that takes part in a transaction in which a group commits offsets."""
    verify_offsets: Callable[[str, Producer, AsksCoordinator, Told], None]
    """Whether a producer may commit offsets of a group in its transaction now, or why not."""
    produce_in_transaction: Callable[[Sequence[ProduceItem], str, AsksCoordinator, int, int, Produced], None]
    """As `ReplicaPort.produce`, for records among which are some of a transaction. The second argument is its
    transactional id."""


NO_TRANSACTIONS = TransactionPort(
    init_producer_id=_refuse,
    add_partitions=_refuse,
    verify_partitions=_refuse,
    end_transaction=_refuse,
    transaction_partitions=_refuse,
    describe_transaction=_refuse,
    list_transactions=_refuse,
    offsets_partition=_refuse,
    verify_offsets=_refuse,
    produce_in_transaction=_refuse,
)
"""Of a node that is only a controller."""


class ShareStatePort(msgspec.Struct, frozen=True, kw_only=True):
    """The share coordinator on this broker (KIP-932). Each call names a group, a topic by its id, and a partition. The
    result comes by callback, now or later; NOT_COORDINATOR is among them. See `share_state.Persister` for who asks."""

    initialize_state: Callable[[str, bytes, int, int, int, Done], None]
    """Begin a state anew, with a state epoch and a start offset."""
    read_state: Callable[[str, bytes, int, int, Done], None]
    """All of a state, for a leader of this epoch."""
    read_state_summary: Callable[[str, bytes, int, int, Done], None]
    """A state without its batches. The leader epoch of the request means nothing."""
    write_state: Callable[[str, bytes, int, ShareState, int, Done], None]
    """Change a state, as a leader of this epoch."""
    delete_state: Callable[[str, bytes, int, Done], None]
    """Remove a state."""


NO_SHARE_STATE = ShareStatePort(
    initialize_state=_refuse,
    read_state=_refuse,
    read_state_summary=_refuse,
    write_state=_refuse,
    delete_state=_refuse,
)
"""Of a node that is only a controller."""


class SharePort(msgspec.Struct, frozen=True, kw_only=True):
    """The share partitions that this broker leads, and the sessions of their members. Results come by callback, now or
    later; errors are among them."""

    serves_share_partitions: Callable[[], bool]
    """Whether this broker serves share groups at all: that depends on a feature."""
    begin_share_fetch: Callable[[ShareFetchValues, bool], None]
    """Begin or continue the session of a ShareFetch request; the second argument says whether it acknowledges records.
    Raises ShareError."""
    share_fetch: Callable[[ShareFetchValues, Callable[[str], bool], Throttle | None, ShareFetchDone], None]
    """Acquire records for it. The second argument says whether the sender may read a topic, the third one whether the
    response has to leave without records."""
    begin_share_acknowledge: Callable[[ShareMember], None]
    """Continue the session of a ShareAcknowledge request. Raises ShareError."""
    share_acknowledge: Callable[
        [ShareMember, Acknowledgements, Callable[[str], bool], ShareAcknowledgeDone], None
    ]
    """Acknowledge records. The third argument says whether the sender may read a topic."""
    end_share_session: Callable[[ShareMember], None]
    """End a session and release its records."""
    connection_ended: Callable[[Hashable], None]
    """End the sessions of a connection."""
    share_lock_duration_ms: Callable[[str], int]
    """How long members of a group have records for themselves."""
    call_after: Callable[[int, Callable[[], None]], None]
    """Call a function in so many milliseconds."""


NO_SHARES = SharePort(
    serves_share_partitions=_refuse,
    begin_share_fetch=_refuse,
    share_fetch=_refuse,
    begin_share_acknowledge=_refuse,
    share_acknowledge=_refuse,
    end_share_session=_refuse,
    connection_ended=lambda connection: None,
    share_lock_duration_ms=_refuse,
    call_after=_refuse,
)
"""Of a node that is only a controller."""


class Services(msgspec.Struct, frozen=True, kw_only=True):
    """All ports of a node."""

    node: NodePort
    metadata: MetadataPort
    controller: ControllerPort
    quorum: QuorumPort
    replicas: ReplicaPort = NO_REPLICAS
    groups: GroupPort = NO_GROUPS
    share_groups: ShareGroupPort = NO_SHARE_GROUPS
    transactions: TransactionPort = NO_TRANSACTIONS
    share_state: ShareStatePort = NO_SHARE_STATE
    shares: SharePort = NO_SHARES
