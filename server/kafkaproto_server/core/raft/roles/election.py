"""How a node starts, and how it gets elected: timers, pre-votes (KIP-996), votes, and failed elections.

A node restarts in a state that keeps every promise of its former life. If its vote for itself became durable but its
leadership did not, it resumes that election. It does not if its log already has batches of that epoch: all other nodes
would refuse its request, because a candidate's last record has to be of an epoch before the one it stands for. A former
leader restarts as Resigned and never leads that epoch again.

A node becomes a candidate, which raises the epoch, only with a majority of pre-votes. An election is over as soon as it
cannot be won any more, because too many voters rejected it or nobody listens at their addresses. The next attempt
follows after a random pause that doubles with each failure, so that candidates do not block each other in step. The
voter of a quorum of one waits for no timer.

Apache Kafka: ``QuorumState.initialize``, ``ProspectiveState``, ``CandidateState`` and ``EpochElection``.
"""

from __future__ import annotations

from kafkaproto_server.base.backoff import Backoff
from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.core.raft.model.core import Core, destination_of
from kafkaproto_server.core.raft.model.requests import RequestInFlight, RequestLane
from kafkaproto_server.core.raft.model.states import (
    Candidate,
    Follower,
    Prospective,
    Resigned,
    State,
    Unattached,
)
from kafkaproto_server.core.raft.roles import leader, succession, transitions
from kafkaproto_server.core.raft.values import trust
from kafkaproto_server.core.raft.values.config import NEVER, RaftConfig
from kafkaproto_server.core.raft.values.election_state import ElectionState
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.events import RequestFailed, RequestFailure
from kafkaproto_server.core.raft.values.messages import VoteRequest, VoteResponse
from kafkaproto_server.core.raft.values.voters import VoterHistory, endpoint_named
from kafkaproto_server.core.raft.values.votes import VoteCount

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
    """The state in which a node starts, by the content of quorum-state and the epoch of the log's last record.

    ``timeout_ms`` is a random election timeout.
    """
    election_at_ms = now_ms + timeout_ms
    if election is None or election.epoch < last_epoch:
        # The log is of a later epoch than the file, so the file's leader and vote are obsolete.
        return Unattached(epoch=last_epoch, election_at_ms=election_at_ms)
    epoch = election.epoch
    latest = voters.latest
    if election.leader_id == config.key.id:
        # Records that this leader showed to others may be lost, so it must not lead this epoch again.
        # It tells the others that it resigned, but names no successor: it does not know any more
        # how far they had come.
        others = {voter.key.id: voter for voter in latest.voters if voter.key.id != config.key.id}
        return Resigned(epoch=epoch, election_at_ms=election_at_ms, unacknowledged=others)
    # No leadership is on disk, so nothing of this epoch has left this node as its leader (see `outbox`).
    has_own_vote = election.is_vote_for(config.key) and election.leader_id == NO_NODE
    if has_own_vote and last_epoch < epoch and latest.is_voter(config.key):
        # Kafka resumes it as well. The voters that granted repeat their votes (`voting`).
        return Candidate(
            epoch=epoch,
            voted_key=config.key,
            votes=VoteCount(voters=latest.voters),
            vote_number=None,
            deadline_ms=election_at_ms,
            began_ms=now_ms,
        )
    # Its fetch timeout runs from now: the leader may be gone since. It has not fetched yet, so it
    # refuses nobody a pre-vote for that leader's sake.
    known = latest.get(election.leader_id)
    if known is not None and endpoint_named(known.endpoints, config.listener_name) is not None:
        return Follower(
            epoch=epoch,
            leader_id=election.leader_id,
            leader_endpoints=known.endpoints,
            voted_key=election.voted_key,
            fetch_deadline_ms=now_ms + config.fetch_timeout_ms,
        )
    # The vote is kept, and so is the leader's name: in this epoch the node must not vote for
    # anybody else.
    return Unattached(
        epoch=epoch,
        leader_id=election.leader_id,
        voted_key=election.voted_key,
        election_at_ms=election_at_ms,
    )


def may_be_elected(core: Core) -> bool:
    """Whether this node may seek leadership now: it may lead, is not stopping, and no snapshot is replacing its log."""
    # A node that stops would leave at once what it has won. During an install it does not know
    # whether its log is up to date.
    return core.is_electable and not core.is_stopping and core.installing is None


# -- seeking an election ---------------------------------------------------------------------------------------------


def become_prospective(core: Core, now_ms: int) -> None:
    """Ask for pre-votes. The node's own pre-vote counts at once; in a quorum of one it decides."""
    old = core.state
    assert core.installing is None, "nobody knows where this log ends"
    assert isinstance(old, Unattached | Follower | Candidate | Resigned), f"{old.name.value} seeks election"
    votes = VoteCount(voters=core.voters.latest.voters)
    # A node whose removal is not known to be committed is not among these voters, so this does not count for it.
    votes.grant(core.config.key.id)
    core.transition_to(
        Prospective(
            # The same epoch: a pre-vote must not make anybody leave the leader that it follows
            # (KIP-996).
            epoch=old.epoch,
            leader_id=old.leader_id,
            # A node that led the epoch voted for itself, and its leadership is what quorum-state
            # says of it.
            voted_key=None if isinstance(old, Resigned) else old.voted_key,
            votes=votes,
            deadline_ms=now_ms + core.random_election_timeout_ms(),
            # A search for leadership may take several epochs, and the metric election-latency
            # counts all of it.
            began_ms=old.began_ms if isinstance(old, Candidate) else now_ms,
            follower=old if isinstance(old, Follower) else None,
        )
    )


def tick_prospective(core: Core, prospective: Prospective, now_ms: int) -> None:
    """Become a candidate if the pre-vote is won, give up if it is lost or its time is over, else ask for more."""
    if prospective.votes.is_won and prospective.epoch < trust.LAST_EPOCH:
        # Only now does the epoch rise: a node that is cut off cannot unseat a leader when it comes back.
        _become_candidate(core, prospective, now_ms)
    elif prospective.votes.is_lost or now_ms >= prospective.deadline_ms:
        core.counters.election_timeouts += now_ms >= prospective.deadline_ms
        _give_up(core, prospective, now_ms)
    else:
        _ask_for_votes(core, prospective, now_ms)


def tick_candidate(core: Core, candidate: Candidate, now_ms: int) -> None:
    """Lead if the election is won, else ask for more votes, or give up. This node's own vote counts once it is durable.

    Until then the election does not time out; then the other voters have at least one election timeout left.
    """
    votes = candidate.votes
    if not _own_vote_is_durable(core, candidate):
        _ask_for_votes(core, candidate, now_ms)
        return
    # Only now, and not when it voted: a vote that a crash can take back is none.
    if core.config.key.id not in votes.granted:
        votes.grant(core.config.key.id)
        candidate.deadline_ms = max(candidate.deadline_ms, now_ms + core.config.election_timeout_ms)
    if votes.is_won:
        core.counters.elections_won += 1
        core.counters.note_election_latency(now_ms - candidate.began_ms)
        core.failed_elections = 0
        # Those that had granted by now are named in LEADER_CHANGE; votes that come later change
        # nothing.
        leader.become_leader(core, votes.granting_ids, now_ms)
        return
    # A lost election is given up at once, not at its timeout, so that candidates do not meet again in
    # step (KAFKA-18345).
    if votes.is_lost and not candidate.is_lost:
        candidate.is_lost = True
        # Never later than the timeout, at which it would have given up in any case.
        candidate.deadline_ms = min(candidate.deadline_ms, now_ms + _pause_ms(core))
    if now_ms < candidate.deadline_ms:
        _ask_for_votes(core, candidate, now_ms)
    else:
        # A lost election was counted when it was lost (`_pause_ms`).
        if not candidate.is_lost:
            core.counters.election_timeouts += 1
            core.failed_elections += 1
        become_prospective(core, now_ms)


def deadline_ms(core: Core, state: Prospective | Candidate) -> float:
    """When ``tick_prospective`` or ``tick_candidate`` is due."""
    # `Persisted` is an event. Until it comes, no time that passes changes anything.
    if isinstance(state, Candidate) and not _own_vote_is_durable(core, state):
        return NEVER
    return min(
        state.deadline_ms,
        min(
            (
                core.requests.ready_at_ms(destination_of(voter.key.id, endpoint), RequestLane.OTHER)
                for voter in state.votes.unrecorded()
                if (endpoint := endpoint_named(voter.endpoints, core.config.listener_name)) is not None
            ),
            default=NEVER,
        ),
    )


def _own_vote_is_durable(core: Core, candidate: Candidate) -> bool:
    # Before that, a crash could make this node forget its vote and give another one in the same epoch.
    return candidate.vote_number is None or core.outbox.is_persisted(candidate.vote_number)


def _become_candidate(core: Core, prospective: Prospective, now_ms: int) -> None:
    """Raise the epoch and vote for this node itself; the vote counts once it is durable."""
    candidate = Candidate(
        epoch=prospective.epoch + 1,
        voted_key=core.config.key,
        votes=VoteCount(voters=core.voters.latest.voters),
        vote_number=None,
        deadline_ms=now_ms + core.random_election_timeout_ms(),
        began_ms=prospective.began_ms,
    )
    assert prospective.votes.is_won, "the epoch rises without a majority of pre-votes"
    assert prospective.epoch < trust.LAST_EPOCH, "no quorum could continue from the next epoch"
    # The transition first: what is written is the state that the node is in. The number of the
    # write says when the vote counts.
    core.transition_to(candidate)
    candidate.vote_number = core.write_election_state()
    core.counters.elections_started += 1


def _give_up(core: Core, prospective: Prospective, now_ms: int) -> None:
    if prospective.follower is not None:
        # Too few voters doubt the leader, or too few can be reached: this node follows it again and keeps asking it.
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
    """How long to wait after a lost election: random, so that candidates that blocked each other do not meet again."""
    core.failed_elections += 1
    backoff = Backoff(first_ms=FIRST_BACKOFF_MS, longest_ms=core.config.election_backoff_max_ms)
    # Half of the pause is fixed. A pause of nearly nothing would make the next collision likely.
    longest_ms = backoff.delay_ms(core.failed_elections)
    return max(1, longest_ms // 2 + core.rng.below(longest_ms // 2 + 1))


# -- asking ----------------------------------------------------------------------------------------------------------


def _ask_for_votes(core: Core, state: Prospective | Candidate, now_ms: int) -> None:
    for voter in state.votes.unrecorded():
        # Its own vote is counted when it is durable, without a message (`tick_candidate`).
        if voter.key.id == core.config.key.id:
            continue
        endpoint = endpoint_named(voter.endpoints, core.config.listener_name)
        if endpoint is None:
            # A voter without an address for this listener can be neither asked nor counted on.
            state.votes.miss(voter.key.id)
            continue
        request = VoteRequest(
            replica=core.config.key,
            voter_id=voter.key.id,
            voter_directory_id=voter.key.directory_id,
            epoch=state.epoch,
            # The log as it is in memory. If a crash takes the part that is not synced, it takes all
            # the grants, too: they are only in memory.
            last_epoch=core.log.last_epoch,
            last_offset=core.log.end_offset,
            is_pre_vote=isinstance(state, Prospective),
        )
        # Each tick tries again. The lane sees to it that one request is under way and that failures
        # pause.
        core.ask(destination_of(voter.key.id, endpoint), request, now_ms)


def handle_vote_response(
    core: Core, in_flight: RequestInFlight, request: VoteRequest, response: VoteResponse, now_ms: int
) -> None:
    """Count a response, if its election has not ended. The caller has noted its leader and epoch before.

    A voter that follows a live leader does not move to a candidate's epoch, so a response from an earlier epoch is a
    rejection as well.
    """
    votes = _votes_asked_by(core, request)
    voter_id = in_flight.destination.id
    if response.error is not RaftError.NONE:
        if response.error is RaftError.INVALID_VOTER_KEY and votes is not None:
            # Another node than the voter has responded at that address.
            votes.miss(voter_id)
        core.requests.back_off(in_flight, now_ms)
    elif votes is not None:
        # A grant counts for the epoch that the response names. A voter that never came to this
        # epoch has promised nothing in it.
        if response.is_granted and response.leader.epoch == request.epoch:
            votes.grant(voter_id)
        else:
            votes.reject(voter_id)


def handle_vote_failure(
    core: Core, in_flight: RequestInFlight, request: VoteRequest, failed: RequestFailed, now_ms: int
) -> None:
    """Note that a voter cannot be reached. A voter that does not support pre-votes counts as granting one."""
    core.requests.back_off(in_flight, now_ms)
    votes = _votes_asked_by(core, request)
    if votes is None:
        return
    if failed.failure is RequestFailure.REFUSED:
        # Only a refused connection proves that nobody is there. Silence may be a slow network, so
        # it stays hopeful.
        votes.miss(in_flight.destination.id)
    elif request.is_pre_vote and (
        failed.failure is RequestFailure.UNSUPPORTED or failed.error is RaftError.UNSUPPORTED_VERSION
    ):
        # Controllers before 4.0 do not know pre-votes. Without this rule they could never be part of an
        # election in a quorum that is being upgraded (KIP-996).
        votes.grant(in_flight.destination.id)


def _votes_asked_by(core: Core, request: VoteRequest) -> VoteCount | None:
    """The count that a response to ``request`` belongs to; None if that election is over."""
    state = core.state
    # A pre-vote promises nothing. If one that is late counted as a vote, an epoch could have two
    # leaders.
    wanted = Prospective if request.is_pre_vote else Candidate
    if (
        isinstance(state, Prospective | Candidate)
        and isinstance(state, wanted)
        and state.epoch == request.epoch
    ):
        return state.votes
    return None
