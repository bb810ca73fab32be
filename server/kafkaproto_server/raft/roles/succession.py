"""How followers take turns after a leader was lost, so that they do not split the votes."""

from __future__ import annotations

from kafkaproto_server.raft.model.core import Core
from kafkaproto_server.raft.model.states import Follower

SUCCESSION_START_MS = 5
"""Before the first pre-vote after a leader was lost: time for the others to notice it too."""

SUCCESSION_STEP_MS = 30
"""Between two followers' pre-votes: time for the first to be elected, two synced writes and two round trips."""

SUCCESSION_JITTER_MS = 10
"""A little chance, should two ever count their ranks differently."""

SUCCESSOR_RETRY_MS = 10
"""Before a refused pre-vote is repeated for the first time; it doubles from there."""


def succession_delay_ms(core: Core, follower: Follower) -> int:
    """How long to wait with a pre-vote against a leader that is gone.

    The leader's named successor does not wait at all. All others let those go first who rank before them, by the
    leader's list or, without one, by node id.
    """
    rank = follower.successor_rank
    if rank is None:
        others = [voter_id for voter_id in core.voters.latest.ids if voter_id != follower.leader_id]
        rank = sum(voter_id < core.config.key.id for voter_id in others)
    if follower.refused_pre_votes > 0:
        longest_ms = SUCCESSOR_RETRY_MS << min(follower.refused_pre_votes - 1, 16)
        retry_ms = min(longest_ms + rank * SUCCESSION_STEP_MS, core.config.election_timeout_ms)
        return retry_ms + core.rng.below(SUCCESSION_JITTER_MS)
    if follower.successor_rank == 0:
        return 0
    return SUCCESSION_START_MS + rank * SUCCESSION_STEP_MS + core.rng.below(SUCCESSION_JITTER_MS)
