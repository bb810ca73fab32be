"""Brokers over time: when they were registered, fenced and unfenced, and the fate of their log directories."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from kafkaproto import uuids
from kafkaproto_pipeline.jobs.history.rows import (
    CLUSTER,
    carried,
    counted_rows,
    from_snapshot,
    in_order,
    intervals,
    is_record,
    only,
    same_cluster,
    span_columns,
    topics,
    up_to_now,
)

LIFE_TYPES = (
    "RegisterBrokerRecord",
    "BrokerRegistrationChangeRecord",
    "FenceBrokerRecord",
    "UnfenceBrokerRecord",
    "UnregisterBrokerRecord",
)
DIRECTORY_TYPES = (
    "RegisterBrokerRecord",
    "BrokerRegistrationChangeRecord",
    "PartitionRecord",
    "PartitionChangeRecord",
    "TopicRecord",
    "RemoveTopicRecord",
)
BROKER = (CLUSTER, "brokerId")
_POSITION = ("offset", "snapshotIndex", "timestamp")
PARTITION = (CLUSTER, "topicId", "partitionId")

MIGRATING, UNASSIGNED, LOST = (uuids.to_text(bytes(15) + bytes([each])) for each in range(3))
"""Directory ids that stand for something else than a directory (KIP-858)."""


def brokers(df: DataFrame) -> DataFrame:
    """The states of each broker: an interval for each state of each registration.

    States: "registered" (fenced since it registered), "active", "controlled shutdown", "fenced", "unregistered". A
    broker that is in controlled shutdown and gets fenced is fenced. If a snapshot states a broker as fenced, it is not
    known whether the broker was active before: it counts as fenced.
    """
    rows = _life(counted_rows(df, *LIFE_TYPES))
    now = up_to_now(*BROKER)
    states = rows.withColumns(
        carried(now, "brokerEpoch", "incarnationId", "fenced", "shuttingDown", "gone", "stated")
    ).filter(F.col("stated").isNotNull())
    registration = up_to_now(*BROKER, "brokerEpoch")
    # The first row of a registration is the registration itself, if the rows have it at all.
    was_active = F.max(~F.col("fenced")).over(registration) | F.first("fromSnapshot").over(registration)
    state = (
        F.when(F.col("gone"), "unregistered")
        .when(F.col("fenced"), F.when(was_active, "fenced").otherwise("registered"))
        .when(F.col("shuttingDown"), "controlled shutdown")
        .otherwise("active")
    )
    life = ("state", "brokerEpoch", "incarnationId")
    spans = intervals(states.withColumn("state", state), BROKER, life, with_source=True)
    return spans.select(
        *BROKER,
        *(F.col(f"from.{each}").alias(each) for each in life),
        *span_columns(),
        F.col("from.source").alias("source"),
    )


def _life(rows: DataFrame) -> DataFrame:
    """What each record of a broker sets; null if it leaves a field as it is."""
    registers, registration = is_record("RegisterBrokerRecord"), F.col("RegisterBrokerRecord")
    change = F.col("BrokerRegistrationChangeRecord")
    fenced = (
        F.when(registers, registration["fenced"])
        .when(change["fenced"] != 0, change["fenced"] == 1)
        .when(is_record("FenceBrokerRecord"), True)
        .when(is_record("UnfenceBrokerRecord"), False)
    )
    shutting_down = F.when(registers, registration["inControlledShutdown"]).when(
        change["inControlledShutdown"] == 1, True
    )
    return rows.select(
        CLUSTER,
        F.coalesce(
            "RegisterBrokerRecord.brokerId",
            "BrokerRegistrationChangeRecord.brokerId",
            "FenceBrokerRecord.id",
            "UnfenceBrokerRecord.id",
            "UnregisterBrokerRecord.brokerId",
        ).alias("brokerId"),
        *_POSITION,
        registration["brokerEpoch"].alias("brokerEpoch"),
        registration["incarnationId"].alias("incarnationId"),
        fenced.alias("fenced"),
        shutting_down.alias("shuttingDown"),
        F.when(registers, False).when(is_record("UnregisterBrokerRecord"), True).alias("gone"),
        F.when(registers, True).alias("stated"),
        "source",
        from_snapshot().alias("fromSnapshot"),
    )


def directories(df: DataFrame) -> DataFrame:
    """The fate of log directories and of the replicas in them; ``change`` says what happened.

    Events of directories: "online" (a broker has a directory that it did not have before; its first ones count too),
    "failed" (a running broker lost it), "missing" (it did not come back with a registration), "cordoned" and
    "uncordoned" (whether it accepts new replicas). Lists that a record leaves out or has empty do not say which
    directories are online.

    Events of replicas have topic and partition; ``directoryId`` is where the replica is from then on,
    ``fromDirectoryId`` where it was: "assigned" (the broker has chosen a directory), "moved", "lost" (its directory
    failed), "unassigned" (the broker has to choose again). The creation of a replica is no event.
    """
    rows = counted_rows(df, *DIRECTORY_TYPES)
    return (
        _of_brokers(rows)
        .unionByName(_of_replicas(rows), allowMissingColumns=True)
        .select(
            CLUSTER,
            "offset",
            "timestamp",
            "source",
            "brokerId",
            "change",
            "directoryId",
            "fromDirectoryId",
            "topicName",
            "topicId",
            "partitionId",
        )
    )


def _of_brokers(rows: DataFrame) -> DataFrame:
    told = only(rows, "RegisterBrokerRecord", "BrokerRegistrationChangeRecord").select(
        CLUSTER,
        _of_either("brokerId"),
        *_POSITION,
        "source",
        is_record("RegisterBrokerRecord").alias("registers"),
        _of_either("logDirs"),
        _of_either("cordonedLogDirs"),
    )
    told = told.withColumn("logDirs", F.when(F.size("logDirs") > 0, F.col("logDirs")))
    before = in_order(*BROKER).rowsBetween(Window.unboundedPreceding, -1)
    old = {
        f"old_{name}": F.last(name, ignorenulls=True).over(before) for name in ("logDirs", "cordonedLogDirs")
    }
    lost = F.when(F.col("registers"), "missing").otherwise("failed")
    events = F.concat(
        _events(F.lit("online"), "logDirs", "old_logDirs"),
        _events(lost, "old_logDirs", "logDirs"),
        _events(F.lit("cordoned"), "cordonedLogDirs", "old_cordonedLogDirs"),
        _events(F.lit("uncordoned"), "old_cordonedLogDirs", "cordonedLogDirs"),
    )
    return told.withColumns(old).select(*BROKER, *_POSITION, "source", F.inline(events))


def _of_either(name: str) -> Column:
    """A field that both registrations and their changes have."""
    return F.coalesce(f"RegisterBrokerRecord.{name}", f"BrokerRegistrationChangeRecord.{name}").alias(name)


def _events(event: Column, these: str, those: str) -> Column:
    """An event for each directory that one list has and the other does not.

    A row without a list of directories (null) gives no event; before the first row with a list, there were no
    directories.
    """
    nothing = F.array().cast("ARRAY<STRING>")
    told = these if not these.startswith("old_") else those
    only_in_these = F.array_except(F.coalesce(these, nothing), F.coalesce(those, nothing))
    found = F.when(F.col(told).isNotNull(), only_in_these).otherwise(nothing)
    return F.transform(found, lambda each: F.struct(event.alias("change"), each.alias("directoryId")))


def _of_replicas(rows: DataFrame) -> DataFrame:
    """Consecutive lists of directories, compared with each other; records from before KIP-858 have none."""
    full = is_record("PartitionRecord")
    told = only(rows, "PartitionRecord", "PartitionChangeRecord").select(
        CLUSTER,
        _of_partition("topicId").alias("topicId"),
        _of_partition("partitionId").alias("partitionId"),
        *_POSITION,
        "source",
        _of_partition("replicas").alias("replicas"),
        _of_partition("directories").alias("directories"),
        F.when(full, True).alias("stated"),
    )
    told = told.withColumns(carried(up_to_now(*PARTITION), "replicas", "stated"))
    told = told.filter(F.col("stated").isNotNull() & (F.size("directories") > 0))
    placed = F.struct("replicas", "directories")
    told = told.withColumn("old", F.lag(placed).over(in_order(*PARTITION)))
    moves = told.select(
        *PARTITION, *_POSITION, "source", "old", F.inline(F.arrays_zip("replicas", "directories"))
    ).withColumnsRenamed({"replicas": "brokerId", "directories": "directoryId"})
    # A position of 0 says that the broker had no replica; there is no element -1, so the directory is null then.
    old_place = F.array_position("old.replicas", F.col("brokerId")) - 1
    moves = moves.withColumn("fromDirectoryId", F.get("old.directories", old_place.cast("INT")))
    event = (
        F.when(F.col("directoryId") == LOST, "lost")
        .when(F.col("directoryId").isin(MIGRATING, UNASSIGNED), "unassigned")
        .when(F.col("fromDirectoryId").isin(MIGRATING, UNASSIGNED), "assigned")
        .otherwise("moved")
    )
    moves = moves.filter(F.col("fromDirectoryId") != F.col("directoryId")).withColumn("change", event)
    known = topics(rows)
    same_topic = same_cluster(moves, known) & (moves["topicId"] == known["topicId"])
    return moves.join(known, same_topic, "left").select(
        *(
            moves[each]
            for each in (*BROKER, *_POSITION, "source", "change", "directoryId", "fromDirectoryId")
        ),
        *(moves[each] for each in ("topicId", "partitionId")),
        "topicName",
    )


def _of_partition(name: str) -> Column:
    return F.coalesce(f"PartitionRecord.{name}", f"PartitionChangeRecord.{name}")
