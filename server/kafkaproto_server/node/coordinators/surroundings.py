"""What coordinators know of time and chance on this broker: see `coordinator.values.Surroundings`."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from kafkaproto_server.ports import Clock, Rng


class NodeSurroundings:
    """The node's clock, timers and randomness."""

    def __init__(self, clock: Clock, rng: Rng, call_at: Callable[[int, Callable[[], None]], None]) -> None:
        self._clock = clock
        self._rng = rng
        self.call_at = call_at

    def now_ms(self) -> int:
        """The monotonic time."""
        return self._clock.now_ms()

    def wall_ms(self) -> int:
        """The wall time."""
        return self._clock.wall_ms()

    def new_id(self) -> str:
        """A random UUID, as Java writes it."""
        return str(uuid.UUID(bytes=self._rng.uuid()))
