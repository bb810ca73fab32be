"""What a crash leaves of deleted segments, and what somebody has removed."""

from __future__ import annotations

import pytest

from kafkaproto.log import LOG_SUFFIX, OFFSET_INDEX_SUFFIX, TIME_INDEX_SUFFIX, segment_file_name
from kafkaproto_server.shell.storage.errors import StorageError
from kafkaproto_server.shell.storage.log.leftovers import remove_leftovers
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.recovery import RecoveryPolicy
from tests.sim.disk import MemoryDisk

KEPT = RecoveryPolicy(cuts_damage=True, is_kept=True)
ENTRIES = b"\x00\x00\x00\x09\x00\x00\x00\x47" + bytes(32)
PREALLOCATED = bytes(40)


def directory(**files: bytes) -> MemoryDisk:
    """A log's directory with the files of the segment at 10, by what comes behind the number, and another segment."""
    disk = MemoryDisk()
    disk.make_directory("/t-0")
    for name, content in {"other": b"", **files}.items():
        number, suffix = (0, LOG_SUFFIX) if name == "other" else (10, "." + name.replace("_", "."))
        file = disk.open("/t-0/" + segment_file_name(number, suffix), create=True)
        file.append([content])
        file.close()
    return disk


def left(disk: MemoryDisk, policy: RecoveryPolicy) -> list[str]:
    remove_leftovers(disk, "/t-0", disk.list_directory("/t-0"), policy)
    return disk.list_directory("/t-0")


@pytest.mark.parametrize("suffix", [OFFSET_INDEX_SUFFIX, TIME_INDEX_SUFFIX])
def test_an_index_with_entries_proves_that_its_segment_was_there(suffix: str) -> None:
    disk = directory(**{suffix[1:]: ENTRIES})
    before = disk.list_directory("/t-0")
    with pytest.raises(
        StorageError, match=r"/t-0/0{18}10\.log: the file is gone, but 0{18}10\.(time)?index is"
    ):
        remove_leftovers(disk, "/t-0", before, KEPT)
    assert disk.list_directory("/t-0") == before


def test_a_loss_of_power_may_leave_an_index_alone() -> None:
    disk = directory(index=ENTRIES)
    assert left(disk, RecoveryPolicy(cuts_damage=True)) == [segment_file_name(0)]


def test_the_metadata_log_has_other_witnesses() -> None:
    disk = directory(index=ENTRIES)
    assert left(disk, RecoveryPolicy(is_kept=True)) == [segment_file_name(0)]


def test_an_index_without_entries_proves_nothing() -> None:
    disk = directory(index=PREALLOCATED, timeindex=PREALLOCATED)
    assert left(disk, KEPT) == [segment_file_name(0)]


def test_the_deletion_of_a_segment_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = directory(log_deleted=b"records", index=ENTRIES, timeindex=ENTRIES)
    order: list[str] = []
    monkeypatch.setattr(disk, "before", lambda operation, path: order.append(path))
    assert left(disk, KEPT) == [segment_file_name(0)]
    # If it is interrupted once more, the segment still shows why its indexes are alone.
    assert order[-1].endswith(".log.deleted")


def test_an_earlier_segment_of_that_name_proves_nothing_of_a_later_ones_deletion() -> None:
    """Compaction deletes it with all its files, and begins another one at the same offset."""
    disk = directory(log_deleted=b"records", index_deleted=ENTRIES, timeindex_deleted=ENTRIES, index=ENTRIES)
    before = disk.list_directory("/t-0")
    with pytest.raises(StorageError, match="the file is gone"):
        remove_leftovers(disk, "/t-0", before, KEPT)
    assert disk.list_directory("/t-0") == before


def test_a_segment_is_deleted_behind_its_indexes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a kill comes, neither index is left without its segment."""
    disk = MemoryDisk()
    log = Log.open(disk, "/t-0", topic_id=bytes(16))
    order: list[str] = []
    monkeypatch.setattr(disk, "before", lambda operation, path: order.append(f"{operation} {path}"))
    paths = log.segments[0].delete()
    renamed = [each.split(" ")[1] for each in order if each.startswith("rename")]
    assert [each.removesuffix(".deleted") for each in paths] == renamed
    assert [each.rpartition(".")[2] for each in renamed] == ["index", "timeindex", "log"]


def test_the_index_of_a_segment_that_is_there_stays() -> None:
    disk = directory(log=b"records", index=ENTRIES, timeindex=ENTRIES)
    assert left(disk, KEPT) == [
        segment_file_name(0),
        *(segment_file_name(10, each) for each in (".index", ".log", ".timeindex")),
    ]
