"""What bounds the Fetch requests that wait: the memory of all together, and how long each holds the loop.

A request of a consumer may name a hundred thousand partitions and wait for as long as its sender likes. Apache Kafka
lets any number of them wait. Here, those that wait may name `MAX_PARKED_PARTITIONS` together; if there are more, the
largest gets its response early, with what there is. A request of that size is looked at some partitions at a time, so
that other tasks have their turns in between.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import islice
from typing import Final, Protocol

from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.ports import Clock
from kafkaproto_server.shell.replicas.timers import Timers

MAX_PARKED_PARTITIONS: Final = 500_000
"""Each takes up to 500 bytes."""
FEW_PARTITIONS: Final = 128
"""A request with at most this many is looked at in one go, which takes a tenth of a millisecond."""
PARTITIONS_A_STEP: Final = 64
STEPS_A_TURN: Final = 16
"""A turn takes about a millisecond."""


class Parked(Protocol):
    def respond_early(self) -> None:
        """Respond with what there is."""


class ParkedFetches:
    """The requests that wait, and how many partitions they name."""

    def __init__(self, max_partitions: int = MAX_PARKED_PARTITIONS) -> None:
        self._max_partitions = max_partitions
        # In the order in which they came.
        self._sizes: dict[Parked, int] = {}
        self.partitions = 0

    def add(self, fetch: Parked, partitions: int) -> None:
        """A request waits. Others, or this one, may have to respond for it."""
        self._sizes[fetch] = partitions
        self.partitions += partitions
        while self.partitions > self._max_partitions:
            # The first of equals: it has waited for longest.
            largest = max(self._sizes, key=self._sizes.__getitem__)
            self.remove(largest)
            largest.respond_early()

    def remove(self, fetch: Parked) -> None:
        """It does not wait any more."""
        self.partitions -= self._sizes.pop(fetch, 0)


class InTurns:
    """Runs long work of requests a little at a time, each in its turn."""

    def __init__(self, timers: Timers, clock: Clock) -> None:
        self._timers = timers
        self._clock = clock
        self._works: deque[tuple[Steps[None], Callable[[], bool]]] = deque()

    def start(self, steps: Steps[None], is_over: Callable[[], bool]) -> None:
        """Run the steps, until they end or the work ``is_over``."""
        self._works.append((steps, is_over))
        if len(self._works) == 1:
            self._timers.add(self._clock.now_ms(), self._turn)

    def _turn(self) -> None:
        steps, is_over = self._works[0]
        is_complete = is_over() or sum(1 for _ in islice(steps, STEPS_A_TURN)) < STEPS_A_TURN
        self._works.popleft()
        if is_complete:
            steps.close()
        else:
            self._works.append((steps, is_over))
        if self._works:
            self._timers.add(self._clock.now_ms(), self._turn)
