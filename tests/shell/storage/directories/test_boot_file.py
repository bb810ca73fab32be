"""The note of the machine's present start, on systems that tell their starts apart and on those that do not."""

from __future__ import annotations

from kafkaproto_server.shell.storage.directories.boot_file import BOOT_FILE_NAME, is_of_this_boot, note_boot
from tests.shell.storage.support.helpers import FixedRng
from tests.sim.disk import MemoryDisk

LOGS = "/logs"


class DiskOfOther(MemoryDisk):
    """That of a system that says nothing, as macOS."""

    def boot_id(self) -> str:
        return ""


def test_the_note_is_of_one_start_of_the_machine() -> None:
    disk = MemoryDisk()
    disk.make_directory(LOGS)
    disk.sync_directory("/")
    assert not is_of_this_boot(disk, LOGS)
    note_boot(disk, LOGS)
    assert is_of_this_boot(disk, LOGS)
    disk.crash(FixedRng(0))
    assert not is_of_this_boot(disk, LOGS)
    note_boot(disk, LOGS)
    assert is_of_this_boot(disk, LOGS)


def test_where_no_start_is_known_there_is_no_note() -> None:
    disk = DiskOfOther()
    disk.make_directory(LOGS)
    disk.sync_directory("/")
    note_boot(disk, LOGS)
    assert disk.list_directory(LOGS) == []
    assert not is_of_this_boot(disk, LOGS)


def test_a_note_of_another_machine_goes() -> None:
    disk = DiskOfOther()
    disk.make_directory(LOGS)
    disk.sync_directory("/")
    for content in (b"", b"boot 0"):
        file = disk.open(f"{LOGS}/{BOOT_FILE_NAME}", create=True)
        file.append([content])
        file.close()
        disk.sync_directory(LOGS)
        assert not is_of_this_boot(disk, LOGS)
        note_boot(disk, LOGS)
        # Durably.
        disk.crash(FixedRng(0))
        assert disk.list_directory(LOGS) == []
