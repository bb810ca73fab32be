"""What a read of a socket returns, and how it leaves the memory of the process."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio

from kafkaproto_server.shell.net.limits import RECEIVE_CHUNK_BYTES
from kafkaproto_server.shell.net.streams import SocketBytes


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


_PROGRAM = """
import ctypes, random, trio
from kafkaproto_server.shell.net.streams import SocketBytes

class Heap(ctypes.Structure):
    names = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")
    _fields_ = [(name, ctypes.c_size_t) for name in names]

libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Heap

async def main():
    ours, theirs = map(trio.SocketStream, trio.socket.socketpair())
    stream = SocketBytes(ours)
    # Once one of them was freed, blocks of this size come from the heap.
    bytes(1 << 22)
    chance = random.Random(1)
    kept = {}
    before = libc.mallinfo2()
    for _ in range(10_000):
        await theirs.send_all(bytes(chance.choice((600, 800, 1_500, 3_000, 9_000))))
        # As the reader of a connection, which has what it read last until it has read more.
        data = stream.receive_now(262_144)
        # Each lives for another time.
        kept[chance.randrange(500)] = data[4:]
        kept[500 + chance.randrange(500)] = bytearray(chance.choice((600, 2_000, 5_000)))
    after = libc.mallinfo2()
    print(after.arena - before.arena, after.uordblks - before.uordblks)
    await ours.aclose()
    await theirs.aclose()

trio.run(main)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="this C library does not tell")
def test_reads_do_not_leave_memory_in_pieces() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True, timeout=60
    )
    heap, used = map(int, done.stdout.split())
    # With reads into new bytes of the largest size it was more than four times what is used.
    assert used > 2_000_000
    assert heap < 2 * used
