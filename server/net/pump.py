"""One connection from its first byte to its last: stream <-> `ServerConnection` <-> whoever answers requests.

Makes no Kafka decision. Two tasks share a `ServerConnection`: one reads, one serves. Requests are served one
at a time and answered in their order, as Kafka's own server does. While one is in progress the reader takes
in a bounded amount of what follows, which is how a peer that left is noticed during a long poll; beyond that
bound bytes stay in the socket and the peer feels it. A peer that does not read its answers stalls only its
own connection, until the idle time is over.

Faults of the peer end here, with one log line that names it and the reason. Anything else that ``serve``
raises is our own broken invariant and goes on to whoever runs the node.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import trio

from kafkaproto.connection import RequestReceived, ServerConnection, UnsupportedApiVersions
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.frame import NEED_DATA
from server.net.chunks import chunked
from server.net.limits import HANG_UP_GRACE_MS, READ_AHEAD_BYTES, RECEIVE_CHUNK_BYTES, SEND_CHUNK_BYTES
from server.ports import Buffer
from server.types import ListenerKind

_log = logging.getLogger("kafkaproto.server.net")

Request = RequestReceived | UnsupportedApiVersions


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionInfo:
    """What is known of a connection apart from the requests on it."""

    connection_id: int
    """Unique among all connections of the listener's life."""
    listener_name: str
    listener_kind: ListenerKind
    peer_host: str
    peer_port: int


Serve = Callable[[Request, ConnectionInfo], Awaitable[Sequence[Buffer] | None]]
"""Answers one request: the response body as buffers, without header and size, or None where the protocol
wants no answer. Raises CloseConnection or RemoteProtocolError to have the connection closed."""


class CloseConnection(Exception):
    """Raised by a `Serve` function: this peer gets no answer, its connection is closed and the reason
    logged."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _PeerLeft(Exception):
    """The peer went away, or moves nothing: worth a line, but every client may do so."""


class Pump:
    """Runs one connection; `run` returns once it is closed."""

    def __init__(
        self,
        *,
        stream: trio.abc.Stream,
        connection: ServerConnection,
        info: ConnectionInfo,
        serve: Serve,
        idle_timeout_ms: int,
    ) -> None:
        self._stream = stream
        self._connection = connection
        self._info = info
        self._serve = serve
        self._idle_timeout_ms = idle_timeout_ms
        self._last_activity = trio.current_time()
        self._is_draining = False
        # True from taking a request up to its answer being written.
        self._is_serving = False
        self._input_has_ended = False
        self._serve_scope = trio.CancelScope()
        # Requests may run until here: moved from "for ever" to "soon" when the peer hangs up.
        self._serve_deadline = math.inf
        self._server_waits = trio.lowlevel.ParkingLot()
        self._reader_waits = trio.lowlevel.ParkingLot()

    async def run(self) -> None:
        """Serve the connection until it ends, then close it. Peers' faults are logged here, not raised."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._read_all)
                await self._serve_all()
                nursery.cancel_scope.cancel()
        finally:
            await trio.aclose_forcefully(self._stream)

    def drain(self) -> None:
        """Take no further request: `run` returns when the one in progress, if any, is answered."""
        self._is_draining = True
        self._server_waits.unpark_all()

    async def _serve_all(self) -> None:
        try:
            while not self._is_draining:
                request = self._connection.next_event()
                self._is_serving = request is not NEED_DATA
                if not self._is_serving or self._connection.buffered_bytes < READ_AHEAD_BYTES:
                    self._reader_waits.unpark_all()
                if request is not NEED_DATA:
                    await self._serve_one(request)
                elif not self._input_has_ended:
                    await self._server_waits.park()
                elif self._connection.is_inside_request:
                    raise _PeerLeft("it hung up inside a request")
                else:
                    return
        except RemoteProtocolError as error:
            self._log_close(logging.WARNING, str(error))
        except CloseConnection as closing:
            self._log_close(logging.WARNING, closing.reason)
        except _PeerLeft as leaving:
            self._log_close(logging.INFO, str(leaving))

    async def _serve_one(self, request: Request) -> None:
        with trio.CancelScope(deadline=self._serve_deadline) as self._serve_scope:
            body = await self._serve(request, self._info)
        if self._serve_scope.cancelled_caught:
            raise _PeerLeft("it hung up before its answer was ready")
        if body is None:
            self._connection.skip_response(request.correlation_id)
            return
        for chunk in chunked(self._connection.send_response(request.correlation_id, body), SEND_CHUNK_BYTES):
            with trio.move_on_after(self._idle_timeout_ms / 1000) as stalled:
                try:
                    await self._stream.send_all(chunk)
                except trio.BrokenResourceError:
                    raise _PeerLeft("it hung up before its answer was written") from None
            if stalled.cancelled_caught:
                raise _PeerLeft(f"it read nothing of its answer for {self._idle_timeout_ms} ms")
            self._last_activity = trio.current_time()

    async def _read_all(self) -> None:
        idle_seconds = self._idle_timeout_ms / 1000
        while True:
            with trio.move_on_at(self._last_activity + idle_seconds) as waiting:
                try:
                    data = await self._stream.receive_some(RECEIVE_CHUNK_BYTES)
                except trio.BrokenResourceError:
                    self._hang_up(grace_ms=0)
                    return
            if waiting.cancelled_caught:
                if self._is_serving:
                    # Whoever waits for us is not idle; writing the answer starts the time anew.
                    self._last_activity = trio.current_time()
                elif self._last_activity + idle_seconds <= trio.current_time():
                    self._log_close(logging.INFO, f"idle for {self._idle_timeout_ms} ms")
                    self.drain()
                    return
                continue
            if not data:
                self._hang_up(grace_ms=HANG_UP_GRACE_MS)
                return
            self._last_activity = trio.current_time()
            self._connection.receive(data)
            self._server_waits.unpark_all()
            while self._is_serving and self._connection.buffered_bytes >= READ_AHEAD_BYTES:
                await self._reader_waits.park()

    def _hang_up(self, *, grace_ms: int) -> None:
        """Nothing more will arrive: what arrived is answered as far as the time of grace goes."""
        self._input_has_ended = True
        self._serve_deadline = self._serve_scope.deadline = trio.current_time() + grace_ms / 1000
        self._server_waits.unpark_all()

    def _log_close(self, level: int, reason: str) -> None:
        info = self._info
        _log.log(
            level,
            "closed the connection of %s:%d to listener %s: %s",
            info.peer_host,
            info.peer_port,
            info.listener_name,
            reason,
        )
