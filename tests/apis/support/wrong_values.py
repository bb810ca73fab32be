"""A request with each of its fields wrong in turn, by its schema: a field that is added later is tried by itself."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from kafkaproto.message import Message
from kafkaproto.schema import FieldSchema, StructSchema, within

_LIMITS = {
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
}
_TEXTS = ("", "unknown", "a b\n", "x" * 32_767)
"""Empty, a name of nothing, letters that hardly a name may have, and as long as a string can be."""
_FLOATS = (-1.0, 0.0, 0.5, 2.0**64, math.nan, math.inf, -math.inf)
_IDS = (bytes(16), b"\xff" * 16)
_BLOBS = (b"", b"wrong", bytes(2_000))
_LONGEST_SHOWN = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongRequest:
    """A request with one field changed."""

    path: str
    """The field, for example ``topics.name``."""
    value: Any
    """What stands there now."""
    request: Any

    def __str__(self) -> str:
        value = self.value.hex() if isinstance(self.value, bytes) else repr(self.value)
        if len(value) > _LONGEST_SHOWN:
            value = f"{value[:_LONGEST_SHOWN]}... ({len(self.value)})"
        return f"{self.path} = {value}"


def wrong_requests(request: Message, version: int) -> Iterator[WrongRequest]:
    """The request again and again, with another value in one field; of an array the first element is changed."""
    for path, value in _changes(request, request.schema().root, version, ""):
        yield WrongRequest(path=path, value=copy.deepcopy(value), request=copy.deepcopy(request))


def _changes(holder: Any, schema: StructSchema, version: int, prefix: str) -> Iterator[tuple[str, Any]]:
    """Change each field of a struct, those of the structs in it too, and change it back."""
    for field in schema.fields:
        if not within(version, field.versions):
            continue
        path, right = prefix + field.attribute, getattr(holder, field.attribute)
        for value in _others(field, right, version):
            setattr(holder, field.attribute, value)
            yield path, value
            setattr(holder, field.attribute, right)
        if field.struct is not None and right:
            inner = right[0] if field.array else right
            yield from _changes(inner, field.struct, version, f"{path}.")


def _others(field: FieldSchema, right: Any, version: int) -> Iterator[Any]:
    if within(version, field.nullable) and right is not None:
        yield None
    if field.array:
        elements = right or []
        if elements:
            yield []
            yield [*elements, copy.deepcopy(elements[0])]
        if field.struct is None:
            first = elements[0] if elements else None
            yield from ([value, *elements[1:]] for value in _values(field.type, first))
    elif field.struct is None:
        yield from _values(field.type, right)


def _values(kind: str, right: Any) -> Iterable[Any]:
    match kind:
        case "bool":
            return (not right,)
        case "string":
            candidates: tuple[Any, ...] = _TEXTS
        case "float64":
            candidates = _FLOATS
        case "uuid":
            candidates = _IDS
        case "bytes" | "records":
            candidates = _BLOBS
        case _:
            lowest, highest = _LIMITS[kind]
            beside = () if right is None else (right - 1, right + 1)
            numbers = {lowest, -1, 0, *beside, highest}
            candidates = tuple(sorted(number for number in numbers if lowest <= number <= highest))
    return tuple(value for value in candidates if value != right)
