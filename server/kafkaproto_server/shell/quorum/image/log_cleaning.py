"""Deletes every minute what the retention limits of the metadata log and its snapshots no longer require.

The disk's thread, which alone changes the log, moves the log start; then the Raft core is notified. Another thread
removes the deleted files, because freeing much space can take the file system a while.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import trio

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.snapshot import SnapshotId
from kafkaproto_server.base.ports import Clock
from kafkaproto_server.core.raft.values.events import LogStartMoved
from kafkaproto_server.shell.process.threads import SYSTEM_THREADS, Threads
from kafkaproto_server.shell.quorum.metadata_log import MetadataLog
from kafkaproto_server.shell.storage.deletion import remove_deleted
from kafkaproto_server.shell.storage.errors import StorageError
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.retention import (
    RetainedSegment,
    RetainedSnapshot,
    retained_from,
)
from kafkaproto_server.shell.storage.metadata.snapshot_file import take_header

_log = logging.getLogger("kafkaproto.server.quorum")

CLEANING_INTERVAL_S = 60.0
"""Apache Kafka uses the same fixed interval."""


class MetadataLogCleaner:
    """Cleans one metadata log's directory."""

    def __init__(
        self,
        *,
        log: MetadataLog,
        clock: Clock,
        announcing: trio.Lock,
        moved: Callable[[LogStartMoved], None],
        threads: Threads = SYSTEM_THREADS,
    ) -> None:
        """``announcing`` is the lock of the `shell.quorum.snapshots.snapshotting.Snapshotter`: a task that changes the
        snapshots holds it until the Raft core has been notified. ``moved`` is called in the event loop's thread."""
        self._disk = log.storage.disk
        self._log = log.storage.log
        self._snapshots = log.storage.snapshots
        self._limits = log.storage.retention
        self._worker = log.worker
        self._clock = clock
        self._announcing = announcing
        self._moved = moved
        self._threads = threads

    async def run(self) -> None:
        """Clean once a minute until cancelled."""
        while True:
            await trio.sleep(CLEANING_INTERVAL_S)
            await self.clean()

    async def clean(self) -> None:
        """Clean once. If the log cannot be changed, the disk's thread ends the node. All else is tried again next
        time."""
        # A snapshot that gets its name meanwhile could otherwise be deleted before the core has
        # heard of it.
        async with self._announcing:
            is_done = trio.Event()

            def done(start: int | None) -> None:
                if start is not None:
                    _log.info("%s: the log starts at offset %d now", self._log.directory, start)
                    self._moved(LogStartMoved(log_start_offset=start))
                is_done.set()

            # In the lane of the writes, because only one thread may change the log.
            self._worker.call(self._clean, done)
            await is_done.wait()
        try:
            await self._threads.run(remove_deleted, self._disk, self._log.directory)
        except OSError as error:
            _log.warning("deleted files of the metadata log could not be removed: %s", error)

    # -- in the disk's thread ------------------------------------------------------------------------------------

    def _clean(self) -> int | None:
        """The new log start if it was moved, else None. Raises OSError if the log could not be changed."""
        try:
            # Listed in this lane, where no other snapshot can be installed meanwhile.
            retained = tuple(map(self._retained, self._snapshots.ids()))
        except OSError as error:
            _log.warning("the snapshots of the metadata log cannot be listed: %s", error)
            return None
        start = retained_from(
            retained, _retained_segments(self._log), self._limits, now_ms=self._clock.wall_ms()
        )
        if start is None:
            return None
        old_start = self._log.log_start_offset
        # As in Kafka, the log start first: a snapshot that is left over does no harm, and is
        # deleted next time.
        self._log.move_start_to(start)
        try:
            self._snapshots.delete_before(start)
        except OSError as error:
            _log.warning("old snapshots of the metadata log could not be deleted: %s", error)
        # A snapshot whose deletion failed last time is no news for the Raft core.
        return start if start > old_start else None

    def _retained(self, snapshot_id: SnapshotId) -> RetainedSnapshot:
        return RetainedSnapshot(
            end_offset=snapshot_id.end_offset,
            size_bytes=self._snapshots.size(snapshot_id),
            timestamp_ms=self._timestamp_ms(snapshot_id),
        )

    def _timestamp_ms(self, snapshot_id: SnapshotId) -> int | None:
        records = self._snapshots.read(snapshot_id)
        try:
            return take_header(records).last_contained_log_timestamp
        except (StorageError, RemoteProtocolError) as error:
            _log.warning("the age of a snapshot is unknown: %s", error)
            return None
        finally:
            records.close()


def _retained_segments(log: Log) -> tuple[RetainedSegment, ...]:
    """The segments, ascending, in the form that retention takes."""
    return tuple(
        RetainedSegment(next_offset=segment.next_offset, size_bytes=segment.size) for segment in log.segments
    )
