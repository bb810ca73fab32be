"""Feeds the committed part of the metadata log to the builder of this node's image.

The builder gets the batches in the log's order, each once. At the log's end they come from memory
(`shell.quorum.log_tail`). Older ones are read from the disk in the worker's thread. What only a snapshot holds is
loaded from the newest snapshot in another thread. The work is done in small slices, so that replaying a long log does
not delay elections on the event loop.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

import msgspec
import trio

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.records.batch import RecordBatchView, iterate_batches
from kafkaproto.records.metadata import decode_metadata_record
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.controller.values.events import BatchCommitted
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.process.threads import SYSTEM_THREADS, Threads
from kafkaproto_server.shell.quorum.disk_worker import DiskWorker
from kafkaproto_server.shell.quorum.image.image_builder import ImageBuilder
from kafkaproto_server.shell.quorum.log_tail import LogTail
from kafkaproto_server.shell.storage.errors import OffsetOutOfRangeError, StorageError
from kafkaproto_server.shell.storage.log.log import Log

READ_BYTES = 256 * 1024
"""How much of the committed log is read from the disk at a time: some thousand records."""

SLICE_MS = 5.0
"""How long one `step` may work before other tasks run."""

STEPS_PER_LOOK = 32
"""Steps of a batch between two checks of the clock; each step takes some ten microseconds."""


class MetadataFeed:
    """Replays the log up to the high watermark with an `ImageBuilder`."""

    def __init__(
        self,
        builder: ImageBuilder,
        *,
        log: Log,
        tail: LogTail,
        worker: DiskWorker,
        load_snapshot: Callable[[], ClusterImage | None],
        loaded: Callable[[ClusterImage], None],
        wake: Callable[[], None],
        threads: Threads = SYSTEM_THREADS,
    ) -> None:
        """``load_snapshot`` blocks and returns the newest snapshot's image, None if there is no snapshot. ``loaded`` is
        called with that image. ``wake`` is called when `step` has something to do again."""
        self._builder = builder
        self._log = log
        self._tail = tail
        self._worker = worker
        self._load_snapshot = load_snapshot
        self._loaded = loaded
        self._wake = wake
        self._threads = threads
        self._high_watermark = 0
        self._is_waiting = False
        self._must_load = False
        self._read: deque[RecordBatchView] = deque()
        # The remaining steps of the batch that is being decoded and replayed.
        self._in_hand: Iterator[None] | None = None
        self.fed_bytes = 0
        """Size of all batches that the builder got."""
        self.loaded_snapshots = 0
        """The number of snapshots that the builder got."""

    @property
    def is_at_end(self) -> bool:
        """Whether the builder has everything that is known to be committed."""
        is_complete = self._builder.next_offset >= self._high_watermark
        return is_complete and not self._must_load and not self._is_waiting

    @property
    def can_step(self) -> bool:
        """Whether `step` has something to do without waiting for a thread."""
        return not self._is_waiting and not self.is_at_end

    def advance(self, high_watermark: int) -> None:
        """Everything below ``high_watermark`` is committed."""
        # A new leader's high watermark is unknown at first and may start lower. What was committed
        # once stays committed.
        self._high_watermark = max(self._high_watermark, high_watermark)

    def load_newest_snapshot(self) -> None:
        """The log now begins with a snapshot that is ahead of the builder."""
        self._must_load = True
        # Batches from before the snapshot, and one that is half replayed, belong to a history that
        # the snapshot replaces.
        self._read.clear()
        self._in_hand = None

    def step(self, nursery: trio.Nursery) -> None:
        """Replay for some milliseconds what is in memory. What is not in memory is fetched by a thread started in
        ``nursery``."""
        end = time.perf_counter() + SLICE_MS / 1000
        while self.can_step:
            if self._must_load:
                self._is_waiting = True
                nursery.start_soon(self._take_snapshot)
                return
            if self._in_hand is None:
                batch = self._next_batch()
                if batch is None:
                    return
                # In steps: a batch may hold ten thousand records, and the loop must not wait for
                # all of them.
                self._in_hand = self._hand_over(batch)
            taken = 0
            for _ in islice(self._in_hand, STEPS_PER_LOOK):
                taken += 1
            if taken < STEPS_PER_LOOK:
                self._in_hand = None
            if time.perf_counter() > end:
                return

    def _hand_over(self, batch: RecordBatchView) -> Iterator[None]:
        """Decode and replay a batch and pass it to the builder, with at least one step for each record."""
        try:
            committed = yield from committed_batch(batch)
        except RemoteProtocolError as error:
            raise StorageError(
                f"{self._log.directory}: the batch at offset {batch.base_offset} is whole, but this release cannot "
                f"read its records: {error}"
            ) from error
        # First worked out beside the builder's state, then taken over at once: nobody sees half a
        # batch.
        loaded = yield from self._builder.load_steps(committed)
        self._builder.take_batch(msgspec.structs.replace(committed, loaded=loaded))
        self.fed_bytes += batch.size_in_bytes

    def _next_batch(self) -> RecordBatchView | None:
        """The next batch if it is in memory. Else None, and the batch is being read."""
        offset = self._builder.next_offset
        # A read begins with a whole batch, and a snapshot may have overtaken what was read.
        while self._read and self._read[0].base_offset < offset:
            self._read.popleft()
        if self._read:
            return self._read.popleft()
        # One batch at a time: bytes of 0 still give one whole batch.
        found = self._tail.read(offset, self._high_watermark, max_bytes=0)
        if found is not None:
            assert found[0].base_offset == offset, f"offset {offset} is inside of a batch"
            if found[0].next_offset > self._high_watermark:
                self._wait_for_whole_batch()
                return None
            return RecordBatchView(found[0].payload)
        # One read at a time: the next one depends on where this one ends.
        self._is_waiting = True
        self._worker.call(partial(self._read_batches, offset, self._high_watermark), self._take_batches)
        return None

    def _read_batches(self, offset: int, high_watermark: int) -> list[RecordBatchView] | None:
        """In the worker's thread. None if the log starts later by now.

        Batches that are not committed yet are left out: they may still be replaced.
        """
        try:
            data = self._log.read(offset, READ_BYTES)
        except OffsetOutOfRangeError:
            return None
        return [batch for batch in iterate_batches(data) if batch.next_offset <= high_watermark]

    def _take_batches(self, batches: list[RecordBatchView] | None) -> None:
        self._is_waiting = False
        if batches is None:
            self._must_load = True
        # The high watermark lies inside the batch at that offset.
        elif not batches:
            self._wait_for_whole_batch()
        # A snapshot came while the thread was reading. Its image already holds these batches.
        elif not self._must_load:
            self._read.extend(batches)
        self._wake()

    def _wait_for_whole_batch(self) -> None:
        # Leaders of this server never send a high watermark inside a batch. If one comes, the batch waits for a later
        # high watermark.
        self._high_watermark = self._builder.next_offset

    async def _take_snapshot(self) -> None:
        image = await self._threads.run(self._load_snapshot)
        # Also if the image turns out to be of no use: the log may have what is needed by now.
        self._is_waiting = self._must_load = False
        if image is None:
            raise StorageError(
                f"{self._log.directory}: offset {self._builder.next_offset} is needed, but the log begins at "
                f"{self._log.log_start_offset}, and there is no snapshot of what was before"
            )
        # An older snapshot would set the image back.
        if image.offset >= self._builder.next_offset:
            self._builder.take_snapshot(image)
            self.loaded_snapshots += 1
            self._loaded(image)
        self._wake()


def committed_batch(batch: RecordBatchView) -> Steps[BatchCommitted]:
    """Decode a batch of the log. Raises RemoteProtocolError for a record of an unknown type or version."""
    records = None
    if not batch.is_control:
        decoded = []
        for record in batch.records():
            # A record without a value cannot be decoded, which is damage and must not be skipped.
            decoded.append(decode_metadata_record(record.value or b"")[0])
            yield
        records = tuple(decoded)
    return BatchCommitted(
        base_offset=batch.base_offset,
        last_offset=batch.last_offset,
        epoch=batch.partition_leader_epoch,
        timestamp_ms=batch.max_timestamp,
        records=records,
    )
