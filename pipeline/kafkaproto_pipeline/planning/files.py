"""From replicas to the pieces of work that tasks read. A piece is a file, a range of bytes in it, and the offsets
wanted.

Pieces are cut at batch boundaries, every ``splitBytes``. With ``replicas=one`` each offset is read once, from the most
advanced replica that has it; the most advanced has the highest last epoch, then the highest end offset. The records of
another replica are used only as far as they are known to be the same history. Otherwise its uncommitted end, which was
cut off elsewhere, would be taken for the log.

A piece names the damage in its range (`inspection`), so that reading it says what is lacking. The state at a point
follows from the newest whole snapshot from which on the log is whole. If there is none, the error says up to which
offset the state can be told.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from kafkaproto.snapshot import SnapshotId
from kafkaproto_pipeline.inspection import Fault, Places
from kafkaproto_pipeline.options import ONE_REPLICA, SKIP, AsOf, SourceOptions
from kafkaproto_pipeline.sources.committed import Committed
from kafkaproto_pipeline.sources.directories import InputError, Reached, SnapshotOnDisk, find_replicas
from kafkaproto_pipeline.sources.segment_files import OpenFile
from kafkaproto_pipeline.sources.survey import (
    Memory,
    ReplicaLog,
    SegmentFacts,
    SnapshotFacts,
    examine,
    missing_end,
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
    faults: tuple[Fault, ...] = ()
    """What is damaged or missing in it, in the order of the bytes."""


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
    memory: Memory = field(default_factory=Memory)

    @property
    def snapshots(self) -> list[tuple[ReplicaLog, SnapshotOnDisk]]:
        """All snapshots, in the order of the replicas."""
        return [(log, snapshot) for log in self.logs for snapshot in log.replica.snapshots]

    def by_advance(self) -> list[ReplicaLog]:
        """The replicas, the most advanced first. Those without a log count only if no other has one."""
        with_log = [log for log in self.logs if log.segments]
        return sorted(with_log or self.logs, key=lambda log: log.lineage.last, reverse=True)

    def examine(self, snapshot: SnapshotOnDisk) -> SnapshotFacts:
        """Whether a snapshot is whole. Raises InputError."""
        return examine(snapshot, self.memory)

    def whole_snapshots(self) -> Iterator[tuple[ReplicaLog, SnapshotOnDisk]]:
        """The whole snapshots, the newest first; each is looked at when it is its turn."""
        for log, snapshot in sorted(
            self.snapshots, key=lambda each: (each[1].id.end_offset, each[1].id.epoch), reverse=True
        ):
            if not self.examine(snapshot).faults:
                yield log, snapshot


class LackingError(InputError):
    """The newest state cannot be told, an older one can."""

    def __init__(self, text: str, answers_for: int | None) -> None:
        """``answers_for`` is the last offset whose state can be told; None if there is none."""
        if answers_for is not None:
            text += f"; asOf={answers_for} gives the newest state that can be told"
        super().__init__(text)
        self.answers_for = answers_for


def look(options: SourceOptions, memory: Memory | None = None) -> Sources:
    """Find the replicas of the options' paths, and read what they have. Raises InputError, also if offsets are missing
    between segments, unless the options say that this is seen to.
    """
    memory = memory if memory is not None else Memory()
    logs = tuple(survey(replica, memory) for replica in find_replicas(options.paths))
    if options.as_of is None:
        for log in logs:
            for gap in log.gaps:
                if options.on_missing_offsets != SKIP or not gap.is_followed:
                    raise InputError(gap.text)
    committed = what_is_committed(logs, options.high_watermark)
    return Sources(logs=logs, committed=committed, memory=memory)


def plan_batch(options: SourceOptions, filters: Filters) -> list[PlannedPiece]:
    """The pieces of a batch read. Raises InputError."""
    sources = look(options)
    if options.as_of is not None:
        ranges, snapshots = state_at(sources, options.as_of)
    elif options.replicas == ONE_REPLICA:
        ranges = [each for each in one_lineage(sources) if each.log.segments]
        _check_complete(ranges, options.start_offset, options.end_offset)
        each_once = _each_snapshot_once(sources)
        snapshots = each_once if options.include_snapshots or not ranges else []
    else:
        logs = [log for log in sources.logs if log.segments]
        ranges = [OffsetRange(log=log, start=log.lineage.start, end=None) for log in logs]
        # Who names only snapshots wants their records.
        snapshots = [each for each in sources.snapshots if options.include_snapshots or not each[0].segments]
    start = max(options.start_offset, filters.start_offset)
    ends = [end for end in (options.end_offset, filters.end_offset) if end is not None]
    end = min(ends, default=None)
    pieces: list[PlannedPiece] = []
    if filters.sources is None or SNAPSHOT in filters.sources:
        for log, snapshot in snapshots:
            if _wants_node(filters, log) and _is_within(snapshot.id.end_offset - 1, start, end):
                pieces += snapshot_pieces(log, sources.examine(snapshot), options.split_bytes)
    if filters.sources is None or LOG in filters.sources:
        if options.as_of is None:
            pieces += _missing_pieces(sources, ranges, options, start, end)
        for each in ranges:
            wanted = _clip(each, start, end)
            if wanted is not None and _wants_node(filters, each.log):
                pieces += log_pieces(
                    wanted, sources.committed, options.split_bytes, options.start_timestamp_ms
                )
    return pieces


def _missing_pieces(
    sources: Sources,
    ranges: Sequence[OffsetRange],
    options: SourceOptions,
    start: int,
    end: int | None,
) -> Iterator[PlannedPiece]:
    """Pieces without bytes that say which offsets are missing before the first segment, or behind the last one."""
    for found in missing_beginnings(sources, ranges, options):
        log, fault = found
        if fault.touches(start, end):
            yield _piece_of(log, log.segments[0], fault)
    if options.replicas == ONE_REPLICA and ranges:
        found_end = missing_behind(sources, ranges)
        if found_end is not None and found_end.touches(start, end):
            log = ranges[-1].log
            yield _piece_of(log, log.segments[-1], found_end)


def _piece_of(log: ReplicaLog, facts: SegmentFacts, fault: Fault) -> PlannedPiece:
    return PlannedPiece(
        path=facts.segment.path,
        position=fault.position,
        end_position=fault.position,
        next_offset=None,
        origin=_origin(log, facts.segment.path),
        faults=(fault,),
    )


def missing_beginnings(
    sources: Sources, ranges: Sequence[OffsetRange], options: SourceOptions
) -> Iterator[tuple[ReplicaLog, Fault]]:
    """The logs that begin behind offset 0 though no whole snapshot holds what was before."""
    if options.on_missing_offsets == SKIP:
        return
    firsts = ranges[:1] if options.replicas == ONE_REPLICA else ranges
    for each in firsts:
        start = each.log.lineage.start
        if start == 0 or not all(log.replica.is_whole for log in sources.logs):
            continue
        of_log = {snapshot.path for snapshot in each.log.replica.snapshots}
        is_covered = any(
            snapshot.id.end_offset >= start
            for _, snapshot in sources.whole_snapshots()
            if options.replicas == ONE_REPLICA or snapshot.path in of_log
        )
        if not is_covered:
            reason = (
                f"offsets 0 to {start - 1} are missing: the log begins behind them, and no whole snapshot holds "
                "what was before"
            )
            yield (
                each.log,
                Fault(position=0, end_position=0, offset=0, next_offset=start, reason=reason),
            )


def missing_behind(sources: Sources, ranges: Sequence[OffsetRange]) -> Fault | None:
    """The end that the most advanced log lacks, if another replica's snapshot shows that."""
    log = ranges[-1].log
    others = [snapshot for other, snapshot in sources.snapshots if other is not log]
    newest = max(others, key=lambda each: each.id.end_offset, default=None)
    known = max([log.lineage.end, *(fault.next_offset for _, fault in log.faults())])
    if newest is None or newest.id.end_offset <= known or not log.replica.is_whole:
        return None
    return missing_end(log.segments[-1], Reached(offset=newest.id.end_offset, file=newest.path))


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


def state_at(
    sources: Sources, as_of: AsOf
) -> tuple[list[OffsetRange], list[tuple[ReplicaLog, SnapshotOnDisk]]]:
    """What has to be replayed for the state at a point: at most one snapshot, and the log from its end to that point.

    Raises InputError; LackingError if damage, or what is missing, hides that state and not an older one.
    """
    ranges = one_lineage(sources)
    end = _point(sources, ranges, as_of)
    ways = list(_ways(sources, ranges, as_of, end))
    for start, base in ways:
        if next(_faults_between(ranges, start, end), None) is None:
            _check_newest(sources, ranges, as_of, end)
            return _between(ranges, start, end), [] if base is None else [base]
    if not ways:
        raise InputError(_no_way(sources, ranges, end))
    start, _ = ways[0]
    facts, fault = next(_faults_between(ranges, start, end))
    last = fault.offset if fault.offset > start or ways[0][1] is not None else 0
    text = f"the state after offset {fault.offset - 1} cannot be told: {describe(facts.segment.path, fault)}"
    raise LackingError(text, last - 1 if last > 0 else None)


def describe(path: str, fault: Fault) -> str:
    """A fault with its file, for a user."""
    return f"{path}, byte {fault.position}, offset {fault.offset}: {fault.reason}"


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


def damaged_snapshots(sources: Sources) -> Iterator[tuple[str, Fault]]:
    """The snapshots that are not whole, each with the first thing that is wrong with it; the newest first."""
    for _, snapshot in sorted(sources.snapshots, key=lambda each: each[1].id.end_offset, reverse=True):
        for fault in sources.examine(snapshot).faults[:1]:
            yield snapshot.path, fault


def _check_newest(sources: Sources, ranges: Sequence[OffsetRange], as_of: AsOf, end: int) -> None:
    """Raise LackingError if the newest state is asked for, and the log had records behind the point."""
    if as_of.offset is not None or end < _known_end(sources, ranges):
        return
    for facts, fault in _faults_between(ranges, 0, None):
        if max(fault.next_offset, fault.offset + 1) > end:
            raise LackingError(_older(end, describe(facts.segment.path, fault)), end - 1)
    for path, fault in damaged_snapshots(sources):
        if any(snapshot.path == path and snapshot.id.end_offset > end for _, snapshot in sources.snapshots):
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
    for facts in _segments(each):
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
    for each in ranges:
        if each.start <= start < each.stop:
            gaps = (gap for gap in each.log.gaps if gap.offset < end and gap.next_offset > start)
            start = min([each.stop, *(gap.offset for gap in gaps)])
    return start >= end


def _faults_between(
    ranges: Sequence[OffsetRange], start: int, end: int | None
) -> Iterator[tuple[SegmentFacts, Fault]]:
    """What is damaged from one offset to another (None: to the end and behind it)."""
    for each in ranges:
        stop = each.stop if end is None else min(each.stop, end)
        is_last = each is ranges[-1]
        for facts, fault in each.log.faults():
            until = None if end is None and is_last else stop
            if fault.touches(max(start, each.start), until):
                yield facts, fault


def _between(ranges: Sequence[OffsetRange], start: int, end: int) -> list[OffsetRange]:
    clipped = [
        replace(each, start=max(each.start, start), end=min(each.stop, end))
        for each in ranges
        if each.start < end and each.stop > start
    ]
    return [each for each in clipped if each.start < each.stop]


# -- pieces --------------------------------------------------------------------------------------------------------


def _segments(each: OffsetRange) -> Iterator[SegmentFacts]:
    """The segments that hold offsets of a range, or damage in the place of such offsets."""
    for index, facts in enumerate(each.log.segments):
        is_last = index + 1 == len(each.log.segments)
        base_offset = facts.segment.base_offset
        holds = facts.next_offset > each.start and (each.end is None or base_offset < each.end)
        if holds or (is_last and each.end is None) or _faults_in(facts, each):
            yield facts


def _faults_in(facts: SegmentFacts, each: OffsetRange) -> tuple[Fault, ...]:
    """The faults of a segment that a range has to tell of. A torn end is told of only if the range is open."""
    return tuple(
        fault
        for fault in facts.faults
        if fault.touches(each.start, each.end) and not (fault.is_torn and each.end is not None)
    )


def log_pieces(
    each: OffsetRange, committed: Committed, split_bytes: int, start_timestamp_ms: int | None = None
) -> Iterator[PlannedPiece]:
    """The pieces of a range. Raises InputError."""
    committed_end = committed.end_in(each.log.lineage)
    for facts in _segments(each):
        with OpenFile(facts.segment.path) as file:
            places = file.places(facts.inspection)
            start = each.start
            if start_timestamp_ms is not None:
                start = max(start, places.all_before(start_timestamp_ms))
            position, next_offset = places.start_of(start)
            end_position = facts.inspection.end_position if each.end is None else places.end_of(each.end)
            whole = PlannedPiece(
                path=facts.segment.path,
                position=position,
                end_position=max(position, end_position),
                next_offset=next_offset,
                origin=_origin(each.log, facts.segment.path),
                start_offset=each.start,
                end_offset=each.end,
                committed_end=committed_end,
                faults=_faults_in(facts, replace(each, start=start)),
            )
            yield from _split(places, whole, split_bytes)


def snapshot_pieces(log: ReplicaLog, facts: SnapshotFacts, split_bytes: int) -> list[PlannedPiece]:
    """The pieces of a snapshot. Raises InputError."""
    snapshot = facts.snapshot
    origin = replace(
        _origin(log, snapshot.path),
        source=SNAPSHOT,
        snapshot=(snapshot.id.end_offset, snapshot.id.epoch),
        snapshot_timestamp_ms=snapshot_time(snapshot),
    )
    whole = PlannedPiece(
        path=snapshot.path,
        position=0,
        end_position=facts.inspection.end_position,
        next_offset=0,
        origin=origin,
        faults=facts.faults,
    )
    with OpenFile(snapshot.path) as file:
        return list(_split(file.places(facts.inspection), whole, split_bytes))


def _origin(log: ReplicaLog, path: str) -> Origin:
    replica = log.replica
    return Origin(
        cluster_id=replica.cluster_id,
        node_id=replica.node_id,
        directory=replica.directory,
        directory_id=replica.directory_id,
        file=os.path.basename(path),
        source=LOG,
        snapshot=None,
    )


def _split(places: Places, whole: PlannedPiece, split_bytes: int) -> Iterator[PlannedPiece]:
    if whole.position >= whole.end_position:
        if whole.faults:
            yield whole
        return
    cuts = places.splits(whole.position, whole.end_position, split_bytes)
    starts = [(whole.position, whole.next_offset), *cuts]
    ends = [*(position for position, _ in cuts), whole.end_position]
    for number, ((position, next_offset), end_position) in enumerate(zip(starts, ends, strict=True)):
        is_first, is_last = number == 0, number + 1 == len(starts)
        faults = tuple(
            fault
            for fault in whole.faults
            if (is_first or fault.position >= position) and (is_last or fault.position < end_position)
        )
        yield replace(
            whole, position=position, end_position=end_position, next_offset=next_offset, faults=faults
        )
