"""Which partitions the coming or going of a broker affects."""

from __future__ import annotations

import pytest

from kafkaproto_server.base.later import run_to_end
from kafkaproto_server.core.controller.partitions.broker_changes import (
    changes_without,
    changes_without_directories,
    partitions_where,
)
from kafkaproto_server.core.controller.values.topic_configs import InheritedConfigs, TopicConfigs
from tests.core.controller.support.harness import Harness, directory


@pytest.fixture
def harness() -> Harness:
    harness = Harness()
    harness.start_brokers(1, 2)
    harness.register(3)
    return harness


def test_partitions_are_found_by_the_name_of_their_topic_and_their_index(harness: Harness) -> None:
    """Records follow from this order. A map has another one: 32 before 1."""
    for name in ("b", "a"):
        harness.create_topic(name, *[[2] if index in (1, 32) else [1] for index in range(33)])
    found = run_to_end(partitions_where(harness.image, lambda partition: partition.leader == 2))
    assert [(topic.name, index) for topic, index, _ in found] == [("a", 1), ("a", 32), ("b", 1), ("b", 32)]


def test_partitions_are_not_searched_for_a_broker_that_is_in_sync_nowhere(harness: Harness) -> None:
    harness.create_topic("t", [1, 2])
    image = harness.image
    configs = TopicConfigs(image, InheritedConfigs({}, 1))
    assert list(changes_without(image, configs, 1)) != []
    assert list(changes_without(image, configs, 3)) == []
    assert list(changes_without_directories(image, configs, 3, [directory(3)])) == []
