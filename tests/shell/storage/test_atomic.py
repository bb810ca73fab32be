"""Files replaced as a whole and directories made for good, with a crash at every operation."""

from __future__ import annotations

import pytest

from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.atomic import make_directory_durably, replace_file
from kafkaproto_server.shell.storage.disk import OsDisk
from tests.shell.storage.support.helpers import FixedRng, SeededRng
from tests.sim.disk import MemoryDisk, PowerLossError


def test_a_file_is_replaced_and_nothing_else_is_left(disk: Disk, root: str) -> None:
    replace_file(disk, root, "name", b"a longer first content")
    replace_file(disk, root, "name", b"second")
    assert disk.read_file(f"{root}/name") == b"second"
    assert disk.list_directory(root) == ["name"]


@pytest.mark.parametrize(("content", "is_new_file"), [(b"longer than before", False), (b"less", True)])
def test_what_need_not_be_durable_is_written_over_if_nothing_of_it_can_stay(
    disk: Disk, root: str, content: bytes, is_new_file: bool
) -> None:
    """Another process reads one content or the other: what it has open is the old file, if that is replaced."""
    replace_file(disk, root, "name", b"as before", is_durable=False)
    held = disk.open(f"{root}/name")
    replace_file(disk, root, "name", content, is_durable=False)
    assert disk.read_file(f"{root}/name") == content
    assert held.read_at(0, 100) == (b"as before" if is_new_file else content)
    assert disk.list_directory(root) == ["name"]
    held.close()


def test_what_an_earlier_attempt_left_behind_is_overwritten(disk: Disk, root: str) -> None:
    leftover = disk.open(f"{root}/name.tmp", create=True)
    leftover.append([b"left behind by a crash, and longer"])
    leftover.close()
    replace_file(disk, root, "name", b"new")
    assert disk.read_file(f"{root}/name") == b"new"


@pytest.mark.parametrize("operation", ["write", "sync", "rename"])
def test_a_failure_leaves_the_old_content(operation: str) -> None:
    disk = MemoryDisk()
    replace_file(disk, "/.", "name", b"old")
    disk.fail(operation, "name.tmp")
    with pytest.raises(OSError, match="Input/output"):
        replace_file(disk, "/.", "name", b"new")
    assert disk.read_file("/name") == b"old"
    replace_file(disk, "/.", "name", b"newer")
    assert disk.read_file("/name") == b"newer"


def test_after_a_crash_the_content_is_the_old_or_the_new_one() -> None:
    for operation in range(20):
        for seed in range(10):
            disk = MemoryDisk()
            replace_file(disk, "/.", "name", b"old content")
            before = disk.operations
            disk.crash_before = before + operation
            try:
                replace_file(disk, "/.", "name", b"new")
                returned = True
            except PowerLossError:
                returned = False
            disk.crash(SeededRng(seed))
            assert disk.read_file("/name") in ([b"new"] if returned else [b"old content", b"new"])


def test_a_file_in_the_place_of_a_directory_is_named(disk: Disk, root: str) -> None:
    disk.open(f"{root}/file", create=True).close()
    for path in (f"{root}/file", f"{root}/file/one/two"):
        with pytest.raises(NotADirectoryError, match=r"a file stands in the place of a directory: '.*/file'"):
            make_directory_durably(disk, path)


def test_a_directory_and_the_parents_made_for_it_survive_a_crash(disk: Disk, root: str) -> None:
    make_directory_durably(disk, f"{root}/one/two/three/")
    make_directory_durably(disk, f"{root}/one/two/three")
    assert disk.is_directory(f"{root}/one/two/three")
    memory = MemoryDisk()
    make_directory_durably(memory, "/one/two")
    make_directory_durably(memory, "/one/two/three")
    memory.crash(FixedRng(0))
    assert memory.is_directory("/one/two/three")


def test_a_relative_directory_is_made_where_the_process_is(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path_factory.mktemp("here")
    monkeypatch.chdir(here)
    make_directory_durably(OsDisk(), "kafka-data/log")
    assert (here / "kafka-data" / "log").is_dir()
