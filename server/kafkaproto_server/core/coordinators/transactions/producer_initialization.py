"""A producer begins (InitProducerId): the id and the epoch that it gets, and which other producers it fences.

The next producer of a transactional id gets the next epoch, which fences the one before; what that one has left open is
aborted first. A producer that knows its id and epoch asks for the next epoch after an error, and may repeat that
(KIP-360). If the epochs of an id are used up, the producer gets another id.

Apache Kafka has this in TransactionCoordinator.handleInitProducerId and prepareInitProducerIdTransit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.transactions.config import TransactionConfig
from kafkaproto_server.core.coordinators.transactions.ends import Done, TransactionEnds, refuse
from kafkaproto_server.core.coordinators.transactions.state_manager import TransactionStateManager
from kafkaproto_server.core.coordinators.transactions.transaction import (
    MAX_EPOCH,
    NO_TIMEOUT_MS,
    Transaction,
    TransactionState,
)
from kafkaproto_server.core.coordinators.values import CoordinatorError, Surroundings
from kafkaproto_server.requests.transaction_requests import (
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    InitProducerIdValues,
    ProducerOutcome,
)


class ProducerInitialization:
    """Gives producers their ids and epochs."""

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

    def begin(self, values: InitProducerIdValues, done: Done) -> None:
        """See `TransactionCoordinator.init_producer_id`. Raises CoordinatorError."""
        self._check_init(values)
        self._init(values, done)

    def _check_init(self, values: InitProducerIdValues) -> None:
        # Half an identity is nobody's. It would pass the check below for that of a new producer.
        has_id = values.producer_id != NO_PRODUCER_ID
        if has_id != (values.producer_epoch != NO_PRODUCER_EPOCH):
            raise CoordinatorError(ErrorCode.INVALID_REQUEST)
        config = self._config()
        # Its transactions never time out (KIP-939), so one forgotten client holds up all readers until somebody
        # intervenes. Kafka has no error of its own for that and takes the one of a missing right.
        if values.enable_2pc and not config.two_phase_commit_enable:
            raise CoordinatorError(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
        if values.keep_prepared_txn:
            # Apache Kafka 4.4.0 has the field, and nothing behind it.
            raise CoordinatorError(ErrorCode.UNSUPPORTED_VERSION)
        # With two-phase commit the timeout is not used, so any value may be there.
        if not values.enable_2pc and not 0 < values.transaction_timeout_ms <= config.max_timeout_ms:
            raise CoordinatorError(ErrorCode.INVALID_TRANSACTION_TIMEOUT)

    def _init(self, values: InitProducerIdValues, done: Done) -> None:
        transactional_id = values.transactional_id
        # Also while a producer id is on its way: two requests at once would give two producers the same epoch.
        if self._states.is_pending(transactional_id):
            raise CoordinatorError(ErrorCode.CONCURRENT_TRANSACTIONS)
        timeout_ms = NO_TIMEOUT_MS if values.enable_2pc else values.transaction_timeout_ms
        expected = None if values.producer_id == NO_PRODUCER_ID else values.producer_epoch
        transaction = self._states.get(transactional_id)

        def use(producer_id: int) -> None:
            wall_ms = self._surroundings.wall_ms()
            if transaction is None:
                begun = Transaction.new(transactional_id, producer_id, timeout_ms, wall_ms)
            else:
                begun = transaction.rotated(producer_id, timeout_ms, expected, wall_ms)
            self._write_producer(begun, done)

        if transaction is None:
            self._states.with_producer_id(transactional_id, use, partial(refuse, done))
            return
        # Its markers have the present epoch. A producer that begins now could write before they are in the log, and its
        # records would end with the former transaction.
        if transaction.is_prepared:
            raise CoordinatorError(ErrorCode.CONCURRENT_TRANSACTIONS)
        transaction.check_usable()
        self._check_expected(transaction, values)
        if transaction.state is TransactionState.ONGOING:
            # The producer has to ask again, and gets an epoch behind the one that fences the former producer.
            self._ends.abort_and_fence(transaction, partial(self._aborted_first, done))
        # A repetition is left out: it gets the epoch that it was given, and costs no other id.
        elif transaction.is_exhausted and expected in (None, transaction.producer_epoch):
            self._states.with_producer_id(transactional_id, use, partial(refuse, done))
        else:
            wall_ms = self._surroundings.wall_ms()
            self._write_producer(transaction.initialized(timeout_ms, expected, wall_ms), done)

    @staticmethod
    def _check_expected(transaction: Transaction, values: InitProducerIdValues) -> None:
        """Whether the producer may be the one that it takes itself for. Its epoch is checked with the next state, but
        for an open transaction here: in Apache Kafka a fenced producer can abort the transaction of the next one."""
        if values.producer_id == NO_PRODUCER_ID:
            return
        is_open = transaction.state is TransactionState.ONGOING
        if values.producer_id == transaction.producer_id:
            is_valid = not is_open or values.producer_epoch == transaction.producer_epoch
        else:
            # It may have missed the response that gave it another id, as its epochs were at their end.
            is_valid = (
                values.producer_id == transaction.previous_producer_id
                and values.producer_epoch >= MAX_EPOCH - 1
            )
        if not is_valid:
            raise CoordinatorError(ErrorCode.PRODUCER_FENCED)

    def _write_producer(self, begun: Transaction, done: Done) -> None:
        def told(code: ErrorCode) -> None:
            if code is ErrorCode.NONE:
                outcome = ProducerOutcome(
                    code=code, producer_id=begun.producer_id, producer_epoch=begun.producer_epoch
                )
            else:
                outcome = ProducerOutcome(code=code)
            done(outcome)

        self._states.write(begun, told)

    @staticmethod
    def _aborted_first(done: Done, code: ErrorCode) -> None:
        is_aborting = code is ErrorCode.NONE
        done(ProducerOutcome(code=ErrorCode.CONCURRENT_TRANSACTIONS if is_aborting else code))
