"""Writes the responses of one connection: what the socket takes at once by the task that has the response, the rest by
the keeper as the peer reads it.

A task switch for each response would cost more than most responses, and nearly all fit into the socket's send buffer.
"""

from __future__ import annotations

from collections import deque
from typing import Final

import trio

from kafkaproto_server.base.file_part import FilePart, Sendable
from kafkaproto_server.shell.net.keeper import HungUp, KeeperSignal, PeerLeft
from kafkaproto_server.shell.net.limits import SEND_TIMEOUT_MS
from kafkaproto_server.shell.net.memory import ConnectionMemory
from kafkaproto_server.shell.net.streams import ByteStream

_FEW_BYTES: Final = 4096
_LEFT_UNANSWERED: Final = "it hung up before its answer was written"


class ResponseWriter:
    """The response that one connection is sending. `send_now` is for any task, `send_rest` for the keeper."""

    def __init__(
        self, stream: ByteStream, memory: ConnectionMemory, keeper: KeeperSignal, idle_timeout_ms: int
    ) -> None:
        self._stream = stream
        self._memory = memory
        self._keeper = keeper
        self._idle_timeout_ms = idle_timeout_ms
        self.unsent: deque[Sendable] = deque()
        """The part of the current response that the socket has not accepted yet."""
        self.moved_at = trio.current_time()
        """When the peer took something last."""
        # Set while the keeper writes the rest of a response.
        self._sending: trio.CancelScope | None = None

    def send_now(self, *, most: int | None = None) -> None:
        """Send as much as the socket takes, up to a chunk of more than ``most`` bytes."""
        unsent = self.unsent
        while unsent:
            chunk = unsent[0]
            if most is not None and len(chunk) > most:
                return
            try:
                sent = self._stream.send_now(chunk)
            except trio.BrokenResourceError:
                # Nothing more can be written. The remaining bytes show that the response is incomplete.
                self._keeper.fail(HungUp(_LEFT_UNANSWERED))
                return
            if sent < len(chunk):
                unsent[0] = _without(chunk, sent)
                self._keeper.wake()
                return
            unsent.popleft()
        self.moved_at = trio.current_time()

    async def send_rest(self) -> None:
        """Write the rest of a response, as the peer reads it. Raises the reason to end the connection."""
        # For each piece that the peer takes, not for the whole response: a slow peer is no stalled one.
        timeout_ms = min(SEND_TIMEOUT_MS, self._idle_timeout_ms)
        while self.unsent:
            chunk = self.unsent[0]
            sent = 0
            with trio.move_on_after(timeout_ms / 1000) as self._sending:
                try:
                    sent = await self._stream.send_some(chunk)
                except trio.BrokenResourceError:
                    raise HungUp(_LEFT_UNANSWERED) from None
            self._sending = None
            # First, since `stop` ends the wait as the timeout does, and has removed what was to be sent.
            if self._keeper.fault is not None:
                raise self._keeper.fault
            if not sent:
                raise PeerLeft(f"it read nothing of its answer for {timeout_ms} ms")
            if sent < len(chunk):
                self.unsent[0] = _without(chunk, sent)
            else:
                self.unsent.popleft()
                # A few bytes follow the records, and the peer waits for them. A turn would cost more than they do.
                self.send_now(most=_FEW_BYTES)
                if self._keeper.fault is not None:
                    raise self._keeper.fault
            self.moved_at = trio.current_time()
            self._memory.response_moved()
        self._memory.response_left()

    def stop(self) -> None:
        """The connection ends: the keeper must not wait for the peer to read."""
        if self._sending is not None:
            self._sending.cancel()


def _without(chunk: Sendable, sent: int) -> Sendable:
    """A chunk without its first bytes."""
    return chunk.after(sent) if isinstance(chunk, FilePart) else memoryview(chunk)[sent:]
