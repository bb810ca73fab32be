"""Limits the memory of large decoded requests, for all connections together.

A decoded request of a few hundred KiB takes a hundred times as much memory, and its response takes as much again. So a
large request is decoded only if there is room for what it may contain, or if no other large one is decoded. Otherwise
it waits undecoded; its bytes count elsewhere (`net.memory`). Hosts take turns, and the requests of one host are
admitted in order of arrival.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Final

from kafkaproto_server.apis.bounds import BYTES_AN_ELEMENT
from kafkaproto_server.net.host_queue import HostQueue

MAX_DECODED_BYTES: Final = 256 * 1024 * 1024
"""Limit for the elements of all large decoded requests together: a little more than the largest possible request."""
MANY_ELEMENTS: Final = 4096
"""A request that can contain at most this many elements is not large, and never waits."""


@dataclass(slots=True, eq=False)
class _Entry:
    elements: int
    begin: Callable[[], None]
    owner: Hashable
    host: str


class DecodingRoom:
    """Admits large requests to decoding."""

    def __init__(self, max_elements: int = MAX_DECODED_BYTES // BYTES_AN_ELEMENT) -> None:
        self._max_elements = max_elements
        self._queue: HostQueue[_Entry] = HostQueue()
        self._by_owner: dict[Hashable, _Entry] = {}
        self._is_admitting = False
        self.used_elements = 0

    @property
    def waiting(self) -> int:
        """The number of requests that wait."""
        return len(self._queue)

    def enter(self, elements: int, begin: Callable[[], None], owner: Hashable, host: str) -> None:
        """Call ``begin`` as soon as there is room for a request of this many elements, now or later.

        ``owner`` has one request at a time. Its ``host`` takes turns with other hosts. After ``begin``, `leave` has to
        follow.
        """
        assert owner not in self._by_owner, "a connection's requests are served one after the other"
        entry = _Entry(elements, begin, owner, host)
        self._by_owner[owner] = entry
        self._queue.append(host, entry)
        self._admit()

    def leave(self, elements: int) -> None:
        """A request that was begun is finished."""
        self.used_elements -= elements
        self._admit()

    def drop(self, owner: Hashable) -> None:
        """Drop the waiting request of an owner."""
        entry = self._by_owner.pop(owner, None)
        if entry is not None:
            self._queue.remove(entry.host, entry)
            # It may have been the first one, which did not fit.
            self._admit()

    def _admit(self) -> None:
        # A request may finish and call `leave` as soon as it is begun. This must not recurse ever deeper.
        if self._is_admitting:
            return
        self._is_admitting = True
        try:
            while self._queue and self._fits(self._queue.first):
                entry = self._queue.popleft()
                del self._by_owner[entry.owner]
                self.used_elements += entry.elements
                entry.begin()
        finally:
            self._is_admitting = False

    def _fits(self, entry: _Entry) -> bool:
        # The largest request alone always fits. Else it would wait for ever, and all behind it.
        return not self.used_elements or self.used_elements + entry.elements <= self._max_elements
