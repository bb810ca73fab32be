"""What a leader does: open its epoch with a control batch, append records, raise the high watermark.

The high watermark is told only for records of the leader's own epoch (KIP-595), and the leader counts what it
holds itself no further than it is durable. Kafka's leader counts its own log before the sync returns; in a
quorum of one nobody else would then hold a committed record.
"""

from __future__ import annotations

from server.raft import quorum
from server.raft.accumulator import BatchAccumulator
from server.raft.control import ControlRecord, KRaftVersion, KRaftVoters, LeaderChange
from server.raft.core import Core
from server.raft.effects import (
    AppendRefusal,
    AppendRefused,
    BecameLeader,
    HighWatermarkAdvanced,
    LeadershipLost,
    PendingBatch,
    ShutdownCompleted,
)
from server.raft.election_state import ElectionState
from server.raft.events import AppendRequested
from server.raft.quorum_description import QuorumDescription, ReplicaDescription
from server.raft.states import Leader, Resigned
from server.raft.voters import BOOTSTRAP_OFFSET
from server.types import Voter


def become_leader(core: Core, granting_voter_ids: tuple[int, ...]) -> None:
    """Lead the epoch that was won. Its first batch does not linger: nothing commits before it does.

    Leadership becomes durable with that batch. The record of it names no vote, as Kafka's does not.
    """
    epoch = core.state.epoch
    start_offset = core.log.end_offset
    first_batch = PendingBatch(
        base_offset=start_offset, epoch=epoch, control=_first_control_records(core, granting_voter_ids)
    )
    node_id = core.config.key.id
    accumulator = BatchAccumulator(
        epoch=epoch,
        next_offset=first_batch.next_offset,
        linger_ms=core.config.append_linger_ms,
        max_batch_bytes=core.config.max_batch_bytes,
    )
    core.transition_to(
        Leader(leader_id=node_id, epoch=epoch, epoch_start_offset=start_offset, accumulator=accumulator)
    )
    core.write_election_state(ElectionState(epoch=epoch, leader_id=node_id))
    core.append(first_batch)
    core.outbox.tell_after_persist(
        BecameLeader(epoch=epoch, epoch_start_offset=start_offset, next_offset=first_batch.next_offset)
    )


def _first_control_records(core: Core, granting_voter_ids: tuple[int, ...]) -> tuple[ControlRecord, ...]:
    """LEADER_CHANGE, with the voters where the log does not hold them yet or holds old news of this node.

    A voter set of the 0-0 snapshot has to enter the log to reach the other replicas, as nobody is sent that
    snapshot.
    """
    voters = core.voters.latest
    change = LeaderChange(
        leader_id=core.config.key.id, voter_ids=voters.ids, granting_voter_ids=granting_voter_ids
    )
    if core.voters.kraft_version == 0:
        return (change,)
    own_voter = core.config.own_voter
    recorded = voters.get(own_voter.key.id)
    assert recorded is not None, f"node {own_voter.key.id} was elected and is not a voter"
    if core.voters.latest_offset != BOOTSTRAP_OFFSET and _describes_same(recorded, own_voter):
        return (change,)
    return (
        change,
        KRaftVersion(level=core.voters.kraft_version),
        KRaftVoters(voters=voters.with_voter(own_voter)),
    )


def _describes_same(recorded: Voter, current: Voter) -> bool:
    """Whether endpoints, in whatever order, and supported versions agree."""
    return (
        sorted(recorded.endpoints, key=lambda endpoint: endpoint.name)
        == sorted(current.endpoints, key=lambda endpoint: endpoint.name)
        and recorded.min_kraft_version == current.min_kraft_version
        and recorded.max_kraft_version == current.max_kraft_version
    )


def handle_append_requested(core: Core, event: AppendRequested, now_ms: int) -> None:
    """Take the records into a coming batch, or refuse all of them."""
    state = core.state
    refusal: AppendRefusal | None = AppendRefusal.NOT_LEADER
    if isinstance(state, Leader) and state.epoch == event.epoch:
        refusal = state.accumulator.append(
            event.base_offset, event.records, atomic=event.atomic, now_ms=now_ms
        )
    if refusal is not None:
        core.outbox.tell_now(AppendRefused(epoch=event.epoch, base_offset=event.base_offset, reason=refusal))


def maybe_drain(core: Core, now_ms: int) -> None:
    """Append what was gathered, if it is enough or lingered long enough."""
    if isinstance(core.state, Leader):
        for batch in core.state.accumulator.maybe_drain(now_ms):
            core.append(batch)


def maybe_advance_high_watermark(core: Core) -> None:
    """Count this node's durable log, and tell a high watermark that moved."""
    leader = core.state
    if not isinstance(leader, Leader):
        return
    leader.end_offsets[leader.leader_id] = core.outbox.durable_end_offset
    voter_ids = core.voters.latest.ids
    replicated = quorum.replicated_end_offset(
        [leader.end_offsets.get(voter_id, -1) for voter_id in voter_ids]
    )
    # It starts with a record of this epoch, and never goes back.
    least = leader.epoch_start_offset if leader.high_watermark is None else leader.high_watermark
    if replicated > least:
        leader.high_watermark = replicated
        core.outbox.tell_now(HighWatermarkAdvanced(offset=replicated))


def handle_shutdown_requested(core: Core) -> None:
    """Resign. In a quorum of one there is nobody to hand over to and nobody to tell, so that is all.

    Records that were gathered and not yet appended are dropped, as they are by any other loss of leadership;
    none of them was acknowledged. The epoch's record on disk stays as it is.
    """
    assert not core.is_stopping, "shutdown was requested twice"
    core.is_stopping = True
    state = core.state
    if isinstance(state, Leader):
        core.transition_to(Resigned(epoch=state.epoch))
        core.outbox.tell_after_persist(LeadershipLost(epoch=state.epoch))
    core.outbox.tell_after_persist(ShutdownCompleted())


def describe_quorum(core: Core, leader: Leader, wall_ms: int) -> QuorumDescription:
    """The quorum as its leader sees it at the wall-clock time ``wall_ms``."""
    voters = core.voters.latest
    return QuorumDescription(
        leader_id=leader.leader_id,
        epoch=leader.epoch,
        high_watermark=-1 if leader.high_watermark is None else leader.high_watermark,
        voters=tuple(_describe_voter(core, leader, voter, wall_ms) for voter in voters.voters),
        observers=(),
        voter_set=voters,
    )


def _describe_voter(core: Core, leader: Leader, voter: Voter, wall_ms: int) -> ReplicaDescription:
    """A voter's progress: the leader is up to date by definition, of others nothing is known yet."""
    if voter.key.id == leader.leader_id:
        return ReplicaDescription(
            key=voter.key,
            log_end_offset=core.log.end_offset,
            last_fetch_timestamp_ms=wall_ms,
            last_caught_up_timestamp_ms=wall_ms,
        )
    return ReplicaDescription(key=voter.key)
