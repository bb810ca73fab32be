"""The requests and responses of one connection: one request at a time is served, and answered in order.

Everything here runs in whichever task has something: the reader that has read a request, the task that has made a
response, the keeper. Nothing waits. All tasks are of one event loop, so no two are here at the same moment.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import msgspec
import trio

from kafkaproto.api import ApiKey
from kafkaproto.connection import IncomingRequest, ServerConnection
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.frame import NEED_DATA
from kafkaproto_server.base.metrics.requests import ApiMetrics, RequestMetrics
from kafkaproto_server.shell.net.arrivals import Arrivals
from kafkaproto_server.shell.net.chunks import chunked
from kafkaproto_server.shell.net.connections import (
    CloseConnection,
    ConnectionInfo,
    Held,
    Outcome,
    Request,
    Serve,
    Throttled,
)
from kafkaproto_server.shell.net.keeper import KeeperSignal, PeerLeft
from kafkaproto_server.shell.net.limits import READ_AHEAD_BYTES, SEND_CHUNK_BYTES
from kafkaproto_server.shell.net.memory import ConnectionMemory
from kafkaproto_server.shell.net.response_writer import ResponseWriter

MAX_REQUESTS_IN_A_ROW = 16
"""The number of requests of one connection that are served before others are: a peer may send any number at once."""


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


class Exchange:
    """The exchange of one connection."""

    def __init__(
        self,
        *,
        connection: ServerConnection,
        info: ConnectionInfo,
        serve: Serve,
        metrics: RequestMetrics,
        made_request: Callable[[], None] | None,
        memory: ConnectionMemory,
        writer: ResponseWriter,
        keeper: KeeperSignal,
    ) -> None:
        """``made_request`` is called once, when the first request is complete."""
        self._connection = connection
        self._info = info
        self._serve = serve
        self._metrics = metrics
        self._made_request = made_request
        self._memory = memory
        self._writer = writer
        self._keeper = keeper
        self.arrivals = Arrivals()
        """When the bytes arrived."""
        self._in_progress: _InProgress | None = None
        self.muted_until = 0.0
        """Until when no further request is started; 0 unless the peer has exceeded a quota."""
        self.is_held = False
        """Whether the request in progress is to be served again then."""
        self.has_paused = False
        """Whether requests are left for the keeper, so that other connections are served first."""
        self.is_draining = False
        """Whether no further request is started, because the node stops."""
        self.input_has_ended = False
        """Whether nothing more will arrive."""
        self._has_ended = False

    @property
    def is_serving(self) -> bool:
        """Whether there is a request whose response is not fully sent."""
        return self._in_progress is not None

    @property
    def keeps_peer_waiting(self) -> bool:
        """Whether the peer waits for this server, however long that takes: a response that is ready waits for the
        peer."""
        return self._in_progress is not None and not self._in_progress.ready_at and not self.is_held

    @property
    def is_behind(self) -> bool:
        """Whether enough was read of requests that cannot be started yet."""
        is_waiting = self._in_progress is not None or self.has_paused or self.muted_until > 0
        return is_waiting and self._connection.buffered_bytes >= READ_AHEAD_BYTES

    @property
    def request_bytes(self) -> int:
        """The bytes of this connection's requests: those that have arrived, and the one that is in progress."""
        size = self._connection.buffered_bytes
        if self._in_progress is not None and isinstance(self._in_progress.request, IncomingRequest):
            size += len(self._in_progress.request.frame)
        return size

    def receive(self, data: bytes | bytearray) -> None:
        """Bytes have arrived: start the requests that are complete by now."""
        self.arrivals.note(len(data))
        self._connection.receive(data)
        self.take_up()
        if self._memory.held_bytes or self._in_progress is not None or self._connection.buffered_bytes:
            self._memory.count_requests(self.request_bytes)

    def take_up(self) -> None:
        """Start the requests that have arrived, until one of them has to wait, or other connections are due."""
        self.has_paused = False
        # A loop and not a recursion: a response that is ready at once lets the next request start here.
        for _ in range(MAX_REQUESTS_IN_A_ROW):
            if (
                self._in_progress is not None
                or self.muted_until
                or self.is_draining
                or self._keeper.fault is not None
            ):
                return
            try:
                # Parsed one at a time, when its turn comes: what follows costs its bytes only.
                request = self._connection.next_event()
                if request is NEED_DATA:
                    return
                taken = self.arrivals.received_bytes - self._connection.buffered_bytes
                self._in_progress = _InProgress(request, self.arrivals.time_of(taken), time.perf_counter())
                self._metrics.in_progress += 1
                if self._made_request is not None:
                    self._made_request()
                    # Once. The place of the connection needs to hear of the first request only.
                    self._made_request = None
                self._serve(request, self._info, self._respond)
            except (RemoteProtocolError, CloseConnection) as fault:
                self._keeper.fail(fault)
        self.has_paused = True
        self._keeper.wake()

    def _respond(self, outcome: Outcome) -> None:
        """Send the response of the request in progress, as far as the socket accepts it now."""
        # The work of a request goes on in other tasks and may be done after the connection has ended.
        if self._has_ended or self._keeper.fault is not None:
            return
        current = self._in_progress
        assert current is not None, "an answer came that no request waits for"
        assert not current.ready_at, "a request was answered twice"
        if isinstance(outcome, Exception):
            self._keeper.fail(outcome)
            return
        if isinstance(outcome, Held):
            self.is_held = True
            self.muted_until = trio.current_time() + outcome.wait_ms / 1000
            self._keeper.wake()
            return
        if isinstance(outcome, Throttled):
            # The response leaves at once and the connection is muted afterwards (KIP-219): a client that waited for a
            # late response would take it for lost.
            current.throttle_us = outcome.mute_ms * 1000
            self.muted_until = trio.current_time() + outcome.mute_ms / 1000
            self._keeper.wake()
            outcome = outcome.body
        # From here on the peer is the one to wait for (`keeps_peer_waiting`).
        current.ready_at = time.perf_counter()
        self._metrics.in_progress -= 1
        self._metrics.sending += 1
        if outcome is None:
            # The library keeps the order of responses and has to know that none will come here.
            self._connection.skip_response(current.request.correlation_id)
        else:
            buffers = self._connection.send_response(current.request.correlation_id, outcome)
            self._writer.unsent.extend(chunked(buffers, SEND_CHUNK_BYTES))
            self._writer.send_now()
            if self._writer.unsent:
                self._count_unread(current, sum(map(len, buffers)))
        if not self._writer.unsent:
            self._complete(current)
            # Only the keeper continues from here: a request that is started inside of a response could recurse without
            # end.
            if self._connection.buffered_bytes or self.is_draining or self.input_has_ended:
                self._keeper.wake()

    def was_sent(self) -> None:
        """The keeper has written the rest of a response."""
        assert self._in_progress is not None, "an answer to no request was sent"
        self._complete(self._in_progress)

    def _complete(self, current: _InProgress) -> None:
        """The request in progress is answered: count it, and be ready for the next."""
        self._in_progress = None
        if self._memory.held_bytes:
            self._memory.count_requests(self.request_bytes)
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

    def _count_unread(self, current: _InProgress, size_bytes: int) -> None:
        """From now on the response takes memory, and the request takes none, because it is no longer needed."""
        if self._memory.held_bytes and isinstance(current.request, IncomingRequest):
            # A peer that does not read would hold both: a request of megabytes and its response.
            current.request = msgspec.structs.replace(current.request, frame=b"", body_offset=0)
            self._memory.count_requests(self.request_bytes)
        self._memory.count_response(size_bytes)

    def unmute(self) -> None:
        """The time is over for which the peer had to wait: serve what was held, if anything was."""
        self.muted_until = 0.0
        if not self.is_held:
            return
        current = self._in_progress
        assert current is not None, "it is held"
        self.is_held = False
        try:
            self._serve(current.request, self._info, self._respond)
        except (RemoteProtocolError, CloseConnection) as fault:
            self._keeper.fail(fault)

    def drain(self) -> None:
        """Start no further request: the node stops."""
        self.is_draining = True
        self._drop_held("the node stops")

    def input_ended(self) -> None:
        """Nothing more will arrive. What has arrived is still served."""
        self.input_has_ended = True
        # What was read before counts as accepted: it is little, and the peer will send nothing more.
        self.muted_until = 0.0
        # But not what would have to wait: else nobody would have to.
        self._drop_held("it hung up")

    def _drop_held(self, why: str) -> None:
        """Close the connection if its request has not been served yet."""
        if self.is_held:
            self._keeper.fail(PeerLeft(f"{why}, and its request had to wait for its quota"))

    def end(self) -> None:
        """The connection has ended. An unfinished request no longer counts, and its response is dropped."""
        self._has_ended = True
        if self._in_progress is not None and self._in_progress.ready_at:
            self._metrics.sending -= 1
        elif self._in_progress is not None:
            self._metrics.in_progress -= 1


def _metrics_of(request: Request, metrics: RequestMetrics) -> ApiMetrics:
    # A version of ApiVersions that is not known has no body that could be decoded, so it has no frame to count.
    if not isinstance(request, IncomingRequest):
        return metrics.of(ApiKey.API_VERSIONS)
    api = metrics.of_request(request.api_key, request.api_version, request.frame, request.body_offset)
    api.request_bytes.add_number(len(request.frame))
    return api
