"""CreateAcls (30), v1-3; controller listeners, forwarded by brokers (KIP-140).

The active controller decides on each ACL separately (`core.controller.commands.acls`). Without an authorizer the
request is refused with SECURITY_DISABLED.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.messages import CreateAclsRequest, CreateAclsResponse
from kafkaproto_server.apis.access import Access
from kafkaproto_server.apis.api import FORWARDED, Api, Served
from kafkaproto_server.apis.bounds import ITEMS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.apis.security.describe_acls import no_authorizer
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.context import HandlerResult, RequestContext
from kafkaproto_server.requests.refusals import Refusal, refuse_each


def handle_create_acls(
    request: CreateAclsRequest, context: RequestContext, services: Services
) -> HandlerResult:
    """Submit the request to this node's controller, if the node has an authorizer."""
    if services.metadata.authorizer() is None:
        return refuse(request, no_authorizer(context))
    return services.controller.submit(request, context)


def refuse(request: CreateAclsRequest, refusal: Refusal) -> Steps[CreateAclsResponse]:
    """The error once for each ACL."""
    results = yield from refuse_each(
        request.creations,
        lambda _: CreateAclsResponse.AclCreationResult(
            error_code=refusal.code, error_message=refusal.message
        ),
    )
    return CreateAclsResponse(results=results)


API = Api(
    key=ApiKey.CREATE_ACLS,
    bounds=ITEMS,
    broker=FORWARDED,
    controller=Served(handler=handle_create_acls, access=Access(operation=Operation.ALTER)),
    refuse=refuse,
)
