"""The memory that all connections share for requests and unread responses: counted, waited for, taken back."""

from __future__ import annotations

import gc
import logging
import os
import socket
import struct
import weakref
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.shell.net.connections import ConnectionInfo, Request
from kafkaproto_server.shell.net.limits import (
    CLOSED_AGAIN_S,
    CLOSED_AT_ONCE,
    MAX_ARRIVALS,
    MEMORY_WAIT_S,
    READ_AHEAD_BYTES,
    RECEIVE_CHUNK_BYTES,
    UNCOUNTED_BYTES,
)
from kafkaproto_server.shell.net.memory import RequestMemory, UnreadResponses
from tests.shell.net.support.connections import (
    LOGGER,
    echo,
    listening,
    receive_exactly,
    request,
    serve_echo,
    wait_until,
)

pytestmark = pytest.mark.trio


class Connection:
    def __init__(
        self, memory: RequestMemory, size: int, idle_since: float | None, host: str = "10.0.0.1"
    ) -> None:
        self._memory = memory
        self.host = host
        self.idle_since = idle_since
        self.is_open = True
        self.is_gone = False
        memory.hold(self, size)

    def has_left(self) -> bool:
        return self.is_gone

    def give_up_request(self) -> None:
        self.is_open = False
        self._memory.hold(self, 0)

    def give_up_response(self) -> None:
        raise AssertionError("it holds none")


async def test_what_connections_hold_is_added_up() -> None:
    memory = RequestMemory(100)
    first, second = Connection(memory, 60, 0), Connection(memory, 39, 0)
    assert (memory.used_bytes, memory.is_full) == (99, False)
    memory.hold(first, 61)
    assert (memory.used_bytes, memory.is_full) == (100, True)
    memory.hold(first, 10)
    memory.hold(second, 0)
    memory.hold(second, 0)
    assert (memory.used_bytes, memory.is_full) == (10, False)
    with trio.fail_after(0):
        await memory.wait_for_room(first)


async def test_who_waits_goes_on_as_soon_as_another_lets_go(autojump_clock: MockClock) -> None:
    memory = RequestMemory(100)
    other = Connection(memory, 100, None)
    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(memory.wait_for_room, Connection(memory, 0, 0.0))
        await wait_all_tasks_blocked()
        memory.hold(other, 50)
    assert trio.current_time() < MEMORY_WAIT_S


async def test_those_that_hold_on_are_closed_until_half_of_the_memory_is_free(
    autojump_clock: MockClock,
) -> None:
    memory = RequestMemory(100)
    answered_soon = Connection(memory, 10, None)
    holding = [Connection(memory, 30, since) for since in (4.0, 3.0, 2.0)]
    async with trio.open_nursery() as nursery:
        for _ in range(5):
            nursery.start_soon(memory.wait_for_room, Connection(memory, 0, 0.0))
        await trio.sleep(0.9 * MEMORY_WAIT_S)
        assert all(each.is_open for each in holding)
    assert trio.current_time() == pytest.approx(MEMORY_WAIT_S)
    # Those on which nothing has moved for longest.
    assert [each.is_open for each in (answered_soon, *holding)] == [True, True, False, False]


async def test_those_of_the_host_that_holds_most_are_closed_first(autojump_clock: MockClock) -> None:
    memory = RequestMemory(100)
    honest = Connection(memory, 40, 1.0, "10.0.0.2")
    others = [Connection(memory, 20, 2.0 + number) for number in range(3)]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(memory.wait_for_room, Connection(memory, 0, 0.0))
    assert [each.is_open for each in (honest, *others)] == [True, False, False, False]
    # If all have more to send, it is one.
    memory = RequestMemory(100)
    honest = Connection(memory, 40, 1.0, "10.0.0.2")
    others = [Connection(memory, 20, 2.0 + number) for number in range(3)]
    async with trio.open_nursery() as nursery:
        for each in (honest, *others):
            nursery.start_soon(memory.wait_for_room, each)
    assert [each.is_open for each in (honest, *others)] == [True, False, True, True]


async def test_very_many_are_closed_some_in_each_pass(autojump_clock: MockClock) -> None:
    memory = RequestMemory(1_000)
    holding = [Connection(memory, 1, 0.0) for _ in range(1_000)]
    closed = [0]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(memory.wait_for_room, Connection(memory, 0, 0.0))
        await trio.sleep(MEMORY_WAIT_S)
        for _ in range(40):
            await trio.lowlevel.checkpoint()
            closed.append(sum(not each.is_open for each in holding))
    assert closed[-1] == 500
    assert max(after - before for before, after in pairwise(closed)) <= 2 * CLOSED_AT_ONCE


async def test_hosts_take_turns_for_the_room(autojump_clock: MockClock) -> None:
    memory = RequestMemory(100)
    holder = Connection(memory, 100, None)
    order: list[str] = []

    async def wait(host: str) -> None:
        await memory.wait_for_room(Connection(memory, 0, 0.0, host))
        order.append(host)

    async with trio.open_nursery() as nursery:
        for host in (*["unknown node"] * 20, "honest", "honest"):
            nursery.start_soon(wait, host)
            await wait_all_tasks_blocked()
        memory.hold(holder, 0)
    assert [at for at, host in enumerate(order) if host == "honest"][1] <= 4


async def test_who_waits_may_leave(autojump_clock: MockClock) -> None:
    memory = RequestMemory(100)
    holder = Connection(memory, 100, None)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(memory.wait_for_room, Connection(memory, 0, 0.0))
        await wait_all_tasks_blocked()
        with trio.move_on_after(0.1) as leaving:
            await memory.wait_for_room(Connection(memory, 0, 0.0))
        assert leaving.cancelled_caught
        memory.hold(holder, 0)


async def test_who_has_more_to_read_stays_before_who_sends_nothing(autojump_clock: MockClock) -> None:
    memory = RequestMemory(100)
    first, stalled, last = (Connection(memory, 60, since) for since in (1.0, 3.0, 2.0))
    async with trio.open_nursery() as nursery:
        for each in (last, first):
            nursery.start_soon(memory.wait_for_room, each)
        await trio.sleep(1.5 * MEMORY_WAIT_S)
        assert [each.is_open for each in (first, stalled, last)] == [True, False, True]
    # Both have: it is the one that has held its request for longer.
    assert [each.is_open for each in (first, stalled, last)] == [False, False, True]


async def test_who_has_left_goes_before_who_waits(autojump_clock: MockClock) -> None:
    memory = RequestMemory(100)
    stays, *gone = (Connection(memory, 10, float(number)) for number in range(CLOSED_AT_ONCE + 9))
    for each in gone:
        each.is_gone = True
    async with trio.open_nursery() as nursery:
        for each in (stays, *gone):
            nursery.start_soon(memory.wait_for_room, each)
        await trio.sleep(1.5 * MEMORY_WAIT_S)
        assert stays.is_open
        assert not any(each.is_open for each in gone)
    assert memory.used_bytes == 10


async def test_ever_more_have_to_go_if_few_do_not_help(autojump_clock: MockClock) -> None:
    memory = RequestMemory(100)
    numbers = []
    for pause_s in (0, 0, CLOSED_AGAIN_S, 0):
        await trio.sleep(pause_s)
        held = [Connection(memory, 10, 0.0) for _ in range(10)]
        async with trio.open_nursery() as nursery:
            for each in held:
                nursery.start_soon(memory.wait_for_room, each)
        numbers.append([each.is_open for each in held].index(True))
        for each in held:
            memory.hold(each, 0)
    assert numbers == [1, 2, 1, 2]


async def test_a_peer_that_has_left_is_noticed_while_it_waits(autojump_clock: MockClock) -> None:
    autojump_clock.autojump_threshold = 0.02
    memory = RequestMemory(100_000)
    holder = Connection(memory, 99_000, None)
    async with listening(serve_echo, memory=memory) as (listener, port):
        for is_complete in (True, False):
            slow = Connection(memory, 1, 0.0)
            stream = await trio.open_tcp_stream("127.0.0.1", port)
            # The first bytes are read, the rest stays in the socket, with the end of the stream behind it.
            sent = request(1, bytes(50_000))
            await stream.send_all(sent[:10_000])
            await wait_until(lambda: memory.is_full)
            await stream.send_all(sent[10_000:] if is_complete else sent[10_000:-1])
            await stream.send_eof()
            await trio.sleep(1.5 * MEMORY_WAIT_S)
            if is_complete:
                # Its request is there, so that it gets a response as soon as there is room.
                assert (listener.statistics().open_connections, slow.is_open) == (1, False)
                memory.hold(holder, 0)
                await receive_exactly(stream, len(echo(1, bytes(50_000))))
                memory.hold(holder, 99_000)
            else:
                assert (listener.statistics().open_connections, slow.is_open) == (0, True)
            await stream.aclose()
            await wait_until(lambda: listener.statistics().open_connections == 0)


async def test_requests_that_lack_a_byte_hold_no_more_than_is_allowed_and_no_one_up(
    caplog: pytest.LogCaptureFixture, autojump_clock: MockClock
) -> None:
    caplog.set_level(logging.INFO, logger=LOGGER)
    autojump_clock.autojump_threshold = 0.02
    memory = RequestMemory(1 << 20)
    size = 600_000
    most = 0

    async def send_but_a_byte(stream: trio.SocketStream, body: bytes) -> None:
        nonlocal most
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            await stream.send_all(request(1, body)[:-1])
        most = max(most, memory.used_bytes)

    async with listening(serve_echo, memory=memory) as (listener, port), trio.open_nursery() as nursery:
        unknown_nodes = [await trio.open_tcp_stream("127.0.0.1", port) for _ in range(6)]
        for unknown_node in unknown_nodes:
            nursery.start_soon(send_but_a_byte, unknown_node, bytes(size))
        await wait_until(lambda: memory.is_full)
        # What is small is served at once.
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            small = bytes(UNCOUNTED_BYTES // 2)
            await stream.send_all(request(1, small))
            await receive_exactly(stream, len(echo(1, small)))
            assert memory.is_full
            # What is large, as soon as some of the others had to go.
            await stream.send_all(request(2, bytes(size)))
            await receive_exactly(stream, len(echo(2, bytes(size))))
        assert most < memory._limit_bytes + RECEIVE_CHUNK_BYTES + UNCOUNTED_BYTES
        for unknown_node in unknown_nodes:
            await trio.aclose_forcefully(unknown_node)
        await wait_until(lambda: listener.statistics().open_connections == 0)
    assert memory.used_bytes == 0
    reason = "requests take all memory that there is for them, and this one was the slowest"
    assert any(message.endswith(reason) for message in caplog.messages)


async def test_connections_that_are_read_from_at_once_take_no_more_than_is_left() -> None:
    memory = RequestMemory(1 << 20)
    async with listening(serve_echo, memory=memory) as (listener, port):
        streams = [await trio.open_tcp_stream("127.0.0.1", port) for _ in range(40)]
        await wait_until(lambda: listener.statistics().open_connections == len(streams))
        await wait_all_tasks_blocked(0.01)
        for stream in streams:
            stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
            # All of them before the listener reads: it finds them readable in one turn of the loop.
            os.write(stream.socket.fileno(), request(1, bytes(200_000))[:RECEIVE_CHUNK_BYTES])
        await wait_until(lambda: memory.is_full)
        await wait_all_tasks_blocked(0.01)
        assert memory.used_bytes < memory._limit_bytes + RECEIVE_CHUNK_BYTES + UNCOUNTED_BYTES
        for stream in streams:
            await stream.aclose()


async def test_those_that_wait_go_on_one_after_the_other() -> None:
    memory = RequestMemory(100)
    holder = Connection(memory, 100, None)
    gone_on = 0

    async def wait(connection: Connection) -> None:
        nonlocal gone_on
        await memory.wait_for_room(connection)
        gone_on += 1

    async with trio.open_nursery() as nursery:
        for number in range(100):
            nursery.start_soon(wait, Connection(memory, number % 2, 0.0))
        await wait_all_tasks_blocked()
        memory.hold(holder, 10)
        before = 0
        while gone_on < 100:
            await trio.lowlevel.checkpoint()
            assert gone_on - before <= 3
            before = gone_on


async def test_who_watches_the_time_may_leave(autojump_clock: MockClock) -> None:
    memory = RequestMemory(100)
    holder = Connection(memory, 100, 0.0)
    async with trio.open_nursery() as nursery:
        with trio.move_on_after(0.9 * MEMORY_WAIT_S):
            async with trio.open_nursery() as leaving:
                leaving.start_soon(memory.wait_for_room, Connection(memory, 0, 0.0))
                await wait_all_tasks_blocked()
                nursery.start_soon(memory.wait_for_room, Connection(memory, 0, 0.0))
        assert holder.is_open
    assert not holder.is_open
    assert trio.current_time() == pytest.approx(MEMORY_WAIT_S)


LARGE = memoryview(bytes(30_000_000))
"""More than all buffers of a socket take if nobody reads."""


async def serve_large(request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
    await trio.lowlevel.checkpoint()
    return [LARGE]


async def test_peers_that_do_not_read_their_responses_hold_up_no_requests() -> None:
    memory = RequestMemory(1 << 20)
    async with listening(serve_large, memory=memory) as (listener, port), trio.open_nursery() as nursery:
        stalled = [await trio.open_tcp_stream("127.0.0.1", port) for _ in range(2)]
        for each in stalled:
            nursery.start_soon(each.send_all, request(1, bytes(500_000)))
        await wait_until(
            lambda: [pump._memory.response_bytes > 0 for pump in listener._pumps.values()] == [True] * 2
        )
        assert memory.used_bytes == 0
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            await stream.send_all(request(2, bytes(100_000)))
            with trio.fail_after(10):
                assert await stream.receive_some()
        for each in stalled:
            await each.aclose()


async def test_who_does_not_read_and_sends_on_has_to_go_for_the_requests_of_others(
    autojump_clock: MockClock,
) -> None:
    autojump_clock.autojump_threshold = 0.02
    memory = RequestMemory(READ_AHEAD_BYTES)
    async with (
        listening(serve_large, memory=memory) as (_, port),
        await trio.open_tcp_stream("127.0.0.1", port) as stalled,
        await trio.open_tcp_stream("127.0.0.1", port) as stream,
    ):
        await stalled.send_all(request(1) + request(2, bytes(2 * READ_AHEAD_BYTES)))
        await wait_until(lambda: memory.is_full)
        await stream.send_all(request(3, bytes(20_000)))
        with trio.fail_after(5 * MEMORY_WAIT_S):
            assert await stream.receive_some()
        assert memory.used_bytes == 0


class Reader:
    """A connection whose response is not read."""

    host = "127.0.0.1"
    idle_since: float | None = None

    def __init__(self, unread: UnreadResponses, size: int) -> None:
        self.is_open = True
        unread.hold(self, size)

    def has_left(self) -> bool:
        raise AssertionError("nobody asks")

    def give_up_request(self) -> None:
        raise AssertionError("it holds none")

    def give_up_response(self) -> None:
        self.is_open = False


async def test_who_took_nothing_for_longest_goes_if_responses_take_too_much() -> None:
    unread = UnreadResponses(100)
    first, second, third = (Reader(unread, 30) for _ in range(3))
    # It took some, so that the second has waited longest.
    unread.hold(first, 30)
    fourth = Reader(unread, 70)
    assert [each.is_open for each in (first, second, third, fourth)] == [True, False, False, True]
    assert unread.used_bytes == 100
    for each in (first, second, third, fourth):
        unread.release(each)
    assert unread.used_bytes == 0


async def test_one_response_is_sent_however_large_it_is() -> None:
    unread = UnreadResponses(100)
    alone = Reader(unread, 500)
    unread.hold(alone, 500)
    assert alone.is_open
    other = Reader(unread, 1)
    assert (alone.is_open, other.is_open, unread.used_bytes) == (False, True, 1)


async def test_responses_that_nobody_reads_take_no_more_than_is_allowed_and_who_reads_is_served(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, logger=LOGGER)
    unread = UnreadResponses(3 * len(LARGE) + 1000)
    most = 0
    async with listening(serve_large, unread=unread) as (listener, port):
        reader = await trio.open_tcp_stream("127.0.0.1", port)
        # Or the system may take all of it for one that reads.
        reader.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        await reader.send_all(request(1))
        left = len(echo(1, b"")) + len(LARGE)
        stalled = []
        for _ in range(8):
            # Little by little, while others ask and read nothing.
            await receive_exactly(reader, len(LARGE) // 20)
            left -= len(LARGE) // 20
            await wait_all_tasks_blocked(0.01)
            stalled.append(await trio.open_tcp_stream("127.0.0.1", port))
            await stalled[-1].send_all(request(2))
            await wait_all_tasks_blocked(0.01)
            most = max(most, unread.used_bytes)
        # With the reader's two others fit.
        await wait_until(lambda: listener.statistics().open_connections == 1 + 2)
        assert 2 * len(LARGE) < most <= 3 * len(LARGE) + 1000
        await receive_exactly(reader, left)
        for stream in (reader, *stalled):
            await trio.aclose_forcefully(stream)
        await wait_until(lambda: listener.statistics().open_connections == 0)
    assert unread.used_bytes == 0
    reason = "unread responses take all memory that there is for them, and this one stalled for longest"
    assert sum(message.endswith(reason) for message in caplog.messages) == len(stalled) - 2


async def test_what_a_closed_connection_held_does_not_wait_for_the_collector() -> None:
    async def serve(request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
        await trio.lowlevel.checkpoint()
        return [bytes(20_000_000)]

    async with listening(serve, unread=UnreadResponses(1)) as (listener, port):
        first = await trio.open_tcp_stream("127.0.0.1", port)
        await first.send_all(request(1))
        await wait_until(
            lambda: [pump._memory.response_bytes > 0 for pump in listener._pumps.values()] == [True]
        )
        closed = weakref.ref(next(iter(listener._pumps.values())))
        gc.disable()
        try:
            second = await trio.open_tcp_stream("127.0.0.1", port)
            await second.send_all(request(2))
            await wait_until(lambda: [*listener._pumps] == [2])
            await wait_all_tasks_blocked(0.01)
            assert closed() is None
        finally:
            gc.enable()
            for stream in (first, second):
                await trio.aclose_forcefully(stream)


async def test_a_request_that_waits_for_its_response_counts_until_then() -> None:
    memory = RequestMemory()
    go_on = trio.Event()

    async def serve(request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
        await go_on.wait()
        return [b"done"]

    body = bytes(100_000)
    async with (
        listening(serve, memory=memory) as (_, port),
        await trio.open_tcp_stream("127.0.0.1", port) as stream,
    ):
        await stream.send_all(request(1, body) + struct.pack(">i", 50))
        await wait_until(lambda: memory.used_bytes >= len(request(1, body)))
        go_on.set()
        await receive_exactly(stream, len(echo(1, b"done")))
        await wait_until(lambda: memory.used_bytes == 0)


@pytest.mark.parametrize("is_busy", [False, True])
async def test_single_bytes_are_not_remembered_one_by_one(is_busy: bool) -> None:
    async def serve(request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
        await trio.sleep_forever()
        raise AssertionError("unreachable")

    async with (
        listening(serve) as (listener, port),
        await trio.open_tcp_stream("127.0.0.1", port) as stream,
    ):
        if is_busy:
            await stream.send_all(request(1))
        await wait_until(lambda: listener.statistics().open_connections == 1)
        (pump,) = listener._pumps.values()
        await wait_all_tasks_blocked(0.01)
        first = pump._exchange.arrivals.received_bytes

        def has_received(count: int) -> bool:
            return pump._exchange.arrivals.received_bytes >= count

        for count, byte in enumerate(request(2, bytes(500))[:-1], 1):
            await stream.send_all(bytes([byte]))
            await wait_until(partial(has_received, first + count))
        assert len(pump._exchange.arrivals) == MAX_ARRIVALS
