"""A connection whose peer has exceeded a quota: the response leaves at once, and nothing more is started for a time."""

from __future__ import annotations

import pytest
import trio
from trio.testing import (
    MemoryReceiveStream,
    MemorySendStream,
    MockClock,
    memory_stream_pair,
    wait_all_tasks_blocked,
)

from kafkaproto.connection import IncomingRequest
from kafkaproto_server.base.metrics.requests import RequestMetrics
from kafkaproto_server.shell.net.connections import ConnectionInfo, Held, Request, Respond, Throttled
from kafkaproto_server.shell.net.limits import READ_AHEAD_BYTES
from kafkaproto_server.shell.net.pump import Pump
from tests.shell.net.support.connections import (
    IDLE_TIMEOUT_MS,
    StreamBytes,
    echo,
    make_plain_pump,
    receive_exactly,
    request,
)

pytestmark = pytest.mark.trio

MUTE_MS = 5_000


class Serve:
    """Echoes requests, and mutes the connection after the first one."""

    def __init__(self, mute_ms: int = MUTE_MS, *, responds: bool = True) -> None:
        self.mute_ms = mute_ms
        self.responds = responds
        self.asked_at: list[float] = []

    def __call__(self, request: Request, connection: ConnectionInfo, respond: Respond) -> None:
        assert isinstance(request, IncomingRequest)
        self.asked_at.append(trio.current_time())
        body = [memoryview(request.frame)[request.body_offset :]]
        if len(self.asked_at) > 1:
            respond(body)
        else:
            respond(Throttled(body=body if self.responds else None, mute_ms=self.mute_ms))


async def test_the_time_of_the_throttle_is_counted_with_the_request(autojump_clock: MockClock) -> None:
    metrics = RequestMetrics()
    ours, theirs = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(make_plain_pump(StreamBytes(ours), Serve(), metrics=metrics).run)
        await theirs.send_all(request(1, b"one") + request(2, b"two"))
        expected = echo(1, b"one") + echo(2, b"two")
        assert await receive_exactly(theirs, len(expected)) == expected
        await theirs.aclose()
    (api,) = metrics.apis.values()
    assert (api.throttle.count, api.throttle.sum_ms, api.throttle.max_ms) == (2, MUTE_MS, MUTE_MS)


def pumped(serve: Serve) -> tuple[Pump, trio.StapledStream[MemorySendStream, MemoryReceiveStream]]:
    ours, theirs = memory_stream_pair()
    return make_plain_pump(StreamBytes(ours), serve), theirs


async def test_the_response_comes_at_once_and_the_next_request_is_served_later(
    autojump_clock: MockClock,
) -> None:
    serve = Serve()
    pump, theirs = pumped(serve)
    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pump.run)
        await theirs.send_all(request(1, b"one") + request(2, b"two"))
        assert await receive_exactly(theirs, len(echo(1, b"one"))) == echo(1, b"one")
        assert trio.current_time() == began
        assert await receive_exactly(theirs, len(echo(2, b"two"))) == echo(2, b"two")
        await theirs.aclose()
    assert serve.asked_at == [began, began + MUTE_MS / 1000]


async def test_a_request_without_a_response_mutes_too(autojump_clock: MockClock) -> None:
    serve = Serve(responds=False)
    pump, theirs = pumped(serve)
    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pump.run)
        await theirs.send_all(request(1, b"one") + request(2, b"two"))
        assert await receive_exactly(theirs, len(echo(2, b"two"))) == echo(2, b"two")
        await theirs.aclose()
    assert serve.asked_at == [began, began + MUTE_MS / 1000]


async def test_a_muted_connection_is_not_read(autojump_clock: MockClock) -> None:
    pump, theirs = pumped(Serve())
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pump.run)
        await theirs.send_all(request(1))
        await wait_all_tasks_blocked()
        for number in range(2, 12):
            await theirs.send_all(request(number, bytes(READ_AHEAD_BYTES)))
            await wait_all_tasks_blocked()
        assert pump._connection.buffered_bytes <= 3 * READ_AHEAD_BYTES
        nursery.cancel_scope.cancel()


async def test_a_muted_peer_is_not_idle(autojump_clock: MockClock) -> None:
    serve = Serve(3 * IDLE_TIMEOUT_MS)
    pump, theirs = pumped(serve)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pump.run)
        await theirs.send_all(request(1))
        await receive_exactly(theirs, len(echo(1, b"")))
        await trio.sleep(3 * IDLE_TIMEOUT_MS / 1000 + IDLE_TIMEOUT_MS / 2000)
        await theirs.send_all(request(2))
        await receive_exactly(theirs, len(echo(2, b"")))
        await theirs.aclose()
    assert len(serve.asked_at) == 2


async def test_requests_that_were_read_before_the_peer_hung_up_are_served(autojump_clock: MockClock) -> None:
    serve = Serve(responds=False)
    pump, theirs = pumped(serve)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pump.run)
        await theirs.send_all(request(1) + request(2))
        await wait_all_tasks_blocked()
        await theirs.aclose()
    assert len(serve.asked_at) == 2


async def test_a_muted_connection_does_not_delay_the_end_of_its_listener(autojump_clock: MockClock) -> None:
    serve = Serve()
    pump, theirs = pumped(serve)
    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pump.run)
        await theirs.send_all(request(1) + request(2))
        await receive_exactly(theirs, len(echo(1, b"")))
        pump.drain()
    assert trio.current_time() == began
    assert len(serve.asked_at) == 1


class HoldOnce:
    """Holds the first request for a time."""

    def __init__(self) -> None:
        self.asked_at: list[float] = []

    def __call__(self, request: Request, connection: ConnectionInfo, respond: Respond) -> None:
        assert isinstance(request, IncomingRequest)
        self.asked_at.append(trio.current_time())
        is_first = len(self.asked_at) == 1
        respond(Held(wait_ms=MUTE_MS) if is_first else [memoryview(request.frame)[request.body_offset :]])


def holding(serve: HoldOnce) -> tuple[Pump, trio.StapledStream[MemorySendStream, MemoryReceiveStream]]:
    ours, theirs = memory_stream_pair()
    return make_plain_pump(StreamBytes(ours), serve), theirs


async def test_a_request_that_is_held_is_served_later(autojump_clock: MockClock) -> None:
    serve = HoldOnce()
    pump, theirs = holding(serve)
    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pump.run)
        await theirs.send_all(request(1, b"one") + request(2, b"two"))
        expected = echo(1, b"one") + echo(2, b"two")
        assert await receive_exactly(theirs, len(expected)) == expected
        await theirs.aclose()
    assert serve.asked_at == [began, *[began + MUTE_MS / 1000] * 2]


async def test_who_hangs_up_does_not_have_a_held_request_served(autojump_clock: MockClock) -> None:
    serve = HoldOnce()
    pump, theirs = holding(serve)
    began = trio.current_time()
    await theirs.send_all(request(1, b"one"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pump.run)
        await wait_all_tasks_blocked()
        await theirs.send_stream.aclose()
    assert (serve.asked_at, trio.current_time()) == ([began], began)


async def test_a_held_request_keeps_no_node_from_stopping(autojump_clock: MockClock) -> None:
    serve = HoldOnce()
    pump, theirs = holding(serve)
    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pump.run)
        await theirs.send_all(request(1, b"one"))
        await wait_all_tasks_blocked()
        # Its memory may be needed, and its place: it waits for itself.
        assert pump.idle_since == began
        pump.drain()
    assert (serve.asked_at, trio.current_time()) == ([began], began)
