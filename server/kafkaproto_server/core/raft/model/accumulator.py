"""Gathers appended records into batches, by size and by time, as Kafka's `BatchAccumulator` does.

The records of one append share a batch (an atomic unit), unless the append says otherwise. A batch may hold several
appends. Offsets are assigned in the order of the appends. All batches are handed out together, as soon as one is full
or the linger time of the oldest record is over. Sizes are exactly those that the records will have in the log: record
batch format, magic 2, uncompressed, null keys, no headers.

Apache Kafka: ``BatchAccumulator``.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafkaproto_server.base.types import BATCH_HEADER_BYTES
from kafkaproto_server.core.raft.values.effects import AppendRefusal, PendingBatch

_FIXED_RECORD_BYTES = 4
"""Attributes, a timestamp delta of 0, a null key's length and a header count of 0 take one byte each."""


def record_bytes(offset_delta: int, value_length: int) -> int:
    """Size of one data record in its batch, its length prefix included."""
    body = _FIXED_RECORD_BYTES + _varint_bytes(offset_delta) + _varint_bytes(value_length) + value_length
    return _varint_bytes(body) + body


def _varint_bytes(value: int) -> int:
    """Size of a non-negative value as a zigzag varint, 7 bits per byte."""
    # Zigzag doubles what is not negative, and 0 takes a byte like any other number.
    return max(1, ((value << 1).bit_length() + 6) // 7)


class BatchAccumulator:
    """Records of one leader epoch that were accepted but not yet handed out for appending."""

    def __init__(self, *, epoch: int, next_offset: int, linger_ms: int, max_batch_bytes: int) -> None:
        self._epoch = epoch
        self._linger_ms = linger_ms
        self._max_batch_bytes = max_batch_bytes
        self.next_offset = next_offset
        """Offset of the next record that will be accepted."""
        self._completed: list[PendingBatch] = []
        self._records: list[bytes] = []
        self._bytes = BATCH_HEADER_BYTES
        self._lingers_until_ms: int | None = None

    @property
    def deadline_ms(self) -> int | None:
        """When the linger time of the oldest record ends; None if no record lingers."""
        return self._lingers_until_ms

    def append(
        self, base_offset: int, records: Sequence[bytes], *, atomic: bool, now_ms: int
    ) -> AppendRefusal | None:
        """Accept all records and return None, or accept none and return why. Asserts that they continue the log."""
        assert records, "an append needs at least one record"
        # The controller has replayed the records at these offsets already (Kafka: prepareAppend).
        # At any other offset they would mean something else to every node but this one.
        assert base_offset == self.next_offset, f"append at {base_offset}, but the next is {self.next_offset}"
        # What may be spread over batches is taken a record at a time: only a single record can be
        # too large then.
        units = [records] if atomic else [records[index : index + 1] for index in range(len(records))]
        # Nearly always all records fit into the open batch; then each unit does.
        if self._size_with(self._bytes, len(self._records), records) > self._max_batch_bytes and any(
            self._size_with(BATCH_HEADER_BYTES, 0, unit) > self._max_batch_bytes for unit in units
        ):
            return AppendRefusal.BATCH_TOO_LARGE
        # All units were checked before the first one is taken: a refusal leaves no half of an
        # append behind.
        for unit in units:
            self._append_unit(unit)
        if self._lingers_until_ms is None:
            # The oldest record counts: a stream of appends must not postpone the write without end.
            self._lingers_until_ms = now_ms + self._linger_ms
        return None

    def maybe_drain(self, now_ms: int) -> tuple[PendingBatch, ...]:
        """Every batch, the unfinished one included, if one is full or has lingered long enough; else none."""
        if not self._completed and (self._lingers_until_ms is None or now_ms < self._lingers_until_ms):
            return ()
        # As in Kafka, the unfinished batch goes with a full one. Both are written and synced in one
        # go, so nothing is gained if it lingers on.
        return self.drain()

    def drain(self) -> tuple[PendingBatch, ...]:
        """Every batch there is, the unfinished one included."""
        if self._records:
            self._complete_batch()
        drained = tuple(self._completed)
        self._completed = []
        self._lingers_until_ms = None
        assert not drained or drained[-1].next_offset == self.next_offset, (
            "records are missing from the last batch"
        )
        return drained

    def _append_unit(self, unit: Sequence[bytes]) -> None:
        size = self._size_with(self._bytes, len(self._records), unit)
        # No unit is torn apart. A batch reaches a follower whole or not at all, so a crash or a new
        # leader never leaves half of a command in the log.
        if size > self._max_batch_bytes:
            self._complete_batch()
            # Computed again, not only without the others: offset deltas count from 0 in the new
            # batch, and a smaller delta may take fewer bytes.
            size = self._size_with(self._bytes, 0, unit)
        assert size <= self._max_batch_bytes, f"a unit of {size} bytes was not refused"
        self._records.extend(unit)
        self._bytes = size
        self.next_offset += len(unit)

    def _complete_batch(self) -> None:
        self._completed.append(
            PendingBatch(
                base_offset=self.next_offset - len(self._records),
                epoch=self._epoch,
                records=tuple(self._records),
            )
        )
        self._records = []
        self._bytes = BATCH_HEADER_BYTES

    @staticmethod
    def _size_with(size: int, count: int, unit: Sequence[bytes]) -> int:
        """Size of a batch of ``size`` bytes and ``count`` records once the unit has joined it."""
        return size + sum(record_bytes(count + index, len(value)) for index, value in enumerate(unit))
