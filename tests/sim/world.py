"""The simulated world: one clock, one queue of coming events, and everything that lives in it.

Nothing here knows real time, threads or an event loop. All randomness comes from the seed, so one seed is one run.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Callable
from typing import Any, Protocol

from kafkaproto_server.base.types import Endpoint, ReplicaKey, Voter
from kafkaproto_server.core.raft.values.config import RaftConfig
from kafkaproto_server.core.raft.values.control import KRaftVersion, KRaftVoters, RecordedControl
from kafkaproto_server.core.raft.values.effects import Effects
from kafkaproto_server.core.raft.values.events import Event
from kafkaproto_server.core.raft.values.messages import Destination
from kafkaproto_server.core.raft.values.voters import VoterSet
from tests.sim.checkers.commits import CommitChecker
from tests.sim.checkers.elections import ElectionChecker
from tests.sim.checkers.messages import MessageChecker
from tests.sim.network import BALANCED, LISTENER, Network
from tests.sim.options import Options
from tests.sim.replica import Append, Replica
from tests.sim.replica_disk import ReplicaDisk
from tests.sim.snapshots import SnapshotLibrary

FIRST_BROKER_ID = 101
BOOTSTRAP_PORT = 9093
"""Port of the addresses that stay the same when a node moves, as host names of an operator would."""


class Trace(Protocol):
    """Gets every event, effect and note of the replicas."""

    def event(self, replica: Replica, event: Event) -> None:
        """A core is about to handle an event."""

    def effects(self, replica: Replica, effects: Effects) -> None:
        """A core asks for this."""

    def note(self, text: str) -> None:
        """Something else happens."""


class World:
    """One run."""

    def __init__(
        self,
        seed: int,
        options: Options,
        trace: Trace | None = None,
        make_replica: Callable[..., Replica] = Replica,
        library: SnapshotLibrary | None = None,
    ) -> None:
        self._make_replica = make_replica
        self.seed = seed
        self.options = options
        self.trace = trace
        self.rng = random.Random(seed)
        self.now = 0
        """Microseconds since the run began."""
        self.events = 0
        """Number of events so far, ..."""
        self.idle = 0
        """... and the number of those that changed nothing."""
        self._heap: list[tuple[int, int, Callable[[Any], None], Any]] = []
        self._sequence = itertools.count()
        self._serials = itertools.count(1)
        self.library = library or SnapshotLibrary()
        self.elections = ElectionChecker()
        self.commits = CommitChecker()
        self.logs = self.commits.logs
        self.messages = MessageChecker(self.elections)
        self.network = Network(self)
        self.replicas: dict[int, Replica] = {}
        self.static_voters = VoterSet(voters=())
        self.is_static_configured = options.format == "static"
        self.commit_time_us = 0
        self._disks: dict[tuple[int, bytes], ReplicaDisk] = {}
        self._stall_us = 0
        self.on_stopped: Callable[[Replica], None] = Replica.start
        self.on_election_written: Callable[[Replica], bool] = lambda _replica: False
        """Returns whether it took the replica down."""
        self.on_state_changed: Callable[[Replica], None] = lambda _replica: None
        self._format()

    # -- the quorum ----------------------------------------------------------------------------------------------

    def _format(self) -> None:
        options = self.options
        controllers = list(range(1, options.voters + options.observers + 1))
        count = 1 if options.format == "standalone" else options.voters
        first_voters = VoterSet(voters=tuple(self._voter(node_id, None) for node_id in controllers[:count]))
        if options.format == "static":
            self.static_voters = VoterSet(
                voters=tuple(
                    Voter(
                        key=ReplicaKey(id=voter.key.id),
                        endpoints=voter.endpoints,
                        min_kraft_version=0,
                        max_kraft_version=0,
                    )
                    for voter in first_voters.voters
                )
            )
            self.commits.begin(0, None)
            bootstrap: tuple[RecordedControl, ...] = ()
        else:
            self.commits.begin(1, first_voters)
            bootstrap = (
                RecordedControl(offset=-1, record=KRaftVersion(level=1)),
                RecordedControl(offset=-1, record=KRaftVoters(voters=first_voters)),
            )
        for node_id in controllers:
            records = bootstrap if node_id <= count else ()
            self._add(node_id, records, can_be_voter=True)
        for node_id in range(FIRST_BROKER_ID, FIRST_BROKER_ID + options.brokers):
            self._add(node_id, (), can_be_voter=False)

    def _add(self, node_id: int, records: tuple[RecordedControl, ...], *, can_be_voter: bool) -> None:
        disk = ReplicaDisk(directory(node_id, 0), records, self.library)
        replica = self._make_replica(self, node_id, disk, self._configure, can_be_voter=can_be_voter)
        skew = self.options.clock_skew
        replica.set_clock_rate(1000 + (self.rng.randint(-skew, skew) if skew else 0))
        self.replicas[node_id] = replica
        self._disks[(node_id, disk.directory_id)] = disk
        if can_be_voter:
            self.network.addresses[(f"n{node_id}", replica.port)] = replica
            self.network.addresses[(bootstrap_host(node_id), BOOTSTRAP_PORT)] = replica

    def _voter(self, node_id: int, port: int | None) -> Voter:
        return Voter(
            key=ReplicaKey(id=node_id, directory_id=directory(node_id, 0)),
            endpoints=(Endpoint(name=LISTENER, host=f"n{node_id}", port=port or 9000 + node_id),),
        )

    def _configure(self, replica: Replica) -> RaftConfig:
        options = self.options
        bootstrap: tuple[Destination, ...] = ()
        if options.balanced_bootstrap:
            bootstrap = (Destination(id=-2, host=BALANCED[0], port=BALANCED[1]),)
        elif not self.is_static_configured:
            bootstrap = tuple(
                Destination(id=-2 - index, host=bootstrap_host(controller.id), port=BOOTSTRAP_PORT)
                for index, controller in enumerate(self.controllers)
            )
        return RaftConfig(
            key=replica.key,
            can_be_voter=replica.can_be_voter,
            endpoints=self.endpoints_of(replica) if replica.can_be_voter else (),
            static_voters=self.static_voters if self.is_static_configured else None,
            bootstrap_servers=bootstrap,
            election_timeout_ms=options.election_timeout_ms,
            fetch_timeout_ms=options.fetch_timeout_ms,
            append_linger_ms=options.linger_ms,
            fetch_max_bytes=options.fetch_max_bytes,
            fetch_snapshot_max_bytes=options.chunk_bytes,
            auto_join=options.auto_join and replica.can_be_voter,
            max_batch_bytes=options.max_batch_bytes,
        )

    @staticmethod
    def endpoints_of(replica: Replica) -> tuple[Endpoint, ...]:
        """Where a controller listens now."""
        return (Endpoint(name=LISTENER, host=f"n{replica.id}", port=replica.port),)

    @property
    def controllers(self) -> list[Replica]:
        """Those that may vote."""
        return [replica for replica in self.replicas.values() if replica.can_be_voter]

    def replica_of(self, key: ReplicaKey) -> Replica | None:
        """The replica that has this key now; None if its directory is lost."""
        replica = self.replicas.get(key.id)
        return (
            replica if replica is not None and key.directory_id in (None, replica.disk.directory_id) else None
        )

    def is_lost(self, voter: Voter) -> bool:
        """Whether a voter's directory is lost, or its node listens at another address than its entry in the voter set
        says.
        """
        replica = self.replica_of(voter.key)
        if replica is None:
            return True
        recorded = voter.endpoints
        return bool(recorded) and recorded[0].port != replica.port

    def disk_of(self, key: ReplicaKey) -> ReplicaDisk | None:
        """The disk of this key, lost or not."""
        if key.directory_id is not None:
            return self._disks.get((key.id, key.directory_id))
        replica = self.replicas.get(key.id)
        return None if replica is None else replica.disk

    def wipe(self, replica: Replica) -> None:
        """A replica that is down loses its disk and gets a new, empty one."""
        assert not replica.is_up
        fresh = directory(replica.id, 1 + replica.life)
        replica.disk = ReplicaDisk(fresh, (), self.library)
        self._disks[(replica.id, fresh)] = replica.disk

    def move(self, replica: Replica) -> None:
        """A replica that is down will listen elsewhere."""
        assert not replica.is_up
        assert replica.can_be_voter, f"node {replica.id} listens nowhere"
        del self.network.addresses[(f"n{replica.id}", replica.port)]
        replica.port += 100
        self.network.addresses[(f"n{replica.id}", replica.port)] = replica

    # -- time ----------------------------------------------------------------------------------------------------

    def at(self, time: int, act: Callable[[Any], None], argument: Any) -> None:
        """Let something happen at a time, in microseconds."""
        heapq.heappush(self._heap, (time, next(self._sequence), act, argument))

    def after(self, delay: int, act: Callable[[Any], None], argument: Any) -> None:
        """Let something happen some microseconds from now."""
        heapq.heappush(self._heap, (self.now + delay, next(self._sequence), act, argument))

    def run_until(self, time: int) -> None:
        """Let everything happen that is due before a time."""
        heap = self._heap
        pop = heapq.heappop
        events = 0
        try:
            while heap and heap[0][0] <= time:
                self.now, _, act, argument = pop(heap)
                events += 1
                act(argument)
        finally:
            self.events += events
        self.now = time

    def next_serial(self) -> int:
        """A number that no batch has had."""
        return next(self._serials)

    def sync_us(self) -> int:
        """How long a disk takes for its next sync."""
        if self.network.is_healed:
            return 200
        return 20 + int(self.rng.random() * 2 * self.options.disk_us)

    def note(self, text: str) -> None:
        """Report something to the trace that no core sees."""
        if self.trace is not None:
            self.trace.note(text)

    # -- what replicas report ------------------------------------------------------------------------------------

    def acknowledged(self, append: Append) -> None:
        """A client's append is committed."""
        self.commit_time_us += self.now - append.asked_at

    def stopped(self, stopped: tuple[Replica, int]) -> None:
        """A replica finished its graceful shutdown."""
        replica, life = stopped
        if replica.is_up and replica.life == life:
            self.note(f"node {replica.id} stopped")
            replica.stop()
            self.on_stopped(replica)

    def failed_sync(self, replica: Replica) -> None:
        """A sync failed: the node stops."""
        self.note(f"node {replica.id} failed to sync")
        replica.crash()
        self.on_stopped(replica)


def bootstrap_host(node_id: int) -> str:
    """The name under which controller.quorum.bootstrap.servers knows a node."""
    return f"boot{node_id}"


def directory(node_id: int, generation: int) -> bytes:
    """The id of a node's first, second, ... directory."""
    return b"%08d%08d" % (node_id, generation)
