"""Broken rules without which nothing makes progress, or something never ends."""

from __future__ import annotations

from typing import Any

from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.outbox import RaftOutbox
from kafkaproto_server.core.raft.roles import election, follower, quorum_epoch
from kafkaproto_server.core.raft.values.effects import ShutdownCompleted
from kafkaproto_server.core.raft.values.votes import VoteCount
from tests.sim.checkers.invariants import Invariant
from tests.sim.mutations.mutation import Mutation, Patches


def _never_stops() -> Patches:
    original = RaftOutbox.notify_after_persist

    def notify_after_persist(self: RaftOutbox, notice: Any) -> None:
        if not isinstance(notice, ShutdownCompleted):
            original(self, notice)

    return [(RaftOutbox, "notify_after_persist", notify_after_persist)]


def _never_gives_up_a_pre_vote() -> Patches:
    def give_up(_core: Core, prospective: Any, now_ms: int) -> None:
        prospective.deadline_ms = now_ms + 1000

    return [(election, "_give_up", give_up), (VoteCount, "is_lost", property(lambda _self: False))]


def _ticks_without_end() -> Patches:
    return [(follower, "deadline_ms", lambda _core, _follower: 0)]


def _never_elects() -> Patches:
    return [(VoteCount, "is_won", property(lambda self: len(self.granted) > max(1, len(self.voter_ids) - 1)))]


def _believes_forged_ends() -> Patches:
    def prepare_succession(_core: Core, state: Any, _request: Any, now_ms: int) -> None:
        state.link_is_dead = True
        state.election_at_ms = now_ms

    return [(quorum_epoch, "_prepare_succession", prepare_succession)]


MUTATIONS = (
    Mutation(
        rule="believes a forged EndQuorumEpoch",
        patches=_believes_forged_ends,
        noticed_by=Invariant.STABLE_EPOCH,
        scenario="forged",
    ),
    Mutation(
        rule="ticks without end",
        patches=_ticks_without_end,
        noticed_by=Invariant.BOUNDED_WORK,
    ),
    Mutation(
        rule="elects only by more than a majority",
        patches=_never_elects,
        noticed_by=Invariant.EVENTUALLY_LEADER_ELECTED,
    ),
    Mutation(
        rule="never gives up a pre-vote",
        patches=_never_gives_up_a_pre_vote,
        noticed_by=Invariant.NOT_STUCK_IN_PROSPECTIVE,
    ),
    Mutation(
        rule="does not complete a shutdown",
        patches=_never_stops,
        noticed_by=Invariant.SHUTDOWN_COMPLETES,
    ),
)
