"""When the locks of acquired records expire.

A lock may be gone before that: its records were acknowledged, released or locked anew. Its entry stays, so that no
acknowledgement has to look for it, until it is due or there may be many such entries (`AcquisitionLocks.clean`).

Apache Kafka: ``AcquisitionLockTimerTask``, a timer for each batch, or each offset if a batch is tracked by offset.
"""

from __future__ import annotations

import heapq
from typing import Final

from kafkaproto_server.core.share_partitions.in_flight import InFlight

FEW_LOCKS: Final = 1024
"""From so many locks on, those that are gone are forgotten whenever their number may have doubled."""


class AcquisitionLocks:
    """The locks of one share partition, in the order in which they expire."""

    __slots__ = ("_clean_at", "_locks")

    def __init__(self) -> None:
        # When locks expire: time, first and last offset. Some locks may be gone.
        self._locks: list[tuple[int, int, int]] = []
        self._clean_at = FEW_LOCKS

    def __len__(self) -> int:
        return len(self._locks)

    def add(self, until_ms: int, first: int, last: int) -> None:
        """Records are locked until then."""
        assert first <= last, "a lock of no record"
        heapq.heappush(self._locks, (until_ms, first, last))

    def clean(self, in_flight: InFlight) -> None:
        """Forget locks that are gone, if there may be many."""
        if len(self._locks) < self._clean_at:
            return
        self._locks = [
            (run.lock_until_ms, run.first, run.last)
            for batch in in_flight
            for run in batch.runs
            if run.lock_until_ms is not None
        ]
        heapq.heapify(self._locks)
        # Twice as many: so each lock is looked at a bounded number of times, however many there are.
        self._clean_at = max(FEW_LOCKS, 2 * len(self._locks))

    def next_deadline_ms(self) -> int | None:
        """When the next one expires; None if there is none."""
        return self._locks[0][0] if self._locks else None

    def take_expired(self, now_ms: int) -> tuple[int, int] | None:
        """The first and the last offset of all locks that have expired, which are forgotten; None if none has."""
        first: int | None = None
        last = -1
        # All that are due, as one range: batches in between cost a look, and locks of neighbours often expire together.
        while self._locks and self._locks[0][0] <= now_ms:
            _, begin, end = heapq.heappop(self._locks)
            first = begin if first is None else min(first, begin)
            last = max(last, end)
        return None if first is None else (first, last)
