"""The columns of the tables: one name for one thing, in every table of every job.

A record names its fields for itself: `TopicRecord` has a ``name``, `UserScramCredentialRecord` too, and they are two
things. A table stands beside other tables and is joined with them, so there a topic's name is ``topicName``
everywhere. A column has the name of the record's field, or the one here. Views of records, and structs within a
column, keep the fields as the record has them.
"""

from __future__ import annotations

from collections.abc import Mapping

_COLUMNS: Mapping[str, str] = {
    "AccessControlEntryRecord.id": "aclId",
    "ClientQuotaRecord.key": "quotaKey",
    "ClientQuotaRecord.value": "quotaValue",
    "ConfigRecord.name": "configName",
    "ConfigRecord.value": "configValue",
    "FeatureLevelRecord.name": "featureName",
    "TopicRecord.name": "topicName",
    "UserScramCredentialRecord.name": "userName",
}
"""By the field of a record, where its name says too little beside other tables."""


def column_of(record: str, field: str) -> str:
    """The column that holds a field of a record, in all tables."""
    return _COLUMNS.get(f"{record}.{field}", field)
