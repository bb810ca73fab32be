"""One machine: its disk, its clock, its place on the network, and the life of the node on it."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Mapping
from types import SimpleNamespace

import trio

from kafkaproto_server.base.types import Endpoint, ReplicaKey, Voter
from kafkaproto_server.config.node_config import Config, default_config
from kafkaproto_server.core.broker.directories import LogDirectories
from kafkaproto_server.node.node import Node
from kafkaproto_server.shell.quorum.driver import QuorumDriver
from kafkaproto_server.shell.storage.directories.format import FormatRequest, QuorumStart, format_directories
from kafkaproto_server.shell.storage.errors import StorageError
from tests.sim.disk import PowerLossError
from tests.sim.metadata.node import CLUSTER_ID
from tests.sim.nodes.directories.file_systems import DividedDisk, FileSystem
from tests.sim.nodes.network import NetHost
from tests.sim.nodes.threads import SimThreads

START_WALL_MS = 1_800_000_000_000
DIRECTORY = "/data/node"
"""The log directory that has the metadata log."""
DIRECTORIES = (DIRECTORY, "/data/second", "/data/third")
"""The log directories of a host with as many as possible."""
CONTROLLER_PORT, BROKER_PORT = 9093, 9092


class SeededRng:
    """See `ports.Rng`."""

    def __init__(self, rng: random.Random, made: set[bytes] | None = None) -> None:
        """``made`` gets the ids that are drawn."""
        self._random = random.Random(rng.getrandbits(64))
        self._made: set[bytes] = set() if made is None else made

    def below(self, limit: int) -> int:
        return self._random.randrange(limit)

    def uuid(self) -> bytes:
        value = bytearray(self._random.randbytes(16))
        value[6], value[8] = value[6] & 0x0F | 0x40, value[8] & 0x3F | 0x80
        found = bytes(value)
        self._made.add(found)
        return found


class HostClock:
    """See `ports.Clock`: the run's time, and a wall clock that may be set."""

    def __init__(self) -> None:
        self.wall_offset_ms = START_WALL_MS

    def now_ms(self) -> int:
        return int(trio.current_time() * 1000)

    def wall_ms(self) -> int:
        return self.now_ms() + self.wall_offset_ms


class Host:
    """A machine with one node."""

    def __init__(
        self, node_id: int, roles: tuple[str, ...], net: NetHost, rng: random.Random, nursery: trio.Nursery
    ) -> None:
        self.id = node_id
        self.roles = roles
        self.net = net
        self.clock = HostClock()
        self.disk = DividedDisk(random.Random(rng.getrandbits(64)))
        self.disk.is_short = lambda: net.is_short
        net.other_descriptors = lambda: self.disk.descriptors
        self.view = SimpleNamespace(id=node_id, world=SimpleNamespace(commits=SimpleNamespace(batches=())))
        """This node, as `metadata.checker` knows nodes."""
        self.works_here = False
        """See `SimThreads.works_here`."""
        self.directories: tuple[str, ...] = (DIRECTORY,)
        """The log directories."""
        self._format_request: FormatRequest | None = None
        self.segment_bytes: int | None = None
        """Smaller than a configuration may have it; None for what that says."""
        self.node: Node | None = None
        self.life = 0
        """Starts so far."""
        self.boots_at_start = 0
        """How often the machine had been started when the node was started last."""
        self.failures: list[BaseException] = []
        """What ended the node, life by life, where nothing killed it."""
        self.has_ended = trio.Event()
        self.has_ended.set()
        self.is_announced = False
        self.is_stopping = False
        self.ended_in_order: Callable[[Host], None] = lambda host: None
        """Called when the node has stopped because it was told to."""
        self._rng = rng
        self.ids_drawn: set[bytes] = set()
        """By all of its processes; the incarnation of each is among them."""
        self._ids_before: frozenset[bytes] = frozenset()
        """Those that its former processes have drawn."""
        self._nursery = nursery
        self._scope = trio.CancelScope()
        self._threads: SimThreads | None = None
        self._is_killed = False
        self.losing_power: Callable[[Host], None] = lambda host: None
        self.lost_power: Callable[[Host], None] = lambda host: None
        """Called before and after the disk forgets what it had not written."""
        self.losing_directory: Callable[[Host], None] = lambda host: None
        self.lost_directory: Callable[[Host], None] = lambda host: None
        """Called before and after a new disk takes the place of a log directory."""
        self.power_lost: Callable[[Host], None] = Host.lose_power
        """What happens when the disk loses power in the middle of an operation."""

    @property
    def is_up(self) -> bool:
        """Whether its process runs."""
        return not self.has_ended.is_set() and not self._is_killed

    @property
    def is_controller(self) -> bool:
        return "controller" in self.roles

    @property
    def is_broker(self) -> bool:
        return "broker" in self.roles

    @property
    def quorum(self) -> QuorumDriver | None:
        """The running node's driver, once it is there."""
        # Each step of each task asks every host.
        node = self.node
        if node is None or self._is_killed or node._running is None or self.has_ended.is_set():
            return None
        return node._running.opened.quorum

    @property
    def log_directories(self) -> LogDirectories | None:
        """What the running node knows of its log directories, once they are open."""
        running = None if self.node is None or not self.is_up else self.node._running
        return None if running is None else running.opened.log_directories

    def has_drawn(self, drawn_id: bytes) -> bool:
        """Whether an id is of the newest process."""
        return drawn_id in self.ids_drawn and drawn_id not in self._ids_before

    @property
    def is_incomplete(self) -> bool:
        """Whether the running node goes on without one of its directories."""
        directories = self.log_directories
        return directories is not None and directories.has_offline

    @property
    def longest_wait_for_thread_s(self) -> float:
        """In this life."""
        return 0.0 if self._threads is None else self._threads.longest_wait_s

    @property
    def leads(self) -> bool:
        """Whether its controller is active, as far as it knows."""
        quorum = self.quorum
        return quorum is not None and quorum.published.active_epoch is not None

    @property
    def voter(self) -> Voter:
        endpoint = Endpoint(name="CONTROLLER", host=self.net.name, port=CONTROLLER_PORT)
        return Voter(key=ReplicaKey(id=self.id, directory_id=bytes([self.id] * 16)), endpoints=(endpoint,))

    @property
    def replica_key(self) -> ReplicaKey | None:
        """Of the running node, once its directories are open."""
        running = None if self.node is None or not self.is_up else self.node._running
        return (
            None
            if running is None
            else ReplicaKey(id=self.id, directory_id=running.opened.metadata_directory_id)
        )

    def format(
        self, start: QuorumStart, voters: tuple[Voter, ...] = (), *, has_static_voters: bool = False
    ) -> None:
        """As `kafka-storage format` does."""
        self.disk.make_directory("/data")
        self.disk.sync_directory("/")
        self._format_request = FormatRequest(
            cluster_id=CLUSTER_ID,
            node_id=self.id,
            directories=self.directories,
            metadata_directory=DIRECTORY,
            is_controller=self.is_controller,
            has_static_voters=has_static_voters,
            quorum_start=start,
            initial_voters=voters,
        )
        if len(self.directories) > 1:
            self.disk.file_systems = {each: FileSystem() for each in self.directories}
        self._format(self._format_request)

    def _format(self, request: FormatRequest) -> None:
        uuid = SeededRng(self._rng).uuid
        format_directories(
            self.disk, request, wall_ms=self.clock.wall_ms, new_uuid=uuid, report=lambda line: None
        )
        self.disk.spent_s()

    def _format_more(self) -> None:
        assert self._format_request is not None, "it was formatted"
        assert self.has_ended.is_set(), f"node {self.id} runs"
        # Whoever formats sees to it that the other directories are there.
        with self.disk.looked_at():
            self._format(
                dataclasses.replace(self._format_request, directories=self.directories, ignore_formatted=True)
            )

    def add_directory(self) -> None:
        """Give the node that does not run one more log directory."""
        path = DIRECTORIES[len(self.directories)]
        self.directories += (path,)
        self.disk.file_systems[path] = FileSystem()
        # The first one is a file system from the second one on.
        self.disk.file_systems.setdefault(DIRECTORY, FileSystem())
        self._format_more()

    def replace_directory(self, path: str) -> None:
        """Put a new formatted disk in the place of a log directory of the node, which does not run."""
        self.losing_directory(self)
        self.disk.empty(path)
        self._format_more()
        self.lost_directory(self)

    # -- life ----------------------------------------------------------------------------------------------------

    def start(self, config: Mapping[str, str]) -> None:
        """Start the node's process."""
        assert self.has_ended.is_set(), f"node {self.id} runs already"
        self.life += 1
        self.boots_at_start = self.disk.boots
        self._ids_before = frozenset(self.ids_drawn)
        self.net.is_powered = True
        self._is_killed = self.is_announced = self.is_stopping = False
        self.has_ended = trio.Event()
        self._scope = trio.CancelScope()
        self._threads = SimThreads(self.disk, random.Random(self._rng.getrandbits(64)), self._power_lost)
        self._threads.works_here = self.works_here
        self.node = Node(
            self._config(config),
            disk=self.disk,
            clock=self.clock,
            rng=SeededRng(self._rng, self.ids_drawn),
            network=self.net,
            threads=self._threads,
        )
        self._nursery.start_soon(self._live, self.node, name=f"node {self.id}, life {self.life}")

    def _config(self, config: Mapping[str, str]) -> Config:
        ports = {"controller": ("CONTROLLER", CONTROLLER_PORT), "broker": ("PLAINTEXT", BROKER_PORT)}
        listeners = [f"{ports[role][0]}://{self.net.name}:{ports[role][1]}" for role in self.roles]
        found = default_config(
            {
                "process.roles": ",".join(self.roles),
                "node.id": str(self.id),
                "listeners": ",".join(listeners),
                "controller.listener.names": "CONTROLLER",
                "log.dirs": ",".join(self.directories),
                **config,
            }
        )
        if self.segment_bytes is None:
            return found
        return dataclasses.replace(found, metadata_log_segment_bytes=self.segment_bytes)

    async def _live(self, node: Node) -> None:
        try:
            with self._scope:
                await node.run(self._announce)
            if not self._is_killed:
                self.ended_in_order(self)
        except BaseException as error:
            if isinstance(error, trio.Cancelled | KeyboardInterrupt):
                raise
            # What a killed process does with its last breath is nobody's business.
            if not self._is_killed:
                self.failures += leaves(error)
        finally:
            if not self._is_killed:
                self.net.process_ended()
                self.disk.process_ended()
            self.has_ended.set()

    def _announce(self, line: str) -> None:
        self.is_announced = True

    def stop(self) -> None:
        """SIGTERM."""
        if self.node is not None:
            self.is_stopping = True
            self.node.stop()

    def kill(self) -> None:
        """SIGKILL: what was written stays, and the kernel tells everybody who was connected."""
        self._die()
        self.net.process_ended()
        self.disk.process_ended()

    def lose_power(self) -> None:
        """The machine is off at once; of what was not synced, the disk keeps what the seed says."""
        self._die()
        self.net.lose_power()
        self.losing_power(self)
        self.disk.crash(SeededRng(self._rng))
        self.lost_power(self)

    def _power_lost(self) -> None:
        self.power_lost(self)

    def _die(self) -> None:
        self._is_killed = True
        if self._threads is not None:
            self._threads.die()
        self._scope.cancel()


def leaves(error: BaseException) -> list[BaseException]:
    """The errors in a group of groups."""
    if not isinstance(error, BaseExceptionGroup):
        return [error]
    return [leaf for each in error.exceptions for leaf in leaves(each)]


def is_of_disk(error: BaseException) -> bool:
    """Whether a node may end with this when its disk fails."""
    return isinstance(error, StorageError | OSError | PowerLossError)
