"""Writes a metadata log's directory, in a thread of a pool: the log, quorum-state, fetched snapshots. Nobody else
writes there.

Jobs are done in the order of their arrival. Appends that wait together become one write and one sync (group commit):
while one sync runs, everything that arrives is gathered for the next. Reads wait in the same queue, so each read sees
the log as it was when the read was requested.

A job that fails ends the pool, and with it the node. No effect of the failed job or of a later one is reported.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeVar

import msgspec

from kafkaproto.errors import RemoteProtocolError
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.core.raft.values.effects import (
    DropSnapshotPart,
    InstallSnapshot,
    TruncateLog,
    WriteElectionState,
    WriteSnapshotChunk,
)
from kafkaproto_server.core.raft.values.events import SnapshotInstalled, SnapshotRejected, StoredSnapshot
from kafkaproto_server.shell.process.io_workers import Report
from kafkaproto_server.shell.process.threads import Jobs, Workers
from kafkaproto_server.shell.quorum.snapshots.log_contents import snapshot_controls, snapshot_id_of
from kafkaproto_server.shell.storage.errors import CorruptFileError, StorageError
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.metadata.quorum_state_file import QuorumState, QuorumStateFile
from kafkaproto_server.shell.storage.metadata.snapshot_file import SnapshotStore

T = TypeVar("T")

_log = logging.getLogger("kafkaproto.server.quorum")

DiskEvent = SnapshotInstalled | SnapshotRejected

DiskWrite = Buffer | TruncateLog | WriteSnapshotChunk | DropSnapshotPart | InstallSnapshot
"""A whole batch to append, as bytes, or one of the other changes to the directory."""


_BATCH = (bytes, bytearray, memoryview)
"""`Buffer`, for isinstance."""


class PersistJob(msgspec.Struct, frozen=True, kw_only=True):
    """What one `core.raft.values.effects.Effects` requires to be durable."""

    number: int
    writes: tuple[DiskWrite, ...] = ()
    """Done in order, before ``election_state``."""
    election_state: WriteElectionState | None = None
    must_sync: bool = False

    @property
    def only_appends(self) -> bool:
        """Whether it may share the write and the sync of an earlier job."""
        return self.election_state is None and all(isinstance(write, _BATCH) for write in self.writes)


class DurableRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of jobs is durable."""

    number: int
    """The number of the newest of these jobs."""
    events: tuple[DiskEvent, ...]
    """The events that the Raft core has to get first."""
    sync_ms: float | None
    """Duration of the log's sync; None if there was none."""


class DiskFailureError(StorageError):
    """The disk failed: this node cannot continue as a voter."""


@dataclass(frozen=True, slots=True)
class _DiskCall:
    work: Callable[[], Any]
    done: Callable[[Any], None]


class DiskWorker:
    """Takes jobs, has them done by a pool's thread, and reports in the event loop's thread."""

    def __init__(
        self,
        *,
        log: Log,
        quorum_state_file: QuorumStateFile,
        snapshots: SnapshotStore,
        report: Callable[[DurableRun], None],
        workers: Workers,
    ) -> None:
        """``report`` is called in the event loop's thread, in the order of the jobs."""
        self._log = log
        self._quorum_state_file = quorum_state_file
        self._snapshots = snapshots
        self._report = report
        # One lane: jobs are done in order, one at a time, whichever thread of the pool does them.
        self._jobs: Jobs[PersistJob | _DiskCall] = workers.lane(self._work)

    def persist(self, job: PersistJob) -> None:
        """Queue a change that is to become durable. ``report`` is called once it is, possibly for several jobs
        together."""
        self._jobs.put(job)

    def call(self, work: Callable[[], T], done: Callable[[T], None]) -> None:
        """Queue any other work on the directory. ``done`` is called with its result in the event loop's thread.

        An exception from ``work`` ends the node.
        """
        self._jobs.put(_DiskCall(work, done))

    # -- in the pool's threads -------------------------------------------------------------------------------------

    def _work(self, waiting: deque[PersistJob | _DiskCall], report: Report) -> None:
        """Do the first job; if it persists something, together with the jobs behind it that only append."""
        job = waiting.popleft()
        if isinstance(job, _DiskCall):
            # A call never shares a run: it has to see the log as it was when it was queued.
            with self._failures_named("read or clean"):
                result = job.work()
            report(job.done, result)
            return
        run = [job]
        # Group commit, as in databases: what came while the disk was busy costs one sync, not one
        # each. A job with an election state begins a run of its own, because its order among the
        # writes matters.
        while waiting and isinstance(following := waiting[0], PersistJob) and following.only_appends:
            run.append(following)
            waiting.popleft()
        report(self._report, self._persist(run))

    def _persist(self, run: Sequence[PersistJob]) -> DurableRun:
        """Do the first job, together with the jobs behind it that only append."""
        first = run[0]
        together = list(first.writes)
        events = []
        # Only the first job of a run may have one. quorum-state is written in its place: after the
        # records of its own job, and before those of later jobs.
        if first.election_state is not None:
            events = self._write_all(together)
            together = []
            with self._failures_named("write of quorum-state"):
                self._quorum_state_file.write(_quorum_state(first.election_state))
        # The rest of the run follows: only appends, so nothing in it has to wait for anything but
        # the sync.
        events += self._write_all([*together, *(write for job in run[1:] for write in job.writes)])
        sync_ms = None
        # Observers do not sync their appends. As in Kafka, only a node that may become a voter
        # promises that what it fetched is durable.
        if any(job.must_sync for job in run):
            begin = time.perf_counter()
            with self._failures_named("sync"):
                self._log.sync()
            sync_ms = (time.perf_counter() - begin) * 1000
        # The newest number stands for all: the core takes everything up to it for durable.
        return DurableRun(number=run[-1].number, events=tuple(events), sync_ms=sync_ms)

    def _write_all(self, writes: Sequence[DiskWrite]) -> list[DiskEvent]:
        events: list[DiskEvent] = []
        # Batches that follow each other are one write, without changing the order among the others.
        for are_batches, group in groupby(writes, lambda write: isinstance(write, _BATCH)):
            if are_batches:
                with self._failures_named("write"):
                    self._log.append([write for write in group if isinstance(write, _BATCH)])
                continue
            events += [event for write in group if (event := self._write(write)) is not None]
        return events

    def _write(self, write: DiskWrite) -> DiskEvent | None:
        match write:
            case TruncateLog(end_offset=end_offset):
                cut = self._log.log_end_offset - end_offset
                with self._failures_named("truncation"):
                    self._log.truncate_to(end_offset)
                _log.info(
                    "cut %d uncommitted records at offset %d that the leader does not have", cut, end_offset
                )
            case WriteSnapshotChunk():
                with self._failures_named("write of a fetched snapshot"):
                    self._snapshots.write_part(snapshot_id_of(write.snapshot), write.position, write.data)
            case DropSnapshotPart():
                with self._failures_named("removal of a part file"):
                    self._snapshots.drop_part(snapshot_id_of(write.snapshot))
            case InstallSnapshot():
                with self._failures_named("installation of a snapshot"):
                    return self._install(write)
        return None

    def _install(self, install: InstallSnapshot) -> DiskEvent:
        snapshot_id = snapshot_id_of(install.snapshot)
        try:
            # The snapshot is durable before the log is emptied. A crash in between is repaired at
            # the next start (`shell.storage.metadata.reconciliation`).
            size = self._snapshots.complete_part(snapshot_id)
            controls = snapshot_controls(self._snapshots, snapshot_id)
        # What the leader sent is wrong, not this node's disk: the core fetches again.
        except (CorruptFileError, RemoteProtocolError) as error:
            _log.warning("discarded the snapshot that was fetched: %s", error)
            return SnapshotRejected(snapshot=install.snapshot)
        # All of it, as Kafka does: what lies behind the snapshot may be of a leader whose records
        # did not survive.
        self._log.truncate_fully_to(snapshot_id.end_offset)
        return SnapshotInstalled(
            snapshot=StoredSnapshot(id=install.snapshot, size_bytes=size), control_records=controls
        )

    @contextmanager
    def _failures_named(self, operation: str) -> Iterator[None]:
        """Add the operation and the directory to an error: the system's own message names a file only if it opened the
        file."""
        try:
            yield
        # After a failed sync nobody knows what the disk holds: the kernel may have dropped what it
        # could not write, and would report success next time.
        except OSError as error:
            raise DiskFailureError(
                f"{self._log.directory}: {operation} failed: {error}. This node stops: what its disk holds now is "
                "known only after a restart"
            ) from error


def _quorum_state(write: WriteElectionState) -> QuorumState:
    return QuorumState(
        leader_id=write.state.leader_id,
        leader_epoch=write.state.epoch,
        voted=write.state.voted_key,
        voter_ids=write.voter_ids,
        data_version=write.kraft_version,
    )
