"""Reduces the history's events to what the page shows: the most telling ones, marks of changes, failed directories.

The limits of `data` bound what is brought to the driver. The texts have no secrets, as `history.events` makes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as F

from kafkaproto_pipeline.jobs import history
from kafkaproto_pipeline.jobs.local_frames import hold
from kafkaproto_pipeline.jobs.report.data import (
    EVENTS_OF_A_KIND,
    MARKED_KINDS,
    MAX_EVENTS,
    MAX_MARK_BINS,
    MAX_MARK_CHANGES,
    MAX_TEXT,
    TELLING_FIRST,
    Bins,
    DirectoryFailure,
    Event,
    Events,
    Mark,
    bins_of,
)

_PARTITIONS = 4
FAILURE_KINDS = ("directory failed", "directory missing")


def told(df: DataFrame) -> DataFrame:
    """All events of the source's ``typed`` view, held: whoever has them releases them with ``unpersist``."""
    events = history.events(df).select(
        "offset",
        F.unix_millis("timestamp").alias("atMs"),
        "kind",
        *(_short(F.col(name)).alias(name) for name in ("subject", "text")),
        "topicName",
        "brokerId",
    )
    # They come in as many small parts as each of the histories that they are made of.
    return hold(events if df.isLocal() else events.repartition(_PARTITIONS), df)


def _short(text: Column) -> Column:
    cut = F.concat(F.substring(text, 1, MAX_TEXT - 1), F.lit("…"))
    return F.coalesce(F.when(F.length(text) > MAX_TEXT, cut).otherwise(text), F.lit(""))


def events(told: DataFrame) -> Events:
    """The events that are shown."""
    place = F.array_position(F.array(*map(F.lit, TELLING_FIRST)), F.col("kind"))
    rank = F.when(place > 0, place).otherwise(len(TELLING_FIRST) + 1)
    turn = F.floor((F.col("number") - 1) / EVENTS_OF_A_KIND)
    newest = (F.desc("offset"), "subject", "text")
    rows = _first(told, "kind", newest, MAX_EVENTS).orderBy(turn, rank, "kind", "number").limit(MAX_EVENTS)
    found = rows.collect()
    return Events(
        rows=sorted(map(_event, found), key=lambda each: (each.offset, each.at_ms, each.subject, each.text)),
        counts={row["kind"]: row["count"] for row in found},
    )


def marks(told: DataFrame, start_ms: int, end_ms: int) -> list[Mark]:
    """The changes that are marked, where the time from the start to the end is shown."""
    bins = bins_of(start_ms, end_ms, MAX_MARK_BINS)
    number = F.floor((F.col("atMs") - bins.first_ms) / bins.step_ms)
    changes = told.filter(F.col("kind").isin(*MARKED_KINDS)).withColumn("bin", number)
    rows: Iterable[Row] = (
        _first(changes, "bin", ("offset", "subject", "text"), MAX_MARK_CHANGES)
        .orderBy("bin", "number")
        .collect()
    )
    groups = (list(each) for _, each in groupby(rows, key=lambda row: row["bin"]))
    return [Mark(count=group[0]["count"], changes=list(map(_event, group))) for group in groups]


def failures(told: DataFrame, brokers: Sequence[int], bins: Bins) -> list[DirectoryFailure]:
    """The log directories that these brokers lost, as one if they are in the same bin."""
    rows = (
        told.filter(F.col("kind").isin(*FAILURE_KINDS) & F.col("brokerId").isin(list(brokers)))
        .groupBy("brokerId", F.floor((F.col("atMs") - bins.first_ms) / bins.step_ms).alias("bin"))
        .agg(
            F.min_by(F.struct("atMs", "offset", "text"), "offset").alias("first"), F.count("*").alias("count")
        )
    )
    return [
        DirectoryFailure(
            broker_id=row["brokerId"],
            at_ms=row["first"]["atMs"],
            offset=row["first"]["offset"],
            text=row["first"]["text"],
            count=row["count"],
        )
        for row in rows.orderBy("brokerId", "first").collect()
    ]


def _first(rows: DataFrame, key: str, order: tuple[Column | str, ...], most: int) -> DataFrame:
    """The first rows of each key: their ``number``, from 1 on, and the ``count`` of all rows of the key."""
    of_key = Window.partitionBy(key)
    return rows.withColumns(
        {"number": F.row_number().over(of_key.orderBy(*order)), "count": F.count("*").over(of_key)}
    ).filter(F.col("number") <= most)


def _event(row: Row) -> Event:
    return Event(
        at_ms=row["atMs"],
        offset=row["offset"],
        kind=row["kind"],
        subject=row["subject"],
        topic=row["topicName"],
        text=row["text"],
    )
