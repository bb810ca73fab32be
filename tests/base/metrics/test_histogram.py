"""Durations in buckets, beside a list that keeps them all."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.base.metrics.histogram import Histogram

QUANTILES = (0.5, 0.9, 0.99, 1.0)
MICROSECONDS = st.integers(min_value=0, max_value=10**10)


def filled(values_us: list[int]) -> Histogram:
    """A histogram of these durations; half a microsecond more each, which rounding must not take for another."""
    histogram = Histogram()
    for value in values_us:
        histogram.add((value + 0.5) / 1_000_000)
    return histogram


@given(st.lists(MICROSECONDS, min_size=1, max_size=200))
def test_quantiles_are_those_of_the_values_within_seven_percent(values: list[int]) -> None:
    ordered = sorted(values)
    for share, found in zip(QUANTILES, filled(values).quantiles_ms(QUANTILES), strict=True):
        exact = ordered[max(0, math.ceil(share * len(ordered)) - 1)] / 1000
        assert found == pytest.approx(exact, rel=0.07, abs=1e-9)


@given(st.lists(MICROSECONDS, max_size=50))
def test_count_sum_and_maximum_are_exact(values: list[int]) -> None:
    histogram = filled(values)
    assert (histogram.count, histogram.sum_us) == (len(values), sum(values))
    assert histogram.sum_ms == sum(values) / 1000
    assert histogram.max_ms == max(values, default=0) / 1000


def test_nothing_has_quantiles_of_zero() -> None:
    assert Histogram().quantiles_ms(QUANTILES) == [0.0] * 4


def test_a_duration_that_a_clock_made_negative_counts_as_none() -> None:
    histogram = Histogram()
    histogram.add(-0.001)
    assert (histogram.count, histogram.sum_us, histogram.quantiles_ms([0.5])) == (1, 0, [0.0])


def test_days_share_the_last_bucket() -> None:
    histogram = filled([86_400 * 10**6, 2 * 86_400 * 10**6])
    assert histogram.max_ms == 2 * 86_400 * 10**3
    assert histogram.quantiles_ms([0.5, 1.0])[0] == histogram.quantiles_ms([0.5, 1.0])[1]


def test_the_window_forgets_what_came_before_its_last_two_halves() -> None:
    histogram = filled([1_000_000])
    histogram.rotate()
    histogram.add(0.001)
    assert histogram.max_ms == 1000
    assert histogram.quantiles_ms([1.0])[0] == pytest.approx(1000, rel=0.07)
    histogram.rotate()
    assert histogram.max_ms == 1
    assert histogram.quantiles_ms([1.0])[0] == pytest.approx(1, rel=0.07)
    assert histogram.count == 2
    histogram.rotate()
    assert (histogram.max_ms, histogram.quantiles_ms([1.0])) == (0, [0.0])
    assert (histogram.count, histogram.sum_us) == (2, 1_001_000)


def test_a_number_counts_as_it_is() -> None:
    histogram = Histogram()
    for number in (0, 7, 57, 1_000_003):
        histogram.add_number(number)
    assert (histogram.count, histogram.sum_us, histogram.max_ms) == (4, 1_000_067, 1000.003)
    assert histogram.quantiles_ms([0.25, 0.5]) == [0.0, 0.007]


def test_a_sum_has_the_windows_of_all() -> None:
    older, newer = filled([1_000_000]), filled([2_000, 3_000_000])
    older.rotate()
    total = Histogram.sum_of([older, newer])
    assert (total.count, total.sum_us, total.max_ms) == (3, 4_002_000, 3000)
    assert total.quantiles_ms([1.0])[0] == pytest.approx(3000, rel=0.07)
    total.rotate()
    assert total.max_ms == 3000
    assert Histogram.sum_of([]).count == 0
