"""A bucket of tokens, for changes that come in bursts (KIP-599).

It fills at the quota's rate, up to what the rate gives over all windows. A change takes as many tokens as it has
partitions, and may leave less than none: those who come next have to wait until the bucket is no longer below zero.

Apache Kafka: class ``TokenBucket``.
"""

from __future__ import annotations

from kafkaproto_server.core.quotas.rate import RateWindows, rounded_ms


class TokenBucket:
    """The tokens of one user or client. It is full when it is new, as Kafka's is on a machine that runs for long."""

    __slots__ = ("_at_ms", "_tokens", "_windows")

    def __init__(self, windows: RateWindows, bound: float, now_ms: int) -> None:
        self._windows = windows
        self._tokens = self._burst(bound)
        self._at_ms = now_ms

    def _burst(self, bound: float) -> float:
        return self._windows.count * self._windows.window_ms / 1000 * bound

    def tokens(self, bound: float, now_ms: int) -> float:
        """What is left, possibly below zero."""
        filled = self._tokens + bound * (now_ms - self._at_ms) / 1000
        self._tokens = min(self._burst(bound), filled)
        self._at_ms = now_ms
        return self._tokens

    def take(self, count: float, bound: float, now_ms: int) -> None:
        """Take tokens, even if there are not that many."""
        self._tokens = self.tokens(bound, now_ms) - count


def wait_ms(tokens: float, bound: float) -> int:
    """How long it takes until a bucket with so many tokens is no longer below zero; 0 if it is not."""
    return rounded_ms(-tokens / bound * 1000) if tokens < 0 else 0
