"""A histogram of durations, in buckets that grow with the value. Adding is cheap, and every quantile is accurate to 7
%.

A bucket covers an eighth of a power of two of microseconds, as in an HDR histogram with three significant bits. Count
and sum cover the whole life. Quantiles and the maximum cover a window: the owner of the histogram calls `rotate`
periodically, and values added before the last but one call no longer count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import add

_EXACT = 16
"""Below this number of microseconds every value has its own bucket."""
_BUCKETS = 256
"""Up to 2**34 microseconds, nearly five hours; longer durations count as that long."""


def _bucket(microseconds: int) -> int:
    if microseconds < _EXACT:
        return microseconds
    shift = microseconds.bit_length() - 4
    return min((shift << 3) + (microseconds >> shift), _BUCKETS - 1)


def _middle_us(bucket: int) -> float:
    """The middle of a bucket; exact for buckets of a single value."""
    if bucket < _EXACT:
        return bucket
    shift = (bucket >> 3) - 1
    return ((bucket & 7) + 8.5) * (1 << shift)


class Histogram:
    __slots__ = ("_buckets", "_max_us", "_previous", "_previous_max_us", "count", "sum_us")

    def __init__(self) -> None:
        self.count = 0
        """The number of all durations ever added."""
        self.sum_us = 0
        """The sum of all durations ever added, in microseconds."""
        self._buckets = [0] * _BUCKETS
        self._previous = [0] * _BUCKETS
        self._max_us = 0
        self._previous_max_us = 0

    def add(self, seconds: float) -> None:
        """Add one duration. A negative one, which a clock can produce for a very short time, counts as zero."""
        microseconds = int(seconds * 1_000_000)
        if microseconds < 0:
            microseconds = 0
        self.count += 1
        self.sum_us += microseconds
        self._buckets[_bucket(microseconds)] += 1
        if microseconds > self._max_us:
            self._max_us = microseconds

    def add_number(self, number: int) -> None:
        """Add microseconds, or a value that is no duration and counts as so many; not below 0."""
        self.count += 1
        self.sum_us += number
        self._buckets[_bucket(number)] += 1
        if number > self._max_us:
            self._max_us = number

    @classmethod
    def sum_of(cls, histograms: Iterable[Histogram]) -> Histogram:
        """All values of several histograms."""
        total = cls()
        for each in histograms:
            total.count += each.count
            total.sum_us += each.sum_us
            total._buckets = list(map(add, total._buckets, each._buckets))
            total._previous = list(map(add, total._previous, each._previous))
            total._max_us = max(total._max_us, each._max_us)
            total._previous_max_us = max(total._previous_max_us, each._previous_max_us)
        return total

    def rotate(self) -> None:
        """Begin a new half of the window. The half before the last one is dropped."""
        self._previous, self._buckets = self._buckets, [0] * _BUCKETS
        self._previous_max_us, self._max_us = self._max_us, 0

    @property
    def max_ms(self) -> float:
        """The longest duration of the window; 0 if there is none."""
        return max(self._max_us, self._previous_max_us) / 1000

    @property
    def sum_ms(self) -> float:
        """The sum of all durations ever added."""
        return self.sum_us / 1000

    def quantiles_ms(self, shares: Sequence[float]) -> list[float]:
        """The quantiles of the window for these ascending shares; 0 if the window is empty."""
        merged = [new + old for new, old in zip(self._buckets, self._previous, strict=True)]
        total = sum(merged)
        if not total:
            return [0.0] * len(shares)
        found: list[float] = []
        seen = 0
        for bucket, number in enumerate(merged):
            seen += number
            while len(found) < len(shares) and seen >= shares[len(found)] * total:
                found.append(min(_middle_us(bucket) / 1000, self.max_ms))
        return found
