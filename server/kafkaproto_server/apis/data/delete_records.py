"""DeleteRecords (21), versions 0-2, broker listeners.

The leader of a partition deletes all records before an offset, or those below its high watermark (-1), and responds
when the replicas of all live brokers have done so: with the low watermark, their lowest log start. If the request's
time is over before, the error is REQUEST_TIMED_OUT, though the leader's records are gone. Topics without ``delete`` in
``cleanup.policy`` refuse it (POLICY_VIOLATION), and so do internal ones (INVALID_TOPIC_EXCEPTION).

A partition that is named twice gets one response, for the offset that is named last.
"""

from __future__ import annotations

from functools import partial

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DeleteRecordsRequest, DeleteRecordsResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import INDEXES
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Deferred, Gather, Steps
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.metadata.topic_names import INTERNAL_TOPICS
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.data import NO_OFFSET, DeletionItem, DeletionResult
from kafkaproto_server.requests.refusals import Refusal

Topic = DeleteRecordsResponse.DeleteRecordsTopicResult
Partition = DeleteRecordsResponse.DeleteRecordsPartitionResult


def handle_delete_records(
    request: DeleteRecordsRequest, context: RequestContext, services: Services
) -> Steps[Deferred[DeleteRecordsResponse]]:
    """Delete the records, a partition a step: a client whose connection ends may send the request again."""
    reply: Deferred[DeleteRecordsResponse] = Deferred()
    image = services.metadata.image()
    response = DeleteRecordsResponse()
    answered: dict[str, Topic] = {}
    places: dict[tuple[str, int], Partition] = {}
    items: dict[tuple[str, int], DeletionItem] = {}
    for topic in request.topics:
        may = is_allowed(context, services, Operation.DELETE, ResourceType.TOPIC, topic.name)
        for each in topic.partitions:
            key = (topic.name, each.partition_index)
            if key not in places:
                if topic.name not in answered:
                    answered[topic.name] = Topic(name=topic.name)
                    response.topics.append(answered[topic.name])
                code = _refusal(image, *key, may=may)
                places[key] = _partition(each.partition_index, code)
                answered[topic.name].partitions.append(places[key])
            if not places[key].error_code:
                items[key] = DeletionItem(
                    topic_id=image.topic_ids[topic.name], index=each.partition_index, offset=each.offset
                )
            yield
        yield

    gather = Gather(lambda: reply.resolve(response))

    def done(place: Partition, result: DeletionResult) -> None:
        place.error_code = result.code
        place.low_watermark = result.low_watermark
        gather.came()

    for key, item in items.items():
        gather.asked()
        services.replicas.delete_records(item, request.timeout_ms, partial(done, places[key]))
        yield
    gather.all_asked()
    return reply


def _refusal(image: ClusterImage, name: str, index: int, *, may: bool) -> ErrorCode:
    if not may:
        return ErrorCode.TOPIC_AUTHORIZATION_FAILED
    topic_id = image.topic_ids.get(name)
    if topic_id is None or index not in image.topics[topic_id].partitions:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    # Last, because in Apache Kafka the replica manager says it.
    return ErrorCode.INVALID_TOPIC_EXCEPTION if name in INTERNAL_TOPICS else ErrorCode.NONE


def _partition(index: int, code: ErrorCode) -> Partition:
    return Partition(partition_index=index, low_watermark=NO_OFFSET, error_code=code)


def refuse(request: DeleteRecordsRequest, refusal: Refusal) -> Steps[DeleteRecordsResponse]:
    """The error for each partition."""
    response = DeleteRecordsResponse()
    for topic in request.topics:
        refused = Topic(name=topic.name)
        response.topics.append(refused)
        for each in topic.partitions:
            refused.partitions.append(_partition(each.partition_index, refusal.code))
            yield
    return response


API = Api(
    key=ApiKey.DELETE_RECORDS,
    bounds=INDEXES,
    broker=Served(handler=handle_delete_records, access=of_items(Operation.DELETE, ResourceType.TOPIC)),
    refuse=refuse,
    timeout_ms=lambda request: request.timeout_ms,
)
