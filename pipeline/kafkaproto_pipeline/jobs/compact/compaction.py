"""The log compacted by key (KIP-595) as a snapshot file: the newest record of each key, without what was removed.

In a notebook::

    from kafkaproto_pipeline.datasource import KraftDataSource
    from kafkaproto_pipeline.jobs.compact import write_snapshot

    spark.dataSource.register(KraftDataSource)
    rows = spark.read.format("kraft").options(view="state", asOf="latest").load("/var/lib/kafka")
    write_snapshot(rows, "/tmp/compacted").show(truncate=False)

This writes ``/tmp/compacted/00000000000000001234-0000000005.checkpoint``: the state as of all offsets below 1234, the
last of which is of epoch 5. A controller, ours or Apache Kafka's, loads it from ``__cluster_metadata-0`` in its log
directory. One task writes the file as a stream, on the machine that it runs on, and under another name until it is
complete. If a metadata transaction is open at the end, the snapshot ends before it.

A controller continues a snapshot with the batch at its end offset. So if the controller is to continue with a log that
it has, ``asOf`` must name the last offset of a batch. ``latest`` and times always do.
"""

from __future__ import annotations

from functools import partial, reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafkaproto_pipeline.jobs import state
from kafkaproto_pipeline.jobs.compact.snapshot_file import HEADER_KEY, WRITTEN, write_checkpoint
from kafkaproto_pipeline.jobs.compact.snapshot_values import (
    LEVEL_COLUMN,
    LEVELED_TABLES,
    VALUES,
    snapshot_values,
)
from kafkaproto_pipeline.jobs.state.rows import counted, is_unknown, newest_end, schema_of, settled
from kafkaproto_pipeline.jobs.transactions import taken_back
from kafkaproto_pipeline.views.latest import END_OF_RANGE
from kafkaproto_pipeline.views.schema import CONTROL_TYPES, STATE_RECORD
from kafkaproto_server.metadata.image.entries import METADATA_VERSION_FEATURE


def write_snapshot(df: DataFrame, directory: str) -> DataFrame:
    """Write the snapshot file into ``directory`` when the result is asked for. The result has one row, about the file.

    ``df`` is the source's view ``state``, read with ``asOf``. When the result is asked for: raises ValueError if no
    row counts, OSError if the file cannot be written, and fails if the log has records of unknown types.
    """
    rows = snapshot_rows(df).repartition(1).sortWithinPartitions("key")
    return rows.mapInArrow(partial(write_checkpoint, directory=directory), schema_of(WRITTEN))


def snapshot_rows(df: DataFrame) -> DataFrame:
    """The rows of the file: ``key`` and ``value``. In the order of the keys, first a header, then the framed records of
    the state.
    """
    level = (
        state.RECORDED["features"](df)
        .filter(F.col("name") == METADATA_VERSION_FEATURE)
        .agg(F.coalesce(F.max("featureLevel"), F.lit(0)).cast("int").alias(LEVEL_COLUMN))
    )
    frames = []
    for name, table in state.RECORDED.items():
        rows = table(df).crossJoin(level) if name in LEVELED_TABLES else table(df)
        frames.append(rows.mapInArrow(partial(snapshot_values, table=name), schema_of(VALUES)))
    return reduce(DataFrame.unionAll, frames, _header(df))


def _header(df: DataFrame) -> DataFrame:
    """The last record that the state contains, and the quorum's newest control records up to there."""
    open_since = taken_back(settled(df)).filter("_open").agg(F.min("_first").alias("_open"))
    wanted = F.col("recordType").isin(END_OF_RANGE, *CONTROL_TYPES) | is_unknown()
    rows = counted(df).filter(wanted).crossJoin(open_since)
    # If both a snapshot and the log have a row, the log's is newer.
    version, voters = (
        F.to_json(F.max_by(f"{STATE_RECORD}.{name}", F.when(F.col("recordType") == name, F.col("position"))))
        for name in CONTROL_TYPES
    )
    newest = rows.filter(F.col("_open").isNull() | (F.col("position") < F.col("_open"))).agg(
        newest_end().alias("end"),
        version.alias("version"),
        voters.alias("voters"),
        F.min(F.when(is_unknown(), F.struct("offset", "recordType"))).alias("unknown"),
    )
    # Null fields are left out.
    header = F.to_json(F.struct("end.*", "version", "voters"))
    unknown = F.format_string(
        "the record of type %s at offset %d is newer than this release knows, so the snapshot would lack it",
        *("unknown.recordType", "unknown.offset"),
    )
    header = F.when(F.col("unknown").isNull(), header).otherwise(F.raise_error(unknown))
    return newest.select(F.lit(HEADER_KEY).alias("key"), header.cast("binary").alias("value"))
