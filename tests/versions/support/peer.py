"""A node of any release, without a socket: it reads requests in the versions that the release serves, and responds.

The server's half of the library stands in for it. A request of a version that is not served ends the connection, as it
does at a real node.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import trio

from kafkaproto.api import ApiKey, api_by_key
from kafkaproto.connection import IncomingRequest, ServerConnection, UnsupportedApiVersions
from kafkaproto.error_codes import ErrorCode
from kafkaproto.frame import NEED_DATA
from kafkaproto.message import Message
from kafkaproto.messages import ApiVersionsRequest, ApiVersionsResponse
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.shell.coordinators.broker_requests import OtherBrokers
from kafkaproto_server.shell.to_controller.channel import ControllerChannel
from tests.node.support.controllers import MiddleRng
from tests.versions.support.served import Served

TIMEOUT_MS = 1_000
ENDPOINT = Endpoint(name="NODE", host="127.0.0.1", port=9092)
BROKER_ID = 2
"""Of the node, if it is a broker."""

Respond = Callable[[Message], Message]


class ReleasePeer:
    """A node that serves what it is told, and notes what it was sent."""

    def __init__(self, served: Served, respond: Respond) -> None:
        self.served = served
        self._respond = respond
        self.seen: list[tuple[Message, int]] = []
        """Each request as it arrived, with its version; not those that begin a connection."""

    async def connect(self, host: str, port: int) -> Any:
        """See `Connect`: a stream to the node."""
        await trio.lowlevel.checkpoint()
        return _Stream(self)

    def socket(self, *address: Any) -> Any:
        """In place of `socket.create_connection`."""
        return _Socket(self)

    def channel(self) -> ControllerChannel:
        """A broker's way to the node as the active controller."""
        return ControllerChannel(
            client_id="1", locate=lambda: ENDPOINT, news=trio.Event, rng=MiddleRng(), connect=self.connect
        )

    def others(self) -> OtherBrokers:
        """A broker's way to the node as another broker."""
        return OtherBrokers(
            broker_id=1,
            endpoint=lambda broker_id: ENDPOINT,
            rng=MiddleRng(),
            connect=self.connect,
            timeout_ms=lambda: TIMEOUT_MS,
        )

    def response(self, request: IncomingRequest | UnsupportedApiVersions) -> bytes:
        """The encoded response to a request."""
        keys = [
            ApiVersionsResponse.ApiVersion(api_key=key, min_version=low, max_version=high)
            for key, (low, high) in self.served.items()
        ]
        if isinstance(request, UnsupportedApiVersions):
            own = [each for each in keys if each.api_key == ApiKey.API_VERSIONS]
            return ApiVersionsResponse(error_code=ErrorCode.UNSUPPORTED_VERSION, api_keys=own).encode(0)
        api = api_by_key(request.api_key)
        assert api is not None
        message, _ = api.request_class.decode(request.frame, request.api_version, request.body_offset)
        if isinstance(message, ApiVersionsRequest):
            features = [
                ApiVersionsResponse.SupportedFeatureKey(name="kraft.version", min_version=0, max_version=1)
            ]
            self.seen.append((message, request.api_version))
            return ApiVersionsResponse(api_keys=keys, supported_features=features).encode(request.api_version)
        self.seen.append((message, request.api_version))
        return self._respond(message).encode(request.api_version)


class _Exchange:
    """One connection to the node: bytes in, bytes out."""

    def __init__(self, peer: ReleasePeer) -> None:
        self._peer = peer
        self._connection = ServerConnection(peer.served.get, max_request_size=1 << 20)
        self._outgoing = bytearray()

    def send(self, data: Any) -> None:
        """Take bytes of the client's. Raises RemoteProtocolError if the node would end the connection."""
        self._connection.receive(bytes(data))
        while (event := self._connection.next_event()) is not NEED_DATA:
            response = self._peer.response(event)
            for part in self._connection.send_response(event.correlation_id, [response]):
                self._outgoing += bytes(part)

    def take(self) -> bytes:
        """What the node has sent since the last call."""
        data, self._outgoing = bytes(self._outgoing), bytearray()
        return data


class _Stream:
    """See `OutboundStream`."""

    remote_host = "127.0.0.1"

    def __init__(self, peer: ReleasePeer) -> None:
        self._exchange = _Exchange(peer)

    async def send_all(self, data: Any) -> None:
        await trio.lowlevel.checkpoint()
        self._exchange.send(data)

    async def receive_some(self, max_bytes: int) -> bytes:
        await trio.lowlevel.checkpoint()
        return self._exchange.take()

    def has_input(self) -> bool:
        return False

    def close(self) -> None: ...


class _Socket(socket.socket):
    """A connected socket, as `kafkaproto.client` uses it."""

    def __init__(self, peer: ReleasePeer) -> None:
        super().__init__()
        self._exchange = _Exchange(peer)

    def sendall(self, data: Any, flags: int = 0) -> None:
        self._exchange.send(data)

    def recv(self, size: int, flags: int = 0) -> bytes:
        return self._exchange.take()
