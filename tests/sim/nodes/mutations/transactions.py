"""Broken rules of transactions, beside those in `coordination`. Their runs are those that have groups."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from typing import Any

from msgspec import structs

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.transactions.coordinator import TransactionCoordinator
from kafkaproto_server.core.coordinators.transactions.ends import TransactionEnds
from kafkaproto_server.core.coordinators.transactions.markers import MarkerSender
from kafkaproto_server.core.coordinators.transactions.producer_initialization import ProducerInitialization
from kafkaproto_server.core.coordinators.transactions.transaction import Transaction, TransactionState
from kafkaproto_server.core.log_state.transactions import Transactions
from kafkaproto_server.core.replicas.verification import Verifications
from kafkaproto_server.requests.transaction_requests import ProducerOutcome
from kafkaproto_server.shell.coordinators.transactions.transactional_appends import TransactionalAppends
from tests.sim.mutations.mutation import Mutation, Patches
from tests.sim.nodes.coordination.traffic import FIRST_WITH_COORDINATORS
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.mutations.support import node_mutation, nothing
from tests.sim.nodes.swarms import FIRST_OF_SWARMS


def transaction_mutation(
    rule: str,
    noticed_by: tuple[enum.Enum, ...],
    patches: Callable[[], Patches],
    first_seed: int = FIRST_WITH_COORDINATORS,
) -> Mutation:
    """A rule of transactions. Any of ``noticed_by`` may notice it."""
    first, *also = noticed_by
    return node_mutation(rule, first, patches, also=tuple(also), first_seed=first_seed)


# -- who is the producer -----------------------------------------------------------------------------------------


def _leaves_open_what_it_takes_over() -> Patches:
    """The next producer begins at once, with the next epoch."""
    original = ProducerInitialization._init

    def init(self: Any, values: Any, done: Any) -> None:
        known = self._states.get(values.transactional_id)
        if known is None or known.state is not TransactionState.ONGOING:
            original(self, values, done)
        elif not self._states.is_pending(values.transactional_id):
            rests = dataclasses.replace(known, state=TransactionState.EMPTY, partitions=frozenset())
            self._write_producer(
                rests.initialized(values.transaction_timeout_ms, None, self._surroundings.wall_ms()), done
            )
        else:
            done(ProducerOutcome(code=ErrorCode.CONCURRENT_TRANSACTIONS))

    return [(ProducerInitialization, "_init", init)]


def _does_not_check_epochs() -> Patches:
    original = TransactionEnds._end_and_bump

    def end_and_bump(self: Any, transaction: Any, values: Any, done: Any) -> None:
        original(
            self,
            transaction,
            structs.replace(values, producer_epoch=transaction.producer_epoch),
            done,
        )

    return [
        (Transaction, "check_producer", nothing),
        (TransactionEnds, "_end_and_bump", end_and_bump),
    ]


def _aborts_without_a_new_epoch() -> Patches:
    def fenced(self: Any, *, version: int, next_producer_id: int, wall_ms: int) -> Transaction:
        return self.ended(is_commit=False, client_version=0, next_producer_id=-1, wall_ms=wall_ms)  # type: ignore[no-any-return]

    return [(Transaction, "fenced", fenced)]


# -- the end -----------------------------------------------------------------------------------------------------


def _completes_without_all_markers() -> Patches:
    original = MarkerSender.begin

    def begin(self: Any, transaction: Any) -> None:
        some = frozenset(sorted(transaction.partitions)[:1])
        original(self, dataclasses.replace(transaction, partitions=some))

    return [(MarkerSender, "begin", begin)]


def _forgets_decisions_when_it_moves() -> Patches:
    return [(TransactionEnds, "complete_left", nothing)]


def _forgets_partitions_when_it_moves() -> Patches:
    original = TransactionCoordinator.loaded

    def loaded(self: Any) -> Any:
        known = self._states._transactions
        for transactional_id, each in known.items():
            known[transactional_id] = dataclasses.replace(each, partitions=frozenset())
        return original(self)

    return [(TransactionCoordinator, "loaded", loaded)]


def _decides_before_that_is_committed() -> Patches:
    def decide(self: Any, ended: Any, told: Any) -> None:
        self._states.write(ended, nothing)
        told(ErrorCode.NONE)
        self._markers.begin(ended)

    return [(TransactionEnds, "_decide", decide)]


# -- the partitions ----------------------------------------------------------------------------------------------


def _appends_what_nobody_has_added() -> Patches:
    def verify(self: Any, producer: Any, places: Any, asks: Any, done: Any) -> None:
        done({}, {})

    return [(TransactionalAppends, "verify", verify), (Verifications, "is_valid", lambda *_: True)]


def _lets_anybody_take_part() -> Patches:
    def verify(self: Any, values: Any) -> Any:
        return dict.fromkeys(sorted(values.partitions), ErrorCode.NONE)

    return [(TransactionCoordinator, "verify_partitions", verify)]


def _keeps_guards_over_markers() -> Patches:
    return [(Verifications, "end_by_marker", nothing)]


def _shows_ends_that_may_be_lost() -> Patches:
    original = Transactions.complete

    def complete(self: Any, first_offset: int, last_offset: int) -> None:
        original(self, first_offset, last_offset)
        self.forget_ended_before(last_offset + 1)

    return [(Transactions, "complete", complete)]


_FENCED = NodeInvariant.FENCED_WRITES_NOTHING
_HIDDEN = NodeInvariant.ABORTED_IS_HIDDEN
_EXACTLY = NodeInvariant.EXACTLY_ONCE
_STAY = NodeInvariant.OFFSETS_STAY
_SETTLES = NodeInvariant.SETTLES_AT_LAST

MUTATIONS: tuple[Mutation, ...] = (
    transaction_mutation(
        "leaves open what it takes over",
        (_SETTLES, _HIDDEN, _EXACTLY, _FENCED),
        _leaves_open_what_it_takes_over,
    ),
    transaction_mutation(
        "does not check producer epochs", (_FENCED, _HIDDEN, _EXACTLY), _does_not_check_epochs
    ),
    transaction_mutation(
        "completes without all markers",
        (_SETTLES, _HIDDEN, _EXACTLY),
        _completes_without_all_markers,
    ),
    transaction_mutation("forgets decisions", (_SETTLES,), _forgets_decisions_when_it_moves),
    transaction_mutation(
        "forgets partitions of transactions",
        (_SETTLES, _HIDDEN, _EXACTLY),
        _forgets_partitions_when_it_moves,
    ),
    transaction_mutation(
        "appends what nobody has added", (_SETTLES, _HIDDEN), _appends_what_nobody_has_added
    ),
    transaction_mutation(
        "decides before that is committed",
        # A coordinator also ends if a transaction is complete whose end it has not decided.
        (_EXACTLY, _STAY, NodeInvariant.NO_FAILURE),
        _decides_before_that_is_committed,
        first_seed=FIRST_OF_SWARMS,
    ),
)

RARE: tuple[Mutation, ...] = (
    transaction_mutation("aborts without a new epoch", (_FENCED, _EXACTLY), _aborts_without_a_new_epoch),
    transaction_mutation("lets anybody take part", (_SETTLES,), _lets_anybody_take_part),
    transaction_mutation("keeps guards over markers", (_SETTLES,), _keeps_guards_over_markers),
    transaction_mutation("shows ends that may be lost", (_HIDDEN,), _shows_ends_that_may_be_lost),
)
"""As `records.RARE`: producers and coordinators have to be slow or gone at the right moment. Who takes part matters
only if a batch comes after the end of its transaction, when its connection is gone."""
