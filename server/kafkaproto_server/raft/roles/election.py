"""How a node starts, and how it gets elected: timers, pre-votes (KIP-996), votes, and what to do when they fail.

A node comes back from its disk in a state that breaks no promise of its former life. A vote that became durable while
leadership did not is taken up again, unless batches of that epoch lie in the log already: they would make the request
one that no other node can answer. A former leader comes back as Resigned and never leads that epoch again.

Nothing raises an epoch without a majority of pre-votes. An election that cannot be won any more, because too many
refused or nobody listens where they should be, is over at once; the next attempt comes after a random pause that
doubles with each failure. The voter of a quorum of one waits for no timer.
"""

from __future__ import annotations

from kafkaproto_server.backoff import Backoff
from kafkaproto_server.raft.model.core import Core, destination_of
from kafkaproto_server.raft.model.requests import InFlight, Lane
from kafkaproto_server.raft.model.states import Candidate, Follower, Prospective, Resigned, State, Unattached
from kafkaproto_server.raft.roles import leader, succession, transitions
from kafkaproto_server.raft.values import trust
from kafkaproto_server.raft.values.config import NEVER, RaftConfig
from kafkaproto_server.raft.values.election_state import ElectionState
from kafkaproto_server.raft.values.errors import RaftError
from kafkaproto_server.raft.values.events import RequestFailed, RequestFailure
from kafkaproto_server.raft.values.messages import VoteRequest, VoteResponse
from kafkaproto_server.raft.values.voters import VoterHistory, endpoint_named
from kafkaproto_server.raft.values.votes import VoteCount
from kafkaproto_server.types import NO_NODE

FIRST_BACKOFF_MS = 50
"""Longest pause after a first lost election; the longest of all is ``controller.quorum.election.backoff.max.ms``."""


def restore_state(
    config: RaftConfig,
    voters: VoterHistory,
    election: ElectionState | None,
    last_epoch: int,
    now_ms: int,
    timeout_ms: int,
) -> State:
    """The state to start in, by the content of quorum-state and the epoch of the log's last record.

    ``timeout_ms`` is a random election timeout.
    """
    election_at_ms = now_ms + timeout_ms
    if election is None or election.epoch < last_epoch:
        # The log has seen a later epoch than the file, whose leader and vote are therefore history.
        return Unattached(epoch=last_epoch, election_at_ms=election_at_ms)
    epoch = election.epoch
    latest = voters.latest
    if election.leader_id == config.key.id:
        others = {voter.key.id: voter for voter in latest.voters if voter.key.id != config.key.id}
        return Resigned(epoch=epoch, election_at_ms=election_at_ms, unacknowledged=others)
    has_own_vote = election.is_vote_for(config.key) and election.leader_id == NO_NODE
    if has_own_vote and last_epoch < epoch and latest.is_voter(config.key):
        return Candidate(
            epoch=epoch,
            voted_key=config.key,
            votes=VoteCount(voters=latest.voters),
            vote_number=None,
            deadline_ms=election_at_ms,
            began_ms=now_ms,
        )
    known = latest.get(election.leader_id)
    if known is not None and endpoint_named(known.endpoints, config.listener_name) is not None:
        return Follower(
            epoch=epoch,
            leader_id=election.leader_id,
            leader_endpoints=known.endpoints,
            voted_key=election.voted_key,
            fetch_deadline_ms=now_ms + config.fetch_timeout_ms,
        )
    return Unattached(
        epoch=epoch,
        leader_id=election.leader_id,
        voted_key=election.voted_key,
        election_at_ms=election_at_ms,
    )


def may_be_elected(core: Core) -> bool:
    """Whether this node may seek leadership at all now."""
    return core.is_electable and not core.is_stopping and core.installing is None


# -- seeking an election ---------------------------------------------------------------------------------------------


def become_prospective(core: Core, now_ms: int) -> None:
    """Ask for pre-votes. A node's own counts at once, and in a quorum of one decides."""
    old = core.state
    assert isinstance(old, Unattached | Follower | Candidate | Resigned), f"{old.name.value} seeks election"
    votes = VoteCount(voters=core.voters.latest.voters)
    votes.grant(core.config.key.id)
    core.transition_to(
        Prospective(
            epoch=old.epoch,
            leader_id=old.leader_id,
            voted_key=None if isinstance(old, Resigned) else old.voted_key,
            votes=votes,
            deadline_ms=now_ms + core.random_election_timeout_ms(),
            began_ms=old.began_ms if isinstance(old, Candidate) else now_ms,
            follower=old if isinstance(old, Follower) else None,
        )
    )


def tick_prospective(core: Core, prospective: Prospective, now_ms: int) -> None:
    """Go on to an election that would be won, give up one that would not, else ask who has not answered."""
    if prospective.votes.is_won and prospective.epoch < trust.LAST_EPOCH:
        _become_candidate(core, prospective, now_ms)
    elif prospective.votes.is_lost or now_ms >= prospective.deadline_ms:
        core.counters.election_timeouts += now_ms >= prospective.deadline_ms
        _give_up(core, prospective, now_ms)
    else:
        _ask_for_votes(core, prospective, now_ms)


def tick_candidate(core: Core, candidate: Candidate, now_ms: int) -> None:
    """Lead, if the election is won; this node's own vote counts once it is durable. Else ask on or give up.

    No time passes for the others while this node's own disk holds things up.
    """
    votes = candidate.votes
    if not _own_vote_is_durable(core, candidate):
        _ask_for_votes(core, candidate, now_ms)
        return
    if core.config.key.id not in votes.granted:
        votes.grant(core.config.key.id)
        candidate.deadline_ms = max(candidate.deadline_ms, now_ms + core.config.election_timeout_ms)
    if votes.is_won:
        core.counters.elections_won += 1
        core.counters.note_election_latency(now_ms - candidate.began_ms)
        core.failed_elections = 0
        leader.become_leader(core, votes.granting_ids, now_ms)
        return
    if votes.is_lost and not candidate.is_lost:
        candidate.is_lost = True
        candidate.deadline_ms = min(candidate.deadline_ms, now_ms + _pause_ms(core))
    if now_ms < candidate.deadline_ms:
        _ask_for_votes(core, candidate, now_ms)
    else:
        if not candidate.is_lost:
            core.counters.election_timeouts += 1
            core.failed_elections += 1
        become_prospective(core, now_ms)


def deadline_ms(core: Core, state: Prospective | Candidate) -> float:
    """When ``tick_prospective`` or ``tick_candidate`` is due."""
    if isinstance(state, Candidate) and not _own_vote_is_durable(core, state):
        return NEVER
    return min(
        state.deadline_ms,
        min(
            (
                core.requests.ready_at_ms(destination_of(voter.key.id, endpoint), Lane.OTHER)
                for voter in state.votes.unrecorded()
                if (endpoint := endpoint_named(voter.endpoints, core.config.listener_name)) is not None
            ),
            default=NEVER,
        ),
    )


def _own_vote_is_durable(core: Core, candidate: Candidate) -> bool:
    return candidate.vote_number is None or core.outbox.is_persisted(candidate.vote_number)


def _become_candidate(core: Core, prospective: Prospective, now_ms: int) -> None:
    """Raise the epoch and vote for oneself; the vote counts once it is durable."""
    candidate = Candidate(
        epoch=prospective.epoch + 1,
        voted_key=core.config.key,
        votes=VoteCount(voters=core.voters.latest.voters),
        vote_number=None,
        deadline_ms=now_ms + core.random_election_timeout_ms(),
        began_ms=prospective.began_ms,
    )
    core.transition_to(candidate)
    candidate.vote_number = core.write_election_state()
    core.counters.elections_started += 1


def _give_up(core: Core, prospective: Prospective, now_ms: int) -> None:
    if prospective.follower is not None:
        follower = prospective.follower
        core.transition_to(follower)
        follower.refused_pre_votes += 1
        follower.election_at_ms = now_ms + succession.succession_delay_ms(core, follower)
        return
    transitions.become_unattached(
        core,
        prospective.epoch,
        now_ms,
        leader_id=prospective.leader_id,
        vote=prospective.voted_key,
        election_at_ms=now_ms + _pause_ms(core),
    )


def _pause_ms(core: Core) -> int:
    """How long to wait after an election was lost: random, so that those who hindered each other do so no more."""
    core.failed_elections += 1
    backoff = Backoff(first_ms=FIRST_BACKOFF_MS, longest_ms=core.config.election_backoff_max_ms)
    longest_ms = backoff.delay_ms(core.failed_elections)
    return max(1, longest_ms // 2 + core.rng.below(longest_ms // 2 + 1))


# -- asking ----------------------------------------------------------------------------------------------------------


def _ask_for_votes(core: Core, state: Prospective | Candidate, now_ms: int) -> None:
    for voter in state.votes.unrecorded():
        if voter.key.id == core.config.key.id:
            continue
        endpoint = endpoint_named(voter.endpoints, core.config.listener_name)
        if endpoint is None:
            state.votes.miss(voter.key.id)
            continue
        request = VoteRequest(
            replica=core.config.key,
            voter_id=voter.key.id,
            voter_directory_id=voter.key.directory_id,
            epoch=state.epoch,
            last_epoch=core.log.last_epoch,
            last_offset=core.log.end_offset,
            is_pre_vote=isinstance(state, Prospective),
        )
        core.ask(destination_of(voter.key.id, endpoint), request, now_ms)


def handle_vote_response(
    core: Core, in_flight: InFlight, request: VoteRequest, response: VoteResponse, now_ms: int
) -> None:
    """Count an answer, if it is one to what this node still wants; leader and epoch in it were taken note of before.

    A voter that follows a live leader does not come along to a candidate's epoch: an answer of an earlier epoch is a
    refusal as well.
    """
    votes = _votes_asked_by(core, request)
    voter_id = in_flight.destination.id
    if response.error is not RaftError.NONE:
        if response.error is RaftError.INVALID_VOTER_KEY and votes is not None:
            # Another node than the voter was asked.
            votes.miss(voter_id)
        core.requests.back_off(in_flight, now_ms)
    elif votes is not None:
        if response.is_granted and response.leader.epoch == request.epoch:
            votes.grant(voter_id)
        else:
            votes.reject(voter_id)


def handle_vote_failure(
    core: Core, in_flight: InFlight, request: VoteRequest, failed: RequestFailed, now_ms: int
) -> None:
    """Note that a voter is not there. One that knows no pre-votes has nothing against an election."""
    core.requests.back_off(in_flight, now_ms)
    votes = _votes_asked_by(core, request)
    if votes is None:
        return
    if failed.failure is RequestFailure.REFUSED:
        votes.miss(in_flight.destination.id)
    elif request.is_pre_vote and (
        failed.failure is RequestFailure.UNSUPPORTED or failed.error is RaftError.UNSUPPORTED_VERSION
    ):
        votes.grant(in_flight.destination.id)


def _votes_asked_by(core: Core, request: VoteRequest) -> VoteCount | None:
    """The count that an answer to ``request`` belongs to; None where it is over."""
    state = core.state
    wanted = Prospective if request.is_pre_vote else Candidate
    if (
        isinstance(state, Prospective | Candidate)
        and isinstance(state, wanted)
        and state.epoch == request.epoch
    ):
        return state.votes
    return None
