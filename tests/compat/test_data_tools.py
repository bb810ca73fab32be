"""Stock command-line tools and other clients write, read and ask about records; topics come to be because they are
missed.

The expectations are what the tools print of a stock node.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from compat.kafka.tools import run_tool
from compat.node import Node
from tests.compat.support.nodes import make_node, metadata, node_class

pytestmark = [pytest.mark.jvm, pytest.mark.clients, pytest.mark.slow]

PARTITIONS = 2
WAIT_S = 20.0


@pytest.fixture(scope="module")
def eager_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A node that creates the topics that clients miss."""
    overrides = {"auto.create.topics.enable": "true", "num.partitions": str(PARTITIONS)}
    node = make_node(node_class(), tmp_path_factory.mktemp("eager"), overrides)
    try:
        node.start()
        yield node
    finally:
        node.close()


def tool(node: Node, name: str, *arguments: str, stdin: str | None = None) -> str:
    """What a tool prints that asks a node."""
    return run_tool(name, "--bootstrap-server", node.bootstrap_server, *arguments, stdin=stdin).output()


def partitions_of(node: Node, topic: str) -> int:
    return sum(len(each.partitions) for each in metadata(node).topics if each.name == topic)


def test_a_session_with_the_console_tools(eager_node: Node) -> None:
    node, topic = eager_node, "console"
    keyed = ("--reader-property", "parse.key=true", "--reader-property", "key.separator=:")
    tool(node, "kafka-console-producer", "--topic", topic, *keyed, stdin="a:1\na:2\nb:3\n")
    assert partitions_of(node, topic) == PARTITIONS

    # The keys a and b have the same partition.
    of_topic = ("--topic", topic)
    ends = {0: 3, 1: 0}
    for time, expected in {
        "latest": ends,
        "earliest": {0: 0, 1: 0},
        "earliest-local": {0: 0, 1: 0},
        # Nothing is tiered. Partitions that have no answer are left out.
        "latest-tiered": {},
        "earliest-pending-upload": {},
        "1000": {0: 0},
    }.items():
        lines = tool(node, "kafka-get-offsets", *of_topic, "--time", time).split()
        assert {int(line.split(":")[1]): int(line.split(":")[2]) for line in lines} == expected, time
    (line,) = tool(node, "kafka-get-offsets", *of_topic, "--time", "max-timestamp").split()
    assert line.startswith(f"{topic}:0:")

    def read(*arguments: str) -> list[str]:
        return tool(node, "kafka-console-consumer", *of_topic, "--partition", "0", *arguments).split()

    assert read("--offset", "earliest", "--max-messages", "3") == ["1", "2", "3"]
    assert read("--offset", "1", "--max-messages", "2", "--formatter-property", "print.offset=true") == [
        "Offset:1",
        "2",
        "Offset:2",
        "3",
    ]


def test_a_session_with_the_producing_tools(eager_node: Node) -> None:
    node = eager_node
    arguments = ("--max-messages", "50", "--acks", "-1", "--value-prefix", "7")
    lines = tool(node, "kafka-verifiable-producer", "--topic", "verified", *arguments).splitlines()
    told: list[dict[str, Any]] = [json.loads(line) for line in lines]
    sent = [each["value"] for each in told if each["name"] == "producer_send_success"]
    assert sorted(sent) == sorted(f"7.{number}" for number in range(50))
    assert {each["name"] for each in told} == {
        "startup_complete",
        "producer_send_success",
        "tool_data",
        "shutdown_complete",
    }

    load = ("--num-records", "4000", "--record-size", "100", "--throughput", "-1")
    assert "4000 records sent" in tool(node, "kafka-producer-perf-test", "--topic", "load", *load)
    ends = [line.split(":") for line in tool(node, "kafka-get-offsets", "--topic", "load").split()]
    assert sum(int(end) for _, _, end in ends) == 4000

    producers = tool(
        node, "kafka-transactions", "describe-producers", "--topic", "load", "--partition", "0"
    ).splitlines()
    assert producers[0].split("\t")[:4] == [
        "ProducerId",
        "ProducerEpoch",
        "LatestCoordinatorEpoch",
        "LastSequence",
    ]
    (_, epoch, coordinator_epoch, sequence, _, start, *_) = (
        each.strip() for each in producers[1].split("\t")
    )
    assert (epoch, coordinator_epoch, int(sequence), start) == ("0", "-1", int(ends[0][2]) - 1, "None")


def test_log_dirs_tells_what_lies_in_the_files(eager_node: Node) -> None:
    node, topic = eager_node, "sized"
    tool(node, "kafka-verifiable-producer", "--topic", topic, "--max-messages", "100")
    printed = tool(node, "kafka-log-dirs", "--describe", "--topic-list", topic)
    (broker,) = json.loads(printed.splitlines()[-1])["brokers"]
    (directory,) = broker["logDirs"]
    assert (directory["logDir"], directory["error"]) == (str(node.data_directory), None)
    sizes = {
        f"{topic}-{index}": (node.data_directory / f"{topic}-{index}" / f"{0:020}.log").stat().st_size
        for index in range(PARTITIONS)
    }
    assert sum(sizes.values()) > 0
    assert {each["partition"]: each["size"] for each in directory["partitions"]} == sizes
    assert {(each["offsetLag"], each["isFuture"]) for each in directory["partitions"]} == {(0, False)}


def test_kafka_python_writes_to_and_reads_from_a_topic_that_was_not_there(eager_node: Node) -> None:
    kafka = pytest.importorskip("kafka")
    producer = kafka.KafkaProducer(bootstrap_servers=eager_node.bootstrap_server)
    for number in range(10):
        producer.send("python", b"%d" % number, partition=1).get(WAIT_S)
    producer.close()
    assert partitions_of(eager_node, "python") == PARTITIONS
    consumer = kafka.KafkaConsumer(bootstrap_servers=eager_node.bootstrap_server, group_id=None)
    where = kafka.TopicPartition("python", 1)
    consumer.assign([where])
    consumer.seek_to_beginning(where)
    assert [next(consumer).value for _ in range(10)] == [b"%d" % number for number in range(10)]
    consumer.close()


def test_librdkafka_writes_to_and_reads_from_a_topic_that_was_not_there(eager_node: Node) -> None:
    confluent = pytest.importorskip("confluent_kafka")
    servers = {"bootstrap.servers": eager_node.bootstrap_server}
    producer = confluent.Producer(servers)
    for number in range(10):
        producer.produce("confluent", b"%d" % number, partition=0)
    assert producer.flush(WAIT_S) == 0
    assert partitions_of(eager_node, "confluent") == PARTITIONS
    consumer = confluent.Consumer({**servers, "group.id": "unused", "enable.auto.commit": False})
    consumer.assign([confluent.TopicPartition("confluent", 0, 0)])
    found = consumer.consume(10, WAIT_S)
    consumer.close()
    assert [each.value() for each in found] == [b"%d" % number for number in range(10)]


def test_a_consumer_does_not_create_what_it_must_not(eager_node: Node) -> None:
    confluent = pytest.importorskip("confluent_kafka")
    consumer = confluent.Consumer(
        {
            "bootstrap.servers": eager_node.bootstrap_server,
            "group.id": "unused",
            "allow.auto.create.topics": False,
        }
    )
    consumer.assign([confluent.TopicPartition("missed", 0, 0)])
    consumer.poll(2.0)
    consumer.close()
    assert partitions_of(eager_node, "missed") == 0
