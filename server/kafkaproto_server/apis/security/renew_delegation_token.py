"""RenewDelegationToken (39), v1-2; controller listeners, forwarded by brokers (KIP-48).

Lets a token live longer, within its longest life. The active controller decides
(`controller.commands.delegation_tokens`). A token's owner and renewers need no ACL, and nobody else may.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.messages import RenewDelegationTokenRequest, RenewDelegationTokenResponse
from kafkaproto_server.apis.api import FORWARDED, Api, Served
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.apis.security.tokens import NO_TIME, is_proven, not_proven
from kafkaproto_server.requests.context import Reply, RequestContext
from kafkaproto_server.requests.ports import Services
from kafkaproto_server.requests.refusals import Refusal


def handle_renew_delegation_token(
    request: RenewDelegationTokenRequest, context: RequestContext, services: Services
) -> Reply:
    """This node's controller decides: it knows whose the token is."""
    if not is_proven(context):
        return refuse(request, not_proven(context))
    return services.controller.submit(request, context)


def refuse(request: RenewDelegationTokenRequest, refusal: Refusal) -> RenewDelegationTokenResponse:
    """The response has no room for words."""
    return RenewDelegationTokenResponse(error_code=refusal.code, expiry_timestamp_ms=NO_TIME)


API = Api(
    key=ApiKey.RENEW_DELEGATION_TOKEN,
    bounds=SMALL,
    broker=FORWARDED,
    controller=Served(handler=handle_renew_delegation_token, access=None),
    refuse=refuse,
)
