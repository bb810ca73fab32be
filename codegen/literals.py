"""Defaults and type annotations as Python text."""

from __future__ import annotations

from codegen import naming
from codegen.model import ArrayType, Field, MessageModel, NotNull, Primitive, StructType, Variable

_PRIMITIVE_WORDS = {Primitive.BOOL: "bool", Primitive.FLOAT64: "float", Primitive.UUID: "bytes"}


def literal(message: MessageModel, field: Field) -> str:
    """The default as it is handed to a constructor; structs of defaults are made by the constructor itself."""
    if field.default is NotNull.EMPTY:
        if isinstance(field.type, ArrayType):
            return "[]"
        return struct_default(message, field) if field.nullable else "None"
    if field.type is Primitive.UUID:
        return "ZERO_UUID"
    return python_literal(field.default)


def default_at_read(message: MessageModel, field: Field) -> str:
    """The default as a reader sets it."""
    if field.default is NotNull.EMPTY and isinstance(field.type, StructType):
        return (
            f"{naming.class_name(message, message.structs[field.type.name])}()" if field.nullable else "None"
        )
    return literal(message, field)


def python_literal(value: object) -> str:
    """A plain value as text, strings in double quotes."""
    return '""' if value == "" and isinstance(value, str) else repr(value)


def struct_default(message: MessageModel, field: Field) -> str:
    """Name of the constant that stands for a struct of defaults where null is a value of its own."""
    assert isinstance(field.type, StructType)
    return f"DEFAULT_{naming.snake(field.type.name).upper()}"


def annotation(message: MessageModel, field: Field) -> str:
    kind = field.type
    if isinstance(kind, ArrayType):
        text = f"list[{_element(message, kind.element, False)}]"
    else:
        text = _element(message, kind, field.zero_copy)
    can_be_null = bool(field.nullable) or field.type is Variable.RECORDS
    return f"{text} | None" if can_be_null else text


def _element(message: MessageModel, kind: Primitive | Variable | StructType, zero_copy: bool) -> str:
    match kind:
        case Primitive():
            return _PRIMITIVE_WORDS.get(kind, "int")
        case Variable.STRING:
            return "str"
        case Variable.RECORDS:
            return "Buffers"
        case Variable.BYTES:
            return "Buffers" if zero_copy else "bytes"
        case StructType(name):
            return naming.class_name(message, message.structs[name])
