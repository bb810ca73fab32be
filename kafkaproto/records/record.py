"""Single records of a batch of magic 2, decompressed. They follow the batch's header in this form::

    length varint; attributes int8 (unused); timestamp delta varlong; offset delta varint;
    key length varint (-1 null), key; value length varint (-1 null), value;
    header count varint; per header: key length varint, key (UTF-8), value length varint (-1 null), value

All varints are zigzag-coded; the length counts what follows it. A timestamp and the one of its batch may be so far
apart that the delta is no int64. Then the delta wraps, and so does the sum, as Java's arithmetic does: the reader gets
the timestamp that the writer had.

This is the inner loop of every log that is read or written. So varints of one byte, and often of two, are decoded in
place; only longer ones cost a call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.primitives import (
    Buffer,
    read_unsigned_varint,
    read_varint,
    read_varlong,
    wrap_int64,
    write_varint,
    write_varlong,
)

MAX_HEADERS = 65_536
"""Most headers that a record may have; each takes at least two bytes of a log and thirty times as much memory."""

MIN_RECORD_SIZE = 7
"""A record takes at least one byte for each of length, attributes, two deltas, two lengths and header count."""
_NULL_LENGTH = b"\x01"
"""-1, zigzag-coded."""
_NO_HEADERS = b"\x00"

_MIN_INT64 = -(2**63)
_MAX_INT64 = 2**63 - 1
_SHORT_DELTAS = 64
"""A varint of one byte holds the numbers from -64 to 63."""

_SMALL_LIMIT = 2048
_SMALL_VARINTS = [bytes((n << 1,)) for n in range(64)] + [
    bytes((n << 1 & 0x7F | 0x80, n >> 6)) for n in range(64, _SMALL_LIMIT)
]
"""The zigzag-coded varint of each number from 0 up to the limit, which covers most lengths and deltas."""

NewHeader = tuple[str, Buffer | None]
"""Key and value of a header to encode."""


class Record(NamedTuple):
    """One record as read from a batch."""

    offset: int
    timestamp: int
    """Milliseconds since the epoch; -1 if the producer set none."""
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]
    """Keys and values. Bytes of a key that are not UTF-8 become surrogate escapes."""


class NewRecord(NamedTuple):
    """One record to put into a batch."""

    key: Buffer | None
    value: Buffer | None
    headers: Sequence[NewHeader] = ()
    timestamp_ms: int | None = None
    """None means the timestamp of the batch."""


_new_tuple = tuple.__new__
"""Makes a `Record` without the constructor of the named tuple, which costs a tenth of the time."""

PlainRecord = tuple[Buffer | None, Buffer | None, Sequence[NewHeader]]
"""Key, value and headers of a record to encode, which gets the timestamp of the batch."""


def read_records(
    data: bytes, count: int, base_offset: int, base_timestamp: int, append_time: int | None
) -> Iterator[Record]:
    """Exactly ``count`` records that fill ``data``, one after the other.

    If ``append_time`` is not None, it replaces the timestamp of each record. Raises RemoteProtocolError as soon as the
    bytes do not fit; its offset is counted in ``data``.
    """
    size, position = len(data), 0
    if not 0 <= count * MIN_RECORD_SIZE <= size:
        raise RemoteProtocolError(f"{size} bytes cannot be {count} records", offset=0)
    short_limit = _short_delta_limit(base_timestamp)
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]
    for index in range(count):
        start = position
        try:
            length = data[position]
            position += 1
            if length >= 0x80:
                if data[position] < 0x80:
                    length = length & 0x7F | data[position] << 7
                    position += 1
                else:
                    length, position = read_unsigned_varint(data, start)
            end = position + (length >> 1)
            coded = data[position + 1]
            if coded < short_limit:
                timestamp = base_timestamp + (coded >> 1 ^ -(coded & 1))
                position += 2
            else:
                timestamp, position = _long_timestamp(data, position + 1, base_timestamp)
            coded = data[position]
            position += 1
            if coded >= 0x80:
                if data[position] < 0x80:
                    coded = coded & 0x7F | data[position] << 7
                    position += 1
                else:
                    coded, position = read_unsigned_varint(data, position - 1)
            offset = base_offset + (coded >> 1 ^ -(coded & 1))
            if data[position] == 1:
                key = None
                position += 1
            else:
                key, position = _read_bytes(data, position)
            coded = data[position]
            if coded & 0x81 == 0x80 and data[position + 1] < 0x80:
                # The length takes two bytes and is not negative.
                value_start = position + 2
                position = value_start + ((coded & 0x7F) >> 1 | data[position + 1] << 6)
                value = data[value_start:position]
            else:
                value, position = _read_bytes(data, position)
            if data[position] == 0:
                headers = ()
                position += 1
            else:
                headers, position = _read_headers(data, position)
            if position != end or length & 1:
                raise RemoteProtocolError("its length does not fit its content", offset=start)
        except IndexError:
            raise RemoteProtocolError(f"record {index}: the bytes end inside it", offset=start) from None
        except RemoteProtocolError as error:
            error.reason = f"record {index}: {error.reason}"
            raise
        timestamp = timestamp if append_time is None else append_time
        yield _new_tuple(Record, (offset, timestamp, key, value, headers))
    if position != size:
        raise RemoteProtocolError(f"{size - position} bytes follow the last record", offset=position)


def _short_delta_limit(base_timestamp: int) -> int:
    """If the first byte of a timestamp delta is below this, it is all of the delta, and the timestamp is an int64."""
    return 0x80 if _MIN_INT64 + _SHORT_DELTAS <= base_timestamp <= _MAX_INT64 - _SHORT_DELTAS else 0


def _long_timestamp(data: bytes, position: int, base_timestamp: int) -> tuple[int, int]:
    delta, position = read_varlong(data, position)
    timestamp = base_timestamp + delta
    if not _MIN_INT64 <= timestamp <= _MAX_INT64:
        timestamp = wrap_int64(timestamp)
    return timestamp, position


def encode_records(
    records: Sequence[NewRecord | PlainRecord], base_timestamp: int, batch_timestamp: int
) -> tuple[bytes, int]:
    """The bytes of at least one record, with offset deltas that count from 0, and the largest timestamp.

    Raises LocalProtocolError if a timestamp is no int64, a length does not fit in its varint, or a header key is not
    text.
    """
    join = b"".join
    parts: list[bytes] = []
    append = parts.append
    batch_start = start_of_record(batch_timestamp, base_timestamp)
    max_timestamp = timestamp_of(records[0], batch_timestamp)
    for delta, record in enumerate(records):
        key, value, headers = record[:3]
        timestamp = timestamp_of(record, batch_timestamp)
        if timestamp == batch_timestamp:
            # Nearly all records of the metadata log have the batch's timestamp, so its bytes are
            # made once.
            start = batch_start
        else:
            start = start_of_record(timestamp, base_timestamp)
        if timestamp > max_timestamp:
            max_timestamp = timestamp
        offset_delta = _SMALL_VARINTS[delta] if delta < _SMALL_LIMIT else _varint(delta)
        if key is None:
            key_length = _NULL_LENGTH
            key = b""
        else:
            length = len(key)
            key_length = _SMALL_VARINTS[length] if length < _SMALL_LIMIT else _varint(length)
        if value is None:
            value_length = _NULL_LENGTH
            value = b""
        else:
            length = len(value)
            value_length = _SMALL_VARINTS[length] if length < _SMALL_LIMIT else _varint(length)
        encoded_headers = _encode_headers(headers) if headers else _NO_HEADERS
        body = join((start, offset_delta, key_length, key, value_length, value, encoded_headers))
        length = len(body)
        append(_SMALL_VARINTS[length] if length < _SMALL_LIMIT else _varint(length))
        append(body)
    return join(parts), max_timestamp


def encode_kept_records(records: Sequence[Record], base_offset: int, base_timestamp: int) -> bytes:
    """The bytes of records that were read from a batch, for a batch with this base offset and base timestamp: each one
    keeps its offset and its timestamp."""
    join = b"".join
    parts: list[bytes] = []
    for offset, timestamp, key, value, headers in records:
        body = join(
            (
                start_of_record(timestamp, base_timestamp),
                encode_length(offset - base_offset),
                _NULL_LENGTH if key is None else encode_length(len(key)),
                key or b"",
                _NULL_LENGTH if value is None else encode_length(len(value)),
                value or b"",
                _encode_headers(headers) if headers else _NO_HEADERS,
            )
        )
        parts.append(encode_length(len(body)))
        parts.append(body)
    return join(parts)


def timestamp_of(record: NewRecord | PlainRecord, batch_timestamp: int) -> int:
    """The record's own timestamp; if it has none, that of the batch."""
    if len(record) == 4 and record[3] is not None:
        return record[3]
    return batch_timestamp


def _read_bytes(data: bytes, position: int) -> tuple[bytes | None, int]:
    coded = data[position]
    if coded < 0x80:
        start = position + 1
    else:
        coded, start = read_unsigned_varint(data, position)
    if coded & 1:
        if coded == 1:
            return None, start
        raise RemoteProtocolError(f"a key or value cannot have length {~(coded >> 1)}", offset=position)
    end = start + (coded >> 1)
    # A slice beyond the end would be shorter, without any error.
    if end > len(data):
        raise RemoteProtocolError(
            f"a key or value of {coded >> 1} bytes where {len(data) - start} are left", offset=position
        )
    return data[start:end], end


def _read_headers(data: bytes, position: int) -> tuple[tuple[tuple[str, bytes | None], ...], int]:
    start = position
    count, position = read_varint(data, position)
    if not 0 <= count <= MAX_HEADERS:
        raise RemoteProtocolError(f"{count} headers, allowed are 0 to {MAX_HEADERS}", offset=start)
    headers: list[tuple[str, bytes | None]] = []
    for _ in range(count):
        start = position
        key, position = _read_bytes(data, position)
        if key is None:
            raise RemoteProtocolError("a header has no key", offset=start)
        value, position = _read_bytes(data, position)
        headers.append((key.decode("utf-8", "surrogateescape"), value))
    return tuple(headers), position


def start_of_record(timestamp: int, base_timestamp: int) -> bytes:
    """Attributes and timestamp delta of a record. Raises LocalProtocolError if the timestamp is no int64."""
    delta = timestamp - base_timestamp
    if 0 <= delta < _SMALL_LIMIT and timestamp <= _MAX_INT64:
        return b"\0" + _SMALL_VARINTS[delta]
    if not _MIN_INT64 <= timestamp <= _MAX_INT64:
        raise LocalProtocolError(f"timestamp {timestamp} does not fit in a signed 64-bit integer")
    out = bytearray(1)
    write_varlong(out, wrap_int64(delta))
    return bytes(out)


def _encode_headers(headers: Sequence[NewHeader]) -> bytes:
    out = bytearray()
    write_varint(out, len(headers))
    for key, value in headers:
        try:
            key_bytes = key.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise LocalProtocolError(f"header key {key!r} cannot be encoded as UTF-8") from None
        write_varint(out, len(key_bytes))
        out += key_bytes
        if value is None:
            out += _NULL_LENGTH
        else:
            write_varint(out, len(value))
            out += value
    return bytes(out)


def encode_length(value: int) -> bytes:
    """A varint. Raises LocalProtocolError if the number does not fit in 32 bits."""
    return _SMALL_VARINTS[value] if 0 <= value < _SMALL_LIMIT else _varint(value)


def _varint(value: int) -> bytes:
    out = bytearray()
    write_varint(out, value)
    return bytes(out)
