"""Long work of requests is done a little at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kafkaproto_server.base.later import Steps
from kafkaproto_server.shell.net.passes import PASS_S, Passes
from kafkaproto_server.shell.serving.slices import IN_PLACE_S, SHARE_S, STEPS_A_LOOK, TURN_S, URGENT_S, Slices

STEP_S = SHARE_S / 10


class Clock:
    """Time that passes as work is done."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Harness:
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
    harness = Harness()
    harness.start("short", 3)
    assert (harness.done, harness.slices.waiting) == (["short"], 0)


def test_long_work_is_left_after_a_while_and_continued_in_turns() -> None:
    harness = Harness()
    harness.start("long", 1000)
    begun = len(harness.steps_of)
    assert harness.done == []
    assert IN_PLACE_S / STEP_S <= begun <= IN_PLACE_S / STEP_S + STEPS_A_LOOK
    harness.slices.turn()
    turn = len(harness.steps_of) - begun
    assert TURN_S / STEP_S <= turn <= (TURN_S + SHARE_S) / STEP_S + STEPS_A_LOOK
    while harness.slices.waiting:
        harness.slices.turn()
    assert (harness.done, len(harness.steps_of)) == (["long"], 1000)


def test_works_share_the_time() -> None:
    harness = Harness()
    for name in "abc":
        harness.start(name, 400)
    for _ in range(6):
        harness.slices.turn()
    counts = sorted(harness.steps_of.count(name) for name in "abc")
    assert counts[-1] - counts[0] <= 2 * SHARE_S / STEP_S + STEPS_A_LOOK


def test_work_without_time_limit_is_done_at_once() -> None:
    harness = Harness(in_place_s=float("inf"))
    harness.start("long", 100_000)
    assert harness.done == ["long"]


@pytest.mark.parametrize("steps", [1, 1000])
def test_an_error_is_told_to_whoever_began_the_work(steps: int) -> None:
    harness = Harness()
    error = ValueError("no")
    harness.start("bad", steps, error)
    harness.start("good", 1000)
    while harness.slices.waiting:
        harness.slices.turn()
    assert (harness.failed, harness.done) == ([error], ["good"])


def test_the_work_of_an_owner_that_is_gone_is_given_up() -> None:
    harness = Harness()
    closed: list[str] = []

    def work() -> Iterator[None]:
        try:
            yield from harness.work("left", 1000)
        finally:
            closed.append("left")

    harness.slices.start(work(), harness.done.append, harness.failed.append, owner="gone")  # type: ignore[arg-type]
    harness.start("other", 1000, owner="here")
    harness.slices.drop("gone")
    assert closed == ["left"]
    while harness.slices.waiting:
        harness.slices.turn()
    assert (harness.done, harness.failed) == (["other"], [])


def test_when_the_pass_is_over_work_is_begun_in_a_turn() -> None:
    harness = Harness()
    harness.end_pass()
    for number in range(1000):
        harness.start("short", 1, host=str(number))
    assert (harness.steps_of, harness.slices.waiting) == ([], 1000)
    harness.slices.turn()
    assert TURN_S / STEP_S <= len(harness.done) <= TURN_S / STEP_S + 1
    harness.passes.after_io_wait(0)
    harness.start("next pass", 1)
    assert harness.done[-1] == "next pass"


def test_many_works_that_are_begun_together_do_not_take_longer_than_a_pass() -> None:
    harness = Harness()
    harness.passes.after_io_wait(0)
    begun_at = harness.clock.now
    for _ in range(1000):
        harness.start("long", 1000)
    assert harness.clock.now - begun_at <= PASS_S + IN_PLACE_S + STEPS_A_LOOK * STEP_S


def test_urgent_works_go_first_but_not_all_the_time() -> None:
    harness = Harness()
    harness.end_pass()
    for _ in range(3):
        harness.start("ordinary", 1000)
    for _ in range(1000):
        harness.start("urgent", 1, is_urgent=True)
    harness.slices.turn()
    assert URGENT_S / STEP_S <= harness.done.count("urgent") <= URGENT_S / STEP_S + 1
    assert harness.steps_of[: len(harness.done)] == ["urgent"] * len(harness.done)
    assert harness.steps_of.count("ordinary") >= (TURN_S - URGENT_S) / STEP_S


def test_the_hosts_that_work_is_for_take_turns() -> None:
    harness = Harness()
    harness.end_pass()
    for _ in range(1000):
        harness.start("many", 10, host="192.0.2.1")
    harness.start("one", 10, host="192.0.2.2")
    harness.slices.turn()
    assert "one" in harness.done


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
    harness = Harness(in_place_s=0)
    count = 1000
    for number in range(count):
        harness.start("long", 1000, owner=Owner(number))
    Owner.compared = 0
    for number in reversed(range(count)):
        harness.slices.drop(Owner(number))
    assert harness.slices.waiting == 0
    assert Owner.compared <= 2 * count


def test_what_given_up_work_had_made_is_handed_over() -> None:
    harness = Harness(in_place_s=0)
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

    harness.slices.start(
        outer(shared), harness.done.append, harness.failed.append, owner="gone", dropped=dropped.append
    )
    harness.slices.drop("gone")
    assert dropped == [[["made before"], [*range(STEPS_A_LOOK)]]]
    assert (harness.done, harness.failed) == ([], [])


@pytest.mark.trio
async def test_others_run_between_two_turns() -> None:
    harness = Harness()
    turns: list[int] = []

    async def other() -> None:
        while not harness.done:
            turns.append(len(harness.steps_of))
            await trio.lowlevel.checkpoint()

    async with trio.open_nursery() as nursery:
        await nursery.start(harness.slices.run)
        await wait_all_tasks_blocked()
        harness.start("long", 1000)
        await other()
        nursery.cancel_scope.cancel()
    most = (TURN_S + SHARE_S) / STEP_S + STEPS_A_LOOK
    # The two tasks take turns in any order, so the works may have two in a row.
    assert all(after - before <= 2 * most for before, after in pairwise(turns))
    assert len(turns) > 1000 * STEP_S / (TURN_S + SHARE_S)
