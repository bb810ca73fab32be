"""Brokers that records go through: one alone, or three with a controller."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from bench._implementations import IMPLEMENTATIONS, STOCK_OPTIONS
from bench._parts import Measurements
from bench._tansu import Tansu
from bench.start import resident_mib
from compat.cluster import Cluster
from compat.kafka.stock import StockNode
from compat.node import Node, combined_properties
from compat.quorum import NodeClass

CREATE_TIMEOUT_S = 120.0
CLUSTER_ID = "bench-data-cluster-0000"
LARGE_HEAP = (*STOCK_OPTIONS, "-Xms1g", "-Xmx1g")
"""The heap of Kafka's own start script: with half of it a broker of 10,000 partitions ends by OutOfMemoryError."""


class Servers:
    """Brokers under measurement: where they are, and what processor time they took."""

    def __init__(self, address: str, pids: Sequence[int], replicas: int) -> None:
        self.address = address
        self._pids = tuple(pids)
        self.replicas = replicas

    def cpu_s(self) -> float:
        """Processor time of all processes so far."""
        # Linux has a clock for each process. It is finer than the ticks in /proc.
        return sum(time.clock_gettime(~pid << 3 | 2) for pid in self._pids)

    def resident_mib(self) -> float:
        """Resident memory of all processes."""
        return sum(map(resident_mib, self._pids))

    def create(self, topic: str, partitions: int) -> None:
        """Create a topic on all of them. Raises KafkaException."""
        made = NewTopic(topic, num_partitions=partitions, replication_factor=self.replicas)
        admin = AdminClient({"bootstrap.servers": self.address, "log_level": 0})
        for future in admin.create_topics([made], operation_timeout=CREATE_TIMEOUT_S).values():
            future.result(CREATE_TIMEOUT_S)
        time.sleep(1.0)


Measure = Callable[[Servers, Path], Measurements]


def large(implementation: str) -> NodeClass:
    """The implementation, with memory for many partitions."""
    if implementation == "stock":
        return partial(StockNode, jvm_options=LARGE_HEAP)
    return IMPLEMENTATIONS[implementation]


def sole_node(implementation: str, folder: Path) -> Node:
    """A formatted node that is broker and controller; not started."""
    node = large(implementation)(folder / "node", combined_properties(folder / "node" / "data"))
    node.format(CLUSTER_ID)
    return node


def alone(measure: Measure, implementation: str, folder: Path) -> Measurements:
    """Measure one broker."""
    if implementation == "tansu":
        with Tansu(folder) as tansu:
            return measure(Servers(tansu.address, [tansu.pid], 1), folder)
    node = sole_node(implementation, folder)
    node.start()
    try:
        return measure(Servers(node.bootstrap_server, [node.process.pid], 1), folder)
    finally:
        node.close()


def three(measure: Measure, implementation: str, folder: Path) -> Measurements:
    """Measure three brokers, with a controller of their own make."""
    make = IMPLEMENTATIONS[implementation]
    with Cluster(make, make, folder, controllers=1) as cluster:
        cluster.format()
        cluster.start()
        pids = [node.process.pid for node in cluster.brokers.values()]
        return measure(Servers(cluster.servers, pids, 3), folder)
