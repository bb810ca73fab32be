"""Notices that this process did not run for a while: it was stopped, its machine was, or something held up its loop.

What others sent meanwhile waits in sockets. Whoever measures others' silence has to know of the pause before looking at
the time, or takes for silence what is its own deafness.
"""

from __future__ import annotations

from kafkaproto_server.ports import Clock

LOOK_INTERVAL_MS = 250
"""Between two looks at the clock, at most, where the process runs as it should."""

NOTICEABLE_MS = 500
"""A shorter pause is no matter: sessions are seconds long."""


class PauseWatch:
    """Looks at the monotonic clock, so often that a gap between two looks means something."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._looked_at_ms = clock.now_ms()

    @property
    def next_look_ms(self) -> int:
        """When `look` is to be called again, at the latest."""
        return self._looked_at_ms + LOOK_INTERVAL_MS

    def look(self) -> int:
        """How long the process has not run since the last look, at least; 0 for no time that matters."""
        now_ms = self._clock.now_ms()
        pause_ms = now_ms - self.next_look_ms
        self._looked_at_ms = now_ms
        return pause_ms if pause_ms >= NOTICEABLE_MS else 0
