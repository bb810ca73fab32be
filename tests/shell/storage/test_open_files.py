"""Files of topics that share a limited number of descriptors."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.shell.storage.open_files import OpenFiles
from tests.sim.disk import MemoryDisk, MemoryFile


@pytest.fixture
def disk() -> MemoryDisk:
    disk = MemoryDisk()
    disk.make_directory("/d")
    return disk


def test_no_more_files_are_open_than_allowed_and_each_can_be_used(disk: MemoryDisk) -> None:
    files = OpenFiles(disk, 2)
    some = [files.open(f"/d/{number}", create=True) for number in range(5)]
    for number, file in enumerate(some):
        file.append([b"file %d" % number])
        file.write_at(0, b"F")
        assert (len(disk.open_files), len(files)) == (2, 2)
    for number, file in enumerate(some):
        assert (file.size(), file.read_at(0, 10)) == (6, b"File %d" % number)
        file.append([b"!"])
        file.truncate(6)
        file.sync()
        assert bytes(file.read_now(0, 6)) == b"File %d" % number
        assert len(disk.open_files) == 2
    for file in some:
        file.close()
        file.close()
    assert (len(disk.open_files), len(files)) == (0, 0)


def test_the_file_that_was_used_least_recently_gives_way(disk: MemoryDisk) -> None:
    files = OpenFiles(disk, 2)
    first, second = (files.open(f"/d/{name}", create=True) for name in "ab")
    first.size()
    files.open("/d/c", create=True)
    assert first.read_now(0, 0) == b""
    with pytest.raises(BlockingIOError):
        second.read_now(0, 0)
    # A thread opens it.
    assert second.read_at(0, 1) == b""
    assert second.read_now(0, 0) == b""


def test_a_file_in_use_stays_open(disk: MemoryDisk, monkeypatch: pytest.MonkeyPatch) -> None:
    files = OpenFiles(disk, 1)
    file = files.open("/d/a", create=True)
    is_reading, may_end = threading.Event(), threading.Event()

    def slow(file: MemoryFile, position: int, length: int) -> bytes:
        is_reading.set()
        assert may_end.wait(10)
        return b""

    monkeypatch.setattr(MemoryFile, "read_at", slow)
    thread = threading.Thread(target=lambda: file.read_at(0, 1))
    thread.start()
    assert is_reading.wait(10)
    files.open("/d/b", create=True).size()
    assert len(disk.open_files) == 2
    may_end.set()
    thread.join()
    files.open("/d/c", create=True)
    assert len(disk.open_files) == 1


def test_a_file_that_cannot_be_opened_again_says_why(disk: MemoryDisk) -> None:
    files = OpenFiles(disk, 1)
    file = files.open("/d/a", create=True)
    files.open("/d/b", create=True)
    disk.remove("/d/a")
    with pytest.raises(FileNotFoundError):
        file.size()
    with pytest.raises(FileNotFoundError):
        files.open("/d/a")


def test_what_was_closed_is_not_opened_again(disk: MemoryDisk) -> None:
    file = OpenFiles(disk, 1).open("/d/a", create=True)
    file.close()
    with pytest.raises(AssertionError, match="was closed"):
        file.size()


def test_many_threads_use_the_same_files(tmp_path: Path) -> None:
    files = OpenFiles(OsDisk(), 3)
    some = [files.open(str(tmp_path / str(number)), create=True) for number in range(8)]
    for number, file in enumerate(some):
        file.append([b"%d" % number])
    wrong: list[bytes] = []

    def read(begin: int) -> None:
        for turn in range(400):
            number = (begin + turn * 3) % 8
            found = some[number].read_at(0, 1)
            if found != b"%d" % number:
                wrong.append(found)

    threads = [threading.Thread(target=read, args=(begin,)) for begin in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert (wrong, len(files)) == ([], 3)


def test_the_rest_is_the_disks(disk: MemoryDisk) -> None:
    files = OpenFiles(disk, 1)
    files.make_directory("/e")
    files.open("/e/a", create=True).append([b"x"])
    files.rename("/e/a", "/e/b")
    assert (files.list_directory("/e"), files.exists("/e/a"), files.is_directory("/e")) == (
        ["b"],
        False,
        True,
    )
    assert (files.read_file("/e/b"), files.modified_ms("/e/b")) == (b"x", disk.modified_ms("/e/b"))
    files.sync_directory("/e")
    files.sync_file_system("/e")
    files.set_read_only("/e/b")
    file = files.open_read_only("/e/b")
    assert file.read_at(0, 1) == b"x"
    file.close()
    assert files.space("/e") == disk.space("/e")
    lock = files.lock("/e/.lock")
    with pytest.raises(BlockingIOError):
        files.lock("/e/.lock")
    lock.release()
    files.remove("/e/b")
    files.remove("/e/.lock")
    files.remove_directory("/e")
    assert not disk.exists("/e")
