"""The common part of the delegation token APIs (KIP-48).

A token stands for a principal. So only a client that has authenticated, and not with a token, may use these APIs. All
listeners are PLAINTEXT so far, and their clients anonymous. Brokers that do authenticate clients can forward such
requests.
"""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.requests.context import ANONYMOUS, RequestContext
from kafkaproto_server.requests.refusals import Refusal

NO_TIME = -1
"""The value of a time in a refusal."""


def is_proven(context: RequestContext) -> bool:
    """Whether the sender of a request has authenticated, and not with a token."""
    return context.principal != ANONYMOUS and not context.token_authenticated


def not_proven(context: RequestContext) -> Refusal:
    """The refusal for a sender that has not."""
    return Refusal(
        code=ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED,
        message="Tokens are for clients that have authenticated, and not by a token.",
        version=context.api_version,
    )
