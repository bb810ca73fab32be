"""DescribeDelegationToken (41), v1-3; both kinds of listeners (KIP-48).

Every node responds from its own committed image. It shows a token to its owner, requester and renewers, and to clients
that may DESCRIBE the DELEGATION_TOKEN or DESCRIBE_TOKENS of the owner.

- v3 has the requester of each token (KIP-373).
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    DescribeDelegationTokenRequest,
    DescribeDelegationTokenResponse,
)
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.apis.security.tokens import is_proven
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.image.entries import DelegationToken
from kafkaproto_server.metadata.image.sorting import sorted_steps
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.metadata.security.delegation_tokens import may_renew, token_hmac
from kafkaproto_server.requests.context import RequestContext

SECRET_KEY = "delegation.token.secret.key"
_FIRST_WITH_REQUESTER = 3


def handle_describe_delegation_token(
    request: DescribeDelegationTokenRequest, context: RequestContext, services: Services
) -> Steps[DescribeDelegationTokenResponse]:
    """Return the tokens of the given owners, or all tokens, as far as the client may see them."""
    if not is_proven(context):
        return DescribeDelegationTokenResponse(error_code=ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED)
    secret_key = services.node.static_config.get(SECRET_KEY)
    if not secret_key:
        return DescribeDelegationTokenResponse(error_code=ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED)
    owners = None
    if request.owners is not None:
        owners = [f"{owner.principal_type}:{owner.principal_name}" for owner in request.owners]
    tokens = services.metadata.image().delegation_tokens
    response = DescribeDelegationTokenResponse()
    token_ids = yield from sorted_steps(list(tokens))
    for token_id in token_ids:
        token = tokens[token_id]
        is_asked_for = owners is None or any(may_renew(token, owner) for owner in owners)
        if is_asked_for and _may_describe(token_id, token, context, services):
            response.tokens.append(_described(token_id, token, secret_key, context.api_version))
        yield
    return response


def _may_describe(token_id: str, token: DelegationToken, context: RequestContext, services: Services) -> bool:
    return (
        may_renew(token, context.principal)
        or is_allowed(context, services, Operation.DESCRIBE, ResourceType.DELEGATION_TOKEN, token_id)
        # KIP-373 added this right on the owner, beside DESCRIBE on the token itself.
        or is_allowed(context, services, Operation.DESCRIBE_TOKENS, ResourceType.USER, token.owner)
    )


def _described(
    token_id: str, token: DelegationToken, secret_key: str, version: int
) -> DescribeDelegationTokenResponse.DescribedDelegationToken:
    owner_type, _, owner_name = token.owner.partition(":")
    renewers = []
    for renewer in token.renewers:
        renewer_type, _, renewer_name = renewer.partition(":")
        renewers.append(
            DescribeDelegationTokenResponse.DescribedDelegationTokenRenewer(
                principal_type=renewer_type, principal_name=renewer_name
            )
        )
    described = DescribeDelegationTokenResponse.DescribedDelegationToken(
        principal_type=owner_type,
        principal_name=owner_name,
        issue_timestamp=token.issue_timestamp_ms,
        expiry_timestamp=token.expiration_timestamp_ms,
        max_timestamp=token.max_timestamp_ms,
        token_id=token_id,
        # Computed and not stored: the metadata log must not hold what authenticates a client.
        hmac=token_hmac(secret_key, token_id),
        renewers=renewers,
    )
    if version >= _FIRST_WITH_REQUESTER:
        requester_type, _, requester_name = token.requester.partition(":")
        described.token_requester_principal_type = requester_type
        described.token_requester_principal_name = requester_name
    return described


_SERVED = Served(
    handler=handle_describe_delegation_token,
    access=of_items(Operation.DESCRIBE, ResourceType.DELEGATION_TOKEN),
)
API = Api(key=ApiKey.DESCRIBE_DELEGATION_TOKEN, bounds=SMALL, broker=_SERVED, controller=_SERVED)
