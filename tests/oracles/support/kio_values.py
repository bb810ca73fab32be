"""Our messages as kio's objects: same fields in the same order, with Python's richer types for some of them.

Kio has a class per version whose fields are those that the version has. Lengths of time come as timedelta, points in
time as datetime, error codes as an enum, lists as tuples, UUIDs as `uuid.UUID` and the zero UUID as None.
"""

from __future__ import annotations

import dataclasses
import datetime
import typing
import uuid
from collections.abc import Callable
from functools import cache
from typing import Any

from kio.schema.errors import ErrorCode

from kafkaproto.schema import FieldSchema, StructSchema, within

RENAMED = {
    "generation_id_or_member_epoch": "generation_id",
    "acceptable_recovery_lag_legacy": "acceptable_recovery_lag",
}
"""Fields that Kafka 4.4 calls otherwise, in some messages, than the release that kio describes."""
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
ERROR_CODES = sorted(ErrorCode)
DEVIATIONS: dict[str, tuple[Callable[[int], int], str]] = {
    "error_code": (
        lambda code: int(ERROR_CODES[code % len(ERROR_CODES)]),
        "an enum, so a code that this release of kio does not know is refused",
    ),
    "timedelta_i64": (
        lambda value: value % 10**12,
        "floating point seconds: larger values come back changed",
    ),
    "datetime_i64": (lambda value: value % 10**12, "floating point seconds, and no year beyond 9999"),
}
"""By kio's word for the type: what a random value has to be changed to before it is compared, and why. Beside these,
tags that nobody knows are dropped everywhere: kio does not write them again."""


def pairs(
    kind: type[Any], struct: StructSchema, version: int
) -> list[tuple[FieldSchema, dataclasses.Field[Any]]]:
    """Our fields at a version, each with kio's field for it."""
    ours = [field for field in struct.fields if within(version, field.versions)]
    theirs = dataclasses.fields(kind)
    assert len(ours) == len(theirs), f"{kind}: {len(theirs)} fields, we have {len(ours)}"
    for field, other in zip(ours, theirs, strict=True):
        plain = field.attribute.replace("_", "")
        older = RENAMED.get(field.attribute, plain).replace("_", "")
        # Kio leaves the unit out of a name whose type says it.
        names = (plain, plain.removesuffix("ms"), older)
        assert other.name.replace("_", "") in names, f"{kind}.{other.name}"
    return list(zip(ours, theirs, strict=True))


@cache
def inner_class(kind: type[Any], name: str) -> type[Any]:
    """The dataclass in the type of a field that is a struct or a tuple of structs."""
    stack = [typing.get_type_hints(kind)[name]]
    while stack:
        found = stack.pop()
        if dataclasses.is_dataclass(found):
            return typing.cast("type[Any]", found)
        stack.extend(typing.get_args(found))
    raise AssertionError(f"{kind}.{name} holds no struct")


def fit(kind: type[Any], struct: StructSchema, version: int, message: Any) -> None:
    """Change a random message, where it must be, so that kio can express it; drops tags that nobody knows."""
    message.unknown_tags = None
    for field, other in pairs(kind, struct, version):
        value = getattr(message, field.attribute)
        if field.struct is not None and value is not None:
            for element in value if field.array else [value]:
                # That classes are hashable, as what is cached by has to be, mypy does not see; so below.
                inner = inner_class(kind, other.name)  # type: ignore[arg-type]
                fit(inner, field.struct, version, element)
        elif value is not None:
            change, _ = DEVIATIONS.get(other.metadata["kafka_type"], (lambda value: value, ""))
            setattr(
                message, field.attribute, [change(each) for each in value] if field.array else change(value)
            )


def to_kio(kind: type[Any], struct: StructSchema, version: int, message: Any) -> Any:
    """Our message, or a struct in it, as an object of kio's class."""
    values = {}
    for field, other in pairs(kind, struct, version):
        value = getattr(message, field.attribute)
        if field.struct is not None:
            inner = field.struct
            convert: Any = lambda element, inner=inner, other=other: to_kio(  # noqa: E731
                inner_class(kind, other.name),  # type: ignore[arg-type]
                inner,
                version,
                element,
            )
        else:
            convert = lambda element, other=other: to_kio_value(other.metadata["kafka_type"], element)  # noqa: E731
        if value is not None:
            value = tuple(map(convert, value)) if field.array else convert(value)
        values[other.name] = value
    return kind(**values)


def to_kio_value(word: str, value: Any) -> Any:
    """One value as kio has it."""
    match word:
        case "uuid":
            return uuid.UUID(bytes=value) if any(value) else None
        case "error_code":
            return ErrorCode(value)
        case "timedelta_i32" | "timedelta_i64":
            return datetime.timedelta(milliseconds=value)
        case "datetime_i64":
            return EPOCH + datetime.timedelta(milliseconds=value)
        case "bytes" | "records":
            return bytes(value)
    return value
