"""Watches the event loop: for how much of its time it waits, and for how long it delays all tasks.

A pass of the loop runs every task that can continue; then the loop waits for sockets, threads and deadlines. A request
is not served before the pass in which it arrived is over, so the longest pass is the longest stall. A wait that ends
later than its deadline counts as a stall, too: another thread or process had the processor.

The processor time of each pass is counted as well: on a busy machine a pass takes long even if it does little.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable
from typing import Final

import trio

STALL_BOUNDS_MS: Final = (1, 2, 5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 1000, 2000, 5000)
"""Upper bounds of the buckets in which stalls are counted; the last bucket has no bound."""


class LoopWatch(trio.abc.Instrument):
    """Counts passes and waits of the loop that it is added to with ``trio.lowlevel.add_instrument``."""

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.perf_counter,
        processor_clock: Callable[[], float] = time.thread_time,
    ) -> None:
        """Both clocks return seconds; ``processor_clock`` the seconds for which this thread ran."""
        self._clock = clock
        self._processor_clock = processor_clock
        self.stalls = [0] * (len(STALL_BOUNDS_MS) + 1)
        """Number of passes, and of waits that were too long, by duration: one bucket for each bound, and one beyond."""
        self.stalled_s = 0.0
        """Total time of all stalls."""
        self.waited_s = 0.0
        """Time in which the loop had nothing to do."""
        self.cpu_passes = [0] * (len(STALL_BOUNDS_MS) + 1)
        """Number of passes by the processor time that the loop's thread used in them, in the same buckets."""
        self.cpu_s = 0.0
        """Processor time of all passes."""
        self._since = clock()
        self._cpu_since = processor_clock()
        self._longest_s = self._longest_before_s = 0.0

    @property
    def longest_ms(self) -> float:
        """The longest stall since the last but one `rotate`."""
        return max(self._longest_s, self._longest_before_s) * 1000

    def rotate(self) -> None:
        """Begin a new half of the window of ``longest_ms``."""
        self._longest_before_s, self._longest_s = self._longest_s, 0.0

    def before_io_wait(self, timeout: float) -> None:
        now = self._clock()
        self._count(now - self._since)
        self._since = now
        cpu_s = self._processor_clock() - self._cpu_since
        self.cpu_passes[bisect_left(STALL_BOUNDS_MS, cpu_s * 1000)] += 1
        self.cpu_s += cpu_s

    def after_io_wait(self, timeout: float) -> None:
        """The next pass begins; it was due at the latest after ``timeout`` seconds."""
        now = self._clock()
        waited = now - self._since
        self._since = now
        self.waited_s += waited
        if waited > timeout:
            self._count(waited - timeout)
        self._cpu_since = self._processor_clock()

    def _count(self, seconds: float) -> None:
        self.stalls[bisect_left(STALL_BOUNDS_MS, seconds * 1000)] += 1
        self.stalled_s += seconds
        if seconds > self._longest_s:
            self._longest_s = seconds
