"""Which part of a log may be cleaned, and whether it is to be cleaned now."""

from __future__ import annotations

import pytest

from kafkaproto_server.core.log_state.cleanable import (
    CompactionLimits,
    DirtyRange,
    GroupedSegment,
    SegmentAge,
    dirty_range,
    group_sizes,
)

NEVER_MS = 2**63 - 1
NOW_MS = 1_000_000
SEGMENTS = [
    SegmentAge(0, 100, 1_000, 9_000),
    SegmentAge(10, 200, 10_000, 19_000),
    SegmentAge(20, 300, 20_000, 29_000),
    SegmentAge(30, 400, 30_000, 39_000),
]
"""The last one is active."""


def found(
    *,
    log_start_offset: int = 0,
    last_stable_offset: int = 40,
    checkpoint: int | None = None,
    min_dirty_ratio: float = 0.5,
    min_lag_ms: int = 0,
    max_lag_ms: int = NEVER_MS,
    segments: list[SegmentAge] = SEGMENTS,
) -> DirtyRange:
    return dirty_range(
        segments,
        log_start_offset=log_start_offset,
        log_end_offset=40,
        last_stable_offset=last_stable_offset,
        checkpoint=checkpoint,
        limits=CompactionLimits(
            min_dirty_ratio=min_dirty_ratio,
            min_lag_ms=min_lag_ms,
            max_lag_ms=max_lag_ms,
            delete_retention_ms=0,
        ),
        now_ms=NOW_MS,
    )


def test_a_log_that_was_never_cleaned_is_dirty_up_to_its_active_segment() -> None:
    assert found() == DirtyRange(0, 30, 1.0, True, False)


@pytest.mark.parametrize(
    ("last_stable_offset", "end_offset"), [(40, 30), (30, 30), (29, 20), (20, 20), (15, 10), (9, 0), (0, 0)]
)
def test_segments_end_before_the_last_stable_offset(last_stable_offset: int, end_offset: int) -> None:
    dirty = found(last_stable_offset=last_stable_offset)
    assert dirty.end_offset == end_offset
    assert dirty.is_wanted == (end_offset > 0)


@pytest.mark.parametrize(
    ("checkpoint", "ratio"),
    [(0, 1.0), (10, 500 / 600), (15, 500 / 800), (20, 300 / 600), (30, 0.0), (35, 0.0)],
)
def test_the_share_of_dirty_bytes_counts_whole_segments(checkpoint: int, ratio: float) -> None:
    # As in Kafka, a segment that is clean up to its middle counts on both sides.
    dirty = found(checkpoint=checkpoint)
    assert dirty.ratio == pytest.approx(ratio)
    # Exactly the ratio is not enough.
    assert dirty.is_wanted == (ratio > 0.5)


@pytest.mark.parametrize(
    ("min_lag_ms", "end_offset"),
    [(0, 30), (NOW_MS - 29_000, 30), (NOW_MS - 28_999, 20), (NOW_MS - 10_000, 10), (NOW_MS, 0)],
)
def test_young_segments_stay_as_they_are(min_lag_ms: int, end_offset: int) -> None:
    assert found(min_lag_ms=min_lag_ms).end_offset == end_offset


@pytest.mark.parametrize(
    ("max_lag_ms", "checkpoint", "is_wanted"),
    [
        (NOW_MS - 1_001, 0, True),
        (NOW_MS - 1_000, 0, False),
        (NOW_MS - 1_001, 10, False),
        (NOW_MS - 20_001, 20, True),
        (NEVER_MS, 0, False),
    ],
)
def test_a_segment_that_is_old_enough_has_its_log_cleaned(
    max_lag_ms: int, checkpoint: int, is_wanted: bool
) -> None:
    assert found(max_lag_ms=max_lag_ms, checkpoint=checkpoint, min_dirty_ratio=1.0).is_wanted == is_wanted


def test_the_active_segment_is_never_old_enough() -> None:
    assert not found(max_lag_ms=1, checkpoint=30, min_dirty_ratio=1.0).is_wanted


@pytest.mark.parametrize(("checkpoint", "start"), [(4, 5), (41, 5), (5, 5), (40, 40)])
def test_a_checkpoint_outside_of_the_log_does_not_count(checkpoint: int, start: int) -> None:
    dirty = found(checkpoint=checkpoint, log_start_offset=5)
    assert dirty.first_dirty_offset == start
    assert dirty.is_reset == (checkpoint in (4, 41))


def test_a_log_that_starts_in_a_gap_before_its_segments_and_is_not_stable_there_stays_as_it_is() -> None:
    dirty = found(log_start_offset=5, last_stable_offset=5, segments=SEGMENTS[1:])
    assert dirty == DirtyRange(5, 10, 0.0, False, False)


def test_an_empty_log_is_not_dirty() -> None:
    assert not found(segments=[SegmentAge(0, 0, -1, -1)], min_dirty_ratio=0.0).is_wanted


def grouped(
    *segments: tuple[int, int, int, int], end_offset: int = 1_000, max_offsets: int = 10**6
) -> list[int]:
    return group_sizes(
        [GroupedSegment._make(each) for each in segments],
        end_offset=end_offset,
        max_bytes=100,
        max_index_bytes=20,
        max_offsets=max_offsets,
    )


def test_segments_are_put_together_while_they_fit() -> None:
    assert grouped() == []
    assert grouped((0, 50, 1, 1), (10, 50, 1, 1), (20, 1, 1, 1)) == [2, 1]
    # A segment alone may be larger.
    assert grouped((0, 500, 1, 1), (10, 50, 90, 1), (20, 1, 1, 1)) == [1, 1, 1]
    assert grouped((0, 1, 10, 1), (10, 1, 11, 1), (20, 1, 1, 1)) == [1, 2]
    assert grouped((0, 1, 1, 10), (10, 1, 1, 11), (20, 1, 1, 1)) == [1, 2]


def test_offsets_of_a_group_fit_in_an_index() -> None:
    limit = 100
    # The last offset of a segment is before the base of the next one.
    assert grouped((0, 1, 1, 1), (50, 1, 1, 1), end_offset=101, max_offsets=limit) == [2]
    assert grouped((0, 1, 1, 1), (50, 1, 1, 1), end_offset=102, max_offsets=limit) == [1, 1]
    assert grouped((0, 1, 1, 1), (50, 1, 1, 1), (101, 1, 1, 1), end_offset=150, max_offsets=limit) == [2, 1]
    # An empty one has no offsets.
    assert grouped((0, 1, 1, 1), (50, 0, 0, 0), end_offset=102, max_offsets=limit) == [2]
