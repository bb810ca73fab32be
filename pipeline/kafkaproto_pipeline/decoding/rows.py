"""Makes rows one by one with kafkaproto's codecs. This is the slow way, which is right by construction.

`columns` uses it for everything that it does not decode itself: batches and records of a rare form, damaged ones, and
types or versions that this release does not know. Tests compare the fast way with this one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

from kafkaproto import uuids
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.message import Message
from kafkaproto.messages import message_class
from kafkaproto.primitives import read_unsigned_varint
from kafkaproto.records.batch import Record, RecordBatchView
from kafkaproto.records.metadata import FRAME_VERSION
from kafkaproto_pipeline.decoding.scan import Fault
from kafkaproto_pipeline.generated.records import RECORDS
from kafkaproto_pipeline.record_views import FieldView, RecordView
from kafkaproto_pipeline.views.schema import CORRUPT_COLUMN
from kafkaproto_pipeline.views.wanted import (
    DROPMALFORMED,
    FAILFAST,
    PAYLOAD_COLUMN,
    CorruptInputError,
    Origin,
    Plan,
    is_wanted_offset,
)

METADATA_VIEWS = {record.type: record for record in RECORDS if not record.control}
CONTROL_VIEWS = {record.type: record for record in RECORDS if record.control}

MAX_VERSION = 0x7FFF
"""Versions are int16; a record with a larger version is damaged."""
MAX_TIMESTAMP_MS = (1 << 63) // 1000 - 1
"""The largest timestamp that Spark, which counts microseconds, can hold. Larger ones become null, as -1 does."""

_CONTROL_KEY = Struct(">hh")
_CONTROL_KEY_VERSION = 0
_INT16 = Struct(">h")


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """The reason why a row is corrupt."""

    position: int
    """Position of the batch in the file."""
    offset: int | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedRow:
    order: int
    """The row's place among the rows of its piece."""
    offset: int | None
    snapshot_index: int | None
    epoch: int | None
    timestamp_ms: int | None
    is_control: bool | None
    record_type: str | None = None
    record_version: int | None = None
    record: RecordView | None = None
    message: Message | None = None
    raw: bytes | None = None
    damage: Damage | None = None


def order_of(batch: Any, record: Any) -> Any:
    """The place of a record within its piece, for ints or for arrays of them; record -1 comes before the first."""
    return (batch << 32) + record + 1


class RowReader:
    """Turns batches and faults into rows."""

    def __init__(self, plan: Plan, origin: Origin, position: int, snapshot_time_ms: int | None) -> None:
        self._plan = plan
        self.origin = origin
        self._position = position
        self._snapshot_time_ms = snapshot_time_ms

    def fault(self, fault: Fault, batch: int) -> DecodedRow:
        """The row of a fault that comes before a batch of the step."""
        damage = Damage(position=self._position + fault.position, offset=fault.offset, reason=fault.reason)
        return self._row(order_of(batch, -1), fault.offset, None, None, None, damage=damage)

    def batch(self, view: RecordBatchView, index: int) -> Iterator[DecodedRow]:
        """All rows of a batch, as far as it can be read."""
        number = 0
        try:
            for number, record in enumerate(view.records(), 1):
                row = self.record(view, record, order_of(index, number - 1))
                if row is not None:
                    yield row
        except RemoteProtocolError as error:
            yield self._broken(view, order_of(index, number), view.base_offset + number, str(error.reason))

    def record(self, view: RecordBatchView, record: Record, order: int) -> DecodedRow | None:
        """The row of a record; None if it is of a type that is not wanted."""
        damage: Damage | None = None
        values: dict[str, Any] = {}
        try:
            if not view.base_offset <= record.offset <= view.last_offset:
                raise RemoteProtocolError(f"offset {record.offset} lies outside of its batch")
            values = self._control(record) if view.is_control else self._metadata(record)
            name = values["record_type"]
            if not self._plan.wants_rows_of(name):
                return None
            self._decode(values)
        except RemoteProtocolError as error:
            damage = self._damage(
                view, record.offset, error.reason if error.where is None else f"{error.where}: {error.reason}"
            )
        values.pop("body", None)
        return self._row(
            order,
            record.offset,
            view.partition_leader_epoch,
            record.timestamp,
            view.is_control,
            damage=damage,
            **values,
        )

    def _metadata(self, record: Record) -> dict[str, Any]:
        value = record.value
        if value is None:
            raise RemoteProtocolError("a metadata record has no value")
        frame_version, position = read_unsigned_varint(value, 0)
        if frame_version != FRAME_VERSION:
            raise RemoteProtocolError(
                f"frame version {frame_version} is unknown, only {FRAME_VERSION} is known"
            )
        number, position = read_unsigned_varint(value, position)
        version, position = read_unsigned_varint(value, position)
        return _identified(METADATA_VIEWS.get(number), number, version, value, position)

    def _control(self, record: Record) -> dict[str, Any]:
        key, value = record.key, record.value
        if key is None or len(key) < _CONTROL_KEY.size:
            raise RemoteProtocolError("the key of a control record has two int16, version and type")
        if value is None or len(value) < _INT16.size:
            raise RemoteProtocolError("a control record has no value")
        key_version, number = _CONTROL_KEY.unpack_from(key)
        (version,) = _INT16.unpack_from(value)
        view = CONTROL_VIEWS.get(number) if key_version == _CONTROL_KEY_VERSION else None
        return _identified(view, number, version, value, 0)

    def _decode(self, values: dict[str, Any]) -> None:
        record: RecordView | None = values["record"]
        if record is None or not self._plan.parses(record.name):
            return
        data, start = values["body"]
        message, end = message_class(record.name).decode(data, values["record_version"], start)
        if end != len(data):
            raise RemoteProtocolError(f"{len(data) - end} bytes follow the record", where=record.name)
        values["message"] = message

    def _broken(self, view: RecordBatchView, order: int, offset: int, reason: str) -> DecodedRow:
        damage = self._damage(view, offset, reason)
        return self._row(order, offset, view.partition_leader_epoch, None, view.is_control, damage=damage)

    def _damage(self, view: RecordBatchView, offset: int, reason: str) -> Damage:
        return Damage(position=self._position + view.position, offset=offset, reason=reason)

    def _row(
        self,
        order: int,
        offset: int | None,
        epoch: int | None,
        timestamp_ms: int | None,
        is_control: bool | None,
        *,
        damage: Damage | None,
        **values: Any,
    ) -> DecodedRow:
        snapshot_index = None
        if self.origin.snapshot is not None:
            end_offset, epoch = self.origin.snapshot
            snapshot_index, offset, timestamp_ms = offset, end_offset - 1, self._snapshot_time_ms
        return DecodedRow(
            order=order,
            offset=offset,
            snapshot_index=snapshot_index,
            epoch=epoch,
            timestamp_ms=timestamp_ms,
            is_control=is_control,
            damage=damage,
            **values,
        )


def is_wanted(plan: Plan, row: DecodedRow) -> bool:
    """Whether a row lies in the wanted ranges of offset and time, and is not dropped because it is corrupt."""
    wanted = plan.wanted
    if row.offset is not None and not is_wanted_offset(wanted, row.offset):
        return False
    if row.timestamp_ms is not None:
        if wanted.start_timestamp_ms is not None and row.timestamp_ms < wanted.start_timestamp_ms:
            return False
        if wanted.end_timestamp_ms is not None and row.timestamp_ms >= wanted.end_timestamp_ms:
            return False
    return row.damage is None or wanted.mode != DROPMALFORMED


def refuse_damage(plan: Plan, origin: Origin, rows: Sequence[DecodedRow]) -> None:
    """In mode FAILFAST, raise CorruptInputError for the first corrupt row."""
    if plan.wanted.mode != FAILFAST:
        return
    for row in sorted(rows, key=lambda row: row.order):
        if row.damage is not None:
            damage = row.damage
            offset = "" if damage.offset is None else f", offset {damage.offset}"
            raise CorruptInputError(
                f"{origin.directory}/{origin.file}: byte {damage.position}{offset}: {damage.reason}"
            )


def build(plan: Plan, origin: Origin, rows: Sequence[DecodedRow]) -> pa.RecordBatch:
    """The rows as a record batch of the plan's schema."""
    arrays = []
    for field in plan.schema:
        maker = _COMMON.get(field.name)
        if maker is not None:
            values = [maker(plan, origin, row) for row in rows]
        else:
            values = [_message_value(plan, field.name, row) for row in rows]
        arrays.append(pa.array(values, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=plan.schema)


def plain(field: FieldView, value: Any) -> Any:
    """The value of a message's field in the form that pyarrow takes."""
    if value is None:
        return None
    if field.array:
        return [_element(field, element) for element in value]
    return _element(field, value)


def payload_text(message: Message, version: int) -> str:
    """Kafka's JSON of a message, on one line without spaces."""
    return json.dumps(message.to_json(version), separators=(",", ":"), ensure_ascii=False)


def _element(field: FieldView, value: Any) -> Any:
    if field.type == "struct":
        return {part.name: plain(part, getattr(value, part.attribute)) for part in field.fields}
    if field.type == "uuid":
        return uuids.to_text(value)
    return bytes(value) if field.type == "bytes" else value


def _message_value(plan: Plan, column: str, row: DecodedRow) -> Any:
    if row.message is None or row.record is None or row.record_version is None:
        return None
    if column == PAYLOAD_COLUMN:
        return payload_text(row.message, row.record_version)
    if plan.struct_columns():
        if column != row.record.name:
            return None
        return {
            part.name: plain(part, getattr(row.message, part.attribute))
            for part in plan.fields_of(row.record)
        }
    (field,) = (field for field in row.record.fields if field.name == column)
    return plain(field, getattr(row.message, field.attribute))


def _identified(
    record: RecordView | None, number: int, version: int, data: bytes, start: int
) -> dict[str, Any]:
    """Type and version of a record. An unknown record keeps its bytes."""
    if not 0 <= version <= MAX_VERSION:
        raise RemoteProtocolError(f"a record cannot have version {version}")
    found: dict[str, Any] = {"record": record, "record_version": version, "body": (data, start)}
    found["record_type"] = str(number) if record is None else record.name
    if record is not None and not record.versions[0] <= version <= record.versions[1]:
        found["record"] = record = None
    if record is None:
        found["raw"] = data
    return found


def _committed(plan: Plan, origin: Origin, row: DecodedRow) -> bool | None:
    if row.offset is None:
        return None
    return origin.snapshot is not None or row.offset < plan.wanted.committed_end


def _timestamp_us(row: DecodedRow) -> int | None:
    milliseconds = row.timestamp_ms
    if milliseconds is None or milliseconds == -1 or abs(milliseconds) > MAX_TIMESTAMP_MS:
        return None
    return milliseconds * 1000


def _corrupt(origin: Origin, row: DecodedRow) -> dict[str, Any] | None:
    if row.damage is None:
        return None
    damage = row.damage
    return {
        "file": origin.file,
        "position": damage.position,
        "offset": damage.offset,
        "reason": damage.reason,
    }


_COMMON: dict[str, Callable[[Plan, Origin, DecodedRow], Any]] = {
    "clusterId": lambda plan, origin, row: origin.cluster_id,
    "nodeId": lambda plan, origin, row: origin.node_id,
    "directory": lambda plan, origin, row: origin.directory,
    "directoryId": lambda plan, origin, row: origin.directory_id,
    "file": lambda plan, origin, row: origin.file,
    "source": lambda plan, origin, row: origin.source,
    "offset": lambda plan, origin, row: row.offset,
    "snapshotIndex": lambda plan, origin, row: row.snapshot_index,
    "partitionLeaderEpoch": lambda plan, origin, row: row.epoch,
    "timestamp": lambda plan, origin, row: _timestamp_us(row),
    "isControl": lambda plan, origin, row: row.is_control,
    "recordType": lambda plan, origin, row: row.record_type,
    "recordVersion": lambda plan, origin, row: row.record_version,
    "committed": _committed,
    "raw": lambda plan, origin, row: row.raw,
    CORRUPT_COLUMN: lambda plan, origin, row: _corrupt(origin, row),
}
