"""Brokers' sessions: when each was last heard of, and how far it has read. Known to the active controller
only.

Nothing of this is in the metadata log, so a new active controller starts anew: brokers that the image shows
unfenced get a full session from then on. Time is the monotonic clock's: a jump of wall time fences nobody. Time in
which the controller's own node did not run (it was stopped, or its machine) is given back: heartbeats may wait in its
sockets.
"""

from __future__ import annotations

import msgspec
from immutables import Map

from kafkaproto_server.image.image import ClusterImage


class BrokerSession(msgspec.Struct, frozen=True, kw_only=True):
    """One incarnation of a broker, as its heartbeats show it."""

    broker_epoch: int
    """That of the broker's registration: a new incarnation ends the session of the one before."""
    last_contact_ms: int
    metadata_offset: int = -1
    """Offset up to which the broker said it has read the metadata log."""
    shutdown_offset: int = -1
    """Offset of the last record that the broker's controlled shutdown wrote; -1 where none is under way."""
    pause_ms: int = 0
    """How long, since the last contact, the controller's node did not run, and so could not hear of anybody."""

    def end_ms(self, timeout_ms: int) -> int:
        """When the session ends, unless the broker is heard of before."""
        return self.last_contact_ms + self.pause_ms + timeout_ms

    def is_valid(self, now_ms: int, timeout_ms: int) -> bool:
        """Whether the broker was heard of within the timeout."""
        return now_ms < self.end_ms(timeout_ms)


class SessionChange(msgspec.Struct, frozen=True, kw_only=True):
    """What a change of the metadata makes of one broker's session, once its records are appended."""

    broker_id: int
    session: BrokerSession | None
    """The session from then on; None where it is over."""
    begins_shutdown: bool = False
    """Whether the records begin the broker's controlled shutdown, or take it up after a failover."""

    def applied(self, sessions: Map[int, BrokerSession], last_offset: int) -> Map[int, BrokerSession]:
        """The sessions with the change in them; ``last_offset`` is that of its last record.

        The broker may have been heard of since the change was decided: that counts.
        """
        known = sessions.get(self.broker_id)
        if self.session is None:
            return sessions if known is None else sessions.delete(self.broker_id)
        session = self.session
        if self.begins_shutdown:
            session = msgspec.structs.replace(session, shutdown_offset=last_offset)
        if known is not None and known.broker_epoch == session.broker_epoch:
            if known is session:
                return sessions
            session = with_later_contact(session, known)
        return sessions.set(self.broker_id, session)


def with_later_contact(session: BrokerSession, other: BrokerSession) -> BrokerSession:
    """The session with the later of two contacts: its own, or the one that is known from elsewhere."""
    if session.last_contact_ms > other.last_contact_ms:
        return session
    return msgspec.structs.replace(session, last_contact_ms=other.last_contact_ms, pause_ms=other.pause_ms)


def sessions_after_contact(
    sessions: Map[int, BrokerSession], broker_id: int, broker_epoch: int, now_ms: int
) -> Map[int, BrokerSession]:
    """The sessions after a heartbeat; one of a broker without a session, or of an earlier incarnation, says nothing."""
    session = sessions.get(broker_id)
    if session is None or session.broker_epoch != broker_epoch:
        return sessions
    return sessions.set(broker_id, msgspec.structs.replace(session, last_contact_ms=now_ms, pause_ms=0))


def sessions_after_pause(sessions: Map[int, BrokerSession], pause_ms: int) -> Map[int, BrokerSession]:
    """The sessions, all of which end so much later."""
    for broker_id, session in sessions.items():
        sessions = sessions.set(
            broker_id, msgspec.structs.replace(session, pause_ms=session.pause_ms + pause_ms)
        )
    return sessions


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
