"""A very small HTTP server for probes: GET and HEAD of a few fixed paths, one request per connection.

The functions given to it make the responses. They run in the event loop and must not block it. h11 implements HTTP
itself (RFC 9112). If a function fails, the response is 500 and the error is logged.

Probes ask here whether the node is alive, so other connections must not delay them: a request has to arrive within
`REQUEST_TIMEOUT_MS`. If there are `MAX_HTTP_CONNECTIONS`, the oldest one without a request is closed for the next one;
else one that has not taken its response `RESPONSE_GRACE_S` after its request.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

import h11
import trio

from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.shell.net.admission import Admission, AdmissionLimits, Place
from kafkaproto_server.shell.net.listener import Acceptor, bind_listener
from kafkaproto_server.shell.net.network import Incoming, TcpIncoming

_log = logging.getLogger("kafkaproto.server.http")

MAX_HTTP_CONNECTIONS: Final = 32
"""The number of simultaneous probes; a probe takes milliseconds."""

REQUEST_TIMEOUT_MS: Final = 3_000
"""From accepting a connection to the last byte of its request; probes send it at once."""

HTTP_TIMEOUT_MS: Final = 10_000
"""From accepting a connection to the end of the response."""

RESPONSE_GRACE_S: Final = 0.5
"""From a request to the end of its response; after that the connection may be closed for another one. /metrics takes
some ten milliseconds, and a probe of /live that waits for a place usually waits for a second or more."""

MAX_REQUEST_HEAD_BYTES: Final = 16_384
"""Request line and headers; a probe sends a few hundred bytes."""

_RECEIVE_BYTES: Final = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """The response of one path."""

    status: int
    body: str
    content_type: str = "text/plain; charset=utf-8"


Route = Callable[[], Awaitable[HttpResponse]]
"""Makes the response of one path."""


async def serve_http(
    host: str,
    port: int,
    routes: Mapping[str, Route],
    task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve ``routes`` (path -> function) until cancelled; reports the bound port when it has started.

    Raises OSError, which names the address, if it cannot listen there.
    """

    async def run_connection(incoming: Incoming, place: Place) -> None:
        assert isinstance(incoming, TcpIncoming), "probes come over TCP"
        stream = incoming.socket_stream
        with trio.move_on_after(HTTP_TIMEOUT_MS / 1000) as scope:
            connection = _Connection(scope, place)
            place.occupy(connection)
            await response_to_one(stream, routes, connection.has_asked)
        await trio.aclose_forcefully(stream)

    sockets = await bind_listener("http", host, port)
    # Not counted with Kafka's listeners: a flood there must not prevent probes.
    limits = AdmissionLimits(capacity=MAX_HTTP_CONNECTIONS, gives_way_after_s=RESPONSE_GRACE_S)
    door = Admission(limits).door("http", ListenerKind.BROKER)
    async with trio.open_nursery() as nursery:
        task_status.started(sockets[0].port)
        await Acceptor(door, sockets).run(nursery, run_connection)


class _Connection:
    """The occupant of a place. Implements `Occupant`."""

    def __init__(self, scope: trio.CancelScope, place: Place) -> None:
        self._scope = scope
        self._place = place
        self.idle_since: float | None = None
        """See `Occupant`: the time of its request."""

    def has_asked(self) -> None:
        self.idle_since = trio.current_time()
        self._place.made_request()

    def give_way(self) -> None:
        self._scope.cancel()


async def response_to_one(
    stream: trio.abc.Stream, routes: Mapping[str, Route], has_asked: Callable[[], None] = lambda: None
) -> None:
    """Read one request from a stream and respond. It is no error if the peer disconnects, is slow, or does not send
    HTTP. ``has_asked`` is called once the request has arrived."""
    # h11 refuses a longer head by itself, so a peer that drips headers takes no more memory.
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_REQUEST_HEAD_BYTES)
    has_body = True
    try:
        try:
            # From the connection on, not from the last byte: a peer that sends single bytes gains
            # no time.
            with trio.move_on_after(REQUEST_TIMEOUT_MS / 1000) as waiting:
                request = await _receive_request(stream, connection)
            if waiting.cancelled_caught:
                _log.debug("an HTTP client sent no request within %d ms", REQUEST_TIMEOUT_MS)
                return
            has_asked()
            response, more_headers = await _route(request, routes)
            has_body = request.method != b"HEAD"
        except h11.RemoteProtocolError as error:
            _log.info("refused a request that is not HTTP: %s", error)
            response, more_headers = HttpResponse(status=error.error_status_hint, body="bad request\n"), []
        await stream.send_all(_encode(connection, response, more_headers, has_body=has_body))
    except (trio.BrokenResourceError, _HttpHungUp):
        _log.debug("an HTTP client closed its connection before the response was sent")


class _HttpHungUp(Exception):
    """The peer closed its connection before its request was complete."""


async def _receive_request(stream: trio.abc.Stream, connection: h11.Connection) -> h11.Request:
    while (event := connection.next_event()) is h11.NEED_DATA:
        data = await stream.receive_some(_RECEIVE_BYTES)
        connection.receive_data(bytes(data))
        if not data:
            raise _HttpHungUp
    assert isinstance(event, h11.Request)
    return event


async def _route(
    request: h11.Request, routes: Mapping[str, Route]
) -> tuple[HttpResponse, list[tuple[str, str]]]:
    # Some probes add a query string. No path here uses it.
    path = request.target.partition(b"?")[0].decode("ascii", "replace")
    route = routes.get(path)
    if route is None:
        return HttpResponse(status=404, body=f"no such path; there are {', '.join(sorted(routes))}\n"), []
    if request.method not in (b"GET", b"HEAD"):
        return HttpResponse(status=405, body="only GET and HEAD are answered\n"), [("Allow", "GET, HEAD")]
    try:
        return await route(), []
    except Exception as error:
        # A defect of ours, or an unreadable file behind a figure. A probe must not end the node.
        _log.error("%s failed: %r", path, error, exc_info=error)
        return HttpResponse(status=500, body="the answer failed\n"), []


def _encode(
    connection: h11.Connection, response: HttpResponse, more_headers: list[tuple[str, str]], *, has_body: bool
) -> bytes:
    body = response.body.encode()
    headers = [
        ("Content-Type", response.content_type),
        ("Content-Length", str(len(body))),
        # One request per connection: anything else from the peer is not read.
        ("Connection", "close"),
        *more_headers,
    ]
    events: list[h11.Event] = [h11.Response(status_code=response.status, headers=headers)]
    if has_body:
        events.append(h11.Data(data=body))
    events.append(h11.EndOfMessage())
    return b"".join(connection.send(event) or b"" for event in events)
