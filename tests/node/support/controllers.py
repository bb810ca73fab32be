"""Controllers that do as a test tells them: one behind a real socket, and a channel without any."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

import trio

from kafkaproto.api import ApiKey, api_by_key
from kafkaproto.connection import IncomingRequest
from kafkaproto.message import Message
from kafkaproto.messages import ApiVersionsResponse
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.shell.net.connections import CloseConnection, ConnectionInfo, Request
from kafkaproto_server.shell.to_controller.channel import ControllerChannel

SERVED = {18: (0, 4), 58: (0, 0), 62: (0, 4), 63: (0, 2)}
"""What a `ScriptedController` serves."""

Response = Callable[[Message], Awaitable[Message | None]]


class MiddleRng:
    """Always the middle of what could be drawn."""

    def below(self, limit: int) -> int:
        return limit // 2

    def uuid(self) -> bytes:
        return bytes(16)


class ScriptedController:
    """A `Serve` function: answers ApiVersions itself and the rest as ``answer`` says, None closes the connection."""

    def __init__(self, response: Response) -> None:
        self._answer = response
        self.asked: list[Message] = []
        self.client_ids: set[str | None] = set()
        self.connection_ids: list[int] = []
        """Of each request, the connection it came on."""

    async def __call__(self, request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
        assert isinstance(request, IncomingRequest)
        self.client_ids.add(request.client_id)
        if request.api_key == ApiKey.API_VERSIONS:
            keys = [
                ApiVersionsResponse.ApiVersion(api_key=key, min_version=low, max_version=high)
                for key, (low, high) in SERVED.items()
            ]
            return [ApiVersionsResponse(api_keys=keys).encode(request.api_version)]
        api = api_by_key(request.api_key)
        assert api is not None
        message, _ = api.request_class.decode(request.frame, request.api_version, request.body_offset)
        self.asked.append(message)
        self.connection_ids.append(connection.connection_id)
        response = await self._answer(message)
        if response is None:
            raise CloseConnection("the script says so")
        return [response.encode(request.api_version)]


class ScriptedChannel(ControllerChannel):
    """A channel whose answers a test gives, one function call per request, without a connection. ``asked_ms`` is when
    each request came, on Trio's clock."""

    def __init__(self, response: Callable[[Message], Awaitable[Message]]) -> None:
        super().__init__(client_id="1", locate=_nowhere, news=trio.Event, rng=MiddleRng())
        self._answer = response
        self.asked: list[Message] = []
        self.asked_ms: list[int] = []
        self.timeouts_ms: list[int] = []
        self.versions: Mapping[int, tuple[int, int]] | None = None

    @property
    def served_versions(self) -> Mapping[int, tuple[int, int]] | None:
        return self.versions

    async def send(self, request: Message, *, timeout_ms: int) -> Message:
        self.asked.append(request)
        self.asked_ms.append(TrioClock().now_ms())
        self.timeouts_ms.append(timeout_ms)
        await trio.lowlevel.checkpoint()
        return await self._answer(request)


def in_order(*responses: Message | Exception) -> Callable[[Message], Awaitable[Message]]:
    """Gives each request the next response, or raises the next error. With none left, a request waits for ever."""
    left = list(responses)

    async def respond(request: Message) -> Message:
        if not left:
            await trio.sleep_forever()
        response = left.pop(0)
        if isinstance(response, Exception):
            raise response
        return response

    return respond


def _nowhere() -> Endpoint | None:
    return None


class TrioClock:
    """``ports.Clock`` that goes with the clock of the running loop, be it real or not."""

    def now_ms(self) -> int:
        # Only milliseconds that are over count, as in a real clock. The rest is for inexact sums.
        return int(trio.current_time() * 1000 + 1e-6)

    def wall_ms(self) -> int:
        raise AssertionError("nothing here writes down the time")
