"""What the metrics count of a partition's batch, once it is decided what becomes of it.

The error decides both what is counted and what the response has besides its code, as in Apache Kafka. There
``ReplicaManager.appendToLocalLog`` has a list of exceptions that any client may expect; only the others make an append
a failed one. `base.metrics.topics` says what each number means.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafkaproto.error_codes import ErrorCode
from kafkaproto.records.batch import COMPRESSION_MASK, BatchHeader
from kafkaproto_server.base.metrics.topics import TopicCounts, TopicMetrics
from kafkaproto_server.core.replicas.incoming_batches import BatchRefused, Fault, WrongRecord
from kafkaproto_server.core.replicas.partition import Partition, PartitionError
from kafkaproto_server.requests.data import NO_OFFSET, ProduceItem, ProduceResult
from kafkaproto_server.shell.replicas.files.hosted import Hosted

ATTRIBUTES_AT = 22
"""The byte of a batch's attributes that has the compression."""
_NOT_FAILED = (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.KAFKA_STORAGE_ERROR)
"""Errors with which Kafka's metrics do not count a request as failed."""
_FAILED = (Fault.HEADER, Fault.RECORDS)
"""Faults of a batch with which they do. Kafka's response then has the start of the log."""


class AppendCounts:
    """Counts appends by topic."""

    def __init__(self, metrics: TopicMetrics) -> None:
        self._metrics = metrics

    def _request(self, hosted: Hosted) -> TopicCounts:
        counts = self._metrics.of(hosted.partition.topic)
        counts.produce_requests += 1
        self._metrics.all.produce_requests += 1
        return counts

    def appended(self, hosted: Hosted, header: BatchHeader, item: ProduceItem) -> None:
        """A client's batch was appended, perhaps compressed anew."""
        counts = self._request(hosted)
        records = header.record_count
        self._metrics.appended(counts, len(item.records), records)
        # The topic's compression.type is another one than the producer's.
        if (header.attributes ^ item.records[ATTRIBUTES_AT]) & COMPRESSION_MASK:
            counts.produce_conversions += records
            self._metrics.all.produce_conversions += records

    def own(self, hosted: Hosted, batch: bytes, records: int) -> None:
        """A batch of this broker itself was appended."""
        self._metrics.appended(self._request(hosted), len(batch), records)

    def failed(self, hosted: Hosted) -> None:
        """A batch was not appended, for a reason that Kafka counts as a failure."""
        self._request(hosted).failed_produce_requests += 1
        self._metrics.all.failed_produce_requests += 1

    def not_appended(self, hosted: Hosted, error: PartitionError) -> ProduceResult:
        """What the producer gets whose batch the partition does not take."""
        log_start_offset = NO_OFFSET
        if error.code in _NOT_FAILED:
            self._request(hosted)
        else:
            self.failed(hosted)
            log_start_offset = hosted.partition.log_start_offset
        message = None if str(error) == error.code.name else str(error)
        return ProduceResult(code=error.code, message=message, log_start_offset=log_start_offset)

    def refused(self, hosted: Hosted, error: BatchRefused, item: ProduceItem) -> ProduceResult:
        """What the producer gets whose batch is not what it says it is, or not what the topic allows."""
        metrics, fault = self._metrics, error.fault
        if fault in _FAILED:
            self.failed(hosted)
            # Kafka has a metric for each reason why it refuses records: no key where the topic is compacted, magic,
            # checksum, offsets.
            metrics.records_without_key += error.keyless
            metrics.wrong_offsets_or_sequences += fault is Fault.HEADER
        elif fault is not Fault.FORM:
            counts = self._request(hosted)
            metrics.wrong_checksums += fault is Fault.CHECKSUM
            if fault is Fault.SIZE:
                counts.bytes_rejected += len(item.records)
                metrics.all.bytes_rejected += len(item.records)
        # Other batches of the request may have been refused since a thread looked at this one.
        record_errors = error.record_errors[: item.sender.most_record_errors]
        item.sender.record_errors_left -= len(record_errors)
        return _refused(error, record_errors, hosted.partition)


def _refused(
    error: BatchRefused, record_errors: Sequence[WrongRecord], partition: Partition
) -> ProduceResult:
    return ProduceResult(
        code=error.code,
        message=error.message,
        record_errors=record_errors,
        log_start_offset=partition.log_start_offset if error.fault in _FAILED else NO_OFFSET,
    )
