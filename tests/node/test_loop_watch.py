"""The event loop watched from inside: how long it was busy at a time, and how much of its time it waited."""

from __future__ import annotations

import time

import pytest
import trio

from server.node.loop_watch import STALL_BOUNDS_MS, LoopWatch


def stalls_above(watch: LoopWatch, bound_ms: float) -> int:
    return sum(watch.stalls[STALL_BOUNDS_MS.index(bound_ms) + 1 :])


@pytest.mark.trio
async def test_a_task_that_blocks_is_a_stall_of_its_length() -> None:
    watch = LoopWatch()
    trio.lowlevel.add_instrument(watch)
    await trio.sleep(0)
    assert stalls_above(watch, 50) == 0
    time.sleep(0.06)
    await trio.sleep(0.001)
    trio.lowlevel.remove_instrument(watch)
    assert stalls_above(watch, 50) == 1
    assert 60 <= watch.longest_ms < 5000
    assert watch.stalled_s >= 0.06


@pytest.mark.trio
async def test_time_without_work_is_waited_and_no_stall() -> None:
    watch = LoopWatch()
    trio.lowlevel.add_instrument(watch)
    await trio.sleep(0)
    await trio.sleep(0.05)
    await trio.sleep(0)
    trio.lowlevel.remove_instrument(watch)
    assert watch.waited_s >= 0.04
    assert watch.stalled_s < watch.waited_s


def test_a_wait_that_ends_too_late_is_a_stall() -> None:
    watch = LoopWatch()
    watch.before_io_wait(0.0)
    time.sleep(0.025)
    watch.after_io_wait(0.001)
    assert stalls_above(watch, 20) == 1
    assert watch.waited_s >= 0.025


def test_the_longest_is_that_of_two_halves_of_a_window() -> None:
    watch = LoopWatch()
    time.sleep(0.01)
    watch.before_io_wait(0.0)
    longest = watch.longest_ms
    assert longest >= 10
    watch.rotate()
    assert watch.longest_ms == longest
    watch.rotate()
    assert watch.longest_ms == 0
    assert sum(watch.stalls) == 1
