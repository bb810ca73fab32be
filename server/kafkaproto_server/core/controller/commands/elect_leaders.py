"""ElectLeaders (43, v0-2): makes the preferred replica the leader, or a replica that lags if there is no other.

A request names partitions, or asks for all of them; in the latter case the response leaves out those that need no
election. Version 0 has preferred elections only.

Apache Kafka: ``ReplicationControlManager.electLeaders``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ElectLeadersRequest, ElectLeadersResponse
from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.core.controller.partitions.broker_changes import partitions_where
from kafkaproto_server.core.controller.partitions.partitions import Election, Goal, PartitionChanges
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult, Situation
from kafkaproto_server.metadata.image.entries import PartitionImage
from kafkaproto_server.metadata.image.image import ClusterImage

_ELECTIONS: Mapping[int, Election] = {0: Election.PREFERRED, 1: Election.UNCLEAN}
"""By election type."""
_NONE_POSSIBLE = {
    Election.PREFERRED: ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE,
    Election.UNCLEAN: ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE,
}

_TopicResult = ElectLeadersResponse.ReplicaElectionResult
_PartitionResult = ElectLeadersResponse.PartitionResult


def elect_leaders(situation: Situation, request: ElectLeadersRequest) -> Steps[CommandResult]:
    """Hold the requested elections; raises ApiError if their type is unknown."""
    election = _ELECTIONS.get(request.election_type)
    if election is None:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"ElectionType {request.election_type} is neither 0 (preferred) nor 1 (unclean).",
        )
    image = situation.image
    changes = PartitionChanges(image, situation.topic_configs())
    results = []
    for name, indexes in (yield from _asked(image, request, election)):
        partition_results = []
        for index in indexes:
            result = _PartitionResult(partition_id=index, error_message=None)
            try:
                _elect(image, changes, name, index, election)
            except ApiError as error:
                result.error_code, result.error_message = error.code, error.message
            partition_results.append(result)
            yield
        results.append(_TopicResult(topic=name, partition_result=partition_results))
        yield
    return CommandResult(
        response=ElectLeadersResponse(replica_election_results=results),
        records=changes.records,
        # The elections are independent of each other, and "all partitions" may be more than one
        # batch holds.
        atomic=False,
    )


def _is_needed(partition: PartitionImage, election: Election) -> bool:
    if election is Election.PREFERRED:
        return partition.leader != partition.replicas[0]
    # An unclean election is no way to replace a leader that works.
    return partition.leader == NO_NODE


def _asked(
    image: ClusterImage, request: ElectLeadersRequest, election: Election
) -> Steps[list[tuple[str, Iterable[int]]]]:
    """(topic name, partition indexes); if the request names none, all partitions that need an election."""
    if request.topic_partitions is None:
        # Those that need none are left out, as in Kafka: else a healthy cluster would get one error
        # for each partition.
        needed = yield from partitions_where(image, lambda partition: _is_needed(partition, election))
        by_name: dict[str, list[int]] = {}
        while needed:
            topic, index, _ = needed.popleft()
            by_name.setdefault(topic.name, []).append(index)
            yield
        return [*by_name.items()]
    named: list[tuple[str, Iterable[int]]] = []
    for asked in request.topic_partitions:
        # A partition that is named twice gets one election.
        indexes: dict[int, None] = {}
        for index in asked.partitions:
            indexes[index] = None
            yield
        named.append((asked.topic, indexes))
        yield
    return named


def _elect(image: ClusterImage, changes: PartitionChanges, name: str, index: int, election: Election) -> None:
    """Hold one election; raises ApiError if none is needed, or if no replica can be elected."""
    topic = image.topic_by_name(name)
    if topic is None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Topic {name!r} does not exist.")
    partition = changes.partition(topic, index)
    if partition is None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Topic {name} has no partition {index}.")
    # Kafka's clients count this code as success, so it may stand beside a named partition.
    if not _is_needed(partition, election):
        raise ApiError(ErrorCode.ELECTION_NOT_NEEDED, f"Broker {partition.leader} leads {name}-{index}.")
    if changes.change(topic, index, Goal(), election=election) is None:
        raise ApiError(
            _NONE_POSSIBLE[election], f"No replica of {name}-{index} can be elected ({election.value})."
        )
