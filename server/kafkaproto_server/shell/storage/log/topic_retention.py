"""Decides how many of the oldest segments of a topic's log are removed (``retention.ms``, ``retention.bytes``).

Segments go whole, and oldest first. A segment goes if the log is too large even without it, or if its newest record is
too old. None goes that holds a record at or behind the high watermark: the log start must never pass it. All segments
may go, also the last one if it holds something; a new one has to be begun before. Apache Kafka has it in
UnifiedLog.deleteOldSegments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

NO_LIMIT = -1


class TopicRetention(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a log is kept. A negative number means no limit."""

    max_bytes: int = NO_LIMIT
    """``retention.bytes``"""
    max_age_ms: int = NO_LIMIT
    """``retention.ms``"""

    @property
    def is_unlimited(self) -> bool:
        return self.max_bytes < 0 and self.max_age_ms < 0


class AgedSegment(NamedTuple):
    """The properties of a segment that retention needs."""

    base_offset: int
    size_bytes: int
    newest_timestamp_ms: int
    """The largest timestamp of its records. If they have none, the time at which the file was last written."""


def removable_segments(
    segments: Sequence[AgedSegment],
    retention: TopicRetention,
    *,
    log_end_offset: int,
    high_watermark: int,
    now_ms: int,
) -> int:
    """How many of the oldest segments are removed. ``segments`` ascend; ``now_ms`` is wall time."""
    ends = [*(segment.base_offset for segment in segments[1:]), log_end_offset]
    surplus = sum(segment.size_bytes for segment in segments) - retention.max_bytes
    has_surplus = retention.max_bytes >= 0
    for count, (segment, end) in enumerate(zip(segments, ends, strict=True)):
        if end > high_watermark or (count == len(segments) - 1 and not segment.size_bytes):
            return count
        # Apache Kafka looks at the sizes first, up to the first segment that may stay, and at the times of what is
        # left then. Here the surplus is negative behind that segment, so no later one is too much.
        is_too_large = has_surplus and surplus >= segment.size_bytes
        surplus -= segment.size_bytes
        is_too_old = 0 <= retention.max_age_ms < now_ms - segment.newest_timestamp_ms
        if not is_too_large and not is_too_old:
            return count
    return len(segments)
