"""Virtual time: what happens by itself, and a trio run in which everything follows from a seed.

trio's own scheduler runs the nodes, so that their tasks, cancel scopes and timeouts are the real ones. Three of its
private names make it repeatable: with `_ALLOW_DETERMINISTIC_SCHEDULING` it orders the tasks that may run by their age,
and `_r`, seeded here, shuffles them. (Hypothesis and pytest-trio use the same two.) Scopes that end at the same moment
end in the order in which their deadlines were set, not in that of their addresses (`Deadlines.add`). Time stands still
while any task can run, and jumps to the next deadline when none can.
"""

from __future__ import annotations

import gc
import hashlib
import heapq
import itertools
import random
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import trio
import trio._core._run as scheduler
from trio.testing import MockClock

T = TypeVar("T")

STOPWATCH_STEP_S = 0.0001
"""What a look at the processor's clock counts for, about as much as the work between two looks takes. Work that is cut
into slices by that clock is cut after so many looks."""


class Trace:
    """A digest of all that happened, and the last lines of it."""

    def __init__(self, kept: int = 0) -> None:
        self._hash = hashlib.sha256()
        self._kept = kept
        self.lines: list[str] = []
        self.events = 0

    def add(self, line: str) -> None:
        """Something happened."""
        self.events += 1
        stamped = f"{trio.current_time():.6f} {line}"
        self._hash.update(stamped.encode())
        if self._kept:
            self.lines.append(stamped)
            if len(self.lines) > 2 * self._kept:
                del self.lines[: self._kept]

    @property
    def digest(self) -> str:
        """Of everything so far."""
        return self._hash.hexdigest()


class Timeline:
    """Calls functions at their time."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._due: list[tuple[float, int, Callable[[], object]]] = []
        self._numbers = itertools.count()
        self._wake = trio.Event()

    def after(self, delay_s: float, act: Callable[[], object]) -> None:
        """Call a function so much later."""
        at = trio.current_time() + delay_s
        if not self._due or at < self._due[0][0]:
            self._wake.set()
        heapq.heappush(self._due, (at, next(self._numbers), act))

    def every(self, interval_s: float, act: Callable[[], object]) -> None:
        """Call a function again and again."""

        def again() -> None:
            self.after(interval_s, again)
            act()

        self.after(interval_s, again)

    async def run(self) -> None:
        """Call them, until cancelled."""
        while True:
            now = trio.current_time()
            while self._due and self._due[0][0] <= now:
                heapq.heappop(self._due)[2]()
            self._wake = trio.Event()
            with trio.move_on_at(self._due[0][0] if self._due else float("inf")):
                await self._wake.wait()


def run(seed: int, main: Callable[[], Awaitable[T]]) -> T:
    """Run an async function in virtual time, with all of trio's choices drawn from the seed."""
    with _deterministic(seed):
        return trio.run(main, clock=MockClock(autojump_threshold=0))


@contextmanager
def _deterministic(seed: int) -> Iterator[None]:
    chooser: random.Random = scheduler._r
    was_deterministic = scheduler._ALLOW_DETERMINISTIC_SCHEDULING
    choices, stopwatch = chooser.getstate(), time.perf_counter
    was_collecting, frozen = gc.isenabled(), gc.get_freeze_count()
    looks, deadlines = itertools.count(), itertools.count()
    add_deadline = scheduler.Deadlines.add

    def add(self: scheduler.Deadlines, deadline: float, cancel_scope: trio.CancelScope) -> None:
        # trio takes the scopes' addresses, and what a cancelled task does may depend on which comes first.
        heapq.heappush(self._heap, (deadline, next(deadlines), cancel_scope))
        self._active += 1

    scheduler.Deadlines.add = add  # type: ignore[method-assign]
    vars(scheduler)["_ALLOW_DETERMINISTIC_SCHEDULING"] = True
    chooser.seed(seed)
    time.perf_counter = lambda: next(looks) * STOPWATCH_STEP_S
    # Finalizers would run at moments that depend on the process.
    gc.disable()
    try:
        yield
    finally:
        scheduler.Deadlines.add = add_deadline  # type: ignore[method-assign]
        vars(scheduler)["_ALLOW_DETERMINISTIC_SCHEDULING"] = was_deterministic
        chooser.setstate(choices)
        time.perf_counter = stopwatch
        if was_collecting:
            gc.enable()
        # Nodes freeze what they hold; of a run that is over nothing is to stay.
        if gc.get_freeze_count() != frozen:
            gc.unfreeze()
        gc.collect()
