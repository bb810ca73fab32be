"""What the records of a batch have in common, read in one pass that makes no object for a record.

A leader asks this about every batch that a producer sends: whether it holds the records that its header claims, and
which timestamps and keys they have. `record` describes the bytes. Keys, values and headers are skipped, only their
lengths have to fit.

Three readers find the same; each takes what the one before it leaves:

- `alike` compares records of one size all at once, some ten nanoseconds each. It takes a batch as a whole.
- `_read_usual` reads records whose lengths, timestamp and offset take one or two bytes each, a quarter of a microsecond
  each. It takes as many in a row as there are.
- The loop of `_survey` reads any record, and says what is wrong with it. It takes five times as long.

Apache Kafka reads such records in ``DefaultRecord`` and ``PartialDefaultRecord``.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Generator, Iterator
from itertools import repeat
from typing import Final, NamedTuple, TypeAlias

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.primitives import Buffer, read_unsigned_varint, read_varint, read_varlong
from kafkaproto.records.alike import MAX_ALIKE, ONE_BYTE_DELTAS, RecordSurvey
from kafkaproto.records.record import MAX_HEADERS

_MAX_INT32 = 2**31 - 1
_NO_LONG_IS_LARGER = 2**63 - 1
_NO_LONG_IS_SMALLER = -(2**63)
_NULL = 1
"""The length -1, zigzag-coded."""
_STEP_UNITS = 1536
"""A step takes at most half a millisecond: so many records that `_read_usual` reads, or headers."""
_ANY_RECORD_UNITS = 5
"""Other records take so many times as long."""
_STEP_HEADERS = 4096
"""Of a record with more headers, so many are read in one step."""
_FEW_RECORDS = 4
_OTHER_RECORDS = 16
"""If `_read_usual` takes only a few records, it is not asked again for so many. To begin takes as long as to read
some."""
_USUAL_BYTES = 8192
"""Lengths from here on take three bytes."""

_NONE: Final = 1 << 40
"""Behind the end of all data, so that whoever reads there finds nothing."""
_ONE_BYTE: Final = [1 + (byte >> 1) if byte & 0x81 == 0 else _NONE for byte in range(256)]
"""By a length of one byte: how many bytes it and its content take."""
_NULLABLE: Final = [1, 1, *_ONE_BYTE[2:]]
"""The same for what may be null."""
_FIRST: Final = [2 + ((byte & 0x7F) >> 1) if byte & 0x81 == 0x80 else _NONE for byte in range(256)]
_SECOND: Final = [byte << 6 if byte < 0x80 else _NONE for byte in range(256)]
"""By the bytes of a length of two bytes: the sum is how many bytes it and its content take."""
_EARLY_DELTAS: Final = [*range(0, 2 * ONE_BYTE_DELTAS, 2)]
_LATER_DELTAS: Final = [delta << 1 & 0x7F | 0x80 | delta >> 6 << 8 for delta in range(MAX_ALIKE)]
"""Offset deltas of one and of two bytes, as `_Heads` reads them, by their number."""


class _Heads(NamedTuple):
    """How a record begins whose timestamp and offset have certain sizes. Numbers of two bytes are read with the first
    byte as the low one; it has the bit that says that another one follows."""

    long: Callable[[Buffer, int], tuple[int, int, int, int]]
    """Length (of two bytes), timestamp delta, offset delta, length of the key (its first byte)."""
    short: Callable[[Buffer, int], tuple[int, int, int, int]]
    """The same if the length has one byte."""
    key_at: int
    """Where the length of the key is in the second case."""
    time_mask: int
    time_bits: int
    """What the bits of the mask are if the timestamp has this size."""


def _heads(time_bytes: int, offset_bytes: int) -> _Heads:
    rest = f"x{' BH'[time_bytes]}{' BH'[offset_bytes]}B"
    return _Heads(
        long=struct.Struct("<H" + rest).unpack_from,
        short=struct.Struct("<B" + rest).unpack_from,
        key_at=2 + time_bytes + offset_bytes,
        time_mask=0x8080 if time_bytes == 2 else 0x80,
        time_bits=0x80 if time_bytes == 2 else 0,
    )


_HEADS: Final = tuple(tuple(_heads(time_bytes, each) for each in (2, 1)) for time_bytes in (1, 2))


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
    if progress.end > len(data):
        raise RemoteProtocolError(f"record {count - 1}: the bytes end inside it", offset=len(data))
    if progress.end != len(data):
        raise RemoteProtocolError(
            f"{len(data) - progress.end} bytes follow the last record", offset=progress.end
        )
    return result


class _Progress:
    """How far a survey has come, and what it has found."""

    __slots__ = ("all_have_keys", "end", "headers", "highest", "index", "left", "lowest", "start")

    def __init__(self, left: int) -> None:
        self.left = left
        """How many headers may be read."""
        self.index = self.start = self.end = self.headers = 0
        self.lowest, self.highest = _NO_LONG_IS_LARGER, _NO_LONG_IS_SMALLER
        self.all_have_keys = True


def _number_of_headers(data: Buffer, position: int, left: int) -> int:
    number = read_unsigned_varint(data, position)[0] >> 1
    if number > left:
        raise OverBudgetError("with its headers there is more than may be read")
    return number


def _survey(data: Buffer, count: int, max_record_bytes: int, progress: _Progress) -> _Steps:
    next_usual = 0 if max_record_bytes >= _USUAL_BYTES else count
    units = 0
    while progress.index < count:
        done = progress.index + progress.headers
        if progress.index >= next_usual:
            first = progress.index
            _read_usual(data, min(count, first + _STEP_UNITS), progress)
            if progress.index - first < _FEW_RECORDS:
                next_usual = progress.index + _OTHER_RECORDS
        if progress.index < count:
            yield from _read_any(data, max_record_bytes, progress)
            units += _ANY_RECORD_UNITS - 1
        units += progress.index + progress.headers - done
        if units >= _STEP_UNITS and progress.index < count:
            units = 0
            yield
    return RecordSurvey(progress.lowest, progress.highest, progress.all_have_keys)


def _read_usual(data: Buffer, stop: int, progress: _Progress) -> None:
    """Read records up to number ``stop``, as long as they are usual ones and the sizes of timestamp and offset stay the
    same. What is wrong with the next one, if anything is, has to be asked of `_read_any`."""
    index, end, headers = progress.index, progress.end, progress.headers
    is_early = index < ONE_BYTE_DELTAS
    deltas = (_EARLY_DELTAS if is_early else _LATER_DELTAS)[index:stop]
    one, first, second, nullable = _ONE_BYTE, _FIRST, _SECOND, _NULLABLE
    times, last_time, start = set(), -1, end
    try:
        is_long_time = data[end + (3 if data[end] >= 0x80 else 2)] >= 0x80
        long, short, key_at, mask, bits = _HEADS[is_long_time][is_early]
        for delta in deltas:
            length, time, offset, key = long(data, start)
            if length & 0x80:
                end = start + first[length & 0xFF] + second[length >> 8]
                at = start + key_at + 1
            else:
                length, time, offset, key = short(data, start)
                end = start + one[length]
                at = start + key_at
            if offset != delta:
                break
            at += nullable[key] if key < 0x80 else first[key] + second[data[at + 1]]
            value = data[at]
            at += nullable[value] if value < 0x80 else first[value] + second[data[at + 1]]
            number = data[at]
            at += 1
            if number:
                read = headers + (number >> 1)
                if number & 0x81 or read > progress.left:
                    break
                for _ in repeat(None, number >> 1):
                    at += one[data[at]]
                    value = data[at]
                    at += nullable[value] if value < 0x80 else first[value] + second[data[at + 1]]
            if at != end:
                break
            if time != last_time:
                if time & mask != bits:
                    break
                times.add(time)
                last_time = time
            if key == _NULL:
                progress.all_have_keys = False
            if number:
                headers = read
            index += 1
            start = end
    except (IndexError, struct.error):
        # No usual record begins there.
        pass
    progress.index, progress.end, progress.headers = index, start, headers
    if times:
        found = [coded >> 1 ^ -(coded & 1) for coded in (time & 0x7F | time >> 8 << 7 for time in times)]
        progress.lowest, progress.highest = min(progress.lowest, *found), max(progress.highest, *found)


def _read_any(data: Buffer, max_record_bytes: int, progress: _Progress) -> Generator[None, None, None]:
    """Read the next record. Raises IndexError, RemoteProtocolError."""
    index = progress.index
    start = progress.start = progress.end
    coded, position = read_unsigned_varint(data, start)
    if coded & 1 or coded >> 1 > max_record_bytes:
        raise _wrong_length(coded, start, max_record_bytes)
    end = progress.end = position + (coded >> 1)
    # The byte that is skipped has the record's attributes, which mean nothing.
    delta, position = read_varlong(data, position + 1)
    progress.lowest, progress.highest = min(progress.lowest, delta), max(progress.highest, delta)
    offset, position = read_varint(data, position)
    if offset != index:
        raise RemoteProtocolError("its offset does not follow the one before")
    if is_null(data, position):
        progress.all_have_keys = False
    position = after_bytes(data, after_bytes(data, position))
    if data[position]:
        number = _number_of_headers(data, position, progress.left - progress.headers)
        progress.headers += number
        skipped = after_headers(data, position) if number <= _STEP_HEADERS else None
        position = skipped or (yield from _after_many_headers(data, position))
    else:
        position += 1
    if position != end:
        raise RemoteProtocolError("its length does not fit its content")
    progress.index += 1


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
