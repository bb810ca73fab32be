"""SaslHandshake (17), v0-1, and SaslAuthenticate (36), v0-2; both kinds of listeners (KIP-43, KIP-152).

Listeners are PLAINTEXT, where a client has nothing to prove. As in Kafka, either request gets ILLEGAL_SASL_STATE, and
the connection stays open. ApiVersions shows both: some clients take a broker without SaslHandshake for one of 2015 and
send it nothing newer (franz-go).

Not implemented: SASL.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
    SaslHandshakeRequest,
    SaslHandshakeResponse,
)
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.refusals import Refusal


def handle_sasl_handshake(
    request: SaslHandshakeRequest, context: RequestContext, services: Services
) -> SaslHandshakeResponse:
    return SaslHandshakeResponse(error_code=ErrorCode.ILLEGAL_SASL_STATE)


def handle_sasl_authenticate(
    request: SaslAuthenticateRequest, context: RequestContext, services: Services
) -> SaslAuthenticateResponse:
    return refuse_authenticate(
        request,
        Refusal(
            code=ErrorCode.ILLEGAL_SASL_STATE,
            message=f"Listener {context.listener_name} is PLAINTEXT: there is nobody to authenticate",
            version=context.api_version,
        ),
    )


def refuse_handshake(request: SaslHandshakeRequest, refusal: Refusal) -> SaslHandshakeResponse:
    """The response has no field for an error message."""
    return SaslHandshakeResponse(error_code=refusal.code)


def refuse_authenticate(request: SaslAuthenticateRequest, refusal: Refusal) -> SaslAuthenticateResponse:
    return SaslAuthenticateResponse(error_code=refusal.code, error_message=refusal.message)


# Whoever is not authenticated yet may send them.
_HANDSHAKE = Served(handler=handle_sasl_handshake, access=None)
_AUTHENTICATE = Served(handler=handle_sasl_authenticate, access=None)

HANDSHAKE = Api(
    key=ApiKey.SASL_HANDSHAKE,
    bounds=SMALL,
    broker=_HANDSHAKE,
    controller=_HANDSHAKE,
    refuse=refuse_handshake,
)
AUTHENTICATE = Api(
    key=ApiKey.SASL_AUTHENTICATE,
    bounds=SMALL,
    broker=_AUTHENTICATE,
    controller=_AUTHENTICATE,
    refuse=refuse_authenticate,
)
