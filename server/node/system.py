"""The real clocks and the real source of randomness."""

from __future__ import annotations

import random
import time
import uuid


class SystemClock:
    """The machine's clocks."""

    def now_ms(self) -> int:
        """Monotonic time, for every timeout."""
        return time.monotonic_ns() // 1_000_000

    def wall_ms(self) -> int:
        """Time since the epoch, for timestamps that are written down or shown."""
        return time.time_ns() // 1_000_000


class SystemRng:
    """Randomness from the operating system."""

    def __init__(self) -> None:
        self._random = random.SystemRandom()

    def below(self, limit: int) -> int:
        """An integer from 0 to ``limit`` - 1."""
        return self._random.randrange(limit)

    def uuid(self) -> bytes:
        """16 random bytes in the form of a version 4 UUID."""
        return uuid.uuid4().bytes
