"""Long work of requests is done a little at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kafkaproto_server.net.passes import PASS_S, Passes
from kafkaproto_server.node.serving.slices import IN_PLACE_S, SHARE_S, STEPS_A_LOOK, TURN_S, URGENT_S, Slices
from kafkaproto_server.types import Steps

STEP_S = SHARE_S / 10


class Clock:
    """Time that passes as work is done."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Bench:
    """Slices under a clock of their own, and what comes of their works."""

    def __init__(self, **settings: Any) -> None:
        self.clock = Clock()
        self.passes = Passes(self.clock)
        self.slices = Slices(self.passes, clock=self.clock, **settings)
        self.done: list[Any] = []
        self.failed: list[Exception] = []
        self.steps_of: list[str] = []

    def work(self, name: str, steps: int, error: Exception | None = None) -> Steps[str]:
        for _ in range(steps):
            self.clock.now += STEP_S
            self.steps_of.append(name)
            yield
        if error is not None:
            raise error
        return name

    def start(
        self, name: str, steps: int, error: Exception | None = None, owner: object = None, **more: Any
    ) -> None:
        self.slices.start(self.work(name, steps, error), self.done.append, self.failed.append, owner, **more)

    def end_pass(self) -> None:
        """From now on the pass of the loop is over."""
        self.passes.after_io_wait(0)
        self.clock.now += PASS_S


def test_short_work_is_done_where_it_is_begun() -> None:
    bench = Bench()
    bench.start("short", 3)
    assert (bench.done, bench.slices.waiting) == (["short"], 0)


def test_long_work_is_left_after_a_while_and_continued_in_turns() -> None:
    bench = Bench()
    bench.start("long", 1000)
    begun = len(bench.steps_of)
    assert bench.done == []
    assert IN_PLACE_S / STEP_S <= begun <= IN_PLACE_S / STEP_S + STEPS_A_LOOK
    bench.slices.turn()
    turn = len(bench.steps_of) - begun
    assert TURN_S / STEP_S <= turn <= (TURN_S + SHARE_S) / STEP_S + STEPS_A_LOOK
    while bench.slices.waiting:
        bench.slices.turn()
    assert (bench.done, len(bench.steps_of)) == (["long"], 1000)


def test_works_share_the_time() -> None:
    bench = Bench()
    for name in "abc":
        bench.start(name, 400)
    for _ in range(6):
        bench.slices.turn()
    counts = sorted(bench.steps_of.count(name) for name in "abc")
    assert counts[-1] - counts[0] <= 2 * SHARE_S / STEP_S + STEPS_A_LOOK


def test_work_without_time_limit_is_done_at_once() -> None:
    bench = Bench(in_place_s=float("inf"))
    bench.start("long", 100_000)
    assert bench.done == ["long"]


@pytest.mark.parametrize("steps", [1, 1000])
def test_an_error_is_told_to_whoever_began_the_work(steps: int) -> None:
    bench = Bench()
    error = ValueError("no")
    bench.start("bad", steps, error)
    bench.start("good", 1000)
    while bench.slices.waiting:
        bench.slices.turn()
    assert (bench.failed, bench.done) == ([error], ["good"])


def test_the_work_of_an_owner_that_is_gone_is_given_up() -> None:
    bench = Bench()
    closed: list[str] = []

    def work() -> Iterator[None]:
        try:
            yield from bench.work("left", 1000)
        finally:
            closed.append("left")

    bench.slices.start(work(), bench.done.append, bench.failed.append, owner="gone")  # type: ignore[arg-type]
    bench.start("other", 1000, owner="here")
    bench.slices.drop("gone")
    assert closed == ["left"]
    while bench.slices.waiting:
        bench.slices.turn()
    assert (bench.done, bench.failed) == (["other"], [])


def test_when_the_pass_is_over_work_is_begun_in_a_turn() -> None:
    bench = Bench()
    bench.end_pass()
    for number in range(1000):
        bench.start("short", 1, host=str(number))
    assert (bench.steps_of, bench.slices.waiting) == ([], 1000)
    bench.slices.turn()
    assert TURN_S / STEP_S <= len(bench.done) <= TURN_S / STEP_S + 1
    bench.passes.after_io_wait(0)
    bench.start("next pass", 1)
    assert bench.done[-1] == "next pass"


def test_many_works_that_are_begun_together_do_not_take_longer_than_a_pass() -> None:
    bench = Bench()
    bench.passes.after_io_wait(0)
    begun_at = bench.clock.now
    for _ in range(1000):
        bench.start("long", 1000)
    assert bench.clock.now - begun_at <= PASS_S + IN_PLACE_S + STEPS_A_LOOK * STEP_S


def test_urgent_works_go_first_but_not_all_the_time() -> None:
    bench = Bench()
    bench.end_pass()
    for _ in range(3):
        bench.start("ordinary", 1000)
    for _ in range(1000):
        bench.start("urgent", 1, is_urgent=True)
    bench.slices.turn()
    assert URGENT_S / STEP_S <= bench.done.count("urgent") <= URGENT_S / STEP_S + 1
    assert bench.steps_of[: len(bench.done)] == ["urgent"] * len(bench.done)
    assert bench.steps_of.count("ordinary") >= (TURN_S - URGENT_S) / STEP_S


def test_the_hosts_that_work_is_for_take_turns() -> None:
    bench = Bench()
    bench.end_pass()
    for _ in range(1000):
        bench.start("many", 10, host="192.0.2.1")
    bench.start("one", 10, host="192.0.2.2")
    bench.slices.turn()
    assert "one" in bench.done


class Owner:
    """Counts how often it is compared."""

    compared = 0

    def __init__(self, number: int) -> None:
        self.number = number

    def __hash__(self) -> int:
        return self.number

    def __eq__(self, other: object) -> bool:
        Owner.compared += 1
        return isinstance(other, Owner) and other.number == self.number


def test_to_give_up_work_does_not_look_at_the_others() -> None:
    bench = Bench(in_place_s=0)
    count = 1000
    for number in range(count):
        bench.start("long", 1000, owner=Owner(number))
    Owner.compared = 0
    for number in reversed(range(count)):
        bench.slices.drop(Owner(number))
    assert bench.slices.waiting == 0
    assert Owner.compared <= 2 * count


def test_what_given_up_work_had_made_is_handed_over() -> None:
    bench = Bench(in_place_s=0)
    shared = [object()]
    dropped: list[list[Any]] = []

    def inner() -> Steps[list[int]]:
        found = []
        for number in range(1000):
            found.append(number)
            yield
        return found

    def outer(given: list[object]) -> Steps[str]:
        before = ["made before"]
        found = yield from inner()
        return f"{given}{before}{found}"

    bench.slices.start(
        outer(shared), bench.done.append, bench.failed.append, owner="gone", dropped=dropped.append
    )
    bench.slices.drop("gone")
    assert dropped == [[["made before"], [*range(STEPS_A_LOOK)]]]
    assert (bench.done, bench.failed) == ([], [])


@pytest.mark.trio
async def test_others_run_between_two_turns() -> None:
    bench = Bench()
    turns: list[int] = []

    async def other() -> None:
        while not bench.done:
            turns.append(len(bench.steps_of))
            await trio.lowlevel.checkpoint()

    async with trio.open_nursery() as nursery:
        await nursery.start(bench.slices.run)
        await wait_all_tasks_blocked()
        bench.start("long", 1000)
        await other()
        nursery.cancel_scope.cancel()
    most = (TURN_S + SHARE_S) / STEP_S + STEPS_A_LOOK
    # The two tasks take turns in any order, so the works may have two in a row.
    assert all(after - before <= 2 * most for before, after in pairwise(turns))
    assert len(turns) > 1000 * STEP_S / (TURN_S + SHARE_S)
