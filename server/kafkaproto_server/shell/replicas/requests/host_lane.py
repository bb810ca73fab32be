"""Work of requests that a thread does, a part at a time. Hosts take turns.

A request may need long work: to check a million records, or to read from a slow disk. So each turn does a few steps of
one piece of work, and then another host has its turn. The pieces of one host are done one after the other. What belongs
to a connection that has ended is dropped, between two turns as well.

A piece of work that has begun may keep much memory. So a host begins one only if it fits beside those that others have
begun. Small pieces have a part of the room for themselves, so that they need not wait for large ones. Within each part,
nobody begins before a host whose turn it was: otherwise the pieces of many hosts together could keep a larger one out
for ever.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any, Final

from kafkaproto_server.base.later import Steps
from kafkaproto_server.shell.process.threads import Workers
from kafkaproto_server.shell.replicas.files.disk_jobs import DiskJob, do_jobs

STEPS_A_TURN: Final = 2
"""Of checks, a turn takes a millisecond. While it lasts, the event loop may have to wait for Python's lock several
times in one pass; after it the thread waits for the loop."""
MAX_BEGUN_BYTES: Final = 128 * 1024 * 1024
"""What the work of all hosts may keep together, unless a single piece needs more."""
SMALL_PART: Final = 4
"""One of so many parts of that is for small pieces, each of which needs at most half of it."""
HOSTS_A_LOOK: Final = 64
"""How many hosts are asked for work that fits, each time."""

_UNFINISHED = object()


class _Room:
    """A part of the room: how many bytes it has, and how many of them the pieces keep that have begun."""

    __slots__ = ("limit_bytes", "used_bytes")

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.used_bytes = 0

    def fits(self, size: int) -> bool:
        """Whether a piece may begin. One that needs more than all of it is alone there."""
        return not self.used_bytes or self.used_bytes + size <= self.limit_bytes


class _LaneWork:
    __slots__ = ("done", "failed", "has_begun", "is_over", "room", "size", "steps")

    def __init__(
        self,
        steps: Steps[Any],
        done: Callable[[Any], None],
        failed: Callable[[Exception], None],
        is_over: Callable[[], bool],
        size: int,
        room: _Room,
    ) -> None:
        self.steps = steps
        self.done = done
        self.failed = failed
        self.is_over = is_over
        self.size = size
        self.room = room
        self.has_begun = False


class HostLane:
    """Pieces of work by host, and the thread's lane that does them."""

    def __init__(self, workers: Workers, max_begun_bytes: int = MAX_BEGUN_BYTES) -> None:
        self._jobs = workers.lane(do_jobs)
        for_small = max_begun_bytes // SMALL_PART
        self._small, self._large = _Room(for_small), _Room(max_begun_bytes - for_small)
        # The host whose turn it is comes first. Of each host, only the first piece may have begun.
        self._hosts: OrderedDict[str, deque[_LaneWork]] = OrderedDict()
        # The hosts whose first piece has begun.
        self._begun: dict[str, None] = {}
        self._is_busy = False
        self._is_choosing = False

    def __len__(self) -> int:
        """How many pieces of work are not complete."""
        return sum(len(each) for each in self._hosts.values())

    def put(
        self,
        host: str,
        steps: Steps[Any],
        done: Callable[[Any], None],
        failed: Callable[[Exception], None],
        *,
        is_over: Callable[[], bool],
        size: int = 0,
    ) -> None:
        """Do the steps, and call ``done`` with their result or ``failed`` with an OSError or StorageError, later, in
        the event loop; neither if the work ``is_over`` before. ``size`` is how many bytes it may keep."""
        # Half of it, so that two small ones are begun beside each other at least.
        room = self._small if size <= self._small.limit_bytes // 2 else self._large
        self._hosts.setdefault(host, deque()).append(_LaneWork(steps, done, failed, is_over, size, room))
        self._go_on()

    def _go_on(self) -> None:
        # A job may be done at once, and come back here: this must not recurse ever deeper.
        if self._is_choosing:
            return
        self._is_choosing = True
        try:
            while not self._is_busy and (host := self._next_host()) is not None:
                self._begin_turn(host)
        finally:
            self._is_choosing = False

    def _next_host(self) -> str | None:
        asked = tuple(islice(self._hosts, HOSTS_A_LOOK))
        # What has begun is in the way of others, so all of it is asked.
        for host in (*self._begun, *asked):
            works = self._hosts.get(host)
            while works and works[0].is_over():
                self._remove_first(host)
        waited_for: list[_Room] = []
        for host in asked:
            works = self._hosts.get(host)
            if not works:
                continue
            work = works[0]
            if work.has_begun or (work.room not in waited_for and work.room.fits(work.size)):
                return host
            waited_for.append(work.room)
        return next(iter(self._begun), None)

    def _remove_first(self, host: str) -> None:
        works = self._hosts[host]
        work = works.popleft()
        if work.has_begun:
            work.room.used_bytes -= work.size
            del self._begun[host]
        work.steps.close()
        if not works:
            del self._hosts[host]

    def _begin_turn(self, host: str) -> None:
        work = self._hosts[host][0]
        if not work.has_begun:
            work.has_begun = True
            work.room.used_bytes += work.size
            self._begun[host] = None
        self._is_busy = True
        end = partial(self._end_turn, host, work)
        self._jobs.put(
            DiskJob(partial(_turn, work.steps), partial(end, work.done), partial(end, work.failed))
        )

    def _end_turn(self, host: str, work: _LaneWork, tell: Callable[[Any], None], result: Any) -> None:
        self._is_busy = False
        is_over = work.is_over()
        if result is not _UNFINISHED:
            self._remove_first(host)
        # Now, and not when the turn began: hosts that came meanwhile are before it.
        if host in self._hosts:
            self._hosts.move_to_end(host)
        # The thread need not wait until the result is taken.
        self._go_on()
        if result is not _UNFINISHED and not is_over:
            tell(result)


def _turn(steps: Steps[Any]) -> Any:
    try:
        for _ in range(STEPS_A_TURN):
            next(steps)
    except StopIteration as stop:
        return stop.value
    return _UNFINISHED


def fail(error: Exception) -> None:
    """``failed`` of work that has no such errors: one would be a bug, and ends the node."""
    raise error
