"""Broken rules about which nodes a node believes, and about new voters."""

from __future__ import annotations

from typing import Any
from unittest import mock

import msgspec

from kafkaproto_server.base.types import LeaderAndEpoch
from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.progress import Progress
from kafkaproto_server.core.raft.model.requests import RequestLane
from kafkaproto_server.core.raft.model.states import Unattached
from kafkaproto_server.core.raft.roles import (
    check_quorum,
    quorum_epoch,
    responses,
    transitions,
    voter_changes,
    voting,
)
from kafkaproto_server.core.raft.values import trust
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.voters import matches_key
from tests.sim.checkers.invariants import Invariant
from tests.sim.mutations.mutation import Mutation, Patches
from tests.sim.options import Options


def _goes_to_epochs_of_any_candidate() -> Patches:
    original = voting.handle_vote

    def handle_vote(core: Core, request_id: int, request: Any, listener_name: str, now_ms: int) -> None:
        is_later = core.state.epoch < request.epoch <= trust.LAST_EPOCH
        if is_later and not transitions.follows_live_leader(core, now_ms):
            transitions.become_unattached(core, request.epoch, now_ms)
        original(core, request_id, request, listener_name, now_ms)

    return [(voting, "handle_vote", handle_vote)]


def _goes_to_the_last_epoch() -> Patches:
    return [*_goes_to_epochs_of_any_candidate(), (trust, "LAST_EPOCH", 2**31 - 1)]


def _believes_voters_that_do_not_confirm() -> Patches:
    original = voting.reconsider

    def reconsider(core: Core, now_ms: int, **more: Any) -> None:
        for vote in core.waiting_votes:
            is_over = not core.requests.is_busy(vote.candidate, RequestLane.FETCH)
            if is_over and core.state.epoch < vote.request.epoch <= trust.LAST_EPOCH:
                transitions.become_unattached(core, vote.request.epoch, now_ms)
        original(core, now_ms, **more)

    return [(voting, "reconsider", reconsider)]


def _follows_who_says_so(core: Core, request: Any, now_ms: int, *, only_voters: bool) -> None:
    is_known = core.voters.latest.get(request.leader_id) is not None
    if (is_known or not only_voters) and not transitions.follows_live_leader(core, now_ms):
        leader = LeaderAndEpoch(leader_id=request.leader_id, epoch=request.epoch)
        if quorum_epoch._check(core, request, now_ms) is RaftError.NONE:
            transitions.learn(core, leader, request.leader_endpoints, now_ms)


def _believes_requests(*, only_voters: bool) -> Patches:
    original = quorum_epoch.handle_begin

    def handle_begin(core: Core, request_id: int, request: Any, listener_name: str, now_ms: int) -> None:
        _follows_who_says_so(core, request, now_ms, only_voters=only_voters)
        original(core, request_id, request, listener_name, now_ms)

    return [(quorum_epoch, "handle_begin", handle_begin)]


def _follows_anybody() -> Patches:
    return _believes_requests(only_voters=False)


def _follows_at_any_endpoint() -> Patches:
    return _believes_requests(only_voters=True)


def _votes_for_anybody() -> Patches:
    return [(voting, "may_vote_for", lambda _core, _candidate, _now_ms: True)]


def _forgets_leaders_that_it_never_heard() -> Patches:
    return [(transitions, "_note_undoubted_leader", lambda _core, _now_ms: None)]


def _leaves_former_voters_ahead() -> Patches:
    return [(check_quorum, "ask_who_is_ahead", lambda *_: None)]


def _asks_former_voters_only_where_the_log_had_them() -> Patches:
    ask = check_quorum.ask_who_is_ahead

    def ask_who_is_ahead(core: Core, leader: Any, key: Any, now_ms: int) -> None:
        if core.voters.former_voter(key) is None:
            ask(core, leader, key, now_ms)
            return
        with mock.patch.object(check_quorum, "_server_beside_the_log", return_value=None):
            ask(core, leader, key, now_ms)

    return [(check_quorum, "ask_who_is_ahead", ask_who_is_ahead)]


def _repeats_its_vote_for_any_log() -> Patches:
    original = voting._vote

    def vote(core: Core, request: Any, now_ms: int) -> bool:
        voted_key = getattr(core.state, "voted_key", None)
        if voted_key is not None and isinstance(core.state, Unattached):
            return matches_key(voted_key, request.replica)
        return original(core, request, now_ms)

    return [(voting, "_vote", vote)]


def _never_reconsiders() -> Patches:
    return [(voting, "reconsider", lambda _core, _now_ms, **_more: None)]


def _remembers_every_observer() -> Patches:
    return [(Progress, "_forget_observers", lambda _self, _voters, _now_ms: None)]


def _adds_nodes_that_cannot_vote() -> Patches:
    original = responses.handle_response

    def handle_response(core: Core, event: Any, now_ms: int) -> None:
        if hasattr(event.response, "can_vote"):
            msgspec.structs.force_setattr(event.response, "can_vote", True)
        original(core, event, now_ms)

    return [
        (responses, "handle_response", handle_response),
        (Progress, "has_caught_up", lambda _self, _key, _within_ms, _now_ms: True),
    ]


def _adds_who_caught_up_an_hour_ago() -> Patches:
    return [(voter_changes, "CAUGHT_UP_FETCH_TIMEOUTS", 3_600_000)]


LEVEL = "unknown-node"


def _has_fast_voter_changes(options: Options) -> bool:
    """A voter has to be removed in the very moment in which it stands for election."""
    is_fast = options.election_timeout_ms == 300 and options.latency_us <= 500
    return (
        is_fast and options.format == "initial" and options.voters > 2 and 0 < options.voter_change_ms <= 700
    )


MUTATIONS = (
    Mutation(
        rule="goes to the epoch of any candidate",
        patches=_goes_to_epochs_of_any_candidate,
        noticed_by=Invariant.EPOCHS_ARE_BOUNDED,
        level=LEVEL,
    ),
    Mutation(
        rule="goes to the last epoch that fits the wire",
        patches=_goes_to_the_last_epoch,
        noticed_by=Invariant.ROOM_FOR_EPOCHS,
        level=LEVEL,
    ),
    Mutation(
        rule="believes a voter's Vote that it does not confirm",
        patches=_believes_voters_that_do_not_confirm,
        noticed_by=Invariant.EPOCHS_ARE_BOUNDED,
        level=LEVEL,
    ),
    Mutation(
        rule="follows anybody who says that it leads",
        patches=_follows_anybody,
        noticed_by=Invariant.NOTHING_FORGED,
        level=LEVEL,
    ),
    Mutation(
        rule="follows a voter where a request says it is",
        patches=_follows_at_any_endpoint,
        noticed_by=Invariant.NOTHING_FORGED,
        level=LEVEL,
    ),
    Mutation(
        rule="votes for an unknown candidate at once",
        patches=_votes_for_anybody,
        noticed_by=Invariant.VOTES_FOR_VOTERS,
        level=LEVEL,
    ),
    Mutation(
        rule="is out of patience with unknown candidates amid elections",
        patches=_forgets_leaders_that_it_never_heard,
        noticed_by=Invariant.VOTES_FOR_VOTERS,
        level=LEVEL,
    ),
    Mutation(
        rule="asks no former voter for its epoch",
        patches=_leaves_former_voters_ahead,
        noticed_by=Invariant.VALUES_EVENTUALLY_ACKED,
        level=LEVEL,
        options=_has_fast_voter_changes,
    ),
    Mutation(
        rule="gives a vote again whatever the candidate's log is",
        patches=_repeats_its_vote_for_any_log,
        noticed_by=Invariant.LEADER_COMPLETENESS,
        level=LEVEL,
    ),
    Mutation(
        rule="forgets the votes that wait for an epoch",
        patches=_never_reconsiders,
        noticed_by=Invariant.EVENTUALLY_LEADER_ELECTED,
    ),
    Mutation(
        rule="remembers every observer for ever",
        patches=_remembers_every_observer,
        noticed_by=Invariant.NOTHING_LEFT_BEHIND,
        level=LEVEL,
    ),
    Mutation(
        rule="makes a node a voter that cannot vote",
        patches=_adds_nodes_that_cannot_vote,
        noticed_by=Invariant.NOTHING_FORGED,
        level=LEVEL,
    ),
    Mutation(
        rule="adds a voter that caught up an hour ago",
        patches=_adds_who_caught_up_an_hour_ago,
        noticed_by=Invariant.NEW_VOTER_IS_READY,
    ),
)

RARE = Mutation(
    rule="asks a former voter only where the log had it",
    patches=_asks_former_voters_only_where_the_log_had_them,
    noticed_by=Invariant.VALUES_EVENTUALLY_ACKED,
    level="cluster-unknown-node",
)
"""One seed in many thousands notices it, and the scenario ``removed_voter_in_a_later_epoch`` always."""
