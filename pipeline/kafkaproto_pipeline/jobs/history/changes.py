"""Changes with the old and the new value: configs, quotas, SCRAM credentials; and ACLs that were added and removed.

Rows of snapshots show only what was not known before, that is, the state at the beginning of a history.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafkaproto_pipeline.jobs.history.rows import (
    CLUSTER,
    counted_rows,
    from_snapshot,
    in_order,
    is_record,
    only,
    same_cluster,
    topics,
)
from kafkaproto_pipeline.jobs.words import word
from kafkaproto_pipeline.views.words import ACL_WORDS, CONFIG_RESOURCES, SCRAM_MECHANISMS
from kafkaproto_server.metadata.image.entries import TOPIC_RESOURCE

CONFIG_TYPES = ("ConfigRecord", "TopicRecord", "RemoveTopicRecord")
ACL_TYPES = ("AccessControlEntryRecord", "RemoveAccessControlEntryRecord")
QUOTA_TYPES = ("ClientQuotaRecord",)
SCRAM_TYPES = ("UserScramCredentialRecord", "RemoveUserScramCredentialRecord")

_POSITION = ("offset", "snapshotIndex", "timestamp", "source")


def config_changes(df: DataFrame) -> DataFrame:
    """Each ConfigRecord with the value before it, and the end of a topic's configs with the topic (``topicDeleted``).

    ``deleted`` says that the key has no value of its own from then on.
    """
    rows = counted_rows(df, *CONFIG_TYPES)
    key = (CLUSTER, "resourceType", "resourceName", "configName")
    records = only(rows, "ConfigRecord").select(
        CLUSTER,
        "ConfigRecord.resourceType",
        "ConfigRecord.resourceName",
        F.col("ConfigRecord.name").alias("configName"),
        *_POSITION,
        F.col("ConfigRecord.value").alias("newConfigValue"),
        F.lit(False).alias("topicDeleted"),
    )
    changes = records.unionByName(_deletions(rows, records))
    changes = changes.withColumn("oldConfigValue", F.lag("newConfigValue").over(in_order(*key)))
    differs = ~F.col("oldConfigValue").eqNullSafe(F.col("newConfigValue"))
    return changes.filter(differs | ~(from_snapshot() | F.col("topicDeleted"))).select(
        CLUSTER,
        "offset",
        "timestamp",
        "source",
        word(F.col("resourceType"), CONFIG_RESOURCES).alias("resourceType"),
        "resourceName",
        "configName",
        "oldConfigValue",
        "newConfigValue",
        F.col("newConfigValue").isNull().alias("deleted"),
        "topicDeleted",
    )


def _deletions(rows: DataFrame, records: DataFrame) -> DataFrame:
    """When a topic is deleted: one row without a value for each key that was ever set on the topic's name."""
    gone = (
        topics(rows)
        .filter("topicName IS NOT NULL AND removed IS NOT NULL")
        .select(CLUSTER, "topicName", "removed")
    )
    keys = records.filter(F.col("resourceType") == TOPIC_RESOURCE)
    keys = keys.select(CLUSTER, "resourceType", "resourceName", "configName").distinct()
    same_topic = same_cluster(keys, gone) & (keys["resourceName"] == gone["topicName"])
    return keys.join(gone, same_topic).select(
        keys[CLUSTER],
        "resourceType",
        "resourceName",
        "configName",
        "removed.offset",
        F.lit(None).cast("BIGINT").alias("snapshotIndex"),
        "removed.timestamp",
        F.lit("log").alias("source"),
        F.lit(None).cast("STRING").alias("newConfigValue"),
        F.lit(True).alias("topicDeleted"),
    )


def acl_changes(df: DataFrame) -> DataFrame:
    """Each ACL that was created or removed: ``change``, the ACL's id, its parts in words, and all of it as a text."""
    entry = F.col("AccessControlEntryRecord")
    created = is_record("AccessControlEntryRecord")
    rows = counted_rows(df, *ACL_TYPES).select(
        CLUSTER,
        F.coalesce("AccessControlEntryRecord.id", "RemoveAccessControlEntryRecord.id").alias("aclId"),
        *_POSITION,
        F.when(created, entry).alias("entry"),
    )
    before = F.lag("entry").over(in_order(CLUSTER, "aclId"))
    rows = rows.withColumn("before", before)
    # A snapshot's row of what is there already; and a removal of what was created before the log began.
    known = F.col("entry").isNotNull() & F.col("before").isNotNull()
    unknown = F.coalesce("entry", "before").isNull()
    rows = rows.filter(~(known | unknown)).withColumn("acl", F.coalesce("entry", "before"))
    acl = F.col("acl")

    def in_words(field: str) -> Column:
        return word(acl[field], ACL_WORDS[field])

    parts = {
        "permissionType": in_words("permissionType"),
        "principal": acl["principal"],
        "operation": in_words("operation"),
        "resourceType": in_words("resourceType"),
        "patternType": in_words("patternType"),
        "resourceName": acl["resourceName"],
        "host": acl["host"],
    }
    text = F.format_string("%s %s %s on %s (%s) %s from host %s", *parts.values())
    return rows.select(
        CLUSTER,
        "offset",
        "timestamp",
        "source",
        F.when(F.col("entry").isNotNull(), "created").otherwise("removed").alias("change"),
        "aclId",
        text.alias("text"),
        *(column.alias(name) for name, column in parts.items()),
    )


def quota_changes(df: DataFrame) -> DataFrame:
    """Each ClientQuotaRecord with the value before it. An entity's parts are in order of their types."""
    record = F.col("ClientQuotaRecord")
    rows = counted_rows(df, *QUOTA_TYPES).select(
        CLUSTER,
        F.sort_array(record["entity"]).alias("entity"),
        record["key"].alias("quotaKey"),
        *_POSITION,
        F.when(~record["remove"], record["value"]).alias("newQuotaValue"),
    )
    before = F.lag("newQuotaValue").over(in_order(CLUSTER, "entity", "quotaKey"))
    changes = rows.withColumn("oldQuotaValue", before)
    differs = ~F.col("oldQuotaValue").eqNullSafe(F.col("newQuotaValue"))
    return changes.filter(differs | ~from_snapshot()).select(
        CLUSTER,
        "offset",
        "timestamp",
        "source",
        "entity",
        "quotaKey",
        "oldQuotaValue",
        "newQuotaValue",
        F.col("newQuotaValue").isNull().alias("deleted"),
    )


def scram_changes(df: DataFrame) -> DataFrame:
    """Each SCRAM credential that was set or removed: ``change`` is "created", "changed" or "removed".

    No salt and no key are shown, only the old and the new number of iterations.
    """
    credential = F.col("UserScramCredentialRecord")
    removal = F.col("RemoveUserScramCredentialRecord")
    rows = counted_rows(df, *SCRAM_TYPES).select(
        CLUSTER,
        F.coalesce(credential["name"], removal["name"]).alias("userName"),
        F.coalesce(credential["mechanism"], removal["mechanism"]).alias("mechanism"),
        *_POSITION,
        F.when(is_record("UserScramCredentialRecord"), credential).alias("new"),
    )
    changes = rows.withColumn("old", F.lag("new").over(in_order(CLUSTER, "userName", "mechanism")))
    differs = ~F.col("old").eqNullSafe(F.col("new"))
    change = (
        F.when(F.col("new").isNull(), "removed").when(F.col("old").isNull(), "created").otherwise("changed")
    )
    return changes.filter(differs | ~from_snapshot()).select(
        CLUSTER,
        "offset",
        "timestamp",
        "source",
        "userName",
        word(F.col("mechanism"), SCRAM_MECHANISMS).alias("mechanism"),
        change.alias("change"),
        F.col("old.iterations").alias("oldIterations"),
        F.col("new.iterations").alias("newIterations"),
    )
