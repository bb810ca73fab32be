"""ACLs, quotas, producer ids, SCRAM credentials and delegation tokens after the last row.

`metadata.image.apply_configs` defines the meaning of the records. Numbers are those of Kafka's wire protocol.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafkaproto_pipeline.jobs.state.rows import counted, records

ACL = "AccessControlEntryRecord"
REMOVE_ACL = "RemoveAccessControlEntryRecord"
QUOTA = "ClientQuotaRecord"
PRODUCER_IDS = "ProducerIdsRecord"
SCRAM = "UserScramCredentialRecord"
REMOVE_SCRAM = "RemoveUserScramCredentialRecord"
TOKEN = "DelegationTokenRecord"
REMOVE_TOKEN = "RemoveDelegationTokenRecord"


def acls(df: DataFrame) -> DataFrame:
    """The ACL bindings, by their ids."""
    return _those_there(records(counted(df), ACL, REMOVE_ACL), ACL, REMOVE_ACL, ("id",))


def scram_credentials(df: DataFrame) -> DataFrame:
    """What is kept of users' SCRAM passwords: a row for each user and mechanism."""
    return _those_there(records(counted(df), SCRAM, REMOVE_SCRAM), SCRAM, REMOVE_SCRAM, ("name", "mechanism"))


def delegation_tokens(df: DataFrame) -> DataFrame:
    """The delegation tokens, by their ids; times are milliseconds since 1970."""
    return _those_there(records(counted(df), TOKEN, REMOVE_TOKEN), TOKEN, REMOVE_TOKEN, ("tokenId",))


def quotas(df: DataFrame) -> DataFrame:
    """The client quotas: a row for each entity and key.

    An entity's parts are in order of their types; the name null is the default entity.
    """
    rows = records(counted(df), QUOTA).select(
        "position",
        F.sort_array(f"{QUOTA}.entity").alias("entity"),
        f"{QUOTA}.key",
        f"{QUOTA}.value",
        f"{QUOTA}.remove",
    )
    newest = rows.groupBy("entity", "key").agg(
        F.max_by(F.struct("value", "remove"), "position").alias("newest")
    )
    return newest.filter(~F.col("newest.remove")).select("entity", "key", "newest.value")


def producer_ids(df: DataFrame) -> DataFrame:
    """One row with the first producer id that no broker's block contains; no row if no block was given out."""
    rows = records(counted(df), PRODUCER_IDS)
    newest = rows.agg(F.max_by(f"{PRODUCER_IDS}.nextProducerId", "position").alias("nextProducerId"))
    return newest.filter(F.col("nextProducerId") > 0)


def _those_there(rows: DataFrame, put: str, remove: str, keys: tuple[str, ...]) -> DataFrame:
    """The newest record of each key, unless it removes the key."""

    def either(name: str) -> Column:
        return F.coalesce(f"{put}.{name}", f"{remove}.{name}").alias(f"_{name}")

    newest = rows.groupBy(*map(either, keys)).agg(F.max_by(put, "position").alias("newest"))
    return newest.filter(F.col("newest").isNotNull()).select("newest.*")
