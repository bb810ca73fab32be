"""What counts as a broken promise of a streams group."""

from __future__ import annotations

from collections import Counter

import pytest
import trio

from tests.sim.nodes.coordination.promises import REBALANCE_S, SESSION_S
from tests.sim.nodes.coordination.streams_promises import StreamsPromises
from tests.sim.nodes.coordination.test_promises import COORDINATORS, A, B, places, play, violates
from tests.sim.nodes.invariants import NodeInvariant

NONE = places()


def group(*members: str) -> StreamsPromises:
    promises = StreamsPromises("g", COORDINATORS, Counter())
    for member in members:
        promises.heard(member, trio.current_time())
    return promises


def test_an_active_task_is_its_members_until_that_has_closed_it() -> None:
    async def scene() -> None:
        promises = group("m", "n")
        promises.took_tasks("m", "p", places(A, B), NONE)
        promises.has_only("m", places(B), NONE)
        promises.took_tasks("n", "q", places(A), NONE)
        with violates(NodeInvariant.ONE_OWNER):
            promises.took_tasks("n", "q", places(B), NONE)

    play(scene)


def test_a_replica_is_in_another_process_than_its_task_and_other_replicas() -> None:
    async def scene() -> None:
        promises = group("m", "n", "o")
        promises.took_tasks("m", "p", places(A), places(B))
        promises.took_tasks("n", "q", NONE, places(A))
        for active, standby in ((NONE, places(A)), (NONE, places(B)), (places(B), NONE)):
            with violates(NodeInvariant.ONCE_IN_A_PROCESS):
                promises.took_tasks("o", "p", active, standby)

    play(scene)


def test_a_member_may_turn_its_task_into_a_replica_and_back() -> None:
    async def scene() -> None:
        promises = group("m", "n")
        promises.took_tasks("m", "p", places(A), NONE)
        promises.has_only("m", NONE, places(A))
        promises.took_tasks("n", "q", places(A), NONE)
        promises.gone("n")
        promises.took_tasks("m", "p", places(A), NONE)

    play(scene)


def test_tasks_of_a_member_that_was_not_heard_from_are_anybodys() -> None:
    async def scene() -> None:
        promises = group("m")
        promises.took_tasks("m", "p", places(A), places(B))
        await trio.sleep(SESSION_S)
        promises.heard("n", trio.current_time())
        promises.took_tasks("n", "p", places(A), places(B))

    play(scene)


@pytest.mark.parametrize("is_told", [True, False])
def test_who_has_missed_a_response_keeps_its_tasks_for_its_rebalance_timeout(is_told: bool) -> None:
    async def scene() -> None:
        promises = group("m", "n")
        promises.took_tasks("m", "p", places(A), NONE)
        promises.in_doubt("m", trio.current_time())
        await trio.sleep(REBALANCE_S - 1)
        promises.heard("m", trio.current_time())
        with violates(NodeInvariant.ONE_OWNER):
            promises.took_tasks("n", "q", places(A), NONE)
        if is_told:
            # It knows its tasks again.
            promises.took_tasks("m", "p", NONE, NONE)
        await trio.sleep(1)
        promises.heard("m", trio.current_time())
        promises.gone("n")
        promises.heard("o", trio.current_time())
        if is_told:
            with violates(NodeInvariant.ONE_OWNER):
                promises.took_tasks("o", "q", places(A), NONE)
        else:
            promises.took_tasks("o", "q", places(A), NONE)

    play(scene)


def test_epochs_of_members_and_of_the_group_do_not_go_back() -> None:
    async def scene() -> None:
        promises = group()
        sent = trio.current_time()
        await trio.sleep(1)
        promises.in_epoch("m", 0, 5, sent)
        await trio.sleep(1)
        # This one may have joined before.
        promises.in_epoch("n", 0, 3, sent)
        promises.in_epoch("n", 3, 3, trio.current_time())
        with violates(NodeInvariant.EPOCHS_GROW):
            promises.in_epoch("n", 3, 2, trio.current_time())
        with violates(NodeInvariant.EPOCHS_GROW):
            promises.in_epoch("o", 0, 4, trio.current_time())
        promises.in_epoch("o", 0, 5, trio.current_time())

    play(scene)
