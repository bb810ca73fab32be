"""The state that administrators should see: one small model for topics, and one for everything that is
set and removed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from tests.sim.metadata.history import State


@dataclass(frozen=True, slots=True)
class Operation:
    """What is asked of one topic, or of one setting."""

    kind: str
    argument: int = 0


LOOK = Operation("look")
"""The response is the whole state."""

TopicState: TypeAlias = tuple[int, int] | None
"""(partitions, value of the config); None if there is no such topic."""


class TopicModel:
    """One topic name, as clients see it."""

    def apply(self, state: State, operation: object) -> tuple[State, object]:
        """The state after an operation, and its error code."""
        assert isinstance(operation, Operation)
        assert state is None or isinstance(state, tuple)
        return (state, state) if operation == LOOK else self._step(state, operation)

    @staticmethod
    def _step(state: TopicState, operation: Operation) -> tuple[TopicState, int]:
        match operation.kind:
            case "create":
                return (state, 36) if state is not None else ((operation.argument, 0), 0)
            case "exists":
                return state, 36 if state is not None else 0
            case _ if state is None:
                return state, 3
            case "delete":
                return None, 0
            case "set":
                return (state[0], operation.argument), 0
            case "grow":
                grows = operation.argument > state[0]
                return ((operation.argument, state[1]), 0) if grows else (state, 37)
            case _:
                raise AssertionError(operation.kind)


@dataclass(frozen=True, slots=True)
class SettingModel:
    """Something that has a number while it is there, and 0 while it is not."""

    present: int
    """The response to using or removing something that exists."""
    absent: int
    """The response if there is nothing to use or to remove."""

    def apply(self, state: State, operation: object) -> tuple[State, object]:
        """The state after an operation, and its response."""
        assert isinstance(operation, Operation)
        match operation.kind:
            case "set":
                return operation.argument, 0
            case "remove":
                return 0, self.present if state else self.absent
            case "use":
                return state, self.present if state else self.absent
            case "look":
                return state, state
            case _:
                raise AssertionError(operation.kind)
