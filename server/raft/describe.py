"""One line each for events, effects and a node's state, for transcripts, logs and reports of failures."""

from __future__ import annotations

from typing import assert_never

from server.raft.control import ControlRecord, KRaftVersion, KRaftVoters, LeaderChange
from server.raft.effects import (
    AppendRefused,
    BecameLeader,
    Effects,
    HighWatermarkAdvanced,
    LeaderChanged,
    LeadershipLost,
    PendingBatch,
    ShutdownCompleted,
    TellAfterPersist,
    TellNow,
    WriteElectionState,
)
from server.raft.election_state import ElectionState
from server.raft.events import AppendRequested, Event, Opened, Persisted, ShutdownRequested, Tick
from server.raft.node import RaftNode
from server.raft.states import Candidate, Leader, Prospective, Resigned, Unattached
from server.raft.voters import VoterSet
from server.types import ReplicaKey, Voter


def describe_event(event: Event) -> str:
    """An event and what it carries."""
    match event:
        case Opened():
            parts = [f"opened log={event.log_start_offset}..{event.log_end_offset}"]
            parts += [f"epoch {entry.epoch}@{entry.start_offset}" for entry in event.epoch_starts]
            if event.snapshot is not None:
                parts.append(f"snapshot={event.snapshot.offset}-{event.snapshot.epoch}")
            parts += [f"{_control(found.record)}@{found.offset}" for found in event.control_records]
            parts.append(
                f"quorum-state=({_election(event.election)})" if event.election else "no quorum-state"
            )
            return " ".join(parts)
        case AppendRequested():
            size = sum(map(len, event.records))
            atomic = "atomic" if event.atomic else "not atomic"
            return (
                f"append requested epoch={event.epoch} base={event.base_offset}"
                f" records={len(event.records)} bytes={size} {atomic}"
            )
        case Persisted():
            return f"persisted #{event.number}"
        case Tick():
            return "tick"
        case ShutdownRequested():
            return "shutdown requested"
        case _:
            assert_never(event)


def describe_effects(effects: Effects) -> str:
    """Effects in the order in which they are obeyed; what follows ``|`` waits until the rest is durable."""
    before = [_notice(notice) for notice in effects.tell_now]
    before += [_batch(batch) for batch in effects.append]
    if effects.election_state is not None:
        before.append(_write(effects.election_state))
    after = [_notice(notice) for notice in effects.tell_after_persist]
    line = f"#{effects.number} {'; '.join(before) or '-'}"
    return f"{line} | {'; '.join(after)}" if after else line


def describe_state(node: RaftNode) -> str:
    """A node's state and the offsets that matter."""
    state = node.state
    parts = [f"{state.name.value} epoch={state.epoch}"]
    match state:
        case Unattached() | Prospective():
            parts.append(f"leader={state.leader_id} voted={_voted(state.voted_key)}")
        case Candidate():
            parts.append("vote on disk" if state.vote_number is None else f"vote in #{state.vote_number}")
        case Leader():
            parts.append(f"start={state.epoch_start_offset} next={state.accumulator.next_offset}")
        case Resigned():
            pass
        case _:
            assert_never(state)
    high_watermark = -1 if node.high_watermark is None else node.high_watermark
    parts.append(f"hw={high_watermark} leo={node.log_end_offset}")
    parts.append(f"voters={_voter_set(node.voters)} kraft.version={node.kraft_version}")
    return " ".join(parts)


def _batch(batch: PendingBatch) -> str:
    if batch.control:
        content = " ".join(_control(record) for record in batch.control)
    else:
        content = f"records={len(batch.records)} bytes={sum(map(len, batch.records))}"
    return f"append {batch.base_offset}..{batch.next_offset} epoch={batch.epoch}: {content}"


def _control(record: ControlRecord) -> str:
    match record:
        case LeaderChange():
            voters = list(record.voter_ids)
            granting = list(record.granting_voter_ids)
            return f"LEADER_CHANGE(leader={record.leader_id} voters={voters} by={granting})"
        case KRaftVersion():
            return f"KRAFT_VERSION({record.level})"
        case KRaftVoters():
            return f"KRAFT_VOTERS({_voter_set(record.voters)})"
        case _:
            assert_never(record)


def _voter_set(voters: VoterSet) -> str:
    return "[" + ", ".join(_voter(voter) for voter in voters.voters) + "]"


def _voter(voter: Voter) -> str:
    endpoints = ",".join(f"{endpoint.name}={endpoint.host}:{endpoint.port}" for endpoint in voter.endpoints)
    return f"{_key(voter.key)}@{endpoints}"


def _write(write: WriteElectionState) -> str:
    return (
        f"write ({_election(write.state)}) kraft.version={write.kraft_version} voters={list(write.voter_ids)}"
    )


def _election(state: ElectionState) -> str:
    return f"epoch={state.epoch} leader={state.leader_id} voted={_voted(state.voted_key)}"


def _voted(key: ReplicaKey | None) -> str:
    return "none" if key is None else _key(key)


def _key(key: ReplicaKey) -> str:
    """The node id and the first bytes of the directory id, which is enough to tell two apart by eye."""
    return str(key.id) if key.directory_id is None else f"{key.id}/{key.directory_id[:2].hex()}"


def _notice(notice: TellNow | TellAfterPersist) -> str:
    match notice:
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
        case ShutdownCompleted():
            return "shutdown completed"
        case _:
            assert_never(notice)
