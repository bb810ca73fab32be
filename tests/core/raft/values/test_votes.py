"""Counting votes, against a count that walks over all answers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.core.raft.values.votes import VoteCount
from tests.core.raft.support.machine import voter

KINDS = ["grant", "reject", "miss"]


@given(
    size=st.integers(1, 7),
    responses=st.lists(st.tuples(st.integers(1, 9), st.sampled_from(KINDS)), max_size=25),
)
def test_the_first_response_of_each_voter_counts_and_of_nobody_else(
    size: int, responses: list[tuple[int, str]]
) -> None:
    votes = VoteCount(voters=tuple(voter(node_id) for node_id in range(1, size + 1)))
    first: dict[int, str] = {}
    absent: set[int] = set()
    for node_id, kind in responses:
        getattr(votes, kind)(node_id)
        if kind == "miss":
            absent.add(node_id)
        else:
            first.setdefault(node_id, kind)
    granted = [node_id for node_id in range(1, size + 1) if first.get(node_id) == "grant"]
    lost = [
        node_id
        for node_id in range(1, size + 1)
        if first.get(node_id) == "reject" or (node_id not in first and node_id in absent)
    ]
    assert list(votes.granting_ids) == granted
    assert votes.is_won == (2 * len(granted) > size)
    assert votes.is_lost == (2 * (size - len(lost)) <= size)
    assert not (votes.is_won and votes.is_lost)
    assert [each.key.id for each in votes.unrecorded()] == [
        node_id for node_id in range(1, size + 1) if node_id not in first
    ]
