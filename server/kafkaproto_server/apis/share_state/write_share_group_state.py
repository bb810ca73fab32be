"""WriteShareGroupState (85), versions 0-1, broker listeners.

The leader of a partition writes what became of records that it has delivered to a share group (KIP-932). Version 1 says
how many of them are done with (KIP-1226).

The sender needs CLUSTER_ACTION on the cluster.
"""

from __future__ import annotations

from itertools import islice

from kafkaproto.api import ApiKey
from kafkaproto.messages import WriteShareGroupStateRequest, WriteShareGroupStateResponse
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
from kafkaproto_server.requests.share_state import MAX_STATE_BATCHES, Done, ShareState, StateBatch

Response = WriteShareGroupStateResponse
_Named = WriteShareGroupStateRequest.PartitionData
_CLASSES = ResponseClasses(Response, Response.WriteStateResult, Response.PartitionResult)


def handle_write_share_group_state(
    request: WriteShareGroupStateRequest, context: RequestContext, services: Services
) -> Steps[Deferred[Response]]:
    """Ask the share coordinator for each partition."""

    def ask(coordinator: ShareCoordinator, key: SharePartitionKey, named: _Named, done: Done) -> None:
        coordinator.write(key, _state(named), named.leader_epoch, done)

    return asked(request, services.share_state, _CLASSES, ask=ask)


def _state(named: _Named) -> ShareState:
    return ShareState(
        named.state_epoch,
        named.start_offset,
        named.delivery_complete_count,
        tuple(
            StateBatch(each.first_offset, each.last_offset, each.delivery_state, each.delivery_count)
            # With one more, it is refused.
            for each in islice(named.state_batches, MAX_STATE_BATCHES + 1)
        ),
    )


API = Api(
    key=ApiKey.WRITE_SHARE_GROUP_STATE,
    bounds=ITEMS,
    broker=Served(handler=handle_write_share_group_state, access=Access(operation=Operation.CLUSTER_ACTION)),
    refuse=refusing(_CLASSES),
)
