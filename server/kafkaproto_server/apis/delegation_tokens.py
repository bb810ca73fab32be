"""DescribeDelegationToken (41, v1-3), and the door before creating (38), renewing (39) and expiring (40) tokens.

A token (KIP-48) stands for a principal, so only a client that has proven who it is, and not by a token, may ask for
one or about one: else it is DELEGATION_TOKEN_REQUEST_NOT_ALLOWED. All listeners here are PLAINTEXT so far, whose
clients are anonymous; what gets through are envelopes of brokers that do authenticate.

Who may: an owner asks for itself; for another owner it takes CREATE_TOKENS on that USER. Tokens are described to
their owner, requester and renewers, and to who may DESCRIBE the DELEGATION_TOKEN or DESCRIBE_TOKENS of the owner.
"""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
    DescribeDelegationTokenRequest,
    DescribeDelegationTokenResponse,
)
from kafkaproto_server.apis.authorization import denial, is_allowed
from kafkaproto_server.apis.context import ANONYMOUS, Reply, RequestContext, Services, changed
from kafkaproto_server.image.image import DelegationToken
from kafkaproto_server.image.sorting import sorted_steps
from kafkaproto_server.security.acls import Operation, ResourceType
from kafkaproto_server.security.delegation_tokens import may_renew, token_hmac, token_owner
from kafkaproto_server.types import Steps

SECRET_KEY = "delegation.token.secret.key"
_FIRST_WITH_REQUESTER = 3
_NOT_ALLOWED = "Tokens are for clients that have authenticated, and not by a token."


def handle_describe_delegation_token(
    request: DescribeDelegationTokenRequest, context: RequestContext, services: Services
) -> Steps[DescribeDelegationTokenResponse]:
    """The tokens of the owners that are named, or all, as far as the client may know of them."""
    if not _is_proven(context):
        return DescribeDelegationTokenResponse(error_code=ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED)
    secret_key = services.static_config.get(SECRET_KEY)
    if not secret_key:
        return DescribeDelegationTokenResponse(error_code=ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED)
    owners = None
    if request.owners is not None:
        owners = [f"{owner.principal_type}:{owner.principal_name}" for owner in request.owners]
    tokens = services.image().delegation_tokens
    response = DescribeDelegationTokenResponse()
    token_ids = yield from sorted_steps(list(tokens))
    for token_id in token_ids:
        token = tokens[token_id]
        is_asked_for = owners is None or any(may_renew(token, owner) for owner in owners)
        if is_asked_for and _may_describe(token_id, token, context, services):
            response.tokens.append(_described(token_id, token, secret_key, context.api_version))
        yield
    return response


def handle_create_delegation_token(
    request: CreateDelegationTokenRequest, context: RequestContext, services: Services
) -> Reply:
    """On a controller listener: a token for oneself, or for another with leave. A refusal names both, too."""
    owner = token_owner(request.owner_principal_type, request.owner_principal_name, context.principal)
    asked = (Operation.CREATE_TOKENS, ResourceType.USER, owner)

    def name_both(response: Message) -> Message:
        assert isinstance(response, CreateDelegationTokenResponse)
        if request.owner_principal_name:
            # As they came: put together and taken apart again, they might be too long for the response.
            response.principal_type = request.owner_principal_type or ""
            response.principal_name = request.owner_principal_name
        else:
            response.principal_type, _, response.principal_name = owner.partition(":")
        if context.api_version >= _FIRST_WITH_REQUESTER:
            requester_type, _, requester_name = context.principal.partition(":")
            response.token_requester_principal_type = requester_type
            response.token_requester_principal_name = requester_name
        return response

    if _is_proven(context) and owner != context.principal and not is_allowed(context, services, *asked):
        code = ErrorCode.DELEGATION_TOKEN_AUTHORIZATION_FAILED
        message = denial(context, *asked)
        return name_both(services.refuse(request, code, message, context.api_version))
    return changed(handle_alter_delegation_token(request, context, services), name_both)


def handle_alter_delegation_token(request: Message, context: RequestContext, services: Services) -> Reply:
    """On a controller listener: the controller knows whose the token is."""
    if not _is_proven(context):
        return services.refuse(
            request, ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, _NOT_ALLOWED, context.api_version
        )
    return services.submit(request, context)


def _is_proven(context: RequestContext) -> bool:
    return context.principal != ANONYMOUS and not context.token_authenticated


def _may_describe(token_id: str, token: DelegationToken, context: RequestContext, services: Services) -> bool:
    return (
        may_renew(token, context.principal)
        or is_allowed(context, services, Operation.DESCRIBE, ResourceType.DELEGATION_TOKEN, token_id)
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
        hmac=token_hmac(secret_key, token_id),
        renewers=renewers,
    )
    if version >= _FIRST_WITH_REQUESTER:
        requester_type, _, requester_name = token.requester.partition(":")
        described.token_requester_principal_type = requester_type
        described.token_requester_principal_name = requester_name
    return described
