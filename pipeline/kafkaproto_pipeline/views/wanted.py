"""What a caller wants decoded, and what it knows of the bytes' origin; and the plan that follows from both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa  # type: ignore[import-untyped]

from kafkaproto_pipeline.generated.records import RECORDS
from kafkaproto_pipeline.record_views import FieldView, RecordView
from kafkaproto_pipeline.views.schema import (
    CORRUPT_COLUMN,
    RECORD_VIEWS,
    RECORDS_VIEW,
    TYPED_VIEW,
    arrow_schema,
    check_record_types,
    chosen_fields,
    members,
)

PERMISSIVE = "PERMISSIVE"
"""Damaged input becomes a row that says so."""
DROPMALFORMED = "DROPMALFORMED"
"""Damaged input is left out."""
FAILFAST = "FAILFAST"
"""Damaged input is an error."""
MODES = (PERMISSIVE, DROPMALFORMED, FAILFAST)

PAYLOAD_COLUMN = "payload"


class CorruptInputError(ValueError):
    """The input is damaged and must not be, as in mode FAILFAST; the text names file, byte position and offset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The origin of a buffer's bytes. The first columns of its rows show it."""

    cluster_id: str | None
    node_id: int | None
    directory: str
    directory_id: str | None
    file: str | None
    source: str
    """``log`` or ``snapshot``."""
    snapshot: tuple[int, int] | None
    """End offset and epoch of the snapshot; None if the bytes are of a log."""
    snapshot_timestamp_ms: int | None = None
    """Last contained log timestamp of the snapshot's header. Needed only if the buffer does not begin
    with the header.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which rows and columns a caller wants."""

    view: str
    columns: tuple[str, ...]
    """Names of the view's columns, in the order wanted; ``PartitionRecord.leader`` for one field of a struct column."""
    record_types: tuple[str, ...] | None
    """Rows of these types only; None for all."""
    start_offset: int
    end_offset: int | None
    """Exclusive; None for no end."""
    start_timestamp_ms: int | None
    end_timestamp_ms: int | None
    """Exclusive."""
    committed_end: int
    """Log records below this offset are committed."""
    committed_only: bool = False
    """Leave out records of files that are not known to be committed."""
    shows_secrets: bool = False
    """In the views of `STATE_TABLES`: do not hide them."""
    mode: str


class Plan:
    """The consequences of a `Wanted`, computed once for each call."""

    def __init__(self, wanted: Wanted) -> None:
        if wanted.mode not in MODES:
            raise ValueError(f"mode {wanted.mode!r} is not one of {', '.join(MODES)}")
        check_record_types(wanted.record_types)
        self.wanted = wanted
        self.schema: pa.Schema = arrow_schema(wanted.view, None, wanted.columns)
        self.names = members(wanted.columns)
        types = wanted.record_types
        if wanted.view in RECORD_VIEWS:
            types = tuple(name for name in (wanted.view,) if types is None or name in types)
        self.record_types: frozenset[str] | None = None if types is None else frozenset(types)
        """Types whose rows are wanted; None for all, including unknown ones."""
        self.checks = wanted.mode != PERMISSIVE or CORRUPT_COLUMN in self.names
        """Whether every wanted record is parsed, even if none of its columns is wanted."""

    def wants_rows_of(self, name: str) -> bool:
        """Whether rows of this type are wanted."""
        return self.record_types is None or name in self.record_types

    def parses(self, name: str) -> bool:
        """Whether messages of this type are parsed, or only their frame."""
        return self.wants_rows_of(name) and (
            self.checks or self.has_payload or bool(self.fields_of(RECORD_VIEWS[name]))
        )

    @property
    def has_payload(self) -> bool:
        """Whether the message is wanted as JSON."""
        return self.wanted.view == RECORDS_VIEW and PAYLOAD_COLUMN in self.names

    def fields_of(self, record: RecordView) -> tuple[FieldView, ...]:
        """The wanted fields of a record type, in the order of their columns or struct members."""
        if self.wanted.view == TYPED_VIEW:
            return chosen_fields(record, self.names[record.name]) if record.name in self.names else ()
        if self.wanted.view == record.name:
            return chosen_fields(record, [field.name for field in record.fields if field.name in self.names])
        return ()

    def struct_columns(self) -> Sequence[RecordView]:
        """The record types that have a column of their own."""
        if self.wanted.view != TYPED_VIEW:
            return ()
        return tuple(record for record in RECORDS if record.name in self.names)


def is_wanted_offset(wanted: Wanted, offset: int) -> bool:
    """Whether an offset lies in the range. The last offset of a snapshot which ends at 0 is -1; a range that begins at
    0 includes it.
    """
    return max(offset, 0) >= wanted.start_offset and (wanted.end_offset is None or offset < wanted.end_offset)
