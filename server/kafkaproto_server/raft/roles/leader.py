"""What a leader does: open its epoch with a control batch, append records, raise the high watermark, and go.

The high watermark is told only for records of the leader's own epoch (KIP-595), and the leader counts what it
holds itself no further than it is durable. Kafka's leader counts its own log before the sync returns, which its
followers' fetches make up for; here followers may be ahead of the leader's own disk.
"""

from __future__ import annotations

from kafkaproto_server.raft.model.accumulator import BatchAccumulator
from kafkaproto_server.raft.model.core import Core
from kafkaproto_server.raft.model.progress import Progress
from kafkaproto_server.raft.model.states import Leader
from kafkaproto_server.raft.roles import appending, check_quorum, leaving, membership, parked_fetches
from kafkaproto_server.raft.values.control import ControlRecord, KRaftVersion, KRaftVoters, LeaderChange
from kafkaproto_server.raft.values.effects import (
    AppendRefusal,
    AppendRefused,
    BecameLeader,
    PendingBatch,
)
from kafkaproto_server.raft.values.events import AppendRequested
from kafkaproto_server.raft.values.voters import BOOTSTRAP_OFFSET, describes_same


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


def tick(core: Core, leader: Leader, now_ms: int) -> None:
    """Do what is due: resign without a majority, drain, tell who leads, end what waited too long."""
    if check_quorum.is_lost(core, leader, now_ms):
        leaving.resign(core, leader, now_ms)
        return
    appending.maybe_drain(core, leader, now_ms)
    check_quorum.tick(core, leader, now_ms)
    parked_fetches.expire(core, leader, now_ms)
    membership.tick(core, leader, now_ms)


def deadline_ms(core: Core, leader: Leader) -> float:
    """When ``tick`` is due."""
    due: list[float] = [check_quorum.deadline_ms(core, leader)]
    for time_ms in (
        leader.parked.next_deadline_ms(),
        leader.accumulator.deadline_ms,
        membership.deadline_ms(core, leader),
    ):
        if time_ms is not None:
            due.append(time_ms)
    return min(due)
