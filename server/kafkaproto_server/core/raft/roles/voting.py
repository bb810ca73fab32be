"""How a node responds to Vote, standard and pre-vote (KIP-595, KIP-996): the checks in Kafka's order, then the vote.

Apache Kafka moves a node to a later epoch at anybody's request. Here a leader, and a node that follows a live leader,
stay in their epoch: a candidate that is elected has a majority without them. A node without a leader first asks the
candidate for its epoch, at the endpoint that the log has for it, and responds once it knows the epoch. A candidate that
the log does not name gets UNKNOWN_LEADER_EPOCH. It repeats its request, and by then this node may know the epoch.

Apache Kafka: ``KafkaRaftClient.handleVoteRequest`` and ``EpochState.canGrantVote``.
"""

from __future__ import annotations

from typing import assert_never

from kafkaproto_server.base.types import NO_NODE, OffsetAndEpoch, ReplicaKey
from kafkaproto_server.core.raft.model.core import Core, WaitingVote
from kafkaproto_server.core.raft.model.requests import RequestLane
from kafkaproto_server.core.raft.model.states import (
    Candidate,
    Follower,
    Leader,
    Prospective,
    Resigned,
    Unattached,
    leader_and_epoch,
)
from kafkaproto_server.core.raft.roles import discovery, election, transitions
from kafkaproto_server.core.raft.values import trust
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.messages import Destination, VoteRequest, VoteResponse
from kafkaproto_server.core.raft.values.trust import Doubt
from kafkaproto_server.core.raft.values.voters import matches_key

MAX_WAITING = 100
"""More vote requests than candidates have under way. Further ones get UNKNOWN_LEADER_EPOCH, and are repeated."""


def handle_vote(core: Core, request_id: int, request: VoteRequest, listener_name: str, now_ms: int) -> None:
    """Respond to a vote request, now or later. A vote that this node gives is durable before the response leaves."""
    # Kafka (KafkaRaftClient) moves to a later epoch here, whoever asks for the vote.
    error = _check(core, request, now_ms)
    is_later = request.epoch > core.state.epoch
    if error is RaftError.NONE and is_later and not transitions.follows_live_leader(core, now_ms):
        # Also if the candidate is no voter here: the quorum may know it, and then other nodes or
        # servers know its epoch.
        discovery.ask_about(core, request.replica.id, now_ms)
        candidate = core.voter_destination(request.replica.id)
        is_voter = core.may_be_voter(request.replica)
        # Not only by the question of just now: a Fetch to it may be under way, which `reconsider`
        # waits for.
        is_asked = candidate is not None and core.requests.is_busy(candidate, RequestLane.FETCH)
        if candidate is not None and is_asked and is_voter and len(core.waiting_votes) < MAX_WAITING:
            waiting = WaitingVote(
                request_id=request_id, request=request, listener_name=listener_name, candidate=candidate
            )
            core.waiting_votes.append(waiting)
            return
        # It is told to the operator, whose quorum may have nobody else to elect.
        if not is_voter:
            core.refuse(request.replica.id, request, Doubt.UNKNOWN_NODE, now_ms)
        error = RaftError.UNKNOWN_LEADER_EPOCH
    _answer(core, request_id, request, listener_name, error, now_ms)


def reconsider(core: Core, now_ms: int, *, asked: Destination | None = None) -> None:
    """Respond to the vote requests whose candidates were asked; refuse those whose epoch is still unknown.

    To be called after every response and failure, because this node may learn the epoch in other ways, too. ``asked``
    is the destination of a Fetch that has just ended.
    """
    # Taken out first: what is decided here may move this node to a later epoch, by which the rest
    # is judged.
    waiting, core.waiting_votes = core.waiting_votes, []
    for vote in waiting:
        request = vote.request
        vote.fetches += vote.candidate == asked
        is_later = request.epoch > core.state.epoch
        # The response to a Fetch that was under way when the request came may be older than the candidate's epoch.
        # The response to the next Fetch is not.
        if is_later and vote.fetches < 2 and core.requests.is_busy(vote.candidate, RequestLane.FETCH):
            core.waiting_votes.append(vote)
            continue
        # Again: this node may have moved past the request's epoch while it waited.
        error = _check(core, request, now_ms)
        if error is RaftError.NONE and is_later and not transitions.follows_live_leader(core, now_ms):
            core.refuse(request.replica.id, request, Doubt.NOT_CONFIRMED, now_ms)
            error = RaftError.UNKNOWN_LEADER_EPOCH
        _answer(core, vote.request_id, request, vote.listener_name, error, now_ms)


def _answer(
    core: Core, request_id: int, request: VoteRequest, listener_name: str, error: RaftError, now_ms: int
) -> None:
    """Respond to a request with ``error``. If there is none and the request is of this node's epoch, decide on it."""
    is_granted = False
    # A node that follows a live leader did not move to the candidate's epoch. It refuses without an
    # error, and names its leader.
    if error is RaftError.NONE and request.epoch == core.state.epoch:
        is_granted = (
            _grants_pre_vote(core, request, now_ms) if request.is_pre_vote else _vote(core, request, now_ms)
        )
    core.respond(
        request_id,
        VoteResponse(
            error=error,
            leader=leader_and_epoch(core.state),
            leader_endpoint=core.leader_endpoint(listener_name),
            is_granted=is_granted,
        ),
    )


def may_vote_for(core: Core, candidate: ReplicaKey, now_ms: int) -> bool:
    """Whether this node may vote for a candidate, judged by its identity alone.

    A voter may. An unknown candidate may be of a voter set that this log does not hold yet, and the only one that can
    be elected. It has to wait until each known voter had time for an election. The same holds for a replica with an
    empty log. The quorum may count it as a voter: it may have been started without the static voters before it had
    fetched anything. The vote of a replica that is no voter counts for nothing.
    """
    # In Kafka the receiver's voter set plays no part here.
    # KIP-853: candidates that the set at hand does not name have to be electable, because it may be
    # outdated.
    return core.may_be_voter(candidate) or now_ms >= core.leader_lost_ms + last_resort_ms(core)


def last_resort_ms(core: Core) -> int:
    """How long a node has been without a leader before it votes for a candidate that it does not know: the longest
    random election timeout, and an election after it."""
    return 3 * core.config.election_timeout_ms


def is_other_key(core: Core, voter_id: int, directory_id: bytes | None) -> bool:
    """Whether a request names another replica than this one as its receiver."""
    key = core.config.key
    # Early versions name no receiver, and a node that asks a bootstrap server does not know it.
    return (voter_id >= 0 and voter_id != key.id) or (
        directory_id is not None and directory_id != key.directory_id
    )


def _check(core: Core, request: VoteRequest, now_ms: int) -> RaftError:
    # A candidate with records of the epoch that it stands for would know that the epoch has a leader. A pre-vote names
    # the sender's present epoch, of which it may have records.
    newest_legal_epoch = request.epoch if request.is_pre_vote else request.epoch - 1
    if request.last_offset < 0 or request.last_epoch < 0 or request.last_epoch > newest_legal_epoch:
        return RaftError.INVALID_REQUEST
    # Before the receiver's key, as in Kafka: the sender learns of the later epoch even if it has
    # the wrong node.
    if request.epoch < core.state.epoch:
        return RaftError.FENCED_LEADER_EPOCH
    # A node does not ask itself; somebody else has its id, or claims it.
    if request.replica.id < 0 or request.replica.id == core.config.key.id:
        return RaftError.INVALID_REQUEST
    if is_other_key(core, request.voter_id, request.voter_directory_id):
        return RaftError.INVALID_VOTER_KEY
    if request.epoch > trust.LAST_EPOCH:
        core.refuse(request.replica.id, request, Doubt.EPOCH_AT_THE_END, now_ms)
        return RaftError.INVALID_REQUEST
    return RaftError.NONE


def _is_up_to_date(core: Core, request: VoteRequest) -> bool:
    """Whether the sender's log is at least as up to date as this node's (KIP-595)."""
    # Epoch before offset: a longer log of an older epoch may hold records that were never committed.
    return OffsetAndEpoch(epoch=request.last_epoch, offset=request.last_offset) >= core.log.end


def _grants_pre_vote(core: Core, request: VoteRequest, now_ms: int) -> bool:
    state = core.state
    match state:
        case Leader():
            # A pre-vote raises no epoch, and a leader gives way only to a later one.
            return False
        case Follower():
            # A follower that lost its leader, or has never heard from it, does not refuse for that leader's sake:
            # survivors of a leader would otherwise refuse each other in turn (KAFKA-17641).
            # Kafka refuses for as long as the follower has fetched once in the epoch. So after a
            # clean hand-over the first successor was refused (KAFKA-20895).
            return not transitions.follows_live_leader(core, now_ms) and _is_up_to_date(core, request)
        # A pre-vote promises nothing, so a node may grant several in one epoch (KIP-996).
        case Unattached() | Prospective() | Candidate() | Resigned():
            return _is_up_to_date(core, request)
        case _:
            assert_never(state)


def _vote(core: Core, request: VoteRequest, now_ms: int) -> bool:
    """Decide on a standard vote request of this node's epoch, and write the vote to quorum-state."""
    state = core.state
    assert request.epoch == state.epoch, f"a vote in epoch {request.epoch} by a node in {state.epoch}"
    if not isinstance(state, Unattached | Prospective):
        # A Candidate has voted for itself. In the other states, the node leads, has led or follows in this epoch.
        return False
    if state.voted_key is not None:
        # Somebody else may have asked for this vote in the candidate's name, and claimed a longer log than the
        # candidate has. That vote never counted, as a candidate counts only responses to its own requests. So each
        # request's log is checked.
        return matches_key(state.voted_key, request.replica) and _is_up_to_date(core, request)
    # It may know the leader and not be able to reach it. One leader an epoch is enough.
    if state.leader_id != NO_NODE:
        # The epoch has its leader.
        return False
    if not may_vote_for(core, request.replica, now_ms):
        core.refuse(request.replica.id, request, Doubt.UNKNOWN_NODE, now_ms)
        return False
    # The election restriction of Raft: a leader has to hold all that is committed, and a majority that
    # elects it holds all of that.
    if not _is_up_to_date(core, request):
        # Not as Prospective: it is trying already.
        if isinstance(state, Unattached):
            # The candidate cannot win a majority of voters like this one, but this one might: so it tries soon.
            state.election_at_ms = min(
                state.election_at_ms, now_ms + core.rng.below(election.FIRST_BACKOFF_MS)
            )
        return False
    # This also ends a pre-vote of this node. If it won that later, it would unseat the leader that this vote elects.
    transitions.become_unattached(
        core,
        state.epoch,
        now_ms,
        vote=request.replica,
        # As in Kafka, a new timeout: the candidate gets the time to win that this vote is for.
        election_at_ms=now_ms + core.random_election_timeout_ms(),
    )
    return True
