"""What all tables of the state are made of: one pass over the rows, of which few are left.

`settled` keeps its result in Spark's cache, on the executors' disks: every table looks at these rows from several
sides, and Spark would read the log once a look.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from kafkaproto import uuids
from pipeline import latest
from pipeline.jobs.transactions import MARKERS, Kept, keep
from pipeline.schema import CORRUPT_COLUMN, columns_of
from server.image.image import MIGRATING_DIRECTORY

PARTITION = "PartitionRecord"
CHANGE = "PartitionChangeRecord"
NO_LEADER_CHANGE = -2
NO_RECOVERY_STATE_CHANGE = -1

OTHER_TYPES = (
    *("FeatureLevelRecord", "RegisterBrokerRecord", "UnregisterBrokerRecord", "FenceBrokerRecord"),
    *("UnfenceBrokerRecord", "BrokerRegistrationChangeRecord", "RegisterControllerRecord"),
    *("TopicRecord", "RemoveTopicRecord", "ClearElrRecord", "ConfigRecord", "ClientQuotaRecord"),
    *("ProducerIdsRecord", "AccessControlEntryRecord", "RemoveAccessControlEntryRecord"),
    *("UserScramCredentialRecord", "RemoveUserScramCredentialRecord"),
    *("DelegationTokenRecord", "RemoveDelegationTokenRecord"),
)
"""Record types that say something of the state, those of partitions apart."""
CONTROL_TYPES = ("KRaftVersionRecord", "VotersRecord")
RECORD_TYPES = (*OTHER_TYPES, PARTITION, CHANGE, *MARKERS)


def schema_of(arrow_schema: object) -> StructType:
    """Spark's schema of the rows that a function on Arrow batches gives."""
    return from_arrow_schema(arrow_schema)


_made: WeakKeyDictionary[DataFrame, Kept] = WeakKeyDictionary()
"""By frame: its settled rows."""


def settled(df: DataFrame) -> DataFrame:
    """All that matters of the rows: changes of partitions put together, other records as they are.

    ``df`` is the source's view ``typed`` read with ``asOf``. The same frame gives the same rows again without another
    pass; `forget` gives up what is kept of it. A record that cannot be read, or is newer than this release knows, is an
    error that names file and offset: no state can be told without it.
    """
    return _made_of(df).rows


def counted(df: DataFrame) -> DataFrame:
    """The settled rows that count: without those of metadata transactions that were taken back or are open."""
    return _made_of(df).counted


def forget(df: DataFrame) -> None:
    """Give up what is kept of a frame."""
    made = _made.pop(df, None)
    if made is not None:
        made.forget()


def _made_of(df: DataFrame) -> Kept:
    made = _made.get(df)
    if made is None:
        rows = df.select(*_columns(df)).mapInArrow(latest.latest, schema_of(latest.ROWS))
        known = rows.withColumns(
            {
                # What `pipeline.jobs.transactions` knows rows by.
                "clusterId": F.lit(None).cast("string"),
                "source": F.when(F.col("position") < 0, "snapshot").otherwise("log"),
                "recordType": F.coalesce("recordType", F.lit(CHANGE)),
                # Rows that are put together lie all in one transaction, or all outside.
                "offset": F.coalesce("offset", "position"),
                "isControl": F.coalesce(
                    F.col("recordType").isin(*CONTROL_TYPES, latest.END_OF_RANGE), F.lit(False)
                ),
            }
        )
        made = _made[df] = keep(known)
    return made


def records(rows: DataFrame, *record_types: str) -> DataFrame:
    """``position`` and a struct column a record type: the counted rows of these types."""
    columns = [each for each in columns_of("typed", record_types) if each.name in record_types]
    fields = ", ".join(f"{each.name}: {each.ddl}" for each in columns)
    record = F.from_json("record", f"struct<{fields}>")
    of_types = rows.filter(F.col("recordType").isin(*record_types)).select("position", record.alias("record"))
    return of_types.select("position", *(F.col(f"record.{each.name}").alias(each.name) for each in columns))


def partition_changes(rows: DataFrame) -> DataFrame:
    """The counted rows about partitions, with the columns of `latest.CHANGES`."""
    return rows.filter(F.col("recordType") == CHANGE).select(*latest.CHANGES.names)


def _columns(df: DataFrame) -> list[Column]:
    """The source's rows as `latest.ROWS`."""
    is_partition = F.col(PARTITION).isNotNull() | F.col(CHANGE).isNotNull()
    present = [name for name in (*OTHER_TYPES, *CONTROL_TYPES) if name in df.columns]
    # Text, because a null struct of some hundred fields takes longer to hand over than all that a change says.
    record = F.to_json(F.struct(*present)) if present else F.lit(None).cast("string")
    position = F.coalesce(F.col("snapshotIndex") + F.lit(latest.SNAPSHOT_START), F.col("offset"))
    columns = {
        "recordType": F.when(~is_partition, F.col("recordType")),
        "record": F.when(~is_partition & F.col("recordType").isin(*present), record),
        "offset": F.col("offset"),
        "epoch": F.col("partitionLeaderEpoch"),
        "timestampMs": F.unix_millis("timestamp"),
        "topicId": _either("topicId"),
        "partitionId": _either("partitionId"),
        "firstPosition": position,
        "position": _checked(df, position),
        **_partition_columns(position),
    }
    types = schema_of(latest.ROWS)
    return [columns[field.name].cast(field.dataType).alias(field.name) for field in types]


def _partition_columns(position: Column) -> dict[str, Column]:
    is_base = F.col(PARTITION).isNotNull()
    is_change = F.col(CHANGE).isNotNull()
    leader = F.col(f"{CHANGE}.leader")
    recovery_state = F.col(f"{CHANGE}.leaderRecoveryState")
    base_directories = F.col(f"{PARTITION}.directories")
    # Versions before 1 have none: the broker had not told any when such a record was written.
    migrating = F.array_repeat(
        F.lit(uuids.to_text(MIGRATING_DIRECTORY)), F.size(F.col(f"{PARTITION}.replicas"))
    )
    none = F.array().cast("array<int>")
    columns = {
        "changes": F.when(is_change, 1).when(is_base, 0),
        "leaderChanges": F.when(is_change & (leader != NO_LEADER_CHANGE), 1).otherwise(0),
        "basePosition": F.when(is_base, position),
        "directories": F.when(
            is_base, F.when(F.size(base_directories) > 0, base_directories).otherwise(migrating)
        ).otherwise(F.col(f"{CHANGE}.directories")),
        "leader": F.when(is_base, F.col(f"{PARTITION}.leader")).when(leader != NO_LEADER_CHANGE, leader),
        "leaderRecoveryState": F.when(is_base, F.col(f"{PARTITION}.leaderRecoveryState")).when(
            recovery_state != NO_RECOVERY_STATE_CHANGE, recovery_state
        ),
        "leaderEpoch": F.col(f"{PARTITION}.leaderEpoch"),
        "partitionEpoch": F.col(f"{PARTITION}.partitionEpoch"),
    }
    for name in ("eligibleLeaderReplicas", "lastKnownElr"):
        columns[name] = F.coalesce(_either(name), F.when(is_base, none))
    for name in ("replicas", "isr", "removingReplicas", "addingReplicas"):
        columns[name] = _either(name)
    return columns


def _either(name: str) -> Column:
    return F.coalesce(F.col(f"{PARTITION}.{name}"), F.col(f"{CHANGE}.{name}"))


def _checked(df: DataFrame, position: Column) -> Column:
    """The position of a row that can be taken in; an error names what cannot."""
    checked = position
    if "raw" in df.columns:
        newer = F.format_string(
            "%s at offset %d of %s: version %d is newer than this release knows, so the state cannot be told",
            *("recordType", "offset", "file", "recordVersion"),
        )
        checked = F.when(F.col("raw").isNotNull(), F.raise_error(newer).cast("bigint")).otherwise(checked)
    if CORRUPT_COLUMN in df.columns:
        corrupt = F.format_string(
            "%s, position %d, offset %d: %s",
            *(f"{CORRUPT_COLUMN}.{each}" for each in ("file", "position", "offset", "reason")),
        )
        bad = F.col(CORRUPT_COLUMN).isNotNull()
        checked = F.when(bad, F.raise_error(corrupt).cast("bigint")).otherwise(checked)
    return checked
