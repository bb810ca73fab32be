"""Delegation tokens (KIP-48): their HMAC, which is their password, and which principals may manage them.

Apache Kafka: ``DelegationTokenControlManager`` and ``DelegationTokenCache``.
"""

from __future__ import annotations

import hmac

from immutables import Map

from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.image.entries import DelegationToken

MAX_FORGOTTEN = 1000
"""How many removed tokens the cache may still hold before it is emptied."""


def token_hmac(secret_key: str, token_id: str) -> bytes:
    """The HMAC-SHA512 of a token's id; all nodes with the same secret derive the same one."""
    # SHA-512, as Kafka: clients of both servers log in with the same tokens.
    return hmac.digest(secret_key.encode(), token_id.encode(), "sha512")


class TokenIndex:
    """Finds tokens by their HMAC, for one secret.

    No record holds an HMAC, so each has to be computed once. This class is only a cache of them.
    """

    def __init__(self, secret_key: str) -> None:
        self._secret_key = secret_key
        self._ids: dict[bytes, str] = {}
        self._indexed: set[str] = set()
        # The tokens of the last search: if they are the same, an HMAC that is not found belongs to no token.
        self._tokens: Map[str, DelegationToken] = Map()

    def find(self, tokens: Map[str, DelegationToken], given: bytes) -> Steps[str | None]:
        """The id of the token that has an HMAC, None if none has."""
        # Only then: a wrong HMAC must not cost a pass through all tokens each time.
        if given not in self._ids and tokens is not self._tokens:
            yield from self._add(tokens)
        token_id = self._ids.get(given)
        # The index may know a token that was removed, or one of an image that was given up.
        return token_id if token_id in tokens else None

    def _add(self, tokens: Map[str, DelegationToken]) -> Steps[None]:
        # Removed tokens are not looked for one by one; what is left of them is bounded.
        if len(self._indexed) > MAX_FORGOTTEN + 2 * len(tokens):
            self._ids.clear()
            self._indexed.clear()
        for token_id in tokens:
            if token_id not in self._indexed:
                self._indexed.add(token_id)
                self._ids[token_hmac(self._secret_key, token_id)] = token_id
            yield
        self._tokens = tokens


def may_renew(token: DelegationToken, principal: str) -> bool:
    """Whether a principal is the token's owner, asked for it, or was named as a renewer."""
    # The requester as well: it may have asked for a token for somebody else (KIP-373).
    return principal in (token.owner, token.requester) or principal in token.renewers


def is_expired(token: DelegationToken, wall_ms: int) -> bool:
    """Whether a token's time is over at a wall time in milliseconds."""
    # The maximum lifetime ends a token even if a record says otherwise of its expiry.
    return min(token.max_timestamp_ms, token.expiration_timestamp_ms) < wall_ms


def token_owner(owner_type: str | None, owner_name: str | None, requester: str) -> str:
    """The owner of a requested token: the principal that the request names, else the requester."""
    return f"{owner_type or ''}:{owner_name}" if owner_name else requester
