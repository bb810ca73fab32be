"""Functions that are called at a time, and what they cost until then."""

from __future__ import annotations

from functools import partial

import pytest
import trio
import trio.testing

from kafkaproto_server.shell.replicas import timers as module
from kafkaproto_server.shell.replicas.timers import MAX_WAIT_MS, Timers
from tests.node.support.controllers import TrioClock


class SetClock(TrioClock):
    """A clock that a test sets."""

    time_ms = 0

    def now_ms(self) -> int:
        return self.time_ms


def test_what_is_over_takes_no_memory_for_long() -> None:
    timers = Timers(SetClock())
    for _ in range(10 * module.MANY):
        timers.add(30_000, lambda: None, lambda: True)
    assert len(timers._heap) <= module.MANY


@pytest.mark.parametrize("over", [True, False])
def test_looking_for_what_is_over_costs_little(over: bool) -> None:
    timers = Timers(SetClock())
    looks = 0

    def is_over() -> bool:
        nonlocal looks
        looks += 1
        return over

    for number in range(1, 4 * module.MANY + 1):
        timers.add(30_000, lambda: None, is_over)
        if number < 2 * module.MANY:
            assert looks == (module.MANY if number >= module.MANY else 0)
    # It is looked for at MANY calls, and then whenever there are twice as many as were left the last time.
    assert looks == (4 if over else 1 + 2 + 4) * module.MANY


def test_nothing_waits_for_weeks() -> None:
    clock, called = SetClock(), []
    timers = Timers(clock)
    timers.add(10**12, lambda: called.append(1))
    clock.time_ms = MAX_WAIT_MS - 1
    timers.call_due()
    assert called == []
    clock.time_ms = MAX_WAIT_MS
    timers.call_due()
    assert called == [1]


def test_calls_that_take_long_leave_others_their_turn() -> None:
    clock, called = SetClock(), []
    timers = Timers(clock)

    def work(number: int) -> None:
        clock.time_ms += 4
        called.append(number)

    for number in range(5):
        timers.add(0, partial(work, number))
    timers.call_due()
    assert called == [0, 1, 2]
    timers.call_due()
    assert called == [0, 1, 2, 3, 4]


@pytest.mark.trio
async def test_what_is_due_is_called_at_once_beside_what_is_due_in_the_same_millisecond(
    autojump_clock: trio.testing.MockClock,
) -> None:
    clock, called = SetClock(), list[str]()
    timers = Timers(clock)
    timers.add(1, lambda: called.append("later"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(timers.run)
        await trio.testing.wait_all_tasks_blocked()
        clock.time_ms = 1
        timers.add(1, lambda: called.append("now"))
        await trio.testing.wait_all_tasks_blocked()
        assert (called, trio.current_time()) == (["later", "now"], 0.0)
        nursery.cancel_scope.cancel()


@pytest.mark.trio
async def test_what_is_due_before_all_others_does_not_wait_for_them(
    autojump_clock: trio.testing.MockClock,
) -> None:
    called: list[tuple[str, float]] = []
    timers = Timers(TrioClock())
    timers.add(1_000, lambda: called.append(("others", trio.current_time())))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(timers.run)
        await trio.testing.wait_all_tasks_blocked()
        timers.add(100, lambda: called.append(("earliest", trio.current_time())))
        await trio.sleep(2)
        nursery.cancel_scope.cancel()
    assert called == [("earliest", 0.1), ("others", 1.0)]


@pytest.mark.trio
async def test_what_is_over_wakes_nobody(autojump_clock: trio.testing.MockClock) -> None:
    called: list[float] = []
    timers = Timers(TrioClock())
    for at_ms in range(1, 100):
        timers.add(at_ms, lambda: called.append(0.0), lambda: True)
    timers.add(100, lambda: called.append(trio.current_time()))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(timers.run)
        await trio.sleep(1)
        nursery.cancel_scope.cancel()
    assert called == [0.1]


def test_a_function_that_raises_is_not_passed_over() -> None:
    """It ends the task of the timers, and so the process: nobody knows what it left half done."""
    clock = SetClock()
    timers = Timers(clock)

    def fail() -> None:
        raise KeyError("ours")

    async def run() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(timers.run)
            timers.add(0, fail)

    with pytest.RaisesGroup(pytest.RaisesExc(KeyError, match="ours")):
        trio.run(run)
