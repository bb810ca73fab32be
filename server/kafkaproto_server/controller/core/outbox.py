"""What the controller's core wants done, in the order in which the shell is to do it."""

from __future__ import annotations

from collections import deque

from kafkaproto.message import Message
from kafkaproto_server.controller.core.replies import ParkedReply
from kafkaproto_server.controller.values.command import ApiError
from kafkaproto_server.controller.values.effects import Effect, Refuse, Respond, UpgradeKRaftVersion
from kafkaproto_server.controller.values.events import CommandReceived

REFUSALS_A_TIME = 8
"""Commands that are refused at a time: the shell begins to make the response to each of them, which may take it a
millisecond."""


class Outbox:
    """Effects that were not handed out yet."""

    __slots__ = ("_asked_of_quorum", "_effects", "_refusals")

    def __init__(self) -> None:
        self._effects: list[Effect] = []
        self._refusals: deque[Refuse] = deque()
        self._asked_of_quorum: deque[UpgradeKRaftVersion] = deque()

    @property
    def has_refusals(self) -> bool:
        """Whether commands wait to be refused."""
        return bool(self._refusals)

    def add(self, *effects: Effect) -> None:
        """Hand these out after all before."""
        self._effects += effects

    def answer(self, command: CommandReceived, response: Message | ApiError) -> None:
        """Respond to a command, or refuse it."""
        if isinstance(response, ApiError):
            self.refuse(command, response)
        else:
            self._effects.append(Respond(command_id=command.command_id, response=response))

    def refuse(self, command: CommandReceived, error: ApiError, void: Message | None = None) -> None:
        """Refuse a command, soon; ``void`` is the response that it would have had."""
        self._refusals.append(
            Refuse(
                command_id=command.command_id,
                request=command.request,
                version=command.version,
                code=error.code,
                text=error.message,
                void=void,
            )
        )

    def refuse_parked(self, reply: ParkedReply, error: ApiError) -> None:
        """Refuse a command whose response waited for a commit."""
        void = None if isinstance(reply.response, ApiError) else reply.response
        self.refuse(reply.command, error, void)

    def ask_quorum(self, effect: UpgradeKRaftVersion) -> None:
        """Hand this out alone, once nothing else is left: see `take`."""
        self._asked_of_quorum.append(effect)

    def release_refusals(self) -> None:
        """Let the next refusals be handed out."""
        if self._refusals:
            for _ in range(min(REFUSALS_A_TIME, len(self._refusals))):
                self._effects.append(self._refusals.popleft())

    def take(self) -> list[Effect]:
        """The effects so far, each once.

        What the quorum is asked to do brings control records of its own. It is handed out alone, once nothing else is
        left: so they come behind all records that have been handed out, and before any that will be.
        """
        if not self._effects and self._asked_of_quorum:
            return [self._asked_of_quorum.popleft()]
        effects, self._effects = self._effects, []
        return effects
