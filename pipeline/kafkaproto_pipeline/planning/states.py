"""The state at a point: which snapshot, and which offsets behind it, have to be replayed.

It is the newest whole snapshot from which on the log is whole. If there is none, or if the newest state is asked for
and something hides the end of the log, the error says up to which offset the state can be told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kafkaproto_pipeline.options import AsOf
from kafkaproto_pipeline.planning.lacking import LackingError, damaged_snapshots, missing_behind
from kafkaproto_pipeline.planning.lineages import (
    OffsetRange,
    Sources,
    describe,
    faults_between,
    one_lineage,
    segments_of,
)
from kafkaproto_pipeline.sources.directories import InputError, SnapshotOnDisk
from kafkaproto_pipeline.sources.segment_files import OpenFile
from kafkaproto_pipeline.sources.survey import ReplicaLog, snapshot_time


def state_at(
    sources: Sources, as_of: AsOf
) -> tuple[list[OffsetRange], list[tuple[ReplicaLog, SnapshotOnDisk]]]:
    """What has to be replayed for the state at a point: at most one snapshot, and the log from its end to that point.

    Raises InputError; LackingError if damage, or what is missing, hides that state and not an older one.
    """
    ranges = one_lineage(sources)
    if not any(each.log.segments for each in ranges) and next(sources.whole_snapshots(), None) is None:
        raise InputError(f"{ranges[-1].log.replica.directory} has neither a log nor a whole snapshot")
    end = _point(sources, ranges, as_of)
    ways = list(_ways(sources, ranges, as_of, end))
    for start, base in ways:
        if next(faults_between(ranges, start, end), None) is None:
            _check_newest(sources, ranges, as_of, end)
            return _between(ranges, start, end), [] if base is None else [base]
    if not ways:
        starts = [0, *(snapshot.id.end_offset for _, snapshot in sources.whole_snapshots())]
        last = max(_end_of_reach(ranges, start) for start in starts if start <= end) - 1
        raise LackingError(_no_way(sources, ranges, end), last if last >= 0 else None)
    start, _ = ways[0]
    facts, fault = next(faults_between(ranges, start, end))
    last = fault.offset if fault.offset > start or ways[0][1] is not None else 0
    text = f"the state after offset {fault.offset - 1} cannot be told: {describe(facts.segment.path, fault)}"
    raise LackingError(text, last - 1 if last > 0 else None)


def _ways(
    sources: Sources, ranges: Sequence[OffsetRange], as_of: AsOf, end: int
) -> Iterator[tuple[int, tuple[ReplicaLog, SnapshotOnDisk] | None]]:
    """The offsets from which the log reaches to the end, each with its snapshot; the highest first."""
    for log, snapshot in sources.whole_snapshots():
        is_early = snapshot.id.end_offset <= end and _is_not_later(snapshot, as_of)
        if is_early and _reaches(ranges, snapshot.id.end_offset, end):
            yield snapshot.id.end_offset, (log, snapshot)
    if _reaches(ranges, 0, end):
        yield 0, None


def _no_way(sources: Sources, ranges: Sequence[OffsetRange], end: int) -> str:
    known = sorted({str(snapshot.id.end_offset) for _, snapshot in sources.whole_snapshots()}, key=int)
    logs = (
        ", ".join(f"{each.start} to {each.stop - 1}" for each in ranges if each.start < each.stop) or "none"
    )
    text = (
        f"option 'asOf': nothing here leads to the state at offset {end - 1}: the log holds offsets {logs}, "
        f"snapshots end before {', '.join(known) or 'none'}"
    )
    gaps = [gap.text for each in ranges for gap in each.log.gaps]
    damaged = [describe(path, fault) for path, fault in damaged_snapshots(sources)]
    return "; ".join([text, *gaps[:1], *damaged[:1]])


def _check_newest(sources: Sources, ranges: Sequence[OffsetRange], as_of: AsOf, end: int) -> None:
    """Raise LackingError if the newest state is asked for, and the log had records behind the point."""
    if as_of.offset is not None or end < _known_end(sources, ranges):
        return
    for facts, fault in faults_between(ranges, 0, None):
        if fault.is_open or max(fault.next_offset, fault.offset + 1) > end:
            raise LackingError(_older(end, describe(facts.segment.path, fault)), end - 1)
    other = missing_behind(sources, ranges)
    if other is not None and (other.is_open or other.next_offset > end):
        raise LackingError(_older(end, other.reason), end - 1)
    last_epoch = max((each.log.lineage.last[0] for each in ranges), default=-1)
    newer = {
        snapshot.path
        for _, snapshot in sources.snapshots
        if snapshot.id.end_offset > end or snapshot.id.epoch > last_epoch
    }
    for path, fault in damaged_snapshots(sources):
        if path in newer:
            raise LackingError(_older(end, describe(path, fault)), end - 1)


def _older(end: int, why: str) -> str:
    return f"the newest state cannot be told, only that at offset {end - 1}: {why}"


def _known_end(sources: Sources, ranges: Sequence[OffsetRange]) -> int:
    """The first offset behind everything that is whole."""
    _, newest = next(sources.whole_snapshots(), (None, None))
    ends = [each.stop for each in ranges if each.log.segments]
    return max([*ends, newest.id.end_offset if newest is not None else 0])


def _point(sources: Sources, ranges: Sequence[OffsetRange], as_of: AsOf) -> int:
    """The first offset that no longer counts."""
    last = _known_end(sources, ranges)
    if as_of.timestamp_ms is not None:
        found = next((found for each in ranges for found in _first_after(each, as_of.timestamp_ms)), None)
        return _last_before(sources, ranges, as_of, last) if found is None else found
    if as_of.offset is None:
        return last
    if as_of.offset >= last:
        raise InputError(f"option 'asOf' is {as_of.offset}, and the log ends with offset {last - 1}")
    return as_of.offset + 1


def _last_before(sources: Sources, ranges: Sequence[OffsetRange], as_of: AsOf, last: int) -> int:
    """The point of a time that no record of the log is later than."""
    end = ranges[-1].stop
    if last <= end or not ranges[-1].log.segments:
        return last
    for _, snapshot in sources.whole_snapshots():
        if snapshot.id.end_offset == last and not _is_not_later(snapshot, as_of):
            raise LackingError(
                f"option 'asOf': the state at that time cannot be told: the log ends with offset {end - 1}, and "
                f"the next that is known, {snapshot.path}, is later",
                None,
            )
    return last


def _first_after(each: OffsetRange, timestamp_ms: int) -> Iterator[int]:
    for facts in segments_of(each):
        with OpenFile(facts.segment.path) as file:
            found = file.places(facts.inspection).first_after(timestamp_ms)
        if found is not None and found < each.stop:
            yield max(found, each.start)
            return


def _is_not_later(snapshot: SnapshotOnDisk, as_of: AsOf) -> bool:
    if as_of.timestamp_ms is None:
        return True
    time_ms = snapshot_time(snapshot)
    return time_ms is not None and time_ms <= as_of.timestamp_ms


def _reaches(ranges: Sequence[OffsetRange], start: int, end: int) -> bool:
    """Whether the ranges hold all offsets from ``start`` to below ``end``, or damage in their place."""
    return _end_of_reach(ranges, start) >= end


def _end_of_reach(ranges: Sequence[OffsetRange], start: int) -> int:
    """The first offset behind ``start`` that is missing: neither a record nor damage is in its place."""
    for each in ranges:
        if each.start <= start < each.stop:
            gaps = (gap for gap in each.log.gaps if gap.next_offset > start)
            start = min([each.stop, *(gap.offset for gap in gaps)])
    return start


def _between(ranges: Sequence[OffsetRange], start: int, end: int) -> list[OffsetRange]:
    clipped = [
        replace(each, start=max(each.start, start), end=min(each.stop, end))
        for each in ranges
        if each.start < end and each.stop > start
    ]
    return [each for each in clipped if each.start < each.stop]
