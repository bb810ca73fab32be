"""DeleteGroups (42), versions 0-3, broker listeners.

Groups without members are deleted, with their offsets (KIP-229). From version 3 on an error has a message. The sender
needs DELETE on each group.
"""

from __future__ import annotations

from functools import partial

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DeleteGroupsRequest, DeleteGroupsResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import ITEMS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Deferred, Gather, Steps
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.refusals import Refusal, refuse_each_once

Result = DeleteGroupsResponse.DeletableGroupResult


def handle_delete_groups(
    request: DeleteGroupsRequest, context: RequestContext, services: Services
) -> Steps[Deferred[DeleteGroupsResponse]]:
    """Delete the groups, one a step."""
    response = DeleteGroupsResponse()
    reply: Deferred[DeleteGroupsResponse] = Deferred()
    gather = Gather(lambda: reply.resolve(response))

    def deleted(result: Result, code: ErrorCode) -> None:
        result.error_code = code
        gather.came()

    for group_id in dict.fromkeys(request.groups_names):
        result = Result(group_id=group_id)
        response.results.append(result)
        if is_allowed(context, services, Operation.DELETE, ResourceType.GROUP, group_id):
            gather.asked()
            try:
                services.groups.of(group_id).delete(group_id, partial(deleted, result))
            except CoordinatorError as error:
                deleted(result, error.code)
        else:
            result.error_code = ErrorCode.GROUP_AUTHORIZATION_FAILED
        yield
    gather.all_asked()
    return reply


def refuse(request: DeleteGroupsRequest, refusal: Refusal) -> Steps[DeleteGroupsResponse]:
    """The error for each group."""
    results = yield from refuse_each_once(
        request.groups_names,
        lambda group_id: Result(group_id=group_id, error_code=refusal.code, error_message=refusal.message),
    )
    return DeleteGroupsResponse(results=results)


API = Api(
    key=ApiKey.DELETE_GROUPS,
    bounds=ITEMS,
    broker=Served(handler=handle_delete_groups, access=of_items(Operation.DELETE, ResourceType.GROUP)),
    refuse=refuse,
)
