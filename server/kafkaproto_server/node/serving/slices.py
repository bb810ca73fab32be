"""Work of requests, a little at a time, so that the loop is never held for long.

What may take long is served by `Steps`: a generator that yields every few ten microseconds. It is begun where it
arrives, unless the pass of the loop has served enough by then (`net.passes`). If it is not done within a
millisecond, or could not be begun, it waits in a queue, and one task goes round the queues. That task holds the loop
for some milliseconds and then lets everybody else run, the quorum's driver first of all: the others' wait is bounded
however many requests wait, and however many connections sent them.

There are two queues. Urgent works go first, for a part of the time: clients cannot keep what holds the cluster
together waiting. Within a queue hosts take turns (`net.host_queue`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Final

import trio

from kafkaproto_server.net.host_queue import HostQueue
from kafkaproto_server.net.passes import Passes
from kafkaproto_server.requests.release import close_steps
from kafkaproto_server.types import Steps

IN_PLACE_S: Final = 0.001
"""How long work may take where it is begun."""
SHARE_S: Final = 0.001
"""How long one work is continued before the next one is."""
TURN_S: Final = 0.004
"""How long the task goes round the queues before others run."""
URGENT_S: Final = 0.002
"""How much of that is for urgent works; all of it if there are no others."""
STEPS_A_LOOK: Final = 4
"""Steps between two looks at the clock."""

Done = Callable[[Any], None]
Failed = Callable[[Exception], None]
Dropped = Callable[[list[Any]], None]
"""Gets the lists and messages that steps had made when they were given up: to let go of many takes steps, too."""


@dataclass(slots=True, eq=False)
class _Work:
    steps: Steps[Any]
    done: Done
    failed: Failed
    owner: Hashable
    host: str
    is_urgent: bool
    dropped: Dropped | None


class Slices:
    """The works of a node's requests."""

    def __init__(
        self,
        passes: Passes | None = None,
        *,
        in_place_s: float = IN_PLACE_S,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """``passes`` are those of the loop; without them no pass is ever over. ``in_place_s`` is how long work may
        take where it is begun; infinity leaves nothing to `run`."""
        self._passes = passes or Passes()
        self._in_place_s = in_place_s
        self._clock = clock
        self._urgent: HostQueue[_Work] = HostQueue()
        self._ordinary: HostQueue[_Work] = HostQueue()
        # The works in the queues that have an owner.
        self._owned: dict[Hashable, dict[_Work, None]] = {}
        self._waiting = trio.lowlevel.ParkingLot()

    @property
    def waiting(self) -> int:
        """Number of works that are not done."""
        return len(self._urgent) + len(self._ordinary)

    @property
    def must_wait(self) -> bool:
        """Whether this pass of the loop has served enough, so that no work is begun in it any more."""
        return self._passes.is_over

    def start(
        self,
        steps: Steps[Any],
        done: Done,
        failed: Failed,
        owner: Hashable = None,
        *,
        host: str = "",
        is_urgent: bool = False,
        dropped: Dropped | None = None,
    ) -> None:
        """Have work done, and call ``done`` with its result or ``failed`` with its error, now or later.

        ``owner`` can give it up, if there is one; ``dropped`` is called then. ``host`` is whom the work is for.
        """
        must_wait = self.must_wait
        end = self._clock() + self._in_place_s
        if not must_wait and self._done_at_once(steps, done, failed):
            return
        work = _Work(steps, done, failed, owner, host, is_urgent, dropped)
        if must_wait or self._clock() >= end or not self._drive(work, end):
            self._append(work)
            self._waiting.unpark_all()

    def drop(self, owner: Hashable) -> None:
        """Give up all work of an owner: neither its result nor its error will be told."""
        works = self._owned.pop(owner, {})
        while works:
            work, _ = works.popitem()
            self._queue_of(work).remove(work.host, work)
            steps, dropped = work.steps, work.dropped
            # Its functions may hold what the steps have made.
            del work
            made = close_steps(steps)
            if dropped is not None:
                dropped(made)

    def turn(self) -> None:
        """Continue works in turn, for as long as one task may hold the loop."""
        now = self._clock()
        self._go_round(self._urgent, now + (URGENT_S if self._ordinary else TURN_S))
        self._go_round(self._ordinary, now + TURN_S)

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Continue works for ever; what ``done`` and ``failed`` raise ends the node."""
        task_status.started()
        while True:
            if self.waiting:
                self.turn()
                await trio.lowlevel.checkpoint()
            else:
                await self._waiting.park()

    def _queue_of(self, work: _Work) -> HostQueue[_Work]:
        return self._urgent if work.is_urgent else self._ordinary

    def _append(self, work: _Work) -> None:
        self._queue_of(work).append(work.host, work)
        if work.owner is not None:
            self._owned.setdefault(work.owner, {})[work] = None

    def _go_round(self, queue: HostQueue[_Work], end: float) -> None:
        while queue and self._clock() < end:
            work = queue.popleft()
            if work.owner is not None:
                owned = self._owned[work.owner]
                del owned[work]
                if not owned:
                    del self._owned[work.owner]
            if not self._drive(work, self._clock() + SHARE_S):
                self._append(work)

    @staticmethod
    def _done_at_once(steps: Steps[Any], done: Done, failed: Failed) -> bool:
        """Take the first steps of work; tells whether that was all of it. It is for small requests."""
        try:
            for _ in range(STEPS_A_LOOK):
                next(steps)
        except StopIteration as stop:
            result = stop.value
        except Exception as error:
            failed(error)
            return True
        else:
            return False
        done(result)
        return True

    def _drive(self, work: _Work, end: float) -> bool:
        """Continue one work until some time; tells whether it is over."""
        clock, steps = self._clock, work.steps
        try:
            while True:
                for _ in range(STEPS_A_LOOK):
                    next(steps)
                if clock() >= end:
                    return False
        except StopIteration as stop:
            result = stop.value
        except Exception as error:
            work.failed(error)
            return True
        work.done(result)
        return True


IMMEDIATELY: Final = float("inf")
"""For `Slices` that nobody runs: all work is done where it is begun."""
