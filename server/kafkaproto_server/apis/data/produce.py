"""Produce (0), versions 3-13, broker listeners.

The records of each partition are one batch. Its leader checks it, gives it offsets and appends it; with acks=1 it
responds when the batch is written, with acks=-1 when all replicas in sync have it, with acks=0 not at all: an error
then closes the connection, as the only sign that is left. From version 8 on an error has a text, and names refused
records; from version 10 on it names the leader that the client should have asked (KIP-951). Version 13 has topic ids
(KIP-516).

If a request names a partition twice, the last records count. The topics of Kafka itself are written by brokers, and by
nobody else.

The sender needs WRITE on the topics, and on the transactional id if there are records of a transaction. These are
taken if the coordinator knows that the partition takes part in the transaction: up to version 11 the client has told it
so, from 12 on this broker does (KIP-890). What a client is told if not depends on its version.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ProduceRequest, ProduceResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import RECORDS
from kafkaproto_server.apis.data.produce_elements import most_elements
from kafkaproto_server.apis.leaders import leader_of
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Deferred, Gather, Steps
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.metadata.topic_names import INTERNAL_TOPICS
from kafkaproto_server.requests.context import NoResponse, RequestContext, Unanswered
from kafkaproto_server.requests.data import Produced, ProduceItem, ProduceResult
from kafkaproto_server.requests.refusals import Refusal
from kafkaproto_server.requests.sender import Sender
from kafkaproto_server.requests.transaction_requests import AsksCoordinator

_log = logging.getLogger("kafkaproto.server.producers")
"""Clients cause these lines at will, so they are limited (`shell.process.log_limit`)."""

_FIRST_WITH_TOPIC_IDS = 13
_FIRST_WITH_LEADERS = 10
_FIRST_WITH_ZSTD = 7
"""The version of Produce with KIP-110."""
_VALID_ACKS = (-1, 0, 1)
_ADMIN_CLIENT_ID = "__admin_client"
"""With this client id, Apache Kafka lets whoever has WRITE produce to its internal topics
(``AdminUtils.ADMIN_CLIENT_ID``)."""
_TRANSACTIONAL_AT = 22
_TRANSACTIONAL_BIT = 0x10
"""In the byte at that position of a record batch."""

_FIRST_WITH_ABORTABLE = 11
_FIRST_THAT_ADDS = 12

ITEMS_AT_ONCE = 32
"""How many partitions are handed over in one step, which takes about a millisecond."""
TRANSACTIONAL_ITEMS_AT_ONCE = 500
"""The same for records of a transaction. The coordinator takes one question of a transaction at a time."""

Produce = Callable[[Sequence[ProduceItem], int, int, Produced], None]
Reply: TypeAlias = Deferred[ProduceResponse | NoResponse | Unanswered]
Topic = ProduceResponse.TopicProduceResponse
Partition = ProduceResponse.PartitionProduceResponse


def handle_produce(
    request: ProduceRequest, context: RequestContext, services: Services
) -> Reply | Steps[Reply] | ProduceResponse | NoResponse:
    """Append the records, and respond when as many replicas have them as the request asks for."""
    sender = Sender(context.client_host, _records_bytes(request))
    plan = _ProducePlan(sender)
    transactional_id = None
    # The batches say it, and not the request's transactional id: as in Apache Kafka
    # (``RequestUtils.hasTransactionalRecords``).
    if _has_transactional_records(request):
        transactional_id = request.transactional_id
        if transactional_id is None or not is_allowed(
            context, services, Operation.WRITE, ResourceType.TRANSACTIONAL_ID, transactional_id
        ):
            return _refuse_transaction(request, context)
    for topic in request.topic_data:
        plan.add(topic, request.acks, context, services)
    # What was not checked when the connection ends is dropped.
    reply: Reply = Deferred(abandoned=sender.leave)

    def done(results: list[ProduceResult]) -> None:
        if sender.is_gone:
            return
        for (key, item), result in zip(plan.items.items(), results, strict=True):
            _fill(plan.places[key], item, result, context, services)
        _log_refusals(plan, results, context, services)
        if not request.acks:
            reply.resolve(_without_acks(plan.topics))
            return
        response = ProduceResponse(responses=plan.topics)
        if context.api_version >= _FIRST_WITH_LEADERS:
            _add_endpoints(response, context, services)
        reply.resolve(response)

    items = list(plan.items.values())
    at_once = ITEMS_AT_ONCE
    produce: Produce = services.replicas.produce
    if transactional_id is not None:
        at_once = TRANSACTIONAL_ITEMS_AT_ONCE
        produce = _in_transaction(transactional_id, context.api_version, services)
    if len(items) <= at_once:
        produce(items, request.acks, request.timeout_ms, done)
        return reply
    return _produced_in_steps(items, at_once, produce, request, done, reply, sender)


def _in_transaction(transactional_id: str, version: int, services: Services) -> Produce:
    asks = AsksCoordinator(adds=version >= _FIRST_THAT_ADDS, knows_abortable=version >= _FIRST_WITH_ABORTABLE)

    def produce(items: Sequence[ProduceItem], acks: int, timeout_ms: int, done: Produced) -> None:
        services.transactions.produce(items, transactional_id, asks, acks, timeout_ms, done)

    return produce


def _produced_in_steps(
    items: list[ProduceItem],
    at_once: int,
    produce: Produce,
    request: ProduceRequest,
    done: Callable[[list[ProduceResult]], None],
    reply: Reply,
    sender: Sender,
) -> Steps[Reply]:
    """Hand many items over, some in each step. A producer whose connection ends meanwhile sends all of them again."""
    results: list[ProduceResult | None] = [None] * len(items)
    gather = Gather(lambda: done([each for each in results if each is not None]))

    def take(first: int, some: list[ProduceResult]) -> None:
        results[first : first + len(some)] = some
        gather.came()

    try:
        for first in range(0, len(items), at_once):
            gather.asked()
            produce(items[first : first + at_once], request.acks, request.timeout_ms, partial(take, first))
            yield
    except GeneratorExit:
        sender.leave()
        raise
    gather.all_asked()
    return reply


class _ProducePlan:
    """What of a request is handed to the replicas, and where their results belong in the response."""

    __slots__ = ("_by_topic", "_sender", "items", "places", "topics")

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self.topics: list[Topic] = []
        # By topic as the request names it, and partition. The items lack what is refused here.
        self.places: dict[tuple[str | bytes, int], Partition] = {}
        self.items: dict[tuple[str | bytes, int], ProduceItem] = {}
        self._by_topic: dict[str | bytes, Topic] = {}

    def add(
        self, topic: ProduceRequest.TopicProduceData, acks: int, context: RequestContext, services: Services
    ) -> None:
        """Add the partitions of one topic."""
        if not topic.partition_data:
            return
        named = topic.topic_id if context.api_version >= _FIRST_WITH_TOPIC_IDS else topic.name
        topic_id, error = _look_up(topic, context, services)
        # After rights and topic: in Apache Kafka the replica manager checks it, which refused partitions never reach.
        if not error and acks not in _VALID_ACKS:
            error = ErrorCode.INVALID_REQUIRED_ACKS
        answered = self._by_topic.get(named)
        if answered is None:
            answered = self._by_topic[named] = Topic(name=topic.name, topic_id=topic.topic_id)
            self.topics.append(answered)
        allows_zstd = context.api_version >= _FIRST_WITH_ZSTD
        for each in topic.partition_data:
            key = (named, each.index)
            if key not in self.places:
                place = self.places[key] = Partition(index=each.index, error_code=error, base_offset=-1)
                answered.partition_responses.append(place)
            records = each.records or b""
            assert not isinstance(records, list), "what was decoded is one buffer"
            if not error:
                self.items[key] = ProduceItem(
                    topic_id=topic_id,
                    index=each.index,
                    records=records,
                    allows_zstd=allows_zstd,
                    sender=self._sender,
                )


def _look_up(
    topic: ProduceRequest.TopicProduceData, context: RequestContext, services: Services
) -> tuple[bytes, ErrorCode]:
    """The id of a topic, and the error that all its partitions get."""
    image = services.metadata.image()
    name, topic_id = topic.name, topic.topic_id
    if context.api_version >= _FIRST_WITH_TOPIC_IDS:
        found = image.topics.get(topic_id)
        if found is None:
            return topic_id, ErrorCode.UNKNOWN_TOPIC_ID
        name = found.name
    else:
        topic_id = image.topic_ids.get(name, b"")
    if not is_allowed(context, services, Operation.WRITE, ResourceType.TOPIC, name):
        return topic_id, ErrorCode.TOPIC_AUTHORIZATION_FAILED
    if not topic_id:
        return topic_id, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if name in INTERNAL_TOPICS and context.client_id != _ADMIN_CLIENT_ID:
        return topic_id, ErrorCode.INVALID_TOPIC_EXCEPTION
    return topic_id, ErrorCode.NONE


def _records_bytes(request: ProduceRequest) -> int:
    size = 0
    for topic in request.topic_data:
        for each in topic.partition_data:
            size += len(each.records or b"")
    return size


def _has_transactional_records(request: ProduceRequest) -> bool:
    for topic in request.topic_data:
        for each in topic.partition_data:
            records = each.records
            assert not isinstance(records, list), "what was decoded is one buffer"
            if records is not None and _is_transactional(records):
                return True
    return False


def _is_transactional(records: Buffer) -> bool:
    return len(records) > _TRANSACTIONAL_AT and bool(records[_TRANSACTIONAL_AT] & _TRANSACTIONAL_BIT)


def _refuse_transaction(request: ProduceRequest, context: RequestContext) -> ProduceResponse | NoResponse:
    refusal = Refusal(
        code=ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, message=None, version=context.api_version
    )
    response = refuse(request, refusal)
    if request.acks:
        return response
    return NoResponse(reason="produce without acks of transactional records that the sender may not write")


def _fill(
    place: Partition, item: ProduceItem, result: ProduceResult, context: RequestContext, services: Services
) -> None:
    place.error_code = result.code
    place.base_offset = result.base_offset
    place.log_append_time_ms = result.append_time_ms
    place.log_start_offset = result.log_start_offset
    if result.code:
        place.error_message = result.message
        place.record_errors = [
            ProduceResponse.BatchIndexAndErrorMessage(batch_index=index, batch_index_error_message=text)
            for index, text in result.record_errors
        ]
        if result.code is ErrorCode.NOT_LEADER_OR_FOLLOWER and context.api_version >= _FIRST_WITH_LEADERS:
            leader_id, epoch = leader_of(services.metadata.image(), item.topic_id, item.index)
            place.current_leader = ProduceResponse.LeaderIdAndEpoch(leader_id=leader_id, leader_epoch=epoch)


def _log_refusals(
    plan: _ProducePlan, results: list[ProduceResult], context: RequestContext, services: Services
) -> None:
    """One line for the batches of a request that do not follow their producers' last ones: it says why a client begins
    a new epoch or gives up, and the client may not."""
    refused = [
        (item, result)
        for item, result in zip(plan.items.values(), results, strict=True)
        if result.refusing_epoch >= 0
    ]
    if not refused:
        return
    item, result = refused[0]
    topic = services.metadata.image().topics.get(item.topic_id)
    _log.info(
        "%s-%d, leader epoch %d: refused a batch of client %r at %s with %s: %s%s",
        "a deleted topic" if topic is None else topic.name,
        item.index,
        result.refusing_epoch,
        context.client_id,
        context.client_host,
        result.code.name,
        result.message,
        f"; and those of {len(refused) - 1} more partitions" if len(refused) > 1 else "",
    )


def _add_endpoints(response: ProduceResponse, context: RequestContext, services: Services) -> None:
    """Name the addresses of the leaders that the response points to."""
    leaders = {
        each.current_leader.leader_id
        for topic in response.responses
        for each in topic.partition_responses
        if each.error_code
    }
    for leader_id in sorted(leaders):
        endpoint: Endpoint | None = services.metadata.endpoint(leader_id, context.listener_name)
        if endpoint is not None:
            response.node_endpoints.append(
                ProduceResponse.NodeEndpoint(
                    node_id=leader_id,
                    host=endpoint.host,
                    port=endpoint.port,
                    rack=services.metadata.rack(leader_id),
                )
            )


def _without_acks(topics: list[Topic]) -> NoResponse | Unanswered:
    for topic in topics:
        for each in topic.partition_responses:
            if each.error_code:
                code = ErrorCode(each.error_code).name
                return NoResponse(
                    reason=f"produce without acks to {topic.name!r}-{each.index} failed: {code}"
                )
    return Unanswered()


def refuse(request: ProduceRequest, refusal: Refusal) -> ProduceResponse:
    """The error for each partition."""
    return ProduceResponse(
        responses=[
            Topic(
                name=topic.name,
                topic_id=topic.topic_id,
                partition_responses=[
                    Partition(
                        index=each.index,
                        error_code=refusal.code,
                        base_offset=-1,
                        error_message=refusal.message,
                    )
                    for each in topic.partition_data
                ],
            )
            for topic in request.topic_data
        ]
    )


API = Api(
    key=ApiKey.PRODUCE,
    bounds=RECORDS,
    # As in Kafka 4, which does not serve the lowest ones either: librdkafka does not compress for a broker that does
    # not name them (KAFKA-18659).
    advertised_from=0,
    broker=Served(handler=handle_produce, access=of_items(Operation.WRITE, ResourceType.TOPIC)),
    refuse=refuse,
    most_elements=most_elements,
)
