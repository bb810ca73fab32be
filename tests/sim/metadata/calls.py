"""Requests to controllers and their responses, over the simulated network."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

from kafkaproto.message import Message
from kafkaproto_server.base.later import Deferred, Steps, run_to_end
from kafkaproto_server.requests.context import Response
from kafkaproto_server.requests.error_codes import error_codes

if TYPE_CHECKING:
    from tests.sim.metadata.node import Node
    from tests.sim.metadata.records import Asked
    from tests.sim.world import World

TIMEOUT_US = 2_000_000

Heard = Callable[[Message | None], None]
"""Gets the response, or None if none came in time or the connection broke: then it is unknown whether the request was
done.
"""


class _Call:
    """One request, until its sender knows the result."""

    __slots__ = ("heard", "is_over", "life", "request", "source", "target")

    def __init__(self, source: Node | None, target: Node, request: Message, heard: Heard) -> None:
        self.source = source
        self.target = target
        self.life = target.life
        self.request = request
        self.heard = heard
        self.is_over = False


class Calls:
    """Carries requests to controllers. A source of None means a client, whose links never fail."""

    def __init__(self, world: World, asked: Asked) -> None:
        self._world = world
        self._asked = asked
        self.done: set[int | None] = set()
        """Api keys of requests that were carried out without any error."""

    def send(self, source: Node | None, target: Node, request: Message, heard: Heard) -> None:
        """Have a controller carry out a request."""
        self._asked.note(request)
        call = _Call(source, target, request, heard)
        self._world.after(TIMEOUT_US, self._end, (call, None))
        if target.is_up and self._passes(source, target):
            self._world.after(self._world.network.delay_us(), self._arrive, call)

    def _passes(self, source: Node | None, target: Node | None) -> bool:
        if source is None or target is None:
            return True
        return not self._world.network.is_lost(source.id, target.id)

    def _arrive(self, call: _Call) -> None:
        target = call.target
        if not target.is_up or target.life != call.life:
            self._end((call, None))
            return
        if target.is_paused:
            target.inbox.append((self._arrive, call))
            return
        reply: Deferred[Response] = Deferred()
        reply.on_done(lambda response: self._answered(call, response))
        target.command(call.request, reply)

    def _answered(self, call: _Call, reply: Response | Steps[Response]) -> None:
        response = run_to_end(reply) if isinstance(reply, Generator) else reply
        assert isinstance(response, Message), f"{call.request.NAME} has no answer: {response}"
        if not any(error_codes(response)):
            self.done.add(call.request.API_KEY)
        if self._passes(call.target, call.source):
            self._world.after(self._world.network.delay_us(), self._end, (call, response))

    @staticmethod
    def _end(ended: tuple[_Call, Message | None]) -> None:
        call, response = ended
        if not call.is_over:
            call.is_over = True
            call.heard(response)
