"""What generated code calls beside `kafkaproto.primitives`: tag sections, runs of fixed-size values, long lengths.

Generated readers and writers are straight lines that check little and say nothing: on anything wrong they raise
`Malformed` or let Python's own error escape, and `kafkaproto.message` then walks the same bytes once more with the
slow codec of `kafkaproto.interpret`, which knows names and places. Good input pays nothing for good messages.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

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

TABLE_SIZE = 32
"""Arrays shorter than this are packed by a prepared layout; replica lists nearly always are."""


class Malformed(Exception):
    """Something is wrong; the slow codec will say what. Never leaves `kafkaproto.message`."""


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
    if count * size > len(buffer) - position:
        raise Malformed
    layout = f">{code * count}" if size == 16 else f">{count}{code}"
    return [*struct.unpack_from(layout, buffer, position)]


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
    if count * 2 > limit - position:
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
