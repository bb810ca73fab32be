"""ReadShareGroupStateSummary (87), versions 0-1, broker listeners.

The coordinator of a share group asks from where on the group reads partitions (KIP-932). Version 1 says also how many
records behind that are done with (KIP-1226). Nobody is fenced by it.

The sender needs CLUSTER_ACTION on the cluster.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.messages import ReadShareGroupStateSummaryRequest, ReadShareGroupStateSummaryResponse
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
from kafkaproto_server.requests.share_state import Done, ShareStateResult

Response = ReadShareGroupStateSummaryResponse
_Named = ReadShareGroupStateSummaryRequest.PartitionData
_CLASSES = ResponseClasses(Response, Response.ReadStateSummaryResult, Response.PartitionResult)


def handle_read_share_group_state_summary(
    request: ReadShareGroupStateSummaryRequest, context: RequestContext, services: Services
) -> Steps[Deferred[Response]]:
    """Ask the share coordinator for each partition."""

    def ask(coordinator: ShareCoordinator, key: SharePartitionKey, named: _Named, done: Done) -> None:
        coordinator.read_summary(key, done)

    return asked(request, services.share_state, _CLASSES, ask=ask, fill=_fill)


def _fill(place: Response.PartitionResult, result: ShareStateResult) -> None:
    if result.state is not None:
        place.state_epoch = result.state.state_epoch
        place.leader_epoch = result.leader_epoch
        place.start_offset = result.state.start_offset
        place.delivery_complete_count = result.state.delivery_complete_count


API = Api(
    key=ApiKey.READ_SHARE_GROUP_STATE_SUMMARY,
    bounds=ITEMS,
    broker=Served(
        handler=handle_read_share_group_state_summary, access=Access(operation=Operation.CLUSTER_ACTION)
    ),
    refuse=refusing(_CLASSES),
)
