"""What a leader remembers of its replicas."""

from __future__ import annotations

import pytest

from server.raft import progress
from server.raft.config import OBSERVER_EXPIRY_MS
from server.raft.progress import CAUGHT_UP_EXPIRY_MS, Progress
from server.raft.voters import VoterSet
from server.types import ReplicaKey
from tests.raft.machine import directory, voter


def key(node_id: int, directory_number: int | None = None) -> ReplicaKey:
    number = node_id if directory_number is None else directory_number
    return ReplicaKey(id=node_id, directory_id=directory(number))


def test_caught_up_is_now_at_the_end_else_the_last_fetch_if_that_end_is_reached() -> None:
    replicas = Progress(silence_ms=100)
    replicas.fetched(key(2), 5, 10, 1000)
    assert replicas.get(key(2)) is not None
    assert replicas.get(key(2)).caught_up_ms is None  # type: ignore[union-attr]
    # It has reached by now what was the end when it fetched last.
    replicas.fetched(key(2), 10, 20, 2000)
    assert replicas.get(key(2)).caught_up_ms == 1000  # type: ignore[union-attr]
    replicas.fetched(key(2), 15, 30, 3000)
    assert replicas.get(key(2)).caught_up_ms == 1000  # type: ignore[union-attr]
    replicas.fetched(key(2), 30, 30, 4000)
    assert replicas.get(key(2)).caught_up_ms == 4000  # type: ignore[union-attr]
    replicas.fetched(key(2), 30, 40, 5000)
    assert replicas.get(key(2)).caught_up_ms == 4000  # type: ignore[union-attr]


def test_a_newcomer_has_caught_up_once_it_was_at_the_end_and_was_heard_from_since() -> None:
    replicas = Progress(silence_ms=100)
    assert not replicas.has_caught_up(key(2), 0)
    replicas.fetched(key(2), 5, 10, 1000)
    assert not replicas.has_caught_up(key(2), 1000)
    replicas.fetched(key(2), 10, 10, 2000)
    replicas.fetched(key(2), 12, 15, 3000)
    assert replicas.has_caught_up(key(2), 3000 + CAUGHT_UP_EXPIRY_MS - 1)
    assert not replicas.has_caught_up(key(2), 3000 + CAUGHT_UP_EXPIRY_MS)


def test_observers_are_those_who_fetched_lately_and_are_no_voters() -> None:
    replicas = Progress(silence_ms=100)
    for node_id in (5, 2, 4):
        replicas.fetched(key(node_id), 1, 1, 1000 * node_id)
    voters = VoterSet(voters=(voter(2),))
    assert [each.key.id for each in replicas.observers(voters, 5000)] == [4, 5]
    assert [each.key.id for each in replicas.observers(voters, 4000 + OBSERVER_EXPIRY_MS)] == [5]


def test_a_stranger_does_not_speak_for_a_static_voter_that_is_alive() -> None:
    replicas = Progress(silence_ms=100)
    static = ReplicaKey(id=2)
    assert replicas.get(static) is None
    replicas.fetched(key(2), 5, 10, 1000)
    replicas.fetched(key(2, 9), 10, 10, 1050)
    assert replicas.get(static) is replicas.get(key(2))
    # One that lost its disk takes its own place once the old directory is silent.
    replicas.fetched(key(2, 9), 0, 10, 1100)
    assert replicas.get(static) is replicas.get(key(2, 9))
    replicas.fetched(key(2), 7, 10, 1120)
    assert replicas.get(static) is replicas.get(key(2, 9))


def test_invented_replicas_push_out_the_longest_silent_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "MAX_REPLICAS", 3)
    replicas = Progress(silence_ms=100)
    replicas.fetched(key(2), 1, 1, 0)
    replicas.fetched(key(2, 9), 1, 1, 10)
    replicas.fetched(key(3), 1, 1, 20)
    replicas.fetched(key(4), 1, 1, 30)
    assert replicas.get(key(2)) is None
    replicas.fetched(key(5), 1, 1, 40)
    assert replicas.get(key(2, 9)) is None
    assert replicas.get(ReplicaKey(id=2)) is None
    replicas.fetched(key(3), 1, 1, 50)
    replicas.fetched(key(6), 1, 1, 60)
    assert [each.key.id for each in replicas.observers(VoterSet(voters=()), 60)] == [3, 5, 6]
