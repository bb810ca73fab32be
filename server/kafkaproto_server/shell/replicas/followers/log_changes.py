"""What a leader's responses do to the log of a follower: append, cut, begin anew, move the start.

One change at a time: until the job for the disk is done, the partition is not asked for, and nothing more of it is
taken. Its next request says where the log ends, and the leader counts on it.

Apache Kafka: ``ReplicaFetcherThread.processPartitionData``, ``truncate``, ``truncateFullyAndStartAt``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.messages import FetchResponse
from kafkaproto.records.batch import BatchHeader
from kafkaproto.records.legacy import iterate_stored_batches
from kafkaproto_server.base.metrics.topics import TopicMetrics
from kafkaproto_server.base.ports import Clock
from kafkaproto_server.core.log_state.transactions import end_transaction_marker
from kafkaproto_server.shell.replicas.files.disk_jobs import DiskJob
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.followers.followed import Followed
from kafkaproto_server.shell.replicas.followers.throttles import ReplicationThrottle
from kafkaproto_server.shell.storage.log.topic_state import Found

_log = logging.getLogger("kafkaproto.server.replicas")

PartitionData = FetchResponse.PartitionData
T = TypeVar("T")


class LogChanges:
    """Changes the logs of all followers on this broker."""

    def __init__(
        self,
        replicas: HostedReplicas,
        clock: Clock,
        throttle: ReplicationThrottle,
        metrics: TopicMetrics,
        was_cut: Callable[[Hosted], None],
    ) -> None:
        """``throttle`` is that of what is copied. ``was_cut`` is called when a replica's log was cut at its end."""
        self._replicas = replicas
        self._clock = clock
        self._throttle = throttle
        self._metrics = metrics
        self._was_cut_at_end = was_cut

    def leader_said(self, followed: Followed, high_watermark: int) -> None:
        hosted = followed.hosted
        hosted.partition.leader_said(high_watermark)
        # A replica that is fetched anew counts as lost until it has all that is committed: then a controller may
        # elect it.
        if hosted.is_anew and hosted.partition.log_end_offset >= high_watermark:
            self._replicas.has_all_again(hosted)

    def append(self, followed: Followed, data: PartitionData) -> None:
        """Append what the leader sent. Raises RemoteProtocolError if that does not continue this log."""
        partition, log = followed.hosted.partition, followed.hosted.log
        assert log is not None, "a follower's log is open"
        records = data.records
        assert records is not None, "there are records to append"
        assert not isinstance(records, list), "what was decoded is one buffer"
        headers: list[BatchHeader] = []
        markers = []
        end, first = 0, partition.next_offset
        expected = first
        # All batches are looked at before the first of them changes anything: a response that is refused leaves no
        # trace.
        for view in iterate_stored_batches(records):
            # A batch that was damaged on its way, or on the leader's disk, ends here. Else it would come to look like
            # a true one.
            view.check()
            header = view.header()
            # As the leader's log may do, an empty one may begin within a batch.
            continues = header.base_offset >= expected or (not headers and partition.begins_within(header))
            if not continues or header.partition_leader_epoch > followed.leader_epoch:
                raise RemoteProtocolError(
                    f"a batch of epoch {header.partition_leader_epoch} begins at {header.base_offset}, expected is"
                    f" {expected}"
                )
            headers.append(header)
            markers.append(end_transaction_marker(view) if header.is_control else None)
            expected = header.next_offset
            end = view.position + view.size_in_bytes
        # The leader's limit may have cut the only batch short.
        if not headers:
            return
        aborted = []
        # By the time of now: a producer is forgotten so long after it was heard of, however old its records are.
        wall_ms = self._clock.wall_ms()
        for header, marker in zip(headers, markers, strict=True):
            # An empty log may begin within its first batch.
            partition.epochs.begin(
                header.partition_leader_epoch, max(header.base_offset, partition.log_start_offset)
            )
            transaction = partition.producers.take(header, marker, wall_ms)
            if transaction is not None:
                aborted.append(transaction)
        partition.aborted += aborted
        # What is asked for next follows from this one, what the leader hears from the end of the log, once that is
        # written.
        partition.next_offset = expected
        followed.has_all = data.high_watermark <= expected
        if self._throttle.holds_for(followed.hosted):
            self._throttle.record(end)
        self._count(followed, end)
        high_watermark = data.high_watermark

        def appended(has_rolled: bool) -> None:
            # The log may have been closed since, or cut below what was written.
            if followed.hosted.log is log and partition.next_offset >= expected:
                partition.appended(expected, now_ms=self._clock.now_ms())
                # After the end of the log has moved: no high watermark is beyond that.
                self.leader_said(followed, high_watermark)
                if has_rolled:
                    self._replicas.changes.has_rolled(followed.hosted)
            followed.fetcher.changed(followed)

        batches, base_offset = memoryview(records)[:end], headers[0].base_offset
        if base_offset < first:
            self.change(followed, partial(log.begin_within, batches, base_offset, aborted, wall_ms), appended)
            return
        work = partial(log.append, (batches,), aborted, wall_ms)
        self.change(followed, work, appended, is_short=log.is_short_append(end, expected))

    def _count(self, followed: Followed, size: int) -> None:
        """So many bytes of records were copied."""
        followed.fetcher.copied_bytes += size
        self._metrics.replication_bytes_in += size
        hosted = followed.hosted
        if hosted.image is not None and hosted.partition.broker_id in hosted.image.adding_replicas:
            self._metrics.reassignment_bytes_in += size

    def truncate(self, followed: Followed, offset: int) -> None:
        log = followed.hosted.log
        assert log is not None, "a follower's log is open"
        partition = followed.hosted.partition
        if offset >= partition.log_end_offset:
            # Nothing to cut, and the epochs differ: what this replica believes of the last epoch has no record.
            partition.epochs.truncate_to(offset)
            followed.fetcher.want(followed)
            return
        _log.info("%s-%d is cut to offset %d", partition.topic, partition.index, offset)
        # A leader that has lost more may end before this log starts; then this one begins again where that one ends.
        cut = log.truncate_to if offset >= partition.log_start_offset else log.truncate_fully_to
        # Until a log has begun anew, nothing of it is durable, not even its end.
        promised = offset if cut == log.truncate_to else 0
        self._cut(followed, partial(cut, offset, self._clock.wall_ms()), promised)

    def begin_at(self, followed: Followed, offset: int) -> None:
        """Empty a log, which begins at an offset then."""
        log = followed.hosted.log
        assert log is not None, "a follower's log is open"
        self._cut(followed, partial(log.truncate_fully_to, offset, self._clock.wall_ms()), 0)

    def _cut(self, followed: Followed, work: Callable[[], Found], promised: int) -> None:
        """``promised``: what lies before this offset is there at any moment."""
        followed.hosted.is_being_cut = True
        # Before the job: no checkpoint may promise more than the log has, not even if the machine stops in between.
        self._replicas.changes.will_be_cut(followed.hosted, promised)
        self.change(followed, work, partial(self._was_cut, followed))

    def _was_cut(self, followed: Followed, found: Found) -> None:
        hosted = followed.hosted
        hosted.is_being_cut = False
        self._replicas.changes.was_cut(hosted, found)
        # Whoever knows offsets of this log, as the cleaner and a move do, has to forget those behind its end.
        self._was_cut_at_end(hosted)
        if hosted.log is not None:
            # What the metadata said meanwhile.
            self._replicas.apply(hosted)
        followed.fetcher.changed(followed)

    def move_start(self, followed: Followed, offset: int) -> None:
        # The next fetch tells the leader, who may have somebody waiting for it (DeleteRecords).
        # Not beyond what is written: the leader's start may be in records that this log has yet to copy.
        offset = min(offset, followed.hosted.partition.log_end_offset)
        self._replicas.changes.move_start(
            followed.hosted,
            offset,
            partial(followed.fetcher.want, followed),
            partial(followed.fetcher.remove, followed.key),
        )

    def change(
        self, followed: Followed, work: Callable[[], T], done: Callable[[T], None], *, is_short: bool = False
    ) -> None:
        """Have the directory do ``work``. Nothing is asked of the leader until it is done."""
        assert not followed.is_busy, "a log is changed once at a time"
        followed.is_busy = True
        followed.fetcher.busy += 1

        def failed(error: Exception) -> None:
            followed.fetcher.change_failed(followed)
            self._replicas.failed(followed.hosted, error)

        job = DiskJob(work, done, failed)
        if is_short:
            followed.hosted.lane.put_short(job)
        else:
            followed.hosted.lane.put(job)
