"""What several tests of storage share: a seeded generator, a scripted clock, and a disk of each kind."""

from __future__ import annotations

import random
from collections.abc import Iterable


class SeededRng:
    """``server.ports.Rng`` that a seed repeats."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)

    def below(self, limit: int) -> int:
        return self._random.randrange(limit)

    def uuid(self) -> bytes:
        return self._random.randbytes(16)


class FixedRng:
    """A generator that always draws the same share of its range: 0 keeps nothing at a crash, 1 keeps all."""

    def __init__(self, share: float) -> None:
        self._share = share

    def below(self, limit: int) -> int:
        return round((limit - 1) * self._share)

    def uuid(self) -> bytes:
        return bytes(range(16))


class ScriptedClock:
    """``server.ports.Clock`` whose wall time follows a list; monotonic time is of no use in storage."""

    def __init__(self, wall_times_ms: Iterable[int]) -> None:
        self._wall_times_ms = iter(wall_times_ms)

    def now_ms(self) -> int:
        raise AssertionError("storage has no timeouts")

    def wall_ms(self) -> int:
        return next(self._wall_times_ms)
