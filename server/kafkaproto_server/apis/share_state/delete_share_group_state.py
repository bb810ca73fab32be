"""DeleteShareGroupState (86), version 0, broker listeners.

The coordinator of a share group removes the state of partitions that the group reads no more (KIP-932). It is no error
if there is none.

The sender needs CLUSTER_ACTION on the cluster.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.messages import DeleteShareGroupStateRequest, DeleteShareGroupStateResponse
from kafkaproto_server.apis.access import Access
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.bounds import ITEMS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.apis.share_state.state_partitions import ResponseClasses, asked, refusing
from kafkaproto_server.base.later import Deferred, Steps
from kafkaproto_server.core.coordinators.share_state.coordinator import ShareCoordinator
from kafkaproto_server.core.coordinators.share_state.state import SharePartitionKey
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.share_state import Done

Response = DeleteShareGroupStateResponse
_Named = DeleteShareGroupStateRequest.PartitionData
_CLASSES = ResponseClasses(Response, Response.DeleteStateResult, Response.PartitionResult)


def handle_delete_share_group_state(
    request: DeleteShareGroupStateRequest, context: RequestContext, services: Services
) -> Steps[Deferred[Response]]:
    """Ask the share coordinator for each partition."""

    def ask(coordinator: ShareCoordinator, key: SharePartitionKey, named: _Named, done: Done) -> None:
        coordinator.delete(key, done)

    return asked(request, services.share_state, _CLASSES, ask=ask)


API = Api(
    key=ApiKey.DELETE_SHARE_GROUP_STATE,
    bounds=ITEMS,
    broker=Served(handler=handle_delete_share_group_state, access=Access(operation=Operation.CLUSTER_ACTION)),
    refuse=refusing(_CLASSES),
)
