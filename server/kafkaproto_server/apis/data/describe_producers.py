"""DescribeProducers (61), version 0, broker listeners.

A replica responds with the idempotent and transactional producers that it knows in a partition (KIP-664). It may be the
leader or a follower. The sender needs READ on each topic. A name that no topic can have is refused before that is
asked.

A partition that is named twice gets INVALID_REQUEST at its later places: a few bytes of a request could otherwise make
a response of any length. Apache Kafka repeats the producers there.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeProducersRequest, DescribeProducersResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import denial, is_allowed
from kafkaproto_server.apis.bounds import INDEXES
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.metadata.topic_names import topic_name_problem
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.refusals import Refusal

Topic = DescribeProducersResponse.TopicResponse
Partition = DescribeProducersResponse.PartitionResponse


def handle_describe_producers(
    request: DescribeProducersRequest, context: RequestContext, services: Services
) -> Steps[DescribeProducersResponse]:
    """Return the producers, one a step."""
    response = DescribeProducersResponse()
    seen: set[tuple[str, int]] = set()
    for topic in request.topics:
        answered = Topic(name=topic.name)
        response.topics.append(answered)
        code, message = _refusal(topic.name, context, services)
        for index in topic.partition_indexes:
            place = Partition(partition_index=index, error_code=code, error_message=message)
            answered.partitions.append(place)
            if not code and (topic.name, index) in seen:
                place.error_code = ErrorCode.INVALID_REQUEST
                place.error_message = f"The request names partition {index} more than once."
            elif not code:
                seen.add((topic.name, index))
                yield from _fill(place, topic.name, services)
            yield
        yield
    return response


def _refusal(name: str, context: RequestContext, services: Services) -> tuple[ErrorCode, str | None]:
    """Why no partition of a topic is looked at; NONE if nothing is against it."""
    problem = topic_name_problem(name)
    if problem is not None:
        return ErrorCode.INVALID_TOPIC_EXCEPTION, problem
    if not is_allowed(context, services, Operation.READ, ResourceType.TOPIC, name):
        return ErrorCode.TOPIC_AUTHORIZATION_FAILED, denial(context, Operation.READ, ResourceType.TOPIC, name)
    return ErrorCode.NONE, None


def _fill(place: Partition, topic: str, services: Services) -> Steps[None]:
    found = services.questions.producers_of(topic, place.partition_index)
    if isinstance(found, ErrorCode):
        place.error_code = found
        return
    count, producers = found
    # So much memory the first one takes (`QuestionPort.producers_of`).
    yield 8 * count
    for each in producers:
        place.active_producers.append(
            DescribeProducersResponse.ProducerState(
                producer_id=each.producer_id,
                producer_epoch=each.producer_epoch,
                last_sequence=each.last_sequence,
                last_timestamp=each.last_timestamp,
                coordinator_epoch=each.coordinator_epoch,
                current_txn_start_offset=each.current_txn_start_offset,
            )
        )
        yield


def refuse(request: DescribeProducersRequest, refusal: Refusal) -> Steps[DescribeProducersResponse]:
    """The error for each partition."""
    response = DescribeProducersResponse()
    for topic in request.topics:
        answered = Topic(name=topic.name)
        response.topics.append(answered)
        for index in topic.partition_indexes:
            answered.partitions.append(
                Partition(partition_index=index, error_code=refusal.code, error_message=refusal.message)
            )
            yield
    return response


API = Api(
    key=ApiKey.DESCRIBE_PRODUCERS,
    bounds=INDEXES,
    broker=Served(handler=handle_describe_producers, access=of_items(Operation.READ, ResourceType.TOPIC)),
    refuse=refuse,
)
