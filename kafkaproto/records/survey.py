"""What the records of a batch have in common, read in one pass that makes no object for a record.

A leader asks this about every batch that a producer sends: whether it holds the records that its header claims, and
which timestamps and keys they have. `record` describes the bytes. Keys, values and headers are skipped, only their
lengths have to fit. That takes two thirds of the time of `record.read_records`.

Producers often send records of one size. So when two records in a row have the same size, the ones behind them are
compared with them all at once: the bytes of a field of all these records are one slice with a step. Records that are
alike but for their keys, values, timestamps and offsets cost a tenth of a microsecond or less each that way.

Apache Kafka reads such records in ``DefaultRecord`` and ``PartialDefaultRecord``.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import NamedTuple, TypeAlias

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.primitives import Buffer, read_unsigned_varint, read_varint, read_varlong, write_varint
from kafkaproto.records.record import MAX_HEADERS

_MAX_INT32 = 2**31 - 1
_NO_LONG_IS_LARGER = 2**63 - 1
_NO_LONG_IS_SMALLER = -(2**63)
_NULL = 1
"""The length -1, zigzag-coded."""
_STEP_UNITS = 512
"""Records and headers that are read in one step, at most half a millisecond."""
_STEP_HEADERS = 4096
"""Of a record with more headers, so many are read in one step."""
_FEW_RECORDS = 16
"""A comparison of many records takes as long as to read some. If it finds fewer alike, the next one waits for as
many."""
_ONE_BYTE_DELTAS = 64
_TWO_BYTE_DELTAS = 8192
"""The first offset delta that does not fit in so many bytes; from there on a record is larger by one."""
_NOTHING_ALIKE = (0, _NO_LONG_IS_LARGER, _NO_LONG_IS_SMALLER)
_SHORT_DELTAS = bytes(range(0, 2 * _ONE_BYTE_DELTAS, 2))
"""Offset deltas of one byte each, zigzag-coded, by their number."""
_LOW_BYTES = bytes(delta << 1 & 0x7F | 0x80 for delta in range(_TWO_BYTE_DELTAS))
_SINGLE = [bytes((byte,)) for byte in range(256)]
_HIGH_BYTES = bytes(delta >> 6 for delta in range(_TWO_BYTE_DELTAS))
"""The two bytes of those that need two."""


class RecordSurvey(NamedTuple):
    """What `survey_records` found."""

    min_timestamp_delta: int
    """The smallest timestamp of the records, counted from the base timestamp of the batch, in milliseconds."""
    max_timestamp_delta: int
    """The largest one."""
    all_have_keys: bool
    """Whether no record has a null key. An empty key is a key."""


_Steps: TypeAlias = Generator[None, None, RecordSurvey]


class ReadingBudget:
    """How many records and headers may still be read for one peer."""

    __slots__ = ("units",)

    def __init__(self, units: int = _NO_LONG_IS_LARGER) -> None:
        self.units = units
        """Of records and headers together."""


class OverBudgetError(RemoteProtocolError):
    """There are more records and headers than the budget allows."""


def survey_records(
    data: Buffer, count: int, max_record_bytes: int = _MAX_INT32, budget: ReadingBudget | None = None
) -> _Steps:
    """Go through the decompressed records of a batch, some hundred records and headers in each step, and take what was
    read from the budget.

    Raises RemoteProtocolError unless ``data`` are exactly ``count`` records (at least one), each one well formed and at
    most ``max_record_bytes`` long (without its length field), with offset deltas that count from 0. It is an
    OverBudgetError if the budget ends before.
    """
    assert count > 0, "a survey of no records"
    budget = ReadingBudget() if budget is None else budget
    progress = _Progress(budget.units - count)
    if progress.left < 0:
        raise OverBudgetError(f"{count} records and their headers are more than may be read")
    try:
        result = yield from _survey(data, count, max_record_bytes, progress)
    except IndexError:
        reason = f"record {progress.index}: the bytes end inside it"
        raise RemoteProtocolError(reason, offset=progress.start) from None
    except RemoteProtocolError as error:
        error.reason = f"record {progress.index}: {error.reason}"
        if error.offset is None:
            error.offset = progress.start
        raise
    finally:
        budget.units -= progress.index + progress.headers
    if progress.end != len(data):
        raise RemoteProtocolError(
            f"{len(data) - progress.end} bytes follow the last record", offset=progress.end
        )
    return result


def survey_alike(data: Buffer, count: int) -> RecordSurvey | None:
    """The survey of records that are all of one size, but for the byte more that later offset deltas take. None if they
    are not; `survey_records` says then what they are.

    This is what is left of a survey where it is done most often. It takes no steps.
    """
    try:
        length, at = read_varint(data, 0)
        time_delta, offset_at = read_varlong(data, at + 1)
        value_at = after_bytes(data, offset_at + 1)
        headers_at = after_bytes(data, value_at)
        if data[offset_at] or data[headers_at] or headers_at + 1 != at + length:
            return None
    except (IndexError, RemoteProtocolError):
        return None
    size, later_length = at + length, bytearray()
    write_varint(later_length, length + 1)
    later_size = len(later_length) + length + 1
    early = min(count, _ONE_BYTE_DELTAS)
    if count > _TWO_BYTE_DELTAS or len(data) != early * size + (count - early) * later_size:
        return None
    fixed = [headers_at, *_bytes_of_varint(data, offset_at + 1), *_bytes_of_varint(data, value_at)]
    is_short_time = offset_at - at == 2
    if not is_short_time:
        fixed += range(at + 1, offset_at)
    end = early * size
    for place in (*range(at), *fixed):
        if bytes(data[place:end:size]).strip(_SINGLE[data[place]]):
            return None
    if bytes(data[offset_at:end:size]) != _SHORT_DELTAS[:early]:
        return None
    times = bytes(data[at + 1 : end : size]) if is_short_time else b""
    if count > early:
        moved = end + len(later_length) - at
        for index, byte in enumerate(later_length):
            if bytes(data[end + index :: later_size]).strip(_SINGLE[byte]):
                return None
        for place in fixed:
            later = moved + place + (place > offset_at)
            if bytes(data[later::later_size]).strip(_SINGLE[data[place]]):
                return None
        low, high = data[moved + offset_at :: later_size], data[moved + offset_at + 1 :: later_size]
        if bytes(low) != _LOW_BYTES[early:count] or bytes(high) != _HIGH_BYTES[early:count]:
            return None
        times += bytes(data[moved + at + 1 :: later_size]) if is_short_time else b""
    if not times.isascii():
        return None
    deltas = [coded >> 1 ^ -(coded & 1) for coded in set(times)] or [time_delta]
    return RecordSurvey(min(deltas), max(deltas), not is_null(data, offset_at + 1))


def _bytes_of_varint(data: Buffer, at: int) -> range:
    end = at
    while data[end] >= 0x80:
        end += 1
    return range(at, end + 1)


class _Progress:
    """How far a survey has come when it ends."""

    __slots__ = ("end", "headers", "index", "left", "start")

    def __init__(self, left: int) -> None:
        self.left = left
        """How many headers may be read."""
        self.index = self.start = self.end = self.headers = 0


def _number_of_headers(data: Buffer, position: int, left: int) -> int:
    number = read_unsigned_varint(data, position)[0] >> 1
    if number > left:
        raise OverBudgetError("with its headers there is more than may be read")
    return number


def _survey(data: Buffer, count: int, max_record_bytes: int, progress: _Progress) -> _Steps:
    lowest, highest, all_have_keys = _NO_LONG_IS_LARGER, _NO_LONG_IS_SMALLER, True
    index = start = end = size = headers = next_try = 0
    next_step = _STEP_UNITS
    try:
        while index < count:
            start = end
            # Lengths of one byte, and often of two, are read in place: a call takes longer than all else here.
            coded, position = data[start], start + 1
            if coded >= 0x80 and data[position] < 0x80:
                coded, position = coded & 0x7F | data[position] << 7, position + 1
            elif coded >= 0x80:
                coded, position = read_unsigned_varint(data, start)
            end = position + (coded >> 1)
            if coded & 1 or coded >> 1 > max_record_bytes:
                raise _wrong_length(coded, start, max_record_bytes)
            # The byte that is skipped has the record's attributes, which mean nothing.
            time_at, offset_at = position + 1, position + 2
            delta = data[time_at]
            if delta < 0x80:
                delta = delta >> 1 ^ -(delta & 1)
            else:
                delta, offset_at = read_varlong(data, time_at)
            if not lowest <= delta <= highest:
                lowest, highest = min(lowest, delta), max(highest, delta)
            coded, key_at = data[offset_at], offset_at + 1
            if coded >= 0x80 and data[key_at] < 0x80:
                coded, key_at = coded & 0x7F | data[key_at] << 7, key_at + 1
            elif coded >= 0x80:
                coded, key_at = read_unsigned_varint(data, offset_at)
            if coded != index << 1:
                raise RemoteProtocolError("its offset does not follow the one before")
            value_at = key_at + 1
            coded = data[key_at]
            if coded & 0x81 == 0:
                value_at += coded >> 1
            else:
                all_have_keys = all_have_keys and not is_null(data, key_at)
                value_at = value_at if coded == _NULL else after_bytes(data, key_at)
            coded, position = data[value_at], value_at + 1
            if coded & 0x81 == 0:
                position += coded >> 1
            elif coded & 0x81 == 0x80 and data[position] < 0x80:
                position += 1 + ((coded & 0x7F) >> 1 | data[position] << 6)
            else:
                position = after_bytes(data, value_at)
            if data[position]:
                number = _number_of_headers(data, position, progress.left - headers)
                headers, next_try = headers + number, index + 2
                skipped = after_headers(data, position) if number <= _STEP_HEADERS else None
                position = (skipped or (yield from _after_many_headers(data, position))) - 1
            if position + 1 != end:
                raise RemoteProtocolError("its length does not fit its content")
            index += 1
            if end - start == size and index >= next_try:
                fields = (start, time_at, offset_at, key_at, value_at, end)
                alike, low, high = _alike(data, fields, index, count)
                lowest, highest = min(lowest, low), max(highest, high)
                next_step += alike
                next_try = index + (alike or _FEW_RECORDS)
                index, end = index + alike, end + alike * size
                size += index == _ONE_BYTE_DELTAS
            else:
                size = end - start
            if index + headers >= next_step:
                next_step = index + headers + _STEP_UNITS
                yield
    finally:
        progress.index, progress.start, progress.end, progress.headers = index, start, end, headers
    return RecordSurvey(lowest, highest, all_have_keys)


def _alike(
    data: Buffer, fields: tuple[int, int, int, int, int, int], index: int, count: int
) -> tuple[int, int, int]:
    """How many of the records from number ``index`` on have the fields of the one before them, with the same lengths,
    and offset deltas that count on; and the smallest and the largest of their timestamp deltas.

    ``fields`` says where that record, its timestamp delta, offset delta, key and value begin, and where it ends; it has
    no headers. If the answer is 0, the next records may be right nevertheless.
    """
    start, time_at, offset_at, key_at, value_at, end = fields
    size, width = end - start, key_at - offset_at
    limit = _ONE_BYTE_DELTAS if width == 1 else _TWO_BYTE_DELTAS if width == 2 else 0
    number = min(min(limit, count) - index, (len(data) - end) // size)
    fixed = [end - 1, key_at, value_at, *range(start, time_at - 1)]
    for at in (key_at, value_at):
        while data[at] >= 0x80:
            at += 1
            fixed.append(at)
    if offset_at - time_at > 1:
        fixed += range(time_at, offset_at)
    for at in fixed:
        if number <= 0:
            return _NOTHING_ALIKE
        number -= len(bytes(data[at + size : at + number * size + 1 : size]).lstrip(_SINGLE[data[at]]))
    length = number * size + 1
    low = bytes(data[offset_at + size : offset_at + length : size])
    if width == 1:
        follow = low == _SHORT_DELTAS[index : index + number]
    else:
        high = bytes(data[offset_at + 1 + size : offset_at + 1 + length : size])
        follow = low == _LOW_BYTES[index : index + number] and high == _HIGH_BYTES[index : index + number]
    if not follow:
        return _NOTHING_ALIKE
    if offset_at - time_at > 1:
        # The record before them, whose delta was counted, has the same.
        return number, _NO_LONG_IS_LARGER, _NO_LONG_IS_SMALLER
    times = bytes(data[time_at + size : time_at + length : size])
    if not times.strip(_SINGLE[data[time_at]]):
        return number, _NO_LONG_IS_LARGER, _NO_LONG_IS_SMALLER
    if not times.isascii():
        return _NOTHING_ALIKE
    deltas = [coded >> 1 ^ -(coded & 1) for coded in set(times)]
    return number, min(deltas), max(deltas)


def record_heads(data: Buffer, count: int) -> Iterator[tuple[int, bool]]:
    """Timestamp delta of each record, and whether it has a key. The records have to be some that `survey_records` has
    found to be right."""
    end = 0
    for _ in range(count):
        length, position = read_varint(data, end)
        end = position + length
        delta, position = read_varlong(data, position + 1)
        _, position = read_varint(data, position)
        yield delta, not is_null(data, position)


def located_records(data: Buffer, count: int, position: int = 0) -> Iterator[tuple[int, int, int]]:
    """Offset delta of each record, and where it begins and ends; from a record at ``position`` on. Keys, values and
    headers are skipped by the length of their record.

    Raises RemoteProtocolError between two records, if the bytes do not hold so many.
    """
    for _ in range(count):
        length, start = read_unsigned_varint(data, position)
        _, after = read_varlong(data, start + 1)
        delta, after = read_varint(data, after)
        end = start + (length >> 1)
        if length & 1 or not after <= end <= len(data):
            raise RemoteProtocolError("the length of a record does not fit", offset=position)
        yield delta, position, end
        position = end


def after_bytes(data: Buffer, position: int) -> int:
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


def is_null(data: Buffer, position: int) -> bool:
    """Whether a nullable key or value is null."""
    # A length may have more bytes than it needs, so its first byte alone does not tell.
    return read_unsigned_varint(data, position)[0] == _NULL


def after_headers(data: Buffer, position: int) -> int:
    """The position after a record's headers, which may lie behind the end of ``data``."""
    start = position
    coded, position = read_unsigned_varint(data, position)
    if coded & 1 or coded >> 1 > MAX_HEADERS:
        raise RemoteProtocolError(f"allowed are 0 to {MAX_HEADERS} headers", offset=start)
    return _skip_headers(data, position, coded >> 1)


def _after_many_headers(data: Buffer, position: int) -> Generator[None, None, int]:
    """As `after_headers`, in steps."""
    start = position
    coded, position = read_unsigned_varint(data, position)
    number = coded >> 1
    if coded & 1 or number > MAX_HEADERS:
        raise RemoteProtocolError(f"allowed are 0 to {MAX_HEADERS} headers", offset=start)
    for done in range(0, number, _STEP_HEADERS):
        position = _skip_headers(data, position, min(_STEP_HEADERS, number - done))
        yield
    return position


def _skip_headers(data: Buffer, position: int, number: int) -> int:
    for _ in range(number):
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
