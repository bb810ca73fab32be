"""Watches the brokers' sessions, and says which brokers the active controller has to fence for their silence.

Apache Kafka: ``BrokerHeartbeatTracker``.
"""

from __future__ import annotations

import msgspec
from immutables import Map

from kafkaproto_server.base.types import earliest
from kafkaproto_server.core.controller.values.sessions import (
    BrokerSession,
    SessionChange,
    sessions_after_contact,
    sessions_after_pause,
    with_later_contact,
)


class SessionWatch:
    """The sessions, and when the next one ends. A standby controller has no sessions."""

    def __init__(self, timeout_ms: int) -> None:
        self._timeout_ms = timeout_ms
        self.sessions: Map[int, BrokerSession] = Map()
        """By broker id; only the methods of this class change it."""
        self.check_ms: int | None = None
        """No session ends before this time; None if there is none."""
        self.fencing: set[int] = set()
        """Silent brokers that are being fenced."""

    def replace(self, sessions: Map[int, BrokerSession]) -> None:
        """Replace all sessions by these."""
        self.sessions = sessions
        if not sessions:
            self.check_ms = None
        # Only then: a search for the first end at each heartbeat would cost a pass through all
        # brokers.
        elif self.check_ms is None:
            self.check_ms = self._first_end_ms()
        # Else the time stays: contacts only postpone the ends of sessions.

    def apply(self, change: SessionChange | None, last_offset: int) -> None:
        """Apply a change of one session, if there is one; ``last_offset`` is the offset of its last record."""
        if change is None:
            return
        self.replace(change.applied(self.sessions, last_offset))
        session = self.sessions.get(change.broker_id)
        if session is not None and change.broker_id not in self.fencing:
            # A session that the change begins counts from the heartbeat that led to it, which may be long ago.
            self.check_ms = earliest(self.check_ms, session.end_ms(self._timeout_ms))

    def heard(self, broker_id: int, broker_epoch: int, now_ms: int) -> None:
        self.sessions = sessions_after_contact(self.sessions, broker_id, broker_epoch, now_ms)

    def heard_meanwhile(self, broker_id: int, contact: BrokerSession) -> None:
        """Note the last heartbeat that came while a change was decided: the change may have begun the session."""
        session = self.sessions.get(broker_id)
        # The change may have registered a new incarnation. A contact of the old one says nothing about it.
        if session is not None and session.broker_epoch == contact.broker_epoch:
            self.sessions = self.sessions.set(broker_id, with_later_contact(session, contact))

    def paused(self, pause_ms: int) -> None:
        """Extend all sessions by the time in which this node did not run."""
        self.sessions = sessions_after_pause(self.sessions, pause_ms)

    def take_silent(self, now_ms: int) -> list[int]:
        """Brokers whose session has ended. Each is returned once, until `fencing_ended` is called for it."""
        if self.check_ms is None or self.check_ms > now_ms:
            return []
        silent = [
            broker_id
            # In order of ids: a map has an order of its own in each process.
            for broker_id in sorted(self.sessions)
            if broker_id not in self.fencing and self.is_silent(broker_id, now_ms)
        ]
        # The fencing may take many slices. Without this set, each `TimePassed` meanwhile would add one
        # more.
        assert self.fencing.isdisjoint(silent), f"{silent} are being fenced already"
        self.fencing.update(silent)
        self.check_ms = self._first_end_ms()
        return silent

    def is_silent(self, broker_id: int, now_ms: int) -> bool:
        """Whether the broker's session has ended."""
        session = self.sessions.get(broker_id)
        return session is not None and not self.is_valid(session, now_ms)

    def is_valid(self, session: BrokerSession, now_ms: int) -> bool:
        """Whether a session has not ended."""
        return session.is_valid(now_ms, self._timeout_ms)

    def fencing_ended(self, broker_id: int) -> None:
        """Note that the fencing of a silent broker has ended, with or without success."""
        self.fencing.discard(broker_id)
        self.check_ms = self._first_end_ms()

    def wait_another_session(self, broker_id: int, now_ms: int) -> None:
        """Begin a broker's session anew, as if it had sent a heartbeat."""
        # For a fault of this server: to try again at once would fail again and again, and fill the
        # node's log.
        session = msgspec.structs.replace(self.sessions[broker_id], last_contact_ms=now_ms)
        self.sessions = self.sessions.set(broker_id, session)

    def _first_end_ms(self) -> int | None:
        """When the next session ends, apart from those of brokers that are being fenced."""
        ends = (
            session.end_ms(self._timeout_ms)
            for broker_id, session in self.sessions.items()
            if broker_id not in self.fencing
        )
        return min(ends, default=None)
