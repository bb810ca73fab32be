"""Broken rules of votes, epochs, and of what must be durable before it is sent."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from kafkaproto_server.core.raft.model import states
from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.outbox import RaftOutbox
from kafkaproto_server.core.raft.roles import election, transitions, voting
from kafkaproto_server.core.raft.values import quorum, trust
from kafkaproto_server.core.raft.values.effects import SendRequest, SendResponse
from kafkaproto_server.core.raft.values.messages import (
    FetchRequest,
    PendingFetchResponse,
    VoteRequest,
    VoteResponse,
)
from kafkaproto_server.core.raft.values.votes import VoteCount
from tests.sim.checkers.invariants import Invariant
from tests.sim.mutations.mutation import Mutation, Patches


def _answers_before_sync(kind: type) -> Callable[[], Patches]:
    """Send responses of one kind at once, whatever is still being written to the disk."""

    def patches() -> Patches:
        original = RaftOutbox.send

        def send(self: RaftOutbox, message: SendRequest | SendResponse, *, after_log: bool) -> None:
            if isinstance(message, SendResponse) and isinstance(message.response, kind):
                self.notify_now(message)
            else:
                original(self, message, after_log=after_log)

        return [(RaftOutbox, "send", send)]

    return patches


def _requests_before_sync(kind: type) -> Callable[[], Patches]:
    def patches() -> Patches:
        original = RaftOutbox.send

        def send(self: RaftOutbox, message: SendRequest | SendResponse, *, after_log: bool) -> None:
            if isinstance(message, SendRequest) and isinstance(message.request, kind):
                self.notify_now(message)
            else:
                original(self, message, after_log=after_log)

        return [(RaftOutbox, "send", send)]

    return patches


def _counts_a_vote_twice() -> Patches:
    def is_won(self: VoteCount) -> bool:
        return 2 * len(self.granted) >= quorum.majority(len(self.voter_ids))

    return [(VoteCount, "is_won", property(is_won))]


def _counts_stale_votes() -> Patches:
    def votes_asked_by(core: Core, _request: VoteRequest) -> VoteCount | None:
        state = core.state
        return state.votes if isinstance(state, states.Prospective | states.Candidate) else None

    return [(election, "_votes_asked_by", votes_asked_by)]


def _majority_is_half() -> Patches:
    return [(quorum, "majority", lambda count: (count + 1) // 2)]


def _forgets(**forgotten: Any) -> Callable[[], Patches]:
    """Let a start find other things in quorum-state than were written."""

    def patches() -> Patches:
        original = election.restore_state

        def restore_state(config: Any, voters: Any, known: Any, *rest: Any) -> Any:
            if known is not None:
                known = dataclasses.replace(known, **forgotten)
            return original(config, voters, known, *rest)

        return [(election, "restore_state", restore_state)]

    return patches


def _leads_again() -> Patches:
    original = election.restore_state

    def restore_state(config: Any, voters: Any, *rest: Any) -> Any:
        state = original(config, voters, *rest)
        if not isinstance(state, states.Resigned):
            return state
        return states.Candidate(
            epoch=state.epoch,
            voted_key=config.key,
            votes=VoteCount(voters=voters.latest.voters),
            vote_number=None,
            deadline_ms=state.election_at_ms,
            began_ms=state.election_at_ms,
        )

    return [(election, "restore_state", restore_state)]


def _votes_again() -> Patches:
    def check_transition(_old: Any, _new: Any) -> None:
        """The core's own assertion would be first to notice."""

    return [
        (voting, "matches_key", lambda _voted, _asking: True),
        (states, "check_transition", check_transition),
    ]


def _votes_for_shorter_logs() -> Patches:
    return [(voting, "_is_up_to_date", lambda _core, _request: True)]


def _writes_no_epoch() -> Patches:
    original = Core.write_election_state

    def write_election_state(self: Core) -> int:
        if isinstance(self.state, states.Unattached) and self.state.voted_key is None:
            return self.outbox.election_number
        return original(self)

    return [(Core, "write_election_state", write_election_state)]


def _believes_any_epoch() -> Patches:
    return [(transitions, "follows_live_leader", lambda _core, _now_ms: False)]


def _moves_to_any_epoch() -> Patches:
    original = voting.handle_vote

    def handle_vote(core: Core, request_id: int, request: Any, listener_name: str, now_ms: int) -> None:
        if core.state.epoch < request.epoch <= trust.LAST_EPOCH:
            transitions.become_unattached(core, request.epoch, now_ms)
        original(core, request_id, request, listener_name, now_ms)

    return [(voting, "handle_vote", handle_vote)]


MUTATIONS = (
    Mutation(
        rule="answers a vote before it is durable",
        patches=_answers_before_sync(VoteResponse),
        noticed_by=Invariant.DURABLE_BEFORE_TOLD,
    ),
    Mutation(
        rule="asks for votes before its own is durable",
        patches=_requests_before_sync(VoteRequest),
        noticed_by=Invariant.DURABLE_BEFORE_TOLD,
    ),
    Mutation(
        rule="serves fetches before leadership is durable",
        patches=_answers_before_sync(PendingFetchResponse),
        noticed_by=Invariant.DURABLE_BEFORE_TOLD,
    ),
    Mutation(
        rule="fetches on before what it fetched is durable",
        patches=_requests_before_sync(FetchRequest),
        noticed_by=Invariant.DURABLE_BEFORE_TOLD,
    ),
    Mutation(
        rule="does not write a later epoch down",
        patches=_writes_no_epoch,
        noticed_by=Invariant.DURABLE_BEFORE_TOLD,
    ),
    Mutation(
        rule="counts a vote twice",
        patches=_counts_a_vote_twice,
        noticed_by=Invariant.ELECTION_SAFETY,
    ),
    Mutation(
        rule="counts votes of another election",
        patches=_counts_stale_votes,
        noticed_by=Invariant.ELECTION_SAFETY,
    ),
    Mutation(
        rule="leads the same epoch after a restart",
        patches=_leads_again,
        noticed_by=Invariant.ELECTION_SAFETY,
    ),
    Mutation(
        rule="forgets its epoch over a restart",
        patches=_forgets(epoch=0, leader_id=-1, voted_key=None),
        noticed_by=Invariant.MONOTONIC_EPOCH,
    ),
    Mutation(
        rule="forgets its vote over a restart",
        patches=_forgets(voted_key=None),
        noticed_by=Invariant.VOTE_NEVER_CHANGES,
    ),
    Mutation(
        rule="votes for a second candidate in one epoch",
        patches=_votes_again,
        noticed_by=Invariant.DURABLE_BEFORE_TOLD,
    ),
    Mutation(
        rule="votes for a candidate whose log is shorter",
        patches=_votes_for_shorter_logs,
        noticed_by=Invariant.LEADER_COMPLETENESS,
    ),
    Mutation(
        rule="takes half of the voters for a majority",
        patches=_majority_is_half,
        noticed_by=Invariant.MAJORITY_REACHED,
    ),
    Mutation(
        rule="moves to any epoch that it hears of",
        patches=_moves_to_any_epoch,
        noticed_by=Invariant.EPOCHS_ARE_BOUNDED,
        scenario="forged",
    ),
    Mutation(
        rule="grants pre-votes while its leader lives",
        patches=_believes_any_epoch,
        noticed_by=Invariant.STABLE_EPOCH,
        scenario="flapping",
    ),
)
