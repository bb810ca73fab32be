"""The clusters that the suites expect, of our nodes, or of Apache Kafka's to tell whose fault a failure is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from compat.cluster import FIRST_BROKER_ID, Cluster
from compat.node import combined_properties
from compat.quorum import CLUSTER_ID, NodeClass

BROKERS = 3
# Suites create topics by using them, deny with ACLs and expect everything else to be allowed. librdkafka's 0173 has
# locks of 3 s, and 15 s are the least by default; its own clusters have this, too. Controllers check the configs of
# groups.
EXPECTED = {
    "auto.create.topics.enable": "true",
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
    "num.partitions": "4",
    "group.share.min.record.lock.duration.ms": "1000",
}
# kafka-python's test_group has sessions of 3 s, and 6 s are the least by default.
SOLE = {**EXPECTED, "group.min.session.timeout.ms": "1000"}
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


@contextmanager
def sole_node(folder: Path, make_node: NodeClass) -> Iterator[str]:
    """A node with both roles and the id 0; where it listens."""
    properties = {**combined_properties(folder / "data", node_id=0), **SOLE}
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
