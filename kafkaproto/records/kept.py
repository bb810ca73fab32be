"""The records of a stored batch, as compaction goes through them, and the batch that is left of them.

Compaction looks at keys and offsets, and drops records. So values and headers are skipped here, and never become
objects: a record may have 65,536 headers, and a batch a million records. What is kept is copied as it is, but for its
timestamp delta. Besides the decompressed records, this takes memory for what is kept of them, and a byte for each
record. `record` describes the bytes.

Apache Kafka has this in MemoryRecords.filterTo.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.primitives import read_unsigned_varint, read_varint, read_varlong, wrap_int64
from kafkaproto.records.batch import (
    COMPRESSION_MASK,
    DELETE_HORIZON_BIT,
    TIMESTAMP_TYPE_BIT,
    BatchHeader,
    RecordBatchView,
    sealed,
)
from kafkaproto.records.compression import MAX_DECOMPRESSED_BYTES, compress
from kafkaproto.records.record import MIN_RECORD_SIZE, encode_length, start_of_record
from kafkaproto.records.survey import after_bytes, after_headers, is_null


class StoredRecord(NamedTuple):
    """What compaction asks about a record."""

    offset: int
    key: bytes | None
    is_tombstone: bool
    """Whether it has no value."""


_new_tuple = tuple.__new__
"""Makes a `StoredRecord` without the constructor of the named tuple, as in `record`."""


def _key(data: bytes, position: int) -> tuple[bytes | None, int]:
    end = after_bytes(data, position)
    if is_null(data, position):
        return None, end
    return data[read_unsigned_varint(data, position)[1] : end], end


class StoredRecords:
    """The records of one batch. They are decompressed once, and read one by one as often as they are asked for."""

    def __init__(self, batch: RecordBatchView, max_decompressed_bytes: int = MAX_DECOMPRESSED_BYTES) -> None:
        """Raises RemoteProtocolError if they cannot be decompressed, or to more than ``max_decompressed_bytes``."""
        self._header = batch.header()
        self._data = batch.plain_records(max_decompressed_bytes)

    def __iter__(self) -> Iterator[StoredRecord]:
        """Raises RemoteProtocolError between two records, if the bytes do not hold as many as the header says, or an
        offset is not one of the batch's: the cleaner would take it for that of another record."""
        header, data = self._header, self._data
        key: bytes | None
        size, count, last_delta = len(data), header.record_count, header.last_offset_delta
        if not 0 <= count * MIN_RECORD_SIZE <= size:
            raise self._damaged(f"{size} bytes cannot be {count} records")
        position = 0
        for index in range(count):
            try:
                # Varints of one byte are read in place where most have one: a call takes longer than all else here.
                length, position = read_varint(data, position)
                end = position + length
                # The byte that is skipped has the record's attributes, which mean nothing.
                if data[position + 1] < 0x80:
                    position += 2
                else:
                    _, position = read_varlong(data, position + 1)
                delta, position = read_varint(data, position)
                if not 0 <= delta <= last_delta:
                    raise RemoteProtocolError(
                        f"offset delta {delta} in a batch whose last one is {last_delta}"
                    )
                coded = data[position]
                if coded & 0x81 == 0:
                    start, position = position + 1, position + 1 + (coded >> 1)
                    key = data[start:position]
                else:
                    key, position = _key(data, position)
                coded = data[position]
                if coded & 0x81 == 0:
                    is_tombstone, position = False, position + 1 + (coded >> 1)
                else:
                    is_tombstone, position = is_null(data, position), after_bytes(data, position)
                position = after_headers(data, position) if data[position] else position + 1
            except IndexError:
                raise self._damaged(f"record {index}: the bytes end inside it") from None
            except RemoteProtocolError as error:
                raise self._damaged(f"record {index}: {error.reason}") from None
            if position != end or end > size:
                raise self._damaged(f"record {index}: its length does not fit its content")
            yield _new_tuple(StoredRecord, (header.base_offset + delta, key, is_tombstone))
        if position != size:
            raise self._damaged(f"{size - position} bytes follow the last record")

    def keep(self, is_kept: Sequence[int], *, delete_horizon_ms: int | None = None) -> bytes:
        """The batch with only those of its records whose item in ``is_kept`` is not 0, at least one. It has the same
        range of offsets, sequence numbers, attributes and compression. All records have to be read before.

        ``delete_horizon_ms`` is the new delete horizon; None leaves the one that the batch has, if any. Raises
        LocalProtocolError if the batch cannot be written.
        """
        header = self._header
        assert len(is_kept) == header.record_count, "all records were read"
        attributes, max_timestamp, base_timestamp = header.attributes, header.max_timestamp, None
        if delete_horizon_ms is not None:
            attributes |= DELETE_HORIZON_BIT
            base_timestamp = delete_horizon_ms
        elif attributes & DELETE_HORIZON_BIT:
            base_timestamp = header.base_timestamp
        body, base_timestamp, latest = self._encode(is_kept, base_timestamp)
        if not attributes & TIMESTAMP_TYPE_BIT:
            max_timestamp = latest
        packed = compress(attributes & COMPRESSION_MASK, body)
        count = len(is_kept) - is_kept.count(0)
        return _sealed(packed, header, attributes, base_timestamp, max_timestamp, count)

    def _encode(self, is_kept: Sequence[int], base_timestamp: int | None) -> tuple[bytes, int, int]:
        """The bytes of the records that are kept, the timestamp that their deltas count from (if there is none yet, the
        first record's) and the largest timestamp."""
        data, base_before = memoryview(self._data), self._header.base_timestamp
        append_time = self._header.max_timestamp if self._header.attributes & TIMESTAMP_TYPE_BIT else None
        latest: int | None = None
        out = bytearray()
        known_timestamp, start = None, b""
        end = 0
        for kept in is_kept:
            length, position = read_varint(data, end)
            end = position + length
            if not kept:
                continue
            delta, position = read_varlong(data, position + 1)
            timestamp = wrap_int64(base_before + delta) if append_time is None else append_time
            if base_timestamp is None:
                base_timestamp = timestamp
            if latest is None or timestamp > latest:
                latest = timestamp
            if timestamp != known_timestamp:
                known_timestamp, start = timestamp, start_of_record(timestamp, base_timestamp)
            out += encode_length(len(start) + end - position)
            out += start
            out += data[position:end]
        assert base_timestamp is not None, "a record is kept"
        assert latest is not None, "a record is kept"
        return bytes(out), base_timestamp, latest

    def _damaged(self, reason: str) -> RemoteProtocolError:
        error = RemoteProtocolError(reason)
        error.where = f"record batch with base offset {self._header.base_offset}"
        return error


def without_records(batch: RecordBatchView) -> bytes:
    """The header of a batch alone, as compaction leaves it for the sake of its offsets and sequence numbers."""
    header = batch.header()
    attributes = header.attributes & ~(COMPRESSION_MASK | DELETE_HORIZON_BIT)
    return _sealed(b"", header, attributes, -1, header.max_timestamp, 0)


def _sealed(
    body: bytes, header: BatchHeader, attributes: int, base_timestamp: int, max_timestamp: int, count: int
) -> bytes:
    """A batch with other records, and the rest of its header."""
    return sealed(
        body,
        header.base_offset,
        header.partition_leader_epoch,
        (
            attributes,
            header.last_offset_delta,
            base_timestamp,
            max_timestamp,
            header.producer_id,
            header.producer_epoch,
            header.base_sequence,
            count,
        ),
    )
