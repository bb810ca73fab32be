"""What generated code calls beside `kafkaproto.primitives`: tag sections, runs of fixed-size values, long lengths.

Generated readers and writers are straight lines that check little and say nothing: on anything wrong they raise
`Malformed` or let Python's own error escape, and `kafkaproto.message` then walks the same bytes once more with the
slow codec of `kafkaproto.interpret`, which knows names and places. Good input pays nothing for good messages.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, TypeAlias, TypeVar

from kafkaproto.errors import TooManyElementsError
from kafkaproto.primitives import read_unsigned_varint, write_unsigned_varint

Buffer = bytes | bytearray | memoryview
Buffers = bytes | bytearray | memoryview | list[bytes | bytearray | memoryview]
"""What a records field takes: one buffer, or several that are written one after the other."""

Pieces = list[Buffer]
"""What writers append to; joined once, when the message is complete."""

EMPTY: list[Any] = []
"""Default argument of array fields: stands for a fresh list. Never changed."""

MAX_STRING_LENGTH = 0x7FFF
"""Bytes of UTF-8 in a string; Kafka refuses longer ones even where the length is a varint."""

MAX_TAGGED_FIELDS = 100
"""Tagged fields in one struct. Kafka's own structs have fewer than ten; each costs a hundred bytes of memory."""

ELEMENTS_A_STEP = 32
"""Structs without arrays that are read in one step: some ten microseconds of work."""

T = TypeVar("T")
Steps: TypeAlias = Generator[None, None, T]
"""Work in small steps: yields between them and returns its result."""

TABLE_SIZE = 32
"""Arrays shorter than this are packed by a prepared layout; replica lists nearly always are."""


class Malformed(Exception):
    """Something is wrong; the slow codec will say what. Never leaves `kafkaproto.message`."""


class Budget:
    """The elements that a message may still hold when it is read in steps."""

    __slots__ = ("left", "limit")

    def __init__(self, limit: int) -> None:
        """``limit`` counts the elements of arrays at every depth, and unknown tagged fields."""
        self.limit = self.left = limit

    def take(self, count: int, where: str) -> None:
        """Count an array's elements before they are made. Raises TooManyElementsError, which names the array."""
        if count > 0:
            self.left -= count
            if self.left < 0:
                raise TooManyElementsError(
                    f"more than the {self.limit} elements that such a message may hold", where=where
                )

    def take_tags(self, structs: Iterable[Any]) -> None:
        """Count the unknown tagged fields of structs that were read."""
        for each in structs:
            if each.unknown_tags:
                self.take(len(each.unknown_tags), "unknown tagged fields")


FAILURES = (Malformed, IndexError, struct.error, ValueError, TypeError, AttributeError, OverflowError)
"""What a generated reader or writer may raise on bad input."""


def _unpackers(code: str) -> tuple[Callable[..., tuple[Any, ...]], ...]:
    return tuple(struct.Struct(f">{code * count}").unpack_from for count in range(TABLE_SIZE))


def _packers(code: str) -> tuple[Callable[..., bytes], ...]:
    return tuple(struct.Struct(f">{code * count}").pack for count in range(TABLE_SIZE))


BYTES = tuple(bytes((byte,)) for byte in range(128))
"""Lengths and counts of one byte."""

UNPACK_INT32 = _unpackers("i")
PACK_INT32 = _packers("i")


def joined(buffers: Buffers) -> bytes:
    """What a records or zero-copy field holds, as one bytes object."""
    return b"".join(buffers) if isinstance(buffers, list) else bytes(buffers)


def unpack_many(code: str, size: int, count: int, buffer: Buffer, position: int) -> list[Any]:
    """``count`` values of ``size`` bytes each; checked against the bytes left before anything is allocated."""
    end = position + count * size
    if end > len(buffer):
        raise Malformed
    if size == 16:
        return [bytes(buffer[start : start + 16]) for start in range(position, end, 16)]
    return [*struct.unpack_from(f">{count}{code}", buffer, position)]


def read_pieces(
    read_many: Callable[..., tuple[list[T], int]],
    buffer: Buffer,
    position: int,
    size: int,
    budget: Budget,
    *view: memoryview,
) -> Steps[tuple[list[T], int]]:
    """What ``read_many`` reads, a few elements a step. The structs have no arrays; their unknown tags are counted."""
    if size > len(buffer) - position:
        raise Malformed
    found: list[T] = []
    while size > 0:
        piece, position = read_many(buffer, position, min(size, ELEMENTS_A_STEP), *view)
        budget.take_tags(piece)
        found += piece
        size -= len(piece)
        yield
    return found, position


def pack_many(code: str, items: Sequence[Any]) -> bytes:
    """The values of an array of numbers, one after the other."""
    return struct.pack(f">{len(items)}{code}", *items)


def pack_uuids(items: Sequence[bytes]) -> bytes:
    """The values of an array of uuids; each must have 16 bytes."""
    for item in items:
        if len(item) != 16:
            raise Malformed
    return b"".join(items)


def read_long_length(buffer: Buffer, position: int, first: int) -> tuple[int, int]:
    """A compact length or count (plus one) of more than one byte, and the position after it. ``first`` is the byte in
    front of ``position``, 128 or more; with it in hand this is faster than reading the varint afresh."""
    second = buffer[position]
    if second < 0x80:
        return first - 0x80 + (second << 7), position + 1
    third = buffer[position + 1]
    if third < 0x80:
        return first - 0x80 + (second - 0x80 << 7) + (third << 14), position + 2
    return read_unsigned_varint(buffer, position - 1)


def read_string_length(buffer: Buffer, position: int, first: int) -> tuple[int, int]:
    """As `read_long_length`, for a string, which may not be longer than `MAX_STRING_LENGTH`."""
    length, position = read_long_length(buffer, position, first)
    if length > MAX_STRING_LENGTH + 1:
        raise Malformed
    return length, position


def pack_length(length: int) -> bytes:
    """A compact length or count (plus one) that takes more than one byte; shorter than 128 it is in `BYTES`."""
    if length < 1 << 14:
        return bytes((length & 0x7F | 0x80, length >> 7))
    if length < 1 << 21:
        return bytes((length & 0x7F | 0x80, length >> 7 & 0x7F | 0x80, length >> 14))
    out = bytearray()
    write_unsigned_varint(out, length)
    return bytes(out)


def pack_string_length(length: int) -> bytes:
    """As `pack_length`, for a string, which may not be longer than `MAX_STRING_LENGTH`."""
    if length > MAX_STRING_LENGTH + 1:
        raise Malformed
    return pack_length(length)


def read_tag_section(buffer: Buffer, position: int) -> tuple[list[tuple[int, int, int]], int]:
    """A tag section from its count on: (tag, start, end) of each value, and the position after the section."""
    count, position = read_unsigned_varint(buffer, position)
    limit = len(buffer)
    if count > MAX_TAGGED_FIELDS or count * 2 > limit - position:
        raise Malformed
    sections = []
    for _ in range(count):
        tag, position = read_unsigned_varint(buffer, position)
        size, position = read_unsigned_varint(buffer, position)
        end = position + size
        if end > limit:
            raise Malformed
        sections.append((tag, position, end))
        position = end
    return sections, position


def read_unknown_tags(buffer: Buffer, position: int) -> tuple[dict[int, bytes] | None, int]:
    """A tag section of which no tag is known, from its count on; the values are kept as bytes."""
    sections, position = read_tag_section(buffer, position)
    return {tag: bytes(buffer[start:end]) for tag, start, end in sections} or None, position


def write_tag_section(
    out: Pieces, known: Sequence[tuple[int, bytes]], unknown: dict[int, bytes] | None
) -> None:
    """A tag section with the fields that are set and the unknown tags, in ascending order."""
    tagged = [*known, *unknown.items()] if unknown else [*known]
    tagged.sort(key=lambda entry: entry[0])
    section = bytearray()
    write_unsigned_varint(section, len(tagged))
    previous = -1
    for tag, value in tagged:
        if tag <= previous:
            raise Malformed
        previous = tag
        write_unsigned_varint(section, tag)
        write_unsigned_varint(section, len(value))
        section += value
    out.append(section)
