"""Broken rules of voter changes."""

from __future__ import annotations

from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.roles import membership, voter_changes
from kafkaproto_server.core.raft.values.voters import VoterHistory
from tests.sim.checkers.invariants import Invariant
from tests.sim.mutations.mutation import Mutation, Patches


def _changes_two_voters_at_once() -> Patches:
    return [
        (voter_changes, "refuse_while_changing", lambda _core, _leader: None),
        (voter_changes, "_refuse_while_uncommitted", lambda _core, _leader: None),
        (voter_changes, "has_uncommitted_change", lambda _core, _leader: False),
        (membership, "has_uncommitted_change", lambda _core, _leader: False),
    ]


def _changes_voters_before_its_first_commit() -> Patches:
    return [
        (voter_changes, "_refuse_without_high_watermark", lambda _leader: None),
        (voter_changes, "is_committed", lambda _leader, _offset: True),
    ]


def _never_commits_a_voter_change() -> Patches:
    return [(membership, "high_watermark_advanced", lambda _core, _leader, _now_ms: None)]


def _keeps_truncated_voters() -> Patches:
    def truncate_to(_self: VoterHistory, _end_offset: int) -> None:
        """Voters of records that are gone stay in force."""

    return [(VoterHistory, "truncate_to", truncate_to)]


def _removed_leader_stays() -> Patches:
    return [(membership, "must_hand_over", lambda _core, _leader: False)]


def _removed_leader_gives_up() -> Patches:
    return [(Core, "is_electable", property(lambda self: self.is_voter))]


def _joins_again() -> Patches:
    def voters_changed(core: Core) -> None:
        core.joining.is_removed = False

    return [(Core, "voters_changed", voters_changed)]


MUTATIONS = (
    Mutation(
        rule="changes voters before it committed anything",
        patches=_changes_voters_before_its_first_commit,
        noticed_by=Invariant.ONE_VOTER_CHANGE,
    ),
    Mutation(
        rule="changes two voters at once",
        patches=_changes_two_voters_at_once,
        noticed_by=Invariant.ONE_VOTER_CHANGE,
    ),
    Mutation(
        rule="keeps voters of truncated records",
        patches=_keeps_truncated_voters,
        noticed_by=Invariant.NO_ILLEGAL_STATE,
    ),
    Mutation(
        rule="joins again after it was removed",
        patches=_joins_again,
        noticed_by=Invariant.STAYS_REMOVED,
    ),
    Mutation(
        rule="leads on after it was removed",
        patches=_removed_leader_stays,
        noticed_by=Invariant.VALID_ROLES,
    ),
    Mutation(
        rule="does not notice that a voter change is committed",
        patches=_never_commits_a_voter_change,
        noticed_by=Invariant.RECONFIGURATION_NOT_STUCK,
    ),
    Mutation(
        rule="gives up when it removed itself and nobody knows",
        patches=_removed_leader_gives_up,
        noticed_by=Invariant.EVENTUALLY_LEADER_ELECTED,
    ),
)
