"""LeaveGroup (13), versions 0-5, broker listeners.

Members leave a group. Up to version 2 it is one, named by its id, and the result is the error on top. From version 3 on
there may be many, also static ones by their instance ids alone (KIP-345), and each has a result. The reason of version
5 is not kept. The sender needs READ on the group.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import LeaveGroupRequest, LeaveGroupResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import ITEMS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext

_FIRST_WITH_MANY = 3


def handle_leave_group(
    request: LeaveGroupRequest, context: RequestContext, services: Services
) -> LeaveGroupResponse:
    if not is_allowed(context, services, Operation.READ, ResourceType.GROUP, request.group_id):
        return LeaveGroupResponse(error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
    has_many = context.api_version >= _FIRST_WITH_MANY
    members = (
        [(each.member_id, each.group_instance_id) for each in request.members]
        if has_many
        else [(request.member_id, None)]
    )
    found = services.groups.of(request.group_id).leave(request.group_id, members)
    if not has_many:
        return LeaveGroupResponse(error_code=found[0])
    return LeaveGroupResponse(
        members=[
            LeaveGroupResponse.MemberResponse(
                member_id=member_id, group_instance_id=instance_id, error_code=code
            )
            for (member_id, instance_id), code in zip(members, found, strict=True)
        ]
    )


API = Api(
    key=ApiKey.LEAVE_GROUP,
    bounds=ITEMS,
    broker=Served(handler=handle_leave_group, access=of_items(Operation.READ, ResourceType.GROUP)),
)
