"""`consistency`: every planted divergence is found where it is, and none is invented.

Tests: `kafkaproto_pipeline.jobs.words`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from kafkaproto.messages import NoOpRecord
from kafkaproto.records.batch import PlainRecord, Record, build_batch
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto_pipeline.datasource import KraftDataSource
from kafkaproto_pipeline.jobs import consistency
from kafkaproto_pipeline.jobs.consistency import rows as kinds
from kafkaproto_pipeline.jobs.consistency.check import check
from kafkaproto_pipeline.jobs.consistency.rows import Finding, SortedRow
from kafkaproto_pipeline.options import parse_options
from kafkaproto_pipeline.planning.files import Filters, plan_batch
from kafkaproto_pipeline.read import read_piece
from kafkaproto_pipeline.sources.directories import InputError
from kafkaproto_pipeline.synthetic import HistoryOptions, generate
from kafkaproto_pipeline.views.schema import columns_of
from kafkaproto_pipeline.views.wanted import Wanted
from tests.pipeline import planting
from tests.pipeline.histories import History

Found = set[tuple[str, int, int]]
"""Kind, node and offset of each difference."""
NO_OP = encode_metadata_record(NoOpRecord(), 0)
OPTIONS = HistoryOptions(seed=6, records=3000, replicas=3, brokers=6, partitions=60, segment_bytes=1 << 16)


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three replicas in agreement; copy them before you change them."""
    made = generate(tmp_path_factory.mktemp("consistent"), OPTIONS)
    return list(made.nodes)


def read(spark: SparkSession, nodes: Sequence[Path | str]) -> DataFrame:
    spark.dataSource.register(KraftDataSource)
    options = consistency.JOB.source_options
    return spark.read.format("kraft").options(view="records", **options).load([str(node) for node in nodes])


def found_in(nodes: Sequence[Path | str]) -> list[Finding]:
    """What the job's one pass says, the rows decoded and sorted without Spark."""
    options = parse_options({"path": ",".join(map(str, nodes)), **consistency.JOB.source_options})
    wanted = Wanted(
        view="records",
        columns=tuple(column.name for column in columns_of("records")),
        record_types=None,
        start_offset=0,
        end_offset=None,
        start_timestamp_ms=None,
        end_timestamp_ms=None,
        committed_end=0,
        mode="PERMISSIVE",
    )
    made = []
    for piece in plan_batch(options, Filters()):
        for batch in read_piece(piece, wanted):
            for each in batch.to_pylist():
                damage = each["_corrupt_record"] or {}
                made.append(
                    SortedRow(
                        each["clusterId"],
                        each["offset"],
                        each["source"] == "snapshot",
                        each["directory"],
                        each["file"],
                        -1 if each["snapshotIndex"] is None else each["snapshotIndex"],
                        each["nodeId"],
                        each["partitionLeaderEpoch"],
                        each["recordType"],
                        each["recordVersion"],
                        each["payload"],
                        each["raw"],
                        damage.get("position"),
                        damage.get("reason"),
                    )
                )
    return list(check(sorted(made, key=lambda row: row[:6])))


def differences(findings: Sequence[Finding]) -> Found:
    found = [each for each in findings if each.table == kinds.DIFFERENCE]
    for each in found:
        assert each.directory.endswith(planting.LOG), each
        assert each.file, each
        assert each.text, each
    return {(each.kind or "", each.node_id or 0, each.offset or 0) for each in found}


def verdicts(findings: Sequence[Finding]) -> dict[tuple[int, int], str]:
    """By node and offset, what was said of a snapshot."""
    return {
        (each.node_id or 0, each.offset or 0): each.verdict or ""
        for each in findings
        if each.table == kinds.SNAPSHOT
    }


def without_first(records: Sequence[Record]) -> list[PlainRecord]:
    return [(None, bytes(record.value or b""), ()) for record in records[1:]]


def metadata_batch(node: Path, offset: int, *, records: int = 1) -> planting.Place:
    """The first batch of so many metadata records or more, from an offset on."""
    while True:
        place = planting.find(node, offset)
        if not place.batch.is_control and place.batch.record_count >= records:
            return place
        offset = place.batch.next_offset


def plant(nodes: Sequence[Path]) -> Found:
    """One divergence of each kind, and what has to be found."""
    one, two, three = nodes
    expected: Found = set()

    place = metadata_batch(two, 400, records=2)
    planting.put(
        place, planting.rebuilt(place.batch, change=lambda each: planting.with_value(each, 1, NO_OP))
    )
    expected.add((kinds.DIFFERENT_RECORD, 2, place.batch.base_offset + 1))

    place = metadata_batch(three, 1000)
    epoch = place.batch.partition_leader_epoch - 1
    assert epoch > 0
    planting.put(place, planting.rebuilt(place.batch, epoch=epoch))
    offsets = range(place.batch.base_offset, place.batch.next_offset)
    expected |= {(kinds.DIFFERENT_EPOCH, 3, offset) for offset in offsets}

    place = metadata_batch(one, 1200)
    planting.put(place, b"")
    expected.add((kinds.MISSING_RECORD, 1, place.batch.base_offset))

    place = metadata_batch(two, 1600)
    planting.put(place, bytes(place.batch.raw) * 2)
    expected.add((kinds.EXTRA_RECORD, 2, place.batch.next_offset))

    place = metadata_batch(three, 1800)
    damaged = bytearray(place.batch.raw)
    damaged[-1] ^= 1
    planting.put(place, bytes(damaged))
    expected.add((kinds.CORRUPT_BATCH, 3, place.batch.base_offset))

    changed, shortened = planting.snapshots(one)[2], planting.snapshots(two)[4]
    planting.put_snapshot(changed, lambda each: planting.with_value(each, 0, bytes(each[1].value or b"")))
    planting.put_snapshot(shortened, without_first)
    for node, path in ((1, changed), (2, shortened)):
        last = int(path.name[:20]) - 1
        expected.add((kinds.SNAPSHOT_DIFFERS_FROM_SNAPSHOT, node, last))
        expected.add((kinds.SNAPSHOT_DIFFERS_FROM_LOG, node, last))

    expected.add(plant_epoch_at_the_end(nodes))

    torn = max(nodes, key=end_of)
    path = planting.segments(torn)[-1]
    expected.add((kinds.TORN_END, nodes.index(torn) + 1, planting.batches(path)[-1].base_offset))
    path.write_bytes(path.read_bytes()[:-7])
    return expected


def end_of(node: Path) -> int:
    return planting.batches(planting.segments(node)[-1])[-1].next_offset


def plant_epoch_at_the_end(nodes: Sequence[Path]) -> tuple[str, int, int]:
    """The last batch of the shortest log is of an epoch that nobody was elected in."""
    node = min(nodes, key=end_of)
    place = planting.find(node, end_of(node) - 1)
    assert not place.batch.is_control
    planting.put(place, planting.rebuilt(place.batch, epoch=place.batch.partition_leader_epoch + 1))
    return kinds.DIFFERENT_EPOCH, nodes.index(node) + 1, place.batch.base_offset


def leave_a_stale_tail(node: Path) -> None:
    """As if the node had led until the last election, and was cut off since: what it wrote last counts nowhere."""
    last = planting.batches(planting.segments(node)[-1])[-1]
    epoch = last.partition_leader_epoch
    starts = [batch for path in planting.segments(node) for batch in planting.batches(path)]
    elected = next(batch for batch in starts if batch.partition_leader_epoch == epoch)
    before = planting.find(node, elected.base_offset - 1).batch.partition_leader_epoch
    place = planting.find(node, elected.base_offset)
    for path in planting.segments(node):
        if int(path.stem) > elected.base_offset:
            path.unlink()
    for path in planting.snapshots(node):
        if int(path.name[:20]) > elected.base_offset:
            path.unlink()
    tail = [
        build_batch(
            [(None, NO_OP, ())],
            base_offset=elected.base_offset + number,
            partition_leader_epoch=before,
            timestamp_ms=elected.base_timestamp,
        )
        for number in range(5)
    ]
    place.path.write_bytes(place.path.read_bytes()[: place.position] + b"".join(tail))


def test_planted_divergences_are_found_and_no_others(nodes: list[Path], tmp_path: Path) -> None:
    copies = planting.copy_nodes(nodes, tmp_path)
    expected = plant(copies)
    assert {kind for kind, _, _ in expected} == set(kinds.KINDS)
    findings = found_in(copies)
    assert differences(findings) == expected
    differing = {place for place, verdict in verdicts(findings).items() if verdict != "equal"}
    assert differing == {(node, at) for kind, node, at in expected if kind == kinds.SNAPSHOT_DIFFERS_FROM_LOG}


def test_a_replica_that_fell_behind_is_no_divergence(nodes: list[Path], tmp_path: Path) -> None:
    copies = planting.copy_nodes(nodes, tmp_path)
    leave_a_stale_tail(copies[0])
    findings = found_in(copies)
    assert differences(findings) == set()
    (stale,) = (each for each in findings if each.table == kinds.REPLICA and each.node_id == 1)
    assert stale.end is not None
    assert stale.agrees_to == stale.end - 5
    assert set(verdicts(findings).values()) == {"equal"}


def test_two_replicas_that_disagree_are_judged_by_who_is_further(nodes: list[Path], tmp_path: Path) -> None:
    copies = planting.copy_nodes(nodes, tmp_path)[:2]
    shorter = min(copies, key=end_of)
    place = metadata_batch(shorter, 400)
    planting.put(
        place, planting.rebuilt(place.batch, change=lambda each: planting.with_value(each, 0, NO_OP))
    )
    found = differences(found_in(copies))
    node = nodes.index(next(each for each in nodes if each.name == shorter.name)) + 1
    assert (kinds.DIFFERENT_RECORD, node, place.batch.base_offset) in found


def test_tail_that_contradicts_a_snapshot_is_a_divergence(nodes: list[Path], tmp_path: Path) -> None:
    """Where the other replica's snapshot says that something else was committed there, and this one went on."""
    copies = planting.copy_nodes(nodes, tmp_path)
    for path in planting.snapshots(copies[0])[-1:]:
        last = int(path.name[:20]) - 1
    place = planting.find(copies[1], last)
    for path in planting.snapshots(copies[1])[-1:]:
        path.unlink()
    tail = planting.rebuilt(place.batch, epoch=place.batch.partition_leader_epoch + 1)
    place.path.write_bytes(place.path.read_bytes()[: place.position] + tail)
    for path in planting.segments(copies[1]):
        if int(path.stem) > last:
            path.unlink()
    found = differences(found_in(copies))
    assert (kinds.DIFFERENT_EPOCH, 2, last) in found
    assert {node for _, node, _ in found} == {2}


def test_log_that_begins_behind_all_snapshots_misses_its_beginning(nodes: list[Path], tmp_path: Path) -> None:
    copies = planting.copy_nodes(nodes, tmp_path)
    first, *_ = planting.segments(copies[2])
    first.unlink()
    assert differences(found_in(copies)) == set()
    start = int(planting.segments(copies[2])[0].stem)
    for path in planting.snapshots(copies[2]):
        path.unlink()
    found = [each for each in found_in(copies) if each.table == kinds.DIFFERENCE]
    assert [(each.kind, each.node_id, each.offset) for each in found] == [(kinds.MISSING_RECORD, 3, 0)]
    assert f"to {start - 1}" in (found[0].text or "")


def test_a_missing_segment_is_told_and_all_else_is_compared(nodes: list[Path], tmp_path: Path) -> None:
    copies = planting.copy_nodes(nodes, tmp_path)
    missing, following = planting.segments(copies[1])[1:3]
    start = int(missing.stem)
    missing.unlink()
    place = metadata_batch(copies[2], int(following.stem))
    planting.put(
        place, planting.rebuilt(place.batch, change=lambda each: planting.with_value(each, 0, NO_OP))
    )
    findings = found_in(copies)
    assert differences(findings) == {
        (kinds.MISSING_RECORD, 2, start),
        (kinds.DIFFERENT_RECORD, 3, place.batch.base_offset),
    }
    (text,) = (each.text for each in findings if each.kind == kinds.MISSING_RECORD)
    assert text == f"nothing from offset {start} to {int(following.stem) - 1}"
    agrees_to = {each.node_id: each.agrees_to for each in findings if each.table == kinds.REPLICA}
    assert (agrees_to[2], agrees_to[3]) == (start, place.batch.base_offset)
    # If no record follows the gap, only the files show it.
    for path in planting.segments(copies[1])[1:-1]:
        path.unlink()
    planting.segments(copies[1])[-1].write_bytes(b"")
    with pytest.raises(InputError, match=f"offsets {start} to .* are missing"):
        found_in(copies)


@pytest.mark.slow
def test_logs_of_a_real_quorum_agree(our_history: History) -> None:
    findings = found_in(our_history.paths)
    assert differences(findings) == set()
    assert verdicts(findings)
    assert set(verdicts(findings).values()) == {"equal"}


@pytest.mark.jvm
def test_spark_gives_the_same_tables(spark: SparkSession, nodes: list[Path], tmp_path: Path) -> None:
    copies = planting.copy_nodes(nodes, tmp_path)
    expected = plant(copies)
    df = read(spark, copies)
    rows = consistency.differences(df).collect()
    assert {(row["kind"], row["nodeId"], row["offset"]) for row in rows} == expected
    assert [row["offset"] for row in rows] == sorted(row["offset"] for row in rows)
    said = verdicts(found_in(copies))
    assert {
        (row["nodeId"], row["offset"]): row["againstLog"] for row in consistency.snapshots(df).collect()
    } == said
    assert [row["nodeId"] for row in consistency.replicas(df).collect()] == [1, 2, 3]
