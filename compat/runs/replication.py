"""Stock brokers and ours replicate the same partitions, while each of them is killed in turn under load.

A producer with acks=all and idempotence writes all the time. At the end everything that it was promised can be read,
once and in order, all replicas have the same bytes, whichever broker wrote them, and Apache Kafka's dump tool finds
nothing wrong with the segments and indexes of ours.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition

from compat.cluster import Cluster, partitions, wait_until_whole
from compat.kafka.stock import small_stock_node
from compat.kafka.tools import run_tool
from compat.node import Node
from compat.ours import OurNode
from compat.process import wait_until
from compat.runs.telling import Tell
from compat.topic_logs import check_files, compare_logs

TOPIC = "replicated"
PARTITIONS = 6
PAUSE_S = 2.0
"""Of load between two deaths."""
READ_S = 120.0
BURST_S = 0.01
FAST_DEATHS = {"broker.session.timeout.ms": "3000", "broker.heartbeat.interval.ms": "500"}
LAG_MS = {"replica.lag.time.max.ms": "5000"}


class ReplicationError(Exception):
    """A record is lost, doubled or out of order; the text says which."""


@dataclass(slots=True, kw_only=True)
class ReplicationResult:
    """What happened in a run."""

    killed_while_leading: dict[str, int] = field(default_factory=dict)
    """Deaths by implementation."""
    acknowledged: int = 0
    longest_gap_s: float = 0.0
    """Between two acknowledgements."""
    replicas_compared: int = 0
    bytes_compared: int = 0


class _Load:
    """A producer that counts up in each partition until it is told to stop."""

    def __init__(self, servers: str, burst: int) -> None:
        self._burst = burst
        self._producer = Producer(
            {"bootstrap.servers": servers, "enable.idempotence": True, "linger.ms": 1, "log_level": 0}
        )
        self.acknowledged: dict[int, list[tuple[int, int]]] = {number: [] for number in range(PARTITIONS)}
        """(offset, value) by partition."""
        self.sent = 0
        self.failed: list[str] = []
        self.longest_gap_s = 0.0
        self._last = time.monotonic()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._producer.produce(
                    TOPIC, str(self.sent).encode(), partition=self.sent % PARTITIONS, callback=self._take
                )
                self.sent += 1
            except BufferError:
                self._producer.poll(0.05)
            self._producer.poll(0)
            if self.sent % self._burst == 0:
                self._producer.poll(BURST_S)

    def _take(self, error: KafkaError | None, message: Message) -> None:
        now = time.monotonic()
        self.longest_gap_s = max(self.longest_gap_s, now - self._last)
        self._last = now
        if error is not None:
            self.failed.append(str(error))
            return
        partition, offset, value = message.partition(), message.offset(), message.value()
        assert partition is not None
        assert offset is not None
        assert value is not None
        self.acknowledged[partition].append((offset, int(value)))

    def stop(self) -> None:
        """Send no more, and wait for what is under way."""
        self._stop.set()
        self._thread.join()
        self._producer.flush(READ_S)


def run(folder: Path, *, stock: int, tell: Tell, rounds: int = 1, burst: int = 200) -> ReplicationResult:
    """Three brokers, so many of them stock, on our controllers; each broker is killed `rounds` times.

    So many records are written together in `BURST_S`.

    Raises ReplicationError, LogsDifferError, ToolFailedError, WaitedTooLongError.
    """

    def make_broker(directory: Path, properties: Mapping[str, str]) -> Node:
        number = int(properties["node.id"]) - 100
        return (small_stock_node if number <= stock else OurNode)(directory, properties)

    result = ReplicationResult()
    with Cluster(
        OurNode,
        make_broker,
        folder,
        controllers=1,
        controller_overrides=FAST_DEATHS,
        broker_overrides={**LAG_MS, "broker.heartbeat.interval.ms": "500"},
    ) as cluster:
        cluster.format()
        cluster.start()
        cluster.create_topic(TOPIC, PARTITIONS)
        wait_until_whole(cluster.running_brokers(), {TOPIC: PARTITIONS})
        load = _Load(cluster.servers, burst)
        try:
            for _ in range(rounds):
                for node in cluster.brokers.values():
                    time.sleep(PAUSE_S)
                    _kill(cluster, node, result, tell)
            time.sleep(PAUSE_S)
        finally:
            load.stop()
        result.longest_gap_s = load.longest_gap_s
        result.acknowledged = sum(map(len, load.acknowledged.values()))
        if load.failed:
            raise ReplicationError(f"{len(load.failed)} of {load.sent} records failed: {load.failed[0]}")
        _check(load, _read(cluster.servers, load.sent))
        tell(f"{result.acknowledged:,} records acknowledged, each read once and in order")
        wait_until_whole(cluster.running_brokers(), {TOPIC: PARTITIONS})
        for node in cluster.brokers.values():
            node.stop()
        nodes = list(cluster.brokers.values())
        result.replicas_compared, result.bytes_compared = compare_logs(nodes, TOPIC)
        tell(f"{result.replicas_compared} replicas, {result.bytes_compared:,} bytes, all the same")
        for node in cluster.brokers.values():
            if node.kind == "ours":
                check_files(node, TOPIC)
        tell("kafka-dump-log finds nothing wrong with ours")
    return result


def _kill(cluster: Cluster, node: Node, result: ReplicationResult, tell: Tell) -> None:
    led = _led_by(cluster, node)
    began = time.monotonic()
    node.kill()
    others = [each for each in cluster.running_brokers() if each is not node]
    wait_until(
        lambda: all(
            each.leader_id not in (-1, node.node_id)
            for other in others
            for each in partitions(other.bootstrap_server, [TOPIC]).values()
        ),
        60.0,
        "all partitions to have another leader",
    )
    result.killed_while_leading[node.kind] = result.killed_while_leading.get(node.kind, 0) + 1
    tell(
        f"kill -9 of broker {node.node_id} ({node.kind}), which led {led} partitions: all led again after"
        f" {time.monotonic() - began:.1f} s"
    )
    node.start()
    wait_until_whole(cluster.running_brokers(), {TOPIC: PARTITIONS})
    servers = ("--bootstrap-server", cluster.servers)
    run_tool(
        "kafka-leader-election", *servers, "--election-type", "PREFERRED", "--all-topic-partitions"
    ).output()


def _led_by(cluster: Cluster, node: Node) -> int:
    found = partitions(cluster.running_brokers()[0].bootstrap_server, [TOPIC])
    return sum(each.leader_id == node.node_id for each in found.values())


def _read(servers: str, count: int) -> dict[int, list[tuple[int, int]]]:
    """(offset, value) by partition of everything there is."""
    consumer = Consumer(
        {"bootstrap.servers": servers, "group.id": "reader", "enable.auto.commit": False, "log_level": 0}
    )
    consumer.assign([TopicPartition(TOPIC, number, 0) for number in range(PARTITIONS)])
    found: dict[int, list[tuple[int, int]]] = {number: [] for number in range(PARTITIONS)}
    read, deadline = 0, time.monotonic() + READ_S
    while read < count and time.monotonic() < deadline:
        for message in consumer.consume(5000, 0.5):
            if message.error() is None:
                partition, offset, value = message.partition(), message.offset(), message.value()
                assert partition is not None
                assert offset is not None
                assert value is not None
                found[partition].append((offset, int(value)))
                read += 1
    consumer.close()
    return found


def _check(load: _Load, found: Mapping[int, list[tuple[int, int]]]) -> None:
    for number, acknowledged in load.acknowledged.items():
        there = dict(found[number])
        lost = [value for offset, value in acknowledged if there.get(offset) != value]
        if lost:
            raise ReplicationError(
                f"partition {number}: {len(lost)} of {len(acknowledged)} are lost, first {lost[0]}"
            )
        values = [value for _, value in found[number]]
        if any(after <= before for before, after in pairwise(values)):
            raise ReplicationError(f"partition {number}: records are doubled or out of order")
