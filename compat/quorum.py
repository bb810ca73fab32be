"""Several nodes of one make as a quorum of controllers, each a process, formatted with the voters in their log.

Asks the nodes over our client library only, so that a quorum of either make can stand here.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from compat.node import Node, controller_properties
from compat.process import WaitedTooLongError, free_ports
from kafkaproto import uuids
from kafkaproto.client import Client, parse_servers
from kafkaproto.error_codes import describe
from kafkaproto.messages import DescribeQuorumRequest, DescribeQuorumResponse

CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"
ASK_TIMEOUT_MS = 2000
LEADER_TIMEOUT_S = 60.0
POLL_INTERVAL_S = 0.02

MakeNode = Callable[[Path, Mapping[str, str]], Node]
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
    answer = response.topics[0].partitions[0]
    if answer.error_code:
        raise LookupError(f"DescribeQuorum: {describe(answer.error_code).name}")
    return answer


class Quorum:
    """Controllers that vote; more nodes may join later."""

    def __init__(
        self, make: MakeNode, directory: Path, size: int, properties: Mapping[str, str] | None = None
    ) -> None:
        """Nothing is formatted or started yet. `properties` go to every node, besides what it needs."""
        self._make = make
        self._directory = directory
        self._properties = dict(properties or {})
        ports = free_ports(size)
        self._servers = [f"127.0.0.1:{port}" for port in ports]
        self.nodes: dict[int, Node] = {}
        for node_id, server in enumerate(self._servers, 1):
            others = [each for each in self._servers if each != server]
            self.nodes[node_id] = self._node(node_id, [*others, server], {})

    def _node(self, node_id: int, servers: Sequence[str], more: Mapping[str, str]) -> Node:
        folder = self._directory / f"node-{node_id}"
        properties = controller_properties(folder / "data", node_id, servers)
        return self._make(folder, {**properties, **self._properties, **more})

    def format(self) -> None:
        """Formats all nodes with all of them as the first voters."""
        voters = ",".join(
            f"{node_id}@{node.bootstrap_controller}:{uuids.to_text(new_uuid())}"
            for node_id, node in self.nodes.items()
        )
        quorum = ("--initial-controllers", voters)
        with ThreadPoolExecutor(len(self.nodes)) as pool:
            list(pool.map(lambda node: node.format(CLUSTER_ID, quorum), self.nodes.values()))

    def start(self) -> None:
        """Starts all nodes and waits until each serves; at once, because a node waits for a leader to serve."""
        with ThreadPoolExecutor(len(self.nodes)) as pool:
            list(pool.map(lambda node: node.start(), self.nodes.values()))

    def newcomer(self, node_id: int, properties: Mapping[str, str]) -> Node:
        """Another controller, formatted to join, not started and no voter yet."""
        (port,) = free_ports(1)
        node = self._node(node_id, [*self._servers, f"127.0.0.1:{port}"], properties)
        node.format(CLUSTER_ID, ("--no-initial-controllers",))
        self.nodes[node_id] = node
        return node

    def leader(self, timeout_s: float = LEADER_TIMEOUT_S) -> Node:
        """The node that leads; raises WaitedTooLongError if none does in time."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            for node in self.nodes.values():
                if not node.process.is_running:
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

    def close(self) -> None:
        """Leaves no process behind: kill -9, since a quorum that loses its nodes one by one cannot end in order."""
        for node in self.nodes.values():
            if node.is_started:
                node.kill()

    def __enter__(self) -> Quorum:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()
