"""The quorum over time: its leaders and its voters. Both tables are as small as the quorum's own history is short."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from kafkaproto_pipeline.jobs.history.rows import (
    CLUSTER,
    all_rows,
    carried,
    from_snapshot,
    is_record,
    milliseconds_between,
    only,
    only_changes,
    up_to_now,
)

EPOCH = "partitionLeaderEpoch"
"""The epoch of the quorum's leader, as a record's batch names it."""
VOTER_TYPES = ("VotersRecord", "KRaftVersionRecord")


def quorum(df: DataFrame) -> DataFrame:
    """The leaders of the quorum: an interval for each epoch that has records. A leader writes one before anything else.

    An interval lasts until the next epoch's first record, because the log does not have the time at which a leader was
    lost. ``records`` is the number of the epoch's records. It is null while the epoch lasts, because its last records
    may be of types that are not read. ``skippedEpochs`` is the number of epochs right before without a record:
    elections that nobody won. If an epoch began before the log does, its leader, voters and granting voters are not
    known here.
    """
    change = F.col("LeaderChangeMessage")
    epochs = (
        all_rows(df)
        .filter(~from_snapshot())
        .groupBy(CLUSTER, EPOCH)
        .agg(
            F.max(change["leaderId"]).alias("leaderId"),
            F.max(F.transform(change["voters"], lambda each: each["voterId"])).alias("voterIds"),
            F.max(F.transform(change["grantingVoters"], lambda each: each["voterId"])).alias(
                "grantingVoterIds"
            ),
            F.min(F.struct("offset", "timestamp")).alias("from"),
        )
    )
    in_order = Window.partitionBy(CLUSTER).orderBy(EPOCH)
    epochs = epochs.withColumns(
        {"to": F.lead("from").over(in_order), "skipped": F.col(EPOCH) - F.lag(EPOCH).over(in_order) - 1}
    )
    duration = F.when(
        F.col("to").isNotNull(), milliseconds_between(F.col("from.timestamp"), F.col("to.timestamp"))
    )
    return epochs.select(
        CLUSTER,
        EPOCH,
        "leaderId",
        "voterIds",
        "grantingVoterIds",
        F.col("from.offset").alias("fromOffset"),
        F.col("from.timestamp").alias("fromTimestamp"),
        F.col("to.offset").alias("toOffset"),
        F.col("to.timestamp").alias("toTimestamp"),
        duration.alias("durationMs"),
        (F.col("to.offset") - F.col("from.offset")).alias("records"),
        F.coalesce("skipped", F.lit(0)).alias("skippedEpochs"),
    )


def voters(df: DataFrame) -> DataFrame:
    """Each change of the voters and of kraft.version: what is in force from then on, and what is new.

    ``added`` and ``removed`` are voters (id and directory); ``updated`` are voters whose endpoints or range of
    kraft.version changed. Leaders sometimes write both records again, which is no change.
    """
    rows = only(all_rows(df), *VOTER_TYPES).select(
        CLUSTER,
        "offset",
        "snapshotIndex",
        "timestamp",
        "source",
        EPOCH,
        F.col("KRaftVersionRecord.kRaftVersion").alias("kRaftVersion"),
        F.when(is_record("VotersRecord"), F.col("VotersRecord.voters")).alias("voters"),
    )
    state = ("kRaftVersion", "voters")
    states = rows.withColumns(carried(up_to_now(CLUSTER), *state))
    changes = only_changes(states, (CLUSTER,), state)
    before = Window.partitionBy(CLUSTER).orderBy(
        F.asc_nulls_first("offset"), F.asc_nulls_first("snapshotIndex")
    )
    changes = changes.withColumn("_old", F.lag("voters").over(before))
    nobody = F.array().cast(dict(rows.dtypes)["voters"])
    new, old = F.coalesce("voters", nobody), F.coalesce("_old", nobody)
    return changes.select(
        CLUSTER,
        "offset",
        "timestamp",
        "source",
        EPOCH,
        "kRaftVersion",
        F.array_except(_ids(new), _ids(old)).alias("added"),
        F.array_except(_ids(old), _ids(new)).alias("removed"),
        F.array_intersect(_ids(F.array_except(new, old)), _ids(old)).alias("updated"),
        "voters",
    )


def _ids(voters_list: Column) -> Column:
    return F.transform(voters_list, lambda each: F.struct(each["voterId"], each["voterDirectoryId"]))
