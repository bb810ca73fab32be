"""Finding replicas: the ways to name one, and what is said where there is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kafkaproto.snapshot import SnapshotId
from kafkaproto_pipeline.sources.directories import InputError, StoredElection, find_replicas, open_file
from tests.pipeline.replicas import CLUSTER_ID, Batch, Files, directory_id, write_node

LOG = [Batch(epoch=1, voters=(1,)), *[Batch(epoch=1)] * 5]
SNAPSHOT = SnapshotId(epoch=1, end_offset=3)


@pytest.fixture
def node(tmp_path: Path) -> Path:
    return write_node(tmp_path / "n1", LOG, Files(segment_batches=3, snapshots=[SNAPSHOT]), quorum_epoch=4)


def test_a_node_is_found_by_its_directory_or_that_of_its_log(node: Path) -> None:
    log = node / "__cluster_metadata-0"
    (replica,) = find_replicas([str(node)])
    assert replica.directory == str(log)
    assert (replica.cluster_id, replica.node_id, replica.directory_id) == (CLUSTER_ID, 1, directory_id(1))
    assert [segment.base_offset for segment in replica.segments] == [0, 3]
    assert [snapshot.id for snapshot in replica.snapshots] == [SNAPSHOT]
    assert replica.quorum_state == StoredElection(leader_epoch=4, voters=())
    assert find_replicas([f"file:{log}", str(node)]) == (replica,)
    assert find_replicas([f"file://{node}/"]) == (replica,)


def test_single_files_are_replicas_of_just_these(node: Path) -> None:
    log = node / "__cluster_metadata-0"
    (replica,) = find_replicas([f"{log}/{0:020d}.log"])
    assert [segment.base_offset for segment in replica.segments] == [0]
    assert not replica.snapshots
    assert replica.node_id == 1
    (replica,) = find_replicas([f"{log}/*.checkpoint"])
    assert not replica.segments
    assert [snapshot.id for snapshot in replica.snapshots] == [SNAPSHOT]


def test_a_glob_finds_all_nodes_and_passes_over_the_rest(tmp_path: Path) -> None:
    for node_id in (10, 2):
        write_node(tmp_path / f"n{node_id}", LOG, node_id=node_id)
    (tmp_path / "notes").mkdir()
    found = find_replicas([f"{tmp_path}/*"])
    assert [replica.node_id for replica in found] == [2, 10]


def test_what_formatting_wrote_is_no_snapshot_of_the_log(node: Path) -> None:
    log = node / "__cluster_metadata-0"
    formatted = log / f"{0:020d}-{0:010d}.checkpoint"
    formatted.write_bytes((log / f"{3:020d}-{1:010d}.checkpoint").read_bytes())
    (node / "bootstrap.checkpoint").write_bytes(b"")
    (replica,) = find_replicas([str(node)])
    assert [snapshot.id for snapshot in replica.snapshots] == [SNAPSHOT]
    assert replica.voters_path == str(formatted)
    with pytest.raises(InputError, match="neither a segment"):
        find_replicas([str(node / "bootstrap.checkpoint")])


def test_a_copied_log_directory_may_have_any_name(node: Path, tmp_path: Path) -> None:
    copy = (node / "__cluster_metadata-0").rename(tmp_path / "copy")
    (replica,) = find_replicas([str(copy)])
    assert replica.cluster_id is None
    assert len(replica.segments) == 2


def test_the_log_of_a_topic_is_refused(tmp_path: Path) -> None:
    node = write_node(tmp_path / "n1", LOG)
    topic = (node / "__cluster_metadata-0").rename(node / "orders-0")
    with pytest.raises(InputError, match=r"orders-0 is the log of a topic's partition, so its name says"):
        find_replicas([str(topic)])
    with pytest.raises(InputError, match=r"orders-0 is the log of a topic's partition"):
        find_replicas([str(topic / f"{0:020d}.log")])
    (topic / "partition.metadata").write_text("version: 0\ntopic_id: bRJwfC0pQdqVsz2yHFRH8Q")
    with pytest.raises(InputError, match="names topic id bRJwfC0pQdqVsz2yHFRH8Q"):
        find_replicas([str(topic)])
    (topic / "partition.metadata").write_text("version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ")
    assert len(find_replicas([str(topic)])) == 1


def test_places_without_data_are_named(tmp_path: Path) -> None:
    write_node(tmp_path / "cluster" / "n1", LOG)
    (tmp_path / "disk2").mkdir()
    (tmp_path / "disk2" / "meta.properties").write_text("version=1\n")
    for path, message in (
        (tmp_path / "missing", "there is no such file or directory"),
        (tmp_path / "cluster", r"cluster/\* would find n1"),
        (tmp_path / "disk2", "is a log directory without __cluster_metadata-0"),
        (tmp_path / "x*", "matches nothing"),
        (tmp_path / "disk*", "none of the 1 paths"),
        (tmp_path / "cluster" / "n1" / "meta.properties", "is neither a segment"),
    ):
        with pytest.raises(InputError, match=message) as caught:
            find_replicas([str(path)])
        assert str(path) in str(caught.value)


def test_another_file_system_is_left_to_spark() -> None:
    with pytest.raises(
        InputError, match=r"s3a://bucket/n1 is not on a file system of this machine.*binaryFile"
    ):
        find_replicas(["s3a://bucket/n1"])


def test_clusters_are_not_mixed(tmp_path: Path) -> None:
    write_node(tmp_path / "a", LOG)
    write_node(tmp_path / "b", LOG, cluster_id="bRJwfC0pQdqVsz2yHFRH8Q")
    with pytest.raises(InputError) as caught:
        find_replicas([f"{tmp_path}/*"])
    for text in ("2 clusters", f"{CLUSTER_ID} ({tmp_path}/a/", f"bRJwfC0pQdqVsz2yHFRH8Q ({tmp_path}/b/"):
        assert text in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("meta.properties", "version=1\nnode.id=one\n", "node.id is 'one'"),
        ("meta.properties", "node.id=\\uZZ\n", "meta.properties"),
        ("__cluster_metadata-0/quorum-state", "{", "quorum-state: this is no JSON"),
        ("__cluster_metadata-0/quorum-state", "[]", "quorum-state: a JSON object is expected"),
    ],
)
def test_a_damaged_file_is_named(node: Path, name: str, content: str, message: str) -> None:
    (node / name).write_text(content)
    with pytest.raises(InputError, match=message) as caught:
        find_replicas([str(node)])
    assert name in str(caught.value)


def test_a_file_that_is_about_to_be_deleted_is_read_under_its_new_name(tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    (tmp_path / "x.log.deleted").write_bytes(b"bytes")
    file = open_file(str(path))
    assert os.read(file, 10) == b"bytes"
    os.close(file)
    (tmp_path / "x.log.deleted").unlink()
    with pytest.raises(InputError, match="was deleted while it was read"):
        open_file(str(path))
