"""DescribeAcls (29), v1-3; both kinds of listeners (KIP-140).

Every node responds from its own committed image. The ACLs are ordered by resource, then by principal. A node without an
authorizer responds SECURITY_DISABLED. A filter with an unknown number matches nothing, as in Apache Kafka. But 0
("unknown"), for which Apache Kafka closes the connection, is INVALID_REQUEST.
"""

from __future__ import annotations

from itertools import groupby

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeAclsRequest, DescribeAclsResponse
from kafkaproto_server.apis.access import Access
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.image.sorting import sorted_steps
from kafkaproto_server.metadata.security.acls import AclFilter, Operation, acl_order
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.refusals import Refusal

NO_AUTHORIZER = "This node has no authorizer: authorizer.class.name is not set."


def handle_describe_acls(
    request: DescribeAclsRequest, context: RequestContext, services: Services
) -> Steps[DescribeAclsResponse]:
    """Return the ACLs that match a filter."""
    if services.metadata.authorizer() is None:
        return DescribeAclsResponse(error_code=ErrorCode.SECURITY_DISABLED, error_message=NO_AUTHORIZER)
    acl_filter = AclFilter.of(request)
    problem = acl_filter.problem(only_zero=True)
    if problem is not None:
        return DescribeAclsResponse(error_code=ErrorCode.INVALID_REQUEST, error_message=problem)
    matching = []
    for entry in services.metadata.image().acls.values():
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


def no_authorizer(context: RequestContext) -> Refusal:
    """The refusal of a node without an authorizer to change ACLs."""
    return Refusal(code=ErrorCode.SECURITY_DISABLED, message=NO_AUTHORIZER, version=context.api_version)


_SERVED = Served(handler=handle_describe_acls, access=Access(operation=Operation.DESCRIBE))
API = Api(key=ApiKey.DESCRIBE_ACLS, bounds=SMALL, broker=_SERVED, controller=_SERVED)
