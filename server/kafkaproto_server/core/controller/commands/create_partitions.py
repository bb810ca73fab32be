"""CreatePartitions (37, v0-3): adds partitions to existing topics; partitions cannot be removed.

New partitions have as many replicas as the first one. Unlike in Apache Kafka's controllers, replicas that a
reassignment is about to remove do not count. A request for more than 10,000 partitions is refused; Apache Kafka's
controllers fail half-way through it. A quota on the rate of partition changes refuses topics from v3 on, and delays the
sender before (KIP-599).

Apache Kafka: ``ReplicationControlManager.createPartitions``.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import CreatePartitionsRequest, CreatePartitionsResponse
from kafkaproto_server.base.error_texts import without_frames
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.controller.commands.create_topics import MAX_PARTITIONS_PER_REQUEST
from kafkaproto_server.core.controller.partitions.assignments import check_assignments
from kafkaproto_server.core.controller.partitions.placement import (
    UsableBroker,
    new_partition,
    place,
    usable_brokers,
)
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult, Situation
from kafkaproto_server.metadata.image.entries import TopicImage
from kafkaproto_server.metadata.image.records import partition_record

_PartitionsTopic = CreatePartitionsRequest.CreatePartitionsTopic
_TopicResult = CreatePartitionsResponse.CreatePartitionsTopicResult


def create_partitions(situation: Situation, request: CreatePartitionsRequest) -> Steps[CommandResult]:
    """Add the partitions that can be added; raises ApiError if the request as a whole asks for too many."""
    by_name: dict[str, list[_PartitionsTopic]] = {}
    for topic in request.topics:
        by_name.setdefault(topic.name, []).append(topic)
        yield
    existing: dict[str, TopicImage] = {}
    errors: dict[str, ApiError] = {}
    for name, topics in by_name.items():
        try:
            existing[name] = _existing_topic(situation, topics)
        except ApiError as error:
            errors[name] = without_frames(error)
        yield
    # The counts come from outside, so they are checked before anything of that size is allocated.
    total = sum(by_name[name][0].count - len(topic.partitions) for name, topic in existing.items())
    # Kafka has no such check here: it responds with an error, but its first 10,000 partitions
    # exist.
    if total > MAX_PARTITIONS_PER_REQUEST:
        raise ApiError(
            ErrorCode.POLICY_VIOLATION,
            f"The request asks for {total} partitions; one request may create {MAX_PARTITIONS_PER_REQUEST}.",
        )
    # Once for all topics of the request.
    brokers = usable_brokers(situation.image)
    records: list[Message] = []
    for name, existing_topic in existing.items():
        try:
            records += yield from _new_partitions(situation, existing_topic, by_name[name][0], brokers)
        except ApiError as error:
            errors[name] = without_frames(error)
        yield
    results = []
    for name in by_name:
        results.append(_failure(name, errors[name]) if name in errors else _TopicResult(name=name))
        yield
    return CommandResult(
        response=CreatePartitionsResponse(throttle_time_ms=situation.permits.throttle_ms, results=results),
        records=() if request.validate_only else records,
        permits=situation.permits,
    )


def _existing_topic(situation: Situation, topics: Sequence[_PartitionsTopic]) -> TopicImage:
    """The topic with a name from the request; raises ApiError unless it can have that many partitions."""
    name, count = topics[0].name, topics[0].count
    # As in CreateTopics, neither mention counts.
    if len(topics) > 1:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"Topic {name} is named twice.")
    topic = situation.image.topic_by_name(name)
    if topic is None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Topic {name!r} does not exist.")
    present = len(topic.partitions)
    if count <= present:
        raise ApiError(
            ErrorCode.INVALID_PARTITIONS,
            f"Topic {name} has {present} partitions; the count can only grow, not become {count}.",
        )
    return topic


def _new_partitions(
    situation: Situation, topic: TopicImage, request: _PartitionsTopic, brokers: Sequence[UsableBroker]
) -> Steps[list[Message]]:
    image = situation.image
    first = len(topic.partitions)
    added = request.count - first
    assert added > 0, f"{added} partitions to add to topic {topic.name}"
    model = topic.partitions[0]
    # During a reassignment the replicas that will go are still in the list. Kafka counts them, so
    # new partitions get more replicas than the topic has afterwards.
    replication_factor = len(model.replicas) - len(model.removing_replicas)
    if request.assignments is None:
        assignments = yield from place(brokers, added, replication_factor, situation.rng)
    else:
        if len(request.assignments) != added:
            raise ApiError(
                ErrorCode.INVALID_REPLICA_ASSIGNMENT,
                f"{added} partitions are to be added; the request assigns {len(request.assignments)}.",
            )
        assignments = [tuple(assignment.broker_ids) for assignment in request.assignments]
        yield from check_assignments(image, assignments, replication_factor=replication_factor)
    # After the checks of counts and assignments: what they refuse costs nothing (KIP-599).
    situation.take_permits(added)
    records: list[Message] = []
    for index, replicas in enumerate(assignments, first):
        # Also for placed replicas: a fenced broker may be among them, and does not belong into the
        # ISR.
        partition = new_partition(image, replicas)
        records.append(partition_record(topic.topic_id, index, partition, image.metadata_version))
        yield
    return records


def _failure(name: str, error: ApiError) -> _TopicResult:
    return _TopicResult(name=name, error_code=error.code, error_message=error.message)
