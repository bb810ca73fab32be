"""Partitions over time: their leaders and their in-sync replicas.

A PartitionRecord states a partition in full, a PartitionChangeRecord states what changes. Two kinds of records change
many partitions at once, and are joined with the rows of each partition that they concern: ClearElrRecord, and settings
of min.insync.replicas.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafkaproto_pipeline.jobs.history.rows import (
    CLUSTER,
    carried,
    counted_rows,
    in_order,
    intervals,
    is_record,
    only,
    same_cluster,
    span_columns,
    topics,
    up_to_now,
)
from kafkaproto_server.metadata.image.entries import BROKER_RESOURCE, TOPIC_RESOURCE

KEY = (CLUSTER, "topicId", "partitionId")
RECORD_TYPES = ("PartitionRecord", "PartitionChangeRecord", "TopicRecord", "RemoveTopicRecord")
SETTING_TYPES = ("ClearElrRecord", "ConfigRecord")
NO_LEADER = -1
LEADER_STAYS = -2
MIN_ISR = "min.insync.replicas"
DEFAULT_MIN_ISR = 1

_POSITION = ("offset", "snapshotIndex", "timestamp")
_LISTS = ("isr", "replicas", "addingReplicas", "eligibleLeaderReplicas")
"""Lists that a change leaves out if they stay as they are."""
_LIST = "ARRAY<INT>"
_SETTINGS = ("topicMinIsr", "defaultMinIsr")
_SETTING = "STRUCT<value: INT>"
"""A struct, so that a setting that was removed (no value) differs from a row that does not set it (null)."""


def leadership(df: DataFrame) -> DataFrame:
    """The leaders of each partition: an interval for each leader epoch.

    ``leader`` is -1 while there is no leader. ``endedBy`` says how an interval ended: "another leader", "same leader"
    (an election that the leader won again), "leaderless", or "topic deleted"; it is null, as the ends are, while it
    lasts.
    """
    rows = counted_rows(df, *RECORD_TYPES)
    elections = _records(rows).filter(F.col("leader").isNotNull())
    spans = intervals(_states(elections), KEY, ("leader", "leaderEpoch"))
    follower = F.col("to.leader")
    ended_by = (
        F.when(follower == NO_LEADER, "leaderless")
        .when(follower == F.col("from.leader"), "same leader")
        .when(follower.isNotNull(), "another leader")
        .when(F.col("removed").isNotNull(), "topic deleted")
    )
    return _named(spans, rows).select(
        CLUSTER,
        "topicName",
        "topicId",
        "partitionId",
        F.col("from.leader").alias("leader"),
        F.col("from.leaderEpoch").alias("leaderEpoch"),
        *_span(),
        ended_by.alias("endedBy"),
    )


def isr(df: DataFrame) -> DataFrame:
    """The in-sync replicas of each partition over time, and what they mean.

    ``underReplicated`` is computed as Kafka's tools do: fewer replicas in sync than there are, not counting those that
    a reassignment is only adding. ``minIsr`` is min.insync.replicas at that time: the topic's own setting, else the
    default for all brokers in the log, else 1; settings of a single broker and of its file are ignored. If a partition
    has fewer replicas than that, all of them are enough (``underMinIsr``). ``leaderless`` partitions keep their ISR,
    or have its former members in ``eligibleLeaderReplicas``.
    """
    rows = counted_rows(df, *RECORD_TYPES, *SETTING_TYPES)
    state = ("isr", "replicas", "addingReplicas", "eligibleLeaderReplicas", "minIsr", "leaderless")
    states = _states(_records(rows).unionByName(_settings(rows)))
    states = states.withColumn("leaderless", F.col("leader") == NO_LEADER)
    # A snapshot states a partition and its settings at the same offset: the last row at that offset counts.
    following = F.lead("offset").over(in_order(*KEY))
    states = states.withColumn("_next", following).filter(~F.col("offset").eqNullSafe(F.col("_next")))
    in_sync, replicas = F.size("from.isr"), F.size("from.replicas")
    return _named(intervals(states, KEY, state), rows).select(
        CLUSTER,
        "topicName",
        "topicId",
        "partitionId",
        *(
            F.col(f"from.{each}").alias(each)
            for each in ("isr", "replicas", "eligibleLeaderReplicas", "minIsr")
        ),
        (in_sync < replicas - F.size("from.addingReplicas")).alias("underReplicated"),
        (in_sync < F.least("from.minIsr", replicas)).alias("underMinIsr"),
        F.col("from.leaderless").alias("leaderless"),
        *_span(),
    )


def preferred_leadership(df: DataFrame) -> DataFrame:
    """Intervals in which a partition's leader, and whether that is its first replica, stay; for balance and drift."""
    rows = counted_rows(df, *RECORD_TYPES)
    preferred = F.col("leader").eqNullSafe(F.get("replicas", F.lit(0)))
    states = _states(_records(rows)).withColumn("ledByPreferred", preferred)
    spans = intervals(states, KEY, ("leader", "ledByPreferred"))
    return _named(spans, rows).select(
        *KEY,
        F.col("from.leader").alias("leader"),
        F.col("from.ledByPreferred").alias("ledByPreferred"),
        *_span(),
    )


def _states(events: DataFrame) -> DataFrame:
    """The state of a partition after each row that concerns it.

    Its leader epoch is the one that the last PartitionRecord stated, plus one for each change since then that names a
    leader.
    """
    now = up_to_now(*KEY)
    elections = F.sum("election").over(now)
    events = events.withColumns({**carried(now, "leader", *_LISTS, *_SETTINGS), "elections": elections})
    # The count when the epoch was stated belongs to the epoch.
    stated = F.when(F.col("statedEpoch").isNotNull(), F.struct("statedEpoch", "elections"))
    events = events.withColumn("stated", stated).withColumns(carried(now, "stated"))
    epoch = F.col("stated.statedEpoch") + F.col("elections") - F.col("stated.elections")
    return events.filter(F.col("stated").isNotNull()).select(
        *KEY,
        *_POSITION,
        "leader",
        epoch.cast("INT").alias("leaderEpoch"),
        "isr",
        "replicas",
        "addingReplicas",
        "eligibleLeaderReplicas",
        F.coalesce("topicMinIsr.value", "defaultMinIsr.value", F.lit(DEFAULT_MIN_ISR)).alias("minIsr"),
    )


def _records(rows: DataFrame) -> DataFrame:
    """What each record of a partition sets; null if it leaves a field as it is."""
    full = is_record("PartitionRecord")
    named = F.col("PartitionChangeRecord.leader") != LEADER_STAYS
    leader = F.when(full, F.col("PartitionRecord.leader")).when(named, F.col("PartitionChangeRecord.leader"))
    return only(rows, "PartitionRecord", "PartitionChangeRecord").select(
        CLUSTER,
        F.coalesce("PartitionRecord.topicId", "PartitionChangeRecord.topicId").alias("topicId"),
        F.coalesce("PartitionRecord.partitionId", "PartitionChangeRecord.partitionId").alias("partitionId"),
        *_POSITION,
        leader.alias("leader"),
        F.col("PartitionRecord.leaderEpoch").alias("statedEpoch"),
        F.coalesce(named.cast("INT"), F.lit(0)).alias("election"),
        *(
            F.when(full, F.coalesce(f"PartitionRecord.{name}", F.array().cast(_LIST)))
            .otherwise(F.col(f"PartitionChangeRecord.{name}"))
            .alias(name)
            for name in _LISTS
        ),
        *(F.lit(None).cast(_SETTING).alias(name) for name in _SETTINGS),
    )


def _settings(rows: DataFrame) -> DataFrame:
    """Rows of ClearElrRecord and of min.insync.replicas, once for each partition that they concern."""
    # There are few such records, so they are broadcast to the topics and the partitions.
    records = F.broadcast(_setting_records(rows))
    known = topics(rows)
    is_about = F.expr(
        "(about IS NULL OR about = topicName AND offset >= createdOffset)"
        " AND (removed IS NULL OR offset < removed.offset)"
    )
    about = F.broadcast(
        known.join(records, same_cluster(known, records) & is_about).select(
            known[CLUSTER], "topicId", *_POSITION, "eligibleLeaderReplicas", *_SETTINGS
        )
    )
    partitions = only(rows, "PartitionRecord").select(
        CLUSTER, "PartitionRecord.topicId", F.col("PartitionRecord.partitionId").alias("partitionId")
    )
    same_topic = same_cluster(partitions, about) & (partitions["topicId"] == about["topicId"])
    return partitions.join(about, same_topic).select(
        *(partitions[each] for each in KEY),
        *_POSITION,
        F.lit(None).cast("INT").alias("leader"),
        F.lit(None).cast("INT").alias("statedEpoch"),
        F.lit(0).alias("election"),
        *(F.lit(None).cast(_LIST).alias(name) for name in _LISTS if name != "eligibleLeaderReplicas"),
        "eligibleLeaderReplicas",
        *_SETTINGS,
    )


def _setting_records(rows: DataFrame) -> DataFrame:
    """Their own rows, with the name of the topic that they are about; null stands for all topics."""
    clear, config = is_record("ClearElrRecord"), F.col("ConfigRecord")
    of_topic = config["resourceType"] == TOPIC_RESOURCE
    of_all = (config["resourceType"] == BROKER_RESOURCE) & (config["resourceName"] == "")
    value = F.struct(config["value"].try_cast("INT").alias("value"))
    return (
        only(rows, *SETTING_TYPES)
        .filter(clear | ((config["name"] == MIN_ISR) & (of_topic | of_all)))
        .select(
            CLUSTER,
            *_POSITION,
            F.when(of_topic, config["resourceName"])
            .when(F.col("ClearElrRecord.topicName") != "", F.col("ClearElrRecord.topicName"))
            .alias("about"),
            F.when(clear, F.array().cast(_LIST)).alias("eligibleLeaderReplicas"),
            F.when(of_topic, value).alias("topicMinIsr"),
            F.when(of_all, value).alias("defaultMinIsr"),
        )
    )


def _named(spans: DataFrame, rows: DataFrame) -> DataFrame:
    """Intervals with their topic's name and its end."""
    known = topics(rows)
    same_topic = same_cluster(spans, known) & (spans["topicId"] == known["topicId"])
    return spans.join(known, same_topic, "left").select(
        *(spans[each] for each in (*KEY, "from", "to")), "topicName", "removed"
    )


def _span() -> list[Column]:
    """A partition's last interval ends with its topic."""
    return span_columns(
        F.coalesce("to.offset", "removed.offset"), F.coalesce("to.timestamp", "removed.timestamp")
    )
