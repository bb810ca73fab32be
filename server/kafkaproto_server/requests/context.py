"""Who sent a request, over what, and the forms that a response to it can have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.message import Message
from kafkaproto_server.ports import Buffer
from kafkaproto_server.types import Deferred, ListenerKind, Steps, StepsType

ANONYMOUS = "User:ANONYMOUS"
"""Principal of a peer on a listener without authentication."""


class NoAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Stands for a response where the connection is closed instead, with the reason in the log."""

    reason: str


class RefusedRequestError(RemoteProtocolError):
    """A request is refused before it was read, and no response could say so: its connection is closed."""


class Encoded(msgspec.Struct, frozen=True, kw_only=True):
    """A response whose body is encoded already."""

    buffers: Sequence[Buffer]
    """The body, to be joined."""
    errors: Mapping[int, int] = {}
    """How often it says each error code, for the metrics."""


class UnreadRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request that is passed on as it came."""

    api_key: int
    frame: bytes
    """Header and body."""
    body_offset: int
    message: Message | None
    """What a short body says; None for a long one, which is not decoded here."""


@dataclass(slots=True)
class Denials:
    """What the sender of one request was found not to be allowed to do."""

    count: int = 0
    first: str = ""


class RequestContext(msgspec.Struct, frozen=True, kw_only=True):
    """Who sent a request, and over what."""

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
    """Whether it proved who it is by a delegation token."""
    denials: Denials = msgspec.field(default_factory=Denials)
    """Filled while the request is served."""


Answer = Message | NoAnswer | Encoded


Reply: TypeAlias = Answer | Deferred[Any] | Steps[Any]
"""A response: now, later, or at the end of steps that whoever serves the request has to drive. What comes of a
Deferred or of steps is a reply again."""


class InnerRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Stands for the response to a request that holds another request, which is to be served first."""

    serve_by: Callable[[Any], Reply]
    """Gives the reply; its argument serves a forwarded request (`apis.serving.serve_forwarded`)."""


def changed(reply: Reply, change: Callable[[Any], Reply]) -> Reply:
    """A reply with its response changed, now or when it comes; ``change`` may take steps, or time, itself."""
    if isinstance(reply, Deferred):
        later: Deferred[Any] = Deferred()

        def take(value: Reply) -> None:
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
    return reply if isinstance(reply, NoAnswer) else change(reply)


def _changed_after(steps: Steps[Any], change: Callable[[Any], Reply]) -> Steps[Any]:
    reply = yield from steps
    return changed(reply, change)
