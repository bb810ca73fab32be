"""Fetch requests that wait are bounded together, and large ones have their turns."""

from __future__ import annotations

import heapq

from kafkaproto_server.base.later import Steps
from kafkaproto_server.shell.replicas.requests.parked_fetches import STEPS_A_TURN, InTurns, ParkedFetches
from kafkaproto_server.shell.replicas.timers import Timers


class Fetch:
    def __init__(self) -> None:
        self.has_responded = False

    def respond_early(self) -> None:
        self.has_responded = True


def test_the_largest_responds_early_if_too_many_wait() -> None:
    parked = ParkedFetches(100)
    first, large, as_large, last = (Fetch() for _ in range(4))
    for each, size in ((first, 20), (large, 40), (as_large, 40)):
        parked.add(each, size)
    assert not large.has_responded
    parked.add(last, 1)
    assert [each.has_responded for each in (first, large, as_large, last)] == [False, True, False, False]
    assert parked.partitions == 61
    for each in (first, large, as_large, last):
        parked.remove(each)
    assert parked.partitions == 0


def test_one_that_is_too_large_by_itself_does_not_wait() -> None:
    parked = ParkedFetches(100)
    small, huge = Fetch(), Fetch()
    parked.add(small, 10)
    parked.add(huge, 101)
    assert (small.has_responded, huge.has_responded, parked.partitions) == (False, True, 10)


class StoppedClock:
    def now_ms(self) -> int:
        return 1000

    def wall_ms(self) -> int:
        return 1000


def test_work_of_many_steps_has_its_turns() -> None:
    clock = StoppedClock()
    timers = Timers(clock)
    in_turns = InTurns(timers, clock)
    done: list[str] = []

    def steps(name: str, count: int) -> Steps[None]:
        for _ in range(count):
            done.append(name)
            yield

    over = [False]
    in_turns.start(steps("a", 2 * STEPS_A_TURN), lambda: False)
    in_turns.start(steps("b", 1), lambda: False)
    in_turns.start(steps("c", 2 * STEPS_A_TURN), lambda: over[0])
    for _ in range(3):
        heapq.heappop(timers._heap)[2]()
    assert done == [*["a"] * STEPS_A_TURN, "b", *["c"] * STEPS_A_TURN]
    over[0] = True
    timers.call_due()
    assert done[STEPS_A_TURN * 2 + 1 :] == ["a"] * STEPS_A_TURN
    assert not in_turns._works
