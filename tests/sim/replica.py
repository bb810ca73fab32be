"""One node of the quorum: its Raft core, and a driver that does what ``core.raft.values.effects`` asks of drivers.

Its controller is only a counter of offsets that appends what clients send; its state machine is a digest.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from kafkaproto_server.base.types import OffsetAndEpoch, ReplicaKey
from kafkaproto_server.core.raft.model.states import Leader, State, StateName
from kafkaproto_server.core.raft.node import RaftNode
from kafkaproto_server.core.raft.values.config import RaftConfig
from kafkaproto_server.core.raft.values.control import KRaftVoters
from kafkaproto_server.core.raft.values.effects import (
    AppendRefusal,
    AppendRefused,
    BecameLeader,
    ClaimRefused,
    ControlBatchAppended,
    Effects,
    HighWatermarkAdvanced,
    LeaderChanged,
    LeadershipLost,
    PendingBatch,
    SendRequest,
    SendResponse,
    ShutdownCompleted,
    TruncateLog,
    VotersChanged,
)
from kafkaproto_server.core.raft.values.events import (
    AppendRequested,
    Event,
    Persisted,
    ResignRequested,
    ShutdownRequested,
    SnapshotCreated,
    Tick,
)
from kafkaproto_server.core.raft.values.voters import VoterSet
from tests.sim.checkers.invariants import Invariant, ViolationError
from tests.sim.network import Flight
from tests.sim.replica_disk import Entry, LogStep, ReplicaDisk
from tests.sim.replica_log import LogBatch, log_batch
from tests.sim.snapshots import Snapshot, next_digest

if TYPE_CHECKING:
    from tests.sim.world import World

SPIN_LIMIT = 200
"""If this many ticks in a row leave the deadline in the past, the replica is in a loop without end."""


class ReplicaRng:
    """``ports.Rng`` for one life."""

    def __init__(self, seed: str) -> None:
        self._rng = random.Random(seed)

    def below(self, limit: int) -> int:
        """An integer from 0 to ``limit`` - 1."""
        return int(self._rng.random() * limit)

    def uuid(self) -> bytes:
        """16 random bytes."""
        return self._rng.randbytes(16)


class Append:
    """Records that a client gave to an active controller."""

    __slots__ = ("asked_at", "end_offset", "offset", "records")

    def __init__(self, offset: int, records: tuple[bytes, ...], asked_at: int) -> None:
        self.offset = offset
        self.end_offset = offset + len(records)
        self.records = records
        self.asked_at = asked_at


class Replica:
    """One node over all its lives."""

    tellers: ClassVar[dict[type, Callable[[Any, Any], None]]]
    """For each kind of notice, the method that handles it."""

    def __init__(
        self,
        world: World,
        node_id: int,
        disk: ReplicaDisk,
        configure: Callable[[Replica], RaftConfig],
        *,
        can_be_voter: bool,
    ) -> None:
        self.world = world
        self.id = node_id
        self.disk = disk
        self._configure = configure
        self.can_be_voter = can_be_voter
        self.port = 9000 + node_id
        self.life = 0
        self.is_up = False
        self.is_host_down = False
        self.is_paused = False
        self.is_stopping = False
        self.has_stalled_disk = False
        self.fails_next_sync = False
        self.clock_rate = 1000
        self._clock_base_ms = 1000 * node_id
        self.inbox: list[tuple[Callable[[Any], None], Any]] = []
        self.flights: dict[int, Flight] = {}
        self.busy_lanes: set[tuple[str, int, bool]] = set()
        self.serving: dict[int, tuple[Flight, int]] = {}
        self.requests_served = 0
        self.core: RaftNode
        self.state: State | None = None
        self._begin_life()

    def _begin_life(self) -> None:
        self.flights = {}
        self.busy_lanes = set()
        self.serving = {}
        self.inbox = []
        self.is_paused = self.is_stopping = self.fails_next_sync = False
        self.state = None
        self.state_since = 0
        self.high_watermark = -1
        latest = self.disk.latest_snapshot
        self.applied_offset = latest.id.offset if latest is not None else 0
        self.digest = latest.digest if latest is not None else 0
        self.led_epoch = -1
        """The last epoch in which it reported a high watermark as leader, ..."""
        self.led_high_watermark = -1
        """... and that high watermark."""
        self.removed_at: int | None = None
        """The offset at which the log removed it from the voters in this life, unless it became a voter again."""
        self.controller_epoch: int | None = None
        self._controller_start = 0
        self._next_offset = 0
        self._moved_on = (-1, 0)
        self._appends: deque[Append] = deque()
        self._wake_at: int | None = None
        self._spins = 0
        self._is_delivering = False
        self._writes_snapshot = False

    # -- life ----------------------------------------------------------------------------------------------------

    @property
    def key(self) -> ReplicaKey:
        """Its replica key: node id and the directory id that it has now."""
        return ReplicaKey(id=self.id, directory_id=self.disk.directory_id)

    def start(self) -> None:
        """Begin a life from what is durable."""
        assert not self.is_up, f"node {self.id} is up"
        self.life += 1
        self.is_up = True
        self.is_host_down = False
        opened = self.disk.recover()
        self._begin_life()
        if self.disk.election is not None:
            self.world.elections.persisted(self, self.disk.election)
        rng = ReplicaRng(f"{self.world.seed} {self.id} {self.life}")
        self.core = RaftNode(self._configure(self), rng)
        self.leader_seen_ms = self.now_ms()
        self.handle(opened)

    def crash(self) -> None:
        """End the process, without notice."""
        self.disk.crash(self.world.rng)
        self._end()

    def _end(self) -> None:
        self.is_up = False
        self.world.network.process_died(self)
        if self.controller_epoch is not None:
            self._lose_appends()
        self._begin_life()

    def stop(self) -> None:
        """End the process after everything was written."""
        self.crash()

    def ask_to_stop(self) -> None:
        """Begin a graceful shutdown."""
        self.is_stopping = True
        self.handle(ShutdownRequested())

    def resign(self) -> None:
        """Let the active controller give up on its epoch."""
        assert self.controller_epoch is not None
        self.handle(ResignRequested(epoch=self.controller_epoch))

    @property
    def leading(self) -> Leader | None:
        """Its state as a leader. A leader may report something and give up leadership in one turn."""
        for state in (self.core.state, self.state):
            if isinstance(state, Leader):
                return state
        return None

    def now_ms(self) -> int:
        """Its monotonic clock."""
        return self._clock_base_ms + self.world.now * self.clock_rate // 1_000_000

    def set_clock_rate(self, rate: int) -> None:
        """Let the clock run at so many thousandths of true speed; it does not jump."""
        now_ms = self.now_ms()
        self.clock_rate = rate
        self._clock_base_ms += now_ms - self.now_ms() + 1

    def jump_clock(self, jump_ms: int) -> None:
        """Let the clock jump forward."""
        self._clock_base_ms += jump_ms
        self._wake(self.world.now)

    def pause(self) -> None:
        """Stop the process, while time and the network continue."""
        self.is_paused = True

    def resume(self) -> None:
        """Resume after a pause: everything that arrived meanwhile comes at once."""
        self.is_paused = False
        inbox, self.inbox = self.inbox, []
        for act, argument in inbox:
            self.world.after(0, act, argument)
        self._wake_at = None
        self._schedule_wake()

    # -- the driver's loop ---------------------------------------------------------------------------------------

    def handle(self, event: Event) -> None:
        """Let the core handle one event, and apply its effects."""
        world = self.world
        core = self.core
        if world.trace is not None:
            world.trace.event(self, event)
        core.handle(event, self._clock_base_ms + world.now * self.clock_rate // 1_000_000)
        effects = core.take_effects()
        if effects is not None:
            if world.trace is not None:
                world.trace.effects(self, effects)
            self._obey(effects)
        if core.follows_live_leader(self.now_ms()):
            self.leader_seen_ms = self.now_ms()
        state = core.state
        if state is not self.state:
            old, self.state = self.state, state
            self.state_since = world.now
            world.elections.state_changed(self, old, state)
            world.on_state_changed(self)
            if state.name is StateName.LEADER:
                world.commits.elected(self, state.epoch)
        if self.is_up:
            self._schedule_wake()

    def _obey(self, effects: Effects) -> None:
        must_wait = bool(effects.notify_after_persist)
        if effects.writes or effects.election_state is not None:
            self.disk.submit(Entry(effects, self._steps(effects)))
            if effects.writes:
                self._check_log_end(effects)
        elif must_wait and (self.disk.queue or self.disk.working or self._is_delivering):
            self.disk.submit(Entry(effects, []))
        else:
            for notice in effects.notify_now:
                self.tellers[type(notice)](self, notice)
            for later in effects.notify_after_persist:
                self.tellers[type(later)](self, later)
            return
        for notice in effects.notify_now:
            self.tellers[type(notice)](self, notice)
        self._maybe_work()

    def _steps(self, effects: Effects) -> list[LogStep]:
        """What the disk has to write; readers see batches and truncations at once."""
        steps: list[LogStep] = []
        logs = self.world.logs
        log = self.disk.log
        for write in effects.writes:
            if type(write) is PendingBatch:
                batch = log_batch(write, self.world.next_serial())
                self.world.elections.leads(batch.epoch, self.id)
                logs.appended_by_leader(self, batch)
                log.append(batch)
                steps.append(batch)
                continue
            if type(write) is LogBatch:
                logs.appended_by_follower(self, write)
                was_voter = bool(write.control) and self.recorded_voters()[1].is_voter(self.key)
                log.append(write)
                if was_voter and not self.recorded_voters()[1].is_voter(self.key):
                    self.removed_at = write.base_offset
                elif write.control and self.recorded_voters()[1].is_voter(self.key):
                    self.removed_at = None
            elif type(write) is TruncateLog:
                logs.truncated(self, write.end_offset)
                log.truncate_to(write.end_offset)
                if self.removed_at is not None and self.removed_at >= write.end_offset:
                    self.removed_at = None
            steps.append(write)  # type: ignore[arg-type]
        return steps

    def _check_log_end(self, effects: Effects) -> None:
        if self.core.log_end_offset != self.disk.log.end_offset:
            raise ViolationError(
                Invariant.NO_ILLEGAL_STATE,
                f"node {self.id}: the log ends at {self.disk.log.end_offset}, its core believes "
                f"{self.core.log_end_offset} after effects {effects.number}",
            )

    # -- time ----------------------------------------------------------------------------------------------------

    def _schedule_wake(self) -> None:
        deadline_ms = self.core.next_deadline_ms()
        if deadline_ms is None:
            return
        wait_ms = deadline_ms - self._clock_base_ms
        at = -(-wait_ms * 1_000_000 // self.clock_rate)
        world = self.world
        if at < world.now:
            at = world.now
        slop_ms = world.options.late_timers_ms
        if slop_ms and not world.network.is_healed:
            at += int(world.rng.random() * slop_ms * 1000)
        if self._wake_at is None or at < self._wake_at:
            self._wake(at)

    def _wake(self, at: int) -> None:
        self._wake_at = at
        self.world.at(at, self._woken, (self.life, at))

    def _woken(self, due: tuple[int, int]) -> None:
        life, at = due
        if life != self.life or at != self._wake_at or self.is_paused or not self.is_up:
            self.world.idle += 1
            return
        self._wake_at = None
        deadline_ms = self.core.next_deadline_ms()
        if deadline_ms is None or deadline_ms > self.now_ms():
            self.world.idle += 1
            self._schedule_wake()
            return
        self._spins += 1
        if self._spins > SPIN_LIMIT:
            raise ViolationError(Invariant.BOUNDED_WORK, f"node {self.id} ticks at {deadline_ms} without end")
        self.handle(Tick())
        next_ms = self.core.next_deadline_ms()
        if next_ms is None or next_ms > deadline_ms:
            self._spins = 0

    # -- the disk ------------------------------------------------------------------------------------------------

    def _maybe_work(self) -> None:
        disk = self.disk
        if disk.queue and not disk.working and not self.has_stalled_disk:
            disk.begin()
            self.world.after(self.world.sync_us(), self._synced, self.life)

    def unstall(self) -> None:
        """Let a disk that hung resume."""
        self.has_stalled_disk = False
        if self.is_up:
            if self.disk.working:
                self.world.after(0, self._synced, self.life)
            else:
                self._maybe_work()

    def _synced(self, life: int) -> None:
        disk = self.disk
        if life != self.life or not self.is_up or self.has_stalled_disk or not disk.working:
            return
        if self.is_paused:
            self.inbox.append((self._synced, life))
            return
        if self.fails_next_sync:
            self.world.failed_sync(self)
            return
        entries = disk.working
        # Notices about a snapshot come after those that waited for the writes before it.
        self._is_delivering = True
        for event in disk.finish():
            self._hear_of_snapshot(event)
        self._is_delivering = False
        for entry in entries:
            written = entry.effects.election_state
            if written is not None:
                self.world.elections.persisted(self, written.state)
                if self.world.on_election_written(self):
                    return
        self._deliver(entries)
        if self.is_up:
            self._maybe_work()

    def _deliver(self, entries: list[Entry]) -> None:
        """Send what waited for the disk, and tell the core that it is durable: at each entry, or once."""
        is_joint = self.world.options.joint_persisted
        newest = 0
        self._is_delivering = True
        for entry in entries:
            effects = entry.effects
            for notice in effects.notify_after_persist:
                self.tellers[type(notice)](self, notice)
            if effects.must_persist:
                newest = effects.number
                if not is_joint:
                    self.handle(Persisted(number=newest))
        if is_joint and newest:
            self.handle(Persisted(number=newest))
        self._is_delivering = False

    def _hear_of_snapshot(self, event: Event) -> None:
        latest = self.disk.latest_snapshot
        if latest is not None and latest.id.offset > self.applied_offset:
            self.applied_offset = latest.id.offset
            self.digest = latest.digest
            self.world.commits.snapshot_taken(self, latest)
        self.handle(event)

    # -- what the core tells -------------------------------------------------------------------------------------

    def _tell_request(self, notice: SendRequest) -> None:
        self.world.network.send(self, notice)

    def _tell_response(self, notice: SendResponse) -> None:
        self.world.network.answer(self, notice)

    def _tell_high_watermark(self, notice: HighWatermarkAdvanced) -> None:
        offset = notice.offset
        commits = self.world.commits
        commits.advanced(self, offset)
        self.high_watermark = offset
        led = self.leading
        if led is not None:
            self.led_epoch = led.epoch
            self.led_high_watermark = offset
            self._check_leader_is_voter(offset)
        if offset > self.applied_offset:
            digest = self.digest
            applied = self.applied_offset
            for batch in self.disk.log.batches_from(applied):
                if batch.base_offset < applied:
                    continue
                if batch.next_offset > offset:
                    break
                digest = next_digest(digest, batch.payload)
                applied = batch.next_offset
            self.applied_offset = applied
            self.digest = digest
            commits.applied(self)
        appends = self._appends
        while appends and appends[0].end_offset <= offset:
            append = appends.popleft()
            commits.acknowledge(self, append.offset, append.records)
            self.world.acknowledged(append)

    def _check_leader_is_voter(self, high_watermark: int) -> None:
        """A leader that is no voter continues to lead only until its removal is committed."""
        if self.core.state.name is StateName.LEADER and not self.core.is_voter:
            since = self.voter_sets()[-1][0]
            if since < high_watermark:
                raise ViolationError(
                    Invariant.VALID_ROLES,
                    f"node {self.id} leads on, {since} removed it, {high_watermark} is committed",
                )

    def _tell_leadership_lost(self, notice: LeadershipLost) -> None:
        if self.controller_epoch == notice.epoch:
            self._lose_appends()

    def _lose_appends(self) -> None:
        self.controller_epoch = None
        self._appends.clear()

    def _tell_control_batch(self, notice: ControlBatchAppended) -> None:
        if self.controller_epoch == notice.epoch:
            assert notice.next_offset > self._next_offset, f"{notice} moves back from {self._next_offset}"
            self._next_offset = notice.next_offset
        self._moved_on = (notice.epoch, notice.next_offset)

    def _tell_refused(self, notice: AppendRefused) -> None:
        if notice.reason is AppendRefusal.BATCH_TOO_LARGE and self.controller_epoch == notice.epoch:
            assert self._appends, f"{notice} refuses what nobody asked for"
            refused = self._appends.pop()
            assert refused.offset == notice.base_offset, f"{notice} is not about the latest append"
            self._next_offset = refused.offset

    def _tell_became_leader(self, notice: BecameLeader) -> None:
        self.world.elections.told_to_lead(self, notice.epoch)
        if self.core.state.name is not StateName.LEADER or self.core.state.epoch != notice.epoch:
            return
        self.controller_epoch = notice.epoch
        self._controller_start = notice.epoch_start_offset
        epoch, offset = self._moved_on
        self._next_offset = max(notice.next_offset, offset) if epoch == notice.epoch else notice.next_offset

    def _tell_shutdown_completed(self, _: ShutdownCompleted) -> None:
        self.world.after(0, self.world.stopped, (self, self.life))

    def _tell_nothing(self, _: LeaderChanged | VotersChanged | ClaimRefused) -> None:
        """Only a real controller or broker would use this notice."""

    # -- the controller half -------------------------------------------------------------------------------------

    @property
    def is_active(self) -> bool:
        """Whether its controller takes appends."""
        return self.controller_epoch is not None and self.high_watermark > self._controller_start

    def append(self, records: tuple[bytes, ...], *, is_atomic: bool) -> Append:
        """Let the active controller append records; they are acknowledged once committed."""
        assert self.controller_epoch is not None
        append = Append(self._next_offset, records, self.world.now)
        self._next_offset = append.end_offset
        self._appends.append(append)
        self.handle(
            AppendRequested(
                epoch=self.controller_epoch, base_offset=append.offset, records=records, atomic=is_atomic
            )
        )
        return append

    def append_to_former_epoch(self) -> None:
        """Let a controller that did not notice the end of its epoch append; the append is refused and has no effect."""
        assert self.controller_epoch is not None
        self.handle(AppendRequested(epoch=self.controller_epoch - 1, base_offset=0, records=(b"late",)))

    def look(self) -> None:
        """Ask for what metrics and DescribeQuorum show; they have to agree with what happened."""
        now_ms = self.now_ms()
        statistics = self.core.statistics()
        self.core.describe_quorum(now_ms, now_ms + 1_700_000_000_000)
        assert self.state is not None
        assert statistics.current_epoch == self.state.epoch, f"{statistics} of {self.state}"
        assert statistics.log_end_offset == self.disk.log.end_offset, (
            f"{statistics} of {self.disk.log.end_offset}"
        )

    def voter_sets(self) -> list[tuple[int, VoterSet]]:
        """Voter sets on this disk by the offsets of their records, ascending."""
        return [
            (recorded.offset, recorded.record.voters)
            for recorded in self.disk.control_records()
            if isinstance(recorded.record, KRaftVoters)
        ]

    def recorded_voters(self) -> tuple[int | None, VoterSet]:
        """Offset and content of the newest voter set on this disk; the offset is None for the static set."""
        sets = self.voter_sets()
        return sets[-1] if sets else (None, self.world.static_voters)

    @property
    def may_be_needed(self) -> bool:
        """Whether it is a voter, or its removal is not known to be committed: then it may be the only replica that can
        lead.
        """
        if self.core.is_voter:
            return True
        sets = self.voter_sets()
        if len(sets) < 2 or sets[-1][0] < self.high_watermark:
            return False
        return sets[-2][1].is_voter(self.key)

    def begin_snapshot(self) -> None:
        """Begin to write a snapshot of the state as it is now; it takes a while."""
        disk = self.disk
        latest = disk.latest_snapshot
        offset = self.applied_offset
        if self._writes_snapshot or (latest is not None and offset <= latest.id.offset) or offset == 0:
            return
        batch = disk.log.batch_with(offset - 1)
        if batch is None:
            return
        level, voters = self.core.voters_at(offset)
        snapshot = self._new_snapshot(
            OffsetAndEpoch(epoch=batch.epoch, offset=offset), level, voters if level else None
        )
        self._writes_snapshot = True
        self.world.after(5 * self.world.sync_us(), self._snapshot_written, (self.life, snapshot))

    def _new_snapshot(
        self, snapshot_id: OffsetAndEpoch, kraft_version: int, voters: VoterSet | None
    ) -> Snapshot:
        """The snapshot of the state as it is now."""
        return self.world.library.write(snapshot_id, self.digest, kraft_version, voters)

    def _snapshot_written(self, written: tuple[int, Any]) -> None:
        life, snapshot = written
        if life != self.life or not self.is_up:
            return
        if self.is_paused:
            self.inbox.append((self._snapshot_written, written))
            return
        self._writes_snapshot = False
        latest = self.disk.latest_snapshot
        if latest is not None and latest.id.offset >= snapshot.id.offset:
            return
        self.world.commits.snapshot_taken(self, snapshot)
        self.disk.store(snapshot)
        self.handle(SnapshotCreated(snapshot=snapshot.stored))


Replica.tellers = {
    SendRequest: Replica._tell_request,
    SendResponse: Replica._tell_response,
    HighWatermarkAdvanced: Replica._tell_high_watermark,
    LeadershipLost: Replica._tell_leadership_lost,
    ControlBatchAppended: Replica._tell_control_batch,
    AppendRefused: Replica._tell_refused,
    BecameLeader: Replica._tell_became_leader,
    ShutdownCompleted: Replica._tell_shutdown_completed,
    LeaderChanged: Replica._tell_nothing,
    VotersChanged: Replica._tell_nothing,
    ClaimRefused: Replica._tell_nothing,
}
