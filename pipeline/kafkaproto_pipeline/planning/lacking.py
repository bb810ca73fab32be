"""What the replicas lack: damage in them, and whole logs, beginnings, ends and snapshots that are missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kafkaproto_pipeline.inspection import Fault
from kafkaproto_pipeline.options import ALL_REPLICAS, FAIL, ONE_REPLICA, SKIP, AsOf, SourceOptions
from kafkaproto_pipeline.planning.lineages import OffsetRange, Sources, describe, look, one_lineage
from kafkaproto_pipeline.sources.directories import InputError, Reached
from kafkaproto_pipeline.sources.survey import ReplicaLog, missing_end


class LackingError(InputError):
    """The newest state cannot be told, an older one can."""

    def __init__(self, text: str, answers_for: int | None) -> None:
        """``answers_for`` is the last offset whose state can be told; None if there is none."""
        self.why = text
        if answers_for is not None:
            text += f"; asOf={answers_for} gives the newest state that can be told"
        super().__init__(text)
        self.answers_for = answers_for


def known_end(sources: Sources) -> int:
    """The offset below which there are records, damage in their place, or snapshots that contain them."""
    ends = [log.lineage.end for log in sources.logs]
    ends += [fault.next_offset for log in sources.logs for _, fault in log.faults()]
    ends += [snapshot.id.end_offset for _, snapshot in sources.snapshots]
    return max(ends)


def missing_logs(sources: Sources, options: SourceOptions) -> Iterator[tuple[ReplicaLog, Fault]]:
    """The nodes' directories that have no log though they must. Another replica's log may do."""
    if options.replicas == ONE_REPLICA and any(log.segments for log in sources.logs):
        return
    for log in sources.logs:
        if log.replica.expects_log and not log.segments:
            ends = [snapshot.id.end_offset for snapshot in log.replica.snapshots]
            ends += [each.offset for each in log.replica.reached]
            reason = "there is no log, which a node has; only what snapshots hold is known"
            yield (
                log,
                Fault(
                    position=0,
                    end_position=0,
                    offset=0,
                    next_offset=max([*ends, 0]),
                    reason=reason,
                    is_open=True,
                ),
            )


def missing_beginnings(
    sources: Sources, ranges: Sequence[OffsetRange], options: SourceOptions
) -> Iterator[tuple[ReplicaLog, Fault]]:
    """The logs that begin behind offset 0 though no whole snapshot holds what was before."""
    if options.on_missing_offsets == SKIP:
        return
    firsts = ranges[:1] if options.replicas == ONE_REPLICA else ranges
    for each in firsts:
        start, own = each.log.lineage.start, each.log.replica.snapshots
        if start == 0 or not each.log.segments or not all(log.replica.is_whole for log in sources.logs):
            continue
        of_log = {snapshot.path for snapshot in own}
        is_covered = any(
            snapshot.id.end_offset >= start
            for _, snapshot in sources.whole_snapshots()
            if options.replicas == ONE_REPLICA or snapshot.path in of_log
        )
        # A node keeps no snapshot that is older than its log.
        oldest = min((snapshot.id.end_offset for snapshot in own), default=start)
        first, why = 0, "no whole snapshot holds what was before"
        if is_covered:
            first, why = oldest, "a snapshot that is older shows that it began earlier"
        if first < start:
            reason = f"offsets {first} to {start - 1} are missing: the log begins behind them, and {why}"
            fault = Fault(
                position=0,
                end_position=0,
                offset=first,
                next_offset=start,
                reason=reason,
                is_open_before=True,
            )
            yield each.log, fault


def missing_behind(sources: Sources, ranges: Sequence[OffsetRange]) -> Fault | None:
    """The end that the most advanced log lacks, if another replica shows that: by a snapshot, or by bytes at its end
    that cannot be read.
    """
    log = ranges[-1].log
    if not log.replica.is_whole or not log.segments:
        return None
    others = [snapshot for other, snapshot in sources.snapshots if other is not log]
    newest = max(others, key=lambda each: each.id.end_offset, default=None)
    known = max([log.lineage.end, *(fault.next_offset for _, fault in log.faults())])
    if newest is not None and newest.id.end_offset > known:
        return missing_end(log.segments[-1], Reached(offset=newest.id.end_offset, file=newest.path))
    for other in sources.logs:
        for facts, fault in other.faults():
            if fault.is_open and other is not log:
                why = describe(facts.segment.path, fault)
                reason = f"another replica may be longer, and its end cannot be read: {why}"
                end = log.segments[-1].inspection.end_position
                offset = log.lineage.end
                return Fault(
                    position=end,
                    end_position=end,
                    offset=offset,
                    next_offset=offset,
                    reason=reason,
                    is_open=True,
                )
    return None


def damaged_snapshots(sources: Sources) -> Iterator[tuple[str, Fault]]:
    """The snapshots that are not whole, each with the first thing that is wrong with it; the newest first."""
    for _, snapshot in sorted(sources.snapshots, key=lambda each: each[1].id.end_offset, reverse=True):
        for fault in sources.examine(snapshot).faults[:1]:
            yield snapshot.path, fault


def damage_of(options: SourceOptions) -> list[str]:
    """Everything that cannot be read of what the options name, a sentence each: in logs the range of offsets that is
    asked for, and all snapshots. A torn end is no damage. Raises InputError.
    """
    sources = look(replace(options, as_of=options.as_of or AsOf()))
    one = replace(options, replicas=ONE_REPLICA, on_missing_offsets=FAIL)
    start, end = options.start_offset, options.end_offset
    ranges = one_lineage(sources)
    found: list[str] = []
    for log in sources.logs:
        found += [gap.text for gap in log.gaps]
        for facts, fault in log.faults():
            if fault.touches(start, end):
                found.append(describe(facts.segment.path, fault))
    found += [describe(path, fault) for path, fault in damaged_snapshots(sources)]
    beginnings = missing_beginnings(sources, ranges, one)
    for log, fault in (*missing_logs(sources, replace(one, replicas=ALL_REPLICAS)), *beginnings):
        if fault.touches(start, end):
            found.append(f"{log.replica.directory}: {fault.reason}")
    behind = missing_behind(sources, ranges)
    if behind is not None and behind.touches(start, end):
        found.append(describe(ranges[-1].log.segments[-1].segment.path, behind))
    return found
