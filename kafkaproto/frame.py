"""Length-prefixed framing: four bytes of size, then that many bytes, in both directions.

This module knows nothing of headers, messages or sockets. A `FrameReader` takes received bytes and returns whole
frames. Its memory grows with the bytes that arrived, never with the size that a peer announces: a peer that announces
100 MiB and then sends nothing costs four bytes. The work is linear in the bytes received, however they are cut and
however many frames one call of ``receive`` brings.
"""

from __future__ import annotations

import enum
import struct
from collections import deque
from collections.abc import Sequence, Sized
from typing import Final, TypeVar

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.primitives import Buffer

SIZE_PREFIX_BYTES: Final = 4
MAX_FRAME_SIZE_BYTES: Final = 0x7FFF_FFFF
"""The largest size that fits in the signed 32-bit prefix."""

_SMALL_PIECE_BYTES: Final = 4096
"""Pieces smaller than this are merged. One object for each would multiply the memory that a peer costs which sends
single bytes.
"""

Piece = TypeVar("Piece", bound=Sized)
"""A piece of what is to be sent."""

_size_prefix = struct.Struct(">i")


class NeedData(enum.Enum):
    """The type of `NEED_DATA`, so that type checkers can distinguish it from a frame or an event."""

    NEED_DATA = "need data"


NEED_DATA: Final = NeedData.NEED_DATA
"""Returned instead of a frame or an event if more bytes have to be received first."""


class FrameReader:
    """Cuts a stream of bytes into frames.

    Give received bytes to ``receive``, then call ``next_frame`` until it returns `NEED_DATA`.
    """

    __slots__ = ("_available", "_frame_size", "_max_size", "_pieces", "_position")

    def __init__(self, max_size: int) -> None:
        """``max_size`` is the largest frame accepted, in bytes, the size prefix not counted."""
        assert 0 < max_size <= MAX_FRAME_SIZE_BYTES
        self._max_size = max_size
        self._pieces: deque[bytes | bytearray] = deque()
        # Position of the next byte in the first piece; the bytes before it were already returned.
        self._position = 0
        self._available = 0
        # Size of the frame that is arriving; None until its prefix was read.
        self._frame_size: int | None = None

    @property
    def buffered_bytes(self) -> int:
        """Bytes held that were not returned yet; a size prefix counts until it was read."""
        return self._available

    @property
    def frame_size(self) -> int | None:
        """Announced size of the frame that `next_frame` waits for; None while its prefix is not complete."""
        return self._frame_size

    def peek(self, size: int) -> bytes:
        """Up to ``size`` of the next bytes, without taking them from the stream."""
        if not self._pieces:
            return b""
        peeked = bytes(self._pieces[0][self._position : self._position + size])
        index = 1
        # The prefix itself may be spread over pieces, if a peer sends single bytes.
        while len(peeked) < size and index < len(self._pieces):
            peeked += self._pieces[index][: size - len(peeked)]
            index += 1
        return peeked

    @property
    def is_inside_frame(self) -> bool:
        """Whether part of a frame has arrived. If the stream ends now, it ends inside that frame."""
        return self._available > 0 or self._frame_size is not None

    @property
    def missing_bytes(self) -> int:
        """How many bytes the next frame still lacks, as far as it is known: at least those of its size prefix."""
        return (SIZE_PREFIX_BYTES if self._frame_size is None else self._frame_size) - self._available

    def receive(self, data: Buffer) -> None:
        """Take the next bytes of the stream. Bytes objects are kept without a copy, other buffers are copied."""
        size = len(data)
        if not size:
            return
        self._available += size
        # A large piece is kept as it is, so that a request of megabytes is copied only once, when
        # complete.
        if size >= _SMALL_PIECE_BYTES or not self._pieces:
            self._pieces.append(bytes(data))
            return
        last = self._pieces[-1]
        if not isinstance(last, bytearray):
            self._pieces.append(bytearray(data))
            return
        if len(self._pieces) == 1:
            # Drop the bytes that were already returned. If every read ends inside a frame, the piece never becomes
            # empty, and would otherwise keep everything that ever arrived.
            del last[: self._position]
            self._position = 0
        last += data

    def next_frame(self) -> bytes | NeedData:
        """The next whole frame without its size prefix, or NEED_DATA.

        Raises RemoteProtocolError for a size that is negative, zero or above the limit, now and at every later call:
        nobody can tell where the next frame begins.
        """
        frame_size = self._frame_size
        if frame_size is None:
            if self._available < SIZE_PREFIX_BYTES:
                return NEED_DATA
            # The prefix stays in the stream, so that a refused size is refused again.
            (frame_size,) = _size_prefix.unpack(self.peek(SIZE_PREFIX_BYTES))
            # A frame of size 0 holds no header, so it is neither a request nor a response.
            if not 0 < frame_size <= self._max_size:
                raise RemoteProtocolError(
                    f"a frame of {frame_size} bytes is announced, allowed are 1 to {self._max_size}"
                )
            self._take(SIZE_PREFIX_BYTES)
            self._frame_size = frame_size
        if self._available < frame_size:
            return NEED_DATA
        self._frame_size = None
        return self._take(frame_size)

    def _take(self, size: int) -> bytes:
        """Take and return the next ``size`` bytes; the caller has checked that they are there."""
        assert size <= self._available
        self._available -= size
        first = self._pieces[0]
        start = self._position
        end = start + size
        if end < len(first):
            self._position = end
            return bytes(first[start:end])
        self._pieces.popleft()
        self._position = 0
        if end == len(first):
            return bytes(first[start:])
        parts: list[Buffer] = [first[start:]]
        missing = end - len(first)
        while missing >= len(self._pieces[0]):
            missing -= len(self._pieces[0])
            parts.append(self._pieces.popleft())
            if not missing:
                break
        else:
            parts.append(self._pieces[0][:missing])
            self._position = missing
        return b"".join(parts)


def encode_frame(buffers: Sequence[Piece]) -> list[Buffer | Piece]:
    """The buffers of one frame: the size prefix, then ``buffers``. They are for a gathered write; nothing is copied. A
    piece may be anything that has a length and that the caller can send, as a part of a file.

    Raises LocalProtocolError if their sizes together exceed what a size prefix can hold.
    """
    size = sum(map(len, buffers))
    if size > MAX_FRAME_SIZE_BYTES:
        raise LocalProtocolError(f"a frame of {size} bytes is longer than {MAX_FRAME_SIZE_BYTES}")
    return [_size_prefix.pack(size), *buffers]
