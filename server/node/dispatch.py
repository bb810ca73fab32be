"""From a request on a connection to the bytes of its response: decode, hand to the table, wait, encode.

What fails here in a way that nobody foresaw costs one request its answer, and no more: codecs and handlers change
nothing of the node, they read what is published and hand work over. Such a request is answered UNKNOWN_SERVER_ERROR
where its response has a place for that, else its connection is closed; the failure is logged with all that names the
request, and counted among the errors of its api.

Two things keep that apart from what has to end the process. The place: the cores, the log and the images are changed in
tasks of their own (`server.node.quorum`, `server.node.disk_worker`, `server.node.metadata_feed`), never within this
module; what fails there is raised there. And the type: a StorageError or a DiskError says that files are not as they
have to be, wherever it comes from, so it is raised from here as well.
"""

from __future__ import annotations

import ipaddress
import logging
import time
from collections.abc import Callable
from functools import lru_cache

from kafkaproto.api import API_VERSIONS_KEY, api_by_key
from kafkaproto.connection import RequestReceived, UnsupportedApiVersions
from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.message import Message
from kafkaproto.messages import ApiVersionsResponse, BrokerHeartbeatRequest
from server.apis.context import ANONYMOUS, Answer, NoAnswer, Reply, RequestContext, Services
from server.apis.table import dispatch, served_versions
from server.metrics.answers import error_codes
from server.metrics.requests import ApiMetrics, RequestMetrics
from server.net.pump import CloseConnection, ConnectionInfo, Outcome, Respond
from server.storage.errors import DiskError, StorageError
from server.types import Deferred

_log = logging.getLogger("kafkaproto.server.node")

MAX_REMEMBERED_ADDRESSES = 1024
"""Peers whose address need not be parsed again for each of their requests."""

_NOT_CONTAINED = (RemoteProtocolError, CloseConnection, StorageError, DiskError)
"""The peer's fault, which the connection's pump ends; and the disk's, which ends the node."""


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

        Raises RemoteProtocolError for a body that does not parse; StorageError and DiskError end the node.
        """
        begin = time.perf_counter()
        if isinstance(request, UnsupportedApiVersions):
            self._metrics.of(API_VERSIONS_KEY).add_error(ErrorCode.UNSUPPORTED_VERSION)
            respond([self._versions_to_choose_from(connection).encode(0)])
            return
        metrics = self._metrics.of(request.api_key)
        message: Message | None = None

        def failed(error: Exception) -> None:
            respond(self._failure(error, request, message, metrics))

        try:
            message = _decoded(request)
            reply = self._reply(message, request, connection)
        except _NOT_CONTAINED:
            raise
        except Exception as error:
            failed(error)
            return
        handled_at = time.perf_counter()
        metrics.local.add(handled_at - begin)

        def answered(answer: Answer) -> None:
            decided_at = time.perf_counter()
            metrics.remote.add(decided_at - handled_at)
            try:
                outcome = self._outcome(answer, request.api_version, metrics)
            except Exception as error:
                failed(error)
                return
            metrics.response_queue.add(time.perf_counter() - decided_at)
            respond(outcome)

        if isinstance(reply, Deferred):
            reply.on_done(answered, failed)
        else:
            answered(reply)

    def _reply(self, message: Message, request: RequestReceived, connection: ConnectionInfo) -> Reply:
        if self._heartbeat is not None and isinstance(message, BrokerHeartbeatRequest):
            self._heartbeat(message, connection)
        return dispatch(message, self._context(request, connection), self._services)

    @staticmethod
    def _outcome(answer: Answer, version: int, metrics: ApiMetrics) -> Outcome:
        if isinstance(answer, NoAnswer):
            return CloseConnection(answer.reason)
        body = answer.encode(version)
        for code in error_codes(answer):
            metrics.add_error(code)
        return [body]

    def _failure(
        self, error: Exception, request: RequestReceived, message: Message | None, metrics: ApiMetrics
    ) -> Outcome:
        """What becomes of a request that failed in a way that nobody foresaw."""
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
            if message is not None:
                refusal = self._services.refuse(message, ErrorCode.UNKNOWN_SERVER_ERROR, None, version)
                body = refusal.encode(version)
                # Older versions of a response may have no place for what newer ones have.
                sent, _ = api.response_class.decode(body, version)
                codes = list(error_codes(sent))
                if ErrorCode.UNKNOWN_SERVER_ERROR in codes:
                    for code in codes:
                        metrics.add_error(code)
                    return [body]
        except Exception as another:
            _log.error("%s cannot be refused either: %r", name, another, exc_info=another)
        metrics.add_error(ErrorCode.UNKNOWN_SERVER_ERROR)
        return CloseConnection(f"{name} failed: {error!r}")

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


def _decoded(request: RequestReceived) -> Message:
    api = api_by_key(request.api_key)
    assert api is not None, "a request of an unknown api key is refused with its header"
    message, _ = api.request_class.decode(request.frame, request.api_version, request.body_offset)
    return message


@lru_cache(maxsize=MAX_REMEMBERED_ADDRESSES)
def _address(peer_host: str) -> tuple[bytes, str]:
    """A peer's address as bytes and as text."""
    # A link-local IPv6 address carries its interface behind a percent sign.
    address = ipaddress.ip_address(peer_host.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        # A listener on every interface shows IPv4 peers so; clients and controllers know them by 4 bytes.
        address = address.ipv4_mapped
    return address.packed, str(address)
