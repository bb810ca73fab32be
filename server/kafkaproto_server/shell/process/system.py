"""The real clocks and the real source of randomness."""

from __future__ import annotations

import os
import random
import time


class SystemClock:
    def now_ms(self) -> int:
        """A monotonic time; used for every timeout."""
        return time.monotonic_ns() // 1_000_000

    def wall_ms(self) -> int:
        """Time since the epoch, for timestamps that are stored or shown."""
        return time.time_ns() // 1_000_000


class SystemRng:
    """Random ids, which cannot be predicted, and fair random numbers for other choices."""

    def __init__(self) -> None:
        # Seeded by the operating system, which is then not called for every choice.
        self._random = random.Random()

    def below(self, limit: int) -> int:
        """An integer from 0 to ``limit`` - 1."""
        return self._random.randrange(limit)

    def uuid(self) -> bytes:
        """16 random bytes in the form of a version 4 UUID (RFC 9562, section 5.4)."""
        # Not from the generator above: from enough of its numbers, all later ones can be computed.
        value = bytearray(os.urandom(16))
        value[6] = value[6] & 0x0F | 0x40
        value[8] = value[8] & 0x3F | 0x80
        return bytes(value)
