"""Delegation tokens (KIP-48): their HMAC, which is their password, and who may manage them."""

from __future__ import annotations

import hmac

from immutables import Map

from server.image.image import DelegationToken


def token_hmac(secret_key: str, token_id: str) -> bytes:
    """The HMAC-SHA512 of a token's id; every node that has the same secret derives the same one."""
    return hmac.digest(secret_key.encode(), token_id.encode(), "sha512")


def token_of_hmac(tokens: Map[str, DelegationToken], secret_key: str, given: bytes) -> str | None:
    """The id of the token that has an HMAC, None where none has."""
    for token_id in sorted(tokens):
        if hmac.compare_digest(token_hmac(secret_key, token_id), given):
            return token_id
    return None


def may_renew(token: DelegationToken, principal: str) -> bool:
    """Whether a principal is the token's owner, asked for it, or was named as a renewer."""
    return principal in (token.owner, token.requester) or principal in token.renewers


def is_expired(token: DelegationToken, wall_ms: int) -> bool:
    """Whether a token's time is over at a wall time in milliseconds."""
    return min(token.max_timestamp_ms, token.expiration_timestamp_ms) < wall_ms


def token_owner(owner_type: str | None, owner_name: str | None, requester: str) -> str:
    """The principal that a token is asked for: the one that is named, else who asks."""
    return f"{owner_type or ''}:{owner_name}" if owner_name else requester
