"""OffsetForLeaderEpoch (23), versions 2-4, broker listeners.

The leader of a partition responds with the end of a leader epoch in its log (KIP-101): the newest epoch that is not
above the one asked for, and the offset behind that epoch's last record. Consumers compare it with what they have read,
to notice a log that was cut (KIP-320); brokers of Kafka 2.6 and older ask as followers. For an epoch that the leader
does not know yet, and for the epoch -1, both are -1.

Who may do CLUSTER_ACTION on the cluster may ask for everything; anybody else needs DESCRIBE on each topic, and the
topics that are refused stand last. The replica id (version 3) means nothing: only leaders respond, to whomever.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import INDEXES
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.data import EpochQuery
from kafkaproto_server.requests.refusals import Refusal

Topic = OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult
Partition = OffsetForLeaderEpochResponse.EpochEndOffset


def handle_offset_for_leader_epoch(
    request: OffsetForLeaderEpochRequest, context: RequestContext, services: Services
) -> Steps[OffsetForLeaderEpochResponse]:
    may_all = is_allowed(context, services, Operation.CLUSTER_ACTION)
    found: list[Topic] = []
    refused: list[Topic] = []
    for topic in request.topics:
        may = may_all or is_allowed(context, services, Operation.DESCRIBE, ResourceType.TOPIC, topic.topic)
        answered = Topic(topic=topic.topic)
        (found if may else refused).append(answered)
        for each in topic.partitions:
            place = Partition(partition=each.partition)
            answered.partitions.append(place)
            if may:
                _fill(place, topic.topic, each, services)
            else:
                place.error_code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
            yield
        yield
    return OffsetForLeaderEpochResponse(topics=[*found, *refused])


def _fill(
    place: Partition,
    topic: str,
    asked: OffsetForLeaderEpochRequest.OffsetForLeaderPartition,
    services: Services,
) -> None:
    end = services.questions.end_of_epoch(
        EpochQuery(
            topic=topic,
            index=asked.partition,
            current_leader_epoch=asked.current_leader_epoch,
            leader_epoch=asked.leader_epoch,
        )
    )
    place.error_code = end.code
    place.leader_epoch = end.leader_epoch
    place.end_offset = end.end_offset


def refuse(request: OffsetForLeaderEpochRequest, refusal: Refusal) -> Steps[OffsetForLeaderEpochResponse]:
    """The error for each partition."""
    response = OffsetForLeaderEpochResponse()
    for topic in request.topics:
        answered = Topic(topic=topic.topic)
        response.topics.append(answered)
        for each in topic.partitions:
            answered.partitions.append(Partition(partition=each.partition, error_code=refusal.code))
            yield
    return response


API = Api(
    key=ApiKey.OFFSET_FOR_LEADER_EPOCH,
    bounds=INDEXES,
    broker=Served(
        handler=handle_offset_for_leader_epoch, access=of_items(Operation.DESCRIBE, ResourceType.TOPIC)
    ),
    refuse=refuse,
)
