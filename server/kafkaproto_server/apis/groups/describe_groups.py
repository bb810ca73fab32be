"""DescribeGroups (15), versions 0-6, broker listeners.

Classic groups with their members. A group that does not exist is Dead; from version 6 on it gets GROUP_ID_NOT_FOUND.
Version 3 and later tell what the sender may do with a group, if it asks. A group that is named twice is described once.
The sender needs DESCRIBE on each group.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeGroupsRequest, DescribeGroupsResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import OPERATIONS_NOT_ASKED, authorized_operations, is_allowed
from kafkaproto_server.apis.bounds import ITEMS
from kafkaproto_server.apis.groups.description_size import bytes_to_describe
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.group_requests import DescribedGroup
from kafkaproto_server.requests.refusals import Refusal

Described = DescribeGroupsResponse.DescribedGroup

_FIRST_WITH_NOT_FOUND = 6


def handle_describe_groups(
    request: DescribeGroupsRequest, context: RequestContext, services: Services
) -> Steps[DescribeGroupsResponse]:
    response = DescribeGroupsResponse()
    # A request of some megabytes may name one large group ten thousand times.
    for group_id in dict.fromkeys(request.groups):
        if is_allowed(context, services, Operation.DESCRIBE, ResourceType.GROUP, group_id):
            # A group is described in one step: it does not change meanwhile.
            yield bytes_to_describe(group_id, services)
            described = _describe(group_id, context, services)
            if request.include_authorized_operations and not described.error_code:
                described.authorized_operations = authorized_operations(
                    context, services, ResourceType.GROUP, group_id
                )
        else:
            described = Described(group_id=group_id, error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
        response.groups.append(described)
        yield
    return response


def _describe(group_id: str, context: RequestContext, services: Services) -> Described:
    try:
        found = services.groups.of(group_id).described(group_id)
    except CoordinatorError as error:
        found = DescribedGroup(code=error.code)
    code, message = found.code, found.message
    # To older clients, a group that does not exist is Dead, and no error (KIP-1043).
    if code is ErrorCode.GROUP_ID_NOT_FOUND and context.api_version < _FIRST_WITH_NOT_FOUND:
        code = ErrorCode.NONE
    return Described(
        group_id=group_id,
        error_code=code,
        error_message=message if context.api_version >= _FIRST_WITH_NOT_FOUND else None,
        group_state=found.state,
        protocol_type=found.protocol_type,
        protocol_data=found.protocol,
        authorized_operations=OPERATIONS_NOT_ASKED,
        members=[
            DescribeGroupsResponse.DescribedGroupMember(
                member_id=each.member_id,
                group_instance_id=each.group_instance_id,
                client_id=each.client_id,
                client_host=each.client_host,
                member_metadata=each.metadata,
                member_assignment=each.assignment,
            )
            for each in found.members
        ],
    )


def refuse(request: DescribeGroupsRequest, refusal: Refusal) -> Steps[DescribeGroupsResponse]:
    """The error for each group."""
    response = DescribeGroupsResponse()
    for group_id in request.groups:
        response.groups.append(Described(group_id=group_id, error_code=refusal.code))
        yield
    return response


API = Api(
    key=ApiKey.DESCRIBE_GROUPS,
    bounds=ITEMS,
    broker=Served(handler=handle_describe_groups, access=of_items(Operation.DESCRIBE, ResourceType.GROUP)),
    refuse=refuse,
)
