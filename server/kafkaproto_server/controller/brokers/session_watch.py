"""Which brokers the active controller has not heard of for a session."""

from __future__ import annotations

import msgspec
from immutables import Map

from kafkaproto_server.controller.values.sessions import (
    BrokerSession,
    SessionChange,
    sessions_after_contact,
    sessions_after_pause,
    with_later_contact,
)
from kafkaproto_server.types import earliest


class SessionWatch:
    """The sessions, and when the next one ends; a standby has none."""

    def __init__(self, timeout_ms: int) -> None:
        self._timeout_ms = timeout_ms
        self.sessions: Map[int, BrokerSession] = Map()
        """By broker id; to be changed by the methods here only."""
        self.check_ms: int | None = None
        """No session ends before this; None if there is none."""
        self.fencing: set[int] = set()
        """Brokers whose silence is being dealt with."""

    def replace(self, sessions: Map[int, BrokerSession]) -> None:
        """From now on, these are the sessions."""
        self.sessions = sessions
        if not sessions:
            self.check_ms = None
        elif self.check_ms is None:
            self.check_ms = self._first_end_ms()
        # Else the time stands: contacts only put ends off.

    def apply(self, change: SessionChange | None, last_offset: int) -> None:
        """Make a change, if there is one, whose last record has this offset."""
        if change is None:
            return
        self.replace(change.applied(self.sessions, last_offset))
        session = self.sessions.get(change.broker_id)
        if session is not None and change.broker_id not in self.fencing:
            # One that the change begins counts from the heartbeat that led to it, which may be long ago.
            self.check_ms = earliest(self.check_ms, session.end_ms(self._timeout_ms))

    def heard(self, broker_id: int, broker_epoch: int, now_ms: int) -> None:
        """Note a sign of life."""
        self.sessions = sessions_after_contact(self.sessions, broker_id, broker_epoch, now_ms)

    def heard_meanwhile(self, broker_id: int, contact: BrokerSession) -> None:
        """Note the last sign of life that came while a change was worked on: the change may have begun the session."""
        session = self.sessions.get(broker_id)
        if session is not None and session.broker_epoch == contact.broker_epoch:
            self.sessions = self.sessions.set(broker_id, with_later_contact(session, contact))

    def paused(self, pause_ms: int) -> None:
        """Give back time in which this node did not run."""
        self.sessions = sessions_after_pause(self.sessions, pause_ms)

    def take_silent(self, now_ms: int) -> list[int]:
        """Brokers whose session has ended, each once until `fencing_ended`."""
        if self.check_ms is None or self.check_ms > now_ms:
            return []
        silent = [
            broker_id
            for broker_id in sorted(self.sessions)
            if broker_id not in self.fencing and self.is_silent(broker_id, now_ms)
        ]
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
        """The broker's silence was dealt with."""
        self.fencing.discard(broker_id)
        self.check_ms = self._first_end_ms()

    def wait_another_session(self, broker_id: int, now_ms: int) -> None:
        """Begin a broker's session anew, as if it had been heard of."""
        session = msgspec.structs.replace(self.sessions[broker_id], last_contact_ms=now_ms)
        self.sessions = self.sessions.set(broker_id, session)

    def _first_end_ms(self) -> int | None:
        """When the next session ends, besides those whose end is being dealt with."""
        ends = (
            session.end_ms(self._timeout_ms)
            for broker_id, session in self.sessions.items()
            if broker_id not in self.fencing
        )
        return min(ends, default=None)
