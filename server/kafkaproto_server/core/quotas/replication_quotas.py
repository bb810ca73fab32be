"""The throttles of replication: how many bytes a second a broker sends to followers, and copies from leaders, of the
replicas that a topic names (KIP-73).

They are for replicas that are being moved. A follower in the ISR is never throttled, or it would leave the ISR.

Apache Kafka: classes ``ReplicationQuotaManager`` and ``SimpleRate``.
"""

from __future__ import annotations

import math

import msgspec

from kafkaproto_server.core.quotas.rate import Rate, RateWindows

ALL_REPLICAS = "*"


class ThrottledReplicas(msgspec.Struct, frozen=True, kw_only=True):
    """The replicas of a topic that a throttle holds for."""

    are_all: bool = False
    replicas: frozenset[tuple[int, int]] = frozenset()
    """(partition, broker)"""

    def has(self, index: int, broker_id: int) -> bool:
        """Whether a partition's replica on a broker is one of them."""
        return self.are_all or (index, broker_id) in self.replicas


def throttled_replicas(value: str) -> ThrottledReplicas | None:
    """What ``leader.replication.throttled.replicas`` and its like say; None for no replica. Entries that are no pair of
    numbers count for nothing."""
    entries = [each.strip() for each in value.split(",")]
    # Alone only, as Kafka's validator has it: in a list it is no pair of numbers.
    if entries == [ALL_REPLICAS]:
        return ThrottledReplicas(are_all=True)
    # Pairs of a partition and a broker: a replica is throttled, not a partition (KIP-73).
    found = set()
    for entry in entries:
        index, _, broker_id = entry.partition(":")
        # The log may hold values that nobody checked. A throttle that is not understood must not stop replication.
        if index.isdecimal() and broker_id.isdecimal():
            found.add((int(index), int(broker_id)))
    return ThrottledReplicas(replicas=frozenset(found)) if found else None


class _SimpleRate(Rate):
    """A rate over the time since its oldest window began, but over no less than one window."""

    __slots__ = ()

    def elapsed_ms(self, now_ms: int) -> int:
        # Not as `Rate` does: a replication that has just begun would otherwise be measured over ten seconds, and exceed
        # its bound tenfold before anybody notices.
        return max(self._since_oldest_ms(now_ms), self._windows.window_ms)


class ReplicationQuota:
    """The rate of one direction, and its bound. Times are monotonic, in milliseconds."""

    __slots__ = ("_rate", "bound")

    def __init__(self, windows: RateWindows) -> None:
        self._rate = _SimpleRate(windows)
        self.bound = math.inf
        """Bytes a second."""

    def record(self, size: int, now_ms: int) -> None:
        """So many bytes of throttled replicas were sent, or came."""
        assert size >= 0, f"{size} bytes were sent"
        self._rate.record(size, now_ms)

    def per_second(self, now_ms: int) -> float:
        return self._rate.per_second(now_ms)

    def is_exceeded(self, now_ms: int) -> bool:
        """Whether throttled replicas have to wait."""
        # Without a throttle nothing is computed: this is asked with each fetch.
        return self.bound < math.inf and self._rate.per_second(now_ms) > self.bound
