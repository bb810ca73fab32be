"""Several whole nodes in one event loop: real cores, real sockets on the loopback, each on a disk in memory.

What a process would lose in a crash, ``Nodes.crash`` makes a node lose: its tasks end where they are, and its disk
forgets what was not synced.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import trio

from compat.ports import free_ports
from kafkaproto_server.base.types import Endpoint, ReplicaKey, Voter
from kafkaproto_server.config.node_config import Config, default_config
from kafkaproto_server.node.node import Node
from kafkaproto_server.shell.process.system import SystemClock
from kafkaproto_server.shell.quorum.driver import QuorumDriver
from kafkaproto_server.shell.storage.directories.format import FormatRequest, QuorumStart, format_directories
from kafkaproto_server.shell.storage.errors import StorageError
from tests.sim.disk import MemoryDisk

CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"
WAIT_S = 30.0


class SeededRng:
    """Randomness that a seed reproduces."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def below(self, limit: int) -> int:
        return self._random.randrange(limit)

    def uuid(self) -> bytes:
        return b"\x01" + self._random.randbytes(15)


@dataclass
class Running:
    """One node of the cluster while it runs."""

    node: Node
    scope: trio.CancelScope
    ended: trio.Event = field(default_factory=trio.Event)
    failures: list[BaseException] | None = None
    """Where what ends the node goes; None where nothing may."""


class Nodes:
    """Controllers 1 to n, each other's first voters; after them controllers that join, and then brokers."""

    def __init__(
        self, nursery: trio.Nursery, controllers: int, joiners: int, brokers: int, changes: dict[str, str]
    ) -> None:
        self._nursery = nursery
        self._changes = changes
        self.controller_ids = tuple(range(1, controllers + 1))
        self.joiner_ids = tuple(range(controllers + 1, controllers + joiners + 1))
        first_broker = controllers + joiners + 1
        self.broker_ids = tuple(range(first_broker, first_broker + brokers))
        node_ids = (*self.controller_ids, *self.joiner_ids, *self.broker_ids)
        self.ports = dict(zip(node_ids, free_ports(len(node_ids)), strict=True))
        self.disks: dict[int, MemoryDisk] = {}
        self.running: dict[int, Running] = {}
        self._lives = 0
        voters = tuple(self._voter(node_id) for node_id in self.controller_ids)
        for node_id in self.ports:
            self._format(node_id, voters)

    def _voter(self, node_id: int) -> Voter:
        endpoint = Endpoint(name="CONTROLLER", host="127.0.0.1", port=self.ports[node_id])
        return Voter(key=ReplicaKey(id=node_id, directory_id=bytes([node_id] * 16)), endpoints=(endpoint,))

    def _format(self, node_id: int, voters: tuple[Voter, ...]) -> None:
        disk = self.disks[node_id] = MemoryDisk()
        disk.make_directory("/data")
        disk.sync_directory("/")
        starts = {
            **dict.fromkeys(self.controller_ids, QuorumStart.INITIAL_CONTROLLERS),
            **dict.fromkeys(self.joiner_ids, QuorumStart.NO_INITIAL_CONTROLLERS),
        }
        start = starts.get(node_id, QuorumStart.UNSPECIFIED)
        request = FormatRequest(
            cluster_id=CLUSTER_ID,
            node_id=node_id,
            directories=("/data/node",),
            metadata_directory="/data/node",
            is_controller=node_id not in self.broker_ids,
            has_static_voters=False,
            quorum_start=start,
            initial_voters=voters if start is QuorumStart.INITIAL_CONTROLLERS else (),
        )
        format_directories(
            disk, request, wall_ms=lambda: 1000, new_uuid=SeededRng(node_id).uuid, report=lambda line: None
        )

    def _config(self, node_id: int) -> Config:
        role, name = ("broker", "PLAINTEXT") if node_id in self.broker_ids else ("controller", "CONTROLLER")
        bootstrap = ",".join(f"127.0.0.1:{self.ports[each]}" for each in self.controller_ids)
        return default_config(
            {
                "process.roles": role,
                "node.id": str(node_id),
                "listeners": f"{name}://127.0.0.1:{self.ports[node_id]}",
                "controller.quorum.bootstrap.servers": bootstrap,
                "log.dirs": "/data/node",
                # Without a dead leader to notice, a first election waits for nothing but this.
                "controller.quorum.election.timeout.ms": "200",
                **self._changes,
            }
        )

    def start(self, *node_ids: int) -> None:
        """Have nodes run."""
        for node_id in node_ids:
            self._lives += 1
            node = Node(
                self._config(node_id),
                disk=self.disks[node_id],
                clock=SystemClock(),
                rng=SeededRng(1000 * self._lives + node_id),
            )
            running = self.running[node_id] = Running(node, trio.CancelScope())
            self._nursery.start_soon(self._run, running)

    async def _run(self, running: Running) -> None:
        try:
            with running.scope:
                await running.node.run(lambda line: None)
        except* StorageError as group:
            if running.failures is None:
                raise
            running.failures += _leaves(group)
        running.ended.set()

    async def stop(self, node_id: int) -> None:
        """Stop a node in order."""
        running = self.running.pop(node_id)
        running.node.stop()
        await running.ended.wait()

    async def crash(self, node_id: int) -> None:
        """End a node as a loss of power would."""
        running = self.running.pop(node_id)
        running.scope.cancel()
        await running.ended.wait()
        self._lives += 1
        self.disks[node_id].crash(SeededRng(self._lives))

    def quorum(self, node_id: int) -> QuorumDriver | None:
        """A running node's driver, once it is there."""
        running = self.running[node_id].node._running
        return None if running is None else running.opened.quorum

    async def clean_log(self, node_id: int) -> int:
        """Have a node give up what of its log need not be kept; where the log starts then."""
        quorum = self.quorum(node_id)
        assert quorum is not None
        await quorum._committed.cleaner.clean()
        return quorum._storage.log.log_start_offset

    def active(self) -> int | None:
        """The node whose controller is active."""
        for node_id in self.running:
            quorum = self.quorum(node_id)
            if quorum is not None and quorum.published.active_epoch is not None:
                return node_id
        return None

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something to become so; the event loops of all nodes go on meanwhile."""
        with trio.fail_after(WAIT_S):
            while not condition():
                await trio.sleep(0.005)

    async def until_active(self, *, other_than: Iterable[int] = ()) -> tuple[int, QuorumDriver]:
        """The active controller's node, once there is one that all running controllers follow."""

        def is_settled() -> bool:
            drivers = [self.quorum(node_id) for node_id in self.running]
            leaders = {None if driver is None else driver.published.leader for driver in drivers}
            active = self.active()
            return len(leaders) == 1 and active is not None and active not in other_than

        await self.until(is_settled)
        node_id = self.active()
        assert node_id is not None
        driver = self.quorum(node_id)
        assert driver is not None
        return node_id, driver


def _leaves(group: BaseExceptionGroup[BaseException]) -> list[BaseException]:
    found: list[BaseException] = []
    for each in group.exceptions:
        found += _leaves(each) if isinstance(each, BaseExceptionGroup) else [each]
    return found


@asynccontextmanager
async def running_nodes(
    *, controllers: int = 3, joiners: int = 0, brokers: int = 0, **changes: str
) -> AsyncIterator[Nodes]:
    """A cluster whose controllers run; keyword arguments are keys of the configuration, ``__`` for a dot."""
    async with trio.open_nursery() as nursery:
        overrides = {key.replace("__", "."): value for key, value in changes.items()}
        nodes = Nodes(nursery, controllers, joiners, brokers, overrides)
        nodes.start(*nodes.controller_ids)
        yield nodes
        nursery.cancel_scope.cancel()
