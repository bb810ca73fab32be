"""Who is a voter, and which voter set is in force after which record."""

from __future__ import annotations

from itertools import combinations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.base.types import Endpoint, ReplicaKey, Voter
from kafkaproto_server.core.raft.values.voters import VoterHistory, VoterSet, describes_same, endpoint_named


def directory(node_id: int) -> bytes:
    return bytes([node_id]) * 16


def voter(node_id: int, port: int = 9093) -> Voter:
    """A voter with two listeners and the directory id that goes with its node id."""
    return Voter(
        key=ReplicaKey(id=node_id, directory_id=directory(node_id)),
        endpoints=(
            Endpoint(name="CONTROLLER", host=f"host{node_id}", port=port),
            Endpoint(name="SECOND", host=f"host{node_id}", port=port + 1),
        ),
    )


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

    def test_a_new_voter_gets_its_place_by_id(self) -> None:
        assert THREE.with_added(voter(4)).ids == (1, 2, 3, 4)
        assert THREE.with_added(voter(0)).ids == (0, 1, 2, 3)

    def test_nobody_is_added_twice_whatever_the_directory(self) -> None:
        again = Voter(key=key(2, directory(9)), endpoints=())
        with pytest.raises(AssertionError, match="node 2 is a voter already"):
            THREE.with_added(again)

    def test_without_takes_out_exactly_that_replica(self) -> None:
        assert THREE.without(key(2, directory(2))).voters == (voter(1), voter(3))
        with pytest.raises(AssertionError, match="node 2 with that directory is not a voter"):
            THREE.without(key(2, directory(9)))

    def test_endpoint_is_that_of_the_voter_and_the_listener(self) -> None:
        assert THREE.endpoint(2, "SECOND") == Endpoint(name="SECOND", host="host2", port=9094)
        assert THREE.endpoint(2, "OTHER") is None
        assert THREE.endpoint(4, "CONTROLLER") is None

    def test_sets_overlap_if_at_most_one_voter_came_or_went(self) -> None:
        two = THREE.without(key(3, directory(3)))
        assert THREE.overlaps(THREE)
        assert THREE.overlaps(THREE.with_added(voter(4)))
        assert THREE.overlaps(two)
        assert not THREE.overlaps(two.with_added(voter(4)))
        assert not THREE.overlaps(THREE.with_added(voter(4)).with_added(voter(5)))
        assert not THREE.overlaps(ONE)

    def test_another_directory_is_another_voter_but_a_first_one_is_not(self) -> None:
        static = VoterSet(voters=tuple(Voter(key=key(node_id), endpoints=()) for node_id in (1, 2, 3)))
        assert static.overlaps(THREE)
        assert THREE.overlaps(static)
        moved = THREE.with_voter(Voter(key=key(2, directory(9)), endpoints=()))
        assert not THREE.overlaps(moved)

    @given(
        old=st.sets(st.integers(0, 5), min_size=1, max_size=5),
        new=st.sets(st.integers(0, 5), min_size=1, max_size=5),
    )
    def test_sets_that_overlap_have_no_two_majorities_apart(self, old: set[int], new: set[int]) -> None:
        old_set, new_set = (VoterSet(voters=tuple(map(voter, sorted(ids)))) for ids in (old, new))
        if old_set.overlaps(new_set):
            for one in combinations(sorted(old), len(old) // 2 + 1):
                for other in combinations(sorted(new), len(new) // 2 + 1):
                    assert {*one} & {*other}


class TestEntries:
    def test_endpoint_named_is_the_one_of_that_listener(self) -> None:
        assert endpoint_named(voter(2).endpoints, "CONTROLLER") == Endpoint(
            name="CONTROLLER", host="host2", port=9093
        )
        assert endpoint_named((), "CONTROLLER") is None

    def test_entries_say_the_same_in_whatever_order_their_endpoints_are(self) -> None:
        turned = msgspec.structs.replace(voter(2), endpoints=voter(2).endpoints[::-1])
        assert describes_same(voter(2), turned)

    @pytest.mark.parametrize(
        "changed",
        [
            voter(2, port=1),
            msgspec.structs.replace(voter(2), endpoints=voter(2).endpoints[:1]),
            msgspec.structs.replace(voter(2), min_kraft_version=1),
            msgspec.structs.replace(voter(2), max_kraft_version=0),
        ],
    )
    def test_entries_differ_by_address_listeners_and_versions(self, changed: Voter) -> None:
        assert not describes_same(voter(2), changed)


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

    def test_offsets_ascend(self) -> None:
        history = VoterHistory(None)
        history.add_voters(5, ONE)
        history.add_kraft_version(5, 1)
        with pytest.raises(AssertionError, match="voter set at offset 5 follows one at 5"):
            history.add_voters(5, THREE)
        with pytest.raises(AssertionError, match=r"kraft.version at offset 5 follows one at 5"):
            history.add_kraft_version(5, 1)

    def test_a_version_that_falls_is_the_leaders_business(self) -> None:
        history = VoterHistory(None)
        history.add_kraft_version(5, 1)
        history.add_kraft_version(6, 0)
        assert history.kraft_version == 0

    def test_what_was_in_force_before_an_offset_can_be_looked_up(self) -> None:
        history = VoterHistory(THREE)
        history.add_kraft_version(4, 1)
        history.add_voters(5, ONE)
        history.add_voters(9, THREE)
        assert [history.voters_at(end) for end in (0, 5, 6, 9, 10, 99)] == [
            None,
            None,
            ONE,
            ONE,
            THREE,
            THREE,
        ]
        assert [history.kraft_version_at(end) for end in (0, 4, 5, 99)] == [0, 0, 1, 1]

    def test_reset_forgets_what_was_recorded_and_keeps_the_static_voters(self) -> None:
        history = VoterHistory(THREE)
        history.add_kraft_version(4, 1)
        history.add_voters(5, ONE)
        history.reset()
        assert (history.latest, history.latest_offset, history.kraft_version) == (THREE, None, 0)
        # A snapshot may end before what was forgotten.
        history.add_voters(2, ONE)
        assert history.latest_offset == 2

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
