"""Which requests are under way to which destination, and which destinations are backing off.

Each destination has two lanes, with at most one request under way on each. A request that is parked there (a Fetch)
must not hold up the others (a Vote), and several requests on one lane could overtake each other. After a failure a lane
backs off for ``controller.quorum.retry.backoff.ms``. The other lane does not: a node that does not lead can still vote.
The same node at another address is another destination.

Apache Kafka: ``RequestManager``, which has one lane to each destination.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from kafkaproto_server.core.raft.values.messages import (
    Destination,
    FetchRequest,
    FetchSnapshotRequest,
    OutboundRequest,
)

_MAX_REMEMBERED_BACKOFFS = 64
"""More lanes than a quorum and its bootstrap servers ever have. Beyond it, backoffs that are over are forgotten."""


class RequestLane(enum.Enum):
    """A group of requests to one destination of which one at a time is under way."""

    FETCH = "fetch"
    """Fetch and FetchSnapshot: a leader may hold them."""
    OTHER = "other"
    """All other requests: they get their response at once."""


def lane_of(request: OutboundRequest) -> RequestLane:
    """The lane that a request travels in."""
    return (
        RequestLane.FETCH if isinstance(request, FetchRequest | FetchSnapshotRequest) else RequestLane.OTHER
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestInFlight:
    """A request that has no response yet."""

    request_id: int
    destination: Destination
    request: OutboundRequest


class RequestManager:
    """Requests under way by id, the lanes they occupy, and the destinations that are backing off."""

    def __init__(self, retry_backoff_ms: int) -> None:
        self._retry_backoff_ms = retry_backoff_ms
        self._next_id = 1
        self._in_flight: dict[int, RequestInFlight] = {}
        self._busy: dict[tuple[Destination, RequestLane], int] = {}
        self._ready_at_ms: dict[tuple[Destination, RequestLane], int] = {}

    def begin(self, destination: Destination, request: OutboundRequest, now_ms: int) -> int | None:
        """Note that a request is sent, and return its id; None while the lane is busy or backs off.

        `Core.ask` sends it.
        """
        lane = lane_of(request)
        # Refused, not queued: by the time the lane is free, the log end and the epoch in the
        # request may be others. The caller makes a new one then.
        if self.ready_at_ms(destination, lane) > now_ms:
            return None
        request_id = self._next_id
        self._next_id += 1
        self._in_flight[request_id] = RequestInFlight(
            request_id=request_id, destination=destination, request=request
        )
        self._busy[destination, lane] = request_id
        return request_id

    def ready_at_ms(self, destination: Destination, lane: RequestLane) -> float:
        """From when on ``begin`` accepts a request; infinity while a request is under way on the lane."""
        if (destination, lane) in self._busy:
            return float("inf")
        return self._ready_at_ms.get((destination, lane), 0)

    def is_busy(self, destination: Destination, lane: RequestLane) -> bool:
        """Whether a request to this destination is under way on a lane."""
        return (destination, lane) in self._busy

    def is_in_flight(self, request_id: int | None) -> bool:
        """Whether this request has neither a response nor a failure yet."""
        return request_id in self._in_flight

    def complete(self, request_id: int) -> RequestInFlight | None:
        """Note that a request is over; returns it, or None if it was over before or never sent."""
        # A response that is late or doubled finds nothing here. The simulator sends both.
        in_flight = self._in_flight.pop(request_id, None)
        if in_flight is not None:
            assert self._busy[in_flight.destination, lane_of(in_flight.request)] == request_id, (
                "two on one lane"
            )
            del self._busy[in_flight.destination, lane_of(in_flight.request)]
        return in_flight

    def back_off(self, in_flight: RequestInFlight, now_ms: int) -> None:
        """Let the lane of a request that failed, or brought nothing, back off for ``retry_backoff_ms``."""
        self.rest(in_flight.destination, lane_of(in_flight.request), now_ms)

    def rest(self, destination: Destination, lane: RequestLane, now_ms: int, pause_ms: int = 0) -> None:
        """Let a lane back off for ``retry_backoff_ms``, or for ``pause_ms`` if that is longer. A backoff that already
        lasts longer stays."""
        # AddRaftVoter makes a leader ask whatever address a client names. So what is over is
        # forgotten once the table is large.
        if len(self._ready_at_ms) >= _MAX_REMEMBERED_BACKOFFS:
            self._ready_at_ms = {
                known: ready_at_ms for known, ready_at_ms in self._ready_at_ms.items() if ready_at_ms > now_ms
            }
        # Always the same pause, as in Kafka; KIP-595 would double it.
        ready_at_ms = now_ms + max(self._retry_backoff_ms, pause_ms)
        self._ready_at_ms[destination, lane] = max(self._ready_at_ms.get((destination, lane), 0), ready_at_ms)

    def end_rest(self, destination: Destination, lane: RequestLane) -> None:
        """End a lane's backoff: there is reason to believe that a request will succeed now."""
        self._ready_at_ms.pop((destination, lane), None)
