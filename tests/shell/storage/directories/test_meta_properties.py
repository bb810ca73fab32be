"""meta.properties: Kafka's form, the files that are refused, and directories that do not agree."""

from __future__ import annotations

from itertools import count

import pytest

from kafkaproto import uuids
from kafkaproto.directory_files import MetaProperties
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.directories.meta_properties import (
    FoundLogDirectory,
    find_mismatches,
    new_directory_id,
    open_log_directories,
    parse_meta_properties,
    read_log_directory,
    write_meta_properties,
)
from kafkaproto_server.shell.storage.errors import CorruptFileError, StorageError
from tests.shell.storage.support.helpers import FixedRng
from tests.sim.disk import MemoryDisk

CLUSTER = "MkU3OEVBNTcwNTJENDM2Qg"
DIRECTORY_ID = uuids.from_text("cfDiVozwRvO-F35hnvT9vQ")
# As kafka-storage of 4.3.1 left it.
KAFKAS_FILE = (
    b"#\n#Sat Nov 21 06:28:49 UTC 2026\nnode.id=1\ndirectory.id=cfDiVozwRvO-F35hnvT9vQ\nversion=1\n"
    b"cluster.id=MkU3OEVBNTcwNTJENDM2Qg\n"
)
PROPERTIES = MetaProperties(version=1, cluster_id=CLUSTER, node_id=1, directory_id=DIRECTORY_ID)


def test_what_is_no_such_file_is_told_with_file_and_property() -> None:
    with pytest.raises(CorruptFileError) as caught:
        parse_meta_properties(b"version=7\n", "/data/meta.properties")
    assert str(caught.value) == "/data/meta.properties: version is 7, this release reads 0 and 1"


def test_a_new_directory_id_can_be_used_in_a_command_line_and_is_free() -> None:
    taken = bytes(15) + b"\x7f"
    free = bytes(15) + b"\x80"
    offered = iter([b"\xf8" + bytes(15), bytes(16), taken, free])
    assert new_directory_id(lambda: next(offered), [taken]) == free


def write(disk: Disk, path: str, content: bytes) -> None:
    disk.make_directory(path)
    file = disk.open(f"{path}/meta.properties", create=True)
    file.truncate(0)
    file.append([content])
    file.close()


def test_directories_are_looked_at_in_any_state(disk: Disk, root: str) -> None:
    disk.make_directory(f"{root}/empty")
    disk.open(f"{root}/file", create=True).close()
    write(disk, f"{root}/formatted", KAFKAS_FILE)
    write(disk, f"{root}/wrong", b"version=9")
    missing = read_log_directory(disk, f"{root}/missing")
    assert missing == FoundLogDirectory(path=f"{root}/missing", exists=False)
    assert read_log_directory(disk, f"{root}/empty") == FoundLogDirectory(path=f"{root}/empty")
    file = read_log_directory(disk, f"{root}/file")
    assert (file.problem, file.has_failed) == (f"{root}/file is not a directory", True)
    assert read_log_directory(disk, f"{root}/formatted").properties == PROPERTIES
    problem = read_log_directory(disk, f"{root}/wrong").problem
    assert problem == f"{root}/wrong/meta.properties: version is 9, this release reads 0 and 1"


def test_a_directory_that_cannot_be_read_is_a_problem_and_not_an_empty_one() -> None:
    disk = MemoryDisk()
    write(disk, "/data", KAFKAS_FILE)
    disk.fail("read", "meta.properties")
    found = read_log_directory(disk, "/data")
    assert found.properties is None
    assert found.problem is not None
    assert found.problem.startswith("/data cannot be read: ")


def directory(
    path: str, *, node_id: int | None = 1, cluster_id: str | None = CLUSTER, number: int = 0
) -> FoundLogDirectory:
    directory_id = number.to_bytes(16) if number else None
    return FoundLogDirectory(
        path=path,
        properties=MetaProperties(
            version=1, cluster_id=cluster_id, node_id=node_id, directory_id=directory_id
        ),
    )


def test_directories_that_agree_have_no_mismatch() -> None:
    directories = [
        directory("/a", number=1_000),
        FoundLogDirectory(path="/new"),
        directory("/b", number=1_001),
        directory("/c", node_id=None, cluster_id=None),
        directory("/d"),
    ]
    assert find_mismatches(directories, node_id=1) == []
    assert find_mismatches(directories, node_id=1, cluster_id=CLUSTER) == []


def test_each_mismatch_is_told_with_its_file() -> None:
    directories = [
        directory("/a", number=1_000),
        directory("/b", node_id=2, number=1_001),
        directory("/c", cluster_id="other", number=1_000),
    ]
    node, cluster, copy = find_mismatches(directories, node_id=1)
    assert node.startswith("/b/meta.properties: stored node id 2 does not match the configured node.id 1.")
    assert cluster == f"/c/meta.properties: cluster.id is other, expected {CLUSTER}"
    assert copy.startswith("/c/meta.properties: directory.id ")
    assert copy.endswith("is also that of /a; one of them is a copy and has to go")
    assert len(find_mismatches(directories, node_id=2, cluster_id="third")) == 6


def test_a_node_starts_on_directories_that_agree(disk: Disk, root: str) -> None:
    paths = [f"{root}/a", f"{root}/b", f"{root}/c"]
    write(disk, paths[0], KAFKAS_FILE)
    write(disk, paths[1], b"version=1\nnode.id=1\ncluster.id=" + CLUSTER.encode())
    write(disk, paths[2], b"broker.id=1\n")
    numbers = count(1_000)
    found = [read_log_directory(disk, path) for path in paths]
    opened, unwritable = open_log_directories(
        disk, found, node_id=1, new_uuid=lambda: next(numbers).to_bytes(16), wall_ms=0
    )
    assert unwritable == {}
    assert opened == {
        path: MetaProperties(version=1, cluster_id=CLUSTER, node_id=1, directory_id=directory_id)
        for path, directory_id in zip(
            paths, [DIRECTORY_ID, (1_000).to_bytes(16), (1_001).to_bytes(16)], strict=True
        )
    }
    for path in paths:
        assert read_log_directory(disk, path).properties == opened[path]
    assert disk.read_file(f"{paths[0]}/meta.properties") == KAFKAS_FILE, "what has an id is not written again"


def test_a_node_does_not_start_on_directories_that_do_not_agree(disk: Disk, root: str) -> None:
    write(disk, f"{root}/a", KAFKAS_FILE)
    write(disk, f"{root}/b", b"rubbish=\\u00")
    disk.make_directory(f"{root}/c")
    found = [read_log_directory(disk, f"{root}/{name}") for name in "abcd"]
    with pytest.raises(StorageError) as caught:
        open_log_directories(disk, found, node_id=2, new_uuid=bytes, wall_ms=0)
    wrong, *unformatted, node = str(caught.value).splitlines()
    assert wrong.startswith(f"{root}/b/meta.properties: ")
    assert unformatted == [f"{root}/{name} is not formatted: run kafka-storage format" for name in "cd"]
    assert "stored node id 1 does not match the configured node.id 2" in node


def test_a_node_does_not_start_without_any_cluster_id(disk: Disk, root: str) -> None:
    write(disk, f"{root}/a", b"broker.id=1")
    with pytest.raises(StorageError, match=r"cluster.id is missing in meta.properties of .*/a"):
        open_log_directories(
            disk, [read_log_directory(disk, f"{root}/a")], node_id=1, new_uuid=bytes, wall_ms=0
        )


def test_writing_is_durable() -> None:
    disk = MemoryDisk()
    disk.make_directory("/data")
    disk.sync_directory("/")
    write_meta_properties(disk, "/data", PROPERTIES, 0)
    disk.crash(FixedRng(0))
    assert read_log_directory(disk, "/data").properties == PROPERTIES
