"""Snapshots of the committed state: when they are written, what is in them, and what a full disk does."""

from __future__ import annotations

import errno
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
import trio
from immutables import Map

from kafkaproto.records.batch import iterate_batches
from kafkaproto.records.control import ControlRecordType
from kafkaproto.snapshot import ControlRecord, SnapshotId
from kafkaproto_server.base.types import Endpoint, OffsetAndEpoch, ReplicaKey, Voter
from kafkaproto_server.core.raft.values.events import StoredSnapshot
from kafkaproto_server.core.raft.values.voters import VoterSet
from kafkaproto_server.metadata.image.entries import PartitionImage, TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.quorum.snapshots import snapshotting
from kafkaproto_server.shell.quorum.snapshots.snapshot_contents import BATCH_BYTES
from kafkaproto_server.shell.quorum.snapshots.snapshotting import (
    JITTER_PERCENT,
    RETRY_MS,
    SnapshotSchedule,
    Snapshotter,
    read_image,
)
from kafkaproto_server.shell.storage.metadata.snapshot_file import SnapshotStore
from tests.metadata.image.support.reference import image_from_records
from tests.metadata.image.support.workload import random_records
from tests.shell.storage.support.helpers import FixedRng, SeededRng
from tests.sim.disk import MemoryDisk

DIRECTORY = "/log"
WAIT_S = 10.0
VOTERS = VoterSet(
    voters=(
        Voter(
            key=ReplicaKey(id=1, directory_id=bytes(range(16))),
            endpoints=(Endpoint(name="CONTROLLER", host="127.0.0.1", port=9093),),
            min_kraft_version=0,
            max_kraft_version=1,
        ),
    )
)


class ManualClock:
    """Both clocks, moved by hand."""

    def __init__(self) -> None:
        self.ms = 1_000_000

    def now_ms(self) -> int:
        return self.ms

    def wall_ms(self) -> int:
        return self.ms + 5


def image_at(offset: int, *, epoch: int = 3) -> ClusterImage:
    image = image_from_records(
        random_records(random.Random(1), 60), offset=offset, epoch=epoch, timestamp_ms=777
    )
    return image.at(offset, epoch, 777)


def large_image(offset: int, partitions: int) -> ClusterImage:
    topic_id = bytes(range(16))
    partition = PartitionImage(replicas=(1, 2, 3), directories=(topic_id,) * 3, isr=(1, 2, 3), leader=1)
    topic = TopicImage(
        name="large", topic_id=topic_id, partitions=Map(dict.fromkeys(range(partitions), partition))
    )
    image = ClusterImage(
        features=Map({"metadata.version": 30}),
        topics=Map({topic_id: topic}),
        topic_ids=Map({"large": topic_id}),
    )
    return image.at(offset, 3, 777)


@dataclass
class Harness:
    """A snapshotter on a disk in memory."""

    max_bytes: int = 1000
    max_interval_ms: int = 0
    disk: MemoryDisk = field(default_factory=MemoryDisk)
    clock: ManualClock = field(default_factory=ManualClock)
    created: list[StoredSnapshot] = field(default_factory=list)
    kraft_version: int = 0
    asked_offsets: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.disk.make_directory(DIRECTORY)
        self.store = SnapshotStore(self.disk, DIRECTORY)
        self.snapshotter = Snapshotter(
            snapshots=self.store,
            max_bytes=self.max_bytes,
            max_interval_ms=self.max_interval_ms,
            voters_at=self._voters_at,
            created=self.created.append,
            clock=self.clock,
            rng=FixedRng(0),
        )

    def _voters_at(self, offset: int) -> tuple[int, VoterSet | None]:
        self.asked_offsets.append(offset)
        return self.kraft_version, VOTERS if self.kraft_version else None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Harness]:
        with trio.fail_after(WAIT_S):
            async with trio.open_nursery() as nursery:
                await nursery.start(self.snapshotter.run)
                yield self
                nursery.cancel_scope.cancel()

    def commit(self, offset: int, size_bytes: int) -> None:
        self.snapshotter.committed(image_at(offset), last_offset=offset, size_bytes=size_bytes)

    async def settle(self, condition: Callable[[], bool] | None = None) -> None:
        """Wait for something to come true, or long enough that nothing more would happen."""
        if condition is None:
            await trio.sleep(0.05)
            return
        while not condition():
            await trio.sleep(0.001)


@pytest.mark.trio
async def test_a_snapshot_comes_after_so_many_bytes_and_again_after_as_many_more() -> None:
    async with Harness().running() as harness:
        harness.commit(10, 600)
        await harness.settle()
        assert harness.created == []
        harness.commit(20, 400)
        await harness.settle(lambda: len(harness.created) == 1)
        harness.commit(30, 999)
        await harness.settle()
        assert len(harness.created) == 1
        harness.commit(31, 1)
        await harness.settle(lambda: len(harness.created) == 2)
    assert [each.id for each in harness.created] == [
        OffsetAndEpoch(offset=21, epoch=3),
        OffsetAndEpoch(offset=32, epoch=3),
    ]
    for each in harness.created:
        snapshot_id = SnapshotId(epoch=each.id.epoch, end_offset=each.id.offset)
        assert each.size_bytes == harness.store.size(snapshot_id)
        assert harness.disk.is_read_only(harness.store.path(snapshot_id))
    assert harness.snapshotter.written == 2
    assert harness.snapshotter.latest_bytes == harness.created[-1].size_bytes


@pytest.mark.trio
async def test_a_snapshot_comes_after_so_long_if_there_is_anything_new() -> None:
    async with Harness(max_bytes=10**9, max_interval_ms=60_000).running() as harness:
        harness.clock.ms += 59_999
        harness.commit(10, 1)
        await harness.settle()
        assert harness.created == []
        harness.clock.ms += 1
        harness.commit(11, 1)
        await harness.settle(lambda: len(harness.created) == 1)
        harness.clock.ms += 59_000
        harness.commit(12, 1)
        await harness.settle()
        assert len(harness.created) == 1


@pytest.mark.trio
async def test_no_snapshot_is_made_inside_of_a_transaction() -> None:
    async with Harness().running() as harness:
        image = image_at(10)
        harness.snapshotter.committed(image, last_offset=20, size_bytes=5000)
        await harness.settle()
        assert harness.created == []
        harness.commit(21, 1)
        await harness.settle(lambda: len(harness.created) == 1)
        assert harness.created[0].id.offset == 22


@pytest.mark.parametrize("kraft_version", [0, 1])
@pytest.mark.trio
async def test_the_file_says_what_a_stock_snapshot_says(kraft_version: int) -> None:
    harness = Harness(kraft_version=kraft_version)
    image = image_at(41, epoch=6)
    await harness.snapshotter.write(image)
    snapshot_id = SnapshotId(epoch=6, end_offset=42)
    controls = [each for each in harness.store.read(snapshot_id) if isinstance(each, ControlRecord)]
    types = [each.type for each in controls]
    voters = [ControlRecordType.KRAFT_VERSION, ControlRecordType.KRAFT_VOTERS] if kraft_version else []
    assert types == [ControlRecordType.SNAPSHOT_HEADER, *voters, ControlRecordType.SNAPSHOT_FOOTER]
    assert controls[0].message.to_json(0)["lastContainedLogTimestamp"] == 777
    assert harness.asked_offsets == [42]
    batches = list(iterate_batches(harness.disk.read_file(harness.store.path(snapshot_id))))
    assert {batch.partition_leader_epoch for batch in batches} == {6}
    assert {batch.max_timestamp for batch in batches} == {1_000_005}
    assert batches[0].record_count == 1 + len(voters)
    assert read_image(harness.store, snapshot_id) == image


@pytest.mark.trio
async def test_a_large_image_is_written_in_slices_while_the_loop_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # As on a machine on which one batch takes all the time of a slice.
    monkeypatch.setattr(snapshotting, "SLICE_S", 0)
    harness = Harness()
    turns = 0

    async def take_turns() -> None:
        nonlocal turns
        while True:
            await trio.sleep(0)
            turns += 1

    image = large_image(9, 20_000)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(take_turns)
        await harness.snapshotter.write(image)
        nursery.cancel_scope.cancel()
    snapshot_id = SnapshotId(epoch=3, end_offset=10)
    sizes = [
        batch.size_in_bytes
        for batch in iterate_batches(harness.disk.read_file(harness.store.path(snapshot_id)))
    ]
    assert len(sizes) > 20
    assert max(sizes) <= BATCH_BYTES <= 16 * 1024, "so much is encoded in one turn"
    assert turns > len(sizes), "no batch may hold the loop up together with another"
    assert read_image(harness.store, snapshot_id) == image


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("operation", ["create", "write", "sync", "rename", "sync_directory"])
@pytest.mark.trio
async def test_a_disk_that_fails_costs_the_snapshot_alone_and_it_is_tried_again_later(
    operation: str, error: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with Harness().running() as harness:
        harness.disk.fail(operation, "", error)
        harness.commit(10, 1000)
        await harness.settle(lambda: harness.snapshotter.failed == 1)
        assert harness.created == []
        assert harness.disk.list_directory(DIRECTORY) == []
        assert f"{operation} failed: " in caplog.text
        assert f"{DIRECTORY}" in caplog.text
        harness.clock.ms += RETRY_MS - 1
        harness.commit(11, 1000)
        await harness.settle()
        assert harness.created == []
        harness.clock.ms += 1
        harness.commit(12, 1)
        await harness.settle(lambda: len(harness.created) == 1)
        assert harness.created[0].id.offset == 13


@pytest.mark.trio
async def test_a_snapshot_that_was_fetched_puts_an_end_to_an_older_one_in_the_making() -> None:
    async with Harness().running() as harness:
        harness.snapshotter.committed(large_image(10, 20_000), last_offset=10, size_bytes=1000)
        await harness.settle(lambda: len(harness.disk.list_directory(DIRECTORY)) == 1)
        harness.snapshotter.loaded(image_at(500))
        await harness.settle(lambda: harness.disk.list_directory(DIRECTORY) == [])
        await harness.settle()
        assert harness.created == []
        harness.commit(501, 999)
        await harness.settle()
        assert harness.created == []
        harness.commit(502, 1)
        await harness.settle(lambda: len(harness.created) == 1)


@pytest.mark.trio
async def test_a_snapshot_that_was_fetched_puts_an_end_to_one_that_has_not_begun() -> None:
    async with Harness().running() as harness:
        harness.commit(10, 1000)
        harness.snapshotter.loaded(image_at(500))
        await harness.settle()
        assert harness.created == []


@pytest.mark.trio
async def test_a_snapshot_that_comes_due_while_one_is_written_waits_for_the_next_commit() -> None:
    async with Harness().running() as harness:
        harness.snapshotter.committed(large_image(10, 20_000), last_offset=10, size_bytes=1000)
        await harness.settle(lambda: len(harness.disk.list_directory(DIRECTORY)) == 1)
        harness.commit(20, 1000)
        await harness.settle(lambda: len(harness.created) == 1)
        await harness.settle()
        assert len(harness.created) == 1
        harness.commit(21, 1)
        await harness.settle(lambda: len(harness.created) == 2)
        assert harness.created[1].id.offset == 22


@pytest.mark.trio
async def test_a_node_that_stops_leaves_no_half_snapshot() -> None:
    async with Harness().running() as harness:
        harness.snapshotter.committed(large_image(10, 20_000), last_offset=10, size_bytes=1000)
        await harness.settle(lambda: len(harness.disk.list_directory(DIRECTORY)) == 1)
    assert harness.disk.list_directory(DIRECTORY) == []
    assert harness.created == []


@pytest.mark.trio
async def test_a_snapshot_that_is_there_already_stays_as_it_is() -> None:
    harness = Harness()
    await harness.snapshotter.write(image_at(10))
    before = harness.disk.read_file(harness.store.path(SnapshotId(epoch=3, end_offset=11)))
    await harness.snapshotter.write(image_at(10).at(10, 3, 888))
    assert harness.disk.read_file(harness.store.path(SnapshotId(epoch=3, end_offset=11))) == before
    assert len(harness.disk.list_directory(DIRECTORY)) == 1


def test_nodes_that_see_the_same_records_do_not_write_together() -> None:
    schedules = [
        SnapshotSchedule(max_bytes=10_000, max_interval_ms=10_000, rng=SeededRng(seed), now_ms=0)
        for seed in range(20)
    ]
    due_bytes = set()
    due_ms = set()
    for schedule in schedules:
        taken = 0
        while not schedule.is_due(0):
            schedule.add(100)
            taken += 100
        due_bytes.add(taken)
        schedule.restart(0)
        schedule.add(1)
        due_ms.add(next(ms for ms in range(0, 10_001, 100) if schedule.is_due(ms)))
    for found in (due_bytes, due_ms):
        assert min(found) >= 10_000 * (100 - JITTER_PERCENT) // 100
        assert max(found) <= 10_000
        assert len(found) > 5


def test_without_an_interval_only_bytes_count() -> None:
    schedule = SnapshotSchedule(max_bytes=10, max_interval_ms=0, rng=FixedRng(0), now_ms=0)
    schedule.add(9)
    assert not schedule.is_due(10**12)
    schedule.add(1)
    assert schedule.is_due(0)


def test_nothing_new_is_never_due() -> None:
    schedule = SnapshotSchedule(max_bytes=1, max_interval_ms=1, rng=FixedRng(1), now_ms=0)
    assert not schedule.is_due(10**12)
