"""For the tests of a quorum by Apache Kafka's tools: a cluster that grows, and what the tools print, taken apart."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from compat.kafka.tools import run_tool
from compat.node import combined_properties, meta_properties
from compat.ours import OurNode
from compat.ports import free_port
from kafkaproto.client import parse_servers
from kafkaproto.log import BatchScan
from kafkaproto_server.tools.quorum.access import QuorumAccess
from kafkaproto_server.tools.quorum.voter_alteration import QuorumView, view_of
from tests.compat.support.nodes import CLUSTER_ID, SHORT_SESSION
from tests.integration.support.clusters import WAIT_S, NodeCluster

FIRST_SEGMENT = f"{0:020}.log"
# What the tool says of the beginning of every segment but the first.
_FALSE_ALARM = re.compile(
    r"^Non-consecutive offsets in .*/0*(\d+)\.log\n  -1 is followed by \1\n", re.MULTILINE
)


class GrowingCluster:
    """A node with both roles formatted by ``--standalone``, and a broker beside it."""

    cluster_id = CLUSTER_ID

    def __init__(self, folder: Path) -> None:
        """Formats both; nothing is started yet."""
        first = OurNode(folder / "node-1", {**combined_properties(folder / "data-1"), **SHORT_SESSION})
        first.format(CLUSTER_ID, ("--standalone",))
        port = free_port()
        broker = {
            "process.roles": "broker",
            "node.id": "101",
            "listeners": f"PLAINTEXT://127.0.0.1:{port}",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.bootstrap.servers": first.bootstrap_controller,
            "log.dirs": str(folder / "data-101"),
            **SHORT_SESSION,
        }
        second = OurNode(folder / "node-101", broker)
        second.format(CLUSTER_ID, ())
        self.first = first
        self.nodes = (first, second)

    @property
    def controllers(self) -> str:
        """HOST:PORT of the first controller."""
        return self.first.bootstrap_controller

    @property
    def servers(self) -> list[str]:
        """HOST:PORT of each broker."""
        return [node.bootstrap_server for node in self.nodes]

    def view(self) -> QuorumView:
        """The quorum as its leader describes it."""
        access = QuorumAccess(parse_servers(self.controllers), are_controllers=True, retry_timeout_s=WAIT_S)
        return view_of(access.describe())

    def start(self) -> None:
        """Starts both nodes; each serves when this returns."""
        for node in self.nodes:
            node.start()

    def close(self) -> None:
        """Leaves no process behind."""
        for node in self.nodes:
            if node.is_started:
                node.kill()


def voters_shown(cluster: NodeCluster, node_ids: Iterable[int]) -> list[dict[str, Any]]:
    """CurrentVoters as ``describe --status`` has to show these nodes."""
    addresses = cluster.controllers.split(",")
    return [
        {
            "id": node_id,
            "directoryId": meta_properties(cluster.data / f"node-{node_id}" / "data")["directory.id"],
            "endpoints": [f"CONTROLLER://{addresses[node_id - 1]}"],
        }
        for node_id in node_ids
    ]


def status(*bootstrap: str) -> dict[str, Any]:
    """What ``kafka-metadata-quorum describe --status`` prints: numbers as such, the members as JSON."""
    printed = run_tool("kafka-metadata-quorum", *bootstrap, "describe", "--status").output()
    rows = (line.split(":", 1) for line in printed.splitlines())
    return {name: value.strip() if name == "ClusterId" else json.loads(value.strip()) for name, value in rows}


def replication(*bootstrap: str) -> dict[int, dict[str, str]]:
    """The rows of ``kafka-metadata-quorum describe --replication`` by node id."""
    printed = run_tool("kafka-metadata-quorum", *bootstrap, "describe", "--replication").output()
    heading, *rows = (line.split() for line in printed.splitlines())
    shown = [dict(zip(heading, row, strict=True)) for row in rows]
    return {int(row.pop("NodeId")): row for row in shown}


def ids_by_status(rows: Mapping[int, Mapping[str, str]]) -> dict[str, set[int]]:
    """Node ids by what ``describe --replication`` calls them."""
    found: dict[str, set[int]] = {}
    for node_id, row in rows.items():
        found.setdefault(row["Status"], set()).add(node_id)
    return found


def ids(members: Iterable[Mapping[str, Any]]) -> set[int]:
    """Node ids in CurrentVoters or CurrentObservers."""
    return {member["id"] for member in members}


def dumped(*paths: Path) -> list[str]:
    """What ``kafka-dump-log`` prints of each of these files of a metadata log, without the name; none may be bad."""
    files = ",".join(map(str, paths))
    result = run_tool("kafka-dump-log", "--cluster-metadata-decoder", "--files", files)
    assert _FALSE_ALARM.sub("", result.stderr) == "", result
    assert "invalid" not in result.stdout.lower().replace("isvalid: true", ""), result
    parts = re.split(r"^Dumping .*\n", result.output(), flags=re.MULTILINE)[1:]
    assert len(parts) == len(paths)
    return parts


def batches(path: Path, end_offset: int) -> list[bytes]:
    """The record batches of a segment that end before an offset, as they lie there."""
    data = path.read_bytes()
    return [
        data[batch.position : batch.position + batch.size_in_bytes]
        for batch in BatchScan(data)
        if batch.next_offset <= end_offset
    ]
