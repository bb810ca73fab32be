"""StreamsGroupTopologyDescriptionUpdate (93), version 0, broker listeners.

A member of a streams group hands in a description of its topology (KIP-1331), if the response to a heartbeat asked for
it. Apache Kafka has plugins that keep such descriptions. Without one it never asks, and refuses what comes all the same
with UNSUPPORTED_VERSION; there are no plugins here. The sender needs READ on the group.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    StreamsGroupTopologyDescriptionUpdateRequest,
    StreamsGroupTopologyDescriptionUpdateResponse,
)
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import HEARTBEATS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext

Response = StreamsGroupTopologyDescriptionUpdateResponse


def handle_streams_group_topology_description_update(
    request: StreamsGroupTopologyDescriptionUpdateRequest, context: RequestContext, services: Services
) -> Response:
    is_served = services.groups.serves_streams_groups()
    if is_served and not is_allowed(context, services, Operation.READ, ResourceType.GROUP, request.group_id):
        return Response(error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
    return Response(
        error_code=ErrorCode.UNSUPPORTED_VERSION,
        error_message="This broker has no plugin for descriptions of topologies.",
    )


API = Api(
    key=ApiKey.STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE,
    bounds=HEARTBEATS,
    broker=Served(
        handler=handle_streams_group_topology_description_update,
        access=of_items(Operation.READ, ResourceType.GROUP),
    ),
)
