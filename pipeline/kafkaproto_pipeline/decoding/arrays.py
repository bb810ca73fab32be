"""Makes Arrow arrays from bytes whose positions are known (`fields`), a column at a time.

Numbers are gathered and converted from big-endian. Arrow itself copies texts and bytes; uuids become text. Python
makes no object for a single value. A `Spread` says which rows of the column the values belong to: the records of one
type are only some of a step's rows. The other rows of the column get filler values, which the validity of the
surrounding struct hides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as compute  # type: ignore[import-untyped]

from kafkaproto_pipeline.decoding.fields import DEFAULT, SIZES, Located
from kafkaproto_pipeline.decoding.frames import Flags
from kafkaproto_pipeline.decoding.scan import Int64s, Octets, windows
from kafkaproto_pipeline.decoding.uuid_text import UUID_TEXT_BYTES, uuid_texts
from kafkaproto_pipeline.record_views import FieldView
from kafkaproto_pipeline.views.schema import arrow_type, struct_type

Values = npt.NDArray[Any]

_WIRE_TYPES = {
    "bool": "u1",
    "int8": "i1",
    "int16": ">i2",
    "uint16": ">u2",
    "int32": ">i4",
    "uint32": ">u4",
    "int64": ">i8",
    "float64": ">f8",
}
_COLUMN_TYPES = {
    "bool": np.uint8,
    "int8": np.int8,
    "int16": np.int16,
    "uint16": np.int32,
    "int32": np.int32,
    "uint32": np.int64,
    "int64": np.int64,
    "float64": np.float64,
}


class BadTextError(Exception):
    """Some texts of a field are not UTF-8: ``rows`` has their indexes in the `Located` of that field."""

    def __init__(self, rows: Int64s) -> None:
        super().__init__("not UTF-8")
        self.rows = rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Which entries of a column the values belong to; ``rows`` ascend, and None means all entries."""

    rows: Int64s | None
    count: int
    """Number of entries of the column."""

    def fill(self, values: Values) -> Values:
        """The column's values, with zeros in all other entries."""
        if self.rows is None:
            return values
        column = np.zeros(self.count, values.dtype)
        column[self.rows] = values
        return column

    def offsets(self, sizes: Int64s) -> npt.NDArray[np.int32]:
        """The positions at which the content of each entry of the column begins, and the end of the last."""
        column = np.zeros(self.count + 1, np.int32)
        if self.rows is None:
            np.cumsum(sizes, out=column[1:])
            return column
        column[self.rows + 1] = sizes
        return np.cumsum(column, dtype=np.int32)


class Builder:
    """Builds the columns of records whose bytes are in one buffer."""

    def __init__(self, octets: Octets) -> None:
        self._octets = octets
        self._source = pa.py_buffer(octets)

    def column(self, located: Located, spread: Spread) -> pa.Array:
        """The column of one field. Raises BadTextError."""
        field = located.field
        if located.sizes is None:
            return self._fixed(field, located.starts, spread)
        if not field.array:
            return self.texts(located.starts, located.sizes, spread, arrow_type(field))
        return self._lists(located, spread)

    def struct(self, located: Sequence[Located], spread: Spread) -> pa.Array:
        """A struct column: null in all other rows. Raises BadTextError."""
        kind = struct_type(entry.field for entry in located)
        children = [self.column(entry, spread) for entry in located]
        present = None
        if spread.rows is not None:
            present = bitmap(spread.fill(np.ones(len(spread.rows), np.bool_)))
        return pa.Array.from_buffers(kind, spread.count, [present], children=children)

    def texts(self, starts: Int64s, sizes: Int64s, spread: Spread, kind: pa.DataType) -> pa.Array:
        """Strings or bytes that begin at these positions and have these sizes."""
        real = np.maximum(sizes, 0)
        offsets = spread.offsets(real)
        content = self._content(np.where(real > 0, starts, 0), real)
        buffers = [_validity(sizes, spread), pa.py_buffer(offsets), content]
        array = pa.Array.from_buffers(kind, spread.count, buffers)
        if kind == pa.string():
            try:
                array.validate(full=True)
            except pa.ArrowInvalid:
                raise BadTextError(self._bad_texts(starts, real)) from None
        return array

    def _content(self, starts: Int64s, sizes: Int64s) -> pa.Buffer | None:
        """The bytes of all texts, one after the other."""
        some = np.flatnonzero(sizes)
        if not len(some):
            return pa.py_buffer(b"")
        if len(some) < len(sizes):
            starts, sizes = starts[some], sizes[some]
        # The array alternates between the texts and the bytes between them; Arrow then takes the texts out of it. Its
        # offsets count from the first text. So the buffer may have any size, as long as one step's texts lie within
        # 2 GiB.
        first = int(starts[0])
        bounds = np.empty(2 * len(starts), np.int32)
        bounds[0::2] = starts - first
        bounds[1::2] = bounds[0::2] + sizes
        source = self._source.slice(first)
        mixed = pa.Array.from_buffers(pa.binary(), len(bounds) - 1, [None, pa.py_buffer(bounds), source])
        taken = compute.take(mixed, pa.array(np.arange(0, len(bounds), 2, dtype=np.int32)), boundscheck=False)
        return taken.buffers()[2]

    def _bad_texts(self, starts: Int64s, sizes: Int64s) -> Int64s:
        bad = []
        for row, (start, size) in enumerate(zip(starts.tolist(), sizes.tolist(), strict=True)):
            try:
                self._octets[start : start + size].tobytes().decode()
            except UnicodeDecodeError:
                bad.append(row)
        assert bad, "Arrow found a text that is not UTF-8, and Python does not"
        return np.array(bad, np.int64)

    def _fixed(self, field: FieldView, starts: Int64s, spread: Spread) -> pa.Array:
        if field.type == "uuid":
            # The only default of a uuid is zero.
            return _uuids(self._raw_uuids(starts), spread)
        values = self._numbers(field, starts)
        absent = starts == DEFAULT
        if absent.any():
            values[absent] = field.default
        return _numbers_array(field, spread.fill(values), spread.count)

    def _numbers(self, field: FieldView, starts: Int64s) -> Values:
        table = windows(self._octets, SIZES[field.type])
        if not len(table):
            return np.zeros(len(starts), _COLUMN_TYPES[field.type])
        values: Values = table[starts].view(_WIRE_TYPES[field.type]).astype(_COLUMN_TYPES[field.type])
        return values

    def _raw_uuids(self, starts: Int64s) -> Octets:
        table = windows(self._octets, 16)
        if not len(table):
            return np.zeros((len(starts), 16), np.uint8)
        found = table[starts].view(np.uint8).reshape(-1, 16)
        absent = starts == DEFAULT
        if absent.any():
            found[absent] = 0
        return found

    def _lists(self, located: Located, spread: Spread) -> pa.Array:
        field = located.field
        assert located.sizes is not None
        counts = np.maximum(located.sizes, 0)
        total = int(counts.sum())
        everything = Spread(rows=None, count=total)
        if field.type in SIZES:
            elements = self._fixed_elements(located, counts, everything)
        else:
            try:
                elements = self._elements(located, everything)
            except BadTextError as error:
                owners = np.repeat(np.arange(len(counts)), counts)
                raise BadTextError(np.unique(owners[error.rows])) from None
        buffers = [_validity(located.sizes, spread), pa.py_buffer(spread.offsets(counts))]
        return pa.Array.from_buffers(arrow_type(field), spread.count, buffers, children=[elements])

    def _elements(self, located: Located, everything: Spread) -> pa.Array:
        if located.field.type == "struct":
            return self.struct(located.elements, everything)
        (texts,) = located.elements
        return self.column(texts, everything)

    def _fixed_elements(self, located: Located, counts: Int64s, everything: Spread) -> pa.Array:
        field = located.field
        size = SIZES[field.type]
        begins = located.starts - (np.cumsum(counts) - counts) * size
        positions = np.repeat(begins, counts) + np.arange(everything.count) * size
        if field.type == "uuid":
            return _uuids(self._raw_uuids(positions), everything)
        return _numbers_array(field, self._numbers(field, positions), everything.count)


def bitmap(flags: Values) -> pa.Buffer:
    """Flags as Arrow packs them."""
    return pa.py_buffer(np.packbits(flags, bitorder="little"))


def booleans(flags: Flags) -> pa.Array:
    return pa.Array.from_buffers(pa.bool_(), len(flags), [None, bitmap(flags)])


def numbers(kind: pa.DataType, values: Values, null: Flags | None = None) -> pa.Array:
    """A column of numbers of the width of ``kind``."""
    validity = None if null is None or not null.any() else bitmap(~null)
    return pa.Array.from_buffers(kind, len(values), [validity, pa.py_buffer(np.ascontiguousarray(values))])


def _numbers_array(field: FieldView, values: Values, count: int) -> pa.Array:
    if field.type == "bool":
        return booleans(values != 0)
    kind = arrow_type(field)
    return pa.Array.from_buffers(
        kind.value_type if field.array else kind, count, [None, pa.py_buffer(values)]
    )


def _uuids(uuids: Octets, spread: Spread) -> pa.Array:
    offsets = spread.offsets(np.full(len(uuids), UUID_TEXT_BYTES, np.int64))
    return pa.Array.from_buffers(
        pa.string(), spread.count, [None, pa.py_buffer(offsets), pa.py_buffer(uuid_texts(uuids))]
    )


def _validity(sizes: Int64s, spread: Spread) -> pa.Buffer | None:
    present = sizes >= 0
    return None if present.all() else bitmap(spread.fill(present))
