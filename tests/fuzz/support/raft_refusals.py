"""What a quorum that has a leader answers to unknown nodes: Kafka's error for each Raft request, and where it stands.

Where Kafka gives way to an unknown node (a raised epoch is believed, a second leader stops the process, an error of
FetchSnapshot never gets onto the wire) this is what takes its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kafkaproto import messages as kafka
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from tests.fuzz.support.raft_requests import METADATA_TOPIC, METADATA_TOPIC_ID, ZERO_UUID, QuorumFacts

LAST_EPOCH = 2**31 - 1 - 2**20
"""The last epoch that a node takes part in."""

Outcome = tuple[int, tuple[int, ...]]
"""The top-level error code, 0 where the response has none, and that of each partition in its order."""

_NONE = int(ErrorCode.NONE)


def outcome_of(response: Message) -> Outcome:
    """What a response says went wrong."""
    codes = tuple(partition.error_code for partition in partitions_of(response))
    return getattr(response, "error_code", _NONE), codes


def partitions_of(response: Message) -> list[Any]:
    """All partitions that a response names; the response to Fetch calls its topics responses."""
    topics: Sequence[Any] = getattr(response, "topics", getattr(response, "responses", ()))
    return [partition for topic in topics for partition in topic.partitions]


def expected(request: Any, version: int, receiver: int, facts: QuorumFacts) -> set[Outcome]:
    """What may come back for a request as it was decoded. More than one outcome only where time decides."""
    match request:
        case kafka.DescribeQuorumRequest():
            return {(_NONE, _describe_quorum(request, receiver, facts))}
        case kafka.AddRaftVoterRequest() | kafka.RemoveRaftVoterRequest() | kafka.UpdateRaftVoterRequest():
            return {(int(code), ()) for code in _voter_change(request, receiver, facts)}
    if request.cluster_id not in (None, facts.cluster_id):
        return {(_top_level(request, version, ErrorCode.INCONSISTENT_CLUSTER_ID), ())}
    partitions = [partition for topic in request.topics for partition in topic.partitions]
    if isinstance(request, kafka.FetchSnapshotRequest) and partitions:
        if not _names_log(request, version):
            return {(_NONE, (int(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),) * len(partitions))}
    elif not _names_log(request, version):
        return {(_top_level(request, version, ErrorCode.INVALID_REQUEST), ())}
    match request:
        case kafka.VoteRequest():
            code = _vote(request, partitions[0], receiver, facts)
        case kafka.BeginQuorumEpochRequest():
            code = _begin_quorum_epoch(request, partitions[0], receiver, facts)
        case kafka.EndQuorumEpochRequest():
            code = _of_other_leader(partitions[0], receiver, facts)
        case kafka.FetchRequest():
            code = _fetch(request, version, partitions[0], receiver, facts)
        case _:
            code = _fetch_snapshot(request, partitions[0], receiver, facts)
    return {(_NONE, (int(code),))}


def _top_level(request: Message, version: int, code: ErrorCode) -> int:
    """Fetch has a place for a top-level error from version 7 on; before, such answers are empty."""
    return _NONE if isinstance(request, kafka.FetchRequest) and version < 7 else int(code)


def _names_log(request: Any, version: int) -> bool:
    """Whether exactly the metadata log's partition is named; topics of a Fetch have ids from version 13 on."""
    if len(request.topics) != 1 or len(request.topics[0].partitions) != 1:
        return False
    topic = request.topics[0]
    partition = topic.partitions[0]
    if isinstance(request, kafka.FetchRequest):
        return version >= 13 and (topic.topic_id, partition.partition) == (METADATA_TOPIC_ID, 0)
    if isinstance(request, kafka.FetchSnapshotRequest):
        return (topic.name, partition.partition) == (METADATA_TOPIC, 0)
    return (topic.topic_name, partition.partition_index) == (METADATA_TOPIC, 0)


def _is_other_key(request: Any, partition: Any, receiver: int, facts: QuorumFacts) -> bool:
    directory = partition.voter_directory_id
    return (request.voter_id >= 0 and request.voter_id != receiver) or directory not in (
        ZERO_UUID,
        facts.voters[receiver],
    )


def _vote(request: Any, partition: Any, receiver: int, facts: QuorumFacts) -> ErrorCode:
    limit = partition.replica_epoch + (1 if partition.pre_vote else 0)
    if min(partition.last_offset, partition.last_offset_epoch) < 0 or partition.last_offset_epoch >= limit:
        return ErrorCode.INVALID_REQUEST
    if partition.replica_epoch < facts.epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    if partition.replica_id < 0 or partition.replica_id == receiver:
        return ErrorCode.INVALID_REQUEST
    if _is_other_key(request, partition, receiver, facts):
        return ErrorCode.INVALID_VOTER_KEY
    return ErrorCode.INVALID_REQUEST if partition.replica_epoch > LAST_EPOCH else ErrorCode.NONE


def _of_other_leader(partition: Any, receiver: int, facts: QuorumFacts) -> ErrorCode:
    """Of BeginQuorumEpoch and EndQuorumEpoch: an epoch has one leader, and a later one is not believed in."""
    if partition.leader_epoch < facts.epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    if partition.leader_id < 0 or partition.leader_id == receiver:
        return ErrorCode.INVALID_REQUEST
    if partition.leader_epoch > LAST_EPOCH:
        return ErrorCode.INVALID_REQUEST
    if partition.leader_epoch > facts.epoch:
        return ErrorCode.UNKNOWN_LEADER_EPOCH
    return ErrorCode.NONE if partition.leader_id == facts.leader_id else ErrorCode.INVALID_REQUEST


def _begin_quorum_epoch(request: Any, partition: Any, receiver: int, facts: QuorumFacts) -> ErrorCode:
    code = _of_other_leader(partition, receiver, facts)
    if code in (ErrorCode.NONE, ErrorCode.UNKNOWN_LEADER_EPOCH) and _is_other_key(
        request, partition, receiver, facts
    ):
        return ErrorCode.INVALID_VOTER_KEY
    return code


def _at_leader(epoch: int, receiver: int, facts: QuorumFacts) -> ErrorCode:
    """The check of all requests that only a leader serves."""
    if epoch < facts.epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    if epoch > facts.epoch:
        return ErrorCode.UNKNOWN_LEADER_EPOCH
    return ErrorCode.NONE if receiver == facts.leader_id else ErrorCode.NOT_LEADER_OR_FOLLOWER


def _fetch(request: Any, version: int, partition: Any, receiver: int, facts: QuorumFacts) -> ErrorCode:
    if min(request.max_wait_ms, partition.fetch_offset, partition.last_fetched_epoch) < 0:
        return ErrorCode.INVALID_REQUEST
    if partition.last_fetched_epoch > partition.current_leader_epoch:
        return ErrorCode.INVALID_REQUEST
    code = _at_leader(partition.current_leader_epoch, receiver, facts)
    replica_id = request.replica_state.replica_id if version >= 15 else request.replica_id
    if code == ErrorCode.NONE and replica_id == receiver:
        return ErrorCode.UNKNOWN_SERVER_ERROR
    return code


def _fetch_snapshot(request: Any, partition: Any, receiver: int, facts: QuorumFacts) -> ErrorCode:
    code = _at_leader(partition.current_leader_epoch, receiver, facts)
    if code != ErrorCode.NONE:
        return code
    if (partition.snapshot_id.end_offset, partition.snapshot_id.epoch) != facts.snapshot:
        return ErrorCode.SNAPSHOT_NOT_FOUND
    if not 0 <= partition.position < facts.snapshot_size:
        return ErrorCode.POSITION_OUT_OF_RANGE
    return ErrorCode.INVALID_REQUEST if request.max_bytes < 0 else ErrorCode.NONE


def _describe_quorum(request: Any, receiver: int, facts: QuorumFacts) -> tuple[int, ...]:
    count = sum(len(topic.partitions) for topic in request.topics)
    if not _names_log(request, 0):
        return (int(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),) * count
    return (_NONE if receiver == facts.leader_id else int(ErrorCode.NOT_LEADER_OR_FOLLOWER),)


def _voter_change(request: Any, receiver: int, facts: QuorumFacts) -> set[ErrorCode]:
    if request.cluster_id not in (None, facts.cluster_id):
        return {ErrorCode.INCONSISTENT_CLUSTER_ID}
    is_update = isinstance(request, kafka.UpdateRaftVoterRequest)
    epoch = request.current_leader_epoch if is_update else facts.epoch
    code = _at_leader(epoch, receiver, facts)
    if code != ErrorCode.NONE:
        return {code}
    if request.voter_id < 0 or request.voter_directory_id == ZERO_UUID:
        return {ErrorCode.INVALID_REQUEST}
    if not isinstance(request, kafka.RemoveRaftVoterRequest) and _are_no_addresses(request.listeners):
        return {ErrorCode.INVALID_REQUEST}
    # Another change may be under way: a new replica that cannot be reached is being asked what it supports.
    codes = {ErrorCode.REQUEST_TIMED_OUT}
    if isinstance(request, kafka.AddRaftVoterRequest):
        return codes | ({ErrorCode.DUPLICATE_VOTER} if request.voter_id in facts.voters else set())
    if is_update:
        feature = request.kraft_version_feature
        lowest, highest = feature.min_supported_version, feature.max_supported_version
        if not 0 <= lowest <= highest:
            return {ErrorCode.INVALID_REQUEST}
        if not lowest <= 1 <= highest:
            return codes | {ErrorCode.INVALID_REQUEST}
    assert facts.voters.get(request.voter_id) != request.voter_directory_id, "a change that could be made"
    return codes | {ErrorCode.VOTER_NOT_FOUND}


def _are_no_addresses(listeners: Sequence[Any]) -> bool:
    names = [listener.name for listener in listeners]
    return (
        "CONTROLLER" not in names
        or len(set(names)) != len(names)
        or any(not listener.host or listener.port == 0 for listener in listeners)
    )
