"""Controllers of one make and brokers of either make as one cluster, told of each other only by bootstrap servers.

The controllers are a `Quorum`; the brokers need nothing but `controller.quorum.bootstrap.servers` to find it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from compat.node import START_TIMEOUT_S, Node
from compat.process import free_ports, wait_until
from compat.quorum import CLUSTER_ID, MakeNode, Quorum, connect
from kafkaproto.messages import (
    DescribeClusterRequest,
    DescribeClusterResponse,
    MetadataRequest,
    MetadataResponse,
)

FIRST_BROKER_ID = 101
BROKERS_ONLY = 1
"""The endpoint type of DescribeCluster that means brokers."""
PARTITIONS_TIMEOUT_MS = 30_000


def broker_properties(directories: Sequence[Path], node_id: int, controllers: str) -> dict[str, str]:
    """The properties of a node that is a broker only; `controllers` is HOST:PORT,HOST:PORT and all it knows of them."""
    (port,) = free_ports(1)
    return {
        "process.roles": "broker",
        "node.id": str(node_id),
        "listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.bootstrap.servers": controllers,
        "log.dirs": ",".join(map(str, directories)),
    }


class Cluster:
    """Some controllers and some brokers; each broker may be killed, stopped and started again as it is."""

    def __init__(
        self,
        make_controller: MakeNode,
        make_broker: MakeNode,
        directory: Path,
        *,
        controllers: int = 3,
        brokers: int = 3,
        controller_overrides: Mapping[str, str] | None = None,
        broker_overrides: Mapping[str, str] | None = None,
        log_directories: Mapping[int, int] | None = None,
    ) -> None:
        """Nothing is formatted or started yet. `log_directories` is how many a broker has, by id, where not one."""
        self.quorum = Quorum(make_controller, directory, controllers, controller_overrides)
        self.brokers: dict[int, Node] = {}
        for broker_id in range(FIRST_BROKER_ID, FIRST_BROKER_ID + brokers):
            folder = directory / f"node-{broker_id}"
            count = (log_directories or {}).get(broker_id, 1)
            data = [folder / f"data-{number}" for number in range(1, count + 1)]
            properties = {
                **broker_properties(data, broker_id, self.controller_servers),
                **(broker_overrides or {}),
            }
            self.brokers[broker_id] = make_broker(folder, properties)

    @property
    def controller_servers(self) -> str:
        """HOST:PORT of all controllers, as a tool takes them."""
        return ",".join(node.bootstrap_controller for node in self.quorum.nodes.values())

    @property
    def servers(self) -> str:
        """HOST:PORT of all brokers, as a tool takes them."""
        return ",".join(node.bootstrap_server for node in self.brokers.values())

    def format(self) -> None:
        """Formats every node with its own make's tool."""
        self.quorum.format()
        with ThreadPoolExecutor(len(self.brokers)) as pool:
            list(pool.map(lambda node: node.format(CLUSTER_ID, ()), self.brokers.values()))

    def start(self) -> None:
        """Starts everything; returns when every broker is unfenced and every broker says so."""
        self.quorum.start()
        with ThreadPoolExecutor(len(self.brokers)) as pool:
            list(pool.map(lambda node: node.start(), self.brokers.values()))
        for node in self.brokers.values():
            self.wait_until_unfenced(node.node_id)

    def wait_until_unfenced(self, broker_id: int, timeout_s: float = START_TIMEOUT_S) -> None:
        """Until all brokers that run show the broker as alive."""
        wait_until(
            lambda: all(broker_id in alive_brokers(node) for node in self.running_brokers()),
            timeout_s,
            f"broker {broker_id} to be alive",
        )

    def running_brokers(self) -> list[Node]:
        """Those whose process has been started and has not ended."""
        return [node for node in self.brokers.values() if node.is_started and node.process.is_running]

    def close(self) -> None:
        """Leaves no process behind: kill -9 for all."""
        for node in self.brokers.values():
            if node.is_started:
                node.kill()
        self.quorum.close()

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()


def alive_brokers(node: Node) -> set[int]:
    """Ids of the unfenced brokers as this broker knows them; none while it does not answer."""
    try:
        with connect(node.bootstrap_server) as client:
            response = client.send(DescribeClusterRequest(endpoint_type=BROKERS_ONLY))
    except OSError:
        return set()
    assert isinstance(response, DescribeClusterResponse)
    return {broker.broker_id for broker in response.brokers}


Partition = MetadataResponse.Partition


def partitions(server: str, topics: Sequence[str] | None = None) -> dict[tuple[str, int], Partition]:
    """What a broker says of the partitions of these topics, or of all; none of those that it does not know.

    Raises OSError if it does not answer, which a broker on a busy machine may take its time for.
    """
    wanted = None if topics is None else [MetadataRequest.Topic(name=name) for name in topics]
    with connect(server, timeout_ms=PARTITIONS_TIMEOUT_MS) as client:
        response = client.send(MetadataRequest(topics=wanted, allow_auto_topic_creation=False))
    assert isinstance(response, MetadataResponse)
    return {
        (topic.name, partition.partition_index): partition
        for topic in response.topics
        if topic.name is not None
        for partition in topic.partitions
    }
