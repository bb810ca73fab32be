"""How long a run waits for what has to come."""

from __future__ import annotations

from itertools import count

import pytest
import trio
import trio.testing

from tests.sim.checkers.invariants import ViolationError
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.rest import REST_S, STANDSTILL_S, reach

pytestmark = pytest.mark.trio

AT_LAST = NodeInvariant.SETTLES_AT_LAST


async def test_what_changes_has_all_of_its_time(autojump_clock: trio.testing.MockClock) -> None:
    states = count()
    with pytest.raises(ViolationError):
        await reach(lambda: False, AT_LAST, lambda: next(states), every_s=1.0)
    assert REST_S <= trio.current_time() < REST_S + 2


async def test_what_stands_still_is_given_up(autojump_clock: trio.testing.MockClock) -> None:
    with pytest.raises(ViolationError, match="left"):
        await reach(lambda: False, AT_LAST, lambda: "left" if trio.current_time() > 20 else "more")
    assert 20 + STANDSTILL_S <= trio.current_time() < 20 + STANDSTILL_S + 2


async def test_what_is_reached_is_not_waited_for(autojump_clock: trio.testing.MockClock) -> None:
    await reach(lambda: trio.current_time() >= 30, AT_LAST, lambda: "the same")
    assert 30 <= trio.current_time() < 31
