"""The Raft requests that this node sends: converts the core's requests to messages, and messages to the core's
responses.

A response that does not fit its request, or that holds impossible values, raises RemoteProtocolError. Whether it agrees
with what this node knows of the quorum, the core decides.

Apache Kafka: ``KafkaRaftClient`` and ``RaftUtil``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, assert_never

from kafkaproto import messages as kafka
from kafkaproto.api import ApiKey
from kafkaproto.connection import SOFTWARE_NAME, SOFTWARE_VERSION
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.message import Message
from kafkaproto_server.base.types import (
    METADATA_TOPIC,
    METADATA_TOPIC_ID,
    NO_NODE,
    LeaderAndEpoch,
    OffsetAndEpoch,
)
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.messages import (
    AddVoterRequest,
    ApiVersionsRequest,
    ApiVersionsResponse,
    BeginQuorumEpochRequest,
    EndQuorumEpochRequest,
    FetchRequest,
    FetchResponse,
    FetchSnapshotRequest,
    FetchSnapshotResponse,
    InboundResponse,
    OutboundRequest,
    QuorumEpochResponse,
    RemoveVoterRequest,
    UpdateVoterRequest,
    UpdateVoterResponse,
    VoterChangeResponse,
    VoteRequest,
    VoteResponse,
)
from kafkaproto_server.core.raft.wire.inbound import (
    FETCH_REPLICA_STATE_FROM,
    FETCH_TOPIC_IDS_FROM,
    QuorumEpochMessageT,
)
from kafkaproto_server.core.raft.wire.records import fetched_batches
from kafkaproto_server.core.raft.wire.values import (
    METADATA_PARTITION,
    PartitionT,
    TopicFields,
    directory_on_wire,
    endpoint,
    endpoint_of,
    leader_and_epoch,
    listeners,
    only_partition,
    raft_error,
)

KRAFT_VERSION_FEATURE = "kraft.version"

PRE_VOTE_FROM = 2
"""First version of Vote that can ask for a pre-vote (KIP-996)."""
FEATURES_FROM_LEVEL_0_FROM = 4
"""First version of ApiVersions whose response names features that start at level 0, as kraft.version does."""
VOTERS_SERVE = frozenset(
    request.API_KEY
    for request in (kafka.VoteRequest, kafka.BeginQuorumEpochRequest, kafka.EndQuorumEpochRequest)
)
"""Requests that a controller serves, and a node that is only a broker does not (KAFKA-19021)."""
ACK_WHEN_COMMITTED_FROM = 1
"""First version of AddRaftVoter that can ask not to wait for the commit; below it, the response always waits."""


class RequestVersions(NamedTuple):
    """The versions of a request that can hold all that the core wants to send."""

    api_key: int
    min_version: int
    max_version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TopLevelError:
    """A peer refused a whole request, so that the response has neither leader nor epoch."""

    error: RaftError


def request_versions(request: OutboundRequest) -> RequestVersions:
    """Api key and versions in which a request can be sent; the driver takes the peer's highest among them."""
    match request:
        case FetchRequest():
            # Older versions name topics, and the metadata log is known by its id only.
            return RequestVersions(ApiKey.FETCH, FETCH_TOPIC_IDS_FROM, 18)
        case VoteRequest():
            # An older version has no field for a pre-vote, so it would be a vote. The failure makes
            # the core count a grant.
            return RequestVersions(ApiKey.VOTE, PRE_VOTE_FROM if request.is_pre_vote else 0, 2)
        case BeginQuorumEpochRequest():
            return RequestVersions(ApiKey.BEGIN_QUORUM_EPOCH, 0, 1)
        case EndQuorumEpochRequest():
            return RequestVersions(ApiKey.END_QUORUM_EPOCH, 0, 1)
        case FetchSnapshotRequest():
            return RequestVersions(ApiKey.FETCH_SNAPSHOT, 0, 1)
        case AddVoterRequest():
            return RequestVersions(ApiKey.ADD_RAFT_VOTER, 0, 1)
        case RemoveVoterRequest():
            return RequestVersions(ApiKey.REMOVE_RAFT_VOTER, 0, 0)
        case UpdateVoterRequest():
            return RequestVersions(ApiKey.UPDATE_RAFT_VOTER, 0, 0)
        case ApiVersionsRequest():
            return RequestVersions(ApiKey.API_VERSIONS, FEATURES_FROM_LEVEL_0_FROM, 5)
        case _:
            assert_never(request)


def encode_request(request: OutboundRequest, version: int, *, cluster_id: str) -> Message:
    """The message of a request, to be encoded in ``version``, one of ``request_versions``."""
    match request:
        case FetchRequest():
            return _encode_fetch(request, version, cluster_id)
        case VoteRequest():
            return _encode_vote(request, version, cluster_id)
        case BeginQuorumEpochRequest():
            return _encode_begin_quorum_epoch(request, version, cluster_id)
        case EndQuorumEpochRequest():
            return _encode_end_quorum_epoch(request, version, cluster_id)
        case FetchSnapshotRequest():
            return _encode_fetch_snapshot(request, cluster_id)
        case AddVoterRequest():
            return _encode_add_voter(request, version, cluster_id)
        case RemoveVoterRequest():
            return kafka.RemoveRaftVoterRequest(
                cluster_id=cluster_id,
                voter_id=request.voter.id,
                voter_directory_id=directory_on_wire(request.voter.directory_id),
            )
        case UpdateVoterRequest():
            return _encode_update_voter(request, cluster_id)
        case ApiVersionsRequest():
            return kafka.ApiVersionsRequest(
                client_software_name=SOFTWARE_NAME, client_software_version=SOFTWARE_VERSION
            )
        case _:
            assert_never(request)


def _encode_fetch(request: FetchRequest, version: int, cluster_id: str) -> kafka.FetchRequest:
    assert version >= FETCH_TOPIC_IDS_FROM, f"Fetch {version} cannot name the metadata log"
    kind = kafka.FetchRequest
    partition = kind.FetchPartition(
        partition=METADATA_PARTITION,
        current_leader_epoch=request.epoch,
        fetch_offset=request.fetch_offset,
        last_fetched_epoch=request.last_fetched_epoch,
        replica_directory_id=directory_on_wire(request.replica.directory_id),
        high_watermark=request.high_watermark,
    )
    message = kind(
        cluster_id=cluster_id,
        max_wait_ms=request.max_wait_ms,
        max_bytes=request.max_bytes,
        topics=[kind.FetchTopic(topic_id=METADATA_TOPIC_ID, partitions=[partition])],
    )
    # KIP-903 moved the id; each version has it in one place only.
    if version >= FETCH_REPLICA_STATE_FROM:
        message.replica_state = kind.ReplicaState(replica_id=request.replica.id)
    else:
        message.replica_id = request.replica.id
    return message


def _encode_vote(request: VoteRequest, version: int, cluster_id: str) -> kafka.VoteRequest:
    assert version >= PRE_VOTE_FROM or not request.is_pre_vote, f"Vote {version} would not be a pre-vote"
    kind = kafka.VoteRequest
    partition = kind.PartitionData(
        partition_index=METADATA_PARTITION,
        replica_epoch=request.epoch,
        replica_id=request.replica.id,
        last_offset_epoch=request.last_epoch,
        last_offset=request.last_offset,
        pre_vote=request.is_pre_vote,
    )
    # The fields of KIP-853 are not in it, and what is not in a version must not be set.
    if version == 0:
        topics = [kind.TopicData(topic_name=METADATA_TOPIC, partitions=[partition])]
        return kind(cluster_id=cluster_id, topics=topics)
    partition.replica_directory_id = directory_on_wire(request.replica.directory_id)
    partition.voter_directory_id = directory_on_wire(request.voter_directory_id)
    topics = [kind.TopicData(topic_name=METADATA_TOPIC, partitions=[partition])]
    return kind(cluster_id=cluster_id, voter_id=request.voter_id, topics=topics)


def _encode_begin_quorum_epoch(
    request: BeginQuorumEpochRequest, version: int, cluster_id: str
) -> kafka.BeginQuorumEpochRequest:
    kind = kafka.BeginQuorumEpochRequest
    partition = kind.PartitionData(
        partition_index=METADATA_PARTITION, leader_id=request.leader_id, leader_epoch=request.epoch
    )
    topics = [kind.TopicData(topic_name=METADATA_TOPIC, partitions=[partition])]
    if version == 0:
        return kind(cluster_id=cluster_id, topics=topics)
    partition.voter_directory_id = directory_on_wire(request.voter_directory_id)
    return kind(
        cluster_id=cluster_id,
        voter_id=request.voter_id,
        topics=topics,
        leader_endpoints=listeners(request.leader_endpoints, kind.LeaderEndpoint),
    )


def _encode_end_quorum_epoch(
    request: EndQuorumEpochRequest, version: int, cluster_id: str
) -> kafka.EndQuorumEpochRequest:
    kind = kafka.EndQuorumEpochRequest
    partition = kind.PartitionData(
        partition_index=METADATA_PARTITION, leader_id=request.leader_id, leader_epoch=request.epoch
    )
    if version == 0:
        partition.preferred_successors = [candidate.id for candidate in request.preferred_candidates]
    else:
        partition.preferred_candidates = [
            kind.ReplicaInfo(
                candidate_id=candidate.id, candidate_directory_id=directory_on_wire(candidate.directory_id)
            )
            for candidate in request.preferred_candidates
        ]
    return kind(
        cluster_id=cluster_id, topics=[kind.TopicData(topic_name=METADATA_TOPIC, partitions=[partition])]
    )


def _encode_fetch_snapshot(request: FetchSnapshotRequest, cluster_id: str) -> kafka.FetchSnapshotRequest:
    kind = kafka.FetchSnapshotRequest
    partition = kind.PartitionSnapshot(
        partition=METADATA_PARTITION,
        current_leader_epoch=request.epoch,
        snapshot_id=kind.SnapshotId(end_offset=request.snapshot.offset, epoch=request.snapshot.epoch),
        position=request.position,
        replica_directory_id=directory_on_wire(request.replica.directory_id),
    )
    return kind(
        cluster_id=cluster_id,
        replica_id=request.replica.id,
        max_bytes=request.max_bytes,
        topics=[kind.TopicSnapshot(name=METADATA_TOPIC, partitions=[partition])],
    )


def _encode_add_voter(request: AddVoterRequest, version: int, cluster_id: str) -> kafka.AddRaftVoterRequest:
    kind = kafka.AddRaftVoterRequest
    return kind(
        cluster_id=cluster_id,
        timeout_ms=request.timeout_ms,
        voter_id=request.voter.id,
        voter_directory_id=directory_on_wire(request.voter.directory_id),
        listeners=listeners(request.endpoints, kind.Listener),
        # KIP-1186. An older leader waits for the commit whatever it is asked.
        ack_when_committed=request.ack_when_committed or version < ACK_WHEN_COMMITTED_FROM,
    )


def _encode_update_voter(request: UpdateVoterRequest, cluster_id: str) -> kafka.UpdateRaftVoterRequest:
    kind = kafka.UpdateRaftVoterRequest
    return kind(
        cluster_id=cluster_id,
        current_leader_epoch=request.epoch,
        voter_id=request.voter.id,
        voter_directory_id=directory_on_wire(request.voter.directory_id),
        listeners=listeners(request.endpoints, kind.Listener),
        kraft_version_feature=kind.KRaftVersionFeature(
            min_supported_version=request.min_kraft_version, max_supported_version=request.max_kraft_version
        ),
    )


def decode_response(
    request: OutboundRequest, message: Message, *, listener_name: str
) -> InboundResponse | TopLevelError:
    """A peer's response to ``request``; ``listener_name`` is the listener that the request went to.

    It is a TopLevelError if Vote, BeginQuorumEpoch, EndQuorumEpoch, Fetch or FetchSnapshot failed as a whole. Raises
    RemoteProtocolError if the response is about another partition, if a batch is damaged or does not continue the log
    at the request's offset, or if a leader, address or offset is impossible.
    """
    match message:
        case (
            kafka.FetchResponse()
            | kafka.VoteResponse()
            | kafka.BeginQuorumEpochResponse()
            | kafka.EndQuorumEpochResponse()
            | kafka.FetchSnapshotResponse()
        ) if message.error_code:
            return TopLevelError(error=raft_error(message.error_code))
        case kafka.FetchResponse() if isinstance(request, FetchRequest):
            return _decode_fetch(request, message, listener_name)
        case kafka.VoteResponse():
            return _decode_vote(message, listener_name)
        case kafka.BeginQuorumEpochResponse():
            return _decode_quorum_epoch(message, listener_name)
        case kafka.EndQuorumEpochResponse():
            return _decode_quorum_epoch(message, listener_name)
        case kafka.FetchSnapshotResponse():
            return _decode_fetch_snapshot(message, listener_name)
        case kafka.AddRaftVoterResponse() | kafka.RemoveRaftVoterResponse():
            return VoterChangeResponse(error=raft_error(message.error_code), message=message.error_message)
        case kafka.UpdateRaftVoterResponse():
            return _decode_update_voter(message, listener_name)
        case kafka.ApiVersionsResponse():
            return _decode_api_versions(message)
        case _:
            raise AssertionError(f"{message.NAME} answers no Raft request")


def _only_partition(topics: Sequence[TopicFields[PartitionT]], where: str) -> PartitionT:
    """The metadata log's partition; raises RemoteProtocolError if the response is not about exactly that one."""
    partition = only_partition(topics)
    if partition is not None:
        return partition
    raise RemoteProtocolError(f"the answer is not about {METADATA_TOPIC}-{METADATA_PARTITION}", where=where)


def _decode_vote(message: kafka.VoteResponse, listener_name: str) -> VoteResponse:
    where = "VoteResponse"
    partition = _only_partition(message.topics, where)
    return VoteResponse(
        error=raft_error(partition.error_code),
        leader=leader_and_epoch(partition.leader_id, partition.leader_epoch, where),
        leader_endpoint=endpoint_of(partition.leader_id, message.node_endpoints, listener_name, where),
        is_granted=partition.vote_granted,
    )


def _decode_quorum_epoch(message: QuorumEpochMessageT, listener_name: str) -> QuorumEpochResponse:
    where = message.NAME
    partition = _only_partition(message.topics, where)
    return QuorumEpochResponse(
        error=raft_error(partition.error_code),
        leader=leader_and_epoch(partition.leader_id, partition.leader_epoch, where),
        leader_endpoint=endpoint_of(partition.leader_id, message.node_endpoints, listener_name, where),
    )


def _decode_fetch(request: FetchRequest, message: kafka.FetchResponse, listener_name: str) -> FetchResponse:
    where = "FetchResponse"
    topics = message.responses
    if len(topics) != 1 or topics[0].topic_id != METADATA_TOPIC_ID or len(topics[0].partitions) != 1:
        raise RemoteProtocolError("the answer is not about the metadata log", where=where)
    partition = topics[0].partitions[0]
    if partition.partition_index != METADATA_PARTITION:
        raise RemoteProtocolError(f"the answer is about partition {partition.partition_index}", where=where)
    diverging = partition.diverging_epoch
    snapshot = partition.snapshot_id
    leader = partition.current_leader
    # Null, too, means that there are none.
    records = partition.records or b""
    assert not isinstance(records, list), "only messages of our own making hold several buffers"
    return FetchResponse(
        error=raft_error(partition.error_code),
        leader=leader_and_epoch(leader.leader_id, leader.leader_epoch, where),
        leader_endpoint=endpoint_of(leader.leader_id, message.node_endpoints, listener_name, where),
        high_watermark=partition.high_watermark,
        diverging=_position(diverging.end_offset, diverging.epoch, f"{where}.diverging_epoch"),
        snapshot=_position(snapshot.end_offset, snapshot.epoch, f"{where}.snapshot_id"),
        batches=fetched_batches(records, request.fetch_offset, request.last_fetched_epoch),
    )


def _position(offset: int, epoch: int, where: str) -> OffsetAndEpoch | None:
    # Kafka's -1 and -1 stand for a field that is left out.
    if offset < 0 and epoch < 0:
        return None
    if offset < 0 or epoch < 0:
        raise RemoteProtocolError(f"offset {offset} of epoch {epoch} cannot be", where=where)
    return OffsetAndEpoch(offset=offset, epoch=epoch)


def _decode_fetch_snapshot(message: kafka.FetchSnapshotResponse, listener_name: str) -> FetchSnapshotResponse:
    where = "FetchSnapshotResponse"
    topics = message.topics
    if len(topics) != 1 or topics[0].name != METADATA_TOPIC or len(topics[0].partitions) != 1:
        raise RemoteProtocolError("the answer is not about the metadata log", where=where)
    partition = topics[0].partitions[0]
    if partition.index != METADATA_PARTITION:
        raise RemoteProtocolError(f"the answer is about partition {partition.index}", where=where)
    leader = partition.current_leader
    data = partition.unaligned_records or b""
    assert not isinstance(data, list), "only messages of our own making hold several buffers"
    return FetchSnapshotResponse(
        error=raft_error(partition.error_code),
        leader=_snapshot_leader(leader.leader_id, leader.leader_epoch, where),
        leader_endpoint=endpoint_of(leader.leader_id, message.node_endpoints, listener_name, where),
        snapshot=OffsetAndEpoch(offset=partition.snapshot_id.end_offset, epoch=partition.snapshot_id.epoch),
        size=partition.size,
        position=partition.position,
        data=data,
    )


def _snapshot_leader(leader_id: int, epoch: int, where: str) -> LeaderAndEpoch:
    """The leader in a FetchSnapshot response. Zeros stand for a leader that is left out: no node ever leads epoch 0."""
    if epoch == 0:
        return LeaderAndEpoch(leader_id=NO_NODE, epoch=0)
    return leader_and_epoch(leader_id, epoch, where)


def _decode_update_voter(message: kafka.UpdateRaftVoterResponse, listener_name: str) -> UpdateVoterResponse:
    where = "UpdateRaftVoterResponse.current_leader"
    leader = message.current_leader
    # The defaults of the message are an empty host and port 0; they name no address.
    known = leader.leader_id != NO_NODE and leader.host != ""
    return UpdateVoterResponse(
        error=raft_error(message.error_code),
        leader=leader_and_epoch(leader.leader_id, leader.leader_epoch, where),
        leader_endpoint=endpoint(listener_name, leader.host, leader.port, where) if known else None,
    )


def _decode_api_versions(message: kafka.ApiVersionsResponse) -> ApiVersionsResponse:
    """The supported kraft.versions. A node that does not name the feature supports only level 0."""
    error = raft_error(message.error_code)
    # What a node serves says whether it is a controller, and nothing else in the response does.
    can_vote = {served.api_key for served in message.api_keys} >= VOTERS_SERVE
    for feature in message.supported_features:
        if feature.name == KRAFT_VERSION_FEATURE:
            return ApiVersionsResponse(
                error=error,
                min_kraft_version=feature.min_version,
                max_kraft_version=feature.max_version,
                can_vote=can_vote,
            )
    return ApiVersionsResponse(error=error, can_vote=can_vote)
