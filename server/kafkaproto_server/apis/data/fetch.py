"""Fetch (1), versions 4-18: of topics on broker listeners, of the metadata log on controller listeners.

Consumers read up to the high watermark, or to the last stable offset (read_committed); followers read all. The request
waits until there is enough, at most MaxWaitMs. Sessions are those of KIP-227. Followers may serve consumers
(KIP-392): with ``replica.selector.class``, a leader names a replica in the consumer's rack in place of records.
Versions up to 12 name topics, later ones have topic ids (KIP-516). From version 12 on a follower that diverges is told
where; from version 16 on an error names the leader's address (KIP-951).

A response over the sender's quota leaves at once, without partitions and with the time to wait (KIP-219). The quota
counts the bytes of records.

Who claims to be a follower needs CLUSTER_ACTION on the cluster; anybody else READ on each topic. An isolation level
that there is not is refused with INVALID_REQUEST; Apache Kafka has no error of its own for it.

On a controller's listener (KIP-595), this node's replica of the quorum responds with records from the leader's log,
with the place where the logs diverge, or with the snapshot to fetch. If there is nothing new, the request waits at
the leader for up to MaxWaitMs.

- From v12 on the request has the epoch of the last fetched record. Before, a replica whose log diverges gets the error
  OFFSET_OUT_OF_RANGE.
- v15 moved the replica's id into ReplicaState, v17 added its directory id (KIP-853), v18 the high watermark that it
  knows.
- There are no fetch sessions (Apache Kafka's quorum keeps none either; a session id is ignored), and no other topics.
"""

from __future__ import annotations

from typing import cast

import msgspec

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import FetchRequest, FetchResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served, of_quorum
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import INDEXES, SMALL
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Deferred, Steps, run_to_end
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import Encoded, RequestContext
from kafkaproto_server.requests.data import FetchResult, ReadResult
from kafkaproto_server.requests.fetch_requests import (
    FIRST_VERSION_WITH_TOPIC_IDS,
    FetchValues,
    PartitionFetch,
    fetch_values,
)
from kafkaproto_server.requests.refusals import Refusal

_FIRST_WITH_LEADERS = 16
_FIRST_WITH_STORAGE_ERROR = 6
_ISOLATION_LEVELS = (0, 1)
_MOVED = (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH)
_NOT_LOOKED_AT = (
    ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    ErrorCode.UNKNOWN_TOPIC_ID,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
)
"""With these, Kafka's list of aborted transactions is empty; with any other error it is null."""

_FEW_PARTITIONS = 128
"""A response with at most this many is made in one go."""
_PARTITIONS_A_STEP = 32

Partition = FetchResponse.PartitionData


def handle_fetch(
    request: FetchRequest, context: RequestContext, services: Services
) -> Deferred[Encoded | Steps[Encoded]] | FetchResponse:
    """Read records, now or when there are some."""
    if request.isolation_level not in _ISOLATION_LEVELS:
        return FetchResponse(error_code=ErrorCode.INVALID_REQUEST)
    values = fetch_values(request, context.api_version, context.listener_name, context.client_host)
    throttle = context.throttle
    # Of a connection that has ended.
    reply: Deferred[Encoded | Steps[Encoded]] = Deferred(abandoned=lambda: give_up())

    def done(result: FetchResult) -> None:
        steps = _encoded(result, values, context, services)
        reply.resolve(steps if len(result.responses) > _FEW_PARTITIONS else run_to_end(steps))

    if values.is_from_follower:
        # One check for all: the names of topics say nothing to a broker that replicates them.
        may = is_allowed(context, services, Operation.CLUSTER_ACTION)
        if throttle is not None and may:
            throttle.exempt()
        give_up = services.fetches.fetch(values, context.api_version, lambda _: may, done, None)
    else:
        if throttle is not None:
            values = _within(values, throttle.most_bytes())
        give_up = services.fetches.fetch(
            values,
            context.api_version,
            lambda name: is_allowed(context, services, Operation.READ, ResourceType.TOPIC, name),
            done,
            throttle,
        )
    return reply


def _within(values: FetchValues, most_bytes: int | None) -> FetchValues:
    """The request, asking for no more than its sender's quota allows at once."""
    if most_bytes is None or values.max_bytes <= most_bytes:
        return values
    return msgspec.structs.replace(values, max_bytes=most_bytes, min_bytes=min(values.min_bytes, most_bytes))


def _encoded(
    result: FetchResult, values: FetchValues, context: RequestContext, services: Services
) -> Steps[Encoded]:
    response = FetchResponse(
        error_code=result.error_code, session_id=result.session_id, throttle_time_ms=result.throttle_ms
    )
    errors: dict[int, int] = {int(result.error_code): 1}
    topics = response.responses
    last: tuple[bytes, str | None] | None = None
    leaders: set[int] = set()
    for position, (fetch, read) in enumerate(result.responses):
        if position and position % _PARTITIONS_A_STEP == 0:
            yield
        key = (fetch.topic_id, fetch.topic_name)
        if key != last:
            last = key
            topics.append(
                FetchResponse.FetchableTopicResponse(topic=fetch.topic_name or "", topic_id=fetch.topic_id)
            )
        partition = _partition(fetch, read)
        if read.error_code:
            _tell_error(partition, read, context.api_version)
            leaders.add(partition.current_leader.leader_id)
        topics[-1].partitions.append(partition)
        errors[partition.error_code] = errors.get(partition.error_code, 0) + 1
    # Followers know all brokers.
    if not values.is_from_follower:
        for leader_id in sorted(leaders):
            endpoint = services.metadata.endpoint(leader_id, context.listener_name)
            if endpoint is not None:
                response.node_endpoints.append(
                    FetchResponse.NodeEndpoint(
                        node_id=leader_id,
                        host=endpoint.host,
                        port=endpoint.port,
                        rack=services.metadata.rack(leader_id),
                    )
                )
    if len(result.responses) > _FEW_PARTITIONS:
        buffers = yield from response.encode_in_steps(context.api_version)
    else:
        buffers = response.encode_buffers(context.api_version)
    return Encoded(buffers=buffers, errors=errors)


def _partition(fetch: PartitionFetch, read: ReadResult) -> Partition:
    partition = Partition(
        partition_index=fetch.index,
        error_code=read.error_code,
        high_watermark=read.high_watermark,
        last_stable_offset=read.last_stable_offset,
        log_start_offset=read.log_start_offset,
        aborted_transactions=None,
        # It may lie in a file. The codec asks for its length, and passes it on.
        records=cast("Buffer", read.records),
        preferred_read_replica=read.preferred_read_replica,
    )
    if read.aborted is not None:
        partition.aborted_transactions = [
            FetchResponse.AbortedTransaction(producer_id=producer_id, first_offset=first_offset)
            for producer_id, first_offset in read.aborted
        ]
    if read.diverging is not None:
        partition.diverging_epoch = FetchResponse.EpochEndOffset(
            epoch=read.diverging.epoch, end_offset=read.diverging.offset
        )
    return partition


def _tell_error(partition: Partition, read: ReadResult, version: int) -> None:
    """Complete the response for a partition that cannot be read."""
    if read.error_code in _NOT_LOOKED_AT:
        partition.aborted_transactions = []
    elif read.error_code == ErrorCode.KAFKA_STORAGE_ERROR and version < _FIRST_WITH_STORAGE_ERROR:
        # Clients of that time do not know the error, and would not try again.
        partition.error_code = ErrorCode.NOT_LEADER_OR_FOLLOWER
    if read.error_code in _MOVED and version >= _FIRST_WITH_LEADERS:
        partition.current_leader = FetchResponse.LeaderIdAndEpoch(
            leader_id=read.leader_id, leader_epoch=read.leader_epoch
        )


def refuse(request: FetchRequest, refusal: Refusal) -> FetchResponse:
    """The error on top; up to version 12 for each partition as well, as in Kafka, since old clients look only there."""
    response = FetchResponse(error_code=refusal.code)
    if refusal.version >= FIRST_VERSION_WITH_TOPIC_IDS:
        return response
    for topic in request.topics:
        partitions = [
            Partition(partition_index=each.partition, error_code=refusal.code, high_watermark=-1, records=b"")
            for each in topic.partitions
        ]
        response.responses.append(
            FetchResponse.FetchableTopicResponse(topic=topic.topic, partitions=partitions)
        )
    return response


API = Api(
    key=ApiKey.FETCH,
    bounds=SMALL,
    broker=Served(handler=handle_fetch, access=of_items(Operation.READ, ResourceType.TOPIC), bounds=INDEXES),
    controller=of_quorum(),
    refuse=refuse,
    is_urgent=True,
    bounds_waiting=True,
)
