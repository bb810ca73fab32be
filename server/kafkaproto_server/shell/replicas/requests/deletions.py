"""DeleteRecords: moves the log starts of partitions that this broker leads, and waits until the other replicas have
moved theirs.

Followers hear of the leader's log start in the response to a fetch, and tell theirs in the next request. The lowest one
of those whose brokers live is the low watermark. Apache Kafka has it in DelayedDeleteRecords.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.metrics.topics import Waiting
from kafkaproto_server.base.ports import Clock
from kafkaproto_server.core.replicas.partition import Partition, PartitionError
from kafkaproto_server.requests.data import NO_OFFSET, DeletionItem, DeletionResult, RecordsDeleted
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.timers import Timers


class _Deletion:
    """One partition's part of a request, until it has its result."""

    __slots__ = ("_done", "_low_watermark", "_partition", "_waiting", "is_over")

    def __init__(self, partition: Partition, done: RecordsDeleted) -> None:
        self._partition = partition
        self._done = done
        self._low_watermark = NO_OFFSET
        self._waiting: Waiting | None = None
        self.is_over = False

    def __call__(self, code: ErrorCode, low_watermark: int = NO_OFFSET) -> None:
        """The end of the deletion; only the first one counts."""
        if not self.is_over:
            self.is_over = True
            if self._waiting is not None:
                self._waiting.end(1)
            self._done(DeletionResult(code=code, low_watermark=low_watermark))

    def wait(self, offset: int) -> None:
        """The leader's records before ``offset`` are gone: wait for the followers'."""
        self._low_watermark = self._partition.low_watermark
        self._partition.when_deleted(offset, self)

    def count(self, waiting: Waiting) -> None:
        self._waiting = waiting
        waiting.begin(1)

    def expire(self) -> None:
        """The time is over. The low watermark in the result is that of the moment at which the leader had deleted its
        records, as in Kafka's response."""
        self._partition.forget_deletion(self)
        self(ErrorCode.REQUEST_TIMED_OUT, self._low_watermark)


class Deletions:
    """The deletion of records on request."""

    def __init__(
        self,
        replicas: HostedReplicas,
        clock: Clock,
        timers: Timers,
        unknown: Callable[[bytes, int], ErrorCode],
        refresh: Callable[[Hosted], None],
        waiting: Waiting,
    ) -> None:
        """``unknown`` returns the error for a partition that this broker does not have. ``refresh`` gives a replica the
        newest settings of its topic."""
        self._replicas = replicas
        self._clock = clock
        self._timers = timers
        self._unknown = unknown
        self._refresh = refresh
        self._waiting = waiting

    def delete(self, item: DeletionItem, timeout_ms: int, done: RecordsDeleted) -> None:
        """Delete records. ``done`` is called with the result, now or later."""
        hosted = self._replicas.get(item.topic_id, item.index)
        if hosted is None or hosted.log is None:
            done(DeletionResult(code=self._unknown(item.topic_id, item.index)))
            return
        self._refresh(hosted)
        partition = hosted.partition
        try:
            # Deleting is the leader's: followers take its log start from fetches (KIP-107).
            partition.check_leader()
            # The records of a topic that is only compacted are the last ones of their keys, which nobody may take
            # away.
            if not hosted.settings.deletes:
                raise PartitionError(ErrorCode.POLICY_VIOLATION)
            offset = partition.deletion_offset(item.offset)
        except PartitionError as error:
            done(DeletionResult(code=error.code))
            return
        deletion = _Deletion(partition, done)
        deleted = partial(self._wait, deletion, offset, timeout_ms)
        if offset <= partition.log_start_offset:
            deleted()
        else:
            failed = partial(deletion, ErrorCode.KAFKA_STORAGE_ERROR)
            self._replicas.changes.move_start(hosted, offset, deleted, failed)

    def _wait(self, deletion: _Deletion, offset: int, timeout_ms: int) -> None:
        """The leader's records are gone. Only now does the request's time begin: it may be 0, and a request for a
        partition without followers has to succeed then, as with Apache Kafka."""
        deletion.wait(offset)
        if not deletion.is_over:
            deletion.count(self._waiting)
            at_ms = self._clock.now_ms() + max(0, timeout_ms)
            self._timers.add(at_ms, deletion.expire, lambda: deletion.is_over)
