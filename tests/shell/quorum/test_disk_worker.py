"""The thread that writes the metadata log's directory, on a disk in memory whose syncs can be held up.

Tests: `shell.process.threads`.
"""

from __future__ import annotations

import errno
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
import trio

from kafkaproto.records.batch import iterate_batches
from kafkaproto_server.base.types import METADATA_TOPIC_ID, OffsetAndEpoch
from kafkaproto_server.core.raft.values.control import LeaderChange
from kafkaproto_server.core.raft.values.effects import (
    DropSnapshotPart,
    InstallSnapshot,
    PendingBatch,
    TruncateLog,
    WriteElectionState,
    WriteSnapshotChunk,
)
from kafkaproto_server.core.raft.values.election_state import ElectionState
from kafkaproto_server.core.raft.values.events import SnapshotInstalled, SnapshotRejected, StoredSnapshot
from kafkaproto_server.core.raft.wire import encode_batch
from kafkaproto_server.shell.process.io_workers import IoWorkers
from kafkaproto_server.shell.quorum.disk_worker import DiskFailureError, DiskWorker, DurableRun, PersistJob
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.metadata.quorum_state_file import QuorumStateFile
from kafkaproto_server.shell.storage.metadata.snapshot_file import SnapshotStore
from tests.node.support.snapshots import snapshot_bytes
from tests.sim.disk import MemoryDisk

pytestmark = pytest.mark.trio

pytestmark = pytest.mark.trio

WAIT_S = 10.0
DIRECTORY = "/data/__cluster_metadata-0"
LOG_FILE = "00000000000000000000.log"


class HeldLog:
    """A real log that notes what is done to it, and whose syncs wait while ``gate`` is closed."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.done: list[str] = []
        self.gate = threading.Event()
        self.gate.set()
        self.is_syncing = threading.Event()

    def append(self, batches: list[bytes]) -> None:
        self.done.append(f"append {len(batches)}")
        self._log.append(batches)

    def sync(self) -> None:
        self.is_syncing.set()
        assert self.gate.wait(WAIT_S)
        self.done.append("sync")
        self._log.sync()

    def truncate_to(self, end_offset: int) -> None:
        self.done.append(f"truncate {end_offset}")
        self._log.truncate_to(end_offset)

    def __getattr__(self, name: str) -> object:
        return getattr(self._log, name)


@dataclass
class Harness:
    """A worker and what it works on."""

    disk: MemoryDisk = field(default_factory=MemoryDisk)
    reports: list[DurableRun] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.disk.make_directory("/data")
        self.log = Log.open(self.disk, DIRECTORY, topic_id=METADATA_TOPIC_ID)
        self.held = HeldLog(self.log)
        self.snapshots = SnapshotStore(self.disk, DIRECTORY)
        self.state_file = QuorumStateFile(self.disk, DIRECTORY)
        self.workers = IoWorkers(threads=1)
        self.worker = DiskWorker(
            workers=self.workers,
            log=self.held,  # type: ignore[arg-type]
            quorum_state_file=self.state_file,
            snapshots=self.snapshots,
            report=self.reports.append,
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Harness]:
        with trio.fail_after(WAIT_S):
            async with trio.open_nursery() as nursery:
                await nursery.start(self.workers.run)
                yield self
                nursery.cancel_scope.cancel()

    async def until_persisted(self, number: int) -> None:
        while not self.reports or self.reports[-1].number < number:
            await trio.sleep(0.001)

    def numbers(self) -> list[int]:
        return [report.number for report in self.reports]


def data(offset: int, epoch: int = 1) -> bytes:
    return encode_batch(PendingBatch(base_offset=offset, epoch=epoch, records=(b"record",)), 1000)


def append(number: int, offset: int, *, epoch: int = 1, must_sync: bool = True) -> PersistJob:
    return PersistJob(number=number, writes=(data(offset, epoch),), must_sync=must_sync)


def vote(epoch: int) -> WriteElectionState:
    return WriteElectionState(state=ElectionState(epoch=epoch), kraft_version=1, voter_ids=())


async def test_appends_that_wait_together_share_one_write_and_one_sync() -> None:
    async with Harness().running() as harness:
        harness.held.gate.clear()
        harness.worker.persist(append(1, 0))
        await trio.to_thread.run_sync(harness.held.is_syncing.wait)
        for offset in (1, 2, 3):
            harness.worker.persist(append(offset + 1, offset))
        harness.held.gate.set()
        await harness.until_persisted(4)
        assert harness.numbers() == [1, 4]
        assert harness.held.done == ["append 1", "sync", "append 3", "sync"]
        assert all(report.sync_ms is not None for report in harness.reports)


async def test_an_election_state_is_written_in_its_place() -> None:
    async with Harness().running() as harness:
        harness.held.gate.clear()
        harness.worker.persist(append(1, 0))
        await trio.to_thread.run_sync(harness.held.is_syncing.wait)
        harness.worker.persist(append(2, 1))
        harness.worker.persist(PersistJob(number=3, election_state=vote(5)))
        harness.worker.persist(append(4, 2))
        assert harness.state_file.read() is None
        harness.held.gate.set()
        await harness.until_persisted(4)
        assert harness.numbers() == [1, 2, 4]
        assert harness.held.done == ["append 1", "sync", "append 1", "sync", "append 1", "sync"]
        state = harness.state_file.read()
        assert state is not None
        assert state.leader_epoch == 5


async def test_what_need_not_be_durable_is_not_synced() -> None:
    async with Harness().running() as harness:
        harness.worker.persist(append(1, 0, must_sync=False))
        await harness.until_persisted(1)
        assert harness.held.done == ["append 1"]
        assert harness.reports[0].sync_ms is None


async def test_truncation_and_append_keep_their_order() -> None:
    async with Harness().running() as harness:
        harness.worker.persist(append(1, 0))
        harness.worker.persist(append(2, 1))
        harness.worker.persist(
            PersistJob(number=3, writes=(TruncateLog(end_offset=1), data(1, 2), data(2, 2)), must_sync=True)
        )
        await harness.until_persisted(3)
        assert harness.held.done[-3:] == ["truncate 1", "append 2", "sync"]
        batches = list(iterate_batches(harness.log.read(0, 1000)))
        assert [(each.base_offset, each.partition_leader_epoch) for each in batches] == [
            (0, 1),
            (1, 2),
            (2, 2),
        ]


async def test_reads_stand_in_line_behind_what_was_appended_before() -> None:
    async with Harness().running() as harness:
        found: list[bytes] = []
        harness.worker.persist(append(1, 0))
        harness.worker.call(lambda: harness.log.read(0, 1000), found.append)
        harness.worker.persist(append(2, 1))
        await harness.until_persisted(2)
        assert [len(list(iterate_batches(each))) for each in found] == [1]


@pytest.mark.parametrize(("operation", "named"), [("write", "write failed"), ("sync", "sync failed")])
async def test_a_failure_names_directory_and_operation_and_nothing_is_reported_any_more(
    operation: str, named: str
) -> None:
    harness = Harness()
    harness.disk.fail(operation, LOG_FILE, errno.EIO)
    with pytest.RaisesGroup(
        pytest.RaisesExc(DiskFailureError, match=rf"^/data/__cluster_metadata-0: {named}: .*(I/O|Input)"),
        flatten_subgroups=True,
    ):
        async with harness.running():
            harness.worker.persist(append(1, 0))
            harness.worker.persist(append(2, 1))
            await trio.sleep_forever()
    assert harness.reports == []


async def test_a_full_disk_while_voting_ends_the_worker() -> None:
    harness = Harness()
    harness.disk.fail("write", "quorum-state.tmp", errno.ENOSPC)
    with pytest.RaisesGroup(
        pytest.RaisesExc(DiskFailureError, match="write of quorum-state failed"), flatten_subgroups=True
    ):
        async with harness.running():
            harness.worker.persist(PersistJob(number=1, election_state=vote(2)))
            await trio.sleep_forever()
    assert harness.reports == []


async def test_what_was_queued_is_done_before_the_end() -> None:
    async with Harness().running() as harness:
        harness.held.gate.clear()
        harness.worker.persist(append(1, 0))
        await trio.to_thread.run_sync(harness.held.is_syncing.wait)
        harness.worker.persist(append(2, 1))
        threading.Timer(0.05, harness.held.gate.set).start()
    assert harness.held.done == ["append 1", "sync", "append 1", "sync"]


async def test_a_fetched_snapshot_becomes_the_start_of_the_log() -> None:
    snapshot = OffsetAndEpoch(offset=100, epoch=3)
    content = snapshot_bytes(epoch=3)
    async with Harness().running() as harness:
        harness.worker.persist(append(1, 0))
        for number, position in ((2, 0), (3, 50)):
            piece = content[:50] if position == 0 else content[50:]
            chunk = WriteSnapshotChunk(snapshot=snapshot, position=position, data=piece)
            harness.worker.persist(PersistJob(number=number, writes=(chunk,)))
        install = InstallSnapshot(snapshot=snapshot, size=len(content))
        harness.worker.persist(PersistJob(number=4, writes=(install,), must_sync=True))
        await harness.until_persisted(4)
        (event,) = harness.reports[-1].events
        assert isinstance(event, SnapshotInstalled)
        assert event.snapshot == StoredSnapshot(id=snapshot, size_bytes=len(content))
        assert [(each.offset, type(each.record).__name__) for each in event.control_records] == [
            (99, "KRaftVersion"),
            (99, "KRaftVoters"),
        ]
        assert (harness.log.log_start_offset, harness.log.log_end_offset) == (100, 100)


async def test_a_damaged_snapshot_is_rejected_and_the_log_stays() -> None:
    snapshot = OffsetAndEpoch(offset=100, epoch=3)
    content = bytearray(snapshot_bytes(epoch=3))
    content[-5] ^= 1
    async with Harness().running() as harness:
        harness.worker.persist(append(1, 0))
        chunk = WriteSnapshotChunk(snapshot=snapshot, position=0, data=bytes(content))
        install = InstallSnapshot(snapshot=snapshot, size=len(content))
        harness.worker.persist(PersistJob(number=2, writes=(chunk,)))
        harness.worker.persist(PersistJob(number=3, writes=(install,), must_sync=True))
        await harness.until_persisted(3)
        assert harness.reports[-1].events == (SnapshotRejected(snapshot=snapshot),)
        assert harness.log.log_end_offset == 1
        assert harness.snapshots.ids() == ()


async def test_a_part_that_is_dropped_leaves_nothing_behind() -> None:
    snapshot = OffsetAndEpoch(offset=100, epoch=3)
    async with Harness().running() as harness:
        chunk = WriteSnapshotChunk(snapshot=snapshot, position=0, data=b"half of it")
        harness.worker.persist(PersistJob(number=1, writes=(chunk,)))
        harness.worker.persist(PersistJob(number=2, writes=(DropSnapshotPart(snapshot=snapshot),)))
        await harness.until_persisted(2)
        assert not [name for name in harness.disk.list_directory(DIRECTORY) if "checkpoint." in name]


async def test_only_plain_appends_may_join_others() -> None:
    control = (LeaderChange(leader_id=1, voter_ids=(1,), granting_voter_ids=(1,)),)
    batch = encode_batch(PendingBatch(base_offset=0, epoch=1, control=control), 1000)
    assert PersistJob(number=1, writes=(batch,)).only_appends
    assert not PersistJob(number=1, writes=(batch, TruncateLog(end_offset=0))).only_appends
