"""What coordinators have of their node: see `core.coordinators.values.ComputingSurroundings`."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from kafkaproto_server.base.ports import Clock, Rng


class NodeSurroundings:
    """The node's clock, timers, randomness, and a thread."""

    def __init__(
        self,
        clock: Clock,
        rng: Rng,
        call_at: Callable[[int, Callable[[], None]], None],
        compute: Callable[[Callable[[], Any], Callable[[Any], None]], None],
    ) -> None:
        """``call_at`` may call too early."""
        self._clock = clock
        self._rng = rng
        self._call_at = call_at
        self._compute = compute

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

    def compute(self, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        """Do work that takes long in a thread, and call ``done`` with its result, in a later turn of the loop."""
        self._compute(work, done)
