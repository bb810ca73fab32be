"""The sender of a request, the listener that it came in on, and the forms of its response."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import msgspec

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.message import Message
from kafkaproto_server.base.file_part import Sendable
from kafkaproto_server.base.later import Deferred, Steps, StepsType
from kafkaproto_server.base.types import ListenerKind

ANONYMOUS = "User:ANONYMOUS"
"""Principal of a peer on a listener without authentication."""


class NoResponse(msgspec.Struct, frozen=True, kw_only=True):
    """Used in place of a response: the connection is closed, and the reason is logged."""

    reason: str


class Unanswered(msgspec.Struct, frozen=True, kw_only=True):
    """Used in place of a response: the protocol has none for this request (Produce with acks=0)."""


class RefusedRequestError(RemoteProtocolError):
    """A request is refused unread, and no response could say why: its connection is closed."""


class Encoded(msgspec.Struct, frozen=True, kw_only=True):
    """A response whose body is already encoded."""

    buffers: Sequence[Sendable]
    """The parts of the body, in order."""
    errors: Mapping[int, int] = {}
    """The number of each error code in it, for the metrics."""


class UnreadRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request that is forwarded as its bytes, unchanged."""

    api_key: int
    frame: bytes
    """Header and body."""
    body_offset: int
    message: Message | None
    """The decoded request if its body is short; None for a long one, which is not decoded here."""


@dataclass(slots=True)
class Denials:
    """What the sender of one request was denied."""

    count: int = 0
    first: str = ""


class Throttle(Protocol):
    """The quotas of the sender of one request, for handlers to which they mean more than a delay."""

    def most_bytes(self) -> int | None:
        """More bytes of records than this in one response would always have to wait; None for no limit."""

    def fetched(self, record_bytes: int) -> int:
        """Count a response with so many bytes of records. If it is over a quota, returns how many milliseconds the
        sender has to wait, and nothing is counted: the response has to leave without records. Else returns 0."""

    def exempt(self) -> None:
        """The request comes from another broker: no quota holds for it."""


class RequestContext(msgspec.Struct, frozen=True, kw_only=True):
    """The sender of a request, and the listener and header of the request."""

    listener_kind: ListenerKind
    listener_name: str
    api_key: int
    api_version: int
    correlation_id: int
    client_id: str | None
    principal: str
    """Type and name, for example ``User:ANONYMOUS``."""
    client_address: bytes
    """4 or 16 bytes of the peer's IP address."""
    client_host: str
    """The same as text."""
    token_authenticated: bool = False
    """Whether the sender authenticated with a delegation token."""
    connection: Hashable = None
    """Identifies the connection among all of this node; None for a request that another broker has forwarded."""
    throttle: Throttle | None = None
    """None if the cluster has no quotas."""
    denials: Denials = msgspec.field(default_factory=Denials)
    """Filled in while the request is served."""


Response = Message | NoResponse | Unanswered | Encoded


HandlerResult: TypeAlias = Response | Deferred[Any] | Steps[Any]
"""A response now, a response later (`Deferred`), or steps that lead to one and that the caller has to run. The result
of a Deferred or of steps is a reply again."""


class InnerRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Used in place of a response by a request that contains another request, which has to be served first."""

    serve_by: Callable[[Any], HandlerResult]
    """Returns the reply. Its argument is the function that serves a forwarded request
    (`apis.serving.serve_forwarded`)."""


def changed(reply: HandlerResult, change: Callable[[Any], HandlerResult]) -> HandlerResult:
    """A reply with ``change`` applied to its response, now or when the response comes. ``change`` may return steps or a
    Deferred itself. A `NoResponse` stays as it is."""
    if isinstance(reply, Deferred):
        later: Deferred[Any] = Deferred()

        def take(value: HandlerResult) -> None:
            try:
                result = changed(value, change)
            except Exception as error:
                later.fail(error)
            else:
                later.resolve(result)

        reply.on_done(take, later.fail)
        return later
    if isinstance(reply, StepsType):
        return _changed_after(reply, change)
    return reply if isinstance(reply, NoResponse) else change(reply)


def _changed_after(steps: Steps[Any], change: Callable[[Any], HandlerResult]) -> Steps[Any]:
    result = yield from steps
    return changed(result, change)
