"""The rate of a quantity over the last windows of time, in Kafka's arithmetic.

Time is cut into windows, each of which begins with the first value that is recorded after the one before is over. The
rate is the sum over the windows that count, divided by the time since the oldest of them began, but by no less than all
windows and the part of the newest one that has passed. So a client that has just come is not measured by its first
millisecond.

Apache Kafka: classes ``Rate``, ``SampledStat`` and ``QuotaUtils``.
"""

from __future__ import annotations

import math

MAX_THROTTLE_TIME_MS = 2**31 - 1
"""The largest time that a response can hold."""


class RateWindows:
    """The length and number of the windows; shared by all rates of one kind."""

    __slots__ = ("count", "expire_after_ms", "window_ms")

    def __init__(self, count: int, window_ms: int) -> None:
        """``count`` and ``window_ms`` are positive: ``quota.window.num`` and ``quota.window.size.seconds``."""
        assert count > 0, f"{count} windows"
        assert window_ms > 0, f"windows of {window_ms} ms"
        self.count = count
        self.window_ms = window_ms
        self.expire_after_ms = count * window_ms

    @property
    def whole_s(self) -> float:
        """The seconds in all windows but the one that is filling: what a rate is at least divided by."""
        # Kafka's getMaxValueInQuotaWindow takes the same time: more than the bound times this is over it even after a
        # long silence.
        return (self.count - 1) * self.window_ms / 1000


class Rate:
    """One rate. Times are monotonic, in milliseconds."""

    __slots__ = ("_current", "_lasts", "_starts", "_values", "_windows")

    def __init__(self, windows: RateWindows) -> None:
        self._windows = windows
        # One entry a window: when it began, when it got its last value, and the sum of its values. There is one window
        # more than count, since the oldest one may have begun too early and still hold values that count.
        self._starts: list[int] = []
        self._lasts: list[int] = []
        self._values: list[float] = []
        self._current = 0

    def record(self, value: float, now_ms: int) -> None:
        """Add to the quantity; a negative value takes back what was added."""
        starts, windows = self._starts, self._windows
        if not starts:
            self._begin(0, now_ms)
        # From the first value on, not from a raster of the clock: a window that nobody uses does not pass.
        elif now_ms - starts[self._current] >= windows.window_ms:
            # A ring: the window that is overwritten is the oldest, and out of the rate by then.
            self._current = (self._current + 1) % (windows.count + 1)
            assert self._current <= len(starts), "windows are made in order"
            self._begin(self._current, now_ms)
        self._values[self._current] += value
        self._lasts[self._current] = now_ms

    def _begin(self, position: int, now_ms: int) -> None:
        if position == len(self._starts):
            self._starts.append(now_ms)
            self._lasts.append(now_ms)
            self._values.append(0.0)
        else:
            self._starts[position] = self._lasts[position] = now_ms
            self._values[position] = 0.0

    def per_second(self, now_ms: int) -> float:
        elapsed_ms = self.elapsed_ms(now_ms)
        return sum(self._values) / (elapsed_ms / 1000)

    def elapsed_ms(self, now_ms: int) -> int:
        """The time over which the rate is taken."""
        windows = self._windows
        elapsed_ms = self._since_oldest_ms(now_ms)
        # As in Kafka's Rate: all windows but the newest count as full, even those that a young client does not have
        # yet. Else one request of a new client would be its whole rate.
        missing = windows.count - 1 - elapsed_ms // windows.window_ms
        if missing > 0:
            elapsed_ms += missing * windows.window_ms
        # With a single window nothing may have elapsed yet, and this divides.
        return max(elapsed_ms, 1)

    def _since_oldest_ms(self, now_ms: int) -> int:
        """The time since the oldest window began, after those that no longer count were emptied."""
        windows = self._windows
        if not self._starts:
            self._begin(0, now_ms)
        # By the last value of a window, as in Kafka's SampledStat: a window counts as long as its newest value does.
        elif now_ms - min(self._lasts) >= windows.expire_after_ms:
            for position, last in enumerate(self._lasts):
                if now_ms - last >= windows.expire_after_ms:
                    self._begin(position, now_ms)
        return now_ms - min(self._starts)

    def throttle_time_ms(self, bound: float, now_ms: int) -> int:
        """How long to wait until the rate is down to ``bound``, if nothing is recorded meanwhile; 0 if it is."""
        assert bound > 0, f"a bound of {bound} would throttle for ever"
        rate = self.per_second(now_ms)
        if rate <= bound:
            return 0
        # How much longer the elapsed time would have to be for the same sum to be within the bound.
        return rounded_ms((rate - bound) / bound * self.elapsed_ms(now_ms))


def rounded_ms(duration_ms: float) -> int:
    """A time to wait as whole milliseconds, half ones up, at most `MAX_THROTTLE_TIME_MS`."""
    return math.floor(min(MAX_THROTTLE_TIME_MS, duration_ms + 0.5))
