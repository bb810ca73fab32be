"""How a node answers Vote, standard and pre-vote (KIP-595, KIP-996): every check in Kafka's order, then the decision.

Kafka moves a node to a later epoch on anybody's word. Here a leader, and a node that follows a live one, stay where
they are: who is really elected has a majority without them. A node without a leader enters the candidate's epoch only
if ``trust`` allows it; else it asks the voters, and its response has the candidate ask again.
"""

from __future__ import annotations

from typing import assert_never

from server.raft import discovery, election, transitions, trust
from server.raft.core import Core
from server.raft.errors import RaftError
from server.raft.messages import VoteRequest, VoteResponse
from server.raft.states import (
    Candidate,
    Follower,
    Leader,
    Prospective,
    Resigned,
    Unattached,
    leader_and_epoch,
)
from server.raft.trust import Doubt
from server.types import NO_NODE, OffsetAndEpoch, ReplicaKey


def handle_vote(core: Core, request_id: int, request: VoteRequest, listener_name: str, now_ms: int) -> None:
    """Answer a vote request; a vote that is given is durable before the answer leaves."""
    error = _check(core, request, now_ms)
    is_granted = False
    if (
        error is RaftError.NONE
        and request.epoch > core.state.epoch
        and not transitions.follows_live_leader(core, now_ms)
    ):
        error = _come_along(core, request, now_ms)
    if error is RaftError.NONE and request.epoch == core.state.epoch:
        is_granted = (
            _grants_pre_vote(core, request, now_ms) if request.is_pre_vote else _vote(core, request, now_ms)
        )
    core.answer(
        request_id,
        VoteResponse(
            error=error,
            leader=leader_and_epoch(core.state),
            leader_endpoint=core.leader_endpoint(listener_name),
            is_granted=is_granted,
        ),
    )


def is_other_key(core: Core, voter_id: int, directory_id: bytes | None) -> bool:
    """Whether a request names as its receiver another replica than this one."""
    key = core.config.key
    return (voter_id >= 0 and voter_id != key.id) or (
        directory_id is not None and directory_id != key.directory_id
    )


def _check(core: Core, request: VoteRequest, now_ms: int) -> RaftError:
    newest_legal_epoch = request.epoch if request.is_pre_vote else request.epoch - 1
    if request.last_offset < 0 or request.last_epoch < 0 or request.last_epoch > newest_legal_epoch:
        return RaftError.INVALID_REQUEST
    if request.epoch < core.state.epoch:
        return RaftError.FENCED_LEADER_EPOCH
    if request.replica.id < 0 or request.replica.id == core.config.key.id:
        return RaftError.INVALID_REQUEST
    if is_other_key(core, request.voter_id, request.voter_directory_id):
        return RaftError.INVALID_VOTER_KEY
    if request.epoch > trust.LAST_EPOCH:
        core.refuse(request.replica.id, request, Doubt.EPOCH_AT_THE_END, now_ms)
        return RaftError.INVALID_REQUEST
    return RaftError.NONE


def _come_along(core: Core, request: VoteRequest, now_ms: int) -> RaftError:
    """Enter a candidate's epoch, if its word is enough. Else ask the voters, and have the candidate ask again."""
    doubt = trust.doubt_candidate_epoch(core, request.replica, request.epoch, now_ms)
    if doubt is None:
        transitions.become_unattached(core, request.epoch, now_ms)
        return RaftError.NONE
    core.refuse(request.replica.id, request, doubt, now_ms)
    discovery.ask_about(core, request.replica.id, now_ms)
    return RaftError.UNKNOWN_LEADER_EPOCH


def _is_up_to_date(core: Core, request: VoteRequest) -> bool:
    """Whether the asking node's log is no worse than this one's."""
    return OffsetAndEpoch(epoch=request.last_epoch, offset=request.last_offset) >= core.log.end


def _grants_pre_vote(core: Core, request: VoteRequest, now_ms: int) -> bool:
    state = core.state
    match state:
        case Leader():
            return False
        case Follower():
            # One that lost its leader, or never had it, has nothing against another.
            return not transitions.follows_live_leader(core, now_ms) and _is_up_to_date(core, request)
        case Unattached() | Prospective() | Candidate() | Resigned():
            return _is_up_to_date(core, request)
        case _:
            assert_never(state)


def _vote(core: Core, request: VoteRequest, now_ms: int) -> bool:
    """Decide on a standard vote request of this node's epoch, and write a vote down."""
    state = core.state
    if not isinstance(state, Unattached | Prospective):
        return False
    if state.voted_key is not None:
        return _is_same(state.voted_key, request.replica)
    if state.leader_id != NO_NODE:
        return False
    if not trust.may_vote_for(core, request.replica, now_ms):
        core.refuse(request.replica.id, request, Doubt.UNKNOWN_NODE, now_ms)
        return False
    if not _is_up_to_date(core, request):
        if isinstance(state, Unattached):
            # The candidate will not win a majority of such voters, and one of them may have what it takes.
            state.election_at_ms = min(
                state.election_at_ms, now_ms + core.rng.below(election.FIRST_BACKOFF_MS)
            )
        return False
    # A pre-vote of this node's own ends here: won after all, it would unseat whom this vote helps to elect.
    transitions.become_unattached(
        core,
        state.epoch,
        now_ms,
        vote=request.replica,
        election_at_ms=now_ms + core.random_election_timeout_ms(),
    )
    return True


def _is_same(voted: ReplicaKey, asking: ReplicaKey) -> bool:
    """Whether a repeated request comes from the node that got the vote; one written down without a directory is
    matched by node id."""
    return voted.id == asking.id and voted.directory_id in (None, asking.directory_id)
