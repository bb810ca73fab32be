"""From the bytes of a request to its reply: checks its size, checks the sender's rights, decodes it, calls its handler.

A short request is decoded at once. For a longer one, the server compares its size with its API's bounds and checks the
sender's rights before it reads the body. If the sender may not use the API at all, there are two cases:

- The response has an error code of its own: the refusal is made from the request's header alone.
- It has none, or the handler checks the rights item by item: a body of more than `MAX_REFUSED_BODY_BYTES` gets no
  response, and the connection is closed. A smaller one is decoded, since the refusal has to name its items.

While this node does not know the ACLs, there always is a response, which makes the sender retry. A request that passes
is then decoded in steps. A broker does not decode what it forwards, unless it is short.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

from kafkaproto.api import ApiInfo, api_by_key
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.apis.access import CheckedBy
from kafkaproto_server.apis.api import Served
from kafkaproto_server.apis.authorization import (
    cluster_refusal,
    denial,
    is_allowed,
    knows_acls,
    log_denials,
    may_nothing,
    whole_refusal,
)
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.apis.table import APIS, TABLE, bounds_of, refuse, refuse_at_once
from kafkaproto_server.base.later import Steps, StepsType
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.requests.context import (
    HandlerResult,
    InnerRequest,
    RefusedRequestError,
    RequestContext,
    UnreadRequest,
)
from kafkaproto_server.requests.error_codes import error_codes
from kafkaproto_server.requests.refusals import Refusal

SHORT_BODY_BYTES = 4096
"""Bodies up to this size are decoded at once. That takes some milliseconds, whatever they contain."""
MAX_REFUSED_BODY_BYTES = 64 * 1024
"""The largest body that is decoded only so that a refusal can name the items that the sender may not access."""


def serve(
    frame: bytes,
    body_offset: int,
    context: RequestContext,
    services: Services,
    decoded: Callable[[Message], None] = lambda message: None,
) -> HandlerResult:
    """Serve a request with the handler of its API, if the sender may send it. The listener must serve the API.

    Calls ``decoded`` with the request before the handler is called. Returns the response, or a promise of it. Raises
    RemoteProtocolError, at once or in a step, if the body does not parse or exceeds the bounds of its API, and
    RefusedRequestError.
    """
    served = TABLE[context.listener_kind][context.api_key]
    api = api_by_key(context.api_key)
    assert api is not None, "a request of an unknown api key is refused with its header"
    bounds = bounds_of(context.api_key, context.listener_kind)
    # Listeners refuse larger frames by their first bytes. A request inside of an envelope comes
    # only here.
    if len(frame) > bounds.max_bytes:
        raise RefusedRequestError(
            f"the frame has {len(frame)} bytes, {bounds.max_bytes} are allowed", where=api.request_class.NAME
        )
    body_bytes = len(frame) - body_offset
    # Every element takes at least one byte.
    is_short = body_bytes <= SHORT_BODY_BYTES and body_bytes <= bounds.max_elements
    # Rights are checked before a long body is read: to decode it for nothing would be an easy
    # attack.
    if not is_short:
        refused = _refused_unread(api, served, body_bytes, context, services)
        if refused is not None:
            return refused
    if served.passes_on_unread:
        # A broker passes on bytes. It decodes a short request only to be able to refuse it by
        # itself.
        message = _decoded(api, frame, body_offset, context) if is_short else None
        if message is not None:
            decoded(message)
        unread = UnreadRequest(api_key=context.api_key, frame=frame, body_offset=body_offset, message=message)
        return services.controller.forward(unread, context)
    if is_short:
        message = _decoded(api, frame, body_offset, context)
        decoded(message)
        return dispatch(message, context, services)
    return _serve_long(api, frame, body_offset, context, services, decoded)


def serve_forwarded(
    frame: bytes, body_offset: int, context: RequestContext, services: Services
) -> HandlerResult:
    """Serve a request that a broker forwarded, as `serve` does. Raises RefusedRequestError if brokers do not forward
    its API."""
    api = APIS.get(context.api_key)
    # As in Kafka, an envelope holds only what brokers forward. Nodes send their own requests
    # themselves.
    if api is None or api.broker is None or not api.broker.is_forwarded:
        raise RefusedRequestError(f"api key {context.api_key} is not forwarded")
    return serve(frame, body_offset, context, services)


def dispatch(request: Message, context: RequestContext, services: Services) -> HandlerResult:
    """Call the handler for a decoded request if the sender may send it. The listener must serve the API."""
    served = TABLE[context.listener_kind][context.api_key]
    refusal = whole_refusal(served.access, context, services)
    try:
        result = served.handler(request, context, services) if refusal is None else refuse(request, refusal)
    except CoordinatorError as error:
        result = _refused(request, context, error)
    if isinstance(result, InnerRequest):
        # Here and not in the envelope's handler, which would have to import the table of which it
        # is a row.
        result = result.serve_by(serve_forwarded)
    if isinstance(result, StepsType):
        return _watched(result, request, context)
    log_denials(context)
    return result


def _watched(steps: Steps[Any], request: Message, context: RequestContext) -> Steps[Any]:
    """The same steps, which log at their end what the sender was denied, and may end in a refusal."""
    try:
        result = yield from steps
    except CoordinatorError as error:
        result = _refused(request, context, error)
    if isinstance(result, StepsType):
        return _watched(result, request, context)
    log_denials(context)
    return result


def _refused(request: Message, context: RequestContext, error: CoordinatorError) -> Message | Steps[Message]:
    """The response to a request for a coordinator that is not here, or refuses all of it."""
    refusal = Refusal(code=error.code, message=error.message, version=context.api_version)
    return refuse(request, refusal)


def _decoded(api: ApiInfo, frame: bytes, body_offset: int, context: RequestContext) -> Message:
    message, _ = api.request_class.decode(frame, context.api_version, body_offset)
    return message


def _serve_long(
    api: ApiInfo,
    frame: bytes,
    body_offset: int,
    context: RequestContext,
    services: Services,
    decoded: Callable[[Message], None],
) -> Steps[HandlerResult]:
    most = bounds_of(context.api_key, context.listener_kind).max_elements
    message, _ = yield from api.request_class.decode_in_steps(
        frame, context.api_version, body_offset, max_elements=most
    )
    decoded(message)
    return dispatch(message, context, services)


def _refused_unread(
    api: ApiInfo, served: Served, body_bytes: int, context: RequestContext, services: Services
) -> Message | None:
    """The refusal of a long request if the sender may do nothing of what it asks for; None if the body has to be read.

    Raises RefusedRequestError if only reading the body could give a response, and the body is too long to be read for
    that.
    """
    access = served.access
    # The broker cannot know: the active controller may have newer ACLs.
    if access is None or access.checked_by is CheckedBy.CONTROLLER:
        return None
    is_loaded = knows_acls(services)
    if access.checked_by is CheckedBy.HANDLER and is_loaded:
        if body_bytes <= MAX_REFUSED_BODY_BYTES or not may_nothing(context, services, access):
            return None
        text = denial(context, access.operation, access.resource_type, "*")
    else:
        if any(is_allowed(context, services, each) for each in access.operations):
            return None
        if _has_error_on_top(api, context):
            refusal = cluster_refusal(context, services, access.operation)
            log_denials(context)
            return refuse_at_once(api.request_class(), refusal)
        # A sender that has to retry gets a response that says so, however long its request is.
        if body_bytes <= MAX_REFUSED_BODY_BYTES or not is_loaded:
            return None
        text = denial(context, access.operation)
    log_denials(context)
    raise RefusedRequestError(f"{body_bytes} bytes are not read. {text}", where=api.request_class.NAME)


def _has_error_on_top(api: ApiInfo, context: RequestContext) -> bool:
    """Whether the response has an error code on top, so that even an empty request can be refused with it."""
    code = ErrorCode.NOT_CONTROLLER
    refusal = Refusal(code=code, message=None, version=context.api_version)
    return code in islice(error_codes(refuse_at_once(api.request_class(), refusal)), 1)
