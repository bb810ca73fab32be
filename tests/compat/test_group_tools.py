"""Apache Kafka's console consumer and kafka-consumer-groups, unchanged, in all that the latter can do.

The expectations are what the tools print of a node of Apache Kafka.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from confluent_kafka import Producer

from compat.kafka.tools import run_tool
from compat.node import Node
from tests.compat.support.nodes import create, delete_topics

pytestmark = [pytest.mark.jvm, pytest.mark.clients, pytest.mark.slow]

RECORDS = 20


def tool(node: Node, name: str, *arguments: str, stdin: str | None = None) -> str:
    """What a tool prints that asks a node."""
    return run_tool(name, "--bootstrap-server", node.bootstrap_server, *arguments, stdin=stdin).output()


def groups(node: Node, *arguments: str) -> str:
    """What kafka-consumer-groups prints."""
    return tool(node, "kafka-consumer-groups", *arguments)


def offsets(node: Node, group: str) -> dict[int, tuple[int, int, int]]:
    """Offset, end and lag of each partition that has an offset, as --describe prints them."""
    rows = re.findall(
        rf"^{group} +\S+ +(\d+) +(\d+) +(\d+) +(\d+) ", groups(node, "--describe", "--group", group), re.M
    )
    return {int(index): (int(offset), int(end), int(lag)) for index, offset, end, lag in rows}


def reset(node: Node, group: str, topic: str, *how: str) -> dict[int, int]:
    """The offsets that --reset-offsets sets, by partition."""
    text = groups(node, "--reset-offsets", "--group", group, "--topic", topic, *how, "--execute")
    return {
        int(index): int(offset)
        for index, offset in re.findall(rf"^{group} +\S+ +(\d+) +(\d+) *$", text, re.M)
    }


@pytest.fixture
def written(node: Node, topic: str) -> Iterator[str]:
    """A topic with as many records in each of its two partitions."""
    create(node, topic)
    producer = Producer({"bootstrap.servers": node.bootstrap_server})
    for number in range(RECORDS):
        producer.produce(topic, str(number).encode(), partition=number % 2)
    assert producer.flush(30) == 0
    yield topic
    delete_topics(node, [topic])


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_groups_life_with_apache_kafkas_tools(node: Node, written: str, protocol: str) -> None:
    group = f"{written}-group"
    read = tool(
        node, "kafka-console-consumer", "--topic", written, "--group", group, "--from-beginning",
        "--max-messages", str(RECORDS), "--command-property", f"group.protocol={protocol}",
    )  # fmt: skip
    assert sorted(map(int, re.findall(r"^\d+$", read, re.M))) == list(range(RECORDS))
    assert group in groups(node, "--list").split()
    listed = groups(node, "--list", "--state")
    assert re.search(rf"^{group} +\S* *Empty *$", listed, re.M), listed
    ends = {index: (end, end, 0) for index, (_, end, _) in offsets(node, group).items()}
    assert offsets(node, group) == ends
    assert sum(end for end, _, _ in ends.values()) == RECORDS

    assert reset(node, group, written, "--to-earliest") == {0: 0, 1: 0}
    assert {lag for _, _, lag in offsets(node, group).values()} == {end for end, _, _ in ends.values()}
    assert set(reset(node, group, written, "--to-offset", "3").values()) == {3}
    assert set(reset(node, group, written, "--shift-by", "2").values()) == {5}
    assert reset(node, group, written, "--to-latest") == {index: end for index, (end, _, _) in ends.items()}
    assert reset(node, group, written, "--to-datetime", "2000-01-01T00:00:00.000") == {0: 0, 1: 0}

    deleted = groups(node, "--delete-offsets", "--group", group, "--topic", f"{written}:0")
    assert re.search(rf"^{written} +0 +Successful", deleted, re.M), deleted
    assert list(offsets(node, group)) == [1]

    assert "was successful" in groups(node, "--delete", "--group", group)
    assert group not in groups(node, "--list").split()
    again = run_tool(
        "kafka-consumer-groups", "--bootstrap-server", node.bootstrap_server, "--delete", "--group", group
    )
    assert "GroupIdNotFoundException" in str(again)


def test_the_settings_of_a_group(node: Node, topic: str) -> None:
    of_group = ("--entity-type", "groups", "--entity-name", topic)
    setting = "consumer.heartbeat.interval.ms=7000"
    tool(node, "kafka-configs", "--alter", *of_group, "--add-config", setting)
    assert setting in tool(node, "kafka-configs", "--describe", *of_group)
    tool(node, "kafka-configs", "--alter", *of_group, "--delete-config", "consumer.heartbeat.interval.ms")
    assert setting not in tool(node, "kafka-configs", "--describe", *of_group)
