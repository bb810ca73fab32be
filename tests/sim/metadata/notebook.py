"""Notes of administrators' requests, their responses, and the times of both: one history for each thing
they ask about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.sim.checkers.invariants import ViolationError
from tests.sim.metadata.checker import MetadataInvariant
from tests.sim.metadata.history import Call, Model, State, is_linearizable
from tests.sim.metadata.models import LOOK, Operation

if TYPE_CHECKING:
    from tests.sim.metadata.calls import Calls
    from tests.sim.metadata.node import Node
    from tests.sim.world import World

CALLS_PER_SUBJECT = 14
"""A history stays short, as the search through it does not."""
_UNKNOWN = (ErrorCode.NOT_CONTROLLER, ErrorCode.REQUEST_TIMED_OUT)

Request = tuple[Message, Callable[[Any], int]]
"""A request, and the part of its response that counts: an error code, or a number of things."""


def top_code(response: Any) -> int:
    """The error code of a response that has one for the whole request."""
    code: int = response.error_code
    return code


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One thing with a history of its own."""

    model: Model
    responses: frozenset[int]
    """The results that the model can give. Any other result is a refusal for a reason that has nothing to do with the
    subject.
    """
    look: Callable[[ClusterImage], object]
    """Its state in an image."""
    initial: State
    calls: list[Call] = field(default_factory=list)


class Notebook:
    """Sends requests, and keeps the histories."""

    def __init__(self, world: World, calls: Calls) -> None:
        self._world = world
        self._calls = calls
        self.subjects: dict[str, Subject] = {}

    @property
    def answered(self) -> int:
        """Number of calls that are known to be carried out."""
        histories = (subject.calls for subject in self.subjects.values())
        return sum(call.answered_at is not None for history in histories for call in history)

    def is_full(self, name: str) -> bool:
        """Whether no more may be asked about a subject."""
        return name in self.subjects and len(self.subjects[name].calls) >= CALLS_PER_SUBJECT

    def ask(self, target: Node, subject: Subject, operation: Operation, made: Request) -> None:
        """Ask a controller, and note what comes of it."""
        request, result = made
        call = Call(operation=operation, called_at=self._world.now)
        subject.calls.append(call)

        def heard(response: Message | None) -> None:
            code = None if response is None else result(response)
            if code is None or code in _UNKNOWN:
                return
            if code not in subject.responses:
                # It was not done: too few brokers, for example.
                subject.calls.remove(call)
                return
            call.answered_at, call.response = self._world.now, code

        self._calls.send(None, target, request, heard)

    def check(self, image: ClusterImage) -> None:
        """Raise ViolationError for responses or a state that no cluster could have given; ``image`` is the committed
        state now.
        """
        for name, subject in self.subjects.items():
            self._check(name, subject, MetadataInvariant.LINEARIZABLE)
        for name, subject in self.subjects.items():
            now = self._world.now
            end = Call(operation=LOOK, called_at=now, answered_at=now + 1, response=subject.look(image))
            subject.calls.append(end)
            self._check(name, subject, MetadataInvariant.ACKNOWLEDGED_STAYS)

    @staticmethod
    def _check(name: str, subject: Subject, invariant: MetadataInvariant) -> None:
        if not is_linearizable(subject.calls, subject.model, subject.initial):
            calls = "; ".join(
                f"{call.operation} at {call.called_at}: {call.response} at {call.answered_at}"
                for call in subject.calls
            )
            raise ViolationError(invariant, f"{name}: {calls}")
