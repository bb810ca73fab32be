"""ListPartitionReassignments (46), version 0, controller listeners, forwarded by brokers (KIP-455).

Any controller responds from its newest committed image, active or not. Topics are ordered by name, their partitions by
index. Partitions that are not being reassigned are left out, and so are topics and partitions that do not exist.
"""

from __future__ import annotations

from collections.abc import Iterable

from kafkaproto.api import ApiKey
from kafkaproto.messages import ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse
from kafkaproto_server.apis.access import Access
from kafkaproto_server.apis.api import FORWARDED, Api, Served
from kafkaproto_server.apis.bounds import KEYS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.image.entries import TopicImage
from kafkaproto_server.metadata.image.sorting import sorted_steps
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.context import RequestContext

_Topic = ListPartitionReassignmentsResponse.OngoingTopicReassignment
_Partition = ListPartitionReassignmentsResponse.OngoingPartitionReassignment


def handle_list_reassignments(
    request: ListPartitionReassignmentsRequest, context: RequestContext, services: Services
) -> Steps[ListPartitionReassignmentsResponse]:
    """Return the ongoing reassignments, of all topics or of some partitions."""
    response = ListPartitionReassignmentsResponse(error_message=None)
    image = services.metadata.image()
    if not image.partition_counts.reassigned:
        # The usual case, and clients ask often: no need to examine all partitions.
        return response
    indexes: dict[str, set[int]] = {}
    for asked in request.topics or ():
        indexes.setdefault(asked.name, set()).update(asked.partition_indexes)
        yield
    if request.topics is None:
        names = yield from services.metadata.caches.topic_names(image)
    else:
        names = yield from sorted_steps([*indexes])
    for name in names:
        yield
        topic = image.topic_by_name(name)
        if topic is not None:
            wanted = topic.partitions if request.topics is None else indexes[name]
            partitions = yield from _ongoing(topic, wanted)
            if partitions:
                response.topics.append(_Topic(name=name, partitions=partitions))
    return response


def _ongoing(topic: TopicImage, indexes: Iterable[int]) -> Steps[list[_Partition]]:
    found = []
    for index in indexes:
        partition = topic.partitions.get(index)
        if partition is not None and partition.is_being_reassigned():
            found.append(index)
        yield
    in_order = yield from sorted_steps(found)
    ongoing = []
    for index in in_order:
        partition = topic.partitions[index]
        ongoing.append(
            _Partition(
                partition_index=index,
                replicas=list(partition.replicas),
                adding_replicas=list(partition.adding_replicas),
                removing_replicas=list(partition.removing_replicas),
            )
        )
        yield
    return ongoing


def _timeout_ms(request: ListPartitionReassignmentsRequest) -> int:
    return request.timeout_ms


API = Api(
    key=ApiKey.LIST_PARTITION_REASSIGNMENTS,
    bounds=KEYS,
    broker=FORWARDED,
    controller=Served(handler=handle_list_reassignments, access=Access(operation=Operation.DESCRIBE)),
    timeout_ms=_timeout_ms,
)
