"""Throttled replication: which replicas, and at which rate."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.core.quotas.rate import RateWindows
from kafkaproto_server.core.quotas.replication_quotas import ReplicationQuota, throttled_replicas
from tests.core.quotas.test_rate import Model

KAFKAS_WINDOWS = RateWindows(11, 1000)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("", []),
        ("*", [(0, 1), (0, 2), (3, 1)]),
        ("0:1,3:1", [(0, 1), (3, 1)]),
        (" 0:2 , 7:1", [(0, 2)]),
        ("none", []),
        ("0:1:2,x:1,:,0", []),
    ],
)
def test_a_list_names_replicas_by_partition_and_broker(value: str, found: list[tuple[int, int]]) -> None:
    throttled = throttled_replicas(value)
    some = [(0, 1), (0, 2), (3, 1)]
    assert [each for each in some if throttled is not None and throttled.has(*each)] == found
    # Most topics name none, and cost nothing.
    assert (throttled is None) == (not found)


class SimpleRateModel(Model):
    """As Kafka's SimpleRate."""

    def elapsed(self, now: int) -> int:
        self.purge(now)
        if not self.samples:
            return self.window
        return max(now - min(sample.start for sample in self.samples), self.window)


@given(st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 5000)), max_size=40), st.integers(1, 4))
def test_the_rate_is_that_of_apache_kafka(steps: list[tuple[int, int]], count: int) -> None:
    quota, model = ReplicationQuota(RateWindows(count, 1000)), SimpleRateModel(count, 1000)
    now = 5000
    for pause, size in steps:
        now += pause
        quota.record(size, now)
        model.record(size, now)
        elapsed_s = model.elapsed(now) / 1000
        expected = sum(each.value for each in model.samples) / elapsed_s
        assert quota.per_second(now) == expected
        quota.bound = expected
        assert not quota.is_exceeded(now)
        quota.bound = expected * 0.99
        assert quota.is_exceeded(now) == (expected > 0)


def test_without_a_bound_nothing_is_throttled() -> None:
    quota = ReplicationQuota(KAFKAS_WINDOWS)
    quota.record(1 << 60, 0)
    assert not quota.is_exceeded(0)


@pytest.mark.parametrize("chunk", [1_000, 100_000, 1_000_000])
@pytest.mark.parametrize("pause_ms", [1, 100, 500])
def test_the_rate_holds(chunk: int, pause_ms: int) -> None:
    bound = 1_000_000
    quota = ReplicationQuota(KAFKAS_WINDOWS)
    quota.bound = bound
    sent, duration_ms = 0, 60_000
    for now in range(0, duration_ms, pause_ms):
        if not quota.is_exceeded(now):
            quota.record(chunk, now)
            sent += chunk
    possible = min(bound, chunk * 1000 / pause_ms)
    assert sent / (duration_ms / 1000) == pytest.approx(possible, rel=0.2)
