"""How committed batches come to the image: from memory, from the disk, from a snapshot; each once and in order.

Tests: `shell.quorum.image.committed_state`, `shell.quorum.image.image_builder`, `shell.quorum.image.published`.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest
import trio

from kafkaproto.messages import FeatureLevelRecord, TopicRecord
from kafkaproto.records.batch import build_batch
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.types import METADATA_TOPIC_ID
from kafkaproto_server.core.controller.values.events import BatchCommitted
from kafkaproto_server.core.raft.values.control import LeaderChange
from kafkaproto_server.core.raft.values.effects import PendingBatch
from kafkaproto_server.core.raft.wire import encode_batch
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.metadata.image.loader import LoadState
from kafkaproto_server.metadata.image.replay import replay
from kafkaproto_server.shell.process.io_workers import IoWorkers
from kafkaproto_server.shell.quorum.disk_worker import DiskWorker, PersistJob
from kafkaproto_server.shell.quorum.image import metadata_feed
from kafkaproto_server.shell.quorum.image.image_builder import ObserverImage
from kafkaproto_server.shell.quorum.image.metadata_feed import MetadataFeed
from kafkaproto_server.shell.quorum.log_tail import LogTail, TailBatch
from kafkaproto_server.shell.storage.errors import StorageError
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.metadata.quorum_state_file import QuorumStateFile
from kafkaproto_server.shell.storage.metadata.snapshot_file import SnapshotStore
from tests.sim.disk import MemoryDisk

pytestmark = pytest.mark.trio

WAIT_S = 10.0
DIRECTORY = "/data/__cluster_metadata-0"


LOADED = LoadState()


class Builder:
    """Notes what it is given."""

    def __init__(self) -> None:
        self.next_offset = 0
        self.steps = 0
        self.taken: list[tuple[int, int]] = []
        self.snapshots: list[int] = []

    def load_steps(self, batch: BatchCommitted) -> Steps[LoadState]:
        for _ in batch.records or ():
            self.steps += 1
            yield
        return LOADED

    def take_batch(self, batch: BatchCommitted) -> None:
        assert batch.base_offset == self.next_offset
        assert batch.loaded is LOADED
        self.taken.append((batch.base_offset, 0 if batch.records is None else len(batch.records)))
        self.next_offset = batch.last_offset + 1

    def take_snapshot(self, image: ClusterImage) -> None:
        self.snapshots.append(image.offset)
        self.next_offset = image.offset + 1


def topic(number: int) -> bytes:
    return encode_metadata_record(TopicRecord(name=f"topic-{number}", topic_id=number.to_bytes(16)), 0)


def data_batch(base_offset: int, count: int = 1) -> bytes:
    records = tuple(topic(base_offset + index) for index in range(count))
    return encode_batch(PendingBatch(base_offset=base_offset, epoch=1, records=records), 1000)


def control_batch(base_offset: int) -> bytes:
    change = LeaderChange(leader_id=1, voter_ids=(1,), granting_voter_ids=(1,))
    return encode_batch(PendingBatch(base_offset=base_offset, epoch=1, control=(change,)), 1000)


class Harness:
    """A feed over a log, of which the tail in memory holds only what `append` put there."""

    def __init__(self, nursery: trio.Nursery, on_disk: int, tail_bytes: int) -> None:
        disk = MemoryDisk()
        disk.make_directory("/data")
        self.log = Log.open(disk, DIRECTORY, topic_id=METADATA_TOPIC_ID)
        if on_disk:
            self.log.append([data_batch(offset) for offset in range(on_disk)])
        self.nursery = nursery
        self.tail = LogTail(end_offset=self.log.log_end_offset, max_bytes=tail_bytes)
        self.builder = Builder()
        self.newest: ClusterImage | None = None
        self.loaded: list[ClusterImage] = []
        self.load_gate = threading.Event()
        self.load_gate.set()
        self.wakes = 0
        self.workers = IoWorkers(threads=1)
        self.worker = DiskWorker(
            workers=self.workers,
            log=self.log,
            quorum_state_file=QuorumStateFile(disk, DIRECTORY),
            snapshots=SnapshotStore(disk, DIRECTORY),
            report=lambda report: None,
        )
        self.feed = MetadataFeed(
            self.builder,
            log=self.log,
            tail=self.tail,
            worker=self.worker,
            load_snapshot=self._load,
            loaded=self.loaded.append,
            wake=self._wake,
        )

    def _load(self) -> ClusterImage | None:
        assert self.load_gate.wait(WAIT_S)
        return self.newest

    def _wake(self) -> None:
        self.wakes += 1

    def append(self, payload: bytes, count: int = 1) -> None:
        base = self.tail.end_offset
        self.tail.append(TailBatch(base_offset=base, next_offset=base + count, payload=payload))
        self.worker.persist(PersistJob(number=base + 1, writes=(payload,)))

    async def until_at_end(self) -> None:
        while not self.feed.is_at_end:
            if self.feed.can_step:
                self.feed.step(self.nursery)
            await trio.sleep(0.001)


@asynccontextmanager
async def harness(*, on_disk: int = 0, tail_bytes: int = 1 << 20) -> AsyncIterator[Harness]:
    with trio.fail_after(WAIT_S):
        async with trio.open_nursery() as nursery:
            it = Harness(nursery, on_disk, tail_bytes)
            await nursery.start(it.workers.run)
            yield it
            nursery.cancel_scope.cancel()


async def test_what_is_in_memory_is_handed_over_without_waiting_and_only_as_far_as_it_is_committed() -> None:
    async with harness() as it:
        it.append(control_batch(0))
        it.append(data_batch(1, 3), 3)
        it.append(data_batch(4), 1)
        it.feed.advance(4)
        # A step ends after some milliseconds, which a busy machine may take for one batch.
        while it.feed.can_step:
            it.feed.step(it.nursery)
        assert it.builder.taken == [(0, 0), (1, 3)]
        assert it.feed.is_at_end
        it.feed.advance(5)
        assert it.feed.can_step
        it.feed.step(it.nursery)
        assert it.builder.taken[2:] == [(4, 1)]
        assert it.feed.fed_bytes == len(control_batch(0)) + len(data_batch(1, 3)) + len(data_batch(4))


async def test_what_is_older_comes_from_the_disk_then_from_memory() -> None:
    async with harness(on_disk=20) as it:
        it.append(data_batch(20))
        it.feed.advance(21)
        await it.until_at_end()
        assert [offset for offset, _ in it.builder.taken] == list(range(21))
        assert it.wakes == 1


async def test_a_small_tail_loses_nothing() -> None:
    async with harness(tail_bytes=1) as it:
        for offset in range(50):
            it.append(data_batch(offset))
        it.feed.advance(50)
        await it.until_at_end()
        assert [offset for offset, _ in it.builder.taken] == list(range(50))


async def test_nothing_that_is_not_committed_is_taken_from_the_disk() -> None:
    async with harness(on_disk=10) as it:
        it.feed.advance(4)
        await it.until_at_end()
        assert it.builder.next_offset == 4
        it.feed.advance(10)
        await it.until_at_end()
        assert it.builder.next_offset == 10


@pytest.mark.parametrize("on_disk", [False, True])
async def test_a_high_watermark_inside_of_a_batch_waits_for_the_next_one(on_disk: bool) -> None:
    async with harness(tail_bytes=1 if on_disk else 1 << 20) as it:
        it.append(data_batch(0))
        it.append(data_batch(1, 5), 5)
        it.append(data_batch(6))
        it.feed.advance(3)
        await it.until_at_end()
        assert it.builder.next_offset == 1
        it.feed.advance(7)
        await it.until_at_end()
        assert it.builder.next_offset == 7


async def test_a_long_log_is_handed_over_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata_feed, "SLICE_MS", 0.0)
    async with harness() as it:
        for offset in range(3):
            it.append(data_batch(offset))
        it.feed.advance(3)
        it.feed.step(it.nursery)
        assert len(it.builder.taken) == 1
        assert it.feed.can_step


async def test_a_slice_ends_with_the_batch_in_which_its_time_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    # Sums of these times are exact.
    batch_s = 1 / 1024
    now_s = 0.0
    monkeypatch.setattr(metadata_feed, "SLICE_MS", 5 * batch_s * 1000)
    monkeypatch.setattr(metadata_feed, "time", SimpleNamespace(perf_counter=lambda: now_s))
    async with harness() as it:
        take_batch = it.builder.take_batch

        def take(batch: BatchCommitted) -> None:
            nonlocal now_s
            now_s += batch_s
            take_batch(batch)

        monkeypatch.setattr(it.builder, "take_batch", take)
        for offset in range(20):
            it.append(data_batch(offset))
        it.feed.advance(20)
        taken = []
        while it.feed.can_step:
            it.feed.step(it.nursery)
            taken.append(len(it.builder.taken))
        assert taken == [6, 12, 18, 20]


async def test_a_snapshot_comes_first_and_the_log_goes_on_behind_it() -> None:
    async with harness(on_disk=10) as it:
        it.newest = EMPTY_IMAGE.at(5, 1, 1000)
        it.feed.load_newest_snapshot()
        assert not it.feed.is_at_end
        it.feed.advance(10)
        await it.until_at_end()
        assert it.builder.snapshots == [5]
        assert it.loaded == [it.newest]
        assert [offset for offset, _ in it.builder.taken] == [6, 7, 8, 9]


async def test_a_snapshot_that_is_older_than_the_image_does_not_set_it_back() -> None:
    async with harness(on_disk=10) as it:
        it.feed.advance(8)
        await it.until_at_end()
        it.newest = EMPTY_IMAGE.at(5, 1, 1000)
        it.feed.load_newest_snapshot()
        it.feed.advance(10)
        await it.until_at_end()
        assert it.builder.snapshots == []
        assert it.loaded == []
        assert [offset for offset, _ in it.builder.taken] == list(range(10))


async def test_what_was_committed_once_stays_so_although_a_new_leader_knows_less() -> None:
    async with harness(on_disk=10) as it:
        it.feed.advance(10)
        it.feed.advance(4)
        await it.until_at_end()
        assert it.builder.next_offset == 10


async def test_while_a_snapshot_is_loaded_nothing_else_is_handed_over() -> None:
    async with harness(on_disk=3) as it:
        it.newest = EMPTY_IMAGE.at(1, 1, 1000)
        it.load_gate.clear()
        it.feed.load_newest_snapshot()
        it.feed.advance(3)
        it.feed.step(it.nursery)
        assert not it.feed.can_step
        assert not it.feed.is_at_end
        assert it.builder.taken == []
        it.load_gate.set()
        await it.until_at_end()
        assert it.builder.next_offset == 3


async def test_a_log_that_begins_later_is_entered_by_its_snapshot() -> None:
    async with harness() as it:
        it.log.truncate_fully_to(100)
        it.tail.restart_at(100)
        it.newest = EMPTY_IMAGE.at(99, 2, 1000)
        it.append(data_batch(100))
        it.feed.advance(101)
        await it.until_at_end()
        assert it.builder.snapshots == [99]
        assert it.builder.taken == [(100, 1)]


async def test_a_log_that_begins_later_and_has_no_snapshot_stops_the_node() -> None:
    with pytest.RaisesGroup(
        pytest.RaisesExc(StorageError, match="offset 0 is needed, but the log begins at 100"),
        flatten_subgroups=True,
    ):
        async with harness() as it:
            it.log.truncate_fully_to(100)
            it.tail.restart_at(100)
            it.append(data_batch(100))
            it.feed.advance(101)
            await it.until_at_end()


async def test_a_record_of_an_unknown_type_names_the_log_and_the_batch() -> None:
    async with harness() as it:
        unknown = build_batch(
            [(None, bytes([1, 0xFF, 0x07, 0]), ())], base_offset=0, partition_leader_epoch=1, timestamp_ms=1
        )
        it.append(unknown)
        it.feed.advance(1)
        with pytest.raises(
            StorageError, match="metadata-0: the batch at offset 0 is whole, but this release"
        ):
            it.feed.step(it.nursery)


async def test_an_observer_shows_each_state_and_starts_over_from_a_snapshot() -> None:
    shown: list[ClusterImage] = []
    observer = ObserverImage(shown.append)
    observer.take_batch(BatchCommitted(base_offset=0, last_offset=0, epoch=1, timestamp_ms=5, records=None))
    feature = FeatureLevelRecord(name="metadata.version", feature_level=30)
    observer.take_batch(
        BatchCommitted(base_offset=1, last_offset=1, epoch=1, timestamp_ms=6, records=(feature,))
    )
    assert [(image.offset, image.metadata_version) for image in shown[1:]] == [(1, 30)]
    assert observer.next_offset == 2
    snapshot = replay(EMPTY_IMAGE, feature, 7).at(7, 1, 8)
    observer.take_snapshot(snapshot)
    assert shown[-1] is snapshot
    assert observer.next_offset == 8
