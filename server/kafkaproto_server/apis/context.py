"""What a handler is given: who asks and how, and what the node can do for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.message import Message
from kafkaproto_server.apis.caches import ResponseCaches
from kafkaproto_server.image.image import ClusterImage
from kafkaproto_server.ports import Buffer
from kafkaproto_server.security.authorizer import Authorizer
from kafkaproto_server.types import Deferred, LeaderAndEpoch, ListenerKind, Steps, StepsType

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


class LogDirectoryStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One log directory of a broker, as it was checked last."""

    path: str
    """Absolute."""
    is_online: bool
    is_cordoned: bool
    """Whether it takes no new replicas."""
    total_bytes: int
    """Size of its file system; -1 where it is not known."""
    usable_bytes: int
    """What of that this process could still fill; -1 where it is not known."""


class Services(msgspec.Struct, frozen=True, kw_only=True):
    """What handlers reach of the node they run in.

    Functions, because what they answer changes: the image is that of the moment a handler asks.
    """

    node_id: int
    cluster_id: str
    image: Callable[[], ClusterImage]
    """The newest committed image."""
    leader: Callable[[], LeaderAndEpoch]
    """The quorum's leader as this node knows it."""
    kraft_version: Callable[[], int]
    choose: Callable[[int], int]
    """A random number from 0 to its argument - 1."""
    submit: Callable[[Message, RequestContext], Deferred[Answer]]
    """Have this node's controller carry out a command; it answers itself if it is not the active one."""
    forward: Callable[[Message | UnreadRequest, RequestContext], Deferred[Answer]]
    """Have the active controller, wherever it is, carry out a client's request under the client's name. A message is
    answered by a message, a request that was not read by what the controller has encoded."""
    controller_versions: Callable[[], Mapping[int, tuple[int, int]] | None]
    """What the active controller serves, by api key; None while this node has not asked it yet."""
    describe_quorum: Callable[[Message, int], Message]
    """Answer a DescribeQuorum request of a version from this node's own replica of the quorum."""
    raft_request: Callable[[Message, RequestContext], Deferred[Answer]]
    """Have this node's replica of the quorum answer one of the quorum's own requests."""
    authorizer: Callable[[], Authorizer | None]
    """Who may do what by the newest committed ACLs; None where the node has no authorizer."""
    refuse: Callable[[Message, ErrorCode, str | None, int], Message]
    """The response, of a version, that says an error and a message (None: the error's own) for all that a request
    asks for."""
    static_config: Mapping[str, str]
    """The node's properties as they were written; some of it is secret."""
    logger_levels: Callable[[], Mapping[str, str]]
    """The level of each of this process's loggers."""
    set_logger_levels: Callable[[Mapping[str, str | None]], None]
    """Set the levels of loggers that exist; None for that of the nearest logger above."""
    log_directories: Callable[[], Sequence[LogDirectoryStatus]]
    """The directories of this broker's ``log.dirs``."""
    auto_create_topics: bool
    """auto.create.topics.enable."""
    create_topics: Callable[[Message, RequestContext], None]
    """Ask the active controller for topics that a client missed; nobody waits for the answer."""
    caches: ResponseCaches = msgspec.field(default_factory=ResponseCaches)
    """What responses are made of, by the newest images."""
