"""Hides secrets in the tables of the jobs, unless the user asks for them.

Hidden are: salt and keys of SCRAM credentials, with which one can guess the password or act as the server; in configs,
the values of passwords and of unknown keys; the ids of delegation tokens. A hidden column keeps its type: text becomes
`REDACTED`, bytes become null.

The functions of the jobs return everything, and so does the data source. Only the command line redacts.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import TYPE_CHECKING

from kafkaproto_pipeline.jobs.words import CONFIG_RESOURCES
from kafkaproto_server.config_keys.sensitivity import plain_keys
from kafkaproto_server.image.entries import BROKER_LOGGER_RESOURCE, BROKER_RESOURCE

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

REDACTED = "[redacted]"

_COLUMNS = {"scram_credentials": ("salt", "storedKey", "serverKey"), "delegation_tokens": ("tokenId",)}
"""Columns that are secret in every row, by table."""
_VALUES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "configs": ("name", ("value",)),
    "config_changes": ("key", ("oldValue", "newValue")),
}
"""Of tables of configs: the column with the key, and those with its values."""
_OF_ONE_LISTENER = r"^listener\.name\.[^.]*\.(.+)$"


def redacted(df: DataFrame, table: str) -> DataFrame:
    """The table of this name without its secrets."""
    from pyspark.sql import functions as F

    hidden = {name: _hidden(df, name) for name in _COLUMNS.get(table, ())}
    if table in _VALUES:
        key, values = _VALUES[table]
        # Null stays: it says that there is no value.
        keep = _is_plain(F.col(key))
        hidden |= {
            name: F.when(F.col(name).isNull() | keep, F.col(name)).otherwise(F.lit(REDACTED))
            for name in values
        }
    return df.withColumns(hidden) if hidden else df


def _hidden(df: DataFrame, name: str) -> Column:
    from pyspark.sql import functions as F

    kind = dict(df.dtypes)[name]
    return F.lit(REDACTED) if kind == "string" else F.lit(None).cast(kind)


def _is_plain(key: Column) -> Column:
    """Whether the value of a key of the row's resource may be shown; never null."""
    from pyspark.sql import functions as F

    plain = []
    for number, word in CONFIG_RESOURCES.items():
        if number == BROKER_LOGGER_RESOURCE:
            continue
        keys = sorted(plain_keys(number))
        known = key.isin(keys)
        if number == BROKER_RESOURCE:
            known |= F.regexp_extract(key, _OF_ONE_LISTENER, 1).isin(keys)
        plain.append((F.col("resourceType") == word) & known)
    return F.coalesce(reduce(lambda one, other: one | other, plain), F.lit(False))
