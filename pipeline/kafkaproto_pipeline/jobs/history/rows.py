"""The common parts of all history tables: rows of some record types in order, and intervals of states.

A table starts from the rows of a few record types, with the rows of one key (a partition, a broker) in the log's
order. Window functions over that key carry forward what a record leaves out, so that each row has the state after it.
Rows that change nothing are dropped; the next row that is left ends the state before it. All windows of a table have
the same key and order, so Spark shuffles and sorts once. A key begins with the cluster's id, because a frame may hold
several clusters.

Rows of snapshots may be among the rows. Either they repeat what is known, which changes nothing; or the history begins
with them because its log starts later than the cluster. A state then lasts "from" the snapshot's last offset. Changes
of a thing that was not stated in full before, by the record that creates it or by a snapshot, are left out.

Every table uses its rows several times, and Spark would read the log each time. So the rows of a frame are kept in
Spark's cache, on the executors' disks, for all tables of that frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from kafkaproto_pipeline.jobs.job import Transform
from kafkaproto_pipeline.jobs.local_frames import hold
from kafkaproto_pipeline.jobs.transactions import Kept, keep
from kafkaproto_pipeline.views.schema import CORRUPT_COLUMN, RECORD_TYPES

CLUSTER = "clusterId"
POSITION = ("offset", "snapshotIndex")
"""Orders rows: a snapshot's rows come at its last offset, after that offset's own row, which has no index."""
PARTITION_TYPES = ("PartitionRecord", "PartitionChangeRecord")

_COLUMNS = (CLUSTER, *POSITION, "timestamp", "source", "isControl", "partitionLeaderEpoch", "recordType")


_known: WeakKeyDictionary[DataFrame, Kept] = WeakKeyDictionary()
"""By frame: its rows."""
_tables: WeakKeyDictionary[DataFrame, dict[Transform, DataFrame]] = WeakKeyDictionary()
"""For each frame: tables from which others are made."""
_few: WeakKeyDictionary[DataFrame, DataFrame] = WeakKeyDictionary()
"""For each frame: that of `without_partitions`."""


def counted_rows(df: DataFrame, *record_types: str) -> DataFrame:
    """The rows of these record types that count: without those of aborted metadata transactions."""
    return only(_rows_of(df).counted, *record_types)


def all_rows(df: DataFrame) -> DataFrame:
    """All rows but those of damage, with the columns that tables look at."""
    return _rows_of(df).rows


def kept(df: DataFrame, make: Transform) -> DataFrame:
    """A table of the frame that several others are made of: it is made once."""
    tables = _tables.setdefault(df, {})
    if make not in tables:
        tables[make] = hold(make(df), df)
    return tables[make]


def kept_or_made(df: DataFrame, make: Transform) -> DataFrame:
    """A table of the frame as it is kept, if it is; else made anew."""
    tables = _tables.get(df, {})
    return tables[make] if make in tables else make(df)


def without_partitions(df: DataFrame) -> DataFrame:
    """A frame without the records of partitions, which are nearly all: for many tables of what is left."""
    if df.isLocal():
        return df
    if df not in _few:
        _few[df] = all_rows(df).filter(~F.col("recordType").isin(*PARTITION_TYPES))
    return _few[df]


def forget(df: DataFrame) -> None:
    """Release what is cached of a frame."""
    few = _few.pop(df, None)
    if few is not None:
        forget(few)
    for table in _tables.pop(df, {}).values():
        table.unpersist()
    known = _known.pop(df, None)
    if known is not None:
        known.forget()


def _rows_of(df: DataFrame) -> Kept:
    known = _known.get(df)
    if known is None:
        read = df.filter(F.col(CORRUPT_COLUMN).isNull()) if CORRUPT_COLUMN in df.columns else df
        # Damage has no record type. A record of a known type may be damaged too.
        rows = read.filter(F.col("recordType").isNotNull()).select(
            *(name for name in df.columns if name in _COLUMNS or name in RECORD_TYPES)
        )
        known = _known[df] = keep(rows, is_local=df.isLocal())
    return known


def only(rows: DataFrame, *record_types: str) -> DataFrame:
    """The rows of these record types."""
    return rows.filter(F.col("recordType").isin(*record_types))


def is_record(record_type: str) -> Column:
    """Whether a row is of that record type."""
    return F.col("recordType") == record_type


def from_snapshot() -> Column:
    """Whether a row is a snapshot's."""
    return F.col("source") == "snapshot"


def in_order(*key: str) -> WindowSpec:
    """The rows of one key in the log's order."""
    # Spark sorts by the first bytes of the first column as long as those differ, which a cluster's id does not.
    cluster, *rest = key
    return Window.partitionBy(*rest, cluster).orderBy(*(F.asc_nulls_first(each) for each in POSITION))


def up_to_now(*key: str) -> WindowSpec:
    """The rows of that key up to the current row."""
    return in_order(*key).rowsBetween(Window.unboundedPreceding, Window.currentRow)


def carried(window: WindowSpec, *names: str) -> dict[str, Column]:
    """The columns with their newest value that is not null, for rows that do not set them."""
    return {name: F.last(name, ignorenulls=True).over(window) for name in names}


def milliseconds_between(start: Column, end: Column) -> Column:
    """The duration; 0 if the clocks of two leaders disagree about which record came first."""
    return F.greatest(F.lit(0), F.unix_millis(end) - F.unix_millis(start))


def only_changes(states: DataFrame, key: Sequence[str], state: Sequence[str]) -> DataFrame:
    """The rows whose state differs from that of the row before them, and each key's first."""
    now = F.struct(*state)
    before = F.lag(now).over(in_order(*key))
    return states.withColumn("_before", before).filter(~now.eqNullSafe(F.col("_before"))).drop("_before")


def intervals(
    states: DataFrame, key: Sequence[str], state: Sequence[str], *, with_source: bool = False
) -> DataFrame:
    """Turns the state after each row into intervals of equal state, which the next state ends: columns ``from`` and
    ``to``.

    Both are structs of offset, timestamp and state, and of the row's source if that is wanted. ``to`` is the start of
    the next interval, null in the last one.
    """
    changes = only_changes(states, key, state)
    here = F.struct("offset", "timestamp", *state, *(("source",) if with_source else ()))
    return changes.select(*key, here.alias("from"), F.lead(here).over(in_order(*key)).alias("to"))


def span_columns(
    end_offset: str | Column = "to.offset", end_timestamp: str | Column = "to.timestamp"
) -> list[Column]:
    """When an interval began and ended, by offset and time, and how long it was; null while it lasts."""
    offset, timestamp = (F.col(end) if isinstance(end, str) else end for end in (end_offset, end_timestamp))
    return [
        F.col("from.offset").alias("fromOffset"),
        F.col("from.timestamp").alias("fromTimestamp"),
        offset.alias("toOffset"),
        timestamp.alias("toTimestamp"),
        # Not greatest() alone: that would make 0 of an end that is not known.
        F.when(timestamp.isNotNull(), milliseconds_between(F.col("from.timestamp"), timestamp)).alias(
            "durationMs"
        ),
    ]


def topics(rows: DataFrame) -> DataFrame:
    """One row for each topic: its name, the offset at which it was first stated, and ``removed``, the offset and time
    of its deletion.
    """
    named, removed = is_record("TopicRecord"), is_record("RemoveTopicRecord")
    topic_id = F.coalesce("TopicRecord.topicId", "RemoveTopicRecord.topicId")
    return (
        only(rows, "TopicRecord", "RemoveTopicRecord")
        .groupBy(CLUSTER, topic_id.alias("topicId"))
        .agg(
            F.max("TopicRecord.name").alias("topicName"),
            F.min(F.when(named, F.col("offset"))).alias("createdOffset"),
            F.min(F.when(removed, F.struct("offset", "timestamp"))).alias("removed"),
        )
    )


def same_cluster(left: DataFrame, right: DataFrame) -> Column:
    """Whether two rows are of the same cluster, or both of one whose id is not known."""
    return left[CLUSTER].eqNullSafe(right[CLUSTER])
