"""The memory that requests of all connections share: counted, waited for, taken back."""

from __future__ import annotations

import logging
import struct
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from server.net.limits import MAX_ARRIVALS, MEMORY_PATIENCE_S, READ_AHEAD_BYTES, UNCOUNTED_BYTES
from server.net.memory import RequestMemory
from server.net.pump import ConnectionInfo, Request
from server.ports import Buffer
from tests.net.support import (
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
    def __init__(self, memory: RequestMemory, size: int, idle_since: float | None) -> None:
        self._memory = memory
        self.idle_since = idle_since
        self.is_open = True
        memory.hold(self, size)

    def give_up_request(self) -> None:
        self.is_open = False
        self._memory.hold(self, 0)


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
        await memory.wait_for_room()


async def test_who_waits_goes_on_as_soon_as_another_lets_go(autojump_clock: MockClock) -> None:
    memory = RequestMemory(100)
    other = Connection(memory, 100, None)
    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(memory.wait_for_room)
        await wait_all_tasks_blocked()
        memory.hold(other, 50)
    assert trio.current_time() < MEMORY_PATIENCE_S


async def test_one_after_the_other_of_those_that_hold_on_is_closed(autojump_clock: MockClock) -> None:
    memory = RequestMemory(100)
    waiting = Connection(memory, 90, None)
    newer, older = Connection(memory, 60, 2.0), Connection(memory, 60, 1.0)
    async with trio.open_nursery() as nursery:
        for _ in range(5):
            nursery.start_soon(memory.wait_for_room)
        await trio.sleep(1.5 * MEMORY_PATIENCE_S)
        # Though five of them waited.
        assert [each.is_open for each in (waiting, newer, older)] == [True, True, False]
    assert [each.is_open for each in (waiting, newer, older)] == [True, False, False]


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
        strangers = [await trio.open_tcp_stream("127.0.0.1", port) for _ in range(6)]
        for stranger in strangers:
            nursery.start_soon(send_but_a_byte, stranger, bytes(size))
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
        assert most < memory._limit_bytes + len(strangers) * READ_AHEAD_BYTES
        for stranger in strangers:
            await trio.aclose_forcefully(stranger)
        await wait_until(lambda: listener.statistics().open_connections == 0)
    assert memory.used_bytes == 0
    reason = "requests take all memory that there is for them, and this one is incomplete"
    assert any(message.endswith(reason) for message in caplog.messages)


async def test_a_request_that_waits_for_its_answer_counts_until_then() -> None:
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
        first = pump._received_bytes

        def has_received(count: int) -> bool:
            return pump._received_bytes >= count

        for count, byte in enumerate(request(2, bytes(500))[:-1], 1):
            await stream.send_all(bytes([byte]))
            await wait_until(partial(has_received, first + count))
        assert len(pump._arrivals) == MAX_ARRIVALS
