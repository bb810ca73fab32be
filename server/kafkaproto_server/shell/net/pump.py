"""One connection from its first byte to its last: stream <-> `ServerConnection` <-> the function that serves requests.

This module makes no decision about Kafka's protocol. Requests are served one at a time and answered in order, as in
Kafka's own server. While one is in progress, a limited amount of the following bytes is read; this detects a peer that
disconnects during a long poll. Beyond that limit the bytes stay in the socket, and the peer has to wait. A peer that
does not read its responses delays only its own connection, until `SEND_TIMEOUT_MS` is over or others need the memory.

Nearly every request is served by the reading task as soon as it is complete, and its response is written by the task
that made it, at once: no other task has to be woken. A second task of the connection, the keeper, does the rest: it
writes what the socket does not accept at once, serves requests that had to wait for the one before, and ends the
connection.

Errors of the peer end here, with one log line that names the peer and the reason. Any other exception from ``serve`` is
a broken invariant of this server and is raised to the node.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import msgspec
import trio

from kafkaproto.api import ApiKey
from kafkaproto.connection import IncomingRequest, ServerConnection, UnsupportedApiVersions
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.frame import NEED_DATA
from kafkaproto_server.base.file_part import FilePart, Sendable
from kafkaproto_server.base.metrics.requests import ApiMetrics, RequestMetrics
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.requests.context import ANONYMOUS
from kafkaproto_server.shell.net.chunks import chunked
from kafkaproto_server.shell.net.limits import (
    HANG_UP_GRACE_MS,
    MAX_ARRIVALS,
    READ_AHEAD_BYTES,
    RECEIVE_CHUNK_BYTES,
    SEND_CHUNK_BYTES,
    SEND_TIMEOUT_MS,
    UNCOUNTED_BYTES,
)
from kafkaproto_server.shell.net.memory import RequestMemory, UnreadResponses
from kafkaproto_server.shell.net.passes import WaitTurn, at_once
from kafkaproto_server.shell.net.streams import ByteStream

_log = logging.getLogger("kafkaproto.server.net")

MAX_REQUESTS_IN_A_ROW = 16
"""The number of requests of one connection that are served before others are: a peer may send any number at once."""

_FEW_BYTES = 4096
_LEFT_UNANSWERED = "it hung up before its answer was written"

Request = IncomingRequest | UnsupportedApiVersions


class ConnectionInfo(msgspec.Struct, frozen=True, kw_only=True):
    """The properties of a connection, apart from its requests."""

    connection_id: int
    """Unique among all connections of the listener."""
    listener_name: str
    listener_kind: ListenerKind
    peer_host: str
    peer_port: int
    principal: str = ANONYMOUS
    """The authenticated peer, as type and name."""
    token_authenticated: bool = False
    """Whether the peer authenticated with a delegation token."""


class CloseConnection(Exception):
    """Raised or returned by a `Serve` function: the peer gets no response, its connection is closed, and the reason is
    logged."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Throttled(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a request whose sender has exceeded a quota: the response leaves at once, and nothing more is taken
    from the connection for a time (KIP-219)."""

    body: Sequence[Sendable] | None
    mute_ms: int


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """Instead of a result: the request is to be served again after some time."""

    wait_ms: int


Outcome: TypeAlias = Sequence[Sendable] | Throttled | Held | CloseConnection | RemoteProtocolError | None
"""The result of a request: the response body as buffers, without header and size; None if the protocol requires no
response; or the reason to close the connection."""

Respond = Callable[[Outcome], None]
"""Takes the result of a request, once, unless it is held. If the connection has ended meanwhile, the call has no
effect."""

Serve = Callable[[Request, ConnectionInfo, Respond], None]
"""Serves one request, now or later. May also raise CloseConnection or RemoteProtocolError instead."""


class _PeerLeft(Exception):
    """The peer has disconnected, or transfers nothing: worth a log line, but any client may do that."""


class _HungUp(_PeerLeft):
    """The peer has disconnected. Every client does so one day, with requests under way if it is a consumer."""


@dataclass(slots=True)
class _InProgress:
    """A request that has been started and whose response is not fully sent."""

    request: Request
    arrived_at: float
    begun_at: float
    ready_at: float = 0.0
    """When its response was ready; 0 before."""
    throttle_us: int = 0
    """How long its connection is muted because of it."""


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
        idle_timeout_ms: int,
        made_request: Callable[[], None] | None = None,
        memory: RequestMemory | None = None,
        unread: UnreadResponses | None = None,
        wait_turn: WaitTurn = at_once,
    ) -> None:
        """``made_request`` is called once, when the first request is complete. ``memory`` and ``unread`` are shared
        by all connections for their requests and responses. ``wait_turn`` is awaited before a timeout ends the
        connection."""
        self._stream = stream
        self._connection = connection
        self._info = info
        self._serve = serve
        self._metrics = metrics
        self._made_request = made_request
        self._memory = memory or RequestMemory()
        self._wait_turn = wait_turn
        # The bytes of this connection's requests that are counted there.
        self._held_bytes = 0
        self._unread = unread or UnreadResponses()
        # The size of this connection's response that is counted there.
        self._response_bytes = 0
        # For each chunk that arrived, up to `MAX_ARRIVALS`: the bytes received so far, and the time.
        self._arrivals: deque[tuple[int, float]] = deque()
        self._received_bytes = 0
        self._idle_timeout_ms = idle_timeout_ms
        self._last_activity = trio.current_time()
        self._in_progress: _InProgress | None = None
        # The part of the current response that the socket has not accepted yet.
        self._unsent: deque[Sendable] = deque()
        # Until when no further request is started; 0 unless the peer has exceeded a quota.
        self._muted_until = 0.0
        # Whether the request in progress is to be served again then.
        self._is_held = False
        # Whether requests are left for the keeper, so that other connections are served first.
        self._has_paused = False
        self._is_draining = False
        self._input_has_ended = False
        # The end of the time for the current requests after the peer has disconnected.
        self._grace_ends_at = 0.0
        self._fault: Exception | None = None
        # Set while the keeper writes the rest of a response.
        self._sending: trio.CancelScope | None = None
        self._has_ended = False
        self._keeper_waits = trio.lowlevel.ParkingLot()
        self._reader_waits = trio.lowlevel.ParkingLot()

    async def run(self) -> None:
        """Serve the connection until it ends, then close it. Errors of the peer are logged here, not raised."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._read_all)
                # The keeper alone ends the connection, so that errors of all tasks are logged in
                # one place.
                await self._keep()
                nursery.cancel_scope.cancel()
        finally:
            self._has_ended = True
            self._leave_metrics()
            self._memory.hold(self, 0)
            self._unread.release(self)
            self._unsent.clear()
            # Its traceback refers to this object. Without this, all that the object holds would stay until the
            # collector runs.
            self._fault = None
            self._stream.close()

    def drain(self) -> None:
        """Start no further request: `run` returns when the one in progress, if any, is answered."""
        self._is_draining = True
        self._drop_held("the node stops")
        self._wake_keeper()

    @property
    def host(self) -> str:
        return self._info.peer_host

    @property
    def idle_since(self) -> float | None:
        """Since when it is idle; None while the peer waits for a response."""
        # It waits for this server, however long that takes. A response that is ready waits for the
        # peer.
        if self._in_progress is not None and not self._in_progress.ready_at and not self._is_held:
            return None
        return self._last_activity

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
        self._unsent.clear()
        self._leave(
            "unread responses take all memory that there is for them, and this one stalled for longest"
        )

    def _leave(self, reason: str) -> None:
        self._fail(_PeerLeft(reason))
        # The keeper may be waiting for the peer to read.
        if self._sending is not None:
            self._sending.cancel()

    # -- requests and responses, in any task -------------------------------------------------------------------

    def _take_up(self) -> None:
        """Start the requests that have arrived, until one of them has to wait, or other connections are due."""
        self._has_paused = False
        # A loop and not a recursion: a response that is ready at once lets the next request start
        # here.
        for _ in range(MAX_REQUESTS_IN_A_ROW):
            if (
                self._in_progress is not None
                or self._muted_until
                or self._is_draining
                or self._fault is not None
            ):
                return
            try:
                request = self._connection.next_event()
                if request is NEED_DATA:
                    return
                self._in_progress = _InProgress(request, self._arrived_at(), time.perf_counter())
                self._metrics.in_progress += 1
                if self._made_request is not None:
                    self._made_request()
                    self._made_request = None
                self._serve(request, self._info, self._respond)
            except (RemoteProtocolError, CloseConnection) as fault:
                self._fail(fault)
        self._has_paused = True
        self._wake_keeper()

    def _respond(self, outcome: Outcome) -> None:
        """Send the response of the request in progress, as far as the socket accepts it now."""
        # The work of a request goes on in other tasks and may be done after the connection has
        # ended.
        if self._has_ended or self._fault is not None:
            return
        current = self._in_progress
        assert current is not None, "an answer came that no request waits for"
        assert not current.ready_at, "a request was answered twice"
        if isinstance(outcome, Exception):
            self._fail(outcome)
            return
        if isinstance(outcome, Held):
            self._is_held = True
            self._muted_until = trio.current_time() + outcome.wait_ms / 1000
            self._wake_keeper()
            return
        if isinstance(outcome, Throttled):
            current.throttle_us = outcome.mute_ms * 1000
            self._muted_until = trio.current_time() + outcome.mute_ms / 1000
            self._wake_keeper()
            outcome = outcome.body
        current.ready_at = time.perf_counter()
        self._metrics.in_progress -= 1
        self._metrics.sending += 1
        if outcome is None:
            # The library keeps the order of responses and has to know that none will come here.
            self._connection.skip_response(current.request.correlation_id)
        else:
            buffers = self._connection.send_response(current.request.correlation_id, outcome)
            self._unsent.extend(chunked(buffers, SEND_CHUNK_BYTES))
            self._send_now()
            if self._unsent:
                self._count_unread(current, sum(map(len, buffers)))
        if not self._unsent:
            self._complete(current)
            # Only the keeper continues from here: a request that is started inside of a response
            # could recurse without end.
            if self._connection.buffered_bytes or self._is_draining or self._input_has_ended:
                self._wake_keeper()

    def _send_now(self, *, most: int | None = None) -> None:
        """Send as much as the socket takes, up to a chunk of more than ``most`` bytes."""
        unsent = self._unsent
        while unsent:
            chunk = unsent[0]
            if most is not None and len(chunk) > most:
                return
            try:
                sent = self._stream.send_now(chunk)
            except trio.BrokenResourceError:
                # Nothing more can be written. The remaining bytes show that the response is incomplete.
                self._fail(_HungUp(_LEFT_UNANSWERED))
                return
            if sent < len(chunk):
                unsent[0] = _without(chunk, sent)
                self._wake_keeper()
                return
            unsent.popleft()
        self._last_activity = trio.current_time()

    def _complete(self, current: _InProgress) -> None:
        """The request in progress is answered: count it, and be ready for the next."""
        self._in_progress = None
        if self._held_bytes:
            self._count_held()
        end = time.perf_counter()
        metrics = self._metrics
        metrics.sending -= 1
        request = current.request
        api = _metrics_of(request, metrics)
        api.add_request(request.api_version)
        api.request_queue.add(current.begun_at - current.arrived_at)
        api.response_send.add(end - current.ready_at)
        api.throttle.add_number(current.throttle_us)
        api.total.add(end - current.arrived_at)

    def _serve_held(self) -> None:
        """Serve the request that was held."""
        current = self._in_progress
        assert current is not None, "it is held"
        self._is_held = False
        try:
            self._serve(current.request, self._info, self._respond)
        except (RemoteProtocolError, CloseConnection) as fault:
            self._fail(fault)

    def _drop_held(self, why: str) -> None:
        """Close the connection if its request has not been served yet."""
        if self._is_held:
            self._fail(_PeerLeft(f"{why}, and its request had to wait for its quota"))

    def _arrived_at(self) -> float:
        """The time at which the last byte of the current request arrived."""
        taken = self._received_bytes - self._connection.buffered_bytes
        arrivals = self._arrivals
        while len(arrivals) > 1 and arrivals[0][0] < taken:
            arrivals.popleft()
        return arrivals[0][1]

    def _count_unread(self, current: _InProgress, size_bytes: int) -> None:
        """From now on the response takes memory, and the request takes none, because it is no longer needed."""
        if self._held_bytes and isinstance(current.request, IncomingRequest):
            # A peer that does not read would hold both: a request of megabytes and its response.
            current.request = msgspec.structs.replace(current.request, frame=b"", body_offset=0)
            self._count_held()
        self._response_bytes = size_bytes
        self._unread.hold(self, size_bytes)

    @property
    def _request_bytes(self) -> int:
        """The bytes of this connection's requests: those that have arrived, and the one that is in progress."""
        size = self._connection.buffered_bytes
        if self._in_progress is not None and isinstance(self._in_progress.request, IncomingRequest):
            size += len(self._in_progress.request.frame)
        return size

    def _count_held(self) -> None:
        """Report the memory of this connection's requests."""
        held = self._request_bytes
        if held <= UNCOUNTED_BYTES:
            # Most connections never reach this, so the shared pool is not touched for them.
            held = 0
        if held != self._held_bytes:
            self._held_bytes = held
            self._memory.hold(self, held)

    def _fail(self, fault: Exception) -> None:
        """Have the keeper end the connection for this reason."""
        self._fault = fault
        self._wake_keeper()

    def _leave_metrics(self) -> None:
        """An unfinished request no longer counts."""
        if self._in_progress is not None and self._in_progress.ready_at:
            self._metrics.sending -= 1
        elif self._in_progress is not None:
            self._metrics.in_progress -= 1

    # -- the reader --------------------------------------------------------------------------------------------

    async def _read_all(self) -> None:
        while True:
            try:
                await self._stream.wait_readable()
                # Check only now: other connections may have used up the memory meanwhile.
                room = self._room_bytes
                if room <= 0:
                    await self._memory.wait_for_room(self)
                    continue
                data = self._stream.receive_now(room)
            except trio.BrokenResourceError:
                self._hang_up(grace_ms=0)
                return
            if data is None:
                continue
            if not data:
                self._hang_up(grace_ms=HANG_UP_GRACE_MS)
                return
            self._last_activity = trio.current_time()
            self._received_bytes += len(data)
            if len(self._arrivals) == MAX_ARRIVALS:
                # A peer that sends single bytes must not make this list grow.
                self._arrivals.pop()
            self._arrivals.append((self._received_bytes, time.perf_counter()))
            self._connection.receive(data)
            self._take_up()
            if self._held_bytes or self._in_progress is not None or self._connection.buffered_bytes:
                self._count_held()
            # Not read any further: TCP's window fills up, and the peer has to wait.
            while self._is_behind:
                await self._reader_waits.park()

    @property
    def _room_bytes(self) -> int:
        """How many bytes may be read now."""
        return UNCOUNTED_BYTES - self._request_bytes if self._memory.is_full else RECEIVE_CHUNK_BYTES

    @property
    def _is_behind(self) -> bool:
        """Whether enough was read of requests that cannot be started yet."""
        is_waiting = self._in_progress is not None or self._has_paused or self._muted_until > 0
        return is_waiting and self._connection.buffered_bytes >= READ_AHEAD_BYTES

    def _hang_up(self, *, grace_ms: int) -> None:
        """Nothing more will arrive. The requests that have arrived are served until the grace period ends."""
        self._input_has_ended = True
        # What was read before counts as accepted: it is little, and the peer will send nothing more.
        self._muted_until = 0.0
        self._grace_ends_at = trio.current_time() + grace_ms / 1000
        # But not what would have to wait: else nobody would have to.
        self._drop_held("it hung up")
        self._wake_keeper()

    # -- the keeper --------------------------------------------------------------------------------------------

    def _wake_keeper(self) -> None:
        self._keeper_waits.unpark_all()

    async def _keep(self) -> None:
        """Do what the other tasks leave, until the connection has to be closed."""
        try:
            while not await self._keep_once():
                pass
        except (RemoteProtocolError, CloseConnection) as fault:
            self._log_close(logging.WARNING, str(fault))
        except _HungUp as leaving:
            self._log_close(logging.DEBUG, str(leaving))
        except _PeerLeft as leaving:
            self._log_close(logging.INFO, str(leaving))

    async def _keep_once(self) -> bool:
        """Do one thing, or wait for one. Returns whether the connection has ended in order."""
        if self._fault is not None:
            raise self._fault
        if self._unsent:
            await self._send_rest()
            return False
        if self._muted_until and self._muted_until <= trio.current_time():
            self._muted_until = 0.0
            # The peer was not allowed to do anything meanwhile, so it was not idle.
            self._last_activity = trio.current_time()
            if self._is_held:
                self._serve_held()
        self._take_up()
        if not self._is_behind:
            self._reader_waits.unpark_all()
        if self._has_paused:
            await trio.lowlevel.checkpoint()
            return False
        if self._in_progress is None and self._fault is None:
            if self._is_draining:
                return True
            if self._input_has_ended and self._connection.is_inside_request:
                raise _HungUp("it hung up inside a request")
            if self._input_has_ended:
                return True
        if self._fault is None and not self._unsent:
            await self._wait()
        return False

    async def _wait(self) -> None:
        """Wait until there is something to do. Raises if a timeout has expired."""
        idle_seconds = self._idle_timeout_ms / 1000
        until = self._grace_ends_at if self._input_has_ended else self._last_activity + idle_seconds
        until = self._muted_until or until
        with trio.move_on_at(until) as waiting:
            await self._keeper_waits.park()
        if not waiting.cancelled_caught:
            return
        # The timeouts of many connections may expire at once.
        await self._wait_turn()
        if self._muted_until:
            return
        if self._input_has_ended:
            raise _HungUp("it hung up before its answer was ready")
        now = trio.current_time()
        if self._in_progress is not None:
            # A peer that waits for our response is not idle. Writing the response restarts the timeout.
            self._last_activity = now
        elif self._last_activity + idle_seconds <= now:
            raise _PeerLeft(f"idle for {self._idle_timeout_ms} ms")

    async def _send_rest(self) -> None:
        """Write the rest of a response, as the peer reads it."""
        # For each piece that the peer takes, not for the whole response: a slow peer is no stalled
        # one.
        timeout_ms = min(SEND_TIMEOUT_MS, self._idle_timeout_ms)
        while self._unsent:
            chunk = self._unsent[0]
            sent = 0
            with trio.move_on_after(timeout_ms / 1000) as self._sending:
                try:
                    sent = await self._stream.send_some(chunk)
                except trio.BrokenResourceError:
                    raise _HungUp(_LEFT_UNANSWERED) from None
            self._sending = None
            if self._fault is not None:
                raise self._fault
            if not sent:
                raise _PeerLeft(f"it read nothing of its answer for {timeout_ms} ms")
            if sent < len(chunk):
                self._unsent[0] = _without(chunk, sent)
            else:
                self._unsent.popleft()
                # A few bytes follow the records, and the peer waits for them. A turn would cost more than they do.
                self._send_now(most=_FEW_BYTES)
                if self._fault is not None:
                    raise self._fault
            self._last_activity = trio.current_time()
            self._unread.hold(self, self._response_bytes)
        self._unread.release(self)
        assert self._in_progress is not None, "an answer to no request was sent"
        self._complete(self._in_progress)

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


def _without(chunk: Sendable, sent: int) -> Sendable:
    """A chunk without its first bytes."""
    return chunk.after(sent) if isinstance(chunk, FilePart) else memoryview(chunk)[sent:]


def _metrics_of(request: Request, metrics: RequestMetrics) -> ApiMetrics:
    if not isinstance(request, IncomingRequest):
        return metrics.of(ApiKey.API_VERSIONS)
    api = metrics.of_request(request.api_key, request.api_version, request.frame, request.body_offset)
    api.request_bytes.add_number(len(request.frame))
    return api
