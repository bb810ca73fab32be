"""Between the core's own values and Kafka's bytes: batches, control records, and DescribeQuorum (55).

The one file of this package that knows generated messages; nothing else in the package imports it. What comes
from outside and makes no sense raises RemoteProtocolError and never reaches the core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.message import Message
from kafkaproto.messages import (
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    KRaftVersionRecord,
    LeaderChangeMessage,
    VotersRecord,
)
from kafkaproto.primitives import Buffer
from kafkaproto.records.batch import build_batch
from kafkaproto.records.control import ControlRecordType, decode_control_record, encode_control_record
from server.raft.control import ControlRecord, KRaftVersion, KRaftVoters, LeaderChange, RecordedControl
from server.raft.effects import PendingBatch
from server.raft.quorum_description import NotLeader, QuorumDescription, ReplicaDescription
from server.raft.voters import KRAFT_VERSION_MAX, KRAFT_VERSION_MIN, VoterSet
from server.types import METADATA_TOPIC, ZERO_UUID, Endpoint, ReplicaKey, Voter

if TYPE_CHECKING:
    from kafkaproto.generated.describe_quorum_response import (
        DescribeQuorumResponseNode,
        DescribeQuorumResponseReplicaState,
    )
    from kafkaproto.generated.voters_record import VotersRecordVoter
    from kafkaproto.records.record import NewRecord, PlainRecord

METADATA_PARTITION = 0
"""The metadata log's only partition."""

DIRECTORY_IDS_AND_NODES_FROM = 2
"""First version of DescribeQuorumResponse with directory ids and the voters' endpoints (KIP-853)."""


def encode_batch(batch: PendingBatch, timestamp_ms: int) -> bytes:
    """The batch as it lies in the log; ``timestamp_ms`` is the wall clock's time of appending."""
    records: list[NewRecord | PlainRecord]
    if batch.control:
        records = [(*_encode_control(record), ()) for record in batch.control]
    else:
        records = [(None, value, ()) for value in batch.records]
    return build_batch(
        records,
        base_offset=batch.base_offset,
        partition_leader_epoch=batch.epoch,
        timestamp_ms=timestamp_ms,
        control=bool(batch.control),
    )


def recorded_control(offset: int, key: Buffer | None, value: Buffer | None) -> RecordedControl | None:
    """What a control record of the metadata log or a snapshot brings into force; None for those that bring nothing.

    ``offset`` is the record's own in the log, and the snapshot's end offset - 1 for one from a snapshot.
    Raises RemoteProtocolError for bytes that are no control record, a kraft.version that is not supported
    here, and a voter set that cannot be one.
    """
    record_type, message = decode_control_record(key, value)
    match message:
        case KRaftVersionRecord():
            return RecordedControl(offset=offset, record=_decode_kraft_version(message))
        case VotersRecord():
            return RecordedControl(offset=offset, record=KRaftVoters(voters=_decode_voters(message)))
        case _:
            if record_type in (ControlRecordType.ABORT, ControlRecordType.COMMIT):
                raise RemoteProtocolError(
                    "the metadata log has no producer transactions",
                    where=f"control record {record_type.name}",
                )
            return None


def _encode_control(record: ControlRecord) -> tuple[bytes, bytes]:
    record_type: ControlRecordType
    message: Message
    match record:
        case LeaderChange():
            record_type = ControlRecordType.LEADER_CHANGE
            message = LeaderChangeMessage(
                leader_id=record.leader_id,
                voters=[LeaderChangeMessage.Voter(voter_id=voter_id) for voter_id in record.voter_ids],
                granting_voters=[
                    LeaderChangeMessage.Voter(voter_id=voter_id) for voter_id in record.granting_voter_ids
                ],
            )
        case KRaftVersion():
            record_type = ControlRecordType.KRAFT_VERSION
            message = KRaftVersionRecord(kraft_version=record.level)
        case KRaftVoters():
            record_type = ControlRecordType.KRAFT_VOTERS
            message = VotersRecord(voters=[_encode_voter(voter) for voter in record.voters.voters])
        case _:
            assert_never(record)
    return encode_control_record(record_type, message)


def _encode_voter(voter: Voter) -> VotersRecordVoter:
    return VotersRecord.Voter(
        voter_id=voter.key.id,
        voter_directory_id=voter.key.directory_id or ZERO_UUID,
        endpoints=[
            VotersRecord.Endpoint(name=endpoint.name, host=endpoint.host, port=endpoint.port)
            for endpoint in voter.endpoints
        ],
        kraft_version_feature=VotersRecord.KRaftVersionFeature(
            min_supported_version=voter.min_kraft_version, max_supported_version=voter.max_kraft_version
        ),
    )


def _decode_kraft_version(message: KRaftVersionRecord) -> KRaftVersion:
    level = message.kraft_version
    if not KRAFT_VERSION_MIN <= level <= KRAFT_VERSION_MAX:
        raise RemoteProtocolError(
            f"kraft.version {level} is not supported, only {KRAFT_VERSION_MIN} to {KRAFT_VERSION_MAX}",
            where="KRaftVersionRecord.kraft_version",
        )
    return KRaftVersion(level=level)


def _decode_voters(message: VotersRecord) -> VoterSet:
    ids = [voter.voter_id for voter in message.voters]
    if not ids or min(ids) < 0 or len(set(ids)) != len(ids):
        raise RemoteProtocolError(
            f"voter ids {ids} have to be distinct, not negative, and at least one",
            where="VotersRecord.voters",
        )
    voters = sorted(message.voters, key=lambda voter: voter.voter_id)
    return VoterSet(voters=tuple(_decode_voter(voter) for voter in voters))


def _decode_voter(voter: VotersRecordVoter) -> Voter:
    directory_id = voter.voter_directory_id
    return Voter(
        key=ReplicaKey(id=voter.voter_id, directory_id=None if directory_id == ZERO_UUID else directory_id),
        endpoints=tuple(
            Endpoint(name=endpoint.name, host=endpoint.host, port=endpoint.port)
            for endpoint in voter.endpoints
        ),
        min_kraft_version=voter.kraft_version_feature.min_supported_version,
        max_kraft_version=voter.kraft_version_feature.max_supported_version,
    )


def describe_quorum_response(
    request: DescribeQuorumRequest, version: int, description: QuorumDescription | NotLeader
) -> DescribeQuorumResponse:
    """The answer to DescribeQuorum, v0 to v2, as Kafka gives it.

    Anything but exactly the metadata log's partition is UNKNOWN_TOPIC_OR_PARTITION for every partition that
    was named, so a request that names none is answered with none and no error. A node that does not lead
    answers NOT_LEADER_OR_FOLLOWER. Leader, epoch and high watermark are 0 beside an error, not -1; error
    messages are empty where there is no error, not null.
    """
    named = [
        (topic.topic_name, partition.partition_index)
        for topic in request.topics
        for partition in topic.partitions
    ]
    if len(request.topics) != 1 or named != [(METADATA_TOPIC, METADATA_PARTITION)]:
        return _error_response(request, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    if isinstance(description, NotLeader):
        return _error_response(request, ErrorCode.NOT_LEADER_OR_FOLLOWER)
    partition = DescribeQuorumResponse.PartitionData(
        partition_index=METADATA_PARTITION,
        leader_id=description.leader_id,
        leader_epoch=description.epoch,
        high_watermark=description.high_watermark,
        current_voters=[_replica_state(replica, version) for replica in description.voters],
        observers=[_replica_state(replica, version) for replica in description.observers],
    )
    with_nodes = version >= DIRECTORY_IDS_AND_NODES_FROM
    return DescribeQuorumResponse(
        topics=[DescribeQuorumResponse.TopicData(topic_name=METADATA_TOPIC, partitions=[partition])],
        nodes=[_node(voter) for voter in description.voter_set.voters] if with_nodes else [],
    )


def _error_response(request: DescribeQuorumRequest, error: ErrorCode) -> DescribeQuorumResponse:
    return DescribeQuorumResponse(
        topics=[
            DescribeQuorumResponse.TopicData(
                topic_name=topic.topic_name,
                partitions=[
                    DescribeQuorumResponse.PartitionData(
                        partition_index=partition.partition_index,
                        error_code=error,
                        error_message=error.message,
                    )
                    for partition in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


def _replica_state(replica: ReplicaDescription, version: int) -> DescribeQuorumResponseReplicaState:
    directory_id = replica.key.directory_id if version >= DIRECTORY_IDS_AND_NODES_FROM else None
    return DescribeQuorumResponse.ReplicaState(
        replica_id=replica.key.id,
        replica_directory_id=directory_id or ZERO_UUID,
        log_end_offset=replica.log_end_offset,
        last_fetch_timestamp=replica.last_fetch_timestamp_ms,
        last_caught_up_timestamp=replica.last_caught_up_timestamp_ms,
    )


def _node(voter: Voter) -> DescribeQuorumResponseNode:
    return DescribeQuorumResponse.Node(
        node_id=voter.key.id,
        listeners=[
            DescribeQuorumResponse.Listener(name=endpoint.name, host=endpoint.host, port=endpoint.port)
            for endpoint in voter.endpoints
        ],
    )
