"""Hours, and how the duration of an interval is spread over them.

An hour is a whole number, counted from 1970, so that no time zone moves its bounds. An interval costs at most three
rows, however long it is: one has its part of the first hour, one says where the whole hours between begin, and one has
its part of the last hour and says that the whole hours have ended. A running sum over the hours finds the whole hours.
It also needs the hours in which nothing happened: `hours` has one row for each hour.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from kafkaproto_pipeline.jobs.history.rows import CLUSTER, all_rows, from_snapshot, same_cluster

HOUR_MS = 3_600_000
HOUR = "hour"


def hour_of(timestamp: str | Column) -> Column:
    """The number of the hour of a point in time."""
    return _hour_of_ms(F.unix_millis(timestamp))


def _hour_of_ms(milliseconds: Column) -> Column:
    return F.floor(milliseconds / HOUR_MS)


def hour_begin(hour: str | Column = HOUR) -> Column:
    return F.timestamp_millis((F.col(hour) if isinstance(hour, str) else hour) * HOUR_MS)


def log_rows(df: DataFrame) -> DataFrame:
    """The log's own rows: the rows of a snapshot are no events."""
    return all_rows(df).filter(~from_snapshot())


def log_ends(df: DataFrame) -> DataFrame:
    """One row for each cluster: ``firstMs`` and ``lastMs``, the times of its log's first and last record."""
    milliseconds = F.unix_millis("timestamp")
    return (
        log_rows(df)
        .groupBy(CLUSTER)
        .agg(F.min(milliseconds).alias("firstMs"), F.max(milliseconds).alias("lastMs"))
    )


def hours(df: DataFrame) -> DataFrame:
    """Every hour from a cluster's first record to its last, including hours without records."""
    first, last = _hour_of_ms(F.col("firstMs")), _hour_of_ms(F.col("lastMs"))
    return log_ends(df).select(CLUSTER, F.explode(F.sequence(first, last)).alias(HOUR))


def with_ends(spans: DataFrame, df: DataFrame) -> DataFrame:
    """Intervals with ``startMs`` and ``endMs``. An interval that has not ended lasts until the log's last record.

    A state from a snapshot began at the latest with the log's first record, and counts from there.
    """
    ends = F.broadcast(log_ends(df))
    start = F.greatest(F.unix_millis("fromTimestamp"), "firstMs")
    end = F.coalesce(F.unix_millis("toTimestamp"), F.col("lastMs"))
    return (
        spans.join(ends, same_cluster(spans, ends))
        .drop(ends[CLUSTER])
        .withColumns({"startMs": start, "endMs": F.greatest(start, end)})
        .drop("firstMs", "lastMs")
    )


def spread(spans: DataFrame) -> DataFrame:
    """Intervals (``startMs``, ``endMs``) as rows of hours: ``partMs`` of that hour, ``whole`` hours from it on.

    ``whole`` is 1 where whole hours begin, -1 where they have ended.
    """
    start, end = F.col("startMs"), F.col("endMs")
    first, last = _hour_of_ms(start), _hour_of_ms(end)
    nothing, one = F.lit(0).cast("BIGINT"), F.lit(1).cast("BIGINT")
    within = F.array(_piece(first, end - start, nothing))
    across = F.array(
        _piece(first, (first + 1) * HOUR_MS - start, nothing),
        _piece(first + 1, nothing, one),
        _piece(last, end - last * HOUR_MS, -one),
    )
    return spans.select("*", F.inline(F.when(first == last, within).otherwise(across))).drop(
        "startMs", "endMs"
    )


def _piece(hour: Column, part_ms: Column, whole: Column) -> Column:
    return F.struct(hour.alias(HOUR), part_ms.cast("BIGINT").alias("partMs"), whole.alias("whole"))


def seconds_by_hour(pieces: DataFrame, axis: DataFrame, measures: Mapping[str, str]) -> DataFrame:
    """One row for each hour, with the seconds of it that each measure lasted.

    ``measures`` has, for each column to make, the column of the intervals that says whether an interval counts.
    """
    sums = {}
    for name, flag in measures.items():
        counts = F.col(flag).cast("BIGINT")
        sums[f"{name}_part"] = F.coalesce(F.sum(F.col("partMs") * counts), F.lit(0))
        sums[f"{name}_whole"] = F.coalesce(F.sum(F.col("whole") * counts), F.lit(0))
    found = pieces.unionByName(axis, allowMissingColumns=True).groupBy(CLUSTER, HOUR)
    summed = found.agg(*(column.alias(name) for name, column in sums.items()))
    until_now = (
        Window.partitionBy(CLUSTER).orderBy(HOUR).rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    whole = {name: F.sum(f"{name}_whole").over(until_now) for name in measures}
    return summed.withColumns(whole).select(
        CLUSTER,
        HOUR,
        *(((F.col(f"{name}_part") + F.col(name) * HOUR_MS) / 1000).alias(name) for name in measures),
    )
