"""Collects the effects of the controller core, in the order in which the shell has to apply them.

Ours alone. Apache Kafka's controllers complete futures and call the Raft client as they go.
"""

from __future__ import annotations

from collections import deque

from kafkaproto.message import Message
from kafkaproto_server.core.controller.machine.parked_responses import ParkedResponse
from kafkaproto_server.core.controller.values.command import ApiError
from kafkaproto_server.core.controller.values.effects import Effect, Refuse, Respond, UpgradeKRaftVersion
from kafkaproto_server.core.controller.values.events import CommandReceived

REFUSALS_A_TIME = 8
"""How many commands are refused at a time. The shell begins to make the response to each of them, which may take a
millisecond."""


class ControllerOutbox:
    """Effects that were not given out yet."""

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
        """Add effects behind all others."""
        self._effects += effects

    def respond(self, command: CommandReceived, response: Message | ApiError) -> None:
        """Respond to a command, or refuse it."""
        if isinstance(response, ApiError):
            self.refuse(command, response)
        else:
            self._effects.append(Respond(command_id=command.command_id, response=response))

    def refuse(self, command: CommandReceived, error: ApiError, void: Message | None = None) -> None:
        """Refuse a command as soon as its turn comes; ``void`` is the response that it would have had."""
        # Behind others: a lost leadership refuses all that waits at one moment, and each response may be as large as
        # its request.
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

    def refuse_parked(self, result: ParkedResponse, error: ApiError) -> None:
        """Refuse a command whose response waited for a commit."""
        void = None if isinstance(result.response, ApiError) else result.response
        self.refuse(result.command, error, void)

    def ask_quorum(self, effect: UpgradeKRaftVersion) -> None:
        """Add an effect that is given out alone, once nothing else is left: see `take`."""
        # Not among the other effects: the control records would get offsets that this controller
        # has given to records behind it.
        self._asked_of_quorum.append(effect)

    def release_refusals(self) -> None:
        """Move the next `REFUSALS_A_TIME` refusals to the effects."""
        if self._refusals:
            # In order: what has waited for longest is refused first.
            for _ in range(min(REFUSALS_A_TIME, len(self._refusals))):
                self._effects.append(self._refusals.popleft())

    def take(self) -> list[Effect]:
        """The effects so far, each given out once.

        An upgrade of kraft.version makes the quorum append control records. It is given out alone, once nothing else is
        left: so these records come behind all records that were given out before, and before all later ones.
        """
        if not self._effects and self._asked_of_quorum:
            return [self._asked_of_quorum.popleft()]
        effects, self._effects = self._effects, []
        return effects
