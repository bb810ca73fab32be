"""Brokers, controllers and features after the last row; `metadata.image.apply_cluster` defines the meaning of the
records."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafkaproto_pipeline.jobs.state.rows import counted, records

REGISTER = "RegisterBrokerRecord"
UNREGISTER = "UnregisterBrokerRecord"
REGISTER_CONTROLLER = "RegisterControllerRecord"
UNREGISTER_CONTROLLER = "UnregisterControllerRecord"
FENCE = "FenceBrokerRecord"
UNFENCE = "UnfenceBrokerRecord"
CHANGE = "BrokerRegistrationChangeRecord"


def brokers(df: DataFrame) -> DataFrame:
    """The registered brokers: one row each, as registered and changed since.

    ``logDirs`` and ``cordonedLogDirs`` are sorted by their text. ``cordonedLogDirs`` is null if the broker never
    reported them.
    """
    rows = records(counted(df), REGISTER, UNREGISTER, FENCE, UNFENCE, CHANGE)
    broker_id = F.coalesce(
        *(f"{name}.brokerId" for name in (REGISTER, UNREGISTER, CHANGE)), f"{FENCE}.id", f"{UNFENCE}.id"
    )
    registered = F.max(F.when(F.col(REGISTER).isNotNull(), F.col("position")))
    unregistered = F.max(F.when(F.col(UNREGISTER).isNotNull(), F.col("position")))
    found = rows.groupBy(broker_id.alias("brokerId")).agg(
        _newest(F.col(REGISTER)).alias("registration"),
        _newest(_fenced()).alias("fenced"),
        _newest(_in_controlled_shutdown()).alias("inControlledShutdown"),
        _newest(_log_dirs()).alias("logDirs"),
        _newest(_cordoned_log_dirs()).alias("cordoned"),
        registered.alias("registered"),
        unregistered.alias("unregistered"),
    )
    is_there = F.col("registered") > F.coalesce("unregistered", F.col("registered") - 1)
    missing = F.format_string(
        "broker %d is changed, and no RegisterBrokerRecord of it comes before: the state needs the newest snapshot and"
        " the log from there (option asOf)",
        "brokerId",
    )
    was_known = F.coalesce("registered", "unregistered").isNotNull()
    kept = found.filter(F.when(was_known, is_there).otherwise(F.raise_error(missing).cast("boolean")))
    names = ("incarnationId", "brokerEpoch", "endPoints", "features", "rack")
    return kept.select(
        "brokerId",
        *(F.col(f"registration.{name}").alias(name) for name in names),
        "fenced",
        "inControlledShutdown",
        F.sort_array("logDirs").alias("logDirs"),
        F.sort_array("cordoned.cordonedLogDirs").alias("cordonedLogDirs"),
        F.col("registration.isMigratingZkBroker").alias("isMigratingZkBroker"),
    )


def controllers(df: DataFrame) -> DataFrame:
    """The registered controllers: one row each, with the last registration."""
    rows = records(counted(df), REGISTER_CONTROLLER, UNREGISTER_CONTROLLER)
    ids = (F.col(f"{name}.controllerId") for name in (REGISTER_CONTROLLER, UNREGISTER_CONTROLLER))
    newest = rows.groupBy(F.coalesce(*ids)).agg(
        F.max_by(REGISTER_CONTROLLER, "position").alias("registration")
    )
    return newest.filter(F.col("registration").isNotNull()).select("registration.*")


def features(df: DataFrame) -> DataFrame:
    """Finalized feature levels, metadata.version among them; a feature at level 0 has no row."""
    rows = records(counted(df), "FeatureLevelRecord")
    levels = rows.groupBy(F.col("FeatureLevelRecord.name").alias("name")).agg(
        _newest(F.col("FeatureLevelRecord.featureLevel")).alias("featureLevel")
    )
    return levels.filter(F.col("featureLevel") > 0)


def _newest(value: Column) -> Column:
    """The value of the newest row that has one."""
    return F.max_by(value, F.when(value.isNotNull(), F.col("position")))


def _fenced() -> Column:
    change = F.col(f"{CHANGE}.fenced")
    return (
        F.when(F.col(FENCE).isNotNull() | (change == 1), True)
        .when(F.col(UNFENCE).isNotNull() | (change == -1), False)
        .otherwise(F.col(f"{REGISTER}.fenced"))
    )


def _in_controlled_shutdown() -> Column:
    shuts_down = F.col(f"{CHANGE}.inControlledShutdown") == 1
    return F.when(shuts_down, True).otherwise(F.col(f"{REGISTER}.inControlledShutdown"))


def _log_dirs() -> Column:
    changed = F.col(f"{CHANGE}.logDirs")
    # An empty list cannot be told from an absent one, so it says nothing about the directories.
    return F.when(F.size(changed) > 0, changed).otherwise(F.col(f"{REGISTER}.logDirs"))


def _cordoned_log_dirs() -> Column:
    """The column is a struct, because null is a value here: a registration may cancel a list that was
    reported before.
    """
    registered = F.struct(F.col(f"{REGISTER}.cordonedLogDirs").alias("cordonedLogDirs"))
    changed = F.struct(F.col(f"{CHANGE}.cordonedLogDirs").alias("cordonedLogDirs"))
    says_some = F.col(f"{CHANGE}.cordonedLogDirs").isNotNull()
    return F.when(F.col(REGISTER).isNotNull(), registered).when(says_some, changed)
