"""Majorities, checked against versions that are too dumb to be wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.core.raft.values import quorum

offsets = st.lists(st.integers(-1, 20), min_size=1, max_size=9)


@pytest.mark.parametrize(("voters", "needed"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (6, 4), (7, 4)])
def test_majority_is_more_than_half(voters: int, needed: int) -> None:
    assert quorum.majority(voters) == needed


def test_nobody_is_no_quorum() -> None:
    with pytest.raises(AssertionError, match="without voters"):
        quorum.majority(0)


@given(voters=st.lists(st.integers(0, 9), min_size=1, unique=True), granting=st.lists(st.integers(0, 9)))
def test_only_grants_of_voters_count_and_each_once(voters: list[int], granting: list[int]) -> None:
    against = [voter for voter in voters if voter not in granting]
    assert quorum.is_majority(granting, voters) == (len(voters) - len(against) > len(against))


@given(voters=st.lists(st.integers(0, 9), min_size=1, unique=True), data=st.data())
def test_two_majorities_of_one_set_share_a_voter(voters: list[int], data: st.DataObject) -> None:
    subset = st.lists(st.sampled_from(voters), unique=True)
    one, other = data.draw(subset), data.draw(subset)
    if quorum.is_majority(one, voters) and quorum.is_majority(other, voters):
        assert [voter for voter in one if voter in other]


@given(end_offsets=offsets)
def test_replicated_end_offset_is_the_largest_that_a_majority_reached(end_offsets: list[int]) -> None:
    needed = quorum.majority(len(end_offsets))
    reached = [
        candidate
        for candidate in range(-1, 21)
        if sum(end_offset >= candidate for end_offset in end_offsets) >= needed
    ]
    assert quorum.replicated_end_offset(end_offsets) == reached[-1]


@given(end_offsets=offsets, data=st.data())
def test_replicated_end_offset_never_falls_while_replicas_catch_up(
    end_offsets: list[int], data: st.DataObject
) -> None:
    later = [end_offset + data.draw(st.integers(0, 5)) for end_offset in end_offsets]
    assert quorum.replicated_end_offset(later) >= quorum.replicated_end_offset(end_offsets)
