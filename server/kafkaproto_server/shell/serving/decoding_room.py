"""Limits the memory of large decoded requests, for all connections together.

A decoded request of a few hundred KiB takes a hundred times as much memory, and its response takes as much again. So a
large request is decoded only if there is room for what it may contain, or if no other large one is decoded. Otherwise
it stays undecoded until there is room; its bytes count elsewhere (`shell.net.memory`).

The requests of one host are admitted in order of arrival, and hosts take turns: the first request that fits is
admitted. One that does not fit is passed over only until others have taken as much room as there is. One host takes at
most half of the room, except for a single request that is larger. So the requests of one host do not keep those of
another out.

A request may be decoded in a moment and then wait for long, because its sender says so: for records, or for followers.
What it keeps meanwhile counts in a second room of the same size, so that it does not keep others from being decoded.
Only if that one is full does it stay in the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from itertools import islice
from typing import Final

from kafkaproto_server.apis.bounds import BYTES_AN_ELEMENT
from kafkaproto_server.shell.net.host_queue import HostQueue

MAX_DECODED_BYTES: Final = 256 * 1024 * 1024
"""Limit for the elements of all large decoded requests together: a little more than the largest possible request. Those
that wait have as much again."""
MANY_ELEMENTS: Final = 4096
"""A request that can contain at most this many elements is not large, and never waits for room."""
HOSTS_A_LOOK: Final = 64
"""How many hosts are asked for a request that fits, each time that there may be room."""


@dataclass(slots=True, eq=False)
class _RoomEntry:
    elements: int
    begin: Callable[[], None]
    owner: Hashable
    host: str
    passed_elements: int = 0
    """How many elements were admitted instead of it."""


class DecodingRoom:
    """Admits large requests to decoding."""

    def __init__(self, max_elements: int = MAX_DECODED_BYTES // BYTES_AN_ELEMENT) -> None:
        self._max_elements = max_elements
        self._queue: HostQueue[_RoomEntry] = HostQueue()
        self._by_owner: dict[Hashable, _RoomEntry] = {}
        self._of_hosts: Counter[str] = Counter()
        self._is_admitting = False
        self.used_elements = 0
        self.waiting_elements = 0
        """Of the requests in the second room."""

    @property
    def waiting(self) -> int:
        """The number of requests that wait for room."""
        return len(self._queue)

    def enter(self, elements: int, begin: Callable[[], None], owner: Hashable, host: str) -> None:
        """Call ``begin`` as soon as there is room for a request of this many elements, now or later.

        ``owner`` has one request at a time. Its ``host`` takes turns with other hosts. After ``begin``, `leave` has to
        follow, or `wait` and then `end_wait`.
        """
        assert owner not in self._by_owner, "a connection's requests are served one after the other"
        entry = _RoomEntry(elements, begin, owner, host)
        self._by_owner[owner] = entry
        # Through the queue even if there is room: another host may be due before.
        self._queue.append(host, entry)
        self._admit()

    def leave(self, elements: int, host: str) -> None:
        """A request that was begun is finished."""
        assert elements <= self.used_elements, "a request leaves with more than it took"
        self.used_elements -= elements
        self._of_hosts[host] -= elements
        # Hosts come and go, and an entry for each of them would stay for ever.
        if not self._of_hosts[host]:
            del self._of_hosts[host]
        self._admit()

    def wait(self, elements: int, host: str) -> bool:
        """A request that was begun waits from now on. Returns whether it is in the second room now."""
        # It then keeps its place among those that are decoded: somebody has to count it.
        if self.waiting_elements + elements > self._max_elements:
            return False
        self.waiting_elements += elements
        self.leave(elements, host)
        return True

    def end_wait(self, elements: int) -> None:
        """A request in the second room is finished."""
        assert elements <= self.waiting_elements, "a request leaves with more than it took"
        self.waiting_elements -= elements

    def drop(self, owner: Hashable) -> None:
        """Drop the request of an owner that waits for room."""
        entry = self._by_owner.pop(owner, None)
        if entry is not None:
            self._queue.remove(entry.host, entry)
            # It may have been the one that others were not to pass.
            self._admit()

    def _admit(self) -> None:
        # A request may finish and call `leave` as soon as it is begun. This must not recurse ever deeper.
        if self._is_admitting:
            return
        self._is_admitting = True
        try:
            while (entry := self._next()) is not None:
                self._queue.pop(entry.host)
                del self._by_owner[entry.owner]
                self.used_elements += entry.elements
                self._of_hosts[entry.host] += entry.elements
                entry.begin()
        finally:
            self._is_admitting = False

    def _next(self) -> _RoomEntry | None:
        """The request to admit now."""
        passed: list[_RoomEntry] = []
        # Not all: thousands of hosts may wait, and each request that leaves the room leads here.
        for host, entry in islice(self._queue.firsts(), HOSTS_A_LOOK):
            if not self._fits(entry):
                # It is its turn. What comes now would keep it waiting for ever.
                if entry.passed_elements >= self._max_elements:
                    return None
                passed.append(entry)
            # A host beyond its half waits for its own requests: what is admitted instead does not pass it over.
            elif not self._has_its_share(host, entry.elements):
                for each in passed:
                    each.passed_elements += entry.elements
                return entry
        return None

    def _fits(self, entry: _RoomEntry) -> bool:
        # The largest request alone always fits. Else it would wait for ever, and all behind it.
        return not self.used_elements or self.used_elements + entry.elements <= self._max_elements

    def _has_its_share(self, host: str, elements: int) -> bool:
        """Whether the host holds so much that this would be more than its half."""
        used = self._of_hosts.get(host, 0)
        return used > 0 and used + elements > self._max_elements // 2
