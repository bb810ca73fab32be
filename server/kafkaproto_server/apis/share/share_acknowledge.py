"""ShareAcknowledge (79), versions 1-2, broker listeners.

A member of a share group says what became of records that it has acquired (KIP-932): they are accepted, released or
rejected, or there was none. The response leaves once that is persisted. Epoch -1 ends the session.

The sender needs READ on the group and on each topic. From version 2 on locks can be renewed (KIP-1222), and the
response has the time for which members have records.
"""

from __future__ import annotations

from collections.abc import Mapping

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ShareAcknowledgeRequest, ShareAcknowledgeResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import SHARE_FETCHES
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.apis.share.common import (
    FIRST_WITH_RENEWAL,
    checked_ranges,
    endpoints_of,
    is_member_id,
    leader_hint,
    member_of,
)
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.share_requests import (
    FINAL_EPOCH,
    AcknowledgedRange,
    ShareAcknowledgeResult,
    ShareError,
    TopicPartitionId,
)

Response = ShareAcknowledgeResponse
Results = Mapping[TopicPartitionId, ShareAcknowledgeResult]


def handle_share_acknowledge(
    request: ShareAcknowledgeRequest, context: RequestContext, services: Services
) -> Response | Deferred[Response]:
    group_id, member_id = request.group_id, request.member_id
    if not services.shares.serves_share_groups():
        return Response(error_code=ErrorCode.UNSUPPORTED_VERSION)
    if group_id is None:
        return Response(error_code=ErrorCode.INVALID_REQUEST)
    if not is_allowed(context, services, Operation.READ, ResourceType.GROUP, group_id):
        return Response(error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
    if member_id is None or not is_member_id(member_id):
        return Response(error_code=ErrorCode.INVALID_REQUEST)
    member = member_of(group_id, member_id, request.share_session_epoch, context)
    try:
        services.shares.begin_acknowledge(member)
    except ShareError as error:
        return Response(error_code=error.code, error_message=error.message)
    good, wrong = _ranges(request, context)
    reply: Deferred[Response] = Deferred()

    def may_read(topic: str) -> bool:
        return is_allowed(context, services, Operation.READ, ResourceType.TOPIC, topic)

    def done(results: Results) -> None:
        if member.epoch == FINAL_EPOCH:
            services.shares.end_session(member)
        reply.resolve(_response(group_id, {**results, **wrong}, context, services))

    services.shares.acknowledge(member, good, may_read, done)
    return reply


def _ranges(
    request: ShareAcknowledgeRequest, context: RequestContext
) -> tuple[dict[TopicPartitionId, list[AcknowledgedRange]], dict[TopicPartitionId, ShareAcknowledgeResult]]:
    """The acknowledgements by partition, and the partitions whose acknowledgements are wrong."""
    can_renew = context.api_version >= FIRST_WITH_RENEWAL
    good: dict[TopicPartitionId, list[AcknowledgedRange]] = {}
    wrong: dict[TopicPartitionId, ShareAcknowledgeResult] = {}
    for topic in request.topics:
        for each in topic.partitions:
            key = (topic.topic_id, each.partition_index)
            ranges = checked_ranges(
                each.acknowledgement_batches, can_renew=can_renew, renews=request.is_renew_ack
            )
            if ranges is None:
                wrong[key] = ShareAcknowledgeResult(code=ErrorCode.INVALID_REQUEST)
            elif ranges:
                good[key] = ranges
    return good, wrong


def _response(group_id: str, results: Results, context: RequestContext, services: Services) -> Response:
    response = Response(acquisition_lock_timeout_ms=services.shares.lock_duration_ms(group_id))
    topics: dict[bytes, Response.ShareAcknowledgeTopicResponse] = {}
    leaders: list[int] = []
    for (topic_id, index), result in results.items():
        partition = Response.PartitionData(
            partition_index=index, error_code=result.code, error_message=result.message
        )
        hint = leader_hint(result.code, topic_id, index, services)
        if hint is not None:
            leaders.append(hint[0])
            partition.current_leader = Response.LeaderIdAndEpoch(leader_id=hint[0], leader_epoch=hint[1])
        topic = topics.get(topic_id)
        if topic is None:
            topic = topics[topic_id] = Response.ShareAcknowledgeTopicResponse(topic_id=topic_id)
            response.responses.append(topic)
        topic.partitions.append(partition)
    response.node_endpoints = [
        Response.NodeEndpoint(node_id=leader_id, host=endpoint.host, port=endpoint.port, rack=rack)
        for leader_id, endpoint, rack in endpoints_of(leaders, context, services)
    ]
    return response


API = Api(
    key=ApiKey.SHARE_ACKNOWLEDGE,
    bounds=SHARE_FETCHES,
    broker=Served(handler=handle_share_acknowledge, access=of_items(Operation.READ, ResourceType.GROUP)),
)
