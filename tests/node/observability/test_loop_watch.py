"""The event loop watched from inside: how long it was busy at a time, and how much of its time it waited.

Tests: `node.observability.loop_metrics`.
"""

from __future__ import annotations

import pytest
import trio

from kafkaproto_server.node.observability.loop_watch import STALL_BOUNDS_MS, LoopWatch


class Loop:
    """A loop on clocks of its own: it is busy, and waits, for as long as a test says."""

    def __init__(self) -> None:
        self.now = 100.0
        self.processor_s = 5.0
        self.watch = LoopWatch(clock=lambda: self.now, processor_clock=lambda: self.processor_s)

    def work(self, seconds: float, *, of_processor: float | None = None) -> None:
        """A pass of so many seconds; of those the thread ran all, or so many."""
        self.now += seconds
        self.processor_s += seconds if of_processor is None else of_processor
        self.watch.before_io_wait(0.0)

    def wait(self, seconds: float, *, due_after: float) -> None:
        """A wait of so many seconds, which was to end earlier or later."""
        self.now += seconds
        self.watch.after_io_wait(due_after)

    def stalls_above(self, bound_ms: float) -> int:
        return sum(self.watch.stalls[STALL_BOUNDS_MS.index(bound_ms) + 1 :])


def test_a_task_that_blocks_is_a_stall_of_its_length() -> None:
    loop = Loop()
    loop.work(0.001)
    loop.wait(0.5, due_after=1.0)
    assert loop.stalls_above(50) == 0
    loop.work(0.06)
    assert loop.stalls_above(50) == 1
    assert loop.watch.longest_ms == pytest.approx(60)
    assert loop.watch.stalled_s == pytest.approx(0.061)


def test_time_without_work_is_waited_and_no_stall() -> None:
    loop = Loop()
    loop.work(0.001)
    loop.wait(0.05, due_after=0.05)
    assert loop.watch.waited_s == pytest.approx(0.05)
    assert loop.watch.stalled_s == pytest.approx(0.001)


def test_a_wait_that_ends_too_late_is_a_stall() -> None:
    loop = Loop()
    loop.work(0.0)
    loop.wait(0.025, due_after=0.001)
    assert loop.stalls_above(20) == 1
    assert loop.watch.waited_s == pytest.approx(0.025)


def test_processor_time_is_that_of_the_passes_alone() -> None:
    loop = Loop()
    loop.work(0.2, of_processor=0.004)
    loop.processor_s += 7.0
    loop.wait(1.0, due_after=1.0)
    loop.work(0.003)
    assert loop.watch.cpu_s == pytest.approx(0.007)
    assert loop.watch.cpu_passes[STALL_BOUNDS_MS.index(5)] == 2


def test_the_longest_is_that_of_two_halves_of_a_window() -> None:
    loop = Loop()
    loop.work(0.01)
    assert loop.watch.longest_ms == pytest.approx(10)
    loop.watch.rotate()
    assert loop.watch.longest_ms == pytest.approx(10)
    loop.watch.rotate()
    assert loop.watch.longest_ms == 0
    assert sum(loop.watch.stalls) == 1


@pytest.mark.trio
async def test_a_loop_that_it_is_added_to_is_watched() -> None:
    watch = LoopWatch()
    trio.lowlevel.add_instrument(watch)
    for _ in range(3):
        await trio.sleep(0.001)
    trio.lowlevel.remove_instrument(watch)
    assert sum(watch.cpu_passes) >= 3
    assert watch.waited_s > 0
