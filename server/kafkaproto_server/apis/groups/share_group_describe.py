"""ShareGroupDescribe (77), version 1, broker listeners.

Share groups (KIP-932) with their members and assignments. A group that is named twice is described once. The sender
needs DESCRIBE on each group, and on all topics that its members are assigned. Nobody is served without the feature
share.version.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ShareGroupDescribeRequest, ShareGroupDescribeResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import authorized_operations, is_allowed
from kafkaproto_server.apis.bounds import ITEMS
from kafkaproto_server.apis.groups.description_size import bytes_to_describe
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.refusals import Refusal

Described = ShareGroupDescribeResponse.DescribedGroup


def handle_share_group_describe(
    request: ShareGroupDescribeRequest, context: RequestContext, services: Services
) -> Steps[ShareGroupDescribeResponse]:
    if not services.groups.serves_share_groups():
        refusal = Refusal(code=ErrorCode.UNSUPPORTED_VERSION, message=None, version=context.api_version)
        return (yield from refuse(request, refusal))
    response = ShareGroupDescribeResponse()
    # A request of some megabytes may name one large group ten thousand times.
    for group_id in dict.fromkeys(request.group_ids):
        # A group is described in one step: it does not change meanwhile.
        yield bytes_to_describe(group_id, services)
        response.groups.append(_described(group_id, request, context, services))
        yield
    return response


def _described(
    group_id: str, request: ShareGroupDescribeRequest, context: RequestContext, services: Services
) -> Described:
    if not is_allowed(context, services, Operation.DESCRIBE, ResourceType.GROUP, group_id):
        return Described(group_id=group_id, error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
    if not group_id:
        return Described(group_id=group_id, error_code=ErrorCode.INVALID_GROUP_ID)
    try:
        described = services.groups.of(group_id).share.described(group_id)
    except CoordinatorError as error:
        return Described(group_id=group_id, error_code=error.code, error_message=error.code.message)
    names = {
        each.topic_name: None for member in described.members for each in member.assignment.topic_partitions
    }
    # As in Apache Kafka, whoever may not see one topic of an assignment sees nothing of the group.
    if not all(is_allowed(context, services, Operation.DESCRIBE, ResourceType.TOPIC, each) for each in names):
        return Described(
            group_id=group_id,
            error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
            error_message="The group has described topic(s) that the client is not authorized to describe.",
        )
    if request.include_authorized_operations and not described.error_code:
        described.authorized_operations = authorized_operations(
            context, services, ResourceType.GROUP, group_id
        )
    return described


def refuse(request: ShareGroupDescribeRequest, refusal: Refusal) -> Steps[ShareGroupDescribeResponse]:
    """The error for each group."""
    response = ShareGroupDescribeResponse()
    for group_id in request.group_ids:
        response.groups.append(Described(group_id=group_id, error_code=refusal.code))
        yield
    return response


API = Api(
    key=ApiKey.SHARE_GROUP_DESCRIBE,
    bounds=ITEMS,
    broker=Served(
        handler=handle_share_group_describe, access=of_items(Operation.DESCRIBE, ResourceType.GROUP)
    ),
    refuse=refuse,
)
