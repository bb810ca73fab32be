"""Waiting under trio for what is decided elsewhere."""

from __future__ import annotations

import pytest
import trio
from trio.testing import assert_checkpoints, wait_all_tasks_blocked

from server.node.waiting import wait_decided
from server.types import Deferred

pytestmark = pytest.mark.trio


async def test_what_is_decided_already_is_given_at_once_but_not_without_a_checkpoint() -> None:
    deferred: Deferred[int] = Deferred()
    deferred.resolve(7)
    with assert_checkpoints():
        assert await wait_decided(deferred) == 7


async def test_everybody_who_waits_gets_the_value_once_it_is_decided() -> None:
    deferred: Deferred[str | None] = Deferred()
    got: list[str | None] = []

    async def wait() -> None:
        got.append(await wait_decided(deferred))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        nursery.start_soon(wait)
        await wait_all_tasks_blocked()
        assert got == []
        deferred.resolve(None)
    assert got == [None, None]


async def test_who_gave_up_waiting_is_not_missed() -> None:
    deferred: Deferred[int] = Deferred()
    with trio.move_on_after(0):
        await wait_decided(deferred)
    deferred.resolve(1)
    late: list[int] = []
    deferred.on_done(late.append)
    assert late == [1]
