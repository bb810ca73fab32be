"""Streams over directories: each committed record once, whatever happens to the files, the query and its leader."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows

from kafkaproto.snapshot import SnapshotId
from kafkaproto_pipeline.datasource import KraftDataSource, KraftStreamReader
from kafkaproto_pipeline.options import SourceOptions, parse_options
from kafkaproto_pipeline.planning.stream import Unproven, find_unproven
from kafkaproto_pipeline.sources.directories import InputError
from tests.pipeline.raft_model import Quorum
from tests.pipeline.replicas import Batch, Files, write_node, write_snapshot

VOTERS = (0, 1, 2)
COLUMNS = ("offset", "partitionLeaderEpoch", "source", "committed")

Row = dict[str, Any]


class Query:
    """What Spark does with a stream reader: a checkpoint, batches, and restarts in between."""

    def __init__(self, path: str, **options: object) -> None:
        given = {name: str(value) for name, value in options.items()}
        self._begin(parse_options({"path": path, "view": "TopicRecord"} | given), COLUMNS)

    @classmethod
    def of(cls, options: SourceOptions, columns: Sequence[str]) -> Query:
        """With any options and columns."""
        query = cls.__new__(cls)
        query._begin(options, columns)
        return query

    def _begin(self, options: SourceOptions, columns: Sequence[str]) -> None:
        self._options, self._columns = options, columns
        self.reader = KraftStreamReader(options, columns)
        self.start = self.reader.initialOffset()
        self.rows: list[Row] = []

    def restart(self) -> None:
        """A new process, which knows nothing but the checkpoint."""
        self.reader.stop()
        self.reader = KraftStreamReader(self._options, self._columns)

    def batch(self, limit: ReadLimit | None = None, *, is_repeated: bool = False) -> list[Row]:
        """One batch; a repeated one was planned and read before the query died, and is read again from its ends."""
        end = self.reader.latestOffset(self.start, limit or ReadAllAvailable())
        if end == self.start:
            return []
        rows = self._read(end)
        if is_repeated:
            self.start, end = json.loads(json.dumps([self.start, end]))
            self.restart()
            again = self._read(end)
            assert again == rows
        self.start = end
        self.rows += rows
        return rows

    def _read(self, end: Row) -> list[Row]:
        return [
            row
            for partition in self.reader.partitions(self.start, end)
            for batch in self.reader.read(partition)
            for row in batch.to_pylist()
        ]


# -- any history -------------------------------------------------------------------------------------------------


def write_quorum(folder: Path, quorum: Quorum, *, of_nodes: list[int]) -> None:
    """The directories of a model's nodes, every record a batch; a leader's first one is a control record."""
    shutil.rmtree(folder, ignore_errors=True)
    for node_id in of_nodes:
        node = quorum.nodes[node_id]
        log = [
            Batch(epoch=epoch, voters=VOTERS if offset == 0 or node.log[offset - 1] != epoch else None)
            for offset, epoch in enumerate(node.log)
        ]
        write_node(
            folder / f"n{node_id}", log, Files(segment_batches=7), node_id=node_id, quorum_epoch=node.epoch
        )
        (folder / f"n{node_id}" / "__cluster_metadata-0" / f"{0:020d}.log").touch()


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    turns=st.lists(
        st.tuples(
            st.integers(1, 40), st.none() | st.integers(1, 4), st.booleans(), st.booleans(), st.booleans()
        ),
        max_size=8,
    ),
)
def test_committed_records_are_emitted_once_through_restarts_elections_and_truncations(
    seed: int, turns: list[tuple[int, int | None, bool, bool, bool]]
) -> None:
    random = Random(seed)
    quorum = Quorum(len(VOTERS), random)
    with TemporaryDirectory() as name:
        folder = Path(name) / "cluster"
        write_quorum(folder, quorum, of_nodes=list(VOTERS))
        query = Query(f"{folder}/*", splitBytes=1024)
        for steps, max_rows, is_restarted, is_repeated, is_partial in turns:
            for _ in range(steps):
                quorum.step()
            write_quorum(folder, quorum, of_nodes=random.sample(VOTERS, 2) if is_partial else list(VOTERS))
            if is_restarted:
                query.restart()
            limit = None if max_rows is None else ReadMaxRows(max_rows)
            before = query.start["offset"]
            query.batch(limit, is_repeated=is_repeated)
            assert max_rows is None or query.start["offset"] <= before + max_rows
        # A leader that is elected later has all that was emitted.
        emitted = query.start["offset"]
        elected = len(quorum.elected)
        while len(quorum.elected) == elected:
            quorum.step()
        log = quorum.elected[-1].log
    assert [(row["offset"], row["partitionLeaderEpoch"]) for row in query.rows] == [
        (offset, epoch)
        for offset, epoch in enumerate(log[:emitted])
        if offset > 0 and log[offset - 1] == epoch
    ]
    assert all(row["committed"] for row in query.rows)


# -- cases -------------------------------------------------------------------------------------------------------


def log_of(count: int) -> list[Batch]:
    return [Batch(epoch=1, voters=(1,)), *[Batch(epoch=1)] * (count - 1)]


def offsets(rows: list[Row], source: str = "log") -> list[int]:
    return [row["offset"] for row in rows if row["source"] == source]


def test_a_file_that_grows_is_read_from_where_it_ended(tmp_path: Path) -> None:
    node = write_node(tmp_path, log_of(5))
    query = Query(str(node))
    assert offsets(query.batch()) == [1, 2, 3, 4]
    assert query.batch() == []
    write_node(tmp_path, log_of(8))
    assert offsets(query.batch(ReadMaxRows(2))) == [5, 6]
    assert query.reader.reportLatestOffset() == {
        "offset": 8,
        "epoch": -1,
        "clusterId": query.start["clusterId"],
    }
    assert offsets(query.batch(ReadMaxRows(2))) == [7]
    assert query.start["epoch"] == 1


def test_a_batch_that_is_still_written_waits(tmp_path: Path) -> None:
    node = write_node(tmp_path, log_of(5))
    path = node / "__cluster_metadata-0" / f"{0:020d}.log"
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    query = Query(str(node))
    assert offsets(query.batch()) == [1, 2, 3]
    path.write_bytes(whole)
    assert offsets(query.batch()) == [4]


def test_what_is_gone_is_an_error_or_is_told_by_a_snapshot(tmp_path: Path) -> None:
    node = write_node(tmp_path / "n", log_of(5))
    queries = [Query(str(node)), Query(str(node), onMissingOffsets="snapshot")]
    for query in queries:
        assert offsets(query.batch(ReadMaxRows(3))) == [1, 2]
    shutil.rmtree(node)
    snapshots = [SnapshotId(epoch=1, end_offset=8), SnapshotId(epoch=1, end_offset=12)]
    files = Files(segment_batches=4, start=8, snapshots=snapshots, snapshot_voters=(1,))
    write_node(tmp_path / "n", log_of(15), files)
    with pytest.raises(InputError, match="offsets 3 to 7 are not there any more"):
        queries[0].batch()
    rows = queries[1].batch(ReadMaxRows(1), is_repeated=True)
    assert offsets(rows) == []
    assert offsets(rows, "snapshot") == [11, 11, 11]
    assert offsets(queries[1].batch()) == [12, 13, 14]
    # A query that begins now begins with the snapshot, if it may, else with what is there.
    assert offsets(Query(str(node)).batch()) == list(range(8, 15))
    assert offsets(Query(str(node), onMissingOffsets="snapshot").batch(), "snapshot") == [11, 11, 11]
    assert Query(str(node), startingOffset="latest").batch() == []
    assert offsets(Query(str(node), startingOffset=13).batch()) == [13, 14]


def test_a_batch_that_cannot_be_repeated_any_more_says_so(tmp_path: Path) -> None:
    node = write_node(tmp_path / "n", log_of(9), Files(segment_batches=4))
    query = Query(str(node))
    end = query.reader.latestOffset(query.start, ReadAllAvailable())
    shutil.rmtree(node)
    snapshot = SnapshotId(epoch=1, end_offset=8)
    write_node(tmp_path / "n", log_of(9), Files(segment_batches=4, start=8, snapshots=[snapshot]))
    with pytest.raises(InputError, match="offsets 0 to 8, which the batch is to emit, are not all there"):
        query.reader.partitions(query.start, end)
    with pytest.raises(InputError, match="of end offset 7 and epoch 1, is in none of the directories"):
        query.reader.partitions(
            query.start, {"offset": 7, "epoch": 1, "snapshotEndOffset": 7, "snapshotEpoch": 1}
        )


def test_another_log_is_noticed(tmp_path: Path) -> None:
    node = write_node(tmp_path / "n", log_of(5))
    query = Query(str(node))
    query.batch()
    shutil.rmtree(node)
    other = [Batch(epoch=1, voters=(1,)), Batch(epoch=2, voters=(1,)), *[Batch(epoch=2)] * 9]
    write_node(tmp_path / "n", other)
    with pytest.raises(InputError, match="offset 4 was emitted as a record of epoch 1, and is of epoch 2"):
        query.batch()
    shutil.rmtree(node)
    write_node(tmp_path / "n", other, cluster_id="bRJwfC0pQdqVsz2yHFRH8Q")
    with pytest.raises(InputError, match="the checkpoint is of cluster"):
        query.batch()


def test_available_now_ends_with_what_was_there(tmp_path: Path) -> None:
    node = write_node(tmp_path, log_of(5))
    query = Query(str(node))
    query.reader.prepareForTriggerAvailableNow()
    write_node(tmp_path, log_of(9))
    assert offsets(query.batch()) == [1, 2, 3, 4]
    assert query.batch() == []


def test_what_one_voter_of_three_cannot_prove_is_logged_once_and_waits_for_a_snapshot(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log = [Batch(epoch=1, voters=VOTERS), *[Batch(epoch=1)] * 9]
    snapshot = SnapshotId(epoch=1, end_offset=6)
    files = Files(snapshots=[snapshot], snapshot_voters=VOTERS)
    nodes = [write_node(tmp_path / f"n{each}", log, files, node_id=each, quorum_epoch=1) for each in VOTERS]
    query = Query(str(nodes[0]))
    assert offsets(query.batch()) == [1, 2, 3, 4, 5]
    assert query.batch() == []
    (told,) = caplog.messages
    assert told.startswith(
        "records up to offset 5 are known to be committed, 4 records after that wait for the"
    )
    assert told.endswith("or highWatermark=latest to take all as committed")
    # Each of the ways that the text names reads on, and says nothing.
    caplog.clear()
    for every in (
        Query(",".join(map(str, nodes))),
        Query(str(nodes[0]), highWatermark="latest"),
        Query(",".join(map(str, nodes[:2]))),
    ):
        assert offsets(every.batch()) == list(range(1, 10))
    write_snapshot(nodes[0] / "__cluster_metadata-0", SnapshotId(epoch=1, end_offset=10), voters=VOTERS)
    assert offsets(query.batch()) == [6, 7, 8, 9]
    assert caplog.messages == []


def test_a_quorum_of_one_and_records_that_are_just_replicated_are_no_reason_to_warn(tmp_path: Path) -> None:
    alone = write_node(tmp_path / "alone", log_of(5))
    assert find_unproven(parse_options({"path": str(alone)})) is None
    log = [Batch(epoch=1, voters=VOTERS), *[Batch(epoch=1)] * 9]
    nodes = [
        write_node(tmp_path / f"n{each}", log[: 10 - each], node_id=each, quorum_epoch=1) for each in VOTERS
    ]
    query = Query(",".join(map(str, nodes)))
    assert offsets(query.batch()) == list(range(1, 9))
    assert find_unproven(parse_options({"path": ",".join(map(str, nodes))})) is None
    assert find_unproven(parse_options({"path": str(nodes[2])})) == Unproven(proven_end=0, log_end=8)


# -- Spark -------------------------------------------------------------------------------------------------------


@pytest.mark.jvm
def test_a_query_of_spark_goes_on_from_its_checkpoint(spark: SparkSession, tmp_path: Path) -> None:
    spark.dataSource.register(KraftDataSource)
    node = write_node(tmp_path / "n", log_of(10))
    seen: list[tuple[int, list[int]]] = []

    def collect(df: DataFrame, batch_id: int) -> None:
        seen.append((batch_id, sorted(row["offset"] for row in df.select("offset").collect())))

    run_query(spark, node, tmp_path / "checkpoint", collect)
    assert seen == [(0, [1, 2, 3]), (1, [4, 5, 6, 7]), (2, [8, 9])]
    write_node(tmp_path / "n", log_of(12))
    write_snapshot(node / "__cluster_metadata-0", SnapshotId(epoch=1, end_offset=3))
    run_query(spark, node, tmp_path / "checkpoint", collect)
    assert seen[3:] == [(3, [10, 11])]


def run_query(
    spark: SparkSession, node: Path, checkpoint: Path, collect: Callable[[DataFrame, int], None]
) -> None:
    df = (
        spark.readStream.format("kraft")
        .option("view", "TopicRecord")
        .option("columns", "offset,name")
        .option("maxRecordsPerBatch", 4)
        .load(str(node))
    )
    query = (
        df.writeStream.foreachBatch(collect)
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )
    try:
        query.awaitTermination()
    finally:
        query.stop()
