"""Makes Kafka's JSON of many messages of one type, a field at a time.

The rules are those of `kafkaproto.json_form`: fields that the version does not have, and tagged fields at their
default, are left out. Arrow joins the pieces, so that Python makes no text. Messages that would need more than that (a
text with a character to escape, a type with bytes or floats) are left to the slow way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as compute  # type: ignore[import-untyped]

from kafkaproto_pipeline.decoding.arrays import BadTextError, Builder, Spread
from kafkaproto_pipeline.decoding.fields import NULL, Located
from kafkaproto_pipeline.decoding.frames import Flags
from kafkaproto_pipeline.decoding.scan import Int64s
from kafkaproto_pipeline.record_views import FieldView

_NEEDS_ESCAPE = np.zeros(256, np.bool_)
"""For each byte: whether a text that contains it needs an escape in JSON."""
_NEEDS_ESCAPE[[*range(0x20), ord('"'), ord("\\")]] = True


def can_write(fields: Sequence[FieldView]) -> bool:
    """Whether this module can write records with these fields."""
    return all(field.type not in ("bytes", "float64") and can_write(field.fields) for field in fields)


class _Quoted(NamedTuple):
    """The JSON of each value: a text that all of them begin with, their own, and one that all end with."""

    opening: str
    values: pa.Array
    closing: str


def json_texts(builder: Builder, located: Sequence[Located], versions: Int64s) -> pa.Array:
    """The JSON text of each record. Raises BadTextError for texts that are not UTF-8, or that need an escape."""
    parts: list[str | pa.Array] = []
    is_first_certain = False
    for entry in located:
        present = _present(builder, entry, versions)
        if not present.any():
            continue
        is_certain = bool(present.all())
        if not parts:
            is_first_certain = is_certain
        comma = "" if is_first_certain and not parts else ","
        values = _values(builder, entry, versions)
        named = [f'{comma}"{entry.field.name}":{values.opening}', values.values, values.closing]
        parts += named if is_certain else [compute.if_else(pa.array(present), _joined(*named), "")]
    if not parts:
        return pa.repeat(pa.scalar("{}"), len(versions))
    if is_first_certain:
        return _joined("{", *parts, "}")
    return _joined("{", compute.ascii_ltrim(_joined(*parts), ","), "}")


def _present(builder: Builder, entry: Located, versions: Int64s) -> Flags:
    """The records whose JSON shows a field."""
    field = entry.field
    shown: Flags = (versions >= field.versions[0]) & (versions <= field.versions[1])
    if field.tagged[0] > field.tagged[1]:
        return shown
    tagged = (versions >= field.tagged[0]) & (versions <= field.tagged[1])
    return shown & ~(tagged & _is_default(builder, entry))


def _is_default(builder: Builder, entry: Located) -> Flags:
    default = entry.field.default
    if entry.sizes is not None:
        found: Flags = entry.sizes == (NULL if default is None else 0)
        return found
    # A tag may be present and hold the default.
    column = builder.column(entry, _all_of(entry))
    same: Flags = compute.equal(column, pa.scalar(default, column.type)).to_numpy(zero_copy_only=False)
    return same


def _all_of(entry: Located) -> Spread:
    return Spread(rows=None, count=len(entry.starts))


def _values(builder: Builder, entry: Located, versions: Int64s) -> _Quoted:
    field = entry.field
    if not field.array:
        return _shown(_texts(field, builder.column(entry, _all_of(entry))))
    assert entry.sizes is not None
    counts = np.maximum(entry.sizes, 0)
    column = None if field.type == "struct" else builder.column(entry, _all_of(entry))
    try:
        if column is None:
            elements = json_texts(builder, entry.elements, np.repeat(versions, counts))
        else:
            found = _shown(_texts(field, column.values))
            elements = _joined(*found) if found.opening else found.values
    except BadTextError as error:
        raise BadTextError(np.unique(np.repeat(np.arange(len(counts)), counts)[error.rows])) from None
    lists = pa.ListArray.from_arrays(pa.array(_all_of(entry).offsets(counts)), elements)
    texts = compute.binary_join(lists, ",")
    if (entry.sizes < 0).any():
        texts = compute.if_else(pa.array(entry.sizes >= 0), texts, None)
    return _shown(_Quoted("[", texts, "]"))


def _shown(given: _Quoted) -> _Quoted:
    """The same with the word for each value that is null, around which there is nothing."""
    if not given.values.null_count:
        return given
    return _Quoted("", compute.fill_null(_joined(*given), "null"), "")


def _texts(field: FieldView, column: pa.Array) -> _Quoted:
    if field.type == "uuid":
        return _Quoted('"', column, '"')
    if field.type != "string":
        return _Quoted("", column.cast(pa.string()), "")
    _refuse_escapes(column)
    return _Quoted('"', column, '"')


def _refuse_escapes(column: pa.Array) -> None:
    _, bounds, content = column.buffers()
    offsets = np.frombuffer(bounds, np.int32)[: len(column) + 1]
    octets = np.frombuffer(content, np.uint8)[: offsets[-1]] if content is not None and content.size else None
    if octets is None:
        return
    found = np.flatnonzero(_NEEDS_ESCAPE[octets])
    if len(found):
        raise BadTextError(np.unique(np.searchsorted(offsets, found, side="right") - 1))


def _joined(*parts: str | pa.Array) -> pa.Array:
    """The joined parts of each row; null if one of its parts is null."""
    texts: list[str | pa.Array] = []
    for part in parts:
        if isinstance(part, str) and texts and isinstance(texts[-1], str):
            texts[-1] += part
        elif not isinstance(part, str) or part:
            texts.append(part)
    return compute.binary_join_element_wise(*texts, "")
