"""Waits between attempts."""

from __future__ import annotations

import pytest

from kafkaproto_server.base.backoff import Backoff


class Extreme:
    """``ports.Rng`` that draws the lowest number there is, or the highest."""

    def __init__(self, *, highest: bool) -> None:
        self._highest = highest

    def below(self, limit: int) -> int:
        return limit - 1 if self._highest else 0

    def uuid(self) -> bytes:
        raise AssertionError("a wait needs none")


BACKOFF = Backoff(first_ms=100, longest_ms=1000)


@pytest.mark.parametrize(
    ("failures", "delay_ms"), [(1, 100), (2, 200), (3, 400), (4, 800), (5, 1000), (10_000, 1000)]
)
def test_the_wait_doubles_up_to_its_bound(failures: int, delay_ms: int) -> None:
    assert BACKOFF.delay_ms(failures) == delay_ms


def test_a_random_wait_is_up_to_a_tenth_shorter_or_longer() -> None:
    assert BACKOFF.random_delay_ms(1, Extreme(highest=False)) == 90
    assert BACKOFF.random_delay_ms(1, Extreme(highest=True)) == 110
