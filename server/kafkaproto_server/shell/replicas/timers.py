"""Calls functions at a time, unless what they wait for came before.

A function that raises ends the process, with its traceback: what it left half done is not known. So no input may make
it raise; that is for those who take the input in.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

import trio

from kafkaproto_server.base.ports import Clock

MANY = 1024
"""From so many entries on, those that are over are removed whenever their number may have doubled."""
TURN_MS = 10
"""How long functions are called before other tasks have their turn. A group's thousand members may be due at once."""
MAX_WAIT_MS = 300_000
"""The longest wait. A client may ask for weeks, and be gone meanwhile."""


class Timers:
    """Functions with the moment at which each is called. A function that is no longer needed does nothing then."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        """What the times are of."""
        self._heap: list[tuple[int, int, Callable[[], None], Callable[[], bool]]] = []
        self._clean_at = MANY
        self._numbers = count()
        self._wake = trio.Event()

    def add(self, at_ms: int, call: Callable[[], None], is_over: Callable[[], bool] = lambda: False) -> None:
        """Call ``call`` at a moment of the monotonic clock, `MAX_WAIT_MS` from now at the latest. Once ``is_over``, the
        call is not needed any more, and does not take memory for long."""
        now_ms = self.clock.now_ms()
        at_ms = min(at_ms, now_ms + MAX_WAIT_MS)
        # What is due already does not wait for the end of the millisecond in which others are due.
        is_earliest = at_ms <= now_ms or not self._heap or at_ms < self._heap[0][0]
        heapq.heappush(self._heap, (at_ms, next(self._numbers), call, is_over))
        if len(self._heap) >= self._clean_at:
            # Each fetch that waits adds an entry, and most fetches are over before their time. Without this, a busy
            # broker would keep the last 300 s of them.
            self._heap = [each for each in self._heap if not each[3]()]
            heapq.heapify(self._heap)
            # Twice what is left: so the work is in proportion to what was added since.
            self._clean_at = max(MANY, 2 * len(self._heap))
        # Otherwise `run` sleeps until something that is due earlier, and looks at the heap then.
        if is_earliest:
            self._wake.set()

    async def run(self) -> None:
        """Call what is due, until cancelled."""
        while True:
            self._wake = trio.Event()
            wait_s = self._wait_s()
            # Even if something is due: a function that adds another one for now must not keep the loop for itself.
            if wait_s > 0:
                with trio.move_on_after(wait_s):
                    await self._wake.wait()
            else:
                await trio.lowlevel.checkpoint()
            self.call_due()

    def _wait_s(self) -> float:
        """The time until something is due. What is over wakes nobody: each fetch adds a call, and few are needed."""
        heap = self._heap
        while heap and heap[0][3]():
            heapq.heappop(heap)
        return (heap[0][0] - self.clock.now_ms()) / 1000 if heap else float("inf")

    # What is due together is called in the order in which it was added: the number decides, and functions are never
    # compared.
    def call_due(self) -> None:
        """Call what is due now, or the first of it if that takes long."""
        now_ms = self.clock.now_ms()
        while self._heap and self._heap[0][0] <= now_ms and self.clock.now_ms() - now_ms < TURN_MS:
            heapq.heappop(self._heap)[2]()
