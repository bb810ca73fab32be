"""Keeps Python's cycle collector cheap and its pauses short, however much metadata a node holds.

A full collection visits every object, and the event loop stops meanwhile: 170 ms for 200,000 partitions. Images contain
no cycles, so these visits find nothing. Therefore, after a collection that took long, the surviving objects are moved
out of the collector's sight; the next one visits only newer objects. The survivors of the young collections are moved
as well once they are many, without a full collection: after a change of 300,000 partitions, that one would be a pause
of 200 ms. Reference counting still frees objects that were moved, images among them. The price is a cycle that was
alive at that moment, such as a connection, a replica of a deleted topic, or an error with its frames: the collector
would never free it, and a node would grow for ever. So all objects are looked at once more when those that were moved
have become more by a quarter, as long as that takes no longer than a tenth of a second.

The young generations are collected less often than by default. What a request leaves behind has no cycles either, and
the records and images that stay are visited fewer times on their way to the oldest generation.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Mapping

import trio

LONG_PAUSE_MS = 20
"""After a collection that took longer, its survivors are moved out of the collector's sight."""

YOUNG_OBJECTS = 10_000
"""New objects that start a collection. Visiting them takes about a millisecond."""

YOUNG_COLLECTIONS = 2
"""Collections of the youngest generation before one of the next."""

MANY_SURVIVORS = 50_000
"""Survivors of the young collections. To visit this many takes some ten milliseconds."""

LOOK_INTERVAL_S = 30.0
"""How often it is seen whether there is enough out of sight to look at."""

PARTS_HIDDEN = 4
"""When one of so many parts of what was out of sight after the last look at all was moved since: enough for the next
one. What cycles keep is less than a quarter of the node then, and each object that is moved costs at most five
visits."""

MAX_LOOKED_AT = 500_000
"""To visit this many takes a tenth of a second, 40 ms of it for what a node has when it starts. Of larger nodes, what
cycles keep is a small part."""

FULL_COLLECTION = 2
"""Number of the collector's oldest generation."""


class CollectorPauses:
    """Watches collections while it is started, and shortens later ones."""

    def __init__(self, long_pause_ms: float = LONG_PAUSE_MS, max_looked_at: int = MAX_LOOKED_AT) -> None:
        self._long_pause_ms = long_pause_ms
        self._max_looked_at = max_looked_at
        self._began = 0.0
        self._survivors = 0
        self._former_thresholds = gc.get_threshold()
        # Python counts the objects out of its sight one by one, so it is asked only if there may be enough.
        self._hidden = 0
        """Objects out of the collector's sight when it was decided last whether to look at all."""
        self._seen = 0
        """Survivors of young collections before the last full one that were not moved then."""
        self._moved = 0
        """Objects moved since then, those included that are gone."""
        self.longest_ms = 0.0
        """The longest full collection so far."""

    def start(self) -> None:
        """Start to watch, and make collections less frequent."""
        self._former_thresholds = gc.get_threshold()
        gc.set_threshold(YOUNG_OBJECTS, YOUNG_COLLECTIONS, self._former_thresholds[FULL_COLLECTION])
        gc.callbacks.append(self._collecting)

    def stop(self) -> None:
        """Restore the collector's former settings. Objects that are out of its sight stay so."""
        gc.callbacks.remove(self._collecting)
        gc.set_threshold(*self._former_thresholds)

    async def run(self) -> None:
        """Look at all objects from time to time, until cancelled."""
        while True:
            await trio.sleep(LOOK_INTERVAL_S)
            self.maybe_look_at_all()

    def maybe_look_at_all(self) -> None:
        """Free the cycles that were alive when they were moved, if enough was moved since the last time."""
        enough = max(MANY_SURVIVORS, self._hidden // PARTS_HIDDEN)
        if self._moved < enough:
            return
        hidden = gc.get_freeze_count()
        self._moved = max(0, hidden - self._hidden)
        # Many of those that were moved may be gone.
        if self._moved < enough:
            return
        if hidden <= self._max_looked_at:
            # Out of sight again at once: what survives this is what later collections are to leave alone.
            gc.unfreeze()
            gc.collect()
            gc.freeze()
            hidden = gc.get_freeze_count()
        # Also if there are too many to look at: else they would be counted again every time.
        self._hidden, self._moved = hidden, 0

    def _collecting(self, phase: str, info: Mapping[str, int]) -> None:
        # Young collections take a millisecond. They only show how many objects stay.
        if info["generation"] != FULL_COLLECTION:
            if phase == "stop":
                self._count_survivors(info["collected"])
            return
        if phase == "start":
            self._began = time.perf_counter()
            return
        self._seen += self._survivors
        self._survivors = 0
        took_ms = (time.perf_counter() - self._began) * 1000
        self.longest_ms = max(self.longest_ms, took_ms)
        # One long pause is the price for knowing that there is much; the next one visits only what is new.
        if took_ms > self._long_pause_ms:
            self._freeze()

    def _count_survivors(self, collected: int) -> None:
        """A young collection starts when there are this many new objects, and it has found ``collected`` objects of
        garbage."""
        self._survivors += YOUNG_OBJECTS - collected
        if self._survivors > MANY_SURVIVORS:
            self._freeze()

    def _freeze(self) -> None:
        self._moved += self._seen + self._survivors
        self._seen = self._survivors = 0
        gc.freeze()
