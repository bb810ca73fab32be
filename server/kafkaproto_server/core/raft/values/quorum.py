"""Majority arithmetic. It knows nothing of states, epochs or messages.

Apache Kafka: ``LeaderState`` and ``EpochElection``, where each counts for itself.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence


def majority(voter_count: int) -> int:
    """How many of ``voter_count`` voters are a majority."""
    assert voter_count > 0, "a quorum without voters decides nothing"
    # More than half, so that two majorities always have a voter in common. Half of an even number
    # would not do.
    return voter_count // 2 + 1


def is_majority(granting_ids: Collection[int], voter_ids: Sequence[int]) -> bool:
    """Whether the voters among ``granting_ids`` are a majority; grants of other nodes do not count."""
    # Counted over the voters, not over the grants: anybody may be among those.
    return sum(voter_id in granting_ids for voter_id in voter_ids) >= majority(len(voter_ids))


def replicated_end_offset(end_offsets: Sequence[int]) -> int:
    """The largest offset such that a majority of voters hold everything below it.

    ``end_offsets`` has one entry per voter, -1 for a voter that was not heard from. The result is -1 if no majority
    was heard from.
    """
    # In descending order, the voters up to this place are a majority, and each of them holds at
    # least as much as the last of them.
    return sorted(end_offsets, reverse=True)[majority(len(end_offsets)) - 1]
