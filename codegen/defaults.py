"""The default of a field: the literal in the schema, checked against the field's type."""

from __future__ import annotations

import re

from codegen.model import ArrayType, Default, NotNull, Primitive, StructType, Type, Variable

_RANGES = {
    Primitive.INT8: (-(2**7), 2**7 - 1),
    Primitive.INT16: (-(2**15), 2**15 - 1),
    Primitive.UINT16: (0, 2**16 - 1),
    Primitive.INT32: (-(2**31), 2**31 - 1),
    Primitive.UINT32: (0, 2**32 - 1),
    Primitive.INT64: (-(2**63), 2**63 - 1),
}
_INTEGER = re.compile(r"-?(0[xX][0-9a-fA-F]+|[0-9]+)")
_FLOAT = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def parse_default(kind: Type, literal: object) -> Default | NotNull | ValueError:
    """The default as a Python value, or a ValueError (returned, not raised) that says why it does not fit.

    ``literal`` is the value in the schema: a JSON null means that there is no default, the string ``"null"`` means
    null.
    """
    if literal is None:
        return _implied(kind)
    text = str(literal).lower() if isinstance(literal, bool) else str(literal)
    if isinstance(kind, Primitive):
        return _primitive(kind, text)
    if text == "null":
        return None
    if kind is Variable.STRING:
        return text if isinstance(literal, str) else ValueError(f"default {literal!r} is no text")
    if text == "":
        return _implied(kind)
    return ValueError(f'default {literal!r} does not fit: only "null" or nothing is possible for this type')


def _implied(kind: Type) -> Default | NotNull:
    match kind:
        case Primitive.BOOL:
            return False
        case Primitive.FLOAT64:
            return 0.0
        case Primitive.UUID:
            return bytes(16)
        case Primitive():
            return 0
        case Variable.STRING:
            return ""
        case Variable.BYTES:
            return b""
        case Variable.RECORDS:
            return None
        case ArrayType() | StructType():
            return NotNull.EMPTY


def _primitive(kind: Primitive, text: str) -> Default | ValueError:
    if kind is Primitive.BOOL:
        if text in ("true", "false"):
            return text == "true"
        return ValueError(f"default {text!r} is neither true nor false")
    if kind is Primitive.FLOAT64:
        if _FLOAT.fullmatch(text):
            return float(text)
        return ValueError(f"default {text!r} is no number")
    if kind is Primitive.UUID:
        return ValueError(f"default {text!r}: a uuid takes no default but zero")
    if not _INTEGER.fullmatch(text):
        return ValueError(f"default {text!r} is no integer")
    value = int(text, 16 if "x" in text.lower() else 10)
    lowest, highest = _RANGES[kind]
    if not lowest <= value <= highest:
        return ValueError(f"default {text} does not fit {kind.word} ({lowest} to {highest})")
    return value
