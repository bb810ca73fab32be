"""The transactions of one log: which are open, which have ended but are not replicated yet, and what is stable.

A consumer with the isolation level read_committed reads up to the last stable offset. That is the first unstable
offset, the first offset of the oldest transaction that

- is open: none of its producer's control batches (the marker) has ended it yet, or
- has ended, but the high watermark has not passed its marker. Such a marker can still be lost with the leader.

Without such a transaction the last stable offset is the high watermark. Transactions end in another order than they
begin.

Apache Kafka has this in ProducerStateManager (ongoingTxns, unreplicatedTxns) and EndTransactionMarker; see KIP-98.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.messages import EndTxnMarker
from kafkaproto.records.batch import RecordBatchView
from kafkaproto.records.control import ControlRecordType, decode_control_record
from kafkaproto.transaction_index import AbortedTransaction


class EndTransactionMarker(NamedTuple):
    """What the control record of a coordinator says that ends a producer's transaction."""

    is_abort: bool
    """Whether the transaction was aborted; otherwise it was committed."""
    coordinator_epoch: int
    """Leader epoch of the coordinator's partition of __transaction_state."""


class CompletedTransaction(NamedTuple):
    """A transaction that a marker has ended."""

    producer_id: int
    first_offset: int
    """Offset of the transaction's first record."""
    last_offset: int
    """Offset of the marker."""
    is_aborted: bool


class OpenTransaction(NamedTuple):
    """A transaction that no marker has ended yet."""

    first_offset: int
    producer_id: int


def end_transaction_marker(batch: RecordBatchView) -> EndTransactionMarker | None:
    """The marker in a control batch; None if compaction has removed it from the batch.

    Raises RemoteProtocolError if the first record is no marker.
    """
    # Control batches of coordinators have one record. More of them would be ignored by Kafka as well.
    for record in batch.records():
        record_type, message = decode_control_record(record.key, record.value)
        if not isinstance(message, EndTxnMarker):
            raise RemoteProtocolError(
                f"a control record {record_type.name} ends no transaction", offset=batch.position
            )
        return EndTransactionMarker(record_type is ControlRecordType.ABORT, message.coordinator_epoch)
    return None


class Transactions:
    """Open transactions, and those that have ended beyond the high watermark. Offsets are given in ascending
    order."""

    __slots__ = ("_open", "_unreplicated", "first_unstable_offset")

    first_unstable_offset: int | None
    """First offset of the oldest transaction that is open or not replicated yet; None if there is none."""

    def __init__(self, open_transactions: Iterable[OpenTransaction] = ()) -> None:
        # Producer ids by first offset. A dict keeps the order of insertion, which is that of the
        # offsets, so its first key is the oldest transaction.
        self._open = dict(sorted(open_transactions))
        # (last offset, first offset) of transactions that have ended, in the order of their ends.
        self._unreplicated: list[tuple[int, int]] = []
        self.first_unstable_offset = next(iter(self._open), None)

    def open_transactions(self) -> list[OpenTransaction]:
        """The open transactions, oldest first."""
        return list(map(OpenTransaction._make, self._open.items()))

    @property
    def oldest_producer_id(self) -> int | None:
        """The producer of the oldest open transaction; None if none is open."""
        return next(iter(self._open.values()), None)

    def begin(self, first_offset: int, producer_id: int) -> None:
        """Open a transaction. ``first_offset`` is behind all offsets that were given before."""
        self._open[first_offset] = producer_id
        if self.first_unstable_offset is None:
            self.first_unstable_offset = first_offset

    def complete(self, first_offset: int, last_offset: int) -> None:
        """End the open transaction that begins at ``first_offset``. It stays unstable until it is replicated."""
        # By the first offset, which is unique; a producer may have many transactions that are not replicated yet.
        del self._open[first_offset]
        self._unreplicated.append((last_offset, first_offset))

    def forget_ended_before(self, offset: int) -> None:
        """Forget the transactions that ended below ``offset``."""
        unreplicated = self._unreplicated
        if not unreplicated or unreplicated[0][0] >= offset:
            return
        # A marker at the high watermark itself is not below it: it stays.
        kept = [each for each in unreplicated if each[0] >= offset]
        self._unreplicated = kept
        oldest_open = next(iter(self._open), None)
        # They are in the order of their ends, and a transaction that ended last may have begun first.
        oldest_ended = min([first_offset for _, first_offset in kept], default=None)
        if oldest_open is None or (oldest_ended is not None and oldest_ended < oldest_open):
            self.first_unstable_offset = oldest_ended
        else:
            self.first_unstable_offset = oldest_open

    def last_stable_offset(self, completed: CompletedTransaction) -> int:
        """What the transaction index notes beside a transaction that was just completed: the first offset of the
        oldest open transaction, or the offset after the marker if none is open.
        """
        return next(iter(self._open), completed.last_offset + 1)


def aborted_between(
    aborted: Sequence[AbortedTransaction], offset: int, end_offset: int
) -> list[tuple[int, int]]:
    """Producer id and first offset of those of a log's aborted transactions that concern records in a range of
    offsets."""
    # What ended before the first offset has no record behind it.
    begin = bisect_left(aborted, offset, key=lambda each: each.last_offset)
    found = []
    for at in range(begin, len(aborted)):
        each = aborted[at]
        if each.first_offset < end_offset:
            found.append((each.producer_id, each.first_offset))
        # Nothing that ends later begins before this.
        # What the last stable offset is noted for: the entries are in the order of the ends, and without it a long
        # transaction would make every read go on to the end of the index (KIP-98).
        if each.last_stable_offset >= end_offset:
            break
    return found
