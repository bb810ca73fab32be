"""What coordinators know of time and chance on this broker: see `core.coordinators.values.Surroundings`."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from kafkaproto_server.base.ports import Clock, Rng


class NodeSurroundings:
    """The node's clock, timers and randomness."""

    def __init__(self, clock: Clock, rng: Rng, call_at: Callable[[int, Callable[[], None]], None]) -> None:
        """``call_at`` may call too early."""
        self._clock = clock
        self._rng = rng
        self._call_at = call_at

    def now_ms(self) -> int:
        return self._clock.now_ms()

    def wall_ms(self) -> int:
        return self._clock.wall_ms()

    def call_at(self, at_ms: int, call: Callable[[], None]) -> None:
        """Call ``call`` at a moment of the monotonic time."""

        def due() -> None:
            if self._clock.now_ms() < at_ms:
                self._call_at(at_ms, due)
            else:
                call()

        self._call_at(at_ms, due)

    def new_id(self) -> str:
        """A random UUID, as Java writes it."""
        return str(uuid.UUID(bytes=self._rng.uuid()))
