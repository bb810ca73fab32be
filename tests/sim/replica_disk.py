"""One replica's directory at the level of ``core.raft.values.effects``: what is durable, and what is being written.

Entries are written in order, as many together as are waiting: first their log writes, then their quorum-state, then
one sync of the log. A crash in between keeps some of the finished steps: quorum-state files are synced one by one; of
the log's unsynced writes a prefix survives. (Recovery finds a torn last batch damaged and cuts it off, so such a batch
counts among those that do not survive.) Part files of snapshots never survive.
"""

from __future__ import annotations

import random
from collections import deque

from kafkaproto_server.base.types import OffsetAndEpoch
from kafkaproto_server.core.raft.values.control import RecordedControl
from kafkaproto_server.core.raft.values.effects import (
    DropSnapshotPart,
    Effects,
    InstallSnapshot,
    TruncateLog,
    WriteElectionState,
    WriteSnapshotChunk,
)
from kafkaproto_server.core.raft.values.election_state import ElectionState
from kafkaproto_server.core.raft.values.events import Event, Opened, SnapshotInstalled, SnapshotRejected
from tests.sim.replica_log import LogBatch, ReplicaLog
from tests.sim.snapshots import Snapshot, SnapshotLibrary

LogStep = LogBatch | TruncateLog | WriteSnapshotChunk | DropSnapshotPart | InstallSnapshot
Step = LogStep | WriteElectionState

WRITEBACK_STEPS = 50
"""The operating system keeps at most this many unsynced writes."""


class Entry:
    """One effects object that is being written; its batches are the same objects as in the log."""

    __slots__ = ("effects", "steps")

    def __init__(self, effects: Effects, steps: list[LogStep]) -> None:
        self.effects = effects
        self.steps = steps


class ReplicaDisk:
    """A directory, its worker's queue, and the log as readers see it (``log``), synced or not."""

    def __init__(
        self, directory_id: bytes, bootstrap_records: tuple[RecordedControl, ...], library: SnapshotLibrary
    ) -> None:
        self.directory_id = directory_id
        self._bootstrap_records = bootstrap_records
        self._library = library
        self.log = ReplicaLog()
        self.durable = ReplicaLog()
        self.election: ElectionState | None = None
        self.snapshots: dict[OffsetAndEpoch, Snapshot] = {}
        """Ascending."""
        self.queue: deque[Entry] = deque()
        self.working: list[Entry] = []
        self._unsynced: list[LogStep] = []
        """Written by entries that asked for no sync."""
        self._part: tuple[OffsetAndEpoch, bytearray] | None = None

    # -- what it holds -------------------------------------------------------------------------------------------

    @property
    def latest_snapshot(self) -> Snapshot | None:
        """The newest snapshot."""
        return next(reversed(self.snapshots.values()), None)

    @property
    def durable_epoch(self) -> int:
        """The replica would not start in an epoch below this one."""
        epoch = self.election.epoch if self.election is not None else 0
        last = self.durable.last
        if last is not None:
            return max(epoch, last.epoch)
        latest = self.latest_snapshot
        return max(epoch, latest.id.epoch) if latest is not None else epoch

    @property
    def is_idle(self) -> bool:
        """Whether all that was written is durable."""
        return not (self.queue or self.working or self._unsynced)

    def holds_durably(self, batch: LogBatch) -> bool:
        """Whether a batch would be there after a crash, in the log or in a snapshot."""
        if self.durable.end_offset >= batch.next_offset and self.durable.holds(batch):
            return True
        latest = self.latest_snapshot
        return latest is not None and latest.id.offset >= batch.next_offset

    # -- writing -------------------------------------------------------------------------------------------------

    def submit(self, entry: Entry) -> None:
        """Queue an entry, whose batches and truncations ``log`` shows already."""
        self.queue.append(entry)

    def begin(self) -> list[Entry]:
        """Take all that waits into work."""
        assert not self.working, "the disk works already"
        self.working = list(self.queue)
        self.queue.clear()
        return self.working

    def finish(self) -> list[Event]:
        """Make the entries that are being written durable. Returns what the core must receive before ``Persisted``."""
        events: list[Event] = []
        must_sync = False
        for entry in self.working:
            for step in entry.steps:
                self._unsynced.append(step)
                if type(step) is InstallSnapshot:
                    self._sync()
                    events.append(self._installed(step))
            effects = entry.effects
            if effects.election_state is not None:
                self.election = effects.election_state.state
            must_sync = must_sync or effects.must_sync
        if must_sync or len(self._unsynced) > WRITEBACK_STEPS:
            self._sync()
        self.working = []
        return events

    def crash(self, rng: random.Random) -> None:
        """End the process, or the machine: keep what may survive, and make that the log."""
        steps: list[Step] = []
        for entry in self.working:
            steps.extend(entry.steps)
            if entry.effects.election_state is not None:
                steps.append(entry.effects.election_state)
        for step in steps[: rng.randint(0, len(steps))]:
            if isinstance(step, WriteElectionState):
                self.election = step.state
            else:
                self._unsynced.append(step)
        survivors = len(self._unsynced)
        kind = rng.randrange(3)
        if kind == 0:
            survivors = 0
        elif kind == 1:
            survivors = rng.randint(0, survivors)
        self._unsynced = self._unsynced[:survivors]
        self._sync()
        self._unsynced = []
        self._part = None
        self.queue.clear()
        self.working = []
        self.log = self.durable.copy()

    def _sync(self) -> None:
        durable = self.durable
        for step in self._unsynced:
            if type(step) is LogBatch:
                durable.append(step)
            elif type(step) is TruncateLog:
                durable.truncate_to(step.end_offset)
            elif type(step) is WriteSnapshotChunk:
                self._write_chunk(step)
            elif type(step) is DropSnapshotPart:
                self._part = None
            elif type(step) is InstallSnapshot:
                self._install(step)
        self._unsynced = []

    # -- snapshots -----------------------------------------------------------------------------------------------

    def _write_chunk(self, chunk: WriteSnapshotChunk) -> None:
        if chunk.position == 0:
            self._part = (chunk.snapshot, bytearray())
        assert self._part is not None, (
            f"a chunk at {chunk.position} of snapshot {chunk.snapshot} has no part file"
        )
        snapshot_id, content = self._part
        assert snapshot_id == chunk.snapshot, (
            f"the part file is of {snapshot_id}, the chunk of {chunk.snapshot}"
        )
        assert len(content) == chunk.position, (
            f"chunk at {chunk.position}, the part file ends at {len(content)}"
        )
        content.extend(chunk.data)

    def _install(self, install: InstallSnapshot) -> None:
        assert self._part is not None, f"there is no part file of snapshot {install.snapshot}"
        snapshot_id, content = self._part
        assert snapshot_id == install.snapshot, (
            f"the part file is of {snapshot_id}, not of {install.snapshot}"
        )
        assert len(content) == install.size, f"the part file has {len(content)} bytes of {install.size}"
        self._part = None
        snapshot = self._library.read(snapshot_id, bytes(content))
        if snapshot is None:
            return
        self.store(snapshot)
        self.durable.truncate_fully_to(snapshot_id.offset)
        self.log.truncate_fully_to(snapshot_id.offset)

    def _installed(self, install: InstallSnapshot) -> Event:
        snapshot = self.snapshots.get(install.snapshot)
        if snapshot is None:
            return SnapshotRejected(snapshot=install.snapshot)
        return SnapshotInstalled(snapshot=snapshot.stored, control_records=snapshot.control_records)

    def store(self, snapshot: Snapshot) -> None:
        """Add a snapshot, newer than all others."""
        latest = self.latest_snapshot
        assert latest is None or snapshot.id.offset > latest.id.offset, (
            f"snapshot {snapshot.id} after {latest and latest.id}"
        )
        self.snapshots[snapshot.id] = snapshot

    def clean_to(self, snapshot: Snapshot) -> None:
        """Let the log start at a snapshot's end, and delete all snapshots before it."""
        self.log.move_start_to(snapshot.id.offset)
        self.durable.move_start_to(snapshot.id.offset)
        self._bootstrap_records = ()
        for older in [each for each in self.snapshots if each.offset < snapshot.id.offset]:
            del self.snapshots[older]

    # -- recovery ------------------------------------------------------------------------------------------------

    def recover(self) -> Opened:
        """What a start finds on the disk; a snapshot that is ahead of the log replaces the log."""
        latest = self.latest_snapshot
        if latest is not None:
            last = self.durable.last
            last_epoch = last.epoch if last is not None else 0
            if self.durable.end_offset < latest.id.offset or last_epoch < latest.id.epoch:
                self.durable.truncate_fully_to(latest.id.offset)
                self.log = self.durable.copy()
        return Opened(
            log_start_offset=self.durable.start_offset,
            log_end_offset=self.durable.end_offset,
            epoch_starts=self.durable.epoch_starts(),
            snapshots=tuple(snapshot.stored for snapshot in self.snapshots.values()),
            election=self.election,
            control_records=self.control_records(),
        )

    def control_records(self) -> tuple[RecordedControl, ...]:
        """The control records of the latest snapshot, else of the 0-0 one, then those of the log after it."""
        latest = self.latest_snapshot
        records = list(self._bootstrap_records if latest is None else latest.control_records)
        first = 0 if latest is None else latest.id.offset
        for batch in self.log.batches:
            if batch.control:
                records += [each for each in batch.control if each.offset >= first]
        return tuple(records)
