"""Topics, partitions and configs after the last row; `metadata.image.apply_topics` defines the meaning of the
records."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from kafkaproto_pipeline.jobs.state.rows import counted, partition_changes, records, schema_of
from kafkaproto_pipeline.views import latest
from kafkaproto_server.metadata.image.entries import TOPIC_RESOURCE

TOPIC = "TopicRecord"
REMOVE = "RemoveTopicRecord"
CLEAR_ELR = "ClearElrRecord"
CONFIG = "ConfigRecord"


def topics(df: DataFrame) -> DataFrame:
    """The topics: name and id."""
    return _topics(counted(df)).select("name", "topicId")


def partitions(df: DataFrame) -> DataFrame:
    """The partitions: replicas, leader, ISR, epochs and all else that a PartitionRecord would say of them now."""
    rows = counted(df)
    # Each partition has only a few rows here, whatever the log's length. They are sent to one place and become one row.
    found = (
        _with_clears(rows)
        .select(*latest.UNRESOLVED.names)
        .repartition("topicId", "partitionId")
        .mapInArrow(latest.resolved, schema_of(latest.PARTITIONS))
    )
    living = _topics(rows).withColumnRenamed("name", "topicName")
    return (
        found.join(living, "topicId")
        .filter(F.col("basePosition") > F.col("created"))
        .select(
            "topicName", "topicId", *(name for name in latest.PARTITIONS.names[1:] if name != "basePosition")
        )
    )


def configs(df: DataFrame) -> DataFrame:
    """The values that were set: a row for each resource and key. A topic's go with it."""
    rows = counted(df)
    changes = records(rows, CONFIG).select(f"{CONFIG}.*", "position", F.lit(False).alias("isRemoval"))
    of_resource = Window.partitionBy("resourceType", "resourceName")
    removed = F.max(F.when(F.col("isRemoval"), F.col("position"))).over(of_resource)
    found = changes.unionByName(_removals(rows), allowMissingColumns=True).withColumn("removed", removed)
    return (
        found.filter(
            ~F.col("isRemoval") & (F.col("removed").isNull() | (F.col("position") > F.col("removed")))
        )
        .groupBy("resourceType", "resourceName", "name")
        .agg(F.max_by(F.struct("value"), "position").value.alias("value"))
        .filter(F.col("value").isNotNull())
    )


def _topics(rows: DataFrame) -> DataFrame:
    """``topicId``, ``name`` and the position of the TopicRecord (``created``) of each topic that there is."""
    found = records(rows, TOPIC, REMOVE)
    created = F.when(F.col(TOPIC).isNotNull(), F.col("position"))
    newest = found.groupBy(F.coalesce(f"{TOPIC}.topicId", f"{REMOVE}.topicId").alias("topicId")).agg(
        F.max_by(f"{TOPIC}.name", created).alias("name"),
        F.max(created).alias("created"),
        F.max(F.when(F.col(REMOVE).isNotNull(), F.col("position"))).alias("removed"),
    )
    return newest.filter(
        F.col("created").isNotNull() & (F.col("removed").isNull() | (F.col("created") > F.col("removed")))
    ).select("topicId", "name", "created")


def _removals(rows: DataFrame) -> DataFrame:
    """The newest removal of each topic, as a resource of configs."""
    found = records(rows, TOPIC, REMOVE)
    removals = found.groupBy(F.coalesce(f"{TOPIC}.topicId", f"{REMOVE}.topicId")).agg(
        F.max(f"{TOPIC}.name").alias("resourceName"),
        F.max(F.when(F.col(REMOVE).isNotNull(), F.col("position"))).alias("position"),
    )
    return removals.filter(F.col("position").isNotNull()).select(
        F.lit(TOPIC_RESOURCE).cast("tinyint").alias("resourceType"),
        "resourceName",
        "position",
        F.lit(True).alias("isRemoval"),
    )


def _with_clears(rows: DataFrame) -> DataFrame:
    """The rows about partitions, each with how many ClearElrRecords concern its topic: before it, and in all."""
    found = records(rows, TOPIC, CLEAR_ELR)
    name = F.coalesce(f"{TOPIC}.name", f"{CLEAR_ELR}.topicName")
    # A name stands for the topic that had it then; no name stands for all topics.
    until_then = Window.partitionBy("name").orderBy("position")
    topic_id = F.last(f"{TOPIC}.topicId", ignorenulls=True).over(until_then)
    clears = (
        found.withColumn("name", name)
        .select("position", "name", F.col(CLEAR_ELR).isNotNull().alias("isClear"), topic_id.alias("topicId"))
        .filter(F.col("isClear") & (F.col("topicId").isNotNull() | (F.col("name") == "")))
        .agg(F.collect_list(F.struct("topicId", "position")).alias("all"))
    )

    def concerns(clear: Column) -> Column:
        return clear.topicId.isNull() | (clear.topicId == F.col("topicId"))

    # There are few: one for each change of some configs, and most clusters never had any.
    joined = partition_changes(rows).crossJoin(F.broadcast(clears))
    about = F.filter("all", concerns)
    before = F.filter("all", lambda clear: concerns(clear) & (clear.position < F.col("position")))
    return joined.withColumns({"clears": F.size(before), "clearsInAll": F.size(about)})
