"""The records that dead letters are about, as the log has them.

A letter names a range of offsets. Members acquire whole batches of the log, so there may be no record at some of these
offsets: compaction has removed it, or the batch claims more records than it has. A dead letter is written for records
that are there. Of those that nobody can see any more, since the log has lost them or they cannot be read, only the last
ones of a range get a letter: a range may claim billions.

Of a record, only what is copied becomes an object. Where a round ends in the middle of a batch, its `SourcePlace` lets
the next one begin there.

Apache Kafka: ``ShareGroupDLQRecordFetcher``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, NamedTuple

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.primitives import read_varint
from kafkaproto.records.batch import MAGIC, RecordBatchView
from kafkaproto.records.compression import TooLongError
from kafkaproto.records.legacy import iterate_stored_batches
from kafkaproto.records.limits import most_decompressed_bytes
from kafkaproto.records.record import Record, encode_kept_records, read_records
from kafkaproto.records.survey import located_records
from kafkaproto_server.base.ports import Buffer

NO_TIMESTAMP: Final = -1
MAX_UNSEEN: Final = 1_000
"""So many letters are written, of a range, about records that cannot be seen any more."""
READS: Final = 16
"""How often the log is read for one round. There may be many batches without records."""


class SourcePlace(NamedTuple):
    """Where a record is in its batch."""

    base_offset: int
    """Of the batch."""
    offset: int
    number: int
    """Of the record in the batch."""
    position: int


class SourceRecords:
    """Finds the records of one round."""

    def __init__(
        self, read: Callable[[int], Buffer], log_start: int, max_bytes: int, place: SourcePlace | None = None
    ) -> None:
        """``read`` returns batches of the log, the first of which has an offset; nothing if it cannot. It may block.
        A record is copied only if the dead-letter topic, whose batches have at most ``max_bytes``, may take it.
        ``place`` is where a round before this one has ended."""
        self.place: SourcePlace | None = None
        """The record that was found last."""
        self.looked_to = log_start
        """If it was looked for in so much of the log as one round may read: where the next one goes on."""
        self._read = read
        self._log_start = log_start
        self._max_bytes = max_bytes
        self._begin_at = place
        self._reads = 0
        self._batches: Iterator[RecordBatchView] = iter(())
        self._view: RecordBatchView | None = None
        # Of the batch; None if it is too long when it is decompressed.
        self._data: bytes | None = b""
        self._count = 0
        self._cannot_read = False
        # The next record of the batch, and the offset that was looked for last.
        self._index = self._position = 0
        self._searched = log_start

    def first_from(self, offset: int, last: int) -> int | None:
        """The first offset from one to another that gets a letter; one behind ``last`` if there is none. None if that
        is not known yet: then see `looked_to`."""
        self.place = None
        # Nobody can say how many records there were. A few letters tell the operator where to look.
        if offset < self._log_start:
            end = min(last, self._log_start - 1)
            return max(offset, end - MAX_UNSEEN + 1)
        while offset <= last:
            view = self._view_of(offset)
            if view is None:
                if self._cannot_read:
                    return max(offset, last - MAX_UNSEEN + 1)
                self.looked_to = offset
                return None
            offset = max(offset, view.first_offset)
            if offset > last:
                break
            # Too long to be decompressed here. As above, the last of its offsets get a letter each.
            if self._data is None:
                return max(offset, min(last, view.last_offset) - MAX_UNSEEN + 1)
            if self._is_found(view, offset):
                assert self.place is not None
                return min(self.place.offset, last + 1)
            offset = view.last_offset + 1
        return last + 1

    def copy(self) -> tuple[bytes | None, bytes | None]:
        """Key and value of the record that was found last; None and None if it is not copied."""
        view, place, data = self._view, self.place, self._data
        if place is None or not data:
            return None, None
        assert view is not None
        if view.compression and len(data) > self._max_bytes:
            return None, None
        length, start = read_varint(data, place.position)
        try:
            (record,) = read_records(data[place.position : start + length], 1, view.base_offset, 0, None)
        except RemoteProtocolError:
            return None, None
        if self._is_too_large(view, record):
            return None, None
        return record.key, record.value

    def _view_of(self, offset: int) -> RecordBatchView | None:
        """The batch that has an offset, or else the one behind it; None if it cannot be read, or not in this round."""
        # A letter may lie before the one that was written last: changes are of any records in flight.
        if self._view is not None and offset < self._view.first_offset:
            self._view, self._batches = None, iter(())
        has_read = False
        while self._view is None or self._view.last_offset < offset:
            view = next(self._batches, None)
            if view is not None:
                if view.last_offset >= offset:
                    self._open(view, offset)
                continue
            if has_read or self._cannot_read:
                # Nothing more can be found out. Later letters do without, too.
                self._cannot_read = True
                return None
            if self._reads == READS:
                return None
            self._reads += 1
            self._batches = _whole_batches(self._read(offset))
            has_read = True
        return self._view

    def _open(self, view: RecordBatchView, offset: int) -> None:
        self._view = view
        self._index = self._position = 0
        self._count = view.record_count
        most = max(self._max_bytes, most_decompressed_bytes(view.size_in_bytes))
        try:
            if view.magic == MAGIC:
                self._data = view.plain_records(most)
            else:
                # Its messages are laid out in another way (`kafkaproto.records.legacy`).
                records = list(view.records(most))
                self._count = len(records)
                self._data = encode_kept_records(records, view.base_offset, NO_TIMESTAMP)
        except TooLongError:
            self._data = None
        except RemoteProtocolError:
            # There is nothing that could be a record.
            self._data = b""
        begin = self._begin_at
        self._searched = offset
        # Otherwise each round would decompress and walk through all records before its own again.
        if begin is not None and begin.base_offset == view.base_offset and begin.offset <= offset:
            self._index, self._position = begin.number, begin.position

    def _is_found(self, view: RecordBatchView, offset: int) -> bool:
        """Whether the batch has a record at an offset or behind it; `place` says where."""
        data, base_offset, count = self._data, view.base_offset, self._count
        assert data is not None
        # Records can be walked forward only.
        if offset < self._searched:
            self._index = self._position = 0
        self._searched = offset
        index = self._index
        with suppress(RemoteProtocolError):
            for delta, position, _ in located_records(data, count - index, self._position):
                if offset <= base_offset + delta <= view.last_offset:
                    self._index, self._position = index, position
                    self.place = SourcePlace(base_offset, base_offset + delta, index, position)
                    return True
                index += 1
        # What follows is damaged, or nothing.
        self._index = count
        return False

    def _is_too_large(self, view: RecordBatchView, record: Record) -> bool:
        if view.compression or view.size_in_bytes <= self._max_bytes:
            return False
        # Its delta is not that of the batch: a producer writes what it likes into the base timestamp if the topic has
        # LogAppendTime.
        return len(encode_kept_records([record], view.base_offset, record.timestamp)) > self._max_bytes


def _whole_batches(records: Buffer) -> Iterator[RecordBatchView]:
    try:
        yield from iterate_stored_batches(records)
    except RemoteProtocolError:
        # It is damaged from there on.
        return
