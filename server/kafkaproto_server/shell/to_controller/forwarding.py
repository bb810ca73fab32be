"""Forwards clients' requests from a broker to the active controller, in envelopes (KIP-590).

Header and body of a request are forwarded unchanged, and the response is returned as the controller encoded it; a long
one is not decoded here. Requests that this node itself sends in a client's name, or that it changes, are handled as
messages.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import trio

from kafkaproto.api import ApiInfo, ApiKey, api_by_key
from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.headers import decode_response_header, encode_request_header
from kafkaproto.interpret import FIXED
from kafkaproto.message import Message
from kafkaproto.messages import (
    CreateTopicsRequest,
    EnvelopeRequest,
    EnvelopeResponse,
)
from kafkaproto.schema import within
from kafkaproto.support import joined
from kafkaproto_server.apis.cluster.envelope import encode_principal
from kafkaproto_server.apis.serving import SHORT_BODY_BYTES
from kafkaproto_server.apis.table import bounds_of, refuse, refuse_at_once, timeout_ms
from kafkaproto_server.base.later import Deferred, Steps
from kafkaproto_server.requests.context import (
    Encoded,
    HandlerResult,
    NoResponse,
    RequestContext,
    Response,
    UnreadRequest,
)
from kafkaproto_server.requests.error_codes import error_codes
from kafkaproto_server.requests.refusals import Refusal
from kafkaproto_server.shell.to_controller.channel import ControllerChannel, ControllerUnavailable

_log = logging.getLogger("kafkaproto.server.forwarding")

FORWARD_TIMEOUT_MS = 60_000
"""How long a broker tries to reach the active controller for a client; the same as for Kafka's brokers."""
RESPONSE_MARGIN_MS = 500
"""How much longer than the client's timeout a broker waits, so that a controller that keeps to the timeout can still
respond."""

MAX_TOPICS_IN_CREATION = 1_000
"""Limit for the missing topics, for all clients together, whose creation is requested at the same time. Clients retry
for the others."""

_AUTO_CREATE_VERSION = 4
"""Responses of later versions contain all configs of each new topic."""


class Forwarder:
    """Forwards the requests of one broker's clients."""

    def __init__(
        self, nursery: trio.Nursery, channel: ControllerChannel, *, creation_channel: ControllerChannel
    ) -> None:
        """The creation of missing topics has a channel of its own, so that no client's request waits for it."""
        self._nursery = nursery
        self._channel = channel
        self._creation_channel = creation_channel
        self._topics_in_creation: set[str] = set()

    def controller_versions(self) -> Mapping[int, tuple[int, int]] | None:
        """The versions that the active controller serves; None without a connection to it."""
        return self._channel.served_versions

    def forward(self, request: Message | UnreadRequest, context: RequestContext) -> Deferred[Response]:
        """Forward a client's request; its response comes later.

        For a message, the response is a decoded message; for a request that was not read, it is `Encoded`. If the
        controller does not respond, it is the refusal of everything in the request, possibly as steps.
        """
        result: Deferred[Response] = Deferred()
        self._nursery.start_soon(self._forward, request, context, result, self._channel)
        return result

    def create_topics(
        self, request: Message, context: RequestContext, told: Callable[[Response], None] | None = None
    ) -> None:
        """Request the creation of topics that a client asked for and that do not exist. Nobody waits for the response;
        ``told`` gets it.

        Each topic is requested at most once at a time. Topics beyond `MAX_TOPICS_IN_CREATION` are left out.
        """
        assert isinstance(request, CreateTopicsRequest)
        room = MAX_TOPICS_IN_CREATION - len(self._topics_in_creation)
        # Clients repeat Metadata every few hundred milliseconds until the topic exists.
        missing = [topic for topic in request.topics if topic.name not in self._topics_in_creation]
        request.topics = missing[:room]
        if not request.topics:
            return
        names = {topic.name for topic in request.topics}
        self._topics_in_creation |= names
        inner = msgspec.structs.replace(
            context, api_key=ApiKey.CREATE_TOPICS, api_version=_AUTO_CREATE_VERSION
        )

        def finished(response: Response) -> None:
            self._topics_in_creation.difference_update(names)
            if told is not None:
                told(response)

        def failed(error: Exception) -> None:
            self._topics_in_creation.difference_update(names)
            _log.error("the automatic creation of topics failed: %r", error, exc_info=error)

        result: Deferred[Response] = Deferred()
        result.on_done(finished, failed)
        self._nursery.start_soon(self._forward, request, inner, result, self._creation_channel)

    async def _forward(
        self,
        request: Message | UnreadRequest,
        context: RequestContext,
        result: Deferred[Any],
        channel: ControllerChannel,
    ) -> None:
        try:
            response = await self._carry(request, context, channel)
        except Exception as error:
            # A defect of this server that concerns this one request: the task that waits for the response reports it.
            result.fail(error)
        else:
            result.resolve(response)

    async def _carry(
        self, request: Message | UnreadRequest, context: RequestContext, channel: ControllerChannel
    ) -> HandlerResult:
        try:
            request_data = (
                request.frame if isinstance(request, UnreadRequest) else _with_header(request, context)
            )
        except LocalProtocolError as error:
            # A client id that is not UTF-8 can become longer than its limit when it is decoded.
            return NoResponse(reason=f"{_api(context).name} cannot be forwarded: {error}")
        envelope = EnvelopeRequest(
            request_data=request_data,
            request_principal=encode_principal(
                context.principal, token_authenticated=context.token_authenticated
            ),
            client_host_address=context.client_address,
        )
        try:
            response = await channel.send(envelope, timeout_ms=_time_limit_ms(request))
        except ControllerUnavailable as error:
            # The client may still hold its request open. REQUEST_TIMED_OUT makes it retry.
            _log.warning("cannot forward: %s", error)
            return _refusal(request, ErrorCode.REQUEST_TIMED_OUT, context)
        assert isinstance(response, EnvelopeResponse)
        return _unwrap(response, request, context)


def _time_limit_ms(request: Message | UnreadRequest) -> int:
    """How long to try for a request: as long as its sender allows, within our own limit."""
    message = request.message if isinstance(request, UnreadRequest) else request
    # The controller refuses a timeout of zero or less. The timeout of a long request is unknown here.
    limit_ms = (None if message is None else timeout_ms(message)) or 0
    return min(FORWARD_TIMEOUT_MS, limit_ms + RESPONSE_MARGIN_MS) if limit_ms > 0 else FORWARD_TIMEOUT_MS


def _with_header(request: Message, context: RequestContext) -> bytes:
    header = encode_request_header(
        api_key=context.api_key,
        api_version=context.api_version,
        correlation_id=context.correlation_id,
        client_id=context.client_id,
    )
    return header + request.encode(context.api_version)


def _refusal(request: Message | UnreadRequest, code: ErrorCode, context: RequestContext) -> HandlerResult:
    """The response that reports one error for everything in a request."""
    refusal = Refusal(code=code, message=describe(code).message, version=context.api_version)
    message = request if isinstance(request, Message) else request.message
    if message is not None:
        return refuse_at_once(message, refusal)
    assert isinstance(request, UnreadRequest), "a request was read, or it was not"
    return _refusal_of_long(request, refusal, context)


def _refusal_of_long(
    request: UnreadRequest, refusal: Refusal, context: RequestContext
) -> Steps[HandlerResult]:
    message, _ = yield from _api(context).request_class.decode_in_steps(
        request.frame,
        context.api_version,
        request.body_offset,
        max_elements=bounds_of(request.api_key).max_elements,
    )
    return refuse(message, refusal)


def _api(context: RequestContext) -> ApiInfo:
    api = api_by_key(context.api_key)
    assert api is not None, "what is forwarded has an api key that is served"
    return api


def _unwrap(
    response: EnvelopeResponse, request: Message | UnreadRequest, context: RequestContext
) -> HandlerResult:
    version, api = context.api_version, _api(context)
    name = api.request_class.NAME
    if response.error_code == ErrorCode.UNSUPPORTED_VERSION:
        # The client has to learn which versions the controller serves. It does so on a new connection.
        return NoResponse(reason=f"the active controller does not know {name} v{version}")
    if response.error_code == ErrorCode.INVALID_REQUEST:
        return NoResponse(reason=f"the active controller does not take this {name}")
    # Kafka's brokers respond likewise: an error of the envelope is no error that the client can act
    # on.
    if response.error_code or response.response_data is None:
        return _refusal(request, ErrorCode.UNKNOWN_SERVER_ERROR, context)
    data = joined(response.response_data)
    try:
        _, offset = decode_response_header(data, api.response_header_version(version))
        if isinstance(request, UnreadRequest) and len(data) > SHORT_BODY_BYTES:
            return Encoded(
                buffers=[memoryview(data)[offset:]], errors=error_on_top(data, offset, api, version)
            )
        inner, _ = api.response_class.decode(data, version, offset)
    except RemoteProtocolError as error:
        _log.warning("the active controller's response to %s is malformed: %s", name, error)
        return _refusal(request, ErrorCode.UNKNOWN_SERVER_ERROR, context)
    if isinstance(request, Message):
        return inner
    return Encoded(buffers=[data[offset:]], errors=Counter(error_codes(inner)))


def error_on_top(data: bytes, offset: int, api: ApiInfo, version: int) -> dict[int, int]:
    """The top-level error code of an encoded response, as a count. Empty if there is none at its beginning."""
    for field in api.response_class.schema().root.fields:
        if not within(version, field.versions) or within(version, field.tagged):
            continue
        if field.attribute == "error_code":
            return {int.from_bytes(data[offset : offset + 2], "big", signed=True): 1}
        if field.array or field.type not in FIXED:
            break
        offset += FIXED[field.type].size
    return {}
