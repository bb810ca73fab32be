"""Many connections together do not hold the loop either: not when their requests come in one pass, nor when they end.

Pumps on sockets of this machine, served as a node does; the CPU time of each pass of the loop is measured.
"""

from __future__ import annotations

import gc
import os
import struct
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kafkaproto.api import api_by_key
from kafkaproto.connection import ServerConnection
from kafkaproto.headers import encode_request_header
from kafkaproto.message import Message
from kafkaproto.messages import MetadataRequest, VoteRequest, VoteResponse
from kafkaproto_server.apis.table import served_versions
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.base.metrics.requests import RequestMetrics
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.requests.context import RequestContext, Response
from kafkaproto_server.shell.net.connections import ConnectionInfo
from kafkaproto_server.shell.net.passes import LET_ON_A_PASS, Passes
from kafkaproto_server.shell.net.pump import Allowance, Pump
from kafkaproto_server.shell.net.streams import SocketBytes
from kafkaproto_server.shell.process.collector_pauses import CollectorPauses
from kafkaproto_server.shell.serving.dispatch import Dispatcher
from kafkaproto_server.shell.serving.slices import Slices
from tests.apis.support.services import golden, services
from tests.shell.net.support.connections import framed, receive_exactly, wait_until

LONGEST_PASS_MS = 50
CONNECTIONS = 150
REQUESTS = 4
"""Of each connection: together they take half a second."""

VOTE_PASSES = 3 * (CONNECTIONS // LET_ON_A_PASS + 1)
"""Passes until a voter has its answer: all connections of its host are read, and it is answered."""

pytestmark = [pytest.mark.trio, pytest.mark.slow]


@dataclass(eq=False)
class PassTimes(trio.abc.Instrument):
    """The CPU time of each pass of the loop."""

    passes_ms: list[float] = field(default_factory=list)
    began: float = field(default_factory=time.thread_time)

    def after_io_wait(self, timeout: float) -> None:
        self.began = time.thread_time()

    def before_io_wait(self, timeout: float) -> None:
        self.passes_ms.append((time.thread_time() - self.began) * 1000)


def vote(request: Message, context: RequestContext) -> Deferred[Response]:
    reply: Deferred[Response] = Deferred()
    reply.resolve(VoteResponse())
    return reply


class Server:
    """Connections of both kinds of listeners, served as those of a node are."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self._nursery = nursery
        self._passes = Passes()
        self._slices = Slices(self._passes)
        self._dispatcher = Dispatcher(services(golden().image, answer=vote), slices=self._slices)
        self._streams: list[trio.SocketStream] = []
        self.open = 0

    @property
    def waiting(self) -> int:
        """Requests that are not served yet."""
        return self._slices.waiting

    async def start(self) -> None:
        await self._nursery.start(self._passes.run)
        await self._nursery.start(self._slices.run)

    def connect(self, kind: ListenerKind = ListenerKind.BROKER) -> trio.SocketStream:
        """The other end of a new connection."""
        ours, theirs = trio.socket.socketpair()
        self.open += 1
        self._nursery.start_soon(self._serve, trio.SocketStream(ours), kind, self.open)
        self._streams.append(trio.SocketStream(theirs))
        return self._streams[-1]

    def hang_up(self) -> None:
        """Close the other ends."""
        for stream in self._streams:
            stream.socket.close()

    async def _serve(self, stream: trio.SocketStream, kind: ListenerKind, number: int) -> None:
        info = ConnectionInfo(
            connection_id=number,
            listener_name=kind.value,
            listener_kind=kind,
            peer_host="127.0.0.1",
            peer_port=4321,
        )
        wait_turn = partial(self._passes.wait_turn, info.peer_host)
        pump = Pump(
            stream=SocketBytes(stream, wait_turn),
            connection=ServerConnection(partial(served_versions, kind), max_request_size=1 << 20),
            info=info,
            serve=self._dispatcher.serve,
            metrics=RequestMetrics(),
            allowance=Allowance(idle_timeout_ms=60_000, wait_turn=wait_turn),
        )
        try:
            await pump.run()
        finally:
            self._dispatcher.connection_ended(info)
            self.open -= 1


@asynccontextmanager
async def serving() -> AsyncIterator[Server]:
    """A server, with the collector as a node has it."""
    gc.collect()
    gc.freeze()
    pauses = CollectorPauses()
    pauses.start()
    try:
        async with trio.open_nursery() as nursery:
            server = Server(nursery)
            await server.start()
            yield server
            server.hang_up()
            nursery.cancel_scope.cancel()
    finally:
        pauses.stop()
        gc.unfreeze()


def request(message: Message, version: int) -> bytes:
    assert message.API_KEY is not None
    api = api_by_key(message.API_KEY)
    assert api is not None
    header = encode_request_header(api_key=api.key, api_version=version, correlation_id=7, client_id="client")
    return framed(header + message.encode(version))


async def read_responses(stream: trio.SocketStream, count: int) -> None:
    for _ in range(count):
        (size,) = struct.unpack(">i", await receive_exactly(stream, 4))
        await receive_exactly(stream, size)


LONG_REQUEST = request(MetadataRequest(topics=[MetadataRequest.Topic(name="")] * 1_980), 9)
"""As much to do as so short a request can make."""


@contextmanager
def measured() -> Iterator[PassTimes]:
    times = PassTimes()
    trio.lowlevel.add_instrument(times)
    try:
        yield times
    finally:
        trio.lowlevel.remove_instrument(times)


async def best_of(attempt: Callable[[], Awaitable[float]]) -> float:
    """The least of three values, fewer if one is good: other programs make the same work take longer at times."""
    best = await attempt()
    for _ in range(2):
        if best > LONGEST_PASS_MS:
            best = min(best, await attempt())
    return best


async def test_requests_of_many_connections_in_one_pass_do_not_hold_the_loop() -> None:
    async def attempt() -> float:
        async with serving() as server:
            streams = [server.connect() for _ in range(CONNECTIONS)]
            await wait_all_tasks_blocked()
            with measured() as times:
                for stream in streams:
                    os.write(stream.socket.fileno(), LONG_REQUEST * REQUESTS)
                async with trio.open_nursery() as nursery:
                    for stream in streams:
                        nursery.start_soon(read_responses, stream, REQUESTS)
        assert sum(times.passes_ms) > LONGEST_PASS_MS
        return max(times.passes_ms)

    assert await best_of(attempt) <= LONGEST_PASS_MS


async def test_a_voter_is_answered_within_a_few_passes_while_many_connections_ask() -> None:
    async with serving() as server:
        voter = server.connect(ListenerKind.CONTROLLER)
        streams = [server.connect() for _ in range(CONNECTIONS)]
        await wait_all_tasks_blocked()
        for stream in streams:
            os.write(stream.socket.fileno(), LONG_REQUEST * REQUESTS)
        # The others are read by now, and most of them wait to be served.
        for _ in range(10):
            await trio.lowlevel.checkpoint()
        with measured() as times:
            await voter.send_all(request(VoteRequest(), 1))
            await read_responses(voter, 1)
        assert server.waiting > CONNECTIONS // 2
    assert len(times.passes_ms) <= VOTE_PASSES


async def test_connections_that_end_together_do_not_hold_the_loop() -> None:
    async def attempt() -> float:
        async with serving() as server:
            streams = [server.connect() for _ in range(CONNECTIONS)]
            await wait_all_tasks_blocked()
            for stream in streams:
                os.write(stream.socket.fileno(), LONG_REQUEST * REQUESTS)
            for _ in range(10):
                await trio.lowlevel.checkpoint()
            with measured() as times:
                server.hang_up()
                await wait_until(lambda: not server.open)
        return max(times.passes_ms)

    assert await best_of(attempt) <= LONGEST_PASS_MS
