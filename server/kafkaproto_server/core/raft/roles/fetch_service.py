"""How a leader serves Fetch and FetchSnapshot (KIP-595, KIP-630), and parks a Fetch for which it has nothing new.

A parked Fetch gets its response as soon as the log grows past its offset or the high watermark moves, when its wait
time is over, or when leadership ends. Every response names leader and epoch.

Apache Kafka: ``KafkaRaftClient``, its handlers of Fetch and FetchSnapshot.
"""

from __future__ import annotations

from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.states import Leader, ParkedFetch, leader_and_epoch
from kafkaproto_server.core.raft.roles import check_quorum, commit, parked_fetches
from kafkaproto_server.core.raft.roles.parked_fetches import MAX_RESPONSE_BYTES
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.messages import (
    FetchRequest,
    FetchSnapshotRequest,
    PendingFetchResponse,
    PendingFetchSnapshotResponse,
    SnapshotRange,
)

MAX_PARKED = 10_000
"""More than all replicas together ever park. A further Fetch gets its response at once."""


def handle_fetch(core: Core, request_id: int, request: FetchRequest, listener_name: str, now_ms: int) -> None:
    """Respond to a Fetch, now or later."""
    state = core.state
    # Kafka's order of checks, so that a request with several faults gets the same error.
    error = _check_fetch(core, request)
    if error is not RaftError.NONE:
        # An id of -1 is that of a tool, which leads nothing and votes for nobody.
        if error is RaftError.UNKNOWN_LEADER_EPOCH and isinstance(state, Leader) and request.replica.id >= 0:
            check_quorum.ask_who_is_ahead(core, state, request.replica, now_ms)
        core.respond(request_id, parked_fetches.refusal(core, error, listener_name))
        return
    assert isinstance(state, Leader), "only a leader serves"
    # Served before the offset counts, because the verdict on the offset decides whether it counts.
    response = parked_fetches.serve(core, state, request, listener_name)
    # Only an offset in this log counts for the high watermark: a diverging replica holds other records before it.
    if response.diverging is None and response.snapshot is None:
        high_watermark = state.high_watermark
        _note_fetch(core, state, request, now_ms)
        if core.state is not state:
            # This Fetch committed the leader's own removal, and so the leader resigned.
            core.respond(
                request_id, parked_fetches.refusal(core, RaftError.NOT_LEADER_OR_FOLLOWER, listener_name)
            )
            return
        if state.high_watermark != high_watermark:
            # This Fetch raised the high watermark; its own response has to say so.
            response = parked_fetches.serve(core, state, request, listener_name)
    if _is_news(request, response) or request.max_wait_ms == 0 or len(state.parked) >= MAX_PARKED:
        core.respond(request_id, response)
    else:
        # Only valid Fetches without news get here. A parked Fetch counts as a sign of life from its
        # arrival, not while it waits.
        parked = ParkedFetch(request_id=request_id, request=request, listener_name=listener_name)
        state.parked.add(parked, now_ms + request.max_wait_ms)


def handle_fetch_snapshot(
    core: Core, request_id: int, request: FetchSnapshotRequest, listener_name: str, now_ms: int
) -> None:
    """Respond to a FetchSnapshot with the requested part."""
    state = core.state
    # Snapshots are named by offset and epoch, so a part of another snapshot is never sent by mistake.
    error = core.check_leader_only(request.epoch)
    # The 0-0 snapshot has no size here, so nobody gets it, as in Kafka: its records are in the log
    # (`leader`).
    size = core.log.snapshot_size(request.snapshot)
    read = None
    if error is RaftError.NONE:
        if size is None:
            error = RaftError.SNAPSHOT_NOT_FOUND
        elif not 0 <= request.position < size:
            error = RaftError.POSITION_OUT_OF_RANGE
        # As in Kafka: a leader does not fetch from itself. It would count as a sign of life of its own, and get a
        # BeginQuorumEpoch from itself.
        elif request.replica.id == core.config.key.id:
            error = RaftError.UNKNOWN_SERVER_ERROR
        # Kafka's node fails on such a request (CVE-2026-83525 and its like).
        elif request.max_bytes < 0:
            error = RaftError.INVALID_REQUEST
        else:
            assert isinstance(state, Leader), "only a leader serves"
            # As in Kafka: it shows that the replica follows, but not how much of the log it holds.
            check_quorum.heard_from(core, state, request.replica, now_ms)
            length = min(request.max_bytes, size - request.position, MAX_RESPONSE_BYTES)
            read = SnapshotRange(snapshot=request.snapshot, position=request.position, length=length)
    core.respond(
        request_id,
        PendingFetchSnapshotResponse(
            error=error,
            leader=leader_and_epoch(core.state),
            leader_endpoint=core.leader_endpoint(listener_name),
            snapshot=request.snapshot,
            size=0 if read is None or size is None else size,
            position=0 if read is None else request.position,
            read=read,
        ),
    )


def _check_fetch(core: Core, request: FetchRequest) -> RaftError:
    if request.max_wait_ms < 0 or request.fetch_offset < 0 or request.last_fetched_epoch < 0:
        return RaftError.INVALID_REQUEST
    # A replica knows every epoch of which it has a record.
    if request.last_fetched_epoch > request.epoch:
        return RaftError.INVALID_REQUEST
    error = core.check_leader_only(request.epoch)
    if error is RaftError.NONE and request.replica.id == core.config.key.id:
        # As in Kafka: a leader does not fetch from itself.
        return RaftError.UNKNOWN_SERVER_ERROR
    return error


def _note_fetch(core: Core, leader: Leader, request: FetchRequest, now_ms: int) -> None:
    """Count the offset up to which a replica promises to hold the log durably. A reader with id -1 promises nothing."""
    # It is served, as in Kafka, and not remembered.
    if request.replica.id < 0:
        return
    voters = core.voters.latest
    leader.progress.fetched(request.replica, request.fetch_offset, core.log.end_offset, voters, now_ms)
    # Before the commit, which may end this leadership.
    check_quorum.heard_from(core, leader, request.replica, now_ms)
    commit.maybe_advance_high_watermark(core, now_ms)


def _is_news(request: FetchRequest, response: PendingFetchResponse) -> bool:
    """Whether a response brings anything that the sender of the request does not know."""
    return (
        response.read is not None
        or response.diverging is not None
        or response.snapshot is not None
        # KIP-1166: a replica that says which high watermark it knows hears of a higher one at once.
        # An older replica says the largest number, and waits for records.
        or request.high_watermark < response.high_watermark
    )
