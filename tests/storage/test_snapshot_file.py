"""Snapshots as files: complete and read-only, or not there at all."""

from __future__ import annotations

import pytest

from kafkaproto.messages import FeatureLevelRecord
from kafkaproto.records.control import ControlRecordType
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto.snapshot import ControlRecord, SnapshotId, build_snapshot
from server.ports import Disk
from server.storage.errors import CorruptFileError
from server.storage.snapshot_file import SnapshotStore
from tests.sim.disk import MemoryDisk, PowerLossError
from tests.storage.helpers import SeededRng

ID = SnapshotId(epoch=3, end_offset=100)
NAME = "00000000000000000100-0000000003.checkpoint"
RECORD = encode_metadata_record(FeatureLevelRecord(name="group.version", feature_level=1), 0)
BATCHES = tuple(build_snapshot([RECORD] * 3, epoch=3, timestamp_ms=5, last_contained_log_timestamp=4))


def uuid_of(number: int) -> bytes:
    return number.to_bytes(16)


def write_snapshot(store: SnapshotStore, snapshot_id: SnapshotId = ID) -> None:
    writer = store.create(snapshot_id, lambda: uuid_of(77))
    for batch in BATCHES:
        writer.append(batch)
    writer.freeze()


def test_a_snapshot_is_written_beside_its_name_and_then_takes_it(disk: Disk, root: str) -> None:
    store = SnapshotStore(disk, root)
    writer = store.create(ID, lambda: uuid_of(77))
    writer.append(BATCHES[0])
    assert disk.list_directory(root) == ["00000000000000000100-0000000003-77.checkpoint.part"]
    assert store.ids() == ()
    assert store.latest() is None
    for batch in BATCHES[1:]:
        writer.append(batch)
    writer.freeze()
    assert disk.list_directory(root) == [NAME]
    assert store.ids() == (ID,)
    assert disk.read_file(store.path(ID)) == b"".join(BATCHES)


def test_its_records_are_read_back(disk: Disk, root: str) -> None:
    store = SnapshotStore(disk, root)
    write_snapshot(store)
    header, *records, footer = store.read(ID)
    assert isinstance(header, ControlRecord)
    assert isinstance(footer, ControlRecord)
    assert (header.type, footer.type) == (
        ControlRecordType.SNAPSHOT_HEADER,
        ControlRecordType.SNAPSHOT_FOOTER,
    )
    assert records == [RECORD] * 3


def test_it_is_read_only_and_can_be_read_in_pieces(disk: Disk, root: str) -> None:
    store = SnapshotStore(disk, root)
    write_snapshot(store)
    file = store.open(ID)
    assert file.size() == sum(map(len, BATCHES))
    assert file.read_at(10, 20) == b"".join(BATCHES)[10:30]
    file.close()
    if isinstance(disk, MemoryDisk):
        assert disk.is_read_only(store.path(ID))
    with pytest.raises(FileNotFoundError):
        store.open(SnapshotId(epoch=1, end_offset=1))


def test_one_that_is_given_up_leaves_nothing(disk: Disk, root: str) -> None:
    writer = SnapshotStore(disk, root).create(ID, lambda: uuid_of(1))
    writer.append(b"half")
    writer.abort()
    assert disk.list_directory(root) == []


def test_the_newest_is_that_of_the_highest_epoch(disk: Disk, root: str) -> None:
    store = SnapshotStore(disk, root)
    ids = [
        SnapshotId(epoch=epoch, end_offset=offset) for epoch, offset in ((0, 0), (2, 500), (3, 90), (3, 100))
    ]
    for snapshot_id in reversed(ids):
        write_snapshot(store, snapshot_id)
    assert store.ids() == tuple(ids)
    assert store.latest() == ids[-1]


def test_leftovers_are_removed_and_nothing_else(disk: Disk, root: str) -> None:
    store = SnapshotStore(disk, root)
    write_snapshot(store)
    for name in (f"{NAME}.deleted", "00000000000000000200-0000000003-5.checkpoint.part", "quorum-state"):
        disk.open(f"{root}/{name}", create=True).close()
    store.remove_leftovers()
    assert disk.list_directory(root) == [NAME, "quorum-state"]


@pytest.mark.parametrize("length", range(0, sum(map(len, BATCHES)), 7))
def test_a_file_that_is_no_whole_snapshot_is_told(length: int) -> None:
    disk = MemoryDisk()
    file = disk.open(f"/{NAME}", create=True)
    file.append([b"".join(BATCHES)[:length]])
    with pytest.raises(CorruptFileError, match="this is no whole snapshot") as caught:
        list(SnapshotStore(disk, "/.").read(ID))
    assert caught.value.path == f"/./{NAME}"


def test_after_a_crash_a_snapshot_is_whole_or_not_there() -> None:
    rehearsal = MemoryDisk()
    write_snapshot(SnapshotStore(rehearsal, "/."))
    assert rehearsal.operations > 5
    for operation in range(rehearsal.operations):
        for seed in range(10):
            disk = MemoryDisk()
            disk.crash_before = operation
            with pytest.raises(PowerLossError):
                write_snapshot(SnapshotStore(disk, "/."))
            disk.crash(SeededRng(seed))
            store = SnapshotStore(disk, "/.")
            store.remove_leftovers()
            assert store.ids() in ((), (ID,))
            for snapshot_id in store.ids():
                assert len(list(store.read(snapshot_id))) == 5
            assert len(disk.list_directory("/")) == len(store.ids())
    disk = MemoryDisk()
    write_snapshot(SnapshotStore(disk, "/."))
    disk.crash(SeededRng(0))
    assert SnapshotStore(disk, "/.").ids() == (ID,)
