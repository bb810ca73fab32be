"""Broken rules of the coordinators of groups and transactions, and of what readers of committed records get. Their runs
are those that have groups."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.coordinator.groups import shard
from kafkaproto_server.coordinator.groups.classic import ClassicGroups
from kafkaproto_server.coordinator.groups.consumer import change
from kafkaproto_server.coordinator.groups.consumer.change import Change
from kafkaproto_server.coordinator.groups.consumer.sessions import Sessions
from kafkaproto_server.coordinator.groups.offset_table import OpenTransactions
from kafkaproto_server.coordinator.groups.offsets import OffsetMetadataManager
from kafkaproto_server.coordinator.transactions.coordinator import TransactionCoordinator
from kafkaproto_server.coordinator.transactions.markers import MarkerSender
from kafkaproto_server.node.coordinators.led import LedPartitions
from kafkaproto_server.node.replicas import coordinator_log, fetches
from kafkaproto_server.replica.partition import Partition
from tests.sim.mutations.mutation import Mutation, Patches
from tests.sim.nodes.coordination.traffic import FIRST_WITH_COORDINATORS
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.mutations.support import node_mutation, nothing, one_in


def coordination_mutation(
    rule: str,
    noticed_by: tuple[enum.Enum, ...],
    patches: Callable[[], Patches],
    likely_seed: int = FIRST_WITH_COORDINATORS + 1,
) -> Mutation:
    """A rule of groups or transactions. Any of ``noticed_by`` may notice it."""
    first, *also = noticed_by
    return node_mutation(rule, first, patches, also=tuple(also), likely_seed=likely_seed)


# -- groups ------------------------------------------------------------------------------------------------------


def _lets_earlier_generations_commit() -> Patches:
    return [(ClassicGroups, "check_commit", nothing)]


def _lets_anybody_commit() -> Patches:
    def accept(*_: Any, **__: Any) -> Callable[[bytes, int], None]:
        return lambda topic_id, index: None

    return [(shard, "check_consumer_commit", accept)]


def _gives_assignments_of_others() -> Patches:
    original = ClassicGroups.__dict__["_synced"].__func__

    def synced(group: Any, member: Any) -> Any:
        return original(group, next(iter(group.members.values())))

    return [(ClassicGroups, "_synced", staticmethod(synced))]


def _gives_away_what_is_not_revoked() -> Patches:
    original = vars(change)["next_step"]

    def next_step(member: Any, **more: Any) -> Any:
        return original(member, **{**more, "is_owned": lambda *_: False})

    return [(change, "next_step", next_step)]


def _acknowledges_before_replication() -> Patches:
    return [
        (
            coordinator_log.PartitionLog,
            "when_committed",
            lambda self, end_offset, call: call(ErrorCode.NONE),
        )
    ]


def _loses_records_when_loading() -> Patches:
    original = LedPartitions.__dict__["_take"].__func__
    is_lost = one_in(4)

    def take(led: Any, record: Any) -> None:
        if not is_lost():
            original(led, record)

    return [(LedPartitions, "_take", staticmethod(take))]


def _never_ends_sessions() -> Patches:
    return [(ClassicGroups, "_look_at", nothing), (Sessions, "_look_at_session", nothing)]


def _does_not_assign_anew() -> Patches:
    return [(ClassicGroups, "rebalance_or_end", nothing)]


def _does_not_take_steps() -> Patches:
    return [(Change, "step", nothing)]


def _tells_errors_of_logs() -> Patches:
    return [(coordinator_log, "told_code", lambda code: code)]


# -- transactions ------------------------------------------------------------------------------------------------


def _does_not_fence_epochs() -> Patches:
    def end(self: Any, transaction: Any, values: Any, done: Any) -> None:
        self._end_with_next_id(transaction, values.committed, done)

    return [
        (TransactionCoordinator, "_check_producer", staticmethod(nothing)),
        (TransactionCoordinator, "_end_and_bump", end),
    ]


def _does_not_abort_late_transactions() -> Patches:
    return [(TransactionCoordinator, "_abort_timed_out", nothing)]


def _does_not_resume_decided_transactions() -> Patches:
    original = TransactionCoordinator.loaded

    def loaded(self: Any) -> None:
        begin, self._markers.begin = self._markers.begin, nothing
        original(self)
        self._markers.begin = begin

    return [(TransactionCoordinator, "loaded", loaded)]


def _does_not_send_markers_again() -> Patches:
    return [(MarkerSender, "_retry_later", nothing)]


def _commits_offsets_of_aborted_transactions() -> Patches:
    original = OffsetMetadataManager.marker

    def marker(self: Any, producer_id: int, is_commit: bool, offset: int) -> None:
        original(self, producer_id, True, offset)

    return [(OffsetMetadataManager, "marker", marker)]


def _shows_offsets_while_others_are_pending() -> Patches:
    return [(OpenTransactions, "has", lambda *_: False)]


def _takes_offsets_of_earlier_members() -> Patches:
    original = shard.GroupShard._check_member

    def check(self: Any, group: Any, committer: Any, *, is_transactional: bool) -> Any:
        if is_transactional:
            return lambda topic_id, index: None
        return original(self, group, committer, is_transactional=False)

    return [(shard.GroupShard, "_check_member", check)]


# -- readers -----------------------------------------------------------------------------------------------------


def _does_not_name_aborted_transactions() -> Patches:
    return [(fetches, "aborted_between", lambda *_: [])]


def _shows_open_transactions() -> Patches:
    return [(Partition, "last_stable_offset", property(lambda self: self.high_watermark))]


_OWNER = NodeInvariant.ONE_OWNER
_STAY = NodeInvariant.OFFSETS_STAY
_EXPECTED = NodeInvariant.EXPECTED_ERRORS
_SETTLES = NodeInvariant.SETTLES_AT_LAST
_HIDDEN = NodeInvariant.ABORTED_IS_HIDDEN
_FENCED = NodeInvariant.FENCED_WRITES_NOTHING
_ONCE = NodeInvariant.EXACTLY_ONCE

MUTATIONS: tuple[Mutation, ...] = (
    coordination_mutation(
        "lets earlier generations commit", (_OWNER, _STAY), _lets_earlier_generations_commit
    ),
    coordination_mutation("lets anybody commit", (_OWNER, _STAY), _lets_anybody_commit),
    coordination_mutation("gives members others' assignments", (_OWNER,), _gives_assignments_of_others),
    coordination_mutation("gives away what is not revoked", (_OWNER,), _gives_away_what_is_not_revoked),
    coordination_mutation(
        "acknowledges commits before replication", (_STAY, _OWNER, _ONCE), _acknowledges_before_replication
    ),
    coordination_mutation("loses records when it loads them", (_STAY, _OWNER), _loses_records_when_loading),
    coordination_mutation("never ends sessions", (_SETTLES,), _never_ends_sessions),
    coordination_mutation("assigns nothing anew", (_SETTLES,), _does_not_assign_anew),
    coordination_mutation("takes no steps to assignments", (_SETTLES,), _does_not_take_steps),
    coordination_mutation("tells clients errors of logs", (_EXPECTED,), _tells_errors_of_logs),
    coordination_mutation("does not fence producers' epochs", (_FENCED, _ONCE), _does_not_fence_epochs),
    coordination_mutation("aborts no late transactions", (_SETTLES,), _does_not_abort_late_transactions),
    coordination_mutation(
        "does not resume decided transactions", (_SETTLES,), _does_not_resume_decided_transactions
    ),
    coordination_mutation("does not send markers again", (_SETTLES,), _does_not_send_markers_again),
    coordination_mutation(
        "commits offsets of aborted transactions", (_STAY, _ONCE), _commits_offsets_of_aborted_transactions
    ),
    coordination_mutation(
        "shows offsets while others are pending", (_ONCE, _STAY), _shows_offsets_while_others_are_pending
    ),
    coordination_mutation("takes offsets of earlier members", (_ONCE,), _takes_offsets_of_earlier_members),
    coordination_mutation("names no aborted transactions", (_HIDDEN,), _does_not_name_aborted_transactions),
    coordination_mutation("shows open transactions", (_HIDDEN,), _shows_open_transactions),
)
