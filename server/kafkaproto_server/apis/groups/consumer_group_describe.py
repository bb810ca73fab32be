"""ConsumerGroupDescribe (69), versions 0-1, broker listeners.

Consumer groups (KIP-848) with their members and assignments. Version 1 says which protocol a member uses. A group that
is named twice is described once. The sender needs DESCRIBE on each group, and on all topics that its members subscribe
to or are assigned. Nobody is served without the feature group.version, or without "consumer" in
`group.coordinator.rebalance.protocols`.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse
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

Described = ConsumerGroupDescribeResponse.DescribedGroup


def handle_consumer_group_describe(
    request: ConsumerGroupDescribeRequest, context: RequestContext, services: Services
) -> Steps[ConsumerGroupDescribeResponse]:
    if not services.groups.serves_consumer_groups():
        refusal = Refusal(code=ErrorCode.UNSUPPORTED_VERSION, message=None, version=context.api_version)
        return (yield from refuse(request, refusal))
    response = ConsumerGroupDescribeResponse()
    # A request of some megabytes may name one large group ten thousand times.
    for group_id in dict.fromkeys(request.group_ids):
        if is_allowed(context, services, Operation.DESCRIBE, ResourceType.GROUP, group_id):
            # A group is described in one step: it does not change meanwhile.
            yield bytes_to_describe(group_id, services)
            described = _described(group_id, context, services)
            if request.include_authorized_operations and not described.error_code:
                described.authorized_operations = authorized_operations(
                    context, services, ResourceType.GROUP, group_id
                )
        else:
            described = Described(group_id=group_id, error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
        response.groups.append(described)
        yield
    return response


def _described(group_id: str, context: RequestContext, services: Services) -> Described:
    try:
        described = services.groups.of(group_id).consumer_described(group_id)
    except CoordinatorError as error:
        return Described(group_id=group_id, error_code=error.code)
    return _visible(described, context, services)


def _visible(described: Described, context: RequestContext, services: Services) -> Described:
    """The group, or the error for a sender who may not see one of its topics."""
    names: dict[str, None] = {}
    for member in described.members:
        names.update(dict.fromkeys(member.subscribed_topic_names))
        for assignment in (member.assignment, member.target_assignment):
            names.update((each.topic_name, None) for each in assignment.topic_partitions)
    # As in Apache Kafka, whoever may not see one topic of an assignment sees nothing of the group.
    if all(is_allowed(context, services, Operation.DESCRIBE, ResourceType.TOPIC, each) for each in names):
        return described
    return Described(
        group_id=described.group_id,
        error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
        error_message="The group has described topic(s) that the client is not authorized to describe.",
    )


def refuse(request: ConsumerGroupDescribeRequest, refusal: Refusal) -> Steps[ConsumerGroupDescribeResponse]:
    """The error for each group."""
    response = ConsumerGroupDescribeResponse()
    for group_id in request.group_ids:
        response.groups.append(Described(group_id=group_id, error_code=refusal.code))
        yield
    return response


API = Api(
    key=ApiKey.CONSUMER_GROUP_DESCRIBE,
    bounds=ITEMS,
    broker=Served(
        handler=handle_consumer_group_describe, access=of_items(Operation.DESCRIBE, ResourceType.GROUP)
    ),
    refuse=refuse,
)
