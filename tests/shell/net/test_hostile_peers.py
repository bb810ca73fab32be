"""Peers that send garbage, lie about sizes, or hold on: they are closed with one log line, nobody else
notices.

On real loopback sockets, with requests decoded as a node does it. "The memory does not move" is measured.
"""

from __future__ import annotations

import logging
import struct
import tracemalloc
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import memory_stream_pair, wait_all_tasks_blocked

from kafkaproto import api
from kafkaproto.connection import UnsupportedApiVersions
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.shell.net.connections import ConnectionInfo, Request
from kafkaproto_server.shell.net.limits import MAX_REQUEST_SIZE_BYTES
from kafkaproto_server.shell.net.listener import Listener
from tests.fuzz.support.golden_requests import GOLDEN_REQUESTS
from tests.shell.net.support.connections import (
    LOGGER,
    framed,
    is_closed,
    listening,
    make_pump,
    receive_exactly,
    request,
    wait_until,
)

pytestmark = pytest.mark.trio

API_VERSIONS = framed(GOLDEN_REQUESTS["ApiVersions v4"])
API_VERSIONS_RESPONSE = framed(bytes.fromhex("00000015") + b"served")
MEGABYTE = 1 << 20


async def serve_decoded(request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
    """Decode the body as a node's dispatcher does; what it holds is of no interest here."""
    await trio.lowlevel.checkpoint()
    if not isinstance(request, UnsupportedApiVersions):
        info = api.api_by_key(request.api_key)
        assert info is not None
        info.request_class.decode(request.frame, request.api_version, request.body_offset)
    return [b"served"]


class Neighbour:
    """A well-behaved client on a connection of its own, opened before the others come."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream

    async def is_served(self) -> bool:
        await self.stream.send_all(API_VERSIONS)
        return await receive_exactly(self.stream, len(API_VERSIONS_RESPONSE)) == API_VERSIONS_RESPONSE


@asynccontextmanager
async def node() -> AsyncIterator[tuple[Listener, int, Neighbour]]:
    async with (
        listening(serve_decoded, max_request_size_bytes=MAX_REQUEST_SIZE_BYTES) as (listener, port),
        await trio.open_tcp_stream("127.0.0.1", port) as stream,
    ):
        neighbour = Neighbour(stream)
        assert await neighbour.is_served()
        yield listener, port, neighbour


def header(api_key: int, version: int, tail: str = "ffff") -> bytes:
    """Key, version and correlation id 7; ``tail`` in hex is what follows: client id, tags, body."""
    return struct.pack(">hhi", api_key, version, 7) + bytes.fromhex(tail)


CLOSED = {
    "a TLS greeting": (bytes.fromhex("16030100c8010000c40303") + b"\xaa" * 200, "is announced"),
    "an HTTP request": (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "is announced"),
    "a size of 2 GB": (struct.pack(">i", 2**31 - 1), "2147483647 bytes is announced"),
    "a size one above the limit": (struct.pack(">i", 100 * MEGABYTE + 1), "104857601 bytes is announced"),
    "a size of 0": (struct.pack(">i", 0), "0 bytes is announced"),
    "a size of -1": (struct.pack(">i", -1), "-1 bytes is announced"),
    "the most negative size": (struct.pack(">i", -(2**31)), "-2147483648 bytes is announced"),
    "a frame too short for a header": (framed(b"\0\x12\0"), "3 bytes are too few for a request"),
    "a client id longer than the frame": (framed(header(18, 0, "7fff61")), "a length of 32767 is announced"),
    "a billion tagged fields": (
        framed(header(18, 4, "ffff ffffffff0f")),
        "4294967295 tagged fields are more than 100",
    ),
    "an api key that does not exist": (framed(header(999, 0)), "api key 999 is not served"),
    "a negative api key": (framed(header(-1, 0)), "api key -1 is not served"),
    "an api key gone since 4.0": (framed(header(4, 1)), "api key 4 is not served"),
    "an api of another listener": (framed(header(3, 12, "ffff 00 00")), "api key 3 is not served"),
    "a version too high": (framed(header(52, 3)), "Vote version 3 is not served"),
    "a version too low": (framed(header(1, 3)), "Fetch version 3 is not served"),
    "a negative version": (framed(header(60, -1)), "DescribeCluster version -1 is not served"),
    "a body that is missing": (framed(header(52, 2, "ffff 00")), "VoteRequest"),
    "an ApiVersions v3 without a body": (framed(header(18, 3, "ffff 00")), "ApiVersionsRequest"),
    "a body cut short": (framed(GOLDEN_REQUESTS["Vote v2"][:-9]), "VoteRequest"),
    # No cluster id, voter 1, then a list of 2**32 - 2 topics, which is 4 billion announced in 10 bytes.
    "a billion topics": (framed(header(52, 2, "ffff 00 00 00000001 ffffffff0f")), "VoteRequest.topics"),
    # One topic "a", whose list of partitions claims the same: the lie is one level further down.
    "a billion partitions of a topic": (
        framed(header(52, 2, "ffff 00 00 00000001 02 0261 ffffffff0f")),
        "VoteRequest.topics[0].partitions",
    ),
    "a name that is not UTF-8": (framed(header(52, 2, "ffff 00 03ff61 00000001 01 00")), "cluster_id"),
    "a null where none may be": (framed(header(52, 2, "ffff 00 00 00000001 02 00 01 00 00")), "topic_name"),
}


@pytest.mark.parametrize("name", CLOSED)
async def test_bad_input_closes_its_connection_with_one_log_line(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger=LOGGER)
    sent, reason = CLOSED[name]
    async with node() as (listener, port, neighbour):
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            # A good request first: the answer to it must not be lost, and none may follow.
            await stream.send_all(API_VERSIONS)
            assert await receive_exactly(stream, len(API_VERSIONS_RESPONSE)) == API_VERSIONS_RESPONSE
            await stream.send_all(sent)
            assert await is_closed(stream)
        assert await neighbour.is_served()
        assert listener.statistics().open_connections == 1
    assert len(caplog.records) == 1
    assert caplog.records[0].levelno == logging.WARNING
    assert caplog.messages[0].startswith("closed the connection of 127.0.0.1:")
    assert reason in caplog.messages[0]


ANSWERED = {
    "an ApiVersions version nobody knows": header(18, 99, "ffff") + b"\xff" * 40,
    "an ApiVersions version of -1": header(18, -1),
    "a client id that is not UTF-8": header(60, 0, "0002 fffe 00 00 00"),
    "a null client id": header(60, 0, "ffff 00 00 00"),
    "bytes behind the body": header(60, 0, "ffff 00 00 00") + b"trailing",
    "an unknown tagged field in the header": header(60, 0, "ffff 01 63 03 616263 00 00"),
    "an unknown tagged field in the body": header(60, 0, "ffff 00 00 01 63 03 616263"),
}


@pytest.mark.parametrize("name", ANSWERED)
async def test_oddities_that_kafka_tolerates_are_answered_and_leave_the_connection_usable(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger=LOGGER)
    async with node() as (_, port, _), await trio.open_tcp_stream("127.0.0.1", port) as stream:
        await stream.send_all(framed(ANSWERED[name]) + API_VERSIONS)
        size = struct.unpack(">i", await receive_exactly(stream, 4))[0]
        response = await receive_exactly(stream, size)
        assert response.startswith(b"\0\0\0\7")
        assert response.endswith(b"served")
        assert await receive_exactly(stream, len(API_VERSIONS_RESPONSE)) == API_VERSIONS_RESPONSE
    assert not caplog.records


async def test_large_frames_that_are_announced_and_held_cost_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, logger=LOGGER)
    async with node() as (listener, port, neighbour):
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            streams = [await trio.open_tcp_stream("127.0.0.1", port) for _ in range(20)]
            for stream in streams:
                await stream.send_all(struct.pack(">i", 100 * MEGABYTE) + API_VERSIONS[4:])
            await wait_until(lambda: listener.statistics().open_connections == 21)
            await wait_all_tasks_blocked(0.01)
            assert await neighbour.is_served()
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak - before < MEGABYTE
        for stream in streams:
            await stream.aclose()
        await wait_until(lambda: listener.statistics().open_connections == 1)
        assert await neighbour.is_served()
    assert len(caplog.messages) == 20
    assert all(message.endswith(": it hung up inside a request") for message in caplog.messages)


async def test_a_large_frame_costs_what_of_it_arrived_and_gives_it_back() -> None:
    async with node() as (listener, port, neighbour):
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
                begin = struct.pack(">i", 100 * MEGABYTE) + API_VERSIONS[4:12]
                await stream.send_all(begin + bytes(2 * MEGABYTE))
                await wait_all_tasks_blocked(0.05)
                held, _ = tracemalloc.get_traced_memory()
            await wait_until(lambda: listener.statistics().open_connections == 1)
            after, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert 2 * MEGABYTE <= held - before < 3 * MEGABYTE
        assert after - before < MEGABYTE // 4
        assert await neighbour.is_served()


async def test_the_body_of_a_request_that_is_not_served_is_not_kept(caplog: pytest.LogCaptureFixture) -> None:
    async with node() as (_, port, neighbour):
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            # Eight of a hundred million bytes.
            await stream.send_all(struct.pack(">i", 100 * MEGABYTE) + header(999, 0)[:8])
            assert await is_closed(stream)
        assert await neighbour.is_served()
    assert "api key 999 is not served" in caplog.messages[0]


async def test_a_peer_that_pipelines_and_never_reads_is_held_at_the_socket() -> None:
    """Answers that nobody reads pile up in no buffer of ours: the flood stops when the sockets are full."""
    sent = 0

    async def flood(stream: trio.SocketStream) -> None:
        nonlocal sent
        while True:
            await stream.send_all(API_VERSIONS * 1000)
            sent += 1000 * len(API_VERSIONS)

    async with node() as (_, port, neighbour), await trio.open_tcp_stream("127.0.0.1", port) as stream:
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(flood, stream)
                stalled_at = -1
                while sent != stalled_at:
                    stalled_at = sent
                    with trio.move_on_after(0.1):
                        await wait_all_tasks_blocked(0.05)
                assert await neighbour.is_served()
                nursery.cancel_scope.cancel()
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak - before < MEGABYTE


async def test_peers_that_connect_and_vanish_leave_nothing_behind(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger=LOGGER)
    async with node() as (listener, port, neighbour):
        for number in range(50):
            stream = await trio.open_tcp_stream("127.0.0.1", port)
            if number % 2:
                # A reset instead of an orderly close.
                stream.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_LINGER, struct.pack("ii", 1, 0))
            await stream.aclose()
        await wait_until(
            lambda: (
                listener.statistics().open_connections == 1
                and listener.statistics().accepted_connections >= 26
            )
        )
        assert await neighbour.is_served()
    assert not caplog.records


async def test_a_reset_inside_a_request_leaves_one_log_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger=LOGGER)
    async with node() as (listener, port, neighbour):
        stream = await trio.open_tcp_stream("127.0.0.1", port)
        await stream.send_all(API_VERSIONS + API_VERSIONS[:9])
        assert await receive_exactly(stream, len(API_VERSIONS_RESPONSE)) == API_VERSIONS_RESPONSE
        stream.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_LINGER, struct.pack("ii", 1, 0))
        await stream.aclose()
        await wait_until(lambda: listener.statistics().open_connections == 1)
        assert await neighbour.is_served()
    assert [message.rpartition(": ")[2] for message in caplog.messages] == ["it hung up inside a request"]


def every_version(api_key: int) -> tuple[int, int] | None:
    """Serves whatever there is a schema for."""
    info = api.api_by_key(api_key)
    return None if info is None else (info.min_version, info.max_version)


@pytest.mark.parametrize("name", GOLDEN_REQUESTS)
async def test_a_request_cut_at_any_byte_closes_only_its_own_connection(name: str) -> None:
    whole = GOLDEN_REQUESTS[name]
    for size in range(1, len(whole) + 1):
        ours, theirs = memory_stream_pair()
        await theirs.send_all(framed(whole[:size]))
        await theirs.send_eof()
        await make_pump(ours, serve_decoded, served_versions=every_version).run()
        assert await is_closed(theirs) is (size < len(whole))


async def test_bytes_that_follow_bad_input_are_not_served() -> None:
    ours, theirs = memory_stream_pair()
    await theirs.send_all(framed(header(999, 0)) + request(1) * 10)
    await make_pump(ours, serve_decoded).run()
    assert await is_closed(theirs)
