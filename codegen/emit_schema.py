"""Emits the function that builds a message's schema at run time (`kafkaproto.schema`)."""

from __future__ import annotations

from codegen import naming
from codegen.literals import python_literal
from codegen.model import (
    OPEN_END,
    ArrayType,
    Field,
    MessageModel,
    NotNull,
    Primitive,
    StructType,
    Variable,
    VersionRange,
)
from codegen.text import Lines


def emit_schema(message: MessageModel, lines: Lines) -> None:
    """A cached function ``_schema`` that returns the MessageSchema."""
    lines.add("@cache")
    with lines.block("def _schema() -> MessageSchema:"):
        for struct in message.structs.values():
            name = naming.class_name(message, struct)
            with lines.block(f"{_variable(struct.name)} = StructSchema("):
                lines.add(f"python_class={name},")
                if not struct.fields:
                    lines.add("fields=(),")
                else:
                    with lines.block("fields=("):
                        for field in struct.fields:
                            _field(field, lines)
                    lines.add("),")
            lines.add(")")
        flexible = message.flexible.lowest if message.flexible & message.versions else None
        arguments = [f'name="{message.name}"', f"flexible_from={flexible}", f"root={_variable(message.name)}"]
        lines.call("return MessageSchema", arguments)


def _variable(struct_name: str) -> str:
    return f"{naming.snake(struct_name)}_struct"


def _field(field: Field, lines: Lines) -> None:
    kind = field.type.element if isinstance(field.type, ArrayType) else field.type
    match kind:
        case Primitive():
            word = kind.word
        case Variable():
            word = kind.value
        case StructType(name):
            word = name
    parts = [f'name="{field.name}"', f'attribute="{naming.attribute(field.name)}"', f'type="{word}"']
    if isinstance(kind, StructType):
        parts.append(f"struct={_variable(kind.name)}")
    if isinstance(field.type, ArrayType):
        parts.append("array=True")
    parts.append(f"versions={_versions(field.versions)}")
    if field.nullable:
        parts.append(f"nullable={_versions(field.nullable)}")
    if field.tagged:
        parts += [f"tagged={_versions(field.tagged)}", f"tag={field.tag}"]
    if field.flexible is not None:
        parts.append("never_compact=True")
    parts.append(f"default={_default(field)}")
    if field.ignorable:
        parts.append("ignorable=True")
    if field.zero_copy:
        parts.append("zero_copy=True")
    with lines.block("FieldSchema("):
        lines.add(*(f"{part}," for part in parts))
    lines.add("),")


def _versions(versions: VersionRange) -> str:
    if not versions:
        return "NEVER"
    return f"({versions.lowest}, {OPEN_END if versions.highest == OPEN_END else versions.highest})"


def _default(field: Field) -> str:
    if field.default is NotNull.EMPTY:
        return "Default.EMPTY_ARRAY" if isinstance(field.type, ArrayType) else "Default.EMPTY_STRUCT"
    return "ZERO_UUID" if field.type is Primitive.UUID else python_literal(field.default)
