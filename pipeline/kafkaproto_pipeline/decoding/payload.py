"""Makes Kafka's JSON of many messages of one type, a field at a time.

The rules are those of `kafkaproto.json_form`: fields that the version does not have, and tagged fields at their
default, are left out. Arrow joins the pieces, so that Python makes no text. Messages that would need more than that (a
text with a character to escape, a type with bytes or floats) are left to the slow way.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
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


def json_texts(builder: Builder, located: Sequence[Located], versions: Int64s) -> pa.Array:
    """The JSON text of each record. Raises BadTextError for texts that are not UTF-8, or that need an escape."""
    parts: list[pa.Array] = []
    is_first_certain = False
    for entry in located:
        present = _present(builder, entry, versions)
        if not present.any():
            continue
        if not parts:
            is_first_certain = bool(present.all())
        comma = "" if is_first_certain and not parts else ","
        values = compute.fill_null(_values(builder, entry, versions), "null")
        named = _joined(f'{comma}"{entry.field.name}":', values)
        parts.append(named if present.all() else compute.if_else(pa.array(present), named, ""))
    if not parts:
        return pa.repeat(pa.scalar("{}"), len(versions))
    fields = _joined(*parts)
    return _joined("{", fields if is_first_certain else compute.ascii_ltrim(fields, ","), "}")


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


def _values(builder: Builder, entry: Located, versions: Int64s) -> pa.Array:
    """The JSON of each value, null for null."""
    field = entry.field
    if not field.array:
        return _texts(field, builder.column(entry, _all_of(entry)))
    assert entry.sizes is not None
    counts = np.maximum(entry.sizes, 0)
    column = None if field.type == "struct" else builder.column(entry, _all_of(entry))
    try:
        if column is None:
            elements = json_texts(builder, entry.elements, np.repeat(versions, counts))
        else:
            elements = _texts(field, column.values)
    except BadTextError as error:
        raise BadTextError(np.unique(np.repeat(np.arange(len(counts)), counts)[error.rows])) from None
    return _lists(elements, _all_of(entry).offsets(counts), entry.sizes)


def _lists(elements: pa.Array, offsets: npt.NDArray[np.int32], sizes: Int64s) -> pa.Array:
    lists = pa.ListArray.from_arrays(pa.array(offsets), elements)
    texts = _joined("[", compute.binary_join(lists, ","), "]")
    return texts if (sizes >= 0).all() else compute.if_else(pa.array(sizes >= 0), texts, None)


def _texts(field: FieldView, column: pa.Array) -> pa.Array:
    if field.type == "uuid":
        return _joined('"', column, '"')
    if field.type != "string":
        return column.cast(pa.string())
    _refuse_escapes(column)
    return _joined('"', column, '"')


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
    return compute.binary_join_element_wise(*parts, "")
