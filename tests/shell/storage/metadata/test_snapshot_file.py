"""Snapshots as files: complete and read-only, or not there at all."""

from __future__ import annotations

import errno

import pytest

from kafkaproto.messages import FeatureLevelRecord
from kafkaproto.records.batch import assign_offsets, iterate_batches
from kafkaproto.records.control import ControlRecordType
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto.snapshot import ControlRecord, SnapshotId, build_snapshot
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.errors import CorruptFileError
from kafkaproto_server.shell.storage.log.scan import WINDOW_BYTES
from kafkaproto_server.shell.storage.metadata.snapshot_file import SnapshotStore
from tests.shell.storage.support.helpers import FixedRng, SeededRng
from tests.sim.disk import MemoryDisk, PowerLossError

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
    whole = b"".join(BATCHES)
    assert store.size(ID) == len(whole)
    assert store.read_at(ID, 10, 20) == whole[10:30]
    assert store.read_at(ID, len(whole) - 3, 20) == whole[-3:]
    if isinstance(disk, MemoryDisk):
        assert disk.is_read_only(store.path(ID))
        assert not disk.open_files
    missing = SnapshotId(epoch=1, end_offset=1)
    for ask in (store.size, lambda each: store.read_at(each, 0, 1)):
        with pytest.raises(FileNotFoundError):
            ask(missing)


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


WHOLE = b"".join(BATCHES)


def fetch(store: SnapshotStore, *, piece_bytes: int = 50, data: bytes = WHOLE) -> None:
    for position in range(0, len(data), piece_bytes):
        store.write_part(ID, position, data[position : position + piece_bytes])


def install(store: SnapshotStore) -> None:
    fetch(store)
    store.complete_part(ID)


def test_a_snapshot_that_comes_in_pieces_is_one_when_it_is_complete(disk: Disk, root: str) -> None:
    store = SnapshotStore(disk, root)
    fetch(store)
    assert store.ids() == ()
    assert store.complete_part(ID) == len(WHOLE)
    assert store.ids() == (ID,)
    assert disk.read_file(store.path(ID)) == WHOLE
    assert disk.list_directory(root) == [NAME]
    if isinstance(disk, MemoryDisk):
        assert disk.is_read_only(store.path(ID))


def test_a_piece_at_position_0_begins_anew_whatever_was_there(disk: Disk, root: str) -> None:
    store = SnapshotStore(disk, root)
    other = SnapshotId(epoch=9, end_offset=9)
    store.write_part(other, 0, b"other")
    store.write_part(ID, 0, b"something longer than the first piece that counts")
    fetch(store)
    store.complete_part(ID)
    assert disk.list_directory(root) == [NAME]
    assert disk.read_file(store.path(ID)) == WHOLE


def test_a_part_that_is_dropped_leaves_nothing(disk: Disk, root: str) -> None:
    store = SnapshotStore(disk, root)
    store.write_part(ID, 0, WHOLE[:10])
    store.drop_part(SnapshotId(epoch=9, end_offset=9))
    assert len(disk.list_directory(root)) == 1
    store.drop_part(ID)
    store.drop_part(ID)
    assert disk.list_directory(root) == []
    with pytest.raises(AssertionError, match="no part of"):
        store.write_part(ID, 10, WHOLE[10:])


def test_a_piece_has_to_follow_the_one_before(disk: Disk, root: str) -> None:
    store = SnapshotStore(disk, root)
    store.write_part(ID, 0, WHOLE[:10])
    with pytest.raises(AssertionError, match="piece at 11 of a part of 10 bytes"):
        store.write_part(ID, 11, WHOLE[11:])
    store.drop_part(ID)


@pytest.mark.parametrize("length", range(0, len(WHOLE), 5))
def test_an_incomplete_part_is_refused_and_removed(length: int) -> None:
    disk = MemoryDisk()
    store = SnapshotStore(disk, "/.")
    store.write_part(ID, 0, WHOLE[:length])
    with pytest.raises(CorruptFileError, match="this is no whole snapshot"):
        store.complete_part(ID)
    assert disk.list_directory("/") == []


def test_a_part_with_a_changed_byte_is_refused() -> None:
    for position in range(len(WHOLE)):
        data = bytearray(WHOLE)
        data[position] ^= 0x01
        store = SnapshotStore(MemoryDisk(), "/.")
        fetch(store, data=bytes(data))
        batch_starts = [sum(map(len, BATCHES[:index])) for index in range(len(BATCHES))]
        in_batch = position - max(start for start in batch_starts if start <= position)
        if in_batch < 8 or 12 <= in_batch < 16:
            # Base offset and leader epoch are outside of the checksum.
            continue
        with pytest.raises(CorruptFileError, match=r"\.part at byte [0-9]+: this is no whole snapshot"):
            store.complete_part(ID)


def test_what_follows_the_footer_is_refused() -> None:
    store = SnapshotStore(MemoryDisk(), "/.")
    more = b"".join(build_snapshot([RECORD], epoch=3, timestamp_ms=5, last_contained_log_timestamp=4))
    shifted = bytearray(list(iterate_batches(more))[1].raw)
    assign_offsets(shifted, 5, 3)
    fetch(store, data=WHOLE + shifted)
    with pytest.raises(CorruptFileError, match="a record follows the snapshot's footer"):
        store.complete_part(ID)


def test_a_snapshot_larger_than_a_window_is_read_whole() -> None:
    disk = MemoryDisk()
    store = SnapshotStore(disk, "/.")
    records = [bytes([1]) + index.to_bytes(4) * 100 for index in range(12_000)]
    data = b"".join(
        build_snapshot(
            records, epoch=3, timestamp_ms=5, last_contained_log_timestamp=4, max_batch_bytes=3 << 19
        )
    )
    assert len(data) > 4 * WINDOW_BYTES
    fetch(store, data=data, piece_bytes=1 << 20)
    store.complete_part(ID)
    assert list(store.read(ID))[1:-1] == records


def test_the_snapshots_before_another_are_deleted(disk: Disk, root: str) -> None:
    store = SnapshotStore(disk, root)
    ids = [SnapshotId(epoch=epoch, end_offset=end) for epoch, end in ((0, 0), (1, 40), (3, 90), (3, 100))]
    for snapshot_id in ids:
        write_snapshot(store, snapshot_id)
    assert store.delete_before(90) == tuple(ids[:2])
    assert store.ids() == tuple(ids[2:])
    assert store.delete_before(90) == ()
    assert [name for name in disk.list_directory(root) if name.endswith(".deleted")] == [
        f"{0:020}-{0:010}.checkpoint.deleted",
        f"{40:020}-{1:010}.checkpoint.deleted",
    ]
    store.remove_leftovers()
    assert len(disk.list_directory(root)) == 2


@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC])
@pytest.mark.parametrize("operation", ["create", "write", "sync", "rename", "sync_directory"])
def test_a_snapshot_that_cannot_be_written_is_none_and_the_next_attempt_may_succeed(
    operation: str, error: int
) -> None:
    disk = MemoryDisk()
    store = SnapshotStore(disk, "/.")
    disk.fail(operation, "", error)
    with pytest.raises(OSError, match=operation) as caught:
        install(store)
    assert caught.value.errno == error
    assert disk.list_directory("/") == []
    assert store.ids() == ()
    install(store)
    assert store.ids() == (ID,)


def test_after_a_crash_a_fetched_snapshot_is_whole_or_not_there() -> None:
    rehearsal = MemoryDisk()
    install(SnapshotStore(rehearsal, "/."))
    for operation in range(rehearsal.operations):
        for seed in range(5):
            disk = MemoryDisk()
            disk.crash_before = operation
            with pytest.raises(PowerLossError):
                install(SnapshotStore(disk, "/."))
            disk.crash(SeededRng(seed))
            store = SnapshotStore(disk, "/.")
            store.remove_leftovers()
            for snapshot_id in store.ids():
                assert len(list(store.read(snapshot_id))) == 5
            assert len(disk.list_directory("/")) == len(store.ids())
    disk = MemoryDisk()
    install(SnapshotStore(disk, "/."))
    disk.crash(FixedRng(0))
    assert SnapshotStore(disk, "/.").ids() == (ID,)
