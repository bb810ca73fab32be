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
from compat.ours import BIN, OurNode, run_command, starter
from compat.ports import free_ports
from compat.process import ServerProcess, wait_until
from kafkaproto.client import parse_servers
from kafkaproto.messages import CreateTopicsRequest, CreateTopicsResponse
from kafkaproto_server.tools.cluster.cluster_layout import Shape, make_layout
from kafkaproto_server.tools.quorum.access import DescribedQuorum, QuorumAccess
from kafkaproto_server.tools.quorum.voter_alteration import QuorumView, view_of
from tests.integration.support.asking import connect, metadata

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


class LaidOut:
    """A cluster in the directory that ``bin/kafka-local-cluster`` makes for one: how to find and to ask it."""

    def __init__(
        self,
        folder: Path,
        shape: Shape,
        *,
        is_static: bool = False,
        own_properties: Mapping[int, str] | None = None,
    ) -> None:
        """Lays it out in ``folder/data``. ``own_properties`` are lines by node id."""
        self.folder = folder
        self.data = folder / "data"
        self.layout = make_layout(self.data, shape, base_port=0, is_static=is_static)
        for node in self.layout.nodes:
            with self.layout.properties_path(node).open("a") as file:
                file.write(f"{QUICK_SESSIONS}\n{(own_properties or {}).get(node.node_id, '')}\n")

    @property
    def servers(self) -> list[str]:
        """HOST:PORT of each broker."""
        return self.layout.bootstrap_servers.split(",")

    @property
    def controllers(self) -> str:
        """HOST:PORT of each controller, separated by commas."""
        return self.layout.bootstrap_controllers

    @property
    def cluster_id(self) -> str:
        """What it was formatted with."""
        return self.layout.cluster_id

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

    def properties_path(self, node_id: int) -> Path:
        """What a node starts with."""
        return self.data / f"node-{node_id}" / "server.properties"


class NodeCluster(LaidOut):
    """The nodes of such a cluster, each started by the tests themselves."""

    def __init__(
        self,
        folder: Path,
        shape: Shape,
        *,
        is_static: bool = False,
        own_properties: Mapping[int, str] | None = None,
    ) -> None:
        """Starts all, and waits until they serve."""
        super().__init__(folder, shape, is_static=is_static, own_properties=own_properties)
        self._starts = 0
        self._processes: dict[int, ServerProcess] = {}
        self.start()

    def start(self) -> None:
        """Starts all nodes, none of which runs; each serves, and each broker names all, when this returns."""
        try:
            for node in self.layout.nodes:
                self._processes[node.node_id] = self._spawn(node.node_id)
            for process in self._processes.values():
                process.wait_for_line(process.out_path, "ready ", START_TIMEOUT_S)
            brokers = {node.node_id for node in self.layout.nodes if node.broker_port}
            for server in self.servers if brokers else []:
                until(partial(_names, server, brokers), f"{server} to name all brokers")
        except Exception:
            self.close()
            raise

    def _spawn(self, node_id: int, *, by_command: bool = False) -> ServerProcess:
        self._starts += 1
        command = [str(BIN / "kafka-server-start"), str(self.properties_path(node_id))]
        log = self.folder / f"node-{node_id}-{self._starts}"
        start = subprocess.Popen if by_command else starter()
        return ServerProcess(command, log, self.folder, {}, start)

    @property
    def pids(self) -> dict[int, int]:
        """The processes' ids, those of the latest starts."""
        return {node_id: process.pid for node_id, process in self._processes.items()}

    def said(self, node_id: int) -> str:
        """What a node has logged in all its lives."""
        logs = sorted(self.folder.glob(f"node-{node_id}-*.err"), key=lambda path: path.stat().st_mtime)
        return "".join(path.read_text() for path in logs)

    def assert_running(self) -> None:
        """Every node runs."""
        for process in self._processes.values():
            assert process.is_running, process.last_words()

    def kill(self, node_id: int) -> None:
        """kill -9 of a node."""
        self._processes[node_id].kill()

    def terminate(self, node_id: int) -> None:
        """SIGTERM to a node; returns once it has ended in order."""
        assert self._processes[node_id].terminate(STOP_TIMEOUT_S) == 0

    def restart(self, node_id: int, *, by_command: bool = False) -> None:
        """Starts a node that ends or has ended, by its command if its start is to take as long as a user's.

        Returns once it serves.
        """
        former = self._processes[node_id]
        wait_until(lambda: not former.is_running, STOP_TIMEOUT_S, f"node {node_id} to have ended")
        process = self._processes[node_id] = self._spawn(node_id, by_command=by_command)
        process.wait_for_line(process.out_path, "ready ", START_TIMEOUT_S)

    def stop(self) -> None:
        """SIGTERM, to brokers first."""
        for node_id in sorted(self._processes, reverse=True):
            self.terminate(node_id)

    def close(self) -> None:
        """Leaves no process behind; in no order."""
        for process in self._processes.values():
            process.kill()


def _names(server: str, brokers: set[int]) -> bool:
    return {broker.node_id for broker in metadata(server).brokers} >= brokers


class LocalCluster(LaidOut):
    """One run of ``bin/kafka-local-cluster``, and of nodes that were started again by hand."""

    def __init__(
        self,
        folder: Path,
        shape: Shape,
        *,
        is_static: bool = False,
        own_properties: Mapping[int, str] | None = None,
    ) -> None:
        """Starts it, and waits until it serves."""
        super().__init__(folder, shape, is_static=is_static, own_properties=own_properties)
        self._runs = 0
        self._restarted: dict[int, ServerProcess] = {}
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

    def kill(self, node_id: int) -> None:
        """kill -9 of one of its nodes."""
        os.kill(self.pids[node_id], signal.SIGKILL)

    def restart(self, node_id: int) -> ServerProcess:
        """Start a node that has ended again, as the cluster's own words tell how; returns once it serves."""
        log = self.folder / f"node-{node_id}-again-{len(self._restarted)}"
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
    """A cluster for one test, by the command that a user has."""
    cluster = LocalCluster(folder, shape, is_static=is_static, own_properties=own_properties)
    try:
        yield cluster
    finally:
        cluster.close()


@contextmanager
def node_cluster(
    folder: Path,
    shape: Shape,
    *,
    is_static: bool = False,
    own_properties: Mapping[int, str] | None = None,
) -> Iterator[NodeCluster]:
    """A cluster whose nodes a test starts, ends and starts again."""
    cluster = NodeCluster(folder, shape, is_static=is_static, own_properties=own_properties)
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
    command = [str(BIN / "kafka-metadata-quorum"), *arguments]
    result = run_command(command, environment={"XDG_STATE_HOME": str(state)}, timeout_s=TOOL_TIMEOUT_S)
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
