"""From replicas to the pieces of work that tasks read. A piece is a file, a range of bytes in it, and the offsets
wanted.

Pieces are cut at batch boundaries, every ``splitBytes``. A piece names the damage in its range (`inspection`), so that
reading it says what is lacking.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kafkaproto_pipeline.inspection import Fault, Places
from kafkaproto_pipeline.options import ONE_REPLICA, SourceOptions
from kafkaproto_pipeline.planning.lacking import known_end, missing_beginnings, missing_behind, missing_logs
from kafkaproto_pipeline.planning.lineages import (
    OffsetRange,
    Sources,
    check_complete,
    each_snapshot_once,
    faults_in,
    look,
    one_lineage,
    segments_of,
)
from kafkaproto_pipeline.planning.states import state_at
from kafkaproto_pipeline.sources.committed import Committed
from kafkaproto_pipeline.sources.directories import InputError
from kafkaproto_pipeline.sources.segment_files import OpenFile
from kafkaproto_pipeline.sources.survey import ReplicaLog, SegmentFacts, SnapshotFacts, snapshot_time
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


def plan_batch(options: SourceOptions, filters: Filters) -> list[PlannedPiece]:
    """The pieces of a batch read. Raises InputError."""
    sources = look(options)
    if options.as_of is not None:
        ranges, snapshots = state_at(sources, options.as_of)
    elif options.replicas == ONE_REPLICA:
        ranges = [each for each in one_lineage(sources) if each.log.segments]
        check_complete(ranges, options.start_offset, options.end_offset)
        each_once = each_snapshot_once(sources)
        snapshots = each_once if options.include_snapshots or not ranges else []
    else:
        logs = [log for log in sources.logs if log.segments]
        ranges = [OffsetRange(log=log, start=log.lineage.start, end=None) for log in logs]
        # Who names only snapshots wants their records.
        snapshots = [each for each in sources.snapshots if options.include_snapshots or not each[0].segments]
    _check_start(sources, options)
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


def _check_start(sources: Sources, options: SourceOptions) -> None:
    """Raise InputError if the read begins behind everything that is there."""
    end = known_end(sources)
    if options.start_offset > end:
        raise InputError(
            f"option 'startOffset' is {options.start_offset}, and the log ends before offset {end}; allowed is {end} "
            "or less"
        )


def _missing_pieces(
    sources: Sources,
    ranges: Sequence[OffsetRange],
    options: SourceOptions,
    start: int,
    end: int | None,
) -> Iterator[PlannedPiece]:
    """Pieces without bytes that say which offsets are missing before the first segment, or behind the last one, or
    because there is no log.
    """
    for log, fault in missing_logs(sources, options):
        if fault.touches(start, end):
            yield PlannedPiece(
                path=log.replica.directory,
                position=0,
                end_position=0,
                next_offset=None,
                origin=replace(_origin(log, log.replica.directory), file=None),
                faults=(fault,),
            )
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


# -- pieces --------------------------------------------------------------------------------------------------------


def log_pieces(
    each: OffsetRange, committed: Committed, split_bytes: int, start_timestamp_ms: int | None = None
) -> Iterator[PlannedPiece]:
    """The pieces of a range. Raises InputError."""
    committed_end = committed.end_in(each.log.lineage)
    for facts in segments_of(each):
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
                faults=faults_in(facts, replace(each, start=start)),
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
