"""The survey of records: against the reader of records, and damaged bytes.

Tests: `kafkaproto.records.alike`.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.primitives import Buffer, read_unsigned_varint, write_varint
from kafkaproto.records.alike import RecordSurvey, survey_alike
from kafkaproto.records.record import MAX_HEADERS, NewRecord, encode_records, read_records
from kafkaproto.records.survey import (
    _STEP_UNITS,
    OverBudgetError,
    ReadingBudget,
    located_records,
    record_heads,
)
from kafkaproto.records.survey import survey_records as survey_in_steps

BYTES = st.none() | st.binary(max_size=150)
RECORDS = st.lists(
    st.builds(
        NewRecord,
        BYTES,
        BYTES,
        st.lists(st.tuples(st.text(max_size=70), BYTES), max_size=3),
        st.integers(-(2**40), 2**40) | st.integers(-3, 3),
    ),
    min_size=1,
    max_size=150,
)


def survey_records(
    data: Buffer, count: int, max_record_bytes: int = 2**31 - 1, budget: ReadingBudget | None = None
) -> RecordSurvey:
    """All of its steps."""
    steps = survey_in_steps(data, count, max_record_bytes, budget)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            result: RecordSurvey = stop.value
            return result


def varint(value: int) -> bytes:
    out = bytearray()
    write_varint(out, value)
    return bytes(out)


def record(inner: bytes) -> bytes:
    return varint(len(inner)) + inner


@given(records=RECORDS, base=st.integers(-(2**40), 2**40))
def test_survey_says_what_the_records_say(records: list[NewRecord], base: int) -> None:
    check_survey(records, base)


def check_alike(data: Buffer, count: int, expected: RecordSurvey | None) -> None:
    """What is found at once is what is found in steps; nothing if the records are not right."""
    for buffer in (bytes(data), memoryview(data)):
        found = survey_alike(buffer, count)
        assert found is None or found == expected


def check_survey(records: list[NewRecord], base: int) -> None:
    data, _ = encode_records(records, base, base)
    deltas = [each.timestamp_ms - base for each in records if each.timestamp_ms is not None]
    all_have_keys = all(each.key is not None for each in records)
    assert survey_records(data, len(records)) == RecordSurvey(min(deltas), max(deltas), all_have_keys)


@given(data=st.data(), records=RECORDS)
def test_survey_refuses_what_the_reader_of_records_refuses(
    data: st.DataObject, records: list[NewRecord]
) -> None:
    encoded, _ = encode_records(records[:10], 0, 0)
    damaged = bytearray(encoded)
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    count = len(records[:10])
    try:
        offsets = [each.offset for each in read_records(bytes(damaged), count, 0, 0, None)]
        can_be_read = offsets == list(range(count))
    except RemoteProtocolError:
        can_be_read = False
    if can_be_read:
        survey_records(bytes(damaged), count)
    else:
        with pytest.raises(RemoteProtocolError):
            survey_records(bytes(damaged), count)


def test_every_record_is_read_to_its_end() -> None:
    data, _ = encode_records([NewRecord(b"key", b"value" * 40, [("a", b"b")])] * 3, 0, 0)
    for length in range(len(data)):
        with pytest.raises(RemoteProtocolError):
            survey_records(data[:length], 3)
    for count in (2, 4):
        with pytest.raises(RemoteProtocolError):
            survey_records(data, count)


def test_offsets_of_many_records_are_followed() -> None:
    records = [NewRecord(b"k", None)] * 9000
    data, _ = encode_records(records, 0, 0)
    assert survey_records(data, 9000) == RecordSurvey(0, 0, True)
    more, _ = encode_records(records[:100], 0, 0)
    with pytest.raises(RemoteProtocolError, match="record 9000: its offset does not follow"):
        survey_records(data + more, 9100)


def test_many_usual_records_take_few_steps_and_not_one() -> None:
    data, _ = encode_records([NewRecord(b"k", None)] * 9000, 0, 0)
    steps = sum(1 for _ in survey_in_steps(data, 9000))
    assert 9000 // (_STEP_UNITS + 100) <= steps <= 9000 // _STEP_UNITS + 2


def test_length_of_a_record_is_limited() -> None:
    data, _ = encode_records([NewRecord(b"k", b"v" * 92)], 0, 0)
    assert len(data) == 102
    survey_records(data, 1, 100)
    with pytest.raises(RemoteProtocolError, match="record 0: a length of 100 bytes, allowed are 0 to 99"):
        survey_records(data, 1, 99)


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        (b"\0\0\x02\x01\x01\0", "its offset does not follow"),
        (b"\0\0\x01\x01\x01\0", "its offset does not follow"),
        (b"\0\0\0\x03\x01\0", "cannot have length -2"),
        (b"\0\0\0\x01\x83\0\0\0", "cannot have length -2"),
        (b"\0\0\0\x01\x01\x02\x01\x01", "a header has no key"),
        (b"\0\0\0\x01\x01\x02\x81\0\x01", "a header has no key"),
        (b"\0\0\0\x01\x01\x01", "headers"),
        (b"\0\0\0\x01\x01" + varint(MAX_HEADERS + 1), "headers"),
        (b"\0\0\0\x01\x01" + varint(-5001) + b"\0\x01" * 5000, "headers"),
        (b"\0\0\0\x01\x01\0x", "its length does not fit its content"),
        (b"\0\0\0\x01\x0a\0", "the bytes end inside it"),
        (b"\0\0\0\x81\x80\x80\x80\x80\x01\x01\0", "varint"),
    ],
)
def test_record_that_is_none_is_refused(inner: bytes, text: str) -> None:
    with pytest.raises(RemoteProtocolError, match=text):
        survey_records(record(inner), 1)


def test_negative_length_of_a_record_is_refused() -> None:
    with pytest.raises(RemoteProtocolError, match="a length of -1 bytes"):
        survey_records(b"\x01" + bytes(9), 1)


def test_null_that_is_written_with_more_bytes_than_needed_is_one() -> None:
    assert survey_records(record(b"\0\0\0\x81\0\x01\0"), 1).all_have_keys is False
    assert survey_records(record(b"\0\0\0\x80\0\x01\0"), 1).all_have_keys is True
    assert survey_records(record(b"\0\0\0\0\x81\0\0"), 1).all_have_keys is True


def test_most_headers_pass() -> None:
    inner = b"\0\0\0\x01\x01" + varint(MAX_HEADERS) + b"\0\x01" * MAX_HEADERS
    assert survey_records(record(inner), 1).all_have_keys is False


# Records of one size, which are compared all at once


ALIKE = st.builds(
    lambda key, value, times: [
        NewRecord(
            None if key is None else bytes((index * 7 % 256,)) * key,
            bytes((index * 11 % 256,)) * value,
            timestamp_ms=time,
        )
        for index, time in enumerate(times)
    ],
    st.none() | st.integers(0, 70),
    st.integers(0, 200),
    st.lists(st.integers(0, 3), min_size=1, max_size=200)
    | st.lists(st.integers(-2, 70), min_size=1, max_size=200)
    | st.integers(1, 400).map(lambda count: [5] * count),
)


@given(records=ALIKE, base=st.integers(-200, 3))
def test_survey_of_records_of_one_size_says_what_they_say(records: list[NewRecord], base: int) -> None:
    check_survey(records, base)


@given(data=st.data(), records=ALIKE)
def test_damage_among_records_of_one_size_is_noticed(data: st.DataObject, records: list[NewRecord]) -> None:
    encoded, _ = encode_records(records, 0, 0)
    damaged = bytearray(encoded)
    # Not in keys and values, which are most bytes and may be anything.
    starts = [0]
    for each in records:
        size = len(encode_records([each], 0, 0)[0])
        starts.append(starts[-1] + size)
    for _ in range(data.draw(st.integers(1, 2))):
        place = min(data.draw(st.sampled_from(starts)) + data.draw(st.integers(-2, 8)), len(damaged) - 1)
        damaged[max(0, place)] = data.draw(st.integers(0, 255))
    count = len(records)
    try:
        read = list(read_records(bytes(damaged), count, 0, 0, None))
        can_be_read = [each.offset for each in read] == list(range(count))
    except RemoteProtocolError:
        can_be_read = False
    if can_be_read:
        times = [each.timestamp for each in read]
        all_have_keys = all(each.key is not None for each in read)
        for buffer in (bytes(damaged), memoryview(damaged)):
            assert survey_records(buffer, count) == RecordSurvey(min(times), max(times), all_have_keys)
        check_alike(damaged, count, RecordSurvey(min(times), max(times), all_have_keys))
    else:
        with pytest.raises(RemoteProtocolError):
            survey_records(bytes(damaged), count)
        check_alike(damaged, count, None)


@pytest.mark.parametrize("count", [1, 2, 3, 63, 64, 65, 66, 127, 8191, 8192, 8193, 8200])
def test_offsets_of_records_of_one_size_are_followed(count: int) -> None:
    data, _ = encode_records([NewRecord(b"k", b"v" * 30)] * count, 0, 0)
    assert survey_records(data, count) == RecordSurvey(0, 0, True)
    assert survey_alike(data, count) == (RecordSurvey(0, 0, True) if count <= 8192 else None)
    check_alike(data, count + 1, None)
    check_alike(data, count - 1, None)
    with pytest.raises(RemoteProtocolError):
        survey_records(data, count + 1)
    if count > 1:
        with pytest.raises(RemoteProtocolError, match="bytes follow the last record"):
            survey_records(data, count - 1)


def test_each_record_among_many_of_one_size_has_its_own_offset() -> None:
    records = [NewRecord(b"k", b"v" * 30)] * 200
    data, _ = encode_records(records, 0, 0)
    for index in range(5, 200, 7):
        damaged = bytearray(data)
        # Behind its length, attributes and timestamp delta.
        damaged[len(encode_records(records[:index], 0, 0)[0]) + 3] ^= 2
        with pytest.raises(RemoteProtocolError, match=f"record {index}: its offset"):
            survey_records(bytes(damaged), 200)
        check_alike(damaged, 200, None)


# Rows of usual records, and odd ones between them


SHAPES = st.tuples(
    st.none() | st.sampled_from([0, 1, 5, 62, 63, 64, 65, 200]),
    st.none() | st.sampled_from([0, 1, 40, 52, 53, 54, 55, 56, 57, 63, 64, 100, 8180, 8191, 8192]),
    st.sampled_from(
        [[]] * 6 + [[("a", b"b")], [("", None)] * 3, [("k" * 64, bytes(70))], [("a", None)] * 70]
    ),
    st.sampled_from([0] * 4 + [1, 63, 64, 200, 8191, 8192, 2**40, -1, -64, -65]),
)
ROWS = st.lists(st.tuples(st.integers(1, 70), SHAPES, st.booleans()), min_size=1, max_size=5)


def rows_of_records(rows: list[tuple[int, tuple[Any, ...], bool]]) -> list[NewRecord]:
    """Rows of records of one shape; in some, timestamps count on."""
    return [
        NewRecord(
            None if key is None else bytes((index,)) * key,
            None if value is None else bytes((index * 7 % 256,)) * value,
            headers,
            time + index * counts_on,
        )
        for number, (key, value, headers, time), counts_on in rows
        for index in range(number)
    ]


def slow_survey(data: bytes, count: int) -> RecordSurvey | None:
    """What the reader of records says; None if it refuses them."""
    try:
        found = list(read_records(data, count, 0, 0, None))
    except RemoteProtocolError:
        return None
    if [each.offset for each in found] != list(range(count)):
        return None
    times = [each.timestamp for each in found]
    return RecordSurvey(min(times), max(times), all(each.key is not None for each in found))


def check_all_readers(data: bytes, count: int) -> None:
    expected = slow_survey(data, count)
    for buffer in (data, memoryview(data)):
        try:
            found = survey_records(buffer, count)
        except RemoteProtocolError:
            found = None
        assert found == expected
        assert survey_alike(buffer, count) in (None, expected)


@given(rows=ROWS)
def test_survey_of_rows_of_records_says_what_they_say(rows: list[tuple[int, tuple[Any, ...], bool]]) -> None:
    records = rows_of_records(rows)
    data, _ = encode_records(records, 0, 0)
    assert slow_survey(data, len(records)) is not None
    check_all_readers(data, len(records))


@given(rows=ROWS, data=st.data())
def test_damage_in_rows_of_records_is_noticed(
    rows: list[tuple[int, tuple[Any, ...], bool]], data: st.DataObject
) -> None:
    records = rows_of_records(rows)
    damaged = bytearray(encode_records(records, 0, 0)[0])
    starts = [start for _, start, _ in located_records(damaged, len(records))]
    for _ in range(data.draw(st.integers(1, 2))):
        # Most of what has to be right is at the beginning of a record or at its end.
        place = data.draw(st.sampled_from(starts)) + data.draw(st.integers(-2, 11))
        change = data.draw(st.sampled_from([0x01, 0x02, 0x80]) | st.integers(1, 255))
        damaged[max(0, min(place, len(damaged) - 1))] ^= change
    check_all_readers(bytes(damaged), len(records))


@given(rows=ROWS, data=st.data())
def test_rows_of_records_that_lack_bytes_or_have_more_are_refused(
    rows: list[tuple[int, tuple[Any, ...], bool]], data: st.DataObject
) -> None:
    records = rows_of_records(rows)
    encoded, _ = encode_records(records, 0, 0)
    place = data.draw(st.integers(0, len(encoded) - 1))
    for other in (encoded[:place], encoded[:place] + encoded[place + 1 :], encoded + encoded[:place]):
        check_all_readers(other, len(records))
    check_all_readers(encoded, len(records) + 1)


@pytest.mark.parametrize("times", [[0] * 130, [0] * 20 + [200] * 110, [0] * 100 + [64] * 30])
@pytest.mark.parametrize("key", [None, b"k"])
def test_no_changed_bit_is_passed_over(key: bytes | None, times: list[int]) -> None:
    data, _ = encode_records([NewRecord(key, b"v" * 50, timestamp_ms=time) for time in times], 0, 0)
    assert survey_alike(data, len(times)) is not None
    places = [(start, end) for _, start, end in located_records(data, len(times))]
    for number in (0, 1, 19, 20, 63, 64, 99, 100, 129):
        start, end = places[number]
        for place in (*range(start, start + 11), end - 1):
            for bit in range(8):
                changed = bytearray(data)
                changed[place] ^= 1 << bit
                check_all_readers(bytes(changed), len(times))


@pytest.mark.parametrize("missing", range(4))
@pytest.mark.parametrize(
    "length",
    [
        b"\x01",
        b"\x03",
        b"\x05",
        b"\x83\0",
        b"\x80\0",
        b"\x81\0",
        b"\x88\x80\0",
        b"\x80\x80\x01",
        b"\x82\x81\x01",
    ],
)
@pytest.mark.parametrize("count", [2, 70])
def test_a_length_in_any_form_is_read_as_the_reader_of_records_reads_it(
    count: int, length: bytes, missing: int
) -> None:
    content = bytes(max(0, (read_unsigned_varint(length, 0)[0] >> 1) - missing))
    for field in (length + content + b"\x02v", b"\x02k" + length + content):
        deltas = [varint(index) for index in range(count)]
        check_all_readers(b"".join([record(b"\0\0" + each + field + b"\0") for each in deltas]), count)


def test_a_record_whose_length_takes_three_bytes_is_not_read_as_one_of_two() -> None:
    # The third byte of the length is that of the attributes in a record of 8204 bytes whose length takes two.
    inner = b"\x01\0\0" + varint(200) + bytes(200) + varint(7994) + bytes(7994) + b"\0"
    assert len(inner) == 8202
    for length in (b"\x94\x80", b"\x96\x80", b"\x98\x80"):
        check_all_readers(length + inner, 1)


def test_headers_of_a_record_that_two_readers_look_at_count_once() -> None:
    # Its timestamp takes another number of bytes than that of the record before it.
    records = [NewRecord(b"k", b"v", [("a", b"b")] * 5, 100 * (index % 2)) for index in range(100)]
    data, _ = encode_records(records, 0, 0)
    budget = ReadingBudget(600)
    survey_records(data, 100, budget=budget)
    assert budget.units == 0


def test_bytes_that_end_inside_a_header_do_so_inside_the_last_record() -> None:
    data, _ = encode_records([NewRecord(b"k", b"v", [("a", b"b" * 9)])] * 3, 0, 0)
    with pytest.raises(RemoteProtocolError, match="record 2: the bytes end inside it"):
        survey_records(data[:-5], 3)


# What may be read


def test_records_and_headers_are_counted() -> None:
    records = [NewRecord(b"k", b"v", [("a", b"b")] * number) for number in range(100)]
    data, _ = encode_records(records, 0, 0)
    budget = ReadingBudget(100 + 4950 + 7)
    survey_records(data, 100, budget=budget)
    assert budget.units == 7
    for missing in (1, 100, 4000, 5050):
        budget = ReadingBudget(5050 - missing)
        with pytest.raises(OverBudgetError):
            survey_records(data, 100, budget=budget)
        assert 0 <= budget.units <= 5050 - missing


def test_what_was_read_of_damaged_records_counts() -> None:
    data, _ = encode_records([NewRecord(b"k", b"v", [("a", b"b")] * 50)] * 100, 0, 0)
    budget = ReadingBudget(10_000)
    with pytest.raises(RemoteProtocolError):
        survey_records(data[:-1], 100, budget=budget)
    assert 4900 <= budget.units <= 5000


@given(records=RECORDS, base=st.integers(-(2**40), 2**40))
def test_heads_of_records_are_what_the_reader_of_records_says(records: list[NewRecord], base: int) -> None:
    data, _ = encode_records(records, base, base)
    expected = [
        (each.timestamp - base, each.key is not None)
        for each in read_records(data, len(records), 0, base, None)
    ]
    assert list(record_heads(data, len(records))) == expected


@pytest.mark.parametrize("key", [None, b"", b"k" * 5, b"k" * 100])
@pytest.mark.parametrize(
    "size", [0, 1, 40, 50, 51, 52, 53, 54, 55, 56, 57, 58, 63, 64, 100, 8000, 8185, 8190]
)
@pytest.mark.parametrize("count", [1, 10, 64, 65, 200])
def test_records_of_one_size_are_surveyed_at_once(key: bytes | None, size: int, count: int) -> None:
    # Also where a length takes one byte more as the offset deltas do.
    records = [NewRecord(key, bytes(size), timestamp_ms=index % 3 - 1) for index in range(count)]
    data, _ = encode_records(records, 0, 0)
    assert survey_alike(data, count) == survey_records(data, count)


@given(data=st.data(), value=st.integers(0, 60), count=st.integers(1, 100))
def test_no_changed_byte_of_records_of_one_size_is_passed_over(
    data: st.DataObject, value: int, count: int
) -> None:
    encoded, _ = encode_records([NewRecord(b"k", bytes(value))] * count, 0, 0)
    damaged = bytearray(encoded)
    damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        expected = survey_records(bytes(damaged), count)
    except RemoteProtocolError:
        expected = None
    check_alike(damaged, count, expected)
