"""What of the metadata log and its snapshots may go (``metadata.max.retention.bytes``, ``metadata.max.retention.ms``).

Only what a newer snapshot covers is ever given up: the newest snapshot stays, and the log from the end of the oldest
snapshot that stays.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionLimits:
    """How much is kept; a negative number stands for no limit."""

    max_bytes: int = 100 * 1024 * 1024
    """Of the log and all snapshots together (``metadata.max.retention.bytes``)."""
    max_age_ms: int = 7 * 24 * 3600 * 1000
    """Of a snapshot that is not the newest (``metadata.max.retention.ms``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetainedSnapshot:
    """A snapshot, as far as retention goes."""

    end_offset: int
    size_bytes: int
    timestamp_ms: int | None
    """Append time of the last record contained; None where it cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetainedSegment:
    """A segment of the log, as far as retention goes."""

    next_offset: int
    """Offset after its last record."""
    size_bytes: int


def retained_from(
    snapshots: Sequence[RetainedSnapshot],
    segments: Sequence[RetainedSegment],
    limits: RetentionLimits,
    *,
    now_ms: int,
) -> int | None:
    """End offset of the oldest snapshot to keep, where the log is to start; None if everything is kept.

    Both lists ascend. ``now_ms`` is wall time. Oldest first, a snapshot that has a successor goes if it is too old, or
    while everything together is too much; with it go the segments that end at or before its successor's end, but
    never the last one.
    """
    start: int | None = None
    log_bytes = sum(segment.size_bytes for segment in segments)
    snapshot_bytes = sum(snapshot.size_bytes for snapshot in snapshots)
    deletable = list(segments[:-1])
    for snapshot, successor in itertools.pairwise(snapshots):
        is_old = (
            limits.max_age_ms >= 0
            and snapshot.timestamp_ms is not None
            and now_ms - snapshot.timestamp_ms > limits.max_age_ms
        )
        is_too_much = 0 <= limits.max_bytes < log_bytes + snapshot_bytes
        if not is_old and not is_too_much:
            break
        start = successor.end_offset
        snapshot_bytes -= snapshot.size_bytes
        while deletable and deletable[0].next_offset <= start:
            log_bytes -= deletable.pop(0).size_bytes
    return start
