"""Envelope (58), v0; controller listeners (KIP-590): a client's request that a broker forwards.

The inner request is served as if the client had sent it here, under the client's principal and address. If this node is
not the active controller, the envelope itself has the error NOT_CONTROLLER, so that the broker tries another node and
the client never sees the error. A node that does not know the cluster's ACLs yet is not the active controller and opens
no envelope: it could not tell which senders may act for others. A response with an error of the envelope contains no
inner response. If a change of the voters reaches a node that is not the quorum's leader, this is not such an error, as
in Kafka: the client gets it and retries.
"""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from kafkaproto.api import ApiInfo, ApiKey, api_by_key
from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import LocalProtocolError, ProtocolError, TooManyElementsError
from kafkaproto.headers import decode_request_header, encode_response_header, request_header_version
from kafkaproto.message import Message
from kafkaproto.messages import DefaultPrincipalData, EnvelopeRequest, EnvelopeResponse
from kafkaproto.support import joined
from kafkaproto_server.apis.access import Access
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import knows_acls
from kafkaproto_server.apis.bounds import KIB, MIB, Bounds
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.base.file_part import as_buffers
from kafkaproto_server.base.later import Steps, StepsType
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.context import (
    Encoded,
    HandlerResult,
    InnerRequest,
    RefusedRequestError,
    RequestContext,
    changed,
)
from kafkaproto_server.requests.error_codes import error_codes_in_steps

_log = logging.getLogger("kafkaproto.server.apis")

ServeForwarded: TypeAlias = Callable[[bytes, int, RequestContext, Services], HandlerResult]
"""Serves a forwarded request, given its frame and the start of its body. Raises ProtocolError if it is not served."""


def handle_envelope(
    request: EnvelopeRequest, context: RequestContext, services: Services
) -> EnvelopeResponse | InnerRequest:
    """Unwrap the inner request, have it served, wrap the response.

    If the inner request exceeds its bounds or is refused unread, the response is INVALID_REQUEST: only its client's
    connection has to be closed, not the broker's.
    """
    # A sender is known by its host only. Without the ACLs, nobody knows which hosts may act for
    # others.
    if not knows_acls(services):
        return EnvelopeResponse(error_code=ErrorCode.NOT_CONTROLLER)
    try:
        # The client's own principal and address count from here on, not those of the broker.
        inner_context = _client_context(request, context)
    except _BadEnvelope as error:
        return EnvelopeResponse(error_code=error.code)
    data = joined(request.request_data)
    try:
        header, offset = decode_request_header(data, request_header_version)
        api = api_by_key(header.api_key)
        assert api is not None, "a header of an unknown api key is refused when it is decoded"
    except ProtocolError:
        return EnvelopeResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    inner_context = msgspec.structs.replace(
        inner_context,
        api_key=header.api_key,
        api_version=header.api_version,
        correlation_id=header.correlation_id,
        client_id=header.client_id,
    )

    def serve_by(serve: ServeForwarded) -> HandlerResult:
        try:
            result = serve(data, offset, inner_context, services)
        except ProtocolError as error:
            return _refusal(error, inner_context)
        if isinstance(result, StepsType):
            result = _guarded(result, inner_context)
        return changed(result, lambda response: _wrap(response, api, inner_context))

    return InnerRequest(serve_by=serve_by)


def _guarded(steps: Steps[HandlerResult], context: RequestContext) -> Steps[HandlerResult]:
    try:
        return (yield from steps)
    except ProtocolError as error:
        return _refusal(error, context)


def _refusal(error: ProtocolError, context: RequestContext) -> EnvelopeResponse:
    """The response if the inner request is not served at all."""
    if not isinstance(error, RefusedRequestError | TooManyElementsError):
        return EnvelopeResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    client_id = quoted(context.client_id or "")
    _log.warning("refused a request of %s that a broker forwarded: %s", client_id, error)
    return EnvelopeResponse(error_code=ErrorCode.INVALID_REQUEST)


class _BadEnvelope(Exception):
    def __init__(self, code: ErrorCode) -> None:
        super().__init__(code)
        self.code = code


def _client_context(request: EnvelopeRequest, context: RequestContext) -> RequestContext:
    if request.request_principal is None:
        raise _BadEnvelope(ErrorCode.PRINCIPAL_DESERIALIZATION_FAILURE)
    try:
        principal, token_authenticated = decode_principal(bytes(request.request_principal))
    except ProtocolError:
        raise _BadEnvelope(ErrorCode.PRINCIPAL_DESERIALIZATION_FAILURE) from None
    address = bytes(request.client_host_address)
    # The length tells IPv4 from IPv6, as in Java's InetAddress.getByAddress.
    if len(address) not in (4, 16):
        raise _BadEnvelope(ErrorCode.INVALID_REQUEST)
    return msgspec.structs.replace(
        context,
        principal=principal,
        token_authenticated=token_authenticated,
        client_address=address,
        client_host=str(ipaddress.ip_address(address)),
    )


def encode_principal(principal: str, *, token_authenticated: bool = False) -> bytes:
    """A principal such as ``User:alice`` in the form for an envelope: a version and the fields."""
    kind, _, name = principal.partition(":")
    version = DefaultPrincipalData.MAX_VERSION
    data = DefaultPrincipalData(type=kind, name=name, token_authenticated=token_authenticated)
    return version.to_bytes(2, "big") + data.encode(version)


def decode_principal(data: bytes) -> tuple[str, bool]:
    """The reverse: the principal, and whether it authenticated with a delegation token.

    Raises RemoteProtocolError or UnsupportedVersionError if the bytes are not a principal.
    """
    version = int.from_bytes(data[:2], "big", signed=True)
    decoded, _ = DefaultPrincipalData.decode(data, version, 2)
    return f"{decoded.type}:{decoded.name}", decoded.token_authenticated


def _wrap(response: Message | Encoded, api: ApiInfo, context: RequestContext) -> HandlerResult:
    if isinstance(response, EnvelopeResponse):
        return response
    version = context.api_version
    header = encode_response_header(context.correlation_id, api.response_header_version(version))
    # DescribeQuorum says by this error that another node leads. A broker's client cannot act on it.
    lost = ErrorCode.NOT_LEADER_OR_FOLLOWER if api.key == ApiKey.DESCRIBE_QUORUM else ErrorCode.NOT_CONTROLLER
    if isinstance(response, Encoded):
        return EnvelopeResponse(response_data=[header, *as_buffers(response.buffers)])
    return _wrapped(response, header, lost, version)


def _wrapped(response: Message, header: bytes, lost: ErrorCode, version: int) -> Steps[Message]:
    # At any level: CreateTopics, for example, has NOT_CONTROLLER beside each topic.
    for code in error_codes_in_steps(response):
        if code == lost:
            return EnvelopeResponse(error_code=ErrorCode.NOT_CONTROLLER)
        yield
    try:
        body = yield from response.encode_in_steps(version)
    except LocalProtocolError as error:
        # A defect of this server, but a harmless one: only this client gets no response.
        _log.exception("a forwarded request's response cannot be encoded: %s", error)
        return EnvelopeResponse(error_code=ErrorCode.UNKNOWN_SERVER_ERROR)
    return EnvelopeResponse(response_data=[header, *body])


API = Api(
    key=ApiKey.ENVELOPE,
    # The largest request that is forwarded, with its client's principal and address.
    bounds=Bounds(max_elements=1_000, max_bytes=16 * MIB + 128 * KIB),
    controller=Served(handler=handle_envelope, access=Access(operation=Operation.CLUSTER_ACTION)),
)
