"""Functions that are called at a time, and what they cost until then."""

from __future__ import annotations

from functools import partial

from kafkaproto_server.node.replicas import timers as module
from kafkaproto_server.node.replicas.timers import MAX_WAIT_MS, Timers
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
