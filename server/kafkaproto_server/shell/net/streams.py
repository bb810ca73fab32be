"""Byte streams over sockets that do immediately what need not wait.

trio's own streams let every other task run at each call. If the call could complete immediately, that costs more than
the call. Here, immediate writing is a separate function, for callers that are not tasks, and reading waits for the
socket only if necessary. A task that reads in a loop still lets others run: between two reads there is always a turn of
the event loop.
"""

from __future__ import annotations

import fcntl
import os
import select
import sys
import termios
import threading
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import trio

from kafkaproto_server.base.file_part import FilePart, Sendable
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.shell.net.limits import RECEIVE_CHUNK_BYTES
from kafkaproto_server.shell.net.passes import WaitTurn, at_once

_HUNG_UP: Final = getattr(select, "POLLRDHUP", select.POLLHUP)
"""Not every system has the former. There, a connection that waits shows that its peer has left only once it broke."""
_INT_BYTES: Final = 4


class _Received(threading.local):
    """Where each thread's event loop reads into; what arrived is copied at its own size.

    Reading into new bytes of the largest size, and giving back what is not needed of them, leaves memory in pieces: as
    long as anything small lives where they were, the place is too small for the next read, and the process grows.
    """

    def __init__(self) -> None:
        self.buffer = memoryview(bytearray(RECEIVE_CHUNK_BYTES))


_received = _Received()


class ByteStream(Protocol):
    """One connection's bytes in both directions."""

    def send_now(self, data: Sendable) -> int:
        """Write as much as possible without waiting. Returns the number of bytes.

        Raises trio.BrokenResourceError if the connection is gone.
        """

    async def send_some(self, data: Sendable) -> int:
        """Wait until something can be written, and write as much as possible. Returns the number of bytes, at least
        one.

        Raises trio.BrokenResourceError, trio.ClosedResourceError.
        """

    async def wait_readable(self) -> None:
        """Return once `receive_now` may return something. Raises trio.BrokenResourceError, trio.ClosedResourceError."""

    def receive_now(self, max_bytes: int) -> bytes | bytearray | None:
        """The bytes that have arrived, up to ``max_bytes``. Empty if the other end has ended its stream; None if there
        is nothing now.

        Raises trio.BrokenResourceError.
        """

    def ends_within(self, size_bytes: int) -> bool:
        """Whether the other end has ended or broken its stream, with fewer than so many bytes left to be received. It
        may take until these are received before this is known."""

    def close(self) -> None:
        """Close at once. Waiting tasks get trio.ClosedResourceError."""


class OutboundStream(ByteStream, Protocol):
    """The stream of a connection that this node made."""

    @property
    def remote_host(self) -> str:
        """The address of the other end."""

    async def send_all(self, data: Buffer) -> None:
        """Write all of it; raises trio.BrokenResourceError, trio.ClosedResourceError."""

    async def receive_some(self, max_bytes: int) -> bytes | bytearray:
        """The bytes that have arrived, at least one. Empty if the other end has ended its stream.

        Raises trio.BrokenResourceError, trio.ClosedResourceError.
        """

    def has_input(self) -> bool:
        """Whether bytes have arrived, or the other end has ended or broken its stream."""


class SocketBytes:
    """The stream of a connected socket. Implements `ByteStream` and `OutboundStream`."""

    def __init__(self, stream: trio.SocketStream, wait_turn: WaitTurn = at_once) -> None:
        """``wait_turn`` is awaited before each read."""
        self._stream = stream
        self._wait_turn = wait_turn
        self._fd = stream.socket.fileno()
        # Whether the last read may have left something in the socket.
        self._may_hold_more = False

    @property
    def remote_host(self) -> str:
        """See `OutboundStream`. Raises OSError if the connection is gone already."""
        host: str = self._stream.socket.getpeername()[0]
        return host

    def send_now(self, data: Sendable) -> int:
        try:
            return data.send_to(self._fd) if isinstance(data, FilePart) else os.write(self._fd, data)
        except BlockingIOError:
            return 0
        # EOFError: the file of records that were to be sent was cut. The header with their length may have left, so the
        # connection is of no use any more.
        except (OSError, EOFError) as error:
            raise trio.BrokenResourceError(f"socket connection broken: {error}") from error

    async def send_all(self, data: Buffer) -> None:
        # Nearly every request fits into the socket's buffer. trio's send_all would cost a turn of
        # the loop.
        sent = self.send_now(data)
        if sent < len(data):
            await self._stream.send_all(memoryview(data)[sent:])

    async def send_some(self, data: Sendable) -> int:
        while True:
            self._check_open()
            # Ready to write is a hint only: the loop tries again if the write takes nothing.
            await trio.lowlevel.wait_writable(self._fd)
            if sent := self.send_now(data):
                return sent

    async def receive_some(self, max_bytes: int) -> bytes:
        while True:
            await self.wait_readable()
            data = self.receive_now(max_bytes)
            if data is not None:
                return data

    async def wait_readable(self) -> None:
        self._check_open()
        # A read that filled its buffer may have left bytes. To wait for the socket would cost a
        # system call.
        if self._may_hold_more:
            await trio.lowlevel.checkpoint()
        else:
            await trio.lowlevel.wait_readable(self._fd)
        # Many sockets may become readable at once.
        await self._wait_turn()

    def receive_now(self, max_bytes: int) -> bytes | None:
        buffer = _received.buffer[:max_bytes]
        try:
            count = os.readv(self._fd, (buffer,))
        except BlockingIOError:
            self._may_hold_more = False
            return None
        except OSError as error:
            raise trio.BrokenResourceError(f"socket connection broken: {error}") from error
        # A read that was not filled has emptied the socket, so the next one waits for it.
        self._may_hold_more = count == len(buffer)
        return bytes(buffer[:count])

    def has_input(self) -> bool:
        # Not select(): that fails for descriptors from 1024 on.
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        return bool(poll.poll(0))

    def ends_within(self, size_bytes: int) -> bool:
        poll = select.poll()
        poll.register(self._fd, _HUNG_UP)
        if not poll.poll(0):
            return False
        # The system has received everything by then.
        left = bytearray(_INT_BYTES)
        try:
            fcntl.ioctl(self._fd, termios.FIONREAD, left)
        except OSError:
            return True
        return int.from_bytes(left, sys.byteorder) < size_bytes

    def _check_open(self) -> None:
        if self._fd < 0:
            raise trio.ClosedResourceError("this stream was closed")

    def close(self) -> None:
        # The number may belong to another connection a moment later.
        self._fd = -1
        self._stream.socket.close()


Connect = Callable[[str, int], Awaitable[OutboundStream]]
"""Connects to a host and port. Raises OSError, and ValueError for a host that is not a valid name."""


async def connect_tcp(host: str, port: int) -> SocketBytes:
    """A plain connection to the first address of the host that accepts one."""
    return SocketBytes(await trio.open_tcp_stream(host, port))
