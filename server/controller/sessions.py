"""Brokers' sessions: when each was last heard of, and how far it has read. Known to the active controller
only.

Nothing of this is in the metadata log, so a new active controller starts anew: brokers that the image shows
unfenced get a full session from then on. Time is the monotonic clock's: a jump of wall time fences nobody.
"""

from __future__ import annotations

from dataclasses import dataclass

from immutables import Map

from server.image.image import ClusterImage


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerSession:
    """One incarnation of a broker, as its heartbeats show it."""

    broker_epoch: int
    """That of the broker's registration: a new incarnation ends the session of the one before."""
    last_contact_ms: int
    metadata_offset: int = -1
    """Offset up to which the broker said it has read the metadata log."""
    shutdown_offset: int = -1
    """Offset of the last record that the broker's controlled shutdown wrote; -1 where none is under way."""

    def is_valid(self, now_ms: int, timeout_ms: int) -> bool:
        """Whether the broker was heard of within the timeout."""
        return now_ms < self.last_contact_ms + timeout_ms


def sessions_at_activation(image: ClusterImage, now_ms: int) -> Map[int, BrokerSession]:
    """The sessions that a new active controller starts with."""
    sessions: Map[int, BrokerSession] = Map()
    for broker in image.brokers_in_order():
        if not broker.fenced:
            session = BrokerSession(broker_epoch=broker.epoch, last_contact_ms=now_ms)
            sessions = sessions.set(broker.broker_id, session)
    return sessions


def lowest_metadata_offset(
    image: ClusterImage, sessions: Map[int, BrokerSession], leaving: int
) -> int | None:
    """The lowest offset that an active broker other than ``leaving`` has read to; None where there is no
    other.

    A broker that has not said yet how far it is counts as having read nothing.
    """
    offsets = [
        sessions[broker.broker_id].metadata_offset if broker.broker_id in sessions else -1
        for broker in image.brokers_in_order()
        if broker.broker_id != leaving and broker.is_active()
    ]
    return min(offsets, default=None)
