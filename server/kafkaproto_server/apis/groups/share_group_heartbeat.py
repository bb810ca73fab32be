"""ShareGroupHeartbeat (76), version 1, broker listeners.

A member of a share group (KIP-932) joins, lives or leaves, and hears from which partitions it should read. The client
makes the id of a member. The sender needs READ on the group and DESCRIBE on each topic that it names. Nobody is served
without the feature share.version; `group.coordinator.rebalance.protocols` does not matter, as in Kafka 4.4.0.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ShareGroupHeartbeatRequest, ShareGroupHeartbeatResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import HEARTBEATS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.share_group_requests import ShareHeartbeatOutcome, ShareHeartbeatValues

MAX_MEMBER_ID = 36
"""Characters of a member's id: those of a UUID."""

Response = ShareGroupHeartbeatResponse


def handle_share_group_heartbeat(
    request: ShareGroupHeartbeatRequest, context: RequestContext, services: Services
) -> Response | Deferred[Response]:
    if not services.groups.serves_share_groups():
        return Response(error_code=ErrorCode.UNSUPPORTED_VERSION)
    if not is_allowed(context, services, Operation.READ, ResourceType.GROUP, request.group_id):
        return Response(error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
    if not 0 < len(request.member_id) <= MAX_MEMBER_ID:
        return Response(error_code=ErrorCode.INVALID_REQUEST)
    names = request.subscribed_topic_names
    if names is not None and not all(
        is_allowed(context, services, Operation.DESCRIBE, ResourceType.TOPIC, each) for each in names
    ):
        return Response(error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    values = ShareHeartbeatValues(
        group_id=request.group_id,
        member_id=request.member_id,
        member_epoch=request.member_epoch,
        rack_id=request.rack_id,
        subscribed_topic_names=None if names is None else tuple(names),
        client_id=context.client_id or "",
        # As Java writes an address without a name.
        client_host=f"/{context.client_host}",
    )
    reply: Deferred[Response] = Deferred()
    group = services.groups.of(request.group_id)
    group.share.heartbeat(values, lambda outcome: reply.resolve(_response(outcome)))
    return reply


def _response(outcome: ShareHeartbeatOutcome) -> Response:
    if outcome.code is not ErrorCode.NONE:
        return Response(error_code=outcome.code, error_message=outcome.message)
    assignment = None
    if outcome.assignment is not None:
        assignment = Response.Assignment(
            topic_partitions=[
                Response.TopicPartitions(topic_id=topic_id, partitions=list(indexes))
                for topic_id, indexes in outcome.assignment.items()
            ]
        )
    return Response(
        member_id=outcome.member_id,
        member_epoch=outcome.member_epoch,
        heartbeat_interval_ms=outcome.heartbeat_interval_ms,
        assignment=assignment,
    )


API = Api(
    key=ApiKey.SHARE_GROUP_HEARTBEAT,
    bounds=HEARTBEATS,
    broker=Served(handler=handle_share_group_heartbeat, access=of_items(Operation.READ, ResourceType.GROUP)),
)
