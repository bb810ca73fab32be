"""Detects that this process did not run for a while: the process or its machine was stopped, or something blocked its
loop.

Messages from other nodes wait in sockets during such a pause. Code that measures the silence of other nodes has to know
of the pause before it checks the time. Otherwise it would take this node's own pause for their silence.
"""

from __future__ import annotations

from kafkaproto_server.base.ports import Clock

LOOK_INTERVAL_MS = 250
"""The longest time between two readings of the clock if the process runs as it should."""

NOTICEABLE_MS = 500
"""A shorter pause does not matter: sessions last seconds."""


class PauseWatch:
    """Reads the monotonic clock so often that a gap between two readings means a pause."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._looked_at_ms = clock.now_ms()

    @property
    def next_look_ms(self) -> int:
        """The latest time at which `look` has to be called again."""
        # Half of what is noticeable, so that a wait that is a little late does not look like a
        # pause.
        return self._looked_at_ms + LOOK_INTERVAL_MS

    def look(self) -> int:
        """The minimum time for which the process has not run since the last call; 0 if it is too short to matter."""
        now_ms = self._clock.now_ms()
        # The part of the gap that cannot be explained by waiting: sessions get no more than that.
        pause_ms = now_ms - self.next_look_ms
        # From here anew: a pause is told of once.
        self._looked_at_ms = now_ms
        return pause_ms if pause_ms >= NOTICEABLE_MS else 0
