"""Responses put together from elements that are encoded one by one, so that encoded elements can be kept and used
again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from kafkaproto.message import Message
from kafkaproto.primitives import write_unsigned_varint
from kafkaproto.support import Steps
from server.ports import Buffer

BUFFER_BYTES: Final = 65_536
"""Small pieces are joined to buffers of about this size."""


class ElementCodec:
    """Encodes the elements of one top-level array of a response at one version.

    What follows the array in the response must have a fixed size.
    """

    def __init__(self, response_class: type[Message], attribute: str, version: int, sample: Any) -> None:
        """``sample`` is any element that the version can express."""
        self._class = response_class
        self._attribute = attribute
        self._version = version
        empty = response_class().encode(version)
        one = response_class(**{attribute: [sample]}).encode(version)
        # Both begin alike up to the last byte of the count: 0 and 1, or, if it is compact, 1 and 2.
        place = next(index for index, byte in enumerate(empty) if byte != one[index])
        flexible = response_class.FLEXIBLE_FROM
        self._is_compact = flexible is not None and version >= flexible
        self._count_bytes = 1 if self._is_compact else 4
        self._head = place + 1 - self._count_bytes
        self._tail = len(empty) - place - 1

    def elements(self, items: Sequence[Any]) -> bytes:
        """The bytes of some elements."""
        data = self._class(**{self._attribute: items}).encode(self._version)
        return data[self._head + len(self._count(len(items))) : len(data) - self._tail]

    def element_in_steps(self, item: Any) -> Steps[bytes]:
        """The bytes of an element that may be large."""
        buffers = yield from self._class(**{self._attribute: [item]}).encode_in_steps(self._version)
        data = b"".join(buffers)
        return data[self._head + self._count_bytes : len(data) - self._tail]

    def around(self, response: Message, count: int) -> tuple[bytes, bytes]:
        """What comes before and after ``count`` elements in a response that is given without them."""
        data = response.encode(self._version)
        end = len(data) - self._tail
        return data[: end - self._count_bytes] + self._count(count), data[end:]

    def _count(self, count: int) -> bytes:
        if not self._is_compact:
            return count.to_bytes(4, "big")
        out = bytearray()
        write_unsigned_varint(out, count + 1)
        return bytes(out)


@cache
def element_codec(response_class: type[Message], attribute: str, version: int, sample: Any) -> ElementCodec:
    """The codec; ``sample`` makes a sample element."""
    return ElementCodec(response_class, attribute, version, sample())


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
