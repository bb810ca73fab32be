"""ListTransactions (66), versions 0-2, broker listeners.

The transactions that this broker coordinates, by state and producer; from version 1 on by their duration (KIP-994),
from version 2 on by a pattern of the transactional id (KIP-1152). The pattern is one of RE2, whose matching takes
linear time, and has to match the whole id. The sender sees the transactional ids on which it has DESCRIBE. If its
pattern takes too long for one of these ids, it gets INVALID_REGULAR_EXPRESSION.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ListTransactionsRequest, ListTransactionsResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.regexes import Regex, compile_regex
from kafkaproto_server.core.coordinators.transactions.describe import unknown_states
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.transaction_requests import ListValues

MAX_MATCH_COST = 4_000_000
"""Of one transactional id (`Regex.cost`): 40 ms at most, and a match cannot be interrupted. With a pattern of a hundred
instructions, an id may have 32 KiB, which is all that a request can hold."""


class _TooCostlyError(Exception):
    """The pattern takes too long for a transactional id."""


def handle_list_transactions(
    request: ListTransactionsRequest, context: RequestContext, services: Services
) -> ListTransactionsResponse | Steps[ListTransactionsResponse]:
    """List them, one a step."""
    matches = None
    if request.transactional_id_pattern:
        try:
            matches = _matcher(compile_regex(request.transactional_id_pattern), context, services)
        except ValueError:
            return ListTransactionsResponse(error_code=ErrorCode.INVALID_REGULAR_EXPRESSION)
    values = ListValues(
        state_filters=tuple(request.state_filters),
        producer_id_filters=frozenset(request.producer_id_filters),
        duration_filter_ms=request.duration_filter,
        matches=matches,
    )
    found = [each.list_transactions(values) for each in services.transactions.all()]
    return _listed(values, chain.from_iterable(found), context, services)


def _matcher(regex: Regex, context: RequestContext, services: Services) -> Callable[[str], bool]:
    """What the sender may not see does not match, so that no id of others makes its request fail."""

    def matches(transactional_id: str) -> bool:
        if not _may_describe(transactional_id, context, services):
            return False
        if regex.cost(transactional_id) > MAX_MATCH_COST:
            raise _TooCostlyError
        return regex.matches(transactional_id)

    return matches


def _may_describe(transactional_id: str, context: RequestContext, services: Services) -> bool:
    return is_allowed(context, services, Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID, transactional_id)


def _listed(
    values: ListValues,
    found: Iterator[ListTransactionsResponse.TransactionState | None],
    context: RequestContext,
    services: Services,
) -> Steps[ListTransactionsResponse]:
    response = ListTransactionsResponse(unknown_state_filters=list(unknown_states(values.state_filters)))
    try:
        for each in found:
            yield
            if each is not None and _may_describe(each.transactional_id, context, services):
                response.transaction_states.append(each)
    except _TooCostlyError:
        return ListTransactionsResponse(error_code=ErrorCode.INVALID_REGULAR_EXPRESSION)
    return response


API = Api(
    key=ApiKey.LIST_TRANSACTIONS,
    bounds=SMALL,
    broker=Served(
        handler=handle_list_transactions, access=of_items(Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID)
    ),
)
