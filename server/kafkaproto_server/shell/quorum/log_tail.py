"""The newest batches of the metadata log in memory, as bytes.

Nearly all reads of this log are at its end: followers fetch what was just appended, and committed batches go to the
image a moment later. Both are served from here, including batches that the disk is still writing. Older batches, which
were dropped here, are read from the disk.

The batches are consecutive, and the last one is the log's last. Their bytes are shared with the code that appended them
and with all readers; nobody changes them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque

import msgspec

from kafkaproto_server.base.ports import Buffer

MAX_TAIL_BYTES = 16 * 1024 * 1024
"""Twice the largest batch. At a thousand small changes a second, this holds more than a follower misses during its
restart."""

MAX_DURABLE_BATCHES = 4096
"""Most of what a small batch takes is not its bytes: the object, its view of the response that brought it, and the rest
of that response. A cluster that does nothing writes two such batches a second; counted by their bytes, its nodes would
grow for days. A follower that misses more reads them from the disk."""


class TailBatch(msgspec.Struct, frozen=True, kw_only=True):
    """One whole batch, exactly as it is or will be in the log."""

    base_offset: int
    next_offset: int
    payload: Buffer


class LogTail:
    """The batches from some offset up to the log's end."""

    def __init__(self, *, end_offset: int, max_bytes: int = MAX_TAIL_BYTES) -> None:
        """``end_offset`` is the present end of the log; what lies before is not in memory."""
        self._max_bytes = max_bytes
        self._batches: deque[TailBatch] = deque()
        self._bytes = 0
        self._end_offset = end_offset

    @property
    def start_offset(self) -> int:
        """The first offset in memory; `end_offset` if there is none."""
        return self._batches[0].base_offset if self._batches else self._end_offset

    @property
    def end_offset(self) -> int:
        """The log's end, including batches that are still being written."""
        return self._end_offset

    def append(self, batch: TailBatch) -> None:
        """Add the next batch. The oldest batches are dropped to make room; the newest always stays."""
        assert batch.base_offset == self._end_offset, (
            f"batch {batch.base_offset} does not follow {self._end_offset}"
        )
        self._batches.append(batch)
        self._bytes += len(batch.payload)
        self._end_offset = batch.next_offset
        # The newest stays, because it may not be on the disk yet: then nobody else could serve it.
        while self._bytes > self._max_bytes and len(self._batches) > 1:
            self._bytes -= len(self._batches.popleft().payload)

    def all_are_durable(self) -> None:
        """The disk has every batch: the oldest are dropped beyond `MAX_DURABLE_BATCHES`."""
        while len(self._batches) > MAX_DURABLE_BATCHES:
            self._bytes -= len(self._batches.popleft().payload)

    def truncate_to(self, end_offset: int) -> None:
        """Drop the batches from ``end_offset`` on, which is a batch boundary."""
        assert end_offset <= self._end_offset, f"cannot cut at {end_offset} what ends at {self._end_offset}"
        while self._batches and self._batches[-1].base_offset >= end_offset:
            self._bytes -= len(self._batches.pop().payload)
        # The core cuts where a batch ends in the leader's log, and up to there both have the same
        # batches.
        assert not self._batches or self._batches[-1].next_offset == end_offset, (
            f"offset {end_offset} is inside of a batch"
        )
        self._end_offset = end_offset

    def restart_at(self, offset: int) -> None:
        """Drop everything: the log is empty and continues at ``offset``."""
        # They lie before the snapshot's end, or are of a history that the snapshot has replaced.
        self._batches.clear()
        self._bytes = 0
        self._end_offset = offset

    def read(self, offset: int, end_offset: int, max_bytes: int) -> list[TailBatch] | None:
        """Whole batches, starting with the one that holds ``offset``, up to ``end_offset``: at least one, and further
        ones up to ``max_bytes`` in all.

        None if ``offset`` is not in memory (any more): the disk has it.
        """
        if not self.start_offset <= offset < self._end_offset:
            return None
        found: list[TailBatch] = []
        size = 0
        for index in range(self._index_of(offset), len(self._batches)):
            batch = self._batches[index]
            size += len(batch.payload)
            # Whole batches only, since a reader checks the CRC of each. The first goes whatever its
            # size is.
            if batch.base_offset >= end_offset or (found and size > max_bytes):
                break
            found.append(batch)
        return found

    def _index_of(self, offset: int) -> int:
        """The index of the batch with ``offset``. Nearly all readers want one of the last batches."""
        last = len(self._batches) - 1
        # An index into the middle of a deque is slow. Almost every reader is within the last few
        # batches.
        for back in range(min(4, last + 1)):
            if self._batches[last - back].base_offset <= offset:
                return last - back
        return bisect_right(self._batches, offset, key=lambda batch: batch.base_offset) - 1
