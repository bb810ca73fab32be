"""Consumers that say where they are read from a replica in their rack (KIP-392), which is not the leader."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from compat.cluster import Cluster
from compat.kafka.tools import run_tool, tool_command
from compat.node import Node
from compat.process import ServerProcess, wait_until
from tests.compat.support.nodes import node_class

pytestmark = [pytest.mark.jvm, pytest.mark.clients, pytest.mark.slow]

LEADER, FOLLOWER = 101, 102
SELECTOR = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
WAIT_S = 30.0
RECORDS = 200


def in_a_rack(directory: Path, properties: Mapping[str, str]) -> Node:
    """A broker whose rack has the name of its id."""
    more = {"broker.rack": f"rack-{properties['node.id']}", "replica.selector.class": SELECTOR}
    return node_class()(directory, {**properties, **more})


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Two brokers in different racks, and two topics of which both have a replica."""
    cluster = Cluster(node_class(), in_a_rack, tmp_path_factory.mktemp("racks"), controllers=1, brokers=2)
    try:
        cluster.format()
        cluster.start()
        for topic in ("near", "console"):
            run_tool(
                "kafka-topics", "--bootstrap-server", cluster.servers, "--create", "--topic", topic,
                "--replica-assignment", f"{LEADER}:{FOLLOWER}",
            ).output()  # fmt: skip
        yield cluster
    finally:
        cluster.close()


def test_a_consumer_is_served_by_the_follower_in_its_rack(cluster: Cluster) -> None:
    confluent = pytest.importorskip("confluent_kafka")
    servers = {"bootstrap.servers": cluster.servers}
    producer = confluent.Producer({**servers, "acks": "all"})
    for number in range(RECORDS):
        producer.produce("near", b"%d" % number, partition=0)
    assert producer.flush(WAIT_S) == 0

    read_from: list[tuple[int, int]] = []

    def statistics(text: str) -> None:
        found = json.loads(text)["topics"].get("near", {}).get("partitions", {}).get("0")
        if found is not None:
            read_from.append((found["leader"], found["broker"]))

    consumer = confluent.Consumer(
        {
            **servers,
            "group.id": "unused",
            "enable.auto.commit": False,
            "client.rack": f"rack-{FOLLOWER}",
            "statistics.interval.ms": 100,
            "stats_cb": statistics,
        }
    )
    consumer.assign([confluent.TopicPartition("near", 0, 0)])
    values: list[Any] = []

    def is_served() -> bool:
        values.extend(each.value() for each in consumer.consume(RECORDS, 0.2))
        return len(values) >= RECORDS and (LEADER, FOLLOWER) in read_from

    wait_until(is_served, WAIT_S, "all records, from the follower")
    # What is written now reaches the consumer through the follower.
    producer.produce("near", b"last", partition=0)
    assert producer.flush(WAIT_S) == 0
    wait_until(partial(_reads, consumer, values, b"last"), WAIT_S, "what was written last")
    consumer.close()
    assert values == [*(b"%d" % number for number in range(RECORDS)), b"last"]
    assert read_from[-1] == (LEADER, FOLLOWER)


def _reads(consumer: Any, values: list[Any], last: bytes) -> bool:
    values.extend(each.value() for each in consumer.consume(1, 0.2))
    return bool(values) and values[-1] == last


def test_the_console_consumer_reads_from_its_rack(cluster: Cluster) -> None:
    run_tool(
        "kafka-console-producer",
        "--bootstrap-server",
        cluster.servers,
        "--topic",
        "console",
        stdin="1\n2\n3\n",
    ).output()
    read = run_tool(
        "kafka-console-consumer", "--bootstrap-server", cluster.servers, "--topic", "console",
        "--partition", "0", "--offset", "earliest", "--max-messages", "3",
        "--command-property", f"client.rack=rack-{FOLLOWER}",
    )  # fmt: skip
    assert read.output().split() == ["1", "2", "3"]


def test_replica_verification_finds_both_replicas_alike(cluster: Cluster, tmp_path: Path) -> None:
    topic = "verified"
    run_tool(
        "kafka-topics", "--bootstrap-server", cluster.servers, "--create", "--topic", topic,
        "--replica-assignment", f"{LEADER}:{FOLLOWER}",
    ).output()  # fmt: skip
    arguments = ("--topic", topic, "--max-messages", "500")
    run_tool("kafka-verifiable-producer", "--bootstrap-server", cluster.servers, *arguments).output()
    # From the beginning. It goes on until it is stopped.
    options = ("--topics-include", topic, "--time", "-2", "--report-interval-ms", "200")
    command, _ = tool_command("kafka-replica-verification", ["--broker-list", cluster.servers, *options])
    process = ServerProcess(command, tmp_path / "verification", tmp_path, {})
    try:
        marker = f"max lag is 0 for partition {topic}-0 at offset 500 among 1 partitions"
        process.wait_for_line(process.out_path, marker, WAIT_S)
    finally:
        process.kill()
