"""Log directories when a node starts, and the check of whether one still works."""

from __future__ import annotations

import errno
import os
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from kafkaproto import uuids
from kafkaproto.directory_files import MetaProperties
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.base.types import METADATA_LOG_NAME
from kafkaproto_server.shell.storage.directories.directories import (
    PROBE_NAME,
    OpenedDirectories,
    check_directory,
    open_directories,
)
from kafkaproto_server.shell.storage.directories.meta_properties import (
    read_log_directory,
    write_meta_properties,
)
from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.shell.storage.errors import CorruptFileError, StorageError
from tests.sim.disk import MemoryDisk

CLUSTER = "MkU3OEVBNTcwNTJENDM2Qg"
NAMES = ("a", "b", "c")


def id_of(name: str) -> bytes:
    return name.encode() * 16


def formatted(disk: Disk, path: str, directory_id: bytes | None, node_id: int = 1) -> None:
    disk.make_directory(path)
    properties = MetaProperties(version=1, cluster_id=CLUSTER, node_id=node_id, directory_id=directory_id)
    write_meta_properties(disk, path, properties, 0)


def three(disk: Disk, root: str) -> list[str]:
    """Formatted directories a, b and c."""
    for name in NAMES:
        formatted(disk, f"{root}/{name}", id_of(name))
    return [f"{root}/{name}" for name in NAMES]


def open_all(disk: Disk, paths: list[str], metadata_path: str | None = None) -> OpenedDirectories:
    """As node 1 does, its metadata log in the first of them."""
    numbers = count(1_000)
    return open_directories(
        disk,
        paths,
        metadata_path=metadata_path or paths[0],
        node_id=1,
        new_uuid=lambda: next(numbers).to_bytes(16),
        wall_ms=0,
    )


def release(opened: OpenedDirectories) -> None:
    for lock in opened.locks:
        lock.release()


def test_directories_that_work_are_opened_and_held(disk: Disk, root: str) -> None:
    paths = three(disk, root)
    opened = open_all(disk, paths)
    assert [(each.path, each.directory_id, each.problem) for each in opened.by_path.values()] == [
        (path, id_of(name), None) for path, name in zip(paths, NAMES, strict=True)
    ]
    for path in paths:
        with pytest.raises(BlockingIOError):
            disk.lock(f"{path}/.lock")
    with pytest.raises(BlockingIOError):
        open_all(disk, paths)
    release(opened)
    release(open_all(disk, paths))


def test_a_directory_without_an_id_is_given_one_for_good(disk: Disk, root: str) -> None:
    paths = three(disk, root)
    formatted(disk, paths[1], None)
    opened = open_all(disk, paths)
    release(opened)
    given = opened.by_path[paths[1]].directory_id
    assert given == (1_000).to_bytes(16)
    again = open_all(disk, paths)
    release(again)
    assert again.by_path[paths[1]].directory_id == given


@pytest.mark.parametrize(
    ("name", "fault", "complaint"),
    [
        ("unformatted", None, "/new is not formatted"),
        ("copy", id_of("a"), "/a; one of them is a copy"),
    ],
)
def test_a_node_does_not_start_on_wrong_content_and_gives_its_claims_back(
    disk: Disk, root: str, name: str, fault: bytes | None, complaint: str
) -> None:
    paths = [*three(disk, root), f"{root}/new"]
    disk.make_directory(paths[3])
    if fault is not None:
        formatted(disk, paths[3], fault)
    with pytest.raises(StorageError) as caught:
        open_all(disk, paths)
    assert complaint in str(caught.value)
    if name == "copy":
        assert f"{root}/new/meta.properties" in str(caught.value)
    for path in paths:
        disk.lock(f"{path}/.lock").release()


def test_one_directory_under_two_names_is_told_with_both(tmp_path: Path) -> None:
    disk, root = OsDisk(), str(tmp_path)
    paths = three(disk, root)
    (tmp_path / "link").symlink_to(tmp_path / "a")
    for other in (f"{root}/link", f"{root}/a/"):
        with pytest.raises(StorageError) as caught:
            open_all(disk, [*paths, other])
        assert f"{other}/meta.properties: directory.id " in str(caught.value)
        assert f"is also that of {root}/a; " in str(caught.value)


def test_a_metadata_log_elsewhere_than_configured_is_not_passed_over(disk: Disk, root: str) -> None:
    paths = three(disk, root)
    disk.make_directory(f"{paths[1]}/{METADATA_LOG_NAME}")
    release(open_all(disk, paths, metadata_path=paths[1]))
    with pytest.raises(StorageError) as caught:
        open_all(disk, paths, metadata_path=paths[2])
    assert f"{paths[1]}/{METADATA_LOG_NAME} is a metadata log" in str(caught.value)
    assert f"keeps its own in {paths[2]}" in str(caught.value)


FAULTS = [
    ("read", "/b/meta.properties"),
    ("create", "/b/.lock"),
    ("write", f"/b/{PROBE_NAME}"),
    ("sync", f"/b/{PROBE_NAME}"),
    ("remove", f"/b/{PROBE_NAME}"),
]


@pytest.mark.parametrize(("operation", "path"), FAULTS)
def test_a_disk_that_fails_costs_its_directory_and_not_the_node(operation: str, path: str) -> None:
    disk = MemoryDisk()
    paths = three(disk, "")
    disk.fail(operation, path, times=9)
    opened = open_all(disk, paths)
    offline = {each.path: each.problem for each in opened.by_path.values() if each.problem is not None}
    assert list(offline) == ["/b"]
    assert "/b" in offline["/b"]


def put(place: Path, what: str) -> None:
    """Something else in the place of a log directory, or of its meta.properties."""
    properties = place / "meta.properties"
    if what.startswith("properties"):
        properties.unlink()
    else:
        place.rename(place.with_name("moved away"))
    if what == "file":
        place.write_text("x")
    elif what == "link to itself":
        place.symlink_to(place)
    elif what == "link to a file":
        place.symlink_to("/dev/null")
    elif what == "pipe":
        os.mkfifo(place)
    elif what == "properties are a directory":
        properties.mkdir()
    elif what == "properties are a link to itself":
        properties.symlink_to(properties)
    elif what == "properties are damaged":
        properties.write_text("version=1\nfoo")


PLACES = [
    "file",
    "link to itself",
    "link to a file",
    "pipe",
    "properties are a directory",
    "properties are a link to itself",
    "properties are damaged",
]


@pytest.mark.parametrize("what", PLACES)
def test_what_is_no_log_directory_is_offline_and_no_reason_not_to_start(tmp_path: Path, what: str) -> None:
    # Compared with a node of Apache Kafka 4.4.0.
    disk = OsDisk()
    paths = three(disk, str(tmp_path))
    put(tmp_path / "b", what)
    opened = open_all(disk, paths)
    problems = {path: each.problem for path, each in opened.by_path.items()}
    release(opened)
    assert [path for path, problem in problems.items() if problem is not None] == [paths[1]]
    assert paths[1] in str(problems[paths[1]])
    assert "format" not in str(problems[paths[1]])
    with pytest.raises(StorageError, match=r"the metadata log's directory cannot be used: .*/b"):
        open_all(disk, paths, metadata_path=paths[1])


@pytest.mark.parametrize("what", ["missing", "empty", "link to nothing", "without meta.properties"])
def test_what_may_be_a_new_directory_has_to_be_formatted(tmp_path: Path, what: str) -> None:
    # As with Apache Kafka 4.4.0.
    disk = OsDisk()
    paths = three(disk, str(tmp_path))
    place = tmp_path / "b"
    if what == "without meta.properties":
        (place / "meta.properties").unlink()
    else:
        place.rename(tmp_path / "moved away")
    if what == "empty":
        place.mkdir()
    elif what == "link to nothing":
        place.symlink_to(tmp_path / "nothing")
    with pytest.raises(StorageError, match=f"{place} is not formatted: run kafka-storage format"):
        open_all(disk, paths)


@pytest.mark.parametrize("name", ["t-0", METADATA_LOG_NAME])
def test_a_directory_with_logs_and_without_properties_was_formatted_once(tmp_path: Path, name: str) -> None:
    """A format would forget its id: the metadata says of the replicas where they are, and who is a voter."""
    disk = OsDisk()
    paths = three(disk, str(tmp_path))
    (tmp_path / "b" / "meta.properties").unlink()
    (tmp_path / "b" / name).mkdir()
    # As a format leaves it that was interrupted.
    with pytest.raises(StorageError, match="is not formatted: run kafka-storage format"):
        open_all(disk, paths)
    (tmp_path / "b" / name / f"{0:020}.log").write_bytes(b"records")
    opened = open_all(disk, paths)
    problems = {path: each.problem for path, each in opened.by_path.items() if each.problem}
    release(opened)
    assert list(problems) == [paths[1]]
    assert (
        f"{paths[1]}/meta.properties: the file is gone, but {name} is there: restore it" in problems[paths[1]]
    )
    with pytest.raises(StorageError, match=f"the metadata log's directory cannot be used: .*{name} is there"):
        open_all(disk, paths, metadata_path=paths[1])


def test_a_disk_of_which_nothing_can_be_read_is_offline(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    disk = OsDisk()
    paths = three(disk, str(tmp_path))

    def dead(call: Any) -> Any:
        def refuse(path: Any, *given: Any, **named: Any) -> Any:
            if str(path).startswith(paths[1]):
                raise OSError(errno.EIO, os.strerror(errno.EIO), path)
            return call(path, *given, **named)

        return refuse

    for name in ("stat", "open", "listdir", "mkdir", "unlink", "replace", "statvfs"):
        monkeypatch.setattr(os, name, dead(getattr(os, name)))
    opened = open_all(disk, paths)
    release(opened)
    problem = opened.by_path[paths[1]].problem
    assert problem is not None
    assert problem.startswith(f"{paths[1]} cannot be read: [Errno 5]")
    assert opened.by_path[paths[0]].problem is None


def test_a_shortage_is_no_failure_of_a_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    disk = OsDisk()
    paths = three(disk, str(tmp_path))

    def short(path: Any) -> Any:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM), path)

    monkeypatch.setattr(os, "stat", short)
    with pytest.raises(OSError, match="Cannot allocate memory"):
        open_all(disk, paths)


@pytest.mark.parametrize(("operation", "path"), FAULTS)
def test_a_node_does_not_start_without_its_metadata_logs_directory(operation: str, path: str) -> None:
    disk = MemoryDisk()
    paths = three(disk, "")
    disk.fail(operation, path, times=9)
    with pytest.raises(StorageError, match=r"the metadata log.s directory cannot be used: .*/b"):
        open_all(disk, paths, metadata_path="/b")


def test_an_id_that_cannot_be_written_is_not_given() -> None:
    disk = MemoryDisk()
    paths = three(disk, "")
    formatted(disk, "/b", None)
    disk.fail("rename", "/b/meta.properties.tmp")
    found = open_all(disk, paths).by_path["/b"]
    assert found.directory_id is None
    assert found.problem is not None
    properties = read_log_directory(disk, "/b").properties
    assert properties is not None
    assert properties.directory_id is None


def test_a_directory_that_works_leaves_nothing_of_its_check(disk: Disk, root: str) -> None:
    path = three(disk, root)[0]
    before = disk.list_directory(path)
    total, usable = check_directory(disk, path, id_of("a"))
    assert 0 < usable <= total
    assert disk.list_directory(path) == before


def test_a_directory_in_the_place_of_another_is_not_that_one(disk: Disk, root: str) -> None:
    path = three(disk, root)[0]
    formatted(disk, path, id_of("z"))
    with pytest.raises(StorageError, match="another directory was put in its place") as caught:
        check_directory(disk, path, id_of("a"))
    assert uuids.to_text(id_of("a")) in str(caught.value)
    assert uuids.to_text(id_of("z")) in str(caught.value)
    formatted(disk, path, None)
    with pytest.raises(StorageError, match=r"is no directory\.id"):
        check_directory(disk, path, id_of("a"))


def test_a_directory_that_was_moved_away_fails(disk: Disk, root: str) -> None:
    path = three(disk, root)[0]
    disk.rename(f"{path}/meta.properties", f"{path}/elsewhere")
    with pytest.raises(FileNotFoundError):
        check_directory(disk, path, id_of("a"))


def test_a_damaged_file_fails(disk: Disk, root: str) -> None:
    path = three(disk, root)[0]
    file = disk.open(f"{path}/meta.properties")
    file.truncate(0)
    file.append([b"version=9"])
    file.close()
    with pytest.raises(CorruptFileError):
        check_directory(disk, path, id_of("a"))


def test_a_full_disk_fails() -> None:
    disk = MemoryDisk()
    path = three(disk, "")[0]
    disk.capacity_bytes = sum(len(disk.read_file(f"/{name}/meta.properties")) for name in NAMES) + 4095
    with pytest.raises(OSError, match="write failed"):
        check_directory(disk, path, id_of("a"))
    disk.capacity_bytes += 1
    assert check_directory(disk, path, id_of("a")) == (disk.capacity_bytes, 4096)
