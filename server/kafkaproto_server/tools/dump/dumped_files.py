"""The contents of each kind of file for ``kafka-dump-log``: each item as a mapping, in the words of Kafka's tool.

`render` turns such a mapping into the line that Kafka's tool prints. A problem after which reading can continue is
reported at the end (`Problems`). Any other problem raises a `DumpError`.
"""

from __future__ import annotations

import json
import math
import os
import re
import struct
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from typing import Any

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.log import (
    OFFSET_INDEX_ENTRY,
    OFFSET_INDEX_SUFFIX,
    TIME_INDEX_ENTRY,
    TIME_INDEX_SUFFIX,
    parse_segment_file_name,
    segment_file_name,
)
from kafkaproto.records.batch import (
    LENGTH_END,
    MAGIC,
    MAGIC_OFFSET,
    Record,
    RecordBatchView,
    TimestampType,
)
from kafkaproto.records.compression import Compression
from kafkaproto.records.control import ControlRecordType, decode_control_record
from kafkaproto.records.crc32c import crc32c
from kafkaproto.records.legacy import LegacyBatchView, view_of_batch
from kafkaproto.records.metadata import decode_metadata_record
from kafkaproto_server.base.ports import Disk, File
from kafkaproto_server.tools.redaction import REDACTED, redacted

NO_LIMIT = 2**31 - 1
"""Kafka's default for --max-bytes."""

NO_OFFSET = 1 << 63
"""Larger than any offset."""

_MIN_BATCH_LENGTH = 14
_LENGTH = struct.Struct(">i")
_CAMEL_JOINT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]?")
"""What would be half of a UTF-16 pair if UTF-8 could hold one."""

_CONTROL_NAMES = {
    ControlRecordType.LEADER_CHANGE: "LeaderChange",
    ControlRecordType.SNAPSHOT_HEADER: "SnapshotHeader",
    ControlRecordType.SNAPSHOT_FOOTER: "SnapshotFooter",
    ControlRecordType.KRAFT_VERSION: "KRaftVersion",
    ControlRecordType.KRAFT_VOTERS: "KRaftVoters",
}

Item = Mapping[str, Any]
"""One item of a file: names as Kafka prints them, in Kafka's order."""


class DumpError(Exception):
    """A file cannot be read any further. The message names it."""


@dataclass(slots=True)
class Problems:
    """The problems of files that could be read, by path."""

    index_mismatches: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """(offset in the index, last offset of the batch there)."""
    time_mismatches: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """(timestamp in the index, latest timestamp of the batch)."""
    time_disorder: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """(timestamp in the index, the one before it)."""
    missing_offsets: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """(offset in the time index, last offset of the batch that holds it, -1 for none)."""
    gaps: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """(offset, the one that follows it)."""

    def lines(self) -> Iterator[tuple[str, str]]:
        """The report in the words of Kafka's tool: path and line."""
        for heading, line, found in (
            ("Mismatches in :{}", "  Index offset: {}, log offset: {}", self.index_mismatches),
            (
                "Found timestamp mismatch in :{}",
                "  Index timestamp: {}, log timestamp: {}",
                self.time_mismatches,
            ),
            (
                "Found out of order timestamp in :{}",
                "  Index timestamp: {}, Previously indexed timestamp: {}",
                self.time_disorder,
            ),
            (
                "The following indexed offsets are not found in :{}",
                "Indexed offset: {}, found log offset: {}",
                self.missing_offsets,
            ),
            ("Non-consecutive offsets in {}", "  {} is followed by {}", self.gaps),
        ):
            for path, pairs in found.items():
                yield path, heading.format(os.path.abspath(path))
                for pair in pairs:
                    yield path, line.format(*pair)


# -- batches and records ------------------------------------------------------------------------------------------


def batches_of(path: str, file: File, *, max_bytes: int = NO_LIMIT) -> Iterator[RecordBatchView]:
    """Every batch of a file, valid or not, of any format. Raises DumpError if there is none at a position.

    Each view has a buffer of its own; its position in the file is the sum of the sizes before it. A batch that is not
    whole in the first ``max_bytes``, or in the file, is left out.
    """
    position, end = 0, min(file.size(), max_bytes)
    while end - position > MAGIC_OFFSET:
        (length,) = _LENGTH.unpack(file.read_at(position + LENGTH_END - _LENGTH.size, _LENGTH.size))
        if length < _MIN_BATCH_LENGTH:
            raise DumpError(f"{path} at byte {position}: no record batch has length {length}")
        if position + LENGTH_END + length > end:
            return
        try:
            yield view_of_batch(file.read_at(position, LENGTH_END + length))
        except RemoteProtocolError as error:
            raise DumpError(f"{path} at byte {position}: {error}") from error
        position += LENGTH_END + length


def batch_item(batch: RecordBatchView, position: int) -> dict[str, Any]:
    """A batch's header, and whether it is valid."""
    try:
        batch.check()
        is_valid = True
    except RemoteProtocolError:
        is_valid = False
    place = {
        "position": position,
        _timestamp_name(batch.magic, batch.timestamp_type): batch.max_timestamp,
        "size": batch.size_in_bytes,
        "magic": batch.magic,
        "compresscodec": _compression_name(batch.compression),
        "crc": batch.crc,
        "isvalid": is_valid,
    }
    if batch.magic < MAGIC:
        return {"offset": batch.last_offset, **place}
    has_sequence = batch.base_sequence >= 0
    return {
        "baseOffset": batch.base_offset,
        "lastOffset": batch.last_offset,
        "count": batch.record_count,
        "baseSequence": batch.base_sequence,
        "lastSequence": _sequence(batch, batch.last_offset) if has_sequence else batch.base_sequence,
        "producerId": batch.producer_id,
        "producerEpoch": batch.producer_epoch,
        "partitionLeaderEpoch": batch.partition_leader_epoch,
        "isTransactional": batch.is_transactional,
        "isControl": batch.is_control,
        "deleteHorizonMs": batch.delete_horizon_ms,
        **place,
    }


def records_of(batch: RecordBatchView) -> Iterator[tuple[Record, Item]]:
    """The records of a batch, each with what is shown of it beside its key and value. Raises RemoteProtocolError."""
    if not isinstance(batch, LegacyBatchView):
        for record in batch.records():
            yield record, record_item(batch, record)
        return
    for record, magic, crc, is_valid in batch.messages():
        yield (
            record,
            {
                "offset": record.offset,
                _timestamp_name(magic, batch.timestamp_type): record.timestamp,
                "keySize": -1 if record.key is None else len(record.key),
                "valueSize": -1 if record.value is None else len(record.value),
                "isValid": is_valid,
                "crc": crc,
            },
        )


def record_item(batch: RecordBatchView, record: Record) -> dict[str, Any]:
    """A record without its key and value."""
    return {
        "offset": record.offset,
        _timestamp_name(batch.magic, batch.timestamp_type): record.timestamp,
        "keySize": -1 if record.key is None else len(record.key),
        "valueSize": -1 if record.value is None else len(record.value),
        "sequence": _sequence(batch, record.offset) if batch.base_sequence >= 0 else batch.base_sequence,
        "headerKeys": [key for key, _ in record.headers],
    }


def control_item(record: Record) -> dict[str, Any]:
    """The content of a control record; for an unknown kind, the reason why it cannot be shown."""
    try:
        record_type, message = decode_control_record(record.key, record.value)
    except RemoteProtocolError as error:
        return {"controlType": f"UNKNOWN({error})"}
    if record_type in (ControlRecordType.ABORT, ControlRecordType.COMMIT):
        return {
            "endTxnMarker": record_type.name,
            "coordinatorEpoch": message.to_json(0)["coordinatorEpoch"],
        }
    return {_CONTROL_NAMES[record_type]: message.to_json(0)}


def content_item(record: Record, *, secrets: bool) -> dict[str, Any]:
    """Key and value as text, without those that are null. Without ``secrets``, the value of a record that has secrets
    is hidden."""
    pairs = (("key", record.key), ("payload", record.value))
    item = {name: _as_java_reads(data) for name, data in pairs if data is not None}
    if not secrets and metadata_item(record, secrets=True) != metadata_item(record, secrets=False):
        item["payload"] = REDACTED
    return item


def _as_java_reads(data: bytes) -> str:
    """Bytes as text, with U+FFFD for what is no UTF-8: for a surrogate once, where Python has it for each byte."""
    return _SURROGATE.sub("\ufffd".encode(), data).decode("utf-8", "replace")


def metadata_item(record: Record, *, secrets: bool) -> dict[str, Any]:
    """A record of the metadata log, with or without its ``secrets``, or the reason why it cannot be shown."""
    try:
        message, version = decode_metadata_record(record.value or b"")
    except RemoteProtocolError as error:
        return {"payload": f"Error at {record.offset}, skipping. {error}"}
    name = _CAMEL_JOINT.sub("_", message.NAME).upper()
    data = message.to_json(version)
    return {
        "payload": {
            "type": name,
            "version": version,
            "data": data if secrets else redacted(message.NAME, data),
        }
    }


def _timestamp_name(magic: int, timestamp_type: TimestampType) -> str:
    if magic == 0:
        return "NoTimestampType"
    return "LogAppendTime" if timestamp_type is TimestampType.LOG_APPEND_TIME else "CreateTime"


def _sequence(batch: RecordBatchView, offset: int) -> int:
    """After the largest int32, sequence numbers continue at 0."""
    return (batch.base_sequence + offset - batch.base_offset) & 0x7FFF_FFFF


def _compression_name(compression: int) -> str:
    try:
        return Compression(compression).name.lower()
    except ValueError:
        return str(compression)


# -- indexes ------------------------------------------------------------------------------------------------------


def index_base_offset(path: str, suffix: str) -> int:
    """The base offset in an index's name; raises DumpError."""
    base = parse_segment_file_name(os.path.basename(path), suffix)
    if base is None:
        raise DumpError(f"{path}: its name is not that of a segment's {suffix} file")
    return base


def offset_index(disk: Disk, path: str) -> list[tuple[int, int]]:
    """(offset, position) of every entry, up to the preallocated zeros."""
    base = index_base_offset(path, OFFSET_INDEX_SUFFIX)
    entries = _entries(disk, path, OFFSET_INDEX_ENTRY)
    return [(base + relative_offset, position) for relative_offset, position in entries]


def time_index(disk: Disk, path: str) -> list[tuple[int, int]]:
    """(timestamp, offset) of every entry, up to the preallocated zeros."""
    base = index_base_offset(path, TIME_INDEX_SUFFIX)
    entries = _entries(disk, path, TIME_INDEX_ENTRY)
    return [(timestamp, base + relative_offset) for timestamp, relative_offset in entries]


def _entries(disk: Disk, path: str, layout: struct.Struct) -> list[tuple[int, int]]:
    data = disk.read_file(path)
    # A batch at position 0 has no entry, and neither has one with timestamp 0.
    entries = list(layout.iter_unpack(data[: len(data) - len(data) % layout.size]))
    while entries and entries[-1] == (0, 0):
        entries.pop()
    return entries


def check_index_is_sane(disk: Disk, path: str, entries: list[tuple[int, int]], layout_size: int) -> None:
    """Raise DumpError if an index cannot be used: it is torn, or its last entry is less than its first."""
    file = disk.open_read_only(path)
    try:
        size = file.size()
    finally:
        file.close()
    if size % layout_size:
        raise DumpError(f"{path}: {size} bytes are no whole number of entries of {layout_size} bytes")
    if entries and entries[-1] < entries[0]:
        raise DumpError(f"{path}: the last entry {entries[-1]} is less than the first one {entries[0]}")


def check_offset_index(
    disk: Disk, path: str, entries: list[tuple[int, int]], max_message_size: int, problems: Problems
) -> None:
    """Check the batch to which each entry points. Raises DumpError if there is none."""
    log_path = _log_of(path, OFFSET_INDEX_SUFFIX)
    file = disk.open_read_only(log_path)
    try:
        for offset, position in entries:
            try:
                batch = view_of_batch(file.read_at(position, max_message_size))
            except RemoteProtocolError as error:
                raise DumpError(f"{log_path} at byte {position}, which {path} points to: {error}") from error
            if batch.last_offset != offset:
                # The newest mismatch comes first.
                problems.index_mismatches.setdefault(path, []).insert(0, (offset, batch.last_offset))
    finally:
        file.close()


def check_time_index(disk: Disk, path: str, entries: list[tuple[int, int]], problems: Problems) -> None:
    """Check the batch that each entry names."""
    log_path = _log_of(path, TIME_INDEX_SUFFIX)
    file = disk.open_read_only(log_path)
    wanted = sorted({offset for _, offset in entries})
    latest: dict[int, int] = {}
    # By place in `wanted`: the least last offset of a batch that is larger than this one, but not than the next one.
    larger = [NO_OFFSET] * len(wanted)
    try:
        for batch in batches_of(log_path, file):
            last = batch.last_offset
            place = bisect_left(wanted, last)
            if place:
                larger[place - 1] = min(larger[place - 1], last)
            if place < len(wanted) and wanted[place] == last:
                latest[last] = batch.max_timestamp
    finally:
        file.close()
    before = -1
    for timestamp, offset in entries:
        if offset not in latest:
            holder = min(islice(larger, bisect_left(wanted, offset), None))
            holder = -1 if holder == NO_OFFSET else holder
            problems.missing_offsets.setdefault(path, []).append((offset, holder))
        elif latest[offset] != timestamp:
            problems.time_mismatches.setdefault(path, []).append((timestamp, latest[offset]))
        if timestamp <= before:
            problems.time_disorder.setdefault(path, []).append((timestamp, before))
        before = timestamp


def transaction_index(disk: Disk, path: str) -> Iterator[Item]:
    """The aborted transactions of a segment."""
    # Imported here, because construct takes a tenth of a second to import, and few files are of this kind.
    from kafkaproto.layouts import transaction_index_entry

    data = disk.read_file(path)
    size = transaction_index_entry.sizeof()
    if len(data) % size:
        raise DumpError(f"{path}: {len(data)} bytes are no whole number of entries")
    for start in range(0, len(data), size):
        entry = transaction_index_entry.parse(data[start : start + size])
        yield {
            "version": entry.version,
            "producerId": entry.producer_id,
            "firstOffset": entry.first_offset,
            "lastOffset": entry.last_offset,
            "lastStableOffset": entry.last_stable_offset,
        }


def _log_of(path: str, suffix: str) -> str:
    return os.path.join(os.path.dirname(path), segment_file_name(index_base_offset(path, suffix)))


# -- producer states ----------------------------------------------------------------------------------------------


def producer_state(disk: Disk, path: str) -> Iterator[Item]:
    """The producers in a snapshot of a log's producer states. Raises DumpError if it is damaged."""
    from kafkaproto.layouts import PRODUCER_SNAPSHOT_CRC_END, producer_snapshot_entry, producer_snapshot_head

    data = disk.read_file(path)
    head_size, entry_size = producer_snapshot_head.sizeof(), producer_snapshot_entry.sizeof()
    if len(data) < head_size:
        raise DumpError(f"{path}: {len(data)} bytes are no snapshot of producer states")
    head = producer_snapshot_head.parse(data)
    computed = crc32c(memoryview(data)[PRODUCER_SNAPSHOT_CRC_END:])
    if computed != head.crc:
        raise DumpError(f"{path}: the crc says {head.crc}, that of the content is {computed}")
    if head.version != 1 or len(data) != head_size + head.entry_count * entry_size:
        raise DumpError(
            f"{path}: {len(data)} bytes of version {head.version} are not {head.entry_count} producer states"
        )
    for start in range(head_size, len(data), entry_size):
        yield _producer_item(producer_snapshot_entry.parse(data[start : start + entry_size]))


def _producer_item(entry: Any) -> Item:
    first_offset = entry.current_transaction_first_offset
    item = {
        "producerId": entry.producer_id,
        "producerEpoch": entry.producer_epoch,
        "coordinatorEpoch": entry.coordinator_epoch,
        "currentTxnFirstOffset": None if first_offset < 0 else first_offset,
        "lastTimestamp": entry.timestamp,
    }
    if entry.last_offset >= 0:
        item |= {
            "firstSequence": (entry.last_sequence - entry.offset_delta) & 0x7FFF_FFFF,
            "lastSequence": entry.last_sequence,
            "lastOffset": entry.last_offset,
            "offsetDelta": entry.offset_delta,
            "timestamp": entry.timestamp,
        }
    return item


# -- text ---------------------------------------------------------------------------------------------------------


def render(item: Item) -> str:
    """The item as one line of ``name: value`` pairs."""
    return " ".join(f"{name}{_joint(name)} {_text(name, value)}" for name, value in item.items())


def _joint(name: str) -> str:
    # Kafka's tool omits the colon after these.
    return "" if name in _CONTROL_NAMES.values() and name != "LeaderChange" else ":"


def _text(name: str, value: Any) -> str:
    if name in ("deleteHorizonMs", "currentTxnFirstOffset"):
        return "OptionalLong.empty" if value is None else f"OptionalLong[{value}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{','.join(value)}]"
    return to_json(value) if isinstance(value, dict) else str(value)


def to_json(value: Any) -> str:
    """Compact JSON, with fractional numbers written as in Java."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{to_json(key)}:{to_json(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(to_json, value)) + "]"
    if isinstance(value, float):
        return java_double(value)
    return json.dumps(value, ensure_ascii=False)


def java_double(value: float) -> str:
    if not math.isfinite(value):
        return json.dumps(str(value))
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int), f"{value} is not finite"
    text = "".join(map(str, digits))
    return f"{'-' * sign}{text[0]}.{text[1:] or '0'}E{exponent + len(text) - 1}"
