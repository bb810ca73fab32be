"""What the APIs about delegation tokens (KIP-48) have in common.

A token stands for a principal. So only a client that has proven who it is, and not by a token, may ask for one or about
one. All listeners are PLAINTEXT so far, and their clients anonymous; brokers that do authenticate forward such
requests.
"""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.requests.context import ANONYMOUS, RequestContext
from kafkaproto_server.requests.refusals import Refusal

NO_TIME = -1
"""Stands in a refusal for a time."""


def is_proven(context: RequestContext) -> bool:
    """Whether the sender of a request has proven who it is, and not by a token."""
    return context.principal != ANONYMOUS and not context.token_authenticated


def not_proven(context: RequestContext) -> Refusal:
    """What is said to a sender that has not."""
    return Refusal(
        code=ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED,
        message="Tokens are for clients that have authenticated, and not by a token.",
        version=context.api_version,
    )
