"""One line of text for an event, for effects and for a node's state: for transcripts, logs and failure reports.

Ours alone.
"""

from __future__ import annotations

from typing import assert_never

from kafkaproto_server.base.types import ReplicaKey
from kafkaproto_server.core.raft.describe.messages import (
    describe_key,
    describe_message,
    describe_snapshot_id,
    describe_voters,
)
from kafkaproto_server.core.raft.model.states import (
    Candidate,
    Follower,
    Leader,
    Prospective,
    Resigned,
    Unattached,
)
from kafkaproto_server.core.raft.node import RaftNode
from kafkaproto_server.core.raft.values.control import ControlRecord, KRaftVersion, KRaftVoters, LeaderChange
from kafkaproto_server.core.raft.values.effects import (
    AppendRefused,
    BecameLeader,
    ClaimRefused,
    ControlBatchAppended,
    DropSnapshotPart,
    Effects,
    HighWatermarkAdvanced,
    InstallSnapshot,
    LeaderChanged,
    LeadershipLost,
    LogWrite,
    NoticeAfterPersist,
    NoticeNow,
    PendingBatch,
    SendRequest,
    SendResponse,
    ShutdownCompleted,
    TruncateLog,
    VotersChanged,
    WriteElectionState,
    WriteSnapshotChunk,
)
from kafkaproto_server.core.raft.values.election_state import ElectionState
from kafkaproto_server.core.raft.values.events import (
    AppendRequested,
    Event,
    LogStartMoved,
    Opened,
    Persisted,
    RequestFailed,
    RequestReceived,
    ResignRequested,
    ResponseReceived,
    ShutdownRequested,
    SnapshotCreated,
    SnapshotInstalled,
    SnapshotRejected,
    Tick,
)
from kafkaproto_server.core.raft.values.messages import FetchedBatch
from kafkaproto_server.core.raft.values.votes import VoteCount


def describe_event(event: Event) -> str:
    """An event and what it carries."""
    match event:
        case Opened():
            return _opened(event)
        case AppendRequested():
            size = sum(map(len, event.records))
            atomic = "atomic" if event.atomic else "not atomic"
            return (
                f"append requested epoch={event.epoch} base={event.base_offset}"
                f" records={len(event.records)} bytes={size} {atomic}"
            )
        case Persisted():
            return f"persisted #{event.number}"
        case RequestReceived():
            return f"request {event.request_id} on {event.listener_name}: {describe_message(event.request)}"
        case ResponseReceived():
            return f"response to {event.request_id}: {describe_message(event.response)}"
        case RequestFailed():
            why = f"{event.failure.value} {event.error.name}" if event.error else event.failure.value
            return f"request {event.request_id} failed: {why}"
        case SnapshotCreated() | SnapshotInstalled():
            snapshot = event.snapshot
            done = "created" if isinstance(event, SnapshotCreated) else "installed"
            return f"snapshot {describe_snapshot_id(snapshot.id)} {done}, {snapshot.size_bytes} bytes"
        case SnapshotRejected():
            return f"snapshot {describe_snapshot_id(event.snapshot)} rejected"
        case LogStartMoved():
            return f"log start moved to {event.log_start_offset}"
        case Tick():
            return "tick"
        case ResignRequested():
            return f"resign requested epoch={event.epoch}"
        case ShutdownRequested():
            return "shutdown requested"
        case _:
            assert_never(event)


def describe_effects(effects: Effects) -> str:
    """Effects in the order in which they are applied; those after ``|`` wait until the others are durable."""
    before = [_notice(notice) for notice in effects.notify_now]
    before += [_log_write(write) for write in effects.writes]
    if effects.election_state is not None:
        before.append(_election_write(effects.election_state))
    if effects.must_sync:
        before.append("sync")
    after = [_notice(notice) for notice in effects.notify_after_persist]
    line = f"#{effects.number} {'; '.join(before) or '-'}"
    return f"{line} | {'; '.join(after)}" if after else line


def describe_refusal(refused: ClaimRefused) -> str:
    """What a peer claims, and why it is not believed."""
    return f"node {refused.peer_id}: {describe_message(refused.claim)}: {refused.doubt.value}"


def describe_state(node: RaftNode) -> str:
    """A node's state and the offsets that matter."""
    state = node.state
    parts = [f"{state.name.value} epoch={state.epoch}"]
    match state:
        case Unattached():
            parts.append(f"leader={state.leader_id} voted={_voted(state.voted_key)}")
        case Prospective():
            parts.append(f"leader={state.leader_id} voted={_voted(state.voted_key)} {_votes(state.votes)}")
        case Candidate():
            parts.append("vote on disk" if state.vote_number is None else f"vote in #{state.vote_number}")
            parts.append(_votes(state.votes))
        case Leader():
            parts.append(f"start={state.epoch_start_offset} next={state.accumulator.next_offset}")
        case Follower():
            link = "dead" if state.link_is_dead else "live" if state.has_fetched else "new"
            parts.append(f"leader={state.leader_id} voted={_voted(state.voted_key)} link={link}")
        case Resigned():
            parts.append(f"to tell={list(state.unacknowledged)}")
        case _:
            assert_never(state)
    if not node.is_voter:
        parts.append("observer")
    high_watermark = -1 if node.high_watermark is None else node.high_watermark
    start = f"{node.log_start_offset}.." if node.log_start_offset else ""
    parts.append(f"hw={high_watermark} leo={start}{node.log_end_offset}")
    parts.append(f"voters={describe_voters(node.voters)} kraft.version={node.kraft_version}")
    return " ".join(parts)


def _opened(event: Opened) -> str:
    parts = [f"opened log={event.log_start_offset}..{event.log_end_offset}"]
    parts += [f"epoch {entry.epoch}@{entry.start_offset}" for entry in event.epoch_starts]
    parts += [f"snapshot={describe_snapshot_id(snapshot.id)}" for snapshot in event.snapshots]
    parts += [f"{_control(found.record)}@{found.offset}" for found in event.control_records]
    parts.append(f"quorum-state=({_election(event.election)})" if event.election else "no quorum-state")
    return " ".join(parts)


def _log_write(write: LogWrite) -> str:
    match write:
        case PendingBatch():
            if write.control:
                content = " ".join(_control(record) for record in write.control)
            else:
                content = f"records={len(write.records)} bytes={sum(map(len, write.records))}"
            return f"append {write.base_offset}..{write.next_offset} epoch={write.epoch}: {content}"
        case FetchedBatch():
            return f"append fetched {write.base_offset}..{write.next_offset} epoch={write.epoch}"
        case TruncateLog():
            return f"truncate to {write.end_offset}"
        case WriteSnapshotChunk():
            end = write.position + len(write.data)
            return f"write snapshot {describe_snapshot_id(write.snapshot)} bytes {write.position}..{end}"
        case DropSnapshotPart():
            return f"drop part of snapshot {describe_snapshot_id(write.snapshot)}"
        case InstallSnapshot():
            return f"install snapshot {describe_snapshot_id(write.snapshot)}"
        case _:
            assert_never(write)


def _control(record: ControlRecord) -> str:
    match record:
        case LeaderChange():
            voters = list(record.voter_ids)
            granting = list(record.granting_voter_ids)
            return f"LEADER_CHANGE(leader={record.leader_id} voters={voters} by={granting})"
        case KRaftVersion():
            return f"KRAFT_VERSION({record.level})"
        case KRaftVoters():
            return f"KRAFT_VOTERS({describe_voters(record.voters)})"
        case _:
            assert_never(record)


def _election_write(write: WriteElectionState) -> str:
    return (
        f"write ({_election(write.state)}) kraft.version={write.kraft_version} voters={list(write.voter_ids)}"
    )


def _election(state: ElectionState) -> str:
    return f"epoch={state.epoch} leader={state.leader_id} voted={_voted(state.voted_key)}"


def _voted(key: ReplicaKey | None) -> str:
    return "none" if key is None else describe_key(key)


def _votes(votes: VoteCount) -> str:
    parts = [f"granted={list(votes.granting_ids)}"]
    parts += [f"rejected={sorted(votes.rejected)}"] if votes.rejected else []
    parts += [f"absent={sorted(votes.absent)}"] if votes.absent else []
    return " ".join(parts)


def _notice(notice: NoticeNow | NoticeAfterPersist) -> str:
    match notice:
        case SendRequest():
            to = notice.destination
            return f"ask {to.id} [{notice.request_id}] {describe_message(notice.request)}"
        case SendResponse():
            return f"response {notice.request_id}: {describe_message(notice.response)}"
        case HighWatermarkAdvanced():
            return f"high watermark {notice.offset}"
        case AppendRefused():
            return f"refuse append at {notice.base_offset} epoch={notice.epoch}: {notice.reason.value}"
        case LeaderChanged():
            return f"leader is {notice.leader.leader_id} epoch={notice.leader.epoch}"
        case BecameLeader():
            offsets = f"start={notice.epoch_start_offset} next={notice.next_offset}"
            return f"became leader epoch={notice.epoch} {offsets}"
        case LeadershipLost():
            return f"leadership lost epoch={notice.epoch}"
        case ControlBatchAppended():
            return f"control batch appended epoch={notice.epoch} next={notice.next_offset}"
        case VotersChanged():
            return f"voters changed kraft.version={notice.kraft_version}"
        case ClaimRefused():
            return f"refused a claim: {describe_refusal(notice)}"
        case ShutdownCompleted():
            return "shutdown completed"
        case _:
            assert_never(notice)
