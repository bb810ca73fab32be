"""From a request on a connection to the bytes of its response: decode, hand to the table, wait, encode."""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Sequence

from kafkaproto.api import API_VERSIONS_KEY, api_by_key
from kafkaproto.connection import RequestReceived, UnsupportedApiVersions
from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import LocalProtocolError
from kafkaproto.message import Message
from kafkaproto.messages import ApiVersionsResponse
from server.apis.context import ANONYMOUS, NoAnswer, RequestContext, Services
from server.apis.table import dispatch, served_versions
from server.net.pump import CloseConnection, ConnectionInfo
from server.node.waiting import wait_decided
from server.ports import Buffer
from server.types import Deferred

_log = logging.getLogger("kafkaproto.server.node")


class Dispatcher:
    """Serves the requests of a node's listeners."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def serve(
        self, request: RequestReceived | UnsupportedApiVersions, connection: ConnectionInfo
    ) -> Sequence[Buffer]:
        """The response body of one request.

        Raises RemoteProtocolError for a body that does not parse and CloseConnection where the protocol has the
        connection closed.
        """
        if isinstance(request, UnsupportedApiVersions):
            return [self._versions_to_choose_from(connection).encode(0)]
        api = api_by_key(request.api_key)
        assert api is not None, "a request of an unknown api key is refused with its header"
        message, _ = api.request_class.decode(request.frame, request.api_version, request.body_offset)
        context = self._context(request, connection)
        reply = dispatch(message, context, self._services)
        answer = await wait_decided(reply) if isinstance(reply, Deferred) else reply
        if isinstance(answer, NoAnswer):
            raise CloseConnection(answer.reason)
        return [self._encode(answer, request.api_version)]

    @staticmethod
    def _encode(response: Message, version: int) -> bytes:
        try:
            return response.encode(version)
        except LocalProtocolError as error:
            # Our own mistake, but one that has harmed nothing: only this peer goes without its answer.
            _log.exception("a response cannot be encoded: %s", error)
            raise CloseConnection(f"the response cannot be encoded: {error}") from None

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
        # A link-local IPv6 address carries its interface behind a percent sign.
        address = ipaddress.ip_address(connection.peer_host.partition("%")[0])
        if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
            # A listener on every interface shows IPv4 peers so; clients and controllers know them by 4 bytes.
            address = address.ipv4_mapped
        return RequestContext(
            listener_kind=connection.listener_kind,
            listener_name=connection.listener_name,
            api_key=request.api_key,
            api_version=request.api_version,
            correlation_id=request.correlation_id,
            client_id=request.client_id,
            principal=ANONYMOUS,
            client_address=address.packed,
            client_host=str(address),
        )
