"""Long work of requests, a little at a time, so that the loop is never held for long.

A request that is large, or asks for much, is served by `Steps`: a generator that yields every few ten microseconds.
It is begun where it arrives; if it is not done within a millisecond it waits in a queue, and one task goes round
the queue. That task holds the loop for some milliseconds and then lets everybody else run, the quorum's driver
first of all: the others' wait is bounded however many requests are in the queue, and each of these gets an equal
share of the time.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Final

import trio

from server.types import Steps

IN_PLACE_S: Final = 0.001
"""How long work may take where it is begun. Sixteen requests of one connection are begun in one turn at most."""
SHARE_S: Final = 0.001
"""How long one work is continued before the next one is."""
TURN_S: Final = 0.004
"""How long the task goes round the queue before others run."""
STEPS_A_LOOK: Final = 4
"""Steps between two looks at the clock."""

Done = Callable[[Any], None]
Failed = Callable[[Exception], None]


@dataclass(slots=True, eq=False)
class _Work:
    steps: Steps[Any]
    done: Done
    failed: Failed
    owner: Hashable


class Slices:
    """The long works of a node's requests."""

    def __init__(
        self, *, in_place_s: float = IN_PLACE_S, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        """``in_place_s`` is how long work may take where it is begun; infinity leaves nothing to `run`."""
        self._in_place_s = in_place_s
        self._clock = clock
        self._works: deque[_Work] = deque()
        self._waiting = trio.lowlevel.ParkingLot()

    @property
    def waiting(self) -> int:
        """Number of works that are begun and not done."""
        return len(self._works)

    def start(self, steps: Steps[Any], done: Done, failed: Failed, owner: Hashable) -> None:
        """Begin work, and call ``done`` with its result or ``failed`` with its error, now or later."""
        work = _Work(steps, done, failed, owner)
        if not self._drive(work, self._in_place_s):
            self._works.append(work)
            self._waiting.unpark_all()

    def drop(self, owner: Hashable) -> None:
        """Give up all work of an owner: neither of its functions will be called."""
        for work in [each for each in self._works if each.owner == owner]:
            self._works.remove(work)
            work.steps.close()

    def turn(self) -> None:
        """Continue works in turn, for as long as one task may hold the loop."""
        end = self._clock() + TURN_S
        while self._works and self._clock() < end:
            work = self._works.popleft()
            if not self._drive(work, SHARE_S):
                self._works.append(work)

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Continue works for ever; what ``done`` and ``failed`` raise ends the node."""
        task_status.started()
        while True:
            if self._works:
                self.turn()
                await trio.lowlevel.checkpoint()
            else:
                await self._waiting.park()

    def _drive(self, work: _Work, seconds: float) -> bool:
        """Continue one work for a time; tells whether it is over."""
        clock, steps = self._clock, work.steps
        end = clock() + seconds
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
