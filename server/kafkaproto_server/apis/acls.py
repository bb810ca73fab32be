"""DescribeAcls (29, v1-3), and the door before CreateAcls (30) and DeleteAcls (31): broker and controller listeners.

ACLs are for nodes that have an authorizer: without one all three are SECURITY_DISABLED. Every node describes them
from its own committed image, in order of what they are about and whom; a filter with a number that nobody knows means
none, as with stock, but 0 ("unknown"), over which stock closes the connection, is INVALID_REQUEST. Creating and
deleting them is the active controller's (`controller.acls`), whose authorizer.class.name counts then.
"""

from __future__ import annotations

from itertools import groupby

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import DescribeAclsRequest, DescribeAclsResponse
from kafkaproto_server.apis.authorization import refused_in_steps
from kafkaproto_server.apis.context import Reply, RequestContext, Services
from kafkaproto_server.image.sorting import sorted_steps
from kafkaproto_server.security.acls import AclFilter, acl_order
from kafkaproto_server.types import Steps

NO_AUTHORIZER = "This node has no authorizer: authorizer.class.name is not set."


def handle_describe_acls(
    request: DescribeAclsRequest, context: RequestContext, services: Services
) -> Steps[DescribeAclsResponse]:
    """The ACLs that a filter means."""
    if services.authorizer() is None:
        return DescribeAclsResponse(error_code=ErrorCode.SECURITY_DISABLED, error_message=NO_AUTHORIZER)
    acl_filter = AclFilter.of(request)
    problem = acl_filter.problem(only_zero=True)
    if problem is not None:
        return DescribeAclsResponse(error_code=ErrorCode.INVALID_REQUEST, error_message=problem)
    matching = []
    for entry in services.image().acls.values():
        if acl_filter.matches(entry):
            matching.append(entry)
        yield
    found = yield from sorted_steps(matching, key=acl_order)
    response = DescribeAclsResponse()
    by_pattern = groupby(
        found, key=lambda entry: (entry.resource_type, entry.resource_name, entry.pattern_type)
    )
    for (resource_type, resource_name, pattern_type), entries in by_pattern:
        acls = []
        for entry in entries:
            acls.append(
                DescribeAclsResponse.AclDescription(
                    principal=entry.principal,
                    host=entry.host,
                    operation=entry.operation,
                    permission_type=entry.permission_type,
                )
            )
            yield
        response.resources.append(
            DescribeAclsResponse.DescribeAclsResource(
                resource_type=resource_type,
                resource_name=resource_name,
                pattern_type=pattern_type,
                acls=acls,
            )
        )
    return response


def handle_alter_acls(request: Message, context: RequestContext, services: Services) -> Reply:
    """On a controller listener: CreateAcls and DeleteAcls, where the controller has an authorizer."""
    if services.authorizer() is None:
        return refused_in_steps(request, ErrorCode.SECURITY_DISABLED, NO_AUTHORIZER, context, services.refuse)
    return services.submit(request, context)
