"""From a request on a connection to the bytes of its response: decode, call the handler by way of the table, wait,
encode.

Work that may take long (a large body, a handler with many items, a large response) is `Steps`, which
`shell.serving.slices` runs between other turns of the loop. If a pass of the loop has already served enough, later
requests and responses wait there as well. A large request is decoded when there is room for it
(`shell.serving.decoding_room`), and freed in steps.

An unexpected error here affects only one request: codecs and handlers change nothing of the node, they read what is
published and submit work. The response to such a request is UNKNOWN_SERVER_ERROR if it has a field for that; else the
connection is closed. The error is logged with all that identifies the request, and counted among the errors of its API.

Two things distinguish such an error from one that has to end the process. The place: cores, log and images are changed
in tasks of their own (`shell.quorum.loop`, `shell.quorum.disk_worker`, `shell.quorum.image.metadata_feed`), never in
this module, and errors there are raised there. And the type: a StorageError or a DiskError says that files are not as
they must be, wherever it comes from, so this module raises it again.
"""

from __future__ import annotations

import ipaddress
import logging
import time
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import Any

from kafkaproto.api import ApiKey, api_by_key
from kafkaproto.connection import IncomingRequest, UnsupportedApiVersions
from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.message import Message
from kafkaproto.messages import ApiVersionsResponse, BrokerHeartbeatRequest
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.apis.serving import serve
from kafkaproto_server.apis.table import APIS, URGENT_KEYS, elements_of, refuse_at_once, served_versions
from kafkaproto_server.base.later import Deferred, Steps, StepsType, T
from kafkaproto_server.base.metrics.requests import RequestMetrics
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.core.quotas.rate import RateWindows
from kafkaproto_server.requests.context import (
    Encoded,
    HandlerResult,
    NoResponse,
    RequestContext,
    Response,
    Unanswered,
)
from kafkaproto_server.requests.error_codes import error_codes, error_codes_in_steps, is_small
from kafkaproto_server.requests.refusals import Refusal
from kafkaproto_server.requests.release import is_large, release_steps
from kafkaproto_server.shell.net.connections import CloseConnection, ConnectionInfo, Held, Outcome, Respond
from kafkaproto_server.shell.serving.decoding_room import MANY_ELEMENTS, DecodingRoom
from kafkaproto_server.shell.serving.making_room import Making, MakingRoom
from kafkaproto_server.shell.serving.slices import IMMEDIATELY, Slices
from kafkaproto_server.shell.serving.throttling import RequestThrottle, Throttling, muting, told
from kafkaproto_server.shell.storage.errors import DiskError, StorageError

_log = logging.getLogger("kafkaproto.server.node")

SMALL_RESPONSE_ELEMENTS = 64
"""Responses with at most this many elements in their arrays are encoded at once."""

MAX_REMEMBERED_ADDRESSES = 1024
"""The number of peers whose parsed address is kept for their next request."""

_NOT_CONTAINED = (RemoteProtocolError, CloseConnection, StorageError, DiskError)
"""Errors caused by the peer, for which the connection's pump closes the connection, and errors of the disk, which end
the node."""


class Dispatcher:
    """Serves the requests of a node's listeners."""

    def __init__(
        self,
        services: Services,
        metrics: RequestMetrics | None = None,
        *,
        heartbeat: Callable[[BrokerHeartbeatRequest, ConnectionInfo], None] | None = None,
        slices: Slices | None = None,
        room: DecodingRoom | None = None,
        making_room: MakingRoom | None = None,
        throttling: Throttling | None = None,
    ) -> None:
        """``heartbeat`` is called with each broker heartbeat before it is served. ``slices`` run long work; without
        them it runs at once. ``room`` admits large requests, ``making_room`` counts what their responses take.
        ``throttling`` has the quotas of clients."""
        self.services = services
        self.metrics = metrics or RequestMetrics()
        self.heartbeat = heartbeat
        self.slices = slices or Slices(in_place_s=IMMEDIATELY)
        self.room = room or DecodingRoom()
        self.making_room = making_room or MakingRoom()
        self.throttling = throttling or Throttling(RateWindows(1, 1), lambda: 0)
        self.abandonable: dict[Hashable, _Serving] = {}
        """The requests that wait only for the sake of their response, by connection."""

    def serve(
        self, request: IncomingRequest | UnsupportedApiVersions, connection: ConnectionInfo, respond: Respond
    ) -> None:
        """Serve one request. ``respond`` gets the response body, or the reason to close the connection.

        Raises RemoteProtocolError for a body that does not parse, if it is decoded now; StorageError and DiskError end
        the node.
        """
        if isinstance(request, UnsupportedApiVersions):
            self.metrics.of(ApiKey.API_VERSIONS).add_error(ErrorCode.UNSUPPORTED_VERSION)
            # In version 0, which every client can read, so that it can choose a version and ask
            # again (KIP-511).
            respond([self._versions_to_choose_from(connection).encode(0)])
            return
        serving = _Serving(self, request, connection, respond)
        begin = serving.begin_later if self.slices.must_wait else serving.begin
        if self.throttling.is_on and (throttle := self.throttling.of(request, connection)) is not None:
            # Before anything of it is decoded: what waits should cost little.
            if left_ms := throttle.left_ms():
                respond(Held(wait_ms=left_ms))
                return
            serving.throttle = throttle
            throttle.run(begin)
        else:
            begin()

    def connection_ended(self, connection: ConnectionInfo) -> None:
        """Drop the work for the requests of a connection."""
        owner = _owner_of(connection)
        # Nobody waits for the response any more. A client that reconnects again and again must not
        # pile up work of its earlier connections.
        self.room.drop(owner)
        self.slices.drop(owner)
        self.throttling.ended(connection)
        waiting = self.abandonable.get(owner)
        if waiting is not None:
            waiting.abandon()
        self.services.shares.connection_ended(owner)

    @staticmethod
    def _versions_to_choose_from(connection: ConnectionInfo) -> ApiVersionsResponse:
        versions = served_versions(connection.listener_kind, ApiKey.API_VERSIONS)
        assert versions is not None, "every listener serves ApiVersions"
        lowest, highest = versions
        return ApiVersionsResponse(
            error_code=ErrorCode.UNSUPPORTED_VERSION,
            api_keys=[
                ApiVersionsResponse.ApiVersion(
                    api_key=ApiKey.API_VERSIONS, min_version=lowest, max_version=highest
                )
            ],
        )


class _Serving:
    """One request until its response is sent."""

    __slots__ = (
        "begun_at",
        "connection",
        "elements_in_room",
        "elements_waiting",
        "handled_at",
        "making",
        "message",
        "metrics",
        "node",
        "request",
        "respond",
        "throttle",
        "waits_for",
    )

    def __init__(
        self, node: Dispatcher, request: IncomingRequest, connection: ConnectionInfo, respond: Respond
    ) -> None:
        self.node = node
        self.request = request
        self.connection = connection
        self.respond = respond
        self.metrics = node.metrics.of_request(
            request.api_key, request.api_version, request.frame, request.body_offset
        )
        self.message: Message | None = None
        # The number of elements that this request took from the room for large requests.
        self.elements_in_room = 0
        # Those that it took from the room for requests that wait.
        self.elements_waiting = 0
        self.waits_for: Deferred[Any] | None = None
        # What the response takes. Nobody waits for memory with what the quorum needs.
        self.making = None if self._is_urgent else Making(node.making_room, connection.peer_host)
        # The sender's quotas; None if the cluster has none.
        self.throttle: RequestThrottle | None = None
        self.begun_at = time.perf_counter()
        self.handled_at = 0.0

    @property
    def _body_bytes(self) -> int:
        """The size of the request without its header."""
        return len(self.request.frame) - self.request.body_offset

    @property
    def _is_urgent(self) -> bool:
        return (
            self.request.api_key in URGENT_KEYS and self.connection.listener_kind is ListenerKind.CONTROLLER
        )

    def begin(self) -> None:
        """Serve the request now, except for work that takes long."""
        try:
            result = self._served()
        except _NOT_CONTAINED:
            raise
        except Exception as error:
            self._failed(error)
            return
        self._take_first(result)

    def begin_later(self) -> None:
        """Serve the request when its turn comes."""
        self._start(_in_turn(self._served), self._take_first)

    def _served(self) -> HandlerResult:
        request = self.request
        context = _context(request, self.connection, self.throttle)
        return serve(request.frame, request.body_offset, context, self.node.services, self._decoded)

    def _start(self, steps: Steps[T], done: Callable[[T], None]) -> None:
        connection = self.connection
        self.node.slices.start(
            steps,
            done,
            self._failed,
            _owner_of(connection),
            host=connection.peer_host,
            is_urgent=self._is_urgent,
            dropped=lambda made: self._free(made=made),
            spent=None if self.throttle is None else self.throttle.spent,
            making=self.making,
        )

    def _take_first(self, result: HandlerResult) -> None:
        """Continue with the reply that followed from the header. If it is steps, they decode the body, provided that
        this is long."""
        request, connection = self.request, self.connection
        elements = 0
        # A result that is no steps was made without the body: a refusal, or a request that is
        # passed on unread.
        if self._body_bytes > MANY_ELEMENTS and isinstance(result, StepsType):
            elements = elements_of(
                request.frame,
                request.body_offset,
                request.api_key,
                request.api_version,
                connection.listener_kind,
            )
        if elements <= MANY_ELEMENTS:
            self._take(result)
            return

        def begin() -> None:
            self.elements_in_room = elements
            self._take(result)

        self.node.room.enter(elements, begin, _owner_of(connection), connection.peer_host)

    def _decoded(self, message: Message) -> None:
        self.message = message
        if self.node.heartbeat is not None and isinstance(message, BrokerHeartbeatRequest):
            # Before the controller decides, and on every node: the probe learns which connection
            # carries it.
            self.node.heartbeat(message, self.connection)

    def _take(self, result: HandlerResult) -> None:
        """Continue with the request's reply so far."""
        if isinstance(result, StepsType):
            self._start(result, self._take)
            return
        # A result may come back here several times. The first time ends the local part of the
        # request.
        if not self.handled_at:
            self.handled_at = time.perf_counter()
            self.metrics.local.add(self.handled_at - self.begun_at)
        if isinstance(result, Deferred):
            result.on_done(self._take_decided, self._failed)
            if not result.is_decided:
                self._begin_wait(result)
            return
        self.metrics.remote.add(time.perf_counter() - self.handled_at)
        self._answer(result)

    def _begin_wait(self, reply: Deferred[Any]) -> None:
        """The reply may come much later. Keep meanwhile only what is needed."""
        if reply.can_be_abandoned:
            self.waits_for = reply
            self.node.abandonable[_owner_of(self.connection)] = self
        if self.making is not None:
            # It holds up nobody who waits for memory. What it keeps is a large request, which has a room of its own.
            self.making.free()
        elements = self.elements_in_room
        if not elements:
            return
        if APIS[self.request.api_key].bounds_waiting:
            # The room is left when the request is freed.
            self._free()
        elif self.node.room.wait(elements, self.connection.peer_host):
            self.elements_in_room, self.elements_waiting = 0, elements

    def _end_wait(self) -> None:
        if self.waits_for is not None:
            self.waits_for = None
            del self.node.abandonable[_owner_of(self.connection)]

    def abandon(self) -> None:
        """The connection has ended while the request waits."""
        reply = self.waits_for
        assert reply is not None, "it waits"
        self._end_wait()
        reply.abandon()
        self._free()

    def _take_decided(self, result: HandlerResult) -> None:
        """Continue with a reply that was waited for."""
        self._end_wait()
        if self.throttle is None:
            self._continue(result)
        else:
            self.throttle.run(lambda: self._continue(result))

    def _continue(self, result: HandlerResult) -> None:
        # Many replies may be resolved at the same time.
        if self.node.slices.must_wait:
            self._start(_held(result), self._take)
        else:
            self._take(result)

    def _answer(self, response: Response) -> None:
        metrics = self.metrics
        if self.throttle is not None and (throttle_ms := self.throttle.settle(response)):
            self.respond = muting(self.respond, throttle_ms)
            response = told(response, self.request, throttle_ms)
        decided_at = time.perf_counter()
        if isinstance(response, NoResponse):
            self.respond(CloseConnection(response.reason))
            self._free()
        elif isinstance(response, Unanswered):
            self.respond(None)
            self._free()
        elif isinstance(response, Encoded):
            for code, times in response.errors.items():
                metrics.add_error(code, times)
            self.respond(response.buffers)
            self._free()
        elif is_small(response, SMALL_RESPONSE_ELEMENTS):
            try:
                body = response.encode(self.request.api_version)
                for code in error_codes(response):
                    metrics.add_error(code)
            except Exception as error:
                self._failed(error)
                return
            metrics.response_queue.add(time.perf_counter() - decided_at)
            self.respond([body])
            self._free()
        else:

            def encoded(buffers: Sequence[Buffer]) -> None:
                metrics.response_queue.add(time.perf_counter() - decided_at)
                self.respond(buffers)
                self._free(response)

            self._start(self._encoded(response), encoded)

    def _encoded(self, response: Message) -> Steps[Sequence[Buffer]]:
        buffers = yield from response.encode_in_steps(self.request.api_version)
        for code in error_codes_in_steps(response):
            if code is not None:
                self.metrics.add_error(code)
            yield
        return buffers

    def _free(self, response: Message | None = None, made: Sequence[Any] = ()) -> None:
        """The request is finished, or it waits and is not needed for its response: free it, its response, and what was
        ``made`` when it was dropped; in steps if they are large."""
        message, self.message = self.message, None
        if self._body_bytes <= MANY_ELEMENTS:
            # The request is not large: every element takes at least one byte.
            message = None
        if message is None and response is None and not made:
            self._leave_room(None)
            return
        large = [each for each in (message, response) if each is not None and is_large(each)]
        large += made
        del message
        if large:
            self.node.slices.start(release_steps(large), self._leave_room, self._failed)
        else:
            self._leave_room(None)

    def _leave_room(self, _: None) -> None:
        # Set to 0 first: the room may begin another request within `leave`.
        elements, self.elements_in_room = self.elements_in_room, 0
        if elements:
            self.node.room.leave(elements, self.connection.peer_host)
        elements, self.elements_waiting = self.elements_waiting, 0
        if elements:
            self.node.room.end_wait(elements)
        if self.making is not None:
            self.making.free()

    def _failed(self, error: Exception) -> None:
        """Handle an error of a request: caused by its peer, by the disk, or unexpected."""
        self._end_wait()
        # Such an error may have left the disk in a state that nobody knows. It ends the node.
        if isinstance(error, StorageError | DiskError):
            raise error
        if isinstance(error, RemoteProtocolError | CloseConnection):
            self.respond(error)
        else:
            self.respond(self._failure(error))
        self._free()

    def _failure(self, error: Exception) -> Outcome:
        request, metrics, message = self.request, self.metrics, self.message
        api = api_by_key(request.api_key)
        assert api is not None
        version = request.api_version
        name = f"{api.request_class.NAME} v{version}"
        _log.error(
            "%s of client %r, correlation id %d, failed: %r",
            name,
            request.client_id,
            request.correlation_id,
            error,
            exc_info=error,
        )
        try:
            # A refusal names each item, so that of a large request would take long to make.
            if message is not None and is_small(message, SMALL_RESPONSE_ELEMENTS):
                failed = ErrorCode.UNKNOWN_SERVER_ERROR
                refusal = Refusal(code=failed, message=describe(failed).message, version=version)
                body = refuse_at_once(message, refusal).encode(version)
                # An older version of a response may lack a field that newer versions have.
                sent, _ = api.response_class.decode(body, version)
                codes = list(error_codes(sent))
                if failed in codes:
                    for code in codes:
                        metrics.add_error(code)
                    return [body]
        except Exception as another:
            _log.error("no error response could be encoded for %s: %r", name, another, exc_info=another)
        metrics.add_error(ErrorCode.UNKNOWN_SERVER_ERROR)
        return CloseConnection(f"{name} failed: {error!r}")


def _in_turn(work: Callable[[], T]) -> Steps[T]:
    """Work as a single step."""
    yield from ()
    return work()


def _held(result: T) -> Steps[T]:
    """A value as the result of steps."""
    yield from ()
    return result


def _owner_of(connection: ConnectionInfo) -> Hashable:
    """The key that identifies the work of a connection."""
    return connection.listener_name, connection.connection_id


def _context(
    request: IncomingRequest, connection: ConnectionInfo, throttle: RequestThrottle | None
) -> RequestContext:
    client_address, client_host = _address(connection.peer_host)
    return RequestContext(
        listener_kind=connection.listener_kind,
        listener_name=connection.listener_name,
        api_key=request.api_key,
        api_version=request.api_version,
        correlation_id=request.correlation_id,
        client_id=request.client_id,
        principal=connection.principal,
        token_authenticated=connection.token_authenticated,
        client_address=client_address,
        client_host=client_host,
        connection=_owner_of(connection),
        throttle=throttle,
    )


@lru_cache(maxsize=MAX_REMEMBERED_ADDRESSES)
def _address(peer_host: str) -> tuple[bytes, str]:
    """A peer's address as bytes and as text."""
    # A link-local IPv6 address has its interface behind a percent sign.
    address = ipaddress.ip_address(peer_host.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        # A listener on every interface shows IPv4 peers in this form; clients and controllers know them by 4 bytes.
        address = address.ipv4_mapped
    return address.packed, str(address)
