"""The memory that all connections share: for requests, and for the responses that peers do not read.

**Requests** that are incomplete or not answered yet. In Kafka this is ``queued.max.request.bytes`` (class
SimpleMemoryPool), unlimited by default: a connection takes what its request announces from the pool before it is read,
and reading pauses while the pool is used up. So four bytes are enough to take 100 MiB of it, until the connection has
been idle for ten minutes.

Here what has arrived counts, and not what was announced. A connection is counted once it holds more than
`UNCOUNTED_BYTES`, so ordinary requests never wait. While the pool is used up, no connection is read from beyond that,
and those that have more to send wait for room: the hosts they come from in turn, so that one with very many connections
makes another wait for one of them at a time.

If the pool is used up for `MEMORY_WAIT_S`, connections are closed that hold an incomplete request and have sent
nothing more of it, until half of the pool will be free: those of the host that holds most first, and of these the ones
on which nothing has moved for longest. If all have sent more, one is closed: of the same host, the one that has held
its request for longest. What a request becomes when it is decoded is not counted, and a request counts no more once it
is answered, be the response read or not.

**Responses** that the sockets did not take at once. Kafka counts them nowhere: a peer that does not read holds its
response until the connection was idle for ten minutes. Here, if they take more than there is for them, the connection
is closed whose peer has taken nothing for the longest time, so that those who read, however slowly, go last.
"""

from __future__ import annotations

from collections import Counter
from typing import Protocol

import trio

from kafkaproto_server.net.host_queue import HostQueue
from kafkaproto_server.net.limits import (
    CLOSED_AT_ONCE,
    MAX_QUEUED_REQUEST_BYTES,
    MAX_UNREAD_RESPONSE_BYTES,
    MEMORY_WAIT_S,
)


class Holder(Protocol):
    """A connection that holds a part of the memory."""

    @property
    def host(self) -> str:
        """The peer's address."""

    @property
    def idle_since(self) -> float | None:
        """Since when nothing moves on it, by trio's clock; None while the peer waits for a response."""

    def give_up_request(self) -> None:
        """Close soon, because the requests here take memory that others need."""

    def give_up_response(self) -> None:
        """Let go of the response now, and close soon."""


class RequestMemory:
    """The memory of the requests of a node's listeners."""

    def __init__(self, limit_bytes: int = MAX_QUEUED_REQUEST_BYTES) -> None:
        assert limit_bytes > 0, "there has to be room for some request"
        self._limit_bytes = limit_bytes
        self._held: dict[Holder, int] = {}
        # Connections with more to read.
        self._wanting: set[Holder] = set()
        self._waiting: HostQueue[trio.lowlevel.Task] = HostQueue()
        # Of those that wait, one watches the time: the others need no timer each.
        self._watch = trio.lowlevel.ParkingLot()
        self._is_watched = False
        self._gives_up_at = 0.0
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
        if self.is_full and not was_full:
            self._gives_up_at = trio.current_time() + MEMORY_WAIT_S
        elif was_full and not self.is_full:
            self._watch.unpark_all()

    async def wait_for_room(self, holder: Holder) -> None:
        """Return once there is memory for what a connection has to read, which others may have taken meanwhile."""
        self._wanting.add(holder)
        try:
            while self.is_full:
                if self._is_watched:
                    await self._wait_turn(holder.host)
                else:
                    await self._keep_watch()
        finally:
            self._wanting.remove(holder)
            # One wakes the next, be it to go on or to watch. Were it all at once, each piece that is freed would cost a
            # turn of the loop for every one of them.
            if self._waiting:
                trio.lowlevel.reschedule(self._waiting.popleft())

    async def _wait_turn(self, host: str) -> None:
        task = trio.lowlevel.current_task()

        def cancelled(_: object) -> trio.lowlevel.Abort:
            self._waiting.remove(host, task)
            return trio.lowlevel.Abort.SUCCEEDED

        self._waiting.append(host, task)
        await trio.lowlevel.wait_task_rescheduled(cancelled)

    async def _keep_watch(self) -> None:
        """Wait for room, and have connections closed for it if that takes too long."""
        self._is_watched = True
        try:
            while self.is_full:
                with trio.move_on_at(self._gives_up_at) as waiting:
                    await self._watch.park()
                if waiting.cancelled_caught and self.is_full:
                    self._gives_up_at = trio.current_time() + MEMORY_WAIT_S
                    await self._relieve()
        finally:
            self._is_watched = False

    async def _relieve(self) -> None:
        """Have connections closed that send nothing more; some in each pass of the loop, since that takes time."""
        for number, holder in enumerate(self._to_give_up(), start=1):
            holder.give_up_request()
            if number % CLOSED_AT_ONCE == 0:
                await trio.lowlevel.checkpoint()

    def _to_give_up(self) -> list[Holder]:
        of_hosts: Counter[str] = Counter()
        for holder, size_bytes in self._held.items():
            of_hosts[holder.host] += size_bytes
        incomplete = [(holder, since) for holder in self._held if (since := holder.idle_since) is not None]
        stalled = [each for each in incomplete if each[0] not in self._wanting]
        if not stalled:
            # The first of equals: it has held its request for longest.
            return [max(incomplete, key=lambda each: of_hosts[each[0].host])[0]] if incomplete else []
        stalled.sort(key=lambda each: (-of_hosts[each[0].host], each[1]))
        found: list[Holder] = []
        left_bytes = self.used_bytes
        for holder, _ in stalled:
            if left_bytes <= self._limit_bytes / 2:
                break
            found.append(holder)
            left_bytes -= self._held[holder]
        return found


class UnreadResponses:
    """The memory of the responses that the peers of some listeners have not read."""

    def __init__(self, limit_bytes: int = MAX_UNREAD_RESPONSE_BYTES) -> None:
        self._limit_bytes = limit_bytes
        # A dict for its order: whose peer took nothing for longest stands first.
        self._held: dict[Holder, int] = {}
        self.used_bytes = 0

    def hold(self, holder: Holder, size_bytes: int) -> None:
        """A response of so many bytes is being sent, and its peer took some of it just now, or it has just begun.

        It counts whole until it is released, because it may be one buffer. Others may have to be closed for it.
        """
        self.release(holder)
        self._held[holder] = size_bytes
        self.used_bytes += size_bytes
        while self.used_bytes > self._limit_bytes and len(self._held) > 1:
            slowest = next(iter(self._held))
            self.release(slowest)
            slowest.give_up_response()

    def release(self, holder: Holder) -> None:
        """A connection holds no response any more, if it held one."""
        self.used_bytes -= self._held.pop(holder, 0)
