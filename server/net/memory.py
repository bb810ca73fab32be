"""How much memory the requests of all connections may take that are incomplete or not answered yet.

In Kafka this is ``queued.max.request.bytes`` (class SimpleMemoryPool), unlimited by default: a connection takes what
its request announces from the pool before it is read, and reading pauses while the pool is used up. So four bytes are
enough to take 100 MiB of it, until the connection has been idle for ten minutes.

Here what has arrived counts, and not what was announced. A connection is counted once it holds more than
`UNCOUNTED_BYTES`, so ordinary requests never wait. While the pool is used up, connections that are counted are not
read from. If that lasts for `MEMORY_PATIENCE_S`, none of their requests can become complete. Then of the connections
with an incomplete one, that is closed on which nothing has come for the longest time.
"""

from __future__ import annotations

from typing import Protocol

import trio

from server.net.limits import MAX_QUEUED_REQUEST_BYTES, MEMORY_PATIENCE_S


class Holder(Protocol):
    """A connection that holds a part of the memory."""

    @property
    def idle_since(self) -> float | None:
        """Since when nothing moves on it, by trio's clock; None while the peer waits for a response."""

    def give_up_request(self) -> None:
        """Close soon, because the incomplete request takes memory that others need."""


class RequestMemory:
    """The memory of the requests of a node's listeners."""

    def __init__(self, limit_bytes: int = MAX_QUEUED_REQUEST_BYTES) -> None:
        assert limit_bytes > 0, "there has to be room for some request"
        self._limit_bytes = limit_bytes
        self._held: dict[Holder, int] = {}
        self._freed = trio.lowlevel.ParkingLot()
        self._last_relief = 0.0
        self.used_bytes = 0
        self.is_full = False
        """Whether nothing more is to be read."""

    def hold(self, holder: Holder, size_bytes: int) -> None:
        """From now on a connection holds so much, be it more or less than before."""
        self.used_bytes += size_bytes - self._held.get(holder, 0)
        if size_bytes:
            self._held[holder] = size_bytes
        else:
            self._held.pop(holder, None)
        was_full, self.is_full = self.is_full, self.used_bytes >= self._limit_bytes
        if was_full and not self.is_full:
            self._freed.unpark_all()

    async def wait_for_room(self) -> None:
        """Return once there is memory for more."""
        while self.is_full:
            begin = trio.current_time()
            with trio.move_on_after(MEMORY_PATIENCE_S) as waiting:
                await self._freed.park()
            # Others wait as well, and one that is closed is enough for all until it is seen what comes of it.
            if waiting.cancelled_caught and self._last_relief <= begin:
                self._last_relief = trio.current_time()
                self._relieve()

    def _relieve(self) -> None:
        idle = [(since, holder) for holder in self._held if (since := holder.idle_since) is not None]
        if idle:
            min(idle, key=lambda each: each[0])[1].give_up_request()
