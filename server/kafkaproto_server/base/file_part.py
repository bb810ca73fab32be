"""Bytes that lie in a file and in memory, and go from there to a socket without being read: `sendfile`.

A consumer's records take this way. To copy them through this process would cost more than all the rest of the request.
The codec only asks for a part's length and passes it on (`Message.encode_buffers`); `net` sends it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

MOST_AT_ONCE = 1 << 20
"""Bytes for one call: what a slow reader's part has left may not be in memory any more, and the call waits for it."""


class Descriptor:
    """A descriptor that is closed when nobody refers to this object any more."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        os.close(self.number)


class FilePart:
    """Bytes of an open file. The file may be renamed or removed meanwhile; nobody may cut it or write there."""

    __slots__ = ("_descriptor", "_position", "_size")

    def __init__(self, descriptor: Descriptor, position: int, size: int) -> None:
        self._descriptor = descriptor
        self._position = position
        self._size = size

    def __len__(self) -> int:
        return self._size

    def after(self, length: int) -> FilePart:
        """The part without its first bytes."""
        return FilePart(self._descriptor, self._position + length, self._size - length)

    def send_to(self, socket: int) -> int:
        """Send as much as the socket takes; returns the number of bytes, at least one. Raises OSError, BlockingIOError
        if the socket takes nothing, and EOFError if the file was cut."""
        sent = os.sendfile(socket, self._descriptor.number, self._position, min(self._size, MOST_AT_ONCE))
        if not sent:
            raise EOFError(f"a file ends before position {self._position}, where records were")
        return sent

    def read(self) -> bytes:
        """A copy, for what is no socket. Raises OSError, and EOFError if the file was cut."""
        data = os.pread(self._descriptor.number, self._size, self._position)
        if len(data) < self._size:
            raise EOFError(f"a file ends before position {self._position + self._size}, where records were")
        return data


Sendable = bytes | bytearray | memoryview | FilePart
"""A piece of a response."""


def as_buffers(pieces: Iterable[Sendable]) -> list[bytes | bytearray | memoryview]:
    """The same pieces, those in files read. Raises as `FilePart.read` does."""
    return [each.read() if isinstance(each, FilePart) else each for each in pieces]
