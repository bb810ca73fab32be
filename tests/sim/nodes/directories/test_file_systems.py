"""File systems of one simulated disk: each has its own room, its own failures and its own syncs."""

from __future__ import annotations

import errno
import random

import pytest

from tests.sim.nodes.directories.file_systems import READS, SYNCS, WRITES, DividedDisk, FileSystem
from tests.sim.nodes.host import SeededRng

ONE, OTHER = "/data/one", "/data/other"


def divided() -> DividedDisk:
    """Two file systems, each with a durable file ``file`` that holds its path."""
    disk = DividedDisk(random.Random(1))
    for path in (ONE, OTHER):
        disk.make_directory(path)
        write(disk, path, path.encode())
        disk.file_systems[path] = FileSystem()
    disk.sync_file_system("/")
    return disk


def write(disk: DividedDisk, path: str, data: bytes) -> None:
    file = disk.open(f"{path}/file", create=True)
    file.append([data])
    file.close()


def test_one_is_full_and_the_other_is_not() -> None:
    disk = divided()
    disk.file_systems[ONE].capacity_bytes = disk.used_below(ONE) + 2
    with pytest.raises(OSError, match="No space left"):
        write(disk, ONE, b"abc")
    assert disk.read_file(f"{ONE}/file") == b"/data/oneab", "what fits is written"
    write(disk, OTHER, b"abc")
    assert (disk.space(ONE)[1], disk.space(OTHER)[1] > 1000) == (0, True)


def test_a_full_one_takes_what_needs_no_more_room() -> None:
    disk = divided()
    disk.file_systems[ONE].capacity_bytes = 0
    file = disk.open(f"{ONE}/file", create=False)
    file.write_at(0, b"!")
    with pytest.raises(OSError, match="No space left"):
        file.append([b"a"])
    assert disk.read_file(f"{ONE}/file") == b"!data/one"


@pytest.mark.parametrize(
    ("operations", "act"),
    [
        (READS, lambda disk, path: disk.read_file(f"{path}/file")),
        (READS, lambda disk, path: disk.list_directory(path)),
        (WRITES, lambda disk, path: write(disk, path, b"a")),
        (WRITES, lambda disk, path: disk.rename(f"{path}/file", f"{path}/name")),
        (WRITES, lambda disk, path: disk.remove(f"{path}/file")),
        (SYNCS, lambda disk, path: disk.sync_directory(path)),
        (SYNCS, lambda disk, path: disk.sync_file_system(path)),
    ],
)
@pytest.mark.parametrize("is_lasting", [True, False])
def test_one_fails_and_the_other_works(operations: tuple[str, ...], act: object, is_lasting: bool) -> None:
    assert callable(act)
    disk = divided()
    one = disk.file_systems[ONE]
    one.fail(dict.fromkeys(operations, errno.EIO), is_lasting=is_lasting)
    assert not one.is_well
    act(disk, OTHER)
    with disk.looked_at():
        assert disk.read_file(f"{ONE}/file") == ONE.encode(), "a checker reads it all the same"
    with pytest.raises(OSError, match="Input/output error"):
        act(disk, ONE)
    if is_lasting:
        with pytest.raises(OSError, match="Input/output error"):
            act(disk, ONE)
        one.repair()
    act(disk, ONE)
    assert one.is_well


def test_one_is_gone_and_comes_back_with_its_content() -> None:
    disk = divided()
    file = disk.open(f"{ONE}/file")
    disk.file_systems[ONE].is_gone = True
    assert (disk.exists(ONE), disk.is_directory(ONE), disk.exists(OTHER)) == (False, False, True)
    with pytest.raises(FileNotFoundError):
        disk.read_file(f"{ONE}/file")
    with pytest.raises(OSError, match="Input/output error"):
        file.append([b"a"])
    disk.file_systems[ONE].repair()
    assert disk.read_file(f"{ONE}/file") == ONE.encode()


def test_mount_points_are_exchanged_with_what_is_wrong_there() -> None:
    disk = divided()
    disk.file_systems[ONE].capacity_bytes = 100
    disk.swap(ONE, OTHER)
    assert (disk.read_file(f"{ONE}/file"), disk.read_file(f"{OTHER}/file")) == (OTHER.encode(), ONE.encode())
    assert [disk.file_systems[path].capacity_bytes for path in (ONE, OTHER)] == [None, 100]
    disk.crash(SeededRng(random.Random(1)))
    assert disk.read_file(f"{ONE}/file") == OTHER.encode()


def test_a_new_disk_is_empty_for_good() -> None:
    disk = divided()
    disk.file_systems[ONE].capacity_bytes = 0
    disk.empty(ONE)
    disk.crash(SeededRng(random.Random(1)))
    assert (disk.list_directory(ONE), disk.list_directory(OTHER)) == ([], ["file"])
    assert disk.file_systems[ONE].is_well


def test_a_sync_of_one_leaves_the_other_as_it_was() -> None:
    disk = divided()
    for path in (ONE, OTHER):
        write(disk, path, b"!")
        disk.remove(f"{path}/file")
        disk.make_directory(f"{path}/later")
        write(disk, f"{path}/later", b"?")
    disk.sync_file_system(ONE)
    # Nothing that was not synced is kept.
    disk.crash(_Least())
    assert (disk.list_directory(ONE), disk.list_directory(OTHER)) == (["later"], ["file"])
    assert disk.read_file(f"{ONE}/later/file") == b"?"
    assert disk.read_file(f"{OTHER}/file") == OTHER.encode()


class _Least(SeededRng):
    def __init__(self) -> None:
        super().__init__(random.Random(1))

    def below(self, limit: int) -> int:
        return 0
