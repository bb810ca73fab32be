"""Whether a history of calls and responses could have come from one cluster that did one thing after the other.

The search is that of Wing and Gong, as Lowe improved it: take any remaining call that did not start after the response
of another remaining call; check that the model gives the response that was received; continue with the rest; never
visit the same set of done calls in the same state twice. Calls of different topics are independent, so each topic has
a history of its own.

A call whose response is unknown may have taken effect at any time after it was made, or never.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

State: TypeAlias = object
"""A state of the model; hashable."""


class Model(Protocol):
    """What one step does."""

    def apply(self, state: State, operation: object) -> tuple[State, object]:
        """The state after an operation, and the response to it."""


@dataclass(slots=True)
class Call:
    """One call, from the time when it was made until its response was received."""

    operation: object
    called_at: int
    answered_at: int | None = None
    """None while nothing is known; None for ever if no response came."""
    response: object = None


def is_linearizable(calls: list[Call], model: Model, initial: State) -> bool:
    """Whether an order exists in which every response is the model's."""
    calls = sorted(calls, key=lambda call: call.called_at)
    everything_known = sum(1 << index for index, call in enumerate(calls) if call.answered_at is not None)
    visited: set[tuple[int, State]] = set()
    pending: list[tuple[int, State]] = [(0, initial)]
    while pending:
        done, state = pending.pop()
        if done & everything_known == everything_known:
            return True
        if (done, state) in visited:
            continue
        visited.add((done, state))
        for index in _next(calls, done):
            call = calls[index]
            after, response = model.apply(state, call.operation)
            if call.answered_at is None or response == call.response:
                pending.append((done | 1 << index, after))
    return False


def _next(calls: list[Call], done: int) -> list[int]:
    """The calls that may come next: those that were not made after another remaining call got its response."""
    candidates = []
    earliest_response: int | None = None
    for index, call in enumerate(calls):
        if done >> index & 1:
            continue
        if earliest_response is not None and call.called_at > earliest_response:
            break
        candidates.append(index)
        if call.answered_at is not None and (
            earliest_response is None or call.answered_at < earliest_response
        ):
            earliest_response = call.answered_at
    return candidates
