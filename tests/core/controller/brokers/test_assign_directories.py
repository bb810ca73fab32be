"""AssignReplicasToDirs: where a broker's replicas lie, and what becomes of those that lie nowhere.

Tests: `core.controller.brokers.assign_replicas_to_dirs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AssignReplicasToDirsRequest, AssignReplicasToDirsResponse
from kafkaproto_server.metadata.image.entries import LOST_DIRECTORY, MIGRATING_DIRECTORY, UNASSIGNED_DIRECTORY
from tests.core.controller.support.harness import Harness, directory

FIRST, SECOND = directory(1, 0), directory(1, 1)
"""Broker 1's."""


@pytest.fixture
def harness() -> Harness:
    """Broker 1 has two directories, 2 and 3 have one. Topics t (partitions 0, 1; 1 leads) and u (1 has none)."""
    harness = Harness()
    harness.start_brokers(1, log_dirs=[FIRST, SECOND])
    harness.start_brokers(2, 3)
    harness.create_topic("t", [1, 2], [1, 2])
    harness.create_topic("u", [2, 3])
    return harness


def request(
    harness: Harness, *assignments: tuple[bytes, bytes, Sequence[int]], **fields: Any
) -> AssignReplicasToDirsRequest:
    """Broker 1's request by (directory id, topic id, partitions)."""
    given = {"broker_id": 1, "broker_epoch": harness.image.brokers[1].epoch, **fields}
    return AssignReplicasToDirsRequest(
        **given,
        directories=[
            AssignReplicasToDirsRequest.DirectoryData(
                id=directory_id,
                topics=[
                    AssignReplicasToDirsRequest.TopicData(
                        topic_id=topic_id,
                        partitions=[
                            AssignReplicasToDirsRequest.PartitionData(partition_index=index)
                            for index in indexes
                        ],
                    )
                ],
            )
            for directory_id, topic_id, indexes in assignments
        ],
    )


def codes(response: AssignReplicasToDirsResponse) -> list[int]:
    """The partitions' error codes, in order."""
    assert response.error_code == 0
    return [
        partition.error_code
        for each in response.directories
        for topic in each.topics
        for partition in topic.partitions
    ]


def assign(harness: Harness, directory_id: bytes, name: str = "t", *indexes: int) -> list[int]:
    topic_id = harness.image.topic_ids.get(name, b"x" * 16)
    return codes(harness.call(request(harness, (directory_id, topic_id, indexes or (0,)))))


def test_a_replica_of_a_broker_with_several_directories_is_recorded_where_the_broker_puts_it(
    harness: Harness,
) -> None:
    assert harness.partition("t").directories == (UNASSIGNED_DIRECTORY, directory(2))
    assert assign(harness, SECOND, "t", 0, 1) == [0, 0]
    for index in (0, 1):
        partition = harness.partition("t", index)
        assert partition.directories == (SECOND, directory(2))
        assert (partition.leader, partition.leader_epoch, partition.partition_epoch) == (1, 0, 1)


def test_the_present_directory_is_no_change(harness: Harness) -> None:
    assign(harness, FIRST)
    end = harness.next_offset
    assert assign(harness, FIRST) == [0]
    assert harness.next_offset == end


@pytest.mark.parametrize("directory_id", [LOST_DIRECTORY, b"never registered"[:16]])
def test_a_replica_that_lies_in_no_directory_that_is_online_leads_no_more(
    harness: Harness, directory_id: bytes
) -> None:
    assert assign(harness, directory_id) == [0]
    partition = harness.partition("t")
    assert partition.directories == (directory_id, directory(2))
    assert (partition.isr, partition.leader, partition.leader_epoch) == ((2,), 2, 1)


@pytest.mark.parametrize("directory_id", [MIGRATING_DIRECTORY, UNASSIGNED_DIRECTORY])
def test_ids_that_stand_for_a_directory_that_is_still_to_be_told_are_taken(
    harness: Harness, directory_id: bytes
) -> None:
    assign(harness, FIRST)
    assert assign(harness, directory_id) == [0]
    partition = harness.partition("t")
    assert (partition.directories[0], partition.leader, partition.isr) == (directory_id, 1, (1, 2))


def test_a_leaderless_partition_is_led_again_once_its_replica_is_found(harness: Harness) -> None:
    harness.create_topic("v", [1])
    assign(harness, LOST_DIRECTORY, "v")
    assert harness.partition("v").leader == -1
    assign(harness, SECOND, "v")
    partition = harness.partition("v")
    assert (partition.leader, partition.isr, partition.directories) == (1, (1,), (SECOND,))


def test_partitions_are_refused_one_by_one(harness: Harness) -> None:
    assert assign(harness, FIRST, "unknown", 0, 1) == [ErrorCode.UNKNOWN_TOPIC_ID] * 2
    assert assign(harness, FIRST, "t", -1, 0, 9) == [
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NONE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ]
    assert assign(harness, FIRST, "u") == [ErrorCode.NOT_LEADER_OR_FOLLOWER]
    assert harness.partition("t").directories[0] == FIRST
    assert harness.partition("u").partition_epoch == 0


def test_of_two_directories_for_a_replica_the_latter_counts(harness: Harness) -> None:
    topic_id = harness.image.topic_ids["t"]
    response = harness.call(request(harness, (FIRST, topic_id, (0,)), (SECOND, topic_id, (0,))))
    assert codes(response) == [0, 0]
    assert [each.id for each in response.directories] == [FIRST, SECOND]
    assert harness.partition("t").directories[0] == SECOND


@pytest.mark.parametrize("who", [{"broker_epoch": -1}, {"broker_epoch": 10**9}, {"broker_id": 9}])
def test_a_sender_that_is_not_registered_so_is_refused(harness: Harness, who: dict[str, int]) -> None:
    end = harness.next_offset
    response = harness.call(request(harness, (FIRST, harness.image.topic_ids["t"], (0,)), **who))
    assert (response.error_code, response.directories) == (ErrorCode.STALE_BROKER_EPOCH, [])
    assert harness.next_offset == end


def test_directories_are_recorded_from_their_metadata_version_on() -> None:
    harness = Harness(features=(), metadata_version=16)
    harness.start_brokers(1, features=harness.finalized_features())
    topic_id = harness.create_topic("t", [1])
    response = harness.call(request(harness, (directory(1), topic_id, (0,))))
    assert response.error_code == ErrorCode.UNSUPPORTED_VERSION
    assert harness.partition("t").partition_epoch == 0
