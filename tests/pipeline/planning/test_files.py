"""Plans: however the work is split, the same rows; from which replica; the state at a point; what is missing.

Tests: `kafkaproto_pipeline.planning.lineages`, `kafkaproto_pipeline.planning.states`.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkaproto.log import OFFSET_INDEX_SUFFIX, TIME_INDEX_SUFFIX, segment_file_name
from kafkaproto.snapshot import SnapshotId
from kafkaproto_pipeline.options import parse_options
from kafkaproto_pipeline.planning.files import Filters, PlannedPiece, plan_batch
from kafkaproto_pipeline.read import read_piece
from kafkaproto_pipeline.sources.directories import InputError
from tests.pipeline import planting
from tests.pipeline.replicas import (
    START_MS,
    STEP_MS,
    Batch,
    Files,
    topic_name,
    wanted,
    write_node,
    write_snapshot,
)

LEADER = (1, 2, 3)


def plan(*paths: Path, filters: Filters | None = None, **options: object) -> list[PlannedPiece]:
    given = {name: str(value) for name, value in options.items()}
    given["path"] = ",".join(str(path) for path in paths)
    return plan_batch(parse_options(given), filters or Filters())


def rows_of(pieces: list[PlannedPiece], *columns: str) -> list[dict[str, Any]]:
    return [
        row for piece in pieces for batch in read_piece(piece, wanted(*columns)) for row in batch.to_pylist()
    ]


def names(pieces: list[PlannedPiece]) -> list[str]:
    return [row["name"] for row in rows_of(pieces)]


def log_of(*epochs: tuple[int, int]) -> list[Batch]:
    """Each epoch with a leader's first batch and a number of batches of one record."""
    found: list[Batch] = []
    for epoch, count in epochs:
        found += [Batch(epoch=epoch, voters=LEADER), *[Batch(epoch=epoch)] * count]
    return found


def topics(log: list[Batch], start: int = 0, end: int | None = None) -> list[str]:
    """The topics that a log of `log_of` names from one offset to another."""
    return [
        topic_name(offset, batch.epoch)
        for offset, batch in enumerate(log)
        if batch.voters is None and offset >= start and (end is None or offset < end)
    ]


# -- splitting -------------------------------------------------------------------------------------------------

BATCHES = st.lists(
    st.one_of(
        st.builds(lambda count: (0, count), st.integers(1, 20)), st.builds(lambda _: (1, 1), st.none())
    ),
    min_size=1,
    max_size=60,
)


@settings(max_examples=60)
@given(
    steps=BATCHES,
    segment_batches=st.integers(1, 40),
    index_every=st.integers(0, 5),
    split_bytes=st.integers(1024, 6000),
    bounds=st.tuples(st.integers(0, 400), st.integers(0, 400)),
)
def test_any_split_gives_the_same_rows(
    steps: list[tuple[int, int]],
    segment_batches: int,
    index_every: int,
    split_bytes: int,
    bounds: tuple[int, int],
) -> None:
    epoch, log, expected = 1, [Batch(epoch=1, voters=LEADER)], []
    offset = 1
    for is_new_leader, count in steps:
        epoch += is_new_leader
        log.append(Batch(epoch=epoch, count=count, voters=LEADER if is_new_leader else None))
        if not is_new_leader:
            expected += [(number, topic_name(number, epoch)) for number in range(offset, offset + count)]
        offset += count
    start, end = sorted(bounds)
    start = min(start, offset)
    with TemporaryDirectory() as folder:
        node = write_node(Path(folder), log, Files(segment_batches=segment_batches, index_every=index_every))
        pieces = plan(node, splitBytes=split_bytes, startOffset=start, endOffset=end)
        found = [(row["offset"], row["name"]) for row in rows_of(pieces)]
    assert found == [(number, name) for number, name in expected if start <= number < end]
    for piece in pieces:
        assert piece.end_position > piece.position


def test_a_large_segment_is_split_with_and_without_its_index(tmp_path: Path) -> None:
    log = [Batch(epoch=1, voters=(1,)), *[Batch(epoch=1, count=50)] * 200]
    plans = []
    for index_every in (2, 0):
        node = write_node(tmp_path / str(index_every), log, Files(index_every=index_every))
        pieces = plan(node, splitBytes=32 * 1024)
        assert len(pieces) > 10
        sizes = [piece.end_position - piece.position for piece in pieces]
        assert max(sizes) < 40 * 1024
        plans.append([(piece.position, piece.next_offset) for piece in pieces])
    assert plans[0] == plans[1]


@pytest.mark.parametrize(
    "index", [b"\x00" * 3, b"\xff" * 800, bytes([0, 0, 0, 9, 0, 0, 0, 30, 0, 0, 0, 1, 0, 0, 0, 2])]
)
def test_a_wrong_index_costs_time_and_no_rows(tmp_path: Path, index: bytes) -> None:
    log = log_of((1, 40), (2, 40))
    node = write_node(tmp_path, log)
    for suffix in (OFFSET_INDEX_SUFFIX, TIME_INDEX_SUFFIX):
        (node / "__cluster_metadata-0" / segment_file_name(0, suffix)).write_bytes(index)
    assert names(plan(node, splitBytes=1024, startOffset=9)) == topics(log, 9)
    assert names(plan(node, startTimestamp=START_MS + 50 * STEP_MS, replicas="one"))[-1] == topics(log)[-1]


def test_snapshots_are_split_too_and_their_rows_keep_offset_and_time(tmp_path: Path) -> None:
    node = write_node(tmp_path, log_of((1, 5)))
    write_snapshot(node / "__cluster_metadata-0", SnapshotId(epoch=1, end_offset=4), records=200)
    pieces = plan(
        node, splitBytes=1024, includeSnapshots="true", filters=Filters(sources=frozenset({"snapshot"}))
    )
    assert len(pieces) > 5
    rows = rows_of(pieces, "offset", "snapshotIndex", "timestamp", "name", "committed")
    assert [row["name"] for row in rows] == [f"snapshot-{index}" for index in range(200)]
    assert [row["snapshotIndex"] for row in rows] == list(range(1, 201))
    assert {row["offset"] for row in rows} == {3}
    assert {row["timestamp"].timestamp() * 1000 for row in rows} == {START_MS + 3 * STEP_MS}
    assert all(row["committed"] for row in rows)


# -- one of several replicas -------------------------------------------------------------------------------------


def test_the_most_advanced_replica_is_read_and_no_end_that_was_cut_off(tmp_path: Path) -> None:
    log = log_of((1, 9), (3, 4))
    advanced = write_node(tmp_path / "n1", log, Files(segment_batches=4, start=8), node_id=1)
    cut_off = write_node(tmp_path / "n2", [*log[:10], *log_of((2, 30))], node_id=2)
    pieces = plan(cut_off, advanced, replicas="one")
    assert names(pieces) == topics(log)
    nodes = {row["nodeId"] for row in rows_of(pieces) if row["offset"] >= 8}
    assert nodes == {1}


@pytest.mark.parametrize("snapshots", [[], [SnapshotId(epoch=1, end_offset=8)]])
def test_a_replica_that_ends_where_another_begins_lends_what_is_vouched_for(
    tmp_path: Path, snapshots: list[SnapshotId]
) -> None:
    log = log_of((1, 9), (3, 4))
    advanced = write_node(
        tmp_path / "n1", log, Files(segment_batches=4, start=8, snapshots=snapshots), node_id=1
    )
    # The record at offset 8 is of the epoch in which the older log ends: they fit together without a snapshot.
    older = write_node(tmp_path / "n2", log[:8], node_id=2)
    assert names(plan(advanced, older, replicas="one")) == topics(log)
    unknown_node = write_node(tmp_path / "n3", log_of((2, 7)), node_id=3)
    # What was before is in no log of this history, and in no snapshot if there is none.
    lacking = [] if snapshots else [None]
    assert names(plan(advanced, unknown_node, replicas="one")) == [*lacking, *topics(log, 8)]


def test_a_gap_between_replicas_is_named(tmp_path: Path) -> None:
    log = log_of((1, 20))
    snapshots = [SnapshotId(epoch=1, end_offset=5), SnapshotId(epoch=1, end_offset=8)]
    advanced = write_node(
        tmp_path / "n1", log, Files(segment_batches=4, start=8, snapshots=snapshots), node_id=1
    )
    older = write_node(tmp_path / "n2", log[:5], node_id=2)
    with pytest.raises(InputError, match=r"offsets 5 to 7 are in none of the replicas.*startOffset=8"):
        plan(advanced, older, replicas="one")
    assert names(plan(advanced, older, replicas="one", startOffset=8)) == topics(log, 8)
    assert names(plan(advanced, older, replicas="one", endOffset=5)) == topics(log, 0, 5)


def test_filters_leave_out_replicas_sources_and_offsets(tmp_path: Path) -> None:
    log = log_of((1, 9))
    nodes = [write_node(tmp_path / f"n{number}", log, node_id=number) for number in (1, 2)]
    write_snapshot(nodes[0] / "__cluster_metadata-0", SnapshotId(epoch=1, end_offset=4))
    narrow = Filters(node_ids=frozenset({2}), start_offset=7, end_offset=9)
    rows = rows_of(plan(*nodes, filters=narrow, endOffset=100))
    assert [(row["nodeId"], row["offset"]) for row in rows] == [(2, 7), (2, 8)]
    assert not plan(*nodes, filters=Filters(sources=frozenset({"snapshot"})))
    late = Filters(sources=frozenset({"snapshot"}), start_offset=4)
    assert not plan(*nodes, filters=late, includeSnapshots="true")


# -- missing and damaged -----------------------------------------------------------------------------------------


def test_missing_segments_are_named(tmp_path: Path) -> None:
    node = write_node(tmp_path, log_of((1, 11)), Files(segment_batches=4))
    (node / "__cluster_metadata-0" / segment_file_name(4)).unlink()
    with pytest.raises(InputError) as caught:
        plan(node)
    text = str(caught.value)
    assert f"{segment_file_name(0)} ends before offset 4" in text
    assert f"{segment_file_name(8)}, begins at 8: offsets 4 to 7 are missing" in text


@pytest.mark.parametrize(
    ("start", "end", "is_told"), [(0, 3, True), (3, 6, True), (0, 40, True), (8, 9, False)]
)
def test_a_range_before_a_missing_beginning_says_so(
    tmp_path: Path, start: int, end: int, is_told: bool
) -> None:
    """Nobody knows at which offset the log began: its oldest snapshot only shows that it was before 6."""
    snapshots = [SnapshotId(epoch=1, end_offset=6), SnapshotId(epoch=1, end_offset=9)]
    node = write_node(tmp_path, log_of((1, 11)), Files(segment_batches=4, start=8, snapshots=snapshots))
    for replicas in ("one", "all"):
        pieces = plan(node, replicas=replicas, startOffset=start, endOffset=end)
        reasons = [
            row["_corrupt_record"]["reason"]
            for row in rows_of(pieces, "_corrupt_record")
            if row["_corrupt_record"]
        ]
        assert bool(reasons) == is_told, reasons
        assert all(reason.startswith("offsets 6 to 7 are missing") for reason in reasons)


@pytest.mark.parametrize("split_bytes", [1024, 1 << 20])
def test_a_torn_tail_is_a_row_that_says_so(tmp_path: Path, split_bytes: int) -> None:
    log = log_of((1, 30))
    node = write_node(tmp_path, log)
    path = node / "__cluster_metadata-0" / segment_file_name(0)
    data = path.read_bytes()
    path.write_bytes(data[:-7])
    rows = rows_of(plan(node, splitBytes=split_bytes), "offset", "name", "_corrupt_record")
    assert [row["name"] for row in rows if row["name"]] == topics(log)[:-1]
    (damage,) = (row["_corrupt_record"] for row in rows if row["_corrupt_record"])
    assert damage["file"] == path.name
    assert damage["offset"] == 30
    # What is asked for ends before it.
    assert names(plan(node, endOffset=30)) == topics(log)[:-1]
    assert names(plan(node, asOf="latest")) == topics(log)[:-1]


@pytest.mark.parametrize("split_bytes", [1024, 1 << 20])
def test_damage_in_the_middle_hides_no_more_than_itself(tmp_path: Path, split_bytes: int) -> None:
    log = log_of((1, 60))
    node = write_node(tmp_path, log, Files(segment_batches=40))
    path = node / "__cluster_metadata-0" / segment_file_name(0)
    data = bytearray(path.read_bytes())
    position = planting.find(node, 20).position
    data[position + 61] ^= 0xFF
    path.write_bytes(data)
    found = names(plan(node, splitBytes=split_bytes))
    assert [name for name in found if name] == [name for name in topics(log) if name != topic_name(20, 1)]


def test_an_empty_log_has_no_rows(tmp_path: Path) -> None:
    node = write_node(tmp_path, [])
    (node / "__cluster_metadata-0" / segment_file_name(0)).write_bytes(b"")
    assert rows_of(plan(node, replicas="one")) == []
    assert rows_of(plan(node, asOf="latest")) == []


# -- the state at a point ----------------------------------------------------------------------------------------


def test_the_state_at_a_point_is_the_newest_snapshot_up_to_it_and_the_log_from_there(tmp_path: Path) -> None:
    log = log_of((1, 19))
    snapshots = [SnapshotId(epoch=1, end_offset=6), SnapshotId(epoch=1, end_offset=12)]
    node = write_node(tmp_path / "n1", log, Files(segment_batches=5, snapshots=snapshots))
    from_snapshot = [f"snapshot-{index}" for index in range(3)]
    for as_of, start, end in (
        ("latest", 12, 20),
        ("13", 12, 14),
        ("11", 12, 12),
        ("10", 6, 11),
        ("5", 6, 6),
        (START_MS + 8 * STEP_MS, 6, 9),
        (START_MS + 12 * STEP_MS - 1, 12, 12),
    ):
        text = _iso(as_of) if isinstance(as_of, int) else as_of
        assert names(plan(node, asOf=text)) == [*from_snapshot, *topics(log, start, end)], as_of
    assert names(plan(node, asOf=4)) == topics(log, 0, 5)
    assert names(plan(node, asOf=_iso(START_MS + 2 * STEP_MS))) == topics(log, 0, 3)
    with pytest.raises(InputError, match="'asOf' is 20, and the log ends with offset 19"):
        plan(node, asOf=20)


def _iso(milliseconds: int) -> str:
    seconds, rest = divmod(milliseconds - START_MS, 1000)
    minutes, seconds = divmod(seconds + 20, 60)
    return f"2023-11-14T22:{13 + minutes:02}:{seconds:02}.{rest:03}Z"


def test_there_may_be_no_way_to_a_state(tmp_path: Path) -> None:
    log = log_of((1, 19))
    node = write_node(
        tmp_path, log, Files(segment_batches=5, start=6, snapshots=[SnapshotId(epoch=1, end_offset=12)])
    )
    with pytest.raises(InputError, match="'asOf': nothing here leads to the state at offset 9"):
        plan(node, asOf=9)
    with pytest.raises(InputError, match="the log holds offsets 5 to 19, snapshots end before 12"):
        plan(node, asOf=_iso(START_MS + 2 * STEP_MS))


def test_a_snapshot_that_is_later_than_the_time_asked_for_is_not_used(tmp_path: Path) -> None:
    files = Files(segment_batches=4, start=8, snapshots=[SnapshotId(epoch=1, end_offset=8)])
    node = write_node(tmp_path, log_of((1, 11)), files)
    with pytest.raises(InputError, match="nothing here leads to the state at offset 7"):
        plan(node, asOf=_iso(START_MS + 2 * STEP_MS))
    assert len(rows_of(plan(node, asOf=_iso(START_MS + 7 * STEP_MS)))) == 3
