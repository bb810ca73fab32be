"""StreamsGroupDescribe (89), versions 0-1, broker listeners.

Streams groups (KIP-1071) with their topology, members and tasks. Version 1 says which assignor a group has, and may ask
for a description of the topology, which only a plugin of Apache Kafka could keep: the response says that there is none.
A group that is named twice is described once. The sender needs DESCRIBE on each group, and on all topics of its
topology. Nobody is served without the feature streams.version, or without "streams" in
`group.coordinator.rebalance.protocols`.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import StreamsGroupDescribeRequest, StreamsGroupDescribeResponse
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

Described = StreamsGroupDescribeResponse.DescribedGroup

NO_DESCRIPTION = 1
"""The status of a description of a topology: none is stored (KIP-1331)."""


def handle_streams_group_describe(
    request: StreamsGroupDescribeRequest, context: RequestContext, services: Services
) -> Steps[StreamsGroupDescribeResponse]:
    if not services.groups.serves_streams_groups():
        refusal = Refusal(code=ErrorCode.UNSUPPORTED_VERSION, message=None, version=context.api_version)
        return (yield from refuse(request, refusal))
    response = StreamsGroupDescribeResponse()
    # A request of some megabytes may name one large group ten thousand times.
    for group_id in dict.fromkeys(request.group_ids):
        # A group is described in one step: it does not change meanwhile.
        yield bytes_to_describe(group_id, services)
        response.groups.append(_described(group_id, request, context, services))
        yield
    return response


def _described(
    group_id: str, request: StreamsGroupDescribeRequest, context: RequestContext, services: Services
) -> Described:
    if not is_allowed(context, services, Operation.DESCRIBE, ResourceType.GROUP, group_id):
        return Described(group_id=group_id, error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
    if not group_id:
        return Described(group_id=group_id, error_code=ErrorCode.INVALID_GROUP_ID)
    try:
        described = services.groups.of(group_id).streams_described(group_id)
    except CoordinatorError as error:
        return Described(group_id=group_id, error_code=error.code)
    if described.error_code:
        return described
    if request.include_authorized_operations:
        described.authorized_operations = authorized_operations(
            context, services, ResourceType.GROUP, group_id
        )
    if request.include_topology_description:
        described.topology_description_status = NO_DESCRIPTION
    return _visible(described, context, services)


def _visible(described: Described, context: RequestContext, services: Services) -> Described:
    """The group, or the error for a sender who may not see one of its topics."""
    topology = described.topology
    names: dict[str, None] = {}
    for each in () if topology is None else topology.subtopologies or ():
        names.update(dict.fromkeys(each.source_topics))
        names.update(dict.fromkeys(each.repartition_sink_topics))
        names.update((topic.name, None) for topic in each.repartition_source_topics)
        names.update((topic.name, None) for topic in each.state_changelog_topics)
    if all(is_allowed(context, services, Operation.DESCRIBE, ResourceType.TOPIC, each) for each in names):
        return described
    return Described(
        group_id=described.group_id,
        error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
        error_message="The group uses topics that the client may not describe.",
    )


def refuse(request: StreamsGroupDescribeRequest, refusal: Refusal) -> Steps[StreamsGroupDescribeResponse]:
    """The error for each group."""
    response = StreamsGroupDescribeResponse()
    for group_id in request.group_ids:
        response.groups.append(Described(group_id=group_id, error_code=refusal.code))
        yield
    return response


API = Api(
    key=ApiKey.STREAMS_GROUP_DESCRIBE,
    bounds=ITEMS,
    broker=Served(
        handler=handle_streams_group_describe, access=of_items(Operation.DESCRIBE, ResourceType.GROUP)
    ),
    refuse=refuse,
)
