"""All given replicas, and the history that they have together.

The most advanced replica has the highest last epoch, then the highest end offset. With ``replicas=one`` each offset is
read once, from the most advanced replica that has it. The records of another replica are used only as far as they are
known to be the same history. Otherwise its uncommitted end, which was cut off elsewhere, would be taken for the log.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

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
    batch_at,
    examine,
    misfit,
    snapshot_time,
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
        """Whether a snapshot is whole, and of the history that the most advanced log has. Raises InputError."""
        facts = examine(snapshot, self.memory)
        return facts if facts.faults else replace(facts, faults=self._misfit(snapshot))

    def _misfit(self, snapshot: SnapshotOnDisk) -> tuple[Fault, ...]:
        last = snapshot.id.end_offset - 1
        log = self.by_advance()[0]
        if last < log.lineage.start or not log.segments:
            return ()
        known = self.memory.placed.get(snapshot)
        newest = log.segments[-1].segment
        if known is None or known[0] != newest:
            known = self.memory.placed[snapshot] = newest, _place_in(log, snapshot, last)
        return known[1]

    def whole_snapshots(self) -> Iterator[tuple[ReplicaLog, SnapshotOnDisk]]:
        """The whole snapshots, the newest first; each is looked at when it is its turn."""
        for log, snapshot in sorted(
            self.snapshots, key=lambda each: (each[1].id.end_offset, each[1].id.epoch), reverse=True
        ):
            if not self.examine(snapshot).faults:
                yield log, snapshot


def _place_in(log: ReplicaLog, snapshot: SnapshotOnDisk, last: int) -> tuple[Fault, ...]:
    """What does not fit between a snapshot and the last record that it contains.

    The header of a snapshot has that record's time. A time between those of the batches beside it is let pass.
    """
    where, claims = f"in {log.replica.directory}", f"end with offset {last}, as its name says"
    time_ms = snapshot_time(snapshot)
    if last >= log.lineage.end:
        latest_ms = max(facts.inspection.max_timestamp_ms for facts in log.segments)
        if time_ms is None or time_ms >= latest_ms:
            return ()
        return (
            misfit(f"{claims}: its last record is of {time_ms} ms, and one of {latest_ms} ms is {where}"),
        )
    epoch = log.lineage.epoch_at(last)
    if epoch != snapshot.id.epoch:
        return (misfit(f"{claims}: that is of epoch {epoch} {where}"),)
    batch, earliest_ms, latest_ms = batch_at(log, last)
    if batch is None or time_ms is None or earliest_ms <= time_ms <= latest_ms:
        return ()
    found_ms = batch.max_timestamp_ms
    return (misfit(f"{claims}: its last record is of {time_ms} ms, and that is of {found_ms} ms {where}"),)


def check_same_history(sources: Sources) -> None:
    """Raise InputError if two logs have different records at the same offset of the same epoch. In one cluster there
    is no such thing, so they are of several, or one of them was changed.
    """
    best, *others = sources.by_advance()
    for log in others:
        key = (best.replica.directory, log.replica.directory)
        files = tuple(facts.segment for each in (best, log) for facts in each.segments)
        if sources.memory.compared.get(key) == files:
            continue
        ours = {epoch: (start, end) for epoch, start, end in best.lineage.runs()}
        for epoch, start, end in log.lineage.runs():
            if epoch not in ours:
                continue
            first, last = max(start, ours[epoch][0]), min(end, ours[epoch][1]) - 1
            for offset in dict.fromkeys((last, first)) if first <= last else ():
                _compare(best, log, offset, epoch)
        sources.memory.compared[key] = files


def _compare(one: ReplicaLog, other: ReplicaLog, offset: int, epoch: int) -> None:
    """Raise InputError if the batches that hold an offset differ. One that is damaged is passed over."""
    found = [batch_at(log, offset)[0] for log in (one, other)]
    pairs = [(each.base_offset, each.crc) for each in found if each is not None]
    if len(pairs) == len(found) and pairs[0] != pairs[1]:
        raise InputError(
            f"{one.replica.directory} and {other.replica.directory} have different records at offset {offset} of "
            f"epoch {epoch}: they are of different clusters, or one of them was changed. Read one at a time; the job "
            "consistency compares them"
        )


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
    between the ranges. Raises InputError as `check_same_history` does.
    """
    check_same_history(sources)
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
