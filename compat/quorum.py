"""Several nodes as a quorum of controllers, each a process: of one implementation, or some of another.

The voters are in their log, as formatting wrote them, or in everyone's configuration (kraft.version 0).

Asks the nodes over our client library only, so that a quorum of either implementation can stand here.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from compat.network import Network
from compat.node import Node, controller_properties
from compat.ports import free_port, free_ports
from compat.process import WaitedTooLongError
from kafkaproto import uuids
from kafkaproto.client import Client, parse_servers
from kafkaproto.error_codes import describe
from kafkaproto.messages import DescribeQuorumRequest, DescribeQuorumResponse

CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"
ASK_TIMEOUT_MS = 2000
LEADER_TIMEOUT_S = 60.0
POLL_INTERVAL_S = 0.02

NodeClass = Callable[[Path, Mapping[str, str]], Node]
"""A class of nodes, or what builds one from its directory and properties."""


def new_uuid() -> bytes:
    """Random, as a directory id is; never one whose text begins with a dash, which a tool would take for an option."""
    while True:
        value = secrets.token_bytes(16)
        if not uuids.to_text(value).startswith("-"):
            return value


def connect(address: str, *, timeout_ms: int = ASK_TIMEOUT_MS) -> Client:
    """A connection to HOST:PORT; raises OSError."""
    ((host, port),) = parse_servers(address)
    return Client.connect(host, port, timeout_ms=timeout_ms, client_id="quorum")


def describe_quorum(client: Client) -> DescribeQuorumResponse.PartitionData:
    """What a node says of the metadata quorum; raises OSError, and LookupError where it does not lead."""
    partition = DescribeQuorumRequest.PartitionData(partition_index=0)
    topic = DescribeQuorumRequest.TopicData(topic_name="__cluster_metadata", partitions=[partition])
    response = client.send(DescribeQuorumRequest(topics=[topic]))
    assert isinstance(response, DescribeQuorumResponse)
    if response.error_code:
        raise LookupError(f"DescribeQuorum: {describe(response.error_code).name}")
    received = response.topics[0].partitions[0]
    if received.error_code:
        raise LookupError(f"DescribeQuorum: {describe(received.error_code).name}")
    return received


class Quorum:
    """Controllers that vote; more nodes may join later."""

    def __init__(
        self,
        node_class: NodeClass,
        directory: Path,
        size: int,
        properties: Mapping[str, str] | None = None,
        *,
        others: Mapping[int, NodeClass] | None = None,
        has_static_voters: bool = False,
        network: Network | None = None,
    ) -> None:
        """Nothing is formatted or started yet. `properties` go to every node, besides what it needs.

        Nodes 1 to `size` are of `make`, but for those that `others` has by their id. With a network, which must run
        already, they reach each other through it alone; whoever asks a node at `bootstrap_controller` does not.
        """
        self._node_class = node_class
        self._others = dict(others or {})
        self._has_static_voters = has_static_voters
        self._directory = directory
        self._properties = dict(properties or {})
        self._network = network
        self.nodes: dict[int, Node] = {}
        ports = dict(enumerate(free_ports(size), 1))
        # What everybody is told of the first voters.
        self._servers = {node_id: self._server(node_id, port) for node_id, port in ports.items()}
        for node_id, port in ports.items():
            elsewhere = [server for voter, server in self._servers.items() if voter != node_id]
            self.nodes[node_id] = self._node(node_id, port, [*elsewhere, self._servers[node_id]], {})

    @property
    def static_voters(self) -> str:
        """The value of `controller.quorum.voters` that names all of them."""
        return ",".join(f"{voter}@{server}" for voter, server in self._servers.items())

    @property
    def found_by(self) -> dict[str, str]:
        """The property by which a broker finds it."""
        if self._has_static_voters:
            return {"controller.quorum.voters": self.static_voters}
        return {"controller.quorum.bootstrap.servers": ",".join(self._servers.values())}

    def _server(self, node_id: int, port: int) -> str:
        """HOST:PORT where others reach the node that listens on this port."""
        if self._network is None:
            return f"127.0.0.1:{port}"
        return self._network.add(node_id, port, partial(self._find_pid, node_id))

    def _find_pid(self, node_id: int) -> int | None:
        node = self.nodes.get(node_id)
        return None if node is None else node.running_pid

    def _node(self, node_id: int, port: int, servers: Sequence[str], more: Mapping[str, str]) -> Node:
        folder = self._directory / f"node-{node_id}"
        properties = controller_properties(folder / "data", node_id, servers)
        if self._network is not None:
            properties["listeners"] = f"CONTROLLER://127.0.0.1:{port}"
            properties["advertised.listeners"] = f"CONTROLLER://{servers[-1]}"
        if self._has_static_voters:
            del properties["controller.quorum.bootstrap.servers"]
            properties["controller.quorum.voters"] = self.static_voters
        node_class = self._others.get(node_id, self._node_class)
        return node_class(folder, {**properties, **self._properties, **more})

    def format(self, *options: str) -> None:
        """Formats all nodes with all of them as the first voters, and with these options of `kafka-storage format`."""
        voters = ",".join(
            f"{node_id}@{server}:{uuids.to_text(new_uuid())}" for node_id, server in self._servers.items()
        )
        quorum = () if self._has_static_voters else ("--initial-controllers", voters)
        with ThreadPoolExecutor(len(self.nodes)) as pool:
            list(pool.map(lambda node: node.format(CLUSTER_ID, (*quorum, *options)), self.nodes.values()))

    def start(self) -> None:
        """Starts all nodes and waits until each serves; at once, because a node waits for a leader to serve."""
        with ThreadPoolExecutor(len(self.nodes)) as pool:
            list(pool.map(lambda node: node.start(), self.nodes.values()))

    def new_voter(
        self, node_id: int, properties: Mapping[str, str], node_class: NodeClass | None = None
    ) -> Node:
        """Another controller, formatted to join, not started and no voter yet; of `make`, if given."""
        port = free_port()
        if node_class is not None:
            self._others[node_id] = node_class
        servers = [*self._servers.values(), self._server(node_id, port)]
        node = self._node(node_id, port, servers, properties)
        node.format(CLUSTER_ID, ("--no-initial-controllers",))
        self.nodes[node_id] = node
        return node

    def leader(self, timeout_s: float = LEADER_TIMEOUT_S, besides: Node | None = None) -> Node:
        """The node that leads, `besides` and those that hang not asked.

        Raises WaitedTooLongError if none does in time.
        """
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            for node in self.nodes.values():
                if node is besides or node.is_paused or not node.process.is_running:
                    continue
                try:
                    with connect(node.bootstrap_controller) as client:
                        leader_id = describe_quorum(client).leader_id
                except (OSError, LookupError):
                    continue
                if leader_id == node.node_id:
                    return node
            time.sleep(POLL_INTERVAL_S)
        raise WaitedTooLongError(f"waited {timeout_s} s for a leader of {self._directory}")

    def log_ends(self) -> dict[int, int]:
        """The end offset of each voter's and observer's log by node id, as whoever leads knows it.

        Raises WaitedTooLongError, and OSError or LookupError where who led leads no more.
        """
        with connect(self.leader().bootstrap_controller) as client:
            response = describe_quorum(client)
        return {
            each.replica_id: each.log_end_offset for each in (*response.current_voters, *response.observers)
        }

    def close(self) -> None:
        """Leaves no process behind: kill -9, since a quorum that loses its nodes one by one cannot end in order."""
        for node in self.nodes.values():
            if node.is_started:
                node.kill()

    def __enter__(self) -> Quorum:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()
