"""Who is a voter, and which voter set is in force after which record."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.raft.voters import VoterHistory, VoterSet
from server.types import ReplicaKey, Voter
from tests.raft.machine import directory, voter

ONE = VoterSet(voters=(voter(1),))
THREE = VoterSet(voters=(voter(1), voter(2), voter(3)))


def key(node_id: int, directory_id: bytes | None = None) -> ReplicaKey:
    return ReplicaKey(id=node_id, directory_id=directory_id)


class TestVoterSet:
    @pytest.mark.parametrize("ids", [[2, 1], [1, 1]])
    def test_ids_have_to_ascend(self, ids: list[int]) -> None:
        with pytest.raises(AssertionError, match="do not ascend"):
            VoterSet(voters=tuple(map(voter, ids)))

    def test_get_finds_by_node_id_alone(self) -> None:
        assert THREE.get(2) == voter(2)
        assert THREE.get(4) is None

    def test_a_recorded_directory_has_to_match(self) -> None:
        assert THREE.is_voter(key(2, directory(2)))
        assert not THREE.is_voter(key(2, directory(7)))
        assert not THREE.is_voter(key(2))
        assert not THREE.is_voter(key(4, directory(4)))

    def test_an_entry_without_directory_matches_any(self) -> None:
        voters = VoterSet(voters=(Voter(key=key(1), endpoints=()),))
        assert voters.is_voter(key(1, directory(7)))
        assert voters.is_voter(key(1))

    def test_only_voter(self) -> None:
        assert ONE.is_only_voter(key(1, directory(1)))
        assert not ONE.is_only_voter(key(1, directory(2)))
        assert not THREE.is_only_voter(key(1, directory(1)))
        assert not VoterSet(voters=()).is_only_voter(key(1, directory(1)))

    def test_with_voter_replaces_the_entry_and_keeps_the_order(self) -> None:
        updated = THREE.with_voter(voter(2, port=1))
        assert updated.voters == (voter(1), voter(2, port=1), voter(3))

    def test_with_voter_adds_nobody(self) -> None:
        with pytest.raises(AssertionError, match="node 4 is not a voter"):
            THREE.with_voter(voter(4))


class TestVoterHistory:
    def test_nothing_recorded_leaves_static_voters_and_version_0(self) -> None:
        assert VoterHistory(THREE).latest == THREE
        assert VoterHistory(None).latest == VoterSet(voters=())
        assert VoterHistory(THREE).latest_offset is None
        assert VoterHistory(THREE).kraft_version == 0

    def test_what_is_recorded_takes_the_place_of_static_voters(self) -> None:
        history = VoterHistory(THREE)
        history.add_kraft_version(-1, 1)
        history.add_voters(-1, ONE)
        assert (history.latest, history.latest_offset, history.kraft_version) == (ONE, -1, 1)

    def test_truncation_brings_back_what_was_in_force_before(self) -> None:
        history = VoterHistory(None)
        history.add_voters(-1, ONE)
        history.add_kraft_version(4, 1)
        history.add_voters(5, THREE)
        history.truncate_to(6)
        assert (history.latest, history.latest_offset, history.kraft_version) == (THREE, 5, 1)
        history.truncate_to(5)
        assert (history.latest, history.latest_offset, history.kraft_version) == (ONE, -1, 1)
        history.truncate_to(0)
        assert (history.latest, history.latest_offset, history.kraft_version) == (ONE, -1, 0)

    def test_offsets_ascend_and_the_version_never_falls(self) -> None:
        history = VoterHistory(None)
        history.add_voters(5, ONE)
        history.add_kraft_version(5, 1)
        with pytest.raises(AssertionError, match="voter set at offset 5 follows one at 5"):
            history.add_voters(5, THREE)
        with pytest.raises(AssertionError, match=r"kraft.version at offset 5 follows one at 5"):
            history.add_kraft_version(5, 1)
        with pytest.raises(AssertionError, match=r"kraft.version 0 follows 1"):
            history.add_kraft_version(6, 0)

    @given(
        offsets=st.lists(st.integers(-1, 30), unique=True, max_size=8).map(sorted),
        ends=st.lists(st.integers(0, 31), max_size=4),
    )
    def test_history_equals_a_replay_of_what_truncation_left(
        self, offsets: list[int], ends: list[int]
    ) -> None:
        history, replayed = VoterHistory(None), VoterHistory(None)
        for offset in offsets:
            history.add_voters(offset, VoterSet(voters=(voter(offset + 1),)))
        for end in ends:
            history.truncate_to(end)
        for offset in offsets:
            if all(offset < end for end in ends):
                replayed.add_voters(offset, VoterSet(voters=(voter(offset + 1),)))
        assert (history.latest, history.latest_offset) == (replayed.latest, replayed.latest_offset)
