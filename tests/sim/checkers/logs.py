"""Checks of logs: what leaders append, what followers copy and cut off, and what others may read of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkaproto_server.base.types import ReplicaKey
from kafkaproto_server.core.raft.values.control import KRaftVoters
from kafkaproto_server.core.raft.values.voters import VoterSet
from tests.sim.checkers.invariants import Invariant, ViolationError
from tests.sim.replica_log import LogBatch

if TYPE_CHECKING:
    from tests.sim.checkers.commits import CommitChecker
    from tests.sim.replica import Replica


class LogChecker:
    """Sees every append, truncation and read.

    Batches are shared by reference, and each remembers here what it was appended to by its leader. A follower
    that appends it to the same has, by induction, the same log before it.
    """

    def __init__(self, commits: CommitChecker) -> None:
        self._commits = commits
        self._before: dict[LogBatchKey, tuple[LogBatch | None, int]] = {}
        """By epoch and base offset: the batch before it in its leader's log, and the epoch of that batch."""
        self._appended_at: dict[LogBatchKey, int] = {}
        """When its leader appended a batch."""
        self._read: dict[LogBatchKey, LogBatch] = {}
        """Batches that left their leader."""

    def appended_by_leader(self, replica: Replica, batch: LogBatch) -> None:
        """A leader is about to append a batch of its own."""
        key = (batch.epoch, batch.base_offset)
        state = replica.core.state
        if state.epoch != batch.epoch:
            raise ViolationError(
                Invariant.LOG_MATCHING, f"node {replica.id} of epoch {state.epoch} appends in {batch.epoch}"
            )
        if key in self._read:
            raise ViolationError(
                Invariant.LOG_MATCHING, f"node {replica.id} appends again at (epoch, offset) {key}"
            )
        self._before[key] = (replica.disk.log.last, self._last_epoch(replica))
        self._appended_at[key] = replica.world.now
        for recorded in batch.control:
            if isinstance(recorded.record, KRaftVoters):
                self._check_voters(replica, batch, recorded.record.voters)

    def appended_by_follower(self, replica: Replica, batch: LogBatch) -> None:
        """A follower is about to append a batch that it fetched."""
        key = (batch.epoch, batch.base_offset)
        if batch.payload == FORGED:
            raise ViolationError(Invariant.NOTHING_FORGED, f"node {replica.id} appends {batch}")
        if self._read.get(key) is not batch:
            raise ViolationError(
                Invariant.LOG_MATCHING, f"node {replica.id} appends a batch nobody served: {key}"
            )
        before, epoch = self._before[key]
        last = replica.disk.log.last
        if last is not before and last is not None and before is not None:
            raise ViolationError(
                Invariant.LOG_MATCHING,
                f"node {replica.id} appends {key} after {last}, its leader after {before}",
            )
        if self._last_epoch(replica) != epoch:
            raise ViolationError(
                Invariant.LOG_MATCHING,
                f"node {replica.id} appends {key} to epoch {self._last_epoch(replica)}, its leader to {epoch}",
            )

    def read(self, replica: Replica, batches: tuple[LogBatch, ...]) -> None:
        """A leader serves batches."""
        for batch in batches:
            if self._read.setdefault((batch.epoch, batch.base_offset), batch) is not batch:
                raise ViolationError(
                    Invariant.LOG_MATCHING,
                    f"node {replica.id} serves another batch of epoch {batch.epoch} at {batch.base_offset}",
                )

    def truncated(self, replica: Replica, end_offset: int) -> None:
        """A replica is about to cut off the end of its log.

        A voter's copy may be one of those that make a record committed. An observer's never is: the leader of an epoch
        that is over, and that committed nothing, may still make an observer cut off records that a later leader made
        good. An observer must only keep the records that were reported to it as committed.
        """
        for batch in replica.disk.log.batches_from(end_offset):
            if batch.base_offset < end_offset or not self._commits.is_committed(batch):
                continue
            if replica.core.is_voter or batch.base_offset < replica.high_watermark:
                raise ViolationError(
                    Invariant.DURABILITY,
                    f"node {replica.id} truncates to {end_offset}, but {batch} is committed",
                )

    def chain_holds(self, epoch: int, start_offset: int, batch: LogBatch) -> bool:
        """Whether the log with which the leader of an epoch started had a batch."""
        before = self._before.get((epoch, start_offset), (None, 0))[0]
        while before is not None and before.base_offset > batch.base_offset:
            before = self._before[(before.epoch, before.base_offset)][0]
        return before is None or before is batch

    def _check_is_ready(self, leader: Replica, key: ReplicaKey) -> None:
        """Check that everything that a new voter does not have was appended a short time ago."""
        disk = leader.world.disk_of(key)
        end_offset = 0 if disk is None else disk.durable.end_offset
        missing = next((each for each in leader.disk.log.batches if each.base_offset >= end_offset), None)
        if missing is None:
            return
        since_us = self._appended_at.get((missing.epoch, missing.base_offset), leader.world.now)
        lag_ms = (leader.world.now - since_us) // 1000
        if lag_ms > READY_FETCH_TIMEOUTS * leader.world.options.fetch_timeout_ms:
            raise ViolationError(
                Invariant.NEW_VOTER_IS_READY,
                f"node {leader.id} adds {key.id}, which lacks what was appended {lag_ms} ms ago",
            )

    @staticmethod
    def _last_epoch(replica: Replica) -> int:
        last = replica.disk.log.last
        if last is not None:
            return last.epoch
        latest = replica.disk.latest_snapshot
        return latest.id.epoch if latest is not None else 0

    def _check_voters(self, replica: Replica, batch: LogBatch, voters: VoterSet) -> None:
        offset, before = replica.recorded_voters()
        old, new = _keys(before), _keys(voters)
        if offset is None:
            if [key.id for key in old] != [key.id for key in new]:
                raise ViolationError(Invariant.ONE_VOTER_CHANGE, f"static {old} become {new}")
            return
        for key in new:
            if key.id not in replica.world.replicas:
                raise ViolationError(Invariant.NOTHING_FORGED, f"node {replica.id} makes {key} a voter")
            if key not in old:
                self._check_is_ready(replica, key)
        changed = [key for key in old if key not in new] + [key for key in new if key not in old]
        if not changed:
            return
        what = f"node {replica.id} at {batch.base_offset}: {old} become {new}"
        if len(changed) > 1:
            raise ViolationError(Invariant.ONE_VOTER_CHANGE, what)
        if replica.led_high_watermark <= offset or replica.led_epoch != batch.epoch:
            raise ViolationError(
                Invariant.ONE_VOTER_CHANGE, f"{what}; those of offset {offset} are not committed"
            )


FORGED = b"forged"
"""Content of batches that an unknown node serves."""

READY_FETCH_TIMEOUTS = 4
"""Three by the leader's clock, which may be slow."""

LogBatchKey = tuple[int, int]
"""Epoch and base offset."""


def _keys(voters: VoterSet) -> list[ReplicaKey]:
    return [voter.key for voter in voters.voters]
