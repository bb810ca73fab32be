"""The two disks, the real one and its twin in memory, behave alike; the twin forgets what was not synced."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.atomic import replace_file
from kafkaproto_server.shell.storage.disk import OsDisk, without_pauses
from kafkaproto_server.shell.storage.errors import OF_FILES
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from tests.shell.storage.support.helpers import FixedRng, SeededRng, batch
from tests.sim.disk import MemoryDisk, PowerLossError


def test_appended_buffers_follow_one_another(disk: Disk, root: str) -> None:
    file = disk.open(f"{root}/a", create=True)
    file.append([b"one", bytearray(b""), memoryview(b"two")])
    file.append([])
    file.append([b"three"])
    assert file.size() == 11
    assert file.read_at(0, 100) == b"onetwothree"
    file.close()
    assert disk.read_file(f"{root}/a") == b"onetwothree"


def test_more_buffers_than_one_system_call_takes_are_all_written(disk: Disk, root: str) -> None:
    file = disk.open(f"{root}/a", create=True)
    file.append([bytes([number % 256]) for number in range(3000)])
    assert file.read_at(0, 3000) == bytes(number % 256 for number in range(3000))
    file.close()


def test_a_read_stops_at_the_end_of_the_file(disk: Disk, root: str) -> None:
    file = disk.open(f"{root}/a", create=True)
    file.append([b"0123456789"])
    assert file.read_at(8, 1 << 62) == b"89"
    assert file.read_at(10, 5) == b""
    assert file.read_at(50, 5) == b""
    assert file.read_at(3, 0) == b""
    file.close()


def test_an_existing_file_is_not_emptied_and_appends_go_to_its_end(disk: Disk, root: str) -> None:
    first = disk.open(f"{root}/a", create=True)
    first.append([b"kept"])
    first.close()
    again = disk.open(f"{root}/a", create=True)
    again.append([b" and more"])
    assert again.read_at(0, 100) == b"kept and more"
    again.close()


def test_truncation_cuts_or_extends_with_zeros_and_appends_follow_it(disk: Disk, root: str) -> None:
    file = disk.open(f"{root}/a", create=True)
    file.append([b"0123456789"])
    file.truncate(4)
    file.append([b"x"])
    assert file.read_at(0, 100) == b"0123x"
    file.truncate(7)
    assert file.size() == 7
    assert file.read_at(0, 100) == b"0123x\0\0"
    file.close()


def test_a_write_may_overwrite_extend_and_leave_a_hole(disk: Disk, root: str) -> None:
    file = disk.open(f"{root}/a", create=True)
    file.write_at(2, b"ab")
    file.write_at(3, memoryview(b"cd"))
    file.write_at(0, b"z")
    assert file.read_at(0, 100) == b"z\0acd"
    file.append([b"!"])
    assert file.read_at(0, 100) == b"z\0acd!"
    file.sync()
    file.close()


def test_what_is_missing_is_said(disk: Disk, root: str) -> None:
    for operation in (disk.open, disk.open_read_only, disk.read_file, disk.remove, disk.list_directory):
        with pytest.raises(FileNotFoundError) as caught:
            operation(f"{root}/nothing")
        assert caught.value.errno == errno.ENOENT
    with pytest.raises(FileNotFoundError):
        disk.rename(f"{root}/nothing", f"{root}/b")
    with pytest.raises(FileNotFoundError):
        disk.open(f"{root}/no/parent", create=True)
    with pytest.raises(FileNotFoundError):
        disk.sync_directory(f"{root}/nothing")


def test_a_name_that_the_disk_says_nothing_about_is_not_taken_for_a_missing_one(tmp_path: Path) -> None:
    disk, link, file = OsDisk(), tmp_path / "link", tmp_path / "file"
    link.symlink_to(link)
    file.write_text("x")
    for ask in (disk.exists, disk.is_directory):
        with pytest.raises(OSError, match="Too many levels of symbolic links"):
            ask(str(link))
        assert not ask(str(tmp_path / "missing"))
        assert not ask(str(file / "below"))
    assert disk.exists(str(file))
    assert not disk.is_directory(str(file))


def test_a_directory_is_no_file(disk: Disk, root: str) -> None:
    disk.make_directory(f"{root}/folder")
    for operation in (disk.open, disk.open_read_only, disk.read_file):
        with pytest.raises(IsADirectoryError):
            operation(f"{root}/folder")
    disk.open(f"{root}/file", create=True).close()
    with pytest.raises(NotADirectoryError):
        disk.list_directory(f"{root}/file")
    with pytest.raises(FileExistsError):
        disk.make_directory(f"{root}/file")


def test_directories_are_made_with_their_parents_and_listed_in_order(disk: Disk, root: str) -> None:
    disk.make_directory(f"{root}/one/two")
    disk.make_directory(f"{root}/one/two")
    for name in ("b", "a", "c"):
        disk.open(f"{root}/one/{name}", create=True).close()
    assert disk.list_directory(f"{root}/one") == ["a", "b", "c", "two"]
    assert disk.exists(f"{root}/one/two")
    assert disk.is_directory(f"{root}/one")
    assert not disk.is_directory(f"{root}/one/a")
    assert not disk.is_directory(f"{root}/none")
    assert not disk.exists(f"{root}/none")
    disk.sync_directory(f"{root}/one")


def test_a_rename_replaces_the_target_and_an_open_file_stays_with_its_bytes(disk: Disk, root: str) -> None:
    old = disk.open(f"{root}/target", create=True)
    old.append([b"old"])
    new = disk.open(f"{root}/source", create=True)
    new.append([b"new"])
    disk.rename(f"{root}/source", f"{root}/target")
    assert disk.list_directory(root) == ["target"]
    assert disk.read_file(f"{root}/target") == b"new"
    assert old.read_at(0, 10) == b"old"
    old.close()
    new.close()
    disk.remove(f"{root}/target")
    assert not disk.exists(f"{root}/target")


def test_a_read_only_file_can_be_read(disk: Disk, root: str) -> None:
    writer = disk.open(f"{root}/a", create=True)
    writer.append([b"content"])
    writer.close()
    disk.set_read_only(f"{root}/a")
    reader = disk.open_read_only(f"{root}/a")
    assert reader.read_at(3, 100) == b"tent"
    with pytest.raises(OSError, match="descriptor"):
        reader.append([b"x"])
    reader.close()


def test_a_lock_excludes_a_second_claim_until_it_is_released(disk: Disk, root: str) -> None:
    lock = disk.lock(f"{root}/.lock")
    with pytest.raises(BlockingIOError):
        disk.lock(f"{root}/.lock")
    lock.release()
    disk.lock(f"{root}/.lock").release()
    assert disk.exists(f"{root}/.lock")


HOLDER = """
import sys
from kafkaproto_server.shell.storage.atomic import replace_file
from kafkaproto_server.shell.storage.disk import OsDisk, without_pauses
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.log_config import LogConfig
lock = OsDisk().lock(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.slow
def test_a_real_lock_excludes_another_process(tmp_path: Path) -> None:
    path = str(tmp_path / ".lock")
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(BlockingIOError, match="another process"):
            OsDisk().lock(path)
        holder.communicate()
    OsDisk().lock(path).release()


def test_a_lock_that_the_system_cannot_give_is_no_contention(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_descriptor: int, _how: int) -> None:
        raise OSError(errno.ENOLCK, "no locks here")

    monkeypatch.setattr(fcntl, "lockf", refuse)
    with pytest.raises(OSError, match="no locks here") as caught:
        OsDisk().lock(str(tmp_path / ".lock"))
    assert not isinstance(caught.value, BlockingIOError)


def test_a_real_file_says_when_it_was_written_to_in_whole_milliseconds(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"")
    os.utime(path, ns=(0, 1_700_000_000_123_999_999))
    assert OsDisk().modified_ms(str(path)) == 1_700_000_000_123


def test_a_real_read_only_file_has_mode_0400(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    OsDisk().set_read_only(str(tmp_path / "a"))
    assert stat.S_IMODE(os.stat(tmp_path / "a").st_mode) == 0o400


def test_writes_that_the_system_cuts_short_are_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_pwritev, real_pwrite, real_pread = os.pwritev, os.pwrite, os.pread

    def short_pwritev(descriptor: int, buffers: list[memoryview], position: int) -> int:
        return real_pwritev(descriptor, [b"".join(buffers)[:5]], position)

    monkeypatch.setattr(os, "pwritev", short_pwritev)
    monkeypatch.setattr(os, "pwrite", lambda fd, data, position: real_pwrite(fd, data[:2], position))
    monkeypatch.setattr(os, "pread", lambda fd, length, position: real_pread(fd, min(length, 4), position))
    file = OsDisk().open(str(tmp_path / "a"), create=True)
    file.append([b"abc", b"defg", b"hij"])
    file.write_at(8, b"IJKLM")
    assert file.read_at(0, 100) == b"abcdefghIJKLM"
    file.close()


# What only the twin can do: forget, and fail.


def memory_disk_with(path: str, content: bytes) -> MemoryDisk:
    disk = MemoryDisk()
    disk.make_directory("/d")
    disk.sync_directory("/")
    file = disk.open(path, create=True)
    file.append([content])
    file.sync()
    file.close()
    disk.sync_directory("/d")
    return disk


def test_synced_bytes_and_names_survive_a_crash_that_keeps_nothing_else() -> None:
    disk = memory_disk_with("/d/a", b"safe")
    file = disk.open("/d/a")
    file.append([b" lost"])
    disk.open("/d/b", create=True).sync()
    disk.crash(FixedRng(0))
    assert disk.list_directory("/d") == ["a"]
    assert disk.read_file("/d/a") == b"safe"
    with pytest.raises(AssertionError, match="after a crash"):
        file.size()


def test_a_torn_write_keeps_a_prefix_of_it() -> None:
    kept = set()
    for seed in range(200):
        disk = memory_disk_with("/d/a", b"safe")
        file = disk.open("/d/a")
        file.append([b"12"])
        file.append([b"34"])
        file.truncate(5)
        disk.crash(SeededRng(seed))
        kept.add(disk.read_file("/d/a"))
    assert kept == {b"safe", b"safe1", b"safe12", b"safe123", b"safe1234"}


def test_an_unsynced_rename_happened_or_not_but_never_by_half() -> None:
    seen = set()
    for seed in range(50):
        disk = memory_disk_with("/d/a", b"new")
        other = disk.open("/d/b", create=True)
        other.append([b"old"])
        other.sync()
        disk.sync_directory("/d")
        disk.rename("/d/a", "/d/b")
        disk.crash(SeededRng(seed))
        seen.add(tuple((name, disk.read_file(f"/d/{name}")) for name in disk.list_directory("/d")))
    assert seen == {(("a", b"new"), ("b", b"old")), (("b", b"new"),)}


def test_a_removal_that_was_not_synced_may_be_undone() -> None:
    disk = memory_disk_with("/d/a", b"back")
    disk.remove("/d/a")
    disk.crash(FixedRng(0))
    assert disk.read_file("/d/a") == b"back"


def test_files_of_a_directory_that_was_lost_are_lost_with_it() -> None:
    disk = MemoryDisk()
    disk.make_directory("/d")
    file = disk.open("/d/a", create=True)
    file.sync()
    disk.sync_directory("/d")
    disk.crash(FixedRng(0))
    assert not disk.exists("/d")
    assert not disk.exists("/d/a")


def test_planned_faults_hit_their_calls_and_then_pass() -> None:
    disk = memory_disk_with("/d/a", b"x")
    file = disk.open("/d/a")
    disk.fail("write", "a", times=2)
    disk.fail("read", "a", errno.ENXIO)
    disk.fail("rename", "a")
    for _ in range(2):
        with pytest.raises(OSError, match="Input/output"):
            file.append([b"y"])
    with pytest.raises(OSError) as caught:
        disk.read_file("/d/a")
    assert caught.value.errno == errno.ENXIO
    with pytest.raises(OSError, match="Input/output"):
        disk.rename("/d/a", "/d/b")
    file.append([b"z"])
    assert disk.read_file("/d/a") == b"xz"


def test_after_a_failed_sync_a_later_one_saves_nothing_of_what_it_covered() -> None:
    disk = memory_disk_with("/d/a", b"safe")
    file = disk.open("/d/a")
    file.append([b" gone"])
    disk.fail("sync", "a")
    with pytest.raises(OSError, match="Input/output"):
        file.sync()
    file.sync()
    disk.crash(FixedRng(1))
    assert disk.read_file("/d/a") == b"safe"


def test_a_full_disk_takes_what_fits() -> None:
    disk = memory_disk_with("/d/a", b"12345")
    disk.capacity_bytes = 8
    file = disk.open("/d/a")
    with pytest.raises(OSError) as caught:
        file.append([b"abcdef"])
    assert caught.value.errno == errno.ENOSPC
    assert disk.read_file("/d/a") == b"12345abc"
    file.write_at(0, b"54321")
    assert disk.read_file("/d/a") == b"54321abc"


def test_power_loss_comes_ahead_of_the_numbered_operation() -> None:
    disk = memory_disk_with("/d/a", b"x")
    file = disk.open("/d/a")
    disk.crash_before = disk.operations + 1
    file.append([b"y"])
    with pytest.raises(PowerLossError, match="sync /d/a"):
        file.sync()
    disk.crash(FixedRng(0))
    assert disk.read_file("/d/a") == b"x"


def test_locks_end_with_a_crash_and_read_only_stays() -> None:
    disk = memory_disk_with("/d/a", b"x")
    disk.set_read_only("/d/a")
    disk.lock("/d/.lock")
    disk.crash(FixedRng(1))
    disk.lock("/d/.lock").release()
    assert disk.is_read_only("/d/a")
    with pytest.raises(PermissionError):
        disk.open("/d/a")


# What only the real disk can meet.


class Short:
    """A system call that has no descriptors or memory for its first attempts."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, name: str, code: int, attempts: int = 3) -> None:
        self.left = attempts
        self._code = code
        self._call = getattr(os, name)
        monkeypatch.setattr(f"kafkaproto_server.shell.storage.disk.os.{name}", self)
        monkeypatch.setattr("kafkaproto_server.shell.storage.disk.SHORTAGE_PAUSE_S", 0)

    def __call__(self, *arguments: object, **options: object) -> object:
        if self.left:
            self.left -= 1
            raise OSError(self._code, os.strerror(self._code))
        return self._call(*arguments, **options)


def use_all(disk: OsDisk, root: str) -> None:
    """Every operation that needs a descriptor, or memory of the system."""
    replace_file(disk, root, "a", b"12345")
    file = disk.open(f"{root}/a")
    file.append([b"6"])
    file.write_at(6, b"78")
    file.truncate(7)
    assert file.read_at(0, 10) == b"1234567"
    file.close()
    assert disk.read_file(f"{root}/a") == b"1234567"
    file = disk.open_read_only(f"{root}/a")
    file.close()
    assert disk.list_directory(root) == ["a"]


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS])
@pytest.mark.parametrize("name", ["open", "pread", "pwritev", "ftruncate", "listdir"])
def test_a_shortage_of_descriptors_or_memory_is_waited_out_and_said_once(
    name: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    short = Short(monkeypatch, name, code)
    use_all(OsDisk(), str(tmp_path))
    assert short.left == 0
    waiting, done = caplog.messages
    assert waiting.endswith(f" failed for lack of resources and is retried: {os.strerror(code)}")
    assert done.endswith(" succeeded after retries")


def test_who_has_to_free_descriptors_is_told_of_a_shortage_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = Short(monkeypatch, "open", errno.EMFILE)
    disk, path = OsDisk(), str(tmp_path / "a")
    with pytest.raises(OSError, match="Too many open files"), without_pauses:
        disk.open(path, create=True)
    assert not os.path.exists(path)
    short.left = 1
    disk.open(path, create=True).close()
    assert short.left == 0


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENOMEM])
def test_a_log_that_begins_a_segment_in_a_shortage_loses_nothing(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = LogConfig(segment_bytes=2 * len(batch(0)))
    log = Log.open(OsDisk(), str(tmp_path / "log"), topic_id=bytes(16), config=config)
    short = Short(monkeypatch, "open", code, attempts=20)
    for offset in range(5):
        log.append([batch(offset)])
        log.sync()
    assert short.left == 0
    assert len(log.segments) > 1
    log.close()
    again = Log.open(OsDisk(), str(tmp_path / "log"), topic_id=bytes(16), config=config)
    assert again.recovery_note is None
    assert again.log_end_offset == 5
    again.close()


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENOMEM])
def test_a_sync_is_not_tried_again(code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = OsDisk().open(str(tmp_path / "a"), create=True)
    short = Short(monkeypatch, "fdatasync", code, attempts=2)
    with pytest.raises(OSError, match=os.strerror(code)):
        file.sync()
    assert short.left == 1
    file.close()


@pytest.mark.parametrize("code", [errno.EIO, errno.EACCES])
def test_other_errors_are_not_waited_out(code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = Short(monkeypatch, "open", code, attempts=2)
    with pytest.raises(OSError, match=os.strerror(code)):
        OsDisk().read_file(str(tmp_path / "a"))
    assert short.left == 1


@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_what_is_no_regular_file_is_refused_and_not_waited_for(kind: str, tmp_path: Path) -> None:
    path = str(tmp_path / "a")
    if kind == "pipe":
        os.mkfifo(path)
    else:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path)
    disk = OsDisk()
    attempts: list[Callable[[], object]] = [
        lambda: disk.open(path),
        lambda: disk.open(path, create=True),
        lambda: disk.open_read_only(path),
        lambda: disk.read_file(path),
        lambda: disk.lock(path),
    ]
    for attempt in attempts:
        with pytest.raises(OSError, match=r"regular file|No such device") as caught:
            attempt()
        assert path in str(caught.value)
        # It costs a partition at most, and not its directory.
        assert caught.value.errno in OF_FILES


def test_files_and_directories_are_for_this_user_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        disk = OsDisk()
        disk.make_directory(f"{tmp_path}/a/b")
        disk.open(f"{tmp_path}/a/b/file", create=True).close()
        disk.lock(f"{tmp_path}/a/b/.lock").release()
    finally:
        os.umask(before)
    modes = {
        name: stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a", "a/b", "a/b/file", "a/b/.lock")
    }
    assert modes == {"a": 0o700, "a/b": 0o700, "a/b/file": 0o600, "a/b/.lock": 0o600}
