"""Finds where the fields of many records of one type lie, for all records at once.

Every record has a cursor. A field is read for all records together: a fixed width moves all cursors by the same
amount; lengths and counts are gathered and decoded as arrays; a tagged field is read for the records that have its
tag. The result is positions, not values: a `Located` for each field. `arrays` makes values of them later, and only of
the fields that a caller wants.

The walk is sound, not complete. It follows the same rules as kafkaproto's codecs. A record that breaks one of them, or
that has a rare form (very many tags or elements), is marked *odd* and left to the slow way (`rows`). The walk does not
compare each position with the end of the record. That is safe: no step moves a cursor back, so a cursor that ends
exactly at the end of its record has never been beyond it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kafkaproto.support import MAX_STRING_LENGTH
from kafkaproto_pipeline.decoding.frames import Flags, read_varints
from kafkaproto_pipeline.decoding.scan import Int64s, Octets
from kafkaproto_pipeline.record_views import FieldView, Versions

SIZES = {
    "bool": 1,
    "int8": 1,
    "int16": 2,
    "uint16": 2,
    "int32": 4,
    "uint32": 4,
    "int64": 8,
    "float64": 8,
    "uuid": 16,
}
"""Bytes of each type of fixed width."""

DEFAULT = -1
"""This position means that the value is the field's default."""
NULL = -1
"""This size or count means null."""

_MAX_ELEMENTS = 64
"""Elements of varying width are read one after the other. A record with more of them in an array is odd."""
_MAX_TAGS = 64


@dataclass(slots=True)
class Located:
    """The positions of the values of one field, one entry for each record (within an array of structs, for each
    element).
    """

    field: FieldView
    starts: Int64s
    """The position at which each value begins, after its length or count if it has one; `DEFAULT` if it
    is the default.
    """
    sizes: Int64s | None
    """Bytes of a string, elements of an array, `NULL` for null; None for a field of fixed width."""
    elements: tuple[Located, ...] = ()
    """For an array whose elements have varying width: their fields, one entry for each element of all records."""


def can_locate(fields: Sequence[FieldView]) -> bool:
    """Whether this module can read records with these fields.

    It cannot if a struct stands alone, if a struct has an array, a struct or a tagged field in it, or if an array of
    elements with varying width is tagged.
    """
    for field in fields:
        if field.type == "struct" and not field.array:
            return False
        if field.array and field.type not in SIZES and field.tagged[0] <= field.tagged[1]:
            return False
        if any(
            part.array or part.type == "struct" or part.tagged[0] <= part.tagged[1] for part in field.fields
        ):
            return False
    return True


def has_text(field: FieldView) -> bool:
    """Whether a field contains text."""
    return field.type == "string" or any(part.type == "string" for part in field.fields)


def locate(
    fields: Sequence[FieldView], octets: Octets, starts: Int64s, ends: Int64s, versions: Int64s
) -> tuple[tuple[Located, ...], Flags]:
    """The fields of the records between these positions, and which records are odd."""
    walk = _Walk(octets, versions)
    located = tuple(_unset(field, len(starts)) for field in fields)
    positions = walk.plain_fields(located, None, starts)
    positions = walk.tagged_fields(located, positions)
    walk.odd |= positions != ends
    return located, walk.odd


def _unset(field: FieldView, count: int) -> Located:
    starts = np.full(count, DEFAULT, np.int64)
    if field.type in SIZES and not field.array:
        return Located(field, starts, None)
    # The default of a text is null or the empty text; the generator checks that.
    sizes = np.full(count, NULL if field.default is None else 0, np.int64)
    return Located(field, starts, sizes, tuple(_unset(part, 0) for part in _element_fields(field)))


def _element_fields(field: FieldView) -> tuple[FieldView, ...]:
    """The fields of an array's elements, if the elements have varying width."""
    if not field.array or field.type in SIZES:
        return ()
    if field.type == "struct":
        return field.fields
    text = FieldView(
        name=field.name, attribute=field.attribute, type=field.type, ddl="", versions=(0, 0x7FFF), default=""
    )
    return (text,)


class _Walk:
    def __init__(self, octets: Octets, versions: Int64s) -> None:
        self.octets = octets
        self.versions = versions
        self.odd: Flags = np.zeros(len(versions), np.bool_)
        self.range = (int(versions.min()), int(versions.max())) if len(versions) else (0, 0)

    def among(self, rows: Int64s | None, versions: Versions) -> Int64s | None:
        """The rows (None: all) whose version is in the range; None if these are all rows."""
        if versions[0] <= self.range[0] and self.range[1] <= versions[1]:
            return rows
        rows = np.arange(len(self.versions)) if rows is None else rows
        found = self.versions[rows]
        present: Int64s = rows[(found >= versions[0]) & (found <= versions[1])]
        return present

    # -- fields in their order -----------------------------------------------------------------------------------------

    def plain_fields(self, located: Sequence[Located], rows: Int64s | None, positions: Int64s) -> Int64s:
        """Read the fields that are not tagged. ``positions`` are the cursors of all rows; returns their
        new positions.
        """
        for entry in located:
            field = entry.field
            present = self.among(rows, field.versions)
            if field.tagged[0] <= field.tagged[1]:
                present = self.among(present, (0, field.tagged[0] - 1))
            if present is None:
                positions = self.value(entry, None, positions)
            elif len(present):
                positions = positions.copy()
                positions[present] = self.value(entry, present, positions[present])
        return positions

    def tagged_fields(self, located: Sequence[Located], positions: Int64s) -> Int64s:
        """Read the tag sections that begin at ``positions``; returns the positions after them."""
        counts, positions = read_varints(self.octets, positions)
        self.odd |= counts > _MAX_TAGS
        known = [entry for entry in located if entry.field.tagged[0] <= entry.field.tagged[1]]
        number = 0
        rows = np.flatnonzero((counts > 0) & ~self.odd)
        while len(rows):
            tags, begin = read_varints(self.octets, positions[rows])
            sizes, begin = read_varints(self.octets, begin)
            ends = begin + sizes
            for entry in known:
                chosen = np.flatnonzero(tags == entry.field.tag)
                if len(chosen):
                    self.tagged(entry, rows[chosen], begin[chosen], ends[chosen])
            positions[rows] = ends
            number += 1
            rows = rows[counts[rows] > number]
        return positions

    def tagged(self, entry: Located, rows: Int64s, begin: Int64s, ends: Int64s) -> None:
        """Read one tagged field for the rows that have it. If a tag comes twice, the later one counts."""
        allowed = self.among(None, entry.field.tagged)
        if allowed is not None:
            self.odd[np.setdiff1d(rows, allowed)] = True
        after = self.value(entry, rows, begin)
        self.odd[rows[after != ends]] = True

    # -- values --------------------------------------------------------------------------------------------------------

    def value(self, entry: Located, rows: Int64s | None, positions: Int64s) -> Int64s:
        """Read one field at these positions, which are those of ``rows``; returns the positions after it."""
        field = entry.field
        if entry.sizes is None:
            _put(entry.starts, entry, "starts", rows, positions)
            return positions + SIZES[field.type]
        coded, begin = read_varints(self.octets, positions)
        sizes = coded - 1
        self.check_sizes(field, rows, sizes)
        _put(entry.starts, entry, "starts", rows, begin)
        _put(entry.sizes, entry, "sizes", rows, sizes)
        real: Int64s = np.maximum(sizes, 0)
        if not field.array:
            return begin + real
        if field.type in SIZES:
            return begin + real * SIZES[field.type]
        return self.elements(entry, rows, begin, real)

    def check_sizes(self, field: FieldView, rows: Int64s | None, sizes: Int64s) -> None:
        """Mark the rows in which a field has a size that is not allowed."""
        bad = np.zeros(len(sizes), np.bool_)
        if field.type == "string" and not field.array:
            bad |= sizes > MAX_STRING_LENGTH
        null = np.flatnonzero(sizes < 0)
        if len(null):
            versions = (self.versions if rows is None else self.versions[rows])[null]
            bad[null] |= (versions < field.nullable[0]) | (versions > field.nullable[1])
        if field.array and field.type not in SIZES:
            bad |= sizes > _MAX_ELEMENTS
        if bad.any():
            self.odd[bad if rows is None else rows[bad]] = True

    def elements(self, entry: Located, rows: Int64s | None, positions: Int64s, counts: Int64s) -> Int64s:
        """Read the elements of arrays: the first ones of all arrays, then the second ones. Returns the positions after
        them.
        """
        everyone = np.arange(len(self.versions)) if rows is None else rows
        counts = np.where(self.odd[everyone], 0, counts)
        firsts = np.cumsum(counts) - counts
        total = int(counts.sum())
        field = entry.field
        entry.elements = tuple(_unset(part, total) for part in _element_fields(field))
        walk = _Walk(self.octets, np.repeat(self.versions[everyone], counts))
        number = 0
        positions = positions.copy()
        active = np.flatnonzero(counts)
        while len(active):
            at = firsts[active] + number
            cursors = np.zeros(total, np.int64)
            cursors[at] = positions[active]
            cursors = walk.plain_fields(entry.elements, at, cursors)
            if field.type == "struct":
                # Elements have tag sections of their own, which are empty until a release defines tags for them.
                walk.odd[at[self.octets.take(cursors[at], mode="clip") != 0]] = True
                cursors[at] += 1
            positions[active] = cursors[at]
            number += 1
            active = active[counts[active] > number]
        owners = np.repeat(everyone, counts)
        self.odd[owners[walk.odd]] = True
        return positions


def _put(column: Int64s, entry: Located, name: str, rows: Int64s | None, values: Int64s) -> None:
    if rows is None:
        setattr(entry, name, values)
    else:
        column[rows] = values
