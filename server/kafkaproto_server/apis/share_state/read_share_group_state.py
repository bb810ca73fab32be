"""ReadShareGroupState (84), version 0, broker listeners.

The leader of a partition reads all of its state for a share group (KIP-932), before it delivers records to the group.
The share coordinator takes over its leader epoch, so that a former leader can write no more.

The sender needs CLUSTER_ACTION on the cluster.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from kafkaproto.api import ApiKey
from kafkaproto.messages import ReadShareGroupStateRequest, ReadShareGroupStateResponse
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
from kafkaproto_server.requests.share_state import Done, ShareStateResult, StateBatch

Response = ReadShareGroupStateResponse
_Named = ReadShareGroupStateRequest.PartitionData
_CLASSES = ResponseClasses(Response, Response.ReadStateResult, Response.PartitionResult)
BYTES_A_BATCH = 256
"""Memory of a batch in the response."""


def handle_read_share_group_state(
    request: ReadShareGroupStateRequest, context: RequestContext, services: Services
) -> Steps[Deferred[Any]]:
    """Ask the share coordinator for each partition."""

    def ask(coordinator: ShareCoordinator, key: SharePartitionKey, named: _Named, done: Done) -> None:
        coordinator.read(key, named.leader_epoch, done)

    reply: Deferred[Any] = yield from asked(request, services.share_state, _CLASSES, ask=ask, fill=_fill)
    return reply.then(_with_batches)


def _fill(place: Response.PartitionResult, result: ShareStateResult) -> None:
    if result.state is not None:
        place.state_epoch = result.state.state_epoch
        place.start_offset = result.state.start_offset
        # As the coordinator has them, until all are there: they take little memory.
        place.state_batches = cast("list[Response.StateBatch]", result.state.batches)


def _with_batches(response: Response) -> Steps[Response]:
    """The response, once the batches of each partition are as it has to have them."""
    for topic in response.results:
        for place in topic.partitions:
            yield BYTES_A_BATCH * len(place.state_batches)
            kept = cast(Sequence[StateBatch], place.state_batches)
            place.state_batches = [Response.StateBatch(**each._asdict()) for each in kept]
    return response


API = Api(
    key=ApiKey.READ_SHARE_GROUP_STATE,
    bounds=ITEMS,
    broker=Served(handler=handle_read_share_group_state, access=Access(operation=Operation.CLUSTER_ACTION)),
    refuse=refusing(_CLASSES),
)
