"""A replica's log in the simulator: whole batches, which replicas share by reference.

The leader that appends a batch makes it once; every replica that fetches it holds the same object. So two logs agree
on a batch if and only if they hold the same object, and comparing logs costs next to nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from kafkaproto_server.base.types import BATCH_HEADER_BYTES
from kafkaproto_server.core.raft.values.control import KRaftVersion, KRaftVoters, RecordedControl
from kafkaproto_server.core.raft.values.effects import PendingBatch
from kafkaproto_server.core.raft.values.epoch_start import EpochStart
from kafkaproto_server.core.raft.values.messages import FetchedBatch


class LogBatch(FetchedBatch, frozen=True, kw_only=True):
    """A batch in some log; its ``payload`` is unlike that of any other batch of the run."""

    records: tuple[bytes, ...]
    """Values of its data records; none if it holds control records."""
    size: int
    """Bytes that it stands for."""


def log_batch(pending: PendingBatch, serial: int) -> LogBatch:
    """What a driver would write for a batch that a leader appends; ``serial`` is never used again."""
    control = tuple(
        RecordedControl(offset=offset, record=record)
        for offset, record in enumerate(pending.control, start=pending.base_offset)
        if isinstance(record, KRaftVersion | KRaftVoters)
    )
    return LogBatch(
        base_offset=pending.base_offset,
        next_offset=pending.next_offset,
        epoch=pending.epoch,
        control=control,
        payload=b"%d" % serial,
        records=pending.records,
        size=BATCH_HEADER_BYTES + sum(map(len, pending.records)) + 20 * len(pending.control),
    )


class ReplicaLog:
    """Batches in order, from the log's start to its end."""

    __slots__ = ("_bases", "batches", "end_offset", "start_offset")

    def __init__(self) -> None:
        self.batches: list[LogBatch] = []
        self._bases: list[int] = []
        self.start_offset = 0
        self.end_offset = 0

    @property
    def last(self) -> LogBatch | None:
        """The last batch; None if the log holds none."""
        return self.batches[-1] if self.batches else None

    def append(self, batch: LogBatch) -> None:
        """Put a batch at the end."""
        assert batch.base_offset == self.end_offset, (
            f"batch at {batch.base_offset} follows the end {self.end_offset}"
        )
        self.batches.append(batch)
        self._bases.append(batch.base_offset)
        self.end_offset = batch.next_offset

    def truncate_to(self, end_offset: int) -> None:
        """Remove everything from ``end_offset`` on, which is a batch boundary."""
        assert self.start_offset <= end_offset <= self.end_offset, (
            f"truncation to {end_offset} of a log from {self.start_offset} to {self.end_offset}"
        )
        while self.end_offset > end_offset:
            self.end_offset = self._bases.pop()
            self.batches.pop()
        assert self.end_offset == end_offset, f"{end_offset} is inside of a batch"

    def truncate_fully_to(self, offset: int) -> None:
        """Remove everything; the log starts and ends at ``offset`` now."""
        self.batches = []
        self._bases = []
        self.start_offset = self.end_offset = offset

    def move_start_to(self, offset: int) -> None:
        """Forget the batches below ``offset``, which is a batch boundary."""
        assert self.start_offset <= offset <= self.end_offset, f"log start moved to {offset}"
        count = bisect_right(self._bases, offset - 1)
        del self.batches[:count], self._bases[:count]
        self.start_offset = offset

    def batch_with(self, offset: int) -> LogBatch | None:
        """The batch that holds this offset; None if the log does not have it."""
        if not self.start_offset <= offset < self.end_offset:
            return None
        return self.batches[bisect_right(self._bases, offset) - 1]

    def holds(self, batch: LogBatch) -> bool:
        """Whether this very batch is in the log, or in what was cut off at its start."""
        if batch.next_offset <= self.start_offset:
            return True
        return self.batch_with(batch.base_offset) is batch

    def batches_from(self, offset: int) -> Iterator[LogBatch]:
        """Batches from the one that holds ``offset`` on."""
        index = bisect_right(self._bases, offset) - 1
        batches = self.batches
        for position in range(max(index, 0), len(batches)):
            yield batches[position]

    def read(self, offset: int, end_offset: int, max_bytes: int) -> tuple[LogBatch, ...]:
        """Whole batches from ``offset`` to ``end_offset``, at least one, at most ``max_bytes`` beyond that."""
        batches = self.batches
        first = position = bisect_right(self._bases, offset) - 1
        size = 0
        while position < len(batches):
            batch = batches[position]
            size += batch.size
            if batch.next_offset > end_offset or (size > max_bytes and position > first):
                break
            position += 1
        return tuple(batches[first:position])

    def epoch_starts(self) -> tuple[EpochStart, ...]:
        """Each epoch with the offset of its first batch, as recovery finds them."""
        starts: list[EpochStart] = []
        epoch = -1
        for batch in self.batches:
            if batch.epoch != epoch:
                epoch = batch.epoch
                starts.append(EpochStart(epoch=epoch, start_offset=batch.base_offset))
        return tuple(starts)

    def copy(self) -> ReplicaLog:
        """A log of its own with the same content."""
        twin = ReplicaLog()
        twin.batches = list(self.batches)
        twin._bases = list(self._bases)
        twin.start_offset = self.start_offset
        twin.end_offset = self.end_offset
        return twin
