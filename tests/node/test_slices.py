"""Long work of requests is done a little at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from server.node.slices import IN_PLACE_S, SHARE_S, STEPS_A_LOOK, TURN_S, Slices
from server.types import Steps

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
        self.slices = Slices(clock=self.clock, **settings)
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

    def start(self, name: str, steps: int, error: Exception | None = None, owner: object = None) -> None:
        self.slices.start(self.work(name, steps, error), self.done.append, self.failed.append, owner)


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
