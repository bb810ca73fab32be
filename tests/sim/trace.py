"""The events of a run, line by line: to be read, or to be compared by their digest."""

from __future__ import annotations

import hashlib
from collections import deque
from typing import TYPE_CHECKING

from kafkaproto_server.core.raft.describe.core import describe_effects, describe_event
from kafkaproto_server.core.raft.values.effects import Effects
from kafkaproto_server.core.raft.values.events import Event

if TYPE_CHECKING:
    from tests.sim.replica import Replica


class LineTrace:
    """Keeps the last lines, and a digest of all; every line begins with the time in milliseconds."""

    def __init__(self, keep: int) -> None:
        self.lines: deque[str] = deque(maxlen=keep)
        self._digest = hashlib.sha256()

    @property
    def digest(self) -> str:
        """Of all lines so far."""
        return self._digest.hexdigest()

    def event(self, replica: Replica, event: Event) -> None:
        """A core is about to handle an event."""
        self._add(replica.world.now, f"{replica.id} < {describe_event(event)}")

    def effects(self, replica: Replica, effects: Effects) -> None:
        """A core asks for this."""
        self._add(replica.world.now, f"{replica.id} > {describe_effects(effects)}")

    def note(self, text: str) -> None:
        """Something else happens."""
        self._add(None, f"* {text}")

    def _add(self, now: int | None, text: str) -> None:
        line = f"{'':>11} {text}" if now is None else f"{now / 1000:11.3f} {text}"
        self.lines.append(line)
        self._digest.update(line.encode())
