"""What a connection and whoever serves its requests say to each other: requests, results, and who the peer is.

A request may be served at once or later, by any task. Its result is a response, or a reason to close the connection, or
the wish to be asked again later.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec

from kafkaproto.connection import IncomingRequest, UnsupportedApiVersions
from kafkaproto.errors import RemoteProtocolError
from kafkaproto_server.base.file_part import Sendable
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.requests.context import ANONYMOUS

Request = IncomingRequest | UnsupportedApiVersions


class ConnectionInfo(msgspec.Struct, frozen=True, kw_only=True):
    """The properties of a connection, apart from its requests."""

    connection_id: int
    """Unique among all connections of the listener."""
    listener_name: str
    listener_kind: ListenerKind
    peer_host: str
    peer_port: int
    principal: str = ANONYMOUS
    """The authenticated peer, as type and name."""
    token_authenticated: bool = False
    """Whether the peer authenticated with a delegation token."""


class CloseConnection(Exception):
    """Raised or returned by a `Serve` function: the peer gets no response, its connection is closed, and the reason is
    logged."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Throttled(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a request whose sender has exceeded a quota: the response leaves at once, and nothing more is taken
    from the connection for a time (KIP-219)."""

    body: Sequence[Sendable] | None
    mute_ms: int


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """Instead of a result: the request is to be served again after some time."""

    wait_ms: int


Outcome: TypeAlias = Sequence[Sendable] | Throttled | Held | CloseConnection | RemoteProtocolError | None
"""The result of a request: the response body as buffers, without header and size; None if the protocol requires no
response; or the reason to close the connection."""

Respond = Callable[[Outcome], None]
"""Takes the result of a request, once, unless it is held. If the connection has ended meanwhile, the call has no
effect."""

Serve = Callable[[Request, ConnectionInfo, Respond], None]
"""Serves one request, now or later. May also raise CloseConnection or RemoteProtocolError instead."""
