"""Metadata transactions (KIP-868): what counts of them, and what was taken back.

A change that no batch can hold stands between a BeginTransactionRecord and an EndTransactionRecord. Whoever is active
next takes an open one back with an AbortTransactionRecord before all else. So records between a begin and an abort
never counted, and those behind a begin without any end do not count yet. `server.image.loader` is the same for a
single reader that goes forward.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

BEGIN = "BeginTransactionRecord"
END = "EndTransactionRecord"
ABORT = "AbortTransactionRecord"
MARKERS = (BEGIN, END, ABORT)
"""Record types that a job has to read for `without_aborted` to know of transactions."""

_BEFORE_ALL = -1
"""Stands for the first offset of a span that begins before the rows do."""
_AFTER_ALL = (1 << 63) - 1


def without_aborted(df: DataFrame) -> DataFrame:
    """The rows that count: without those of aborted metadata transactions, those of one that is open at the end, and
    the markers themselves.

    ``df`` is the source's view ``records`` or ``typed``, each offset of a cluster once (``replicas=one`` or ``asOf``),
    record types `MARKERS` included. Where it starts within a transaction, the rows before the first marker share its
    fate. Rows of snapshots and the quorum's own records are never part of a transaction.
    """
    return without(df, taken_back(df))


def without(df: DataFrame, spans: DataFrame) -> DataFrame:
    """The rows that count, where it is known what does not: ``spans`` is what `taken_back` gives."""
    is_in_span = (
        F.col("clusterId").eqNullSafe(F.col("_cluster"))
        & F.col("offset").between(F.col("_first"), F.col("_last"))
        & (F.col("source") == "log")
        & ~F.col("isControl")
    )
    # One span for each failover in the midst of a large change: mostly there is none, and Spark drops the join. To
    # sort all rows for it would cost more than the jobs themselves, hence the hint.
    counted = df.filter(~F.col("recordType").isin(*MARKERS))
    return counted.join(F.broadcast(spans), is_in_span, "left_anti")


def taken_back(df: DataFrame) -> DataFrame:
    """Where rows do not count: ``_first`` to ``_last``, both inclusive, by ``_cluster``.

    ``_open`` where neither end nor abort follows: nothing from there on counts.
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
