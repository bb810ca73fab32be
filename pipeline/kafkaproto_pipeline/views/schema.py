"""The columns of each view, as Spark DDL and as Arrow schema.

A view is ``records`` (the message as Kafka's JSON), ``typed`` (a struct column for each record type, null except in
rows of that type) or the name of a record type (its fields as columns). All of these begin and end with the same
columns.

The view ``state`` is for `jobs.state`: its rows are not records, but the combined result of ranges of the log
(`views.state`). The views of `STATE_TABLES` are the tables of the state themselves (`views.state_tables`).

Two record types have no fields, NoOpRecord and EndTransactionRecord. They have no column in ``typed``, because neither
Parquet nor Spark's readers of it know a struct without fields. Only the ``recordType`` of such a row shows its type.

If columns are chosen, a name such as ``PartitionRecord.leader`` means one field of a struct column of ``typed``. The
column then holds only the fields that are named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa  # type: ignore[import-untyped]

from kafkaproto_pipeline.generated.records import COMMON_COLUMNS, LAST_COLUMNS, RECORDS
from kafkaproto_pipeline.record_views import FieldView, RecordView
from kafkaproto_pipeline.views.latest import MARKERS, PARTITIONS, ROWS
from kafkaproto_pipeline.views.names import column_of
from kafkaproto_pipeline.views.words import FIELD_TIMES, FIELD_WORDS

RECORDS_VIEW = "records"
TYPED_VIEW = "typed"
STATE_VIEW = "state"
STATE_RECORD = "record"
"""Name of a column of the view ``state``: a struct with a struct column for each type, as ``typed`` has them."""

RECORD_TYPES: tuple[str, ...] = tuple(record.name for record in RECORDS)
"""Every record type: metadata records by their number, then the quorum's control records."""

PARTITION = "PartitionRecord"
PARTITION_CHANGE = "PartitionChangeRecord"
CONTROL_TYPES = ("KRaftVersionRecord", "VotersRecord")
STATE_TYPES = (
    *("FeatureLevelRecord", "RegisterBrokerRecord", "UnregisterBrokerRecord", "FenceBrokerRecord"),
    *("UnfenceBrokerRecord", "BrokerRegistrationChangeRecord"),
    *("RegisterControllerRecord", "UnregisterControllerRecord"),
    *("TopicRecord", "RemoveTopicRecord", PARTITION, PARTITION_CHANGE, "ClearElrRecord", "ConfigRecord"),
    *("ClientQuotaRecord", "ProducerIdsRecord", "AccessControlEntryRecord", "RemoveAccessControlEntryRecord"),
    *("UserScramCredentialRecord", "RemoveUserScramCredentialRecord"),
    *("DelegationTokenRecord", "RemoveDelegationTokenRecord"),
    *CONTROL_TYPES,
    *MARKERS,
)
"""Record types that affect the state."""

RECORD_VIEWS: dict[str, RecordView] = {record.name: record for record in RECORDS}

CORRUPT_COLUMN = "_corrupt_record"

_ARROW_TYPES: dict[str, pa.DataType] = {
    "bool": pa.bool_(),
    "int8": pa.int8(),
    "int16": pa.int16(),
    "uint16": pa.int32(),
    "int32": pa.int32(),
    "uint32": pa.int64(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "uuid": pa.string(),
    "string": pa.string(),
    "bytes": pa.binary(),
}
_ARROW_OF_SPARK: dict[str, pa.DataType] = {
    "STRING": pa.string(),
    "INT": pa.int32(),
    "BIGINT": pa.int64(),
    "BOOLEAN": pa.bool_(),
    "BINARY": pa.binary(),
    "TIMESTAMP": pa.timestamp("us", tz="UTC"),
}
CORRUPT_TYPE = pa.struct(
    [("file", pa.string()), ("position", pa.int64()), ("offset", pa.int64()), ("reason", pa.string())]
)
_SPARK_OF_ARROW = {
    **{kind: name for name, kind in _ARROW_OF_SPARK.items()},
    pa.int8(): "TINYINT",
    pa.int16(): "SMALLINT",
    pa.float64(): "DOUBLE",
}


class ViewError(ValueError):
    """There is no such view, record type or column; the text names the existing ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a view."""

    name: str
    ddl: str
    """Its Spark type."""
    arrow: pa.DataType


def _spark_of(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"ARRAY<{_spark_of(kind.value_type)}>"
    if pa.types.is_struct(kind):
        return f"STRUCT<{', '.join(f'{field.name}: {_spark_of(field.type)}' for field in kind)}>"
    return _SPARK_OF_ARROW[kind]


_STATE_COLUMNS = tuple(Column(name=field.name, ddl=_spark_of(field.type), arrow=field.type) for field in ROWS)


def columns_of(
    view: str, record_types: Sequence[str] | None = None, columns: Sequence[str] | None = None
) -> tuple[Column, ...]:
    """The columns of a view in their order; with ``columns`` only those, in the order in which they are named.

    ``record_types`` says which struct columns ``typed`` has (None: all), and may be given for any view. Raises
    ViewError for a name that does not exist.
    """
    check_record_types(record_types)
    if view in STATE_TABLES:
        found = STATE_TABLES[view]
    elif view == STATE_VIEW:
        found = (*_STATE_COLUMNS, *_state_record(record_types))
    else:
        found = (*_common(COMMON_COLUMNS), *_of_view(view, record_types), *_common(LAST_COLUMNS))
    return found if columns is None else _chosen(view, found, columns)


def ddl(view: str, record_types: Sequence[str] | None = None, columns: Sequence[str] | None = None) -> str:
    """The view's schema as Spark DDL. Raises as `columns_of` does."""
    return ", ".join(f"{column.name} {column.ddl}" for column in columns_of(view, record_types, columns))


def arrow_schema(
    view: str, record_types: Sequence[str] | None = None, columns: Sequence[str] | None = None
) -> pa.Schema:
    """The schema of the record batches of a view. Raises as `columns_of` does."""
    return pa.schema([(column.name, column.arrow) for column in columns_of(view, record_types, columns)])


def arrow_type(field: FieldView) -> pa.DataType:
    """The Arrow type of a field of a record."""
    element = struct_type(field.fields) if field.type == "struct" else _ARROW_TYPES[field.type]
    return pa.list_(pa.field("element", element)) if field.array else element


def struct_type(fields: Iterable[FieldView]) -> pa.StructType:
    """The Arrow type of a struct of fields."""
    return pa.struct([(field.name, arrow_type(field)) for field in fields])


def chosen_fields(record: RecordView, names: Sequence[str] | None) -> tuple[FieldView, ...]:
    """The record's fields of these names, in that order; all fields if ``names`` is None."""
    if names is None:
        return record.fields
    by_name = {field.name: field for field in record.fields}
    return tuple(by_name[name] for name in names)


def members(columns: Sequence[str]) -> dict[str, tuple[str, ...] | None]:
    """The columns, in the order in which they are first named, with the chosen fields of each; None for the whole
    column.
    """
    found: dict[str, tuple[str, ...] | None] = {}
    for name in columns:
        column, dot, member = name.partition(".")
        before = found.get(column, ())
        found[column] = None if not dot or before is None else (*before, member)
    return found


def check_record_types(record_types: Sequence[str] | None) -> None:
    """Raise ViewError unless all are names of record types."""
    for name in record_types or ():
        if name not in RECORD_VIEWS:
            raise ViewError(f"{name!r} is no record type; known are {', '.join(RECORD_TYPES)}")


STATE_RECORDS: Mapping[str, str] = {
    "topics": "TopicRecord",
    "partitions": PARTITION,
    "brokers": "RegisterBrokerRecord",
    "controllers": "RegisterControllerRecord",
    "configs": "ConfigRecord",
    "acls": "AccessControlEntryRecord",
    "features": "FeatureLevelRecord",
    "quotas": "ClientQuotaRecord",
    "scram_credentials": "UserScramCredentialRecord",
    "delegation_tokens": "DelegationTokenRecord",
    "producer_ids": "ProducerIdsRecord",
}
"""By table of the state: the record that puts a row into it."""


def _shown(path: str, kind: pa.DataType) -> pa.DataType:
    """The type in a table of a field of a record: text if there are words for its numbers."""
    if path in FIELD_WORDS:
        return pa.string()
    if path in FIELD_TIMES:
        return _ARROW_OF_SPARK["TIMESTAMP"]
    if pa.types.is_list(kind):
        return pa.list_(pa.field("element", _shown(path, kind.value_type)))
    if pa.types.is_struct(kind):
        return pa.struct([(each.name, _shown(f"{path}.{each.name}", each.type)) for each in kind])
    return kind


def _of_table(table: str, fields: Mapping[str, pa.DataType]) -> tuple[Column, ...]:
    """Fields of the table's record as columns."""
    record = STATE_RECORDS[table]
    columns = []
    for field, kind in fields.items():
        shown = _shown(f"{record}.{field}", kind)
        columns.append(Column(name=column_of(record, field), ddl=_spark_of(shown), arrow=shown))
    return tuple(columns)


def _of_record(table: str, fields: Sequence[str] | None = None) -> tuple[Column, ...]:
    """The fields of these names, or all fields of the table's record, as columns."""
    chosen = chosen_fields(RECORD_VIEWS[STATE_RECORDS[table]], fields)
    return _of_table(table, {field.name: arrow_type(field) for field in chosen})


_TOPIC_NAME = Column(name="topicName", ddl="STRING", arrow=pa.string())
STATE_TABLES: Mapping[str, tuple[Column, ...]] = {
    "topics": _of_record("topics", ("name", "topicId")),
    "partitions": (
        _TOPIC_NAME,
        *_of_table(
            "partitions", {field.name: field.type for field in PARTITIONS if field.name != "basePosition"}
        ),
    ),
    "brokers": _of_record(
        "brokers",
        (
            *("brokerId", "incarnationId", "brokerEpoch", "endPoints", "features", "rack", "fenced"),
            *("inControlledShutdown", "logDirs", "cordonedLogDirs", "isMigratingZkBroker"),
        ),
    ),
    "controllers": _of_record("controllers"),
    "configs": _of_record("configs"),
    "acls": _of_record("acls"),
    "features": _of_record("features"),
    "quotas": _of_record("quotas", ("entity", "key", "value")),
    "scram_credentials": _of_record("scram_credentials"),
    "delegation_tokens": _of_record("delegation_tokens"),
    "producer_ids": _of_record("producer_ids", ("nextProducerId",)),
}
"""By view: the columns of each table of the state. The job ``state`` makes tables of the same names and columns."""

VIEWS: tuple[str, ...] = (RECORDS_VIEW, TYPED_VIEW, STATE_VIEW, *STATE_TABLES, *RECORD_TYPES)


def _common(columns: Sequence[str]) -> tuple[Column, ...]:
    made = []
    for text in columns:
        name, _, spark = text.partition(" ")
        made.append(Column(name=name, ddl=spark, arrow=_ARROW_OF_SPARK.get(spark, CORRUPT_TYPE)))
    return tuple(made)


def _of_view(view: str, record_types: Sequence[str] | None) -> tuple[Column, ...]:
    if view == RECORDS_VIEW:
        return (Column(name="payload", ddl="STRING", arrow=pa.string()),)
    if view == TYPED_VIEW:
        return _struct_columns(RECORD_TYPES if record_types is None else record_types)
    if view not in RECORD_VIEWS:
        raise ViewError(f"{view!r} is no view; known are {', '.join(VIEWS)}")
    return tuple(
        Column(name=field.name, ddl=field.ddl, arrow=arrow_type(field)) for field in RECORD_VIEWS[view].fields
    )


def _struct_columns(names: Sequence[str]) -> tuple[Column, ...]:
    return tuple(
        _struct_column(record, record.fields) for record in RECORDS if record.fields and record.name in names
    )


def _state_record(record_types: Sequence[str] | None) -> tuple[Column, ...]:
    """The column with the records that are rows of the state as they are: a struct with a struct for each type. Empty
    if none of these types is wanted.
    """
    # Records of partitions are combined, and the type of a transaction's marker says everything about it.
    shown = set(STATE_TYPES) - {PARTITION, PARTITION_CHANGE, *MARKERS}
    types = _struct_columns([name for name in shown if record_types is None or name in record_types])
    if not types:
        return ()
    spark = ", ".join(f"{column.name}: {column.ddl}" for column in types)
    arrow = pa.struct([(column.name, column.arrow) for column in types])
    return (Column(name=STATE_RECORD, ddl=f"STRUCT<{spark}>", arrow=arrow),)


def _chosen(view: str, columns: Sequence[Column], names: Sequence[str]) -> tuple[Column, ...]:
    by_name = {column.name: column for column in columns}
    result = []
    for name, fields in members(names).items():
        if name not in by_name:
            raise ViewError(f"{name!r} is no column of view {view!r}; known are {', '.join(by_name)}")
        result.append(by_name[name] if fields is None else _with_members(view, name, fields))
    return tuple(result)


def _with_members(view: str, name: str, fields: Sequence[str]) -> Column:
    if view != TYPED_VIEW or name not in RECORD_VIEWS:
        raise ViewError(
            f"{name}.{fields[0]}: only the record types' columns of view 'typed' have fields to choose"
        )
    record = RECORD_VIEWS[name]
    known = [field.name for field in record.fields]
    for field in fields:
        if field not in known:
            raise ViewError(f"{field!r} is no field of {name}; known are {', '.join(known)}")
    return _struct_column(record, chosen_fields(record, fields))


def _struct_column(record: RecordView, fields: Sequence[FieldView]) -> Column:
    spark = f"STRUCT<{', '.join(f'{field.name}: {field.ddl}' for field in fields)}>"
    return Column(name=record.name, ddl=spark, arrow=struct_type(fields))
