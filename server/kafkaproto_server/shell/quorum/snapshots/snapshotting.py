"""Writes snapshots of the committed state, and reads them.

When: after a number of bytes of records since the last snapshot (``metadata.log.max.record.bytes.between.snapshots``)
or after some time (``metadata.log.max.snapshot.interval.ms``), but never inside a metadata transaction. All replicas
see the same records. To keep them from writing at the same time, each node draws at random for each snapshot by how
much it is early.

How: an image is immutable, so it can be written while changes continue. The event loop itself does the encoding, a
millisecond at a time, with longer pauses in between. A separate thread would hold the interpreter's lock for longer
than that whenever the loop needs it back. Threads only do the file operations.

If a snapshot cannot be written, nothing is lost, because the log has everything. The failure is logged, and the attempt
is repeated later.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator

import trio

from kafkaproto.snapshot import SnapshotId
from kafkaproto_server.base.ports import Buffer, Clock, Rng
from kafkaproto_server.base.types import OffsetAndEpoch
from kafkaproto_server.core.raft.values.events import StoredSnapshot
from kafkaproto_server.core.raft.values.voters import VoterSet
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.process.threads import SYSTEM_THREADS, Threads
from kafkaproto_server.shell.quorum.snapshots.snapshot_contents import (
    image_of_snapshot,
    snapshot_id_of_image,
    snapshot_pieces,
)
from kafkaproto_server.shell.storage.metadata.snapshot_file import SnapshotStore, SnapshotWriter

_log = logging.getLogger("kafkaproto.server.quorum")

JITTER_PERCENT = 20
"""The largest part of its limits by which a snapshot is early."""

RETRY_MS = 60_000
"""The time from a failure to the next attempt."""

SLICE_S = 0.001
"""How long the event loop is blocked at a time, plus at most one more batch."""

PAUSE_RATIO = 4
"""The pause after such a slice, as a multiple of its length: writing a snapshot takes a fifth of a processor."""

WRITE_BYTES = 1024 * 1024
"""How much is written and synced at once, so that the log's own syncs never wait for more than this."""


class SnapshotSchedule:
    """Decides when the next snapshot is due. Times are monotonic, in milliseconds."""

    def __init__(self, *, max_bytes: int, max_interval_ms: int, rng: Rng, now_ms: int) -> None:
        """An interval of 0 means none; there are at least some bytes between snapshots."""
        assert max_bytes > 0, "a snapshot without new records is never due"
        self._max_bytes = max_bytes
        self._max_interval_ms = max_interval_ms
        self._rng = rng
        self.restart(now_ms)

    def restart(self, now_ms: int) -> None:
        """The present state is in a snapshot."""
        self._bytes = 0
        # Drawn anew each time, or the same two nodes would write together for ever.
        early_percent = self._rng.below(JITTER_PERCENT + 1)
        self._due_bytes = self._max_bytes - self._max_bytes * early_percent // 100
        early_ms = self._max_interval_ms * early_percent // 100
        self._due_ms = now_ms + self._max_interval_ms - early_ms
        self._retry_ms = now_ms

    def delay(self, now_ms: int) -> None:
        """The last attempt failed. The next one is due after `RETRY_MS`, however many bytes have come since."""
        self._retry_ms = now_ms + RETRY_MS
        # `restart` has reset the count, though nothing was written. Only the time decides now.
        self._due_bytes = 1

    def add(self, size_bytes: int) -> None:
        """Records of this many bytes were committed."""
        self._bytes += size_bytes

    def is_due(self, now_ms: int) -> bool:
        """Whether a snapshot is due. It never is without new records."""
        has_waited = self._max_interval_ms > 0 and now_ms >= self._due_ms
        # Without new records a snapshot would be the one that exists already.
        is_due = self._bytes >= self._due_bytes or (has_waited and self._bytes > 0)
        # A full disk must not be tried at every batch.
        return is_due and now_ms >= self._retry_ms


class Snapshotter:
    """Writes this node's snapshots, one at a time. Only the event loop's thread uses this class."""

    def __init__(
        self,
        *,
        snapshots: SnapshotStore,
        max_bytes: int,
        max_interval_ms: int,
        voters_at: Callable[[int], tuple[int, VoterSet | None]],
        created: Callable[[StoredSnapshot], None],
        clock: Clock,
        rng: Rng,
        threads: Threads = SYSTEM_THREADS,
    ) -> None:
        """``voters_at`` is `core.raft.node.RaftNode.voters_at`; ``created`` is called with each snapshot once it is
        durable."""
        self._snapshots = snapshots
        self._voters_at = voters_at
        self._created = created
        self._clock = clock
        self._rng = rng
        self._threads = threads
        self._schedule = SnapshotSchedule(
            max_bytes=max_bytes, max_interval_ms=max_interval_ms, rng=rng, now_ms=clock.now_ms()
        )
        self._wanted: ClusterImage | None = None
        self._wake = trio.Event()
        self._writing = trio.CancelScope()
        self._written_image: ClusterImage | None = None
        self.announcing = trio.Lock()
        """Held from the moment a snapshot gets its name until ``created`` was called."""
        self.written = 0
        """Snapshots written since the start."""
        self.failed = 0
        """Attempts that failed at the disk."""
        self.latest_bytes = 0
        """Size of the newest snapshot."""
        self.latest_at_ms = 0
        """Monotonic time at which the newest snapshot was complete."""

    def committed(self, image: ClusterImage, *, last_offset: int, size_bytes: int) -> None:
        """Batches of ``size_bytes`` in all were committed, the last of which ends with ``last_offset``. ``image`` is
        the newest state that may be shown.

        The image lags behind while a transaction is open. No snapshot is made of it then.
        """
        # Also inside a transaction: these records are to be in the next snapshot all the same.
        self._schedule.add(size_bytes)
        # KIP-868: a snapshot cannot hold half a metadata transaction, so none is begun inside one.
        is_complete = image.offset == last_offset
        if is_complete and self._written_image is None and self._schedule.is_due(self._clock.now_ms()):
            # A newer image takes the place of one that waits: only the newest is worth writing.
            self._wanted = image
            self._wake.set()

    def loaded(self, image: ClusterImage) -> None:
        """``image`` was loaded from a snapshot that this node had or fetched. One that is being written is given up.

        It is older: an image is only loaded if it is newer than all that was committed here (`MetadataFeed`).
        """
        self._schedule.restart(self._clock.now_ms())
        self._wanted = None
        # Its name would be older than the snapshot that is here already, and the core ignores such
        # a one (`LogIndex.add_snapshot`).
        self._writing.cancel()

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Write the snapshots that become due, until cancelled."""
        task_status.started()
        while True:
            await self._wake.wait()
            self._wake = trio.Event()
            # The image may have been dropped since the wake-up, because a newer snapshot was
            # loaded.
            self._written_image, self._wanted = self._wanted, None
            if self._written_image is None:
                continue
            with trio.CancelScope() as self._writing:
                await self._attempt(self._written_image)
            self._written_image = None

    async def _attempt(self, image: ClusterImage) -> None:
        begin = time.perf_counter()
        try:
            await self.write(image)
        except OSError as error:
            self.failed += 1
            self._schedule.delay(self._clock.now_ms())
            _log.warning(
                "failed to write a snapshot to offset %d; the next attempt is in %d s: %s",
                image.offset + 1,
                RETRY_MS // 1000,
                error,
            )
            return
        _log.info(
            "wrote a snapshot to offset %d: %d bytes in %.1f s",
            image.offset + 1,
            self.latest_bytes,
            time.perf_counter() - begin,
        )

    async def write(self, image: ClusterImage) -> None:
        """Write a snapshot of ``image``, regardless of the schedule. Raises OSError; no file is left behind then."""
        snapshot_id = snapshot_id_of_image(image)
        # Start counting here, because records that arrive from now on are not in the snapshot.
        self._schedule.restart(self._clock.now_ms())
        # In a thread, because creating a file may wait for the disk.
        writer = await self._threads.run(self._snapshots.create, snapshot_id, self._rng.uuid)
        try:
            await self._write_pieces(self._pieces(image, snapshot_id), writer)
            # The cleaner may run at the same moment. The core has to hear of a snapshot before it
            # is deleted.
            async with self.announcing:
                await self._threads.run(writer.freeze)
                # In the same hold of the lock: from its name on the file may be asked for, and
                # deleted.
                self._announce(snapshot_id, writer.size)
        except BaseException:
            # The part file is removed although the task is cancelled: a stopping node leaves no
            # leftovers.
            with trio.CancelScope(shield=True):
                await self._threads.run(writer.abort)
            raise

    def _pieces(self, image: ClusterImage, snapshot_id: SnapshotId) -> Iterator[bytes]:
        # Those at the snapshot's end, not the newest: a later voter set may be uncommitted yet.
        kraft_version, voters = self._voters_at(snapshot_id.end_offset)
        return snapshot_pieces(
            image, kraft_version=kraft_version, voters=voters, timestamp_ms=self._clock.wall_ms()
        )

    async def _write_pieces(self, pieces: Iterator[bytes], writer: SnapshotWriter) -> None:
        gathered: list[Buffer] = []
        size = 0
        begin = time.perf_counter()
        for piece in pieces:
            gathered.append(piece)
            size += len(piece)
            elapsed = time.perf_counter() - begin
            if elapsed < SLICE_S:
                continue
            if size >= WRITE_BYTES:
                await self._threads.run(_write_and_sync, writer, gathered)
                gathered, size = [], 0
            # The pause grows with the slice. So a slow machine spends no larger part of its time
            # here.
            await trio.sleep(elapsed * PAUSE_RATIO)
            begin = time.perf_counter()
        await self._threads.run(_write_and_sync, writer, gathered)

    def _announce(self, snapshot_id: SnapshotId, size_bytes: int) -> None:
        self.written += 1
        self.latest_bytes = size_bytes
        self.latest_at_ms = self._clock.now_ms()
        position = OffsetAndEpoch(offset=snapshot_id.end_offset, epoch=snapshot_id.epoch)
        self._created(StoredSnapshot(id=position, size_bytes=size_bytes))


def _write_and_sync(writer: SnapshotWriter, pieces: list[Buffer]) -> None:
    writer.append(*pieces)
    writer.sync()


def read_image(snapshots: SnapshotStore, snapshot_id: SnapshotId) -> ClusterImage:
    """The image in a snapshot. Blocks.

    Raises CorruptFileError if the file is damaged, RemoteProtocolError if a record is of an unknown kind, ReplayError
    if records contradict each other, and FileNotFoundError.
    """
    return image_of_snapshot(snapshots.read(snapshot_id), snapshot_id)
