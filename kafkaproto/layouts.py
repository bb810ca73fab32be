"""The fixed binary layouts of a log's files, declared once with `construct`.

They are for tools that show bytes field by field, and for tests that compare the fast readers with a second
implementation. This code is a hundred times slower than the fast readers, and slow to import. So nothing that serves
requests or replays a log imports it.

`record_batch` parses a batch down to its records unless they are compressed. Checksums are shown, not checked.
"""

from __future__ import annotations

from construct import (  # type: ignore[import-untyped]
    Array,
    BitsInteger,
    BitStruct,
    Bytes,
    Flag,
    FocusedSeq,
    If,
    Int8sb,
    Int16sb,
    Int32sb,
    Int32ub,
    Int64sb,
    Padding,
    Prefixed,
    Rebuild,
    Struct,
    Terminated,
    ZigZag,
    this,
)

HEADER_BYTES_COUNTED = 49
"""Bytes of a batch's header that its length field counts."""

nullable_bytes = FocusedSeq(
    "data",
    "length" / Rebuild(ZigZag, lambda context: -1 if context.data is None else len(context.data)),
    "data" / If(this.length >= 0, Bytes(this.length)),
)

record_header = Struct("key" / nullable_bytes, "value" / nullable_bytes)

record = Prefixed(
    ZigZag,
    Struct(
        "attributes" / Int8sb,
        "timestamp_delta" / ZigZag,
        "offset_delta" / ZigZag,
        "key" / nullable_bytes,
        "value" / nullable_bytes,
        "header_count" / Rebuild(ZigZag, lambda context: len(context.headers)),
        "headers" / Array(this.header_count, record_header),
        Terminated,
    ),
)

attributes = BitStruct(
    Padding(9),
    "has_delete_horizon" / Flag,
    "is_control" / Flag,
    "is_transactional" / Flag,
    "timestamp_type" / BitsInteger(1),
    "compression" / BitsInteger(3),
)

record_batch_header = Struct(
    "base_offset" / Int64sb,
    "batch_length" / Int32sb,
    "partition_leader_epoch" / Int32sb,
    "magic" / Int8sb,
    "crc" / Int32ub,
    "attributes" / attributes,
    "last_offset_delta" / Int32sb,
    "base_timestamp" / Int64sb,
    "max_timestamp" / Int64sb,
    "producer_id" / Int64sb,
    "producer_epoch" / Int16sb,
    "base_sequence" / Int32sb,
    "record_count" / Int32sb,
)

record_batch = Struct(
    "header" / record_batch_header,
    "compressed"
    / If(this.header.attributes.compression, Bytes(this.header.batch_length - HEADER_BYTES_COUNTED)),
    "records" / If(this.header.attributes.compression == 0, Array(this.header.record_count, record)),
)

control_record_key = Struct("version" / Int16sb, "type" / Int16sb)

offset_index_entry = Struct("relative_offset" / Int32sb, "position" / Int32sb)

time_index_entry = Struct("timestamp" / Int64sb, "relative_offset" / Int32sb)

transaction_index_entry = Struct(
    "version" / Int16sb,
    "producer_id" / Int64sb,
    "first_offset" / Int64sb,
    "last_offset" / Int64sb,
    "last_stable_offset" / Int64sb,
)

producer_snapshot_entry = Struct(
    "producer_id" / Int64sb,
    "producer_epoch" / Int16sb,
    "last_sequence" / Int32sb,
    "last_offset" / Int64sb,
    "offset_delta" / Int32sb,
    "timestamp" / Int64sb,
    "coordinator_epoch" / Int32sb,
    "current_transaction_first_offset" / Int64sb,
)

producer_snapshot_head = Struct("version" / Int16sb, "crc" / Int32ub, "entry_count" / Int32sb)

PRODUCER_SNAPSHOT_CRC_END = 6
"""End of the crc; it covers all bytes after it."""

producer_snapshot = Struct(
    "version" / Int16sb,
    "crc" / Int32ub,
    "entry_count" / Rebuild(Int32sb, lambda context: len(context.entries)),
    "entries" / Array(this.entry_count, producer_snapshot_entry),
)
"""A ``.snapshot`` file: the log's state of its producers. The crc covers what follows it."""
