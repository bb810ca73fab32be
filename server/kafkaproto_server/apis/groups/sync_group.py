"""SyncGroup (14), versions 0-5, broker listeners.

A member asks for its assignment in the present generation; the leader brings those of all members. The response comes
when the assignments are kept. From version 3 on a member may be static, from 5 on it names the protocol, and hears it.
The sender needs READ on the group.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import SyncGroupRequest, SyncGroupResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import ITEMS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.group_requests import SyncOutcome, SyncValues

_FIRST_WITH_PROTOCOLS = 5
"""Type and name of the protocol are mandatory from this version on (KIP-559)."""


def handle_sync_group(
    request: SyncGroupRequest, context: RequestContext, services: Services
) -> SyncGroupResponse | Deferred[SyncGroupResponse]:
    """Give the member its assignment."""
    if not is_allowed(context, services, Operation.READ, ResourceType.GROUP, request.group_id):
        return SyncGroupResponse(error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
    has_protocols = request.protocol_type is not None and request.protocol_name is not None
    if context.api_version >= _FIRST_WITH_PROTOCOLS and not has_protocols:
        return SyncGroupResponse(error_code=ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    values = SyncValues(
        member_id=request.member_id,
        group_instance_id=request.group_instance_id,
        generation=request.generation_id,
        protocol_type=request.protocol_type,
        protocol=request.protocol_name,
        assignments=tuple((each.member_id, bytes(each.assignment)) for each in request.assignments),
    )
    reply: Deferred[SyncGroupResponse] = Deferred()

    def synced(outcome: SyncOutcome) -> None:
        reply.resolve(
            SyncGroupResponse(
                error_code=outcome.code,
                protocol_type=outcome.protocol_type,
                protocol_name=outcome.protocol,
                assignment=outcome.assignment,
            )
        )

    services.groups.of(request.group_id).sync(request.group_id, values, synced)
    return reply


API = Api(
    key=ApiKey.SYNC_GROUP,
    bounds=ITEMS,
    broker=Served(handler=handle_sync_group, access=of_items(Operation.READ, ResourceType.GROUP)),
)
