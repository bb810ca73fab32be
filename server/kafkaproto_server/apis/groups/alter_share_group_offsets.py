"""AlterShareGroupOffsets (91), version 0, broker listeners.

A share group (KIP-932) without members begins at other offsets; the group is made if there is none. Whatever became of
records before is forgotten. The sender needs READ on the group and on each topic; topics and partitions have to exist.
A topic or partition that is named twice counts once. Nobody is served without the feature share.version.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AlterShareGroupOffsetsRequest, AlterShareGroupOffsetsResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import DELETED_OFFSETS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Deferred, Steps
from kafkaproto_server.base.types import ZERO_UUID
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.share_group_requests import AlteredTopic

Response = AlterShareGroupOffsetsResponse
Topic = AlterShareGroupOffsetsResponse.Topic
Partition = AlterShareGroupOffsetsResponse.Partition


def handle_alter_share_group_offsets(
    request: AlterShareGroupOffsetsRequest, context: RequestContext, services: Services
) -> Response | Steps[Deferred[Response]]:
    if not services.groups.serves_share_groups():
        return _failed(ErrorCode.UNSUPPORTED_VERSION, None)
    if not is_allowed(context, services, Operation.READ, ResourceType.GROUP, request.group_id):
        return _failed(ErrorCode.GROUP_AUTHORIZATION_FAILED, None)
    if not request.group_id:
        return _failed(ErrorCode.INVALID_GROUP_ID, "The group id is empty.")
    return _alter(request, context, services)


def _failed(code: ErrorCode, message: str | None) -> Response:
    return Response(error_code=code, error_message=code.message if message is None else message)


def _alter(
    request: AlterShareGroupOffsetsRequest, context: RequestContext, services: Services
) -> Steps[Deferred[Response]]:
    image = services.metadata.image()
    offsets: dict[str, dict[int, int]] = {}
    refused: dict[str, Topic] = {}
    for topic in request.topics:
        yield
        name = topic.topic_name
        if name in offsets or name in refused:
            continue
        if is_allowed(context, services, Operation.READ, ResourceType.TOPIC, name):
            offsets[name] = {each.partition_index: each.start_offset for each in topic.partitions}
            continue
        code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        refused[name] = Topic(
            topic_name=name,
            topic_id=image.topic_ids.get(name, ZERO_UUID),
            partitions=[
                Partition(partition_index=each.partition_index, error_code=code, error_message=code.message)
                for each in topic.partitions
            ],
        )
    reply: Deferred[Response] = Deferred()

    def altered(code: ErrorCode, message: str | None, topics: Sequence[AlteredTopic]) -> None:
        if code is not ErrorCode.NONE:
            reply.resolve(_failed(code, message))
        else:
            reply.resolve(Response(responses=[*refused.values(), *map(_topic, topics)]))

    try:
        shard = services.groups.of(request.group_id)
    except CoordinatorError as error:
        altered(error.code, error.message, ())
    else:
        shard.share.alter(request.group_id, offsets, altered)
    return reply


def _topic(topic: AlteredTopic) -> Topic:
    return Topic(
        topic_name=topic.topic,
        topic_id=topic.topic_id,
        partitions=[
            Partition(partition_index=each.partition, error_code=each.code, error_message=each.message)
            for each in topic.partitions
        ],
    )


API = Api(
    key=ApiKey.ALTER_SHARE_GROUP_OFFSETS,
    bounds=DELETED_OFFSETS,
    broker=Served(
        handler=handle_alter_share_group_offsets, access=of_items(Operation.READ, ResourceType.GROUP)
    ),
)
