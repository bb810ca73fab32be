"""InitProducerId (22), versions 0-5, broker listeners.

An idempotent producer gets an id that no other producer has. The broker takes it from a block that the controller
gave it (KIP-730), with epoch 0. Versions 3 and later may name the id and epoch that the producer has, both or none;
without a transactional id it gets a new one all the same. The sender needs IDEMPOTENT_WRITE on the cluster, or WRITE
on some topic (KIP-679).

A producer with a transactional id asks the coordinator of that id. It gets the id's producer id with the next epoch,
which fences the producer before it; a transaction that one has left open is aborted first, and the producer asks again
after CONCURRENT_TRANSACTIONS. From version 3 on it may name id and epoch, to go on after an error (KIP-360). Version 6
of the schema, with two-phase commit (KIP-939), is not stable and not served. The sender needs WRITE on the
transactional id.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import InitProducerIdRequest, InitProducerIdResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.transaction_requests import InitProducerIdValues, ProducerOutcome

_NO_ID = -1
_NO_EPOCH = -1


def handle_init_producer_id(
    request: InitProducerIdRequest, context: RequestContext, services: Services
) -> InitProducerIdResponse | Deferred[InitProducerIdResponse]:
    """Hand out a producer id."""
    if request.transactional_id is not None:
        return _of_transactional_id(request, request.transactional_id, context, services)
    if not _may_have_one(context, services):
        return _without_id(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    # A producer has both or neither (KIP-360).
    if (request.producer_id == _NO_ID) is not (request.producer_epoch == _NO_EPOCH):
        return _without_id(ErrorCode.INVALID_REQUEST)
    reply: Deferred[InitProducerIdResponse] = Deferred()

    def take(producer_id: int | None) -> None:
        if producer_id is None:
            reply.resolve(_without_id(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS))
        else:
            reply.resolve(InitProducerIdResponse(producer_id=producer_id, producer_epoch=0))

    services.producer_ids.next(take)
    return reply


def _of_transactional_id(
    request: InitProducerIdRequest, transactional_id: str, context: RequestContext, services: Services
) -> InitProducerIdResponse | Deferred[InitProducerIdResponse]:
    if not is_allowed(context, services, Operation.WRITE, ResourceType.TRANSACTIONAL_ID, transactional_id):
        return _without_id(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    reply: Deferred[InitProducerIdResponse] = Deferred()

    def done(outcome: ProducerOutcome) -> None:
        reply.resolve(
            InitProducerIdResponse(
                error_code=outcome.code,
                producer_id=outcome.producer_id,
                producer_epoch=outcome.producer_epoch,
            )
        )

    values = InitProducerIdValues(
        transactional_id=transactional_id,
        transaction_timeout_ms=request.transaction_timeout_ms,
        producer_id=request.producer_id,
        producer_epoch=request.producer_epoch,
        version=context.api_version,
    )
    services.transactions.of(transactional_id).init_producer_id(values, done)
    return reply


def _may_have_one(context: RequestContext, services: Services) -> bool:
    # Who may write to any topic at all may do so idempotently (KIP-679).
    authorizer = services.metadata.authorizer()
    return (
        authorizer is None
        or is_allowed(context, services, Operation.IDEMPOTENT_WRITE)
        or authorizer.authorize_by_type(
            context.principal, context.client_host, Operation.WRITE, ResourceType.TOPIC
        )
    )


def _without_id(code: ErrorCode) -> InitProducerIdResponse:
    return InitProducerIdResponse(error_code=code, producer_id=_NO_ID, producer_epoch=_NO_EPOCH)


API = Api(
    key=ApiKey.INIT_PRODUCER_ID,
    bounds=SMALL,
    broker=Served(handler=handle_init_producer_id, access=of_items(Operation.WRITE, ResourceType.TOPIC)),
    refuse=lambda request, refusal: _without_id(refusal.code),
)
