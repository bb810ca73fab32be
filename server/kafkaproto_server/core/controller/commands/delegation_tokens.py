"""CreateDelegationToken (38, v1-3), RenewDelegationToken (39, v1-2), ExpireDelegationToken (40, v1-2).

A token (KIP-48, KIP-373) is recorded without its HMAC, which every node derives from its id and
delegation.token.secret.key. Times are of the wall clock, because the holders of tokens read them. A token is invalid
from the moment of its expiry; a periodic task removes it later (`expired_token_records`).

`apis.delegation_tokens` decides before who may send these requests, and adds to the responses the names of the
principals that a token concerns. Here the principal counts as authenticated.

Apache Kafka: ``DelegationTokenControlManager``.
"""

from __future__ import annotations

import msgspec

from kafkaproto import uuids
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
    ExpireDelegationTokenRequest,
    ExpireDelegationTokenResponse,
    RemoveDelegationTokenRecord,
    RenewDelegationTokenRequest,
    RenewDelegationTokenResponse,
)
from kafkaproto.support import MAX_STRING_LENGTH
from kafkaproto_server.base.error_texts import MAX_QUOTED_LENGTH, quoted
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult, Situation
from kafkaproto_server.metadata.image.entries import DelegationToken
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.records import delegation_token_record
from kafkaproto_server.metadata.image.sorting import sorted_steps
from kafkaproto_server.metadata.security.delegation_tokens import (
    is_expired,
    may_renew,
    token_hmac,
    token_owner,
)

TOKEN_LEVEL = 14
"""metadata.version 3.6-IV2: the first level with records of tokens."""
MAX_REMOVED_TOKENS = 1000
"""Tokens that one run of the periodic task removes."""
NO_TIME = -1
"""In a response, the times of a token that does not exist."""
_MAX_TIMESTAMP_MS = 2**63 - 1
_USER = "User"


def create_delegation_token(situation: Situation, request: CreateDelegationTokenRequest) -> CommandResult:
    """Create a token for the named owner, else for the requester; raises ApiError if it cannot be created."""
    secret_key = _secret_key(situation)
    owner = token_owner(
        request.owner_principal_type, request.owner_principal_name, situation.context.principal
    )
    owner_type, _, owner_name = owner.partition(":")
    if not owner_type:
        raise ApiError(
            ErrorCode.INVALID_PRINCIPAL_TYPE,
            f"The owner {quoted(owner_name)} has no principal type.",
        )
    for renewer in request.renewers:
        # Kafka's DelegationTokenControlManager accepts only renewers of type User, too.
        if renewer.principal_type != _USER:
            raise ApiError(
                ErrorCode.INVALID_PRINCIPAL_TYPE,
                f"The renewer's principal type {quoted(renewer.principal_type)} is not {_USER}.",
            )
    renewers = tuple(f"{each.principal_type}:{each.principal_name}" for each in request.renewers)
    for principal in (owner, *renewers):
        # The record joins type and name in one string. Each of them fits the request, but both
        # together may not fit the record.
        if len(principal.encode()) > MAX_STRING_LENGTH:
            raise ApiError(
                ErrorCode.INVALID_REQUEST,
                f"The principal {quoted(principal)}... has more than {MAX_STRING_LENGTH} bytes.",
            )
    lifetime_ms = situation.config.delegation_token_max_lifetime_ms
    # 0 or less means the longest that the controller allows; more than that cannot be asked for.
    if request.max_lifetime_ms > 0:
        lifetime_ms = min(lifetime_ms, request.max_lifetime_ms)
    now_ms = situation.wall_ms
    max_timestamp_ms = _later(now_ms, lifetime_ms)
    token = DelegationToken(
        owner=owner,
        requester=situation.context.principal,
        renewers=renewers,
        issue_timestamp_ms=now_ms,
        max_timestamp_ms=max_timestamp_ms,
        expiration_timestamp_ms=min(
            max_timestamp_ms, _later(now_ms, situation.config.delegation_token_expiry_time_ms)
        ),
    )
    assert token.expiration_timestamp_ms <= token.max_timestamp_ms, "a token expires within its lifetime"
    # The id may be public. The HMAC is the secret, and it follows from the id only with the key.
    token_id = uuids.to_text(situation.rng.uuid())
    response = CreateDelegationTokenResponse(
        issue_timestamp_ms=token.issue_timestamp_ms,
        expiry_timestamp_ms=token.expiration_timestamp_ms,
        max_timestamp_ms=token.max_timestamp_ms,
        token_id=token_id,
        hmac=token_hmac(secret_key, token_id),
    )
    return CommandResult(response=response, records=(delegation_token_record(token_id, token),))


def renew_delegation_token(
    situation: Situation, request: RenewDelegationTokenRequest
) -> Steps[CommandResult]:
    """Extend a token's expiry time, up to its maximum lifetime; raises ApiError if it cannot be renewed."""
    token_id, token = yield from _token(situation, bytes(request.hmac))
    _check_not_expired(situation, token_id, token)
    _check_may_renew(situation, token_id, token)
    period_ms = situation.config.delegation_token_expiry_time_ms
    # As above: a period may be shortened, not lengthened.
    if request.renew_period_ms > 0:
        period_ms = min(period_ms, request.renew_period_ms)
    # Without the maximum, a holder could renew a stolen token for ever.
    expiration_ms = min(token.max_timestamp_ms, _later(situation.wall_ms, period_ms))
    return CommandResult(
        response=RenewDelegationTokenResponse(expiry_timestamp_ms=expiration_ms),
        records=(
            delegation_token_record(
                token_id, msgspec.structs.replace(token, expiration_timestamp_ms=expiration_ms)
            ),
        ),
    )


def expire_delegation_token(
    situation: Situation, request: ExpireDelegationTokenRequest
) -> Steps[CommandResult]:
    """Set a token's expiry time, or remove it if the period is negative; raises ApiError if it cannot be expired."""
    token_id, token = yield from _token(situation, bytes(request.hmac))
    # Renewers may expire a token, too: whoever may keep it alive may end it.
    _check_may_renew(situation, token_id, token)
    # Before the check of its expiry: a token may be removed even if it has expired. Kafka's
    # DelegationTokenControlManager has the same order.
    if request.expiry_time_period_ms < 0:
        return CommandResult(
            response=ExpireDelegationTokenResponse(expiry_timestamp_ms=situation.wall_ms),
            records=(RemoveDelegationTokenRecord(token_id=token_id),),
        )
    _check_not_expired(situation, token_id, token)
    expiration_ms = min(token.max_timestamp_ms, _later(situation.wall_ms, request.expiry_time_period_ms))
    return CommandResult(
        response=ExpireDelegationTokenResponse(expiry_timestamp_ms=expiration_ms),
        records=(
            delegation_token_record(
                token_id, msgspec.structs.replace(token, expiration_timestamp_ms=expiration_ms)
            ),
        ),
    )


def expired_token_records(image: ClusterImage, wall_ms: int) -> Steps[list[Message]]:
    """Records that remove tokens that have expired at a wall time, at most `MAX_REMOVED_TOKENS` of them."""
    names = []
    for name, token in image.delegation_tokens.items():
        if is_expired(token, wall_ms):
            names.append(name)
        yield
    expired = yield from sorted_steps(names)
    # Not removed at once: `is_expired` already makes the token invalid, so the removal only frees
    # memory and may take several runs.
    return [RemoveDelegationTokenRecord(token_id=token_id) for token_id in expired[:MAX_REMOVED_TOKENS]]


def _secret_key(situation: Situation) -> str:
    """The secret that tokens are made with; raises ApiError if tokens are not enabled."""
    secret_key = situation.config.delegation_token_secret_key
    if not secret_key:
        raise ApiError(
            ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED,
            "delegation.token.secret.key is not set on the controller.",
        )
    # A node of an older release may not know the record type, and would stop at it.
    if situation.image.metadata_version < TOKEN_LEVEL:
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION, "Tokens need metadata.version 3.6-IV2 or later.")
    return secret_key


def _token(situation: Situation, given_hmac: bytes) -> Steps[tuple[str, DelegationToken]]:
    """The token that has an HMAC."""
    _secret_key(situation)
    tokens = situation.image.delegation_tokens
    token_id = yield from situation.token_index.find(tokens, given_hmac)
    if token_id is None:
        raise ApiError(ErrorCode.DELEGATION_TOKEN_NOT_FOUND, "No token has the HMAC that is given.")
    return token_id, tokens[token_id]


def _check_not_expired(situation: Situation, token_id: str, token: DelegationToken) -> None:
    if is_expired(token, situation.wall_ms):
        raise ApiError(ErrorCode.DELEGATION_TOKEN_EXPIRED, f"Token {token_id} has expired.")


def _check_may_renew(situation: Situation, token_id: str, token: DelegationToken) -> None:
    principal = situation.context.principal
    if not may_renew(token, principal):
        raise ApiError(
            ErrorCode.DELEGATION_TOKEN_OWNER_MISMATCH,
            f"{principal[:MAX_QUOTED_LENGTH]} is neither owner nor renewer of token {token_id}.",
        )


def _later(now_ms: int, period_ms: int) -> int:
    # A client may send the highest int64 as "for ever". Python would compute a time that no field
    # can hold.
    return min(_MAX_TIMESTAMP_MS, now_ms + period_ms)
