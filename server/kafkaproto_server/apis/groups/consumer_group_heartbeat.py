"""ConsumerGroupHeartbeat (68), versions 0-1, broker listeners.

A member of a consumer group (KIP-848) joins, lives or leaves, and hears which partitions it should own. In version 0
the coordinator makes the id of a member that joins, from 1 on the client does (KIP-1082), and may use a regular
expression. The sender needs READ on the group and DESCRIBE on each topic that it names; an expression matches only
topics on which it has that. Nobody is served without the feature group.version, or without "consumer" in
`group.coordinator.rebalance.protocols`.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import HEARTBEATS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.consumer_group_requests import (
    HeartbeatOutcome,
    HeartbeatValues,
    partitions_of,
)
from kafkaproto_server.requests.context import RequestContext

_FIRST_WITH_OWN_IDS = 1
"""From this version on members choose their ids themselves (KIP-1082)."""

Response = ConsumerGroupHeartbeatResponse


def handle_consumer_group_heartbeat(
    request: ConsumerGroupHeartbeatRequest, context: RequestContext, services: Services
) -> Response | Deferred[Response]:
    if not services.groups.serves_consumer_groups():
        return Response(error_code=ErrorCode.UNSUPPORTED_VERSION)
    if not is_allowed(context, services, Operation.READ, ResourceType.GROUP, request.group_id):
        return Response(error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)

    def may_describe(topic: str) -> bool:
        return is_allowed(context, services, Operation.DESCRIBE, ResourceType.TOPIC, topic)

    names = request.subscribed_topic_names
    # One name that the member may not see refuses all. Of what its regular expression finds it just gets no such topic.
    if names is not None and not all(may_describe(each) for each in names):
        return Response(error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    owned = request.topic_partitions
    values = HeartbeatValues(
        group_id=request.group_id,
        member_id=request.member_id,
        member_epoch=request.member_epoch,
        instance_id=request.instance_id,
        rack_id=request.rack_id,
        rebalance_timeout_ms=request.rebalance_timeout_ms,
        subscribed_topic_names=None if names is None else tuple(names),
        subscribed_topic_regex=request.subscribed_topic_regex,
        server_assignor=request.server_assignor,
        topic_partitions=(
            None if owned is None else partitions_of([(each.topic_id, each.partitions) for each in owned])
        ),
        lists_topics=bool(owned),
        client_id=context.client_id or "",
        # As Java writes an address without a name.
        client_host=f"/{context.client_host}",
        makes_member_id=context.api_version >= _FIRST_WITH_OWN_IDS,
        may_describe=may_describe,
    )
    reply: Deferred[Response] = Deferred()
    group = services.groups.of(request.group_id)
    group.consumer_heartbeat(values, lambda outcome: reply.resolve(_response(outcome)))
    return reply


def _response(outcome: HeartbeatOutcome) -> Response:
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
    key=ApiKey.CONSUMER_GROUP_HEARTBEAT,
    bounds=HEARTBEATS,
    broker=Served(
        handler=handle_consumer_group_heartbeat, access=of_items(Operation.READ, ResourceType.GROUP)
    ),
)
