"""A node's whole disk life, with power lost at any operation, and with a disk that fails at any operation.

The life is drawn from a seed: appends, syncs, truncations, snapshots of its own and fetched ones, cleaning, restarts. A
crash may come ahead of each changing operation, and may keep much or little of what was not synced. The directory then
opens without a complaint, holds everything that was durable and not given up, and goes on.

Tests: `base.ports`, `shell.storage.deletion`.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from kafkaproto.records.batch import iterate_batches
from kafkaproto.snapshot import SnapshotId, build_snapshot
from kafkaproto_server.base.ports import Rng
from kafkaproto_server.base.types import METADATA_TOPIC_ID, ReplicaKey
from kafkaproto_server.shell.storage.deletion import remove_deleted
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.reached import find_reached
from kafkaproto_server.shell.storage.log.recovery import RecoveryPolicy
from kafkaproto_server.shell.storage.metadata.quorum_state_file import QuorumState, QuorumStateFile
from kafkaproto_server.shell.storage.metadata.reconciliation import reconcile
from kafkaproto_server.shell.storage.metadata.snapshot_file import SnapshotStore
from tests.shell.storage.support.helpers import SeededRng, batch, read_all
from tests.sim.disk import MemoryDisk, PowerLossError

DIRECTORY = "/data/log"
BATCH_BYTES = len(batch(0))
CONFIG = LogConfig(segment_bytes=3 * BATCH_BYTES, index_interval_bytes=BATCH_BYTES, segment_index_bytes=240)
STEPS = 14


@dataclass
class Life:
    """A directory in use, and what is known to be in it."""

    disk: MemoryDisk
    rng: Rng
    batches: dict[int, bytes] = field(default_factory=dict)
    """By base offset, one record each: the log's content now."""
    durable_end: int = 0
    """What lies below is synced."""
    covered_end: int = 0
    """A durable snapshot covers what lies below, so that the log may have lost it."""
    has_recovery_point: bool = False
    epoch: int = 1
    vote: int = 0
    durable_vote: int = 0

    def open(self) -> None:
        """What a node does at start; fails where the directory contradicts itself."""
        self.snapshots = SnapshotStore(self.disk, DIRECTORY)
        snapshot_end = 0
        if self.disk.exists(DIRECTORY) and (latest := self.snapshots.latest()) is not None:
            snapshot_end = latest.end_offset
        self.log = Log.open(
            self.disk,
            DIRECTORY,
            topic_id=METADATA_TOPIC_ID,
            config=CONFIG,
            policy=RecoveryPolicy(
                # Half of the lives have a checkpoint that spares reading what is durable.
                recovery_point=self.durable_end if self.has_recovery_point else 0,
                reached=find_reached(self.disk, DIRECTORY, snapshot_end),
            ),
        )
        self.snapshots.remove_leftovers()
        reconcile(self.log, self.snapshots)
        self.state_file = QuorumStateFile(self.disk, DIRECTORY)

    def step(self) -> None:
        draw = self.rng.below(12)
        if draw < 4:
            self._append()
        elif draw < 6:
            self._sync()
        else:
            steps: list[Callable[[], None]] = [
                self._truncate,
                self._own_snapshot,
                self._fetched_snapshot,
                self._clean,
                self._vote,
                self._restart,
            ]
            steps[draw - 6]()

    def _append(self) -> None:
        self.epoch += self.rng.below(2)
        new = {
            self.log.log_end_offset + index: batch(self.log.log_end_offset + index, epoch=self.epoch)
            for index in range(1 + self.rng.below(4))
        }
        self.batches |= new
        self.log.append(list(new.values()))

    def _sync(self) -> None:
        end = self.log.log_end_offset
        self.log.sync()
        self.durable_end = end

    def _truncate(self) -> None:
        lowest = max(self.log.log_start_offset, self.covered_end)
        offset = lowest + self.rng.below(max(1, self.log.log_end_offset - lowest + 1))
        self.durable_end = min(self.durable_end, offset)
        self.log.truncate_to(offset)
        self.batches = {base: data for base, data in self.batches.items() if base < offset}
        self.epoch += 1

    @staticmethod
    def snapshot_of(end_offset: int, epoch: int) -> tuple[SnapshotId, bytes]:
        """Id and bytes of a snapshot without records."""
        parts = build_snapshot([], epoch=epoch, timestamp_ms=1, last_contained_log_timestamp=1)
        return SnapshotId(end_offset=end_offset, epoch=epoch), b"".join(parts)

    def _own_snapshot(self) -> None:
        """Of everything that is durable, if that is more than the newest snapshot has."""
        if self.durable_end <= self.covered_end or self.durable_end <= self.log.log_start_offset:
            return
        epoch = self.log.epoch_at(self.durable_end - 1)
        assert epoch is not None
        snapshot_id, data = self.snapshot_of(self.durable_end, epoch)
        writer = self.snapshots.create(snapshot_id, self.rng.uuid)
        writer.append(data)
        writer.freeze()
        self.covered_end = self.durable_end

    def _fetched_snapshot(self) -> None:
        end_offset = self.log.log_end_offset + 1 + self.rng.below(5)
        self.epoch += 1
        snapshot_id, data = self.snapshot_of(end_offset, self.epoch)
        for position in range(0, len(data), 60):
            self.snapshots.write_part(snapshot_id, position, data[position : position + 60])
        self.snapshots.complete_part(snapshot_id)
        self.covered_end = end_offset
        self.log.truncate_fully_to(end_offset)
        self.batches = {}
        self.durable_end = end_offset

    def _clean(self) -> None:
        if self.covered_end > self.log.log_start_offset and self.covered_end <= self.log.log_end_offset:
            self.log.move_start_to(self.covered_end)
            self.snapshots.delete_before(self.covered_end)
            remove_deleted(self.disk, DIRECTORY)

    def _vote(self) -> None:
        self.vote += 1
        voted = ReplicaKey(id=self.vote, directory_id=None)
        self.state_file.write(QuorumState(leader_id=-1, leader_epoch=self.vote, voted=voted, data_version=0))
        self.durable_vote = self.vote

    def _restart(self) -> None:
        self.log.close()
        self.durable_end = self.log.log_end_offset
        self.open()

    def check(self) -> None:
        """After a crash and a new start: nothing durable is missing, and nothing is there that never was."""
        log = self.log
        latest = self.snapshots.latest()
        covered = 0 if latest is None else latest.end_offset
        assert covered >= self.covered_end, "a durable snapshot is gone"
        assert covered >= log.log_start_offset, "the log's beginning is in no snapshot"
        assert max(log.log_end_offset, covered) >= self.durable_end, "durable records are gone"
        for view in iterate_batches(read_all(log)):
            assert self.batches.get(view.base_offset, bytes(view.raw)) == bytes(view.raw)
            assert view.base_offset in self.batches
        if log.log_start_offset > 0 and log.log_end_offset > covered:
            assert log.log_start_offset <= covered
        state = self.state_file.read()
        assert (0 if state is None else state.leader_epoch) in (self.durable_vote, self.vote)
        for snapshot_id in self.snapshots.ids():
            list(self.snapshots.read(snapshot_id))

    def go_on(self) -> None:
        """The directory can be used as if nothing had been, and what comes then is durable."""
        end = self.log.log_end_offset
        self.log.append([batch(end, epoch=self.epoch + 1)])
        self.log.close()
        self.open()
        assert self.log.log_end_offset == end + 1
        self.log.close()


def live(disk: MemoryDisk, seed: int) -> Life:
    """A life until its end or its disk's."""
    life = Life(disk, SeededRng(seed), has_recovery_point=seed % 2 == 1)
    with suppress(PowerLossError):
        life.open()
        for _ in range(STEPS):
            life.step()
    return life


def live_until_failure(disk: MemoryDisk, seed: int) -> tuple[Life, OSError | None]:
    """A life, and what its disk put an end to it with."""
    life = Life(disk, SeededRng(seed), has_recovery_point=seed % 2 == 1)
    try:
        life.open()
        for _ in range(STEPS):
            life.step()
    except OSError as failure:
        return life, failure
    return life, None


@pytest.mark.parametrize("seed", range(30))
def test_power_loss_at_any_operation_loses_nothing_that_was_durable(seed: int) -> None:
    rehearsal = MemoryDisk()
    live(rehearsal, seed)
    assert rehearsal.operations > 20
    for operation in range(rehearsal.operations):
        disk = MemoryDisk()
        disk.crash_before = operation
        life = live(disk, seed)
        disk.crash(SeededRng(1000 * seed + operation))
        life.open()
        life.check()
        life.go_on()


def test_a_last_segment_cut_at_any_byte_of_its_last_batch_loses_that_batch_alone() -> None:
    """With older segments before it, a start that is not 0, and a snapshot that covers what is missing."""
    for cut in range(BATCH_BYTES):
        disk = MemoryDisk()
        life = Life(disk, SeededRng(0))
        life.open()
        life.log.append([batch(offset, epoch=1 + offset // 4) for offset in range(8)])
        life.log.sync()
        snapshot_id, data = life.snapshot_of(4, 1)
        writer = life.snapshots.create(snapshot_id, life.rng.uuid)
        writer.append(data)
        writer.freeze()
        life.log.move_start_to(4)
        last = disk.open(f"{DIRECTORY}/{6:020}.log")
        last.truncate(last.size() - BATCH_BYTES + cut)
        last.sync()
        life.open()
        assert (life.log.log_start_offset, life.log.log_end_offset) == (3, 7)
        assert life.log.epoch_starts == ((1, 3), (2, 4))
        assert (life.log.recovery_note is not None) == (cut > 0)
        life.go_on()


@pytest.mark.parametrize("seed", range(10))
def test_power_loss_during_the_repair_of_a_power_loss(seed: int) -> None:
    """The start after a crash may be cut short as well, again and again."""
    rehearsal = MemoryDisk()
    live(rehearsal, seed)
    rng = SeededRng(seed)
    for operation in range(0, rehearsal.operations, 3):
        disk = MemoryDisk()
        disk.crash_before = operation
        life = live(disk, seed)
        disk.crash(rng)
        for _ in range(3):
            disk.crash_before = disk.operations + rng.below(12)
            with suppress(PowerLossError):
                life.open()
            disk.crash(rng)
        life.open()
        life.check()
        life.go_on()


FAILURES = [
    (operation, error) for operation in ("write", "sync", "create", "rename", "remove", "sync_directory") for error in (
        errno.EIO, errno.ENOSPC)
]  # fmt: skip


@pytest.mark.parametrize(("operation", "error"), FAILURES)
@pytest.mark.parametrize("seed", range(4))
def test_a_disk_that_fails_at_any_time_says_what_and_where_and_loses_nothing(
    seed: int, operation: str, error: int
) -> None:
    """The n-th operation of a kind fails; the process ends there, and power with it. Nothing was told to be durable
    that is not."""
    number = 0
    while True:
        disk = _FailingDisk(operation, number, error)
        life, failure = live_until_failure(disk, seed)
        if failure is None:
            break
        assert failure.errno == error
        assert f"{operation} failed: " in str(failure)
        assert isinstance(failure.filename, str)
        assert failure.filename.startswith("/")
        disk.crash(SeededRng(number))
        life.open()
        life.check()
        life.go_on()
        number += 1
    assert number > 0 or operation == "remove"


class _FailingDisk(MemoryDisk):
    """Its n-th operation of one kind fails."""

    def __init__(self, operation: str, number: int, error: int) -> None:
        super().__init__()
        self._operation = operation
        self._left = number
        self._error = error

    def before(self, operation: str, path: str) -> None:
        if operation == self._operation:
            if self._left == 0:
                self.fail(operation, path, self._error)
            self._left -= 1
        super().before(operation, path)


@pytest.mark.parametrize("seed", range(6))
def test_a_disk_that_is_full_takes_a_part_of_a_write_and_nothing_is_lost(seed: int) -> None:
    rehearsal = MemoryDisk()
    live(rehearsal, seed)
    most = sum(
        len(rehearsal.read_file(f"{DIRECTORY}/{name}")) for name in rehearsal.list_directory(DIRECTORY)
    )
    stopped = 0
    for capacity in range(600, most, max(1, most // 40)):
        disk = MemoryDisk(capacity_bytes=capacity)
        life, failure = live_until_failure(disk, seed)
        if failure is not None:
            assert failure.errno == errno.ENOSPC
            assert "write failed: No space left on device: '/data/log/" in str(failure)
            stopped += 1
        disk.crash(SeededRng(capacity))
        disk.capacity_bytes = None
        life.open()
        life.check()
        life.go_on()
    assert stopped > 0
