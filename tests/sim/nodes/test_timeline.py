"""Virtual time, and that a run does under it what it does under trio's own clock."""

from __future__ import annotations

import heapq
import itertools
import random
import time
from collections.abc import Callable
from typing import Any

import pytest
import trio
import trio._core._run as scheduler
from trio.testing import MockClock

from tests.sim.nodes import timeline
from tests.sim.nodes.timeline import STOPWATCH_STEP_S, Timeline, Trace


class Passes(trio.abc.Instrument):
    """Looks at the processor's clock in each pass, as a node does."""

    def __init__(self) -> None:
        self.looks: list[float] = []

    def after_io_wait(self, timeout: float) -> None:
        self.looks.append(time.perf_counter())


class Sleepers:
    """Tasks that wait, cancel each other and look at both clocks."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._events = [trio.Event() for _ in range(5)]
        self._scopes: list[trio.CancelScope] = []
        self.passes = Passes()
        self.seen: list[tuple[str, float, float]] = []

    def _see(self, what: str) -> None:
        self.seen.append((what, trio.current_time(), time.perf_counter()))

    async def run(self) -> None:
        trio.lowlevel.add_instrument(self.passes)
        with trio.move_on_after(30) as scope:
            async with trio.open_nursery() as nursery:
                for number in range(8):
                    nursery.start_soon(self._live, str(number))
                trace_line = Timeline(Trace())
                nursery.start_soon(trace_line.run)
                trace_line.every(0.7, lambda: self._see("timeline"))
        self._see(f"over {scope.cancelled_caught}")
        trio.lowlevel.remove_instrument(self.passes)

    async def _live(self, name: str) -> None:
        acts = [self._sleep, self._wait, self._cancel, self._shield, self._put_off, self._spawn]
        while True:
            act = self._rng.choice(acts)
            await act()
            self._see(f"{name} {act.__name__}")

    async def _sleep(self) -> None:
        # Many at the same moment.
        await trio.sleep(self._rng.choice((0, 0.1, 0.1, 0.25, 1 / 3)))

    async def _wait(self) -> None:
        number = self._rng.randrange(len(self._events))
        with trio.move_on_after(self._rng.random()):
            await self._events[number].wait()
        event, self._events[number] = self._events[number], trio.Event()
        event.set()

    async def _cancel(self) -> None:
        with trio.CancelScope() as scope:
            self._scopes.append(scope)
            await trio.sleep(self._rng.random())
            self._rng.choice(self._scopes).cancel()
            await trio.lowlevel.checkpoint()

    async def _shield(self) -> None:
        with trio.move_on_after(0.1), trio.CancelScope(shield=True):
            await trio.sleep(0.3)

    async def _put_off(self) -> None:
        with trio.move_on_after(0.2) as scope:
            await trio.sleep(0.1)
            scope.deadline += self._rng.choice((-0.2, 0.1, 0.3))
            await trio.sleep(0.2)

    async def _spawn(self) -> None:
        with trio.move_on_after(0.5):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._sleep)
                nursery.start_soon(self._wait)


def under_trios_own(seed: int, main: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Run with as few of trio's names replaced as make a run repeatable."""
    looks, deadlines = itertools.count(), itertools.count()

    def add(self: scheduler.Deadlines, deadline: float, cancel_scope: trio.CancelScope) -> None:
        heapq.heappush(self._heap, (deadline, next(deadlines), cancel_scope))
        self._active += 1

    choices = scheduler._r.getstate()
    with monkeypatch.context() as patched:
        patched.setattr(scheduler.Deadlines, "add", add)
        patched.setattr(scheduler, "_ALLOW_DETERMINISTIC_SCHEDULING", True)
        patched.setattr(time, "perf_counter", lambda: next(looks) * STOPWATCH_STEP_S)
        scheduler._r.seed(seed)
        trio.run(main, clock=MockClock(autojump_threshold=0))
    scheduler._r.setstate(choices)


@pytest.mark.parametrize("seed", range(5))
def test_tasks_do_what_they_do_under_trios_own_clock(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, trios = Sleepers(seed), Sleepers(seed)
    timeline.run(seed, ours.run)
    under_trios_own(seed, trios.run, monkeypatch)
    assert len(ours.seen) > 500
    assert ours.seen == trios.seen
    # Of a jump of the clock, trio makes two passes.
    assert set(ours.passes.looks) <= set(trios.passes.looks)


def test_a_run_leaves_trio_and_the_clock_as_they_were() -> None:
    names = ("Instruments", "TheIOManager", "_ALLOW_DETERMINISTIC_SCHEDULING", "current_time")
    before = [time.perf_counter, trio.current_time, *(vars(scheduler)[name] for name in names)]

    async def fail() -> None:
        raise ValueError("it fails")

    with pytest.raises(ValueError, match="it fails"):
        timeline.run(1, fail)
    assert before == [time.perf_counter, trio.current_time, *(vars(scheduler)[name] for name in names)]
