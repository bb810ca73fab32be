"""Topics over time: when they were created, resized and deleted, and the reassignments of their partitions.

A creation or a growth is one change, however many PartitionRecords it has. They are known to belong together by their
time, which is that of their batch, or by the metadata transaction that they are part of.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from kafkaproto_pipeline.jobs.history.rows import (
    CLUSTER,
    POSITION,
    all_rows,
    carried,
    counted_rows,
    from_snapshot,
    in_order,
    is_record,
    kept,
    milliseconds_between,
    only,
    only_changes,
    same_cluster,
    span_columns,
    up_to_now,
)
from kafkaproto_pipeline.jobs.history.rows import topics as topic_names
from kafkaproto_pipeline.jobs.transactions import BEGIN
from kafkaproto_pipeline.views.latest import MARKERS

TOPIC_TYPES = ("TopicRecord", "RemoveTopicRecord", "PartitionRecord", "PartitionChangeRecord")
TOPIC = (CLUSTER, "topicId")
PARTITION = (*TOPIC, "partitionId")

_ITSELF, _REMOVAL = -1, -2
"""Stand for the topic and for its deletion where others are partitions."""
_LISTS = ("replicas", "addingReplicas", "removingReplicas")


def topics(df: DataFrame) -> DataFrame:
    """The topics: a row for each topic id.

    ``partitionCount`` and ``replicationFactor`` are those of its last record, the latter of its first partition without
    replicas that a reassignment is only adding. The creation is null if the history begins later, the deletion if there
    is none; ``lifetimeMs`` needs both.
    """
    created = (F.col("change") == "created") & ~from_snapshot()
    at = F.struct("offset", "timestamp")
    ends = (
        kept(df, topic_changes)
        .groupBy(*TOPIC, "topicName")
        .agg(
            F.max("newPartitionCount").alias("partitionCount"),
            F.min(F.when(created, at)).alias("created"),
            F.min(F.when(F.col("change") == "deleted", at)).alias("deleted"),
        )
    )
    factors = _replication_factors(df)
    same_topic = same_cluster(ends, factors) & (ends["topicId"] == factors["topicId"])
    lifetime = F.when(
        F.col("created").isNotNull() & F.col("deleted").isNotNull(),
        milliseconds_between(F.col("created.timestamp"), F.col("deleted.timestamp")),
    )
    return ends.join(factors, same_topic, "left").select(
        ends[CLUSTER],
        "topicName",
        ends["topicId"],
        F.col("partitionCount").cast("INT").alias("partitionCount"),
        "replicationFactor",
        F.col("created.offset").alias("createdOffset"),
        F.col("created.timestamp").alias("createdTimestamp"),
        F.col("deleted.offset").alias("deletedOffset"),
        F.col("deleted.timestamp").alias("deletedTimestamp"),
        lifetime.alias("lifetimeMs"),
    )


def _replication_factors(df: DataFrame) -> DataFrame:
    """By topic: the replicas of its first partition after the last record, without those that are being added."""
    rows = counted_rows(df, "PartitionRecord", "PartitionChangeRecord")
    position = F.struct(*POSITION)

    def newest_size(name: str) -> Column:
        value = _of_partition(name)
        return F.max_by(F.when(value.isNotNull(), F.size(value)), F.when(value.isNotNull(), position))

    return (
        rows.filter(_of_partition("partitionId") == 0)
        .groupBy(CLUSTER, _of_partition("topicId").alias("topicId"))
        .agg(
            (newest_size("replicas") - F.coalesce(newest_size("addingReplicas"), F.lit(0))).alias(
                "replicationFactor"
            )
        )
    )


def _of_partition(name: str) -> Column:
    return F.coalesce(f"PartitionRecord.{name}", f"PartitionChangeRecord.{name}")


def topic_changes(df: DataFrame) -> DataFrame:
    """Each creation, growth and deletion of a topic: ``change`` is "created", "partitions added" or "deleted".

    ``replicationFactor`` is that of the first new partition.
    """
    rows = counted_rows(df, "TopicRecord", "RemoveTopicRecord", "PartitionRecord")
    stands_for = (
        F.when(is_record("TopicRecord"), _ITSELF)
        .when(is_record("RemoveTopicRecord"), _REMOVAL)
        .otherwise(F.col("PartitionRecord.partitionId"))
    )
    first = F.struct(
        *POSITION, "timestamp", "source", F.size("PartitionRecord.replicas").alias("replicationFactor")
    )
    # Snapshots, and leaders that state a partition in full again, repeat what is known.
    parts = rows.groupBy(
        CLUSTER,
        F.coalesce("TopicRecord.topicId", "RemoveTopicRecord.topicId", "PartitionRecord.topicId").alias(
            "topicId"
        ),
        stands_for.alias("part"),
    ).agg(F.max("TopicRecord.name").alias("name"), F.min(first).alias("first"))
    by_time = _grouped(
        parts.select(
            *TOPIC,
            "name",
            "part",
            *(F.col(f"first.{each}").alias(each) for each in ("offset", "timestamp", "source")),
            F.col("first.replicationFactor").alias("replicationFactor"),
            (F.col("part") >= 0).cast("INT").alias("count"),
        ),
        "timestamp",
    )
    begun = _transactions(df)
    in_transaction = (
        same_cluster(by_time, begun)
        & (F.col("source") == "log")
        & F.col("offset").between(F.col("begin"), F.col("end"))
    )
    placed = by_time.join(F.broadcast(begun), in_transaction, "left").select(by_time["*"], "begin")
    changes = _grouped(placed, F.coalesce("begin", -1 - F.unix_micros("timestamp")))
    in_log_order = Window.partitionBy(*TOPIC).orderBy("offset", "source")
    so_far = in_log_order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    all_of_topic = Window.partitionBy(*TOPIC)
    partitions = F.sum("count").over(so_far)
    removal = F.col("part") == _REMOVAL
    change = (
        F.when(removal, "deleted").when(F.col("part") == _ITSELF, "created").otherwise("partitions added")
    )
    return (
        changes.withColumns({"topicName": F.max("name").over(all_of_topic), "partitions": partitions})
        .filter("topicName IS NOT NULL")
        .select(
            CLUSTER,
            "offset",
            "timestamp",
            "source",
            "topicName",
            "topicId",
            change.alias("change"),
            (F.col("partitions") - F.col("count")).cast("INT").alias("oldPartitionCount"),
            F.when(removal, 0).otherwise(F.col("partitions")).cast("INT").alias("newPartitionCount"),
            "replicationFactor",
        )
    )


def _grouped(parts: DataFrame, moment: str | Column) -> DataFrame:
    """The parts of each topic that came at the same moment as one row, deletions apart.

    ``part`` is the topic itself if it is among them, and ``replicationFactor`` that of the first partition among them.
    """
    moment = F.col(moment) if isinstance(moment, str) else moment
    is_partition = F.col("count") > 0
    return parts.groupBy(
        *TOPIC, "source", (F.col("part") == _REMOVAL).alias("isRemoval"), moment.alias("moment")
    ).agg(
        F.max("name").alias("name"),
        F.min("part").alias("part"),
        F.min("offset").alias("offset"),
        F.min("timestamp").alias("timestamp"),
        F.min_by("replicationFactor", F.when(is_partition, F.struct("offset", "part"))).alias(
            "replicationFactor"
        ),
        F.sum("count").alias("count"),
    )


def _transactions(df: DataFrame) -> DataFrame:
    """The metadata transactions: the offsets of their markers, ``begin`` and ``end``."""
    in_log_order = Window.partitionBy(CLUSTER).orderBy("offset")
    markers = only(all_rows(df), *MARKERS).filter(~from_snapshot())
    return (
        markers.withColumn("end", F.lead("offset").over(in_log_order))
        .filter(is_record(BEGIN))
        .select(CLUSTER, F.col("offset").alias("begin"), "end")
    )


def reassignments(df: DataFrame) -> DataFrame:
    """The reassignments of partitions: from which replicas to which, when, and how they ended.

    ``outcome`` is "done", "cancelled", "replaced" (by another one before its end), "topic deleted", or "running". A
    change of the replicas that needs no copying, such as another order, begins and ends with one record.
    """
    rows = counted_rows(df, *TOPIC_TYPES)
    told = only(rows, "PartitionRecord", "PartitionChangeRecord")
    told = told.select(
        CLUSTER,
        _of_partition("topicId").alias("topicId"),
        _of_partition("partitionId").alias("partitionId"),
        *POSITION,
        "timestamp",
        "source",
        *(
            F.when(
                is_record("PartitionRecord"),
                F.coalesce(f"PartitionRecord.{name}", F.array().cast("ARRAY<INT>")),
            )
            .otherwise(F.col(f"PartitionChangeRecord.{name}"))
            .alias(name)
            for name in _LISTS
        ),
        F.when(is_record("PartitionRecord"), True).alias("stated"),
    )
    states = told.withColumns(carried(up_to_now(*PARTITION), *_LISTS, "stated")).filter("stated")
    runs = (F.size("addingReplicas") > 0) | (F.size("removingReplicas") > 0)
    changes = only_changes(states, PARTITION, _LISTS).withColumn("runs", runs)
    here = F.struct("offset", "timestamp", "replicas", "runs")
    around = {
        "before": F.lag(here).over(in_order(*PARTITION)),
        "next": F.lead(here).over(in_order(*PARTITION)),
        "from": F.struct("offset", "timestamp"),
    }
    was_still = F.col("before").isNotNull() & ~F.col("before.runs")
    at_once = ~F.col("runs") & was_still
    found = changes.withColumns(around).filter(F.col("runs") | at_once)
    target = F.array_except("replicas", "removingReplicas")
    origin = F.when(was_still, F.col("before.replicas")).otherwise(
        F.array_except("replicas", "addingReplicas")
    )
    found = found.withColumns({"atOnce": at_once, "target": target, "origin": origin})
    return _with_ends(found, topic_names(rows))


def _with_ends(found: DataFrame, known: DataFrame) -> DataFrame:
    """Reassignments with their ends; that of a topic ends those that still run."""
    same_topic = same_cluster(found, known) & (found["topicId"] == known["topicId"])
    named = (
        found.join(known, same_topic)
        .filter("topicName IS NOT NULL")
        .select(found["*"], "topicName", "removed")
    )
    at_target = F.array_sort("next.replicas") == F.array_sort("target")
    outcome = (
        F.when(F.col("atOnce"), "done")
        .when(F.col("next.runs"), "replaced")
        .when(F.col("next").isNotNull(), F.when(at_target, "done").otherwise("cancelled"))
        .when(F.col("removed").isNotNull(), "topic deleted")
        .otherwise("running")
    )

    def end(name: str) -> Column:
        later = F.coalesce(f"next.{name}", f"removed.{name}")
        return F.when(F.col("atOnce"), F.col(f"from.{name}")).otherwise(later)

    return named.select(
        CLUSTER,
        "topicName",
        "topicId",
        "partitionId",
        F.col("origin").alias("fromReplicas"),
        F.col("target").alias("toReplicas"),
        "addingReplicas",
        "removingReplicas",
        *span_columns(end("offset"), end("timestamp")),
        outcome.alias("outcome"),
        "source",
    )
