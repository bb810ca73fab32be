"""A member acquires records that were read from the log.

Records are acquired by whole batches of the log as far as possible, so that members can acknowledge them cheaply. If
a member asks for fewer records than a batch has, it gets the batch nevertheless (batch_optimized), or a part of it
(record_limit, KIP-1206). Offsets of compacted or control records are acquired as well; the member acknowledges them
as gaps.

Records that were delivered often may be what makes members fail. So from half of the delivery limit on, fewer of them
are delivered together, and on the last delivery each is alone.

Records of aborted transactions are archived and not delivered if the group reads only what is committed.

Apache Kafka: ``SharePartition.acquire``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

import msgspec

from kafkaproto_server.core.share_partitions.in_flight import NO_MEMBER, InFlightBatch, RecordState, Run
from kafkaproto_server.core.share_partitions.partition import SharePartition


class LogBatch(NamedTuple):
    """The offsets of one batch of the log."""

    first: int
    last: int


class AcquiredRange(NamedTuple):
    """Consecutive records that a member has acquired."""

    first: int
    last: int
    delivery_count: int


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What a member wants of one partition."""

    member_id: str
    max_records: int
    batch_size: int
    """How many records the ranges that it gets should have at most. Batches of the log are not divided for it."""
    is_record_limit: bool
    """Whether it gets no more than ``max_records`` whatever the batches of the log are."""


_BASE = attrgetter("first")


def acquire(
    partition: SharePartition,
    wanted: Wanted,
    fetch_offset: int,
    batches: Sequence[LogBatch],
    aborted: Sequence[LogBatch],
    now_ms: int,
    gaps: Sequence[LogBatch] = (),
) -> list[AcquiredRange]:
    """Acquire records of ``batches``, which were read from ``fetch_offset`` on. ``aborted`` are those among them that
    belong to aborted transactions, ``gaps`` are ranges of offsets without records (`core.share_partitions.claims`).
    Returns the ranges that the member has acquired; they may be none."""
    if wanted.max_records <= 0 or not batches:
        return []
    acquisition = _Acquisition(partition, wanted, fetch_offset, batches, now_ms)
    ranges = acquisition.run()
    partition.locks.clean(partition.in_flight)
    # After they were acquired, as in Kafka: so they are in flight, and the start offset can pass them.
    if ranges and aborted:
        for each in aborted:
            partition.archive(
                each.first,
                each.last,
                partition.in_flight.over(each.first, each.last),
                RecordState.ACQUIRED,
                are_counted=True,
            )
        # They are archived, so the member must not hear of them: it could not acknowledge them.
        ranges = without(ranges, aborted)
    for each in gaps:
        # Also what a record limit has left available of the batch.
        for state in (RecordState.ACQUIRED, RecordState.AVAILABLE):
            batches_over = partition.in_flight.over(each.first, each.last)
            partition.archive(each.first, each.last, batches_over, state, are_counted=True)
    return without(ranges, gaps) if gaps else ranges


def give_back(partition: SharePartition, ranges: Sequence[AcquiredRange]) -> None:
    """Records that were acquired just now do not reach the member after all."""
    for each in ranges:
        for batch in partition.in_flight.over(each.first, each.last):
            for run in batch.runs_over(each.first, each.last):
                run.state = RecordState.AVAILABLE
                # It was never delivered, and must not come closer to its limit.
                run.delivery_count -= 1
                run.member_id, run.lock_until_ms = NO_MEMBER, None
    partition.looks_for_available = True


def without(ranges: Sequence[AcquiredRange], taken_out: Sequence[LogBatch]) -> list[AcquiredRange]:
    """Ranges without the offsets of some batches; both ascend."""
    left: list[AcquiredRange] = []
    for first, last, count in ranges:
        position = bisect_right(taken_out, first, key=_BASE)
        begin = first
        for each in taken_out[max(0, position - 1) :]:
            if each.first > last:
                break
            if each.last < begin:
                continue
            if begin < each.first:
                left.append(AcquiredRange(begin, each.first - 1, count))
            begin = each.last + 1
        if begin <= last:
            left.append(AcquiredRange(begin, last, count))
    return left


class _Acquisition:
    def __init__(
        self,
        partition: SharePartition,
        wanted: Wanted,
        fetch_offset: int,
        batches: Sequence[LogBatch],
        now_ms: int,
    ) -> None:
        self._partition = partition
        self._wanted = wanted
        self._batches = batches
        self._fetch_offset = fetch_offset
        self._now_ms = now_ms
        self._ranges: list[AcquiredRange] = []
        self._count = 0
        self._limit = 0
        self._last = batches[-1].last
        self._base = batches[0].first

    @property
    def _left(self) -> int:
        return self._limit - self._count

    def run(self) -> list[AcquiredRange]:
        self._set_limits()
        partition, first_base = self._partition, self._base
        self._archive_compacted()
        floor = partition.in_flight.floor(first_base)
        base = first_base
        # A batch in flight may begin before what was read: it may stand for several batches of the log.
        if floor is not None and floor.last >= base:
            base = floor.first
        known = partition.in_flight.begin_between(base, self._last)
        if not known:
            self._acquire_new(base, self._last)
            return self._ranges
        self._acquire_known(known, base, first_base)
        if self._left > 0 and known[-1].last < self._last:
            self._acquire_new(known[-1].last + 1, self._last)
        if self._ranges:
            partition.fill_gap_to(self._ranges[-1].last + 1)
        return self._ranges

    def _set_limits(self) -> None:
        """How many records may be acquired, and up to which offset: as many as may still be in flight. If that is none,
        only records in flight can be acquired once more."""
        partition, max_records = self._partition, self._wanted.max_records
        room = partition.settings.partition_max_record_locks - partition.in_flight_count
        self._limit = min(max_records, room)
        # They are in flight already, so they take no more room. Otherwise records that were released could not be
        # delivered while the limit is reached.
        if self._limit <= 0:
            self._limit, self._last = max_records, min(self._last, partition.end_offset)

    def _archive_compacted(self) -> None:
        """Available records that the log does not have any more hold nothing up."""
        partition, first, last = self._partition, self._fetch_offset, self._base - 1
        # A fetch that begins behind the offset that it was asked for says that there are no records in between.
        if first <= last and len(partition.in_flight):
            partition.archive(
                first, last, partition.in_flight.over(first, last), RecordState.AVAILABLE, are_counted=True
            )

    # -- records that were in flight before ------------------------------------------------------------------------

    def _acquire_known(self, known: Sequence[InFlightBatch], base: int, first_base: int) -> None:
        gap_start = base
        for batch in known:
            if self._left <= 0:
                return
            # Only until all that the state of the start leaves open was read. Later there is nothing between batches in
            # flight.
            if self._partition.gap_start is not None:
                self._acquire_new(gap_start, batch.first - 1)
                gap_start = batch.last + 1
                if self._left <= 0:
                    return
            is_throttled = self._is_throttled(batch, first_base)
            if is_throttled and self._count > 0:
                # They are delivered by themselves next time.
                self._limit = 0
                return
            is_whole = (
                batch.is_within(first_base, self._last)
                and not batch.is_tracked
                and not is_throttled
                and not (self._wanted.is_record_limit and batch.size > self._left)
            )
            if not batch.is_tracked and not batch.whole.can_be_acquired:
                continue
            if is_whole:
                self._acquire_run(batch.whole)
                self._add(_range(batch.whole))
                continue
            batch.is_tracked = True
            before = self._count
            self._acquire_part(batch, first_base)
            if is_throttled and self._count > before:
                self._limit = 0
                return

    def _is_throttled(self, batch: InFlightBatch, first_base: int) -> bool:
        least = self._partition.settings.throttle_delivery_count
        return any(
            run.can_be_acquired and run.delivery_count >= least
            for run in batch.runs_over(first_base, self._last)
        )

    def _acquire_part(self, batch: InFlightBatch, first_base: int) -> None:
        settings = self._partition.settings
        limit, least = settings.delivery_count_limit, settings.throttle_delivery_count
        isolates = limit > 2
        most = self._left if self._wanted.is_record_limit else None
        throttled: int | None = None
        acquired: list[AcquiredRange] = []
        count = 0
        for run in batch.runs_over(first_base, self._last):
            if not run.can_be_acquired:
                continue
            # With a limit of one or two deliveries there is no delivery before the last one that could tell good
            # records from bad.
            is_last_delivery = isolates and run.delivery_count == limit - 1
            if is_last_delivery and count:
                break
            if run.delivery_count >= least and throttled is None:
                # Half of the batch, then a quarter: the record that makes members fail is soon among few others.
                throttled = max(1, batch.size >> (run.delivery_count - least + 1))
            first, last = max(run.first, first_base), min(run.last, self._last)
            room = last - first + 1
            if most is not None:
                room = min(room, most - count)
            if throttled is not None and count < throttled:
                room = min(room, throttled - count)
            if is_last_delivery:
                room = 1
            (part,) = batch.runs_between(first, first + room - 1)
            self._acquire_run(part)
            _append(acquired, _range(part))
            count += room
            if is_last_delivery or count in (most, throttled):
                break
        self._ranges.extend(acquired)
        self._count += count

    def _acquire_run(self, run: Run) -> None:
        until_ms = self._partition.lock(run.first, run.last, self._now_ms)
        run.acquire(self._wanted.member_id, until_ms)

    def _add(self, acquired: AcquiredRange) -> None:
        self._ranges.append(acquired)
        self._count += acquired.last - acquired.first + 1

    # -- records that were not -----------------------------------------------------------------------------------

    def _acquire_new(self, first: int, last: int) -> None:
        partition, most = self._partition, self._left
        # The log's first batch may begin before what is left of it.
        first = max(first, partition.start_offset)
        if most < last - first + 1:
            # Where records may be missing in flight, batches of the log may overlap what is in flight.
            last = min(last, self._end_of_batch(first + most - 1))
        if last < first:
            return
        ranges = self._divided(first, last)
        for each in ranges:
            self._put(each.first, each.last)
        # The first records that are in flight: whatever lies before them is not in the log.
        if partition.in_flight.first.first == first:
            partition.start_offset = first
        partition.end_offset = max(partition.end_offset, last)
        if self._wanted.is_record_limit and last - first + 1 > most:
            ranges = [AcquiredRange(first, self._leave_rest(first, most), 1)]
        partition.fill_gap_to(ranges[-1].last + 1)
        for each in ranges:
            self._add(each)

    def _divided(self, first: int, last: int) -> list[AcquiredRange]:
        """Ranges of the batch size or more, which begin where batches of the log begin."""
        size = self._wanted.batch_size
        ranges: list[AcquiredRange] = []
        if not self._wanted.is_record_limit:
            for each in self._batches:
                if each.first > last:
                    break
                # Never within a batch of the log: a member decompresses it as a whole.
                if each.first - first >= size and each.first > first:
                    ranges.append(AcquiredRange(first, each.first - 1, 1))
                    first = each.first
        ranges.append(AcquiredRange(first, last, 1))
        return ranges

    def _put(self, first: int, last: int) -> None:
        run = Run(first, last, RecordState.AVAILABLE, 0)
        self._acquire_run(run)
        self._partition.in_flight.add(InFlightBatch(run))

    def _leave_rest(self, first: int, most: int) -> int:
        """Acquire only so many records of a new batch; the others stay available. Returns the last that is acquired."""
        batch = self._partition.in_flight.floor(first)
        assert batch is not None
        batch.is_tracked = True
        last = first + most - 1
        for run in batch.runs_between(last + 1, batch.last):
            run.state, run.delivery_count = RecordState.AVAILABLE, 0
            run.member_id, run.lock_until_ms = NO_MEMBER, None
        self._partition.looks_for_available = True
        return last

    def _end_of_batch(self, offset: int) -> int:
        """The last offset of the batch of the log that has an offset; the offset itself if none has it."""
        position = bisect_right(self._batches, offset, key=_BASE)
        if position and offset <= self._batches[position - 1].last:
            return self._batches[position - 1].last
        return offset


def _range(run: Run) -> AcquiredRange:
    return AcquiredRange(run.first, run.last, run.delivery_count)


def _append(ranges: list[AcquiredRange], following: AcquiredRange) -> None:
    """Add a range, joined to the last one if it continues that."""
    if ranges:
        first, last, count = ranges[-1]
        if last + 1 == following.first and count == following.delivery_count:
            ranges[-1] = AcquiredRange(first, following.last, count)
            return
    ranges.append(following)
