"""What a leader remembers of its replicas."""

from __future__ import annotations

import pytest

from kafkaproto_server.base.types import ReplicaKey
from kafkaproto_server.core.raft.model import progress
from kafkaproto_server.core.raft.model.progress import MAX_OBSERVERS, Progress
from kafkaproto_server.core.raft.values.config import OBSERVER_EXPIRY_MS
from kafkaproto_server.core.raft.values.voters import VoterSet
from tests.core.raft.support.machine import directory, static_voter_set, voter

NOBODY = VoterSet(voters=())


def key(node_id: int, directory_number: int | None = None) -> ReplicaKey:
    number = node_id if directory_number is None else directory_number
    return ReplicaKey(id=node_id, directory_id=directory(number))


def test_caught_up_is_now_at_the_end_else_the_last_fetch_if_that_end_is_reached() -> None:
    replicas = Progress(silence_ms=100)
    replicas.fetched(key(2), 5, 10, NOBODY, 1000)
    assert replicas.get(key(2)) is not None
    assert replicas.get(key(2)).caught_up_ms is None  # type: ignore[union-attr]
    # It has reached by now what was the end when it fetched last.
    replicas.fetched(key(2), 10, 20, NOBODY, 2000)
    assert replicas.get(key(2)).caught_up_ms == 1000  # type: ignore[union-attr]
    replicas.fetched(key(2), 15, 30, NOBODY, 3000)
    assert replicas.get(key(2)).caught_up_ms == 1000  # type: ignore[union-attr]
    replicas.fetched(key(2), 30, 30, NOBODY, 4000)
    assert replicas.get(key(2)).caught_up_ms == 4000  # type: ignore[union-attr]
    replicas.fetched(key(2), 30, 40, NOBODY, 5000)
    assert replicas.get(key(2)).caught_up_ms == 4000  # type: ignore[union-attr]


def test_a_new_voter_has_caught_up_only_if_it_held_all_of_the_log_lately() -> None:
    replicas = Progress(silence_ms=100)
    assert not replicas.has_caught_up(key(2), 6000, 0)
    replicas.fetched(key(2), 5, 10, NOBODY, 1000)
    assert not replicas.has_caught_up(key(2), 6000, 1000)
    replicas.fetched(key(2), 10, 10, NOBODY, 2000)
    assert replicas.has_caught_up(key(2), 6000, 7999)
    assert not replicas.has_caught_up(key(2), 6000, 8000)
    # It was at the end once, and fetches, but is behind since.
    replicas.fetched(key(2), 10, 20, NOBODY, 7990)
    replicas.fetched(key(2), 12, 25, NOBODY, 7995)
    assert not replicas.has_caught_up(key(2), 6000, 8000)


def test_observers_are_those_who_fetched_lately_and_are_no_voters() -> None:
    replicas = Progress(silence_ms=100)
    for node_id in (5, 2, 4):
        replicas.fetched(key(node_id), 1, 1, NOBODY, 1000 * node_id)
    voters = VoterSet(voters=(voter(2),))
    assert [each.key.id for each in replicas.observers(voters, 5000)] == [4, 5]
    assert [each.key.id for each in replicas.observers(voters, 4000 + OBSERVER_EXPIRY_MS)] == [5]


def test_an_unknown_node_does_not_speak_for_a_static_voter_that_is_alive() -> None:
    replicas = Progress(silence_ms=100)
    static = ReplicaKey(id=2)
    assert replicas.get(static) is None
    replicas.fetched(key(2), 5, 10, NOBODY, 1000)
    replicas.fetched(key(2, 9), 10, 10, NOBODY, 1050)
    assert replicas.get(static) is replicas.get(key(2))
    # One that lost its disk takes its own place once the old directory is silent.
    replicas.fetched(key(2, 9), 0, 10, NOBODY, 1100)
    assert replicas.get(static) is replicas.get(key(2, 9))
    replicas.fetched(key(2), 7, 10, NOBODY, 1120)
    assert replicas.get(static) is replicas.get(key(2, 9))


def test_invented_replicas_push_out_the_longest_silent_observers_and_no_voter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(progress, "MAX_OBSERVERS", 3)
    voters = VoterSet(voters=(voter(1), voter(7)))
    replicas = Progress(silence_ms=100)
    replicas.fetched(key(7), 1, 1, voters, 0)
    replicas.fetched(key(2), 1, 1, voters, 0)
    replicas.fetched(key(2, 9), 1, 1, voters, 10)
    replicas.fetched(key(3), 1, 1, voters, 20)
    replicas.fetched(key(4), 1, 1, voters, 30)
    assert replicas.get(key(2)) is None
    replicas.fetched(key(5), 1, 1, voters, 40)
    assert replicas.get(key(2, 9)) is None
    assert replicas.get(ReplicaKey(id=2)) is None
    replicas.fetched(key(3), 1, 1, voters, 50)
    replicas.fetched(key(6), 1, 1, voters, 60)
    assert [each.key.id for each in replicas.observers(voters, 60)] == [3, 5, 6]
    assert replicas.get(key(7)) is not None


def test_observers_that_are_silent_for_long_are_forgotten_when_another_one_comes() -> None:
    voters = VoterSet(voters=(voter(7),))
    replicas = Progress(silence_ms=100)
    replicas.fetched(key(7), 1, 1, voters, 0)
    replicas.fetched(key(2), 1, 1, voters, 0)
    replicas.fetched(key(3), 1, 1, voters, 1)
    replicas.fetched(key(4), 1, 1, voters, OBSERVER_EXPIRY_MS)
    assert replicas.get(key(2)) is None
    assert replicas.get(key(3)) is not None
    assert replicas.get(key(7)) is not None


def test_no_number_of_invented_ids_leaves_more_than_the_bound() -> None:
    replicas = Progress(silence_ms=100)
    for node_id in range(MAX_OBSERVERS + 500):
        replicas.fetched(ReplicaKey(id=node_id, directory_id=b"%016d" % node_id), 1, 1, NOBODY, node_id)
    assert len(replicas) == MAX_OBSERVERS


def test_replicas_that_use_the_id_of_a_static_voter_are_forgotten_like_observers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(progress, "MAX_OBSERVERS", 20)
    voters = static_voter_set([(1, "one", 1), (2, "two", 2)], "CONTROLLER")
    replicas = Progress(2000)
    replicas.fetched(key(2), 5, 5, voters, 0)
    for number in range(3, 100):
        replicas.fetched(key(2), 5, 5, voters, 1)
        other = ReplicaKey(id=2, directory_id=number.to_bytes(16, "big"))
        replicas.fetched(other, 5, 5, voters, 1)
    assert len(replicas) == 20 + 1
    assert replicas.get(ReplicaKey(id=2)) is replicas.get(key(2))
