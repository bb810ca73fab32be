"""Cleaning a metadata log's directory: what the limits say goes, and the Raft core is told.

Tests: `shell.quorum.metadata_log`.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass, field

import pytest
import trio

from kafkaproto.snapshot import SnapshotId, build_snapshot
from kafkaproto_server.base.types import METADATA_TOPIC_ID
from kafkaproto_server.core.raft.values.events import LogStartMoved
from kafkaproto_server.shell.process.io_workers import IoWorkers
from kafkaproto_server.shell.quorum.disk_worker import DiskFailureError, DiskWorker
from kafkaproto_server.shell.quorum.image.log_cleaning import MetadataLogCleaner
from kafkaproto_server.shell.quorum.log_tail import LogTail
from kafkaproto_server.shell.quorum.metadata_log import MetadataLog, QuorumStorage
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.retention import RetentionLimits
from kafkaproto_server.shell.storage.metadata.quorum_state_file import QuorumStateFile
from kafkaproto_server.shell.storage.metadata.snapshot_file import SnapshotStore
from tests.shell.storage.support.helpers import ScriptedClock, SeededRng, batch, batches_of, read_all
from tests.sim.disk import MemoryDisk

pytestmark = pytest.mark.trio

DIRECTORY = "/data/log"
WAIT_S = 10.0
BATCH_BYTES = len(batch(0))
CONFIG = LogConfig(segment_bytes=3 * BATCH_BYTES, segment_index_bytes=1024)
NOW_MS = 1_000_000


@dataclass
class Harness:
    """Ten batches in segments of three, snapshots to 4 and to 8."""

    limits: RetentionLimits
    disk: MemoryDisk = field(default_factory=MemoryDisk)
    moved: list[LogStartMoved] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.log = Log.open(self.disk, DIRECTORY, topic_id=METADATA_TOPIC_ID, config=CONFIG)
        self.log.append([batch(offset) for offset in range(10)])
        self.log.sync()
        self.store = SnapshotStore(self.disk, DIRECTORY)
        for end_offset, timestamp_ms in ((4, NOW_MS - 2000), (8, NOW_MS - 1000)):
            writer = self.store.create(SnapshotId(epoch=1, end_offset=end_offset), SeededRng().uuid)
            for part in build_snapshot(
                [], epoch=1, timestamp_ms=1, last_contained_log_timestamp=timestamp_ms
            ):
                writer.append(part)
            writer.freeze()
        self.announcing = trio.Lock()
        self.workers = IoWorkers(threads=1)
        self.quorum_state_file = QuorumStateFile(self.disk, DIRECTORY)
        self.worker = DiskWorker(
            workers=self.workers,
            log=self.log,
            quorum_state_file=self.quorum_state_file,
            snapshots=self.store,
            report=lambda report: None,
        )
        self.cleaner = MetadataLogCleaner(
            log=MetadataLog(
                storage=QuorumStorage(
                    disk=self.disk,
                    log=self.log,
                    snapshots=self.store,
                    quorum_state_file=self.quorum_state_file,
                    max_bytes_between_snapshots=1,
                    max_snapshot_interval_ms=0,
                    retention=self.limits,
                ),
                worker=self.worker,
                tail=LogTail(end_offset=self.log.log_end_offset),
            ),
            clock=ScriptedClock([NOW_MS] * 100),
            announcing=self.announcing,
            moved=self.moved.append,
        )

    async def clean(self) -> None:
        with trio.fail_after(WAIT_S):
            async with trio.open_nursery() as nursery:
                await nursery.start(self.workers.run)
                await self.cleaner.clean()
                nursery.cancel_scope.cancel()

    def ends(self) -> list[int]:
        return [each.end_offset for each in self.store.ids()]

    def deleted(self) -> list[str]:
        return [name for name in self.disk.list_directory(DIRECTORY) if name.endswith(".deleted")]


UNLIMITED = RetentionLimits(max_bytes=-1, max_age_ms=-1)
TOO_OLD = RetentionLimits(max_bytes=-1, max_age_ms=1500)
TOO_MUCH = RetentionLimits(max_bytes=0, max_age_ms=-1)


async def test_within_the_limits_nothing_changes() -> None:
    harness = Harness(UNLIMITED)
    await harness.clean()
    assert harness.moved == []
    assert harness.ends() == [4, 8]
    assert harness.log.log_start_offset == 0


@pytest.mark.parametrize("limits", [TOO_OLD, TOO_MUCH])
async def test_beyond_them_the_log_starts_where_a_newer_snapshot_ends(limits: RetentionLimits) -> None:
    harness = Harness(limits)
    await harness.clean()
    assert harness.moved == [LogStartMoved(log_start_offset=8)]
    assert harness.ends() == [8]
    assert harness.log.log_start_offset == 8
    assert batches_of(read_all(harness.log)) == [(8, 1), (9, 1)]
    assert harness.deleted() == []
    names = [name for name in harness.disk.list_directory(DIRECTORY) if name.endswith(".log")]
    assert names == [f"{base:020}.log" for base in (6, 9)]
    await harness.clean()
    assert len(harness.moved) == 1


async def test_cleaning_waits_until_a_new_snapshot_was_announced() -> None:
    harness = Harness(TOO_OLD)
    with trio.fail_after(WAIT_S):
        async with trio.open_nursery() as nursery:
            await nursery.start(harness.workers.run)
            async with harness.announcing:
                nursery.start_soon(harness.cleaner.clean)
                await trio.sleep(0.05)
                assert harness.ends() == [4, 8]
            while not harness.moved:
                await trio.sleep(0.001)
            nursery.cancel_scope.cancel()


async def test_it_comes_every_minute(autojump_clock: trio.testing.MockClock) -> None:
    harness = Harness(TOO_OLD)
    async with trio.open_nursery() as nursery:
        await nursery.start(harness.workers.run)
        nursery.start_soon(harness.cleaner.run)
        await trio.sleep(59)
        assert harness.moved == []
        while not harness.moved:
            await trio.sleep(1)
        nursery.cancel_scope.cancel()


async def test_an_old_snapshot_that_cannot_be_read_stays_until_there_is_too_much() -> None:
    for limits, ends in ((TOO_OLD, [4, 8]), (TOO_MUCH, [8])):
        harness = Harness(limits)
        path = harness.store.path(SnapshotId(epoch=1, end_offset=4))
        harness.disk.remove(path)
        file = harness.disk.open(path, create=True)
        file.append([b"rubbish"])
        await harness.clean()
        assert harness.ends() == ends


async def test_a_log_that_cannot_be_changed_ends_the_node() -> None:
    harness = Harness(TOO_OLD)
    harness.disk.fail("rename", f"{0:020}.log", errno.EIO)
    with pytest.RaisesGroup(DiskFailureError, allow_unwrapped=True, flatten_subgroups=True):
        await harness.clean()
    assert harness.moved == []


@pytest.mark.parametrize(
    ("operation", "path"),
    [
        ("rename", f"{4:020}-{1:010}.checkpoint"),
        ("remove", ".deleted"),
        ("read", f"{4:020}-{1:010}.checkpoint"),
    ],
)
async def test_what_else_the_disk_refuses_is_tried_again_next_time(
    operation: str, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    harness = Harness(TOO_OLD)
    harness.disk.fail(operation, path, errno.EIO)
    await harness.clean()
    assert f"{operation} failed: " in caplog.text
    await harness.clean()
    assert harness.moved == [LogStartMoved(log_start_offset=8)]
    assert harness.log.log_start_offset == 8
    assert harness.deleted() == []
