"""One connection from its first byte to its last: stream <-> `ServerConnection` <-> the function that serves requests.

This module makes no decision about Kafka's protocol. Requests are served one at a time and answered in order, as in
Kafka's own server. While one is in progress, a limited amount of the following bytes is read; this detects a peer that
disconnects during a long poll. Beyond that limit the bytes stay in the socket, and the peer has to wait. A peer that
does not read its responses delays only its own connection, until `SEND_TIMEOUT_MS` is over or others need the memory.

Nearly every request is served by the reading task as soon as it is complete, and its response is written by the task
that made it, at once: no other task has to be woken. A second task of the connection, the keeper, does the rest: it
writes what the socket does not accept at once, serves requests that had to wait for the one before, and ends the
connection.

`exchange` has the request that is served, `response_writer` the response that is sent. This module has the two tasks,
and the times after which they give up.

Errors of the peer end here, with one log line that names the peer and the reason. Any other exception from ``serve`` is
a broken invariant of this server and is raised to the node.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import msgspec
import trio

from kafkaproto.connection import ServerConnection
from kafkaproto.errors import RemoteProtocolError
from kafkaproto_server.base.metrics.requests import RequestMetrics
from kafkaproto_server.shell.net.connections import CloseConnection, ConnectionInfo, Serve
from kafkaproto_server.shell.net.exchange import Exchange
from kafkaproto_server.shell.net.keeper import HungUp, KeeperSignal, PeerLeft
from kafkaproto_server.shell.net.limits import HANG_UP_GRACE_MS, RECEIVE_CHUNK_BYTES, UNCOUNTED_BYTES
from kafkaproto_server.shell.net.memory import ConnectionMemory, RequestMemory, UnreadResponses
from kafkaproto_server.shell.net.passes import WaitTurn, at_once
from kafkaproto_server.shell.net.response_writer import ResponseWriter
from kafkaproto_server.shell.net.streams import ByteStream

_log = logging.getLogger("kafkaproto.server.net")


class Allowance(msgspec.Struct, frozen=True, kw_only=True):
    """What one connection may take of the time and memory that all connections share."""

    idle_timeout_ms: int
    """After how long without a request it is closed."""
    memory: RequestMemory = msgspec.field(default_factory=RequestMemory)
    """Shared by all connections for their requests."""
    unread: UnreadResponses = msgspec.field(default_factory=UnreadResponses)
    """Shared by all connections for their responses."""
    wait_turn: WaitTurn = at_once
    """Awaited before a timeout ends the connection."""


class Pump:
    """Runs one connection; `run` returns once it is closed."""

    def __init__(
        self,
        *,
        stream: ByteStream,
        connection: ServerConnection,
        info: ConnectionInfo,
        serve: Serve,
        metrics: RequestMetrics,
        allowance: Allowance,
        made_request: Callable[[], None] | None = None,
    ) -> None:
        """``made_request`` is called once, when the first request is complete."""
        self._stream = stream
        self._connection = connection
        self._info = info
        self._idle_timeout_ms = allowance.idle_timeout_ms
        self._wait_turn = allowance.wait_turn
        self._keeper = KeeperSignal()
        self._memory = ConnectionMemory(self, allowance.memory, allowance.unread)
        self._writer = ResponseWriter(stream, self._memory, self._keeper, allowance.idle_timeout_ms)
        self._exchange = Exchange(
            connection=connection,
            info=info,
            serve=serve,
            metrics=metrics,
            made_request=made_request,
            memory=self._memory,
            writer=self._writer,
            keeper=self._keeper,
        )
        self._active_at = trio.current_time()
        # The end of the time for the current requests after the peer has disconnected.
        self._grace_ends_at = 0.0
        self._reader_waits = trio.lowlevel.ParkingLot()

    async def run(self) -> None:
        """Serve the connection until it ends, then close it. Errors of the peer are logged here, not raised."""
        try:
            async with trio.open_nursery() as nursery:
                # Its end is no end of the connection: what has arrived is still served.
                nursery.start_soon(self._read_all)
                # The keeper alone ends the connection, so that errors of all tasks are logged in one place.
                await self._keep()
                nursery.cancel_scope.cancel()
        finally:
            self._exchange.end()
            self._memory.release()
            self._writer.unsent.clear()
            # Its traceback refers to this object. Without this, all that the object holds would stay until the
            # collector runs.
            self._keeper.fault = None
            self._stream.close()

    def drain(self) -> None:
        """Start no further request: `run` returns when the one in progress, if any, is answered."""
        self._exchange.drain()
        self._keeper.wake()

    @property
    def host(self) -> str:
        return self._info.peer_host

    @property
    def idle_since(self) -> float | None:
        """Since when it is idle; None while the peer waits for a response."""
        if self._exchange.keeps_peer_waiting:
            return None
        return self._last_activity

    @property
    def _last_activity(self) -> float:
        """When the peer sent something, took something, or was allowed to again."""
        return max(self._active_at, self._writer.moved_at)

    def has_left(self) -> bool:
        """Whether the peer has hung up inside a request that can never be complete."""
        return self._stream.ends_within(self._connection.missing_bytes)

    def give_way(self) -> None:
        """Close the connection to make room for another one."""
        self._leave("there is no room for more connections, and this one gave way to another")

    def give_up_request(self) -> None:
        """Close the connection to free the memory of its requests."""
        self._leave("requests take all memory that there is for them, and this one was the slowest")

    def give_up_response(self) -> None:
        """Close the connection to free the memory of its response, which happens at once."""
        self._writer.unsent.clear()
        self._leave(
            "unread responses take all memory that there is for them, and this one stalled for longest"
        )

    def _leave(self, reason: str) -> None:
        self._keeper.fail(PeerLeft(reason))
        # The keeper may be waiting for the peer to read.
        self._writer.stop()

    # -- the reader --------------------------------------------------------------------------------------------

    async def _read_all(self) -> None:
        exchange = self._exchange
        while True:
            try:
                await self._stream.wait_readable()
                # Check only now: other connections may have used up the memory meanwhile.
                room = self._room_bytes
                if room <= 0:
                    await self._memory.wait_for_room()
                    continue
                data = self._stream.receive_now(room)
            except trio.BrokenResourceError:
                # The peer has reset the connection, so nobody is left to read a response.
                self._hang_up(grace_ms=0)
                return
            if data is None:
                continue
            if not data:
                self._hang_up(grace_ms=HANG_UP_GRACE_MS)
                return
            self._active_at = trio.current_time()
            exchange.receive(data)
            # Not read any further: TCP's window fills up, and the peer has to wait.
            while exchange.is_behind:
                await self._reader_waits.park()

    @property
    def _room_bytes(self) -> int:
        """How many bytes may be read now."""
        return UNCOUNTED_BYTES - self._exchange.request_bytes if self._memory.is_full else RECEIVE_CHUNK_BYTES

    def _hang_up(self, *, grace_ms: int) -> None:
        """Nothing more will arrive. The requests that have arrived are served until the grace period ends."""
        self._grace_ends_at = trio.current_time() + grace_ms / 1000
        self._exchange.input_ended()
        self._keeper.wake()

    # -- the keeper --------------------------------------------------------------------------------------------

    async def _keep(self) -> None:
        """Do what the other tasks leave, until the connection has to be closed."""
        try:
            while not await self._keep_once():
                pass
        except (RemoteProtocolError, CloseConnection) as fault:
            self._log_close(logging.WARNING, str(fault))
        except HungUp as leaving:
            self._log_close(logging.DEBUG, str(leaving))
        except PeerLeft as leaving:
            self._log_close(logging.INFO, str(leaving))

    async def _keep_once(self) -> bool:
        """Do one thing, or wait for one. Returns whether the connection has ended in order."""
        exchange, keeper = self._exchange, self._keeper
        if keeper.fault is not None:
            raise keeper.fault
        if self._writer.unsent:
            await self._writer.send_rest()
            exchange.was_sent()
            return False
        if exchange.muted_until and exchange.muted_until <= trio.current_time():
            # The peer was not allowed to do anything meanwhile, so it was not idle.
            self._active_at = trio.current_time()
            exchange.unmute()
        exchange.take_up()
        if not exchange.is_behind:
            self._reader_waits.unpark_all()
        if exchange.has_paused:
            # Others have a turn, and then the next requests of this connection.
            await trio.lowlevel.checkpoint()
            return False
        if not exchange.is_serving and keeper.fault is None:
            if exchange.is_draining:
                return True
            if exchange.input_has_ended and self._connection.is_inside_request:
                raise HungUp("it hung up inside a request")
            if exchange.input_has_ended:
                return True
        if keeper.fault is None and not self._writer.unsent:
            await self._wait()
        return False

    async def _wait(self) -> None:
        """Wait until there is something to do. Raises if a timeout has expired."""
        exchange = self._exchange
        idle_seconds = self._idle_timeout_ms / 1000
        until = self._grace_ends_at if exchange.input_has_ended else self._last_activity + idle_seconds
        until = exchange.muted_until or until
        with trio.move_on_at(until) as waiting:
            await self._keeper.wait()
        if not waiting.cancelled_caught:
            return
        # The timeouts of many connections may expire at once.
        await self._wait_turn()
        if exchange.muted_until:
            return
        if exchange.input_has_ended:
            raise HungUp("it hung up before its answer was ready")
        now = trio.current_time()
        if exchange.is_serving:
            # A peer that waits for our response is not idle. Writing the response restarts the timeout.
            self._active_at = now
        elif self._last_activity + idle_seconds <= now:
            raise PeerLeft(f"idle for {self._idle_timeout_ms} ms")

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
