"""Three nodes that are brokers and controllers: what the quorum feels while clients saturate the brokers."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bench._broker_loss import fenced_at
from bench._data_load import LARGE, SMALL, records_file
from bench._data_servers import Servers
from bench._implementations import IMPLEMENTATIONS
from bench._parts import Measurements
from bench._repeated import pings
from compat.node import Node
from compat.ports import free_port
from compat.process import wait_until
from compat.quorum import NodeClass, Quorum, connect, describe_quorum
from kafkaproto.messages import MetadataRequest, MetadataResponse

PARTITIONS = 12
QUIET_S = 5.0
CLIENTS = 3
TIMEOUT_S = 300.0
ALL_UNFENCED_S = 60.0


def combined(implementation: str, folder: Path, megabytes: int) -> Measurements:
    """As many writers and readers as nodes; meanwhile each controller is asked 500 times a second."""
    with Quorum(partial(_combined, IMPLEMENTATIONS[implementation]), folder, CLIENTS) as quorum:
        quorum.format()
        quorum.start()
        nodes = list(quorum.nodes.values())
        servers = Servers(
            ",".join(node.bootstrap_server for node in nodes),
            [node.process.pid for node in nodes],
            len(nodes),
        )
        wait_until(lambda: _live(nodes[0]) == len(nodes), ALL_UNFENCED_S, "three brokers")
        servers.create("large", PARTITIONS)
        servers.create("small", PARTITIONS)
        with ExitStack() as stack:
            asked = [stack.enter_context(pings(node)) for node in nodes]
            time.sleep(QUIET_S)
            quiet = [each.take() for each in asked]
            epoch, begin_wall, begin = _epoch(quorum), time.time(), time.perf_counter()
            _saturate(servers, folder, megabytes)
            seconds = time.perf_counter() - begin
            busy = [each.take() for each in asked]
        fenced = [at for node in nodes for at in fenced_at(quorum.leader(), node.node_id) if at >= begin_wall]
        return {
            "written, MB/s": CLIENTS * megabytes / seconds,
            "quiet p99, ms": max(p99 for p99, _ in quiet),
            "quiet slowest, ms": max(slowest for _, slowest in quiet),
            "saturated p99, ms": max(p99 for p99, _ in busy),
            "saturated slowest, ms": max(slowest for _, slowest in busy),
            "elections": float(_epoch(quorum) - epoch),
            "brokers fenced": float(len(fenced)),
        }


def _combined(make: NodeClass, directory: Path, properties: Mapping[str, str]) -> Node:
    port = free_port()
    roles = {
        "process.roles": "broker,controller",
        "listeners": f"PLAINTEXT://127.0.0.1:{port},{properties['listeners']}",
        "auto.create.topics.enable": "false",
    }
    return make(directory, {**properties, **roles})


def _live(node: Node) -> int:
    with connect(node.bootstrap_server) as client:
        response = client.send(MetadataRequest(topics=[]))
    assert isinstance(response, MetadataResponse)
    return len(response.brokers)


def _epoch(quorum: Quorum) -> int:
    with connect(quorum.leader().bootstrap_controller) as client:
        return describe_quorum(client).leader_epoch


def _saturate(servers: Servers, folder: Path, megabytes: int) -> None:
    """Write that much with each of the clients, and read all of it with as many, at the same time."""
    running: list[subprocess.Popen[bytes]] = []
    kinds: Sequence[tuple[str, tuple[int, int]]] = (("large", LARGE), ("small", SMALL), ("large", LARGE))
    try:
        for number, (topic, (size, batch_bytes)) in enumerate(kinds):
            path = records_file(folder, size, megabytes)
            settings = ["acks=all", f"batch.size={batch_bytes}", "linger.ms=5"]
            settings += ["queue.buffering.max.messages=1000000", "queue.buffering.max.kbytes=1000000"]
            options = [part for each in settings for part in ("-X", each)]
            running.append(_kcat("-P", "-b", servers.address, "-t", topic, "-l", str(path), *options))
            reader = ["-C", "-b", servers.address, "-t", topic, "-o", "beginning", "-u"]
            running.append(_kcat(*reader, "-X", f"client.id=reader-{number}"))
        for writer in running[::2]:
            if writer.wait(TIMEOUT_S):
                raise SystemExit(f"kcat ended with {writer.returncode}")
    finally:
        for process in running:
            process.kill()
            process.wait()


def _kcat(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["kcat", "-q", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
