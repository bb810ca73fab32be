"""ListPartitionReassignments (46), version 0, controller listeners; a broker forwards it (KIP-455).

Any controller answers from its newest committed image, active or not. Topics come in order of their names, partitions
of theirs in order of their indexes; what is not being reassigned is left out, and so are topics and partitions that do
not exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kafkaproto.messages import ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse
from server.apis.context import RequestContext, Services
from server.image.image import ClusterImage, TopicImage

_Topic = ListPartitionReassignmentsResponse.OngoingTopicReassignment
_Partition = ListPartitionReassignmentsResponse.OngoingPartitionReassignment


def handle_list_reassignments(
    request: ListPartitionReassignmentsRequest, context: RequestContext, services: Services
) -> ListPartitionReassignmentsResponse:
    """What is being reassigned, of all topics or of some partitions."""
    topics = []
    for topic, indexes in _asked(services.image(), request):
        partitions = list(_ongoing(topic, indexes))
        if partitions:
            topics.append(_Topic(name=topic.name, partitions=partitions))
    return ListPartitionReassignmentsResponse(error_message=None, topics=topics)


def _asked(
    image: ClusterImage, request: ListPartitionReassignmentsRequest
) -> Iterator[tuple[TopicImage, Iterable[int]]]:
    if not image.partition_counts.reassigned:
        # The usual answer, and clients ask often: no need to go through all partitions.
        return
    if request.topics is None:
        for topic in image.topics_in_order():
            yield topic, topic.partitions
        return
    indexes: dict[str, set[int]] = {}
    for asked in request.topics:
        indexes.setdefault(asked.name, set()).update(asked.partition_indexes)
    for name in sorted(indexes):
        named = image.topic_by_name(name)
        if named is not None:
            yield named, indexes[name] & {*named.partitions}


def _ongoing(topic: TopicImage, indexes: Iterable[int]) -> Iterator[_Partition]:
    for index in sorted(index for index in indexes if topic.partitions[index].is_being_reassigned()):
        partition = topic.partitions[index]
        yield _Partition(
            partition_index=index,
            replicas=list(partition.replicas),
            adding_replicas=list(partition.adding_replicas),
            removing_replicas=list(partition.removing_replicas),
        )
