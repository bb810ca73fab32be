"""Exponential backoff: how long to wait before a failed attempt is repeated."""

from __future__ import annotations

from dataclasses import dataclass

from kafkaproto_server.base.ports import Rng

MOST_DOUBLINGS = 20
"""A peer may be away for days. Without a limit the number would double each time, and huge integers cost time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """A wait that doubles with each failure in a row."""

    first_ms: int
    longest_ms: int

    def delay_ms(self, failures: int) -> int:
        """The wait after this many failures in a row; ``failures`` is at least 1."""
        return min(self.longest_ms, self.first_ms << min(failures - 1, MOST_DOUBLINGS))

    def random_delay_ms(self, failures: int, rng: Rng) -> int:
        """As `delay_ms`, up to a tenth more or less, so that nodes that failed together do not retry together."""
        delay_ms = self.delay_ms(failures)
        return delay_ms - delay_ms // 10 + rng.below(delay_ms // 5 + 1)
