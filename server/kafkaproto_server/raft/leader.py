"""What a leader does: open its epoch with a control batch, append records, raise the high watermark, and go.

The high watermark is told only for records of the leader's own epoch (KIP-595), and the leader counts what it
holds itself no further than it is durable. Kafka's leader counts its own log before the sync returns, which its
followers' fetches make up for; here followers may be ahead of the leader's own disk.
"""

from __future__ import annotations

from kafkaproto_server.raft import check_quorum, fetch_service, membership, quorum, transitions
from kafkaproto_server.raft.accumulator import BatchAccumulator
from kafkaproto_server.raft.control import ControlRecord, KRaftVersion, KRaftVoters, LeaderChange
from kafkaproto_server.raft.core import Core
from kafkaproto_server.raft.effects import (
    AppendRefusal,
    AppendRefused,
    BecameLeader,
    ControlBatchAppended,
    HighWatermarkAdvanced,
    PendingBatch,
)
from kafkaproto_server.raft.errors import RaftError
from kafkaproto_server.raft.events import AppendRequested
from kafkaproto_server.raft.progress import Progress
from kafkaproto_server.raft.states import Leader, Resigned
from kafkaproto_server.raft.voters import BOOTSTRAP_OFFSET, describes_same
from kafkaproto_server.types import ReplicaKey


def become_leader(core: Core, granting_voter_ids: tuple[int, ...], now_ms: int) -> None:
    """Lead the epoch that was won. Its first batch does not linger: nothing commits before it does.

    Leadership becomes durable with that batch. The record of it names no vote, as Kafka's does not.
    """
    epoch = core.state.epoch
    start_offset = core.log.end_offset
    first_batch = PendingBatch(
        base_offset=start_offset, epoch=epoch, control=_first_control_records(core, granting_voter_ids)
    )
    leader = Leader(
        leader_id=core.config.key.id,
        epoch=epoch,
        epoch_start_offset=start_offset,
        accumulator=BatchAccumulator(
            epoch=epoch,
            next_offset=first_batch.next_offset,
            linger_ms=core.config.append_linger_ms,
            max_batch_bytes=core.config.max_batch_bytes,
        ),
        leadership_number=0,
        progress=Progress(silence_ms=check_quorum.timeout_ms(core)),
        check_quorum_at_ms=now_ms + check_quorum.timeout_ms(core),
    )
    core.transition_to(leader)
    leader.leadership_number = core.write_election_state()
    core.append(first_batch)
    check_quorum.voters_changed(core, leader, now_ms)
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
    if recorded is None or not voters.is_voter(own_voter.key):
        # It leads only to commit its own removal.
        return (change,)
    if core.voters.latest_offset != BOOTSTRAP_OFFSET and describes_same(recorded, own_voter):
        return (change,)
    return (
        change,
        KRaftVersion(level=core.voters.kraft_version),
        KRaftVoters(voters=voters.with_voter(own_voter)),
    )


def check_leader_only(core: Core, epoch: int) -> RaftError:
    """The check that every request to a leader has to pass; ``epoch`` is the one that the asking node knows."""
    if epoch < core.state.epoch:
        return RaftError.FENCED_LEADER_EPOCH
    if epoch > core.state.epoch:
        return RaftError.UNKNOWN_LEADER_EPOCH
    return RaftError.NONE if isinstance(core.state, Leader) else RaftError.NOT_LEADER_OR_FOLLOWER


# -- appending -------------------------------------------------------------------------------------------------------


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


def append_control(core: Core, leader: Leader, records: tuple[ControlRecord, ...], now_ms: int) -> int:
    """Append a batch of control records, behind all data that was accepted; returns its last offset.

    The records take effect at once: the caller has finished what it began with the former voters.
    """
    for batch in leader.accumulator.drain():
        core.append(batch)
    control_batch = PendingBatch(
        base_offset=leader.accumulator.next_offset, epoch=leader.epoch, control=records
    )
    leader.accumulator.next_offset = control_batch.next_offset
    core.append(control_batch)
    core.outbox.tell_now(ControlBatchAppended(epoch=leader.epoch, next_offset=control_batch.next_offset))
    check_quorum.voters_changed(core, leader, now_ms)
    fetch_service.wake(core, leader, high_watermark_moved=False)
    return control_batch.next_offset - 1


def maybe_drain(core: Core, leader: Leader, now_ms: int) -> None:
    """Append what was gathered, if it is enough, lingered long enough, or finds the disk idle."""
    if _drain(core, leader, now_ms):
        fetch_service.wake(core, leader, high_watermark_moved=False)


def _drain(core: Core, leader: Leader, now_ms: int) -> bool:
    if not core.outbox.has_unpersisted:
        batches = leader.accumulator.drain()
    else:
        batches = leader.accumulator.maybe_drain(now_ms)
    for batch in batches:
        core.append(batch)
    return bool(batches)


def handle_persisted(core: Core, now_ms: int) -> None:
    """Go on to what was gathered meanwhile, and count what is durable now.

    In this order, so that one answer brings a follower both the batch and the high watermark; with the latter alone it
    would have to ask again first.
    """
    leader = core.state
    if not isinstance(leader, Leader):
        return
    has_drained = _drain(core, leader, now_ms)
    maybe_advance_high_watermark(core, now_ms)
    if has_drained and core.state is leader:
        fetch_service.wake(core, leader, high_watermark_moved=False)


# -- committing ------------------------------------------------------------------------------------------------------


def is_own_key(core: Core, key: ReplicaKey) -> bool:
    """Whether a voter's key is this node's; one without directory id is matched by node id alone."""
    return key.id == core.config.key.id and key.directory_id in (None, core.config.key.directory_id)


def end_offset_of_voter(core: Core, leader: Leader, key: ReplicaKey) -> int:
    """Up to where a voter durably holds the log; -1 where that is unknown."""
    if is_own_key(core, key):
        return core.outbox.durable_end_offset
    end_offset = leader.end_offset_of(key)
    return -1 if end_offset is None else end_offset


def maybe_advance_high_watermark(core: Core, now_ms: int) -> None:
    """Tell a high watermark that moved, and finish what waited for it. A leader that is no voter any more resigns once
    that is committed."""
    leader = core.state
    if not isinstance(leader, Leader):
        return
    replicated = quorum.replicated_end_offset(
        [end_offset_of_voter(core, leader, voter.key) for voter in core.voters.latest.voters]
    )
    # It starts with a record of this epoch, and never goes back.
    least = leader.epoch_start_offset if leader.high_watermark is None else leader.high_watermark
    if replicated <= least:
        return
    leader.high_watermark = replicated
    core.high_watermark = replicated
    core.outbox.tell_now(HighWatermarkAdvanced(offset=replicated))
    fetch_service.wake(core, leader, high_watermark_moved=True)
    membership.high_watermark_advanced(core, leader, now_ms)
    if membership.must_hand_over(core, leader):
        resign(core, leader, now_ms)


# -- going -----------------------------------------------------------------------------------------------------------


def resign(core: Core, leader: Leader, now_ms: int) -> None:
    """Give leadership up, and see to it that the best of the others takes over.

    Who waits for a Fetch learns it first: that answer, which nobody else can give, is what makes the others ready to
    grant pre-votes. EndQuorumEpoch then says who is to ask for them.
    """
    others = {voter.key.id: voter for voter in core.voters.latest.voters if voter.key.id != leader.leader_id}
    by_progress = sorted(
        others.values(), key=lambda voter: (-end_offset_of_voter(core, leader, voter.key), voter.key.id)
    )
    core.transition_to(
        Resigned(
            epoch=leader.epoch,
            election_at_ms=now_ms + core.random_election_timeout_ms(),
            unacknowledged=others,
            preferred_candidates=tuple(voter.key for voter in by_progress),
        )
    )
    transitions.leadership_lost(core, leader, now_ms)


def tick(core: Core, leader: Leader, now_ms: int) -> None:
    """Do what is due: resign without a majority, drain, tell who leads, end what waited too long."""
    if check_quorum.is_lost(core, leader, now_ms):
        resign(core, leader, now_ms)
        return
    maybe_drain(core, leader, now_ms)
    check_quorum.tick(core, leader, now_ms)
    fetch_service.expire(core, leader, now_ms)
    membership.tick(core, leader, now_ms)


def deadline_ms(core: Core, leader: Leader) -> float:
    """When ``tick`` is due."""
    due: list[float] = [check_quorum.deadline_ms(core, leader)]
    due.extend(parked.deadline_ms for parked in leader.parked.values())
    for time_ms in (leader.accumulator.deadline_ms, membership.deadline_ms(core, leader)):
        if time_ms is not None:
            due.append(time_ms)
    return min(due)
