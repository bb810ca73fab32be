"""ListGroups (16), versions 0-5, broker listeners.

The groups that this broker coordinates; clients ask all brokers. From version 4 on a request may name states, from 5 on
types of groups. The sender sees all groups with DESCRIBE on the cluster, otherwise those on which it has DESCRIBE.
"""

from __future__ import annotations

from itertools import chain

from kafkaproto.api import ApiKey
from kafkaproto.messages import ListGroupsRequest, ListGroupsResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext


def handle_list_groups(
    request: ListGroupsRequest, context: RequestContext, services: Services
) -> Steps[ListGroupsResponse]:
    found = chain.from_iterable(shard.listed() for shard in services.groups.all())
    # A streams group that is NotReady is found as not_ready, too: Apache Kafka has that name for it.
    states = {each.lower().replace("_", "") for each in request.states_filter}
    types = {each.lower() for each in request.types_filter}
    sees_all = is_allowed(context, services, Operation.DESCRIBE)

    def listed() -> Steps[ListGroupsResponse]:
        response = ListGroupsResponse()
        for each in found:
            yield
            if (states and each.state.lower() not in states) or (
                types and each.group_type.lower() not in types
            ):
                continue
            if sees_all or is_allowed(
                context, services, Operation.DESCRIBE, ResourceType.GROUP, each.group_id
            ):
                response.groups.append(
                    ListGroupsResponse.ListedGroup(
                        group_id=each.group_id,
                        protocol_type=each.protocol_type,
                        group_state=each.state,
                        group_type=each.group_type,
                    )
                )
        return response

    return listed()


API = Api(
    key=ApiKey.LIST_GROUPS,
    bounds=SMALL,
    broker=Served(handler=handle_list_groups, access=of_items(Operation.DESCRIBE, ResourceType.GROUP)),
)
