"""The scans over all transactional ids of a coordinator: a million of them take many turns of the loop.

- The coordinator before has decided the ends of some transactions: each is completed, once, after loading.
- A transaction stays open for longer than its producer's timeout: it is aborted, and its producer fenced.
- An id is not used for ``transactional.id.expiration.ms``: it is removed.

Apache Kafka has this in TransactionCoordinator.abortTimedOutTransactions and in TransactionStateManager
(timedOutTransactions, enableTransactionalIdExpiration, loadTransactionsForTxnTopicPartition).
"""

from __future__ import annotations

from collections.abc import Callable

from kafkaproto_server.core.coordinators.transactions.config import TransactionConfig
from kafkaproto_server.core.coordinators.transactions.ends import TransactionEnds
from kafkaproto_server.core.coordinators.transactions.state_manager import TransactionStateManager
from kafkaproto_server.core.coordinators.transactions.transaction import (
    RESTING,
    Transaction,
    TransactionState,
)
from kafkaproto_server.core.coordinators.values import CoordinatorError, Surroundings

TOMBSTONES_AT_ONCE = 500
"""The number of expired ids in one batch; an id is rarely longer than a hundred bytes."""
IDS_AT_ONCE = 50
"""How many transactions get a record, or their markers, in one turn."""
LOOKS_AT_ONCE = 2_000
"""How many are looked at in one turn: few of them are late, or were left by another coordinator."""


class TransactionScans:
    """Looks for transactions that were left, are late or are not used any more."""

    def __init__(
        self,
        config: Callable[[], TransactionConfig],
        states: TransactionStateManager,
        surroundings: Surroundings,
        ends: TransactionEnds,
    ) -> None:
        self._config = config
        self._states = states
        self._surroundings = surroundings
        self._ends = ends

    def begin(self) -> None:
        """Everything is loaded: complete what was left, and look for the others from time to time."""
        # At once: consumers that read committed records stand still before these transactions.
        self._some_at_a_time(self._ends.is_left, IDS_AT_ONCE, self._ends.complete_left, lambda: None)
        config = self._config()
        self._states.later(config.abort_interval_ms, self._abort_timed_out)
        self._states.later(config.remove_interval_ms, self._remove_expired)

    def _some_at_a_time(
        self,
        is_concerned: Callable[[Transaction], bool],
        count: int,
        act: Callable[[list[Transaction]], None],
        done: Callable[[], None],
    ) -> None:
        """Call ``act`` with the transactions that are concerned, so many in one turn: there may be a million. If it
        raises CoordinatorError, the log takes nothing at the moment, and that was all for now."""
        # A copy: between two turns, transactional ids come and go.
        rest = iter(self._states.ids())

        def look_at_some() -> None:
            found: list[Transaction] = []
            looks = 0
            for transactional_id in rest:
                transaction = self._states.get(transactional_id)
                if transaction is not None and is_concerned(transaction):
                    found.append(transaction)
                looks += 1
                if len(found) == count or looks == LOOKS_AT_ONCE:
                    break
            may_go_on = len(found) == count or looks == LOOKS_AT_ONCE
            try:
                act(found)
            except CoordinatorError:
                may_go_on = False
            if may_go_on:
                self._states.later(1, look_at_some)
            else:
                done()

        look_at_some()

    def _abort_timed_out(self) -> None:
        self._some_at_a_time(
            self._is_late,
            IDS_AT_ONCE,
            self._abort_late,
            lambda: self._states.later(self._config().abort_interval_ms, self._abort_timed_out),
        )

    def _is_late(self, transaction: Transaction) -> bool:
        is_open = transaction.state is TransactionState.ONGOING and transaction.has_timeout
        # By wall time, since another broker may have noted the start. A clock that is wrong ends transactions early or
        # late, as in Kafka.
        is_over = transaction.started_ms + transaction.timeout_ms < self._surroundings.wall_ms()
        return is_open and is_over and not self._states.is_pending(transaction.transactional_id)

    def _abort_late(self, transactions: list[Transaction]) -> None:
        for each in transactions:
            self._ends.abort_and_fence(each, lambda code: None)

    def _remove_expired(self) -> None:
        # Noted once for the whole scan, which takes many turns: what is used meanwhile has a newer time anyway.
        oldest_ms = self._surroundings.wall_ms() - self._config().expiration_ms
        self._some_at_a_time(
            lambda transaction: self._has_expired(transaction, oldest_ms),
            TOMBSTONES_AT_ONCE,
            self._remove,
            lambda: self._states.later(self._config().remove_interval_ms, self._remove_expired),
        )

    def _has_expired(self, transaction: Transaction, oldest_ms: int) -> bool:
        # An open transaction is never forgotten, however old: its partitions wait for markers that only this
        # coordinator sends.
        is_unused = transaction.state in RESTING and transaction.updated_ms <= oldest_ms
        return is_unused and not self._states.is_pending(transaction.transactional_id)

    def _remove(self, transactions: list[Transaction]) -> None:
        if transactions:
            self._states.remove([each.transactional_id for each in transactions])
