"""How followers take turns after they lost their leader, so that they do not split the votes.

Apache Kafka: ``FollowerState``, whose fetch timer EndQuorumEpoch shortens by the place in the list. Turns without such
a list, by node id, are ours alone.
"""

from __future__ import annotations

from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.states import Follower

SUCCESSION_START_MS = 5
"""Wait before the first pre-vote after a leader was lost: time for the others to notice the loss, too."""

SUCCESSION_STEP_MS = 30
"""Time between two followers' pre-votes. The first can be elected in it: two synced writes and two round trips."""

SUCCESSION_JITTER_MS = 10
"""A small random addition, in case two followers ever count their ranks differently."""

SUCCESSOR_RETRY_MS = 10
"""Wait before the first repetition of a lost pre-vote; it doubles with each further one."""


def succession_delay_ms(core: Core, follower: Follower) -> int:
    """How long to wait before asking for pre-votes, once the leader is gone.

    The first successor that the leader named does not wait at all. Each other follower lets those go first that rank
    before it: by the leader's list or, without one, by node id.
    """
    rank = follower.successor_rank
    if rank is None:
        # Followers that know the same voter set compute the same order, without a message.
        others = [voter_id for voter_id in core.voters.latest.ids if voter_id != follower.leader_id]
        rank = sum(voter_id < core.config.key.id for voter_id in others)
    if follower.refused_pre_votes > 0:
        # The shift is bounded, because the number of refusals is not.
        longest_ms = SUCCESSOR_RETRY_MS << min(follower.refused_pre_votes - 1, 16)
        # Turns are kept at each retry: followers that were refused at the same time would meet
        # again.
        retry_ms = min(longest_ms + rank * SUCCESSION_STEP_MS, core.config.election_timeout_ms)
        return retry_ms + core.rng.below(SUCCESSION_JITTER_MS)
    # Nobody goes before it, and that its leader is gone it knows from the leader.
    if follower.successor_rank == 0:
        return 0
    # Far below an election timeout: a lost leader is known by its connection, and the turns see to
    # it that nobody collides.
    return SUCCESSION_START_MS + rank * SUCCESSION_STEP_MS + core.rng.below(SUCCESSION_JITTER_MS)
