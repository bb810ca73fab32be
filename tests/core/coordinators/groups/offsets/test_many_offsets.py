"""Very many offsets of one group are looked up, deleted and freed some at a time.

Tests: `core.coordinators.groups.offsets.table`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.groups.offsets import logged
from kafkaproto_server.core.coordinators.groups.offsets import offsets as module
from kafkaproto_server.core.coordinators.groups.offsets.expiration import Expiration
from kafkaproto_server.core.coordinators.groups.offsets.table import OffsetAndMetadata
from kafkaproto_server.requests.offset_requests import FetchedTopic, OffsetsGoneError, TopicPartitions
from tests.core.coordinators.support.offsets import RETENTION_MS, UNSTABLE, Offsets, of, to_nothing

ID = b"\1" * 16


def test_a_stable_fetch_of_all_offsets_leaves_open_what_changed_while_it_waited() -> None:
    offsets = Offsets(commits_at_once=False)
    offsets.commit("g", of("t", 0, 5), of("t", 1, 5))
    seen = offsets.ask("g", stable=True)
    offsets.commit("g", of("t", 0, 6))
    offsets.log.commit(1)
    assert seen.offsets == {("t", 0): UNSTABLE, ("t", 1): (5, -1, "")}


def test_all_offsets_are_looked_up_some_at_a_time() -> None:
    offsets = Offsets()
    offsets.commit("g", *(of("t", index, 5) for index in range(5_000)), of("u", 0, 7))
    parts: list[tuple[str, int]] = []
    told: list[Iterable[FetchedTopic]] = []
    offsets.manager.fetches.fetch("g", None, lambda _, topics: told.append(topics), require_stable=False)
    for topic in told[0]:
        parts.append((topic.topic, len(topic.partitions)))
        if len(parts) == 1:
            # What is deleted meanwhile is not there any more.
            offsets.delete("g", "t", 4_999)
    assert parts == [("t", 2_000), ("t", 2_000), ("t", 999), ("u", 1)]


def test_all_offsets_cannot_be_looked_up_any_more_once_another_broker_has_them() -> None:
    offsets = Offsets()
    offsets.commit("g", *(of("t", index, 5) for index in range(3_000)))
    told: list[Iterable[FetchedTopic]] = []
    for _ in range(2):
        offsets.manager.fetches.fetch("g", None, lambda _, topics: told.append(topics), require_stable=False)
    begun, not_begun = map(iter, told)
    next(begun)
    offsets.manager.logged.unload()
    for topics in (begun, not_begun):
        with pytest.raises(OffsetsGoneError):
            next(topics)


def test_offsets_of_others_are_freed_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logged, "FREED_AT_ONCE", 10)
    offsets = Offsets()
    for number in range(10):
        offsets.commit(f"g{number}", *(of("t", index, 5) for index in range(4)))
        offsets.commit_in_transaction(number, "h", of("t", number, 5))
    table = offsets.manager.logged.table
    sizes = []
    offsets.manager.logged.unload()
    while calls := offsets.world.due():
        sizes.append(sum(1 for _ in table))
        offsets.world.advance(min(calls) - offsets.world.now_ms())
    assert len(sizes) >= 4
    assert all(before - after <= 10 + 2 for before, after in pairwise(sizes))
    assert list(table) == []


def world_goes_on(offsets: Offsets) -> int:
    """Do what is due, and return how many turns that were."""
    turns = 0
    while calls := offsets.world.due():
        offsets.world.advance(min(calls) - offsets.world.now_ms())
        turns += 1
    return turns


@pytest.mark.parametrize("is_commit", [True, False])
def test_many_offsets_of_a_transaction_are_committed_some_at_a_time(
    is_commit: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logged, "ENDED_AT_ONCE", 10)
    offsets = Offsets()
    offsets.commit_in_transaction(1, "g", *(of("t", index, 5) for index in range(35)))
    offsets.end(1, is_commit)
    assert offsets.manager.logged.count("g") == (10 if is_commit else 0)
    # What was not looked at yet is as pending as before.
    topics = [TopicPartitions(topic="t", partitions=(9, 10))]
    seen = offsets.ask("g", topics, stable=True).offsets
    assert seen["t", 9] == ((5, -1, "") if is_commit else (-1, -1, ""))
    assert seen["t", 10] == UNSTABLE
    assert world_goes_on(offsets) == 3
    assert offsets.manager.logged.count("g") == (35 if is_commit else 0)
    assert not offsets.manager.logged.has_pending("g")


@pytest.mark.parametrize(
    ("topics", "is_stable"),
    [(None, False), (None, True), ([TopicPartitions(topic="t", partitions=tuple(range(35)))], False)],
)
def test_who_cannot_be_told_to_come_again_sees_all_of_a_transaction_that_has_ended(
    topics: list[TopicPartitions] | None, is_stable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logged, "ENDED_AT_ONCE", 10)
    offsets = Offsets()
    offsets.commit_in_transaction(1, "g", *(of("t", index, 5) for index in range(35)))
    offsets.end(1, True)
    seen = offsets.ask("g", topics, stable=is_stable)
    # What is committed at once is seen, too, and what another transaction commits later is not waited for.
    offsets.commit("g", of("t", 3, 6))
    offsets.commit_in_transaction(2, "g", *(of("u", index, 7) for index in range(35)))
    offsets.end(2, True)
    assert seen.code is None
    turns = 0
    while seen.code is None:
        offsets.world.advance(1)
        turns += 1
    assert turns == 3
    assert offsets.manager.logged.has_pending("g")
    of_t = {where: offset for where, offset in seen.offsets.items() if where[0] == "t"}
    assert of_t == {("t", index): (6 if index == 3 else 5, -1, "") for index in range(35)}


def test_who_waits_for_a_transaction_to_be_worked_off_is_told_once_another_broker_has_the_offsets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(logged, "ENDED_AT_ONCE", 10)
    offsets = Offsets()
    offsets.commit_in_transaction(1, "g", *(of("t", index, 5) for index in range(35)))
    offsets.end(1, True)
    seen = offsets.ask("g")
    offsets.manager.logged.unload()
    assert seen.code is ErrorCode.NOT_COORDINATOR
    world_goes_on(offsets)


def test_a_group_that_the_transaction_has_no_offsets_of_does_not_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(logged, "ENDED_AT_ONCE", 10)
    offsets = Offsets()
    offsets.commit("other", of("t", 0, 1))
    offsets.commit_in_transaction(1, "g", *(of("t", index, 5) for index in range(35)))
    offsets.end(1, True)
    assert offsets.fetch("other") == {("t", 0): (1, -1, "")}


def test_offsets_that_are_deleted_of_each_of_a_producers_transactions_stay_deleted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(logged, "ENDED_AT_ONCE", 1)
    offsets = Offsets()
    for offset in (1, 2, 3):
        offsets.commit_in_transaction(1, "g", of("t", 0, offset), of("t", 1, offset))
        offsets.end(1, True)
    offsets.delete("g", "t", 1)
    world_goes_on(offsets)
    assert offsets.fetch("g") == {("t", 0): (3, -1, "")}
    assert not offsets.manager.logged.has_pending("g")


def test_whatever_comes_while_a_transaction_is_worked_off_counts_in_the_order_of_the_log(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(logged, "ENDED_AT_ONCE", 1)
    offsets = Offsets()
    offsets.commit_in_transaction(1, "g", *(of("t", index, 1) for index in range(6)))
    offsets.end(1, True)
    offsets.commit("g", of("t", 1, 2))
    offsets.delete("g", "t", 2)
    # The next transaction of the same producer, one of another, and one that is aborted.
    offsets.commit_in_transaction(1, "g", of("t", 3, 3))
    offsets.commit_in_transaction(2, "g", of("t", 4, 4), of("t", 2, 4))
    offsets.end(2, True)
    offsets.commit_in_transaction(2, "g", of("t", 5, 5))
    offsets.end(2, False)
    world_goes_on(offsets)
    seen = offsets.fetch("g", stable=True)
    assert {index: seen["t", index] for index in range(6)} == {
        0: (1, -1, ""),
        1: (2, -1, ""),
        2: (4, -1, ""),
        3: UNSTABLE,
        4: (4, -1, ""),
        5: (1, -1, ""),
    }
    offsets.end(1, True)
    assert offsets.fetch("g", stable=True)["t", 3] == (3, -1, "")
    assert not offsets.manager.logged.has_pending("g")


def test_expiry_looks_at_some_offsets_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SEEN_AT_ONCE", 10)
    monkeypatch.setattr(module, "GONE_AT_ONCE", 4)
    offsets = Offsets()
    offsets.commit("g", *(of("t", index, 5) for index in range(25)))
    offsets.world.advance(RETENTION_MS)
    # Every third one is new.
    offsets.commit("g", *(of("t", index, 6) for index in range(0, 25, 3)))
    seen = 0

    class Counting(Expiration, frozen=True):
        def has_expired(self, entry: OffsetAndMetadata, *, wall_ms: int, retention_ms: int) -> bool:
            nonlocal seen
            seen += 1
            return super().has_expired(entry, wall_ms=wall_ms, retention_ms=retention_ms)

    counts = []
    while True:
        seen, before = 0, offsets.manager.logged.count("g")
        assert not offsets.manager.expire("g", Counting(is_subscribed=to_nothing))
        counts.append((seen, before - offsets.manager.logged.count("g")))
        if not offsets.manager.is_expiring("g"):
            break
    # Those that were new have moved to no other place.
    assert all(looked <= 10 and gone <= 4 for looked, gone in counts)
    assert sum(looked for looked, _ in counts) == 25
    assert offsets.fetch("g") == {("t", index): (6, -1, "") for index in range(0, 25, 3)}


def test_expiry_of_a_group_does_not_go_on_with_that_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SEEN_AT_ONCE", 4)
    offsets = Offsets()
    for group in ("g", "h"):
        offsets.commit(group, *(of(f"of {group}", index, 5) for index in range(6)))
    offsets.world.advance(RETENTION_MS)
    assert not offsets.manager.expire("g", Expiration(is_subscribed=to_nothing))
    assert not offsets.manager.expire("h", Expiration(is_subscribed=to_nothing))
    assert offsets.fetch("h") == {("of h", index): (5, -1, "") for index in (4, 5)}


def test_a_deleted_topic_is_looked_through_no_further_than_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GONE_AT_ONCE", 4)
    offsets = Offsets()
    offsets.commit("g", *(of("t", index, 5) for index in range(9)))
    gone = [offsets.manager.delete_topics([("t", ID)], "g") for _ in range(4)]
    assert gone == [4, 4, 1, 0]
