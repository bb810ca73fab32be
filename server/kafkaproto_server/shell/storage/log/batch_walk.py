"""Finds batches in a segment by their headers, without reading what lies in them.

The caller passes a function that reads bytes of the file. It may be one that never waits for the disk
(`ports.File.read_now`); then everything here raises BlockingIOError in place of waiting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from struct import Struct
from typing import NamedTuple

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.records.batch import HEADER_SIZE, LENGTH_END, MAGIC
from kafkaproto.records.legacy import NO_EPOCH, read_head
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.shell.storage.errors import CorruptFileError

WALK_BYTES = 4096
"""How much is read at once: index entries are that far apart, so most batches are found with one read."""

Read = Callable[[int, int], Buffer]
"""``read(position, length)`` returns bytes of a file; fewer than asked for only at its end."""

_HEAD = Struct(">qiib6xi8xq").unpack_from


class BatchPlace(NamedTuple):
    """Where a batch lies, and what it covers."""

    position: int
    size_in_bytes: int
    base_offset: int
    """Of a batch of format 0 or 1 it is that of the last record: where it begins is known only to who reads all."""
    next_offset: int
    leader_epoch: int
    max_timestamp: int


def walk(read: Read, path: str, position: int, size: int) -> Iterator[BatchPlace]:
    """The batches from ``position`` on, up to ``size``, the end of what was appended. Raises CorruptFileError for
    bytes that are no batch: the disk may have changed what was written."""
    chunk: Buffer = b""
    begin = position
    while position < size:
        at = position - begin
        if at + HEADER_SIZE > len(chunk):
            chunk, begin, at = read(position, min(WALK_BYTES, size - position)), position, 0
            if len(chunk) < HEADER_SIZE:
                # A message of an old format may be shorter.
                place = _old_place(chunk, 0, position, size)
                if place is None:
                    raise CorruptFileError(
                        path, "the file ends inside a batch that was appended", position=position
                    )
                yield place
                position += place.size_in_bytes
                continue
        base_offset, length, leader_epoch, magic, last_delta, max_timestamp = _HEAD(chunk, at)
        end = position + LENGTH_END + length
        if magic != MAGIC or length < HEADER_SIZE - LENGTH_END or end > size or last_delta < 0:
            place = _old_place(chunk, at, position, size)
            if place is None:
                raise CorruptFileError(path, "no valid batch is where one was appended", position=position)
            yield place
            position += place.size_in_bytes
            continue
        yield BatchPlace(
            position,
            length + LENGTH_END,
            base_offset,
            base_offset + last_delta + 1,
            leader_epoch,
            max_timestamp,
        )
        position = end


def _old_place(chunk: Buffer, at: int, position: int, size: int) -> BatchPlace | None:
    """The place of a batch of format 0 or 1, which begins in a chunk of the file; None if none is there."""
    try:
        offset, size_in_bytes, _, _, _, timestamp = read_head(chunk, at)
    except RemoteProtocolError:
        return None
    if position + size_in_bytes > size:
        return None
    return BatchPlace(position, size_in_bytes, offset, offset + 1, NO_EPOCH, timestamp)


def find(read: Read, path: str, start: int, size: int, offset: int) -> BatchPlace | None:
    """The first batch at or behind ``start`` that ends after ``offset``; None if there is none."""
    for place in walk(read, path, start, size):
        if place.next_offset > offset:
            return place
    return None
