"""Controllers of one implementation and brokers of either as a cluster that knows itself by bootstrap servers only.

The controllers are a `Quorum`; the brokers need nothing but `controller.quorum.bootstrap.servers` to find it, or
`controller.quorum.voters` where voters are static.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Self

from compat.kafka.tools import run_tool
from compat.network import Network
from compat.node import START_TIMEOUT_S, Node
from compat.ports import free_port
from compat.process import wait_until
from compat.quorum import CLUSTER_ID, NodeClass, Quorum, connect
from kafkaproto.messages import (
    DescribeClusterRequest,
    DescribeClusterResponse,
    MetadataRequest,
    MetadataResponse,
)

FIRST_BROKER_ID = 101
BETWEEN_BROKERS = "BROKERS"
"""The listener of brokers that stand behind relays."""
BROKERS_ONLY = 1
"""The endpoint type of DescribeCluster that means brokers."""
PARTITIONS_TIMEOUT_MS = 30_000
IN_SYNC_TIMEOUT_S = 180.0
"""For what takes a second or two on a machine that has nothing else to do."""


def broker_properties(directories: Sequence[Path], node_id: int, quorum: Quorum) -> dict[str, str]:
    """The properties of a node that is a broker only and finds the quorum as its controllers find each other."""
    port = free_port()
    return {
        "process.roles": "broker",
        "node.id": str(node_id),
        "listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "controller.listener.names": "CONTROLLER",
        **quorum.found_by,
        "log.dirs": ",".join(map(str, directories)),
    }


class Cluster:
    """Some controllers and some brokers; each broker may be killed, stopped and started again as it is."""

    def __init__(
        self,
        make_controller: NodeClass,
        make_broker: NodeClass,
        directory: Path,
        *,
        controllers: int = 3,
        brokers: int = 3,
        controller_overrides: Mapping[str, str] | None = None,
        broker_overrides: Mapping[str, str] | None = None,
        log_directories: Mapping[int, int] | None = None,
        has_static_voters: bool = False,
        network: Network | None = None,
    ) -> None:
        """Nothing is formatted or started yet. `log_directories` is how many a broker has, by id, where not one.

        With a network, which must run already, nodes reach each other through it alone.
        """
        self.quorum = Quorum(
            make_controller,
            directory,
            controllers,
            controller_overrides,
            has_static_voters=has_static_voters,
            network=network,
        )
        self.brokers: dict[int, Node] = {}
        for broker_id in range(FIRST_BROKER_ID, FIRST_BROKER_ID + brokers):
            folder = directory / f"node-{broker_id}"
            count = (log_directories or {}).get(broker_id, 1)
            data = [folder / f"data-{number}" for number in range(1, count + 1)]
            properties = {**broker_properties(data, broker_id, self.quorum), **(broker_overrides or {})}
            if network is not None:
                properties |= self._relayed(network, properties)
            self.brokers[broker_id] = make_broker(folder, properties)

    def _relayed(self, network: Network, properties: Mapping[str, str]) -> dict[str, str]:
        """Properties of a broker whose peers reach it behind a relay, and its clients directly."""
        broker_id, port = int(properties["node.id"]), free_port()
        relay = network.add(broker_id, port, lambda: self._pid(broker_id))
        advertised = properties.get("advertised.listeners", properties["listeners"])
        return {
            "listeners": f"{properties['listeners']},{BETWEEN_BROKERS}://127.0.0.1:{port}",
            "advertised.listeners": f"{advertised},{BETWEEN_BROKERS}://{relay}",
            "inter.broker.listener.name": BETWEEN_BROKERS,
            "listener.security.protocol.map": ",".join(
                f"{name}:PLAINTEXT" for name in ("PLAINTEXT", "CONTROLLER", BETWEEN_BROKERS)
            ),
        }

    def _pid(self, broker_id: int) -> int | None:
        node = self.brokers.get(broker_id)
        return None if node is None else node.running_pid

    @property
    def controller_servers(self) -> str:
        """HOST:PORT of all controllers, as a tool takes them."""
        return ",".join(node.bootstrap_controller for node in self.quorum.nodes.values())

    @property
    def servers(self) -> str:
        """HOST:PORT of all brokers, as a tool takes them."""
        return ",".join(node.bootstrap_server for node in self.brokers.values())

    def format(self) -> None:
        """Formats every node with its own implementation's tool."""
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

    def create_topic(self, name: str, count: int) -> None:
        """A topic of so many partitions with three replicas, of which two have to be in sync to write.

        Raises ToolFailedError.
        """
        run_tool(
            "kafka-topics", "--bootstrap-server", self.servers, "--create", "--topic", name,
            "--partitions", str(count), "--replication-factor", "3", "--config", "min.insync.replicas=2",
        ).output()  # fmt: skip

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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()


class CombinedCluster(Cluster):
    """Nodes with both roles each, all of them voters."""

    def __init__(
        self,
        make_node: NodeClass,
        directory: Path,
        *,
        nodes: int = 3,
        overrides: Mapping[str, str] | None = None,
        log_directories: Mapping[int, int] | None = None,
        network: Network | None = None,
    ) -> None:
        """As Cluster. The nodes' ids begin with 1."""

        def make(folder: Path, properties: Mapping[str, str]) -> Node:
            node_id = int(properties["node.id"])
            port = free_port()
            count = (log_directories or {}).get(node_id, 1)
            listener = f"PLAINTEXT://127.0.0.1:{port}"
            both = {
                **properties,
                "process.roles": "broker,controller",
                "listeners": f"{listener},{properties['listeners']}",
                "log.dirs": ",".join(str(folder / f"data-{number}") for number in range(1, count + 1)),
            }
            if network is not None:
                both["advertised.listeners"] = f"{listener},{properties['advertised.listeners']}"
                both |= self._relayed(network, both)
            return make_node(folder, both)

        self.brokers = {}
        self.quorum = Quorum(make, directory, nodes, overrides, network=network)
        self.brokers = self.quorum.nodes

    def format(self) -> None:
        """See Cluster."""
        self.quorum.format()

    def start(self) -> None:
        """See Cluster."""
        self.quorum.start()
        for node in self.brokers.values():
            self.wait_until_unfenced(node.node_id)


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


def are_in_sync(found: Mapping[tuple[str, int], Partition]) -> bool:
    """Whether every partition has a leader and every replica is in its ISR."""
    return all(
        one.leader_id >= 0 and sorted(one.isr_nodes) == sorted(one.replica_nodes) for one in found.values()
    )


def wait_until_whole(
    brokers: Collection[Node], topics: Mapping[str, int], timeout_s: float = IN_SYNC_TIMEOUT_S
) -> None:
    """Until each of these brokers shows that many partitions of each topic, and all their replicas in sync.

    Raises WaitedTooLongError.
    """

    def is_whole(node: Node) -> bool:
        try:
            found = partitions(node.bootstrap_server, list(topics))
        except OSError:
            return False
        return Counter(name for name, _ in found) == topics and are_in_sync(found)

    wait_until(lambda: all(map(is_whole, brokers)), timeout_s, f"all replicas of {', '.join(topics)} in sync")
