"""Rates, against a slow model of Kafka's Rate, SampledStat and QuotaUtils."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.core.quotas.rate import MAX_THROTTLE_TIME_MS, Rate, RateWindows


@dataclass
class Sample:
    """One window of the model."""

    start: int
    last: int
    value: float = 0.0


@dataclass
class Model:
    """Kafka's arithmetic, written down as its classes have it: each measurement goes over all samples."""

    count: int
    window: int
    samples: list[Sample] = field(default_factory=list)
    current: int = 0

    def record(self, value: float, now: int) -> None:
        if not self.samples:
            self.samples.append(Sample(now, now))
        sample = self.samples[self.current]
        if now - sample.start >= self.window:
            self.current = (self.current + 1) % (self.count + 1)
            if self.current >= len(self.samples):
                self.samples.append(Sample(now, now))
            else:
                self.samples[self.current] = Sample(now, now)
            sample = self.samples[self.current]
        sample.value += value
        sample.last = now

    def purge(self, now: int) -> None:
        for position, sample in enumerate(self.samples):
            if now - sample.last >= self.count * self.window:
                self.samples[position] = Sample(now, now)

    def elapsed(self, now: int) -> int:
        self.purge(now)
        if not self.samples:
            self.samples.append(Sample(now, now))
        total = now - min(sample.start for sample in self.samples)
        full = total // self.window
        if full < self.count - 1:
            total += (self.count - 1 - full) * self.window
        return max(total, 1)

    def rate(self, now: int) -> float:
        self.purge(now)
        value = sum(sample.value for sample in self.samples)
        return value / (self.elapsed(now) / 1000)

    def throttle(self, bound: float, now: int) -> int:
        if self.rate(now) <= bound:
            return 0
        return int((self.rate(now) - bound) / bound * self.elapsed(now) + 0.5)


steps = st.lists(
    st.tuples(
        st.one_of(st.integers(0, 50), st.integers(0, 3_000), st.integers(0, 30_000)),
        st.integers(-1_000, 1_000_000),
        st.booleans(),
    ),
    max_size=60,
)


@given(count=st.integers(1, 11), window=st.sampled_from([1, 500, 1_000]), steps=steps)
def test_a_rate_is_that_of_kafka(count: int, window: int, steps: list[tuple[int, int, bool]]) -> None:
    rate, model, now = Rate(RateWindows(count, window)), Model(count, window), 5
    for delay, value, is_recorded in steps:
        now += delay
        if is_recorded:
            rate.record(value, now)
            model.record(value, now)
        assert rate.per_second(now) == pytest.approx(model.rate(now))
        assert rate.elapsed_ms(now) == model.elapsed(now)
        for bound in (1.0, 777.5, 100_000.0):
            assert rate.throttle_time_ms(bound, now) == min(model.throttle(bound, now), MAX_THROTTLE_TIME_MS)


def test_after_the_throttle_time_the_rate_is_back_at_the_bound() -> None:
    rate = Rate(RateWindows(11, 1_000))
    rate.record(30_000, 0)
    # 30,000 over ten seconds, and 2,000 a second are allowed.
    assert rate.throttle_time_ms(2_000, 0) == 5_000
    assert rate.throttle_time_ms(2_000, 10_500) == 4_500
    # What has left the windows no longer counts.
    assert rate.throttle_time_ms(2_000, 11_000) == 0


def test_a_throttle_time_fits_into_a_response() -> None:
    rate = Rate(RateWindows(11, 1_000))
    rate.record(1e300, 0)
    assert rate.throttle_time_ms(1e-300, 0) == MAX_THROTTLE_TIME_MS
