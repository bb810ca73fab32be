"""How a node handles BeginQuorumEpoch and EndQuorumEpoch, with which a leader announces that it leads or has resigned
(KIP-595, KIP-853, KIP-996).

Anybody can send either request under any id. So both only make this node ask: it sends a Fetch to the node that is said
to lead, at the endpoint that the log has for it, or to the other voters. Mostly this loses no time, because a leader
responds with the first records of its epoch. This node believes EndQuorumEpoch only if that leader no longer responds
to a Fetch.

If a voter is elected before the log has its new address, this node finds it by
``controller.quorum.bootstrap.servers``. It does not use the endpoint in the voter's own BeginQuorumEpoch: anybody can
send that request under the voter's id.

Apache Kafka: ``KafkaRaftClient``, its handlers of BeginQuorumEpoch and EndQuorumEpoch.
"""

from __future__ import annotations

from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.states import Follower, Leader, Resigned, leader_and_epoch
from kafkaproto_server.core.raft.roles import discovery, fetching, succession, transitions, voting
from kafkaproto_server.core.raft.values import trust
from kafkaproto_server.core.raft.values.config import FETCH_MAX_WAIT_MS
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.messages import (
    BeginQuorumEpochRequest,
    EndQuorumEpochRequest,
    QuorumEpochResponse,
)
from kafkaproto_server.core.raft.values.trust import Doubt
from kafkaproto_server.core.raft.values.voters import endpoint_named, matches_key

END_GRACE_MS = 100
"""Added to the longest wait of a Fetch: a leader said to have resigned, and silent for so long, has resigned."""


def handle_begin(
    core: Core, request_id: int, request: BeginQuorumEpochRequest, listener_name: str, now_ms: int
) -> None:
    """BeginQuorumEpoch: find out whether the node that claims to lead does."""
    error = _check(core, request, now_ms)
    # Before anything changes. Kafka follows the leader first, and refuses the request then.
    if error is RaftError.NONE and voting.is_other_key(core, request.voter_id, request.voter_directory_id):
        error = RaftError.INVALID_VOTER_KEY
    if error is RaftError.NONE:
        is_later = request.epoch > core.state.epoch
        # It need not doubt its leader for a claim, but the claim may be true: a majority may have
        # elected another without this node.
        if is_later and transitions.follows_live_leader(core, now_ms):
            _ask_leader(core, request, now_ms)
        # In an epoch whose leader this node knows, the request brings no news.
        elif is_later or core.state.leader_id == NO_NODE:
            _doubt_endpoint(core, request, now_ms)
            discovery.ask_about(core, request.leader_id, now_ms)
        if is_later:
            # The error makes the sender repeat its request, until this node has asked and knows the epoch.
            error = RaftError.UNKNOWN_LEADER_EPOCH
    _answer(core, request_id, error, listener_name)


def handle_end(
    core: Core, request_id: int, request: EndQuorumEpochRequest, listener_name: str, now_ms: int
) -> None:
    """EndQuorumEpoch: prepare to succeed a leader that has resigned. If it led a later epoch, ask it for that epoch."""
    error = _check(core, request, now_ms)
    if error is RaftError.NONE and request.epoch > core.state.epoch:
        error = RaftError.UNKNOWN_LEADER_EPOCH
        if not transitions.follows_live_leader(core, now_ms):
            # It cannot be asked, because the log has no endpoint for it. The operator may know one.
            if core.voters.latest.get(request.leader_id) is None:
                core.refuse(request.leader_id, request, Doubt.UNKNOWN_NODE, now_ms)
            discovery.ask_about(core, request.leader_id, now_ms)
    elif error is RaftError.NONE and isinstance(core.state, Follower):
        # It changes when this follower doubts its leader, and nothing else. While the leader
        # answers, there is no doubt.
        _prepare_succession(core, core.state, request, now_ms)
    _answer(core, request_id, error, listener_name)


def _check(core: Core, request: BeginQuorumEpochRequest | EndQuorumEpochRequest, now_ms: int) -> RaftError:
    """The error for a claim that cannot be true: an epoch has one leader, and if that is this node, it knows."""
    state = core.state
    leader_id, epoch = request.leader_id, request.epoch
    # First, as in Kafka: this error makes a former leader learn of the later epoch.
    if epoch < state.epoch:
        return RaftError.FENCED_LEADER_EPOCH
    if leader_id < 0 or leader_id == core.config.key.id:
        return RaftError.INVALID_REQUEST
    # Kafka's node stops over a second leader of its epoch; here the sender is wrong, and nothing
    # else.
    if epoch == state.epoch and (isinstance(state, Resigned) or state.leader_id not in (NO_NODE, leader_id)):
        return RaftError.INVALID_REQUEST
    if epoch > trust.LAST_EPOCH:
        core.refuse(leader_id, request, Doubt.EPOCH_AT_THE_END, now_ms)
        return RaftError.INVALID_REQUEST
    return RaftError.NONE


def _doubt_endpoint(core: Core, request: BeginQuorumEpochRequest, now_ms: int) -> None:
    """Report a claim about a leader that the log does not name, or names with another endpoint."""
    voter = core.voters.latest.get(request.leader_id)
    if voter is None:
        core.refuse(request.leader_id, request, Doubt.UNKNOWN_NODE, now_ms)
        return
    # The endpoints of a request are compared, but never used: anybody can send it (KAFKA-16927).
    told = endpoint_named(request.leader_endpoints, core.config.listener_name)
    recorded = endpoint_named(voter.endpoints, core.config.listener_name)
    if told is not None and (recorded is None or (told.host, told.port) != (recorded.host, recorded.port)):
        core.refuse(request.leader_id, request, Doubt.OTHER_ENDPOINT, now_ms)


def _ask_leader(core: Core, request: BeginQuorumEpochRequest, now_ms: int) -> None:
    """Ask the node itself whether it leads: if this node leads, by BeginQuorumEpoch, else by a Fetch.

    This node asks only a voter that its log names, at the address that the log has. Otherwise anybody could make it ask
    any address and believe the response.
    """
    state = core.state
    if isinstance(state, Leader):
        # A leader does not fetch, so it asks by the request that it sends anyway. If the voter is
        # in that epoch, its response says so and ends this leadership.
        if request.leader_id in state.begin_at_ms:
            state.begin_at_ms[request.leader_id] = now_ms
        return
    destination = core.voter_destination(request.leader_id)
    if destination is not None and core.installing is None:
        core.ask(destination, fetching.fetch_request(core), now_ms)


def _prepare_succession(core: Core, state: Follower, request: EndQuorumEpochRequest, now_ms: int) -> None:
    """Take this node's place in the leader's list, and doubt the leader if it stays silent from now on."""
    candidates = request.preferred_candidates
    # A leader that has restarted names nobody: it does not know any more how far the voters are.
    if not candidates:
        return
    key = core.config.key
    rank = next(
        (place for place, candidate in enumerate(candidates) if matches_key(candidate, key)), len(candidates)
    )
    # Who is not in the list comes last. In KIP-595 that was an error; in Kafka such a node waits
    # longest.
    state.successor_rank = rank
    silence_ms = FETCH_MAX_WAIT_MS + END_GRACE_MS + _kafka_backoff_ms(core, rank, len(candidates))
    # Never later: else anybody could keep this follower with a leader that is gone, by repeating
    # the request.
    state.fetch_deadline_ms = min(state.fetch_deadline_ms, now_ms + silence_ms)
    # Its turn is not over yet. After a refused pre-vote, the pause that follows must not become
    # shorter.
    if state.link_is_dead and state.refused_pre_votes == 0:
        state.election_at_ms = now_ms + succession.succession_delay_ms(core, state)


def _kafka_backoff_ms(core: Core, rank: int, count: int) -> int:
    """How long a successor waits in Kafka: not at all in the first place, twice as long with each further place."""
    longest_ms = core.config.election_backoff_max_ms
    # Kafka's fetch timer is over at once then, and the node asks for pre-votes.
    if rank == 0:
        return 0
    return min(longest_ms, (longest_ms >> count - 1) << rank)


def _answer(core: Core, request_id: int, error: RaftError, listener_name: str) -> None:
    core.respond(
        request_id,
        QuorumEpochResponse(
            error=error,
            leader=leader_and_epoch(core.state),
            leader_endpoint=core.leader_endpoint(listener_name),
        ),
    )
