"""The rows from which all tables of the state are made: one pass over the view ``state``, which has few rows.

`settled` keeps them in Spark's cache, on the executors' disks. Every table uses these rows several times, and Spark
would otherwise read the log each time.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from kafkaproto_pipeline.jobs.transactions import Kept, keep
from kafkaproto_pipeline.views import latest
from kafkaproto_pipeline.views.schema import CONTROL_TYPES, STATE_RECORD, STATE_TYPES


def schema_of(arrow_schema: object) -> StructType:
    """Spark's schema of the rows that a function on Arrow batches gives."""
    return from_arrow_schema(arrow_schema)


_made: WeakKeyDictionary[DataFrame, Kept] = WeakKeyDictionary()
"""By frame: its settled rows."""


def settled(df: DataFrame) -> DataFrame:
    """Everything in the log that affects the state: combined changes of partitions, other records as they are.

    ``df`` is the source's view ``state``, read with ``asOf``. The same frame gives the same rows again without another
    pass; `forget` releases them.
    """
    return _made_of(df).rows


def counted(df: DataFrame) -> DataFrame:
    """The settled rows that count: without those of metadata transactions that were aborted or are open."""
    return _made_of(df).counted


def forget(df: DataFrame) -> None:
    """Release what is cached of a frame."""
    made = _made.pop(df, None)
    if made is not None:
        made.forget()


def _made_of(df: DataFrame) -> Kept:
    made = _made.get(df)
    if made is None:
        known = df.withColumns(
            {
                # The columns by which `jobs.transactions` identifies rows. Changes that were combined are all in one
                # transaction, or all outside of any.
                "clusterId": F.lit(None).cast("string"),
                "source": F.when(F.col("position") < 0, "snapshot").otherwise("log"),
                "isControl": F.col("recordType").isin(*CONTROL_TYPES, latest.END_OF_RANGE),
            }
        )
        made = _made[df] = keep(known, is_local=df.isLocal())
    return made


def records(rows: DataFrame, *record_types: str) -> DataFrame:
    """``position`` and a struct column a record type: the counted rows of these types."""
    of_types = rows.filter(F.col("recordType").isin(*record_types))
    return of_types.select("position", *(f"{STATE_RECORD}.{name}" for name in record_types))


def is_unknown() -> Column:
    """Whether a settled row is of a type that this release does not know."""
    return ~F.col("recordType").isin(*STATE_TYPES, latest.CHANGED_PARTITION, latest.END_OF_RANGE)


def newest_end() -> Column:
    """Of settled rows: ``offset``, ``epoch`` and ``timestampMs`` of the last record that they include."""
    is_end = F.col("recordType") == latest.END_OF_RANGE
    return F.max_by(F.struct("offset", "epoch", "timestampMs"), F.when(is_end, F.col("offset")))


def partition_changes(rows: DataFrame) -> DataFrame:
    """The counted rows about partitions, with the columns of `latest.CHANGES`."""
    return rows.filter(F.col("recordType") == latest.CHANGED_PARTITION).select("change.*")
