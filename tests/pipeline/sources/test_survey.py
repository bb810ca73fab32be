"""What files tell of voters and of what is committed, and that they are looked at again only where they changed.

Tests: `kafkaproto_pipeline.sources.segment_files`.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kafkaproto.directory_files import encode_quorum_state
from kafkaproto.log import segment_file_name
from kafkaproto.messages import QuorumStateData
from kafkaproto.snapshot import SnapshotId, snapshot_file_name
from kafkaproto_pipeline.options import parse_options
from kafkaproto_pipeline.planning.lineages import look
from kafkaproto_pipeline.sources import survey as survey_module
from kafkaproto_pipeline.sources.directories import find_replicas, read_quorum_state
from kafkaproto_pipeline.sources.segment_files import OpenFile
from kafkaproto_pipeline.sources.survey import Memory, survey
from tests.pipeline.replicas import Batch, Files, write_node, write_quorum_state, write_snapshot

THREE = (1, 2, 3)
LOG = [Batch(epoch=1, voters=THREE), *[Batch(epoch=1)] * 9]


def committed_end(*nodes: Path, **options: object) -> int:
    given = {name: str(value) for name, value in options.items()}
    return look(parse_options({"paths": json.dumps([str(node) for node in nodes])} | given)).committed.end


def voters_of(node: Path) -> list[list[int]]:
    (replica,) = find_replicas([str(node)])
    return [[voter.node_id for voter in voters] for voters in survey(replica).voter_sets]


def test_a_majority_of_three_directories_is_enough_with_their_quorum_states(tmp_path: Path) -> None:
    first = write_node(tmp_path / "1", LOG, node_id=1, quorum_epoch=1)
    second = write_node(tmp_path / "2", LOG[:7], node_id=2, quorum_epoch=1)
    assert committed_end(first) == 0
    assert committed_end(first, second) == 7
    write_quorum_state(second, 2)
    assert committed_end(first, second) == 0
    third = write_node(tmp_path / "3", LOG[:5], node_id=3, quorum_epoch=2)
    assert committed_end(first, second, third) == 7
    assert committed_end(first, highWatermark=4) == 4
    assert committed_end(first, highWatermark=400) == 10


def test_observers_do_not_count(tmp_path: Path) -> None:
    voter = write_node(tmp_path / "1", LOG, node_id=1, quorum_epoch=1)
    observer = write_node(tmp_path / "9", LOG, node_id=9, quorum_epoch=1)
    assert committed_end(voter, observer) == 0


def test_files_that_are_not_of_one_moment_tell_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = [write_node(tmp_path / str(number), LOG, node_id=number, quorum_epoch=2) for number in THREE]
    assert committed_end(*nodes) == 10

    def voting_meanwhile(directory: str) -> object:
        write_quorum_state(nodes[0], 3)
        return read_quorum_state(directory)

    monkeypatch.setattr(survey_module, "read_quorum_state", voting_meanwhile)
    assert committed_end(*nodes) == 0


def test_voters_are_known_from_the_leaders_first_record(tmp_path: Path) -> None:
    snapshot = SnapshotId(epoch=1, end_offset=5)
    node = write_node(tmp_path / "1", LOG, Files(snapshots=[snapshot]))
    assert voters_of(node) == [[1, 2, 3]]
    later = write_node(
        tmp_path / "2", [*LOG, Batch(epoch=2, voters=(1, 2)), Batch(epoch=2)], Files(segment_batches=4)
    )
    assert voters_of(later) == [[1, 2, 3], [1, 2]]


def test_voters_are_known_from_the_newest_snapshot_where_it_tells_them(tmp_path: Path) -> None:
    files = Files(segment_batches=4, start=8, snapshots=[SnapshotId(epoch=1, end_offset=8)])
    assert voters_of(write_node(tmp_path / "1", LOG, files)) == []
    files.snapshot_voters = (1, 4)
    assert voters_of(write_node(tmp_path / "2", LOG, files)) == [[1, 4]]


def test_a_change_of_voters_counts_with_the_set_before(tmp_path: Path) -> None:
    change = Batch(epoch=1, voters=(1, 2, 3, 4), is_voters_record=True)
    node = write_node(tmp_path / "1", [*LOG[:4], change, *LOG[4:]])
    assert voters_of(node) == [[1, 2, 3], [1, 2, 3, 4]]
    # A snapshot behind it has it committed: the set before is not in force any more.
    write_snapshot(node / "__cluster_metadata-0", SnapshotId(epoch=1, end_offset=5), voters=(1, 2, 3, 4))
    assert voters_of(node) == [[1, 2, 3, 4]]


def test_voters_are_known_from_what_formatting_wrote_and_from_quorum_state(tmp_path: Path) -> None:
    node = write_node(tmp_path / "1", [Batch(epoch=1)])
    assert voters_of(node) == []
    log = node / "__cluster_metadata-0"
    state = QuorumStateData(
        leader_id=1,
        leader_epoch=1,
        current_voters=[QuorumStateData.Voter(voter_id=voter_id) for voter_id in (1, 2)],
    )
    (log / "quorum-state").write_bytes(encode_quorum_state(state, 0))
    assert voters_of(node) == [[1, 2]]
    formatted = SnapshotId(epoch=0, end_offset=0)
    write_snapshot(log, formatted, voters=(1, 2, 3))
    assert (log / snapshot_file_name(formatted)).exists()
    assert voters_of(node) == [[1, 2, 3]]


def test_files_are_looked_at_again_where_they_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    read = OpenFile.read

    def looking(self: OpenFile, position: int, size: int) -> bytes:
        looked.append(f"{self.path[-6:]} {position > 0}")
        return read(self, position, size)

    monkeypatch.setattr(OpenFile, "read", looking)
    node = write_node(tmp_path / "1", LOG, Files(segment_batches=4))
    options, memory = parse_options({"path": str(node)}), Memory()
    assert look(options, memory).logs[0].lineage.end == 10
    assert {each[:6] for each in looked} == {"00.log", "04.log", "08.log"}
    looked.clear()
    assert look(options, memory).logs[0].lineage.end == 10
    assert looked == []
    longer = write_node(tmp_path / "2", [*LOG, Batch(epoch=1)], Files(segment_batches=4))
    name = segment_file_name(8)
    shutil.copy(longer / "__cluster_metadata-0" / name, node / "__cluster_metadata-0" / name)
    assert look(options, memory).logs[0].lineage.end == 11
    # Only the end of what was there is read again, and what was added.
    assert set(looked) == {"08.log True"}
