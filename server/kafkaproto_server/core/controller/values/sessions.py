"""Brokers' sessions: when the controller last heard from each broker, and how far the broker has read the log. Only the
active controller has them.

The metadata log holds nothing of this, so a new active controller starts anew: brokers that are unfenced in the image
get a full session from then on. Sessions use the monotonic clock: a jump of wall time fences no broker. Sessions are
extended by the time in which the controller's own node did not run (its process or its machine was stopped): heartbeats
may wait in its sockets.

Apache Kafka: ``BrokerHeartbeatTracker`` and ``BrokerHeartbeatManager``.
"""

from __future__ import annotations

import msgspec
from immutables import Map

from kafkaproto_server.metadata.image.image import ClusterImage


class BrokerSession(msgspec.Struct, frozen=True, kw_only=True):
    """The session of one incarnation of a broker, from its heartbeats."""

    broker_epoch: int
    """Epoch of the broker's registration: a new incarnation ends the session of the previous one."""
    last_contact_ms: int
    metadata_offset: int = -1
    """Offset up to which the broker said it has read the metadata log."""
    shutdown_offset: int = -1
    """Offset of the last record of the broker's controlled shutdown; -1 if none is under way."""
    # Not added to the last contact: that time is compared with the proof of a broker's death, and
    # must stay true.
    pause_ms: int = 0
    """How long the controller's node has not run since the last contact, so that it could not hear from brokers."""

    def end_ms(self, timeout_ms: int) -> int:
        """When the session ends, unless the broker sends a heartbeat before."""
        return self.last_contact_ms + self.pause_ms + timeout_ms

    def is_valid(self, now_ms: int, timeout_ms: int) -> bool:
        """Whether the session has not ended: the broker's last heartbeat is within the timeout."""
        # A heartbeat that comes exactly at the end is too late: the fencing may be decided in the same millisecond.
        return now_ms < self.end_ms(timeout_ms)


class SessionChange(msgspec.Struct, frozen=True, kw_only=True):
    """How a change of the metadata alters one broker's session, once its records are appended."""

    broker_id: int
    session: BrokerSession | None
    """The session from then on; None if it is over."""
    begins_shutdown: bool = False
    """Whether the records begin the broker's controlled shutdown, or resume it after a failover."""

    def applied(self, sessions: Map[int, BrokerSession], last_offset: int) -> Map[int, BrokerSession]:
        """The sessions with the change applied; ``last_offset`` is the offset of its last record.

        A heartbeat that came since the change was decided still counts.
        """
        known = sessions.get(self.broker_id)
        if self.session is None:
            return sessions if known is None else sessions.delete(self.broker_id)
        session = self.session
        if self.begins_shutdown:
            assert last_offset >= 0, "a shutdown begins with a record"
            session = msgspec.structs.replace(session, shutdown_offset=last_offset)
        # The change may have taken seconds. The state to set is that of its beginning, the contact
        # may be newer.
        if known is not None and known.broker_epoch == session.broker_epoch:
            if known is session:
                return sessions
            session = with_later_contact(session, known)
        return sessions.set(self.broker_id, session)


def with_later_contact(session: BrokerSession, other: BrokerSession) -> BrokerSession:
    """The session with the later contact of the two sessions."""
    if session.last_contact_ms > other.last_contact_ms:
        return session
    return msgspec.structs.replace(session, last_contact_ms=other.last_contact_ms, pause_ms=other.pause_ms)


def sessions_after_contact(
    sessions: Map[int, BrokerSession], broker_id: int, broker_epoch: int, now_ms: int
) -> Map[int, BrokerSession]:
    """The sessions after a heartbeat. It changes nothing if its broker has no session, or one with another epoch."""
    session = sessions.get(broker_id)
    # An old incarnation that still runs must not keep the session of the new one alive.
    if session is None or session.broker_epoch != broker_epoch:
        return sessions
    return sessions.set(broker_id, msgspec.structs.replace(session, last_contact_ms=now_ms, pause_ms=0))


def sessions_after_pause(sessions: Map[int, BrokerSession], pause_ms: int) -> Map[int, BrokerSession]:
    """The sessions, each extended by ``pause_ms``."""
    assert pause_ms >= 0, f"a pause of {pause_ms} ms"
    for broker_id, session in sessions.items():
        # Added to each: two pauses without a contact between them count both.
        sessions = sessions.set(
            broker_id, msgspec.structs.replace(session, pause_ms=session.pause_ms + pause_ms)
        )
    return sessions


def sessions_at_activation(image: ClusterImage, now_ms: int) -> Map[int, BrokerSession]:
    """The sessions that a new active controller starts with."""
    sessions: Map[int, BrokerSession] = Map()
    for broker in image.brokers_in_order():
        # Fenced brokers need none: they lead nothing, and their next heartbeat begins one. As in
        # Kafka, unfenced brokers get a full session at activation.
        if not broker.fenced:
            session = BrokerSession(broker_epoch=broker.epoch, last_contact_ms=now_ms)
            sessions = sessions.set(broker.broker_id, session)
    return sessions


def lowest_metadata_offset(image: ClusterImage, sessions: Map[int, BrokerSession]) -> int | None:
    """The lowest offset up to which an active broker has read; None if no broker is active.

    A broker that has not reported its offset yet counts as having read nothing.
    """
    offsets = [
        # To guess an offset for a silent broker could let another one stop too early. If it stays
        # silent, it is fenced and no longer counts.
        sessions[broker.broker_id].metadata_offset if broker.broker_id in sessions else -1
        for broker in image.brokers_in_order()
        if broker.is_active()
    ]
    return min(offsets, default=None)
