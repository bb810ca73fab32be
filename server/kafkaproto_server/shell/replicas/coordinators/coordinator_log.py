"""The partition in which a coordinator lives, as the coordinator sees it: see
`core.coordinators.values.CoordinatorLog`."""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import LocalProtocolError
from kafkaproto.messages import GroupMetadataValue
from kafkaproto.records.batch import NewRecord
from kafkaproto.records.coordinator import encode_coordinator_record
from kafkaproto_server.base.metrics.histogram import Histogram
from kafkaproto_server.base.ports import Clock
from kafkaproto_server.core.coordinators.values import CoordinatorError, Record, told_code
from kafkaproto_server.core.log_state.producer_state_entry import ProducerRefused
from kafkaproto_server.core.replicas.partition import Partition, PartitionError
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.requests.own_batches import OwnBatches
from kafkaproto_server.shell.replicas.timers import Timers

Told = Callable[[ErrorCode], None]


@dataclass(slots=True, eq=False)
class _Waiter:
    """Waits for the commit of an offset."""

    end_offset: int
    until_ms: int
    """The time when it waits no more."""
    since_ms: int
    call: Told
    is_over: bool = False


_OFFSET = attrgetter("end_offset")
COMPRESSED_TO = 8
"""If batches are compressed, records may have so many times the bytes of the largest batch."""


class PartitionLog:
    """Appends a coordinator's records, and tells when they are committed.

    It watches the partition, so that it knows the high watermark whoever wrote the records: a coordinator may wait for
    what the one before it has written, and for the end of a transaction. Implements `CoordinatorLog`.
    """

    def __init__(
        self,
        hosted: Hosted,
        appends: OwnBatches,
        clock: Clock,
        timers: Timers,
        timeout_ms: Callable[[], int],
        commit_times: Histogram,
        compression: Callable[[], int],
    ) -> None:
        """``timeout_ms`` is how long a response waits for replicas; ``commit_times`` gets how long each one did;
        ``compression`` is that of new batches, by its number in their attributes."""
        self._hosted = hosted
        self._appends = appends
        self._clock = clock
        self._timers = timers
        self._timeout_ms = timeout_ms
        self._commit_times = commit_times
        self._compression = compression
        self._waiting: deque[_Waiter] = deque()
        """Ascending by offset."""
        self._by_time: deque[_Waiter] = deque()
        """The same in the order in which they came. The first one is not over."""
        self._is_timer_set = False
        self._is_telling = False
        self._is_closed = False
        hosted.partition.watchers[self] = None

    @property
    def topic_id(self) -> bytes:
        return self._hosted.partition.topic_id

    @property
    def index(self) -> int:
        return self._hosted.partition.index

    @property
    def high_watermark(self) -> int:
        """All records before it are committed."""
        return self._hosted.partition.high_watermark

    @property
    def end_offset(self) -> int:
        return self._hosted.partition.next_offset

    @property
    def max_batch_bytes(self) -> int:
        return self._hosted.settings.incoming.max_message_bytes

    def append(self, records: Sequence[Record]) -> int:
        return self._append(records)

    def append_in_transaction(
        self, records: Sequence[Record], *, producer_id: int, producer_epoch: int
    ) -> int:
        """Append records as part of a producer's transaction, else as `append` does.

        Raises CoordinatorError, also if the producer is fenced; then nothing was written.
        """
        return self._append(records, producer_id, producer_epoch)

    def _append(self, records: Sequence[Record], producer_id: int = -1, producer_epoch: int = -1) -> int:
        if self._is_closed:
            raise CoordinatorError(ErrorCode.NOT_COORDINATOR)
        try:
            new = self._encoded(records)
        except LocalProtocolError as error:
            # A client has sent a string that is longer than the record may have.
            raise CoordinatorError(ErrorCode.UNKNOWN_SERVER_ERROR, str(error)) from error
        try:
            return self._appends.append_own(
                self._hosted, new, producer_id, producer_epoch, compression=self._compression()
            )
        except (PartitionError, ProducerRefused) as error:
            # In the words of a coordinator: what a leader says of its log means something else to the clients of
            # groups.
            raise CoordinatorError(told_code(error.code)) from None

    def _encoded(self, records: Sequence[Record]) -> list[NewRecord]:
        """Records as bytes. Raises LocalProtocolError, and CoordinatorError if they would not fit into a batch: clients
        can send many times as much, and no more is encoded than fits."""
        # Compression may help, but not for ever.
        limit = self.max_batch_bytes * (COMPRESSED_TO if self._compression() else 1)
        size = 0
        new = []
        for each in records:
            if isinstance(each.value, GroupMetadataValue):
                # One record has what all members of a group have sent.
                members = each.value.members
                _check_size(
                    size + sum(len(member.subscription) + len(member.assignment) for member in members), limit
                )
            record = NewRecord(*encode_coordinator_record(each.key, each.value, each.version))
            size += len(record.key or b"") + len(record.value or b"")
            _check_size(size, limit)
            new.append(record)
        return new

    def when_committed(self, end_offset: int, call: Told) -> None:
        """See `CoordinatorLog`. An offset may be lower than that of the call before: a coordinator asks again for what
        was not committed in time."""
        # At once: nobody would tell it later.
        if self._is_closed:
            call(ErrorCode.NOT_COORDINATOR)
        elif end_offset <= self.high_watermark:
            call(ErrorCode.NONE)
        else:
            now_ms = self._clock.now_ms()
            waiter = _Waiter(end_offset, now_ms + self._timeout_ms(), now_ms, call)
            self._by_time.append(waiter)
            if self._waiting and end_offset < self._waiting[-1].end_offset:
                insort(self._waiting, waiter, key=_OFFSET)
            else:
                self._waiting.append(waiter)
            self._set_timer()

    def partition_changed(self, partition: Partition) -> None:
        """The high watermark may have moved.

        The coordinator hears of it a moment later. It may append to partitions in turn, and the partition tells its
        watchers in the middle of a follower's fetch: what is appended then, that fetch would miss.
        """
        if not self._is_telling and self._waiting and self._waiting[0].end_offset <= partition.high_watermark:
            self._is_telling = True
            self._timers.add(self._clock.now_ms(), self._tell)

    def _tell(self) -> None:
        self._is_telling = False
        now_ms = self._clock.now_ms()
        while self._waiting and self._waiting[0].end_offset <= self.high_watermark:
            self._end(self._waiting.popleft(), now_ms, ErrorCode.NONE)

    def _end(self, waiter: _Waiter, now_ms: int, code: ErrorCode) -> None:
        waiter.is_over = True
        while self._by_time and self._by_time[0].is_over:
            self._by_time.popleft()
        self._commit_times.add((now_ms - waiter.since_ms) / 1000)
        waiter.call(code)

    def _set_timer(self) -> None:
        if self._by_time and not self._is_timer_set:
            self._is_timer_set = True
            self._timers.add(self._by_time[0].until_ms, self._time_is_over)

    def _time_is_over(self) -> None:
        self._is_timer_set = False
        self._tell()
        now_ms = self._clock.now_ms()
        while self._by_time and self._by_time[0].until_ms <= now_ms:
            waiter = self._by_time[0]
            # Nearly always the first one, which takes no search.
            self._waiting.remove(waiter)
            self._end(waiter, now_ms, told_code(ErrorCode.REQUEST_TIMED_OUT))
        self._set_timer()

    def close(self) -> None:
        """This broker does not lead the partition any more, at least not in this epoch."""
        self._is_closed = True
        self._hosted.partition.watchers.pop(self, None)
        waiting, self._waiting = self._waiting, deque()
        self._by_time.clear()
        for each in waiting:
            each.call(ErrorCode.NOT_COORDINATOR)


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise CoordinatorError(
            told_code(ErrorCode.MESSAGE_TOO_LARGE), f"{size} bytes in records, {limit} are allowed in a batch"
        )
