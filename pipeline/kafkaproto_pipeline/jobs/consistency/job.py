"""``consistency``: do all replicas of the metadata log hold the same, in their logs and in their snapshots?

Raft promises that two logs which have a record of one epoch at one offset are the same up to that offset. So a record
that two replicas disagree about is a difference in any of these cases: both records are of the same epoch; the
replicas agree again at a later offset; or one replica has its record in a snapshot (the record is committed), and the
other has records of that snapshot's epoch or a later one. Otherwise the record belongs to the end of a replica's log
that fell behind an election: it was never committed, the node cuts it off when it comes back, and it is no difference.
Of two replicas that differ, the one that fewer replicas agree with is wrong; if the numbers are equal, the one that is
less advanced in the log. Snapshots are compared with each other, as collections of records without order, and with the
state that the log has at their end, as `image` replays it. Damage and missing offsets are differences, too; all else
is compared in spite of them. A batch that is incomplete at the end of a log is what a crash leaves, or what a running
node is writing just now. It has a kind of its own.

Spark decodes and sorts. One task for each cluster then reads the rows once (`check`), because a replay needs them in
order anyway. That task runs when the first table is asked for; its result is kept for the others.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Mapping

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafkaproto_pipeline.jobs.consistency import rows
from kafkaproto_pipeline.jobs.consistency.check import check
from kafkaproto_pipeline.jobs.consistency.rows import Finding, SortedRow
from kafkaproto_pipeline.jobs.job import Job
from kafkaproto_pipeline.views.schema import CORRUPT_COLUMN

_ORDER = ("cluster", "offset", "isSnapshot", "directory", "file", "snapshotIndex")
_EPOCH = "partitionLeaderEpoch"
_FINDING_SCHEMA = pa.schema(
    [
        ("table", pa.string()),
        ("cluster", pa.string()),
        ("nodeId", pa.int32()),
        ("directory", pa.string()),
        ("file", pa.string()),
        ("offset", pa.int64()),
        (_EPOCH, pa.int32()),
        ("kind", pa.string()),
        ("text", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("records", pa.int64()),
        ("snapshots", pa.int64()),
        ("snapshotEnd", pa.int64()),
        ("agreesTo", pa.int64()),
        ("same", pa.int64()),
        ("replicas", pa.int64()),
        ("verdict", pa.string()),
    ]
)
_SPARK_TYPES = {pa.string(): "STRING", pa.int32(): "INT", pa.int64(): "BIGINT"}
_FINDING = ", ".join(f"`{field.name}` {_SPARK_TYPES[field.type]}" for field in _FINDING_SCHEMA)
_FINDINGS_A_BATCH = 1024

_kept: weakref.WeakKeyDictionary[DataFrame, DataFrame] = weakref.WeakKeyDictionary()


def differences(df: DataFrame) -> DataFrame:
    """Every difference, with the replica, file and offset that has it; no row if all is well.

    ``df`` is the view ``records`` of all replicas with their snapshots.
    """
    found = _of(df, rows.DIFFERENCE)
    return found.select(
        _cluster_id(), "kind", "offset", _EPOCH, "nodeId", "directory", "file", "text"
    ).orderBy("clusterId", "offset", "nodeId", "directory", "kind", "text")


def replicas(df: DataFrame) -> DataFrame:
    """One row for each replica: what its log and its snapshots cover, and how far it agrees with the most advanced one.

    ``agreesUpToOffset`` is the offset after the last record that both hold, or the offset of the first difference in
    the replica's log if that comes before.
    """
    return (
        _of(df, rows.REPLICA)
        .select(
            _cluster_id(),
            "nodeId",
            "directory",
            F.col("start").alias("logStartOffset"),
            F.col("end").alias("logEndOffset"),
            F.col(_EPOCH).alias("lastPartitionLeaderEpoch"),
            F.col("records").alias("logRecords"),
            "snapshots",
            F.col("snapshotEnd").alias("newestSnapshotEndOffset"),
            F.col("agreesTo").alias("agreesUpToOffset"),
        )
        .orderBy("clusterId", "nodeId", "directory")
    )


def snapshots(df: DataFrame) -> DataFrame:
    """One row for each snapshot: how many replicas have the same, and whether it equals the log's state."""
    return (
        _of(df, rows.SNAPSHOT)
        .select(
            _cluster_id(),
            "nodeId",
            "directory",
            "file",
            "offset",
            _EPOCH,
            "records",
            F.col("same").alias("replicasWithTheSame"),
            F.col("replicas").alias("replicasWithThisOffset"),
            F.col("verdict").alias("againstLog"),
            F.col("text").alias("reason"),
        )
        .orderBy("clusterId", "offset", "nodeId", "directory")
    )


def _of(df: DataFrame, table: str) -> DataFrame:
    findings = _kept.get(df)
    if findings is None:
        findings = _kept[df] = _sorted(df).mapInArrow(_check, _FINDING).persist(StorageLevel.DISK_ONLY)
    return findings.filter(F.col("table") == table)


def _sorted(df: DataFrame) -> DataFrame:
    """The rows in the order of `SortedRow`, with each cluster's rows in one partition."""
    damage = F.col(CORRUPT_COLUMN)
    # Without meta.properties a cluster has no id; it is empty text until it is shown.
    given = df.select(
        F.coalesce("clusterId", F.lit("")).alias("cluster"),
        F.coalesce("offset", damage["offset"], F.lit(-1)).alias("offset"),
        (F.col("source") == "snapshot").alias("isSnapshot"),
        "directory",
        F.coalesce("file", F.lit("")).alias("file"),
        F.coalesce("snapshotIndex", F.lit(-1)).alias("snapshotIndex"),
        "nodeId",
        _EPOCH,
        "recordType",
        "recordVersion",
        "payload",
        "raw",
        damage["position"].alias("position"),
        damage["reason"].alias("reason"),
    )
    return given.repartition("cluster").sortWithinPartitions(*_ORDER)


def _check(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    found: list[Finding] = []
    for finding in check(_rows(batches)):
        found.append(finding)
        if len(found) == _FINDINGS_A_BATCH:
            yield _to_batch(found)
            found = []
    if found:
        yield _to_batch(found)


def _rows(batches: Iterable[pa.RecordBatch]) -> Iterator[SortedRow]:
    for batch in batches:
        columns = [column.to_pylist() for column in batch.columns]
        yield from map(SortedRow._make, zip(*columns, strict=True))


def _to_batch(found: list[Finding]) -> pa.RecordBatch:
    columns = zip(*found, strict=True)
    arrays = [
        pa.array(list(column), field.type) for column, field in zip(columns, _FINDING_SCHEMA, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=_FINDING_SCHEMA)


def _cluster_id() -> Column:
    return F.when(F.col("cluster") != "", F.col("cluster")).alias("clusterId")


_SOURCE_OPTIONS: Mapping[str, str] = {
    "replicas": "all",
    "includeSnapshots": "true",
    "onMissingOffsets": "skip",
}

JOB = Job(
    name="consistency",
    view="records",
    record_types=(),
    tables={"differences": differences, "replicas": replicas, "snapshots": snapshots},
    source_options=_SOURCE_OPTIONS,
)
