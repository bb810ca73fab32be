"""Counts of an image's partitions (all, leaderless, by leader and so on), which each change of a partition updates.

Most heartbeats, and most questions of operators, only need to know that no partition is concerned. A search through
200,000 partitions takes tens of milliseconds, in which nothing else happens; updating these counts takes a microsecond
or two per change of a partition. They follow from the partitions, so images are compared without them.
"""

from __future__ import annotations

from typing import Any

import msgspec
from immutables import Map

from kafkaproto_server.metadata.image.entries import PartitionImage

_NO_LEADER = -1
_NOBODY: Map[Any, Any] = Map()


class PartitionCounts(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    total: int = 0
    leaderless: int = 0
    """Partitions without a leader."""
    not_preferred: int = 0
    """Partitions that the first replica does not lead."""
    reassigned: int = 0
    """Partitions whose replicas are being added or removed."""
    led: Map[int, int] = _NOBODY
    """Partitions by the broker that leads them; a broker that leads none has no entry."""
    in_sync: Map[int, int] = _NOBODY
    """Partitions by the brokers in their ISR; a broker that is in no ISR has no entry."""


NO_PARTITIONS = PartitionCounts()


class Tally:
    """Changes of many partitions, added up before they are applied to counts."""

    __slots__ = ("_in_sync", "_leaderless", "_led", "_not_preferred", "_reassigned", "_total")

    def __init__(self) -> None:
        self._total = self._leaderless = self._not_preferred = self._reassigned = 0
        self._led: dict[int, int] = {}
        self._in_sync: dict[int, int] = {}

    def add(self, partition: PartitionImage, change: int = 1) -> None:
        """Count one more such partition, or one less with a change of -1."""
        # Locals, because this runs for each partition of a large change.
        leader, led, in_sync = partition.leader, self._led, self._in_sync
        self._total += change
        if leader == _NO_LEADER:
            self._leaderless += change
        else:
            # A plain dict, applied once at the end: a persistent map would be copied in part for
            # each partition.
            led[leader] = led.get(leader, 0) + change
        # A slice, because the record of another implementation might have no replicas.
        if partition.replicas[:1] != (leader,):
            self._not_preferred += change
        if partition.adding_replicas or partition.removing_replicas:
            self._reassigned += change
        # Members of the ISR, not replicas: a broker that only follows has nothing that its loss would take away.
        for broker_id in partition.isr:
            in_sync[broker_id] = in_sync.get(broker_id, 0) + change

    def applied(self, counts: PartitionCounts) -> PartitionCounts:
        """The counts after all the changes."""
        led, in_sync = counts.led, counts.in_sync
        for broker_id, change in self._led.items():
            led = _added(led, broker_id, change)
        for broker_id, change in self._in_sync.items():
            in_sync = _added(in_sync, broker_id, change)
        assert counts.total + self._total >= 0, "more partitions were removed than there were"
        assert counts.leaderless + self._leaderless >= 0, "more partitions got a leader than had none"
        return PartitionCounts(
            total=counts.total + self._total,
            leaderless=counts.leaderless + self._leaderless,
            not_preferred=counts.not_preferred + self._not_preferred,
            reassigned=counts.reassigned + self._reassigned,
            led=led,
            in_sync=in_sync,
        )


def _added(counts: Map[int, int], broker_id: int, change: int) -> Map[int, int]:
    # A broker that gave up as much as it took: the map stays the same object.
    if not change:
        return counts
    count = counts.get(broker_id, 0) + change
    assert count >= 0, f"broker {broker_id} counts for {count} partitions"
    # No entry of 0: callers ask whether a broker has an entry, and images with the same partitions
    # have equal counts.
    return counts.set(broker_id, count) if count else counts.delete(broker_id)
