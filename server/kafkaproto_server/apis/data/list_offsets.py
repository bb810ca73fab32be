"""ListOffsets (2), versions 1-11, broker listeners.

The leader of a partition responds with the offset of the first record from a time on, or with a special one: the latest
(-1), the earliest (-2), that of the largest timestamp (-3, from version 7 on, KIP-734), and those of tiered storage
(-4 from version 8 on, -5 from 9, -6 from 11), of which there is none here. Consumers get no offset at or behind the
high watermark, or the last stable offset with read_committed.

A partition that is named twice gets one response, INVALID_REQUEST. So does each partition with an isolation level that
there is not; Apache Kafka has no error of its own for it.

Not done: the replica id -2 of debugging tools, to which Kafka's followers respond too.
"""

from __future__ import annotations

from functools import partial

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ListOffsetsRequest, ListOffsetsResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import INDEXES
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Deferred, Gather, Steps
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.data import OffsetQuery, OffsetResult
from kafkaproto_server.requests.refusals import Refusal
from kafkaproto_server.requests.sender import Sender

_FIRST_VERSION_OF = {-3: 7, -4: 8, -5: 9, -6: 11}
"""The version from which on each special timestamp may be asked for; -1 and -2 may in all."""
_LOWEST_SPECIAL = -6
_FIRST_WITH_LEADER_EPOCH = 4
_FIRST_WITH_OFFSET_NOT_AVAILABLE = 5
_ISOLATION_LEVELS = (0, 1)
_READ_COMMITTED = 1
_CONSUMER = -1
"""Replica id of consumers. Anybody else may see what is not replicated yet."""

Topic = ListOffsetsResponse.ListOffsetsTopicResponse
Partition = ListOffsetsResponse.ListOffsetsPartitionResponse


def handle_list_offsets(
    request: ListOffsetsRequest, context: RequestContext, services: Services
) -> Steps[Deferred[ListOffsetsResponse]]:
    sender = Sender(context.client_host)
    # What was not looked up when the connection ends is left out.
    reply: Deferred[ListOffsetsResponse] = Deferred(abandoned=sender.leave)
    plan = _OffsetsPlan(request, context.api_version, sender)
    for topic in request.topics:
        may = is_allowed(context, services, Operation.DESCRIBE, ResourceType.TOPIC, topic.name)
        yield from plan.add(topic, may=may)
        yield

    def complete() -> None:
        if not sender.is_gone:
            reply.resolve(plan.response)

    gather = Gather(complete)

    def take(place: Partition, result: OffsetResult) -> None:
        _fill(place, result, context.api_version)
        gather.came()

    try:
        for place, query in plan.places.values():
            if query is not None:
                gather.asked()
                services.replicas.find_offset(query, partial(take, place))
            yield
    except GeneratorExit:
        sender.leave()
        raise
    gather.all_asked()
    return reply


class _OffsetsPlan:
    """What is to be asked of the replicas, and where its result belongs in the response."""

    __slots__ = ("_by_name", "_request", "_sender", "_version", "places", "response")

    def __init__(self, request: ListOffsetsRequest, version: int, sender: Sender) -> None:
        self._request = request
        self._sender = sender
        self._version = version
        self._by_name: dict[str, Topic] = {}
        self.response = ListOffsetsResponse()
        self.places: dict[tuple[str, int], tuple[Partition, OffsetQuery | None]] = {}
        """By topic and partition. There is no query for what is refused here."""

    def add(self, topic: ListOffsetsRequest.ListOffsetsTopic, *, may: bool) -> Steps[None]:
        """Add the partitions of one topic; ``may``: the sender may see it."""
        if not topic.partitions:
            return
        answered = self._by_name.get(topic.name)
        if answered is None:
            answered = self._by_name[topic.name] = Topic(name=topic.name)
            self.response.topics.append(answered)
        for each in topic.partitions:
            key = (topic.name, each.partition_index)
            known = self.places.get(key)
            code = self._refusal(each.timestamp, may=may, is_known=known is not None)
            if known is not None:
                place = known[0]
            else:
                place = Partition(partition_index=each.partition_index, timestamp=-1, offset=-1)
                answered.partitions.append(place)
            place.error_code = code
            self.places[key] = (place, None if code else self._query(topic.name, each))
            yield

    def _refusal(self, timestamp: int, *, may: bool, is_known: bool) -> ErrorCode:
        if not may:
            return ErrorCode.TOPIC_AUTHORIZATION_FAILED
        if is_known or self._request.isolation_level not in _ISOLATION_LEVELS:
            return ErrorCode.INVALID_REQUEST
        return ErrorCode.NONE if _may_ask(timestamp, self._version) else ErrorCode.UNSUPPORTED_VERSION

    def _query(self, name: str, partition: ListOffsetsRequest.ListOffsetsPartition) -> OffsetQuery:
        return OffsetQuery(
            topic=name,
            sender=self._sender,
            index=partition.partition_index,
            timestamp=partition.timestamp,
            current_leader_epoch=partition.current_leader_epoch,
            is_from_client=self._request.replica_id == _CONSUMER,
            is_committed_only=self._request.isolation_level == _READ_COMMITTED,
        )


def _fill(place: Partition, result: OffsetResult, version: int) -> None:
    place.error_code = result.code
    # KIP-207: older clients do not know the error. They try again after this one as well.
    if result.code is ErrorCode.OFFSET_NOT_AVAILABLE and version < _FIRST_WITH_OFFSET_NOT_AVAILABLE:
        place.error_code = ErrorCode.LEADER_NOT_AVAILABLE
    place.timestamp = result.timestamp
    place.offset = result.offset
    if version >= _FIRST_WITH_LEADER_EPOCH:
        place.leader_epoch = result.leader_epoch


def _may_ask(timestamp: int, version: int) -> bool:
    if timestamp >= 0:
        return True
    return timestamp >= _LOWEST_SPECIAL and version >= _FIRST_VERSION_OF.get(timestamp, 0)


def refuse(request: ListOffsetsRequest, refusal: Refusal) -> ListOffsetsResponse:
    """The error for each partition."""
    return ListOffsetsResponse(
        topics=[
            Topic(
                name=topic.name,
                partitions=[
                    Partition(
                        partition_index=each.partition_index, error_code=refusal.code, timestamp=-1, offset=-1
                    )
                    for each in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


API = Api(
    key=ApiKey.LIST_OFFSETS,
    bounds=INDEXES,
    broker=Served(handler=handle_list_offsets, access=of_items(Operation.DESCRIBE, ResourceType.TOPIC)),
    refuse=refuse,
    timeout_ms=lambda request: request.timeout_ms,
)
