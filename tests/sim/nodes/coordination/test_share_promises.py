"""What counts as a broken promise of a share group."""

from __future__ import annotations

from collections import Counter

import pytest
import trio

from tests.sim.checkers.invariants import ViolationError
from tests.sim.nodes.coordination.share_promises import ACCEPT, RELEASE, SharePromises
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.timeline import run

A: Place = ("t", 0)
LIMIT = 3


def group() -> SharePromises:
    return SharePromises("g", LIMIT, lambda: False, Counter())


def violated(call: object, *arguments: object) -> None:
    with pytest.raises(ViolationError) as caught:
        call(*arguments)  # type: ignore[operator]
    assert caught.value.invariant is NodeInvariant.SHARED_ONCE


def test_nobody_gets_a_record_that_was_accepted() -> None:
    async def scene() -> None:
        promises = group()
        mine = promises.acquired(A, 0, 1, "m", trio.current_time())
        await trio.sleep(1)
        promises.acknowledged(A, 0, mine, ACCEPT, trio.current_time())
        sent = trio.current_time()
        await trio.sleep(1)
        # This one was on its way while the record was accepted.
        promises.acquired(A, 0, 2, "n", sent - 1)
        violated(promises.acquired, A, 0, 2, "n", sent + 0.5)

    run(1, scene)


def test_a_record_that_is_released_is_for_anybody() -> None:
    async def scene() -> None:
        promises = group()
        mine = promises.acquired(A, 0, 1, "m", trio.current_time())
        promises.acknowledged(A, 0, mine, RELEASE, trio.current_time())
        await trio.sleep(1)
        promises.acquired(A, 0, 2, "n", trio.current_time())
        assert promises.unresolved(A, 2) == [0, 1]

    run(1, scene)


@pytest.mark.parametrize("is_between", [True, False])
def test_only_who_acquired_it_last_acknowledges_a_record(is_between: bool) -> None:
    async def scene() -> None:
        promises = group()
        mine = promises.acquired(A, 0, 1, "m", trio.current_time())
        await trio.sleep(1)
        if is_between:
            promises.acquired(A, 0, 2, "n", trio.current_time())
            await trio.sleep(1)
            violated(promises.acknowledged, A, 0, mine, ACCEPT, trio.current_time())
        else:
            sent = trio.current_time()
            await trio.sleep(1)
            promises.acquired(A, 0, 2, "n", trio.current_time())
            promises.acknowledged(A, 0, mine, ACCEPT, sent)

    run(1, scene)


def test_an_acknowledgement_of_a_record_that_is_done_with_may_succeed() -> None:
    async def scene() -> None:
        promises = group()
        mine = promises.acquired(A, 0, 1, "m", trio.current_time())
        await trio.sleep(1)
        others = promises.acquired(A, 0, 2, "n", trio.current_time())
        promises.acknowledged(A, 0, others, ACCEPT, trio.current_time())
        await trio.sleep(1)
        promises.acknowledged(A, 0, mine, ACCEPT, trio.current_time())

    run(1, scene)


@pytest.mark.parametrize(("count", "lost_fetches"), [(LIMIT, 0), (LIMIT - 1, 1)])
def test_a_late_acknowledgement_of_a_spent_record_may_succeed(count: int, lost_fetches: int) -> None:
    async def scene() -> None:
        promises = group()
        mine = promises.acquired(A, 0, 1, "m", trio.current_time())
        await trio.sleep(1)
        others = promises.acquired(A, 0, count, "n", trio.current_time())
        promises.acknowledged(A, 0, others, RELEASE, trio.current_time())
        promises.lost_fetches = lost_fetches
        await trio.sleep(1)
        promises.acknowledged(A, 0, mine, ACCEPT, trio.current_time())

    run(1, scene)


@pytest.mark.parametrize("count", [0, LIMIT + 1])
def test_deliveries_are_counted_from_one_to_the_limit(count: int) -> None:
    async def scene() -> None:
        violated(group().acquired, A, 0, count, "m", 0.0)

    run(1, scene)


def test_a_record_is_done_with_once_it_is_acknowledged_for_good_or_given_up() -> None:
    async def scene() -> None:
        promises = group()
        found = [promises.acquired(A, offset, 1, "m", 0.0) for offset in range(3)]
        assert promises.unresolved(A, 4) == [0, 1, 2, 3]
        promises.acknowledged(A, 0, found[0], ACCEPT, 0.0)
        promises.may_be_acknowledged(A, 1, ACCEPT)
        promises.may_be_acknowledged(A, 2, RELEASE)
        assert promises.unresolved(A, 4) == [2, 3]
        promises.acquired(A, 2, LIMIT, "m", 0.0)
        assert promises.unresolved(A, 4) == [3]

    run(1, scene)
