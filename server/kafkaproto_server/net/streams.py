"""Byte streams over sockets that do at once what need not wait.

trio's own streams let every other task run at each call, which costs more than the call where all of it could be done
on the spot. Here writing on the spot is a function of its own, for callers that are no tasks, and reading waits for the
socket only where it has to. Whoever reads in a loop still lets others run: nothing is read twice without a turn of the
event loop in between.
"""

from __future__ import annotations

import os
from typing import Protocol

import trio

from kafkaproto_server.net.passes import WaitTurn, at_once
from kafkaproto_server.ports import Buffer


class ByteStream(Protocol):
    """One connection's bytes in both directions."""

    def send_now(self, data: Buffer) -> int:
        """Write what can be written without waiting; tells how many bytes that was.

        Raises trio.BrokenResourceError where the connection is gone.
        """

    async def send_some(self, data: Buffer) -> int:
        """Wait until something can be written, and write what can be; returns how many bytes, at least one.

        Raises trio.BrokenResourceError, trio.ClosedResourceError.
        """

    async def wait_readable(self) -> None:
        """Return once `receive_now` may have something. Raises trio.BrokenResourceError, trio.ClosedResourceError."""

    def receive_now(self, max_bytes: int) -> bytes | bytearray | None:
        """What has arrived, up to ``max_bytes``; empty if the other end has ended its stream, None if there is
        nothing now.

        Raises trio.BrokenResourceError.
        """

    def close(self) -> None:
        """Close at once; who waits gets trio.ClosedResourceError."""


class SocketBytes:
    """The stream of a connected socket."""

    def __init__(self, stream: trio.SocketStream, wait_turn: WaitTurn = at_once) -> None:
        """``wait_turn`` is waited for before something is read."""
        self._stream = stream
        self._wait_turn = wait_turn
        self._fd = stream.socket.fileno()
        # Whether the last read may have left something behind.
        self._may_hold_more = False

    @property
    def fd(self) -> int:
        """The socket's file descriptor; -1 once closed."""
        return self._fd

    def send_now(self, data: Buffer) -> int:
        """See `ByteStream`."""
        try:
            return os.write(self._fd, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise trio.BrokenResourceError(f"socket connection broken: {error}") from error

    async def send_all(self, data: Buffer) -> None:
        """Write all of it; raises trio.BrokenResourceError, trio.ClosedResourceError."""
        sent = self.send_now(data)
        if sent < len(data):
            await self._stream.send_all(memoryview(data)[sent:])

    async def send_some(self, data: Buffer) -> int:
        """See `ByteStream`."""
        while True:
            self._check_open()
            await trio.lowlevel.wait_writable(self._fd)
            if sent := self.send_now(data):
                return sent

    async def receive_some(self, max_bytes: int) -> bytes:
        """What arrived, at least one byte; none where the other end has ended its stream.

        Raises trio.BrokenResourceError, trio.ClosedResourceError.
        """
        while True:
            await self.wait_readable()
            data = self.receive_now(max_bytes)
            if data is not None:
                return data

    async def wait_readable(self) -> None:
        """See `ByteStream`."""
        self._check_open()
        if self._may_hold_more:
            await trio.lowlevel.checkpoint()
        else:
            await trio.lowlevel.wait_readable(self._fd)
        # Any number of sockets may become readable at once.
        await self._wait_turn()

    def receive_now(self, max_bytes: int) -> bytes | None:
        """See `ByteStream`."""
        try:
            data = os.read(self._fd, max_bytes)
        except BlockingIOError:
            self._may_hold_more = False
            return None
        except OSError as error:
            raise trio.BrokenResourceError(f"socket connection broken: {error}") from error
        self._may_hold_more = len(data) == max_bytes
        return data

    def _check_open(self) -> None:
        if self._fd < 0:
            raise trio.ClosedResourceError("this stream was closed")

    def close(self) -> None:
        """See `ByteStream`."""
        # The number may belong to another connection a moment later.
        self._fd = -1
        self._stream.socket.close()
