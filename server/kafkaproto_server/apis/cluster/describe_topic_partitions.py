"""DescribeTopicPartitions (75), version 0, broker listeners (KIP-966).

Topics are ordered by name, partitions by index. The response has at most as many partitions as the request and Kafka's
own limit allow; its cursor then names the next one. If the request names topics, its cursor must name one of them; else
all topics are refused. A partition whose leader the client cannot reach is no error here. Topics that the client may
not describe are left out. If the request names them, they come last, with TOPIC_AUTHORIZATION_FAILED.
"""

from __future__ import annotations

from bisect import bisect_left

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import authorized_operations, is_allowed
from kafkaproto_server.apis.bounds import ITEMS
from kafkaproto_server.apis.cluster.describe_cluster import endpoint_of
from kafkaproto_server.apis.cluster.metadata import offline_replicas
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.metadata.image.entries import PartitionImage, TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.sorting import sorted_steps
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.metadata.topic_names import INTERNAL_TOPICS, topic_name_problem
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.refusals import Refusal

MAX_PARTITIONS = 2000
"""max.request.partition.size.limit: partitions in one response."""


def handle_describe_topic_partitions(
    request: DescribeTopicPartitionsRequest, context: RequestContext, services: Services
) -> Steps[DescribeTopicPartitionsResponse]:
    """Return a page of topics."""
    image = services.metadata.image()
    cursor = request.cursor
    names = yield from _names(request, image, services)
    first = 0
    if cursor is not None:
        first = bisect_left(names, cursor.topic_name)
        is_among = first < len(names) and names[first] == cursor.topic_name
        if cursor.partition_index < 0 or (request.topics and not is_among):
            return (yield from _refuse(request, ErrorCode.INVALID_REQUEST))
    # At least one, because a page without partitions would never bring the client forward.
    left = max(1, min(request.response_partition_limit, MAX_PARTITIONS))
    response = DescribeTopicPartitionsResponse()
    denied: list[str] = []
    for position in range(first, len(names)):
        yield
        name = names[position]
        if not is_allowed(context, services, Operation.DESCRIBE, ResourceType.TOPIC, name):
            denied.append(name)
            continue
        if response.next_cursor is not None:
            # Continue only to find the remaining topics that the client may not describe.
            continue
        if left == 0:
            response.next_cursor = DescribeTopicPartitionsResponse.Cursor(topic_name=name, partition_index=0)
            if not request.topics:
                break
            continue
        found = image.topic_by_name(name)
        if found is None:
            response.topics.append(_described(_unknown(name), context, services))
            continue
        begin = cursor.partition_index if cursor is not None and cursor.topic_name == name else 0
        topic, next_index = yield from _topic(image, found, context.listener_name, begin, left)
        response.topics.append(_described(topic, context, services))
        left -= len(topic.partitions)
        if next_index is not None:
            response.next_cursor = DescribeTopicPartitionsResponse.Cursor(
                topic_name=name, partition_index=next_index
            )
            if not request.topics:
                break
    if request.topics:
        for name in denied:
            yield
            response.topics.append(
                DescribeTopicPartitionsResponse.Topic(
                    error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED, name=name
                )
            )
    return response


def _names(
    request: DescribeTopicPartitionsRequest, image: ClusterImage, services: Services
) -> Steps[list[str]]:
    """The names of the requested topics, each once, in order."""
    if not request.topics:
        return (yield from services.metadata.caches.topic_names(image))
    asked: dict[str, None] = {}
    for topic in request.topics:
        asked[topic.name] = None
        yield
    return (yield from sorted_steps([*asked]))


def _described(
    topic: DescribeTopicPartitionsResponse.Topic, context: RequestContext, services: Services
) -> DescribeTopicPartitionsResponse.Topic:
    topic.topic_authorized_operations = authorized_operations(
        context, services, ResourceType.TOPIC, topic.name or ""
    )
    return topic


def _refuse(
    request: DescribeTopicPartitionsRequest, error: ErrorCode
) -> Steps[DescribeTopicPartitionsResponse]:
    response = DescribeTopicPartitionsResponse()
    for topic in request.topics:
        response.topics.append(DescribeTopicPartitionsResponse.Topic(error_code=error, name=topic.name))
        yield
    return response


def _unknown(name: str) -> DescribeTopicPartitionsResponse.Topic:
    legal = topic_name_problem(name) is None
    return DescribeTopicPartitionsResponse.Topic(
        error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if legal else ErrorCode.INVALID_TOPIC_EXCEPTION,
        name=name,
        is_internal=name in INTERNAL_TOPICS,
    )


def _topic(
    image: ClusterImage, topic: TopicImage, listener_name: str, first: int, limit: int
) -> Steps[tuple[DescribeTopicPartitionsResponse.Topic, int | None]]:
    """The topic with at most ``limit`` partitions from ``first`` on, and the index of the next partition."""
    indexes = yield from _indexes(topic, first, limit + 1)
    described = DescribeTopicPartitionsResponse.Topic(
        name=topic.name,
        topic_id=topic.topic_id,
        is_internal=topic.name in INTERNAL_TOPICS,
    )
    for index in indexes[:limit]:
        described.partitions.append(_partition(image, index, topic.partitions[index], listener_name))
        yield
    return described, indexes[limit] if len(indexes) > limit else None


def _indexes(topic: TopicImage, first: int, most: int) -> Steps[list[int]]:
    """The lowest indexes from ``first`` on, at most ``most`` of them."""
    partitions = topic.partitions
    found: list[int] = []
    # Partitions have consecutive indexes, so a page needs no sorting of 200,000 of them.
    while len(found) < most and first + len(found) in partitions:
        found.append(first + len(found))
        yield
    if len(found) == most or len(found) == len(partitions):
        return found
    # Either the last partition was reached, or an index is missing, which no controller causes.
    found = []
    for index in partitions:
        if index >= first:
            found.append(index)
        yield
    in_order = yield from sorted_steps(found)
    return in_order[:most]


def _partition(
    image: ClusterImage, index: int, partition: PartitionImage, listener_name: str
) -> DescribeTopicPartitionsResponse.Partition:
    leader = image.brokers.get(partition.leader)
    is_reachable = leader is not None and not leader.fenced and endpoint_of(leader, listener_name) is not None
    return DescribeTopicPartitionsResponse.Partition(
        partition_index=index,
        leader_id=partition.leader if is_reachable else NO_NODE,
        leader_epoch=partition.leader_epoch,
        replica_nodes=list(partition.replicas),
        isr_nodes=list(partition.isr),
        eligible_leader_replicas=list(partition.elr),
        last_known_elr=list(partition.last_known_elr),
        offline_replicas=offline_replicas(image, partition, listener_name),
    )


def refuse(
    request: DescribeTopicPartitionsRequest, refusal: Refusal
) -> Steps[DescribeTopicPartitionsResponse]:
    """The error once for each topic."""
    return _refuse(request, refusal.code)


API = Api(
    key=ApiKey.DESCRIBE_TOPIC_PARTITIONS,
    bounds=ITEMS,
    broker=Served(
        handler=handle_describe_topic_partitions, access=of_items(Operation.DESCRIBE, ResourceType.TOPIC)
    ),
    refuse=refuse,
)
