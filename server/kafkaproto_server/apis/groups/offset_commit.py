"""OffsetCommit (8), versions 2-10, broker listeners.

A group's offsets are kept: those of a member, or of somebody who only keeps offsets in the group. Versions 2-4 say how
long. From version 6 on an offset has the leader epoch of the last record before it, from 7 on the sender may be static,
from 9 on a member of a consumer group (KIP-848), and from 10 on topics are named by ids. The sender needs READ on
the group and on each topic; topics and partitions have to exist.

One batch of records has at most `AT_ONCE` partitions; of a larger request, part may be committed if another part fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import OffsetCommitRequest, OffsetCommitResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import ITEMS
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.offset_requests import NO_RETENTION_TIME, Committer, OffsetCommitPartition
from kafkaproto_server.requests.ports import Services
from kafkaproto_server.requests.refusals import Refusal
from kafkaproto_server.security.acls import Operation, ResourceType
from kafkaproto_server.types import Deferred, Steps

AT_ONCE = 2_000
"""How many offsets are committed in one turn of the loop."""
_FIRST_WITH_IDS = 10
_LAST_WITH_RETENTION = 4

Topic = OffsetCommitResponse.Topic
Partition = OffsetCommitResponse.Partition


def handle_offset_commit(
    request: OffsetCommitRequest, context: RequestContext, services: Services
) -> Steps[OffsetCommitResponse | Deferred[OffsetCommitResponse]]:
    """Commit the offsets, a partition a step, and then some thousand a step."""
    if not is_allowed(context, services, Operation.READ, ResourceType.GROUP, request.group_id):
        code = ErrorCode.GROUP_AUTHORIZATION_FAILED
        return refuse(request, Refusal(code=code, message=None, version=context.api_version))
    return _commit(request, context, services)


def _commit(
    request: OffsetCommitRequest, context: RequestContext, services: Services
) -> Steps[OffsetCommitResponse | Deferred[OffsetCommitResponse]]:
    response, accepted, places = yield from _check_topics(request, context, services)
    committer = Committer(
        member_id=request.member_id,
        group_instance_id=request.group_instance_id,
        generation=request.generation_id_or_member_epoch,
        version=context.api_version,
    )
    has_retention = context.api_version <= _LAST_WITH_RETENTION
    retention_ms = request.retention_time_ms if has_retention else NO_RETENTION_TIME
    reply: Deferred[OffsetCommitResponse] = Deferred()
    # One more is missing until all are handed over.
    missing = 1

    def part_done(first: int, code: ErrorCode, results: Sequence[ErrorCode]) -> None:
        nonlocal missing
        for number, place in enumerate(places[first : first + AT_ONCE]):
            place.error_code = results[number] if code is ErrorCode.NONE else code
        done()

    def done() -> None:
        nonlocal missing
        missing -= 1
        if not missing:
            reply.resolve(response)

    for first in range(0, len(accepted), AT_ONCE):
        missing += 1
        services.groups.commit_offsets(
            request.group_id,
            committer,
            accepted[first : first + AT_ONCE],
            retention_ms,
            partial(part_done, first),
        )
        yield
    done()
    return reply


def _check_topics(
    request: OffsetCommitRequest, context: RequestContext, services: Services
) -> Steps[tuple[OffsetCommitResponse, list[OffsetCommitPartition], list[Partition]]]:
    """The response with all that is refused here, what is to be committed, and where its results belong."""
    image = services.metadata.image()
    response = OffsetCommitResponse()
    accepted: list[OffsetCommitPartition] = []
    places: list[Partition] = []
    for topic in request.topics:
        by_id = context.api_version >= _FIRST_WITH_IDS
        known = image.topics.get(topic.topic_id) if by_id else image.topic_by_name(topic.name)
        name = topic.name if not by_id else "" if known is None else known.name
        code = ErrorCode.NONE
        if by_id and known is None:
            code = ErrorCode.UNKNOWN_TOPIC_ID
        elif not is_allowed(context, services, Operation.READ, ResourceType.TOPIC, name):
            code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        result = Topic(name=name, topic_id=topic.topic_id)
        response.topics.append(result)
        for each in topic.partitions:
            place = Partition(partition_index=each.partition_index, error_code=code)
            result.partitions.append(place)
            if code is not ErrorCode.NONE:
                pass
            elif known is None or each.partition_index not in known.partitions:
                place.error_code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            else:
                places.append(place)
                accepted.append(
                    OffsetCommitPartition(
                        topic=name,
                        topic_id=known.topic_id,
                        partition=each.partition_index,
                        committed_offset=each.committed_offset,
                        committed_leader_epoch=each.committed_leader_epoch,
                        committed_metadata=each.committed_metadata,
                    )
                )
            yield
        yield
    return response, accepted, places


def refuse(request: OffsetCommitRequest, refusal: Refusal) -> Steps[OffsetCommitResponse]:
    """The error for each partition."""
    response = OffsetCommitResponse()
    for topic in request.topics:
        refused = Topic(name=topic.name, topic_id=topic.topic_id)
        response.topics.append(refused)
        for each in topic.partitions:
            refused.partitions.append(
                Partition(partition_index=each.partition_index, error_code=refusal.code)
            )
            yield
        yield
    return response


API = Api(
    key=ApiKey.OFFSET_COMMIT,
    bounds=ITEMS,
    broker=Served(handler=handle_offset_commit, access=of_items(Operation.READ, ResourceType.GROUP)),
    refuse=refuse,
)
