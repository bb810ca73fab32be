"""Emits the descriptions from which the pipeline makes its views: fields and Spark schema of every record type that a
metadata log can hold (``generated/records.py`` of the pipeline, made of the classes of its ``record_views``).

The schemas do not have the numbers of control records: these are from KIP-595, KIP-630 and KIP-853.
"""

from __future__ import annotations

import base64

from codegen import naming
from codegen.literals import python_literal
from codegen.model import (
    OPEN_END,
    ArrayType,
    Field,
    MessageModel,
    MessageType,
    NotNull,
    Primitive,
    StructModel,
    StructType,
    Variable,
    VersionRange,
)
from codegen.parse import SchemaError
from codegen.text import Lines

CONTROL_RECORDS = {
    "LeaderChangeMessage": 2,
    "SnapshotHeaderRecord": 3,
    "SnapshotFooterRecord": 4,
    "KRaftVersionRecord": 5,
    "VotersRecord": 6,
}
"""Number of each control record of the quorum; their schemas are in the folder ``raft``."""

COMMON_COLUMNS = (
    "clusterId STRING",
    "nodeId INT",
    "directory STRING",
    "directoryId STRING",
    "file STRING",
    "source STRING",
    "offset BIGINT",
    "snapshotIndex BIGINT",
    "partitionLeaderEpoch INT",
    "timestamp TIMESTAMP",
    "isControl BOOLEAN",
    "recordType STRING",
    "recordVersion INT",
    "committed BOOLEAN",
)
"""The columns that every view begins with."""
LAST_COLUMNS = (
    "raw BINARY",
    "_corrupt_record STRUCT<file: STRING, position: BIGINT, offset: BIGINT, reason: STRING>",
)
"""The columns that every view ends with."""

_SPARK_TYPES = {
    Primitive.BOOL: "BOOLEAN",
    Primitive.INT8: "TINYINT",
    Primitive.INT16: "SMALLINT",
    Primitive.UINT16: "INT",
    Primitive.INT32: "INT",
    Primitive.UINT32: "BIGINT",
    Primitive.INT64: "BIGINT",
    Primitive.FLOAT64: "DOUBLE",
    Primitive.UUID: "STRING",
    Variable.STRING: "STRING",
    Variable.BYTES: "BINARY",
    Variable.RECORDS: "BINARY",
}
_ZERO_UUID = base64.urlsafe_b64encode(bytes(16))[:22].decode()


def emit_views(messages: list[MessageModel]) -> dict[str, str]:
    """Relative path below the pipeline's package -> text. Raises SchemaError for a field that has the name of a column
    which every view has, or that the views cannot show."""
    records = sorted(
        (m for m in messages if m.versions and _number(m) is not None),
        key=lambda m: (_is_control(m), _number(m)),
    )
    lines = Lines()
    lines.add(
        '"""Fields and Spark schema of every record type of the metadata log, in the words of `record_views`.',
        "",
    )
    lines.add("Generated from messages/ by codegen; change the schemas, not this file.", '"""', "")
    lines.add(
        "from __future__ import annotations",
        "",
        "from kafkaproto_pipeline.record_views import FieldView, RecordView",
        "",
    )
    for name, columns in (("COMMON_COLUMNS", COMMON_COLUMNS), ("LAST_COLUMNS", LAST_COLUMNS)):
        with lines.block(f"{name} = ("):
            lines.add(*(f'"{column}",' for column in columns))
        lines.add(
            ")",
            '"""The columns that every view %s with, as DDL."""'
            % ("begins" if columns is COMMON_COLUMNS else "ends"),
            "",
        )
    with lines.block("RECORDS: tuple[RecordView, ...] = ("):
        for message in records:
            _record(message, lines)
    lines.add(")", '"""Metadata records by their number, then control records by theirs."""')
    return {
        "generated/__init__.py": '"""Descriptions of the record types, generated from messages/."""\n',
        "generated/records.py": lines.text(),
    }


def _number(message: MessageModel) -> int | None:
    if _is_control(message):
        return CONTROL_RECORDS[message.name]
    return message.api_key if message.type is MessageType.METADATA and message.folder == "metadata" else None


def _is_control(message: MessageModel) -> bool:
    return message.folder == "raft" and message.name in CONTROL_RECORDS


def _record(message: MessageModel, lines: Lines) -> None:
    _check(message)
    with lines.block("RecordView("):
        lines.add(
            f'name="{message.name}",',
            f"control={_is_control(message)},",
            f"type={_number(message)},",
            f"versions={_versions(message.versions)},",
            f"flexible_from={message.flexible.lowest},",
        )
        _fields(message, message.root, lines)
    lines.add("),")


def _check(message: MessageModel) -> None:
    """Check what the views need beyond the rules for every schema."""
    if not message.flexible.covers(message.versions):
        raise SchemaError(
            message.source, message.name, "is a record of the log, and not flexible in every version"
        )
    taken = {column.partition(" ")[0].lower() for column in (*COMMON_COLUMNS, *LAST_COLUMNS)}
    for field in message.root.fields:
        # Spark does not tell names apart by case.
        if field.name.lower() in taken:
            raise SchemaError(message.source, field.name, "has the name of a column that every view has")
        taken.add(field.name.lower())
    for struct in message.structs.values():
        for field in struct.fields:
            kind = field.type.element if isinstance(field.type, ArrayType) else field.type
            if field.flexible is not None or kind is Variable.RECORDS:
                raise SchemaError(message.source, field.name, "has a form that no record of the log may have")
            if isinstance(kind, Variable) and field.default and field.default is not NotNull.EMPTY:
                raise SchemaError(
                    message.source, field.name, "has a default that no record of the log may have"
                )
            if kind is not field.type or not isinstance(kind, StructType):
                continue
            if field.nullable or field.tagged or not field.versions.covers(message.versions):
                raise SchemaError(message.source, field.name, "is a struct that may be absent")


def _fields(message: MessageModel, struct: StructModel, lines: Lines) -> None:
    if not struct.fields:
        lines.add("fields=(),")
        return
    with lines.block("fields=("):
        for field in struct.fields:
            _field(message, field, lines)
    lines.add("),")


def _field(message: MessageModel, field: Field, lines: Lines) -> None:
    kind = field.type.element if isinstance(field.type, ArrayType) else field.type
    word = (
        "struct" if isinstance(kind, StructType) else kind.word if isinstance(kind, Primitive) else kind.value
    )
    parts = [f'name="{_name(field)}"', f'attribute="{naming.attribute(field.name)}"', f'type="{word}"']
    parts.append(f'ddl="{_ddl(message, field)}"')
    if isinstance(field.type, ArrayType):
        parts.append("array=True")
    after = [f"versions={_versions(field.versions)}"]
    if field.nullable:
        after.append(f"nullable={_versions(field.nullable)}")
    if field.tagged:
        after += [f"tagged={_versions(field.tagged)}", f"tag={field.tag}"]
    after.append(f"default={_default(field)}")
    if not isinstance(kind, StructType):
        lines.call("FieldView", parts + after, ",")
        return
    with lines.block("FieldView("):
        lines.add(*(f"{part}," for part in parts))
        _fields(message, message.structs[kind.name], lines)
        lines.add(*(f"{part}," for part in after))
    lines.add("),")


def _name(field: Field) -> str:
    return field.name[0].lower() + field.name[1:]


def _ddl(message: MessageModel, field: Field) -> str:
    kind = field.type.element if isinstance(field.type, ArrayType) else field.type
    if isinstance(kind, StructType):
        inner = (f"{_name(part)}: {_ddl(message, part)}" for part in message.structs[kind.name].fields)
        text = f"STRUCT<{', '.join(inner)}>"
    else:
        text = _SPARK_TYPES[kind]
    return f"ARRAY<{text}>" if isinstance(field.type, ArrayType) else text


def _default(field: Field) -> str:
    if field.default is NotNull.EMPTY:
        return "()" if isinstance(field.type, ArrayType) else "None"
    if field.type is Primitive.UUID:
        return f'"{_ZERO_UUID}"'
    return python_literal(field.default)


def _versions(versions: VersionRange) -> str:
    return f"({versions.lowest}, {OPEN_END if versions.highest == OPEN_END else versions.highest})"
