"""How a leader serves Fetch and FetchSnapshot (KIP-595, KIP-630), and lets a Fetch that brings nothing new wait.

A parked Fetch is answered as soon as the log grows past it or the high watermark moves, when its time is over, and when
leadership is. Every answer names leader and epoch.
"""

from __future__ import annotations

from kafkaproto_server.raft import check_quorum
from kafkaproto_server.raft import leader as leading
from kafkaproto_server.raft.config import MAX_BATCH_BYTES
from kafkaproto_server.raft.core import Core
from kafkaproto_server.raft.errors import RaftError
from kafkaproto_server.raft.log_index import Diverging, NeedsSnapshot
from kafkaproto_server.raft.messages import (
    NO_HIGH_WATERMARK,
    FetchAnswer,
    FetchRequest,
    FetchSnapshotAnswer,
    FetchSnapshotRequest,
    LogRange,
    SnapshotRange,
)
from kafkaproto_server.raft.states import Leader, ParkedFetch, leader_and_epoch

MAX_ANSWER_BYTES = MAX_BATCH_BYTES
"""Of records or of a snapshot in one answer, whatever a peer asks for; a batch that is larger still goes whole."""

MAX_PARKED = 10_000
"""More than all replicas together ever park; a Fetch beyond them is answered at once."""


def handle_fetch(core: Core, request_id: int, request: FetchRequest, listener_name: str, now_ms: int) -> None:
    """Answer a Fetch, now or later."""
    state = core.state
    error = _check_fetch(core, request)
    if error is not RaftError.NONE:
        if error is RaftError.UNKNOWN_LEADER_EPOCH and isinstance(state, Leader) and request.replica.id >= 0:
            check_quorum.ask_who_is_ahead(core, state, request.replica, now_ms)
        core.answer(request_id, _refusal(core, error, listener_name))
        return
    assert isinstance(state, Leader), "only a leader serves"
    answer = _serve(core, state, request, listener_name)
    if answer.diverging is None and answer.snapshot is None:
        high_watermark = state.high_watermark
        _note_fetch(core, state, request, now_ms)
        if core.state is not state:
            # What this fetch committed was the leader's own removal.
            core.answer(request_id, _refusal(core, RaftError.NOT_LEADER_OR_FOLLOWER, listener_name))
            return
        if state.high_watermark != high_watermark:
            answer = _serve(core, state, request, listener_name)
    if _is_news(request, answer) or request.max_wait_ms == 0 or len(state.parked) >= MAX_PARKED:
        core.answer(request_id, answer)
    else:
        state.parked[request_id] = ParkedFetch(
            request=request, listener_name=listener_name, deadline_ms=now_ms + request.max_wait_ms
        )


def wake(core: Core, leader: Leader, *, high_watermark_moved: bool) -> None:
    """Answer every parked Fetch for which there is news."""
    end_offset = core.log.end_offset
    awake = [
        request_id
        for request_id, parked in leader.parked.items()
        if high_watermark_moved or parked.request.fetch_offset < end_offset
    ]
    for request_id in awake:
        parked = leader.parked.pop(request_id)
        core.answer(request_id, _serve(core, leader, parked.request, parked.listener_name))


def expire(core: Core, leader: Leader, now_ms: int) -> None:
    """Answer every parked Fetch whose time is over."""
    over = [request_id for request_id, parked in leader.parked.items() if parked.deadline_ms <= now_ms]
    for request_id in over:
        parked = leader.parked.pop(request_id)
        core.answer(request_id, _serve(core, leader, parked.request, parked.listener_name))


def release_all(core: Core, leader: Leader) -> None:
    """Tell every parked Fetch that its leader leads no more."""
    parked_fetches, leader.parked = leader.parked, {}
    for request_id, parked in parked_fetches.items():
        core.answer(request_id, _refusal(core, RaftError.NOT_LEADER_OR_FOLLOWER, parked.listener_name))


def handle_fetch_snapshot(
    core: Core, request_id: int, request: FetchSnapshotRequest, listener_name: str, now_ms: int
) -> None:
    """Answer a FetchSnapshot with the piece that was asked for."""
    state = core.state
    error = leading.check_leader_only(core, request.epoch)
    size = core.log.snapshot_size(request.snapshot)
    read = None
    if error is RaftError.NONE:
        if size is None:
            error = RaftError.SNAPSHOT_NOT_FOUND
        elif not 0 <= request.position < size:
            error = RaftError.POSITION_OUT_OF_RANGE
        elif request.max_bytes < 0:
            error = RaftError.INVALID_REQUEST
        else:
            assert isinstance(state, Leader), "only a leader serves"
            check_quorum.heard_from(core, state, request.replica, now_ms)
            length = min(request.max_bytes, size - request.position, MAX_ANSWER_BYTES)
            read = SnapshotRange(snapshot=request.snapshot, position=request.position, length=length)
    core.answer(
        request_id,
        FetchSnapshotAnswer(
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
    if request.last_fetched_epoch > request.epoch:
        return RaftError.INVALID_REQUEST
    error = leading.check_leader_only(core, request.epoch)
    if error is RaftError.NONE and request.replica.id == core.config.key.id:
        # Kafka's answer too: nobody fetches from itself.
        return RaftError.UNKNOWN_SERVER_ERROR
    return error


def _note_fetch(core: Core, leader: Leader, request: FetchRequest, now_ms: int) -> None:
    """Count what a replica promises to hold."""
    if request.replica.id < 0:
        return
    voters = core.voters.latest
    leader.progress.fetched(request.replica, request.fetch_offset, core.log.end_offset, voters, now_ms)
    check_quorum.heard_from(core, leader, request.replica, now_ms)
    leading.maybe_advance_high_watermark(core, now_ms)


def _serve(core: Core, leader: Leader, request: FetchRequest, listener_name: str) -> FetchAnswer:
    """What there is to say to a Fetch now."""
    log = core.log
    diverging = snapshot = read = None
    verdict = log.validate(request.fetch_offset, request.last_fetched_epoch)
    if isinstance(verdict, Diverging):
        diverging = verdict.end
    elif isinstance(verdict, NeedsSnapshot):
        snapshot = verdict.snapshot
    elif request.fetch_offset < log.end_offset:
        max_bytes = max(0, min(request.max_bytes, MAX_ANSWER_BYTES))
        read = LogRange(offset=request.fetch_offset, end_offset=log.end_offset, max_bytes=max_bytes)
    return FetchAnswer(
        leader=leader_and_epoch(leader),
        leader_endpoint=core.leader_endpoint(listener_name),
        high_watermark=NO_HIGH_WATERMARK if leader.high_watermark is None else leader.high_watermark,
        log_start_offset=log.start_offset,
        diverging=diverging,
        snapshot=snapshot,
        read=read,
    )


def _is_news(request: FetchRequest, answer: FetchAnswer) -> bool:
    """Whether an answer brings anything that the asking node did not know."""
    return (
        answer.read is not None
        or answer.diverging is not None
        or answer.snapshot is not None
        or request.high_watermark < answer.high_watermark
    )


def _refusal(core: Core, error: RaftError, listener_name: str) -> FetchAnswer:
    return FetchAnswer(
        error=error,
        leader=leader_and_epoch(core.state),
        leader_endpoint=core.leader_endpoint(listener_name),
        log_start_offset=core.log.start_offset,
    )
