"""Batches that this broker makes itself: records of its coordinators, and the ends of transactions.

Unlike a client's they are not checked for what they contain, but they are appended under the same rules: only a leader
takes them, only with enough replicas in sync, and never after the broker's session is over.

Apache Kafka: ``ReplicaManager.appendRecords`` with ``AppendOrigin`` COORDINATOR, and ``handleWriteTxnMarkersRequest``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import EndTxnMarker
from kafkaproto.records.batch import NewRecord, RecordBatchView, build_batch
from kafkaproto.records.control import ControlRecordType, encode_control_record
from kafkaproto_server.base.metrics.topics import TopicMetrics
from kafkaproto_server.core.log_state.producer_state_entry import ProducerRefused
from kafkaproto_server.core.log_state.transactions import EndTransactionMarker
from kafkaproto_server.core.replicas.partition import Partition, PartitionError
from kafkaproto_server.requests.data import MarkerItem, Produced, ProduceResult
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.requests.append_counts import AppendCounts
from kafkaproto_server.shell.replicas.requests.append_requests import (
    NOTHING_APPENDED,
    SESSION_IS_OVER,
    AppendPlace,
    AppendRequest,
)
from kafkaproto_server.shell.replicas.requests.log_writes import ACKS_ALL, ACKS_LEADER, LogWrites, Unknown
from kafkaproto_server.shell.replicas.timers import Timers

MARKER_TIMEOUT_MS = 30_000
"""How long the end of a transaction may take to be replicated; the coordinator then sends it again."""


class OwnBatches:
    """Appends what this broker itself has to say."""

    def __init__(
        self,
        replicas: HostedReplicas,
        writes: LogWrites,
        timers: Timers,
        unknown: Unknown,
        refresh: Callable[[Hosted], None],
        is_session_over: Callable[[], bool],
        metrics: TopicMetrics,
    ) -> None:
        """``refresh`` gives a replica the newest settings of its topic."""
        self.marker_written: Callable[[Partition, MarkerItem, int], None] = lambda partition, item, offset: (
            None
        )
        """Called when the end of a transaction has got an offset."""
        self._replicas = replicas
        self._writes = writes
        self._clock = timers.clock
        self._timers = timers
        self._unknown = unknown
        self._refresh = refresh
        self._is_session_over = is_session_over
        self._metrics = metrics
        self._counts = AppendCounts(metrics)

    def append_own(
        self,
        hosted: Hosted,
        records: Sequence[NewRecord],
        producer_id: int = -1,
        producer_epoch: int = -1,
        *,
        compression: int,
    ) -> int:
        """Append records of this broker itself, as one batch, as far as enough replicas are in sync. Returns the offset
        behind them. With a producer id they are part of that producer's transaction.

        Raises PartitionError and ProducerRefused; then nothing is written.
        """
        self._refresh(hosted)
        partition = hosted.partition
        if hosted.log is None or self._is_session_over():
            raise PartitionError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        # As with acks=all: what a coordinator tells its clients must outlive this broker.
        partition.check_writable(needs_all=True)
        is_transactional = producer_id >= 0
        batch = build_batch(
            records,
            base_offset=partition.next_offset,
            partition_leader_epoch=partition.leader_epoch,
            timestamp_ms=self._clock.wall_ms(),
            compression=compression,
            transactional=is_transactional,
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            # As Kafka's coordinators write it. Sequences are checked only of what comes from clients.
            base_sequence=0 if is_transactional else -1,
        )
        limit = hosted.settings.incoming.max_message_bytes
        # Kafka's limit holds for its own records as well. The coordinator hears of it before anything has changed.
        if len(batch) > limit:
            raise PartitionError(
                ErrorCode.MESSAGE_TOO_LARGE, f"{len(batch)} bytes in a batch, {limit} are allowed"
            )
        header = RecordBatchView(batch).header()
        if is_transactional:
            partition.producers.check(header, is_from_client=False)
        # Behind all that may refuse: whoever gets an error counts on it that nothing is written.
        partition.take_offsets(header)
        partition.producers.update(header, seen_ms=self._clock.wall_ms())
        if is_transactional:
            partition.verifications.end(producer_id)
        self._counts.own(hosted, batch, len(records))
        # Nobody waits for it here: the coordinator watches the high watermark itself (`coordinator_log`).
        self._writes.write(hosted, batch, header.next_offset, ACKS_LEADER, NOTHING_APPENDED, None)
        return header.next_offset

    def write_markers(self, items: Sequence[tuple[bytes, MarkerItem]], done: Produced) -> None:
        """Append the ends of transactions, each with the id of its topic. ``done`` is called with the results."""
        if not items or self._is_session_over():
            done([SESSION_IS_OVER] * len(items))
            return
        request = AppendRequest(len(items), done)
        for position, (topic_id, item) in enumerate(items):
            self._write_marker(topic_id, item, request.place(position))
        if not request.is_over:
            request.wait(self._clock.now_ms() + MARKER_TIMEOUT_MS, self._timers, self._metrics)

    def _write_marker(self, topic_id: bytes, item: MarkerItem, take: AppendPlace) -> None:
        hosted = self._replicas.get(topic_id, item.index)
        if hosted is None or hosted.log is None:
            take(ProduceResult(code=self._unknown(topic_id, item.index)))
            return
        if item.producer_id < 0 or item.producer_epoch < 0:
            take(ProduceResult(code=ErrorCode.INVALID_REQUEST))
            return
        self._refresh(hosted)
        partition = hosted.partition
        marker = EndTransactionMarker(item.is_abort, item.coordinator_epoch)
        batch = _marker_batch(item, partition.next_offset, partition.leader_epoch, self._clock.wall_ms())
        header = RecordBatchView(batch).header()
        try:
            partition.check_writable(needs_all=True)
            # A coordinator that was replaced may send its markers late. The epochs in a marker tell (KIP-98,
            # KIP-890).
            partition.producers.check_marker(header, marker, transaction_version=item.transaction_version)
            partition.take_offsets(header)
        except (PartitionError, ProducerRefused) as error:
            take(ProduceResult(code=error.code, message=str(error)))
            return
        self._counts.own(hosted, batch, header.record_count)
        aborted = partition.producers.take(header, marker, header.max_timestamp)
        if aborted is not None:
            # Before the marker can be read: a consumer that reads it must be told what to skip.
            partition.aborted.append(aborted)
        partition.verifications.end_by_marker(item.producer_id, item.producer_epoch)
        # Before it is written: the coordinator of this partition takes ends of transactions in the order of offsets,
        # among the records that it appends itself.
        self.marker_written(partition, item, header.base_offset)
        result = ProduceResult(code=ErrorCode.NONE, base_offset=header.base_offset)
        self._writes.write(
            # Always replicated: the transaction coordinator takes a transaction for complete once all of its
            # partitions have responded.
            hosted,
            batch,
            header.next_offset,
            ACKS_ALL,
            result,
            take,
            () if aborted is None else (aborted,),
        )


def _marker_batch(item: MarkerItem, base_offset: int, leader_epoch: int, wall_ms: int) -> bytes:
    key, value = encode_control_record(
        ControlRecordType.ABORT if item.is_abort else ControlRecordType.COMMIT,
        EndTxnMarker(coordinator_epoch=item.coordinator_epoch),
    )
    return build_batch(
        [NewRecord(key, value)],
        base_offset=base_offset,
        partition_leader_epoch=leader_epoch,
        timestamp_ms=wall_ms,
        control=True,
        transactional=True,
        producer_id=item.producer_id,
        producer_epoch=item.producer_epoch,
    )
