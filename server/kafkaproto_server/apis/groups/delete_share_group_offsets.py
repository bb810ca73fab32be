"""DeleteShareGroupOffsets (92), version 0, broker listeners.

A share group (KIP-932) without members forgets topics: the states of their partitions are deleted. A topic that is
named twice counts once. The sender needs DELETE on the group and READ on each topic. Nobody is served without the
feature share.version.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DeleteShareGroupOffsetsRequest, DeleteShareGroupOffsetsResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import DELETED_OFFSETS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Deferred, Steps
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.share_group_requests import DeletedTopic

Response = DeleteShareGroupOffsetsResponse
Topic = DeleteShareGroupOffsetsResponse.Topic


def handle_delete_share_group_offsets(
    request: DeleteShareGroupOffsetsRequest, context: RequestContext, services: Services
) -> Response | Steps[Deferred[Response]]:
    if not services.groups.serves_share_groups():
        return _failed(ErrorCode.UNSUPPORTED_VERSION, None)
    if not is_allowed(context, services, Operation.DELETE, ResourceType.GROUP, request.group_id):
        return _failed(ErrorCode.GROUP_AUTHORIZATION_FAILED, None)
    if not request.group_id:
        return _failed(ErrorCode.INVALID_GROUP_ID, "The group id is empty.")
    return _delete(request, context, services)


def _failed(code: ErrorCode, message: str | None) -> Response:
    return Response(error_code=code, error_message=code.message if message is None else message)


def _delete(
    request: DeleteShareGroupOffsetsRequest, context: RequestContext, services: Services
) -> Steps[Deferred[Response]]:
    names: dict[str, None] = {}
    refused: dict[str, Topic] = {}
    for topic in request.topics:
        name = topic.topic_name
        if is_allowed(context, services, Operation.READ, ResourceType.TOPIC, name):
            names[name] = None
        else:
            code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
            refused[name] = Topic(topic_name=name, error_code=code, error_message=code.message)
        yield
    reply: Deferred[Response] = Deferred()

    def deleted(code: ErrorCode, message: str | None, topics: Sequence[DeletedTopic]) -> None:
        if code is not ErrorCode.NONE:
            reply.resolve(_failed(code, message))
        else:
            reply.resolve(Response(responses=[*refused.values(), *map(_topic, topics)]))

    try:
        shard = services.groups.of(request.group_id)
    except CoordinatorError as error:
        deleted(error.code, error.message, ())
    else:
        shard.share.delete_offsets(request.group_id, list(names), deleted)
    return reply


def _topic(topic: DeletedTopic) -> Topic:
    return Topic(
        topic_name=topic.topic or "",
        topic_id=topic.topic_id,
        error_code=topic.code,
        error_message=topic.message,
    )


API = Api(
    key=ApiKey.DELETE_SHARE_GROUP_OFFSETS,
    bounds=DELETED_OFFSETS,
    broker=Served(
        handler=handle_delete_share_group_offsets, access=of_items(Operation.DELETE, ResourceType.GROUP)
    ),
)
