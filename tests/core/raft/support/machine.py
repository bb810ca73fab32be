"""A node's Raft core with a disk beside it that loses on a crash what was not synced.

It does a driver's work the way ``core.raft.values.effects`` asks for, and asserts what the core promises to
drivers.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from kafkaproto_server.base.types import Endpoint, OffsetAndEpoch, ReplicaKey, Voter
from kafkaproto_server.core.raft.model.states import Leader
from kafkaproto_server.core.raft.node import RaftNode
from kafkaproto_server.core.raft.values.config import RaftConfig
from kafkaproto_server.core.raft.values.control import (
    KRaftVersion,
    KRaftVoters,
    LeaderChange,
    RecordedControl,
)
from kafkaproto_server.core.raft.values.effects import (
    BecameLeader,
    DropSnapshotPart,
    Effects,
    HighWatermarkAdvanced,
    InstallSnapshot,
    LeadershipLost,
    LogWrite,
    PendingBatch,
    SendRequest,
    SendResponse,
    ShutdownCompleted,
    TruncateLog,
    WriteElectionState,
    WriteSnapshotChunk,
)
from kafkaproto_server.core.raft.values.election_state import ElectionState
from kafkaproto_server.core.raft.values.epoch_start import EpochStart
from kafkaproto_server.core.raft.values.events import (
    AppendRequested,
    Event,
    LogStartMoved,
    Opened,
    Persisted,
    RequestReceived,
    ShutdownRequested,
    SnapshotCreated,
    SnapshotInstalled,
    SnapshotRejected,
    StoredSnapshot,
    Tick,
)
from kafkaproto_server.core.raft.values.messages import FetchedBatch, InboundRequest, OutboundResponse
from kafkaproto_server.core.raft.values.voters import VoterSet


class SeededRng:
    """The ``Rng`` port from a seed."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def below(self, limit: int) -> int:
        return self._random.randrange(limit)

    def uuid(self) -> bytes:
        return self._random.randbytes(16)


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


def as_fetched(batch: PendingBatch) -> FetchedBatch:
    """A leader's batch as its followers see it; the payload tells batches apart."""
    return FetchedBatch(
        base_offset=batch.base_offset,
        next_offset=batch.next_offset,
        epoch=batch.epoch,
        control=tuple(
            RecordedControl(offset=offset, record=record)
            for offset, record in enumerate(batch.control, start=batch.base_offset)
            if not isinstance(record, LeaderChange)
        ),
        payload=b"control" if batch.control else b"|".join(batch.records),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotFile:
    """A complete snapshot."""

    data: bytes
    control_records: tuple[RecordedControl, ...]


@dataclass(kw_only=True)
class Disk:
    """What is durable, as one directory holds it."""

    bootstrap: tuple[RecordedControl, ...] = ()
    """Control records of the 0-0 snapshot."""
    start_offset: int = 0
    log: list[FetchedBatch] = field(default_factory=list)
    snapshots: dict[OffsetAndEpoch, SnapshotFile] = field(default_factory=dict)
    parts: dict[OffsetAndEpoch, bytes] = field(default_factory=dict)
    election: ElectionState | None = None

    @property
    def end_offset(self) -> int:
        return self.log[-1].next_offset if self.log else self.start_offset

    @property
    def epochs(self) -> list[int]:
        """Each record's epoch."""
        return [batch.epoch for batch in self.log for _ in range(batch.base_offset, batch.next_offset)]

    def opened(self) -> Opened:
        """What recovery makes of it."""
        epoch_starts: list[EpochStart] = []
        records = list(self.bootstrap)
        if self.snapshots:
            records = list(self.snapshots[max(self.snapshots)].control_records)
        covered = max((snapshot.offset for snapshot in self.snapshots), default=0)
        for batch in self.log:
            if not epoch_starts or epoch_starts[-1].epoch != batch.epoch:
                epoch_starts.append(EpochStart(epoch=batch.epoch, start_offset=batch.base_offset))
            records += [recorded for recorded in batch.control if recorded.offset >= covered]
        return Opened(
            log_start_offset=self.start_offset,
            log_end_offset=self.end_offset,
            epoch_starts=tuple(epoch_starts),
            snapshots=self.stored_snapshots(),
            election=self.election,
            control_records=tuple(records),
        )

    def stored_snapshots(self) -> tuple[StoredSnapshot, ...]:
        return tuple(
            StoredSnapshot(id=snapshot, size_bytes=len(self.snapshots[snapshot].data))
            for snapshot in sorted(self.snapshots)
        )

    def read(self, offset: int, end_offset: int) -> tuple[FetchedBatch, ...]:
        return tuple(batch for batch in self.log if offset <= batch.base_offset < end_offset)

    def append(self, batch: FetchedBatch) -> None:
        assert batch.base_offset == self.end_offset, "a batch leaves a gap in the log"
        assert not self.log or batch.epoch >= self.log[-1].epoch, (
            "a batch has an older epoch than the one before"
        )
        self.log.append(batch)

    def truncate(self, end_offset: int) -> None:
        assert end_offset in {self.start_offset, *(batch.next_offset for batch in self.log)}, (
            f"truncation to {end_offset} cuts a batch"
        )
        self.log = [batch for batch in self.log if batch.next_offset <= end_offset]

    def install(self, snapshot: OffsetAndEpoch, known: dict[OffsetAndEpoch, SnapshotFile]) -> bool:
        """Put a complete part file in the log's place, if it is byte by byte what its maker wrote."""
        data = self.parts.pop(snapshot)
        if snapshot not in known or known[snapshot].data != data:
            return False
        self.snapshots[snapshot] = known[snapshot]
        self.log = []
        self.start_offset = snapshot.offset
        return True

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
        self.unsynced: deque[Effects] = deque()
        self.tail: list[FetchedBatch] = []
        """The log as the core has it, durable or not."""
        self.known_snapshots: dict[OffsetAndEpoch, SnapshotFile] = {}
        """Every snapshot ever made, by anybody; shared by the machines of a cluster."""
        self.requests: list[SendRequest] = []
        """Requests to be sent."""
        self.responses: list[SendResponse] = []
        self.high_watermark = 0
        """Highest ever told, in any life."""
        self.committed: list[FetchedBatch] = []
        """Batches below that high watermark, as they were when it was told."""
        self.epochs_led: list[int] = []
        """Every epoch whose leadership was told, in order."""
        self.epochs_lost: list[int] = []
        self.is_stopped = False
        self._lives = 0
        self._asked = 0
        self.node = RaftNode(settings, self._rng())

    def handle(self, event: Event) -> None:
        self.node.handle(event, self.now_ms)

    def start(self) -> None:
        """Begin a life from what is durable."""
        self._lives += 1
        self.disk.parts = {}
        self.node = RaftNode(self.settings, self._rng())
        self.tail = list(self.disk.log)
        self.high_watermark = 0
        self.committed = []
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

    def ask(self, request: InboundRequest, *, listener_name: str = "CONTROLLER") -> OutboundResponse | None:
        """Put a request to the node; returns the answer once all is written, None where it is parked."""
        self._asked += 1
        request_id = 1_000_000 + self._asked
        self.handle(RequestReceived(request_id=request_id, request=request, listener_name=listener_name))
        self.settle()
        found = [response for response in self.responses if response.request_id == request_id]
        return found[0].response if found else None

    def put(self, request: InboundRequest) -> None:
        """Put a request to the node and leave everything under way."""
        self._asked += 1
        event = RequestReceived(
            request_id=1_000_000 + self._asked, request=request, listener_name="CONTROLLER"
        )
        self.handle(event)
        self.take()

    def make_snapshot(self, offset: int) -> None:
        """Write a snapshot of everything below ``offset``, a batch's end."""
        epoch = next(batch.epoch for batch in self.tail if batch.next_offset == offset)
        kraft_version, voters = self.node.voters_at(offset)
        records = [RecordedControl(offset=offset - 1, record=KRaftVersion(level=kraft_version))]
        if voters is not None:
            records.append(RecordedControl(offset=offset - 1, record=KRaftVoters(voters=voters)))
        snapshot = OffsetAndEpoch(offset=offset, epoch=epoch)
        made = SnapshotFile(data=f"snapshot {offset}-{epoch}".encode(), control_records=tuple(records))
        self.known_snapshots[snapshot] = self.disk.snapshots[snapshot] = made
        self.handle(SnapshotCreated(snapshot=StoredSnapshot(id=snapshot, size_bytes=len(made.data))))

    def clean(self, offset: int) -> None:
        """Drop the log before ``offset``, a snapshot's end."""
        self.disk.start_offset = offset
        self.disk.log = [batch for batch in self.disk.log if batch.base_offset >= offset]
        self.tail = [batch for batch in self.tail if batch.base_offset >= offset]
        self.disk.snapshots = {
            known: made for known, made in self.disk.snapshots.items() if known.offset >= offset
        }
        self.handle(LogStartMoved(log_start_offset=offset))

    def shut_down(self) -> None:
        self.handle(ShutdownRequested())

    def take(self) -> Effects | None:
        """Take effects and begin to write them; nothing of them is durable yet."""
        effects = self.node.take_effects()
        if effects is None:
            return None
        for write in effects.writes:
            self._begin(write)
        for notice in effects.notify_now:
            self._notify(notice)
        self.unsynced.append(effects)
        return effects

    def persist(self) -> None:
        """Make the oldest effects that are under way durable, tell what waited for it, and say so to the core."""
        effects = self.unsynced.popleft()
        for write in effects.writes:
            self._finish(write)
        if effects.election_state is not None:
            self.disk.write(effects.election_state)
        for notice in effects.notify_after_persist:
            self._notify(notice)
        if effects.must_persist:
            self.handle(Persisted(number=effects.number))

    def settle(self) -> list[Effects]:
        """Obey until nothing is left to do; returns what was applied."""
        obeyed: list[Effects] = []
        while (effects := self.take()) is not None:
            obeyed.append(effects)
            while self.unsynced:
                self.persist()
        while self.unsynced:
            self.persist()
            obeyed += self.settle()
        return obeyed

    def crash(self, *, writes: int = 0, election_states: int = 0) -> None:
        """End this life; of what was under way, so many log writes and quorum-state files survive, oldest first."""
        appends = [write for effects in self.unsynced for write in effects.writes]
        states = [effects.election_state for effects in self.unsynced if effects.election_state is not None]
        self.unsynced.clear()
        self.requests.clear()
        self.responses.clear()
        for write in appends[:writes]:
            assert not isinstance(write, InstallSnapshot), "an installation survives whole or not at all"
            self._finish(write)
        for state in states[:election_states]:
            self.disk.write(state)
        kept = [batch for batch in self.committed if batch.base_offset >= self.disk.start_offset]
        leads = isinstance(self.node.state, Leader) and len(self.node.voters.voters) > 1
        assert leads or self.disk.log[: len(kept)] == kept, "the crash lost committed records"

    def unsynced_counts(self) -> tuple[int, int]:
        """How many log writes and how many quorum-state files are under way."""
        return (
            sum(len(effects.writes) for effects in self.unsynced),
            sum(effects.election_state is not None for effects in self.unsynced),
        )

    def _rng(self) -> SeededRng:
        return SeededRng(f"{self.settings.key.id}-{self._lives}")

    def _notify(self, notice: object) -> None:
        match notice:
            case SendRequest():
                self.requests.append(notice)
            case SendResponse():
                self.responses.append(notice)
            case HighWatermarkAdvanced():
                self._commit(notice.offset)
            case BecameLeader():
                assert notice.epoch not in self.epochs_led, f"epoch {notice.epoch} was led twice"
                self.epochs_led.append(notice.epoch)
            case LeadershipLost():
                assert notice.epoch in self.epochs_led, f"epoch {notice.epoch} is lost and was never led"
                assert notice.epoch not in self.epochs_lost, f"epoch {notice.epoch} is lost twice"
                self.epochs_lost.append(notice.epoch)
            case ShutdownCompleted():
                self.is_stopped = True

    def _begin(self, write: LogWrite) -> None:
        """Change the log as the core sees it."""
        match write:
            case PendingBatch():
                self._check_vote_is_durable(write)
                self.tail.append(as_fetched(write))
            case FetchedBatch():
                self.tail.append(write)
            case TruncateLog():
                self.tail = [batch for batch in self.tail if batch.next_offset <= write.end_offset]

    def _finish(self, write: LogWrite) -> None:
        """Change the log on disk."""
        disk = self.disk
        match write:
            case PendingBatch():
                disk.append(as_fetched(write))
            case FetchedBatch():
                disk.append(write)
            case TruncateLog():
                assert write.end_offset >= self.high_watermark, "a truncation cuts what is committed"
                disk.truncate(write.end_offset)
            case WriteSnapshotChunk():
                part = disk.parts.get(write.snapshot, b"") if write.position else b""
                assert len(part) == write.position, "a piece of a snapshot leaves a gap"
                disk.parts[write.snapshot] = part + bytes(write.data)
            case DropSnapshotPart():
                del disk.parts[write.snapshot]
            case InstallSnapshot():
                assert len(disk.parts[write.snapshot]) == write.size, "the part file is not complete"
                if disk.install(write.snapshot, self.known_snapshots):
                    self.tail = []
                    made = disk.snapshots[write.snapshot]
                    stored = StoredSnapshot(id=write.snapshot, size_bytes=len(made.data))
                    self.handle(SnapshotInstalled(snapshot=stored, control_records=made.control_records))
                else:
                    self.handle(SnapshotRejected(snapshot=write.snapshot))

    def _commit(self, offset: int) -> None:
        assert offset > self.high_watermark, f"high watermark {offset} after {self.high_watermark}"
        self.high_watermark = offset
        self.committed = [batch for batch in self.tail if batch.next_offset <= offset]
        end_offset = self.committed[-1].next_offset if self.committed else self.disk.start_offset
        assert end_offset == offset, f"high watermark {offset} cuts a batch"
        if isinstance(self.node.state, Leader):
            assert self.committed[-1].epoch == self.node.state.epoch, (
                "a high watermark over an older epoch's record"
            )
            if len(self.node.voters.voters) == 1:
                assert offset <= self.disk.end_offset, f"high watermark {offset} is ahead of the disk"
        else:
            assert offset <= self.disk.end_offset, f"high watermark {offset} is ahead of the disk"

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
