"""What the network in memory promises."""

from __future__ import annotations

import random

import pytest
import trio

from kafkaproto_server.shell.net.network import SocketOptions
from tests.sim.nodes.network import CAPACITY_BYTES, NetHost, SimListening, SimStream
from tests.sim.nodes.two_machines import play

PORT = 9092


async def connected(a: NetHost, b: NetHost) -> tuple[SimStream, SimStream]:
    """Both ends of a connection."""
    listening: SimListening
    (listening,) = await b.listen("b", PORT, SocketOptions())
    mine = await a.connect("b", PORT)
    theirs = (await listening.accept()).stream(trio.lowlevel.checkpoint)
    return mine, theirs


async def receive(stream: SimStream, size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = await stream.receive_some(1000)
        assert piece, f"the stream ended after {len(data)} bytes"
        data += piece
    return data


@pytest.mark.parametrize("seed", range(5))
def test_bytes_arrive_in_order_and_no_faster_than_they_are_read(seed: int) -> None:
    data = random.Random(seed).randbytes(3 * CAPACITY_BYTES)

    async def scene(a: NetHost, b: NetHost) -> None:
        mine, theirs = await connected(a, b)
        assert mine.send_now(data) == CAPACITY_BYTES
        assert mine.send_now(b"x") == 0
        async with trio.open_nursery() as nursery:
            nursery.start_soon(mine.send_all, data[CAPACITY_BYTES:])
            assert await receive(theirs, len(data)) == data
        mine.close()
        assert await theirs.receive_some(1) == b""

    play(scene, seed)


def test_what_a_cut_holds_back_arrives_afterwards_and_in_order() -> None:
    async def scene(a: NetHost, b: NetHost) -> None:
        mine, theirs = await connected(a, b)
        a.net.cut(a, b)
        await mine.send_all(b"first ")
        await trio.sleep(10)
        await mine.send_all(b"second")
        assert theirs.receive_now(100) is None
        # The other direction is whole.
        await theirs.send_all(b"back")
        assert await receive(mine, 4) == b"back"
        a.net.join(a, b)
        assert await receive(theirs, 12) == b"first second"

    play(scene)


def test_a_killed_process_is_noticed_at_once() -> None:
    async def scene(a: NetHost, b: NetHost) -> None:
        mine, _ = await connected(a, b)
        b.process_ended()
        with pytest.raises(trio.BrokenResourceError):
            await mine.receive_some(1)
        with pytest.raises(ConnectionRefusedError):
            await a.connect("b", PORT)

    play(scene)


def test_a_machine_without_power_says_nothing_and_knows_nothing_when_it_is_back() -> None:
    async def scene(a: NetHost, b: NetHost) -> None:
        mine, _ = await connected(a, b)
        b.lose_power()
        await mine.send_all(b"lost")
        await trio.sleep(20)
        assert not mine.has_input()
        with trio.move_on_after(5) as attempt:
            await a.connect("b", PORT)
        assert attempt.cancelled_caught
        b.is_powered = True
        # Nothing was sent since, so nothing tells.
        await trio.sleep(5)
        assert not mine.has_input()
        await mine.send_all(b"again")
        with pytest.raises(trio.BrokenResourceError):
            await mine.receive_some(1)

    play(scene)


def test_descriptors_run_out_and_come_back() -> None:
    async def scene(a: NetHost, b: NetHost) -> None:
        a.descriptor_limit = 5
        (listening,) = await b.listen("", PORT, SocketOptions())
        first, _ = [await a.connect("b", PORT) for _ in range(2)]
        with pytest.raises(OSError, match="Too many open files"):
            await a.connect("b", PORT)
        first.close()
        await a.connect("b", PORT)
        for _ in range(3):
            assert (await listening.accept()).peer() is not None

    play(scene)


def test_a_name_that_nobody_answers_for_is_waited_for_and_an_unknown_one_is_not() -> None:
    async def scene(a: NetHost, b: NetHost) -> None:
        await b.listen("b", PORT, SocketOptions())
        with pytest.raises(OSError, match="not known"):
            await a.connect("c", PORT)
        a.net.silent_names["b"] = None
        with trio.move_on_after(30) as attempt:
            await a.connect("b", PORT)
        assert attempt.cancelled_caught
        a.net.join_all()
        await a.connect("b", PORT)

    play(scene)
