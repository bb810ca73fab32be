"""Listeners on real loopback sockets: binding, many connections, limits, shortages, stopping.

Tests: `shell.net.network`.
"""

from __future__ import annotations

import errno
import logging
import os
import struct
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from socket import IPPROTO_TCP, SO_RCVBUF, SO_SNDBUF, SOL_SOCKET, TCP_NOTSENT_LOWAT
from typing import Any

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.shell.net.admission import Admission, AdmissionLimits, Door, Place
from kafkaproto_server.shell.net.connections import ConnectionInfo, Request, Respond
from kafkaproto_server.shell.net.limits import ACCEPT_BACKOFF_MS, GIVES_WAY_AFTER_S, UNSENT_BYTES
from kafkaproto_server.shell.net.listener import Acceptor, Listener, bind_listener
from kafkaproto_server.shell.net.network import Incoming, SocketOptions, TcpIncoming
from kafkaproto_server.shell.net.passes import Passes, WaitTurn
from kafkaproto_server.shell.net.streams import ByteStream
from tests.shell.net.support.connections import (
    LOGGER,
    SERVED,
    echo,
    in_task,
    is_closed,
    listening,
    receive_exactly,
    request,
    serve_echo,
    settings,
    wait_until,
)

pytestmark = pytest.mark.trio


async def ask(stream: trio.abc.Stream, number: int = 1) -> None:
    """One request and its answer."""
    await stream.send_all(request(number, b"hello"))
    assert await receive_exactly(stream, len(echo(number, b"hello"))) == echo(number, b"hello")


async def test_a_listener_reports_its_port_and_serves_there() -> None:
    seen: list[ConnectionInfo] = []

    async def serve(request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
        seen.append(connection)
        return await serve_echo(request, connection)

    async with listening(serve) as (listener, port):
        assert port > 0
        for _ in range(2):
            stream = await trio.open_tcp_stream("127.0.0.1", port)
            async with stream:
                await ask(stream)
                local_port = stream.socket.getsockname()[1]
            assert seen[-1].peer_host == "127.0.0.1"
            assert seen[-1].peer_port == local_port
        assert listener.statistics().accepted_connections == 2
    assert [info.connection_id for info in seen] == [1, 2]
    assert {(info.listener_name, info.listener_kind) for info in seen} == {("PLAINTEXT", ListenerKind.BROKER)}
    assert listener.statistics().open_connections == 0


@pytest.mark.parametrize("in_order", [True, False])
async def test_whoever_wants_to_know_learns_that_a_connection_ended(in_order: bool) -> None:
    ended: list[ConnectionInfo] = []
    async with listening(serve_echo, connection_ended=ended.append) as (_, port):
        kept = await trio.open_tcp_stream("127.0.0.1", port)
        await ask(kept)
        stream = await trio.open_tcp_stream("127.0.0.1", port)
        await ask(stream)
        assert ended == []
        if not in_order:
            # Closed with this, a socket is reset.
            stream.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_LINGER, struct.pack("ii", 1, 0))
        local_port = stream.socket.getsockname()[1]
        await stream.aclose()
        with trio.fail_after(5):
            while not ended:
                await trio.sleep(0.001)
        assert [(info.connection_id, info.peer_port) for info in ended] == [(2, local_port)]
        await ask(kept)
        await kept.aclose()


class NotedPasses(Passes):
    """Notes the hosts whose connections wait for their turn, and lets them on."""

    def __init__(self) -> None:
        super().__init__()
        self.hosts: list[str] = []

    async def wait_turn(self, host: str) -> None:
        self.hosts.append(host)


async def test_a_connection_waits_for_its_turn_to_be_read() -> None:
    passes = NotedPasses()
    async with listening(serve_echo, passes=passes) as (_, port):
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            await ask(stream)
        assert {*passes.hosts} == {"127.0.0.1"}


async def test_a_connection_that_was_idle_for_too_long_waits_for_its_turn_to_end() -> None:
    passes = NotedPasses()
    async with listening(serve_echo, passes=passes, idle_timeout_ms=1) as (_, port):
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            # Nothing was ever read from it.
            assert await is_closed(stream)
        assert passes.hosts == ["127.0.0.1"]


async def test_many_connections_are_served_at_once() -> None:
    together = 100
    arrived = trio.Event()
    waiting = 0

    async def serve(request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
        nonlocal waiting
        waiting += 1
        if waiting == together:
            arrived.set()
        # Nobody is answered before all are being served.
        await arrived.wait()
        return await serve_echo(request, connection)

    async def run_client(port: int, number: int) -> None:
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            await ask(stream, number)

    async with listening(serve) as (listener, port):
        async with trio.open_nursery() as nursery:
            for number in range(together):
                nursery.start_soon(run_client, port, number)
        assert listener.statistics().accepted_connections == together


async def test_every_address_of_the_machine_is_served_where_no_host_is_named() -> None:
    async with (
        listening(serve_echo, host="") as (_, port),
        await trio.open_tcp_stream("127.0.0.1", port) as stream,
    ):
        await ask(stream)


async def test_a_name_with_several_addresses_has_one_port() -> None:
    async with (
        listening(serve_echo, host="localhost") as (_, port),
        await trio.open_tcp_stream("localhost", port) as stream,
    ):
        await ask(stream)


async def test_a_listener_that_is_bound_lets_peers_wait_until_it_runs() -> None:
    listener = Listener(settings(), served_versions=SERVED.get, serve=in_task(serve_echo))
    with pytest.raises(AssertionError, match="not bound"):
        _ = listener.port
    port = await listener.bind()
    assert listener.port == port
    assert not listener.is_running
    async with trio.open_nursery() as nursery, await trio.open_tcp_stream("127.0.0.1", port) as stream:
        await stream.send_all(request(1, b"hello"))
        assert await nursery.start(listener.run) == port
        assert listener.is_running
        assert await receive_exactly(stream, len(echo(1, b"hello"))) == echo(1, b"hello")
        await listener.stop(1_000)
        assert not listener.is_running


async def test_a_port_in_use_is_an_error_that_names_listener_and_address() -> None:
    async with listening(serve_echo) as (_, port):
        taken = Listener(
            settings(name="CONTROLLER", port=port), served_versions=SERVED.get, serve=in_task(serve_echo)
        )
        with pytest.raises(
            OSError, match=f"listener CONTROLLER cannot listen on 127.0.0.1:{port}: "
        ) as caught:
            await taken.run()
        assert caught.value.errno == errno.EADDRINUSE


@pytest.mark.parametrize("size", [50_000, None])
async def test_connections_have_the_buffers_that_are_asked_for(size: int | None) -> None:
    accepted = trio.Event()
    found: list[int] = []

    def stream(incoming: Incoming, wait_turn: WaitTurn) -> ByteStream:
        assert isinstance(incoming, TcpIncoming)
        made = incoming.stream(wait_turn)
        of = incoming.socket_stream
        found.extend(of.getsockopt(SOL_SOCKET, each) for each in (SO_SNDBUF, SO_RCVBUF))
        found.append(of.getsockopt(IPPROTO_TCP, TCP_NOTSENT_LOWAT))
        accepted.set()
        return made

    options = SocketOptions(send_buffer_bytes=size, receive_buffer_bytes=size)
    async with (
        listening(serve_echo, make_stream=stream, socket_options=options) as (_, port),
        await trio.open_tcp_stream("127.0.0.1", port),
    ):
        await accepted.wait()
    assert found[2] == UNSENT_BYTES
    # Linux doubles what it is told, for its own needs.
    assert (found[:2] == [100_000, 100_000]) is (size is not None)


async def test_a_host_that_is_not_ours_is_an_error_that_names_it() -> None:
    with pytest.raises(OSError, match=r"listener X cannot listen on no\.such\.host\.invalid:0: "):
        await bind_listener("X", "no.such.host.invalid", 0)


async def test_connections_beyond_the_limit_wait_for_one_to_end(caplog: pytest.LogCaptureFixture) -> None:
    async with listening(serve_echo, max_connections=2) as (listener, port):
        streams = []
        for _ in range(2):
            streams.append(await trio.open_tcp_stream("127.0.0.1", port))
            await ask(streams[-1])
        for _ in range(2):
            streams.append(await trio.open_tcp_stream("127.0.0.1", port))
            await streams[-1].send_all(request(7, b"hello"))
        await wait_all_tasks_blocked(0.01)
        assert listener.statistics().open_connections == 2
        response = echo(7, b"hello")
        for leaving, waiting in ((streams[0], streams[2]), (streams[1], streams[3])):
            await leaving.aclose()
            assert await receive_exactly(waiting, len(response)) == response
        for stream in streams[2:]:
            await stream.aclose()
    # Not once for each connection that came and went at the limit.
    assert caplog.messages == [
        "listener PLAINTEXT has reached its limit of 2 connections: idle ones are closed, new ones wait"
    ]


@asynccontextmanager
async def accepted_stream() -> AsyncIterator[trio.SocketStream]:
    """Our end of a connection."""
    (socket,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with socket, await trio.open_tcp_stream("127.0.0.1", socket.socket.getsockname()[1]):
        yield await socket.accept()


def door(limits: AdmissionLimits | None = None) -> Door:
    return Admission(limits or AdmissionLimits()).door("PLAINTEXT", ListenerKind.BROKER)


class ShortListener:
    """Stands for a listening socket of a process that is out of file descriptors for a while."""

    def __init__(self, failures: list[OSError], stream: trio.SocketStream) -> None:
        self.failures = failures
        self.stream: trio.SocketStream | None = stream
        self.socket = trio.socket.socket()

    def close(self) -> None:
        self.socket.close()

    async def wait_readable(self) -> None:
        await trio.lowlevel.wait_readable(self.socket)

    async def accept(self) -> TcpIncoming:
        await trio.lowlevel.checkpoint()
        if self.failures:
            raise self.failures.pop(0)
        if self.stream is None:
            await trio.sleep_forever()
        stream, self.stream = self.stream, None
        return TcpIncoming(stream)


async def test_a_shortage_of_file_descriptors_is_waited_out_and_said_once(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    # The clock jumps only after 20 ms in which no socket did anything.
    autojump_clock.autojump_threshold = 0.02
    codes = [errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM]
    accepted: list[Incoming] = []

    async def run_connection(incoming: Incoming, place: Place) -> None:
        accepted.append(incoming)
        incoming.close()

    async with accepted_stream() as stream, trio.open_nursery() as nursery:
        short = ShortListener([OSError(code, os.strerror(code)) for code in codes], stream)
        sockets: list[Any] = [short]
        nursery.start_soon(Acceptor(door(), sockets).run, nursery, run_connection)
        await wait_all_tasks_blocked()
        while not accepted:
            await trio.sleep(ACCEPT_BACKOFF_MS / 1000)
        nursery.cancel_scope.cancel()
    assert trio.current_time() == pytest.approx(len(codes) * ACCEPT_BACKOFF_MS / 1000, rel=0.3)
    assert [record.getMessage() for record in caplog.records] == [
        f"listener PLAINTEXT cannot accept connections: [Errno {errno.EMFILE}] Too many open files; it keeps trying"
    ]
    assert short.socket.fileno() == -1


async def test_a_shortage_of_file_descriptors_closes_a_connection_that_asks_nothing() -> None:
    asked: list[str] = []

    class Silent:
        idle_since = None

        def give_way(self) -> None:
            asked.append("to give way")

    entrance = door()
    place = entrance.enter("127.0.0.1", 5)
    assert isinstance(place, Place)
    place.occupy(Silent())

    async def run_connection(incoming: Incoming, place: Place) -> None:
        incoming.close()

    async with accepted_stream() as stream, trio.open_nursery() as nursery:
        sockets: list[Any] = [ShortListener([OSError(errno.EMFILE, "too many")], stream)]
        nursery.start_soon(Acceptor(entrance, sockets).run, nursery, run_connection)
        with trio.fail_after(5):
            while not asked:
                await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()
    await trio.aclose_forcefully(stream)
    assert asked == ["to give way"]


async def test_another_failure_of_accepting_is_not_swallowed() -> None:
    async def run_connection(incoming: Incoming, place: Place) -> None:
        raise AssertionError("nothing is accepted")

    async with accepted_stream() as stream:
        broken = ShortListener([OSError(errno.EBADF, "gone")], stream)
        sockets: list[Any] = [broken]
        with pytest.RaisesGroup(pytest.RaisesExc(OSError, match="gone"), flatten_subgroups=True):
            async with trio.open_nursery() as nursery:
                await Acceptor(door(), sockets).run(nursery, run_connection)
        await stream.aclose()
    assert broken.socket.fileno() == -1


async def test_a_connection_beyond_its_addresss_limit_is_closed_at_once_and_others_are_not(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, logger=LOGGER)
    limits = AdmissionLimits(max_per_address=1)
    async with listening(serve_echo, admission=Admission(limits)) as (_, port):
        first = await trio.open_tcp_stream("127.0.0.1", port)
        await ask(first)
        async with await trio.open_tcp_stream("127.0.0.1", port) as second:
            assert await is_closed(second)
        async with await trio.open_tcp_stream("127.0.0.1", port, local_address="127.0.0.2") as other:
            await ask(other)
        await first.aclose()
    assert [message for message in caplog.messages if "refused" in message] == [
        "refused a connection of 127.0.0.1 to listener PLAINTEXT: its address has its 1 connections"
        " (max.connections.per.ip)"
    ]


async def test_a_connection_that_says_nothing_gives_way_and_one_that_reads_no_response_does_later(
    autojump_clock: MockClock,
) -> None:
    autojump_clock.autojump_threshold = 0.02

    async def serve(request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
        return [bytes(64 << 20)] if connection.connection_id == 1 else await serve_echo(request, connection)

    async with listening(serve, max_connections=2) as (listener, port):
        stalled = await trio.open_tcp_stream("127.0.0.1", port)
        await stalled.send_all(request(1))
        silent = await trio.open_tcp_stream("127.0.0.1", port)
        await wait_until(lambda: listener.statistics().open_connections == 2)
        async with await trio.open_tcp_stream("127.0.0.1", port) as third:
            await ask(third)
            assert await is_closed(silent)
            assert trio.current_time() < GIVES_WAY_AFTER_S
            async with await trio.open_tcp_stream("127.0.0.1", port) as fourth:
                await fourth.send_all(request(1, b"hello"))
                await third.send_all(request(2, b"hello"))
                assert await receive_exactly(fourth, len(echo(1, b"hello"))) == echo(1, b"hello")
                assert trio.current_time() >= GIVES_WAY_AFTER_S
                await receive_exactly(third, len(echo(2, b"hello")))
        await stalled.aclose()
        await silent.aclose()


class SlowServe:
    """Answers when told to."""

    def __init__(self) -> None:
        self.serving = trio.Event()
        self.go_on = trio.Event()

    async def __call__(self, request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
        self.serving.set()
        await self.go_on.wait()
        return await serve_echo(request, connection)


async def test_stopping_answers_what_is_in_progress_and_closes_what_is_idle() -> None:
    serve = SlowServe()
    async with listening(serve) as (listener, port), trio.open_nursery() as nursery:
        idle = await trio.open_tcp_stream("127.0.0.1", port)
        busy = await trio.open_tcp_stream("127.0.0.1", port)
        await busy.send_all(request(1, b"hello"))
        await serve.serving.wait()
        nursery.start_soon(listener.stop, 60_000)
        assert await is_closed(idle)
        with pytest.raises(OSError, match="failed"):
            await trio.open_tcp_stream("127.0.0.1", port)
        serve.go_on.set()
        assert await receive_exactly(busy, len(echo(1, b"hello"))) == echo(1, b"hello")
        assert await is_closed(busy)
        await idle.aclose()
        await busy.aclose()
    assert listener.statistics().open_connections == 0


async def test_stopping_cuts_off_what_takes_longer_than_the_bound() -> None:
    serve = SlowServe()
    async with listening(serve) as (listener, port), await trio.open_tcp_stream("127.0.0.1", port) as busy:
        await busy.send_all(request(1))
        await serve.serving.wait()
        await listener.stop(20)
        assert await is_closed(busy)
    assert listener.statistics().open_connections == 0


async def test_stopping_while_connections_arrive_waits_for_none_of_them() -> None:
    # Tasks run in random order, so some rounds meet a connection at every step of being accepted.
    for number in range(48):
        listener = Listener(settings(), served_versions=SERVED.get, serve=in_task(serve_echo))
        port = await listener.bind()
        streams = [await trio.open_tcp_stream("127.0.0.1", port) for _ in range(3)]
        with trio.fail_after(10):
            async with trio.open_nursery() as nursery:
                await nursery.start(listener.run)
                for _ in range(number % 8):
                    await trio.lowlevel.checkpoint()
                await listener.stop(60_000)
        for stream in streams:
            assert await is_closed(stream)
            await stream.aclose()


async def test_a_connection_that_was_reset_before_it_was_accepted_is_passed_over() -> None:
    listener = Listener(settings(), served_versions=SERVED.get, serve=in_task(serve_echo))
    port = await listener.bind()
    gone = await trio.open_tcp_stream("127.0.0.1", port)
    gone.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_LINGER, struct.pack("ii", 1, 0))
    await gone.aclose()
    async with trio.open_nursery() as nursery:
        await nursery.start(listener.run)
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            await ask(stream)
        assert listener.statistics().accepted_connections == 1
        nursery.cancel_scope.cancel()


async def test_a_failure_of_our_own_in_serve_ends_the_listener() -> None:
    def serve(request: Request, connection: ConnectionInfo, respond: Respond) -> None:
        raise AssertionError("our own broken invariant")

    listener = Listener(settings(), served_versions=SERVED.get, serve=serve)
    with pytest.RaisesGroup(
        pytest.RaisesExc(AssertionError, match="our own broken invariant"), flatten_subgroups=True
    ):
        async with trio.open_nursery() as nursery:
            port = await nursery.start(listener.run)
            async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
                await stream.send_all(request(1))
                await trio.sleep_forever()


async def test_log_lines_name_the_listener_and_the_peer(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger=LOGGER)
    async with listening(serve_echo) as (_, port), await trio.open_tcp_stream("127.0.0.1", port) as stream:
        local_port = stream.socket.getsockname()[1]
        await stream.send_all(b"\xff" * 4)
        assert await is_closed(stream)
    assert caplog.messages == [
        f"closed the connection of 127.0.0.1:{local_port} to listener PLAINTEXT:"
        " a frame of -1 bytes is announced, allowed are 1 to 1048576"
    ]
