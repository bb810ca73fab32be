"""DescribeShareGroupOffsets (90), versions 0-1, broker listeners.

From which offset on share groups (KIP-932) have records that are not done with, for the partitions that the request
names, or for all that the group has begun with. From version 1 on also how many these are (KIP-1226). A partition of
which nothing is known has the offset -1, and no error; so has each of a group that does not exist. A group that is
named twice is described once. The sender needs DESCRIBE on each group and topic; among all partitions of a group it
sees those that it may see. Nobody is served without the feature share.version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeShareGroupOffsetsRequest, DescribeShareGroupOffsetsResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import HEARTBEATS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Deferred, Gather, Steps
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.refusals import Refusal
from kafkaproto_server.requests.share_group_requests import ShareOffsetsOfTopic

Response = DescribeShareGroupOffsetsResponse
Group = DescribeShareGroupOffsetsResponse.Group
Topic = DescribeShareGroupOffsetsResponse.Topic
Partition = DescribeShareGroupOffsetsResponse.Partition

UNKNOWN_OFFSET = -1


class _FoundShareOffsets(msgspec.Struct):
    """A group of the response, and what was found of it."""

    group: Group
    is_all: bool
    topics: Sequence[ShareOffsetsOfTopic] = ()
    refused: list[Topic] = msgspec.field(default_factory=list)


def handle_describe_share_group_offsets(
    request: DescribeShareGroupOffsetsRequest, context: RequestContext, services: Services
) -> Steps[Deferred[Any]]:
    """Describe the offsets of each group."""
    reply: Deferred[Any] = Deferred()
    found: list[_FoundShareOffsets] = []
    gather = Gather(lambda: reply.resolve(_response(found, context, services)))

    def done(into: _FoundShareOffsets, code: ErrorCode, topics: Sequence[ShareOffsetsOfTopic]) -> None:
        into.topics = topics
        if code is not ErrorCode.NONE:
            into.group.error_code, into.group.error_message = code, code.message
        gather.came()

    seen: set[str] = set()
    for asked in request.groups:
        yield
        if asked.group_id in seen:
            continue
        seen.add(asked.group_id)
        into = _FoundShareOffsets(Group(group_id=asked.group_id), asked.topics is None)
        found.append(into)
        if not services.groups.serves_share_groups():
            into.group.error_code = ErrorCode.UNSUPPORTED_VERSION
        elif not is_allowed(context, services, Operation.DESCRIBE, ResourceType.GROUP, asked.group_id):
            into.group.error_code = ErrorCode.GROUP_AUTHORIZATION_FAILED
        else:
            named = (
                None if asked.topics is None else (yield from _named(asked.topics, into, context, services))
            )
            if named is None or named:
                gather.asked()
                services.groups.describe_share_offsets(asked.group_id, named, partial(done, into))
    gather.all_asked()
    return reply


def _named(
    topics: Sequence[DescribeShareGroupOffsetsRequest.Topic],
    into: _FoundShareOffsets,
    context: RequestContext,
    services: Services,
) -> Steps[Mapping[str, Sequence[int]]]:
    """The partitions that the sender may see, by topic."""
    named: dict[str, list[int]] = {}
    for topic in topics:
        if is_allowed(context, services, Operation.DESCRIBE, ResourceType.TOPIC, topic.topic_name):
            named.setdefault(topic.topic_name, []).extend(topic.partitions)
        else:
            into.refused.append(_refused(topic.topic_name, topic.partitions))
        yield
    return named


def _refused(name: str, indexes: Sequence[int]) -> Topic:
    code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    return Topic(
        topic_name=name,
        partitions=[
            Partition(
                partition_index=index,
                start_offset=UNKNOWN_OFFSET,
                error_code=code,
                error_message=code.message,
            )
            for index in indexes
        ],
    )


def _response(
    found: Sequence[_FoundShareOffsets], context: RequestContext, services: Services
) -> Steps[Response]:
    response = Response()
    for each in found:
        response.groups.append(each.group)
        for topic in each.topics:
            yield
            if not each.is_all or is_allowed(
                context, services, Operation.DESCRIBE, ResourceType.TOPIC, topic.topic
            ):
                each.group.topics.append((yield from _topic(topic)))
        each.group.topics += each.refused
        yield
    return response


def _topic(topic: ShareOffsetsOfTopic) -> Steps[Topic]:
    result = Topic(topic_name=topic.topic, topic_id=topic.topic_id)
    for each in topic.partitions:
        result.partitions.append(
            Partition(
                partition_index=each.partition,
                start_offset=each.start_offset,
                leader_epoch=each.leader_epoch,
                lag=each.lag,
                error_code=each.code,
                error_message=each.message,
            )
        )
        yield
    return result


def refuse(request: DescribeShareGroupOffsetsRequest, refusal: Refusal) -> Steps[Response]:
    """The error for each group."""
    response = Response()
    for group in request.groups:
        response.groups.append(
            Group(group_id=group.group_id, error_code=refusal.code, error_message=refusal.message)
        )
        yield
    return response


API = Api(
    key=ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS,
    bounds=HEARTBEATS,
    broker=Served(
        handler=handle_describe_share_group_offsets,
        access=of_items(Operation.DESCRIBE, ResourceType.GROUP),
    ),
    refuse=refuse,
)
