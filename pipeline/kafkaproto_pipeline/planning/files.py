"""From replicas to the pieces of work that tasks read. A piece is a file, a range of bytes in it, and the offsets
wanted.

Pieces are cut at batch boundaries, every ``splitBytes``. With ``replicas=one`` each offset is read once, from the most
advanced replica that has it; the most advanced has the highest last epoch, then the highest end offset. The records of
another replica are used only as far as they are known to be the same history. Otherwise its uncommitted end, which was
cut off elsewhere, would be taken for the log.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kafkaproto.snapshot import SnapshotId
from kafkaproto_pipeline.options import ONE_REPLICA, SKIP, AsOf, SourceOptions
from kafkaproto_pipeline.sources.committed import Committed
from kafkaproto_pipeline.sources.directories import InputError, SegmentOnDisk, SnapshotOnDisk, find_replicas
from kafkaproto_pipeline.sources.headers import SegmentHeaders
from kafkaproto_pipeline.sources.survey import (
    Memory,
    ReplicaLog,
    SegmentFacts,
    snapshot_time,
    survey,
    what_is_committed,
)
from kafkaproto_pipeline.views.wanted import Origin

LOG, SNAPSHOT = "log", "snapshot"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPiece:
    """The work of one task. It is small and plain, because it is sent to the task."""

    path: str
    position: int
    end_position: int
    next_offset: int | None
    """Base offset of the first batch."""
    origin: Origin
    start_offset: int = 0
    end_offset: int | None = None
    committed_end: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Filters that Spark pushed down; None means no filter."""

    record_types: frozenset[str] | None = None
    sources: frozenset[str] | None = None
    node_ids: frozenset[int] | None = None
    start_offset: int = 0
    end_offset: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetRange:
    """The offsets that are read from one replica's log."""

    log: ReplicaLog
    start: int
    end: int | None
    """None for everything up to the end, including damaged bytes there."""

    @property
    def stop(self) -> int:
        """The first offset after the range."""
        return self.log.lineage.end if self.end is None else self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """All given replicas, with what their logs have."""

    logs: tuple[ReplicaLog, ...]
    committed: Committed

    @property
    def snapshots(self) -> list[tuple[ReplicaLog, SnapshotOnDisk]]:
        """All snapshots, in the order of the replicas."""
        return [(log, snapshot) for log in self.logs for snapshot in log.replica.snapshots]

    def by_advance(self) -> list[ReplicaLog]:
        """The replicas, the most advanced first."""
        return sorted(self.logs, key=lambda log: log.lineage.last, reverse=True)


def look(options: SourceOptions, memory: Memory | None = None) -> Sources:
    """Find the replicas of the options' paths, and read what they have. Raises InputError."""
    allows_gaps = options.on_missing_offsets == SKIP
    logs = tuple(survey(replica, memory, allows_gaps=allows_gaps) for replica in find_replicas(options.paths))
    return Sources(logs=logs, committed=what_is_committed(logs, options.high_watermark))


def plan_batch(options: SourceOptions, filters: Filters) -> list[PlannedPiece]:
    """The pieces of a batch read. Raises InputError."""
    sources = look(options)
    if options.as_of is not None:
        ranges, snapshots = _as_of(sources, options.as_of)
    elif options.replicas == ONE_REPLICA:
        ranges = one_lineage(sources)
        _check_complete(ranges, options.start_offset, options.end_offset)
        snapshots = _each_snapshot_once(sources) if options.include_snapshots else []
    else:
        ranges = [OffsetRange(log=log, start=log.lineage.start, end=None) for log in sources.logs]
        snapshots = sources.snapshots if options.include_snapshots else []
    start = max(options.start_offset, filters.start_offset)
    ends = [end for end in (options.end_offset, filters.end_offset) if end is not None]
    end = min(ends, default=None)
    pieces: list[PlannedPiece] = []
    if filters.sources is None or SNAPSHOT in filters.sources:
        for log, snapshot in snapshots:
            if _wants_node(filters, log) and _is_within(snapshot.id.end_offset - 1, start, end):
                pieces += snapshot_pieces(log, snapshot, options.split_bytes)
    if filters.sources is None or LOG in filters.sources:
        for each in ranges:
            wanted = _clip(each, start, end)
            if wanted is not None and _wants_node(filters, each.log):
                pieces += log_pieces(
                    wanted, sources.committed, options.split_bytes, options.start_timestamp_ms
                )
    return pieces


def _wants_node(filters: Filters, log: ReplicaLog) -> bool:
    return filters.node_ids is None or log.replica.node_id in filters.node_ids


def _is_within(offset: int, start: int, end: int | None) -> bool:
    return offset >= start and (end is None or offset < end)


def _clip(each: OffsetRange, start: int, end: int | None) -> OffsetRange | None:
    """The part of a range that is wanted; None if nothing is. The end stays open if the whole end of the range is
    wanted.
    """
    if end is not None and end <= each.stop:
        each = replace(each, end=end)
    if start > each.start:
        each = replace(each, start=start)
    return each if each.start < each.stop or each.end is None else None


# -- which replica -----------------------------------------------------------------------------------------------


def one_lineage(sources: Sources) -> list[OffsetRange]:
    """The longest history that the replicas have together, oldest offsets first. There may be gaps
    between the ranges.
    """
    best, *others = sources.by_advance()
    chosen = [OffsetRange(log=best, start=best.lineage.start, end=None)]
    while others:
        frontier = chosen[-1].start
        usable = [(min(_same_until(sources, log, chosen), frontier), log) for log in others]
        usable = [(end, log) for end, log in usable if end > log.lineage.start]
        if not usable:
            break
        # If several are equal, `max` takes the first, which is the most advanced.
        end, log = max(usable, key=lambda each: each[0])
        chosen.append(OffsetRange(log=log, start=log.lineage.start, end=end))
        others.remove(log)
    return chosen[::-1]


def _same_until(sources: Sources, log: ReplicaLog, chosen: Sequence[OffsetRange]) -> int:
    """The end up to which a log is known to be the same history as the chosen ranges."""
    same = [log.lineage.common_end(each.log.lineage.until(each.stop)) for each in chosen]
    vouched = [point.end_offset for point in sources.committed.snapshots if log.lineage.holds(point)]
    return max([*same, *vouched])


def _check_complete(ranges: Sequence[OffsetRange], start: int, end: int | None) -> None:
    for before, after in itertools.pairwise(ranges):
        if before.stop < after.start and after.start > start and (end is None or before.stop < end):
            raise InputError(
                f"offsets {before.stop} to {after.start - 1} are in none of the replicas: "
                f"{before.log.replica.directory} is of use until there, {after.log.replica.directory} begins "
                f"behind; startOffset={after.start} reads what follows"
            )


def _each_snapshot_once(sources: Sources) -> list[tuple[ReplicaLog, SnapshotOnDisk]]:
    found: dict[SnapshotId, tuple[ReplicaLog, SnapshotOnDisk]] = {}
    for log in sources.by_advance():
        for snapshot in log.replica.snapshots:
            found.setdefault(snapshot.id, (log, snapshot))
    return sorted(found.values(), key=lambda each: each[1].id.end_offset)


# -- the state at a point ------------------------------------------------------------------------------------------


def _as_of(
    sources: Sources, as_of: AsOf
) -> tuple[list[OffsetRange], list[tuple[ReplicaLog, SnapshotOnDisk]]]:
    """What has to be replayed for the state at a point: at most one snapshot, and the log from its end
    to that point.
    """
    ranges = one_lineage(sources)
    end = _point(ranges, as_of)
    snapshots = _each_snapshot_once(sources)
    for log, snapshot in reversed(snapshots):
        is_early = snapshot.id.end_offset <= end and _is_not_later(snapshot, as_of)
        if is_early and _reaches(ranges, snapshot.id.end_offset, end):
            return _between(ranges, snapshot.id.end_offset, end), [(log, snapshot)]
    if _reaches(ranges, 0, end):
        return _between(ranges, 0, end), []
    known = ", ".join(str(snapshot.id.end_offset) for _, snapshot in snapshots) or "none"
    logs = (
        ", ".join(f"{each.start} to {each.stop - 1}" for each in ranges if each.start < each.stop) or "none"
    )
    raise InputError(
        f"option 'asOf': nothing here leads to the state at offset {end - 1}: the log holds offsets {logs}, "
        f"snapshots end before {known}"
    )


def _point(ranges: Sequence[OffsetRange], as_of: AsOf) -> int:
    """The first offset that no longer counts."""
    last = ranges[-1].stop
    if as_of.timestamp_ms is not None:
        return next((found for each in ranges for found in _first_after(each, as_of.timestamp_ms)), last)
    if as_of.offset is None:
        return last
    if as_of.offset >= last:
        raise InputError(f"option 'asOf' is {as_of.offset}, and the log ends with offset {last - 1}")
    return as_of.offset + 1


def _first_after(each: OffsetRange, timestamp_ms: int) -> Iterator[int]:
    for facts in _segments(each):
        with SegmentHeaders(facts.segment) as headers:
            found = headers.first_after(timestamp_ms)
        if found is not None and found < each.stop:
            yield max(found, each.start)
            return


def _is_not_later(snapshot: SnapshotOnDisk, as_of: AsOf) -> bool:
    if as_of.timestamp_ms is None:
        return True
    time_ms = snapshot_time(snapshot)
    return time_ms is not None and time_ms <= as_of.timestamp_ms


def _reaches(ranges: Sequence[OffsetRange], start: int, end: int) -> bool:
    """Whether the ranges hold all offsets from ``start`` to below ``end``."""
    for each in ranges:
        if each.start <= start < each.stop:
            start = each.stop
    return start >= end


def _between(ranges: Sequence[OffsetRange], start: int, end: int) -> list[OffsetRange]:
    clipped = [
        replace(each, start=max(each.start, start), end=min(each.stop, end))
        for each in ranges
        if each.start < end and each.stop > start
    ]
    return [each for each in clipped if each.start < each.stop]


# -- pieces --------------------------------------------------------------------------------------------------------


def _segments(each: OffsetRange) -> Iterator[SegmentFacts]:
    """The segments that hold offsets of a range. For an open range, also segments that end in damage or hold nothing
    else.
    """
    for index, facts in enumerate(each.log.segments):
        is_last = index + 1 == len(each.log.segments)
        ends_behind = facts.end.next_offset > each.start or (
            each.end is None and (is_last or _has_rest(facts))
        )
        if ends_behind and facts.segment.base_offset < each.stop + (each.end is None):
            yield facts


def _has_rest(facts: SegmentFacts) -> bool:
    return facts.end.position < facts.segment.size_bytes


def log_pieces(
    each: OffsetRange, committed: Committed, split_bytes: int, start_timestamp_ms: int | None = None
) -> Iterator[PlannedPiece]:
    """The pieces of a range. Raises InputError."""
    replica = each.log.replica
    committed_end = committed.end_in(each.log.lineage)
    for facts in _segments(each):
        segment = facts.segment
        origin = Origin(
            cluster_id=replica.cluster_id,
            node_id=replica.node_id,
            directory=replica.directory,
            directory_id=replica.directory_id,
            file=os.path.basename(segment.path),
            source=LOG,
            snapshot=None,
        )
        with SegmentHeaders(segment) as headers:
            start = each.start
            if start_timestamp_ms is not None:
                start = max(start, headers.all_before(start_timestamp_ms))
            position, next_offset = 0, segment.base_offset
            if start > segment.base_offset:
                position, next_offset = headers.find(start)
            end_position = segment.size_bytes
            if each.end is not None and each.end < facts.end.next_offset:
                end_position = headers.find_end(each.end)
            elif each.end is not None:
                end_position = facts.end.position
            whole = PlannedPiece(
                path=segment.path,
                position=position,
                end_position=end_position,
                next_offset=next_offset,
                origin=origin,
                start_offset=each.start,
                end_offset=each.end,
                committed_end=committed_end,
            )
            yield from _split(headers, whole, split_bytes)


def snapshot_pieces(log: ReplicaLog, snapshot: SnapshotOnDisk, split_bytes: int) -> list[PlannedPiece]:
    """The pieces of a snapshot. Raises InputError."""
    replica = log.replica
    segment = SegmentOnDisk(base_offset=0, path=snapshot.path, size_bytes=snapshot.size_bytes)
    origin = Origin(
        cluster_id=replica.cluster_id,
        node_id=replica.node_id,
        directory=replica.directory,
        directory_id=replica.directory_id,
        file=os.path.basename(snapshot.path),
        source=SNAPSHOT,
        snapshot=(snapshot.id.end_offset, snapshot.id.epoch),
        snapshot_timestamp_ms=snapshot_time(snapshot),
    )
    whole = PlannedPiece(
        path=snapshot.path,
        position=0,
        end_position=snapshot.size_bytes,
        next_offset=0,
        origin=origin,
    )
    with SegmentHeaders(segment) as headers:
        return list(_split(headers, whole, split_bytes))


def _split(headers: SegmentHeaders, whole: PlannedPiece, split_bytes: int) -> Iterator[PlannedPiece]:
    if whole.position >= whole.end_position:
        return
    cuts = headers.splits(whole.position, whole.end_position, split_bytes)
    starts = [(whole.position, whole.next_offset), *cuts]
    ends = [*(position for position, _ in cuts), whole.end_position]
    for (position, next_offset), end_position in zip(starts, ends, strict=True):
        yield replace(whole, position=position, end_position=end_position, next_offset=next_offset)
