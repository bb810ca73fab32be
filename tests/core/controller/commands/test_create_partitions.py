"""CreatePartitions: more partitions for a topic, or why not."""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    AlterPartitionReassignmentsRequest,
    CreatePartitionsRequest,
    CreatePartitionsResponse,
)
from tests.core.controller.support.harness import Harness


@pytest.fixture
def harness() -> Harness:
    """Topic t with one partition on brokers 1 and 2; broker 3 fenced."""
    harness = Harness()
    harness.start_brokers(1, 2)
    harness.register(3)
    harness.create_topic("t", [1, 2])
    return harness


def more(
    count: int, *assignments: list[int], name: str = "t"
) -> CreatePartitionsRequest.CreatePartitionsTopic:
    given = None
    if assignments:
        given = [CreatePartitionsRequest.CreatePartitionsAssignment(broker_ids=each) for each in assignments]
    return CreatePartitionsRequest.CreatePartitionsTopic(name=name, count=count, assignments=given)


def grow(
    harness: Harness, *topics: CreatePartitionsRequest.CreatePartitionsTopic, **fields: Any
) -> list[CreatePartitionsResponse.CreatePartitionsTopicResult]:
    results: list[CreatePartitionsResponse.CreatePartitionsTopicResult] = harness.call(
        CreatePartitionsRequest(topics=list(topics), **fields)
    ).results
    return results


def replicas(harness: Harness, name: str = "t") -> list[tuple[int, ...]]:
    topic = harness.image.topic_by_name(name)
    assert topic is not None
    return [partition.replicas for _, partition in topic.partitions_in_order()]


def test_new_partitions_get_as_many_replicas_as_the_topic_has(harness: Harness) -> None:
    (result,) = grow(harness, more(4))
    assert (result.error_code, result.error_message) == (0, None)
    assert [len(each) for each in replicas(harness)] == [2, 2, 2, 2]
    assert replicas(harness)[0] == (1, 2)


def test_new_partitions_go_where_the_request_says(harness: Harness) -> None:
    (result,) = grow(harness, more(3, [2, 1], [3, 1]))
    assert result.error_code == 0
    assert replicas(harness) == [(1, 2), (2, 1), (3, 1)]
    topic = harness.image.topic_by_name("t")
    assert topic is not None
    assert (topic.partitions[2].isr, topic.partitions[2].leader) == ((1,), 1)


def test_validation_alone_writes_nothing(harness: Harness) -> None:
    start = harness.next_offset
    (result,) = grow(harness, more(3), validate_only=True)
    assert result.error_code == 0
    assert harness.next_offset == start


def test_results_come_in_the_order_of_the_request(harness: Harness) -> None:
    harness.create_topic("u", [1])
    results = grow(harness, more(1), more(2, name="v"), more(2, name="u"))
    assert [(result.name, result.error_code) for result in results] == [("t", 37), ("v", 3), ("u", 0)]
    assert len(replicas(harness, "u")) == 2


@pytest.mark.parametrize(
    ("topic", "code", "message"),
    [
        (more(2, name="v"), 3, "Topic 'v' does not exist."),
        (more(1), 37, "Topic t has 1 partitions; the count can only grow, not become 1."),
        (more(0), 37, "Topic t has 1 partitions; the count can only grow, not become 0."),
        (more(-5), 37, "Topic t has 1 partitions; the count can only grow, not become -5."),
        (more(4, [1, 2]), 39, "3 partitions are to be added; the request assigns 1."),
        (more(2, []), 39, "A partition is assigned to no broker at all."),
        (more(2, [1]), 39, "Assignment [1] has 1 replicas, others have 2."),
        (more(2, [1, 1]), 39, "Assignment [1, 1] names a broker twice."),
        (more(2, [1, 4]), 39, "Broker 4 in assignment [1, 4] is not registered."),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_written(
    harness: Harness, topic: CreatePartitionsRequest.CreatePartitionsTopic, code: int, message: str
) -> None:
    start = harness.next_offset
    (result,) = grow(harness, topic)
    assert (result.name, result.error_code, result.error_message) == (topic.name, code, message)
    assert harness.next_offset == start


def test_an_empty_assignment_is_not_a_missing_one(harness: Harness) -> None:
    topic = more(2)
    topic.assignments = []
    (result,) = grow(harness, topic)
    assert result.error_message == "1 partitions are to be added; the request assigns 0."


def test_partitions_nobody_can_lead_are_refused(harness: Harness) -> None:
    harness.create_topic("one", [1])
    (result,) = grow(harness, more(2, [3], name="one"))
    assert result.error_code == ErrorCode.INVALID_REPLICA_ASSIGNMENT


def test_a_topic_named_twice_is_refused_once(harness: Harness) -> None:
    (result,) = grow(harness, more(2), more(3))
    assert (result.error_code, result.error_message) == (42, "Topic t is named twice.")


@pytest.mark.parametrize("count", [10_002, 2**31 - 1])
def test_too_many_partitions_refuse_the_whole_request(harness: Harness, count: int) -> None:
    harness.create_topic("u", [1])
    start = harness.next_offset
    results = grow(harness, more(count), more(2, name="u"))
    assert [result.error_code for result in results] == [ErrorCode.POLICY_VIOLATION] * 2
    assert results[0].error_message == (
        f"The request asks for {count - 1 + 1} partitions; one request may create 10000."
    )
    assert harness.next_offset == start


def test_replicas_that_a_reassignment_is_about_to_take_away_do_not_count(harness: Harness) -> None:
    harness.start_brokers(4)
    partition = AlterPartitionReassignmentsRequest.ReassignablePartition(partition_index=0, replicas=[4, 1])
    topic = AlterPartitionReassignmentsRequest.ReassignableTopic(name="t", partitions=[partition])
    harness.call(AlterPartitionReassignmentsRequest(topics=[topic]))
    assert replicas(harness) == [(4, 1, 2)]
    (result,) = grow(harness, more(2, [1, 2, 4]))
    assert result.error_code == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    (result,) = grow(harness, more(2, [1, 2]))
    assert result.error_code == 0
    grow(harness, more(3))
    assert [len(each) for each in replicas(harness)] == [3, 2, 2]
