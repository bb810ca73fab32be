"""CreateDelegationToken (38), v1-3; controller listeners, forwarded by brokers (KIP-48).

The active controller creates a token for the sender, or for another owner if the sender has CREATE_TOKENS on that USER
(KIP-373). A refusal names owner and requester, too.

- v3 names the owner and the requester.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import CreateDelegationTokenRequest, CreateDelegationTokenResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import FORWARDED, Api, Served
from kafkaproto_server.apis.authorization import denial, is_allowed
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.apis.security.tokens import NO_TIME, is_proven, not_proven
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.metadata.security.delegation_tokens import token_owner
from kafkaproto_server.requests.context import RequestContext, Response
from kafkaproto_server.requests.refusals import Refusal

_FIRST_WITH_REQUESTER = 3


def handle_create_delegation_token(
    request: CreateDelegationTokenRequest, context: RequestContext, services: Services
) -> Response | Deferred[Response]:
    """Submit the request to this node's controller, if the sender may have such a token."""
    owner = token_owner(request.owner_principal_type, request.owner_principal_name, context.principal)
    asked = (Operation.CREATE_TOKENS, ResourceType.USER, owner)

    def name_both(response: Response) -> Response:
        if not isinstance(response, CreateDelegationTokenResponse):
            # There is none: too many wait for the controller.
            return response
        if request.owner_principal_name:
            # Unchanged: joined and split again, they might be too long for the response.
            response.principal_type = request.owner_principal_type or ""
            response.principal_name = request.owner_principal_name
        else:
            response.principal_type, _, response.principal_name = owner.partition(":")
        if context.api_version >= _FIRST_WITH_REQUESTER:
            requester_type, _, requester_name = context.principal.partition(":")
            response.token_requester_principal_type = requester_type
            response.token_requester_principal_name = requester_name
        return response

    if not is_proven(context):
        return name_both(refuse(request, not_proven(context)))
    if owner != context.principal and not is_allowed(context, services, *asked):
        code = ErrorCode.DELEGATION_TOKEN_AUTHORIZATION_FAILED
        refusal = Refusal(code=code, message=denial(context, *asked), version=context.api_version)
        return name_both(refuse(request, refusal))
    return services.controller.submit(request, context).then(name_both)


def refuse(request: CreateDelegationTokenRequest, refusal: Refusal) -> CreateDelegationTokenResponse:
    """A refusal without token and times."""
    return CreateDelegationTokenResponse(
        error_code=refusal.code,
        issue_timestamp_ms=NO_TIME,
        expiry_timestamp_ms=NO_TIME,
        max_timestamp_ms=NO_TIME,
    )


API = Api(
    key=ApiKey.CREATE_DELEGATION_TOKEN,
    bounds=SMALL,
    broker=FORWARDED,
    controller=Served(
        handler=handle_create_delegation_token,
        access=of_items(Operation.CREATE_TOKENS, ResourceType.USER),
    ),
    refuse=refuse,
)
