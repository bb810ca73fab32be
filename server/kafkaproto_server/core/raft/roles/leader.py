"""What a leader does (KIP-595): it begins its epoch with a control batch, takes appends, and does what is due.

`commit` has the rules of the high watermark, `fetch_service` serves the followers, `check_quorum` says when a leader
has to resign, and `leaving` how it does.

Apache Kafka: ``LeaderState`` and ``KafkaRaftClient.onBecomeLeader``.
"""

from __future__ import annotations

from kafkaproto_server.core.raft.model.accumulator import BatchAccumulator
from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.progress import Progress
from kafkaproto_server.core.raft.model.states import Candidate, Leader
from kafkaproto_server.core.raft.roles import appending, check_quorum, leaving, membership, parked_fetches
from kafkaproto_server.core.raft.values.control import ControlRecord, KRaftVersion, KRaftVoters, LeaderChange
from kafkaproto_server.core.raft.values.effects import (
    AppendRefusal,
    AppendRefused,
    BecameLeader,
    PendingBatch,
)
from kafkaproto_server.core.raft.values.events import AppendRequested
from kafkaproto_server.core.raft.values.voters import BOOTSTRAP_OFFSET, describes_same


def become_leader(core: Core, granting_voter_ids: tuple[int, ...], now_ms: int) -> None:
    """Lead the epoch that was won. Its first batch does not linger: nothing can be committed before that batch.

    Leadership becomes durable together with that batch. As in Kafka, quorum-state then names no vote.
    """
    assert isinstance(core.state, Candidate), f"{core.state.name.value} was elected"
    assert core.installing is None, "a leader without a log end"
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
        # Not known before the write is queued, below; nobody sees the state meanwhile.
        leadership_number=0,
        progress=Progress(silence_ms=check_quorum.timeout_ms(core)),
        check_quorum_at_ms=now_ms + check_quorum.timeout_ms(core),
    )
    # State first, then the write: nothing of the epoch leaves before the outbox has it on disk (KAFKA-17333).
    core.transition_to(leader)
    leader.leadership_number = core.write_election_state()
    # Without a record of its own epoch a leader could not raise the high watermark (KIP-595).
    core.append(first_batch)
    check_quorum.voters_changed(core, leader, now_ms)
    core.outbox.notify_after_persist(
        BecameLeader(epoch=epoch, epoch_start_offset=start_offset, next_offset=first_batch.next_offset)
    )


def _first_control_records(core: Core, granting_voter_ids: tuple[int, ...]) -> tuple[ControlRecord, ...]:
    """LEADER_CHANGE; also the voter set, if the log does not hold it yet or has an outdated entry of this node.

    A voter set of the 0-0 snapshot has to enter the log to reach the other replicas, because that snapshot is sent to
    nobody.
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
        # This node is not in the voter set in force; it leads only to commit its own removal.
        return (change,)
    # Kafka repeats both records in a later epoch as well, if its own first batch was truncated
    # away. A reader has to take them in any epoch's first batch.
    if core.voters.latest_offset != BOOTSTRAP_OFFSET and describes_same(recorded, own_voter):
        return (change,)
    return (
        change,
        KRaftVersion(level=core.voters.kraft_version),
        KRaftVoters(voters=voters.with_voter(own_voter)),
    )


def handle_append_requested(core: Core, event: AppendRequested, now_ms: int) -> None:
    """Accept the records for a later batch, or refuse all of them."""
    state = core.state
    refusal: AppendRefusal | None = AppendRefusal.NOT_LEADER
    # The controller may append for an epoch that is over, before it has heard so. Its records would
    # follow others than those on which they were decided.
    if isinstance(state, Leader) and state.epoch == event.epoch:
        refusal = state.accumulator.append(
            event.base_offset, event.records, atomic=event.atomic, now_ms=now_ms
        )
    if refusal is not None:
        core.outbox.notify_now(
            AppendRefused(epoch=event.epoch, base_offset=event.base_offset, reason=refusal)
        )


def tick(core: Core, leader: Leader, now_ms: int) -> None:
    """Do what is due: resign without a majority, append, send BeginQuorumEpoch, end requests that waited too long."""
    if check_quorum.is_lost(core, leader, now_ms):
        # Nothing more is appended: nobody may be left to commit it.
        leaving.resign(core, leader, now_ms)
        return
    appending.maybe_drain(core, leader, now_ms)
    check_quorum.tick(core, leader, now_ms)
    parked_fetches.expire(core, leader, now_ms)
    membership.tick(core, leader, now_ms)


def deadline_ms(core: Core, leader: Leader) -> float:
    due: list[float] = [check_quorum.deadline_ms(core, leader)]
    for time_ms in (
        leader.parked.next_deadline_ms(),
        leader.accumulator.deadline_ms,
        membership.deadline_ms(core, leader),
    ):
        if time_ms is not None:
            due.append(time_ms)
    return min(due)
