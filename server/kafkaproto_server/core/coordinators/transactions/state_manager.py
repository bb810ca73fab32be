"""The transactional ids of one partition of ``__transaction_state``: what is known of them, and how that is written.

A change is in memory as soon as it is appended, so that the next one begins from it. Nobody is told of it, and nothing
is done because of it, before its record is committed: until then, questions are answered from the state before it. If
the log cannot tell in time whether a record is committed, the caller is told that, and the manager waits on: the record
is in the log, and only a new leader of the partition can remove it.

Another change of the same id is refused meanwhile, but for one kind: partitions may be added behind partitions, and
behind the completion of the transaction before. A leader that has the later record has the earlier one, and what may be
done because of the later one is not done before both are committed. So a transaction waits for one replication less.

Apache Kafka has this in TransactionStateManager, which changes its memory when a record is committed, and has one
change of an id under way.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import TransactionLogKey
from kafkaproto_server.core.coordinators.transactions.records import record_of, tombstone_of, transaction_of
from kafkaproto_server.core.coordinators.transactions.transaction import Transaction, TransactionState
from kafkaproto_server.core.coordinators.transactions.values import NextProducerId
from kafkaproto_server.core.coordinators.values import CoordinatorError, CoordinatorLog, Record, Surroundings

RETRY_MS = 100
"""The time until the log is asked again."""

Told = Callable[[ErrorCode], None]

_FOLLOWED_BY_PARTITIONS = frozenset(
    {TransactionState.ONGOING, TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT}
)
"""The states behind which partitions are added before they are committed. Neither changes who the producer is, other
than the decision before it has."""


@dataclass(slots=True)
class _Write:
    """Records that are appended and not known to be committed."""

    transactional_ids: Sequence[str]
    end_offset: int
    told: Told
    committed: Callable[[], None]
    is_told: bool = False


class TransactionStateManager:
    """Knows the transactional ids, and writes their changes."""

    def __init__(
        self,
        log: CoordinatorLog,
        surroundings: Surroundings,
        transaction_version: Callable[[], int],
        next_producer_id: NextProducerId,
    ) -> None:
        self._log = log
        self._surroundings = surroundings
        self._transaction_version = transaction_version
        self._next_producer_id = next_producer_id
        self._transactions: dict[str, Transaction] = {}
        self._before: dict[str, deque[tuple[int, Transaction | None]]] = {}
        """What was known before each change that is not committed, with the offset behind its record; in order."""
        self._waiting: dict[str, dict[Callable[[], None], None]] = {}
        """Who is to be called at the next change of a transactional id."""
        self._awaiting_ids: set[str] = set()
        """Transactional ids for which a producer id is on its way."""
        self._is_closed = False

    def replay(self, key: Message, value: Message | None) -> None:
        """Take a record over. Raises RecordError if it makes no sense."""
        if not isinstance(key, TransactionLogKey):
            return
        if value is None:
            # A tombstone may come without its record, once compaction has removed that one.
            self._transactions.pop(key.transactional_id, None)
        else:
            self._transactions[key.transactional_id] = transaction_of(key, value)

    def close(self) -> None:
        """Another broker coordinates: forget everything, and do nothing more."""
        self._is_closed = True
        self._transactions.clear()
        self._before.clear()
        # They find that another broker coordinates. Without this they would wait for changes that never come.
        for each in tuple(self._waiting):
            self.call_waiting(each)

    def later(self, delay_ms: int, call: Callable[[], None]) -> None:
        """Call after a while, unless another broker coordinates by then."""

        def due() -> None:
            if not self._is_closed:
                call()

        self._surroundings.call_at(self._surroundings.now_ms() + delay_ms, due)

    # -- what is known -------------------------------------------------------------------------------------------

    def get(self, transactional_id: str) -> Transaction | None:
        """The committed state of a transactional id; None if there is none."""
        # The oldest of the changes under way: all before it is committed.
        if transactional_id in self._before:
            return self._before[transactional_id][0][1]
        return self._transactions.get(transactional_id)

    def followed_by_partitions(self, transactional_id: str) -> Transaction | None:
        """The state behind which partitions may be added now; None while another change is under way."""
        latest = self._transactions.get(transactional_id)
        if not self.is_pending(transactional_id):
            return latest
        # A producer id that is on its way will be written over the state of this moment.
        if latest is None or transactional_id in self._awaiting_ids:
            return None
        return latest if latest.state in _FOLLOWED_BY_PARTITIONS else None

    def ids(self) -> Iterable[str]:
        """All transactional ids, as they are at this moment."""
        # A dict keeps an order that is the same in each process; a set would not.
        return dict.fromkeys([*self._transactions, *self._before])

    def all(self) -> Iterator[Transaction]:
        """The committed state of all transactional ids. Each is looked at when its turn comes."""
        return (found for each in self.ids() if (found := self.get(each)) is not None)

    def is_pending(self, transactional_id: str) -> bool:
        """Whether a change of the transactional id is under way."""
        return transactional_id in self._before or transactional_id in self._awaiting_ids

    def when_changed(self, transactional_id: str, call: Callable[[], None]) -> None:
        """Call once a change of the transactional id is no longer under way, or another broker coordinates."""
        self._waiting.setdefault(transactional_id, {})[call] = None

    def forget_waiting(self, transactional_id: str, call: Callable[[], None]) -> None:
        """Do not call it any more."""
        calls = self._waiting.get(transactional_id, {})
        calls.pop(call, None)
        if not calls:
            self._waiting.pop(transactional_id, None)

    def call_waiting(self, transactional_id: str) -> None:
        """Something may be possible now that was not."""
        for call in self._waiting.pop(transactional_id, ()):
            call()

    # -- changes -------------------------------------------------------------------------------------------------

    def write(
        self, transaction: Transaction, told: Told, committed: Callable[[], None] = lambda: None
    ) -> None:
        """Write the new state of a transactional id. ``told`` gets one code; then ``committed`` is called, once the
        record is committed.

        Raises CoordinatorError; then nothing has changed.
        """
        self._append(
            [record_of(transaction, self._transaction_version())],
            _Write([transaction.transactional_id], 0, told, committed),
            transaction,
        )

    def remove(self, transactional_ids: Sequence[str]) -> None:
        """Write that transactional ids are no more. Raises CoordinatorError; then nothing has changed."""
        assert transactional_ids, "a batch without records"
        self._append(
            [tombstone_of(each) for each in transactional_ids],
            _Write(transactional_ids, 0, lambda code: None, lambda: None),
        )

    def _append(self, records: Sequence[Record], write: _Write, keep: Transaction | None = None) -> None:
        assert not self._is_closed, "another broker coordinates"
        adds_partitions = keep is not None and keep.state is TransactionState.ONGOING
        for each in write.transactional_ids:
            may_follow = adds_partitions and self.followed_by_partitions(each) is not None
            assert may_follow or not self.is_pending(each), f"a change of {each!r} is under way"
        # First of all: if the log refuses, memory is as it was.
        write.end_offset = self._log.append(records)
        for each in write.transactional_ids:
            before = self._before.setdefault(each, deque())
            assert not before or before[-1][0] < write.end_offset, "the offsets of a log rise"
            before.append((write.end_offset, self._transactions.get(each)))
        # By the same function as after a restart, so that a new coordinator finds what this one knows.
        for record in records:
            self.replay(record.key, record.value)
        if keep is not None:
            # No record has the last epoch, and those of version 0 have less than that.
            self._transactions[keep.transactional_id] = keep
        self._log.when_committed(write.end_offset, partial(self._result, write))

    def _result(self, write: _Write, code: ErrorCode) -> None:
        """The log says whether a write is committed."""
        is_committed = code is ErrorCode.NONE
        if is_committed:
            for each in write.transactional_ids:
                self._committed(each, write.end_offset)
        # If the log did not know in time, the client has been told so. It asks again, and finds this change.
        if not write.is_told:
            write.is_told = True
            write.told(code)
        if self._is_closed:
            return
        if is_committed:
            write.committed()
            for each in write.transactional_ids:
                self.call_waiting(each)
        else:
            self._surroundings.call_at(
                self._surroundings.now_ms() + RETRY_MS, partial(self._ask_again, write)
            )

    def _committed(self, transactional_id: str, end_offset: int) -> None:
        """A change is committed, and those before it, even if the log has not said so yet."""
        before = self._before.get(transactional_id)
        # The log reports commits in any order: one that waited too long is asked about again after later ones.
        while before and before[0][0] <= end_offset:
            before.popleft()
        if not before:
            self._before.pop(transactional_id, None)

    def _ask_again(self, write: _Write) -> None:
        if not self._is_closed:
            self._log.when_committed(write.end_offset, partial(self._result, write))

    def with_producer_id(self, transactional_id: str, use: Callable[[int], None], failed: Told) -> None:
        """Get a new producer id for a transactional id, which cannot change until it is there.

        ``use`` gets it, and may raise CoordinatorError, whose code ``failed`` gets, as it does if there is no id.
        """
        assert not self.is_pending(transactional_id), f"a change of {transactional_id!r} is under way"
        self._awaiting_ids.add(transactional_id)
        self._next_producer_id(partial(self._got_producer_id, transactional_id, use, failed))

    def _got_producer_id(
        self,
        transactional_id: str,
        use: Callable[[int], None],
        failed: Told,
        code: ErrorCode,
        producer_id: int,
    ) -> None:
        # Before `use`, which writes: nothing else may be under way then.
        self._awaiting_ids.discard(transactional_id)
        if self._is_closed:
            failed(ErrorCode.NOT_COORDINATOR)
        elif code is not ErrorCode.NONE:
            failed(code)
        else:
            try:
                use(producer_id)
            except CoordinatorError as error:
                failed(error.code)
        self.call_waiting(transactional_id)
