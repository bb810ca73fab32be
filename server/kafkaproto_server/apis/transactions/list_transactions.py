"""ListTransactions (66), versions 0-2, broker listeners.

The transactions that this broker coordinates, by state and producer; from version 1 on by their duration (KIP-994),
from version 2 on by a pattern of the transactional id (KIP-1152). The pattern is one of RE2, whose matching takes
linear time, and has to match the whole id. The sender sees the transactional ids on which it has DESCRIBE.
"""

from __future__ import annotations

from collections.abc import Callable

import re2

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ListTransactionsRequest, ListTransactionsResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.ports import Services
from kafkaproto_server.requests.transaction_requests import ListedTransactions, ListValues
from kafkaproto_server.security.acls import Operation, ResourceType
from kafkaproto_server.types import Steps

MAX_PATTERN_BYTES = 8 << 20
"""Memory of a compiled pattern, RE2's default. One that needs more is refused."""


def handle_list_transactions(
    request: ListTransactionsRequest, context: RequestContext, services: Services
) -> ListTransactionsResponse | Steps[ListTransactionsResponse]:
    """List them, one a step."""
    matches = None
    if request.transactional_id_pattern:
        try:
            matches = _matcher(request.transactional_id_pattern)
        except re2.error:
            return ListTransactionsResponse(error_code=ErrorCode.INVALID_REGULAR_EXPRESSION)
    values = ListValues(
        state_filters=tuple(request.state_filters),
        producer_id_filters=frozenset(request.producer_id_filters),
        duration_filter_ms=request.duration_filter,
        matches=matches,
    )
    found = services.transactions.list_transactions(values)
    if isinstance(found, ErrorCode):
        return ListTransactionsResponse(error_code=found)
    return _listed(found, context, services)


def _matcher(pattern: str) -> Callable[[str], bool]:
    options = re2.Options()
    options.max_mem = MAX_PATTERN_BYTES
    options.log_errors = False
    compiled = re2.compile(pattern, options)
    return lambda transactional_id: compiled.fullmatch(transactional_id) is not None


def _listed(
    found: ListedTransactions, context: RequestContext, services: Services
) -> Steps[ListTransactionsResponse]:
    response = ListTransactionsResponse(unknown_state_filters=list(found.unknown_states))
    for each in found.found:
        yield
        if each is not None and is_allowed(
            context, services, Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID, each.transactional_id
        ):
            response.transaction_states.append(each)
    return response


API = Api(
    key=ApiKey.LIST_TRANSACTIONS,
    bounds=SMALL,
    broker=Served(
        handler=handle_list_transactions, access=of_items(Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID)
    ),
)
