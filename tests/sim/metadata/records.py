"""Checks of every committed record: what brokers change has to be what a broker asked for.

The checker replays the log record by record. So it knows the state before each of them, which no node need ever show.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kafkaproto.message import Message
from kafkaproto.messages import (
    AlterPartitionRequest,
    BrokerHeartbeatRequest,
    PartitionChangeRecord,
    RegisterBrokerRecord,
)
from kafkaproto.records.metadata import decode_metadata_record
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.loader import ABORT_TRANSACTION, BEGIN_TRANSACTION, END_TRANSACTION
from kafkaproto_server.metadata.image.replay import replay
from tests.sim.checkers.invariants import ViolationError
from tests.sim.metadata.checker import MetadataInvariant

if TYPE_CHECKING:
    from tests.sim.replica_log import LogBatch

REFUSED_MARK = "refused-"
"""Part of the names in requests that must be refused."""

_NOTHING_READ = -2
"""Less than any metadata offset."""

IsrKey = tuple[bytes, int, int, int, int, int]
"""Topic id, partition, leader epoch, partition epoch, leader, and the leader's broker epoch."""


class Asked:
    """What brokers said so far, whoever received it."""

    def __init__(self) -> None:
        self._read: dict[tuple[int, int], int] = {}
        """By broker id and epoch, the highest metadata offset of a heartbeat that asks to serve."""
        self._isr: dict[IsrKey, set[tuple[int, int]]] = {}
        """The members of the proposed ISRs: (broker id, broker epoch)."""

    def note(self, request: Message) -> None:
        """A broker sends a request."""
        if isinstance(request, BrokerHeartbeatRequest):
            if not request.want_fence:
                key = request.broker_id, request.broker_epoch
                self._read[key] = max(self.read_by(*key), request.current_metadata_offset)
        elif isinstance(request, AlterPartitionRequest):
            for topic in request.topics:
                for data in topic.partitions:
                    partition = topic.topic_id, data.partition_index
                    epochs = data.leader_epoch, data.partition_epoch
                    members = self._isr.setdefault(
                        (*partition, *epochs, request.broker_id, request.broker_epoch), set()
                    )
                    members |= {(each.broker_id, each.broker_epoch) for each in data.new_isr_with_epochs}

    def read_by(self, broker_id: int, broker_epoch: int) -> int:
        """The metadata offset that a broker has read, as it said when it asked to serve."""
        return self._read.get((broker_id, broker_epoch), _NOTHING_READ)

    def isr_of(self, key: IsrKey) -> set[tuple[int, int]]:
        """The members that a leader proposed for the ISR under these epochs."""
        return self._isr.get(key, set())


class RecordChecker:
    """Sees the committed log grow."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._seen_batches = 0
        self._image = ClusterImage()
        self._before_transaction = self._image
        self._registered_at: dict[int, int] = {}
        """By broker id, the offset of its last registration."""

    def committed(self, batches: Sequence[LogBatch]) -> None:
        """Look at what was committed since the last time; ``batches`` are all batches of the log."""
        for batch in batches[self._seen_batches :]:
            if any(REFUSED_MARK.encode() in value for value in batch.records):
                raise ViolationError(MetadataInvariant.REFUSED_NEVER_APPEARS, str(batch.records))
            for offset, value in enumerate(batch.records, start=batch.base_offset):
                self._take(decode_metadata_record(value)[0], offset)
        self._seen_batches = len(batches)

    def _take(self, record: Message, offset: int) -> None:
        match record.API_KEY:
            case key if key == BEGIN_TRANSACTION:
                self._before_transaction = self._image
                return
            case key if key == ABORT_TRANSACTION:
                self._image = self._before_transaction
                return
            case key if key == END_TRANSACTION:
                return
        before, self._image = self._image, replay(self._image, record, offset)
        if isinstance(record, PartitionChangeRecord):
            self._check_isr(before, record, offset)
        elif self._image.brokers is not before.brokers:
            self._check_unfencing(before, offset)
            if isinstance(record, RegisterBrokerRecord):
                self._registered_at[record.broker_id] = offset

    def _check_isr(self, before: ClusterImage, record: PartitionChangeRecord, offset: int) -> None:
        """Replicas join an ISR by an AlterPartition of the present epochs, and the new leader by its election."""
        old = before.partition(record.topic_id, record.partition_id)
        new = self._image.partition(record.topic_id, record.partition_id)
        assert old is not None and new is not None, f"{record} is replayed"  # noqa: PT018
        joined = {*new.isr} - {*old.isr} - ({new.leader} - {old.leader})
        if not joined:
            return
        leader = before.brokers.get(old.leader)
        proposed: set[tuple[int, int]] = set()
        if leader is not None:
            epochs = old.leader_epoch, old.partition_epoch
            partition = record.topic_id, record.partition_id
            proposed = self._asked.isr_of((*partition, *epochs, old.leader, leader.epoch))
        # A leader that does not know a member's epoch sends -1.
        if any(proposed.isdisjoint({(each, before.brokers[each].epoch), (each, -1)}) for each in joined):
            raise ViolationError(
                MetadataInvariant.OTHER_EPOCHS_CHANGE_NOTHING,
                f"{sorted(joined)} join at {offset}; {old}, {new}; proposed: {sorted(proposed)}",
            )

    def _check_unfencing(self, before: ClusterImage, offset: int) -> None:
        for broker in self._image.brokers_in_order():
            old = before.brokers.get(broker.broker_id)
            if broker.fenced or old is None or not old.fenced:
                continue
            read = self._asked.read_by(broker.broker_id, broker.epoch)
            registered_at = self._registered_at[broker.broker_id]
            if read < registered_at:
                raise ViolationError(
                    MetadataInvariant.UNFENCED_ONCE_READ,
                    f"broker {broker.broker_id} of epoch {broker.epoch} at {offset}: registered at "
                    f"{registered_at}, it has read {read}",
                )
