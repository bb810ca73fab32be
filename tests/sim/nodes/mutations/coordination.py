"""Broken rules of the coordinators of groups and transactions, and of what readers of committed records get. Their runs
are those that have groups."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.groups.classic.rebalances import Rebalances
from kafkaproto_server.core.coordinators.groups.classic.sessions import ClassicSessions
from kafkaproto_server.core.coordinators.groups.consumer import change
from kafkaproto_server.core.coordinators.groups.consumer.change import ConsumerChange
from kafkaproto_server.core.coordinators.groups.offsets.logged import LoggedOffsets
from kafkaproto_server.core.coordinators.groups.sessions import SessionWatches
from kafkaproto_server.core.coordinators.transactions.producer_initialization import ProducerInitialization
from kafkaproto_server.core.coordinators.transactions.scans import TransactionScans
from kafkaproto_server.core.replicas.partition import Partition
from kafkaproto_server.requests.transaction_requests import ProducerOutcome
from kafkaproto_server.shell.replicas.coordinators import coordinator_log
from kafkaproto_server.shell.replicas.requests import fetch_reads, own_batches
from tests.sim.mutations.mutation import Mutation, Patches
from tests.sim.nodes.coordination.traffic import FIRST_WITH_COORDINATORS
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.mutations.support import node_mutation, nothing


def coordination_mutation(
    rule: str,
    noticed_by: tuple[enum.Enum, ...],
    patches: Callable[[], Patches],
) -> Mutation:
    """A rule of groups or transactions. Any of ``noticed_by`` may notice it."""
    first, *also = noticed_by
    return node_mutation(rule, first, patches, also=tuple(also), first_seed=FIRST_WITH_COORDINATORS)


# -- groups ------------------------------------------------------------------------------------------------------


def _gives_assignments_of_others() -> Patches:
    original = Rebalances.__dict__["synced"].__func__

    def synced(group: Any, member: Any) -> Any:
        return original(group, next(iter(group.members.values())))

    return [(Rebalances, "synced", staticmethod(synced))]


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


def _never_ends_sessions() -> Patches:
    return [(ClassicSessions, "_look_at", nothing), (SessionWatches, "_look_at_session", nothing)]


def _does_not_assign_anew() -> Patches:
    return [(Rebalances, "rebalance_or_end", nothing)]


def _does_not_take_steps() -> Patches:
    return [(ConsumerChange, "step", nothing)]


# -- transactions ------------------------------------------------------------------------------------------------


def _gives_second_producers_the_epoch_of_the_first() -> Patches:
    original = ProducerInitialization._init

    def init(self: Any, values: Any, done: Any) -> None:
        known = self._states.get(values.transactional_id)
        if known is None or known.is_prepared:
            original(self, values, done)
        else:
            done(
                ProducerOutcome(
                    code=ErrorCode.NONE, producer_id=known.producer_id, producer_epoch=known.producer_epoch
                )
            )

    return [(ProducerInitialization, "_init", init)]


def _does_not_abort_late_transactions() -> Patches:
    return [(TransactionScans, "_abort_timed_out", nothing)]


def _commits_offsets_of_aborted_transactions() -> Patches:
    original = LoggedOffsets.marker

    def marker(self: Any, producer_id: int, is_commit: bool, offset: int) -> None:
        original(self, producer_id, True, offset)

    return [(LoggedOffsets, "marker", marker)]


# -- readers -----------------------------------------------------------------------------------------------------


def _does_not_name_aborted_transactions() -> Patches:
    return [(fetch_reads, "aborted_between", lambda *_: [])]


def _takes_committed_transactions_for_aborted() -> Patches:
    original = vars(own_batches)["EndTransactionMarker"]
    return [(own_batches, "EndTransactionMarker", lambda is_abort, epoch: original(True, epoch))]


def _shows_open_transactions() -> Patches:
    return [(Partition, "last_stable_offset", property(lambda self: self.high_watermark))]


_OWNER = NodeInvariant.ONE_OWNER
_STAY = NodeInvariant.OFFSETS_STAY
_EXPECTED = NodeInvariant.EXPECTED_ERRORS
_SETTLES = NodeInvariant.SETTLES_AT_LAST
_HIDDEN = NodeInvariant.ABORTED_IS_HIDDEN
_ONCE = NodeInvariant.EXACTLY_ONCE

MUTATIONS: tuple[Mutation, ...] = (
    coordination_mutation("gives members others' assignments", (_OWNER,), _gives_assignments_of_others),
    coordination_mutation("gives away what is not revoked", (_OWNER,), _gives_away_what_is_not_revoked),
    coordination_mutation(
        "acknowledges commits before replication", (_STAY, _OWNER, _ONCE), _acknowledges_before_replication
    ),
    coordination_mutation("never ends sessions", (_SETTLES,), _never_ends_sessions),
    coordination_mutation("assigns nothing anew", (_SETTLES,), _does_not_assign_anew),
    coordination_mutation("takes no steps to assignments", (_EXPECTED,), _does_not_take_steps),
    coordination_mutation(
        "gives second producers the first one's epoch",
        (NodeInvariant.FENCED_WRITES_NOTHING,),
        _gives_second_producers_the_epoch_of_the_first,
    ),
    coordination_mutation("aborts no late transactions", (_SETTLES,), _does_not_abort_late_transactions),
    coordination_mutation(
        "commits offsets of aborted transactions",
        (_STAY, _ONCE),
        _commits_offsets_of_aborted_transactions,
    ),
    coordination_mutation("names no aborted transactions", (_HIDDEN,), _does_not_name_aborted_transactions),
    coordination_mutation(
        "takes committed transactions for aborted", (_ONCE,), _takes_committed_transactions_for_aborted
    ),
    coordination_mutation("shows open transactions", (_HIDDEN,), _shows_open_transactions),
)
