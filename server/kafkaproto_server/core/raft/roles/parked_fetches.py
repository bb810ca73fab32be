"""Parked Fetches: they wait at the leader until there is news, their wait time is over, or the leadership ends.

Apache Kafka: ``KafkaRaftClient``, its purgatory of Fetches.
"""

from __future__ import annotations

from kafkaproto_server.base.types import MAX_BATCH_BYTES
from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.log_index import Diverging, NeedsSnapshot
from kafkaproto_server.core.raft.model.states import Leader, leader_and_epoch
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.messages import (
    NO_HIGH_WATERMARK,
    FetchRequest,
    LogRange,
    PendingFetchResponse,
)

MAX_RESPONSE_BYTES = MAX_BATCH_BYTES
"""Most bytes of records or of a snapshot in one response, whatever a peer asks for. A larger batch still goes whole."""


def wake(core: Core, leader: Leader, *, high_watermark_moved: bool) -> None:
    """Respond to every parked Fetch for which there is news."""
    end_offset = core.log.end_offset
    awake = leader.parked.take_where(
        # Everybody wakes when the high watermark moves. In Kafka, followers learn of it one Fetch later
        # (KAFKA-14145).
        lambda parked: high_watermark_moved or parked.request.fetch_offset < end_offset
    )
    # Each position is checked again as it is served. The log may have been cleaned past it while
    # the Fetch was parked.
    for parked in awake:
        core.respond(parked.request_id, serve(core, leader, parked.request, parked.listener_name))


def expire(core: Core, leader: Leader, now_ms: int) -> None:
    """Respond to every parked Fetch whose wait time is over."""
    for parked in leader.parked.take_expired(now_ms):
        core.respond(parked.request_id, serve(core, leader, parked.request, parked.listener_name))


def release_all(core: Core, leader: Leader) -> None:
    """Respond to every parked Fetch that this node no longer leads."""
    for parked in leader.parked.take_all():
        # It names the new leader if this node knows one, so that the replica need not look for it.
        response = refusal(core, RaftError.NOT_LEADER_OR_FOLLOWER, parked.listener_name)
        core.respond(parked.request_id, response)


def serve(core: Core, leader: Leader, request: FetchRequest, listener_name: str) -> PendingFetchResponse:
    """The response to a Fetch now: records, a diverging epoch, a snapshot, or nothing new."""
    assert core.state is leader, "only the leader says what is in the log"
    log = core.log
    diverging = snapshot = read = None
    verdict = log.validate(request.fetch_offset, request.last_fetched_epoch)
    if isinstance(verdict, Diverging):
        diverging = verdict.end
    elif isinstance(verdict, NeedsSnapshot):
        snapshot = verdict.snapshot
    elif request.fetch_offset < log.end_offset:
        # At least one batch goes in any case, or a small limit would keep the replica where it is
        # for ever.
        max_bytes = max(0, min(request.max_bytes, MAX_RESPONSE_BYTES))
        # To the end of the log, not to the high watermark: what no follower holds can never be
        # committed.
        read = LogRange(offset=request.fetch_offset, end_offset=log.end_offset, max_bytes=max_bytes)
    return PendingFetchResponse(
        # In every response, as in Kafka: the replica must be able to tell of which epoch it is.
        leader=leader_and_epoch(leader),
        leader_endpoint=core.leader_endpoint(listener_name),
        high_watermark=NO_HIGH_WATERMARK if leader.high_watermark is None else leader.high_watermark,
        log_start_offset=log.start_offset,
        diverging=diverging,
        snapshot=snapshot,
        read=read,
    )


def refusal(core: Core, error: RaftError, listener_name: str) -> PendingFetchResponse:
    """The response to a Fetch that is not served."""
    return PendingFetchResponse(
        error=error,
        leader=leader_and_epoch(core.state),
        leader_endpoint=core.leader_endpoint(listener_name),
        log_start_offset=core.log.start_offset,
    )
