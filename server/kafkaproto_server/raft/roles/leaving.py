"""How leadership ends: what a leader leaves behind, and who is to come after it."""

from __future__ import annotations

from kafkaproto_server.raft.model.core import Core
from kafkaproto_server.raft.model.states import Leader, Resigned
from kafkaproto_server.raft.roles import membership, parked_fetches
from kafkaproto_server.raft.roles.replication import end_offset_of_voter


def resign(core: Core, leader: Leader, now_ms: int) -> None:
    """Give leadership up, and see to it that the best of the others takes over.

    Who waits for a Fetch learns it first: that answer, which nobody else can give, is what makes the others ready to
    grant pre-votes. EndQuorumEpoch then says who is to ask for them.
    """
    others = {voter.key.id: voter for voter in core.voters.latest.voters if voter.key.id != leader.leader_id}
    by_progress = sorted(
        others.values(), key=lambda voter: (-end_offset_of_voter(core, leader, voter.key), voter.key.id)
    )
    core.transition_to(
        Resigned(
            epoch=leader.epoch,
            election_at_ms=now_ms + core.random_election_timeout_ms(),
            unacknowledged=others,
            preferred_candidates=tuple(voter.key for voter in by_progress),
        )
    )
    leadership_lost(core, leader, now_ms)


def leadership_lost(core: Core, leader: Leader, now_ms: int) -> None:
    """Tell everybody who waits at a former leader. Records that it gathered and did not append are dropped, none of
    them acknowledged."""
    core.leader_lost_ms = now_ms
    core.tell_leadership_lost(leader)
    membership.leadership_lost(core, leader)
    parked_fetches.release_all(core, leader)
