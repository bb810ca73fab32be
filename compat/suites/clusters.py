"""The clusters that the suites expect, of our nodes, or of Apache Kafka's to tell whose fault a failure is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from compat.cluster import FIRST_BROKER_ID, Cluster
from compat.kafka.stock import small_stock_node
from compat.kafka.tools import run_tool
from compat.node import combined_properties
from compat.ours import OurNode
from compat.quorum import CLUSTER_ID, NodeClass

BROKERS = 3
# Suites create topics by using them, deny with ACLs and expect everything else to be allowed.
EXPECTED = {
    "auto.create.topics.enable": "true",
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
    "num.partitions": "4",
}
# A group's first rebalance waits for more members, 3 s as by default: librdkafka's 0113 counts on both of its consumers
# to be in the first one.
REPLICATED = {
    **EXPECTED,
    "default.replication.factor": str(BROKERS),
    "offsets.topic.replication.factor": "1",
    "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.replication.factor": "1",
}
COORDINATORS_TOPICS = ("__consumer_offsets", "__transaction_state")
COORDINATORS_PARTITIONS = 50


@contextmanager
def sole_node(folder: Path, make_node: NodeClass) -> Iterator[str]:
    """A node with both roles and the id 0; where it listens."""
    properties = {**combined_properties(folder / "data", node_id=0), **EXPECTED}
    listeners = properties["listeners"]
    node = make_node(folder, {**properties, "advertised.listeners": listeners})
    node.format(CLUSTER_ID, ("--standalone",))
    node.start()
    try:
        yield node.bootstrap_server
    finally:
        node.kill()


@contextmanager
def three_brokers(folder: Path, make_node: NodeClass, *, can_auto_create: bool = True) -> Iterator[str]:
    """Three brokers, each in a rack of its own; where they listen."""
    with _cluster(folder, make_node, can_auto_create=can_auto_create) as cluster:
        cluster.format()
        cluster.start()
        yield cluster.servers


@contextmanager
def with_foreign_coordinator(folder: Path, *, can_auto_create: bool) -> Iterator[tuple[str, str]]:
    """Two brokers of ours and one of Apache Kafka; where all listen, and where that one does.

    It coordinates all groups. Any of them may lead other partitions, so a group's consumers read from our brokers too.
    """
    with _cluster(folder, OurNode, can_auto_create=can_auto_create) as cluster:
        last = max(cluster.brokers)
        ours = cluster.brokers[last]
        cluster.brokers[last] = small_stock_node(ours.directory, ours.properties)
        cluster.format()
        cluster.start()
        server = cluster.brokers[last].bootstrap_server
        for topic in COORDINATORS_TOPICS:
            run_tool(
                "kafka-topics", "--bootstrap-server", server, "--create", "--topic", topic,
                "--replica-assignment", ",".join([str(last)] * COORDINATORS_PARTITIONS),
                "--config", "cleanup.policy=compact",
            ).output()  # fmt: skip
        yield cluster.servers, server


def _cluster(folder: Path, make_node: NodeClass, *, can_auto_create: bool) -> Cluster:
    """One controller and three brokers, not formatted yet."""
    expected = {**REPLICATED, "auto.create.topics.enable": "true" if can_auto_create else "false"}
    cluster = Cluster(
        make_node,
        make_node,
        folder,
        controllers=1,
        brokers=BROKERS,
        controller_overrides=EXPECTED,
        broker_overrides=expected,
    )
    for number in range(BROKERS):
        node = cluster.brokers[FIRST_BROKER_ID + number]
        cluster.brokers[node.node_id] = make_node(
            node.directory, {**node.properties, "broker.rack": f"RACK{number + 1}"}
        )
    return cluster
