"""Finds the error codes in a response, wherever its schema has them: on top, or in the elements of its arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kafkaproto.message import Message
from kafkaproto.schema import StructSchema

_NAMES = ("error_code", "partition_error_code")
"""The second one is that of AddPartitionsToTxn."""


class _CodePlace:
    """Where a struct, and the structs inside it, have error codes."""

    __slots__ = ("code", "inner")

    def __init__(self, schema: StructSchema) -> None:
        self.code = next((field.attribute for field in schema.fields if field.attribute in _NAMES), None)
        """The attribute with the error code of the struct itself; None if there is none."""
        self.inner: list[tuple[str, _CodePlace]] = []
        """The attributes that are arrays of structs with error codes."""
        for field in schema.fields:
            if field.struct is not None and field.array:
                place = _CodePlace(field.struct)
                if place.code is not None or place.inner:
                    self.inner.append((field.attribute, place))


_places: dict[type[Message], _CodePlace] = {}


def error_codes(response: Message) -> Iterator[int]:
    """Every error code of a response, also 0 (no error). Yields nothing if its schema has no error code."""
    place = _places.get(type(response))
    if place is None:
        place = _places[type(response)] = _CodePlace(response.schema().root)
    return _codes(response, place)


def error_codes_in_steps(response: Message) -> Iterator[int | None]:
    """The same, with None for each struct on the way that has no error code: no step visits more than one struct."""
    place = _places.get(type(response))
    if place is None:
        place = _places[type(response)] = _CodePlace(response.schema().root)
    return _codes_in_steps(response, place)


def is_small(response: Message, most: int) -> bool:
    """Whether a response has at most ``most`` structs in its arrays, at all depths."""
    place = _lists.get(type(response))
    if place is None:
        place = _lists[type(response)] = _Lists(response.schema().root)
    return not place.inner or place.count(response, most) <= most


class _Lists:
    """Where a struct, and the structs inside it, have arrays."""

    __slots__ = ("inner",)

    def __init__(self, schema: StructSchema) -> None:
        self.inner = [
            (field.attribute, None if field.struct is None else _Lists(field.struct))
            for field in schema.fields
            if field.array
        ]

    def count(self, item: Any, most: int) -> int:
        """The number of elements in the arrays of a struct. The count stops once it exceeds ``most``."""
        number = 0
        for attribute, inner in self.inner:
            elements = getattr(item, attribute) or ()
            number += len(elements)
            if number > most:
                return number
            if inner is not None and inner.inner:
                for element in elements:
                    number += inner.count(element, most)
                    if number > most:
                        return number
        return number


_lists: dict[type[Message], _Lists] = {}


def _codes(item: Any, place: _CodePlace) -> Iterator[int]:
    if place.code is not None:
        yield getattr(item, place.code)
    for attribute, inner in place.inner:
        for element in getattr(item, attribute) or ():
            yield from _codes(element, inner)


def _codes_in_steps(item: Any, place: _CodePlace) -> Iterator[int | None]:
    yield None if place.code is None else getattr(item, place.code)
    for attribute, inner in place.inner:
        for element in getattr(item, attribute) or ():
            yield from _codes_in_steps(element, inner)
