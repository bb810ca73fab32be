"""Logs for tests of the decoder, and the slow way as the fast way's oracle."""

from __future__ import annotations

import random
import struct
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

from kafkaproto.message import Message
from kafkaproto.messages import message_class
from kafkaproto.records.batch import (
    HEADER_SIZE,
    LENGTH_END,
    NewRecord,
    RecordBatchView,
    build_batch,
    iterate_batches,
)
from kafkaproto.records.crc32c import crc32c
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto_pipeline.decoding import rows
from kafkaproto_pipeline.decoding.columns import Origin, Wanted, decode, snapshot_timestamp_ms
from kafkaproto_pipeline.decoding.scan import steps
from kafkaproto_pipeline.generated.records import RECORDS
from kafkaproto_pipeline.record_views import RecordView
from kafkaproto_pipeline.views.schema import columns_of
from kafkaproto_pipeline.views.wanted import PERMISSIVE, Plan
from tests.messages.support.random_messages import random_message

TIME_MS = 1_760_000_000_000

LOG = Origin(
    cluster_id="cluster",
    node_id=1,
    directory="/data/__cluster_metadata-0",
    directory_id="AAAAAAAAAAAAAAAAAAAAAg",
    file="00000000000000000000.log",
    source="log",
    snapshot=None,
)

SNAPSHOT = Origin(
    cluster_id=None,
    node_id=None,
    directory="/data/__cluster_metadata-0",
    directory_id=None,
    file="00000000000000000100-0000000003.checkpoint",
    source="snapshot",
    snapshot=(100, 3),
)


def wanted(view: str, columns: tuple[str, ...] | None = None, **changes: Any) -> Wanted:
    """All rows and columns of a view, but for what is said otherwise."""
    values: dict[str, Any] = {
        "view": view,
        "columns": tuple(column.name for column in columns_of(view)) if columns is None else columns,
        "record_types": None,
        "start_offset": 0,
        "end_offset": None,
        "start_timestamp_ms": None,
        "end_timestamp_ms": None,
        "committed_end": 0,
        "mode": PERMISSIVE,
    }
    return Wanted(**(values | changes))


def decoded(buffer: bytes, want: Wanted, origin: Origin = LOG, **changes: Any) -> list[dict[str, Any]]:
    """The rows of a whole file."""
    values: dict[str, Any] = {"position": 0, "next_offset": None, "expects_more": False}
    batches = list(decode(buffer, origin=origin, wanted=want, **(values | changes)))
    for batch in batches:
        batch.validate(full=True)
    found: list[dict[str, Any]] = pa.Table.from_batches(batches, Plan(want).schema).to_pylist()
    return found


def decoded_slowly(buffer: bytes, want: Wanted, origin: Origin = LOG, **changes: Any) -> list[dict[str, Any]]:
    """The same, every row by kafkaproto's codecs."""
    values: dict[str, Any] = {"position": 0, "next_offset": None, "expects_more": False}
    values |= changes
    plan = Plan(want)
    reader = rows.RowReader(plan, origin, values["position"], snapshot_timestamp_ms(buffer))
    found = []
    for step in steps(buffer, next_offset=values["next_offset"], expects_more=values["expects_more"]):
        entries = [reader.fault(fault, before) for before, fault in step.faults]
        for index, start in enumerate(step.headers.positions.tolist()):
            entries.extend(reader.batch(RecordBatchView(buffer, start), index))
        found += sorted((row for row in entries if rows.is_wanted(plan, row)), key=lambda row: row.order)
    rows.refuse_damage(plan, origin, found)
    built: list[dict[str, Any]] = rows.build(plan, origin, found).to_pylist()
    return built


def encoded(record: RecordView, message: Message, version: int) -> NewRecord:
    """The record of a message of one of the types that a metadata log can hold."""
    if not record.control:
        return NewRecord(None, encode_metadata_record(message, version))
    # A control record's value begins with the message's own field for its version.
    message.version = version  # type: ignore[attr-defined]
    return NewRecord(struct.pack(">hh", 0, record.type), message.encode(version))


def random_records(rng: random.Random, record: RecordView, count: int) -> list[tuple[Message, int]]:
    """Random messages of one type, each at a random version."""
    kind = message_class(record.name)
    versions = [rng.randint(*record.versions) for _ in range(count)]
    return [(random_message(kind, version, rng), version) for version in versions]


def random_log(rng: random.Random, records: list[tuple[RecordView, Message, int]], **arguments: Any) -> bytes:
    """The records, in their order, in batches of random sizes; control records have batches of their own."""
    batches = []
    offset = 0
    while records:
        control = records[0][0].control
        count = 1
        while (
            count < min(len(records), rng.choice((1, 1, 2, 3, 40))) and records[count][0].control == control
        ):
            count += 1
        entries = [encoded(*entry) for entry in records[:count]]
        del records[:count]
        batch = build_batch(
            entries,
            base_offset=offset,
            partition_leader_epoch=rng.randrange(5),
            timestamp_ms=TIME_MS + offset,
            control=control,
            compression=rng.choice(arguments.get("compressions", (0,))),
            timestamp_type=rng.choice((0, 0, 0, 1)),
        )
        batches.append(batch)
        offset += count
    return b"".join(batches)


def with_right_crcs(log: bytes) -> bytes:
    """The log with the crc of each batch as its bytes want it, for bytes that were changed on purpose."""
    fixed = bytearray(log)
    for batch in iterate_batches(log):
        start, end = batch.position, batch.position + batch.size_in_bytes
        struct.pack_into(">I", fixed, start + 17, crc32c(bytes(fixed[start + 21 : end])))
    return bytes(fixed)


def record_bytes(log: bytes) -> list[int]:
    """Positions of all bytes that are no part of a batch's header."""
    found: list[int] = []
    for batch in iterate_batches(log):
        found.extend(range(batch.position + HEADER_SIZE, batch.position + batch.size_in_bytes))
    return found


def all_types(rng: random.Random, count: int) -> list[tuple[RecordView, Message, int]]:
    """Random records of random types."""
    found = []
    for _ in range(count):
        record = rng.choice(RECORDS)
        ((message, version),) = random_records(rng, record, 1)
        found.append((record, message, version))
    return found


def complete_size(buffer: bytes) -> int:
    """How many bytes at the start of a buffer are whole batches, going by their lengths alone."""
    position = 0
    while len(buffer) - position >= HEADER_SIZE:
        size = LENGTH_END + int.from_bytes(buffer[position + LENGTH_END - 4 : position + LENGTH_END], "big")
        if size > len(buffer) - position:
            break
        position += size
    return position
