"""The mark of a clean stop: there only between that stop and the next start."""

from __future__ import annotations

import errno

import pytest

from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.directories.clean_shutdown_file import (
    CLEAN_SHUTDOWN_NAME,
    take_clean_shutdown,
    write_clean_shutdown,
)
from tests.shell.storage.support.helpers import FixedRng
from tests.sim.disk import MemoryDisk

GOLDEN = b'{"version":0,"brokerEpoch":247}'
"""What a stock 4.3.1 broker writes, without a newline."""


def directories(disk: Disk, root: str) -> list[str]:
    made = [f"{root}/a", f"{root}/b"]
    for directory in made:
        disk.make_directory(directory)
    return made


def put(disk: Disk, directory: str, content: bytes) -> None:
    file = disk.open(f"{directory}/{CLEAN_SHUTDOWN_NAME}", create=True)
    file.append([content])
    file.close()


def test_the_file_is_kafkas_in_every_directory(disk: Disk, root: str) -> None:
    folders = directories(disk, root)
    write_clean_shutdown(disk, folders, 247)
    for folder in folders:
        assert disk.read_file(f"{folder}/.kafka_cleanshutdown") == GOLDEN
        assert disk.list_directory(folder) == [".kafka_cleanshutdown"]


def test_the_epoch_is_taken_once(disk: Disk, root: str) -> None:
    folders = directories(disk, root)
    write_clean_shutdown(disk, folders, 0)
    assert take_clean_shutdown(disk, folders) == 0
    assert [disk.list_directory(folder) for folder in folders] == [[], []]
    assert take_clean_shutdown(disk, folders) == -1


def test_a_directory_without_the_file_makes_the_stop_no_clean_one_and_the_others_are_removed(
    disk: Disk, root: str
) -> None:
    first, second = directories(disk, root)
    put(disk, second, GOLDEN)
    assert take_clean_shutdown(disk, [first, second]) == -1
    assert disk.list_directory(second) == []


def test_directories_that_tell_different_epochs_make_the_stop_no_clean_one(disk: Disk, root: str) -> None:
    first, second = directories(disk, root)
    put(disk, first, GOLDEN)
    put(disk, second, GOLDEN.replace(b"247", b"248"))
    assert take_clean_shutdown(disk, [first, second]) == -1


def test_without_directories_there_was_no_clean_stop(disk: Disk) -> None:
    assert take_clean_shutdown(disk, []) == -1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\xff",
        b"247",
        b"[247]",
        b"{}",
        b'{"version":0}',
        b'{"version":0,"brokerEpoch":-5}',
        b'{"version":0,"brokerEpoch":null}',
        b'{"version":0,"brokerEpoch":true}',
        b'{"version":0,"brokerEpoch":"247"}',
        b'{"version":0,"brokerEpoch":2.5}',
        b'{"version":0,"brokerEpoch":9223372036854775808}',
        b'{"version":0,"brokerEpoch":' + b"9" * 5_000 + b"}",
        b"[" * 100_000,
    ],
)
def test_what_cannot_be_read_counts_as_no_clean_stop_and_is_removed(content: bytes) -> None:
    disk = MemoryDisk()
    disk.make_directory("/a")
    put(disk, "/a", content)
    assert take_clean_shutdown(disk, ["/a"]) == -1
    assert disk.list_directory("/a") == []


def test_the_largest_epoch_is_read() -> None:
    disk = MemoryDisk()
    disk.make_directory("/a")
    write_clean_shutdown(disk, ["/a"], 2**63 - 1)
    assert take_clean_shutdown(disk, ["/a"]) == 2**63 - 1


def test_what_was_written_outlives_a_crash_and_what_was_taken_does_not_come_back() -> None:
    disk = MemoryDisk()
    disk.make_directory("/a")
    disk.sync_directory("/")
    write_clean_shutdown(disk, ["/a"], 247)
    disk.crash(FixedRng(0))
    assert disk.read_file(f"/a/{CLEAN_SHUTDOWN_NAME}") == GOLDEN
    assert take_clean_shutdown(disk, ["/a"]) == 247
    disk.crash(FixedRng(0))
    assert take_clean_shutdown(disk, ["/a"]) == -1


def test_a_disk_that_fails_is_told() -> None:
    disk = MemoryDisk()
    disk.make_directory("/a")
    disk.fail("write", CLEAN_SHUTDOWN_NAME + ".tmp", errno.EIO)
    with pytest.raises(OSError, match=CLEAN_SHUTDOWN_NAME):
        write_clean_shutdown(disk, ["/a"], 1)
    assert take_clean_shutdown(disk, ["/a"]) == -1
