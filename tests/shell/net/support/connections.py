"""What the tests of the network room share: frames by hand, serve functions, a pump on streams in memory."""

from __future__ import annotations

import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import trio

from kafkaproto.connection import IncomingRequest, ServedVersions, ServerConnection
from kafkaproto.errors import RemoteProtocolError
from kafkaproto_server.base.file_part import Sendable, as_buffers
from kafkaproto_server.base.metrics.requests import RequestMetrics
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.shell.net.admission import Admission, AdmissionLimits
from kafkaproto_server.shell.net.connections import (
    CloseConnection,
    ConnectionInfo,
    Outcome,
    Request,
    Respond,
    Serve,
)
from kafkaproto_server.shell.net.limits import RECEIVE_CHUNK_BYTES
from kafkaproto_server.shell.net.listener import (
    ConnectionEnded,
    Listener,
    ListenerConfig,
    MakeStream,
    SharedByListeners,
    plain_stream,
)
from kafkaproto_server.shell.net.memory import RequestMemory, UnreadResponses
from kafkaproto_server.shell.net.passes import Passes, WaitTurn, at_once
from kafkaproto_server.shell.net.pump import Allowance, Pump
from kafkaproto_server.shell.net.streams import ByteStream

SERVED = {18: (0, 4), 52: (0, 2), 60: (0, 1), 1: (4, 18)}
"""Api versions that listeners in these tests serve."""

MAX_REQUEST_SIZE = 1 << 20
IDLE_TIMEOUT_MS = 60_000
LOGGER = "kafkaproto.server.net"


def framed(payload: bytes) -> bytes:
    return struct.pack(">i", len(payload)) + payload


def request(correlation_id: int, body: bytes = b"", *, api_key: int = 60, version: int = 0) -> bytes:
    """A framed request; its body is whatever is given, since nobody here decodes it. DescribeCluster by
    default."""
    return framed(struct.pack(">hhihB", api_key, version, correlation_id, -1, 0) + body)


def echo(correlation_id: int, body: bytes) -> bytes:
    """What `serve_echo` answers to a `request`: correlation id, no tags, the body."""
    return framed(struct.pack(">iB", correlation_id, 0) + body)


ServeTask = Callable[[Request, ConnectionInfo], Awaitable[Sequence[Buffer] | None]]
"""A `Serve` function as a task that may wait, and answers by returning."""


def in_task(serve: ServeTask) -> Serve:
    """Have each request served by a task of its own, and so never answered at once."""

    async def run(request: Request, connection: ConnectionInfo, respond: Respond) -> None:
        outcome: Outcome
        try:
            outcome = await serve(request, connection)
        except (CloseConnection, RemoteProtocolError) as fault:
            outcome = fault
        respond(outcome)

    def start(request: Request, connection: ConnectionInfo, respond: Respond) -> None:
        trio.lowlevel.spawn_system_task(run, request, connection, respond)

    return start


class StreamBytes:
    """A trio stream as a pump takes it. It writes nothing on the spot, as a socket that is full."""

    def __init__(self, stream: trio.StapledStream[Any, Any]) -> None:
        self._stream = stream
        self._arrived: bytes | bytearray = b""

    def send_now(self, data: Sendable) -> int:
        return 0

    async def send_some(self, data: Sendable) -> int:
        (buffer,) = as_buffers([data])
        await self._stream.send_all(buffer)
        return len(data)

    async def wait_readable(self) -> None:
        self._arrived = await self._stream.receive_some(RECEIVE_CHUNK_BYTES)

    def receive_now(self, max_bytes: int) -> bytes | bytearray | None:
        assert len(self._arrived) <= max_bytes, "memory for requests is plentiful here"
        return self._arrived

    def ends_within(self, size_bytes: int) -> bool:
        return False

    def close(self) -> None:
        self._stream.send_stream.close()
        self._stream.receive_stream.close()


async def serve_echo(request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
    await trio.lowlevel.checkpoint()
    assert isinstance(request, IncomingRequest)
    return [memoryview(request.frame)[request.body_offset :]]


def make_pump(
    stream: trio.StapledStream[Any, Any],
    serve: ServeTask,
    *,
    served_versions: ServedVersions = SERVED.get,
    metrics: RequestMetrics | None = None,
    idle_timeout_ms: int = IDLE_TIMEOUT_MS,
    wait_turn: WaitTurn = at_once,
) -> Pump:
    """A pump on a stream in memory; each request is served by a task."""
    return make_plain_pump(
        StreamBytes(stream),
        in_task(serve),
        served_versions=served_versions,
        metrics=metrics,
        idle_timeout_ms=idle_timeout_ms,
        wait_turn=wait_turn,
    )


def make_plain_pump(
    stream: ByteStream,
    serve: Serve,
    *,
    served_versions: ServedVersions = SERVED.get,
    metrics: RequestMetrics | None = None,
    idle_timeout_ms: int = IDLE_TIMEOUT_MS,
    wait_turn: WaitTurn = at_once,
) -> Pump:
    return Pump(
        stream=stream,
        connection=ServerConnection(served_versions, max_request_size=MAX_REQUEST_SIZE),
        info=ConnectionInfo(
            connection_id=1,
            listener_name="CONTROLLER",
            listener_kind=ListenerKind.CONTROLLER,
            peer_host="192.0.2.7",
            peer_port=4321,
        ),
        serve=serve,
        metrics=metrics or RequestMetrics(),
        allowance=Allowance(idle_timeout_ms=idle_timeout_ms, wait_turn=wait_turn),
    )


def settings(**changes: object) -> ListenerConfig:
    return ListenerConfig(
        **{  # type: ignore[arg-type]
            "name": "PLAINTEXT",
            "kind": ListenerKind.BROKER,
            "host": "127.0.0.1",
            "port": 0,
            "idle_timeout_ms": IDLE_TIMEOUT_MS,
            "max_request_size_bytes": MAX_REQUEST_SIZE,
            **changes,
        }
    )


@asynccontextmanager
async def listening(
    serve: ServeTask,
    *,
    served_versions: ServedVersions = SERVED.get,
    connection_ended: ConnectionEnded | None = None,
    admission: Admission | None = None,
    memory: RequestMemory | None = None,
    unread: UnreadResponses | None = None,
    passes: Passes | None = None,
    make_stream: MakeStream = plain_stream,
    **changes: object,
) -> AsyncIterator[tuple[Listener, int]]:
    """A listener on a free port of the loopback; cancelled at the end."""
    listener = Listener(
        settings(**changes),
        served_versions=served_versions,
        serve=in_task(serve),
        connection_ended=connection_ended,
        shared=SharedByListeners(
            admission=admission or Admission(AdmissionLimits()),
            memory=memory or RequestMemory(),
            unread=unread or UnreadResponses(),
            passes=passes or Passes(),
        ),
        make_stream=make_stream,
    )
    async with trio.open_nursery() as nursery:
        port = await nursery.start(listener.run)
        yield listener, port
        nursery.cancel_scope.cancel()


async def receive_exactly(stream: trio.abc.ReceiveStream, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        piece = await stream.receive_some(size - len(data))
        assert piece, f"the stream ended after {len(data)} of {size} bytes"
        data += piece
    return bytes(data)


async def is_closed(stream: trio.abc.ReceiveStream) -> bool:
    """Whether the other end closed the connection without a further byte; waits for whichever happens."""
    try:
        return not await stream.receive_some(1)
    except trio.BrokenResourceError:
        return True


async def wait_until(condition: Callable[[], bool]) -> None:
    """Let other tasks run until it is so; what comes through real sockets takes real, if little, time."""
    with trio.fail_after(10):
        while not condition():
            await trio.lowlevel.checkpoint()
