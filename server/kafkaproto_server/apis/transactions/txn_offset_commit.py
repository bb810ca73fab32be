"""TxnOffsetCommit (28), versions 0-6, broker listeners.

Offsets of a group that are committed with a producer's transaction, or not at all if it aborts. Up to version 4 the
client has added the group to the transaction (AddOffsetsToTxn), and this broker asks the coordinator of the transaction
whether that is so; from version 5 on this broker has it added (KIP-890). From version 3 on the sender may be a member
of the group, which is checked, and from version 6 on topics are named by ids. The sender needs WRITE on the
transactional id, READ on the group and on each topic; topics and partitions have to exist.

One batch of records has at most `AT_ONCE` partitions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import TxnOffsetCommitRequest, TxnOffsetCommitResponse
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
from kafkaproto_server.requests.offset_requests import Committer, OffsetCommitPartition, ProducerKey, Results
from kafkaproto_server.requests.refusals import Refusal
from kafkaproto_server.requests.transaction_requests import AsksCoordinator, Producer

_FIRST_WITH_ABORTABLE = 4
_FIRST_THAT_ADDS = 5
_FIRST_WITH_IDS = 6

Reply = Deferred[TxnOffsetCommitResponse]


def handle_txn_offset_commit(
    request: TxnOffsetCommitRequest, context: RequestContext, services: Services
) -> Steps[TxnOffsetCommitResponse | Reply]:
    """Commit the offsets, a partition a step, and then some thousand at once."""
    transactional_id, code = request.transactional_id, ErrorCode.NONE
    if not is_allowed(context, services, Operation.WRITE, ResourceType.TRANSACTIONAL_ID, transactional_id):
        code = ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    elif not is_allowed(context, services, Operation.READ, ResourceType.GROUP, request.group_id):
        code = ErrorCode.GROUP_AUTHORIZATION_FAILED
    if code is not ErrorCode.NONE:
        return refuse(request, Refusal(code=code, message=None, version=context.api_version))
    return _commit(request, context, services)


def _commit(
    request: TxnOffsetCommitRequest, context: RequestContext, services: Services
) -> Steps[TxnOffsetCommitResponse | Reply]:
    response = TxnOffsetCommitResponse()
    by_id = context.api_version >= _FIRST_WITH_IDS
    accepted, places = yield from check_topics(request, response, context, services, by_id=by_id)
    if not accepted:
        return response
    reply: Reply = Deferred()
    gather = Gather(lambda: reply.resolve(response))

    def part_done(first: int, code: ErrorCode, results: Sequence[ErrorCode]) -> None:
        for number, place in enumerate(places[first : first + AT_ONCE]):
            place.error_code = results[number] if code is ErrorCode.NONE else code
        gather.came()

    def verified(code: ErrorCode) -> None:
        for first in range(0, len(accepted), AT_ONCE):
            gather.asked()
            if code is ErrorCode.NONE:
                _commit_some(
                    request, context, services, accepted[first : first + AT_ONCE], partial(part_done, first)
                )
            else:
                part_done(first, code, ())
        gather.all_asked()

    producer = Producer(request.transactional_id, request.producer_id, request.producer_epoch)
    asks = AsksCoordinator(
        adds=context.api_version >= _FIRST_THAT_ADDS,
        knows_abortable=context.api_version >= _FIRST_WITH_ABORTABLE,
    )
    if request.group_id:
        services.transactions.verify_offsets(request.group_id, producer, asks, verified)
    else:
        verified(ErrorCode.INVALID_GROUP_ID)
    return reply


def _commit_some(
    request: TxnOffsetCommitRequest,
    context: RequestContext,
    services: Services,
    partitions: Sequence[OffsetCommitPartition],
    done: Results,
) -> None:
    committer = Committer(
        member_id=request.member_id,
        group_instance_id=request.group_instance_id,
        generation=request.generation_id_or_member_epoch,
        version=context.api_version,
    )
    key = ProducerKey(producer_id=request.producer_id, producer_epoch=request.producer_epoch)
    try:
        shard = services.groups.of(request.group_id)
    except CoordinatorError as error:
        done(error.code, ())
    else:
        shard.commit_in_transaction(request.group_id, committer, partitions, key, done)


def refuse(request: TxnOffsetCommitRequest, refusal: Refusal) -> Steps[TxnOffsetCommitResponse]:
    """The error for each partition."""
    response = TxnOffsetCommitResponse()
    yield from refuse_topics(request, response, refusal.code)
    return response


API = Api(
    key=ApiKey.TXN_OFFSET_COMMIT,
    bounds=ITEMS,
    broker=Served(
        handler=handle_txn_offset_commit, access=of_items(Operation.WRITE, ResourceType.TRANSACTIONAL_ID)
    ),
    refuse=refuse,
)
