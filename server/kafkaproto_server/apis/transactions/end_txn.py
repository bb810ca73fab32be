"""EndTxn (26), versions 0-5, broker listeners.

A producer commits or aborts its transaction. The response comes once the decision is committed; the partitions hear of
it after that, and until they all have, the next transaction gets CONCURRENT_TRANSACTIONS. Version 5 is for clients that
work by transaction.version 2: the end bumps the producer's epoch, and the response has id and epoch of the next
transaction (KIP-890). The sender needs WRITE on the transactional id.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import EndTxnRequest, EndTxnResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.transaction_requests import EndTxnValues, ProducerOutcome


def handle_end_txn(
    request: EndTxnRequest, context: RequestContext, services: Services
) -> EndTxnResponse | Deferred[EndTxnResponse]:
    transactional_id = request.transactional_id
    if not is_allowed(context, services, Operation.WRITE, ResourceType.TRANSACTIONAL_ID, transactional_id):
        return EndTxnResponse(error_code=ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    reply: Deferred[EndTxnResponse] = Deferred()

    def done(outcome: ProducerOutcome) -> None:
        reply.resolve(
            EndTxnResponse(
                error_code=outcome.code,
                producer_id=outcome.producer_id,
                producer_epoch=outcome.producer_epoch,
            )
        )

    values = EndTxnValues(
        transactional_id=transactional_id,
        producer_id=request.producer_id,
        producer_epoch=request.producer_epoch,
        committed=request.committed,
        version=context.api_version,
    )
    services.transactions.of(transactional_id).end(values, done)
    return reply


API = Api(
    key=ApiKey.END_TXN,
    bounds=SMALL,
    broker=Served(handler=handle_end_txn, access=of_items(Operation.WRITE, ResourceType.TRANSACTIONAL_ID)),
)
