"""Length-prefixed framing: four bytes of size, then that many bytes, in both directions.

Knows nothing of headers, messages or sockets. A `FrameReader` is fed whatever arrived and gives whole frames
back; what it holds grows with the bytes that arrived and never with the size that a peer announces, so a peer
that announces 100 MiB and then falls silent costs four bytes. The work is linear in the bytes fed, however
they are cut and however many frames one feed holds.
"""

from __future__ import annotations

import enum
import struct
from collections import deque
from collections.abc import Sequence
from typing import Final

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.primitives import Buffer

SIZE_PREFIX_BYTES: Final = 4
MAX_FRAME_SIZE_BYTES: Final = 0x7FFF_FFFF
"""The largest size that the signed 32-bit prefix can say."""

_SMALL_PIECE_BYTES: Final = 4096
"""Pieces below this are merged: an object for each would multiply the memory that a dripping peer takes."""

_size_prefix = struct.Struct(">i")


class NeedData(enum.Enum):
    """The type of `NEED_DATA`, so that type checkers can tell it from a frame or an event."""

    NEED_DATA = "need data"


NEED_DATA: Final = NeedData.NEED_DATA
"""Returned instead of a frame or an event when more bytes have to be received first."""


class FrameReader:
    """Cuts a stream of bytes into frames.

    ``receive`` takes what arrived, ``next_frame`` is then called until it answers `NEED_DATA`.
    """

    __slots__ = ("_available", "_frame_size", "_max_size", "_pieces", "_position")

    def __init__(self, max_size: int) -> None:
        """``max_size`` is the largest frame accepted, in bytes, the size prefix not counted."""
        assert 0 < max_size <= MAX_FRAME_SIZE_BYTES
        self._max_size = max_size
        self._pieces: deque[bytes | bytearray] = deque()
        # Where the first piece goes on: the bytes before it were given out already.
        self._position = 0
        self._available = 0
        # Size of the frame under way, once its prefix was read.
        self._frame_size: int | None = None

    @property
    def buffered_bytes(self) -> int:
        """Bytes held that were not given out yet; a size prefix counts until it was read."""
        return self._available

    @property
    def frame_size(self) -> int | None:
        """Announced size of the frame that `next_frame` waits for; None while its prefix is not complete."""
        return self._frame_size

    def peek(self, size: int) -> bytes:
        """Up to ``size`` of the next bytes, which stay where they are."""
        if not self._pieces:
            return b""
        peeked = bytes(self._pieces[0][self._position : self._position + size])
        index = 1
        while len(peeked) < size and index < len(self._pieces):
            peeked += self._pieces[index][: size - len(peeked)]
            index += 1
        return peeked

    @property
    def is_inside_frame(self) -> bool:
        """Whether a frame was begun; the end of the stream is then an end in the middle of it."""
        return self._available > 0 or self._frame_size is not None

    def receive(self, data: Buffer) -> None:
        """Take the next bytes of the stream. Bytes objects are kept as they are, other buffers are copied."""
        size = len(data)
        if not size:
            return
        self._available += size
        if size >= _SMALL_PIECE_BYTES or not self._pieces:
            self._pieces.append(bytes(data))
            return
        last = self._pieces[-1]
        if not isinstance(last, bytearray):
            self._pieces.append(bytearray(data))
            return
        if len(self._pieces) == 1:
            # What was given out must leave here: a stream that always ends inside a frame never empties the
            # piece, which would then keep everything that ever arrived.
            del last[: self._position]
            self._position = 0
        last += data

    def next_frame(self) -> bytes | NeedData:
        """The next whole frame without its size prefix, or NEED_DATA.

        Raises RemoteProtocolError, now and at every later call, for a size that is negative, zero or above
        the limit; what follows in the stream cannot be told apart any more.
        """
        frame_size = self._frame_size
        if frame_size is None:
            if self._available < SIZE_PREFIX_BYTES:
                return NEED_DATA
            # Left where it is, so that a refused size is refused again.
            (frame_size,) = _size_prefix.unpack(self.peek(SIZE_PREFIX_BYTES))
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
        """Give out the next ``size`` bytes; the caller knows that they are there."""
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


def encode_frame(buffers: Sequence[Buffer]) -> list[Buffer]:
    """The buffers of one frame with its size prefix put before them, for a gathered write; nothing is copied.

    Raises LocalProtocolError if together they are longer than a size prefix can say.
    """
    size = sum(map(len, buffers))
    if size > MAX_FRAME_SIZE_BYTES:
        raise LocalProtocolError(f"a frame of {size} bytes is longer than {MAX_FRAME_SIZE_BYTES}")
    return [_size_prefix.pack(size), *buffers]
