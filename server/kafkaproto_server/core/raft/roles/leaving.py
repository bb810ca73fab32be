"""How leadership ends: what happens to the requests that wait at the leader, and which voter shall lead next.

Apache Kafka: ``KafkaRaftClient.transitionToResigned`` and ``ResignedState``.
"""

from __future__ import annotations

from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.states import Leader, Resigned
from kafkaproto_server.core.raft.roles import membership, parked_fetches
from kafkaproto_server.core.raft.roles.replication import end_offset_of_voter


def resign(core: Core, leader: Leader, now_ms: int) -> None:
    """Give leadership up, and help the most advanced voter to take over.

    Parked Fetches get their response first. Nobody but the leader can give that response, and it makes the followers
    ready to grant pre-votes. EndQuorumEpoch then says in which order they shall ask for pre-votes.
    """
    assert core.state is leader, "only a leader resigns"
    others = {voter.key.id: voter for voter in core.voters.latest.voters if voter.key.id != leader.leader_id}
    # The most advanced voter first (KIP-595): it needs the fewest records, and no other log is ahead of it.
    by_progress = sorted(
        others.values(), key=lambda voter: (-end_offset_of_voter(core, leader, voter.key), voter.key.id)
    )
    # Before the responses below: they name the leader by the state, and this node must not be named
    # any more.
    core.transition_to(
        Resigned(
            epoch=leader.epoch,
            # A whole election timeout for the successors. Only then does this node try for the next
            # epoch itself.
            election_at_ms=now_ms + core.random_election_timeout_ms(),
            unacknowledged=others,
            preferred_candidates=tuple(voter.key for voter in by_progress),
        )
    )
    leadership_lost(core, leader, now_ms)


def leadership_lost(core: Core, leader: Leader, now_ms: int) -> None:
    """Notify the node, and respond to all requests that wait at the former leader. Records that it gathered but did not
    append are dropped; none of them was acknowledged."""
    assert core.state is not leader, "the leadership is not over yet"
    core.leader_lost_ms = now_ms
    core.notify_leadership_lost(leader)
    # The change may have been appended and may still be committed. The client has to look at what
    # the next leader's log says.
    membership.leadership_lost(core, leader)
    # The followers learn from these responses that the leader resigned, and then grant pre-votes
    # (KAFKA-20895).
    parked_fetches.release_all(core, leader)
