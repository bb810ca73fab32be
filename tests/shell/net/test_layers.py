"""A layer between the socket and Kafka's protocol, as TLS is one: here, a stream that inverts every byte.

Tests: `shell.net.streams`.
"""

from __future__ import annotations

import pytest
import trio

from kafkaproto.connection import IncomingRequest
from kafkaproto.messages import ApiVersionsResponse, DescribeClusterRequest, DescribeClusterResponse
from kafkaproto_server.base.backoff import Backoff
from kafkaproto_server.base.file_part import Sendable, as_buffers
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.shell.net.connections import ConnectionInfo, Request
from kafkaproto_server.shell.net.network import Incoming
from kafkaproto_server.shell.net.passes import WaitTurn
from kafkaproto_server.shell.net.peers import DisconnectCause, PeerChannel, PeerDisconnected
from kafkaproto_server.shell.net.streams import SocketBytes, connect_tcp
from tests.shell.net.support.connections import SERVED, listening
from tests.shell.storage.support.helpers import FixedRng

pytestmark = pytest.mark.trio

TIMEOUT_MS = 5_000
BROKERS = [DescribeClusterResponse.DescribeClusterBroker(host="x" * 30_000) for _ in range(200)]
_INVERTED = bytes(0xFF - each for each in range(0x100))


class InvertedStream:
    """A stream whose bytes are inverted on the socket."""

    def __init__(self, below: SocketBytes) -> None:
        self._below = below
        self.remote_host = below.remote_host

    def send_now(self, data: Sendable) -> int:
        return self._below.send_now(_inverted(data))

    async def send_some(self, data: Sendable) -> int:
        return await self._below.send_some(_inverted(data))

    async def send_all(self, data: Buffer) -> None:
        await self._below.send_all(_inverted(data))

    async def wait_readable(self) -> None:
        await self._below.wait_readable()

    def receive_now(self, max_bytes: int) -> bytes | None:
        data = self._below.receive_now(max_bytes)
        return None if data is None else data.translate(_INVERTED)

    async def receive_some(self, max_bytes: int) -> bytes:
        return (await self._below.receive_some(max_bytes)).translate(_INVERTED)

    def has_input(self) -> bool:
        return self._below.has_input()

    def ends_within(self, size_bytes: int) -> bool:
        return self._below.ends_within(size_bytes)

    def close(self) -> None:
        self._below.close()


def _inverted(data: Sendable) -> bytes:
    (buffer,) = as_buffers([data])
    return bytes(buffer).translate(_INVERTED)


def inverted(incoming: Incoming, wait_turn: WaitTurn) -> InvertedStream:
    stream = incoming.stream(wait_turn)
    assert isinstance(stream, SocketBytes)
    return InvertedStream(stream)


async def connect_inverted(host: str, port: int) -> InvertedStream:
    return InvertedStream(await connect_tcp(host, port))


async def serve_names(request: Request, connection: ConnectionInfo) -> list[Buffer]:
    """ApiVersions, and a DescribeCluster of more bytes than a socket takes at once."""
    await trio.lowlevel.checkpoint()
    assert isinstance(request, IncomingRequest)
    if request.api_key == DescribeClusterRequest.API_KEY:
        return [DescribeClusterResponse(brokers=BROKERS).encode(request.api_version)]
    keys = [
        ApiVersionsResponse.ApiVersion(api_key=key, min_version=low, max_version=high)
        for key, (low, high) in SERVED.items()
    ]
    return [ApiVersionsResponse(api_keys=keys).encode(request.api_version)]


async def test_listeners_and_channels_speak_through_it() -> None:
    async with listening(serve_names, make_stream=inverted) as (_, port):
        peer = PeerChannel(
            "127.0.0.1", port, client_id="7", backoff=None, rng=FixedRng(0.5), connect=connect_inverted
        )
        for _ in range(2):
            response = await peer.send(DescribeClusterRequest(), timeout_ms=TIMEOUT_MS)
            assert isinstance(response, DescribeClusterResponse)
            assert response.brokers == BROKERS
        assert peer.remote_host == "127.0.0.1"
        peer.close()


async def test_without_it_the_other_end_is_not_understood() -> None:
    async with listening(serve_names, make_stream=inverted) as (_, port):
        peer = PeerChannel(
            "127.0.0.1", port, client_id="7", backoff=Backoff(first_ms=1, longest_ms=1), rng=FixedRng(0.5)
        )
        with pytest.raises(PeerDisconnected) as caught:
            await peer.send(DescribeClusterRequest(), timeout_ms=TIMEOUT_MS)
        assert caught.value.cause in (DisconnectCause.CLOSED, DisconnectCause.RESET)
