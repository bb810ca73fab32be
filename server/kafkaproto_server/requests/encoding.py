"""Responses made of elements that are encoded one by one, so that encoded elements can be kept and used again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

from kafkaproto.message import Message
from kafkaproto.primitives import write_unsigned_varint
from kafkaproto_server.base.ports import Buffer

BUFFER_BYTES: Final = 65_536
"""Small pieces are joined into buffers of about this size."""
_FEW_BUFFERS: Final = 3


class ArrayCodec:
    """Encodes the elements of one array separately, and the bytes before and after them.

    The fields after the array must have a fixed size.
    """

    def __init__(self, encode: Callable[[Sequence[Any]], bytes], sample: Any, *, is_compact: bool) -> None:
        """``encode`` encodes a message whose array has the given elements; ``sample`` is any element. ``is_compact``
        says how the length of the array is written."""
        self._encode = encode
        empty, one = encode([]), encode([sample])
        # Both encodings are equal up to the last byte of the count: 0 and 1, or, if it is compact, 1 and 2.
        place = next(index for index, byte in enumerate(empty) if byte != one[index])
        self.is_compact = is_compact
        self._count_bytes = 1 if is_compact else 4
        self._head = place + 1 - self._count_bytes
        self._tail = len(empty) - place - 1

    def elements(self, items: Sequence[Any]) -> bytes:
        """The encoded bytes of some elements."""
        data = self._encode(items)
        return data[self._head + len(self._count(len(items))) : len(data) - self._tail]

    def around(self, bare: bytes, count: int) -> tuple[bytes, bytes]:
        """The bytes before and after ``count`` elements. ``bare`` is the encoding of the message without any
        element."""
        end = len(bare) - self._tail
        return bare[: end - self._count_bytes] + self._count(count), bare[end:]

    def _count(self, count: int) -> bytes:
        if not self.is_compact:
            return count.to_bytes(4, "big")
        out = bytearray()
        write_unsigned_varint(out, count + 1)
        return bytes(out)


@cache
def element_codec(
    response_class: type[Message], attribute: str, version: int, sample: Callable[[], Any]
) -> ArrayCodec:
    """The codec of a top-level array of a response. ``sample`` makes an element that the version can express."""
    flexible = response_class.FLEXIBLE_FROM
    return ArrayCodec(
        lambda items: response_class(**{attribute: items}).encode(version),
        sample(),
        is_compact=flexible is not None and version >= flexible,
    )


@cache
def inner_codec(
    outer: ArrayCodec, attribute: str, element: Callable[[], Any], sample: Callable[[], Any]
) -> ArrayCodec:
    """The codec of an array inside the elements of another array. ``element`` makes such an element."""

    def encode(items: Sequence[Any]) -> bytes:
        around = element()
        setattr(around, attribute, items)
        return outer.elements([around])

    return ArrayCodec(encode, sample(), is_compact=outer.is_compact)


class Joiner:
    """Collects pieces and joins small ones."""

    __slots__ = ("_pieces", "_size", "buffers")

    def __init__(self) -> None:
        self.buffers: list[Buffer] = []
        self._pieces: list[bytes] = []
        self._size = 0

    def add(self, piece: bytes) -> None:
        """Put a piece behind the others."""
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size >= BUFFER_BYTES:
            self.flush()

    def flush(self) -> None:
        """Join what has been collected."""
        if self._pieces:
            self.buffers.append(b"".join(self._pieces))
            self._pieces.clear()
            self._size = 0


def whole(before: bytes, joiner: Joiner, after: bytes) -> list[Buffer]:
    """The buffers of a response whose elements were collected: one buffer if they are few."""
    joiner.flush()
    buffers = [before, *joiner.buffers, after]
    return buffers if len(buffers) > _FEW_BUFFERS else [b"".join(buffers)]
