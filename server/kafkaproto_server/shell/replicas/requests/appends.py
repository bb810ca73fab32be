"""Produce: checks clients' batches and gives them offsets; `log_writes` has them written and responds.

What follows from a batch is decided at once and in order of arrival; the write is a job of the directory (`disk_jobs`).
The records of a batch are looked at first. That begins in the event loop, and most batches need no more than one step;
the rest is left to a thread, where hosts take turns (`host_lane`). If the connection ends meanwhile, the batch is
dropped, also with acks=0: nobody was told that it is here.
With acks=1 the response waits for the write, with acks=all for the high watermark, at most until the request's timeout.

Apache Kafka: ``ReplicaManager.appendRecords``, ``UnifiedLog.analyzeAndValidateRecords``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kafkaproto.error_codes import ErrorCode
from kafkaproto.records.batch import COMPRESSION_MASK, BatchHeader
from kafkaproto.records.limits import most_decompressed_bytes
from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.metrics.topics import TopicMetrics
from kafkaproto_server.core.log_state.producer_state_entry import AppendedBefore, ProducerRefused
from kafkaproto_server.core.replicas.incoming_batches import (
    BatchRefused,
    IncomingBatch,
    check_at_once,
    check_header,
    check_records,
    stamp,
)
from kafkaproto_server.core.replicas.partition import Partition, PartitionError
from kafkaproto_server.requests.data import Produced, ProduceItem, ProduceResult
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.requests.append_counts import ATTRIBUTES_AT, AppendCounts
from kafkaproto_server.shell.replicas.requests.append_requests import (
    SESSION_IS_OVER,
    AppendPlace,
    AppendRequest,
)
from kafkaproto_server.shell.replicas.requests.host_lane import HostLane, fail
from kafkaproto_server.shell.replicas.requests.log_writes import ACKS_ALL, LogWrites, Unknown
from kafkaproto_server.shell.replicas.requests.own_batches import OwnBatches
from kafkaproto_server.shell.replicas.timers import Timers

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


class Appends:
    """The producers' side of a broker's replicas."""

    def __init__(
        self,
        replicas: HostedReplicas,
        timers: Timers,
        unknown: Unknown,
        refresh: Callable[[Hosted], None],
        checks: HostLane,
        is_session_over: Callable[[], bool],
        metrics: TopicMetrics,
    ) -> None:
        """``refresh`` gives a replica the newest settings of its topic. ``checks`` do what of the checks
        takes long. ``is_session_over``: whether other brokers may lead by now."""
        self.verifies_transactions: Callable[[], bool] = lambda: True
        """Whether records may begin a transaction here only if the coordinator knows of it."""
        self._is_session_over = is_session_over
        self._gaps_until_ms = 0
        self._checks = checks
        self._refresh = refresh
        self._replicas = replicas
        self._clock = timers.clock
        self._timers = timers
        self._unknown = unknown
        self._metrics = metrics
        self._counts = AppendCounts(metrics)
        self._writes = LogWrites(replicas, timers.clock, unknown)
        self.own = OwnBatches(replicas, self._writes, timers, unknown, refresh, is_session_over, metrics)
        """What this broker itself appends."""

    def produce(self, items: Sequence[ProduceItem], *, acks: int, timeout_ms: int, done: Produced) -> None:
        """Append the items. ``done`` is called with their results, now or later."""
        if not items:
            done([])
            return
        if self._is_session_over():
            # Not even with acks=1. Another broker may lead by now, and what is acknowledged here is cut off when this
            # one hears of it. Apache Kafka's brokers go on.
            self._gaps_until_ms = self._clock.now_ms() + REFUSED_AGAIN_MS
            done([SESSION_IS_OVER] * len(items))
            return
        request = AppendRequest(len(items), done)
        sender = items[0].sender
        # The bounds are those of the request, not of a batch: a thousand small batches hold the loop as long as a
        # large one.
        units, bytes_ = sender.budget.units - MAX_UNITS_AT_ONCE, sender.bytes_left - MAX_BYTES_AT_ONCE
        compressed_bytes = 0
        for position, item in enumerate(items):
            # Counted before the batch is looked at. Once what comes of it is known, the time is spent.
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
            request.wait(self._clock.now_ms() + max(0, timeout_ms), self._timers, self._metrics)

    def _append(self, item: ProduceItem, acks: int, take: AppendPlace) -> None:
        hosted = self._replicas.get(item.topic_id, item.index)
        if hosted is None or hosted.log is None:
            code = self._unknown(item.topic_id, item.index)
            # Kafka counts a request that the replica refuses, but not one for a partition that nobody knows.
            if code is not ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                self._metrics.all.produce_requests += 1
            take(ProduceResult(code=code))
            return
        # Nobody goes through all replicas when configs change: each takes the newest settings when it is used.
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
            # A batch that is not checked at once is checked in steps: the first of them here, unless others of the
            # request have used the time of the loop, and the rest by a thread.
            steps = check_records(batch, rules, self._clock.wall_ms, item.sender)
            if not item.sender.waits:
                next(steps)
                item.sender.waits = True
        except StopIteration as stop:
            self._append_checked(hosted, stop.value, acks, item, take)
        except PartitionError as error:
            take(self._counts.not_appended(hosted, error))
        except BatchRefused as error:
            take(self._counts.refused(hosted, error, item))
        else:
            self._check_in_thread(hosted, batch, steps, acks, item, take)

    def _check_in_thread(
        self,
        hosted: Hosted,
        batch: IncomingBatch,
        steps: Steps[IncomingBatch],
        acks: int,
        item: ProduceItem,
        take: AppendPlace,
    ) -> None:
        def done(result: IncomingBatch | BatchRefused) -> None:
            if isinstance(result, BatchRefused):
                take(self._counts.refused(hosted, result, item))
            else:
                self._append_checked(hosted, result, acks, item, take)

        sender, size = item.sender, len(item.records)
        if batch.header.attributes & COMPRESSION_MASK:
            # What the check may keep in memory: the lane begins it once that has room beside the work of other hosts.
            size = min(most_decompressed_bytes(size), sender.bytes_left)
        self._checks.put(sender.host, _checked(steps), done, fail, is_over=lambda: sender.is_gone, size=size)

    def _append_checked(
        self, hosted: Hosted, batch: IncomingBatch, acks: int, item: ProduceItem, take: AppendPlace
    ) -> None:
        partition, header = hosted.partition, batch.header
        try:
            # Again, since a thread may have had the batch meanwhile: the leader of then may be a follower now.
            partition.check_writable(needs_all=acks == ACKS_ALL)
            if header.producer_id >= 0:
                if header.is_transactional:
                    before = self._check_transactional(partition, header, item.guard)
                else:
                    before = partition.producers.check(header, is_from_client=True)
                # A producer that was not told of its batch sends it again. Kafka counts it again, too.
                if before is not None:
                    self._counts.appended(hosted, header, item)
                    self._writes.respond_to_repeated(hosted, before, acks, take)
                    return
            # From here on the batch cannot be refused: the next one gets the offsets behind it.
            base_offset = partition.take_offsets(header)
        except PartitionError as error:
            take(self._counts.not_appended(hosted, error))
            return
        except ProducerRefused as error:
            if error.code is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER and self._has_made_gaps():
                take(SESSION_IS_OVER)
                return
            self._counts.failed(hosted)
            take(
                ProduceResult(
                    code=error.code,
                    message=str(error),
                    log_start_offset=partition.log_start_offset,
                    refusing_epoch=partition.leader_epoch,
                )
            )
            return
        self._counts.appended(hosted, header, item)
        header = header._replace(base_offset=base_offset, partition_leader_epoch=partition.leader_epoch)
        partition.producers.update(header, seen_ms=self._clock.wall_ms())
        if header.is_transactional:
            # The transaction is open in this log now, and what is known of the producer says so. The coordinator's
            # word is used up: the next transaction needs another one (KIP-890).
            partition.verifications.end(header.producer_id)
        result = ProduceResult(
            code=ErrorCode.NONE,
            base_offset=base_offset,
            # Only where the topic has LogAppendTime: else the producer knows the time, which is its own (KIP-32).
            append_time_ms=header.max_timestamp if header.attributes & _APPEND_TIME_BIT else -1,
            log_start_offset=partition.log_start_offset,
        )
        data = b"".join(stamp(batch, base_offset, partition.leader_epoch))
        self._writes.write(hosted, data, header.next_offset, acks, result, take)

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
        # The check comes first all the same: a batch that is here already gets its old response, as Kafka's log looks
        # for repeated batches before it looks for verifications.
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


def _compressed_bytes(item: ProduceItem) -> int:
    records = item.records
    is_compressed = len(records) > ATTRIBUTES_AT and records[ATTRIBUTES_AT] & COMPRESSION_MASK
    return len(records) if is_compressed else 0


def _checked(steps: Steps[IncomingBatch]) -> Steps[IncomingBatch | BatchRefused]:
    try:
        return (yield from steps)
    except BatchRefused as refused:
        return refused
