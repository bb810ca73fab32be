"""The same requests about streams groups to a node of Apache Kafka 4.4.0 and to ours: the same responses and records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from compat.kafka.stock import StockNode
from compat.node import Node
from compat.ours import OurNode
from kafkaproto import messages as kafka
from tests.compat.support.nodes import create, make_node
from tests.compat.support.streams_talk import (
    Heartbeat,
    Talk,
    differences,
    subtopology,
    topology,
    wait_for_coordinator,
)

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

SOURCE, OTHER = "t", "u"
OVERRIDES = {
    "group.streams.initial.rebalance.delay.ms": "0",
    "group.streams.assignment.interval.ms": "0",
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": "3",
}
PLAIN = topology(subtopology("0", [SOURCE]))


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Node, Node]]:
    """A node of Apache Kafka and one of ours, with two topics and a coordinator of groups each."""
    nodes = [make_node(make, tmp_path_factory.mktemp(make.kind), OVERRIDES) for make in (StockNode, OurNode)]
    try:
        for node in nodes:
            node.start()
            create(node, SOURCE)
            create(node, OTHER)
            wait_for_coordinator(node)
        yield nodes[0], nodes[1]
    finally:
        for node in nodes:
            node.close()


def owned(**roles: list[tuple[str, list[int]]]) -> dict[str, Any]:
    """What a member reports of its tasks."""
    return {
        f"{role}_tasks": [
            Heartbeat.TaskIds(subtopology_id=each, partitions=partitions)
            for each, partitions in roles.get(role, [])
        ]
        for role in ("active", "standby", "warmup")
    }


def about_members(talk: Talk) -> None:
    """Two members share; epochs, what is refused, and other requests about the group."""
    talk.beat("g", "a", 0, topology=PLAIN)
    talk.beat("g", "a", 2, **owned(active=[("0", [0, 1])]))
    talk.beat("g", "a", 2, version=0)
    talk.beat("g", "b", 0, version=0, topology=PLAIN)
    talk.beat("g", "a", 2)
    talk.beat("g", "a", 2, **owned(active=[("0", [0, 1])]))
    talk.beat("g", "a", 2, **owned(active=[("0", [0])]))
    talk.beat("g", "b", 3, **owned())
    for version in (0, 1):
        request = kafka.StreamsGroupDescribeRequest(group_ids=["g", "unknown", ""])
        talk.ask(request, version)
    for member_id, epoch in (("a", 7), ("x", 1), ("", 1), ("a", -3), ("a", -2), ("a", 1), ("a", 2)):
        talk.beat("g", member_id, epoch)
    talk.beat("unknown", "a", 1)
    talk.beat("unknown", "a", -1)
    talk.beat("", "a", 0, topology=PLAIN)
    talk.ask(kafka.DescribeGroupsRequest(groups=["g"]), 6)
    talk.ask(kafka.ConsumerGroupDescribeRequest(group_ids=["g"]), 1)
    talk.ask(kafka.DeleteGroupsRequest(groups_names=["g"]), 2)
    for member_id in ("a", "b"):
        talk.beat("g", member_id, -1)
    talk.ask(kafka.StreamsGroupDescribeRequest(group_ids=["g"]), 1)
    talk.ask(kafka.DeleteGroupsRequest(groups_names=["g"]), 2)
    talk.ask(kafka.StreamsGroupDescribeRequest(group_ids=["g"]), 1)


@pytest.mark.parametrize("script", [about_members], ids=lambda each: each.__name__)
def test_both_say_the_same(both: tuple[Node, Node], script: Any) -> None:
    with Talk(both[0]) as stock, Talk(both[1]) as ours:
        script(stock)
        script(ours)
    assert not (found := differences(stock, ours)), found
