"""Limits the memory of responses while they are made, for all connections together.

A request of a few bytes may ask for all that a node knows: a million committed offsets, all producers of a partition.
Its response grows step by step (`types.Steps`), and what a step makes is counted when it begins: `BYTES_A_STEP`, or
what the step has said. Nobody has to know beforehand how large a response will be.

The first `FREE_BYTES` of a response are not counted, so ordinary requests never wait. Beyond that, a response goes on
as long as there is room. If there is none, one response may go on all the same, and the others wait for room or until
it is their turn to be that one. So a response is never refused, whatever its size, and all of them together take as
much as there is room and one response more.

Hosts take turns, and one host takes at most half of the room: the requests of one host do not keep those of another
out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import islice
from typing import Final

from kafkaproto_server.apis.bounds import BYTES_AN_ELEMENT
from kafkaproto_server.shell.net.host_queue import HostQueue
from kafkaproto_server.shell.net.limits import MAX_QUEUED_REQUEST_BYTES
from kafkaproto_server.shell.serving.decoding_room import HOSTS_A_LOOK

BYTES_A_STEP: Final = BYTES_AN_ELEMENT
"""Memory of what a step makes that says nothing else."""
FREE_BYTES: Final = 256 * 1024
"""What a response may take without being counted."""
CHUNK_BYTES: Final = 64 * 1024
"""What a response takes of the room at once, or what its next step needs if that is more."""


class Making:
    """What one response takes while it is made."""

    __slots__ = ("_counted_bytes", "_left_bytes", "_resume", "_room", "host")

    def __init__(self, room: MakingRoom, host: str) -> None:
        self.host = host
        self._room = room
        # What it has got and not used yet.
        self._left_bytes = FREE_BYTES
        # Its part of the room.
        self._counted_bytes = 0
        self._resume: Callable[[], None] | None = None

    def spend(self, size_bytes: int) -> bool:
        """A step is to make so much. Returns whether it may; if not, the step has to wait for `when_room`."""
        self._left_bytes -= size_bytes
        return self._left_bytes >= 0 or self._room.grow(self)

    def when_room(self, resume: Callable[[], None]) -> None:
        """Call ``resume`` once the step may go on for which there was no room."""
        self._resume = resume
        self._room.waiting.append(self.host, self)

    def drop(self) -> bool:
        """Do not wait any more: ``resume`` is not called. Returns whether it waited."""
        if self._resume is None:
            return False
        self._resume = None
        self._room.waiting.remove(self.host, self)
        return True

    def free(self) -> None:
        """All that was made is freed. More may be made later."""
        self._left_bytes = FREE_BYTES
        self._room.release(self)


class MakingRoom:
    """The memory of responses that are being made."""

    def __init__(self, limit_bytes: int = MAX_QUEUED_REQUEST_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._of_hosts: Counter[str] = Counter()
        # The one that may go on without room. What it takes is not counted.
        self._favoured: Making | None = None
        self._is_admitting = False
        self.waiting: HostQueue[Making] = HostQueue()
        """The responses that wait for room."""
        self.used_bytes = 0

    def grow(self, making: Making) -> bool:
        """Give a response what its next step needs, if there is room, or if it may go on without."""
        if self._favoured is None and not self._has_room(making):
            # One always goes on. Otherwise all might wait for room that each of them holds.
            self._favour(making)
        elif self._favoured is not making:
            if not self._has_room(making):
                return False
            more = _needed(making)
            making._counted_bytes += more
            self.used_bytes += more
            self._of_hosts[making.host] += more
        making._left_bytes = CHUNK_BYTES
        return True

    def release(self, making: Making) -> None:
        if making is self._favoured:
            self._favoured = None
        elif making._counted_bytes:
            self._uncount(making)
        else:
            return
        # A response may be complete, and free, as soon as it goes on. This must not recurse ever deeper.
        if not self._is_admitting:
            self._is_admitting = True
            try:
                self._admit()
            finally:
                self._is_admitting = False

    def _has_room(self, making: Making) -> bool:
        more = _needed(making)
        return (
            self.used_bytes + more <= self._limit_bytes
            and self._of_hosts[making.host] + more <= self._limit_bytes // 2
        )

    def _favour(self, making: Making) -> None:
        # Its part of the room goes to the others: from now on it is the one response more than there is room for.
        self._favoured = making
        self._uncount(making)

    def _uncount(self, making: Making) -> None:
        counted, making._counted_bytes = making._counted_bytes, 0
        self.used_bytes -= counted
        self._of_hosts[making.host] -= counted
        if not self._of_hosts[making.host]:
            del self._of_hosts[making.host]

    def _admit(self) -> None:
        """Let those go on that may, the host whose turn it is before the others."""
        while (host := self._next_host()) is not None:
            making = self.waiting.pop(host)
            resume, making._resume = making._resume, None
            assert resume is not None, "it waits"
            may_go_on = self.grow(making)
            assert may_go_on, "there is room for it"
            resume()

    def _next_host(self) -> str | None:
        for host, making in islice(self.waiting.firsts(), HOSTS_A_LOOK):
            if self._favoured is None or self._has_room(making):
                return host
        return None


def _needed(making: Making) -> int:
    """What the next steps of a response need that has used up what it had."""
    return CHUNK_BYTES - making._left_bytes
