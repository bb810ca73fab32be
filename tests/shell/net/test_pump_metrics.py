"""What a connection adds to the figures about requests."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
import trio
from trio.testing import memory_stream_pair

from kafkaproto_server.base.metrics.requests import RequestMetrics
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.shell.net.connections import CloseConnection, ConnectionInfo, Request
from tests.shell.net.support.connections import echo, make_pump, request, serve_echo

pytestmark = pytest.mark.trio

SERVE_MS = 20.0
DESCRIBE_CLUSTER = 60


async def serve_slowly(request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
    time.sleep(SERVE_MS / 1000)
    return await serve_echo(request, connection)


async def test_a_request_behind_another_waits_in_the_queue_and_the_first_does_not() -> None:
    ours, theirs = memory_stream_pair()
    metrics = RequestMetrics()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(make_pump(ours, serve_slowly, metrics=metrics).run)
        await theirs.send_all(request(1, b"a") + request(2, b"b"))
        expected = echo(1, b"a") + echo(2, b"b")
        responses = b""
        while len(responses) < len(expected):
            responses += await theirs.receive_some()
        await theirs.aclose()
    api = metrics.of(DESCRIBE_CLUSTER)
    assert sum(api.requests.values()) == api.total.count == 2
    first_ms, second_ms = api.request_queue.quantiles_ms([0.5, 1.0])
    assert first_ms < second_ms
    assert api.request_queue.max_ms >= SERVE_MS
    assert api.total.sum_ms >= 3 * SERVE_MS
    # Sizes are those of frames, without the four bytes before each. Nobody was throttled, and that counts too.
    sizes = [len(request(number, body)) - 4 for number, body in ((1, b"a"), (2, b"b"))]
    assert (api.request_bytes.count, api.request_bytes.sum_us) == (2, sum(sizes))
    assert (api.throttle.count, api.throttle.sum_us) == (2, 0)
    assert (metrics.in_progress, metrics.sending) == (0, 0)


async def test_a_request_that_is_not_answered_counts_nothing_and_leaves_nothing_in_progress() -> None:
    async def refuse(request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
        await trio.lowlevel.checkpoint()
        assert metrics.in_progress == 1
        raise CloseConnection("no")

    ours, theirs = memory_stream_pair()
    metrics = RequestMetrics()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(make_pump(ours, refuse, metrics=metrics).run)
        await theirs.send_all(request(1, b"a"))
        assert await theirs.receive_some() == b""
    assert metrics.apis == {}
    assert (metrics.in_progress, metrics.sending) == (0, 0)
