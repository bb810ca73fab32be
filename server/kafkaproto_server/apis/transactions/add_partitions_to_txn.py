"""AddPartitionsToTxn (24), versions 0-5, broker listeners.

Partitions take part in a producer's transaction. Up to version 3 a producer asks, for its own transaction; it needs
WRITE on the transactional id and on the topics. If one partition cannot be added, none is: the others get
OPERATION_NOT_ATTEMPTED. From version 4 on brokers ask, for many transactions, and may ask only whether partitions take
part already (KIP-890); they need CLUSTER_ACTION. Version 5 lets the response have TRANSACTION_ABORTABLE.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AddPartitionsToTxnRequest, AddPartitionsToTxnResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import PARTICIPANTS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Deferred, Gather, Steps
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.metadata.topic_names import INTERNAL_TOPICS
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.refusals import Refusal
from kafkaproto_server.requests.transaction_requests import AddPartitionsValues, TopicPartition

Transaction = AddPartitionsToTxnRequest.AddPartitionsToTxnTransaction
Topic = AddPartitionsToTxnRequest.AddPartitionsToTxnTopic
TransactionResult = AddPartitionsToTxnResponse.AddPartitionsToTxnResult
TopicResult = AddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult
PartitionResult = AddPartitionsToTxnResponse.AddPartitionsToTxnPartitionResult

FIRST_OF_BROKERS = 4
Reply = Deferred[AddPartitionsToTxnResponse]


def handle_add_partitions_to_txn(
    request: AddPartitionsToTxnRequest, context: RequestContext, services: Services
) -> AddPartitionsToTxnResponse | Steps[AddPartitionsToTxnResponse | Reply]:
    """Add the partitions, or look for them; one transaction after the other."""
    if context.api_version < FIRST_OF_BROKERS:
        return _of_producer(request, context, services)
    if not is_allowed(context, services, Operation.CLUSTER_ACTION):
        return AddPartitionsToTxnResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    return _of_brokers(request, context, services)


def _of_producer(
    request: AddPartitionsToTxnRequest, context: RequestContext, services: Services
) -> Steps[AddPartitionsToTxnResponse | Reply]:
    transactional_id, topics = request.v3_and_below_transactional_id, request.v3_and_below_topics
    reply: Reply = Deferred()

    def respond(codes: Mapping[TopicPartition, ErrorCode]) -> None:
        reply.resolve(AddPartitionsToTxnResponse(results_by_topic_v3_and_below=_results(topics, codes)))

    if not is_allowed(context, services, Operation.WRITE, ResourceType.TRANSACTIONAL_ID, transactional_id):
        code = ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
        respond(dict.fromkeys(_partitions(topics), code))
        return reply
    refused: dict[TopicPartition, ErrorCode] = {}
    for topic in topics:
        yield
        # As in Apache Kafka, no right suffices for its own topics: offsets come into a transaction by AddOffsetsToTxn.
        may = topic.name not in INTERNAL_TOPICS and is_allowed(
            context, services, Operation.WRITE, ResourceType.TOPIC, topic.name
        )
        if may:
            refused.update(_unknown([topic], services))
        else:
            code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
            refused.update(dict.fromkeys(_partitions([topic]), code))
    if refused:
        respond({**dict.fromkeys(_partitions(topics), ErrorCode.OPERATION_NOT_ATTEMPTED), **refused})
        return reply
    partitions = frozenset(_partitions(topics))
    values = AddPartitionsValues(
        transactional_id=transactional_id,
        producer_id=request.v3_and_below_producer_id,
        producer_epoch=request.v3_and_below_producer_epoch,
        partitions=partitions,
        version=context.api_version,
    )
    coordinator = services.transactions.of(transactional_id)
    coordinator.add_partitions(values, lambda code: respond(dict.fromkeys(partitions, code)))
    return reply


def _of_brokers(
    request: AddPartitionsToTxnRequest, context: RequestContext, services: Services
) -> Steps[Reply]:
    """Serve one transaction a step: a broker whose connection ends asks for all of them again."""
    reply: Reply = Deferred()
    response = AddPartitionsToTxnResponse()
    gather = Gather(lambda: reply.resolve(response))

    def take(transaction: Transaction, codes: Mapping[TopicPartition, ErrorCode]) -> None:
        response.results_by_transaction.append(
            TransactionResult(
                transactional_id=transaction.transactional_id,
                topic_results=_results(transaction.topics, codes),
            )
        )
        gather.came()

    for transaction in request.transactions:
        gather.asked()
        _add_or_verify(transaction, context, services, take)
        yield
    gather.all_asked()
    return reply


def _add_or_verify(
    transaction: Transaction,
    context: RequestContext,
    services: Services,
    take: Callable[[Transaction, Mapping[TopicPartition, ErrorCode]], None],
) -> None:
    partitions = frozenset(_partitions(transaction.topics))
    unknown = _unknown(transaction.topics, services)
    if unknown:
        take(transaction, {**dict.fromkeys(partitions, ErrorCode.OPERATION_NOT_ATTEMPTED), **unknown})
        return
    values = AddPartitionsValues(
        transactional_id=transaction.transactional_id,
        producer_id=transaction.producer_id,
        producer_epoch=transaction.producer_epoch,
        partitions=partitions,
        version=context.api_version,
        bumps_epoch=True,
    )

    def added(code: ErrorCode) -> None:
        take(transaction, dict.fromkeys(partitions, code))

    try:
        coordinator = services.transactions.of(transaction.transactional_id)
    except CoordinatorError as error:
        added(error.code)
        return
    if transaction.verify_only:
        take(transaction, coordinator.verify_partitions(values))
    else:
        coordinator.add_partitions(values, added)


def _partitions(topics: Sequence[Topic]) -> Iterator[TopicPartition]:
    return (TopicPartition(topic.name, index) for topic in topics for index in topic.partitions)


def _unknown(topics: Sequence[Topic], services: Services) -> dict[TopicPartition, ErrorCode]:
    """The partitions that do not exist."""
    image = services.metadata.image()
    found: dict[TopicPartition, ErrorCode] = {}
    for topic in topics:
        known = image.topic_by_name(topic.name)
        for index in topic.partitions:
            if known is None or index not in known.partitions:
                found[TopicPartition(topic.name, index)] = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return found


def _results(topics: Sequence[Topic], codes: Mapping[TopicPartition, ErrorCode]) -> list[TopicResult]:
    """The result of each partition, topics and partitions each once."""
    indexes: dict[str, dict[int, None]] = {}
    for topic in topics:
        indexes.setdefault(topic.name, {}).update(dict.fromkeys(topic.partitions))
    return [
        TopicResult(
            name=name,
            results_by_partition=[
                PartitionResult(
                    partition_index=index, partition_error_code=codes[TopicPartition(name, index)]
                )
                for index in partitions
            ],
        )
        for name, partitions in indexes.items()
    ]


def refuse(request: AddPartitionsToTxnRequest, refusal: Refusal) -> Steps[AddPartitionsToTxnResponse]:
    """The error on top for brokers; for producers that of each partition."""
    if refusal.version >= FIRST_OF_BROKERS:
        return AddPartitionsToTxnResponse(error_code=refusal.code)
    topics = request.v3_and_below_topics
    yield
    codes = dict.fromkeys(_partitions(topics), refusal.code)
    return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=_results(topics, codes))


API = Api(
    key=ApiKey.ADD_PARTITIONS_TO_TXN,
    bounds=PARTICIPANTS,
    broker=Served(
        handler=handle_add_partitions_to_txn,
        access=of_items(Operation.WRITE, ResourceType.TRANSACTIONAL_ID),
    ),
    refuse=refuse,
)
