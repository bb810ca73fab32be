"""Broken rules of logs, commits and snapshots."""

from __future__ import annotations

from typing import Any

import msgspec

from kafkaproto_server.base.types import OffsetAndEpoch, ReplicaKey
from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.log_index import Diverging, LogIndex
from kafkaproto_server.core.raft.model.outbox import RaftOutbox
from kafkaproto_server.core.raft.model.states import Leader
from kafkaproto_server.core.raft.roles import (
    commit,
    follower,
    leader,
    leaving,
    parked_fetches,
    replication,
    snapshot_fetch,
)
from kafkaproto_server.core.raft.values.effects import HighWatermarkAdvanced
from kafkaproto_server.core.raft.values.voters import VoterHistory
from tests.sim.checkers.invariants import Invariant
from tests.sim.mutations.mutation import Mutation, Patches
from tests.sim.replica import Replica


def _commits_old_epochs() -> Patches:
    original = leader.become_leader

    def become_leader(core: Core, granting: tuple[int, ...], now_ms: int) -> None:
        original(core, granting, now_ms)
        assert isinstance(core.state, Leader)
        core.state.epoch_start_offset = 0

    return [(leader, "become_leader", become_leader)]


def _counts_its_unsynced_end() -> Patches:
    original = replication.end_offset_of_voter

    def end_offset_of_voter(core: Core, led: Leader, key: Any) -> int:
        return core.log.end_offset if key.id == led.leader_id else original(core, led, key)

    return [(module, "end_offset_of_voter", end_offset_of_voter) for module in (commit, leaving)]


def _counts_any_directory() -> Patches:
    original = replication.end_offset_of_voter

    def end_offset_of_voter(core: Core, led: Leader, key: Any) -> int:
        return original(core, led, ReplicaKey(id=key.id))

    return [(module, "end_offset_of_voter", end_offset_of_voter) for module in (commit, leaving)]


def _never_diverges() -> Patches:
    original = LogIndex.validate

    def validate(self: LogIndex, offset: int, epoch: int) -> Any:
        verdict = original(self, offset, epoch)
        return None if isinstance(verdict, Diverging) and offset <= self.end_offset else verdict

    return [(LogIndex, "validate", validate)]


def _ignores_diverging() -> Patches:
    return [(follower, "_truncate", lambda _core, _diverging: True)]


def _truncates_too_much() -> Patches:
    original = Core.truncate

    def truncate(self: Core, end_offset: int) -> None:
        original(self, min(end_offset, self.log.start_offset))

    return [(Core, "truncate", truncate), (Core, "committed_floor", property(lambda _self: 0))]


def _tells_high_watermark_early() -> Patches:
    original = RaftOutbox.notify_after_persist

    def notify_after_persist(self: RaftOutbox, notice: Any) -> None:
        if isinstance(notice, HighWatermarkAdvanced):
            self.notify_now(notice)
        else:
            original(self, notice)

    return [(RaftOutbox, "notify_after_persist", notify_after_persist)]


def _believes_any_high_watermark() -> Patches:
    def raise_high_watermark(core: Core, _told: int) -> None:
        end_offset = core.log.end_offset
        if end_offset > (core.high_watermark or 0):
            core.high_watermark = end_offset
            core.outbox.notify_after_persist(HighWatermarkAdvanced(offset=end_offset))

    return [(follower, "_raise_high_watermark", raise_high_watermark)]


def _lets_the_high_watermark_fall() -> Patches:
    original = commit.maybe_advance_high_watermark

    def maybe_advance(core: Core, now_ms: int) -> None:
        if isinstance(core.state, Leader):
            core.state.high_watermark = None
        original(core, now_ms)

    return [(commit, "maybe_advance_high_watermark", maybe_advance)]


def _forgets_parked_fetches() -> Patches:
    def release_all(_core: Core, led: Leader) -> None:
        led.parked.take_all()

    return [(parked_fetches, "release_all", release_all)]


def _takes_uncommitted_snapshots() -> Patches:
    original = Replica.begin_snapshot

    def begin_snapshot(self: Replica) -> None:
        for batch in self.disk.log.batches_from(self.applied_offset):
            if batch.base_offset >= self.applied_offset:
                self.applied_offset = batch.next_offset
        original(self)

    return [(Replica, "begin_snapshot", begin_snapshot)]


def _serves_latest_voters_in_snapshots() -> Patches:
    return [
        (VoterHistory, "voters_at", lambda self, _offset: self.latest if self.latest.voters else None),
        (VoterHistory, "kraft_version_at", lambda self, _offset: self.kraft_version),
    ]


def _remembers_snapshots_before_its_log() -> Patches:
    original = LogIndex.install

    def install(self: LogIndex, snapshot: OffsetAndEpoch, size_bytes: int) -> None:
        former = self._snapshots
        original(self, snapshot, size_bytes)
        self._snapshots = {**former, snapshot: size_bytes}

    return [(LogIndex, "install", install)]


def _keeps_its_state_over_a_fetched_snapshot() -> Patches:
    original = Replica._hear_of_snapshot

    def hear_of_snapshot(self: Replica, event: Any) -> None:
        digest = self.digest
        original(self, event)
        self.digest = digest

    return [(Replica, "_hear_of_snapshot", hear_of_snapshot)]


def _keeps_voters_of_replaced_logs() -> Patches:
    original = snapshot_fetch.handle_installed

    def handle_installed(core: Core, event: Any) -> None:
        original(core, msgspec.structs.replace(event, control_records=()))

    return [(snapshot_fetch, "handle_installed", handle_installed)]


MUTATIONS = (
    Mutation(
        rule="tells the high watermark before its own sync",
        patches=_tells_high_watermark_early,
        noticed_by=Invariant.DURABLE_BEFORE_TOLD,
    ),
    Mutation(
        rule="counts its own records before they are synced",
        patches=_counts_its_unsynced_end,
        noticed_by=Invariant.MAJORITY_REACHED,
    ),
    Mutation(
        rule="counts a voter whatever directory it has",
        patches=_counts_any_directory,
        noticed_by=Invariant.MAJORITY_REACHED,
    ),
    Mutation(
        rule="commits records of old epochs by counting",
        patches=_commits_old_epochs,
        noticed_by=Invariant.MAJORITY_REACHED,
    ),
    Mutation(
        rule="serves logs that diverge",
        patches=_never_diverges,
        noticed_by=Invariant.LOG_MATCHING,
    ),
    Mutation(
        rule="truncates more than what diverges",
        patches=_truncates_too_much,
        noticed_by=Invariant.DURABILITY,
    ),
    Mutation(
        rule="takes all that it holds for committed",
        patches=_believes_any_high_watermark,
        noticed_by=Invariant.DURABILITY,
    ),
    Mutation(
        rule="lets the high watermark fall",
        patches=_lets_the_high_watermark_fall,
        noticed_by=Invariant.MONOTONIC_HIGH_WATERMARK,
    ),
    Mutation(
        rule="keeps its state over a fetched snapshot",
        patches=_keeps_its_state_over_a_fetched_snapshot,
        noticed_by=Invariant.STATE_MACHINE_SAFETY,
    ),
    Mutation(
        rule="takes snapshots beyond the high watermark",
        patches=_takes_uncommitted_snapshots,
        noticed_by=Invariant.SNAPSHOT_EQUALITY,
    ),
    Mutation(
        rule="writes later voters into a snapshot",
        patches=_serves_latest_voters_in_snapshots,
        noticed_by=Invariant.SNAPSHOT_EQUALITY,
    ),
    Mutation(
        rule="does not take voters from a snapshot",
        patches=_keeps_voters_of_replaced_logs,
        noticed_by=Invariant.SNAPSHOT_EQUALITY,
    ),
    Mutation(
        rule="leaves parked fetches unanswered",
        patches=_forgets_parked_fetches,
        noticed_by=Invariant.ONE_RESPONSE,
    ),
    Mutation(
        rule="ignores that its log diverges",
        patches=_ignores_diverging,
        noticed_by=Invariant.VALUES_EVENTUALLY_ACKED,
    ),
    Mutation(
        rule="remembers snapshots from before its log",
        patches=_remembers_snapshots_before_its_log,
        noticed_by=Invariant.NO_ILLEGAL_STATE,
    ),
)
