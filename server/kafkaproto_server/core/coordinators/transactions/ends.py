"""How transactions end: by their producer (EndTxn), or by the coordinator, which fences the producer (KIP-98, KIP-890).

First the end is decided and written (Prepare). Once that is committed, nothing can change it: markers go to the leaders
of all partitions. When all have theirs, that is written as well (Complete).

Apache Kafka has this in TransactionCoordinator.endTransaction and endTransactionWithTV1, and in
TransactionMarkerChannelManager.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.transactions.markers import MarkerSender
from kafkaproto_server.core.coordinators.transactions.state_manager import (
    RETRY_MS,
    Told,
    TransactionStateManager,
)
from kafkaproto_server.core.coordinators.transactions.transaction import (
    EPOCH_BUMP_VERSION,
    MAX_EPOCH,
    RESTING,
    Transaction,
    TransactionState,
)
from kafkaproto_server.core.coordinators.transactions.values import MarkerPorts
from kafkaproto_server.core.coordinators.values import CoordinatorError, Surroundings
from kafkaproto_server.requests.transaction_requests import (
    NO_PRODUCER_ID,
    EndTxnValues,
    ProducerOutcome,
    TopicPartition,
)

END_BUMPS_EPOCH = 5
"""The version of EndTxn from which on clients work by transaction.version 2."""

Done = Callable[[ProducerOutcome], None]


class TransactionEnds:
    """Decides how transactions end, and sees to it that all their partitions hear of it."""

    def __init__(
        self,
        states: TransactionStateManager,
        surroundings: Surroundings,
        transaction_version: Callable[[], int],
        coordinator_epoch: int,
        ports: MarkerPorts,
    ) -> None:
        self._states = states
        self._surroundings = surroundings
        self._transaction_version = transaction_version
        self._markers = MarkerSender(coordinator_epoch, ports, surroundings, self._complete)
        # Transactional ids whose completion could not be written, and is to be written again.
        self._unwritten: set[str] = set()

    def close(self) -> None:
        """Another broker coordinates: send no markers any more."""
        self._markers.close()

    # -- by the producer -----------------------------------------------------------------------------------------

    def end(self, transaction: Transaction, values: EndTxnValues, done: Done) -> None:
        """See `TransactionCoordinator.end`. Raises CoordinatorError."""
        # The version of the request says how the client goes on, whatever transaction.version is by now.
        if values.version >= END_BUMPS_EPOCH:
            self._end_and_bump(transaction, values, done)
        else:
            self._end(transaction, values, done)

    def _end(self, transaction: Transaction, values: EndTxnValues, done: Done) -> None:
        """By transaction.version 0 and 1. A repetition has the same epoch, and gets the same response."""
        # Before anything that the client may try again: a fenced producer that is told to wait would never stop.
        transaction.check_producer(values.producer_id, values.producer_epoch)
        if self._states.is_pending(values.transactional_id) or transaction.is_prepared:
            raise CoordinatorError(ErrorCode.CONCURRENT_TRANSACTIONS)
        # By these versions a transaction has added a partition before it ends. In any other state the request is a
        # repetition, or an error.
        if transaction.state is TransactionState.ONGOING:
            ended = transaction.ended(
                is_commit=values.committed,
                client_version=0,
                next_producer_id=NO_PRODUCER_ID,
                wall_ms=self._surroundings.wall_ms(),
            )
            self._decide(ended, partial(refuse, done))
        # The response was lost, and the client asks again. If it asks for the opposite now, it must not hear of
        # success.
        elif transaction.state is _complete_state(values.committed):
            done(ProducerOutcome(code=ErrorCode.NONE))
        else:
            raise CoordinatorError(ErrorCode.INVALID_TXN_STATE)

    def _end_and_bump(self, transaction: Transaction, values: EndTxnValues, done: Done) -> None:
        """By transaction.version 2. A repetition has the epoch before; the same epoch is the next transaction, which
        may be aborted without partitions, as the coordinator need not have heard of them yet."""
        # The end before has used the last epoch up, and its response named another id. A client that has missed it
        # repeats the request with the old id, whose last epoch is the highest that producers get.
        has_next_id = (
            values.producer_id != transaction.producer_id
            and values.producer_id == transaction.previous_producer_id
            and values.producer_epoch == MAX_EPOCH - 1
        )
        if values.producer_id != transaction.producer_id and not has_next_id:
            raise CoordinatorError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
        # Before the epochs are compared. With the decision the epoch rises, so that a repetition has the one before;
        # the transaction is not complete, and to call the producer fenced would stop it for good.
        if self._states.is_pending(values.transactional_id) or transaction.is_prepared:
            raise CoordinatorError(ErrorCode.CONCURRENT_TRANSACTIONS)
        # Only an end makes a repetition possible. InitProducerId bumps the epoch as well, and leaves Empty: what comes
        # with the epoch before that is a producer that was fenced.
        was_bumped = (
            transaction.state in RESTING
            and transaction.state is not TransactionState.EMPTY
            and transaction.client_version >= EPOCH_BUMP_VERSION
        )
        if was_bumped and (has_next_id or values.producer_epoch + 1 == transaction.producer_epoch):
            if transaction.state is not _complete_state(values.committed):
                raise CoordinatorError(ErrorCode.INVALID_TXN_STATE)
            done(_identity(transaction))
            return
        if has_next_id or values.producer_epoch != transaction.producer_epoch:
            raise CoordinatorError(ErrorCode.PRODUCER_FENCED)
        # An abort is taken all the same. Records may be on their way to a leader that adds their partition only when
        # they come (KIP-890); the epoch has to rise so that they are refused.
        if values.committed and transaction.state is not TransactionState.ONGOING:
            raise CoordinatorError(ErrorCode.INVALID_TXN_STATE)
        self._end_with_next_id(transaction, values.committed, done)

    def _end_with_next_id(self, transaction: Transaction, is_commit: bool, done: Done) -> None:
        def use(producer_id: int) -> None:
            wall_ms = self._surroundings.wall_ms()
            # It is still the newest state: until the producer id has come, the transactional id counts as pending.
            ended = transaction.ended(
                is_commit=is_commit,
                client_version=EPOCH_BUMP_VERSION,
                next_producer_id=producer_id,
                wall_ms=wall_ms,
            )

            def told(code: ErrorCode) -> None:
                # EndTxn does not wait for the markers, or one partition without a leader would stop the producer.
                # The producer goes on as if the transaction were complete, and is kept waiting until it is.
                is_decided = code is ErrorCode.NONE
                done(_identity(ended.completed(wall_ms)) if is_decided else ProducerOutcome(code=code))

            self._decide(ended, told)

        # The record of the decision names the next id. A coordinator that takes over at this moment completes the
        # transaction with the same one.
        if transaction.is_exhausted:
            failed = partial(refuse, done)
            self._states.with_producer_id(transaction.transactional_id, use, failed)
        else:
            use(NO_PRODUCER_ID)

    # -- by the coordinator --------------------------------------------------------------------------------------

    def abort_and_fence(self, transaction: Transaction, told: Told) -> None:
        """Abort a transaction without its producer. Raises CoordinatorError."""
        version = self._transaction_version()

        def use(producer_id: int) -> None:
            wall_ms = self._surroundings.wall_ms()
            self._decide(
                transaction.fenced(version=version, next_producer_id=producer_id, wall_ms=wall_ms), told
            )

        if version >= EPOCH_BUMP_VERSION and transaction.is_exhausted:
            self._states.with_producer_id(transaction.transactional_id, use, told)
        else:
            use(NO_PRODUCER_ID)

    # -- the decision and its markers ----------------------------------------------------------------------------

    def _decide(self, ended: Transaction, told: Told) -> None:
        """Write how a transaction ends, and send its markers once that is committed. Raises CoordinatorError."""
        self._states.write(ended, told, partial(self._markers.begin, ended))

    def _complete(self, transactional_id: str) -> None:
        """All partitions of a transaction have their markers."""
        transaction = self._states.get(transactional_id)
        assert transaction is not None, "an id does not expire before its transaction is complete"
        completed = transaction.completed(self._surroundings.wall_ms())
        self._unwritten.discard(transactional_id)
        try:
            # Nobody waits for this record. If it is lost with this broker, the next coordinator sends the markers
            # again, and leaders take those that they have already.
            self._states.write(completed, lambda code: None)
        except CoordinatorError:
            self._unwritten.add(transactional_id)
            self._states.later(RETRY_MS, partial(self._complete, transactional_id))
        else:
            # Partitions of the next transaction may be added behind it.
            self._states.call_waiting(transactional_id)

    def is_left(self, transaction: Transaction) -> bool:
        """Whether another coordinator has decided its end. Of one that ends here, the completion may be under way, or
        be tried again because the log has refused it."""
        transactional_id = transaction.transactional_id
        is_resting = transaction.is_prepared and not self._states.is_pending(transactional_id)
        has_ended_here = transactional_id in self._unwritten
        return is_resting and not has_ended_here and self._markers.remaining(transactional_id) is None

    def complete_left(self, transactions: Sequence[Transaction]) -> None:
        """Another coordinator has decided the ends of these: send their markers."""
        for each in transactions:
            self._markers.begin(each)

    def remaining(self, transactional_id: str) -> frozenset[TopicPartition] | None:
        """The partitions of a transaction that may have no marker yet; None if none is to be sent."""
        return self._markers.remaining(transactional_id)

    # -- metrics -------------------------------------------------------------------------------------------------

    @property
    def leaderless_markers(self) -> int:
        """How many partitions wait for a leader that takes their marker."""
        return self._markers.leaderless

    @property
    def unwritten_completions(self) -> int:
        """How many transactions have all their markers, while the log does not take the record that says so."""
        return len(self._unwritten)


def refuse(done: Done, code: ErrorCode) -> None:
    """The request of a producer has this error."""
    done(ProducerOutcome(code=code))


def _complete_state(is_commit: bool) -> TransactionState:
    return TransactionState.COMPLETE_COMMIT if is_commit else TransactionState.COMPLETE_ABORT


def _identity(transaction: Transaction) -> ProducerOutcome:
    return ProducerOutcome(
        code=ErrorCode.NONE,
        producer_id=transaction.producer_id,
        producer_epoch=transaction.producer_epoch,
    )
