"""The functions that generated code calls beside `kafkaproto.primitives`: tag sections, runs of fixed-size values, long
lengths.

Generated readers and writers are flat code with few checks and no error messages. If anything is wrong, they raise
`Malformed` or one of Python's own errors. `kafkaproto.message` then reads the same bytes once more with the slow codec
of `kafkaproto.interpret`, which knows the name and the position of each field. So good input does not pay for good
error messages.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, TypeAlias, TypeVar

from kafkaproto.errors import TooManyElementsError
from kafkaproto.primitives import read_unsigned_varint, write_unsigned_varint

Buffer = bytes | bytearray | memoryview
Buffers = bytes | bytearray | memoryview | list[bytes | bytearray | memoryview]
"""The type of a records field: one buffer, or several that are written one after the other."""

Pieces = list[Buffer]
"""The list that writers append to; it is joined once, when the message is complete."""

EMPTY: list[Any] = []
"""Default argument of array fields; it means a new list. Never changed."""

MAX_STRING_LENGTH = 0x7FFF
"""Most bytes of UTF-8 in a string; Kafka refuses longer ones even if the length is a varint."""

MAX_TAGGED_FIELDS = 100
"""Most tagged fields in one struct. Kafka's own structs have fewer than ten; each costs a hundred bytes of memory."""

ELEMENTS_A_STEP = 32
"""Number of structs without arrays that are read in one step: some ten microseconds of work."""

T = TypeVar("T")
Steps: TypeAlias = Generator[Any, None, T]
"""Work in small steps: a generator that yields between them and returns the result. If the next step is to make much at
once, it yields how many bytes that will be."""

TABLE_SIZE = 32
"""Arrays shorter than this are packed by a prepared layout; nearly all replica lists are shorter."""


class Malformed(Exception):
    """The bytes or values are wrong; the slow codec will find out how. Never leaves `kafkaproto.message`."""


class Budget:
    """The number of elements that a message may still hold while it is read in steps."""

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
        """Count the unknown tagged fields of structs that were read. Raises TooManyElementsError."""
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
"""Encoded lengths and counts of one byte."""

UNPACK_INT32 = _unpackers("i")
PACK_INT32 = _packers("i")


def joined(buffers: Buffers) -> bytes:
    """The content of a records field or zero-copy field as one bytes object."""
    return b"".join(buffers) if isinstance(buffers, list) else bytes(buffers)


def unpack_many(code: str, size: int, count: int, buffer: Buffer, position: int) -> list[Any]:
    """``count`` values of ``size`` bytes each. Their total size is compared with the bytes left before anything is
    allocated.
    """
    end = position + count * size
    if end > len(buffer):
        raise Malformed
    # A count before the code 16s would mean a longer string, not several.
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
    """The result of ``read_many``, read a few elements a step. The structs have no arrays; their unknown tags are
    counted.
    """
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
    """The encoded values of an array of numbers."""
    return struct.pack(f">{len(items)}{code}", *items)


def pack_uuids(items: Sequence[bytes]) -> bytes:
    """The encoded values of an array of uuids; raises `Malformed` if one does not have 16 bytes."""
    for item in items:
        if len(item) != 16:
            raise Malformed
    return b"".join(items)


def read_long_length(buffer: Buffer, position: int, first: int) -> tuple[int, int]:
    """A compact length or count (plus one) of more than one byte, and the position after it. ``first`` is the byte
    before ``position``, which is 128 or more. The caller has read it already, so this is faster than to read the whole
    varint.
    """
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
    """A compact length or count (plus one) that takes more than one byte; `BYTES` has those below 128."""
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
    """Read a tag section, beginning with its count: (tag, start, end) of each value, and the position after the
    section.
    """
    count, position = read_unsigned_varint(buffer, position)
    limit = len(buffer)
    # Before the loop: each field costs a hundred bytes of memory, and two bytes claim one.
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
    """Read a tag section without known tags, beginning with its count; the values stay bytes. None for an empty
    section.
    """
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
        # An unknown tag with the number of a known one would be written twice.
        if tag <= previous:
            raise Malformed
        previous = tag
        write_unsigned_varint(section, tag)
        write_unsigned_varint(section, len(value))
        section += value
    out.append(section)
