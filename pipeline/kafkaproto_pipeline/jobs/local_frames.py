"""Frames whose rows are in Spark's plan itself: for tables that are small.

Spark runs such a plan without its cache and without tasks in other processes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_LIMIT = "spark.sql.execution.arrow.localRelationThreshold"
_LIMIT_BYTES = 1 << 30
"""Above it, Spark makes tasks of the rows after all; whoever makes a local frame knows that they are few."""


def local_frame(spark: SparkSession, table: pa.Table) -> DataFrame:
    """The rows as a local frame."""
    spark.conf.set(_LIMIT, str(_LIMIT_BYTES))
    return spark.createDataFrame(with_chunks(table))


def with_chunks(table: pa.Table) -> pa.Table:
    """The same rows in at least one chunk for each column: Spark takes no table without."""
    if table.num_rows:
        return table
    empty = [pa.array([], field.type) for field in table.schema]
    return pa.Table.from_batches([pa.RecordBatch.from_arrays(empty, schema=table.schema)])


def hold(made: DataFrame, source: DataFrame) -> DataFrame:
    """A table that several others are made of, so that it is made once: in Spark's cache or, if ``source`` is a local
    frame, as a local frame. Whoever holds a table releases it with ``unpersist``.
    """
    return local_frame(made.sparkSession, made.toArrow()) if source.isLocal() else made.persist()
