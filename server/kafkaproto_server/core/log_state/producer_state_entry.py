"""What the log says of one producer: its epoch, its newest batches, its open transaction.

Apache Kafka has this in ProducerStateEntry and BatchMetadata; what a marker has to be is in ProducerAppendInfo.
"""

from __future__ import annotations

from struct import Struct
from typing import NamedTuple

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto.producer_snapshot import ProducerSnapshotEntry
from kafkaproto.records.batch import BatchHeader
from kafkaproto_server.core.log_state.transactions import EndTransactionMarker

BATCHES_TO_RETAIN = 5
"""The batches of a producer that a repetition is recognized among: as many as a producer may have in flight."""

NONE = -1
"""A sequence, offset, epoch or timestamp that does not exist."""
_OWN_TIME_MS = 300_000
"""By so much the time of a batch may be older than the time at which it came, and is still what a snapshot has: clocks
differ, and batches linger. Then snapshots are as Kafka's."""
MAX_SEQUENCE = 0x7FFF_FFFF
_MAX_PRODUCER_EPOCH = 0x7FFF
_EPOCH_BUMP_VERSION = 2
"""The transaction version from which on a marker has a higher epoch than the transaction that it ends."""

# Last sequence, last offset, offset delta, timestamp. Batches are kept as bytes: five tuples of numbers would take
# six times the memory, and brokers have this for each producer in each partition.
BATCH = Struct("=iqiq")
KEPT_BYTES = BATCHES_TO_RETAIN * BATCH.size


class AppendedBefore(NamedTuple):
    """Where the log has a batch that a producer has sent again. The producer gets these in its response."""

    base_offset: int
    last_offset: int
    timestamp: int
    """The batch's max timestamp. Kafka responds with it as the append time, whatever the topic's timestamp type is."""


class ActiveProducer(NamedTuple):
    """A producer as DescribeProducers shows it; -1 stands for what there is not."""

    producer_id: int
    producer_epoch: int
    last_sequence: int
    last_timestamp: int
    coordinator_epoch: int
    current_txn_start_offset: int


class ProducerRefused(Exception):
    """A batch must not be appended. The partition's response has ``code``; the text says why."""

    def __init__(self, code: ErrorCode, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class ProducerStateEntry(msgspec.Struct, gc=False):
    """The state of one producer. It changes in place, and the garbage collector need not visit it."""

    epoch: int
    last_timestamp: int = NONE
    """Of the newest batch, as it says."""
    seen_ms: int = NONE
    """When this replica got the newest batch; never before the batch's own time."""
    coordinator_epoch: int = NONE
    transaction_first_offset: int = NONE
    last_sequence: int = NONE
    """Of the newest batch of ``epoch``."""
    batches: bytes = b""
    """The newest batches of ``epoch``, oldest first."""

    def begin_epoch(self, epoch: int) -> None:
        """Take over an epoch. Its batches begin with sequence 0 again; those of the last epoch no longer count."""
        self.epoch = epoch
        # So that the sequence that follows is 0.
        self.last_sequence = NONE
        self.batches = b""

    def entry(self, producer_id: int) -> ProducerSnapshotEntry:
        """What a snapshot holds of it."""
        last_offset, delta = NONE, 0
        if self.batches:
            _, last_offset, delta, _ = BATCH.unpack(self.batches[-BATCH.size :])
        is_recent = self.seen_ms - self.last_timestamp <= _OWN_TIME_MS
        return ProducerSnapshotEntry(
            producer_id,
            self.epoch,
            self.last_sequence,
            last_offset,
            delta,
            self.last_timestamp if is_recent else self.seen_ms,
            self.coordinator_epoch,
            self.transaction_first_offset,
        )

    def find(self, header: BatchHeader) -> AppendedBefore | None:
        """The kept batch that has the sequences of ``header``; None if there is none."""
        delta = header.last_offset_delta
        last_sequence = (header.base_sequence + delta) & MAX_SEQUENCE
        for kept_sequence, last_offset, kept_delta, timestamp in BATCH.iter_unpack(self.batches):
            # Sequences wrap around, so the first and the last one together say which batch it is.
            if kept_sequence == last_sequence and kept_delta == delta:
                return AppendedBefore(last_offset - delta, last_offset, timestamp)
        return None

    @classmethod
    def of_entry(cls, entry: ProducerSnapshotEntry) -> ProducerStateEntry:
        """The state that a snapshot holds."""
        producer = cls(
            entry.producer_epoch,
            entry.timestamp,
            entry.timestamp,
            entry.coordinator_epoch,
            max(entry.current_txn_first_offset, NONE),
        )
        # A producer may have a marker as its only batch: it has an epoch and no sequence.
        if entry.last_offset >= 0:
            producer.last_sequence = entry.last_sequence
            producer.batches = BATCH.pack(
                entry.last_sequence, entry.last_offset, entry.offset_delta, entry.timestamp
            )
        return producer

    def active(self, producer_id: int) -> ActiveProducer:
        """What DescribeProducers shows of it."""
        return ActiveProducer(
            producer_id,
            self.epoch,
            self.last_sequence,
            self.last_timestamp,
            self.coordinator_epoch,
            self.transaction_first_offset,
        )

    def check_marker(
        self, header: BatchHeader, marker: EndTransactionMarker, transaction_version: int
    ) -> None:
        """See `ProducerStates.check_marker`."""
        epoch = header.producer_epoch
        # A coordinator that has lost its partition may still send markers of a transaction that is over.
        if epoch < self.epoch:
            raise fenced(header, self)
        if (
            epoch == self.epoch
            and transaction_version >= _EPOCH_BUMP_VERSION
            and self.transaction_first_offset >= 0
            and epoch != _MAX_PRODUCER_EPOCH
        ):
            raise fenced(header, self)
        # The producer's epoch is the same if the coordinator moved between decision and markers; only this shows who is
        # late.
        if marker.coordinator_epoch < self.coordinator_epoch:
            raise ProducerRefused(
                ErrorCode.TRANSACTION_COORDINATOR_FENCED,
                f"a coordinator of epoch {marker.coordinator_epoch} ended a transaction of producer"
                f" {header.producer_id}, one of epoch {self.coordinator_epoch} has done so before",
            )


def fenced(header: BatchHeader, producer: ProducerStateEntry) -> ProducerRefused:
    what = "a marker" if header.is_control else f"sequence {header.base_sequence}"
    return ProducerRefused(
        ErrorCode.INVALID_PRODUCER_EPOCH,
        f"producer {header.producer_id} wrote {what} in epoch {header.producer_epoch}, its current epoch is"
        f" {producer.epoch}, with last sequence {producer.last_sequence}",
    )


def out_of_order(header: BatchHeader, producer: ProducerStateEntry) -> ProducerRefused:
    return ProducerRefused(
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        f"producer {header.producer_id} wrote sequence {header.base_sequence} in epoch"
        f" {header.producer_epoch}, the last one is {producer.last_sequence} in epoch {producer.epoch}",
    )
