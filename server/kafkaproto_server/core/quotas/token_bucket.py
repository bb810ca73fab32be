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
        assert bound > 0, f"a bucket that fills by {bound} a second"
        self._windows = windows
        self._tokens = self._burst(bound)
        self._at_ms = now_ms

    def _burst(self, bound: float) -> float:
        return self._windows.count * self._windows.window_ms / 1000 * bound

    def tokens(self, bound: float, now_ms: int) -> float:
        """What is left, possibly below zero."""
        # At the rate of now: if the quota was changed, what has come since the last look is counted by the new one, as
        # in Kafka.
        filled = self._tokens + bound * (now_ms - self._at_ms) / 1000
        # At most what all windows give: a client that was silent for a day has no more credit than one that was silent
        # for seconds.
        self._tokens = min(self._burst(bound), filled)
        self._at_ms = now_ms
        return self._tokens

    def take(self, count: float, bound: float, now_ms: int) -> None:
        """Take tokens, even if there are not that many."""
        assert count >= 0, f"a change of {count} partitions"
        self._tokens = self.tokens(bound, now_ms) - count


def wait_ms(tokens: float, bound: float) -> int:
    """How long it takes until a bucket with so many tokens is no longer below zero; 0 if it is not."""
    # Zero is enough: a bucket has to be below it to make anybody wait (KIP-599).
    return rounded_ms(-tokens / bound * 1000) if tokens < 0 else 0
