"""Produce: checks batches, gives them offsets, has them written, and responds when enough replicas have them.

What follows from a batch is decided at once and in order of arrival; the write is a job of the directory (`disk_jobs`).
The records of a batch are looked at first. That begins in the event loop, and most batches need no more than one step;
the rest is left to a thread, where hosts take turns (`host_lane`). If the connection ends meanwhile, the batch is
dropped, also with acks=0: nobody was told that it is here.
With acks=1 the response waits for the write, with acks=all for the high watermark, at most until the request's timeout.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from msgspec import structs

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import EndTxnMarker
from kafkaproto.records.batch import COMPRESSION_MASK, BatchHeader, NewRecord, RecordBatchView, build_batch
from kafkaproto.records.control import ControlRecordType, encode_control_record
from kafkaproto.records.limits import most_decompressed_bytes
from kafkaproto.transaction_index import AbortedTransaction
from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.metrics.topics import TopicCounts, TopicMetrics, Waiting
from kafkaproto_server.base.ports import Clock
from kafkaproto_server.core.log_state.producer_state_entry import AppendedBefore, ProducerRefused
from kafkaproto_server.core.log_state.transactions import EndTransactionMarker
from kafkaproto_server.core.replicas.incoming_batches import (
    BatchRefused,
    Fault,
    IncomingBatch,
    WrongRecord,
    check_at_once,
    check_header,
    check_records,
    stamp,
)
from kafkaproto_server.core.replicas.partition import Partition, PartitionError
from kafkaproto_server.requests.data import NO_OFFSET, MarkerItem, Produced, ProduceItem, ProduceResult
from kafkaproto_server.shell.replicas.files.disk_jobs import DiskJob
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.requests.host_lane import HostLane, fail
from kafkaproto_server.shell.replicas.timers import Timers

ACKS_ALL = -1
ACKS_LEADER = 1
MAX_UNITS_AT_ONCE = 8192
"""So many records and headers of one request are looked at in the event loop at once, which takes some milliseconds."""
MAX_BYTES_AT_ONCE = 2 * 1024 * 1024
"""So many bytes come of decompressing there."""
MAX_COMPRESSED_BYTES_AT_ONCE = 128 * 1024
"""So many are decompressed there. They may be blocks of nothing: 16 KiB of these take three milliseconds."""
_APPEND_TIME_BIT = 0x08
REFUSED_AGAIN_MS = 5_000
"""For how long after this broker refused batches because its session was over, it takes a gap in sequences for one that
it has made itself. It is more than a request is on its way."""
_ATTRIBUTES_AT = 22
"""The byte of a batch's attributes that has the compression."""
MARKER_TIMEOUT_MS = 30_000
"""How long the end of a transaction may take to be replicated; the coordinator then sends it again."""

Unknown = Callable[[bytes, int], ErrorCode]
"""The error code for a partition that this broker does not have."""


_SESSION_IS_OVER = ProduceResult(
    code=ErrorCode.NOT_LEADER_OR_FOLLOWER,
    message="This broker has not reached a controller for the time of its session: others may lead its partitions",
)
_NOTHING_APPENDED = ProduceResult(code=ErrorCode.NONE)
_NOT_FAILED = (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.KAFKA_STORAGE_ERROR)
"""Errors with which Kafka's metrics do not count a request as failed."""
_FAILED = (Fault.HEADER, Fault.RECORDS)
"""Faults of a batch with which they do. Kafka's response then has the start of the log."""


class _Request:
    """A Produce request until all its partitions have a result."""

    __slots__ = ("_appended", "_done", "_missing", "_results", "_waiting", "is_over")

    def __init__(self, count: int, done: Produced) -> None:
        self._results: list[ProduceResult | None] = [None] * count
        # What has its offsets but is not replicated yet: an error of such a partition names them, as Kafka's does.
        self._appended: dict[int, ProduceResult] = {}
        self._missing = count
        self._done = done
        self._waiting: Waiting | None = None
        self.is_over = False

    @property
    def missing(self) -> int:
        """How many partitions have no result yet."""
        return self._missing

    def wait(self, waiting: Waiting) -> None:
        """The request begins to wait for what is missing."""
        self._waiting = waiting
        waiting.begin(self._missing)

    def place(self, position: int) -> _AppendPlace:
        """Where one partition's result goes."""
        return _AppendPlace(self, position)

    def appended(self, position: int, result: ProduceResult) -> None:
        """One partition will have this result if its records are replicated in time."""
        self._appended[position] = result

    def take(self, position: int, result: ProduceResult) -> None:
        """One partition's result; only the first one counts."""
        if self.is_over or self._results[position] is not None:
            return
        self._results[position] = result
        self._missing -= 1
        if self._waiting is not None:
            self._waiting.watched -= 1
        if self._missing == 0:
            self._finish()

    def expire(self) -> None:
        """The time is over: what is missing now timed out."""
        if not self.is_over:
            for position, result in enumerate(self._results):
                if result is None:
                    known = self._appended.get(position, _NOTHING_APPENDED)
                    self._results[position] = structs.replace(known, code=ErrorCode.REQUEST_TIMED_OUT)
            self._finish()

    def _finish(self) -> None:
        self.is_over = True
        if self._waiting is not None:
            self._waiting.end(self._missing)
        done, self._done = self._done, _told_already
        done([each for each in self._results if each is not None])


def _told_already(_results: Sequence[ProduceResult]) -> None:
    """In place of who was told. The timer knows the request until its timeout, and must not keep the records."""


class _AppendPlace:
    """Takes the result of one partition of a request."""

    __slots__ = ("_position", "_request")

    def __init__(self, request: _Request, position: int) -> None:
        self._request = request
        self._position = position

    def __call__(self, result: ProduceResult) -> None:
        self._request.take(self._position, result)

    def appended(self, result: ProduceResult) -> None:
        self._request.appended(self._position, result)


class Appends:
    """The producers' side of a broker's replicas."""

    def __init__(
        self,
        replicas: HostedReplicas,
        clock: Clock,
        timers: Timers,
        unknown: Unknown,
        refresh: Callable[[Hosted], None],
        checks: HostLane,
        is_session_over: Callable[[], bool],
        metrics: TopicMetrics,
    ) -> None:
        """``refresh`` gives a replica the newest settings of its topic. ``checks`` do what of the checks
        takes long. ``is_session_over``: whether other brokers may lead by now."""
        self.marker_written: Callable[[Partition, MarkerItem, int], None] = lambda partition, item, offset: (
            None
        )
        """Called when the end of a transaction has got an offset."""
        self.verifies_transactions: Callable[[], bool] = lambda: True
        """Whether records may begin a transaction here only if the coordinator knows of it."""
        self._is_session_over = is_session_over
        self._gaps_until_ms = 0
        self._checks = checks
        self._refresh = refresh
        self._replicas = replicas
        self._clock = clock
        self._timers = timers
        self._unknown = unknown
        self._metrics = metrics

    def produce(self, items: Sequence[ProduceItem], *, acks: int, timeout_ms: int, done: Produced) -> None:
        """Append the items. ``done`` is called with their results, now or later."""
        if not items:
            done([])
            return
        if self._is_session_over():
            self._gaps_until_ms = self._clock.now_ms() + REFUSED_AGAIN_MS
            done([_SESSION_IS_OVER] * len(items))
            return
        request = _Request(len(items), done)
        sender = items[0].sender
        units, bytes_ = sender.budget.units - MAX_UNITS_AT_ONCE, sender.bytes_left - MAX_BYTES_AT_ONCE
        compressed_bytes = 0
        for position, item in enumerate(items):
            compressed_bytes += _compressed_bytes(item)
            if (
                sender.budget.units < units
                or sender.bytes_left < bytes_
                or compressed_bytes > MAX_COMPRESSED_BYTES_AT_ONCE
            ):
                sender.waits = True
            self._append(item, acks, request.place(position))
        # With other acks nobody waits for replicas, and the write ends.
        if acks == ACKS_ALL and not request.is_over:
            request.wait(self._metrics.produces)
            self._timers.add(
                self._clock.now_ms() + max(0, timeout_ms),
                partial(self._expire, request),
                lambda: request.is_over,
            )

    def _expire(self, request: _Request) -> None:
        if not request.is_over:
            self._metrics.expired_produces += request.missing
            request.expire()

    def _append(self, item: ProduceItem, acks: int, take: _AppendPlace) -> None:
        hosted = self._replicas.get(item.topic_id, item.index)
        if hosted is None or hosted.log is None:
            code = self._unknown(item.topic_id, item.index)
            if code is not ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                self._metrics.all.produce_requests += 1
            take(ProduceResult(code=code))
            return
        self._refresh(hosted)
        rules = hosted.settings.incoming
        try:
            # Before the batch is looked at: this broker's rules may not be those of the leader.
            hosted.partition.check_writable(needs_all=acks == ACKS_ALL)
            batch = check_header(item.records, rules, item.sender, allows_zstd=item.allows_zstd)
            checked = check_at_once(batch, rules, self._clock.wall_ms, item.sender)
            if checked is not None:
                self._append_checked(hosted, checked, acks, item, take)
                return
            steps = check_records(batch, rules, self._clock.wall_ms, item.sender)
            if not item.sender.waits:
                next(steps)
                item.sender.waits = True
        except StopIteration as stop:
            self._append_checked(hosted, stop.value, acks, item, take)
        except PartitionError as error:
            self._respond_not_appended(hosted, error, take)
        except BatchRefused as error:
            self._respond_refused(hosted, error, item, take)
        else:
            self._check_in_thread(hosted, batch, steps, acks, item, take)

    def _check_in_thread(
        self,
        hosted: Hosted,
        batch: IncomingBatch,
        steps: Steps[IncomingBatch],
        acks: int,
        item: ProduceItem,
        take: _AppendPlace,
    ) -> None:
        def done(result: IncomingBatch | BatchRefused) -> None:
            if isinstance(result, BatchRefused):
                self._respond_refused(hosted, result, item, take)
            else:
                self._append_checked(hosted, result, acks, item, take)

        sender, size = item.sender, len(item.records)
        if batch.header.attributes & COMPRESSION_MASK:
            size = min(most_decompressed_bytes(size), sender.bytes_left)
        self._checks.put(sender.host, _checked(steps), done, fail, is_over=lambda: sender.is_gone, size=size)

    def _append_checked(
        self, hosted: Hosted, batch: IncomingBatch, acks: int, item: ProduceItem, take: _AppendPlace
    ) -> None:
        partition, header = hosted.partition, batch.header
        try:
            partition.check_writable(needs_all=acks == ACKS_ALL)
            if header.producer_id >= 0:
                if header.is_transactional:
                    before = self._check_transactional(partition, header, item.guard)
                else:
                    before = partition.producers.check(header, is_from_client=True)
                if before is not None:
                    self._count_appended(hosted, header, item)
                    self._respond_to_repeated(hosted, before, acks, take)
                    return
            base_offset = partition.take_offsets(header)
        except PartitionError as error:
            self._respond_not_appended(hosted, error, take)
            return
        except ProducerRefused as error:
            if error.code is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER and self._has_made_gaps():
                take(_SESSION_IS_OVER)
                return
            self._count_failed(hosted)
            take(
                ProduceResult(
                    code=error.code,
                    message=str(error),
                    log_start_offset=partition.log_start_offset,
                    refusing_epoch=partition.leader_epoch,
                )
            )
            return
        self._count_appended(hosted, header, item)
        header = header._replace(base_offset=base_offset, partition_leader_epoch=partition.leader_epoch)
        partition.producers.update(header, seen_ms=self._clock.wall_ms())
        if header.is_transactional:
            partition.verifications.end(header.producer_id)
        result = ProduceResult(
            code=ErrorCode.NONE,
            base_offset=base_offset,
            append_time_ms=header.max_timestamp if header.attributes & _APPEND_TIME_BIT else -1,
            log_start_offset=partition.log_start_offset,
        )
        data = b"".join(stamp(batch, base_offset, partition.leader_epoch))
        self._write(hosted, data, header.next_offset, acks, result, take)

    def _has_made_gaps(self) -> bool:
        """Whether a gap in sequences may be there because this broker has just refused a batch that another one would
        have taken: Apache Kafka's does not end its session itself. The producer sends both again, as it does if the
        partition has another leader. It would else begin a new epoch (librdkafka), and write again what it has written
        and not been told of.
        """
        return self._clock.now_ms() < self._gaps_until_ms

    def _check_transactional(
        self, partition: Partition, header: BatchHeader, guard: object | None
    ) -> AppendedBefore | None:
        """As `ProducerStates.check`. Raises ProducerRefused also for a batch that would begin a transaction here that
        the coordinator does not know of: INVALID_TXN_STATE, which comes before most other errors, as in Kafka."""
        producers, verifications = partition.producers, partition.verifications
        is_unknown = (
            self.verifies_transactions()
            and not producers.is_in_transaction(header.producer_id, header.producer_epoch)
            and not verifications.is_valid(header.producer_id, guard, partition.leader_epoch)
        )
        before = None
        try:
            before = producers.check(header, is_from_client=True)
        except ProducerRefused:
            if not is_unknown:
                raise
        if before is None:
            if is_unknown:
                raise ProducerRefused(
                    ErrorCode.INVALID_TXN_STATE, "The records are not part of an open transaction"
                )
            verifications.check_sequence(header, producers)
        return before

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
            base_sequence=0 if is_transactional else -1,
        )
        limit = hosted.settings.incoming.max_message_bytes
        if len(batch) > limit:
            raise PartitionError(
                ErrorCode.MESSAGE_TOO_LARGE, f"{len(batch)} bytes in a batch, {limit} are allowed"
            )
        header = RecordBatchView(batch).header()
        if is_transactional:
            partition.producers.check(header, is_from_client=False)
        partition.take_offsets(header)
        partition.producers.update(header, seen_ms=self._clock.wall_ms())
        if is_transactional:
            partition.verifications.end(producer_id)
        self._count_own(hosted, batch, len(records))
        self._write(hosted, batch, header.next_offset, ACKS_LEADER, _NOTHING_APPENDED, None)
        return header.next_offset

    def write_markers(self, items: Sequence[tuple[bytes, MarkerItem]], done: Produced) -> None:
        """Append the ends of transactions, each with the id of its topic. ``done`` is called with the results."""
        if not items or self._is_session_over():
            done([_SESSION_IS_OVER] * len(items))
            return
        request = _Request(len(items), done)
        for position, (topic_id, item) in enumerate(items):
            self._write_marker(topic_id, item, request.place(position))
        if not request.is_over:
            request.wait(self._metrics.produces)
            self._timers.add(
                self._clock.now_ms() + MARKER_TIMEOUT_MS,
                partial(self._expire, request),
                lambda: request.is_over,
            )

    def _write_marker(self, topic_id: bytes, item: MarkerItem, take: _AppendPlace) -> None:
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
            partition.producers.check_marker(header, marker, transaction_version=item.transaction_version)
            partition.take_offsets(header)
        except (PartitionError, ProducerRefused) as error:
            take(ProduceResult(code=error.code, message=str(error)))
            return
        self._count_own(hosted, batch, header.record_count)
        aborted = partition.producers.take(header, marker, header.max_timestamp)
        if aborted is not None:
            partition.aborted.append(aborted)
        partition.verifications.end_by_marker(item.producer_id, item.producer_epoch)
        self.marker_written(partition, item, header.base_offset)
        result = ProduceResult(code=ErrorCode.NONE, base_offset=header.base_offset)
        self._write(
            hosted, batch, header.next_offset, ACKS_ALL, result, take, () if aborted is None else (aborted,)
        )

    def _write(
        self,
        hosted: Hosted,
        data: bytes | bytearray,
        end_offset: int,
        acks: int,
        result: ProduceResult,
        take: _AppendPlace | None,
        aborted: Sequence[AbortedTransaction] = (),
    ) -> None:
        """``take`` is None if nobody waits."""
        log = hosted.log
        assert log is not None
        if take is not None and acks == ACKS_ALL:
            take.appended(result)

        def tell(result: ProduceResult) -> None:
            if take is not None:
                take(result)

        def written(has_rolled: bool) -> None:
            partition = hosted.partition
            if hosted.log is not log:
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

    def _respond_to_repeated(
        self,
        hosted: Hosted,
        before: AppendedBefore,
        acks: int,
        take: _AppendPlace,
    ) -> None:
        """The producer sent a batch again: it gets the response that it missed, once that holds."""
        result = ProduceResult(
            code=ErrorCode.NONE,
            base_offset=before.base_offset,
            # As Kafka's, whose response to a repeated batch has its time even if that is not the broker's.
            append_time_ms=before.timestamp,
            log_start_offset=hosted.partition.log_start_offset,
        )
        if acks != ACKS_ALL:
            self._when_written(hosted, before.last_offset, result, take)
            return
        take.appended(result)
        hosted.partition.when_replicated(
            before.last_offset + 1,
            lambda code: take(result if code is ErrorCode.NONE else structs.replace(result, code=code)),
        )

    def _when_written(
        self, hosted: Hosted, last_offset: int, result: ProduceResult, take: _AppendPlace
    ) -> None:
        partition = hosted.partition
        if last_offset < partition.log_end_offset:
            take(result)
            return

        def written(_: object) -> None:
            is_written = last_offset < partition.log_end_offset
            take(result if is_written else ProduceResult(code=ErrorCode.KAFKA_STORAGE_ERROR))

        # The first append is still under way, in the same lane.
        hosted.lane.put(DiskJob(lambda: None, written, partial(self._replicas.failed, hosted)))

    # -- what is counted, once it is decided what becomes of the records of a partition -----------------------------

    def _count_request(self, hosted: Hosted) -> TopicCounts:
        counts = self._metrics.of(hosted.partition.topic)
        counts.produce_requests += 1
        self._metrics.all.produce_requests += 1
        return counts

    def _count_appended(self, hosted: Hosted, header: BatchHeader, item: ProduceItem) -> None:
        counts = self._count_request(hosted)
        records = header.record_count
        self._metrics.appended(counts, len(item.records), records)
        if (header.attributes ^ item.records[_ATTRIBUTES_AT]) & COMPRESSION_MASK:
            counts.produce_conversions += records
            self._metrics.all.produce_conversions += records

    def _count_own(self, hosted: Hosted, batch: bytes, records: int) -> None:
        self._metrics.appended(self._count_request(hosted), len(batch), records)

    def _count_failed(self, hosted: Hosted) -> None:
        self._count_request(hosted).failed_produce_requests += 1
        self._metrics.all.failed_produce_requests += 1

    def _respond_not_appended(self, hosted: Hosted, error: PartitionError, take: _AppendPlace) -> None:
        log_start_offset = NO_OFFSET
        if error.code in _NOT_FAILED:
            self._count_request(hosted)
        else:
            self._count_failed(hosted)
            log_start_offset = hosted.partition.log_start_offset
        message = None if str(error) == error.code.name else str(error)
        take(ProduceResult(code=error.code, message=message, log_start_offset=log_start_offset))

    def _respond_refused(
        self, hosted: Hosted, error: BatchRefused, item: ProduceItem, take: _AppendPlace
    ) -> None:
        metrics, fault = self._metrics, error.fault
        if fault in _FAILED:
            self._count_failed(hosted)
            metrics.records_without_key += error.keyless
            metrics.wrong_offsets_or_sequences += fault is Fault.HEADER
        elif fault is not Fault.FORM:
            counts = self._count_request(hosted)
            metrics.wrong_checksums += fault is Fault.CHECKSUM
            if fault is Fault.SIZE:
                counts.bytes_rejected += len(item.records)
                metrics.all.bytes_rejected += len(item.records)
        # Other batches of the request may have been refused since a thread looked at this one.
        record_errors = error.record_errors[: item.sender.most_record_errors]
        item.sender.record_errors_left -= len(record_errors)
        take(_refused(error, record_errors, hosted.partition))


def _compressed_bytes(item: ProduceItem) -> int:
    records = item.records
    is_compressed = len(records) > _ATTRIBUTES_AT and records[_ATTRIBUTES_AT] & COMPRESSION_MASK
    return len(records) if is_compressed else 0


def _checked(steps: Steps[IncomingBatch]) -> Steps[IncomingBatch | BatchRefused]:
    try:
        return (yield from steps)
    except BatchRefused as refused:
        return refused


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


def _refused(
    error: BatchRefused, record_errors: Sequence[WrongRecord], partition: Partition
) -> ProduceResult:
    return ProduceResult(
        code=error.code,
        message=error.message,
        record_errors=record_errors,
        log_start_offset=partition.log_start_offset if error.fault in _FAILED else NO_OFFSET,
    )
