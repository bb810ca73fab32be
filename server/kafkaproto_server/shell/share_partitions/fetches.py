"""ShareFetch: acquires the records of a request, or waits until there are some.

A request looks at its share partitions (`shell.share_partitions.led`): for each one that may acquire records it reads
the log from the next fetch offset on, and if there is enough, acquires. What is not in memory is read by a thread;
meanwhile no other request reads these share partitions. Else it waits for a change of one of them: records that were
appended, acknowledged or given up. It ends without records when its time is over.

Of one read only so many batches are looked at as the group may have records in flight, and of one request only so many
share partitions are read: the next request begins with others.

Apache Kafka: ``DelayedShareFetch``, ``ShareFetchUtils``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.metrics.coordinators import SharePartitionMetrics
from kafkaproto_server.base.metrics.topics import TopicMetrics
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.core.share_partitions.acquiring import (
    AcquiredRange,
    LogBatch,
    Wanted,
    acquire,
    give_back,
)
from kafkaproto_server.core.share_partitions.claims import claims_many
from kafkaproto_server.core.share_partitions.partition import SharePartition
from kafkaproto_server.requests.context import Throttle
from kafkaproto_server.requests.share_requests import (
    RECORD_LIMIT,
    ShareError,
    ShareFetched,
    ShareFetchResult,
    ShareFetchValues,
    TopicPartitionId,
)
from kafkaproto_server.shell.replicas.requests.fetches import Fetches
from kafkaproto_server.shell.replicas.requests.log_read import LogRead
from kafkaproto_server.shell.share_partitions.led import LedSharePartition, LedSharePartitions
from kafkaproto_server.shell.share_partitions.share_reads import ShareLogRead, ShareRead, sliced
from kafkaproto_server.shell.storage.errors import CorruptFileError, OffsetOutOfRangeError, UnusableFileError

MAX_PARTITIONS: Final = 100
"""How many share partitions one request reads at most."""
FIRST_READ_BYTES: Final = 1024 * 1024
"""How much is read at first. A member may allow 50 MiB, and want the first 500 records of them."""


class ShareFetches:
    """The fetching side of a broker's share partitions."""

    def __init__(self, led: LedSharePartitions, fetches: Fetches) -> None:
        self._led = led
        self._fetches = fetches

    def fetch(
        self,
        values: ShareFetchValues,
        partitions: Mapping[TopicPartitionId, LedSharePartition],
        failed: Mapping[TopicPartitionId, ShareError],
        throttle: Throttle | None,
        done: Callable[[ShareFetched], None],
    ) -> None:
        """Serve a request. ``done`` is called with the response, now or later. ``failed`` are those of its partitions
        that this broker does not lead."""
        _ShareFetch(self, values, partitions, failed, throttle, done).begin()

    # The rest is for the requests.

    @property
    def now_ms(self) -> int:
        return self._fetches.now_ms

    def call_at(self, at_ms: int, call: Callable[[], None], is_over: Callable[[], bool]) -> None:
        self._fetches.call_at(at_ms, call, is_over)

    def core_of(self, led: LedSharePartition) -> SharePartition | None:
        return self._led.core_of(led)

    def limit(self, values: ShareFetchValues) -> int:
        """The most bytes of records in a response."""
        return min(values.max_bytes, self._led.settings.config.fetch_max_bytes)

    @property
    def metrics(self) -> SharePartitionMetrics:
        """What all requests have in common."""
        return self._led.metrics

    @property
    def topic_metrics(self) -> TopicMetrics:
        """What is read, by topic."""
        return self._fetches.metrics

    def watch_locks(self, led: LedSharePartition) -> None:
        self._led.watch_locks(led)

    def read(self, read: ShareRead, *, whole_first: bool) -> None:
        """Read what is in memory; ``log_read`` is set if a thread has to read it."""
        led = read.led
        partition, log, core = led.hosted.partition, led.hosted.log, led.core
        assert core is not None
        if log is None:
            read.error = ShareError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
            return
        committed = core.settings.is_read_committed
        end_offset = partition.last_stable_offset if committed else partition.high_watermark
        # The log itself refuses an offset before its start.
        if read.fetch_offset > partition.log_end_offset:
            read.error = ShareError(ErrorCode.OFFSET_OUT_OF_RANGE)
            return
        if read.fetch_offset >= end_offset or read.room <= 0:
            return
        # Not more than the group may have in flight: what lies behind could not be acquired anyway.
        max_offsets = core.settings.partition_max_record_locks
        size = min(read.room, FIRST_READ_BYTES)
        while True:
            log_read = ShareLogRead(0, led.hosted, log, read.fetch_offset, size, end_offset, whole_first)
            try:
                # Copied, not sent from the file: the batches are looked at first.
                records = log_read.read_now(copied=True)
            except BlockingIOError:
                read.log_read = log_read
                return
            except (OSError, OffsetOutOfRangeError, CorruptFileError) as error:
                self.read_failed(read, log_read, error)
                return
            assert isinstance(records, bytes | bytearray | memoryview)
            read.take(records, max_offsets, is_read_committed=committed, read=log_read)
            # A batch may say that it has two billion offsets. Whether there are records at them, a thread finds out.
            if claims_many(read.batches):
                read.records, read.batches, read.aborted, read.log_read = b"", [], (), log_read
                return
            if size >= read.room or not read.is_short(max_offsets) or len(records) < size // 2:
                return
            # A few steps lead to the 50 MiB that a member may allow, and little is read twice.
            size = min(read.room, size * 8)

    def read_failed(self, read: ShareRead, log_read: LogRead, error: Exception) -> None:
        """The log could not be read."""
        if isinstance(error, OffsetOutOfRangeError):
            read.error = ShareError(ErrorCode.OFFSET_OUT_OF_RANGE)
        elif isinstance(error, CorruptFileError) and not isinstance(error, UnusableFileError):
            read.error = ShareError(ErrorCode.CORRUPT_MESSAGE, str(error))
        else:
            self._fetches.replicas.read_failed(log_read.hosted, log_read.log, error)
            read.error = ShareError(ErrorCode.KAFKA_STORAGE_ERROR)

    def read_cold(
        self, reads: Sequence[LogRead], done: Callable[[list[Buffer | Exception]], None], host: str
    ) -> None:
        """See `Fetches.read_cold`. It always ends: other requests wait for these share partitions."""
        self._fetches.read_cold(reads, done, host, lambda: False)


class _ShareFetch:
    """One request until it has its response. Implements `shell.share_partitions.led.Waiter`."""

    __slots__ = (
        "_began_ms",
        "_done",
        "_failed",
        "_is_over",
        "_is_reading",
        "_node",
        "_partitions",
        "_throttle",
        "_values",
        "_watched",
    )

    def __init__(
        self,
        node: ShareFetches,
        values: ShareFetchValues,
        partitions: Mapping[TopicPartitionId, LedSharePartition],
        failed: Mapping[TopicPartitionId, ShareError],
        throttle: Throttle | None,
        done: Callable[[ShareFetched], None],
    ) -> None:
        self._node = node
        self._throttle = throttle
        # A member that may ask for more than its quota ever allows would never get a record.
        most = None if throttle is None else throttle.most_bytes()
        if most is not None and values.max_bytes > most:
            values = msgspec.structs.replace(values, max_bytes=most)
        self._values = values
        self._partitions = dict(partitions)
        self._failed = dict(failed)
        self._done = done
        self._began_ms = node.now_ms
        self._is_over = False
        self._is_reading = False
        # How many share partitions it waits for.
        self._watched = 0

    def begin(self) -> None:
        if not self._partitions:
            self._respond({})
        elif not self._look():
            # As in Kafka: with no time to wait, its time is over at once, and it gets what there is.
            if self._values.max_wait_ms <= 0:
                self._expire()
                return
            # All of them are watched, also those that may not acquire now: what is given up there may be what it
            # waits for.
            for each in self._partitions.values():
                each.waiters[self] = None
            self._watched = len(self._partitions)
            self._node.topic_metrics.share_fetches.begin(self._watched)
            self._node.call_at(
                self._node.now_ms + self._values.max_wait_ms, self._expire, lambda: self._is_over
            )

    def share_partition_changed(self, led: LedSharePartition) -> None:
        # While it reads, or a thread does for it, it looks at all of its share partitions at the end anyway.
        if self._is_over or self._is_reading:
            return
        if led.is_gone:
            self._drop_gone()
            if not self._partitions:
                self._respond({})
        elif self._may_have_records(led):
            self._look()

    def _may_have_records(self, led: LedSharePartition) -> bool:
        core = self._node.core_of(led)
        return (
            core is not None
            and led.reader is None
            and core.can_acquire()
            and core.next_fetch_offset() < led.hosted.partition.high_watermark
        )

    def _drop_gone(self) -> None:
        for key, led in tuple(self._partitions.items()):
            if led.is_gone:
                assert led.failure is not None
                self._failed[key] = led.failure
                del self._partitions[key]
                led.waiters.pop(self, None)

    def _expire(self) -> None:
        # Its time may end while a thread reads; that read then ends the request.
        if not self._is_over and not self._is_reading:
            self._node.metrics.expired_fetches += 1
            self._drop_gone()
            self._read(self._acquirable(), is_expired=True)

    # -- reading -------------------------------------------------------------------------------------------------

    def _look(self) -> bool:
        """Read, and respond if there is enough. Returns whether it was, or a thread reads."""
        self._drop_gone()
        reads = self._acquirable()
        if self._values.max_bytes < 0:
            # Kafka cannot divide them among the partitions.
            for each in reads.values():
                each.error = ShareError(ErrorCode.UNKNOWN_SERVER_ERROR)
            self._respond(reads)
            return True
        return bool(reads) and self._read(reads, is_expired=False)

    def _acquirable(self) -> dict[TopicPartitionId, ShareRead]:
        reads: dict[TopicPartitionId, ShareRead] = {}
        limit = self._node.limit(self._values)
        for key, led in self._partitions.items():
            core = self._node.core_of(led)
            if core is not None and led.reader is None and core.can_acquire():
                reads[key] = ShareRead(led, core.next_fetch_offset(), limit)
        for read in reads.values():
            # In equal parts, as Kafka divides them (``PartitionMaxBytesStrategy.UNIFORM``): else the first one would
            # fill the response, and members would get records of one share partition only.
            read.room = limit // len(reads)
        return reads

    def _read(self, reads: Mapping[TopicPartitionId, ShareRead], *, is_expired: bool) -> bool:
        total = looked_at = 0
        is_due = is_expired
        cold: list[ShareRead] = []
        left = self._node.limit(self._values)
        # A disk that fails ends the share partition at once, which tells those who wait: this request responds below.
        self._is_reading = True
        for read in reads.values():
            # The others come first in the next request: each begins with another share partition.
            if looked_at == MAX_PARTITIONS:
                break
            # The first one may have brought a batch that is larger than its part.
            read.room = min(read.room, left)
            # A batch that is larger than all that is allowed comes alone (KIP-74).
            self._node.read(read, whole_first=total == 0)
            size = len(read.records)
            if read.log_read is not None:
                cold.append(read)
                # What a thread reads counts as enough.
                is_due = True
            is_due = is_due or read.error is not None
            looked_at += bool(size or read.log_read or read.error)
            total += size
            left = max(0, left - size)
        self._is_reading = False
        # Nothing was acquired yet, so what was read can be dropped: other members may have it meanwhile.
        if not is_due and total < min(self._values.min_bytes, self._node.limit(self._values)):
            return False
        if cold:
            self._read_cold(reads, cold)
        else:
            self._respond(reads)
        return True

    def _read_cold(self, reads: Mapping[TopicPartitionId, ShareRead], cold: Sequence[ShareRead]) -> None:
        self._is_reading = True
        # Also those that were read at once: they acquire when the thread is done, and nobody else may take the same
        # records from under them.
        for each in reads.values():
            each.led.reader = self

        def done(found: list[Buffer | Exception]) -> None:
            for each in reads.values():
                each.led.reader = None
            for read, records in zip(cold, found, strict=True):
                log_read, core = read.log_read, read.led.core
                assert log_read is not None
                assert core is not None
                if isinstance(records, Exception):
                    self._node.read_failed(read, log_read, records)
                else:
                    settings = core.settings
                    read.gaps = log_read.gaps
                    read.take(
                        records,
                        settings.partition_max_record_locks,
                        is_read_committed=settings.is_read_committed,
                        read=log_read,
                    )
            self._is_reading = False
            # Before others are woken: this request acquires what it has read.
            self._respond(reads)
            for each in reads.values():
                each.led.wake()

        log_reads = [each.log_read for each in cold if each.log_read is not None]
        self._node.read_cold(log_reads, done, self._values.client_host)

    # -- the response --------------------------------------------------------------------------------------------

    def _respond(self, reads: Mapping[TopicPartitionId, ShareRead]) -> None:
        self._is_over = True
        if self._watched:
            self._node.topic_metrics.share_fetches.end(self._watched)
        for each in self._partitions.values():
            each.waiters.pop(self, None)
        self._drop_gone()
        results: dict[TopicPartitionId, ShareFetchResult] = {}
        acquired: list[tuple[LedSharePartition, list[AcquiredRange]]] = []
        # One limit for all of the response: the first ones take what there is (KIP-932).
        left = self._values.max_records
        size = 0
        for key, read in reads.items():
            # It moved while a thread read: its records are the new leader's to deliver. `_failed` has the error.
            if read.led.is_gone:
                continue
            result, ranges = self._acquire(read, left)
            results[key] = result
            if ranges:
                acquired.append((read.led, ranges))
            left -= sum(last - first + 1 for first, last, _ in ranges)
            size += len(result.records)
        if self._partitions:
            metrics = self._node.metrics
            metrics.acquire_times.add((self._node.now_ms - self._began_ms) / 1000)
            metrics.fetch_ratios.add(len(acquired) / len(self._partitions) / 10)
        for key, error in self._failed.items():
            results[key] = ShareFetchResult(code=error.code, message=error.message)
        throttle_ms = 0 if self._throttle is None else self._throttle.fetched(size)
        if throttle_ms:
            # The response leaves without records, so nobody has them: their delivery does not count.
            self._give_back(acquired)
            results = {}
        else:
            self._count_records(reads, results)
        self._done(ShareFetched(partitions=results, throttle_ms=throttle_ms))

    def _count_records(
        self,
        reads: Mapping[TopicPartitionId, ShareRead],
        results: Mapping[TopicPartitionId, ShareFetchResult],
    ) -> None:
        metrics = self._node.topic_metrics
        for key, result in results.items():
            if result.records:
                size = len(result.records)
                metrics.of(reads[key].led.hosted.partition.topic).bytes_out += size
                metrics.all.bytes_out += size

    def _acquire(self, read: ShareRead, max_records: int) -> tuple[ShareFetchResult, list[AcquiredRange]]:
        led, core = read.led, read.led.core
        assert core is not None
        if read.error is not None:
            if read.error.code is ErrorCode.OFFSET_OUT_OF_RANGE:
                # Records were deleted that nobody had acquired yet. The member gets no error, as in Kafka: what is
                # next is found in its next request.
                core.log_start_moved(led.hosted.partition.log_start_offset)
                return ShareFetchResult(), []
            return ShareFetchResult(code=read.error.code, message=read.error.message), []
        values = self._values
        wanted = Wanted(
            member_id=values.member.member_id,
            max_records=max_records,
            batch_size=values.batch_size,
            is_record_limit=values.acquire_mode == RECORD_LIMIT,
        )
        batches = [LogBatch(each.first_offset, each.last_offset) for each in read.batches]
        ranges = acquire(core, wanted, read.fetch_offset, batches, read.aborted, self._node.now_ms, read.gaps)
        self._node.watch_locks(led)
        if not ranges:
            return ShareFetchResult(), []
        records = sliced(read, ranges[0].first, ranges[-1].last)
        return ShareFetchResult(records=records, acquired=ranges), ranges

    def _give_back(self, acquired: Sequence[tuple[LedSharePartition, list[AcquiredRange]]]) -> None:
        for led, ranges in acquired:
            if led.core is not None:
                give_back(led.core, ranges)
                led.wake()
