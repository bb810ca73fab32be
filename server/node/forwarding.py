"""Carrying clients' requests from a broker to the active controller, in envelopes (KIP-590)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace

import trio

from kafkaproto.api import api_by_key
from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.headers import decode_response_header, encode_request_header
from kafkaproto.message import Message
from kafkaproto.messages import (
    CreateTopicsRequest,
    EnvelopeRequest,
    EnvelopeResponse,
)
from kafkaproto.support import joined
from server.apis.context import Answer, NoAnswer, RequestContext
from server.apis.envelope import encode_principal
from server.node.controller_channel import ControllerChannel, ControllerUnavailable
from server.node.refusals import refuse
from server.types import Deferred

_log = logging.getLogger("kafkaproto.server.node")

FORWARD_TIMEOUT_MS = 60_000
"""How long a broker tries to reach the active controller for a client, as Kafka's brokers do."""
ANSWER_MARGIN_MS = 500
"""How much longer than the client's own limit a broker waits, so that a controller that keeps to it can say so."""

_CREATE_TOPICS_KEY = 19


class Forwarder:
    """One broker's way to have clients' requests carried out."""

    def __init__(self, nursery: trio.Nursery, channel: ControllerChannel) -> None:
        self._nursery = nursery
        self._channel = channel
        self._topics_in_creation: set[str] = set()

    def controller_versions(self) -> Mapping[int, tuple[int, int]] | None:
        """What the active controller serves, None while there is no connection to it."""
        return self._channel.served_versions

    def forward(self, request: Message, context: RequestContext) -> Deferred[Answer]:
        """Send a client's request on; its answer comes later."""
        reply: Deferred[Answer] = Deferred()
        self._nursery.start_soon(self._forward, request, context, reply)
        return reply

    def create_topics(self, request: Message, context: RequestContext) -> None:
        """Ask for topics that a client missed, each at most once at a time; nobody waits for the answer."""
        assert isinstance(request, CreateTopicsRequest)
        request.topics = [topic for topic in request.topics if topic.name not in self._topics_in_creation]
        if not request.topics:
            return
        names = {topic.name for topic in request.topics}
        self._topics_in_creation |= names
        api = api_by_key(_CREATE_TOPICS_KEY)
        assert api is not None
        inner = replace(context, api_key=_CREATE_TOPICS_KEY, api_version=api.max_stable_version)

        def finished(_: Answer) -> None:
            self._topics_in_creation.difference_update(names)

        def failed(error: Exception) -> None:
            self._topics_in_creation.difference_update(names)
            _log.error("the creation of topics that a client missed failed: %r", error, exc_info=error)

        self.forward(request, inner).on_done(finished, failed)

    async def _forward(self, request: Message, context: RequestContext, reply: Deferred[Answer]) -> None:
        try:
            answer = await self._carry(request, context)
        except Exception as error:
            # A mistake of ours with this one request: whoever waits for its answer says so.
            reply.fail(error)
        else:
            reply.resolve(answer)

    async def _carry(self, request: Message, context: RequestContext) -> Answer:
        try:
            request_data = _with_header(request, context)
        except LocalProtocolError as error:
            # A client id that is not UTF-8 can grow beyond its limit by being decoded.
            return NoAnswer(reason=f"{request.NAME} cannot be forwarded: {error}")
        envelope = EnvelopeRequest(
            request_data=request_data,
            request_principal=encode_principal(
                context.principal, token_authenticated=context.token_authenticated
            ),
            client_host_address=context.client_address,
        )
        try:
            response = await self._channel.send(envelope, timeout_ms=_time_limit_ms(request))
        except ControllerUnavailable as error:
            _log.warning("cannot forward: %s", error)
            return refuse(request, ErrorCode.REQUEST_TIMED_OUT, None, context.api_version)
        assert isinstance(response, EnvelopeResponse)
        return _unwrap(response, request, context)


def _time_limit_ms(request: Message) -> int:
    """How long to try for a request: as long as its sender gives it, within our own limit."""
    # A limit of zero or less is the controller's to refuse.
    limit_ms: int = getattr(request, "timeout_ms", 0)
    return min(FORWARD_TIMEOUT_MS, limit_ms + ANSWER_MARGIN_MS) if limit_ms > 0 else FORWARD_TIMEOUT_MS


def _with_header(request: Message, context: RequestContext) -> bytes:
    header = encode_request_header(
        api_key=context.api_key,
        api_version=context.api_version,
        correlation_id=context.correlation_id,
        client_id=context.client_id,
    )
    return header + request.encode(context.api_version)


def _unwrap(response: EnvelopeResponse, request: Message, context: RequestContext) -> Answer:
    if response.error_code == ErrorCode.UNSUPPORTED_VERSION:
        # The client has to learn what the controller speaks: it does so on a new connection.
        return NoAnswer(reason=f"the active controller does not know {request.NAME} v{context.api_version}")
    if response.error_code or response.response_data is None:
        return refuse(request, ErrorCode.UNKNOWN_SERVER_ERROR, None, context.api_version)
    api = api_by_key(context.api_key)
    assert api is not None
    data = joined(response.response_data)
    try:
        _, offset = decode_response_header(data, api.response_header_version(context.api_version))
        inner, _ = api.response_class.decode(data, context.api_version, offset)
    except RemoteProtocolError as error:
        _log.warning("the active controller answered %s with what is no answer: %s", request.NAME, error)
        return refuse(request, ErrorCode.UNKNOWN_SERVER_ERROR, None, context.api_version)
    return inner
