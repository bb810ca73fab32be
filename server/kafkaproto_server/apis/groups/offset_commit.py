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
from kafkaproto_server.apis.offset_commits import AT_ONCE, check_topics, refuse_topics
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Deferred, Gather, Steps
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.offset_requests import NO_RETENTION_TIME, Committer
from kafkaproto_server.requests.refusals import Refusal

_FIRST_WITH_IDS = 10
_LAST_WITH_RETENTION = 4


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
    response = OffsetCommitResponse()
    by_id = context.api_version >= _FIRST_WITH_IDS
    accepted, places = yield from check_topics(request, response, context, services, by_id=by_id)
    committer = Committer(
        member_id=request.member_id,
        group_instance_id=request.group_instance_id,
        generation=request.generation_id_or_member_epoch,
        version=context.api_version,
    )
    has_retention = context.api_version <= _LAST_WITH_RETENTION
    retention_ms = request.retention_time_ms if has_retention else NO_RETENTION_TIME
    reply: Deferred[OffsetCommitResponse] = Deferred()
    gather = Gather(lambda: reply.resolve(response))

    def part_done(first: int, code: ErrorCode, results: Sequence[ErrorCode]) -> None:
        for number, place in enumerate(places[first : first + AT_ONCE]):
            place.error_code = results[number] if code is ErrorCode.NONE else code
        gather.came()

    for first in range(0, len(accepted), AT_ONCE):
        gather.asked()
        some, done = accepted[first : first + AT_ONCE], partial(part_done, first)
        try:
            shard = services.groups.of(request.group_id)
        except CoordinatorError as error:
            done(error.code, ())
        else:
            shard.commit(request.group_id, committer, some, retention_ms, done)
        yield
    gather.all_asked()
    return reply


def refuse(request: OffsetCommitRequest, refusal: Refusal) -> Steps[OffsetCommitResponse]:
    """The error for each partition."""
    response = OffsetCommitResponse()
    yield from refuse_topics(request, response, refusal.code)
    return response


API = Api(
    key=ApiKey.OFFSET_COMMIT,
    bounds=ITEMS,
    broker=Served(handler=handle_offset_commit, access=of_items(Operation.READ, ResourceType.GROUP)),
    refuse=refuse,
)
