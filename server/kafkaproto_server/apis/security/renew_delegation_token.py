"""RenewDelegationToken (39), v1-2; controller listeners, forwarded by brokers (KIP-48).

Extends the life of a token, up to its maximum lifetime. The active controller decides
(`core.controller.commands.delegation_tokens`). A token's owner and renewers need no ACL, and nobody else may do this.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.messages import RenewDelegationTokenRequest, RenewDelegationTokenResponse
from kafkaproto_server.apis.api import FORWARDED, Api, Served
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.apis.security.tokens import NO_TIME, is_proven, not_proven
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.requests.context import RequestContext, Response
from kafkaproto_server.requests.refusals import Refusal


def handle_renew_delegation_token(
    request: RenewDelegationTokenRequest, context: RequestContext, services: Services
) -> RenewDelegationTokenResponse | Deferred[Response]:
    """Submit the request to this node's controller, which knows the token's owner."""
    if not is_proven(context):
        return refuse(request, not_proven(context))
    return services.controller.submit(request, context)


def refuse(request: RenewDelegationTokenRequest, refusal: Refusal) -> RenewDelegationTokenResponse:
    """The response has no field for an error message."""
    return RenewDelegationTokenResponse(error_code=refusal.code, expiry_timestamp_ms=NO_TIME)


API = Api(
    key=ApiKey.RENEW_DELEGATION_TOKEN,
    bounds=SMALL,
    broker=FORWARDED,
    controller=Served(handler=handle_renew_delegation_token, access=None),
    refuse=refuse,
)
