"""When the bytes of a connection arrived: a request's time begins with its last byte.

Requests wait in the buffer while the one before is served, so the time at which one is started says too little. Apache
Kafka measures from the moment at which a request was read completely, too (RequestQueueTimeMs, TotalTimeMs).
"""

from __future__ import annotations

import time
from collections import deque

from kafkaproto_server.shell.net.limits import MAX_ARRIVALS


class Arrivals:
    """The times of one connection's bytes."""

    __slots__ = ("_times", "received_bytes")

    def __init__(self) -> None:
        # For each chunk that arrived, up to `MAX_ARRIVALS`: the bytes received so far, and the time.
        self._times: deque[tuple[int, float]] = deque()
        self.received_bytes = 0
        """Of the whole connection, so far."""

    def __len__(self) -> int:
        return len(self._times)

    def note(self, size_bytes: int) -> None:
        """A chunk has arrived just now."""
        self.received_bytes += size_bytes
        if len(self._times) == MAX_ARRIVALS:
            # A peer that sends single bytes must not make this list grow.
            self._times.pop()
        self._times.append((self.received_bytes, time.perf_counter()))

    def time_of(self, position: int) -> float:
        """When the byte before a position of the stream arrived. Those before are forgotten."""
        times = self._times
        # The last one stays: what it stands for may be taken in several requests.
        while len(times) > 1 and times[0][0] < position:
            times.popleft()
        return times[0][1]
