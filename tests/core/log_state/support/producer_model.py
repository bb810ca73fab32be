"""A slow and obvious version of what a log knows of its producers: it keeps all batches, and looks at all of them
each time."""

from __future__ import annotations

from typing import NamedTuple

from kafkaproto.error_codes import ErrorCode
from kafkaproto.records.batch import BatchHeader
from kafkaproto_server.core.log_state.transactions import CompletedTransaction, EndTransactionMarker

SEQUENCES = 2**31


class Batch(NamedTuple):
    """A batch of the log, and its marker if it is a control batch."""

    header: BatchHeader
    marker: EndTransactionMarker | None


class Transaction(NamedTuple):
    """A transaction, and how it has ended; None while it is open."""

    producer_id: int
    first_offset: int
    completed: CompletedTransaction | None = None


def last_sequence_of(header: BatchHeader) -> int:
    """Sequence of a data batch's last record."""
    return (header.base_sequence + header.last_offset_delta) % SEQUENCES


class ProducerModel:
    """The batches of a log."""

    def __init__(self) -> None:
        self.log: list[Batch] = []
        self.high_watermark = 0

    @property
    def end_offset(self) -> int:
        """The offset of the next batch."""
        return self.log[-1].header.next_offset if self.log else 0

    def of_producer(self, producer_id: int) -> list[Batch]:
        """All batches of a producer."""
        return [batch for batch in self.log if batch.header.producer_id == producer_id]

    def epoch(self, producer_id: int) -> int:
        """The producer's current epoch; -1 if the producer is unknown."""
        batches = self.of_producer(producer_id)
        return batches[-1].header.producer_epoch if batches else -1

    def coordinator_epoch(self, producer_id: int) -> int:
        """That of the producer's last marker; -1 if there is none."""
        epochs = [batch.marker.coordinator_epoch for batch in self.of_producer(producer_id) if batch.marker]
        return epochs[-1] if epochs else -1

    def kept(self, producer_id: int) -> list[BatchHeader]:
        """The newest five data batches since the current epoch began."""
        found: list[BatchHeader] = []
        for batch in reversed(self.of_producer(producer_id)):
            if batch.header.producer_epoch != self.epoch(producer_id):
                break
            if batch.marker is None:
                found.insert(0, batch.header)
        return found[-5:]

    def last_sequence(self, producer_id: int) -> int:
        """Of the current epoch; -1 if it has no batch."""
        kept = self.kept(producer_id)
        return last_sequence_of(kept[-1]) if kept else -1

    def transactions(self) -> list[Transaction]:
        """All transactions in the order of their first offsets."""
        found: list[Transaction] = []
        for header, marker in self.log:
            ours = [
                each for each in found if each.producer_id == header.producer_id and each.completed is None
            ]
            if marker is not None and ours:
                completed = CompletedTransaction(
                    header.producer_id, ours[0].first_offset, header.base_offset, marker.is_abort
                )
                found[found.index(ours[0])] = ours[0]._replace(completed=completed)
            elif marker is None and header.is_transactional and not ours:
                found.append(Transaction(header.producer_id, header.base_offset))
        return found

    def open(self) -> list[Transaction]:
        """The transactions without a marker."""
        return [each for each in self.transactions() if each.completed is None]

    def first_unstable_offset(self) -> int | None:
        """First offset of the oldest transaction whose marker is not there, or not below the high watermark."""
        unstable = [
            each.first_offset
            for each in self.transactions()
            if each.completed is None or each.completed.last_offset >= self.high_watermark
        ]
        return min(unstable, default=None)

    def refusal(self, header: BatchHeader, is_from_client: bool) -> ErrorCode | BatchHeader | None:
        """Why the data batch must not follow: an error, or the batch that it repeats. None if it may follow."""
        producer_id = header.producer_id
        if not self.of_producer(producer_id):
            return None
        if is_from_client and header.producer_epoch == self.epoch(producer_id):
            for kept in self.kept(producer_id):
                sequences = (kept.base_sequence, last_sequence_of(kept))
                if sequences == (header.base_sequence, last_sequence_of(header)):
                    return kept
        if header.producer_epoch < self.epoch(producer_id):
            return ErrorCode.INVALID_PRODUCER_EPOCH
        is_new = header.producer_epoch > self.epoch(producer_id)
        expected = 0 if is_new else (self.last_sequence(producer_id) + 1) % SEQUENCES
        if is_from_client and header.base_sequence != expected:
            return ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
        is_open = any(each.producer_id == producer_id for each in self.open())
        return ErrorCode.INVALID_TXN_STATE if is_open and not header.is_transactional else None

    def marker_refusal(
        self, header: BatchHeader, marker: EndTransactionMarker, version: int
    ) -> ErrorCode | None:
        """Why the marker must not follow; None if it may."""
        current = self.epoch(header.producer_id)
        is_open = any(each.producer_id == header.producer_id for each in self.open())
        is_too_old = header.producer_epoch < current
        if version >= 2 and is_open and header.producer_epoch == current != 32767:
            is_too_old = True
        if is_too_old:
            return ErrorCode.INVALID_PRODUCER_EPOCH
        if marker.coordinator_epoch < self.coordinator_epoch(header.producer_id):
            return ErrorCode.TRANSACTION_COORDINATOR_FENCED
        return None
