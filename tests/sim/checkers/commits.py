"""Checks of the committed log: it is the same for all replicas, it only grows, and it has every acknowledged append."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from kafkaproto_server.base.types import OffsetAndEpoch
from kafkaproto_server.core.raft.values.control import KRaftVersion
from kafkaproto_server.core.raft.values.voters import VoterSet
from tests.sim.checkers.invariants import Invariant, ViolationError
from tests.sim.checkers.logs import LogChecker
from tests.sim.replica_log import LogBatch
from tests.sim.snapshots import Snapshot, next_digest

if TYPE_CHECKING:
    from tests.sim.replica import Replica


class CommitChecker:
    """Sees every high watermark, every leader, every snapshot and every acknowledgement."""

    def __init__(self) -> None:
        self.logs = LogChecker(self)
        self.batches: list[LogBatch] = []
        """All committed batches, in order."""
        self._at: dict[int, LogBatch] = {}
        """The same by base offset."""
        self._digests: dict[int, int] = {0: 0}
        """By the end offset of each batch."""
        self.end_offset = 0
        self._committed_in: dict[int, int] = {}
        """By the epoch of the leader that committed, the end offset up to which it did."""
        self._epoch_starts: dict[int, int] = {}
        """By epoch, the end of the leader's log when it was elected."""
        self._latest_epoch = 0
        self._control: list[tuple[int, int, VoterSet | None]] = []
        """(offset, kraft.version, voters) as the committed log changes them."""
        self._snapshots: dict[OffsetAndEpoch, Snapshot] = {}
        self.acknowledged = 0

    def begin(self, kraft_version: int, voters: VoterSet | None) -> None:
        """The quorum was formatted like this."""
        self._control = [(-1, kraft_version, voters)]

    def is_committed(self, batch: LogBatch) -> bool:
        """Whether this very batch is committed."""
        return self._at.get(batch.base_offset) is batch

    def voters_at(self, offset: int) -> tuple[int, VoterSet | None]:
        """kraft.version and voters by the committed log below an offset."""
        index = bisect_right(self._control, offset - 1, key=lambda entry: entry[0]) - 1
        return self._control[max(index, 0)][1:]

    def latest_voters(self) -> tuple[int, VoterSet | None]:
        """Offset and content of the newest committed voter set."""
        return self._control[-1][0], self._control[-1][2]

    # -- high watermarks -----------------------------------------------------------------------------------------

    def advanced(self, replica: Replica, offset: int) -> None:
        """A replica reports a new high watermark."""
        if offset <= replica.high_watermark:
            raise ViolationError(
                Invariant.MONOTONIC_HIGH_WATERMARK,
                f"node {replica.id} from {replica.high_watermark} to {offset}",
            )
        leader = replica.leading
        if leader is None and replica.can_be_voter and replica.disk.durable.end_offset < offset:
            raise ViolationError(
                Invariant.DURABLE_BEFORE_TOLD,
                f"node {replica.id} tells high watermark {offset} before its sync",
            )
        if leader is not None:
            self._check_majority(replica, leader.epoch, offset)
        if offset > self.end_offset:
            if leader is None:
                raise ViolationError(
                    Invariant.DURABILITY, f"node {replica.id} tells {offset}, but no leader has committed it"
                )
            self._extend(replica, leader.epoch, offset)
        batch = replica.disk.log.batch_with(offset - 1)
        if batch is not None and not self.is_committed(batch):
            raise ViolationError(
                Invariant.DURABILITY, f"node {replica.id} tells {offset} over {batch}, which is not committed"
            )

    def _check_majority(self, leader: Replica, epoch: int, offset: int) -> None:
        batch = leader.disk.log.batch_with(offset - 1)
        if batch is None or batch.next_offset != offset:
            raise ViolationError(Invariant.MAJORITY_REACHED, f"{offset} is inside of {batch}")
        if batch.epoch != epoch:
            raise ViolationError(
                Invariant.MAJORITY_REACHED, f"the leader of {epoch} commits a record of {batch.epoch}"
            )
        voters = leader.core.voters.voters
        holders = 0
        for voter in voters:
            # A lost disk counts with what it held: its owner had promised that, and does not vote any more.
            disk = leader.world.disk_of(voter.key)
            if disk is not None and disk.holds_durably(batch):
                holders += 1
        if 2 * holders <= len(voters):
            raise ViolationError(
                Invariant.MAJORITY_REACHED,
                f"node {leader.id} commits {offset} in epoch {epoch}; {holders} of {len(voters)} voters hold it",
            )

    def _extend(self, leader: Replica, epoch: int, offset: int) -> None:
        for batch in leader.disk.log.batches_from(self.end_offset):
            if batch.base_offset < self.end_offset:
                continue
            if batch.base_offset >= offset:
                break
            if batch.base_offset != self.end_offset:
                raise ViolationError(
                    Invariant.DURABILITY, f"node {leader.id} commits {offset} without {self.end_offset}"
                )
            self.batches.append(batch)
            self._at[batch.base_offset] = batch
            digest = next_digest(self._digests[self.end_offset], batch.payload)
            self.end_offset = batch.next_offset
            self._digests[self.end_offset] = digest
            for recorded in batch.control:
                _, level, voters = self._control[-1]
                if isinstance(recorded.record, KRaftVersion):
                    level = recorded.record.level
                else:
                    voters = recorded.record.voters
                self._control.append((recorded.offset, level, voters))
        self._committed_in[epoch] = self.end_offset
        self._check_later_leaders(epoch)

    def _check_later_leaders(self, epoch: int) -> None:
        """A leader that was replaced and does not know it may still commit. Later leaders must have what it commits."""
        if self._latest_epoch <= epoch:
            return
        last = self.batches[-1]
        for later in self._epoch_starts:
            if later > epoch and not self.logs.chain_holds(later, self._epoch_starts[later], last):
                raise ViolationError(
                    Invariant.LEADER_COMPLETENESS, f"epoch {later} began without {last}, committed in {epoch}"
                )

    # -- leaders, snapshots, acknowledgements --------------------------------------------------------------------

    def elected(self, replica: Replica, epoch: int) -> None:
        """A replica leads; its own first batch may be in its log already."""
        committed = max((end for older, end in self._committed_in.items() if older < epoch), default=0)
        batch = self._at_end(committed)
        log = replica.disk.log
        if log.end_offset < committed or (batch is not None and not log.holds(batch)):
            raise ViolationError(
                Invariant.LEADER_COMPLETENESS,
                f"node {replica.id} leads {epoch} with a log to {log.end_offset}; {committed} is committed",
            )
        first = log.last
        start = first.base_offset if first is not None and first.epoch == epoch else log.end_offset
        self._epoch_starts.setdefault(epoch, start)
        self._latest_epoch = max(self._latest_epoch, epoch)

    def _at_end(self, end_offset: int) -> LogBatch | None:
        index = bisect_right(self.batches, end_offset - 1, key=lambda batch: batch.base_offset) - 1
        return self.batches[index] if end_offset > 0 else None

    def applied(self, replica: Replica) -> None:
        """A replica's state machine applied more of the log."""
        expected = self._digests.get(replica.applied_offset)
        if replica.digest != expected:
            raise ViolationError(
                Invariant.STATE_MACHINE_SAFETY,
                f"node {replica.id} at {replica.applied_offset} has {replica.digest}, the log {expected}",
            )

    def snapshot_taken(self, replica: Replica, snapshot: Snapshot) -> None:
        """A replica has a snapshot, its own or a fetched one."""
        offset = snapshot.id.offset
        what = f"node {replica.id} has snapshot {snapshot.id}"
        if offset > self.end_offset:
            raise ViolationError(Invariant.SNAPSHOT_EQUALITY, f"{what}, committed is {self.end_offset}")
        batch = self._at_end(offset)
        if batch is None or batch.next_offset != offset or batch.epoch != snapshot.id.epoch:
            raise ViolationError(Invariant.SNAPSHOT_EQUALITY, f"{what}, the log has {batch} there")
        if snapshot.digest != self._digests[offset]:
            raise ViolationError(Invariant.SNAPSHOT_EQUALITY, f"{what} of another state than the log's")
        if (snapshot.kraft_version, snapshot.voters) != self.voters_at(offset) and snapshot.kraft_version > 0:
            raise ViolationError(Invariant.SNAPSHOT_EQUALITY, f"{what} of voters {snapshot.voters}")
        if snapshot.kraft_version != self.voters_at(offset)[0]:
            raise ViolationError(
                Invariant.SNAPSHOT_EQUALITY, f"{what} of kraft.version {snapshot.kraft_version}"
            )
        if self._snapshots.setdefault(snapshot.id, snapshot) is not snapshot:
            raise ViolationError(Invariant.SNAPSHOT_EQUALITY, f"{what}, and another replica another one")

    def acknowledge(self, replica: Replica, offset: int, records: tuple[bytes, ...]) -> None:
        """A client gets the acknowledgement that its records are committed from ``offset`` on, maybe over several
        batches.
        """
        self.acknowledged += 1
        for index, record in enumerate(records):
            position = bisect_right(self.batches, offset + index, key=lambda batch: batch.base_offset) - 1
            batch = self.batches[position]
            place = offset + index - batch.base_offset
            if place >= len(batch.records) or batch.records[place] != record:
                raise ViolationError(
                    Invariant.DURABILITY,
                    f"node {replica.id} acknowledges {record!r} at {offset}, {batch} is there",
                )
