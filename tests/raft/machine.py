"""A node's Raft core with a disk beside it that loses on a crash what was not synced.

It does a driver's work the way ``server.raft.effects`` asks for, and asserts what the core promises to
drivers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from server.raft.config import RaftConfig
from server.raft.control import KRaftVersion, KRaftVoters, LeaderChange, RecordedControl
from server.raft.effects import (
    BecameLeader,
    Effects,
    HighWatermarkAdvanced,
    PendingBatch,
    ShutdownCompleted,
    WriteElectionState,
)
from server.raft.election_state import ElectionState
from server.raft.events import AppendRequested, Event, Opened, Persisted, ShutdownRequested, Tick
from server.raft.log_index import EpochStart
from server.raft.node import RaftNode
from server.raft.states import Leader
from server.raft.voters import VoterSet
from server.types import Endpoint, ReplicaKey, Voter


def directory(number: int) -> bytes:
    """A directory id that is easy to tell from others."""
    return bytes([0xD0, number]) * 8


def voter(node_id: int, *, port: int = 9093) -> Voter:
    """A voter of a quorum with kraft.version 1."""
    return Voter(
        key=ReplicaKey(id=node_id, directory_id=directory(node_id)),
        endpoints=(Endpoint(name="CONTROLLER", host="127.0.0.1", port=port),),
    )


def config(node_id: int = 1, *, port: int = 9093, **settings: object) -> RaftConfig:
    """A node's settings; its endpoint and key agree with those of ``voter``."""
    itself = voter(node_id, port=port)
    return RaftConfig(key=itself.key, endpoints=itself.endpoints, **settings)  # type: ignore[arg-type]


def bootstrap_records(*voters: Voter) -> tuple[RecordedControl, ...]:
    """Control records of the 0-0 snapshot that names these voters."""
    return (
        RecordedControl(offset=-1, record=KRaftVersion(level=1)),
        RecordedControl(offset=-1, record=KRaftVoters(voters=VoterSet(voters=voters))),
    )


@dataclass(kw_only=True)
class Disk:
    """What is durable, as one directory holds it."""

    snapshot_records: tuple[RecordedControl, ...] = ()
    log: list[PendingBatch] = field(default_factory=list)
    election: ElectionState | None = None

    @property
    def end_offset(self) -> int:
        return self.log[-1].next_offset if self.log else 0

    def opened(self) -> Opened:
        """What recovery makes of it."""
        epoch_starts: list[EpochStart] = []
        records = list(self.snapshot_records)
        for batch in self.log:
            if not epoch_starts or epoch_starts[-1].epoch != batch.epoch:
                epoch_starts.append(EpochStart(epoch=batch.epoch, start_offset=batch.base_offset))
            for offset, record in enumerate(batch.control, start=batch.base_offset):
                if not isinstance(record, LeaderChange):
                    records.append(RecordedControl(offset=offset, record=record))
        return Opened(
            log_start_offset=0,
            log_end_offset=self.end_offset,
            epoch_starts=tuple(epoch_starts),
            election=self.election,
            control_records=tuple(records),
        )

    def append(self, batch: PendingBatch) -> None:
        assert batch.base_offset == self.end_offset, "a batch leaves a gap in the log"
        assert not self.log or batch.epoch >= self.log[-1].epoch, (
            "a batch has an older epoch than the one before"
        )
        self.log.append(batch)

    def write(self, write: WriteElectionState) -> None:
        assert self.election is None or write.state.epoch >= self.election.epoch, (
            "the epoch on disk went back"
        )
        self.election = write.state


class Machine:
    """One node over all its lives."""

    def __init__(self, settings: RaftConfig, disk: Disk) -> None:
        self.settings = settings
        self.disk = disk
        self.now_ms = 1000
        self.unsynced: list[Effects] = []
        self.high_watermark = 0
        """Highest ever told, in any life."""
        self.committed: list[PendingBatch] = []
        """Batches below that high watermark, as they were when it was told."""
        self.epochs_led: list[int] = []
        """Every epoch whose leadership was told, in order."""
        self.is_stopped = False
        self.node = RaftNode(settings)

    def handle(self, event: Event) -> None:
        self.node.handle(event, self.now_ms)

    def start(self) -> None:
        """Begin a life from what is durable."""
        self.node = RaftNode(self.settings)
        self.is_stopped = False
        self.handle(self.disk.opened())

    def tick(self, elapsed_ms: int) -> None:
        self.now_ms += elapsed_ms
        self.handle(Tick())

    def append(self, sizes: list[int], *, atomic: bool = True) -> None:
        """Ask for records of these sizes at the next offset of the epoch that this node leads."""
        state = self.node.state
        assert isinstance(state, Leader)
        self.handle(
            AppendRequested(
                epoch=state.epoch,
                base_offset=state.accumulator.next_offset,
                records=tuple(bytes(size) for size in sizes),
                atomic=atomic,
            )
        )

    def shut_down(self) -> None:
        self.handle(ShutdownRequested())

    def take(self) -> Effects | None:
        """Take effects and begin to write them; nothing of them is durable yet."""
        effects = self.node.take_effects()
        if effects is None:
            return None
        for batch in effects.append:
            self._check_vote_is_durable(batch)
        for notice in effects.tell_now:
            if isinstance(notice, HighWatermarkAdvanced):
                self._commit(notice.offset)
        self.unsynced.append(effects)
        return effects

    def persist(self) -> None:
        """Make the oldest effects that are under way durable, tell what waited for it, and say so to the core."""
        effects = self.unsynced.pop(0)
        for batch in effects.append:
            self.disk.append(batch)
        if effects.election_state is not None:
            self.disk.write(effects.election_state)
        for notice in effects.tell_after_persist:
            if isinstance(notice, BecameLeader):
                assert notice.epoch not in self.epochs_led, f"epoch {notice.epoch} was led twice"
                self.epochs_led.append(notice.epoch)
            if isinstance(notice, ShutdownCompleted):
                self.is_stopped = True
        if effects.must_persist:
            self.handle(Persisted(number=effects.number))

    def settle(self) -> list[Effects]:
        """Obey until nothing is left to do; returns what was obeyed."""
        obeyed: list[Effects] = []
        while (effects := self.take()) is not None:
            obeyed.append(effects)
            while self.unsynced:
                self.persist()
        while self.unsynced:
            self.persist()
            obeyed += self.settle()
        return obeyed

    def crash(self, *, batches: int = 0, election_states: int = 0) -> None:
        """End this life; of what was under way, so many batches and quorum-state files survive, oldest first."""
        appends = [batch for effects in self.unsynced for batch in effects.append]
        writes = [effects.election_state for effects in self.unsynced if effects.election_state is not None]
        self.unsynced = []
        for batch in appends[:batches]:
            self.disk.append(batch)
        for write in writes[:election_states]:
            self.disk.write(write)
        assert self.disk.log[: len(self.committed)] == self.committed, "the crash lost committed records"

    def unsynced_counts(self) -> tuple[int, int]:
        """How many batches and how many quorum-state files are under way."""
        return (
            sum(len(effects.append) for effects in self.unsynced),
            sum(effects.election_state is not None for effects in self.unsynced),
        )

    def _commit(self, offset: int) -> None:
        assert offset > self.high_watermark, f"high watermark {offset} after {self.high_watermark}"
        assert offset <= self.disk.end_offset, f"high watermark {offset} is ahead of the disk"
        self.high_watermark = offset
        self.committed = [batch for batch in self.disk.log if batch.next_offset <= offset]
        assert self.committed[-1].next_offset == offset, f"high watermark {offset} cuts a batch"
        assert self.committed[-1].epoch == self.node.state.epoch, (
            "a high watermark over an older epoch's record"
        )

    def _check_vote_is_durable(self, batch: PendingBatch) -> None:
        election = self.disk.election
        assert election is not None, "a batch without any vote on disk"
        assert election.epoch == batch.epoch, f"a batch of epoch {batch.epoch}, but {election.epoch} on disk"
        assert election.leader_id == self.settings.key.id or election.is_vote_for(self.settings.key)


def static_voter_set(addresses: Sequence[tuple[int, str, int]], listener_name: str) -> VoterSet:
    """The voter set of ``controller.quorum.voters``.

    ``addresses`` are (node id, host, port) with distinct ids in any order; ``listener_name`` is the first
    controller listener's. Static voters have no directory id and support kraft.version 0 only, as in Kafka.
    """
    return VoterSet(
        voters=tuple(
            Voter(
                key=ReplicaKey(id=node_id),
                endpoints=(Endpoint(name=listener_name, host=host, port=port),),
                min_kraft_version=0,
                max_kraft_version=0,
            )
            for node_id, host, port in sorted(addresses)
        )
    )
