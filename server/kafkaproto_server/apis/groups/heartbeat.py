"""Heartbeat (12), versions 0-4, broker listeners.

A member of a classic group says that it lives, and hears whether it has to join again. From version 3 on it may be
static. The sender needs READ on the group.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import HeartbeatRequest, HeartbeatResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext


def handle_heartbeat(
    request: HeartbeatRequest, context: RequestContext, services: Services
) -> HeartbeatResponse:
    """Note that the member lives."""
    if not is_allowed(context, services, Operation.READ, ResourceType.GROUP, request.group_id):
        return HeartbeatResponse(error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
    try:
        code = services.groups.of(request.group_id).heartbeat(
            request.group_id, request.member_id, request.group_instance_id, request.generation_id
        )
    except CoordinatorError as error:
        # A member whose group is being loaded is no worse off: it has nothing to do.
        code = ErrorCode.NONE if error.code is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS else error.code
    return HeartbeatResponse(error_code=code)


API = Api(
    key=ApiKey.HEARTBEAT,
    bounds=SMALL,
    broker=Served(handler=handle_heartbeat, access=of_items(Operation.READ, ResourceType.GROUP)),
)
