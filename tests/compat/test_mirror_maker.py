"""MirrorMaker 2, unchanged, between Apache Kafka and our node: records, configs and offsets of groups, both ways.

The expectations are what it does between two nodes of Apache Kafka (KAFKAPROTO_COMPAT_NODE=stock).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition

from compat.kafka.mirror import MirrorMaker
from compat.kafka.stock import StockNode
from compat.kafka.tools import run_tool
from compat.node import Node
from compat.process import wait_until
from tests.compat.support.nodes import make_node

pytestmark = [pytest.mark.jvm, pytest.mark.clients, pytest.mark.slow]

WAIT_S = 240.0
POLL_S = 0.5
PARTITIONS = 2
RECORDS = 50
"""Of each partition."""
READ = (30, RECORDS)
"""How many of them the group has read."""
RETENTION_MS = "123456789"

Record = tuple[int, int, bytes | None, bytes | None, object, int]


@pytest.fixture
def apache_kafka(tmp_path: Path) -> Iterator[Node]:
    """A node of Apache Kafka, whatever the node under test is."""
    made = make_node(StockNode, tmp_path / "apache-kafka")
    try:
        made.start()
        yield made
    finally:
        made.close()


def fill(node: Node, name: str, folder: Path) -> None:
    """A topic with a config of its own, records with headers and times, and a group that has read some of them."""
    settings = ("--partitions", str(PARTITIONS), "--config", f"retention.ms={RETENTION_MS}")
    servers = node.bootstrap_server
    run_tool("kafka-topics", "--bootstrap-server", servers, "--create", "--topic", name, *settings).output()
    now_ms = time.time_ns() // 1_000_000
    producer = Producer({"bootstrap.servers": servers})
    for number in range(PARTITIONS * RECORDS):
        producer.produce(
            name,
            key=f"{number}".encode(),
            value=f"{name} {number}".encode(),
            partition=number % PARTITIONS,
            timestamp=now_ms - number,
            headers=[("number", b"%d" % number)],
        )
    assert producer.flush(WAIT_S) == 0
    places = folder / f"{name}.csv"
    places.write_text("".join(f"{name},{partition},{offset}\n" for partition, offset in enumerate(READ)))
    read = ("--reset-offsets", "--group", f"{name}-readers", "--from-file", str(places), "--execute")
    run_tool("kafka-consumer-groups", "--bootstrap-server", servers, *read).output()


def records(node: Node, topic: str) -> list[Record]:
    """All that a topic has, by partition and offset, without looking for longer than WAIT_S."""
    settings = {
        "bootstrap.servers": node.bootstrap_server,
        "group.id": "nobody",
        "enable.auto.commit": False,
    }
    found: list[Record] = []
    with closing(Consumer(settings)) as consumer:

        def exists() -> bool:
            return len(consumer.list_topics(topic, timeout=WAIT_S).topics[topic].partitions) == PARTITIONS

        wait_until(exists, WAIT_S, f"the topic {topic}")
        consumer.assign([TopicPartition(topic, each, OFFSET_BEGINNING) for each in range(PARTITIONS)])

        def has_all() -> bool:
            for each in consumer.consume(100, POLL_S):
                partition, offset = each.partition(), each.offset()
                if each.error() is None:
                    assert partition is not None
                    assert offset is not None
                    value = (partition, offset, each.key(), each.value(), each.headers(), each.timestamp()[1])
                    found.append(value)
            return len(found) >= PARTITIONS * RECORDS

        wait_until(has_all, WAIT_S, f"the records of {topic}")
    return sorted(found, key=lambda each: each[:2])


def configs(node: Node, topic: str) -> str:
    arguments = ("--describe", "--topic", topic)
    return run_tool("kafka-topics", "--bootstrap-server", node.bootstrap_server, *arguments).output()


def committed(node: Node, group: str, topic: str) -> list[int]:
    with closing(Consumer({"bootstrap.servers": node.bootstrap_server, "group.id": group})) as consumer:
        places = [TopicPartition(topic, each) for each in range(PARTITIONS)]
        return [each.offset for each in consumer.committed(places, timeout=WAIT_S)]


def check_copy(source: Node, original: str, target: Node, copy: str) -> None:
    """The copy has the records and the configs, and its group goes on where the original's would.

    Which places in the middle of the log MirrorMaker has remembered depends on when it looked. There the group may read
    records again, but it must not miss any.
    """
    assert records(target, copy) == records(source, original)
    assert f"retention.ms={RETENTION_MS}" in configs(target, copy)
    group = f"{original}-readers"

    def is_translated() -> bool:
        middle, end = committed(target, group, copy)
        assert middle <= READ[0]
        assert end <= READ[1]
        return end == READ[1]

    wait_until(is_translated, WAIT_S, f"offsets of {group}")


def test_topics_configs_and_offsets_go_both_ways(
    apache_kafka: Node, impatient_node: Node, tmp_path: Path
) -> None:
    nodes = {"theirs": apache_kafka, "tested": impatient_node}
    for name, node in nodes.items():
        fill(node, f"{name}-orders", tmp_path)
    servers = {name: node.bootstrap_server for name, node in nodes.items()}

    with closing(MirrorMaker(tmp_path / "mirror", servers)) as mirror:
        for source, target in (("theirs", "tested"), ("tested", "theirs")):
            check_copy(nodes[source], f"{source}-orders", nodes[target], f"{source}.{source}-orders")
        mirror.stop()
