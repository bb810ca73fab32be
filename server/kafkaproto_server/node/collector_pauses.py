"""Keeps Python's cycle collector cheap and its pauses short, however much metadata a node holds.

A full collection walks over every object there is, and the loop stands still meanwhile: 170 ms for 200,000 partitions.
Images hold no cycles, so all that walking finds nothing. What survived a collection that took long is therefore moved
out of the collector's sight; the next one walks only over what came after. So is what has come through the young
collections, once it is much, without being walked over at all: a change of 300,000 partitions would be a pause of
200 ms. What is freed by counting references, images among it, is freed as before. The price is a cycle that was alive
at that moment: it stays when it dies. Small nodes, whose collections are short, pay nothing.

The young generations are collected less often than Python would: what a request leaves behind has no cycles either, and
the records and images that stay are walked over fewer times on their way to the oldest generation.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Mapping

LONG_PAUSE_MS = 20
"""A collection that takes longer is worth keeping away from what it has seen."""

YOUNG_OBJECTS = 10_000
"""New objects that start a collection. Walking over them takes about a millisecond."""

YOUNG_COLLECTIONS = 2
"""Collections of the youngest generation before one of the next."""

MANY_SURVIVORS = 50_000
"""Objects that came through the young collections; to walk over so many takes some ten milliseconds."""

FULL_COLLECTION = 2
"""Number of the collector's oldest generation."""


class CollectorPauses:
    """Watches collections while it is started, and shortens those to come."""

    def __init__(self, long_pause_ms: float = LONG_PAUSE_MS) -> None:
        self._long_pause_ms = long_pause_ms
        self._began = 0.0
        self._survivors = 0
        self._former_thresholds = gc.get_threshold()
        self.longest_ms = 0.0
        """The longest full collection so far."""

    def start(self) -> None:
        """Begin to watch, and collect less often."""
        self._former_thresholds = gc.get_threshold()
        gc.set_threshold(YOUNG_OBJECTS, YOUNG_COLLECTIONS, self._former_thresholds[FULL_COLLECTION])
        gc.callbacks.append(self._collecting)

    def stop(self) -> None:
        """Leave the collector as it was before; what is out of its sight stays there."""
        gc.callbacks.remove(self._collecting)
        gc.set_threshold(*self._former_thresholds)

    def _collecting(self, phase: str, info: Mapping[str, int]) -> None:
        if info["generation"] != FULL_COLLECTION:
            if phase == "stop":
                self._count_survivors(info["collected"])
            return
        if phase == "start":
            self._began = time.perf_counter()
            return
        self._survivors = 0
        took_ms = (time.perf_counter() - self._began) * 1000
        self.longest_ms = max(self.longest_ms, took_ms)
        if took_ms > self._long_pause_ms:
            gc.freeze()

    def _count_survivors(self, collected: int) -> None:
        """A young collection begins with so many objects more than there were, and has found so much garbage."""
        self._survivors += YOUNG_OBJECTS - collected
        if self._survivors > MANY_SURVIVORS:
            self._survivors = 0
            gc.freeze()
