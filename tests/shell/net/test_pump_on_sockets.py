"""What a connection does on the spot, on real sockets: answers written by whoever has them, and nobody kept waiting."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from socket import SO_SNDBUF, SOL_SOCKET

import pytest
import trio
from trio.testing import MockClock

from kafkaproto.connection import IncomingRequest
from kafkaproto_server.base.file_part import Descriptor, FilePart
from kafkaproto_server.shell.net.connections import CloseConnection, ConnectionInfo, Request, Respond, Serve
from kafkaproto_server.shell.net.exchange import MAX_REQUESTS_IN_A_ROW
from kafkaproto_server.shell.net.limits import SEND_CHUNK_BYTES, SEND_TIMEOUT_MS
from kafkaproto_server.shell.net.streams import SocketBytes
from tests.shell.net.support.connections import echo, is_closed, make_plain_pump, receive_exactly, request

pytestmark = pytest.mark.trio


@asynccontextmanager
async def connected(serve: Serve) -> AsyncIterator[trio.SocketStream]:
    """The other end of a connection that a pump serves, which ends by itself once that is closed."""
    ours, theirs = trio.socket.socketpair()
    stream = trio.SocketStream(theirs)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(make_plain_pump(SocketBytes(trio.SocketStream(ours)), serve).run)
        yield stream
        await stream.aclose()


def respond_echo(request: Request, connection: ConnectionInfo, respond: Respond) -> None:
    assert isinstance(request, IncomingRequest)
    respond([request.frame[request.body_offset :]])


class Waiting:
    """Keeps requests until told to answer."""

    def __init__(self) -> None:
        self.responds: list[Respond] = []
        self.arrived = trio.Event()

    def __call__(self, request: Request, connection: ConnectionInfo, respond: Respond) -> None:
        self.responds.append(respond)
        self.arrived.set()


async def test_a_response_is_written_the_moment_it_is_there() -> None:
    serve = Waiting()
    async with connected(serve) as theirs:
        await theirs.send_all(request(1))
        await serve.arrived.wait()
        serve.responds[0]([b"answer"])
        # No task has run since.
        assert os.read(theirs.socket.fileno(), 100) == echo(1, b"answer")


async def test_requests_that_come_at_once_are_answered_in_order() -> None:
    async with connected(respond_echo) as theirs:
        bodies = [b"%d" % number for number in range(100)]
        await theirs.send_all(b"".join(request(number, body) for number, body in enumerate(bodies)))
        expected = b"".join(echo(number, body) for number, body in enumerate(bodies))
        assert await receive_exactly(theirs, len(expected)) == expected


async def test_a_request_behind_one_that_waits_is_taken_up_after_its_response() -> None:
    serve = Waiting()
    async with connected(serve) as theirs:
        await theirs.send_all(request(1) + request(2))
        await serve.arrived.wait()
        assert len(serve.responds) == 1
        serve.arrived = trio.Event()
        serve.responds[0]([b"one"])
        await serve.arrived.wait()
        serve.responds[1]([b"two"])
        expected = echo(1, b"one") + echo(2, b"two")
        assert await receive_exactly(theirs, len(expected)) == expected


async def test_a_response_that_the_socket_does_not_take_at_once_leaves_as_the_peer_reads() -> None:
    body = bytes(range(256)) * (SEND_CHUNK_BYTES // 100)
    async with connected(lambda request, connection, respond: respond([body])) as theirs:
        await theirs.send_all(request(1) + request(2))
        expected = echo(1, body) + echo(2, body)
        assert await receive_exactly(theirs, len(expected)) == expected


def part_of_file(path: Path, content: bytes) -> FilePart:
    path.write_bytes(content)
    return FilePart(Descriptor(os.open(path, os.O_RDONLY)), 0, len(content))


async def test_a_response_may_lie_in_files(tmp_path: Path) -> None:
    content = os.urandom(3_000_000)

    def serve(request: Request, connection: ConnectionInfo, respond: Respond) -> None:
        first, second = (part_of_file(tmp_path / name, content) for name in "ab")
        respond([b"before", first, b"between", second, b"after"])

    async with connected(serve) as theirs:
        await theirs.send_all(request(1) + request(2))
        body = b"before" + content + b"between" + content + b"after"
        expected = echo(1, body) + echo(2, body)
        assert await receive_exactly(theirs, len(expected)) == expected


async def test_a_response_whose_file_was_cut_ends_the_connection(tmp_path: Path) -> None:
    def serve(request: Request, connection: ConnectionInfo, respond: Respond) -> None:
        part = part_of_file(tmp_path / "a", bytes(10_000))
        os.truncate(tmp_path / "a", 5_000)
        respond([part])

    async with connected(serve) as theirs:
        await theirs.send_all(request(1))
        await receive_exactly(theirs, 5_000)
        with trio.fail_after(5):
            while await theirs.receive_some():
                pass


async def test_a_peer_that_reads_less_than_a_chunk_in_the_time_to_send_is_served(
    autojump_clock: MockClock,
) -> None:
    autojump_clock.autojump_threshold = 0.02
    ours, theirs = trio.socket.socketpair()
    ours.setsockopt(SOL_SOCKET, SO_SNDBUF, 8192)
    response = echo(1, bytes(SEND_CHUNK_BYTES - 100))
    async with trio.open_nursery() as nursery, trio.SocketStream(theirs) as stream:
        nursery.start_soon(make_plain_pump(SocketBytes(trio.SocketStream(ours)), respond_echo).run)
        await stream.send_all(request(1, bytes(SEND_CHUNK_BYTES - 100)))
        for _ in range(8):
            await trio.sleep(SEND_TIMEOUT_MS / 1000 * 0.6)
            await receive_exactly(stream, len(response) // 8)
        assert await receive_exactly(stream, len(response) % 8 or 1)
        nursery.cancel_scope.cancel()


async def test_a_peer_that_sends_many_requests_at_once_does_not_keep_others_waiting() -> None:
    served_in_a_row = longest = 0

    def serve(request: Request, connection: ConnectionInfo, respond: Respond) -> None:
        nonlocal served_in_a_row, longest
        served_in_a_row += 1
        longest = max(longest, served_in_a_row)
        respond([b""])

    async def others(task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        nonlocal served_in_a_row
        task_status.started()
        while True:
            served_in_a_row = 0
            await trio.lowlevel.checkpoint()

    async with trio.open_nursery() as nursery:
        await nursery.start(others)
        async with connected(serve) as theirs:
            await theirs.send_all(b"".join(map(request, range(500))))
            await receive_exactly(theirs, 500 * len(echo(1, b"")))
        nursery.cancel_scope.cancel()
    # The reader and the keeper may both have their turn between two of the others.
    assert MAX_REQUESTS_IN_A_ROW <= longest <= 2 * MAX_REQUESTS_IN_A_ROW


async def test_a_connection_can_be_closed_instead_of_a_response_that_was_waited_for() -> None:
    serve = Waiting()
    async with connected(serve) as theirs:
        await theirs.send_all(request(1))
        await serve.arrived.wait()
        serve.responds[0](CloseConnection("no"))
        assert await is_closed(theirs)
        # That it is answered all the same comes too late.
        serve.responds[0]([b"answer"])


async def test_a_stream_that_was_closed_writes_nothing_to_whoever_has_its_number_now() -> None:
    ours, theirs = trio.socket.socketpair()
    stream = SocketBytes(trio.SocketStream(ours))
    stream.close()
    other, other_end = trio.socket.socketpair()
    with pytest.raises(trio.BrokenResourceError):
        stream.send_now(b"lost")
    with pytest.raises(trio.ClosedResourceError):
        await stream.receive_some(1)
    for socket in (theirs, other, other_end):
        socket.close()
