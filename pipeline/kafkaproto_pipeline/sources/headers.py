"""Reads the headers of a segment's batches, only where they are needed and without the records after them.

Planning needs to know where batches begin, which offsets and epochs they have, and where the log ends. A segment's
offset index names positions at which batches begin; between them the reader steps from header to header. An entry of
the index is trusted only if the header that it points at agrees. So a segment without an index, or with a wrong one,
is read correctly, but slower. Nothing is mapped into memory, because a running node may cut off its log's uncommitted
end at any time.
"""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from struct import Struct
from types import TracebackType
from typing import NamedTuple, Self

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.log import (
    LOG_SUFFIX,
    OFFSET_INDEX_SUFFIX,
    TIME_INDEX_SUFFIX,
    TimeIndexEntry,
    iterate_offset_index,
    iterate_time_index,
)
from kafkaproto.records.batch import CONTROL_BIT, HEADER_SIZE, LENGTH_END, MAGIC
from kafkaproto_pipeline.sources.directories import InputError, SegmentOnDisk, open_file

_HEADER = Struct(">qiibIhiqq")
_WINDOW_BYTES = 256 * 1024
_ANCHOR_BYTES = 64 * 1024
"""Distance between the positions of an index that are kept: a jump costs one read, and a window has
several positions.
"""
_MAX_INDEX_BYTES = 64 * 1024 * 1024


class BatchHeader(NamedTuple):
    """The fields of a batch's header, and its position."""

    position: int
    size_bytes: int
    base_offset: int
    next_offset: int
    epoch: int
    max_timestamp_ms: int
    is_control: bool

    @property
    def end_position(self) -> int:
        """The position at which the next batch begins."""
        return self.position + self.size_bytes


class End(NamedTuple):
    """The end of the whole batches of a segment."""

    position: int
    next_offset: int
    fault: str | None
    """What is wrong with the bytes after it, if there are any. An incomplete batch is no fault."""


class SegmentHeaders:
    """The headers of one segment's file. It is a context manager, because it holds the file open."""

    def __init__(self, segment: SegmentOnDisk) -> None:
        """Open the file. Raises InputError."""
        self.segment = segment
        self._file = open_file(segment.path)
        self._anchors: list[tuple[int, int]] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)

    # -- one after the other -----------------------------------------------------------------------------------

    def scan(self, position: int = 0, next_offset: int | None = None) -> Iterator[BatchHeader]:
        """The headers from a batch's position on, up to the first batch that is not whole or not valid."""
        expected = self.segment.base_offset if next_offset is None else next_offset
        limit = self.segment.size_bytes
        window, window_start = b"", 0
        while position + HEADER_SIZE <= limit:
            at = position - window_start
            if at < 0 or at + _HEADER.size > len(window):
                window, window_start, at = self._read(position, _WINDOW_BYTES), position, 0
                if len(window) < _HEADER.size:
                    return
            header = _parse(window, at, position)
            if header is None or header.base_offset < expected or header.end_position > limit:
                return
            yield header
            position = header.end_position
            expected = header.next_offset

    def header_at(self, position: int) -> BatchHeader | None:
        """The header of the batch that begins there; None if no batch can begin there."""
        data = self._read(position, _HEADER.size)
        header = _parse(data, 0, position) if len(data) == _HEADER.size else None
        if header is None or header.end_position > self.segment.size_bytes:
            return None
        return header if header.base_offset >= self.segment.base_offset else None

    def end(self) -> End:
        """The end of the log in this segment."""
        position, next_offset = self._last_anchor()
        for header in self.scan(position, next_offset):
            position, next_offset = header.end_position, header.next_offset
        return End(position, next_offset, self._fault(position, next_offset))

    def _fault(self, position: int, next_offset: int) -> str | None:
        left = self.segment.size_bytes - position
        if left < HEADER_SIZE:
            return None
        data = self._read(position, _HEADER.size)
        header = _parse(data, 0, position) if len(data) == _HEADER.size else None
        if header is None:
            return "what follows is no record batch"
        if header.base_offset < next_offset:
            return f"a record batch has base offset {header.base_offset}, expected is {next_offset} or more"
        return None

    # -- by offset, epoch and time -----------------------------------------------------------------------------

    def find(self, offset: int) -> tuple[int, int]:
        """Position and base offset of the batch that holds an offset; else of the first batch after it, else of the
        end.
        """
        position, next_offset = self._anchor_before(offset)
        for header in self.scan(position, next_offset):
            if header.next_offset > offset:
                return header.position, header.base_offset
            position, next_offset = header.end_position, header.next_offset
        return position, next_offset

    def find_end(self, offset: int) -> int:
        """Position after the batches that hold offsets below the given one."""
        position, _ = self.find(offset - 1)
        header = self.header_at(position)
        return position if header is None or header.base_offset >= offset else header.end_position

    def epochs(self) -> list[tuple[int, int]]:
        """Each epoch that has records here, with the offset of its first record; both ascend.

        Epochs never go back in a log. So if two positions are of the same epoch, all batches between them are, and
        they are not read.
        """
        found: list[tuple[int, int]] = []
        anchors = self._all_anchors()
        place, index = (0, self.segment.base_offset), 0
        while (first := self.header_at(place[0])) is not None:
            if not found or first.epoch > found[-1][0]:
                found.append((first.epoch, first.base_offset))
            index = self._first_of_later_epoch(anchors, index, first.epoch)
            if index and anchors[index - 1][0] > place[0]:
                place = self._checked(anchors[index - 1])
            later = next((each for each in self.scan(*place) if each.epoch > first.epoch), None)
            if later is None:
                break
            place = later.position, later.base_offset
        return found

    def _first_of_later_epoch(self, anchors: list[tuple[int, int]], low: int, epoch: int) -> int:
        def is_later(anchor: tuple[int, int]) -> bool:
            header = self.header_at(anchor[0])
            return header is None or header.epoch > epoch

        return bisect_left(anchors, True, lo=low, key=is_later)

    def first_after(self, timestamp_ms: int) -> int | None:
        """Base offset of the first batch with a record later than that time; None if there is none."""
        start = self.segment.base_offset
        for entry in self._time_index():
            if entry.timestamp > timestamp_ms:
                break
            start = entry.offset + 1
        position, next_offset = self.find(start)
        for header in self.scan(position, next_offset):
            if header.max_timestamp_ms > timestamp_ms:
                return header.base_offset
        return None

    def all_before(self, timestamp_ms: int) -> int:
        """An offset below which all records are earlier than that time. It need not be the highest one, which would
        cost more.
        """
        start = self.segment.base_offset
        for entry in self._time_index():
            if entry.timestamp >= timestamp_ms:
                break
            start = entry.offset + 1
        return start

    # -- indexes -----------------------------------------------------------------------------------------------

    def splits(self, start: int, end: int, size_bytes: int) -> list[tuple[int, int]]:
        """Where to cut the batches from position ``start`` to ``end`` into pieces of about that size.

        Returns position and base offset of the first batch of each piece, without the piece at ``start``.
        """
        cuts: list[tuple[int, int]] = []
        anchors = [place for place in self._all_anchors() if start < place[0] < end]
        place = 0, self.segment.base_offset
        goal = start + size_bytes
        while goal < end:
            index = bisect_left(anchors, goal, key=lambda each: each[0])
            if index and anchors[index - 1][0] > place[0]:
                place = max(place, self._checked(anchors[index - 1]))
            header = next((each for each in self.scan(*place) if each.position >= goal), None)
            if header is None or header.position >= end:
                break
            place = header.position, header.base_offset
            cuts.append(place)
            goal = header.position + size_bytes
        return cuts

    def _all_anchors(self) -> list[tuple[int, int]]:
        """Positions in the index, not too close to each other. The offset of each is not below the first offset of its
        batch.
        """
        if self._anchors is None:
            self._anchors = []
            data = _read_index(self.segment.path, OFFSET_INDEX_SUFFIX, 8)
            last = -_ANCHOR_BYTES
            try:
                for offset, position in iterate_offset_index(data, self.segment.base_offset):
                    if position >= last + _ANCHOR_BYTES and position < self.segment.size_bytes:
                        self._anchors.append((position, offset))
                        last = position
            except RemoteProtocolError:
                pass
        return self._anchors

    def _time_index(self) -> Iterator[TimeIndexEntry]:
        data = _read_index(self.segment.path, TIME_INDEX_SUFFIX, 12)
        try:
            yield from iterate_time_index(data, self.segment.base_offset)
        except RemoteProtocolError:
            return

    def _anchor_before(self, offset: int) -> tuple[int, int]:
        """Position and base offset of a batch that is not after the batch which holds the offset."""
        anchors = self._all_anchors()
        index = bisect_right(anchors, offset, key=lambda place: place[1])
        while index:
            index -= 1
            place = self._checked(anchors[index])
            if place[1] <= offset:
                return place
        return 0, self.segment.base_offset

    def _last_anchor(self) -> tuple[int, int]:
        anchors = self._all_anchors()
        return self._checked(anchors[-1]) if anchors else (0, self.segment.base_offset)

    def _checked(self, anchor: tuple[int, int]) -> tuple[int, int]:
        """Position and base offset of the batch at an anchor; the segment's start if there is none."""
        header = self.header_at(anchor[0])
        if header is None or header.base_offset > anchor[1]:
            return 0, self.segment.base_offset
        return header.position, header.base_offset

    def _read(self, position: int, size: int) -> bytes:
        try:
            return os.pread(self._file, size, position)
        except OSError as error:
            raise InputError(
                f"{self.segment.path} cannot be read at byte {position}: {error.strerror}"
            ) from error


def _parse(data: bytes, at: int, position: int) -> BatchHeader | None:
    base_offset, length, epoch, magic, _, attributes, last_delta, _, max_timestamp = _HEADER.unpack_from(
        data, at
    )
    if magic != MAGIC or length < HEADER_SIZE - LENGTH_END or last_delta < 0:
        return None
    return BatchHeader(
        position,
        length + LENGTH_END,
        base_offset,
        base_offset + last_delta + 1,
        epoch,
        max_timestamp,
        bool(attributes & CONTROL_BIT),
    )


def _read_index(segment_path: str, suffix: str, entry_size: int) -> bytes:
    """The whole entries of an index; nothing if there is no index, because the reader can do without."""
    path = segment_path.removesuffix(LOG_SUFFIX) + suffix
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_INDEX_BYTES)
    except OSError:
        return b""
    return data[: len(data) // entry_size * entry_size]
