"""Channels to other nodes on real loopback sockets: versions, one at a time, every way of losing the other
end."""

from __future__ import annotations

import itertools
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from compat.ports import free_port
from kafkaproto.connection import UnsupportedApiVersions
from kafkaproto.errors import UnsupportedVersionError
from kafkaproto.messages import (
    ApiVersionsResponse,
    DescribeClusterRequest,
    DescribeClusterResponse,
    FetchSnapshotRequest,
    VoteRequest,
)
from kafkaproto_server.base.backoff import Backoff
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.shell.net.connections import CloseConnection, ConnectionInfo, Request
from kafkaproto_server.shell.net.peers import (
    DisconnectCause,
    PeerChannel,
    PeerDisconnected,
    PeerTimeout,
)
from tests.shell.net.support.connections import SERVED, listening, wait_until

pytestmark = pytest.mark.trio

TIMEOUT_MS = 5_000


class MiddleRng:
    """Always the middle of what could be drawn."""

    def below(self, limit: int) -> int:
        return limit // 2

    def uuid(self) -> bytes:
        return bytes(16)


class Node:
    """Answers ApiVersions, and DescribeCluster by naming the connection it came on."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []
        self.before_answering: Callable[[], Awaitable[None]] = trio.lowlevel.checkpoint

    async def __call__(self, request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
        if isinstance(request, UnsupportedApiVersions):
            return [bytes.fromhex("0023 00000001 0012 0000 0002")]
        self.asked.append((request.api_key, request.api_version))
        assert request.client_id == "7"
        if request.api_key == 18:
            return [versions_served().encode(request.api_version)]
        await self.before_answering()
        response = DescribeClusterResponse(cluster_id=f"connection {connection.connection_id}")
        return [response.encode(request.api_version)]


def versions_served() -> ApiVersionsResponse:
    return ApiVersionsResponse(
        api_keys=[
            ApiVersionsResponse.ApiVersion(api_key=key, min_version=low, max_version=high)
            for key, (low, high) in SERVED.items()
        ]
    )


def channel(port: int, **changes: object) -> PeerChannel:
    options = {
        "client_id": "7",
        "backoff": Backoff(first_ms=1, longest_ms=4),
        "rng": MiddleRng(),
        **changes,
    }
    return PeerChannel("127.0.0.1", port, **options)  # type: ignore[arg-type]


async def describe(peer: PeerChannel, *, timeout_ms: int = TIMEOUT_MS) -> str:
    response = await peer.send(DescribeClusterRequest(), timeout_ms=timeout_ms)
    assert isinstance(response, DescribeClusterResponse)
    return response.cluster_id


@asynccontextmanager
async def tcp_server(handle: Callable[[trio.SocketStream], Awaitable[None]]) -> AsyncIterator[int]:
    """A server that does to each connection what ``handle`` does, then closes it."""

    async def run(stream: trio.SocketStream) -> None:
        async with stream:
            await handle(stream)

    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, run, [listener])
        yield listener.socket.getsockname()[1]
        nursery.cancel_scope.cancel()


async def test_requests_share_one_connection_and_go_out_at_the_highest_common_version() -> None:
    node = Node()
    async with listening(node) as (_, port):
        peer = channel(port)
        assert peer.served_versions is None
        assert await describe(peer) == "connection 1"
        assert peer.served_versions == SERVED
        assert await describe(peer) == "connection 1"
        await peer.send(DescribeClusterRequest(), 0, timeout_ms=TIMEOUT_MS)
        peer.close()
    assert node.asked == [(18, 4), (60, 1), (60, 1), (60, 0)]


async def test_a_request_without_a_common_version_leaves_the_connection_usable() -> None:
    async with listening(Node()) as (listener, port):
        peer = channel(port)
        with pytest.raises(UnsupportedVersionError, match="FetchSnapshotRequest"):
            await peer.send(FetchSnapshotRequest(), timeout_ms=TIMEOUT_MS)
        with pytest.raises(UnsupportedVersionError, match="version 9"):
            await peer.send(VoteRequest(), 9, timeout_ms=TIMEOUT_MS)
        assert await describe(peer) == "connection 1"
        assert listener.statistics().accepted_connections == 1
        peer.close()


async def test_one_request_is_in_flight_at_a_time_and_others_wait_in_order() -> None:
    node = Node()
    answered: list[int] = []
    in_flight = most_in_flight = 0

    async def count() -> None:
        nonlocal in_flight, most_in_flight
        in_flight += 1
        most_in_flight = max(most_in_flight, in_flight)
        await trio.sleep(0.002)
        in_flight -= 1

    async def ask(peer: PeerChannel, number: int) -> None:
        await describe(peer)
        answered.append(number)

    node.before_answering = count
    async with listening(node) as (listener, port):
        peer = channel(port)
        async with trio.open_nursery() as nursery:
            for number in range(5):
                nursery.start_soon(ask, peer, number)
                await wait_all_tasks_blocked()
        peer.close()
        assert listener.statistics().accepted_connections == 1
    assert answered == [0, 1, 2, 3, 4]
    assert most_in_flight == 1


async def test_a_lost_connection_is_reported_and_the_next_request_connects_again() -> None:
    async def refuse(request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
        if request.api_key == 60 and connection.connection_id == 1:  # type: ignore[union-attr]
            raise CloseConnection("not this time")
        return await node(request, connection)

    node = Node()
    async with listening(refuse) as (_, port):
        peer = channel(port)
        with pytest.raises(PeerDisconnected) as caught:
            await describe(peer)
        assert caught.value.cause is DisconnectCause.CLOSED
        assert (caught.value.host, caught.value.port) == ("127.0.0.1", port)
        assert str(caught.value) == f"127.0.0.1:{port} closed: it closed the connection"
        assert await describe(peer) == "connection 2"
        peer.close()


async def test_nobody_listening_is_refused() -> None:
    port = free_port()
    with pytest.raises(PeerDisconnected, match="Connection refused") as caught:
        await describe(channel(port))
    assert caught.value.cause is DisconnectCause.REFUSED


async def test_a_name_that_does_not_resolve_is_unreachable() -> None:
    peer = PeerChannel(
        "no.such.host.invalid",
        9093,
        client_id="7",
        backoff=Backoff(first_ms=1, longest_ms=1),
        rng=MiddleRng(),
    )
    with pytest.raises(PeerDisconnected, match=r"^no\.such\.host\.invalid:9093 unreachable: ") as caught:
        await describe(peer)
    assert caught.value.cause is DisconnectCause.UNREACHABLE


@pytest.mark.parametrize("host", [".", "a..b", "x" * 64, "\u200d"])
async def test_what_is_no_name_at_all_is_unreachable(host: str) -> None:
    backoff = Backoff(first_ms=1, longest_ms=1)
    peer = PeerChannel(host, 9093, client_id="7", backoff=backoff, rng=MiddleRng())
    with pytest.raises(PeerDisconnected, match=":9093 unreachable: ") as caught:
        await describe(peer)
    assert caught.value.cause is DisconnectCause.UNREACHABLE


async def test_a_host_that_takes_no_connection_is_unreachable_after_the_connect_timeout() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        # The first connection fills the backlog; the kernel drops what is beyond it.
        with socket.create_connection(listener.getsockname()):
            peer = channel(listener.getsockname()[1], connect_timeout_ms=20)
            with pytest.raises(PeerDisconnected, match="no connection within 20 ms") as caught:
                await describe(peer)
            assert caught.value.cause is DisconnectCause.UNREACHABLE


async def test_a_reset_is_told_from_a_close() -> None:
    async def reset(stream: trio.SocketStream) -> None:
        await stream.receive_some(1)
        stream.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    async with tcp_server(reset) as port:
        with pytest.raises(PeerDisconnected) as caught:
            await describe(channel(port))
        assert caught.value.cause is DisconnectCause.RESET


async def test_a_response_that_is_not_kafkas_protocol_is_a_bad_response() -> None:
    async def speak_http(stream: trio.SocketStream) -> None:
        await stream.receive_some()
        await stream.send_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await trio.sleep_forever()

    async with tcp_server(speak_http) as port:
        with pytest.raises(PeerDisconnected, match="is announced") as caught:
            await describe(channel(port))
        assert caught.value.cause is DisconnectCause.BAD_RESPONSE


async def test_an_older_node_is_asked_for_its_versions_again() -> None:
    node = Node()
    async with listening(node, served_versions={**SERVED, 18: (0, 2)}.get) as (_, port):
        peer = channel(port)
        assert await describe(peer) == "connection 1"
        peer.close()
    assert node.asked[0] == (18, 2)


async def test_a_late_response_is_a_timeout_and_is_not_taken_for_the_next_one() -> None:
    node = Node()
    node.before_answering = trio.sleep_forever
    async with listening(node) as (_, port):
        peer = channel(port)
        with pytest.raises(PeerTimeout) as caught:
            await describe(peer, timeout_ms=30)
        assert str(caught.value) == f"127.0.0.1:{port} did not answer DescribeClusterRequest within 30 ms"
        node.before_answering = trio.lowlevel.checkpoint
        assert await describe(peer) == "connection 2"
        peer.close()


async def test_the_time_waited_for_an_earlier_request_counts() -> None:
    node = Node()
    node.before_answering = trio.sleep_forever
    async with listening(node) as (listener, port):
        peer = channel(port)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(describe, peer)
            await wait_all_tasks_blocked(0.01)
            with pytest.raises(PeerTimeout):
                await describe(peer, timeout_ms=10)
            # The earlier one is not disturbed.
            assert listener.statistics().open_connections == 1
            nursery.cancel_scope.cancel()
        peer.close()


async def test_a_cancelled_request_gives_its_connection_up() -> None:
    node, asked = Node(), trio.Event()

    async def hang() -> None:
        asked.set()
        await trio.sleep_forever()

    node.before_answering = hang
    async with listening(node) as (_, port):
        peer = channel(port)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(describe, peer)
            await asked.wait()
            nursery.cancel_scope.cancel()
        node.before_answering = trio.lowlevel.checkpoint
        assert await describe(peer) == "connection 2"
        peer.close()


async def test_closing_fails_the_request_in_flight() -> None:
    node = Node()
    node.before_answering = trio.sleep_forever
    async with listening(node) as (_, port):
        peer = channel(port)

        async def fails() -> None:
            with pytest.raises(PeerDisconnected, match="we closed the connection"):
                await describe(peer)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(fails)
            await wait_all_tasks_blocked(0.01)
            peer.close()


async def test_attempts_to_connect_keep_their_distance(autojump_clock: MockClock) -> None:
    # Refusals on the loopback come at once; the clock jumps only after 20 ms in which nothing came.
    autojump_clock.autojump_threshold = 0.02
    peer = channel(free_port(), backoff=Backoff(first_ms=1_000, longest_ms=3_000))
    attempts = []
    for _ in range(5):
        with pytest.raises(PeerDisconnected):
            await describe(peer, timeout_ms=60_000)
        attempts.append(trio.current_time())
    waits = [later - earlier for earlier, later in itertools.pairwise(attempts)]
    assert waits == pytest.approx([1, 2, 3, 3])


async def test_a_backoff_longer_than_the_timeout_is_a_timeout(autojump_clock: MockClock) -> None:
    autojump_clock.autojump_threshold = 0.02
    peer = channel(free_port(), backoff=Backoff(first_ms=10_000, longest_ms=10_000))
    with pytest.raises(PeerDisconnected):
        await describe(peer)
    with pytest.raises(PeerTimeout):
        await describe(peer, timeout_ms=500)


async def test_a_success_ends_the_backoff(autojump_clock: MockClock) -> None:
    autojump_clock.autojump_threshold = 0.02
    port = free_port()
    peer = channel(port, backoff=Backoff(first_ms=1_000, longest_ms=60_000))
    for _ in range(4):
        with pytest.raises(PeerDisconnected):
            await describe(peer, timeout_ms=60_000)
    async with listening(Node(), port=port, idle_timeout_ms=10_000_000) as (_, _port):
        assert await describe(peer, timeout_ms=60_000) == "connection 1"
        connected_at = trio.current_time()
        peer.close()
        assert await describe(peer, timeout_ms=60_000) == "connection 2"
        assert trio.current_time() - connected_at == pytest.approx(1)
        peer.close()


async def test_a_connection_that_ended_while_nothing_was_asked_is_made_anew() -> None:
    node = Node()
    async with listening(node) as (_, port):
        peer = channel(port)
        await describe(peer)
    assert not peer.is_ready
    async with listening(node, port=port):
        assert await describe(peer) == "connection 1"
        assert peer.is_ready
        peer.close()


async def test_bytes_that_nobody_asked_for_end_a_connection() -> None:
    node = Node()
    async with listening(node) as (_, port):
        to_node = await trio.open_tcp_stream("127.0.0.1", port)

        async def relay(stream: trio.SocketStream) -> None:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(pass_on, stream, to_node)
                await pass_on(to_node, stream, then=b"more than was asked")
                nursery.cancel_scope.cancel()

        async def pass_on(source: trio.SocketStream, target: trio.SocketStream, then: bytes = b"") -> None:
            responses = 0
            while data := await source.receive_some():
                await target.send_all(data)
                responses += 1
                if then and responses == 2:
                    await target.send_all(then)

        async with tcp_server(relay) as relayed, to_node:
            peer = channel(relayed)
            assert await describe(peer) == "connection 1"
            await wait_until(lambda: not peer.is_ready)
            peer.close()


async def test_bytes_that_came_with_a_response_end_a_connection_too() -> None:
    async def serve(stream: trio.SocketStream) -> None:
        to_node = await trio.open_tcp_stream("127.0.0.1", port)
        async with to_node:
            for more in (b"", b"\0\0"):
                await to_node.send_all(await stream.receive_some())
                # In one piece with the response, so that nothing is left to be read.
                await stream.send_all(await to_node.receive_some() + more)
            await stream.receive_some()

    node = Node()
    async with listening(node) as (_, port), tcp_server(serve) as relayed:
        peer = channel(relayed)
        assert await describe(peer) == "connection 1"
        assert not peer.is_ready
        peer.close()


async def test_a_connection_can_be_made_before_there_is_a_request() -> None:
    node = Node()
    async with listening(node) as (listener, port):
        peer = channel(port)
        assert not peer.is_ready
        await peer.prepare(timeout_ms=TIMEOUT_MS)
        await peer.prepare(timeout_ms=TIMEOUT_MS)
        assert peer.is_ready
        assert await describe(peer) == "connection 1"
        assert listener.statistics().accepted_connections == 1
        peer.close()


async def test_preparing_tells_what_is_wrong() -> None:
    with pytest.raises(PeerDisconnected) as refused:
        await channel(free_port()).prepare(timeout_ms=TIMEOUT_MS)
    assert refused.value.cause is DisconnectCause.REFUSED
    async with tcp_server(lambda stream: trio.sleep_forever()) as port:
        with pytest.raises(PeerTimeout) as silent:
            await channel(port).prepare(timeout_ms=50)
        assert not silent.value.was_connected


async def test_without_a_backoff_every_request_may_connect() -> None:
    peer = channel(free_port(), backoff=None)
    with trio.fail_after(5):
        for _ in range(100):
            with pytest.raises(PeerDisconnected):
                await describe(peer)
