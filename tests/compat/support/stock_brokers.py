"""For the tests of stock brokers on our controllers: the cluster, and load that knows what was acknowledged.

The authorizer is on everywhere. Nodes and tools come over plaintext as User:ANONYMOUS, which may do everything; each
broker has another listener, where clients log in with SCRAM and may do what ACLs allow.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition

from compat.cluster import Cluster, Partition, are_in_sync, partitions, wait_until_whole
from compat.kafka.stock import small_stock_node
from compat.kafka.tools import ToolResult, run_tool
from compat.node import Node, meta_properties
from compat.ours import OurNode
from compat.ports import free_port
from compat.process import wait_until
from compat.quorum import connect
from kafkaproto import uuids
from kafkaproto.messages import DeleteTopicsRequest, DeleteTopicsResponse
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.tools.shell.sources import load_directory

JBOD_BROKER = 103
BROKERS = (101, 102, JBOD_BROKER)
WAIT_S = 90.0
"""For what takes a second or two on a machine that has nothing else to do."""

AUTHORIZER = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
}
BROKER_PROPERTIES = {
    **AUTHORIZER,
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": "3",
    "transaction.state.log.num.partitions": "3",
    # Writing this file is what a broker notices first that a log directory is gone by.
    "replica.high.watermark.checkpoint.interval.ms": "500",
    # A throttle lets a fetch through before it counts it, and the next one some ten seconds later.
    "replica.fetch.max.bytes": "16384",
    "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT",
    "sasl.enabled.mechanisms": "SCRAM-SHA-256",
    "listener.name.sasl_plaintext.scram-sha-256.sasl.jaas.config": (
        "org.apache.kafka.common.security.scram.ScramLoginModule required;"
    ),
}


def stock_broker(folder: Path, properties: Mapping[str, str]) -> Node:
    """A stock node with another listener, for clients that log in."""
    port = free_port()
    listeners = f"{properties['listeners']},SASL_PLAINTEXT://127.0.0.1:{port}"
    return small_stock_node(folder, {**properties, "listeners": listeners})


def stock_on_ours(folder: Path, controller_properties: Mapping[str, str]) -> Cluster:
    """Three controllers of ours and three stock brokers, the last of them with three log directories; not started."""
    return Cluster(
        OurNode,
        stock_broker,
        folder,
        controller_overrides={**AUTHORIZER, **controller_properties},
        broker_overrides=BROKER_PROPERTIES,
        log_directories={JBOD_BROKER: 3},
    )


def login_server(cluster: Cluster) -> str:
    """HOST:PORT of the listener for clients that log in, of the first broker."""
    return cluster.brokers[101].properties["listeners"].rpartition("://")[2]


def tool(cluster: Cluster, name: str, *arguments: str, stdin: str | None = None) -> ToolResult:
    """One run of a stock tool against the brokers."""
    return run_tool(name, "--bootstrap-server", cluster.servers, *arguments, stdin=stdin)


def create(cluster: Cluster, name: str, count: int) -> None:
    """A topic of that many partitions with three replicas, of which two have to be in sync to write."""
    cluster.create_topic(name, count)
    wait_until_whole(cluster.running_brokers(), {name: count}, WAIT_S)


def delete_topics(cluster: Cluster) -> None:
    """Leaves none but the brokers' own, and so no reassignment either."""
    names = {name for name, _ in shown(cluster) if not name.startswith("__")}
    topics = [DeleteTopicsRequest.DeleteTopicState(name=name) for name in names]
    with connect(cluster.running_brokers()[0].bootstrap_server, timeout_ms=int(WAIT_S * 1000)) as client:
        response = client.send(DeleteTopicsRequest(topics=topics, timeout_ms=int(WAIT_S * 1000)))
    assert isinstance(response, DeleteTopicsResponse)
    assert not any(one.error_code for one in response.responses), response


def leave_as_found(cluster: Cluster) -> None:
    """After a test: no topics and no ended nodes are left to the next one; a test that ended a node fails."""
    nodes = (*cluster.quorum.nodes.values(), *cluster.brokers.values())
    ended = [node for node in nodes if not node.process.is_running]
    for node in ended:
        node.start()
    delete_topics(cluster)
    assert [node.node_id for node in ended] == []


def shown(cluster: Cluster, name: str | None = None) -> Mapping[tuple[str, int], Partition]:
    """The partitions as the first running broker shows them; of one topic, or of all."""
    server = cluster.running_brokers()[0].bootstrap_server
    return partitions(server, None if name is None else [name])


def has_preferred_leaders(cluster: Cluster) -> bool:
    """Whether every partition is led by its first replica."""
    return all(one.leader_id == one.replica_nodes[0] for one in shown(cluster).values())


def wait_until_led_without(cluster: Cluster, broker_id: int) -> None:
    """Until another broker shows a live leader for every partition."""
    wait_until(
        lambda: all(one.leader_id not in {-1, broker_id} for one in shown(cluster).values()),
        WAIT_S,
        f"every partition to be led by others than broker {broker_id}",
    )


def wait_until_back(cluster: Cluster, broker_id: int) -> None:
    """Until the broker is unfenced, in every ISR, and leads what it is preferred for."""
    cluster.wait_until_unfenced(broker_id)
    wait_until(lambda: are_in_sync(shown(cluster)), WAIT_S, f"broker {broker_id} back in all ISRs")
    wait_until(lambda: has_preferred_leaders(cluster), WAIT_S, "preferred leaders to lead again")


def controllers_said(cluster: Cluster, words: str) -> list[str]:
    """The lines with these words in the logs of all controllers."""
    logs = [node.process.err_path.read_text() for node in cluster.quorum.nodes.values()]
    return [line for log in logs for line in log.splitlines() if words in line]


def image(cluster: Cluster) -> ClusterImage:
    """The cluster's metadata as the log of the active controller has it."""
    return load_directory(OsDisk(), str(cluster.quorum.leader().metadata_log_directory), None)


def recorded_directories(cluster: Cluster, broker_id: int) -> dict[str, str]:
    """The log directory's id that is recorded for each replica of a broker, by the name of the replica's folder."""
    return {
        f"{topic.name}-{index}": uuids.to_text(partition.directory_of(broker_id))
        for topic in image(cluster).topics.values()
        for index, partition in topic.partitions_in_order()
        if broker_id in partition.replicas
    }


def wait_until_placed(cluster: Cluster, name: str, count: int) -> None:
    """Until the broker with several directories has made its replicas of a topic and told where each of them is.

    Metadata shows all replicas in sync before any broker has made one.
    """
    directories = cluster.brokers[JBOD_BROKER].data_directories
    known = {meta_properties(each)["directory.id"] for each in directories}

    def are_placed() -> bool:
        found = recorded_directories(cluster, JBOD_BROKER)
        return sum(found.get(f"{name}-{index}") in known for index in range(count)) == count

    wait_until(are_placed, WAIT_S, f"a directory on record for each replica of {name}")


def log_directories(cluster: Cluster, broker_id: int) -> list[dict[str, Any]]:
    """What ``kafka-log-dirs`` prints of a broker."""
    described = tool(cluster, "kafka-log-dirs", "--describe", "--broker-list", str(broker_id)).output()
    (line,) = (line for line in described.splitlines() if line.startswith("{"))
    (broker,) = json.loads(line)["brokers"]
    assert broker["broker"] == broker_id
    directories: list[dict[str, Any]] = broker["logDirs"]
    return directories


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
                "delivery.timeout.ms": 120_000,
                "log_level": 0,
            }
        )
        self._thread = threading.Thread(target=self._run)
        self.acknowledged: list[str] = []
        self.errors: list[str] = []

    def _run(self) -> None:
        number = 0
        while not self._stop.is_set():
            self._producer.produce(self._topic, str(number).encode(), on_delivery=self._delivered)
            self._producer.poll(0.002)
            number += 1
        self._producer.flush(120)

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self.errors.append(str(error))
            return
        value = message.value()
        assert isinstance(value, bytes)
        self.acknowledged.append(value.decode())

    def wait_for_more(self) -> None:
        """Until another record is acknowledged."""
        before = len(self.acknowledged)
        wait_until(lambda: len(self.acknowledged) > before, WAIT_S, "another acknowledged record")

    def start(self) -> None:
        """Returns when the first record is acknowledged."""
        self._thread.start()
        self.wait_for_more()

    def stop(self) -> None:
        """Returns when everything sent was acknowledged or given up."""
        self._stop.set()
        self._thread.join(150)
        assert not self._thread.is_alive()


@contextmanager
def loaded(cluster: Cluster, topic: str) -> Iterator[Load]:
    """Load beside what a test does; in the end no record failed and every acknowledged one can be read."""
    load = Load(cluster.servers, topic)
    try:
        load.start()
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
