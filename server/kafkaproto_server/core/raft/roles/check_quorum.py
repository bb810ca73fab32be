"""Check quorum: how a leader notices that no majority follows it any more, and how it announces itself to voters.

A leader that hears from no majority of the voters for one and a half fetch timeouts resigns (the zombie leader of
KIP-595); otherwise it would keep accepting records that can never be committed. Each voter that has not fetched for
half a fetch timeout gets a BeginQuorumEpoch; its response may name another leader.

Apache Kafka: ``LeaderState``, its check-quorum timer and its timer of BeginQuorumEpoch.
"""

from __future__ import annotations

from kafkaproto_server.base.types import NO_NODE, ReplicaKey
from kafkaproto_server.core.raft.model.core import Core, destination_of
from kafkaproto_server.core.raft.model.requests import RequestLane
from kafkaproto_server.core.raft.model.states import Leader
from kafkaproto_server.core.raft.roles import discovery
from kafkaproto_server.core.raft.values import quorum
from kafkaproto_server.core.raft.values.config import NEVER
from kafkaproto_server.core.raft.values.messages import BeginQuorumEpochRequest, Destination
from kafkaproto_server.core.raft.values.voters import VoterSet, endpoint_named


def timeout_ms(core: Core) -> int:
    """How long a leader leads without hearing from a majority."""
    # As in Kafka. Longer than the fetch timeout: the followers elect another leader before this one gives up.
    return core.config.fetch_timeout_ms * 3 // 2


def begin_period_ms(core: Core) -> int:
    """How long a voter may be silent before the leader sends it a BeginQuorumEpoch."""
    # As in Kafka. A voter that missed one still hears of the leader within its fetch timeout. A
    # period of 0 would send without end.
    return max(1, core.config.fetch_timeout_ms // 2)


def heard_from(core: Core, leader: Leader, key: ReplicaKey, now_ms: int) -> None:
    """Count a sign of life. If it is a voter's, it postpones the BeginQuorumEpoch to that voter and, with a majority,
    the leader's resignation."""
    voters = core.voters.latest
    # Observers do not count: a majority of the voters decides whether anything can be committed.
    if not voters.is_voter(key) or _is_impostor(leader, voters, key):
        return
    # Who fetches knows this leader. Kafka spares such voters the request since 4.2, too.
    leader.begin_at_ms[key.id] = now_ms + begin_period_ms(core)
    leader.unreached.discard(key.id)
    # A dict keeps the order in which they came: a run that is repeated has to be the same.
    leader.heard_from[key.id] = None
    if _has_majority(core, leader):
        # Each period needs a new majority; who was heard from before says nothing about now.
        leader.heard_from = {}
        leader.check_quorum_at_ms = now_ms + timeout_ms(core)


def _is_impostor(leader: Leader, voters: VoterSet, key: ReplicaKey) -> bool:
    """Whether the node id is a static voter's, and another replica stands for that voter (see `Progress`)."""
    voter = voters.get(key.id)
    assert voter is not None, f"node {key.id} is no voter"
    if voter.key.directory_id is not None:
        return False
    # Without this, a node with a voter's id and no log of it would keep a leader in office that has
    # lost its majority.
    standing = leader.progress.get(voter.key)
    return standing is not None and standing.key != key


def voters_changed(core: Core, leader: Leader, now_ms: int) -> None:
    """Adapt to the voter set in force: new voters get a BeginQuorumEpoch at once, removed voters get no more."""
    leader.begin_at_ms = {
        voter.key.id: leader.begin_at_ms.get(voter.key.id, now_ms)
        for voter in core.voters.latest.voters
        if voter.key.id != leader.leader_id
    }
    # While a leader is the only voter, nothing renews this time; and a new voter cannot have been heard from yet.
    leader.check_quorum_at_ms = now_ms + timeout_ms(core)


def is_lost(core: Core, leader: Leader, now_ms: int) -> bool:
    """Whether the leader has to resign, because it has not heard from a majority for too long. A sole voter never has
    to."""
    return now_ms >= leader.check_quorum_at_ms and not _is_alone(core, leader)


def tick(core: Core, leader: Leader, now_ms: int) -> None:
    """Send BeginQuorumEpoch to the voters that are due for one."""
    # In the order of their ids, so that a run that is repeated sends the same.
    for voter in core.voters.latest.voters:
        begin_at_ms = leader.begin_at_ms.get(voter.key.id)
        if begin_at_ms is None or begin_at_ms > now_ms:
            continue
        destination = core.voter_destination(voter.key.id)
        # Its entry has no address for this listener. It finds the leader by asking others itself.
        if destination is None:
            continue
        request = _begin_quorum_epoch(core, leader, voter.key)
        # While the lane is busy the time stays due: the next attempt is made once the lane is free.
        if core.ask(destination, request, now_ms) is not None:
            leader.begin_at_ms[voter.key.id] = now_ms + begin_period_ms(core)
            # Not at the first attempt: what the log says is mostly right, and a bootstrap server
            # may be anybody in turn.
            if voter.key.id in leader.unreached:
                _send_elsewhere(core, request, now_ms)


def _begin_quorum_epoch(core: Core, leader: Leader, key: ReplicaKey) -> BeginQuorumEpochRequest:
    return BeginQuorumEpochRequest(
        leader_id=leader.leader_id,
        epoch=leader.epoch,
        voter_id=key.id,
        voter_directory_id=key.directory_id,
        leader_endpoints=core.config.endpoints,
    )


def _send_elsewhere(core: Core, request: BeginQuorumEpochRequest, now_ms: int) -> None:
    """A voter cannot be reached at the log's endpoint: send its request also to a bootstrap server that the log does
    not name.

    That may be the voter at its new address. If it follows this leader, its endpoint is updated soon. If it is in a
    later epoch, this leader refuses its requests, and learns of that epoch only from the response to this request.
    """
    server = _server_beside_the_log(core)
    if server is not None:
        core.ask(server, request, now_ms)


def _server_beside_the_log(core: Core) -> Destination | None:
    servers = discovery.servers_beside_the_log(core)
    return servers[core.rng.below(len(servers))] if servers else None


def ask_who_is_ahead(core: Core, leader: Leader, key: ReplicaKey, now_ms: int) -> None:
    """A replica fetches in a later epoch: ask it whether it is in one. If so, its response ends this leadership.

    ``tick`` asks the voters in any case. But a removed voter may have stood for election before it learned of its
    removal, and a node never goes back to an earlier epoch: without this question it would follow nobody until the next
    election. The leader asks it at the endpoint that the log had for it, and at a bootstrap server: it may have moved,
    or be a voter whose addition was undone.

    Anybody can send such a Fetch, so the leader asks no destination more often than it asks a silent voter.
    """
    # A request in the name of a voter is answered by asking the voter, in `tick`.
    if key.id == core.config.key.id or core.voters.latest.is_voter(key):
        return
    # By the whole key: a node with another disk is not the voter that was removed.
    former = core.voters.former_voter(key)
    endpoint = None if former is None else endpoint_named(former.endpoints, core.config.listener_name)
    known = None if endpoint is None else destination_of(key.id, endpoint)
    # Without a voter key the request fits whatever node listens there.
    request = _begin_quorum_epoch(core, leader, ReplicaKey(id=NO_NODE, directory_id=None))
    for destination in (known, _server_beside_the_log(core)):
        if destination is not None and core.ask(destination, request, now_ms) is not None:
            core.requests.rest(destination, RequestLane.OTHER, now_ms, begin_period_ms(core))


def missed(core: Core, voter_id: int) -> None:
    """Note that a voter did not respond to BeginQuorumEpoch."""
    if isinstance(core.state, Leader):
        # Also if the request was of an earlier leadership: it says as much about the address.
        core.state.unreached.add(voter_id)


def deadline_ms(core: Core, leader: Leader) -> float:
    """When ``tick`` or ``is_lost`` is due."""
    deadline = NEVER if _is_alone(core, leader) else leader.check_quorum_at_ms
    for voter_id, begin_at_ms in leader.begin_at_ms.items():
        # It would not be the next to come, and so its address need not be looked up.
        if begin_at_ms >= deadline:
            continue
        destination = core.voter_destination(voter_id)
        if destination is not None:
            ready_at_ms = core.requests.ready_at_ms(destination, RequestLane.OTHER)
            # Not before the lane is free. A deadline at which nothing can be done would come again
            # and again, at full CPU (KAFKA-19605).
            deadline = min(deadline, max(begin_at_ms, ready_at_ms))
    return deadline


def _has_majority(core: Core, leader: Leader) -> bool:
    """Whether the leader has heard from a majority of the voters; it counts itself if it is a voter."""
    # A leader that removed itself counts itself here, but `is_majority` counts only voters.
    heard_from = {**leader.heard_from, leader.leader_id: None}
    return quorum.is_majority(heard_from, core.voters.latest.ids)


def _is_alone(core: Core, leader: Leader) -> bool:
    return core.voters.latest.is_only_voter(core.config.key)
