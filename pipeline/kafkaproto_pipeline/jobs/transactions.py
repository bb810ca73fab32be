"""Metadata transactions (KIP-868): which of their records count, and which were aborted.

A change that does not fit in one batch stands between a BeginTransactionRecord and an EndTransactionRecord. If a
transaction is open when a new active controller takes over, it appends an AbortTransactionRecord before anything else.
So records between a begin and an abort never counted, and records after a begin without an end do not count yet.
`metadata.image.loader` does the same for a single reader that only reads forward.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark import StorageLevel
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from kafkaproto_pipeline.jobs.local_frames import local_frame
from kafkaproto_pipeline.views.latest import MARKERS

BEGIN, END, ABORT = MARKERS

_BEFORE_ALL = -1
"""The first offset of a span that begins before the rows do."""
_AFTER_ALL = (1 << 63) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Rows that are kept for several tables, and the rows of them that count."""

    rows: DataFrame
    spans: DataFrame
    """The spans of rows that do not count, as `taken_back` returns them."""
    counted: DataFrame
    """The rows without the markers, and without those of transactions that were aborted or are open at the end."""

    def forget(self) -> None:
        self.spans.unpersist()
        self.rows.unpersist()


def keep(df: DataFrame, *, is_local: bool = False) -> Kept:
    """Keep the rows on the executors' disks, and find those that count.

    ``df`` is of the source's view ``records``, ``typed`` or ``state``, with each offset of a cluster once
    (``replicas=one`` or ``asOf``), and with the record types `MARKERS`. If it starts within a transaction, the rows
    before the first marker count only if the transaction does. Rows of snapshots and the quorum's own records are
    never part of a transaction. ``is_local`` says that the rows are in the plan itself (`DataFrame.isLocal`), so
    they need not be kept.
    """
    if is_local:
        spans = local_frame(df.sparkSession, taken_back(df).toArrow())
        return Kept(rows=df, spans=spans, counted=_without(df, spans))
    # On disk only: for the memory, Spark builds a whole batch of rows before it checks whether there is room for it.
    rows = df.persist(StorageLevel.DISK_ONLY)
    # The spans are few, mostly none. The rows that count are not kept: nearly all rows would be written twice.
    spans = taken_back(rows).persist(StorageLevel.DISK_ONLY)
    return Kept(rows=rows, spans=spans, counted=_without(rows, spans))


def _without(df: DataFrame, spans: DataFrame) -> DataFrame:
    """The rows that are in none of the spans, and are no markers."""
    is_in_span = (
        F.col("clusterId").eqNullSafe(F.col("_cluster"))
        & F.col("offset").between(F.col("_first"), F.col("_last"))
        & (F.col("source") == "log")
        & ~F.col("isControl")
    )
    # There is one span for each failover in the middle of a large change. Mostly there is none, and Spark drops the
    # join. The hint is there because sorting all rows for the join would cost more than the jobs themselves.
    counted = df.filter(~F.col("recordType").isin(*MARKERS))
    return counted.join(F.broadcast(spans), is_in_span, "left_anti")


def taken_back(df: DataFrame) -> DataFrame:
    """The spans of rows that do not count: ``_first`` to ``_last``, both inclusive, by ``_cluster``.

    ``_open`` is set if neither end nor abort follows: nothing from there on counts.
    """
    in_order = Window.partitionBy("clusterId").orderBy("offset")
    markers = df.filter(F.col("recordType").isin(*MARKERS) & (F.col("source") == "log")).select(
        F.col("clusterId").alias("_cluster"),
        F.col("offset").alias("_offset"),
        F.col("recordType").alias("_type"),
        F.lag("recordType").over(in_order).alias("_before"),
        F.lead("recordType").over(in_order).alias("_after"),
        F.lead("offset").over(in_order).alias("_end"),
    )
    begun = (F.col("_type") == BEGIN) & ~F.col("_after").eqNullSafe(END)
    # The rows start within this transaction.
    headless = (F.col("_type") == ABORT) & F.col("_before").isNull()
    last = F.when(begun, F.coalesce("_end", F.lit(_AFTER_ALL))).otherwise(F.col("_offset"))
    return markers.filter(begun | headless).select(
        "_cluster",
        F.when(begun, F.col("_offset")).otherwise(F.lit(_BEFORE_ALL)).alias("_first"),
        last.alias("_last"),
        (begun & F.col("_end").isNull()).alias("_open"),
    )
