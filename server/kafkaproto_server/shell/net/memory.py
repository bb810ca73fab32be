"""The memory that all connections share: for requests, and for responses that peers do not read.

**Requests** that are incomplete or not answered yet. In Kafka this is ``queued.max.request.bytes`` (class
SimpleMemoryPool), unlimited by default. There, a connection takes the announced size of its request from the pool
before the request is read, and reading pauses while the pool is used up. So four bytes suffice to take 100 MiB of it,
until the connection has been idle for ten minutes.

Here the bytes that have arrived count, not the announced ones. A connection is counted once it holds more than
`UNCOUNTED_BYTES`, so ordinary requests never wait. While the pool is used up, no connection is read beyond that.
Connections with more to send wait for room, and their hosts take turns: if one host has very many connections, another
host's connection waits for one of them at a time.

If the pool is used up for `MEMORY_WAIT_S`, connections are closed whose peers have hung up while they wait for room. If
there is none, connections are closed that hold an incomplete request and have sent nothing more of it, until half of
the pool will be free. Those of the host that holds most are closed first, the longest idle ones before the others. If
all of them have sent more, one connection is closed: of the same host, the one that has held its request for longest.
If that does not help for long, the next time it is two, then four, up to half of them: that a peer has left is noticed
only once what it sent before has been read. The memory of decoded requests does not count. A request no longer counts
once it is answered, even if the response is not read yet.

**Responses** that the sockets did not accept at once. Kafka does not count them: a peer that does not read holds its
response until the connection was idle for ten minutes. Here, if they exceed their limit, the connection whose peer has
taken nothing for the longest time is closed. So peers that read, however slowly, are closed last.
"""

from __future__ import annotations

from collections import Counter
from typing import Protocol

import trio

from kafkaproto_server.shell.net.host_queue import HostQueue
from kafkaproto_server.shell.net.limits import (
    CLOSED_AGAIN_S,
    CLOSED_AT_ONCE,
    MAX_QUEUED_REQUEST_BYTES,
    MAX_UNREAD_RESPONSE_BYTES,
    MEMORY_WAIT_S,
    UNCOUNTED_BYTES,
)


class Holder(Protocol):
    """A connection that holds a part of the memory."""

    @property
    def host(self) -> str:
        """The peer's address."""

    @property
    def idle_since(self) -> float | None:
        """Since when it is idle, by trio's clock; None while the peer waits for a response."""

    def has_left(self) -> bool:
        """Whether the peer has hung up inside a request that can never be complete."""

    def give_up_request(self) -> None:
        """Close soon, because its requests take memory that others need."""

    def give_up_response(self) -> None:
        """Free the response now, and close soon."""


class RequestMemory:
    """The memory of the requests of a node's listeners."""

    def __init__(self, limit_bytes: int = MAX_QUEUED_REQUEST_BYTES) -> None:
        assert limit_bytes > 0, "there has to be room for some request"
        self._limit_bytes = limit_bytes
        self._held: dict[Holder, int] = {}
        # Connections with more to read.
        self._wanting: set[Holder] = set()
        self._waiting: HostQueue[trio.lowlevel.Task] = HostQueue()
        # One of the waiting tasks watches the time, so that the others need no timer.
        self._watch = trio.lowlevel.ParkingLot()
        self._is_watched = False
        self._gives_up_at = 0.0
        # How many connections were closed the last time that all of them had sent more, and when that was.
        self._closed_last = 0
        self._closed_at = -CLOSED_AGAIN_S
        self.used_bytes = 0
        self.is_full = False
        """Whether nothing more may be read."""

    def hold(self, holder: Holder, size_bytes: int) -> None:
        """Set the number of bytes that a connection holds from now on."""
        self.used_bytes += size_bytes - self._held.get(holder, 0)
        if size_bytes:
            self._held[holder] = size_bytes
        else:
            # Only those that hold something, so that the search for one to close is short.
            self._held.pop(holder, None)
        was_full, self.is_full = self.is_full, self.used_bytes >= self._limit_bytes
        if self.is_full and not was_full:
            self._gives_up_at = trio.current_time() + MEMORY_WAIT_S
        elif was_full and not self.is_full:
            self._watch.unpark_all()

    async def wait_for_room(self, holder: Holder) -> None:
        """Return once there is memory for what a connection has to read. Others may have taken it again by then."""
        self._wanting.add(holder)
        try:
            while self.is_full:
                # The first one watches for all: a timer for each would fire for each.
                if self._is_watched:
                    await self._wait_turn(holder.host)
                else:
                    await self._keep_watch()
        finally:
            self._wanting.remove(holder)
            # One task wakes the next, either to continue or to watch. If all woke at once, each piece of freed memory
            # would cost a turn of the loop for every one of them.
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
        """Wait for room. If that takes too long, have connections closed."""
        self._is_watched = True
        try:
            while self.is_full:
                with trio.move_on_at(self._gives_up_at) as waiting:
                    await self._watch.park()
                # Memory may have become free in the same pass in which the time was over.
                if waiting.cancelled_caught and self.is_full:
                    self._gives_up_at = trio.current_time() + MEMORY_WAIT_S
                    await self._relieve()
        finally:
            self._is_watched = False

    async def _relieve(self) -> None:
        """Close connections that send nothing more: some in each pass of the loop, since this takes time."""
        # What waits for room is not read, so that nobody else notices that its peer has left.
        found = 0
        for number, holder in enumerate(list(self._wanting), start=1):
            if holder in self._wanting and holder.has_left():
                found += 1
                holder.give_up_request()
            if number % CLOSED_AT_ONCE == 0:
                await trio.lowlevel.checkpoint()
        if found:
            return
        for number, holder in enumerate(self._to_give_up(), start=1):
            holder.give_up_request()
            if number % CLOSED_AT_ONCE == 0:
                await trio.lowlevel.checkpoint()

    def _to_give_up(self) -> list[Holder]:
        of_hosts: Counter[str] = Counter()
        for holder, size_bytes in self._held.items():
            of_hosts[holder.host] += size_bytes
        # A complete request is being served and frees its memory by itself. Its peer is not to
        # blame.
        incomplete = [(holder, since) for holder in self._held if (since := holder.idle_since) is not None]
        # A connection that waits here has more to send, so it is slow only because of the limit.
        stalled = [each for each in incomplete if each[0] not in self._wanting]
        if not stalled:
            # The first of equals: it has held its request for longest.
            incomplete.sort(key=lambda each: -of_hosts[each[0].host])
            # Half of them stay: the memory may suffice for those.
            number = min(self._number_to_close(), (len(incomplete) + 1) // 2)
            return [holder for holder, _ in incomplete[:number]]
        stalled.sort(key=lambda each: (-of_hosts[each[0].host], each[1]))
        found: list[Holder] = []
        left_bytes = self.used_bytes
        for holder, _ in stalled:
            # Half, so that the next request does not lead here again at once.
            if left_bytes <= self._limit_bytes / 2:
                break
            found.append(holder)
            left_bytes -= self._held[holder]
        return found

    def _number_to_close(self) -> int:
        """How many connections to close if all of them have sent more."""
        now = trio.current_time()
        is_again = now < self._closed_at + CLOSED_AGAIN_S
        self._closed_last = 2 * self._closed_last if is_again else 1
        self._closed_at = now
        return self._closed_last


class UnreadResponses:
    """The memory of the responses that the peers of some listeners have not read."""

    def __init__(self, limit_bytes: int = MAX_UNREAD_RESPONSE_BYTES) -> None:
        self._limit_bytes = limit_bytes
        # A dict because of its order: the connection whose peer has taken nothing for longest comes first.
        self._held: dict[Holder, int] = {}
        self.used_bytes = 0

    def hold(self, holder: Holder, size_bytes: int) -> None:
        """A response of this size is being sent, and its peer has just taken some of it, or the sending has just begun.

        The response counts in full until it is released, because it may be one buffer. Other connections may be closed
        for it.
        """
        # Removed and added again, so that it moves to the end: its peer has just taken something.
        self.release(holder)
        self._held[holder] = size_bytes
        self.used_bytes += size_bytes
        # One response always fits, however large: else it could never be sent.
        while self.used_bytes > self._limit_bytes and len(self._held) > 1:
            slowest = next(iter(self._held))
            # Before it is told: its response is freed at once, though the connection takes a moment
            # to close.
            self.release(slowest)
            slowest.give_up_response()

    def release(self, holder: Holder) -> None:
        """The connection holds no response any more."""
        self.used_bytes -= self._held.pop(holder, 0)


class ConnectionMemory:
    """What one connection holds of both, counted only while it is more than a little."""

    __slots__ = ("_holder", "_requests", "_unread", "held_bytes", "response_bytes")

    def __init__(self, holder: Holder, requests: RequestMemory, unread: UnreadResponses) -> None:
        self._holder = holder
        self._requests = requests
        self._unread = unread
        self.held_bytes = 0
        """The bytes of its requests that are counted."""
        self.response_bytes = 0
        """The size of its last response that the socket did not take at once."""

    @property
    def is_full(self) -> bool:
        """Whether the requests of all connections take all memory that there is for them."""
        return self._requests.is_full

    async def wait_for_room(self) -> None:
        """See `RequestMemory.wait_for_room`."""
        await self._requests.wait_for_room(self._holder)

    def count_requests(self, size_bytes: int) -> None:
        """Its requests take so many bytes now."""
        if size_bytes <= UNCOUNTED_BYTES:
            # Most connections never reach this, so the shared pool is not touched for them.
            size_bytes = 0
        if size_bytes != self.held_bytes:
            self.held_bytes = size_bytes
            self._requests.hold(self._holder, size_bytes)

    def count_response(self, size_bytes: int) -> None:
        """A response of this size waits for the peer."""
        self.response_bytes = size_bytes
        self._unread.hold(self._holder, size_bytes)

    def response_moved(self) -> None:
        """The peer has taken some of its response: it is not the slowest any more."""
        self._unread.hold(self._holder, self.response_bytes)

    def response_left(self) -> None:
        """The peer has all of its response."""
        self._unread.release(self._holder)

    def release(self) -> None:
        """The connection has ended; nothing is called here afterwards."""
        self._requests.hold(self._holder, 0)
        self._unread.release(self._holder)
        # It refers to this object. Without this, the buffers of each connection would stay until the collector runs.
        del self._holder
