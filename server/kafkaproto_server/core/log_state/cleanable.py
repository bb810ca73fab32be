"""Which compacted log is to be cleaned next, and which part of it.

A log has a clean part, which the last cleaning has reached, and a dirty one behind it. Only whole segments are cleaned,
and never

- the active segment,
- what lies at or beyond the last stable offset: it may be lost with a leader, or belong to an open transaction,
- a segment with a record that is younger than ``min.compaction.lag.ms``, and all behind it.

Of the logs whose share of dirty bytes is above ``min.cleanable.dirty.ratio``, or that have a dirty segment which began
``max.compaction.lag.ms`` ago or earlier, the one with the largest share is the next.

Apache Kafka has this in LogCleanerManager and LogToClean.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec


class CompactionLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a compacted topic."""

    min_dirty_ratio: float
    """``min.cleanable.dirty.ratio``"""
    min_lag_ms: int
    """``min.compaction.lag.ms``"""
    max_lag_ms: int
    """``max.compaction.lag.ms``"""
    delete_retention_ms: int
    """``delete.retention.ms``"""


class SegmentAge(NamedTuple):
    """The properties of a segment that the choice needs."""

    base_offset: int
    size_bytes: int
    first_timestamp: int
    """Of its first batch; -1 if it has none."""
    max_timestamp: int
    """The largest of its records; -1 if there is none."""


class DirtyRange(NamedTuple):
    """What of a log can be cleaned."""

    first_dirty_offset: int
    end_offset: int
    """The base offset of the first segment that stays as it is."""
    ratio: float
    """The share of dirty bytes."""
    is_wanted: bool
    """Whether the log is to be cleaned now."""
    is_reset: bool
    """Whether the cleaner's checkpoint lay outside of the log, so that all of it counts as dirty."""


def dirty_range(
    segments: Sequence[SegmentAge],
    *,
    log_start_offset: int,
    log_end_offset: int,
    last_stable_offset: int,
    checkpoint: int | None,
    limits: CompactionLimits,
    now_ms: int,
) -> DirtyRange:
    """The dirty part of a log with these segments, of which the last one is active.

    ``checkpoint`` is up to where it was cleaned; None if it never was. ``now_ms`` is wall time.
    """
    start = log_start_offset if checkpoint is None else checkpoint
    # The checkpoint is of a log that was longer, or DeleteRecords has gone past it. All of the log may have to be
    # cleaned.
    is_reset = not log_start_offset <= start <= log_end_offset
    if is_reset:
        start = log_start_offset
    bases = [segment.base_offset for segment in segments]
    # Segments from the one that holds the start on.
    first = max(0, bisect_right(bases, start) - 1)
    # Not the active segment: it is being appended to.
    dirty = segments[first:-1]
    limit = min(last_stable_offset, bases[-1])
    if limits.min_lag_ms > 0:
        youngest_ms = now_ms - limits.min_lag_ms
        for segment in dirty:
            # All behind it stays as well, though it may be older: the dirty part is one range of offsets.
            if segment.max_timestamp > youngest_ms:
                limit = min(limit, segment.base_offset)
                break
    limit = max(limit, start)
    # Whole segments only.
    end_index = max(0, bisect_right(bases, limit) - 1)
    clean_bytes = sum(segment.size_bytes for segment in segments if segment.base_offset < start)
    dirty_bytes = sum(segment.size_bytes for segment in segments[min(first, end_index) : end_index])
    total = clean_bytes + dirty_bytes
    ratio = dirty_bytes / total if total else 0.0
    latest_begin_ms = now_ms - limits.max_lag_ms
    # A segment without a time is never late, as otherwise it would be cleaned each time.
    is_late = any(0 < segment.first_timestamp < latest_begin_ms for segment in dirty)
    return DirtyRange(
        first_dirty_offset=start,
        end_offset=bases[end_index],
        ratio=ratio,
        # Without dirty bytes there is nothing to gain, however old the segment is.
        is_wanted=(is_late and dirty_bytes > 0) or ratio > limits.min_dirty_ratio,
        is_reset=is_reset,
    )


class GroupedSegment(NamedTuple):
    """The properties of a segment that grouping needs."""

    base_offset: int
    size_bytes: int
    offset_index_bytes: int
    time_index_bytes: int


def group_sizes(
    segments: Iterable[GroupedSegment],
    *,
    end_offset: int,
    max_bytes: int,
    max_index_bytes: int,
    max_offsets: int,
) -> list[int]:
    """How many segments at a time become one: as many as fit in a segment with its indexes before they are cleaned, and
    whose offsets are at most ``max_offsets`` behind the base of the first. ``end_offset`` is that of the last one."""
    left = list(segments)
    ends = [*(segment.base_offset for segment in left[1:]), end_offset]
    groups: list[int] = []
    begin = 0
    while begin < len(left):
        base = left[begin].base_offset
        sizes = [0, 0, 0]
        count = 0
        for segment, end in zip(left[begin:], ends[begin:], strict=True):
            sizes = [has + more for has, more in zip(sizes, segment[1:], strict=True)]
            fits = sizes[0] <= max_bytes and max(sizes[1:]) <= max_index_bytes
            # An empty segment takes no entry for its offsets.
            if count and not (fits and (segment.size_bytes == 0 or end - 1 - base <= max_offsets)):
                break
            count += 1
        assert count > 0, "a group has at least one segment"
        groups.append(count)
        begin += count
    assert sum(groups) == len(left), "each segment is in one group"
    return groups
