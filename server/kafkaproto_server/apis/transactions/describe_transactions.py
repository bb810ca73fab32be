"""DescribeTransactions (65), version 0, broker listeners.

State, producer and partitions of transactions that this broker coordinates (KIP-664). The sender needs DESCRIBE on each
transactional id, and sees the topics on which it has DESCRIBE. A transactional id that is named twice is described
once.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeTransactionsRequest, DescribeTransactionsResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import BYTES_AN_ELEMENT, ITEMS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.refusals import Refusal, refuse_each_once

State = DescribeTransactionsResponse.TransactionState


def handle_describe_transactions(
    request: DescribeTransactionsRequest, context: RequestContext, services: Services
) -> Steps[DescribeTransactionsResponse]:
    """Describe them, one a step."""
    response = DescribeTransactionsResponse()
    for transactional_id in dict.fromkeys(request.transactional_ids):
        # A transaction is described in one step: it does not change meanwhile.
        yield BYTES_AN_ELEMENT * _partition_count(transactional_id, services)
        response.transaction_states.append(_described(transactional_id, context, services))
        yield
    return response


def _described(transactional_id: str, context: RequestContext, services: Services) -> State:
    if not is_allowed(context, services, Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID, transactional_id):
        return _error(transactional_id, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    try:
        found = services.transactions.of(transactional_id).describe(transactional_id)
    except CoordinatorError as error:
        return _error(transactional_id, error.code)
    found.topics = [
        each
        for each in found.topics
        if is_allowed(context, services, Operation.DESCRIBE, ResourceType.TOPIC, each.topic)
    ]
    return found


def _partition_count(transactional_id: str, services: Services) -> int:
    try:
        return services.transactions.of(transactional_id).described_partitions(transactional_id)
    except CoordinatorError:
        return 0


def _error(transactional_id: str, code: ErrorCode) -> State:
    return State(error_code=code, transactional_id=transactional_id)


def refuse(request: DescribeTransactionsRequest, refusal: Refusal) -> Steps[DescribeTransactionsResponse]:
    """The error for each transactional id."""
    states = yield from refuse_each_once(
        request.transactional_ids, lambda transactional_id: _error(transactional_id, refusal.code)
    )
    return DescribeTransactionsResponse(transaction_states=states)


API = Api(
    key=ApiKey.DESCRIBE_TRANSACTIONS,
    bounds=ITEMS,
    broker=Served(
        handler=handle_describe_transactions,
        access=of_items(Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID),
    ),
    refuse=refuse,
)
