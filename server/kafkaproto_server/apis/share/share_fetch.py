"""ShareFetch (78), versions 1-2, broker listeners.

A member of a share group acquires records of partitions that this broker leads, and may acknowledge others with the
same request (KIP-932). The request waits until there are records, at most MaxWaitMs. Epoch 0 begins a session, -1
ends it.

The sender needs READ on the group and on each topic. Version 2 has a mode in which no more than MaxRecords are
acquired (ShareAcquireMode, KIP-1206), and renews locks with IsRenewAck (KIP-1222); such a request fetches nothing and
has to say so.

A response over the sender's quota leaves at once, without records and with the time to wait (KIP-219). Other than in
Apache Kafka, its records are not acquired then.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import cast

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ShareFetchRequest, ShareFetchResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import SHARE_FETCHES
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.apis.share.common import (
    FIRST_WITH_RENEWAL,
    checked_ranges,
    endpoints_of,
    is_member_id,
    leader_hint,
    member_of,
)
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.share_requests import (
    FINAL_EPOCH,
    AcknowledgedRange,
    ShareAcknowledgeResult,
    ShareError,
    ShareFetched,
    ShareFetchResult,
    ShareFetchValues,
    TopicPartitionId,
)

Response = ShareFetchResponse
Acknowledged = Mapping[TopicPartitionId, ShareAcknowledgeResult]


def handle_share_fetch(
    request: ShareFetchRequest, context: RequestContext, services: Services
) -> Response | Deferred[Response]:
    refusal = _refused(request, context, services)
    if refusal is not None:
        return refusal
    assert request.group_id is not None
    assert request.member_id is not None
    values = _values(request, context)
    has_acknowledgements = any(
        partition.acknowledgement_batches for topic in request.topics for partition in topic.partitions
    )
    reply: Deferred[Response] = Deferred()
    try:
        services.shares.begin_fetch(values, has_acknowledgements)
    except ShareError as error:
        response = Response(error_code=error.code, error_message=error.message)
        if error.code is not ErrorCode.SHARE_SESSION_LIMIT_REACHED:
            return response
        # A member that asked again at once would not find a place either.
        services.shares.call_after(request.max_wait_ms, partial(reply.resolve, response))
        return reply
    _FetchServing(request, values, context, services, reply).begin(has_acknowledgements=has_acknowledgements)
    return reply


def _refused(request: ShareFetchRequest, context: RequestContext, services: Services) -> Response | None:
    group_id = request.group_id
    if not services.shares.serves_share_groups():
        return Response(error_code=ErrorCode.UNSUPPORTED_VERSION)
    if group_id is None:
        return Response(error_code=ErrorCode.INVALID_REQUEST)
    if not is_allowed(context, services, Operation.READ, ResourceType.GROUP, group_id):
        return Response(error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
    fetches_nothing = not (
        request.max_bytes or request.min_bytes or request.max_records or request.max_wait_ms
    )
    if not is_member_id(request.member_id) or (request.is_renew_ack and not fetches_nothing):
        return Response(error_code=ErrorCode.INVALID_REQUEST)
    return None


def _values(request: ShareFetchRequest, context: RequestContext) -> ShareFetchValues:
    return ShareFetchValues(
        member=member_of(
            request.group_id or "", request.member_id or "", request.share_session_epoch, context
        ),
        client_host=context.client_host,
        max_wait_ms=request.max_wait_ms,
        min_bytes=request.min_bytes,
        max_bytes=request.max_bytes,
        max_records=request.max_records,
        batch_size=request.batch_size,
        acquire_mode=request.share_acquire_mode,
        partitions=tuple(
            dict.fromkeys(
                (topic.topic_id, partition.partition_index)
                for topic in request.topics
                for partition in topic.partitions
            )
        ),
        forgotten=tuple(
            (topic.topic_id, index) for topic in request.forgotten_topics_data for index in topic.partitions
        ),
    )


class _FetchServing:
    """One request until its response is complete."""

    def __init__(
        self,
        request: ShareFetchRequest,
        values: ShareFetchValues,
        context: RequestContext,
        services: Services,
        reply: Deferred[Response],
    ) -> None:
        self._request = request
        self._values = values
        self._context = context
        self._services = services
        self._reply = reply
        self._acknowledged: Acknowledged | None = None
        self._fetched: ShareFetched | None = None

    def begin(self, *, has_acknowledgements: bool) -> None:
        """Acknowledge first, so that what is released can be fetched."""
        if has_acknowledgements:
            self._acknowledge()
        else:
            self._take_acknowledged({})
        if self._request.is_renew_ack:
            self._take_fetched(ShareFetched())
        else:
            self._services.shares.fetch(
                self._values, self._may_read, self._context.throttle, self._take_fetched
            )

    def _may_read(self, topic: str) -> bool:
        return is_allowed(self._context, self._services, Operation.READ, ResourceType.TOPIC, topic)

    def _acknowledge(self) -> None:
        can_renew = self._context.api_version >= FIRST_WITH_RENEWAL
        good: dict[TopicPartitionId, list[AcknowledgedRange]] = {}
        wrong: dict[TopicPartitionId, ShareAcknowledgeResult] = {}
        for topic in self._request.topics:
            for each in topic.partitions:
                key = (topic.topic_id, each.partition_index)
                ranges = checked_ranges(
                    each.acknowledgement_batches, can_renew=can_renew, renews=self._request.is_renew_ack
                )
                if ranges is None:
                    wrong[key] = ShareAcknowledgeResult(code=ErrorCode.INVALID_REQUEST)
                elif ranges:
                    good[key] = ranges
        self._services.shares.acknowledge(
            self._values.member,
            good,
            self._may_read,
            lambda results: self._take_acknowledged({**results, **wrong}),
        )

    def _take_acknowledged(self, results: Acknowledged) -> None:
        self._acknowledged = results
        self._maybe_finish()

    def _take_fetched(self, fetched: ShareFetched) -> None:
        self._fetched = fetched
        self._maybe_finish()

    def _maybe_finish(self) -> None:
        fetched, acknowledged = self._fetched, self._acknowledged
        if fetched is None or acknowledged is None:
            return
        response = Response(
            error_code=fetched.code, error_message=fetched.message, throttle_time_ms=fetched.throttle_ms
        )
        if not fetched.throttle_ms and fetched.code is not ErrorCode.UNKNOWN_SERVER_ERROR:
            response.acquisition_lock_timeout_ms = self._services.shares.lock_duration_ms(
                self._values.member.group_id
            )
            self._add_partitions(response, fetched.partitions, acknowledged)
        if self._values.member.epoch == FINAL_EPOCH:
            self._services.shares.end_session(self._values.member)
        self._reply.resolve(response)

    def _add_partitions(
        self,
        response: Response,
        fetched: Mapping[TopicPartitionId, ShareFetchResult],
        acknowledged: Acknowledged,
    ) -> None:
        topics: dict[bytes, Response.ShareFetchableTopicResponse] = {}
        leaders: list[int] = []
        for key in dict.fromkeys((*fetched, *acknowledged)):
            topic_id, index = key
            result = fetched.get(key, _NOTHING)
            partition = Response.PartitionData(
                partition_index=index,
                error_code=result.code,
                error_message=result.message,
                records=cast("bytes", result.records),
                acquired_records=[
                    Response.AcquiredRecords(first_offset=first, last_offset=last, delivery_count=count)
                    for first, last, count in result.acquired
                ],
            )
            hint = leader_hint(result.code, topic_id, index, self._services)
            if hint is not None:
                leaders.append(hint[0])
                partition.current_leader = Response.LeaderIdAndEpoch(leader_id=hint[0], leader_epoch=hint[1])
            said = acknowledged.get(key)
            if said is not None:
                partition.acknowledge_error_code = said.code
                partition.acknowledge_error_message = said.message
            topic = topics.get(topic_id)
            if topic is None:
                topic = topics[topic_id] = Response.ShareFetchableTopicResponse(topic_id=topic_id)
                response.responses.append(topic)
            topic.partitions.append(partition)
        response.node_endpoints = [
            Response.NodeEndpoint(node_id=leader_id, host=endpoint.host, port=endpoint.port, rack=rack)
            for leader_id, endpoint, rack in endpoints_of(leaders, self._context, self._services)
        ]


_NOTHING = ShareFetchResult()

API = Api(
    key=ApiKey.SHARE_FETCH,
    bounds=SHARE_FETCHES,
    broker=Served(handler=handle_share_fetch, access=of_items(Operation.READ, ResourceType.GROUP)),
)
