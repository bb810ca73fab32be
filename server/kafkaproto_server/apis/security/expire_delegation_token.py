"""ExpireDelegationToken (40), v1-2; controller listeners, forwarded by brokers (KIP-48).

Sets the expiry time of a token; a negative period deletes it at once. The active controller decides
(`core.controller.commands.delegation_tokens`). A token's owner and renewers need no ACL, and nobody else may do this.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.messages import ExpireDelegationTokenRequest, ExpireDelegationTokenResponse
from kafkaproto_server.apis.api import FORWARDED, Api, Served
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.apis.security.tokens import NO_TIME, is_proven, not_proven
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.requests.context import RequestContext, Response
from kafkaproto_server.requests.refusals import Refusal


def handle_expire_delegation_token(
    request: ExpireDelegationTokenRequest, context: RequestContext, services: Services
) -> ExpireDelegationTokenResponse | Deferred[Response]:
    """Submit the request to this node's controller, which knows the token's owner."""
    if not is_proven(context):
        return refuse(request, not_proven(context))
    return services.controller.submit(request, context)


def refuse(request: ExpireDelegationTokenRequest, refusal: Refusal) -> ExpireDelegationTokenResponse:
    """The response has no field for an error message."""
    return ExpireDelegationTokenResponse(error_code=refusal.code, expiry_timestamp_ms=NO_TIME)


API = Api(
    key=ApiKey.EXPIRE_DELEGATION_TOKEN,
    bounds=SMALL,
    broker=FORWARDED,
    controller=Served(handler=handle_expire_delegation_token, access=None),
    refuse=refuse,
)
