"""From a request on a connection to the bytes of its response: decode, hand to the table, wait, encode."""

from __future__ import annotations

import ipaddress
import logging
import time
from collections.abc import Callable
from functools import lru_cache

from kafkaproto.api import API_VERSIONS_KEY, api_by_key
from kafkaproto.connection import RequestReceived, UnsupportedApiVersions
from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import LocalProtocolError
from kafkaproto.messages import ApiVersionsResponse, BrokerHeartbeatRequest
from server.apis.context import ANONYMOUS, Answer, NoAnswer, RequestContext, Services
from server.apis.table import dispatch, served_versions
from server.metrics.answers import error_codes
from server.metrics.requests import ApiMetrics, RequestMetrics
from server.net.pump import CloseConnection, ConnectionInfo, Outcome, Respond
from server.types import Deferred

_log = logging.getLogger("kafkaproto.server.node")

MAX_REMEMBERED_ADDRESSES = 1024
"""Peers whose address need not be parsed again for each of their requests."""


class Dispatcher:
    """Serves the requests of a node's listeners."""

    def __init__(
        self,
        services: Services,
        metrics: RequestMetrics | None = None,
        *,
        heartbeat: Callable[[BrokerHeartbeatRequest, ConnectionInfo], None] | None = None,
    ) -> None:
        """``heartbeat`` is told of each heartbeat of a broker before it is served."""
        self._services = services
        self._metrics = metrics or RequestMetrics()
        self._heartbeat = heartbeat

    def serve(
        self, request: RequestReceived | UnsupportedApiVersions, connection: ConnectionInfo, respond: Respond
    ) -> None:
        """Have one request answered by ``respond``, which gets the response body, or why to close the connection.

        Raises RemoteProtocolError for a body that does not parse.
        """
        begin = time.perf_counter()
        if isinstance(request, UnsupportedApiVersions):
            self._metrics.of(API_VERSIONS_KEY).add_error(ErrorCode.UNSUPPORTED_VERSION)
            respond([self._versions_to_choose_from(connection).encode(0)])
            return
        api = api_by_key(request.api_key)
        assert api is not None, "a request of an unknown api key is refused with its header"
        message, _ = api.request_class.decode(request.frame, request.api_version, request.body_offset)
        if self._heartbeat is not None and isinstance(message, BrokerHeartbeatRequest):
            self._heartbeat(message, connection)
        reply = dispatch(message, self._context(request, connection), self._services)
        handled_at = time.perf_counter()
        metrics = self._metrics.of(request.api_key)
        metrics.local.add(handled_at - begin)

        def answered(answer: Answer) -> None:
            decided_at = time.perf_counter()
            metrics.remote.add(decided_at - handled_at)
            outcome = self._outcome(answer, request.api_version, metrics)
            metrics.response_queue.add(time.perf_counter() - decided_at)
            respond(outcome)

        if isinstance(reply, Deferred):
            reply.on_done(answered)
        else:
            answered(reply)

    @staticmethod
    def _outcome(answer: Answer, version: int, metrics: ApiMetrics) -> Outcome:
        if isinstance(answer, NoAnswer):
            return CloseConnection(answer.reason)
        for code in error_codes(answer):
            metrics.add_error(code)
        try:
            return [answer.encode(version)]
        except LocalProtocolError as error:
            # Our own mistake, but one that has harmed nothing: only this peer goes without its answer.
            _log.exception("a response cannot be encoded: %s", error)
            return CloseConnection(f"the response cannot be encoded: {error}")

    @staticmethod
    def _versions_to_choose_from(connection: ConnectionInfo) -> ApiVersionsResponse:
        versions = served_versions(connection.listener_kind, API_VERSIONS_KEY)
        assert versions is not None, "every listener serves ApiVersions"
        lowest, highest = versions
        return ApiVersionsResponse(
            error_code=ErrorCode.UNSUPPORTED_VERSION,
            api_keys=[
                ApiVersionsResponse.ApiVersion(
                    api_key=API_VERSIONS_KEY, min_version=lowest, max_version=highest
                )
            ],
        )

    @staticmethod
    def _context(request: RequestReceived, connection: ConnectionInfo) -> RequestContext:
        client_address, client_host = _address(connection.peer_host)
        return RequestContext(
            listener_kind=connection.listener_kind,
            listener_name=connection.listener_name,
            api_key=request.api_key,
            api_version=request.api_version,
            correlation_id=request.correlation_id,
            client_id=request.client_id,
            principal=ANONYMOUS,
            client_address=client_address,
            client_host=client_host,
        )


@lru_cache(maxsize=MAX_REMEMBERED_ADDRESSES)
def _address(peer_host: str) -> tuple[bytes, str]:
    """A peer's address as bytes and as text."""
    # A link-local IPv6 address carries its interface behind a percent sign.
    address = ipaddress.ip_address(peer_host.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        # A listener on every interface shows IPv4 peers so; clients and controllers know them by 4 bytes.
        address = address.ipv4_mapped
    return address.packed, str(address)
