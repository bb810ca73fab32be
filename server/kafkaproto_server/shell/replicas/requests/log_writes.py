"""Writes batches that have their offsets, and responds when they are written or replicated.

The order of a log is the order in which offsets were given out, which the event loop does; the write is a job in the
lane of the log's directory (`disk_jobs`), where jobs keep that order. So the next batch may be checked and numbered
while the one before it is being written. With acks=1 the response waits for the write, with acks=all for the high
watermark.

Apache Kafka: the appending half of ``ReplicaManager`` and ``UnifiedLog``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from msgspec import structs

from kafkaproto.error_codes import ErrorCode
from kafkaproto.transaction_index import AbortedTransaction
from kafkaproto_server.base.ports import Clock
from kafkaproto_server.core.log_state.producer_state_entry import AppendedBefore
from kafkaproto_server.requests.data import ProduceResult
from kafkaproto_server.shell.replicas.files.disk_jobs import DiskJob
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.requests.append_requests import AppendPlace

ACKS_ALL = -1
ACKS_LEADER = 1

Unknown = Callable[[bytes, int], ErrorCode]
"""The error code for a partition that this broker does not have."""


class LogWrites:
    """The way of a batch from its offsets to its response."""

    def __init__(self, replicas: HostedReplicas, clock: Clock, unknown: Unknown) -> None:
        self._replicas = replicas
        self._clock = clock
        self._unknown = unknown

    def write(
        self,
        hosted: Hosted,
        data: bytes | bytearray,
        end_offset: int,
        acks: int,
        result: ProduceResult,
        take: AppendPlace | None,
        aborted: Sequence[AbortedTransaction] = (),
    ) -> None:
        """Write a batch whose offsets are given out, and let ``take`` have the result, which is None if nobody waits.
        ``aborted`` are the transactions that it ends so."""
        log = hosted.log
        assert log is not None
        # Before the write: the time may be over while the disk is slow, and the response is to name the offsets then,
        # too.
        if take is not None and acks == ACKS_ALL:
            take.appended(result)

        def tell(result: ProduceResult) -> None:
            if take is not None:
                take(result)

        def written(has_rolled: bool) -> None:
            partition = hosted.partition
            if hosted.log is not log:
                # The log was closed meanwhile, perhaps without the batch: the producer has to send it again.
                tell(ProduceResult(code=self._unknown(partition.topic_id, partition.index)))
                return
            if acks == ACKS_ALL:
                # Before the append counts: it may complete at once.
                partition.when_replicated(end_offset, acknowledged)
            partition.appended(end_offset, now_ms=self._clock.now_ms())
            if acks != ACKS_ALL:
                tell(result)
            if has_rolled:
                self._replicas.changes.has_rolled(hosted)

        def acknowledged(code: ErrorCode) -> None:
            tell(result if code is ErrorCode.NONE else structs.replace(result, code=code))

        def failed(error: Exception) -> None:
            tell(ProduceResult(code=ErrorCode.KAFKA_STORAGE_ERROR))
            self._replicas.failed(hosted, error)

        wall_ms = self._clock.wall_ms()
        job = DiskJob(partial(log.append, (data,), aborted, wall_ms), written, failed)
        if log.is_short_append(len(data), end_offset):
            hosted.lane.put_short(job)
        else:
            hosted.lane.put(job)

    def respond_to_repeated(
        self,
        hosted: Hosted,
        before: AppendedBefore,
        acks: int,
        take: AppendPlace,
    ) -> None:
        """The producer sent a batch again: it gets the response that it missed, once that holds."""
        result = ProduceResult(
            code=ErrorCode.NONE,
            base_offset=before.base_offset,
            # As Kafka's, whose response to a repeated batch has its time even if that is not the broker's.
            append_time_ms=before.timestamp,
            log_start_offset=hosted.partition.log_start_offset,
        )
        # With other acks the first write was answered once it was done, so this one is, too: not before, or an append
        # that failed would count as written.
        if acks != ACKS_ALL:
            self._when_written(hosted, before.last_offset, result, take)
            return
        take.appended(result)
        hosted.partition.when_replicated(
            before.last_offset + 1,
            lambda code: take(result if code is ErrorCode.NONE else structs.replace(result, code=code)),
        )

    def _when_written(
        self, hosted: Hosted, last_offset: int, result: ProduceResult, take: AppendPlace
    ) -> None:
        partition = hosted.partition
        if last_offset < partition.log_end_offset:
            take(result)
            return

        def written(_: object) -> None:
            # Not by this job's own success, which writes nothing: the append before it may have failed.
            is_written = last_offset < partition.log_end_offset
            take(result if is_written else ProduceResult(code=ErrorCode.KAFKA_STORAGE_ERROR))

        # The first append is still under way, in the same lane.
        hosted.lane.put(DiskJob(lambda: None, written, partial(self._replicas.failed, hosted)))
