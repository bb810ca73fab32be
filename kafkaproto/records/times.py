"""The offsets and timestamps of a batch's records, which a search by time goes through.

Keys, values and headers are skipped by the length of their record, so what lies in them costs nothing: a record may
have millions of headers. That they fit is not checked here. `record` describes the bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.primitives import read_unsigned_varint, read_varint, read_varlong, wrap_int64
from kafkaproto.records.batch import MAGIC, TIMESTAMP_TYPE_BIT, RecordBatchView
from kafkaproto.records.compression import MAX_DECOMPRESSED_BYTES
from kafkaproto.records.record import MIN_RECORD_SIZE


def record_times(
    batch: RecordBatchView, max_decompressed_bytes: int = MAX_DECOMPRESSED_BYTES
) -> Iterator[tuple[int, int]]:
    """Offset and timestamp of each record of a batch.

    Raises RemoteProtocolError, before the first record or between two, if the bytes do not hold as many records as the
    header says, or if they decompress to more than ``max_decompressed_bytes``.
    """
    if batch.magic < MAGIC:
        for record in batch.records(max_decompressed_bytes):
            yield record.offset, record.timestamp
        return
    data = batch.plain_records(max_decompressed_bytes)
    count, size = batch.record_count, len(data)
    if not 0 <= count * MIN_RECORD_SIZE <= size:
        raise _damaged(batch, f"{size} bytes cannot be {count} records")
    base_offset, base_timestamp = batch.base_offset, batch.base_timestamp
    append_time = batch.max_timestamp if batch.attributes & TIMESTAMP_TYPE_BIT else None
    position = 0
    for index in range(count):
        try:
            length, start = read_unsigned_varint(data, position)
            # Behind the attributes, which mean nothing.
            timestamp_delta, after = read_varlong(data, start + 1)
            offset_delta, after = read_varint(data, after)
        except RemoteProtocolError as error:
            raise _damaged(batch, f"record {index}: {error.reason}") from None
        position = start + (length >> 1)
        if length & 1 or not after <= position <= size:
            raise _damaged(batch, f"record {index}: its length does not fit")
        timestamp = wrap_int64(base_timestamp + timestamp_delta) if append_time is None else append_time
        yield base_offset + offset_delta, timestamp
    if position != size:
        raise _damaged(batch, f"{size - position} bytes follow the last record")


def _damaged(batch: RecordBatchView, reason: str) -> RemoteProtocolError:
    error = RemoteProtocolError(reason)
    error.where = f"record batch with base offset {batch.base_offset}"
    return error
