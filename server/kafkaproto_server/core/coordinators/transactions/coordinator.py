"""The transactional ids of one partition of ``__transaction_state``, as long as this broker leads it.

A transactional id has one producer at a time. A producer begins with InitProducerId, which fences those before it and
aborts what they have left open. It adds the partitions that it writes to, and ends the transaction. The end takes two
steps: the decision is written (Prepare), and once that is committed, nothing can change it. Then the leaders of all
partitions get markers, and when they all have them, that is written as well (Complete). If the broker fails in between,
the next coordinator finds the decision in the log and sends the markers again; its higher epoch, which is the leader
epoch of this partition, makes the leaders refuse those of the former one.

A transaction that stays open for longer than its producer's timeout is aborted, and its producer fenced. An id that is
not used for `transactional.id.expiration.ms` is removed.

Apache Kafka has this in TransactionCoordinator; see KIP-98, KIP-360, KIP-890 and KIP-939.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import DescribeTransactionsResponse, ListTransactionsResponse
from kafkaproto_server.core.coordinators.transactions.config import TransactionConfig
from kafkaproto_server.core.coordinators.transactions.describe import (
    describe_one,
    filtered,
    not_described,
)
from kafkaproto_server.core.coordinators.transactions.ends import Done, TransactionEnds
from kafkaproto_server.core.coordinators.transactions.producer_initialization import ProducerInitialization
from kafkaproto_server.core.coordinators.transactions.scans import TransactionScans
from kafkaproto_server.core.coordinators.transactions.state_manager import (
    Told,
    TransactionStateManager,
)
from kafkaproto_server.core.coordinators.transactions.transaction import (
    EPOCH_BUMP_VERSION,
    Transaction,
    TransactionState,
)
from kafkaproto_server.core.coordinators.transactions.values import MarkerPorts, NextProducerId
from kafkaproto_server.core.coordinators.values import CoordinatorError, CoordinatorLog, Surroundings
from kafkaproto_server.requests.transaction_requests import (
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
ADDITION_WAIT_MS = 20
"""How long partitions wait to be added while another change of their transaction is under way. The end of the former
transaction takes some milliseconds; a client or leader that is refused pauses for 20 ms before it asks again."""


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
        self._surroundings = surroundings
        self._states = TransactionStateManager(log, surroundings, transaction_version, next_producer_id)
        self._ends = TransactionEnds(
            self._states, surroundings, transaction_version, coordinator_epoch, ports
        )
        self._initialization = ProducerInitialization(config, self._states, surroundings, self._ends)
        self._scans = TransactionScans(config, self._states, surroundings, self._ends)
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
        # Before the scans, which write at once if there is something to complete.
        self._refusal = None
        self._scans.begin()
        return ()

    def unload(self) -> None:
        """Another broker coordinates these transactional ids now."""
        # First: closing lets the requests that wait look again, and they have to be refused.
        self._refusal = ErrorCode.NOT_COORDINATOR
        self._states.close()
        self._ends.close()

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
            self._check_served(values.transactional_id)
            self._initialization.begin(values, respond)
        except CoordinatorError as error:
            respond(ProducerOutcome(code=error.code))

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

            # The change and the clock both call it, and the first one counts.
            self._states.when_changed(transactional_id, again)
            self._surroundings.call_at(until_ms, again)

    def _add(self, values: AddPartitionsValues, done: Told) -> None:
        self._check_served(values.transactional_id)
        self._known(values.transactional_id)
        transaction = self._states.followed_by_partitions(values.transactional_id)
        # The newest state and not the committed one: partitions may be added behind other partitions at once.
        # Before anything else: the producer may have another id once what is under way is committed.
        if transaction is None or transaction.is_prepared:
            raise CoordinatorError(ErrorCode.CONCURRENT_TRANSACTIONS)
        transaction.check_producer(values.producer_id, values.producer_epoch)
        takes_part = (
            transaction.state is TransactionState.ONGOING and values.partitions <= transaction.partitions
        )
        # Clients add partitions again after an error. Without a change there is nothing to write; while the first
        # addition is not committed, the second record keeps this response back for as long.
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
            # The committed state alone counts: what is not committed may be lost with this broker, and then nobody
            # would send a marker to the partition that the leader is about to write to.
            transaction = self._known(values.transactional_id)
            transaction.check_producer(values.producer_id, values.producer_epoch)
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
        transaction.check_usable()
        return transaction

    # -- EndTxn --------------------------------------------------------------------------------------------------

    def end(self, values: EndTxnValues, done: Done) -> None:
        """Commit or abort the producer's transaction. ``done`` is called once the decision is committed, from version 5
        on with the id and epoch of the producer's next transaction."""

        def respond(outcome: ProducerOutcome) -> None:
            code = _code_for(outcome.code, values.version, END_KNOWS_FENCED)
            done(outcome if code is outcome.code else ProducerOutcome(code=code))

        try:
            self._check_served(values.transactional_id)
            # Also of the committed state. Whatever is written and not committed yet makes the request wait.
            transaction = self._known(values.transactional_id)
            self._ends.end(transaction, values, respond)
        except CoordinatorError as error:
            respond(ProducerOutcome(code=error.code))

    # -- metrics -------------------------------------------------------------------------------------------------

    @property
    def leaderless_markers(self) -> int:
        """How many partitions wait for a leader that takes their marker."""
        return self._ends.leaderless_markers

    @property
    def unwritten_completions(self) -> int:
        """How many transactions have all their markers, while the log does not take the record that says so."""
        return self._ends.unwritten_completions

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
        # As in Kafka, which takes a partition out of the transaction as soon as it has its marker: an operator sees
        # which leaders are still missing.
        remaining = self._ends.remaining(transactional_id)
        return describe_one(transaction, transaction.partitions if remaining is None else remaining)

    def list_transactions(
        self, values: ListValues
    ) -> Iterator[ListTransactionsResponse.TransactionState | None]:
        """The transactions that pass the filters, in no order; None for each one that does not, so that the caller can
        pause. Raises CoordinatorError."""
        if self._refusal is not None:
            raise CoordinatorError(self._refusal)
        return filtered(self._states.all(), values, self._surroundings.wall_ms())
