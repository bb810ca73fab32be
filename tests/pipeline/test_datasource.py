"""The source as Spark uses it: ways to name paths, columns, filters, modes, mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from kafkaproto.snapshot import SnapshotId
from kafkaproto_pipeline.datasource import KraftDataSource, decode_files
from tests.pipeline.replicas import Batch, Files, topic_name, write_node

pytestmark = pytest.mark.jvm

EPOCH_1_END = 21
END = 31
LOG = [
    Batch(epoch=1, voters=(1, 2, 3)),
    *[Batch(epoch=1, count=4)] * 5,
    Batch(epoch=2, voters=(1, 2, 3)),
    *[Batch(epoch=2, count=3)] * 3,
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three nodes: one whole, one behind, and one with an end that was never committed."""
    folder = tmp_path_factory.mktemp("cluster")
    files = Files(segment_batches=4, snapshots=[SnapshotId(epoch=1, end_offset=13)])
    write_node(folder / "node-1", LOG, files, node_id=1, quorum_epoch=2)
    write_node(folder / "node-2", LOG[:-1], Files(), node_id=2, quorum_epoch=2)
    diverging = [*LOG[:6], Batch(epoch=1, count=9)]
    write_node(folder / "node-3", diverging, Files(), node_id=3, quorum_epoch=2)
    return folder


@pytest.fixture(scope="module")
def kraft(spark: SparkSession) -> SparkSession:
    spark.dataSource.register(KraftDataSource)
    return spark


def read(kraft: SparkSession, path: str | list[str], **options: str | int | None) -> DataFrame:
    return kraft.read.format("kraft").options(**options).load(path)


def names(df: DataFrame) -> list[str]:
    return [row["name"] for row in df.select("offset", "name").orderBy("offset").collect()]


TOPICS = [topic_name(offset, 1 if offset < EPOCH_1_END else 2) for offset in range(1, END)]
TOPICS.remove(topic_name(EPOCH_1_END, 2))


def test_one_of_each_record_from_a_glob_of_replicas(kraft: SparkSession, cluster: Path) -> None:
    df = read(
        kraft, f"{cluster}/node-*", view="TopicRecord", replicas="one", columns="offset,name,nodeId,committed"
    )
    assert df.columns == ["offset", "name", "nodeId", "committed"]
    rows = df.orderBy("offset").collect()
    assert [row["name"] for row in rows] == TOPICS
    assert {row["nodeId"] for row in rows} == {1}
    # Node 2 and node 1 are in the last epoch; they both have all but the last batch.
    assert [row["offset"] for row in rows if not row["committed"]] == [28, 29, 30]
    committed = read(kraft, f"{cluster}/node-*", replicas="one", committedOnly=True)
    highest = committed.agg({"offset": "max"}).first()
    assert highest is not None
    assert highest["max(offset)"] == 27


def test_every_replicas_rows_with_snapshots_and_filters(kraft: SparkSession, cluster: Path) -> None:
    paths = [f"{cluster}/node-1", f"file:{cluster}/node-3/__cluster_metadata-0"]
    df = read(kraft, paths, includeSnapshots=True, splitBytes=1024)
    rows = df.where("recordType in ('TopicRecord', 'LeaderChangeMessage') and offset < 13").collect()
    found: dict[tuple[int, str], int] = {}
    for row in rows:
        key = (row["nodeId"], row["source"])
        found[key] = found.get(key, 0) + 1
    assert found == {(1, "log"): 13, (3, "log"): 13, (1, "snapshot"): 3}
    assert df.where("nodeId = 3 and source = 'log'").count() == END - 1


def test_a_schema_chooses_columns_and_fields(kraft: SparkSession, cluster: Path) -> None:
    reader = kraft.read.format("kraft").option("view", "typed")
    df = reader.schema("TopicRecord STRUCT<name: STRING>, offset BIGINT").load(f"{cluster}/node-1")
    assert [row["TopicRecord"]["name"] for row in df.where("offset = 3").collect()] == ["topic-3-1"]
    with pytest.raises(PySparkException, match="allowed is TopicRecord STRUCT<name: STRING>, offset BIGINT"):
        reader.schema("TopicRecord STRUCT<name: STRING>, offset STRING").load(f"{cluster}/node-1").collect()


def test_files_that_spark_has_read(kraft: SparkSession, cluster: Path) -> None:
    files = (
        kraft.read.format("binaryFile")
        .option("pathGlobFilter", "*.{log,checkpoint}")
        .load(f"file://{cluster}/node-1/__cluster_metadata-0")
    )
    df = decode_files(files, view="TopicRecord", highWatermark=5, columns="file,offset,name,committed")
    rows = df.orderBy("offset").collect()
    assert [row["name"] for row in rows] == TOPICS
    assert [row["offset"] for row in rows if row["committed"]] == [1, 2, 3, 4]
    assert len({row["file"] for row in rows}) == 3


def test_damage_is_a_row_or_left_out_or_an_error(kraft: SparkSession, cluster: Path, tmp_path: Path) -> None:
    node = write_node(tmp_path / "node", LOG, Files(), node_id=1)
    segment = node / "__cluster_metadata-0" / f"{0:020d}.log"
    data = bytearray(segment.read_bytes())
    data[len(data) - 10] ^= 1
    segment.write_bytes(data)
    rows = read(kraft, str(node)).where("_corrupt_record is not null").collect()
    assert [row["_corrupt_record"]["file"] for row in rows] == [segment.name]
    assert read(kraft, str(node), mode="dropmalformed").count() == END - 3
    with pytest.raises(PySparkException, match=rf"{segment.name}: byte \d+, offset 28"):
        read(kraft, str(node), mode="FAILFAST").count()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"startOfset": "1"}, "there is no option 'startofset'"),
        ({"mode": "LAX"}, "'mode' is 'LAX'; allowed is one of PERMISSIVE, DROPMALFORMED, FAILFAST"),
        ({"view": "Topic"}, "'Topic' is no view"),
    ],
)
def test_a_mistake_in_options_is_named(
    kraft: SparkSession, cluster: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(PySparkException, match=message):
        read(kraft, f"{cluster}/node-1", **options)


def test_what_is_not_there_is_named(kraft: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(PySparkException, match="holds no Kafka data"):
        read(kraft, str(tmp_path)).collect()


def test_filters_that_spark_hands_over_spare_reading(kraft: SparkSession, cluster: Path) -> None:
    name = "spark.sql.python.filterPushdown.enabled"
    kraft.conf.set(name, "true")
    try:
        # A frame of its own for each: in Spark 4.2.1 all scans of one share what was pushed down last.
        whole, df = (read(kraft, f"{cluster}/node-1", splitBytes=1024) for _ in range(2))
        narrow = df.where("offset >= 29 and recordType in ('TopicRecord')").select("offset")
        assert narrow.rdd.getNumPartitions() < whole.rdd.getNumPartitions()
        assert sorted(row["offset"] for row in narrow.collect()) == [29, 30]
    finally:
        kraft.conf.set(name, "false")
