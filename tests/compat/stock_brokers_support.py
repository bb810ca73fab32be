"""For the tests of stock brokers on our controllers: the cluster, and load that knows what was acknowledged."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition

from compat.cluster import Cluster, Partition, partitions
from compat.kafka.jvm import NODE_OPTIONS
from compat.kafka.stock import StockNode
from compat.kafka.tools import run_tool
from compat.ours import OurNode
from compat.process import wait_until

SMALL_HEAP = ("-Xmx256m", *(option for option in NODE_OPTIONS if not option.startswith("-Xmx")))
JBOD_BROKER = 103
BROKERS = (101, 102, JBOD_BROKER)
WAIT_S = 30.0
BALANCE_S = 5
"""How often preferred leaders are seen to."""

BROKER_PROPERTIES = {
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": "3",
    "transaction.state.log.num.partitions": "3",
    # Writing this file is what a broker notices first that a log directory is gone by.
    "replica.high.watermark.checkpoint.interval.ms": "500",
}
CONTROLLER_PROPERTIES = {"leader.imbalance.check.interval.seconds": str(BALANCE_S)}


def stock_on_ours(folder: Path) -> Cluster:
    """Three controllers of ours and three stock brokers, the last of them with three log directories; not started."""
    return Cluster(
        OurNode,
        partial(StockNode, jvm_options=SMALL_HEAP),
        folder,
        controller_overrides=CONTROLLER_PROPERTIES,
        broker_overrides=BROKER_PROPERTIES,
        log_directories={JBOD_BROKER: 3},
    )


def create(cluster: Cluster, name: str, count: int, *more: str) -> None:
    """A topic of that many partitions with three replicas, of which two have to be in sync to write."""
    run_tool(
        "kafka-topics", "--bootstrap-server", cluster.servers, "--create", "--topic", name,
        "--partitions", str(count), "--replication-factor", "3", "--config", "min.insync.replicas=2", *more,
    ).output()  # fmt: skip
    wait_until(lambda: is_whole(cluster, name), WAIT_S, f"all replicas of {name} in sync")


def shown(cluster: Cluster, name: str | None = None) -> Mapping[tuple[str, int], Partition]:
    """The partitions as the first running broker shows them; of one topic, or of all."""
    server = cluster.running_brokers()[0].bootstrap_server
    return partitions(server, None if name is None else [name])


def is_whole(cluster: Cluster, name: str | None = None) -> bool:
    """Whether every replica is in sync, at every running broker's word."""
    found = [partitions(node.bootstrap_server, name and [name]) for node in cluster.running_brokers()]
    return all(
        one.leader_id >= 0 and sorted(one.isr_nodes) == sorted(one.replica_nodes)
        for each in found
        for one in each.values()
    )


def has_preferred_leaders(cluster: Cluster) -> bool:
    """Whether every partition is led by its first replica."""
    return all(one.leader_id == one.replica_nodes[0] for one in shown(cluster).values())


class Load:
    """Produces with acks=all, idempotently, and keeps what was acknowledged."""

    def __init__(self, servers: str, topic: str) -> None:
        self._topic = topic
        self._stop = threading.Event()
        self._producer = Producer(
            {
                "bootstrap.servers": servers,
                "acks": "all",
                "enable.idempotence": True,
                "linger.ms": 2,
                "delivery.timeout.ms": 60_000,
                "log_level": 0,
            }
        )
        self._thread = threading.Thread(target=self._run)
        self.acknowledged: list[str] = []
        self.errors: list[str] = []
        self.longest_gap_s = 0.0
        self._last = time.monotonic()

    def _run(self) -> None:
        number = 0
        while not self._stop.is_set():
            self._producer.produce(self._topic, str(number).encode(), on_delivery=self._delivered)
            self._producer.poll(0.002)
            number += 1
        self._producer.flush(60)

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self.errors.append(str(error))
            return
        value = message.value()
        assert isinstance(value, bytes)
        self.acknowledged.append(value.decode())
        now = time.monotonic()
        self.longest_gap_s = max(self.longest_gap_s, now - self._last)
        self._last = now

    def start(self) -> None:
        """Returns when the first record is acknowledged."""
        self._thread.start()
        wait_until(lambda: bool(self.acknowledged), WAIT_S, "the first acknowledged record")
        self.longest_gap_s = 0.0

    def stop(self) -> None:
        """Returns when everything sent was acknowledged or given up."""
        self._stop.set()
        self._thread.join(90)
        assert not self._thread.is_alive()


@contextmanager
def loaded(cluster: Cluster, topic: str) -> Iterator[Load]:
    """Load beside what a test does; in the end no record failed and every acknowledged one can be read."""
    load = Load(cluster.servers, topic)
    load.start()
    try:
        yield load
    finally:
        load.stop()
    assert load.errors == []
    count = len(shown(cluster, topic))
    assert set(load.acknowledged) <= set(read_all(cluster.servers, topic, count))


def read_all(servers: str, topic: str, count: int) -> Sequence[str]:
    """Every value in a topic of `count` partitions, up to the ends that the leaders name."""
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "reader", "log_level": 0})
    try:
        wanted = [TopicPartition(topic, index, 0) for index in range(count)]
        left = {one.partition: consumer.get_watermark_offsets(one, timeout=WAIT_S)[1] for one in wanted}
        consumer.assign([one for one in wanted if left[one.partition]])
        total = sum(left.values())
        values: list[str] = []
        deadline = time.monotonic() + WAIT_S
        while len(values) < total:
            assert time.monotonic() < deadline, f"{len(values)} of {total} records after {WAIT_S} s"
            for message in consumer.consume(1000, timeout=0.5):
                assert message.error() is None, message.error()
                value = message.value()
                assert isinstance(value, bytes)
                values.append(value.decode())
        return values
    finally:
        consumer.close()
