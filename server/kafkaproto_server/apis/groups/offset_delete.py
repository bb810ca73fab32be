"""OffsetDelete (47), version 0, broker listeners.

Offsets of a group are deleted, pending ones too, except for topics to which the group is subscribed (KIP-496). The
sender needs DELETE on the group and READ on each topic; topics and partitions have to exist.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import OffsetDeleteRequest, OffsetDeleteResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import DELETED_OFFSETS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Deferred, Steps
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.offset_requests import TopicPartitions

Topic = OffsetDeleteResponse.Topic
Partition = OffsetDeleteResponse.Partition


def handle_offset_delete(
    request: OffsetDeleteRequest, context: RequestContext, services: Services
) -> OffsetDeleteResponse | Steps[Deferred[OffsetDeleteResponse]]:
    if not is_allowed(context, services, Operation.DELETE, ResourceType.GROUP, request.group_id):
        return OffsetDeleteResponse(error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
    return _delete(request, context, services)


def _delete(
    request: OffsetDeleteRequest, context: RequestContext, services: Services
) -> Steps[Deferred[OffsetDeleteResponse]]:
    image = services.metadata.image()
    response = OffsetDeleteResponse()
    accepted: list[TopicPartitions] = []
    places: list[Partition] = []
    for topic in request.topics:
        code = ErrorCode.NONE
        if not is_allowed(context, services, Operation.READ, ResourceType.TOPIC, topic.name):
            code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        known = image.topic_by_name(topic.name)
        result = Topic(name=topic.name)
        response.topics.append(result)
        indexes = []
        for each in topic.partitions:
            place = Partition(partition_index=each.partition_index, error_code=code)
            result.partitions.append(place)
            if code is ErrorCode.NONE and (known is None or each.partition_index not in known.partitions):
                place.error_code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            elif code is ErrorCode.NONE:
                places.append(place)
                indexes.append(each.partition_index)
            yield
        if indexes:
            accepted.append(TopicPartitions(topic=topic.name, partitions=tuple(indexes)))
        yield
    reply: Deferred[OffsetDeleteResponse] = Deferred()

    def deleted(code: ErrorCode, results: Sequence[ErrorCode]) -> None:
        if code is not ErrorCode.NONE:
            reply.resolve(OffsetDeleteResponse(error_code=code))
            return
        for place, result in zip(places, results, strict=True):
            place.error_code = result
        reply.resolve(response)

    services.groups.of(request.group_id).delete_offsets(request.group_id, accepted, deleted)
    return reply


API = Api(
    key=ApiKey.OFFSET_DELETE,
    bounds=DELETED_OFFSETS,
    broker=Served(handler=handle_offset_delete, access=of_items(Operation.DELETE, ResourceType.GROUP)),
)
