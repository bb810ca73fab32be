"""``kafka-local-cluster``: runs a cluster on this machine, each node in a process of its own, until it is stopped.

It prints one line once every node serves and every broker's Metadata names all brokers; the nodes' logs are in their
files. If a node ends by itself, this is reported with the node's last log lines, and the other nodes continue. At a
stop, nodes that are only brokers stop first, while they still have controllers for a controlled shutdown; then all
others stop.
"""

from __future__ import annotations

import contextlib
import math
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import click
import trio

from kafkaproto.client import Client, parse_servers
from kafkaproto.errors import ProtocolError
from kafkaproto.messages import MetadataRequest, MetadataResponse
from kafkaproto_server.shell.storage.errors import StorageError
from kafkaproto_server.tools.cluster.cluster_layout import (
    ClusterLayout,
    LayoutError,
    NodeLayout,
    Shape,
    make_layout,
    read_layout,
)

DEFAULT_BASE_PORT = 19092
DEFAULT_NODES = 3
DEFAULT_DIRECTORY = "kafka-cluster"
START_TIMEOUT_S = 60
"""How long all nodes together may take until they serve."""
STOP_TIMEOUT_S = 20
"""How long nodes may take for an orderly stop before they are killed."""
SAME_REQUEST_S = 0.5
"""Signals that come this close together are one request to stop; a later one kills."""
LAST_WORDS_BYTES = 4096
LAST_WORDS_LINES = 10
_READY = "ready "
_ASK_TIMEOUT_MS = 5_000
_ASK_INTERVAL_S = 0.05


@dataclass(slots=True, kw_only=True)
class _ClusterMember:
    """A node and its process."""

    node: NodeLayout
    process: trio.Process
    log_path: Path
    log_start: int
    """Where this run's part of the log file begins."""
    is_ready: trio.Event = field(default_factory=trio.Event)
    ready_words: Mapping[str, str] = field(default_factory=dict)
    """What its ready line says, by key."""

    def last_words(self) -> str:
        """How the process ended, and the end of its log."""
        code = self.process.returncode
        if code is not None and code < 0:
            ending = f"ended by {signal.Signals(-code).name}"
        else:
            ending = f"ended with exit code {code}"
        with self.log_path.open("rb") as log:
            end = log.seek(0, 2)
            log.seek(max(self.log_start, end - LAST_WORDS_BYTES))
            lines = log.read().decode(errors="replace").splitlines()[-LAST_WORDS_LINES:]
        said = "".join(f"\n  {line}" for line in lines) or " (none)"
        return f"node {self.node.node_id} (pid {self.process.pid}) {ending}; its last words in {self.log_path}:{said}"


class LocalCluster:
    """The processes of a layout."""

    def __init__(self, layout: ClusterLayout) -> None:
        self._layout = layout
        self._members: list[_ClusterMember] = []
        self._is_stopping = False

    async def run(self, stop_asked: trio.Event, kill_asked: trio.Event) -> str | None:
        """Start, print the ready line, run until ``stop_asked``, stop. Returns None, or the failure.

        ``kill_asked`` cuts the orderly stop short. No process is left behind in any case.
        """
        async with trio.open_nursery() as nursery:
            try:
                failure = await self._start(nursery, stop_asked)
                if failure is None and not stop_asked.is_set():
                    click.echo(self._ready_line())
                    for member in self._members:
                        nursery.start_soon(self._report_end, member)
                    await _wait_for_first(stop_asked.wait, partial(_wait_until_ended, self._members))
                    failure = None if stop_asked.is_set() else "no node is left"
            finally:
                with trio.CancelScope(shield=True):
                    await self._stop(kill_asked)
            nursery.cancel_scope.cancel()
        return failure

    # -- start -------------------------------------------------------------------------------------------------

    async def _start(self, nursery: trio.Nursery, stop_asked: trio.Event) -> str | None:
        """Start all nodes at once, since they need each other. Returns None once all serve, or the failure."""
        for node in self._layout.nodes:
            self._members.append(await self._spawn(node))
            nursery.start_soon(self._listen_to, self._members[-1])
        with trio.move_on_after(START_TIMEOUT_S) as limit:
            await _wait_for_first(
                stop_asked.wait,
                self._wait_until_all_are_ready,
                *(member.process.wait for member in self._members),
            )
        for member in self._members:
            if member.process.returncode is not None:
                return member.last_words()
        if limit.cancelled_caught:
            late = ", ".join(str(each.node.node_id) for each in self._members if not each.is_ready.is_set())
            what = f"not serving after {START_TIMEOUT_S} s: node {late}"
            if not late:
                what = f"not every broker names all brokers after {START_TIMEOUT_S} s"
            return f"{what}; what they say is in {self._layout.directory / 'node-*' / 'server.log'}"
        return None

    async def _wait_until_all_are_ready(self) -> None:
        for member in self._members:
            await member.is_ready.wait()
        await wait_until_each_names_all(
            {
                member.node.node_id: member.ready_words["broker"]
                for member in self._members
                if "broker" in member.ready_words
            }
        )

    async def _spawn(self, node: NodeLayout) -> _ClusterMember:
        log_path = self._layout.node_directory(node) / "server.log"
        with log_path.open("ab") as log:
            process = await trio.lowlevel.open_process(
                [sys.executable, "-P", "-m", "kafkaproto_server", str(self._layout.properties_path(node))],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                # Ctrl-C is for this process only, which then stops the nodes in order.
                start_new_session=True,
            )
            return _ClusterMember(node=node, process=process, log_path=log_path, log_start=log.tell())

    async def _listen_to(self, member: _ClusterMember) -> None:
        """Wait for the ready line, then drain the pipe: a full one would block the node."""
        received = b""
        stdout = member.process.stdout
        assert stdout is not None
        async for data in stdout:
            if not member.is_ready.is_set():
                received += data
                for line in received.decode(errors="replace").split("\n")[:-1]:
                    if line.startswith(_READY):
                        member.ready_words = dict(word.split("=", 1) for word in line.split() if "=" in word)
                        member.is_ready.set()

    def _ready_line(self) -> str:
        pids = ",".join(f"{member.node.node_id}:{member.process.pid}" for member in self._members)
        return (
            f"ready bootstrap.servers={self._layout.bootstrap_servers} "
            f"bootstrap.controllers={self._layout.bootstrap_controllers} "
            f"cluster.id={self._layout.cluster_id} pids={pids}"
        )

    # -- while it runs -----------------------------------------------------------------------------------------

    async def _report_end(self, member: _ClusterMember) -> None:
        await member.process.wait()
        if not self._is_stopping:
            properties = self._layout.properties_path(member.node)
            click.echo(
                f"{member.last_words()}\n  start it again by: kafka-server-start {properties}", err=True
            )

    # -- stop --------------------------------------------------------------------------------------------------

    async def _stop(self, kill_asked: trio.Event) -> None:
        self._is_stopping = True
        brokers_alone = [member for member in self._members if member.node.controller_port is None]
        for group in (brokers_alone, self._members):
            for member in group:
                _signal(member, signal.SIGTERM)
            with trio.move_on_after(STOP_TIMEOUT_S):
                await _wait_for_first(kill_asked.wait, partial(_wait_until_ended, group))
            for member in group:
                if member.process.returncode is None:
                    _signal(member, signal.SIGKILL)
                    await member.process.wait()
                    click.echo(f"node {member.node.node_id} did not stop in time and was killed", err=True)


async def wait_until_each_names_all(brokers: Mapping[int, str]) -> None:
    """Wait until each broker, given by its id and HOST:PORT, names all of them to its clients.

    Each reads the metadata log for itself: that one serves may reach the others a little later.
    """
    for address in brokers.values():
        while not brokers.keys() <= await trio.to_thread.run_sync(
            _brokers_named_by, address, abandon_on_cancel=True
        ):
            await trio.sleep(_ASK_INTERVAL_S)


def _brokers_named_by(address: str) -> set[int]:
    """The ids of the brokers that one of them, at HOST:PORT, names to its clients; none where it does not answer."""
    ((host, port),) = parse_servers(address)
    try:
        with Client.connect(host, port, timeout_ms=_ASK_TIMEOUT_MS) as client:
            response = client.send(MetadataRequest(topics=[]))
    except (OSError, ProtocolError):
        return set()
    assert isinstance(response, MetadataResponse)
    return {broker.node_id for broker in response.brokers}


def _signal(member: _ClusterMember, number: signal.Signals) -> None:
    if member.process.poll() is None:
        member.process.send_signal(number)


async def _wait_until_ended(members: Sequence[_ClusterMember]) -> None:
    for member in members:
        await member.process.wait()


async def _wait_for_first(*conditions: Callable[[], Awaitable[object]]) -> None:
    """Return once one of the conditions is met."""
    async with trio.open_nursery() as nursery:

        async def wait(condition: Callable[[], Awaitable[object]]) -> None:
            await condition()
            nursery.cancel_scope.cancel()

        for condition in conditions:
            nursery.start_soon(wait, condition)


async def _run(layout: ClusterLayout) -> str | None:
    stop_asked, kill_asked = trio.Event(), trio.Event()
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_handle_signals, signals, stop_asked, kill_asked)
            failure = await LocalCluster(layout).run(stop_asked, kill_asked)
            nursery.cancel_scope.cancel()
    return failure


async def _handle_signals(
    signals: AsyncIterator[int], stop_asked: trio.Event, kill_asked: trio.Event
) -> None:
    asked_at = math.inf
    async for _ in signals:
        stop_asked.set()
        # Some senders signal both a process and its group: that is one request.
        asked_at = min(asked_at, trio.current_time())
        if trio.current_time() > asked_at + SAME_REQUEST_S:
            kill_asked.set()


def _shape(nodes: int | None, controllers: int | None, brokers: int | None) -> Shape | None:
    """The shape that the options ask for; None if they leave it open."""
    if controllers is None and brokers is None:
        return None if nodes is None else Shape(combined=nodes)
    if nodes is not None:
        raise click.UsageError(
            "--nodes is for nodes with both roles; leave it out beside --controllers and --brokers"
        )
    return Shape(
        controllers=DEFAULT_NODES if controllers is None else controllers,
        brokers=DEFAULT_NODES if brokers is None else brokers,
    )


def _layout(directory: Path, shape: Shape | None, base_port: int | None, is_static: bool) -> ClusterLayout:
    found = read_layout(directory)
    if found is None:
        return make_layout(
            directory,
            shape or Shape(combined=DEFAULT_NODES),
            base_port=DEFAULT_BASE_PORT if base_port is None else base_port,
            is_static=is_static,
        )
    asked_for = [
        (f"{shape}", shape is not None and shape != found.shape),
        (f"--base-port {base_port}", base_port is not None and base_port not in (0, found.base_port)),
        ("--static", is_static and not found.is_static),
    ]
    for option, is_another in asked_for:
        if is_another:
            kind = ", static voters" if found.is_static else ""
            raise LayoutError(
                f"{option}: {directory} holds a cluster of {found.shape}, --base-port {found.base_port}{kind}; "
                "leave the option out to take it up again, or name another --data"
            )
    return found


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--nodes", type=click.IntRange(min=1), metavar="N", help="Nodes with both roles. Default: 3.")
@click.option(
    "--controllers", type=click.IntRange(min=1), metavar="N", help="Nodes that are controllers only."
)
@click.option(
    "--brokers", type=click.IntRange(min=0), metavar="N", help="Nodes that are brokers only, or none."
)
@click.option(
    "--base-port",
    type=click.IntRange(min=0, max=65535),
    metavar="PORT",
    help=f"First port of the listeners, brokers' before controllers'. 0: any free ports. Default: {DEFAULT_BASE_PORT}.",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help=f"The directory of the cluster. An existing cluster is started again. Default: ./{DEFAULT_DIRECTORY}.",
)
@click.option("--ephemeral", is_flag=True, help="In a temporary directory, deleted at the end.")
@click.option(
    "--static",
    "is_static",
    is_flag=True,
    help="Voters in every node's properties, as before KIP-853 (kraft.version 0).",
)
def main(
    nodes: int | None,
    controllers: int | None,
    brokers: int | None,
    base_port: int | None,
    data: Path | None,
    ephemeral: bool,
    is_static: bool,
) -> None:
    """Run a Kafka cluster on this machine, every node a process.

    Prints one line, "ready ...", when all nodes serve and know of each other. Ctrl-C and SIGTERM stop them all in
    order; a second one kills them.
    """
    if ephemeral and data is not None:
        raise click.UsageError("--ephemeral and --data do not go together")
    shape = _shape(nodes, controllers, brokers)
    with contextlib.ExitStack() as stack:
        if ephemeral:
            data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kafka-local-cluster-")))
        try:
            layout = _layout(data or Path(DEFAULT_DIRECTORY), shape, base_port, is_static)
            failure = trio.run(_run, layout)
        except (LayoutError, StorageError, OSError) as error:
            raise click.ClickException(str(error)) from error
    if failure is not None:
        raise click.ClickException(failure)


if __name__ == "__main__":
    main(prog_name="kafka-local-cluster")
