"""OffsetFetch (9), versions 1-10, broker listeners.

The committed offsets of groups. Up to version 7 a request names one group, from 8 on many, each once (KIP-709). From
version 2 on it may ask for all partitions of a group, from 7 on for stable offsets only (KIP-447), from 9 on the sender
may be a member of a consumer group, and from 10 on topics are named by ids. Version 1 has no error for the whole group:
each partition has it. The sender needs DESCRIBE on each group and each topic; of all partitions of a group it sees
those whose topics it may see, and in version 10 those whose topics exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import msgspec

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import OffsetFetchRequest, OffsetFetchResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import ITEMS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Deferred, Gather, Steps
from kafkaproto_server.base.types import ZERO_UUID
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.offset_requests import (
    INVALID_OFFSET,
    FetchedPartition,
    FetchedTopic,
    OffsetReader,
    OffsetsFetched,
    OffsetsGoneError,
    TopicPartitions,
)
from kafkaproto_server.requests.refusals import Refusal

AT_ONCE = 2_000
"""How many offsets are looked up in one turn of the loop."""
_FIRST_WITH_GROUP_ERROR = 2
_FIRST_WITH_MANY = 8
_FIRST_WITH_IDS = 10

Group = OffsetFetchResponse.Group
Topics = OffsetFetchResponse.Topics
Partitions = OffsetFetchResponse.Partitions
OldTopic = OffsetFetchResponse.Topic
OldPartition = OffsetFetchResponse.Partition


class _AskedGroup(msgspec.Struct, frozen=True):
    """A group of the request, whatever the version."""

    group_id: str
    reader: OffsetReader
    topics: Sequence[TopicPartitions] | None
    """With empty names for unknown ids."""


class _FoundOffsets(msgspec.Struct):
    """What the response says of a group, before it is put in the form of the version."""

    code: ErrorCode = ErrorCode.NONE
    topics: list[FetchedTopic] = msgspec.field(default_factory=list)
    every: Iterable[FetchedTopic] = ()
    """Instead, if all offsets of the group were asked for: see `OffsetsFetched`."""


def handle_offset_fetch(
    request: OffsetFetchRequest, context: RequestContext, services: Services
) -> Steps[Deferred[Any]]:
    """Fetch the offsets of each group."""
    reply: Deferred[Any] = Deferred()
    asked = yield from _asked(request, context, services)
    found: list[_FoundOffsets] = []
    gather = Gather(lambda: reply.resolve(_response(asked, found, context, services)))

    def done(into: _FoundOffsets, code: ErrorCode, topics: Iterable[FetchedTopic]) -> None:
        into.code = code if code is not ErrorCode.NONE else into.code
        if isinstance(topics, Sequence):
            into.topics += topics
        else:
            into.every = topics
        gather.came()

    seen: set[str] = set()
    for group in asked:
        into = _FoundOffsets()
        found.append(into)
        yield
        if group.group_id in seen:
            # All offsets of one group, asked for ten thousand times, would not fit into memory.
            into.code = ErrorCode.INVALID_REQUEST
            continue
        seen.add(group.group_id)
        if not is_allowed(context, services, Operation.DESCRIBE, ResourceType.GROUP, group.group_id):
            into.code = ErrorCode.GROUP_AUTHORIZATION_FAILED
            continue
        if group.topics is None:
            gather.asked()
            _fetch(group, None, services, partial(done, into))
            continue
        allowed: list[TopicPartitions] = []
        for topic in group.topics:
            code = _refusal(topic, context, services)
            if code is ErrorCode.NONE:
                allowed.append(topic)
            else:
                into.topics.append(_failed(topic, code))
            yield
        for part in _parts(allowed):
            gather.asked()
            _fetch(group, part, services, partial(done, into))
            yield
    gather.all_asked()
    return reply


def _fetch(
    group: _AskedGroup, topics: Sequence[TopicPartitions] | None, services: Services, fetched: OffsetsFetched
) -> None:
    try:
        shard = services.groups.of(group.group_id)
    except CoordinatorError as error:
        fetched(error.code, ())
    else:
        shard.fetch(group.group_id, group.reader, topics, fetched)


def _asked(
    request: OffsetFetchRequest, context: RequestContext, services: Services
) -> Steps[list[_AskedGroup]]:
    if context.api_version < _FIRST_WITH_MANY:
        named: list[TopicPartitions] | None = None if request.topics is None else []
        for old in request.topics or ():
            assert named is not None, "there are topics"
            named.append(TopicPartitions(topic=old.name, partitions=tuple(old.partition_indexes)))
            yield
        return [_AskedGroup(request.group_id, OffsetReader(require_stable=request.require_stable), named)]
    image = services.metadata.image()
    by_id = context.api_version >= _FIRST_WITH_IDS
    found = []
    for group in request.groups:
        reader = OffsetReader(
            member_id=group.member_id, member_epoch=group.member_epoch, require_stable=request.require_stable
        )
        named = None if group.topics is None else []
        for each in group.topics or ():
            assert named is not None, "there are topics"
            known = image.topics.get(each.topic_id) if by_id else None
            name = each.name if not by_id else "" if known is None else known.name
            named.append(
                TopicPartitions(topic=name, topic_id=each.topic_id, partitions=tuple(each.partition_indexes))
            )
            yield
        found.append(_AskedGroup(group.group_id, reader, named))
        yield
    return found


def _refusal(topic: TopicPartitions, context: RequestContext, services: Services) -> ErrorCode:
    if context.api_version >= _FIRST_WITH_IDS and not topic.topic:
        return ErrorCode.UNKNOWN_TOPIC_ID
    if not is_allowed(context, services, Operation.DESCRIBE, ResourceType.TOPIC, topic.topic):
        return ErrorCode.TOPIC_AUTHORIZATION_FAILED
    return ErrorCode.NONE


def _failed(topic: TopicPartitions, code: ErrorCode) -> FetchedTopic:
    return FetchedTopic(
        topic=topic.topic,
        topic_id=topic.topic_id,
        partitions=tuple(FetchedPartition(partition=each, code=code) for each in topic.partitions),
    )


def _parts(topics: Sequence[TopicPartitions]) -> Iterator[list[TopicPartitions]]:
    """The same topics in lists of at most `AT_ONCE` partitions; one list, even if there is no topic."""
    part: list[TopicPartitions] = []
    room = AT_ONCE
    for topic in topics:
        for first in range(0, max(1, len(topic.partitions)), AT_ONCE):
            some = topic.partitions[first : first + AT_ONCE]
            # A topic without partitions takes its time, too.
            cost = max(1, len(some))
            if cost > room:
                yield part
                part, room = [], AT_ONCE
            part.append(msgspec.structs.replace(topic, partitions=some))
            room -= cost
    yield part


def _response(
    asked: Sequence[_AskedGroup], found: Sequence[_FoundOffsets], context: RequestContext, services: Services
) -> Steps[OffsetFetchResponse]:
    response = OffsetFetchResponse()
    for group, each in zip(asked, found, strict=True):
        if each.code is not ErrorCode.NONE:
            each.topics = []
        if context.api_version >= _FIRST_WITH_MANY:
            result = Group(group_id=group.group_id, error_code=each.code)
            response.groups.append(result)
            yield from _add(each.topics, result.topics, Topics, Partitions)
            if group.topics is None and each.code is ErrorCode.NONE:
                visible = _visible(each.every, context, services)
                try:
                    yield from _add(visible, result.topics, Topics, Partitions, in_parts=True)
                except OffsetsGoneError:
                    result.error_code, result.topics = ErrorCode.NOT_COORDINATOR, []
        else:
            if each.code is not ErrorCode.NONE and context.api_version < _FIRST_WITH_GROUP_ERROR:
                each.topics = [_failed(topic, each.code) for topic in group.topics or ()]
            response.error_code = each.code
            yield from _add(each.topics, response.topics, OldTopic, OldPartition)
            if group.topics is None and each.code is ErrorCode.NONE:
                visible = _visible(each.every, context, services)
                try:
                    yield from _add(visible, response.topics, OldTopic, OldPartition, in_parts=True)
                except OffsetsGoneError:
                    # There is no version 1 of it: all offsets can be asked for from version 2 on.
                    response.error_code, response.topics = ErrorCode.NOT_COORDINATOR, []
        yield
    return response


def _visible(
    topics: Iterable[FetchedTopic], context: RequestContext, services: Services
) -> Iterator[FetchedTopic | None]:
    """Of all topics of a group, those that the sender sees; None for each other one."""
    for topic in topics:
        ids = services.metadata.image().topic_ids
        if not is_allowed(context, services, Operation.DESCRIBE, ResourceType.TOPIC, topic.topic):
            yield None
        elif context.api_version < _FIRST_WITH_IDS:
            yield topic
        # A topic that is deleted meanwhile has no id by which this version could name it.
        elif (topic_id := ids.get(topic.topic, ZERO_UUID)) == ZERO_UUID:
            yield None
        else:
            yield msgspec.structs.replace(topic, topic_id=topic_id)


def _add(
    topics: Iterable[FetchedTopic | None],
    into: list[Any],
    topic_class: type[Topics] | type[OldTopic],
    partition_class: type[Partitions] | type[OldPartition],
    *,
    in_parts: bool = False,
) -> Steps[None]:
    """Add topics to the response. ``in_parts``: a topic may come several times in a row, and is there once."""
    of_topic: Any = None
    for topic in topics:
        yield
        if topic is None:
            continue
        if not in_parts or of_topic is None or of_topic.name != topic.topic:
            of_topic = topic_class(name=topic.topic)
            if isinstance(of_topic, Topics):
                of_topic.topic_id = topic.topic_id
            into.append(of_topic)
        for each in topic.partitions:
            of_topic.partitions.append(
                partition_class(
                    partition_index=each.partition,
                    committed_offset=each.committed_offset,
                    committed_leader_epoch=each.committed_leader_epoch,
                    metadata=each.metadata,
                    error_code=each.code,
                )
            )
            yield


def refuse(request: OffsetFetchRequest, refusal: Refusal) -> Steps[OffsetFetchResponse]:
    """The error for each group; in version 1 for each partition."""
    response = OffsetFetchResponse()
    if refusal.version >= _FIRST_WITH_MANY:
        for group in request.groups:
            response.groups.append(Group(group_id=group.group_id, error_code=refusal.code))
            yield
        return response
    response.error_code = refusal.code
    if refusal.version < _FIRST_WITH_GROUP_ERROR:
        for topic in request.topics or ():
            refused = OldTopic(name=topic.name)
            response.topics.append(refused)
            for index in topic.partition_indexes:
                refused.partitions.append(
                    OldPartition(
                        partition_index=index,
                        committed_offset=INVALID_OFFSET,
                        metadata="",
                        error_code=refusal.code,
                    )
                )
                yield
    return response


API = Api(
    key=ApiKey.OFFSET_FETCH,
    bounds=ITEMS,
    broker=Served(handler=handle_offset_fetch, access=of_items(Operation.DESCRIBE, ResourceType.GROUP)),
    refuse=refuse,
)
