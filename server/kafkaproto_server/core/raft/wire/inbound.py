"""The Raft requests that this node serves: converts messages to the core's requests, and the core's responses to
messages.

It checks what needs no knowledge of the quorum: the cluster id (null is accepted), and that the request names exactly
the metadata log's one partition. Kafka checks these first, too, so a request that is wrong in more than one way gets
the same error. All numbers pass to the core as they are.

Apache Kafka: ``KafkaRaftClient`` and ``RaftUtil``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar, assert_never

from kafkaproto import messages as kafka
from kafkaproto.message import Message
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.base.types import (
    METADATA_TOPIC,
    METADATA_TOPIC_ID,
    Endpoint,
    LeaderAndEpoch,
    OffsetAndEpoch,
    ReplicaKey,
)
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.messages import (
    AddVoterRequest,
    BeginQuorumEpochRequest,
    EndQuorumEpochRequest,
    FetchRequest,
    FetchSnapshotRequest,
    InboundRequest,
    OutboundResponse,
    PendingFetchResponse,
    PendingFetchSnapshotResponse,
    QuorumEpochResponse,
    RemoveVoterRequest,
    UpdateVoterRequest,
    UpdateVoterResponse,
    VoterChangeResponse,
    VoteRequest,
    VoteResponse,
)
from kafkaproto_server.core.raft.wire.values import (
    METADATA_PARTITION,
    PartitionT,
    TopicFields,
    directory_id,
    endpoints,
    only_partition,
    replica_key,
)

MAX_MESSAGE_LENGTH = 500
"""Most characters of an error message, or of what it quotes: a peer may have sent the longest possible string."""
ENDPOINTS_FROM = 1
"""First version of Vote, BeginQuorumEpoch, EndQuorumEpoch and FetchSnapshot whose response has the leader's address."""
FETCH_TOPIC_IDS_FROM = 13
"""First version of Fetch that names topics by id; below it, no Fetch can be for the metadata log."""
FETCH_REPLICA_STATE_FROM = 15
FETCH_ENDPOINTS_FROM = 17
"""First version of Fetch whose response has the address of the quorum's leader. The schema has the field from 16 on,
for the leaders of other partitions; Kafka's quorum fills it from the version of KIP-853 on."""

NodeT = TypeVar("NodeT", covariant=True)
QuorumEpochMessageT = TypeVar(
    "QuorumEpochMessageT", kafka.BeginQuorumEpochResponse, kafka.EndQuorumEpochResponse
)


class _NodeEndpointClass(Protocol[NodeT]):
    def __call__(self, *, node_id: int, host: str, port: int) -> NodeT: ...


def decode_request(message: Message, version: int, *, cluster_id: str) -> InboundRequest | Message:
    """The core's request for a message, or the response that refuses the message here.

    Top-level INCONSISTENT_CLUSTER_ID if it has the cluster id of another cluster; top-level INVALID_REQUEST if it names
    anything but the metadata log's partition. FetchSnapshot instead gets UNKNOWN_TOPIC_OR_PARTITION for each partition
    that it names. Below version 7 a Fetch response has no top-level error, so it is empty then. ``message`` is one of
    the eight Raft requests.
    """
    match message:
        case kafka.FetchRequest():
            return _decode_fetch(message, version, cluster_id)
        case kafka.VoteRequest():
            return _decode_vote(message, cluster_id)
        case kafka.BeginQuorumEpochRequest():
            return _decode_begin_quorum_epoch(message, cluster_id)
        case kafka.EndQuorumEpochRequest():
            return _decode_end_quorum_epoch(message, version, cluster_id)
        case kafka.FetchSnapshotRequest():
            return _decode_fetch_snapshot(message, cluster_id)
        case kafka.AddRaftVoterRequest():
            return _decode_add_voter(message, cluster_id)
        case kafka.RemoveRaftVoterRequest():
            return _decode_remove_voter(message, cluster_id)
        case kafka.UpdateRaftVoterRequest():
            return _decode_update_voter(message, cluster_id)
        case _:
            raise AssertionError(f"{message.NAME} is no Raft request")


def _refusal(asked_cluster_id: str | None, cluster_id: str, names_log: bool = True) -> RaftError:
    # First of all: a node of another cluster may name any epoch, and this quorum must not follow
    # it.
    if asked_cluster_id is not None and asked_cluster_id != cluster_id:
        return RaftError.INCONSISTENT_CLUSTER_ID
    return RaftError.NONE if names_log else RaftError.INVALID_REQUEST


def _named_partition(
    topics: Sequence[TopicFields[PartitionT]], asked_cluster_id: str | None, cluster_id: str
) -> PartitionT | RaftError:
    """The metadata log's partition in a request; the top-level error if the request is not about exactly that one."""
    partition = only_partition(topics)
    error = _refusal(asked_cluster_id, cluster_id, partition is not None)
    return error if partition is None or error else partition


def _wrong_cluster(asked_cluster_id: str | None, cluster_id: str) -> str:
    # Cut, because it goes back to the sender and into logs.
    asked = (asked_cluster_id or "")[:MAX_MESSAGE_LENGTH]
    return f"Cluster id {asked!r} is not that of this cluster, {cluster_id!r}."


def _decode_vote(message: kafka.VoteRequest, cluster_id: str) -> VoteRequest | Message:
    partition = _named_partition(message.topics, message.cluster_id, cluster_id)
    if isinstance(partition, RaftError):
        return kafka.VoteResponse(error_code=partition)
    return VoteRequest(
        replica=replica_key(partition.replica_id, partition.replica_directory_id),
        voter_id=message.voter_id,
        voter_directory_id=directory_id(partition.voter_directory_id),
        epoch=partition.replica_epoch,
        last_epoch=partition.last_offset_epoch,
        last_offset=partition.last_offset,
        is_pre_vote=partition.pre_vote,
    )


def _decode_begin_quorum_epoch(
    message: kafka.BeginQuorumEpochRequest, cluster_id: str
) -> BeginQuorumEpochRequest | Message:
    partition = _named_partition(message.topics, message.cluster_id, cluster_id)
    if isinstance(partition, RaftError):
        return kafka.BeginQuorumEpochResponse(error_code=partition)
    return BeginQuorumEpochRequest(
        leader_id=partition.leader_id,
        epoch=partition.leader_epoch,
        voter_id=message.voter_id,
        voter_directory_id=directory_id(partition.voter_directory_id),
        leader_endpoints=endpoints(message.leader_endpoints),
    )


def _decode_end_quorum_epoch(
    message: kafka.EndQuorumEpochRequest, version: int, cluster_id: str
) -> EndQuorumEpochRequest | Message:
    partition = _named_partition(message.topics, message.cluster_id, cluster_id)
    if isinstance(partition, RaftError):
        return kafka.EndQuorumEpochResponse(error_code=partition)
    # KIP-853 gave the successors directory ids, in a field of another name.
    if version == 0:
        candidates = [ReplicaKey(id=node_id) for node_id in partition.preferred_successors]
    else:
        candidates = [
            replica_key(candidate.candidate_id, candidate.candidate_directory_id)
            for candidate in partition.preferred_candidates
        ]
    return EndQuorumEpochRequest(
        leader_id=partition.leader_id,
        epoch=partition.leader_epoch,
        preferred_candidates=tuple(candidates),
    )


def _decode_fetch(message: kafka.FetchRequest, version: int, cluster_id: str) -> FetchRequest | Message:
    topics = message.topics
    names_log = (
        version >= FETCH_TOPIC_IDS_FROM
        and len(topics) == 1
        and topics[0].topic_id == METADATA_TOPIC_ID
        and len(topics[0].partitions) == 1
        and topics[0].partitions[0].partition == METADATA_PARTITION
    )
    # Sessions are not looked at: as in Kafka, each Fetch of this log is a full one.
    error = _refusal(message.cluster_id, cluster_id, names_log)
    if error:
        return kafka.FetchResponse(error_code=error)
    partition = topics[0].partitions[0]
    # KIP-903 moved the id into ReplicaState. The other field is -1 then.
    has_state = version >= FETCH_REPLICA_STATE_FROM
    replica_id = message.replica_state.replica_id if has_state else message.replica_id
    return FetchRequest(
        replica=replica_key(replica_id, partition.replica_directory_id),
        epoch=partition.current_leader_epoch,
        fetch_offset=partition.fetch_offset,
        last_fetched_epoch=partition.last_fetched_epoch,
        max_wait_ms=message.max_wait_ms,
        max_bytes=message.max_bytes,
        high_watermark=partition.high_watermark,
    )


def _decode_fetch_snapshot(
    message: kafka.FetchSnapshotRequest, cluster_id: str
) -> FetchSnapshotRequest | Message:
    named = [(topic.name, partition) for topic in message.topics for partition in topic.partitions]
    # A FetchSnapshot without a topic stops Kafka's process. Here it is a bad request
    # (CVE-2026-83525 and its like).
    error = _refusal(message.cluster_id, cluster_id, bool(named))
    if error:
        return kafka.FetchSnapshotResponse(error_code=error)
    name, partition = named[0]
    # Unlike the others, this request has an error for each partition, and Kafka means to give it.
    if len(message.topics) != 1 or len(named) != 1 or (name, partition.partition) != (METADATA_TOPIC, 0):
        return _unknown_partitions(message)
    return FetchSnapshotRequest(
        replica=replica_key(message.replica_id, partition.replica_directory_id),
        epoch=partition.current_leader_epoch,
        snapshot=OffsetAndEpoch(offset=partition.snapshot_id.end_offset, epoch=partition.snapshot_id.epoch),
        position=partition.position,
        max_bytes=message.max_bytes,
    )


def _unknown_partitions(message: kafka.FetchSnapshotRequest) -> kafka.FetchSnapshotResponse:
    """An error for each partition. Its records are empty, because the message cannot have null there."""
    return kafka.FetchSnapshotResponse(
        topics=[
            kafka.FetchSnapshotResponse.TopicSnapshot(
                name=topic.name,
                partitions=[
                    kafka.FetchSnapshotResponse.PartitionSnapshot(
                        index=partition.partition,
                        error_code=RaftError.UNKNOWN_TOPIC_OR_PARTITION,
                        unaligned_records=b"",
                    )
                    for partition in topic.partitions
                ],
            )
            for topic in message.topics
        ]
    )


def _decode_add_voter(message: kafka.AddRaftVoterRequest, cluster_id: str) -> AddVoterRequest | Message:
    error = _refusal(message.cluster_id, cluster_id)
    if error:
        return kafka.AddRaftVoterResponse(
            error_code=error, error_message=_wrong_cluster(message.cluster_id, cluster_id)
        )
    return AddVoterRequest(
        voter=replica_key(message.voter_id, message.voter_directory_id),
        endpoints=endpoints(message.listeners),
        timeout_ms=message.timeout_ms,
        ack_when_committed=message.ack_when_committed,
    )


def _decode_remove_voter(
    message: kafka.RemoveRaftVoterRequest, cluster_id: str
) -> RemoveVoterRequest | Message:
    error = _refusal(message.cluster_id, cluster_id)
    if error:
        return kafka.RemoveRaftVoterResponse(
            error_code=error, error_message=_wrong_cluster(message.cluster_id, cluster_id)
        )
    return RemoveVoterRequest(voter=replica_key(message.voter_id, message.voter_directory_id))


def _decode_update_voter(
    message: kafka.UpdateRaftVoterRequest, cluster_id: str
) -> UpdateVoterRequest | Message:
    error = _refusal(message.cluster_id, cluster_id)
    if error:
        return kafka.UpdateRaftVoterResponse(error_code=error)
    return UpdateVoterRequest(
        epoch=message.current_leader_epoch,
        voter=replica_key(message.voter_id, message.voter_directory_id),
        endpoints=endpoints(message.listeners),
        min_kraft_version=message.kraft_version_feature.min_supported_version,
        max_kraft_version=message.kraft_version_feature.max_supported_version,
    )


def encode_response(
    request: Message, version: int, response: OutboundResponse, records: Buffer | Sequence[Buffer] = b""
) -> Message:
    """The response message to a request that ``decode_request`` accepted, in the request's version.

    ``records`` are the bytes that the driver read for ``PendingFetchResponse.read`` or
    ``PendingFetchSnapshotResponse.read``; they are not copied. Every response has leader and epoch and, from the
    versions of KIP-853 on, the leader's address.
    """
    match response:
        case PendingFetchResponse():
            return _encode_fetch(version, response, records)
        case VoteResponse():
            return _encode_vote(version, response)
        case QuorumEpochResponse():
            if isinstance(request, kafka.BeginQuorumEpochRequest):
                return _encode_quorum_epoch(kafka.BeginQuorumEpochResponse, version, response)
            return _encode_quorum_epoch(kafka.EndQuorumEpochResponse, version, response)
        case PendingFetchSnapshotResponse():
            return _encode_fetch_snapshot(version, response, records)
        case VoterChangeResponse():
            # As in Kafka, the error message is null without an error, and empty for an error without a text.
            text = (response.message or "")[:MAX_MESSAGE_LENGTH] if response.error else None
            if isinstance(request, kafka.AddRaftVoterRequest):
                return kafka.AddRaftVoterResponse(error_code=response.error, error_message=text)
            return kafka.RemoveRaftVoterResponse(error_code=response.error, error_message=text)
        case UpdateVoterResponse():
            return _encode_update_voter(response)
        case _:
            assert_never(response)


def _nodes(
    leader: LeaderAndEpoch, endpoint: Endpoint | None, has_field: bool, make: _NodeEndpointClass[NodeT]
) -> list[NodeT]:
    # Versions before those of KIP-853 have no such field. Without an endpoint the list is empty, as
    # in Kafka.
    if endpoint is None or not has_field:
        return []
    return [make(node_id=leader.leader_id, host=endpoint.host, port=endpoint.port)]


def _encode_vote(version: int, response: VoteResponse) -> kafka.VoteResponse:
    message = kafka.VoteResponse
    partition = message.PartitionData(
        partition_index=METADATA_PARTITION,
        error_code=response.error,
        leader_id=response.leader.leader_id,
        leader_epoch=response.leader.epoch,
        vote_granted=response.is_granted,
    )
    return message(
        topics=[message.TopicData(topic_name=METADATA_TOPIC, partitions=[partition])],
        node_endpoints=_nodes(
            response.leader, response.leader_endpoint, version >= ENDPOINTS_FROM, message.NodeEndpoint
        ),
    )


def _encode_quorum_epoch(
    message: type[QuorumEpochMessageT], version: int, response: QuorumEpochResponse
) -> QuorumEpochMessageT:
    partition = message.PartitionData(
        partition_index=METADATA_PARTITION,
        error_code=response.error,
        leader_id=response.leader.leader_id,
        leader_epoch=response.leader.epoch,
    )
    return message(
        topics=[message.TopicData(topic_name=METADATA_TOPIC, partitions=[partition])],
        node_endpoints=_nodes(
            response.leader, response.leader_endpoint, version >= ENDPOINTS_FROM, message.NodeEndpoint
        ),
    )


def _buffers(records: Buffer | Sequence[Buffer]) -> Buffer | list[Buffer]:
    if isinstance(records, bytes | bytearray | memoryview):
        return records
    return list(records)


def _encode_fetch(
    version: int, response: PendingFetchResponse, records: Buffer | Sequence[Buffer]
) -> kafka.FetchResponse:
    message = kafka.FetchResponse
    partition = message.PartitionData(
        partition_index=METADATA_PARTITION,
        error_code=response.error,
        high_watermark=response.high_watermark,
        log_start_offset=response.log_start_offset,
        current_leader=message.LeaderIdAndEpoch(
            leader_id=response.leader.leader_id, leader_epoch=response.leader.epoch
        ),
        records=_buffers(records),
    )
    # Left out, the field means that the logs agree; -1 stands for that in the message.
    if response.diverging is not None:
        partition.diverging_epoch = message.EpochEndOffset(
            epoch=response.diverging.epoch, end_offset=response.diverging.offset
        )
    if response.snapshot is not None:
        partition.snapshot_id = message.SnapshotId(
            epoch=response.snapshot.epoch, end_offset=response.snapshot.offset
        )
    return message(
        responses=[message.FetchableTopicResponse(topic_id=METADATA_TOPIC_ID, partitions=[partition])],
        node_endpoints=_nodes(
            response.leader, response.leader_endpoint, version >= FETCH_ENDPOINTS_FROM, message.NodeEndpoint
        ),
    )


def _encode_fetch_snapshot(
    version: int, response: PendingFetchSnapshotResponse, records: Buffer | Sequence[Buffer]
) -> kafka.FetchSnapshotResponse:
    message = kafka.FetchSnapshotResponse
    partition = message.PartitionSnapshot(
        index=METADATA_PARTITION,
        error_code=response.error,
        snapshot_id=message.SnapshotId(epoch=response.snapshot.epoch, end_offset=response.snapshot.offset),
        current_leader=message.LeaderIdAndEpoch(
            leader_id=response.leader.leader_id, leader_epoch=response.leader.epoch
        ),
        size=response.size,
        position=response.position,
        # Empty, not null, with an error. Kafka leaves null here, which the message cannot have: its
        # followers see UNKNOWN_SERVER_ERROR instead of each of these errors.
        unaligned_records=_buffers(records),
    )
    return message(
        topics=[message.TopicSnapshot(name=METADATA_TOPIC, partitions=[partition])],
        node_endpoints=_nodes(
            response.leader, response.leader_endpoint, version >= ENDPOINTS_FROM, message.NodeEndpoint
        ),
    )


def _encode_update_voter(response: UpdateVoterResponse) -> kafka.UpdateRaftVoterResponse:
    message = kafka.UpdateRaftVoterResponse
    # With every error too, as in Kafka: the voter has to find the leader that it should tell.
    leader = message.CurrentLeader(leader_id=response.leader.leader_id, leader_epoch=response.leader.epoch)
    if response.leader_endpoint is not None:
        leader.host = response.leader_endpoint.host
        leader.port = response.leader_endpoint.port
    return message(error_code=response.error, current_leader=leader)
