"""DeleteAcls (31), v1-3; controller listeners, forwarded by brokers (KIP-140).

The active controller deletes the ACLs that match each filter (`core.controller.commands.acls`). Without an authorizer
the request is refused with SECURITY_DISABLED.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.messages import DeleteAclsRequest, DeleteAclsResponse
from kafkaproto_server.apis.access import Access
from kafkaproto_server.apis.api import FORWARDED, Api, Served
from kafkaproto_server.apis.bounds import ITEMS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.apis.security.describe_acls import no_authorizer
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.context import HandlerResult, RequestContext
from kafkaproto_server.requests.refusals import Refusal, refuse_each


def handle_delete_acls(
    request: DeleteAclsRequest, context: RequestContext, services: Services
) -> HandlerResult:
    """Submit the request to this node's controller, if the node has an authorizer."""
    if services.metadata.authorizer() is None:
        return refuse(request, no_authorizer(context))
    return services.controller.submit(request, context)


def refuse(request: DeleteAclsRequest, refusal: Refusal) -> Steps[DeleteAclsResponse]:
    """The error once for each filter."""
    results = yield from refuse_each(
        request.filters,
        lambda _: DeleteAclsResponse.DeleteAclsFilterResult(
            error_code=refusal.code, error_message=refusal.message
        ),
    )
    return DeleteAclsResponse(filter_results=results)


API = Api(
    key=ApiKey.DELETE_ACLS,
    bounds=ITEMS,
    broker=FORWARDED,
    controller=Served(handler=handle_delete_acls, access=Access(operation=Operation.ALTER)),
    refuse=refuse,
)
