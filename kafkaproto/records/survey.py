"""What the records of a batch have in common, read in one pass that makes no object for a record.

A leader asks this about batches that producers send, if their topic has rules for single records: a compacted topic
wants keys, others bound the timestamps or the size of a record. `record` describes the bytes. Keys, values and headers
are skipped, only their lengths have to fit. That takes two thirds of the time of `record.read_records`.

Apache Kafka reads such records in ``DefaultRecord`` and ``PartialDefaultRecord``.
"""

from __future__ import annotations

from typing import NamedTuple

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.primitives import read_unsigned_varint, read_varlong
from kafkaproto.records.record import MAX_HEADERS

_MAX_INT32 = 2**31 - 1
_NO_LONG_IS_LARGER = 2**63 - 1
_NO_LONG_IS_SMALLER = -(2**63)
_NULL = 1
"""The length -1, zigzag-coded."""


class RecordSurvey(NamedTuple):
    """What `survey_records` found."""

    min_timestamp_delta: int
    """The smallest timestamp of the records, counted from the base timestamp of the batch, in milliseconds."""
    max_timestamp_delta: int
    """The largest one."""
    all_have_keys: bool
    """Whether no record has a null key. An empty key is a key."""


def survey_records(data: bytes, count: int, max_record_bytes: int = _MAX_INT32) -> RecordSurvey:
    """Go through the decompressed records of a batch.

    Raises RemoteProtocolError unless ``data`` are exactly ``count`` records (at least one), each one well formed and at
    most ``max_record_bytes`` long (without its length field), with offset deltas that count from 0.
    """
    assert count > 0, "a survey of no records"
    position = 0
    lowest, highest = _NO_LONG_IS_LARGER, _NO_LONG_IS_SMALLER
    all_have_keys = True
    for index in range(count):
        start = position
        try:
            # Lengths of one byte, and often of two, are read in place: a call takes longer than all else here.
            coded = data[position]
            position += 1
            if coded >= 0x80:
                if data[position] < 0x80:
                    coded = coded & 0x7F | data[position] << 7
                    position += 1
                else:
                    coded, position = read_unsigned_varint(data, start)
            end = position + (coded >> 1)
            if coded & 1 or coded >> 1 > max_record_bytes:
                raise _wrong_length(coded, start, max_record_bytes)
            # The byte that is skipped has the record's attributes, which mean nothing.
            coded = data[position + 1]
            if coded < 0x80:
                delta = coded >> 1 ^ -(coded & 1)
                position += 2
            else:
                delta, position = read_varlong(data, position + 1)
            if delta > highest:
                highest = delta
            if delta < lowest:
                lowest = delta
            coded = data[position]
            position += 1
            if coded >= 0x80:
                if data[position] < 0x80:
                    coded = coded & 0x7F | data[position] << 7
                    position += 1
                else:
                    coded, position = read_unsigned_varint(data, position - 1)
            if coded != index << 1:
                raise RemoteProtocolError("its offset does not follow the one before", offset=start)
            coded = data[position]
            if coded & 0x81 == 0:
                position += 1 + (coded >> 1)
            else:
                all_have_keys = all_have_keys and not is_null(data, position)
                position = after_bytes(data, position)
            coded = data[position]
            if coded & 0x81 == 0:
                position += 1 + (coded >> 1)
            elif coded & 0x81 == 0x80 and data[position + 1] < 0x80:
                position += 2 + ((coded & 0x7F) >> 1 | data[position + 1] << 6)
            else:
                position = after_bytes(data, position)
            position = after_headers(data, position) if data[position] else position + 1
            if position != end:
                raise RemoteProtocolError("its length does not fit its content", offset=start)
        except IndexError:
            raise RemoteProtocolError(f"record {index}: the bytes end inside it", offset=start) from None
        except RemoteProtocolError as error:
            error.reason = f"record {index}: {error.reason}"
            raise
    if position != len(data):
        raise RemoteProtocolError(f"{len(data) - position} bytes follow the last record", offset=position)
    return RecordSurvey(lowest, highest, all_have_keys)


def after_bytes(data: bytes, position: int) -> int:
    """The position after a nullable key or value, which may lie behind the end of ``data``."""
    coded = data[position]
    if coded < 0x80:
        position += 1
    else:
        coded, position = read_unsigned_varint(data, position)
    if coded & 1:
        if coded == 1:
            return position
        raise RemoteProtocolError(f"a key or value cannot have length {~(coded >> 1)}", offset=position - 1)
    return position + (coded >> 1)


def is_null(data: bytes, position: int) -> bool:
    """Whether a nullable key or value is null."""
    # A length may have more bytes than it needs, so its first byte alone does not tell.
    return read_unsigned_varint(data, position)[0] == _NULL


def after_headers(data: bytes, position: int) -> int:
    """The position after a record's headers, which may lie behind the end of ``data``."""
    start = position
    coded, position = read_unsigned_varint(data, position)
    if coded & 1 or coded >> 1 > MAX_HEADERS:
        raise RemoteProtocolError(f"allowed are 0 to {MAX_HEADERS} headers", offset=start)
    for _ in range(coded >> 1):
        # As above, without a call for what is short: a record may have many headers.
        coded = data[position]
        if coded & 0x81 == 0:
            position += 1 + (coded >> 1)
        else:
            if is_null(data, position):
                raise RemoteProtocolError("a header has no key", offset=position)
            position = after_bytes(data, position)
        coded = data[position]
        if coded & 0x81 == 0 or coded == _NULL:
            position += 1 + (coded >> 1)
        else:
            position = after_bytes(data, position)
    return position


def _wrong_length(coded: int, start: int, max_record_bytes: int) -> RemoteProtocolError:
    length = coded >> 1 ^ -(coded & 1)
    return RemoteProtocolError(
        f"a length of {length} bytes, allowed are 0 to {max_record_bytes}", offset=start
    )
