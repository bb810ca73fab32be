"""The transactional ids of one partition of ``__transaction_state``, as long as this broker leads it.

A transactional id has one producer at a time. A producer begins with InitProducerId, which fences those before it and
aborts what they have left open. It adds the partitions that it writes to, and ends the transaction. The end takes two
steps: the decision is written (Prepare), and once that is committed, nothing can change it. Then the leaders of all
partitions get markers, and when they all have them, that is written as well (Complete). If the broker fails in between,
the next coordinator finds the decision in the log and sends the markers again; its higher epoch, which is the leader
epoch of this partition, makes the leaders refuse those of the former one.

A transaction that stays open for longer than its producer's timeout is aborted, and its producer fenced. An id that is
not used for `transactional.id.expiration.ms` is removed.

Kafka has this in TransactionCoordinator; see KIP-98, KIP-360, KIP-890 and KIP-939.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import DescribeTransactionsResponse, ListTransactionsResponse
from kafkaproto_server.core.coordinators.transactions.config import TransactionConfig
from kafkaproto_server.core.coordinators.transactions.describe import (
    describe_one,
    filtered,
    not_described,
)
from kafkaproto_server.core.coordinators.transactions.markers import MarkerSender
from kafkaproto_server.core.coordinators.transactions.state_manager import (
    RETRY_MS,
    Told,
    TransactionStateManager,
)
from kafkaproto_server.core.coordinators.transactions.transaction import (
    EPOCH_BUMP_VERSION,
    MAX_EPOCH,
    NO_TIMEOUT_MS,
    RESTING,
    UNWRITTEN,
    Transaction,
    TransactionState,
)
from kafkaproto_server.core.coordinators.transactions.values import MarkerPorts, NextProducerId
from kafkaproto_server.core.coordinators.values import CoordinatorError, CoordinatorLog, Surroundings
from kafkaproto_server.requests.transaction_requests import (
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    AddPartitionsValues,
    EndTxnValues,
    InitProducerIdValues,
    ListValues,
    ProducerOutcome,
    TopicPartition,
)

INIT_KNOWS_FENCED = 4
ADD_KNOWS_FENCED = 2
END_KNOWS_FENCED = 2
"""The versions of requests whose clients know PRODUCER_FENCED; earlier ones are told INVALID_PRODUCER_EPOCH."""
END_BUMPS_EPOCH = 5
"""The version of EndTxn from which on clients work by transaction.version 2."""
TOMBSTONES_AT_ONCE = 500
"""The number of expired ids in one batch; an id is rarely longer than a hundred bytes."""
IDS_AT_ONCE = 50
"""How many transactions get a record, or their markers, in one turn."""
LOOKS_AT_ONCE = 2_000
"""How many are looked at in one turn: few of them are late, or were left by another coordinator."""

ADDITION_WAIT_MS = 20
"""How long partitions wait to be added while another change of their transaction is under way. The end of the former
transaction takes some milliseconds; a client or leader that is refused pauses for 20 ms before it asks again."""

Done = Callable[[ProducerOutcome], None]


def _code_for(code: ErrorCode, version: int, knows_fenced: int) -> ErrorCode:
    if code is ErrorCode.PRODUCER_FENCED and version < knows_fenced:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    return code


class TransactionCoordinator:
    """Decides for the transactional ids of one partition."""

    def __init__(
        self,
        config: Callable[[], TransactionConfig],
        log: CoordinatorLog,
        surroundings: Surroundings,
        *,
        coordinator_epoch: int,
        transaction_version: Callable[[], int],
        next_producer_id: NextProducerId,
        ports: MarkerPorts,
    ) -> None:
        """``coordinator_epoch`` is the leader epoch of the partition, ``transaction_version`` the level of that feature
        in the cluster."""
        self._config = config
        self._surroundings = surroundings
        self._transaction_version = transaction_version
        self._states = TransactionStateManager(log, surroundings, transaction_version, next_producer_id)
        self._markers = MarkerSender(coordinator_epoch, ports, surroundings, self._complete)
        # Transactional ids whose completion could not be written, and is to be written again.
        self._unwritten: set[str] = set()
        self._refusal: ErrorCode | None = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        """Why no request is served; None if they are."""

    # -- life ----------------------------------------------------------------------------------------------------

    def replay(self, key: Message, value: Message | None, offset: int, producer_id: int) -> None:
        """Take a record over, while the partition is read. Raises RecordError if it makes no sense."""
        self._states.replay(key, value)

    def marker(self, producer_id: int, is_commit: bool, offset: int) -> None:
        """No transaction has a part in the topic; a marker that comes all the same means nothing."""

    def loaded(self) -> Sequence[str]:
        """Everything is read, and all of it is committed: requests are served from now on, and transactions whose end
        was decided are completed. Returns what was mended: nothing ever is."""
        self._refusal = None
        self._some_at_a_time(self._is_left, IDS_AT_ONCE, self._send_markers_again, lambda: None)
        config = self._config()
        self._later(config.abort_interval_ms, self._abort_timed_out)
        self._later(config.remove_interval_ms, self._remove_expired)
        return ()

    def unload(self) -> None:
        """Another broker coordinates these transactional ids now."""
        self._refusal = ErrorCode.NOT_COORDINATOR
        self._states.close()
        self._markers.close()

    def _later(self, delay_ms: int, call: Callable[[], None]) -> None:
        """Call after a while, if requests are served then."""

        def due() -> None:
            if self._refusal is None:
                call()

        self._surroundings.call_at(self._surroundings.now_ms() + delay_ms, due)

    def _some_at_a_time(
        self,
        is_concerned: Callable[[Transaction], bool],
        count: int,
        act: Callable[[list[Transaction]], None],
        done: Callable[[], None],
    ) -> None:
        """Call ``act`` with the transactions that are concerned, so many in one turn: there may be a million. If it
        raises CoordinatorError, the log takes nothing at the moment, and that was all for now."""
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
                self._later(1, look_at_some)
            else:
                done()

        look_at_some()

    def _is_left(self, transaction: Transaction) -> bool:
        """Whether another coordinator has decided its end. Of one that ends here, the completion may be under way."""
        transactional_id = transaction.transactional_id
        is_resting = transaction.is_prepared and not self._states.is_pending(transactional_id)
        return is_resting and self._markers.remaining(transactional_id) is None

    def _send_markers_again(self, transactions: list[Transaction]) -> None:
        for each in transactions:
            self._markers.begin(each)

    def _check_served(self, transactional_id: str) -> None:
        if self._refusal is not None:
            raise CoordinatorError(self._refusal)
        if not transactional_id:
            raise CoordinatorError(ErrorCode.INVALID_REQUEST)

    # -- InitProducerId ------------------------------------------------------------------------------------------

    def init_producer_id(self, values: InitProducerIdValues, done: Done) -> None:
        """A producer begins. ``done`` gets its id and epoch, or an error.

        CONCURRENT_TRANSACTIONS while the end of the former transaction, or another change, is under way;
        PRODUCER_FENCED if another producer has come after this one.
        """

        def respond(outcome: ProducerOutcome) -> None:
            code = _code_for(outcome.code, values.version, INIT_KNOWS_FENCED)
            done(outcome if code is outcome.code else ProducerOutcome(code=code))

        try:
            self._check_init(values)
            self._init(values, respond)
        except CoordinatorError as error:
            respond(ProducerOutcome(code=error.code))

    def _check_init(self, values: InitProducerIdValues) -> None:
        self._check_served(values.transactional_id)
        has_id = values.producer_id != NO_PRODUCER_ID
        if has_id != (values.producer_epoch != NO_PRODUCER_EPOCH):
            raise CoordinatorError(ErrorCode.INVALID_REQUEST)
        config = self._config()
        if values.enable_2pc and not config.two_phase_commit_enable:
            raise CoordinatorError(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
        if values.keep_prepared_txn:
            # Apache Kafka 4.4.0 has the field, and nothing behind it.
            raise CoordinatorError(ErrorCode.UNSUPPORTED_VERSION)
        if not values.enable_2pc and not 0 < values.transaction_timeout_ms <= config.max_timeout_ms:
            raise CoordinatorError(ErrorCode.INVALID_TRANSACTION_TIMEOUT)

    def _init(self, values: InitProducerIdValues, done: Done) -> None:
        transactional_id = values.transactional_id
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
            self._states.with_producer_id(transactional_id, use, partial(self._failed, done))
            return
        if transaction.is_prepared:
            raise CoordinatorError(ErrorCode.CONCURRENT_TRANSACTIONS)
        self._check_usable(transaction)
        self._check_expected(transaction, values)
        if transaction.state is TransactionState.ONGOING:
            # The producer has to ask again, and gets an epoch behind the one that fences the former producer.
            self._abort_and_fence(transaction, partial(self._aborted_first, done))
        elif transaction.is_exhausted and expected in (None, transaction.producer_epoch):
            self._states.with_producer_id(transactional_id, use, partial(self._failed, done))
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
    def _failed(done: Done, code: ErrorCode) -> None:
        done(ProducerOutcome(code=code))

    @staticmethod
    def _aborted_first(done: Done, code: ErrorCode) -> None:
        is_aborting = code is ErrorCode.NONE
        done(ProducerOutcome(code=ErrorCode.CONCURRENT_TRANSACTIONS if is_aborting else code))

    # -- AddPartitionsToTxn, AddOffsetsToTxn ---------------------------------------------------------------------

    def add_partitions(self, values: AddPartitionsValues, done: Told) -> None:
        """Partitions take part in the producer's transaction, which begins with the first ones. ``done`` gets a code
        that is that of each partition.

        While another change is under way they wait, for a short time; then CONCURRENT_TRANSACTIONS.
        """

        def respond(code: ErrorCode) -> None:
            done(_code_for(code, values.version, ADD_KNOWS_FENCED))

        self._add_or_wait(values, respond, self._surroundings.now_ms() + ADDITION_WAIT_MS)

    def _add_or_wait(self, values: AddPartitionsValues, done: Told, until_ms: int) -> None:
        try:
            self._add(values, done)
        except CoordinatorError as error:
            is_under_way = error.code is ErrorCode.CONCURRENT_TRANSACTIONS
            if not is_under_way or self._surroundings.now_ms() >= until_ms:
                done(error.code)
                return
            transactional_id = values.transactional_id
            is_over = False

            def again() -> None:
                nonlocal is_over
                if not is_over:
                    is_over = True
                    self._states.forget_waiting(transactional_id, again)
                    self._add_or_wait(values, done, until_ms)

            self._states.when_changed(transactional_id, again)
            self._surroundings.call_at(until_ms, again)

    def _add(self, values: AddPartitionsValues, done: Told) -> None:
        self._check_served(values.transactional_id)
        self._known(values.transactional_id)
        transaction = self._states.followed_by_partitions(values.transactional_id)
        # Before anything else: the producer may have another id once what is under way is committed.
        if transaction is None or transaction.is_prepared:
            raise CoordinatorError(ErrorCode.CONCURRENT_TRANSACTIONS)
        self._check_producer(transaction, values.producer_id, values.producer_epoch)
        takes_part = (
            transaction.state is TransactionState.ONGOING and values.partitions <= transaction.partitions
        )
        if takes_part and not self._states.is_pending(values.transactional_id):
            done(ErrorCode.NONE)
            return
        client_version = EPOCH_BUMP_VERSION if values.bumps_epoch else 0
        wall_ms = self._surroundings.wall_ms()
        self._states.write(transaction.with_partitions(values.partitions, client_version, wall_ms), done)

    def verify_partitions(self, values: AddPartitionsValues) -> dict[TopicPartition, ErrorCode]:
        """Whether partitions take part in the producer's transaction, as a leader asks before it takes records
        (KIP-890): TRANSACTION_ABORTABLE of one that does not."""
        try:
            self._check_served(values.transactional_id)
            transaction = self._known(values.transactional_id)
            self._check_producer(transaction, values.producer_id, values.producer_epoch)
            if transaction.is_prepared:
                raise CoordinatorError(ErrorCode.CONCURRENT_TRANSACTIONS)
        except CoordinatorError as error:
            return dict.fromkeys(sorted(values.partitions), error.code)
        return {
            each: ErrorCode.NONE if each in transaction.partitions else ErrorCode.TRANSACTION_ABORTABLE
            for each in sorted(values.partitions)
        }

    def _known(self, transactional_id: str) -> Transaction:
        transaction = self._states.get(transactional_id)
        if transaction is None:
            raise CoordinatorError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
        self._check_usable(transaction)
        return transaction

    @staticmethod
    def _check_usable(transaction: Transaction) -> None:
        """No coordinator writes these states. A record that has one all the same is not to be trusted."""
        if transaction.state in UNWRITTEN:
            raise CoordinatorError(ErrorCode.UNKNOWN_SERVER_ERROR)

    @staticmethod
    def _check_producer(transaction: Transaction, producer_id: int, producer_epoch: int) -> None:
        if transaction.producer_id != producer_id:
            raise CoordinatorError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
        if transaction.producer_epoch != producer_epoch:
            raise CoordinatorError(ErrorCode.PRODUCER_FENCED)

    # -- EndTxn --------------------------------------------------------------------------------------------------

    def end(self, values: EndTxnValues, done: Done) -> None:
        """Commit or abort the producer's transaction. ``done`` is called once the decision is committed, from version 5
        on with the id and epoch of the producer's next transaction."""

        def respond(outcome: ProducerOutcome) -> None:
            code = _code_for(outcome.code, values.version, END_KNOWS_FENCED)
            done(outcome if code is outcome.code else ProducerOutcome(code=code))

        try:
            self._check_served(values.transactional_id)
            transaction = self._known(values.transactional_id)
            if values.version >= END_BUMPS_EPOCH:
                self._end_and_bump(transaction, values, respond)
            else:
                self._end(transaction, values, respond)
        except CoordinatorError as error:
            respond(ProducerOutcome(code=error.code))

    def _end(self, transaction: Transaction, values: EndTxnValues, done: Done) -> None:
        """By transaction.version 0 and 1. A repetition has the same epoch, and gets the same response."""
        self._check_producer(transaction, values.producer_id, values.producer_epoch)
        if self._states.is_pending(values.transactional_id) or transaction.is_prepared:
            raise CoordinatorError(ErrorCode.CONCURRENT_TRANSACTIONS)
        if transaction.state is TransactionState.ONGOING:
            ended = transaction.ended(
                is_commit=values.committed,
                client_version=0,
                next_producer_id=NO_PRODUCER_ID,
                wall_ms=self._surroundings.wall_ms(),
            )
            self._decide(ended, partial(self._failed, done))
        elif transaction.state is _complete_state(values.committed):
            done(ProducerOutcome(code=ErrorCode.NONE))
        else:
            raise CoordinatorError(ErrorCode.INVALID_TXN_STATE)

    def _end_and_bump(self, transaction: Transaction, values: EndTxnValues, done: Done) -> None:
        """By transaction.version 2. A repetition has the epoch before; the same epoch is the next transaction, which
        may be aborted without partitions, as the coordinator need not have heard of them yet."""
        has_next_id = (
            values.producer_id != transaction.producer_id
            and values.producer_id == transaction.previous_producer_id
            and values.producer_epoch == MAX_EPOCH - 1
        )
        if values.producer_id != transaction.producer_id and not has_next_id:
            raise CoordinatorError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
        if self._states.is_pending(values.transactional_id) or transaction.is_prepared:
            raise CoordinatorError(ErrorCode.CONCURRENT_TRANSACTIONS)
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
        if values.committed and transaction.state is not TransactionState.ONGOING:
            raise CoordinatorError(ErrorCode.INVALID_TXN_STATE)
        self._end_with_next_id(transaction, values.committed, done)

    def _end_with_next_id(self, transaction: Transaction, is_commit: bool, done: Done) -> None:
        def use(producer_id: int) -> None:
            wall_ms = self._surroundings.wall_ms()
            ended = transaction.ended(
                is_commit=is_commit,
                client_version=EPOCH_BUMP_VERSION,
                next_producer_id=producer_id,
                wall_ms=wall_ms,
            )

            def told(code: ErrorCode) -> None:
                # The producer goes on as if the transaction were complete, and is kept waiting until it is.
                is_decided = code is ErrorCode.NONE
                done(_identity(ended.completed(wall_ms)) if is_decided else ProducerOutcome(code=code))

            self._decide(ended, told)

        if transaction.is_exhausted:
            failed = partial(self._failed, done)
            self._states.with_producer_id(transaction.transactional_id, use, failed)
        else:
            use(NO_PRODUCER_ID)

    # -- the end of a transaction --------------------------------------------------------------------------------

    def _abort_and_fence(self, transaction: Transaction, told: Told) -> None:
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
            self._states.write(completed, lambda code: None)
        except CoordinatorError:
            self._unwritten.add(transactional_id)
            self._later(RETRY_MS, partial(self._complete, transactional_id))
        else:
            # Partitions of the next transaction may be added behind it.
            self._states.call_waiting(transactional_id)

    # -- time ----------------------------------------------------------------------------------------------------

    def _abort_timed_out(self) -> None:
        self._some_at_a_time(
            self._is_late,
            IDS_AT_ONCE,
            self._abort_late,
            lambda: self._later(self._config().abort_interval_ms, self._abort_timed_out),
        )

    def _is_late(self, transaction: Transaction) -> bool:
        is_open = transaction.state is TransactionState.ONGOING and transaction.has_timeout
        is_over = transaction.started_ms + transaction.timeout_ms < self._surroundings.wall_ms()
        return is_open and is_over and not self._states.is_pending(transaction.transactional_id)

    def _abort_late(self, transactions: list[Transaction]) -> None:
        for each in transactions:
            self._abort_and_fence(each, lambda code: None)

    def _remove_expired(self) -> None:
        oldest_ms = self._surroundings.wall_ms() - self._config().expiration_ms
        self._some_at_a_time(
            lambda transaction: self._has_expired(transaction, oldest_ms),
            TOMBSTONES_AT_ONCE,
            self._remove,
            lambda: self._later(self._config().remove_interval_ms, self._remove_expired),
        )

    def _has_expired(self, transaction: Transaction, oldest_ms: int) -> bool:
        is_unused = transaction.state in RESTING and transaction.updated_ms <= oldest_ms
        return is_unused and not self._states.is_pending(transaction.transactional_id)

    def _remove(self, transactions: list[Transaction]) -> None:
        if transactions:
            self._states.remove([each.transactional_id for each in transactions])

    # -- metrics -------------------------------------------------------------------------------------------------

    @property
    def leaderless_markers(self) -> int:
        """How many partitions wait for a leader that takes their marker."""
        return self._markers.leaderless

    @property
    def unwritten_completions(self) -> int:
        """How many transactions have all their markers, while the log does not take the record that says so."""
        return len(self._unwritten)

    # -- administrators ------------------------------------------------------------------------------------------

    def described_partitions(self, transactional_id: str) -> int:
        """How many partitions `describe` names, at most."""
        transaction = self._states.get(transactional_id)
        return 0 if transaction is None else len(transaction.partitions)

    def describe(self, transactional_id: str) -> DescribeTransactionsResponse.TransactionState:
        """One transaction; with TRANSACTIONAL_ID_NOT_FOUND if there is none."""
        try:
            self._check_served(transactional_id)
        except CoordinatorError as error:
            return not_described(transactional_id, error.code)
        transaction = self._states.get(transactional_id)
        if transaction is None:
            return not_described(transactional_id, ErrorCode.TRANSACTIONAL_ID_NOT_FOUND)
        remaining = self._markers.remaining(transactional_id)
        return describe_one(transaction, transaction.partitions if remaining is None else remaining)

    def list_transactions(
        self, values: ListValues
    ) -> Iterator[ListTransactionsResponse.TransactionState | None]:
        """The transactions that pass the filters, in no order; None for each one that does not, so that the caller can
        pause. Raises CoordinatorError."""
        if self._refusal is not None:
            raise CoordinatorError(self._refusal)
        return filtered(self._states.all(), values, self._surroundings.wall_ms())


def _complete_state(is_commit: bool) -> TransactionState:
    return TransactionState.COMPLETE_COMMIT if is_commit else TransactionState.COMPLETE_ABORT


def _identity(transaction: Transaction) -> ProducerOutcome:
    return ProducerOutcome(
        code=ErrorCode.NONE,
        producer_id=transaction.producer_id,
        producer_epoch=transaction.producer_epoch,
    )
