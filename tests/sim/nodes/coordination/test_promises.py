"""What counts as a broken promise of a coordinator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
import trio

from kafkaproto_server.core.coordinators.groups.classic import group as classic_group
from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC
from tests.sim.checkers.invariants import ViolationError
from tests.sim.nodes.coordination.promises import (
    SESSION_S,
    Coordinators,
    GroupPromises,
    TransactionPromises,
)
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.timeline import run

A: Place = ("t", 0)
B: Place = ("t", 1)
COORDINATORS: Any = SimpleNamespace(
    place=lambda topic, key: (topic, 0), is_excused=lambda place: False, term=lambda host, place: None
)


def play(scene: Callable[[], Any]) -> None:
    """In virtual time."""

    async def main() -> None:
        await scene()

    run(1, main)


@contextmanager
def violates(invariant: NodeInvariant) -> Iterator[None]:
    with pytest.raises(ViolationError) as caught:
        yield
    assert caught.value.invariant is invariant


def group() -> GroupPromises:
    return GroupPromises("g", COORDINATORS, Counter())


def places(*found: Place) -> frozenset[Place]:
    return frozenset(found)


@pytest.mark.parametrize(
    ("role", "high_watermark", "knows"),
    [
        (Role.LEADER, 99, False),
        (Role.LEADER, 100, True),
        (Role.LEADER, 101, True),
        (Role.FOLLOWER, 101, False),
    ],
)
def test_a_leader_knows_what_is_committed_from_the_start_of_its_epoch_on(
    role: Role, high_watermark: int, knows: bool
) -> None:
    partition = SimpleNamespace(role=role, high_watermark=high_watermark, leader_epoch_start=100)
    others = SimpleNamespace(role=Role.LEADER, high_watermark=9, leader_epoch_start=9)
    leader: Any = object()
    ledger: Any = SimpleNamespace(
        replicas=lambda: [
            (leader, (GROUPS_TOPIC, 1), SimpleNamespace(partition=others)),
            (object(), (GROUPS_TOPIC, 0), SimpleNamespace(partition=others)),
            (leader, (GROUPS_TOPIC, 0), SimpleNamespace(partition=partition)),
        ]
    )
    coordinators = Coordinators(ledger, {GROUPS_TOPIC: 1})
    assert GroupPromises("g", coordinators, Counter()).knows_what_is_committed(leader) is knows


def test_a_partition_has_one_owner_in_a_generation() -> None:
    async def scene() -> None:
        promises = group()
        promises.assigned_by_leader(1, {"m": places(A), "n": places(B)})
        promises.assigned(1, "m", places(A))
        promises.assigned(1, "n", places(B))
        promises.assigned_by_leader(2, {"n": places(A, B)})
        promises.assigned(2, "n", places(A, B))
        with violates(NodeInvariant.ONE_OWNER):
            promises.assigned(2, "m", places(A))

    play(scene)


def test_members_get_what_a_leader_has_sent_and_always_the_same() -> None:
    async def scene() -> None:
        promises = group()
        promises.assigned_by_leader(1, {"m": places(A)})
        with violates(NodeInvariant.ONE_OWNER):
            promises.assigned(1, "m", places(B))
        promises = group()
        promises.assigned_by_leader(1, {"m": places(A)})
        promises.assigned_by_leader(1, {"m": places(B)})
        promises.assigned(1, "m", places(A))
        with violates(NodeInvariant.ONE_OWNER):
            promises.assigned(1, "m", places(B))

    play(scene)


def test_generations_that_begin_anew_are_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classic_group, "MAX_GENERATION", 8)

    async def scene() -> None:
        promises = group()
        for generation, (m, n) in ((1, (A, B)), (8, (A, B)), (1, (B, A)), (2, (A, B))):
            promises.assigned_by_leader(generation, {"m": places(m), "n": places(n)})
            promises.assigned(generation, "m", places(m))
            promises.assigned(generation, "n", places(n))
        with violates(NodeInvariant.ONE_OWNER):
            promises.assigned(2, "n", places(A))
        await trio.sleep(1)
        commit = promises.begin_commit(A, 5, "x")
        with violates(NodeInvariant.ONE_OWNER):
            promises.committed(A, commit, "m", 8)

    play(scene)


def test_nobody_commits_in_a_generation_after_the_next_one_has_begun() -> None:
    async def scene() -> None:
        promises = group()
        before = promises.begin_commit(A, 1, "before")
        await trio.sleep(1)
        promises.assigned_by_leader(2, {"n": places(A)})
        promises.assigned(2, "n", places(A))
        # It may have been done before that.
        promises.committed(A, before, "m", 1)
        await trio.sleep(1)
        with violates(NodeInvariant.ONE_OWNER):
            promises.committed(A, promises.begin_commit(A, 2, "behind"), "m", 1)

    play(scene)


@pytest.mark.parametrize("is_given_up", [True, False])
def test_a_partition_of_a_consumer_group_is_given_up_before_another_member_has_it(is_given_up: bool) -> None:
    async def scene() -> None:
        promises = group()
        promises.heard("m", trio.current_time())
        promises.took("m", places(A, B))
        await trio.sleep(1)
        promises.heard("n", trio.current_time())
        if is_given_up:
            promises.gave_up("m", places(A))
            promises.took("n", places(A))
        else:
            with violates(NodeInvariant.ONE_OWNER):
                promises.took("n", places(A))

    play(scene)


def test_after_its_session_a_member_has_nothing_and_commits_nothing() -> None:
    async def scene() -> None:
        promises = group()
        promises.heard("m", trio.current_time())
        promises.took("m", places(A))
        await trio.sleep(SESSION_S)
        promises.heard("n", trio.current_time())
        promises.took("n", places(A))
        await trio.sleep(1)
        with violates(NodeInvariant.ONE_OWNER):
            promises.committed(A, promises.begin_commit(A, 1, "x"), "m", None)

    play(scene)


def transactions() -> TransactionPromises:
    return TransactionPromises(COORDINATORS, Counter(), lambda: False)


def test_readers_see_transactions_whose_commit_is_asked_for_and_not_refused() -> None:
    async def scene() -> None:
        promises = transactions()
        promises.initialized("id", "i")
        transaction = promises.begin("id", "i")
        value = f"{transaction.name} s-0 0 id".encode()
        with violates(NodeInvariant.ABORTED_IS_HIDDEN):
            promises.seen(A, value)
        promises.commits(transaction)
        promises.seen(A, value)
        promises.aborted(transaction)
        with violates(NodeInvariant.ABORTED_IS_HIDDEN):
            promises.seen(A, value)

    play(scene)


def test_a_producer_that_is_fenced_commits_nothing() -> None:
    async def scene() -> None:
        promises = transactions()
        promises.initialized("id", "i")
        transaction = promises.begin("id", "i")
        await trio.sleep(1)
        promises.initialized("id", "j")
        await trio.sleep(1)
        promises.commits(transaction)
        with violates(NodeInvariant.FENCED_WRITES_NOTHING):
            promises.committed(transaction)
        with violates(NodeInvariant.FENCED_WRITES_NOTHING):
            promises.seen(A, f"{transaction.name} s-0 0 id".encode())

    play(scene)


@pytest.mark.parametrize(
    ("shown", "done", "is_right"),
    [
        ([0, 1], 2, True),
        ([0], 1, False),
        ([], 0, False),
        ([0, 1], 1, False),
        ([0, 1, 1], 2, False),
        ([0, 1], 3, False),
    ],
    ids=["all", "a part", "nothing", "too much", "twice", "too little"],
)
def test_each_record_that_is_processed_has_one_result(shown: list[int], done: int, is_right: bool) -> None:
    async def scene() -> None:
        promises = transactions()
        promises.initialized("id", "i")
        transaction = promises.begin("id", "i")
        values = [f"{transaction.name} s-0 {at} id".encode() for at in range(2)]
        transaction.values.update(dict.fromkeys(values, A))
        promises.commits(transaction)
        promises.committed(transaction)
        found = {A: [values[each] for each in shown]}
        if is_right:
            promises.check_at_last(found, {("s", 0): done})
        else:
            with violates(NodeInvariant.EXACTLY_ONCE):
                promises.check_at_last(found, {("s", 0): done})

    play(scene)


def test_offsets_of_a_topic_stay_as_long_as_a_member_is_subscribed_to_it() -> None:
    async def scene() -> None:
        promises = group()
        promises.heard("m", trio.current_time())
        before = trio.current_time()
        await trio.sleep(1)
        promises.subscribed("m", ["t", "u"])
        # This one may have been there first.
        promises.deleted(A, before)
        await trio.sleep(1)
        with violates(NodeInvariant.SUBSCRIBED_IS_KEPT):
            promises.deleted(A, trio.current_time())
        promises.subscribes("m", ["u"])
        promises.deleted(A, trio.current_time())
        with violates(NodeInvariant.SUBSCRIBED_IS_KEPT):
            promises.deleted(("u", 0), trio.current_time())
        await trio.sleep(SESSION_S)
        promises.deleted(("u", 0), trio.current_time())

    play(scene)
