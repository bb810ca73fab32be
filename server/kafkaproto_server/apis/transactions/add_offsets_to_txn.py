"""AddOffsetsToTxn (25), versions 0-4, broker listeners.

The offsets of a group take part in a producer's transaction: the partition of ``__consumer_offsets`` that has them is
added. Clients that work by transaction.version 2 do not ask for it (KIP-890). The sender needs WRITE on the
transactional id and READ on the group.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AddOffsetsToTxnRequest, AddOffsetsToTxnResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.transaction_requests import AddPartitionsValues


def handle_add_offsets_to_txn(
    request: AddOffsetsToTxnRequest, context: RequestContext, services: Services
) -> AddOffsetsToTxnResponse | Deferred[AddOffsetsToTxnResponse]:
    transactional_id = request.transactional_id
    if not is_allowed(context, services, Operation.WRITE, ResourceType.TRANSACTIONAL_ID, transactional_id):
        return AddOffsetsToTxnResponse(error_code=ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    if not is_allowed(context, services, Operation.READ, ResourceType.GROUP, request.group_id):
        return AddOffsetsToTxnResponse(error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
    reply: Deferred[AddOffsetsToTxnResponse] = Deferred()
    values = AddPartitionsValues(
        transactional_id=transactional_id,
        producer_id=request.producer_id,
        producer_epoch=request.producer_epoch,
        partitions=frozenset({services.transactions.offsets_partition(request.group_id)}),
        version=context.api_version,
    )
    services.transactions.of(transactional_id).add_partitions(
        values, lambda code: reply.resolve(AddOffsetsToTxnResponse(error_code=code))
    )
    return reply


API = Api(
    key=ApiKey.ADD_OFFSETS_TO_TXN,
    bounds=SMALL,
    broker=Served(
        handler=handle_add_offsets_to_txn, access=of_items(Operation.WRITE, ResourceType.TRANSACTIONAL_ID)
    ),
)
