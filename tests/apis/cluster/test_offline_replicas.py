"""Which replicas Metadata and DescribeTopicPartitions call offline: those on brokers that are away, and those in
directories that are (KIP-858)."""

from __future__ import annotations

import pytest

from kafkaproto.messages import DescribeTopicPartitionsRequest, MetadataRequest
from kafkaproto_server.metadata.image.entries import LOST_DIRECTORY
from tests.apis.support.services import ask
from tests.core.controller.brokers.test_assign_directories import assign
from tests.core.controller.support.harness import Harness, directory


@pytest.fixture
def harness() -> Harness:
    """Broker 1 has two directories, partition t-0 lies in the second; brokers 2 and 3 have one."""
    harness = Harness()
    harness.start_brokers(1, log_dirs=[directory(1, 0), directory(1, 1)])
    harness.start_brokers(2, 3)
    harness.create_topic("t", [1, 2, 3])
    assign(harness, directory(1, 1))
    return harness


def offline(harness: Harness) -> list[int]:
    """What both apis say of t-0, and the same."""
    image = harness.controller.committed_image
    metadata = ask(MetadataRequest(topics=None), 13, image)
    described = ask(DescribeTopicPartitionsRequest(), 0, image)
    responses = []
    for topics in (metadata.topics, described.topics):
        (partition,) = topics[0].partitions
        responses.append(partition.offline_replicas)
    assert responses[0] == responses[1]
    replicas: list[int] = responses[0]
    return replicas


def test_replicas_in_directories_that_are_online_are_not_offline(harness: Harness) -> None:
    assert offline(harness) == []


def test_replicas_on_fenced_brokers_are_offline(harness: Harness) -> None:
    harness.heartbeat(3, want_fence=True)
    assert offline(harness) == [3]


def test_replicas_on_brokers_that_shut_down_are_not_offline_yet(harness: Harness) -> None:
    harness.heartbeat(1, want_shut_down=True)
    assert harness.image.brokers[1].in_controlled_shutdown
    assert offline(harness) == []


def test_replicas_in_a_directory_that_failed_are_offline(harness: Harness) -> None:
    harness.heartbeat(1, offline_log_dirs=[directory(1, 1)])
    assert offline(harness) == [1]


def test_replicas_in_another_directory_than_the_one_that_failed_are_not(harness: Harness) -> None:
    harness.heartbeat(1, offline_log_dirs=[directory(1, 0)])
    assert offline(harness) == []


def test_replicas_in_a_lost_directory_are_offline(harness: Harness) -> None:
    assign(harness, LOST_DIRECTORY)
    assert offline(harness) == [1]


def test_replicas_whose_directory_is_still_to_be_told_are_not_offline(harness: Harness) -> None:
    harness.create_topic("s", [1, 2])
    assert offline(harness) == []
