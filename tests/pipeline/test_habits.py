"""What users of Spark expect: paths with commas, streams with wrong options, tables of SQL, snapshots without a log.

Tests: `kafkaproto_pipeline.jobs.local_frames`.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from pyspark.errors import AnalysisException, StreamingQueryException
from pyspark.sql import SparkSession

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeClusterResponse
from kafkaproto.snapshot import SnapshotId
from kafkaproto_pipeline.catalogue import CatalogueError, check_workers
from kafkaproto_pipeline.datasource import KraftDataSource, KraftStreamReader
from kafkaproto_pipeline.jobs.local_frames import with_chunks
from kafkaproto_pipeline.jobs.session import cause
from kafkaproto_pipeline.options import parse_options
from kafkaproto_pipeline.planning.files import Filters, plan_batch
from kafkaproto_pipeline.sources import live_quorum
from kafkaproto_pipeline.sources.directories import InputError, find_replicas
from kafkaproto_pipeline.sources.live_quorum import LiveQuorum
from tests.pipeline.damage import rows
from tests.pipeline.replicas import Batch, Files, write_node

LOG = [Batch(epoch=1, voters=(1,)), *[Batch(epoch=1)] * 9]
FILES = Files(
    segment_batches=4, snapshots=[SnapshotId(epoch=1, end_offset=5), SnapshotId(epoch=1, end_offset=9)]
)


@pytest.fixture
def node(tmp_path: Path) -> Path:
    return write_node(tmp_path / "node", LOG, FILES)


def test_snapshots_without_a_log_give_their_records(node: Path, tmp_path: Path) -> None:
    newest = sorted((node / "__cluster_metadata-0").glob("*.checkpoint"))[-1]
    named = rows([newest])
    assert {row["source"] for row in named} == {"snapshot"}
    assert [row["recordType"] for row in named].count("TopicRecord") == 3
    folder = tmp_path / "copies"
    folder.mkdir()
    (folder / newest.name).write_bytes(newest.read_bytes())
    assert len(rows([folder])) == len(named)
    assert not [row for row in rows([folder]) if row["_corrupt_record"]]
    # Beside a log they are asked for.
    assert {row["source"] for row in rows([node])} == {"log"}


def test_a_link_and_its_target_are_one_replica(node: Path, tmp_path: Path) -> None:
    os.symlink(node, tmp_path / "link")
    assert len(find_replicas([str(tmp_path / "link"), str(node)])) == 1


def test_links_to_files_are_no_replica_of_their_own(node: Path, tmp_path: Path) -> None:
    log = node / "__cluster_metadata-0"
    for kind, link in (("soft", os.symlink), ("hard", os.link)):
        (tmp_path / kind).mkdir()
        for file in log.iterdir():
            link(file, tmp_path / kind / file.name)
        for paths in ([node, tmp_path / kind], [tmp_path / kind, node]):
            (found,) = find_replicas([str(path) for path in paths])
            assert found.directory == str(log), "the one that knows its node"
    first = sorted(log.glob("*.log"))[0]
    os.symlink(first, tmp_path / first.name)
    assert len(find_replicas([str(tmp_path / first.name), str(first)])) == 1
    assert len(find_replicas([str(tmp_path / first.name), str(node)])) == 1
    other = write_node(tmp_path / "other", LOG, FILES, node_id=2)
    assert len(find_replicas([str(node), str(other)])) == 2, "equal content is no link"
    for each in (*log.iterdir(), *(other / log.name).iterdir()):
        each.unlink()
    for each in (log, other / log.name):
        (each / "00000000000000000000.log").write_bytes(b"")
    assert len(find_replicas([str(node), str(other)])) == 2, "nor are two empty logs"


def test_a_comma_is_part_of_a_path_that_is_there(node: Path, tmp_path: Path) -> None:
    other = write_node(tmp_path / "a, b", LOG, FILES, node_id=2)
    assert parse_options({"path": str(other)}).paths == (str(other),)
    assert parse_options({"path": f"{node},{other}"}).paths == (str(node), str(other))
    assert parse_options({"path": f"{tmp_path}/a, *,{node}"}).paths == (f"{tmp_path}/a, *", str(node))
    assert parse_options({"path": f"file:{other}"}).paths == (f"file:{other}",)
    assert parse_options({"path": f"{node}, {other},{node}"}).paths == (str(node), str(other), str(node))


@pytest.mark.parametrize("name", ["TopicRecord", "TOPIC_RECORD", "topicrecord", "topic_record"])
def test_record_types_are_named_in_any_usual_way(name: str) -> None:
    options = parse_options({"path": "/a", "view": name, "recordTypes": f"{name},partition_record"})
    assert options.view == "TopicRecord"
    assert options.record_types == ("TopicRecord", "PartitionRecord")


@pytest.mark.parametrize("view", ["Brokers", "SCRAM_CREDENTIALS", "Typed", "STATE"])
def test_views_are_named_in_upper_or_lower_case(view: str) -> None:
    assert parse_options({"path": "/a", "view": view}).view == view.lower()


def test_a_stream_does_not_wait_behind_the_end_of_the_log(node: Path) -> None:
    def stream(offset: int) -> dict[str, Any]:
        options = parse_options({"path": str(node), "startingOffset": str(offset)})
        return KraftStreamReader(options, ("offset",)).initialOffset()

    assert stream(10)["offset"] == 10
    with pytest.raises(InputError, match="'startingOffset' is 11, and the log ends before offset 10"):
        stream(11)


def test_an_empty_frame_has_chunks() -> None:
    schema = pa.schema([("name", pa.string())])
    made = with_chunks(pa.Table.from_batches([], schema))
    assert made.schema == schema
    assert [column.num_chunks for column in made.columns] == [1]


def test_an_empty_log_has_no_state(tmp_path: Path) -> None:
    empty = write_node(tmp_path, [])
    (empty / "__cluster_metadata-0" / f"{0:020d}.log").write_bytes(b"")
    assert rows([empty], view="topics", columns=None) == []
    assert plan_batch(parse_options({"path": str(empty), "view": "state", "asOf": "latest"}), Filters()) == []


def test_a_brokers_port_is_no_controllers(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broker:
        host, port = "localhost", 9092

        def __enter__(self) -> Broker:
            return self

        def __exit__(self, *error: object) -> None:
            """Nothing to close."""

        def send(self, request: object) -> DescribeClusterResponse:
            return DescribeClusterResponse(error_code=ErrorCode.MISMATCHED_ENDPOINT_TYPE)

    client = SimpleNamespace(bootstrap=lambda servers, timeout_ms: Broker())
    monkeypatch.setattr(live_quorum, "Client", client)
    with pytest.raises(InputError, match=r"'bootstrap.controllers': localhost:9092 is the port of a broker"):
        LiveQuorum((("localhost", 9092),)).state()


def test_a_python_without_the_package_is_named(tmp_path: Path) -> None:
    python = tmp_path / "python3"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(python.stat().st_mode | stat.S_IXUSR)

    def session(master: str, executable: str) -> Any:
        return SimpleNamespace(sparkContext=SimpleNamespace(master=master, pythonExec=executable))

    with pytest.raises(CatalogueError, match=f"workers run {python}, .*: set PYSPARK_PYTHON="):
        check_workers(session("local[2]", str(python)))
    with pytest.raises(CatalogueError, match="workers run no-such-python, "):
        check_workers(session("local[2]", "no-such-python"))
    check_workers(session("spark://elsewhere:7077", str(python)))
    without_context: Any = SimpleNamespace()
    check_workers(without_context)


@pytest.mark.jvm
def test_a_stream_with_wrong_options_ends_with_our_sentence(
    spark: SparkSession, node: Path, tmp_path: Path
) -> None:
    spark.dataSource.register(KraftDataSource)
    reader = spark.readStream.format("kraft").option("startOffset", "3").option("columns", "offset")
    query = (
        reader.load(str(node))
        .writeStream.format("memory")
        .queryName("wrong")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .start()
    )
    with pytest.raises(StreamingQueryException) as caught:
        query.awaitTermination(60)
    assert "UnboundLocalError" not in str(caught.value)
    assert cause(caught.value).startswith("option 'startOffset' is for batch reads")


@pytest.mark.jvm
def test_a_path_with_a_comma_is_streamed(spark: SparkSession, tmp_path: Path) -> None:
    spark.dataSource.register(KraftDataSource)
    node = write_node(tmp_path / "a,b", LOG, FILES)
    query = (
        spark.readStream.format("kraft")
        .option("columns", "offset")
        .load(str(node))
        .writeStream.format("memory")
        .queryName("commas")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination(60)
    assert spark.table("commas").count() == len(LOG)


@pytest.mark.jvm
def test_a_table_of_sql_is_refused_with_what_to_do(spark: SparkSession, node: Path) -> None:
    """Spark 4.2.1 hands no option on to a source of Python when it reads such a table."""
    spark.dataSource.register(KraftDataSource)
    with pytest.raises(
        AnalysisException, match="make a temporary view: create temporary view NAME using kraft"
    ):
        spark.sql(f"create table never using kraft options (path '{node}', view 'TopicRecord')")
    spark.sql(f"create temporary view topics_then using kraft options (path '{node}', view 'TopicRecord')")
    assert spark.sql("select count(name) as topics from topics_then").collect()[0]["topics"] == 9


@pytest.mark.jvm
def test_nobody_but_the_quorum_writes(spark: SparkSession, tmp_path: Path) -> None:
    spark.dataSource.register(KraftDataSource)
    frame = spark.range(2)
    with pytest.raises(AnalysisException, match="the source kraft only reads"):
        frame.write.format("kraft").mode("append").save(str(tmp_path))
    stream = spark.readStream.format("rate").load()
    writer = stream.writeStream.format("kraft").option("checkpointLocation", str(tmp_path / "checkpoint"))
    with pytest.raises((AnalysisException, StreamingQueryException), match="the source kraft only reads"):
        writer.start(str(tmp_path)).awaitTermination(60)
