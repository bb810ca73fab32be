"""From the bytes of a segment, a snapshot or a fetch response to Arrow record batches, fast.

A record takes this way: `scan` finds the batches, a few MiB of them at a time, and `frames` finds the records in all
of these. This module sorts the records by type and drops those that nobody wants. `fields` finds the fields of all
records of a type, and `arrays` makes columns of the fields that are wanted. Each step is a number of numpy and Arrow
calls that does not depend on the number of records, so that a record costs little more than its bytes.

Records and batches that are not ordinary (damaged, of an unknown type or version, or of a rare form) do not take this
way. They become rows in `rows`, one at a time, by kafkaproto's codecs. At the end both kinds of rows are merged in the
order of the log.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.messages import SnapshotHeaderRecord
from kafkaproto.primitives import Buffer
from kafkaproto.records.batch import CONTROL_BIT, Record, RecordBatchView
from kafkaproto.records.control import decode_control_record
from kafkaproto.records.metadata import FRAME_VERSION
from kafkaproto_pipeline.decoding import rows, scan
from kafkaproto_pipeline.decoding.arrays import BadTextError, Builder, Spread
from kafkaproto_pipeline.decoding.common_columns import CommonColumns, Places
from kafkaproto_pipeline.decoding.fields import Located, can_locate, has_text, locate
from kafkaproto_pipeline.decoding.frames import Flags, find_records
from kafkaproto_pipeline.decoding.payload import can_write, json_texts
from kafkaproto_pipeline.decoding.pieces import LogPiece, pieces
from kafkaproto_pipeline.decoding.scan import Int64s, steps
from kafkaproto_pipeline.generated.records import RECORDS
from kafkaproto_pipeline.inspection import Fault
from kafkaproto_pipeline.record_views import RecordView
from kafkaproto_pipeline.views.wanted import (
    DROPMALFORMED,
    FAILFAST,
    PAYLOAD_COLUMN,
    CorruptInputError,
    Origin,
    Plan,
    Wanted,
)

__all__ = ["CorruptInputError", "Origin", "Wanted", "decode", "fault_rows", "snapshot_timestamp_ms"]

MAX_ROWS = 128 * 1024
"""Most rows of a record batch, not counting the few that damage of a batch adds."""

_METADATA_CODES = np.full(128, -1, np.int64)
_CONTROL_CODES = np.full(128, -1, np.int64)
"""Index in `RECORDS` of each record type; -1 for unknown ones."""
for _code, _record in enumerate(RECORDS):
    (_CONTROL_CODES if _record.control else _METADATA_CODES)[_record.type] = _code
_LOWEST_VERSIONS = np.array([record.versions[0] for record in RECORDS])
_HIGHEST_VERSIONS = np.array([record.versions[1] for record in RECORDS])
_CONTROL_KEY_BYTES = 4


def decode(
    buffer: Buffer,
    *,
    position: int,
    origin: Origin,
    wanted: Wanted,
    next_offset: int | None,
    expects_more: bool,
) -> Iterator[pa.RecordBatch]:
    """The rows of the record batches in a buffer, in the order of the bytes. The buffer begins with a batch.

    ``position`` is that of the buffer's first byte in its file. ``next_offset`` is the offset that the first batch
    must have (a snapshot counts its offsets from 0); None allows any. With ``expects_more``, an incomplete batch at
    the end is left alone: the caller passes its bytes again, together with the rest of them.

    Without ``expects_more``, an incomplete batch is damage, as is everything else that is no valid batch or record.
    The mode decides what happens to damage. Raises CorruptInputError in mode FAILFAST only, ViewError for a column or
    view that does not exist.

    In mode PERMISSIVE, a record is not parsed if nobody wants its type or fields. So its damage is not noticed, unless
    the column ``_corrupt_record`` is wanted.
    """
    plan = Plan(wanted)
    buffer = memoryview(buffer).cast("B")
    time_ms = origin.snapshot_timestamp_ms
    if origin.snapshot is not None and time_ms is None:
        time_ms = snapshot_timestamp_ms(buffer)
    reader = rows.RowReader(plan, origin, position, time_ms)
    common = CommonColumns(plan, origin, time_ms)
    for step in steps(buffer, next_offset=next_offset, expects_more=expects_more):
        for piece in pieces(buffer, step):
            for found in _PieceDecoder(buffer, piece, plan, reader, common).batches():
                if found.num_rows:
                    yield found


def fault_rows(fault: Fault, origin: Origin, wanted: Wanted) -> Iterator[pa.RecordBatch]:
    """The row of damage that was found before anything was decoded; none in mode DROPMALFORMED.

    Raises CorruptInputError in mode FAILFAST, unless the fault is a torn end.
    """
    plan = Plan(wanted)
    reader = rows.RowReader(plan, origin, 0, origin.snapshot_timestamp_ms)
    row = reader.fault(scan.Fault(position=fault.position, offset=fault.offset, reason=fault.reason), 0)
    is_dropped = wanted.mode == DROPMALFORMED or (fault.is_torn and wanted.mode == FAILFAST)
    if not is_dropped:
        rows.refuse_damage(plan, origin, [row])
        yield rows.build(plan, origin, [row])


def snapshot_timestamp_ms(buffer: Buffer) -> int | None:
    """The last contained log timestamp of a snapshot, from its first bytes; None if these hold no valid header."""
    try:
        batch = RecordBatchView(buffer, 0)
        batch.check()
        record = next(batch.records(), None)
        if record is None or not batch.is_control:
            return None
        _, message = decode_control_record(record.key, record.value)
    except RemoteProtocolError:
        return None
    return message.last_contained_log_timestamp if isinstance(message, SnapshotHeaderRecord) else None


@dataclass(slots=True, kw_only=True)
class _Chosen:
    """The records that are wanted and not odd so far, one array for each field."""

    at: Int64s
    """For each of them, its index among the piece's records."""
    codes: Int64s
    """Index of its type in `RECORDS`; -1 if it is not known."""
    versions: Int64s
    starts: Int64s
    """The position at which its message begins."""
    ends: Int64s
    slow: Flags
    """Whether it is left to the slow way."""


class _PieceDecoder:
    def __init__(
        self, buffer: Buffer, piece: LogPiece, plan: Plan, reader: rows.RowReader, common: CommonColumns
    ) -> None:
        self.buffer = buffer
        self.piece = piece
        self.plan = plan
        self.reader = reader
        self.common = common
        self.records = find_records(piece.octets, piece.bodies)
        self.places = common.places(piece, self.records)
        self.builder = Builder(piece.octets)
        self.located: dict[int, tuple[Int64s, tuple[Located, ...]]] = {}
        """For each code: which of the chosen records have that type, and their fields."""

    def batches(self) -> Iterator[pa.RecordBatch]:
        """All wanted rows of the piece, in order."""
        at = np.flatnonzero(self.common.in_range(self.places))
        between = sorted(self.rows_between_records(), key=lambda row: row.order)
        for start in range(0, max(1, len(at)), MAX_ROWS):
            end = start + MAX_ROWS
            is_last = end >= len(at)
            count = len(between)
            if not is_last:
                count = bisect_left(between, self.order(at[end]), key=lambda row: row.order)
            yield self.batch(at[start:end], between[:count])
            del between[:count]

    def batch(self, at: Int64s, between: list[rows.DecodedRow]) -> pa.RecordBatch:
        """The rows of these records, and of the faults between them."""
        chosen = self.identified(at)
        self.keep_wanted_types(chosen)
        self.located = {}
        for code in np.unique(chosen.codes[~chosen.slow]).tolist():
            self.locate(code, chosen)
        while True:
            fast = np.flatnonzero(~chosen.slow)
            try:
                columns = self.columns(chosen, fast)
                break
            except BadTextError as error:
                chosen.slow[error.rows] = True
                self.locate(int(chosen.codes[error.rows[0]]), chosen)
        made = pa.RecordBatch.from_arrays(columns, schema=self.plan.schema)
        slow = [*between, *self.slow_records(chosen.at[chosen.slow])]
        return self.together(made, chosen.at[fast], slow)

    # -- which type and version ----------------------------------------------------------------------------------------

    def identified(self, at: Int64s) -> _Chosen:
        """Type and version of these records, from their frames. Records whose frame is not plain are left to the slow
        way.
        """
        records = self.records
        starts = records.value_starts[at]
        ends = starts + records.value_sizes[at]
        take = self.piece.octets.take
        frame, kind, version = (take(starts + index, mode="clip").astype(np.int64) for index in range(3))
        plain = (frame == FRAME_VERSION) & (kind < 0x80) & (version < 0x80) & (ends >= starts + 3)
        codes = np.where(plain, _METADATA_CODES[kind & 0x7F], -1)
        starts = starts + 3
        control = np.flatnonzero(self.piece.headers.attributes[records.batches[at]] & CONTROL_BIT)
        if len(control):
            keys = records.key_starts[at[control]]
            key = [take(keys + index, mode="clip").astype(np.int64) for index in range(_CONTROL_KEY_BYTES)]
            starts[control] -= 3
            value = starts[control]
            high, low = (take(value + index, mode="clip").astype(np.int64) for index in range(2))
            plain = (key[0] + key[1] + key[2] == 0) & (key[3] < 0x80) & (high == 0) & (low < 0x80)
            plain &= (records.key_sizes[at[control]] >= _CONTROL_KEY_BYTES) & (ends[control] >= value + 2)
            codes[control] = np.where(plain, _CONTROL_CODES[key[3] & 0x7F], -1)
            version[control] = low
        known = (version >= _LOWEST_VERSIONS[codes]) & (version <= _HIGHEST_VERSIONS[codes]) & (codes >= 0)
        return _Chosen(at=at, codes=codes, versions=version, starts=starts, ends=ends, slow=~known)

    def keep_wanted_types(self, chosen: _Chosen) -> None:
        """Drop records of types that are not wanted. The slow way finds the types of records that are not plain."""
        if self.plan.record_types is None:
            return
        wanted = np.array([self.plan.wants_rows_of(record.name) for record in RECORDS])
        kept = np.flatnonzero(wanted[chosen.codes] | (chosen.codes < 0))
        chosen.at, chosen.codes, chosen.versions = chosen.at[kept], chosen.codes[kept], chosen.versions[kept]
        chosen.starts, chosen.ends, chosen.slow = chosen.starts[kept], chosen.ends[kept], chosen.slow[kept]

    def locate(self, code: int, chosen: _Chosen) -> None:
        """Find the fields of all chosen records of a type, if they are needed."""
        record = RECORDS[code]
        if not self.plan.parses(record.name):
            return
        while True:
            which = np.flatnonzero((chosen.codes == code) & ~chosen.slow)
            if not can_locate(record.fields) or (self.plan.has_payload and not can_write(record.fields)):
                chosen.slow[which] = True
                return
            starts, ends, versions = chosen.starts[which], chosen.ends[which], chosen.versions[which]
            located, odd = locate(record.fields, self.piece.octets, starts, ends, versions)
            if not odd.any():
                self.located[code] = which, located
                return
            chosen.slow[which[odd]] = True

    # -- columns -------------------------------------------------------------------------------------------------------

    def columns(self, chosen: _Chosen, fast: Int64s) -> list[pa.Array]:
        """The columns of the records that are not slow."""
        at = chosen.at[fast]
        places = Places(offsets=self.places.offsets[at], timestamps=self.places.timestamps[at])
        batches, codes, versions = self.records.batches[at], chosen.codes[fast], chosen.versions[fast]
        made = self.message_columns(chosen, fast)
        columns = []
        for field in self.plan.schema:
            column = made.get(field.name)
            if column is None:
                column = self.common.column(field.name, self.piece, places, batches, codes, versions)
            columns.append(pa.nulls(len(fast), field.type) if column is None else column)
        return columns

    def message_columns(self, chosen: _Chosen, fast: Int64s) -> dict[str, pa.Array]:
        """The columns that hold fields of records. Raises BadTextError, with places among the chosen records."""
        ranks = np.cumsum(~chosen.slow) - 1
        made: dict[str, pa.Array] = {}
        texts: list[pa.Array] = []
        for code, (which, located) in self.located.items():
            spread = Spread(rows=ranks[which] if len(which) < len(fast) else None, count=len(fast))
            try:
                if self.plan.has_payload:
                    texts.append(json_texts(self.builder, located, chosen.versions[which]))
                else:
                    made |= self.columns_of_type(RECORDS[code], located, spread)
            except BadTextError as error:
                raise BadTextError(which[error.rows]) from None
        if texts:
            order = np.argsort(np.concatenate([which for which, _ in self.located.values()]))
            made[PAYLOAD_COLUMN] = pa.concat_arrays(texts).take(pa.array(order))
        return made

    def columns_of_type(
        self, record: RecordView, located: tuple[Located, ...], spread: Spread
    ) -> dict[str, pa.Array]:
        names = [field.name for field in self.plan.fields_of(record)]
        if self.plan.checks:
            for entry in located:
                if entry.field.name not in names and has_text(entry.field):
                    # No column needs it, but texts that are not UTF-8 have to be found.
                    self.builder.column(entry, spread)
        if not names:
            return {}
        by_name = {entry.field.name: entry for entry in located}
        wanted = [by_name[name] for name in names]
        if self.plan.struct_columns():
            return {record.name: self.builder.struct(wanted, spread)}
        return {entry.field.name: self.builder.column(entry, spread) for entry in wanted}

    # -- the slow way --------------------------------------------------------------------------------------------------

    def together(self, made: pa.RecordBatch, at: Int64s, slow: list[rows.DecodedRow]) -> pa.RecordBatch:
        """The finished rows of these records and those of the slow way, merged in order."""
        slow = [row for row in slow if rows.is_wanted(self.plan, row)]
        if not slow:
            return made
        rows.refuse_damage(self.plan, self.reader.origin, slow)
        orders = np.concatenate((self.order(at), [row.order for row in slow]))
        table = pa.Table.from_batches([made, rows.build(self.plan, self.reader.origin, slow)])
        (batch,) = table.take(np.argsort(orders, kind="stable")).combine_chunks().to_batches()
        return batch

    def order(self, at: Any) -> Any:
        """The places of records among the rows of the piece."""
        return rows.order_of(self.records.batches[at], self.records.numbers[at])

    def rows_between_records(self) -> Iterator[rows.DecodedRow]:
        """The rows of faults, and of odd batches."""
        for before, fault in self.piece.faults:
            yield self.reader.fault(fault, before)
        for batch in np.flatnonzero(self.records.odd).tolist():
            yield from self.reader.batch(self.view(batch), batch)

    def slow_records(self, at: Int64s) -> Iterator[rows.DecodedRow]:
        records, octets = self.records, self.piece.octets
        for index in at.tolist():
            batch, number = int(records.batches[index]), int(records.numbers[index])
            parts: list[bytes | None] = []
            for start, size in (
                (int(records.key_starts[index]), int(records.key_sizes[index])),
                (int(records.value_starts[index]), int(records.value_sizes[index])),
            ):
                parts.append(None if size < 0 else octets[start : start + size].tobytes())
            place = int(self.places.offsets[index]), int(self.places.timestamps[index])
            record = Record(*place, parts[0], parts[1], ())
            row = self.reader.record(self.view(batch), record, rows.order_of(batch, number))
            if row is not None:
                yield row

    def view(self, batch: int) -> RecordBatchView:
        """The view of the batch in the buffer."""
        return RecordBatchView(self.buffer, int(self.piece.headers.positions[batch]))
