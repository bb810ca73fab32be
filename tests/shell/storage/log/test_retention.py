"""What may go of log and snapshots: the newest snapshot and the log after the oldest one kept never do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.shell.storage.log.retention import (
    RetainedSegment,
    RetainedSnapshot,
    RetentionLimits,
    retained_from,
)

NO_LIMITS = RetentionLimits(max_bytes=-1, max_age_ms=-1)


def snapshot(end_offset: int, size_bytes: int = 10, timestamp_ms: int | None = 0) -> RetainedSnapshot:
    return RetainedSnapshot(end_offset=end_offset, size_bytes=size_bytes, timestamp_ms=timestamp_ms)


def segment(next_offset: int, size_bytes: int = 100) -> RetainedSegment:
    return RetainedSegment(next_offset=next_offset, size_bytes=size_bytes)


SNAPSHOTS = [snapshot(0, timestamp_ms=100), snapshot(50, timestamp_ms=200), snapshot(120, timestamp_ms=300)]
SEGMENTS = [segment(40), segment(80), segment(150)]
"""With the snapshots, 330 bytes."""


@pytest.mark.parametrize(
    ("max_bytes", "expected"),
    [
        (330, None),
        # Without the oldest snapshot and the segment below the second one's end, 220 are left.
        (329, 50),
        (220, 50),
        # Without the second one as well, and all segments but the last, 110.
        (219, 120),
        # The newest snapshot and the last segment stay, however little is allowed.
        (0, 120),
        (-1, None),
    ],
)
def test_what_is_too_much_goes_oldest_first(max_bytes: int, expected: int | None) -> None:
    limits = RetentionLimits(max_bytes=max_bytes, max_age_ms=-1)
    assert retained_from(SNAPSHOTS, SEGMENTS, limits, now_ms=10_000) == expected


@pytest.mark.parametrize(
    ("now_ms", "expected"), [(1100, None), (1101, 50), (1200, 50), (1201, 120), (99_999, 120)]
)
def test_what_is_too_old_goes_once_there_is_a_newer_one(now_ms: int, expected: int | None) -> None:
    limits = RetentionLimits(max_bytes=-1, max_age_ms=1000)
    assert retained_from(SNAPSHOTS, SEGMENTS, limits, now_ms=now_ms) == expected


def test_an_age_that_is_not_known_is_no_reason() -> None:
    unknown = [snapshot(0, timestamp_ms=None), snapshot(50)]
    limits = RetentionLimits(max_bytes=-1, max_age_ms=0)
    assert retained_from(unknown, SEGMENTS, limits, now_ms=99_999) is None
    assert retained_from(unknown, SEGMENTS, RetentionLimits(max_bytes=0), now_ms=0) == 50


@pytest.mark.parametrize("snapshots", [[], [snapshot(50)]])
def test_without_a_newer_snapshot_nothing_goes(snapshots: list[RetainedSnapshot]) -> None:
    limits = RetentionLimits(max_bytes=0, max_age_ms=0)
    assert retained_from(snapshots, SEGMENTS, limits, now_ms=99_999) is None


@given(
    st.lists(st.tuples(st.integers(1, 50), st.integers(0, 500), st.integers(0, 1000)), max_size=6),
    st.lists(st.tuples(st.integers(1, 60), st.integers(0, 500)), min_size=1, max_size=6),
    st.integers(-1, 2000),
    st.integers(-1, 1000),
)
def test_the_start_is_a_snapshots_end_and_no_further_than_needed(
    snapshot_steps: list[tuple[int, int, int]],
    segment_steps: list[tuple[int, int]],
    max_bytes: int,
    max_age_ms: int,
) -> None:
    snapshots, segments, offset = [], [], 0
    for step, size, timestamp in snapshot_steps:
        offset += step
        snapshots.append(snapshot(offset, size, timestamp))
    offset = 0
    for step, size in segment_steps:
        offset += step
        segments.append(segment(offset, size))
    limits = RetentionLimits(max_bytes=max_bytes, max_age_ms=max_age_ms)

    def is_wanted(candidate: int) -> bool:
        """Whether, with the log from ``candidate`` on, the oldest snapshot is to be kept."""
        kept = [each for each in snapshots if each.end_offset >= candidate]
        log = [each.size_bytes for each in segments[:-1] if each.next_offset > candidate]
        total = sum(log) + segments[-1].size_bytes + sum(each.size_bytes for each in kept)
        is_old = max_age_ms >= 0 and 1000 - (kept[0].timestamp_ms or 0) > max_age_ms
        return len(kept) == 1 or not (is_old or 0 <= max_bytes < total)

    start = retained_from(snapshots, segments, limits, now_ms=1000)
    ends = [each.end_offset for each in snapshots]
    # Before anything goes, no segment is counted as deletable: the log starts where it starts.
    candidates = [0, *ends[1:]]
    expected = next((each for each in candidates if not snapshots or is_wanted(each)), None)
    assert (start or 0) == expected
