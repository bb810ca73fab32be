"""Virtual time: what happens by itself, and a trio run in which everything follows from a seed.

trio's own scheduler runs the nodes, so that their tasks, cancel scopes and timeouts are the real ones. Three of its
private names make it repeatable: with `_ALLOW_DETERMINISTIC_SCHEDULING` it orders the tasks that may run by their age,
and `_r`, seeded here, shuffles them. (Hypothesis and pytest-trio use the same two.) Scopes that end at the same moment
end in the order in which their deadlines were set, not in that of their addresses (`Deadlines.add`). Time stands still
while any task can run, and jumps to the next deadline when none can.

A step of a task takes little time, and a third of it was trio's. So a few more of its private names are replaced by
what does the same in fewer calls: the clock, the collection of instruments, the wait for I/O, which never comes, and
how a scope registers its deadline. `test_timeline.py` compares both.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import heapq
import itertools
import math
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, TypeVar
from unittest import mock

import trio
import trio._core._run as scheduler

from tests.support.garbage import own_garbage

T = TypeVar("T")

_run: Any = scheduler
"""With what trio does not export."""

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


class VirtualClock(trio.abc.Clock):
    """Stands still, but for its jumps. It tells the times that a `MockClock` tells that jumps at once."""

    def __init__(self, look: Callable[[], int]) -> None:
        """``look`` counts a look at the processor's clock: each look at this clock is one, too."""
        self._look = look
        self._now = 0.0

    def start_clock(self) -> None:
        pass

    def current_time(self) -> float:
        self._look()
        return self._now

    def deadline_to_sleep_time(self, deadline: float) -> float:
        self._look()
        return deadline - self._now

    def jump(self) -> bool:
        """Go to the next deadline, while no task can run. Returns whether there is one."""
        runner = _run.GLOBAL_RUN_CONTEXT.runner
        deadline = runner.deadlines.next_deadline()
        if deadline == math.inf:
            return False
        while self._now < deadline:
            self._now += deadline - self._now
            # A pass of trio's loop would have ended in this jump, and its instruments have looked.
            for _ in range(3 + len(runner.instruments.get("after_io_wait", ()))):
                self._look()
        return True


class _Instruments(dict[str, dict[trio.abc.Instrument, None]]):
    """trio's collection of instruments as a real dictionary: it is asked several times in each step of a task."""

    def __init__(self, incoming: Sequence[trio.abc.Instrument]) -> None:
        super().__init__({"_all": {}})
        self.data = self
        for instrument in incoming:
            self.add_instrument(instrument)

    add_instrument: Any = _run.Instruments.add_instrument
    remove_instrument: Any = _run.Instruments.remove_instrument
    call: Any = _run.Instruments.call


class _NoIo(_run.TheIOManager):  # type: ignore[misc]
    """Instead of a wait for what comes from outside, time jumps. It looks for signals now and then."""

    _PASSES = 1000
    _passes = 0

    def get_events(self, timeout: float) -> Any:
        self._passes += 1
        is_quiet = timeout == 0 or _run.GLOBAL_RUN_CONTEXT.runner.clock.jump()
        # At the end of the run, trio's own task is woken by a socket.
        return [] if is_quiet and self._passes % self._PASSES else super().get_events(0)


class _RegisteredDeadline:
    """In place of `CancelScope._might_change_registered_deadline`, a generator that each scope needs twice or more."""

    __slots__ = ("_scope",)

    def __init__(self, scope: trio.CancelScope) -> None:
        self._scope = scope

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        scope = self._scope
        old = scope._registered_deadline
        new = math.inf if scope._cancel_status is None or scope._cancel_called else scope._deadline
        if old != new:
            scope._registered_deadline = new
            deadlines = _run.GLOBAL_RUN_CONTEXT.runner.deadlines
            if old != math.inf:
                deadlines.remove(old, scope)
            if new != math.inf:
                deadlines.add(new, scope)


def run(seed: int, main: Callable[[], Awaitable[T]]) -> T:
    """Run an async function in virtual time, with all of trio's choices drawn from the seed."""
    with _deterministic(seed) as clock:
        return trio.run(main, clock=clock)


@contextlib.contextmanager
def _deterministic(seed: int) -> Iterator[VirtualClock]:
    chooser: random.Random = scheduler._r
    choices = chooser.getstate()
    was_collecting = gc.isenabled()
    looks, deadlines = itertools.count(1), itertools.count()
    clock = VirtualClock(looks.__next__)

    def add(self: scheduler.Deadlines, deadline: float, cancel_scope: trio.CancelScope) -> None:
        # trio takes the scopes' addresses, and what a cancelled task does may depend on which comes first.
        heapq.heappush(self._heap, (deadline, next(deadlines), cancel_scope))
        self._active += 1

    replaced: list[tuple[Any, str, object]] = [
        (scheduler, "_ALLOW_DETERMINISTIC_SCHEDULING", True),
        (scheduler.Deadlines, "add", add),
        # Without a function of Python: there are some looks in each step of a task.
        (time, "perf_counter", map(STOPWATCH_STEP_S.__mul__, looks).__next__),
        (trio, "current_time", clock.current_time),
        (scheduler, "current_time", clock.current_time),
        (scheduler, "Instruments", _Instruments),
        (scheduler, "TheIOManager", _NoIo),
        (trio.CancelScope, "_might_change_registered_deadline", lambda scope: _RegisteredDeadline(scope)),
    ]
    chooser.seed(seed)
    # Finalizers would run at moments that depend on the process.
    gc.disable()
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(own_garbage())
            for owner, name, value in replaced:
                stack.enter_context(mock.patch.object(owner, name, value))
            yield clock
    finally:
        chooser.setstate(choices)
        if was_collecting:
            gc.enable()
