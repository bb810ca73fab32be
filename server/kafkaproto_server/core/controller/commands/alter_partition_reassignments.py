"""AlterPartitionReassignments (45, v0-1): begins, changes and cancels reassignments of partitions (KIP-455).

While a reassignment runs, a partition's replicas are those that stay, followed by those to be removed. It ends with the
change that brings the new replicas into the ISR: `core.controller.partitions.partitions` says when. A new target starts
from all present replicas, including those that an unfinished reassignment was about to add or remove. Replicas that
were being added stay marked as added, even if the new target removes them again: so the original replicas are known
until the end.

Cancelling a reassignment leaves out the replicas that were being added. If none of the others is in sync, the first of
them has to lead without having all records; unclean elections must be allowed for that.

Apache Kafka's controllers forget what an earlier target added as soon as a later one adds something else. They still
remove what an earlier target removed if a later one removes nothing, and wait for replicas that were added and are to
be removed again.

All records of a request are one batch. Partitions are refused one by one.
"""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
)
from kafkaproto_server.base.later import Steps, run_to_end
from kafkaproto_server.core.controller.partitions.assignments import check_assignments
from kafkaproto_server.core.controller.partitions.partitions import Election, Goal, PartitionChanges
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult, Situation
from kafkaproto_server.core.controller.values.topic_configs import TopicConfigs
from kafkaproto_server.metadata.image.entries import RECOVERING, PartitionImage, TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage

_TopicResult = AlterPartitionReassignmentsResponse.ReassignableTopicResponse
_PartitionResult = AlterPartitionReassignmentsResponse.ReassignablePartitionResponse
_Partition = AlterPartitionReassignmentsRequest.ReassignablePartition


def alter_reassignments(
    situation: Situation, request: AlterPartitionReassignmentsRequest
) -> Steps[CommandResult]:
    """Begin, change and cancel the reassignments of the request that are valid."""
    image, configs = situation.image, situation.topic_configs()
    changes = PartitionChanges(image, configs)
    responses = []
    for asked in request.topics:
        topic = image.topic_by_name(asked.name)
        results = []
        for data in asked.partitions:
            result = _PartitionResult(partition_index=data.partition_index, error_message=None)
            try:
                partition = _partition(changes, topic, asked.name, data.partition_index)
                assert topic is not None, "a topic that does not exist has no partition"
                if data.replicas is None:
                    _cancel(changes, configs, topic, data.partition_index, partition)
                else:
                    _check_target(image, partition, data.replicas, request.allow_replication_factor_change)
                    changes.change(
                        topic,
                        data.partition_index,
                        _begun(partition, tuple(data.replicas)),
                        # A reassignment is asked for by an operator who expects no loss, whatever
                        # the topic allows for failures.
                        election=Election.CLEAN,
                    )
            except ApiError as error:
                result.error_code, result.error_message = error.code, error.message
            results.append(result)
            yield
        responses.append(_TopicResult(name=asked.name, partitions=results))
        yield
    return CommandResult(
        response=AlterPartitionReassignmentsResponse(
            allow_replication_factor_change=request.allow_replication_factor_change,
            error_message=None,
            responses=responses,
        ),
        records=changes.records,
    )


def _partition(changes: PartitionChanges, topic: TopicImage | None, name: str, index: int) -> PartitionImage:
    if topic is None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Topic {name!r} does not exist.")
    partition = changes.partition(topic, index)
    if partition is None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Topic {name} has no partition {index}.")
    return partition


def _check_target(
    image: ClusterImage, partition: PartitionImage, target: list[int], may_change_factor: bool
) -> None:
    """Raise ApiError unless the partition may have these replicas."""
    run_to_end(check_assignments(image, [target], replication_factor=None))
    # Those to be removed are still in the list, and will not be there afterwards. Kafka counts alike.
    factor = len(partition.replicas) - len(partition.removing_replicas)
    if not may_change_factor and len(target) != factor:
        raise ApiError(
            ErrorCode.INVALID_REPLICATION_FACTOR,
            f"Replicas {target} would change the replication factor from {factor} to {len(target)},"
            " which AllowReplicationFactorChange forbids.",
        )


def _begun(partition: PartitionImage, target: tuple[int, ...]) -> Goal:
    """A reassignment to the target. If only the order of the replicas changes, it is complete at once."""
    # Kafka's PartitionReassignmentReplicas starts from the present replicas alone. After two
    # targets, cancelling would keep what the first one added.
    original = {*partition.replicas} - {*partition.adding_replicas}
    # Replicas that are to go stay in the list until the end. They may lead, and hold what the
    # others still have to copy.
    removing = tuple(sorted({*partition.replicas} - {*target}))
    adding = tuple(sorted({*partition.replicas, *target} - original))
    assert {*target}.isdisjoint(removing), f"target {target} and removed replicas {removing} overlap"
    return Goal(replicas=target + removing, adding=adding, removing=removing)


def _cancel(
    changes: PartitionChanges,
    configs: TopicConfigs,
    topic: TopicImage,
    index: int,
    partition: PartitionImage,
) -> None:
    """Cancel a reassignment; raises ApiError if there is none, or if the replica that would lead may not."""
    if not partition.is_being_reassigned():
        raise ApiError(
            ErrorCode.NO_REASSIGNMENT_IN_PROGRESS, f"{topic.name}-{index} is not being reassigned."
        )
    adding = partition.adding_replicas
    replicas = tuple(replica for replica in partition.replicas if replica not in adding)
    isr = tuple(replica for replica in partition.isr if replica not in adding)
    assert {*isr} <= {*partition.isr}, "to cancel a reassignment adds nobody to the ISR"
    if isr:
        changes.change(
            topic, index, Goal(isr=isr, replicas=replicas, adding=(), removing=()), election=Election.CLEAN
        )
        return
    assert replicas, "a reassignment keeps the original replicas to its end"
    # If only added replicas are in sync, the original ones may lack acknowledged records. Kafka's
    # PartitionReassignmentRevert has the same rule.
    if not configs.unclean_election_enabled(topic.name):
        raise ApiError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"Without the added replicas {list(adding)} no replica of {topic.name}-{index} is in sync, and an"
            " unclean election is not allowed.",
        )
    # The ISR says who is to lead, and the recovery state tells the leader that its log may lack
    # records (KIP-704).
    goal = Goal(isr=replicas[:1], replicas=replicas, adding=(), removing=(), recovery_state=RECOVERING)
    changes.change(topic, index, goal, election=Election.UNCLEAN)
