"""Decides what of the metadata log and its snapshots may be deleted (``metadata.max.retention.bytes``,
``metadata.max.retention.ms``).

Only what a newer snapshot covers is ever deleted. The newest snapshot stays, and so does the log from the end of the
oldest remaining snapshot on.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionLimits:
    """How much is kept. A negative number means no limit."""

    max_bytes: int = 100 * 1024 * 1024
    """Limit for the log and all snapshots together (``metadata.max.retention.bytes``)."""
    max_age_ms: int = 7 * 24 * 3600 * 1000
    """Limit for a snapshot that is not the newest (``metadata.max.retention.ms``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetainedSnapshot:
    """The properties of a snapshot that retention needs."""

    end_offset: int
    size_bytes: int
    timestamp_ms: int | None
    """Append time of its last record; None if it cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetainedSegment:
    """The properties of a log segment that retention needs."""

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
    """End offset of the oldest snapshot to keep, which is to become the log start; None if everything is kept.

    Both lists ascend. ``now_ms`` is wall time. The decision goes through the snapshots, oldest first, and never
    includes the newest. A snapshot is deleted if it is too old, or while everything together exceeds the limit. With it
    go the segments that end at or before the end of the next snapshot, but never the last segment.
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
        # The limit counts log and snapshots together, as in Kafka's KafkaRaftLog.
        is_too_much = 0 <= limits.max_bytes < log_bytes + snapshot_bytes
        if not is_old and not is_too_much:
            break
        # The log has to begin where a snapshot ends at the latest, so the start moves from snapshot
        # to snapshot and never in between.
        start = successor.end_offset
        snapshot_bytes -= snapshot.size_bytes
        while deletable and deletable[0].next_offset <= start:
            log_bytes -= deletable.pop(0).size_bytes
    return start
