"""Random messages of any class at any version, from a seeded generator."""

from __future__ import annotations

import random
from typing import Any

from kafkaproto.generated.registry import MODULES
from kafkaproto.message import Message
from kafkaproto.messages import message_class
from kafkaproto.schema import FieldSchema, StructSchema, within

_RANGES = {
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
}
_STRINGS = ("", "a", "topic-1", "größe", "日本語", "🙂", "x" * 126, "x" * 127, "x" * 128, "y" * 300)
_SIZES = (0, 1, 1, 2, 3)
_LARGE_SIZES = (31, 32, 126, 127, 128, 200)
"""Around the sizes at which an encoding or a prepared table changes."""


def all_message_classes() -> list[type[Message]]:
    """Every generated message."""
    return [message_class(name) for name in sorted(MODULES)]


def versions_of(message: type[Message]) -> range:
    """Every version of a message."""
    return range(message.MIN_VERSION, message.MAX_VERSION + 1)


def random_message(message: type[Message], version: int, rng: random.Random) -> Any:
    """A message with random values in the fields that the version has, and unknown tags now and then."""
    schema = message.schema()
    return _struct(schema.root, version, schema.is_flexible(version), rng)


def drop_unknown_tags(schema: StructSchema, message: Any) -> None:
    """Take the unknown tags out of a message, or of a struct and those in it: not everybody keeps them."""
    message.unknown_tags = None
    for field in schema.fields:
        value = getattr(message, field.attribute)
        if field.struct is not None and value is not None:
            for element in value if field.array else [value]:
                drop_unknown_tags(field.struct, element)


def _struct(schema: StructSchema, version: int, flexible: bool, rng: random.Random) -> Any:
    values: dict[str, Any] = {}
    known_tags = {field.tag for field in schema.fields}
    for field in schema.fields:
        if not within(version, field.versions):
            continue
        if within(version, field.tagged) and rng.random() < 0.4:
            continue
        values[field.attribute] = _field(field, version, flexible, rng)
    if flexible and rng.random() < 0.1:
        tags = sorted(
            rng.sample([tag for tag in (*range(9, 20), 127, 128, 70000) if tag not in known_tags], 2)
        )
        values["unknown_tags"] = {tag: rng.randbytes(rng.choice((0, 1, 130))) for tag in tags}
    return schema.python_class(**values)


def _field(field: FieldSchema, version: int, flexible: bool, rng: random.Random) -> Any:
    if within(version, field.nullable) and rng.random() < 0.2:
        return None
    if not field.array:
        return _value(field, version, flexible, rng)
    large = field.struct is None and rng.random() < 0.1
    size = rng.choice(_LARGE_SIZES if large else _SIZES)
    return [_value(field, version, flexible, rng) for _ in range(size)]


def _value(field: FieldSchema, version: int, flexible: bool, rng: random.Random) -> Any:
    if field.struct is not None:
        return _struct(field.struct, version, flexible, rng)
    if field.type == "bool":
        return rng.random() < 0.5
    if field.type == "float64":
        return rng.choice((0.0, -1.5, 1e300, float("inf")))
    if field.type == "uuid":
        return rng.randbytes(16)
    if field.type == "string":
        return rng.choice(_STRINGS)
    if field.type in ("bytes", "records"):
        return rng.randbytes(rng.choice((0, 1, 126, 127, 128, 1000, 16_384)))
    lowest, highest = _RANGES[field.type]
    return rng.choice((lowest, highest, 0, 1, rng.randint(lowest, highest)))
