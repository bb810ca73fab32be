"""What compaction keeps of a log: the newest record of each key.

A cleaning goes through the dirty part of the log first and notes the newest offset of each key (`note_batch`). Then it
goes through all of the log up to there, batch by batch (`Compaction.clean`). Offsets never change, and a batch keeps
the range of offsets that it had. What goes:

- a record whose key has a newer one, and a record without a key;
- a tombstone (a record without a value) once its delete horizon has passed. The first cleaning that keeps a tombstone
  writes the horizon into the header of its batch: its own time plus ``delete.retention.ms`` (KIP-534). So a consumer
  that reads the log from its start in less time than that sees each deletion;
- a record of an aborted transaction;
- the marker of a transaction of which no batch was left, again once its horizon has passed. Until then a consumer may
  still need it;
- a batch without records, unless it is the last one of a producer, whose sequence numbers have to survive, or the one
  that ends at the high watermark.

Apache Kafka has this in Cleaner, CleanedTransactionMetadata and MemoryRecords.filterTo.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kafkaproto.primitives import Buffer
from kafkaproto.records.batch import HEADER_SIZE, BatchHeader, RecordBatchView
from kafkaproto.records.kept import StoredRecord, StoredRecords, without_records
from kafkaproto.records.legacy import LegacyBatchView, LegacyStoredRecords
from kafkaproto.records.limits import most_decompressed_bytes
from kafkaproto.transaction_index import AbortedTransaction
from kafkaproto_server.core.log_state.key_offsets import KeyOffsets
from kafkaproto_server.core.log_state.transactions import EndTransactionMarker, end_transaction_marker

NO_HORIZON_MS = 1 << 63
"""A delete horizon from here on cannot be written. As in Kafka, its tombstones have none and stay."""


class LastBatch(NamedTuple):
    """Where a log has the newest batch of a producer."""

    last_offset: int
    """Of its newest batch with data; -1 if there is none."""
    producer_epoch: int


class CleanedTransactions:
    """Follows the transactions of a log from batch to batch."""

    def __init__(self, aborted: Iterable[AbortedTransaction]) -> None:
        """``aborted``: all transactions that were aborted and have records in the part of the log that is read."""
        # The next one is the last of the list.
        self._coming = sorted(aborted, key=lambda each: each.first_offset, reverse=True)
        self._committed: set[int] = set()
        # By producer id: the transaction, and whether a batch of it was seen.
        self._aborted: dict[int, tuple[AbortedTransaction, bool]] = {}
        self.kept: list[AbortedTransaction] = []
        """The aborted transactions that ended and still had a batch; the caller takes them out. They stay in the
        transaction index."""

    def data(self, header: BatchHeader) -> bool:
        """Take in a batch with data. Returns whether it belongs to an aborted transaction."""
        self._begin_up_to(header.last_offset)
        # A batch outside of transactions is in nobody's transaction, even if its producer has one that was aborted.
        if not header.is_transactional:
            return False
        aborted = self._aborted.get(header.producer_id)
        if aborted is None:
            self._committed.add(header.producer_id)
            return False
        self._aborted[header.producer_id] = (aborted[0], True)
        return True

    def marker(self, header: BatchHeader, marker: EndTransactionMarker | None) -> bool:
        """Take in a control batch. Returns whether nothing was left of the transaction that it ends. ``marker`` is None
        if the batch has no record any more."""
        self._begin_up_to(header.last_offset)
        # Nothing of its transaction is left: otherwise the marker would still be there.
        if marker is None:
            return True
        if marker.is_abort:
            aborted = self._aborted.pop(header.producer_id, None)
            if aborted is None or not aborted[1]:
                return True
            self.kept.append(aborted[0])
            return False
        if header.producer_id in self._committed:
            self._committed.remove(header.producer_id)
            return False
        return True

    def _begin_up_to(self, offset: int) -> None:
        coming = self._coming
        while coming and coming[-1].first_offset <= offset:
            transaction = coming.pop()
            self._aborted.setdefault(transaction.producer_id, (transaction, False))


def note_batch(
    keys: KeyOffsets, transactions: CleanedTransactions, batch: RecordBatchView, start_offset: int
) -> bool:
    """Note the keys of the batch's records from ``start_offset`` on. Returns False if there was no room for one: then
    the dirty part ends before it. Raises RemoteProtocolError for a batch whose records cannot be read."""
    header = batch.header()
    if header.is_control:
        transactions.marker(header, end_transaction_marker(batch))
    elif not transactions.data(header):
        for record in stored_records(batch):
            if (
                record.key is not None
                and record.offset >= start_offset
                and not keys.put(record.key, record.offset)
            ):
                return False
    # Also if none of its records has a key: the batch was looked at.
    if header.last_offset >= start_offset:
        keys.latest_offset = header.last_offset
    return True


def stored_records(batch: RecordBatchView) -> StoredRecords | LegacyStoredRecords:
    """The records of a batch. Raises RemoteProtocolError if they are damaged, or decompress to too much."""
    # A batch that is older than the policy of its topic may exceed the limit. To skip it would be wrong: a tombstone of
    # a key in it could go while it stays.
    if isinstance(batch, LegacyBatchView):
        return LegacyStoredRecords(batch, most_decompressed_bytes(batch.size_in_bytes))
    return StoredRecords(batch, most_decompressed_bytes(batch.size_in_bytes - HEADER_SIZE))


class Compaction:
    """One pass over a log, from its start on."""

    def __init__(
        self,
        *,
        keys: KeyOffsets,
        transactions: CleanedTransactions,
        last_batches: Mapping[int, LastBatch],
        high_watermark: int,
        now_ms: int,
        delete_retention_ms: int,
    ) -> None:
        """``last_batches`` has the producers by their ids. ``now_ms`` is wall time."""
        self._keys = keys
        self._transactions = transactions
        self._last_batches = last_batches
        self._high_watermark = high_watermark
        self._now_ms = now_ms
        self._delete_retention_ms = delete_retention_ms

    def clean(self, batch: RecordBatchView) -> Buffer | None:
        """The bytes of what is left of a batch; None if nothing is. Batches come in the order of their offsets.

        Raises RemoteProtocolError for a batch whose records cannot be read, and LocalProtocolError for one that cannot
        be written anew.
        """
        header = batch.header()
        horizon_ms = batch.delete_horizon_ms
        has_passed = horizon_ms is not None and horizon_ms <= self._now_ms
        is_marker_alone = False
        if header.is_control:
            is_marker_alone = self._transactions.marker(header, end_transaction_marker(batch))
            is_dropped = is_marker_alone and has_passed
        else:
            is_dropped = self._transactions.data(header)
        kept = None if is_dropped else self._kept(batch, has_passed, is_marker_alone=is_marker_alone)
        if kept is None and self._is_kept_empty(header):
            return without_records(batch)
        return kept

    def _kept(self, batch: RecordBatchView, has_passed: bool, *, is_marker_alone: bool) -> Buffer | None:
        """The batch with the records that stay; None if none does."""
        is_control = batch.is_control
        records = stored_records(batch)
        # One byte for each record, and no object.
        is_kept = bytearray()
        needs_horizon = is_marker_alone
        for record in records:
            # Whether a marker goes was decided with its batch.
            stays = is_control or self._is_kept(record, has_passed)
            is_kept.append(stays)
            needs_horizon = needs_horizon or (stays and record.is_tombstone)
        if not any(is_kept):
            return None
        horizon_ms = None
        if needs_horizon and batch.delete_horizon_ms is None:
            horizon_ms = self._now_ms + self._delete_retention_ms
            if horizon_ms >= NO_HORIZON_MS:
                horizon_ms = None
        # A batch of an old format becomes one of format 2, as in Apache Kafka 4.
        # Nothing goes, so the bytes stay as they are.
        if horizon_ms is None and all(is_kept) and isinstance(records, StoredRecords):
            return batch.raw
        return records.keep(is_kept, delete_horizon_ms=horizon_ms)

    def _is_kept(self, record: StoredRecord, has_passed: bool) -> bool:
        # Behind what this cleaning has noted: whether it has a newer record is not known.
        if record.offset > self._keys.latest_offset:
            return True
        if record.key is None or record.offset < self._keys.get(record.key):
            return False
        return not (record.is_tombstone and has_passed)

    def _is_kept_empty(self, header: BatchHeader) -> bool:
        if header.next_offset == self._high_watermark:
            return True
        last = self._last_batches.get(header.producer_id) if header.has_producer_id else None
        if last is None:
            return False
        if last.last_offset >= 0:
            return header.last_offset == last.last_offset
        return header.is_control and header.producer_epoch == last.producer_epoch
