"""How a node learns of leaders and epochs, and becomes Unattached or Follower because of it.

What it learns comes from a peer and may be nonsense: a leader of a past epoch, a second leader of a known epoch, or
this node itself although it does not lead. Such news is ignored.

Apache Kafka: ``KafkaRaftClient.maybeTransition`` and ``QuorumState``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from kafkaproto_server.base.types import NO_NODE, Endpoint, LeaderAndEpoch, ReplicaKey
from kafkaproto_server.core.raft.model.core import Core, destination_of
from kafkaproto_server.core.raft.model.requests import RequestLane
from kafkaproto_server.core.raft.model.states import (
    Candidate,
    Follower,
    Leader,
    Prospective,
    Resigned,
    Unattached,
    voted_key,
)
from kafkaproto_server.core.raft.roles import leaving
from kafkaproto_server.core.raft.values import trust
from kafkaproto_server.core.raft.values.voters import endpoint_named


def learn(core: Core, leader: LeaderAndEpoch, endpoints: Sequence[Endpoint | None], now_ms: int) -> None:
    """Note a leader and epoch that a peer named in a response, and some of the leader's endpoints.

    No single response moves this node by more than ``trust.FARTHEST_STEP`` epochs; it asks again from there.
    """
    state = core.state
    # Epochs never go back. A response may be late, or of a node that has not heard yet.
    if leader.epoch < state.epoch:
        return
    if leader.epoch - state.epoch > trust.FARTHEST_STEP:
        # Without the leader that was named: it leads another epoch. From here the node asks again,
        # and the next response takes it further.
        become_unattached(core, state.epoch + trust.FARTHEST_STEP, now_ms)
        return
    # Any negative number means that no leader is known; on the wire it is -1.
    leader_id = leader.leader_id if leader.leader_id >= 0 else NO_NODE
    if leader_id == core.config.key.id:
        # This node does not lead the epoch, or it would know. At most it led it before it resigned.
        leader_id = NO_NODE
    if leader.epoch > state.epoch:
        known = _leader_endpoints(core, leader_id, endpoints)
        # A leader at no usable address cannot be followed. Its name is kept, so that this node
        # votes for nobody else.
        if known:
            become_follower(core, leader_id, leader.epoch, known, now_ms)
        else:
            become_unattached(core, leader.epoch, now_ms, leader_id=leader_id)
    # An epoch has one leader. Kafka stops over a second one; here whoever named it is wrong.
    elif leader_id != NO_NODE and state.leader_id in (NO_NODE, leader_id):
        _learn_leader_of_own_epoch(core, leader_id, endpoints, now_ms)


def become_unattached(
    core: Core,
    epoch: int,
    now_ms: int,
    *,
    leader_id: int = NO_NODE,
    vote: ReplicaKey | None = None,
    election_at_ms: int | None = None,
) -> None:
    """Follow nobody in this epoch. The rest of the election timeout is kept, unless a time is given."""
    old = core.state
    _note_undoubted_leader(core, now_ms)
    if election_at_ms is None:
        election_at_ms = _election_time(core, now_ms)
    core.transition_to(
        Unattached(epoch=epoch, leader_id=leader_id, voted_key=vote, election_at_ms=election_at_ms)
    )
    # Before anything can be sent from the new state: what is queued from here on waits for this
    # write (`outbox`).
    core.write_election_state()
    # Somebody may know a leader by now: ask at once, and not with the pauses of before.
    core.discovery_at_ms = now_ms
    core.fruitless_discoveries = 0
    # After the transition: the responses to what waited name the leader that is known now.
    if isinstance(old, Leader):
        leaving.leadership_lost(core, old, now_ms)


def become_follower(
    core: Core, leader_id: int, epoch: int, endpoints: tuple[Endpoint, ...], now_ms: int
) -> None:
    """Follow a leader; a vote given in this epoch is kept."""
    assert leader_id >= 0, f"leader {leader_id} would be followed"
    assert leader_id != core.config.key.id, f"node {leader_id} would follow itself"
    old = core.state
    _note_undoubted_leader(core, now_ms)
    if isinstance(old, Prospective | Candidate):
        core.counters.note_election_latency(now_ms - old.began_ms)
    core.transition_to(
        Follower(
            epoch=epoch,
            leader_id=leader_id,
            leader_endpoints=endpoints,
            # It still binds this node: after a restart it could otherwise vote again in the same
            # epoch (Kafka since 4.0).
            voted_key=voted_key(old) if epoch == old.epoch else None,
            fetch_deadline_ms=now_ms + core.config.fetch_timeout_ms,
        )
    )
    core.write_election_state()
    # There is a leader: the next election has nothing to do with those that were lost before it.
    core.failed_elections = 0
    core.fruitless_discoveries = 0
    endpoint = endpoint_named(endpoints, core.config.listener_name)
    assert endpoint is not None, f"leader {leader_id} would be followed at no address"
    # It may have refused because it did not lead yet. As a leader it is worth a request at once.
    core.requests.end_rest(destination_of(leader_id, endpoint), RequestLane.FETCH)
    if isinstance(old, Leader):
        leaving.leadership_lost(core, old, now_ms)


def _note_undoubted_leader(core: Core, now_ms: int) -> None:
    """Note that this node had a leader until now, even one that it never heard from, unless it doubted that leader."""
    if isinstance(core.state, Follower) and not core.state.link_is_dead:
        core.leader_lost_ms = now_ms


def follows_live_leader(core: Core, now_ms: int) -> bool:
    """Whether this node leads, or hears from its leader: then no request moves it to a later epoch.

    A candidate that is elected has a majority without this node, which learns of the new leader by asking.
    """
    state = core.state
    if isinstance(state, Follower):
        # A leader that was only heard of may be gone. To refuse others for its sake could leave
        # nobody to elect.
        return state.has_fetched and not state.link_is_dead and now_ms < state.fetch_deadline_ms
    return isinstance(state, Leader)


def _learn_leader_of_own_epoch(
    core: Core, leader_id: int, endpoints: Sequence[Endpoint | None], now_ms: int
) -> None:
    state = core.state
    match state:
        case Follower():
            told = _told_endpoints(core, endpoints)
            # Any node may have named these endpoints. Those at which the leader responds are right.
            if told and not follows_live_leader(core, now_ms):
                # The same follower of the same leader: its vote, its deadline and what it has
                # fetched stay. In Kafka this was a transition of its own, which stopped the node
                # (KAFKA-16927).
                state.leader_endpoints = told
        case Prospective() if state.follower is not None:
            """It doubts this leader. Only votes, or the leader's own response, can settle that."""
        case Unattached() | Prospective() | Candidate():
            known = _leader_endpoints(core, leader_id, endpoints)
            if known:
                become_follower(core, leader_id, state.epoch, known, now_ms)
        case Leader() | Resigned():
            """Nobody else led or leads this epoch."""
        case _:
            assert_never(state)


def _leader_endpoints(
    core: Core, leader_id: int, endpoints: Sequence[Endpoint | None]
) -> tuple[Endpoint, ...]:
    """The leader's endpoints as the response names them, else as the voter set has them. Empty if this node cannot use
    any of them."""
    if leader_id == NO_NODE:
        return ()
    told = _told_endpoints(core, endpoints)
    if told:
        return told
    voter = core.voters.latest.get(leader_id)
    # The log may be older than the leader's move, but it is the next best.
    recorded = () if voter is None else voter.endpoints
    return recorded if endpoint_named(recorded, core.config.listener_name) is not None else ()


def _told_endpoints(core: Core, endpoints: Sequence[Endpoint | None]) -> tuple[Endpoint, ...]:
    """The usable endpoints; none if the listener that this node needs is not among them."""
    told = tuple(endpoint for endpoint in endpoints if endpoint is not None and is_usable(endpoint))
    # This node can use only the address of its own listener; those of others may be in networks it
    # cannot reach.
    return told if endpoint_named(told, core.config.listener_name) is not None else ()


def is_usable(endpoint: Endpoint) -> bool:
    """Whether an endpoint that a peer named can be connected to."""
    # A peer can put any numbers there, and a connection to port 0 fails in ways that differ by
    # system.
    return bool(endpoint.host) and 0 < endpoint.port < 65536


def _election_time(core: Core, now_ms: int) -> int:
    """When an Unattached that comes from the present state seeks an election. A new epoch makes that no sooner, and no
    later: otherwise a stream of candidates that cannot win would keep all other voters from trying."""
    state = core.state
    match state:
        case Unattached() | Resigned():
            return state.election_at_ms
        case Prospective() | Candidate():
            return state.deadline_ms
        case Follower():
            return state.fetch_deadline_ms if state.election_at_ms is None else state.election_at_ms
        case Leader():
            # A leader has no such time. It begins to wait like a node that has just lost its
            # leader.
            return now_ms + core.random_election_timeout_ms()
        case _:
            assert_never(state)
