"""Clusters of several processes, by the command that a user has for them, and short ways to ask and change them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Protocol

from compat.node import controller_properties
from compat.ours import BIN, OurNode
from compat.ports import free_ports
from compat.process import ServerProcess, wait_until
from kafkaproto.client import parse_servers
from kafkaproto.messages import CreateTopicsRequest, CreateTopicsResponse
from kafkaproto_server.tools.cluster.cluster_layout import Shape, make_layout
from kafkaproto_server.tools.quorum.access import DescribedQuorum, QuorumAccess
from kafkaproto_server.tools.quorum.voter_alteration import QuorumView, view_of
from tests.integration.support.asking import connect

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 60.0
WAIT_S = 30.0
TOOL_TIMEOUT_S = 120.0


QUICK_SESSIONS = "broker.heartbeat.interval.ms=300\nbroker.session.timeout.ms=1500"
"""So that a broker that was killed is missed, and may come back, sooner than after Kafka's nine seconds."""


class Joinable(Protocol):
    """What a controller that wants to join has to know of a cluster."""

    @property
    def controllers(self) -> str:
        """HOST:PORT of each controller, separated by commas."""

    @property
    def cluster_id(self) -> str:
        """What it was formatted with."""


class LocalCluster:
    """One run of ``bin/kafka-local-cluster``, and of nodes that were started again by hand."""

    def __init__(
        self,
        folder: Path,
        shape: Shape,
        *,
        is_static: bool = False,
        own_properties: Mapping[int, str] | None = None,
    ) -> None:
        """Lays it out in ``folder/data``, starts it, waits until it serves. ``own_properties`` are lines by node id."""
        self.folder = folder
        self.data = folder / "data"
        self._runs = 0
        self._restarts = 0
        self._restarted: dict[int, ServerProcess] = {}
        layout = make_layout(self.data, shape, base_port=0, is_static=is_static)
        for node in layout.nodes:
            with layout.properties_path(node).open("a") as file:
                file.write(f"{QUICK_SESSIONS}\n{(own_properties or {}).get(node.node_id, '')}\n")
        self.start()

    def start(self) -> None:
        """Start it, or take it up again."""
        self._runs += 1
        self.process = ServerProcess(
            [str(BIN / "kafka-local-cluster"), "--data", str(self.data)],
            self.folder / f"cluster-{self._runs}",
            self.folder,
            {},
        )
        try:
            line = self.process.wait_for_line(self.process.out_path, "ready ", START_TIMEOUT_S)
        except Exception:
            self.close()
            raise
        self.ready = dict(word.split("=", 1) for word in line.split()[1:])
        self.pids = {
            int(node): int(pid) for node, pid in (pair.split(":") for pair in self.ready["pids"].split(","))
        }

    @property
    def servers(self) -> list[str]:
        """HOST:PORT of each broker."""
        return self.ready["bootstrap.servers"].split(",")

    @property
    def controllers(self) -> str:
        """HOST:PORT of each controller, separated by commas."""
        return self.ready["bootstrap.controllers"]

    @property
    def cluster_id(self) -> str:
        """What it was formatted with."""
        return self.ready["cluster.id"]

    @property
    def access(self) -> QuorumAccess:
        """The way to its quorum over its controllers, which waits for leaders."""
        return QuorumAccess(parse_servers(self.controllers), are_controllers=True, retry_timeout_s=WAIT_S)

    def quorum(self) -> DescribedQuorum:
        """The quorum as its leader describes it, asked at controllers that run."""
        deadline = time.monotonic() + WAIT_S
        while True:
            try:
                return self.access.describe()
            except OSError:
                if time.monotonic() > deadline:
                    raise

    def view(self) -> QuorumView:
        """The same, in short."""
        return view_of(self.quorum())

    def kill(self, node_id: int) -> None:
        """kill -9 of one of its nodes."""
        os.kill(self.pids[node_id], signal.SIGKILL)

    def properties_path(self, node_id: int) -> Path:
        """What a node starts with."""
        return self.data / f"node-{node_id}" / "server.properties"

    def terminate(self, node_id: int) -> None:
        """SIGTERM to one of its nodes; returns once it has ended in order."""
        os.kill(self.pids[node_id], signal.SIGTERM)
        wait_until(partial(self._has_ended, node_id), STOP_TIMEOUT_S, f"node {node_id} to end")

    def _has_ended(self, node_id: int) -> bool:
        """Whether its process is gone; who started it has to have noticed."""
        again = self._restarted.get(node_id)
        return not (Path(f"/proc/{self.pids[node_id]}").exists() if again is None else again.is_running)

    def restart(self, node_id: int) -> ServerProcess:
        """Start a node that has ended again, as the cluster's own words tell how; returns once it serves."""
        wait_until(partial(self._has_ended, node_id), STOP_TIMEOUT_S, f"node {node_id} to have ended")
        self._restarts += 1
        log = self.folder / f"node-{node_id}-again-{self._restarts}"
        command = [str(BIN / "kafka-server-start"), str(self.properties_path(node_id))]
        process = self._restarted[node_id] = ServerProcess(command, log, self.folder, {})
        process.wait_for_line(process.out_path, "ready ", START_TIMEOUT_S)
        self.pids[node_id] = process.pid
        return process

    def stop(self) -> int:
        """Ctrl-C; the exit code."""
        for process in self._restarted.values():
            process.terminate(STOP_TIMEOUT_S)
        self._restarted.clear()
        return self.process.interrupt(STOP_TIMEOUT_S)

    def close(self) -> None:
        """Leave no process behind; in no order."""
        for process in self._restarted.values():
            process.kill()
        # Without any node left the command ends.
        for node_pid in self._children():
            with suppress(ProcessLookupError):
                os.kill(node_pid, signal.SIGKILL)
        self.process.terminate(STOP_TIMEOUT_S)

    def _children(self) -> list[int]:
        """The processes that the command has started and that have not ended."""
        tasks = Path(f"/proc/{self.process.pid}/task")
        return [int(pid) for path in tasks.glob("*/children") for pid in path.read_text().split()]


@contextmanager
def local_cluster(
    folder: Path,
    shape: Shape,
    *,
    is_static: bool = False,
    own_properties: Mapping[int, str] | None = None,
) -> Iterator[LocalCluster]:
    """A cluster for one test."""
    cluster = LocalCluster(folder, shape, is_static=is_static, own_properties=own_properties)
    try:
        yield cluster
    finally:
        cluster.close()


@contextmanager
def new_voters(
    cluster: Joinable, folder: Path, *node_ids: int, **properties: str
) -> Iterator[dict[int, OurNode]]:
    """Controllers beside a cluster that are to join its quorum: formatted for it, running, observers for now."""
    nodes = {}
    for node_id, port in zip(node_ids, free_ports(len(node_ids)), strict=True):
        directory = folder / f"new replica-{node_id}"
        servers = [*cluster.controllers.split(","), f"127.0.0.1:{port}"]
        more = {key.replace("_", "."): value for key, value in properties.items()}
        values = {**controller_properties(directory / "data", node_id, servers), **more}
        nodes[node_id] = OurNode(directory, values)

    def start(node: OurNode) -> None:
        node.format(cluster.cluster_id, ("--no-initial-controllers",))
        node.start()

    try:
        with ThreadPoolExecutor(len(nodes)) as pool:
            list(pool.map(start, nodes.values()))
        yield nodes
    finally:
        for node in nodes.values():
            if node.is_started:
                node.kill()


def quorum_tool(*arguments: str, state: Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run ``bin/kafka-metadata-quorum``, its journal in ``state``; unless told otherwise it has to succeed."""
    result = subprocess.run(
        [str(BIN / "kafka-metadata-quorum"), *arguments],
        env={**os.environ, "XDG_STATE_HOME": str(state)},
        capture_output=True,
        text=True,
        timeout=TOOL_TIMEOUT_S,
        check=False,
    )
    assert result.returncode == 0 or not check, f"{result.stdout}\n{result.stderr}"
    return result


def create_topic_somewhere(servers: Sequence[str], name: str, timeout_ms: int = 30_000) -> int:
    """The error code that the first broker that answers at all gives for a new topic."""
    topic = CreateTopicsRequest.CreatableTopic(name=name, num_partitions=1, replication_factor=1)
    for server in servers:
        try:
            with connect(server) as client:
                response = client.send(CreateTopicsRequest(topics=[topic], timeout_ms=timeout_ms))
        except OSError as error:
            print(f"{server}: {error}", file=sys.stderr)
            continue
        assert isinstance(response, CreateTopicsResponse)
        return response.topics[0].error_code
    raise ConnectionError(f"none of {servers} answers")


def probe(port: int, path: str) -> int:
    """HTTP status of ``/ready`` or ``/live``."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=5) as response:
            status: int = response.status
            return status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def until(condition: Callable[[], bool], what: str, timeout_s: float = WAIT_S) -> None:
    """Wait for a condition, which may fail for lack of an answer meanwhile."""

    def holds() -> bool:
        try:
            return condition()
        except OSError:
            return False

    wait_until(holds, timeout_s, what)
