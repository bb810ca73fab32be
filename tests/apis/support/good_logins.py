"""Requests of clients that authenticate, which nobody has to at the listeners of this server."""

from __future__ import annotations

from kafkaproto.messages import SaslAuthenticateRequest, SaslHandshakeRequest

OF_NOBODY = (
    SaslHandshakeRequest(mechanism="PLAIN"),
    SaslAuthenticateRequest(auth_bytes=b"\0user\0password"),
)
