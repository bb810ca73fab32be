"""Transactional producers of others, unchanged, and the tools that look after transactions.

The expectations are what they see of a stock node (KAFKAPROTO_COMPAT_NODE=stock).
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

from compat.cluster import CombinedCluster
from compat.kafka.tools import run_tool
from compat.node import Node
from compat.ours import OurNode
from compat.process import wait_until
from compat.quorum import connect
from compat.runs import groups
from compat.runs.exactly_once import Copying, coordinator, fill, read
from compat.runs.telling import in_silence
from kafkaproto.messages import MetadataRequest, MetadataResponse, ProduceRequest, ProduceResponse
from kafkaproto.records.batch import NewRecord, build_batch
from tests.compat.support.nodes import SHORT_SESSION, make_node, node_class

pytestmark = [pytest.mark.jvm, pytest.mark.clients, pytest.mark.slow]

COMPAT = Path(__file__).resolve().parents[2] / "compat"
WAIT_S = 60.0
COPYING_S = 240.0
PARTITIONS = 3
TOPICS = dict.fromkeys(("source", "target", "__consumer_offsets", "__transaction_state"), PARTITIONS)
OVERRIDES = {
    "auto.create.topics.enable": "true",
    "num.partitions": "1",
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": "3",
    "transaction.state.log.num.partitions": "3",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
}


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A node that creates the topics that clients miss."""
    made = make_node(node_class(), tmp_path_factory.mktemp("transactions"), OVERRIDES)
    try:
        made.start()
        yield made
    finally:
        made.close()


def producer(node: Node, transactional_id: str, **settings: Any) -> Producer:
    """A producer of librdkafka that has begun."""
    given = {"bootstrap.servers": node.bootstrap_server, "transactional.id": transactional_id}
    made = Producer({**given, **{name.replace("_", "."): value for name, value in settings.items()}})
    made.init_transactions(WAIT_S)
    return made


def tool(node: Node, name: str, *arguments: str, stdin: str | None = None) -> str:
    return run_tool(name, "--bootstrap-server", node.bootstrap_server, *arguments, stdin=stdin).output()


def rows(text: str) -> list[list[str]]:
    """The cells of a table, without its head."""
    return [[cell.strip() for cell in line.split("\t")] for line in text.splitlines()[1:]]


def test_librdkafka_commits_and_aborts(node: Node) -> None:
    topic = "librdkafka"
    writer = producer(node, topic)
    for number in range(6):
        writer.begin_transaction()
        for part in "ab":
            writer.produce(topic, f"{number}{part}".encode())
        writer.flush(WAIT_S)
        if number % 3:
            writer.commit_transaction(WAIT_S)
        else:
            writer.abort_transaction(WAIT_S)
    committed = Counter(f"{number}{part}" for number in (1, 2, 4, 5) for part in "ab")
    assert read(node.bootstrap_server, topic, 1) == committed
    everything = Counter(f"{number}{part}" for number in range(6) for part in "ab")
    assert read(node.bootstrap_server, topic, 1, "read_uncommitted") == everything


def test_the_next_producer_of_a_transactional_id_fences_the_former_one(node: Node) -> None:
    topic = "fencing"
    former = producer(node, topic)
    former.begin_transaction()
    former.produce(topic, b"lost")
    former.flush(WAIT_S)
    following = producer(node, topic)
    following.begin_transaction()
    following.produce(topic, b"kept")
    following.commit_transaction(WAIT_S)

    def go_on() -> None:
        former.produce(topic, b"late")
        former.commit_transaction(WAIT_S)

    with pytest.raises(KafkaException) as caught:
        go_on()
    assert caught.value.args[0].fatal()
    assert read(node.bootstrap_server, topic, 1) == Counter(["kept"])


def test_a_transaction_that_takes_too_long_is_aborted(node: Node) -> None:
    topic = "timeout"
    slow = producer(node, topic, transaction_timeout_ms=1000)
    slow.begin_transaction()
    slow.produce(topic, b"lost")
    slow.flush(WAIT_S)

    def state() -> str:
        text = tool(node, "kafka-transactions", "describe", "--transactional-id", topic)
        return rows(text)[0][4]

    assert state() == "Ongoing"
    wait_until(lambda: state() == "CompleteAbort", WAIT_S, "the transaction to be aborted")
    with pytest.raises(KafkaException):
        slow.commit_transaction(WAIT_S)
    assert read(node.bootstrap_server, topic, 1, "read_uncommitted") == Counter(["lost"])
    tail = Producer({"bootstrap.servers": node.bootstrap_server})
    tail.produce(topic, b"after")
    tail.flush(WAIT_S)
    assert read(node.bootstrap_server, topic, 1) == Counter(["after"])


def test_kafka_python_commits_and_aborts(node: Node) -> None:
    topic = "kafka-python"
    program = [sys.executable, str(COMPAT / "kafka_python" / "transactions.py")]
    done = subprocess.run(
        [*program, node.bootstrap_server, topic],
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    assert (done.returncode, done.stdout.split()) == (0, ["fenced"]), done.stderr
    assert read(node.bootstrap_server, topic, 1) == Counter(["1", "3"])


def test_offsets_are_committed_with_a_transaction_of_librdkafka(node: Node) -> None:
    source, target = "offsets-in", "offsets-out"
    fill(node.bootstrap_server, source, 40)
    consumer = Consumer(
        {
            "bootstrap.servers": node.bootstrap_server,
            "group.id": source,
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",
        }
    )
    consumer.subscribe([source])
    writer = producer(node, source)
    copied = number = 0
    end = time.monotonic() + WAIT_S
    while copied < 40 and time.monotonic() < end:
        messages = [each for each in consumer.consume(7, 1.0) if each.error() is None]
        if not messages:
            continue
        number += 1
        writer.begin_transaction()
        for each in messages:
            writer.produce(target, each.value())
        positions = consumer.position(consumer.assignment())
        writer.send_offsets_to_transaction(positions, consumer.consumer_group_metadata(), WAIT_S)
        if number % 2:
            writer.commit_transaction(WAIT_S)
            copied += len(messages)
        else:
            writer.abort_transaction(WAIT_S)
            for place in consumer.committed(consumer.assignment(), WAIT_S):
                consumer.seek(TopicPartition(place.topic, place.partition, max(0, place.offset)))
    (place,) = consumer.committed([TopicPartition(source, 0)], WAIT_S)
    consumer.close()
    assert place.offset == 40
    assert read(node.bootstrap_server, target, 1) == Counter(map(str, range(40)))


def test_the_tools_of_transactions(node: Node) -> None:
    topic = "tools"
    tool(
        node,
        "kafka-producer-perf-test",
        *("--topic", topic, "--num-records", "500", "--record-size", "50", "--throughput", "-1"),
        *("--transactional-id", "perf", "--transaction-duration-ms", "50"),
    )
    listed = {row[0]: row[3] for row in rows(tool(node, "kafka-transactions", "list"))}
    assert listed["perf"] == "CompleteCommit"
    pattern = ("--transactional-id-pattern", "p.*f")
    assert [row[0] for row in rows(tool(node, "kafka-transactions", "list", *pattern))] == ["perf"]
    described = rows(tool(node, "kafka-transactions", "describe", "--transactional-id", "perf"))[0]
    assert described[4:6] == ["CompleteCommit", "60000"]
    text = tool(
        node,
        "kafka-console-consumer",
        *("--topic", topic, "--from-beginning", "--max-messages", "500", "--timeout-ms", "20000"),
        *("--isolation-level", "read_committed"),
    )
    assert len(text.splitlines()) == 500


def test_a_hanging_transaction_is_found_and_aborted(tmp_path: Path) -> None:
    """One that its coordinator does not know of, as a producer of an old bug would leave it."""
    overrides = {**OVERRIDES, "transaction.partition.verification.enable": "false"}
    hanging = make_node(node_class(), tmp_path, overrides)
    topic = "hanging"
    try:
        hanging.start()
        tool(hanging, "kafka-topics", "--create", "--topic", topic, "--partitions", "1")
        writer = producer(hanging, "sound")
        writer.begin_transaction()
        writer.produce("other", b"x")
        writer.commit_transaction(WAIT_S)
        records = build_batch(
            [NewRecord(b"k", b"v")],
            base_offset=0,
            timestamp_ms=int(time.time() * 1000) - 7_200_000,
            producer_id=4_000,
            producer_epoch=3,
            base_sequence=0,
            transactional=True,
        )
        assert write(hanging, topic, records) == 0
        found = rows(
            tool(
                hanging,
                "kafka-transactions",
                "find-hanging",
                "--broker-id",
                "1",
                "--max-transaction-timeout",
                "15",
            )
        )
        assert [row[:4] for row in found] == [[topic, "0", "4000", "3"]]
        tool(
            hanging,
            "kafka-transactions",
            *("abort", "--topic", topic, "--partition", "0", "--start-offset", "0"),
        )
        tail = Producer({"bootstrap.servers": hanging.bootstrap_server})
        tail.produce(topic, b"after")
        tail.flush(WAIT_S)
        assert read(hanging.bootstrap_server, topic, 1) == Counter(["after"])
        found = rows(tool(hanging, "kafka-transactions", "find-hanging", "--broker-id", "1"))
        assert found == []
    finally:
        hanging.close()


def test_what_is_committed_stays_so_if_the_node_dies_at_once(tmp_path: Path) -> None:
    """The decision is in the log; the node sends the markers when it is back."""
    mortal = make_node(node_class(), tmp_path, {**OVERRIDES, **SHORT_SESSION})
    expected: Counter[str] = Counter()
    try:
        mortal.start()
        for number in range(3):
            writer = producer(mortal, "mortal")
            for what in ("committed", "open"):
                writer.begin_transaction()
                writer.produce("mortal", f"{number} {what}".encode())
                writer.flush(WAIT_S)
                if what == "committed":
                    writer.commit_transaction(WAIT_S)
                    expected[f"{number} {what}"] += 1
            mortal.kill()
            mortal.start()
        producer(mortal, "mortal")
        assert read(mortal.bootstrap_server, "mortal", 1) == expected
    finally:
        mortal.close()


def write(node: Node, topic: str, records: bytes) -> int:
    """Write a batch as it is; the error code."""
    with connect(node.bootstrap_server) as client:
        asked = MetadataRequest(topics=[MetadataRequest.Topic(name=topic)])
        metadata = client.send(asked)
        assert isinstance(metadata, MetadataResponse)
        request = ProduceRequest(transactional_id="lost", acks=-1, timeout_ms=10_000)
        partition = ProduceRequest.PartitionProduceData(index=0, records=records)
        request.topic_data = [ProduceRequest.TopicProduceData(name=topic, partition_data=[partition])]
        response = client.send(request, version=11)
    assert isinstance(response, ProduceResponse)
    return response.responses[0].partition_responses[0].error_code


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_coordinator_dies_and_each_record_is_copied_once(tmp_path: Path, protocol: str) -> None:
    count = 4_000
    replicated = {
        **OVERRIDES,
        **SHORT_SESSION,
        "offsets.topic.replication.factor": "3",
        "transaction.state.log.replication.factor": "3",
        "transaction.state.log.min.isr": "2",
    }
    with CombinedCluster(OurNode, tmp_path / "cluster", overrides=replicated) as cluster:
        cluster.format()
        cluster.start()
        for topic in ("source", "target"):
            replicas = ("--partitions", str(PARTITIONS), "--replication-factor", "3")
            run_tool(
                "kafka-topics",
                *("--bootstrap-server", cluster.servers, "--create", "--topic", topic, *replicas),
            ).output()
        fill(cluster.servers, "source", count)
        copying = Copying(
            cluster.servers,
            tmp_path,
            name="copier",
            source="source",
            target="target",
            count=count,
            protocol=protocol,
        )
        try:
            for commits in (5, 20):
                copying.wait_for_commits(commits, COPYING_S)
                dead = coordinator(cluster, "copier", list(cluster.brokers))
                cluster.brokers[dead].kill()
                copying.wait_for_commits(commits + 5, COPYING_S)
                cluster.brokers[dead].start()
            copying.wait_until_done(COPYING_S)
        finally:
            copying.close()
        assert read(cluster.servers, "target", PARTITIONS) == Counter(map(str, range(count)))


def test_brokers_of_both_makes_coordinate_in_turn(tmp_path: Path) -> None:
    """A broker of ours and one of Apache Kafka coordinate two groups and a transactional application, and each dies.

    The other one takes over what it finds in the log, with transactions that are open or prepared.
    """
    result = groups.run(tmp_path, brokers=2, stock=1, tell=in_silence)
    assert sorted(result.died) == ["ours", "stock"]
    assert result.written
