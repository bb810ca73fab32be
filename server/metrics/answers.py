"""The error codes in an answer, wherever its schema has them: on top, or in the elements of its lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kafkaproto.message import Message
from kafkaproto.schema import StructSchema

_ERROR_CODE = "error_code"


class _Place:
    """Where one struct, and what it is made of, has error codes."""

    __slots__ = ("has_code", "inner")

    def __init__(self, schema: StructSchema) -> None:
        self.has_code = any(field.attribute == _ERROR_CODE for field in schema.fields)
        self.inner: list[tuple[str, _Place]] = []
        """Attributes that are lists of structs with error codes."""
        for field in schema.fields:
            if field.struct is not None and field.array:
                place = _Place(field.struct)
                if place.has_code or place.inner:
                    self.inner.append((field.attribute, place))


_places: dict[type[Message], _Place] = {}


def error_codes(answer: Message) -> Iterator[int]:
    """Every error code of an answer, 0 (no error) too; nothing of an answer that has no place for one."""
    place = _places.get(type(answer))
    if place is None:
        place = _places[type(answer)] = _Place(answer.schema().root)
    return _codes(answer, place)


def _codes(item: Any, place: _Place) -> Iterator[int]:
    if place.has_code:
        yield item.error_code
    for attribute, inner in place.inner:
        for element in getattr(item, attribute) or ():
            yield from _codes(element, inner)
