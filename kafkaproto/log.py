"""The files of one segment of a log as bytes and names: the batches, and the two indexes into them.

This module does no I/O: the caller reads and writes the bytes. So storage, tools and pipeline read one format with the
same code. A segment consists of::

    00000000000000000042.log        batches back to back, the first with base offset 42
    00000000000000000042.index      sparse, 8 bytes an entry: int32 offset relative to 42, int32 position in .log
    00000000000000000042.timeindex  sparse, 12 bytes an entry: int64 timestamp, int32 offset relative to 42

Index files are preallocated while their segment is written to, so the entries end where the zeros begin.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from struct import Struct
from struct import error as StructError
from typing import NamedTuple

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.primitives import Buffer
from kafkaproto.records.batch import HEADER_SIZE, LENGTH_END, MAGIC, MAGIC_OFFSET, RecordBatchView
from kafkaproto.records.legacy import MIN_MESSAGE_LENGTH, LegacyBatchView

LOG_SUFFIX = ".log"
OFFSET_INDEX_SUFFIX = ".index"
TIME_INDEX_SUFFIX = ".timeindex"

MAX_OFFSET = 0x7FFF_FFFF_FFFF_FFFF
_SEGMENT_NAME = re.compile(r"([0-9]{20})(\.[a-z]+)")
OFFSET_INDEX_ENTRY = Struct(">ii")
TIME_INDEX_ENTRY = Struct(">qi")
_OFFSET_AND_LENGTH = Struct(">qi")
_MOST_OFFSETS = 1 << 31
"""A batch has fewer offsets, and a segment's index has room for fewer."""


def segment_file_name(base_offset: int, suffix: str = LOG_SUFFIX) -> str:
    """The name of a segment's file; with another suffix, the name of one of its indexes."""
    return f"{base_offset:020d}{suffix}"


def parse_segment_file_name(name: str, suffix: str = LOG_SUFFIX) -> int | None:
    """The base offset in the name of a file of that kind; None for any other name."""
    match = _SEGMENT_NAME.fullmatch(name)
    # Twenty digits can exceed an int64. Such a file is none of a log's.
    if match is None or match[2] != suffix or int(match[1]) > MAX_OFFSET:
        return None
    return int(match[1])


class OffsetIndexEntry(NamedTuple):
    """The position of one batch of a segment."""

    offset: int
    """Offset of the batch's last record."""
    position: int
    """Byte position in the segment's .log file where the batch starts."""


class TimeIndexEntry(NamedTuple):
    """When a segment reached an offset."""

    timestamp: int
    """Largest timestamp, in milliseconds, of all records up to this offset."""
    offset: int
    """Offset of the last record of the batch that has a record of that timestamp."""


def encode_offset_index_entry(base_offset: int, entry: OffsetIndexEntry) -> bytes:
    """8 bytes to append to the index; raises LocalProtocolError if the relative offset or the position exceeds its
    field.
    """
    try:
        return OFFSET_INDEX_ENTRY.pack(entry.offset - base_offset, entry.position)
    except StructError:
        raise LocalProtocolError(f"{entry} does not fit in an index with base offset {base_offset}") from None


def encode_time_index_entry(base_offset: int, entry: TimeIndexEntry) -> bytes:
    """12 bytes to append to the time index; raises LocalProtocolError if the relative offset exceeds its field."""
    try:
        return TIME_INDEX_ENTRY.pack(entry.timestamp, entry.offset - base_offset)
    except StructError:
        raise LocalProtocolError(
            f"{entry} does not fit in a time index with base offset {base_offset}"
        ) from None


def iterate_offset_index(data: Buffer, base_offset: int) -> Iterator[OffsetIndexEntry]:
    """The entries of an offset index up to where the preallocated zeros begin.

    Raises RemoteProtocolError if the bytes are no whole number of entries, or the entries do not ascend.
    """
    view = _whole_entries(data, OFFSET_INDEX_ENTRY)
    last = OffsetIndexEntry(base_offset - 1, -1)
    for number, (relative_offset, position) in enumerate(OFFSET_INDEX_ENTRY.iter_unpack(view)):
        # No entry has position 0: an entry is made only for a batch that begins behind others.
        if relative_offset == position == 0:
            return
        entry = OffsetIndexEntry(base_offset + relative_offset, position)
        if entry.offset <= last.offset or entry.position <= last.position:
            raise RemoteProtocolError(
                f"{entry} does not ascend from {last}", offset=number * OFFSET_INDEX_ENTRY.size
            )
        yield entry
        last = entry


def iterate_time_index(data: Buffer, base_offset: int) -> Iterator[TimeIndexEntry]:
    """The entries of a time index up to where the preallocated zeros begin.

    Raises RemoteProtocolError if the bytes are no whole number of entries, or the entries do not ascend.
    """
    view = _whole_entries(data, TIME_INDEX_ENTRY)
    last = TimeIndexEntry(-1, base_offset)
    for number, (timestamp, relative_offset) in enumerate(TIME_INDEX_ENTRY.iter_unpack(view)):
        if timestamp == relative_offset == 0:
            return
        entry = TimeIndexEntry(timestamp, base_offset + relative_offset)
        # As in Kafka's TimeIndex, offsets may repeat but not go back.
        if entry.timestamp <= last.timestamp or entry.offset < last.offset:
            raise RemoteProtocolError(
                f"{entry} does not ascend from {last}", offset=number * TIME_INDEX_ENTRY.size
            )
        yield entry
        last = entry


def _whole_entries(data: Buffer, layout: Struct) -> Buffer:
    extra = len(data) % layout.size
    if extra:
        raise RemoteProtocolError(
            f"an index of {len(data)} bytes is no whole number of {layout.size}-byte entries",
            offset=len(data) - extra,
        )
    return data


class StopReason(enum.Enum):
    """Why a `BatchScan` found no further batch."""

    END = "end"
    """Every byte belongs to a valid batch."""
    PARTIAL = "partial"
    """The bytes end inside a batch: the end of the log is torn, or there is more to read."""
    DAMAGED = "damaged"
    """The next bytes are complete, but they are no valid batch."""
    UNKNOWN_FORMAT = "unknown format"
    """The next bytes begin as a batch does that continues the log, with a magic that this scan does not take. Nobody
    can say what they are worth, so they must stay."""


class BatchScan:
    """Goes through a segment's bytes batch by batch, checks each, and stops at the first that is not valid.

    A batch is valid if its magic is 2, its crc is right, and its offsets ascend from those of the batch before. With
    ``with_old_formats``, its magic may be 0 or 1 as well (`legacy`): topics may have such batches, the metadata log has
    none. Iterate once. ``valid_end`` is always the position after the last valid batch. After the iteration,
    ``stop_reason`` and ``fault`` say why it stopped.
    """

    __slots__ = ("_buffer", "_oldest_magic", "fault", "next_offset", "stop_reason", "valid_end")

    valid_end: int
    next_offset: int
    """The lowest base offset that the next batch may have."""
    stop_reason: StopReason | None
    """None until the scan has stopped."""
    fault: RemoteProtocolError | None
    """The error at ``valid_end``; None as long as there is none."""

    def __init__(
        self, buffer: Buffer, *, start: int = 0, next_offset: int = 0, with_old_formats: bool = False
    ) -> None:
        self._buffer = buffer
        self._oldest_magic = 0 if with_old_formats else MAGIC
        self.valid_end = start
        self.next_offset = next_offset
        self.stop_reason = None
        self.fault = None

    def __iter__(self) -> Iterator[RecordBatchView]:
        buffer, size = self._buffer, len(self._buffer)
        takes_old = self._oldest_magic < MAGIC
        while self.valid_end < size:
            try:
                at = self.valid_end + MAGIC_OFFSET
                is_old = takes_old and at < size and buffer[at] < MAGIC
                batch = (LegacyBatchView if is_old else RecordBatchView)(buffer, self.valid_end)
                batch.check()
                if batch.base_offset < self.next_offset:
                    raise RemoteProtocolError(
                        f"a record batch has base offset {batch.base_offset}, expected is"
                        f" {self.next_offset} or more",
                        offset=self.valid_end,
                    )
            except RemoteProtocolError as error:
                self.fault = _without_trace(error)
                self.stop_reason = self._why_not_valid()
                return
            self.valid_end += batch.size_in_bytes
            self.next_offset = batch.next_offset
            yield batch
        self.stop_reason = StopReason.END

    def _why_not_valid(self) -> StopReason:
        left = len(self._buffer) - self.valid_end
        # Too short to tell: as an append that was cut off would leave it.
        if left <= MAGIC_OFFSET:
            return StopReason.PARTIAL
        offset, length = _OFFSET_AND_LENGTH.unpack_from(self._buffer, self.valid_end)
        magic = self._buffer[self.valid_end + MAGIC_OFFSET]
        if not self._oldest_magic <= magic <= MAGIC:
            # Offset, length and magic have been at the same places since the first format. Zeros and random bytes,
            # which a crash may leave at the end of a file, are no such head.
            continues = self.next_offset <= offset < self.next_offset + _MOST_OFFSETS
            return (
                StopReason.UNKNOWN_FORMAT
                if continues and length >= MIN_MESSAGE_LENGTH
                else StopReason.DAMAGED
            )
        least = HEADER_SIZE - LENGTH_END if magic == MAGIC else MIN_MESSAGE_LENGTH
        # Complete bytes that are not valid are damage, even at the very end.
        return StopReason.PARTIAL if length >= least and length + LENGTH_END > left else StopReason.DAMAGED


def _without_trace(error: RemoteProtocolError) -> RemoteProtocolError:
    """The same error, which may be kept: through its trace it would hold the frames that it came through. One of them
    has the scan that has the error, and so the bytes would stay until Python's collector finds that circle."""
    error.__traceback__ = error.__context__ = error.__cause__ = None
    return error


def find_batch(buffer: Buffer, start: int, next_offset: int) -> int | None:
    """Position of the first valid batch at or after ``start`` whose base offset is ``next_offset`` or more; None if
    there is none.

    After a torn end of a log there is no such batch. If there is one, the log is damaged in the middle and must not be
    cut off.
    """
    data = bytes(buffer)
    # A batch can begin at any byte. To look for its magic is faster than to try each position.
    magic_position = data.find(MAGIC, start + MAGIC_OFFSET)
    while magic_position >= 0:
        position = magic_position - MAGIC_OFFSET
        try:
            batch = RecordBatchView(data, position)
            batch.check()
        except RemoteProtocolError:
            pass
        else:
            if batch.base_offset >= next_offset:
                return position
        magic_position = data.find(MAGIC, magic_position + 1)
    return None
