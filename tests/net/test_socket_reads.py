"""What a read of a socket returns."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio

from kafkaproto_server.net.limits import RECEIVE_CHUNK_BYTES
from kafkaproto_server.net.streams import SocketBytes


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[SocketBytes, trio.SocketStream]]:
    """A stream, and the socket at its other end."""
    ours, theirs = map(trio.SocketStream, trio.socket.socketpair())
    async with ours, theirs:
        yield SocketBytes(ours), theirs


@pytest.mark.trio
async def test_what_was_read_stays_as_it_is_while_more_is_read() -> None:
    async with connected() as (stream, other):
        await other.send_all(b"first")
        first = await stream.receive_some(100)
        await other.send_all(b"later")
        assert await stream.receive_some(100) == b"later"
        assert first == b"first"


@pytest.mark.trio
async def test_no_more_is_read_than_was_asked_for_and_the_rest_stays() -> None:
    async with connected() as (stream, other):
        await other.send_all(b"abcdefg")
        assert stream.receive_now(3) == b"abc"
        assert await stream.receive_some(100) == b"defg"
        assert stream.receive_now(100) is None


@pytest.mark.trio
async def test_a_read_of_any_size_returns_what_fits_into_the_buffer() -> None:
    async with connected() as (stream, other):
        sent = bytes(range(256)) * (2 * RECEIVE_CHUNK_BYTES // 256)
        received = bytearray()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(other.send_all, sent)
            while len(received) < len(sent):
                received += await stream.receive_some(10 * RECEIVE_CHUNK_BYTES)
        assert received == sent


@pytest.mark.trio
async def test_the_end_of_a_stream_is_empty() -> None:
    async with connected() as (stream, other):
        await other.aclose()
        assert stream.receive_now(100) == b""
