"""All given replicas, and the history that they have together.

The most advanced replica has the highest last epoch, then the highest end offset. With ``replicas=one`` each offset is
read once, from the most advanced replica that has it. The records of another replica are used only as far as they are
known to be the same history. Otherwise its uncommitted end, which was cut off elsewhere, would be taken for the log.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kafkaproto.snapshot import SnapshotId
from kafkaproto_pipeline.inspection import Fault
from kafkaproto_pipeline.options import SKIP, SourceOptions
from kafkaproto_pipeline.sources.committed import Committed
from kafkaproto_pipeline.sources.directories import InputError, SnapshotOnDisk, find_replicas
from kafkaproto_pipeline.sources.survey import (
    Memory,
    ReplicaLog,
    SegmentFacts,
    SnapshotFacts,
    examine,
    survey,
    what_is_committed,
)


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


def check_complete(ranges: Sequence[OffsetRange], start: int, end: int | None) -> None:
    for before, after in itertools.pairwise(ranges):
        if before.stop < after.start and after.start > start and (end is None or before.stop < end):
            raise InputError(
                f"offsets {before.stop} to {after.start - 1} are in none of the replicas: "
                f"{before.log.replica.directory} is of use until there, {after.log.replica.directory} begins "
                f"behind; startOffset={after.start} reads what follows"
            )


def each_snapshot_once(sources: Sources) -> list[tuple[ReplicaLog, SnapshotOnDisk]]:
    found: dict[SnapshotId, tuple[ReplicaLog, SnapshotOnDisk]] = {}
    for log in sources.by_advance():
        for snapshot in log.replica.snapshots:
            found.setdefault(snapshot.id, (log, snapshot))
    return sorted(found.values(), key=lambda each: each[1].id.end_offset)


def faults_between(
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


def describe(path: str, fault: Fault) -> str:
    """A fault with its file, for a user."""
    return f"{path}, byte {fault.position}, offset {fault.offset}: {fault.reason}"


def segments_of(each: OffsetRange) -> Iterator[SegmentFacts]:
    """The segments that hold offsets of a range, or damage in the place of such offsets."""
    for index, facts in enumerate(each.log.segments):
        is_last = index + 1 == len(each.log.segments)
        base_offset = facts.segment.base_offset
        holds = facts.next_offset > each.start and (each.end is None or base_offset < each.end)
        if holds or (is_last and each.end is None) or faults_in(facts, each):
            yield facts


def faults_in(facts: SegmentFacts, each: OffsetRange) -> tuple[Fault, ...]:
    """The faults of a segment that a range has to tell of. A torn end is told of only if the range is open."""
    return tuple(
        fault
        for fault in facts.faults
        if fault.touches(each.start, each.end) and not (fault.is_torn and each.end is not None)
    )
