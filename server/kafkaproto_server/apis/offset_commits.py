"""What OffsetCommit and TxnOffsetCommit have in common: topics and partitions by name or id, and the errors of those
that are not committed."""

from __future__ import annotations

from typing import Any, NamedTuple

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    OffsetCommitRequest,
    OffsetCommitResponse,
    TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
)
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.offset_requests import OffsetCommitPartition

AT_ONCE = 2_000
"""How many offsets are committed in one turn of the loop."""

Request = OffsetCommitRequest | TxnOffsetCommitRequest
Place = OffsetCommitResponse.Partition | TxnOffsetCommitResponse.Partition


class Checked(NamedTuple):
    """What is to be committed, and where the result of each belongs in the response."""

    partitions: list[OffsetCommitPartition]
    places: list[Place]


def check_topics(
    request: Request, response: Any, context: RequestContext, services: Services, *, by_id: bool
) -> Steps[Checked]:
    """Fill a response (of the request's api) with all partitions, those with an error that are refused here. ``by_id``:
    topics are named by ids. The sender needs READ on each topic."""
    image = services.metadata.image()
    checked = Checked([], [])
    for topic in request.topics:
        known = image.topics.get(topic.topic_id) if by_id else image.topic_by_name(topic.name)
        name = topic.name if not by_id else "" if known is None else known.name
        code = ErrorCode.NONE
        # Before rights: without the topic there is no name on which the sender could have one.
        if by_id and known is None:
            code = ErrorCode.UNKNOWN_TOPIC_ID
        elif not is_allowed(context, services, Operation.READ, ResourceType.TOPIC, name):
            code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        result = response.Topic(name=name, topic_id=topic.topic_id)
        response.topics.append(result)
        for each in topic.partitions:
            place = response.Partition(partition_index=each.partition_index, error_code=code)
            result.partitions.append(place)
            if code is ErrorCode.NONE and (known is None or each.partition_index not in known.partitions):
                place.error_code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            elif code is ErrorCode.NONE and known is not None:
                checked.places.append(place)
                checked.partitions.append(
                    OffsetCommitPartition(
                        topic=name,
                        # Also if the request has the name only: the offsets are not those of a later topic.
                        topic_id=known.topic_id,
                        partition=each.partition_index,
                        committed_offset=each.committed_offset,
                        committed_leader_epoch=each.committed_leader_epoch,
                        committed_metadata=each.committed_metadata,
                    )
                )
            yield
        yield
    return checked


def refuse_topics(request: Request, response: Any, code: int) -> Steps[None]:
    """Fill a response with the error for each partition."""
    for topic in request.topics:
        refused = response.Topic(name=topic.name, topic_id=topic.topic_id)
        response.topics.append(refused)
        for each in topic.partitions:
            refused.partitions.append(
                response.Partition(partition_index=each.partition_index, error_code=code)
            )
            yield
        yield
