"""What all connections may take of one pass of the loop."""

from __future__ import annotations

import os
from functools import partial

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kafkaproto_server.shell.net.passes import LET_ON_A_PASS, PASS_S, Passes
from kafkaproto_server.shell.net.streams import SocketBytes
from tests.shell.net.support.connections import wait_until

pytestmark = pytest.mark.trio


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Harness:
    """Passes under a clock of their own, and connections that wait."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.passes = Passes(self.clock)
        self.number = 0
        self.let_on: list[tuple[int, str]] = []
        """The passes in which connections were let on, and which ones."""

    async def connect(self, name: str) -> None:
        await self.passes.wait_turn(name[0])
        self.let_on.append((self.number, name))


class EachPassIsLong(trio.abc.Instrument):
    """Lets each pass be over as soon as it has begun."""

    def __init__(self, harness: Harness) -> None:
        self.bench = harness

    def after_io_wait(self, timeout: float) -> None:
        self.bench.number += 1
        self.bench.clock.now += 2 * PASS_S


async def test_without_run_no_pass_is_over() -> None:
    passes = Passes()
    assert not passes.is_over
    await passes.wait_turn("host")


async def test_a_pass_is_over_after_a_while_and_the_next_one_is_not() -> None:
    harness = Harness()
    async with trio.open_nursery() as nursery:
        await nursery.start(harness.passes.run)
        await trio.lowlevel.checkpoint()
        assert not harness.passes.is_over
        harness.clock.now += PASS_S
        assert harness.passes.is_over
        await trio.lowlevel.checkpoint()
        assert not harness.passes.is_over
        nursery.cancel_scope.cancel()


async def test_connections_that_wait_are_let_on_a_few_a_pass_and_their_hosts_take_turns() -> None:
    harness = Harness()
    names = [f"a{number}" for number in range(3 * LET_ON_A_PASS)] + ["b0", "c0"]
    async with trio.open_nursery() as nursery:
        await nursery.start(harness.passes.run)
        await trio.lowlevel.checkpoint()
        harness.clock.now += PASS_S
        trio.lowlevel.add_instrument(EachPassIsLong(harness))
        async with trio.open_nursery() as connections:
            for name in names:
                connections.start_soon(harness.connect, name)
        nursery.cancel_scope.cancel()
    assert sorted(name for _, name in harness.let_on) == sorted(names)
    numbers = [number for number, _ in harness.let_on]
    assert max(numbers.count(number) for number in numbers) <= LET_ON_A_PASS
    first = [name for number, name in harness.let_on if number == numbers[0]]
    assert {"b0", "c0"} <= {*first}


async def test_who_gives_up_waiting_is_forgotten() -> None:
    harness = Harness()
    async with trio.open_nursery() as nursery:
        await nursery.start(harness.passes.run)
        await trio.lowlevel.checkpoint()
        harness.clock.now += PASS_S
        with trio.CancelScope() as left:
            left.cancel()
            await harness.connect("a0")
        await harness.connect("a1")
        nursery.cancel_scope.cancel()
    assert [name for _, name in harness.let_on] == ["a1"]


async def test_of_many_sockets_with_something_to_read_a_few_are_read_in_a_pass() -> None:
    harness = Harness()
    count = 3 * LET_ON_A_PASS
    reads: list[int] = []

    async def read(stream: SocketBytes) -> None:
        await stream.receive_some(100)
        reads.append(harness.number)

    pairs = [trio.socket.socketpair() for _ in range(count)]
    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(harness.passes.run)
            trio.lowlevel.add_instrument(EachPassIsLong(harness))
            for ours, _ in pairs:
                wait_turn = partial(harness.passes.wait_turn, "host")
                nursery.start_soon(read, SocketBytes(trio.SocketStream(ours), wait_turn))
            await wait_all_tasks_blocked()
            for _, theirs in pairs:
                os.write(theirs.fileno(), b"x")
            await wait_until(lambda: len(reads) == count)
            nursery.cancel_scope.cancel()
    finally:
        for pair in pairs:
            for socket in pair:
                socket.close()
    assert max(reads.count(number) for number in reads) <= LET_ON_A_PASS
