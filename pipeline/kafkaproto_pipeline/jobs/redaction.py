"""Hides secrets in the tables of the jobs, unless the user asks for them.

Hidden are: salt and keys of SCRAM credentials, with which one can guess the password or act as the server; in configs,
the values of passwords and of unknown keys; the ids of delegation tokens. A hidden column keeps its type: text becomes
`REDACTED`, bytes become null.

The functions of the jobs return everything. The command line redacts, and so do the data source's views of the
state's tables. Texts never have secrets, because one could not hide them in a text any more: those of
``consistency``, which quote records (`without_secrets`), and those of the history's events.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import reduce
from typing import TYPE_CHECKING

from kafkaproto_pipeline.views.secrecy import REDACTED, SECRET_COLUMNS, is_sensitive, plain_keys
from kafkaproto_pipeline.views.words import CONFIG_RESOURCES
from kafkaproto_server.metadata.image.entries import BROKER_LOGGER_RESOURCE, BROKER_RESOURCE

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_VALUES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "configs": ("configName", ("configValue",)),
    "config_changes": ("configName", ("oldConfigValue", "newConfigValue")),
}
"""Of tables of configs: the column with the key, and those with its values."""
_CONFIG = "ConfigRecord"
_FIELDS: Mapping[str, tuple[str, ...]] = {
    "UserScramCredentialRecord": ("salt", "storedKey", "serverKey"),
    "DelegationTokenRecord": ("tokenId",),
    "RemoveDelegationTokenRecord": ("tokenId",),
}
"""Fields that are secret in every record, by record type."""
_OF_ONE_LISTENER = r"(?:listener\.name\.[^.]*\.)?"
"""What stands before a broker's key if it is set for one listener only."""


def without_secrets(record_type: str, payload: str) -> str:
    """A record in Kafka's JSON, with `REDACTED` in place of each secret."""
    if record_type != _CONFIG and record_type not in _FIELDS:
        return payload
    try:
        document = json.loads(payload)
    except ValueError:
        return REDACTED
    fields = _FIELDS.get(record_type, ())
    if record_type == _CONFIG and is_sensitive(document.get("resourceType"), document.get("name")):
        fields = ("value",)
    # Null stays: it says that there is no value.
    hidden = {name: REDACTED for name in fields if document.get(name) is not None}
    return json.dumps({**document, **hidden}, separators=(",", ":"), ensure_ascii=False)


def redacted(df: DataFrame, table: str) -> DataFrame:
    """The table of this name without its secrets."""
    hidden = {name: _hidden(df, name) for name in SECRET_COLUMNS.get(table, ())}
    if table in _VALUES:
        key, values = _VALUES[table]
        hidden |= {name: shown_value("resourceType", key, name) for name in values}
    return df.withColumns(hidden) if hidden else df


def shown_value(resource_type: str, key: str, value: str) -> Column:
    """The value of a config, or `REDACTED`, from the columns of these names; null stays null.

    ``resource_type`` is the column with Kafka's word for the type.
    """
    from pyspark.sql import functions as F

    is_shown = F.col(value).isNull() | _is_plain(F.col(resource_type), F.col(key))
    return F.when(is_shown, F.col(value)).otherwise(F.lit(REDACTED))


def _hidden(df: DataFrame, name: str) -> Column:
    from pyspark.sql import functions as F

    kind = dict(df.dtypes)[name]
    return F.lit(REDACTED) if kind == "string" else F.lit(None).cast(kind)


def _is_plain(resource_type: Column, key: Column) -> Column:
    """Whether the value of a key of a resource may be shown; never null."""
    from pyspark.sql import functions as F

    plain = []
    for number, word in CONFIG_RESOURCES.items():
        if number == BROKER_LOGGER_RESOURCE:
            continue
        # One expression: Spark takes seconds to plan with a literal for each of some hundred keys.
        keys = "|".join(map(re.escape, sorted(plain_keys(number))))
        prefix = _OF_ONE_LISTENER if number == BROKER_RESOURCE else ""
        plain.append((resource_type == word) & key.rlike(rf"\A{prefix}(?:{keys})\z"))
    return F.coalesce(reduce(lambda one, other: one | other, plain), F.lit(False))
