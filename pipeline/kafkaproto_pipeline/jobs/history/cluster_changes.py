"""Changes of the cluster as a whole: levels of features, registrations of controllers, delegation tokens.

Rows of snapshots show only what was not known before, as in `changes`.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafkaproto_pipeline.jobs.history.rows import (
    CLUSTER,
    counted_rows,
    from_snapshot,
    in_order,
    is_record,
)
from kafkaproto_pipeline.jobs.words import shown

KRAFT_VERSION = "kraft.version"
FEATURE_TYPES = ("FeatureLevelRecord", "KRaftVersionRecord")
REGISTER_CONTROLLER = "RegisterControllerRecord"
CONTROLLER_TYPES = (REGISTER_CONTROLLER, "UnregisterControllerRecord")
"""Every type but the registration itself ends one."""
TOKEN_TYPES = ("DelegationTokenRecord", "RemoveDelegationTokenRecord")

_POSITION = ("offset", "snapshotIndex", "timestamp", "source")


def features(df: DataFrame) -> DataFrame:
    """Each change of a feature's level, metadata.version and kraft.version among them.

    Level 0 means that a feature is switched off, or never was set. Records that repeat a level are left out.
    """
    rows = counted_rows(df, *FEATURE_TYPES).select(
        CLUSTER,
        F.coalesce("FeatureLevelRecord.name", F.lit(KRAFT_VERSION)).alias("featureName"),
        *_POSITION,
        F.coalesce("FeatureLevelRecord.featureLevel", "KRaftVersionRecord.kRaftVersion").alias(
            "newFeatureLevel"
        ),
    )
    off = F.lit(0).cast("SMALLINT")
    before = F.coalesce(F.lag("newFeatureLevel").over(in_order(CLUSTER, "featureName")), off)
    return (
        rows.withColumn("oldFeatureLevel", before)
        .filter("oldFeatureLevel != newFeatureLevel")
        .select(CLUSTER, "offset", "timestamp", "source", "featureName", "oldFeatureLevel", "newFeatureLevel")
    )


def controllers(df: DataFrame) -> DataFrame:
    """Each registration of a controller, and each end of one: ``change`` is "registered" or "unregistered".

    A controller registers each time that it starts. The end of a registration has its controller's id alone.
    """
    record = F.col(REGISTER_CONTROLLER)
    fields = ("incarnationId", "zkMigrationReady", "endPoints", "features")
    rows = counted_rows(df, *CONTROLLER_TYPES).select(
        CLUSTER,
        F.coalesce(*(f"{each}.controllerId" for each in CONTROLLER_TYPES)).alias("controllerId"),
        *_POSITION,
        F.when(is_record(REGISTER_CONTROLLER), "registered").otherwise("unregistered").alias("change"),
        *(shown(f"{REGISTER_CONTROLLER}.{name}", record[name]).alias(name) for name in fields),
    )
    # Apache Kafka's snapshots have the features in another order than its log.
    lists = (F.array_sort(name) for name in ("endPoints", "features"))
    state = F.struct("change", "incarnationId", "zkMigrationReady", *lists)
    changes = rows.withColumn("before", F.lag(state).over(in_order(CLUSTER, "controllerId")))
    return changes.filter(~state.eqNullSafe(F.col("before")) | ~from_snapshot()).select(
        CLUSTER, "offset", "timestamp", "source", "controllerId", "change", *fields
    )


def tokens(df: DataFrame) -> DataFrame:
    """Each change of a delegation token: ``change`` is "created", "renewed", "removed" or "expired".

    A token that is removed at or after the time at which it expires has expired. The end of a token has the owner and
    the times that it had. All are timestamps of Kafka's: issued, latest possible and present end of the token.
    """
    record = F.col("DelegationTokenRecord")
    rows = counted_rows(df, *TOKEN_TYPES).select(
        CLUSTER,
        F.coalesce("DelegationTokenRecord.tokenId", "RemoveDelegationTokenRecord.tokenId").alias("tokenId"),
        *_POSITION,
        F.when(is_record("DelegationTokenRecord"), record).alias("new"),
    )
    rows = rows.withColumn("old", F.lag("new").over(in_order(CLUSTER, "tokenId")))
    # A snapshot's row of what is known already; and a removal of what was created before the log began.
    known = from_snapshot() & F.col("new").eqNullSafe(F.col("old"))
    unknown = F.coalesce("new", "old").isNull()
    rows = rows.filter(~(known | unknown)).withColumn("token", F.coalesce("new", "old"))
    is_over = F.unix_millis("timestamp") >= F.col("old.expirationTimestamp")
    change = (
        F.when(F.col("old").isNull(), "created")
        .when(F.col("new").isNotNull(), "renewed")
        .when(is_over, "expired")
        .otherwise("removed")
    )
    times = ("issueTimestamp", "expirationTimestamp", "maxTimestamp")
    return rows.select(
        CLUSTER,
        "offset",
        "timestamp",
        "source",
        change.alias("change"),
        "tokenId",
        *(F.col(f"token.{name}").alias(name) for name in ("owner", "requester", "renewers")),
        *(shown(f"DelegationTokenRecord.{name}", F.col(f"token.{name}")).alias(name) for name in times),
    )
