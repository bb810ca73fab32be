"""Single records whose bytes are wrong, one field at a time. Right ones are in test_batch."""

from __future__ import annotations

import pytest

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.primitives import wrap_int64, write_varint, write_varlong
from kafkaproto.records.record import (
    MAX_HEADERS,
    NewRecord,
    Record,
    encode_kept_records,
    encode_records,
    read_records,
)

PLAIN = bytes.fromhex("0c000000010100")
"""Length 6, attributes, deltas 0, null key, null value, no headers."""


def varint(value: int) -> bytes:
    out = bytearray()
    write_varint(out, value)
    return bytes(out)


def framed(content: bytes) -> bytes:
    return varint(len(content)) + content


def read(data: bytes, count: int = 1) -> list[Record]:
    return list(read_records(data, count, 10, 1000, None))


def fault(data: bytes, count: int = 1) -> tuple[str, int | None]:
    with pytest.raises(RemoteProtocolError) as caught:
        read(data, count)
    return caught.value.reason, caught.value.offset


def test_plainest_record() -> None:
    assert read(PLAIN) == [Record(10, 1000, None, None, ())]


def test_attributes_are_ignored() -> None:
    assert read(bytes.fromhex("0cff0000010100")) == read(PLAIN)


@pytest.mark.parametrize("delta", [-(2**63), -65, -64, -1, 0, 63, 64, 2**63 - 1])
def test_timestamp_deltas(delta: int) -> None:
    out = bytearray(1)
    write_varlong(out, delta)
    (record,) = read(framed(bytes(out) + b"\x00\x01\x01\x00"))
    assert record.timestamp == wrap_int64(1000 + delta)


@pytest.mark.parametrize(
    ("base", "delta", "timestamp"),
    [
        (1_000, 2**63 - 1, -(2**63) + 999),
        (-1_000, -(2**63), 2**63 - 1_000),
        (-(2**63), -(2**63), 0),
        (2**63 - 1, 1, -(2**63)),
        (2**63 - 1, 0, 2**63 - 1),
        (2**63 - 64, 63, 2**63 - 1),
        (-(2**63), -64, 2**63 - 64),
        (-(2**63) + 64, -64, -(2**63)),
        (-(2**63) + 63, -64, 2**63 - 1),
    ],
)
def test_timestamps_wrap_as_those_of_java(base: int, delta: int, timestamp: int) -> None:
    out = bytearray(1)
    write_varlong(out, delta)
    data = framed(bytes(out) + b"\x00\x01\x01\x00")
    assert [each.timestamp for each in read_records(data, 1, 10, base, None)] == [timestamp]
    assert encode_records([NewRecord(None, None, (), timestamp)], base, timestamp)[0] == data


@pytest.mark.parametrize("delta", [-(2**31), -65, -64, -1, 0, 63, 64, 2**31 - 1])
def test_offset_deltas(delta: int) -> None:
    (record,) = read(framed(b"\x00\x00" + varint(delta) + b"\x01\x01\x00"))
    assert record.offset == 10 + delta


def test_numbers_that_are_longer_than_needed_are_read() -> None:
    padded = bytes.fromhex("00 8000 8000 8100 8100 8000")
    assert read(framed(padded)) == read(PLAIN)


@pytest.mark.parametrize("count", [2, 1_000_000_000, -1])
def test_count_that_cannot_be(count: int) -> None:
    assert fault(PLAIN, count) == (f"7 bytes cannot be {count} records", 0)


def test_bytes_behind_the_last_record() -> None:
    assert fault(PLAIN + PLAIN) == ("7 bytes follow the last record", 7)


@pytest.mark.parametrize(
    ("text", "reason", "offset"),
    [
        ("0b000000010100", "its length does not fit its content", 7),
        ("0d000000010100", "its length does not fit its content", 7),
        ("00000000010100", "its length does not fit its content", 7),
        ("0a000000010100", "its length does not fit its content", 7),
        ("0e000000010100", "its length does not fit its content", 7),
        ("feffffff0f0000", "the bytes end inside it", 7),
        ("0c00ffffffffff", "the bytes end inside a varlong", 9),
        ("0c0000ffffffff", "the bytes end inside a varint", 10),
        ("0c000000030100", "a key or value cannot have length -2", 11),
        ("0c000000080100", "a key or value of 4 bytes where 2 are left", 11),
        ("0c000000ffffff", "the bytes end inside a varint", 11),
        ("0c000000010500", "a key or value cannot have length -3", 12),
        ("0e00000001810100", "a key or value cannot have length -65", 12),
        ("0c000000010400", "a key or value of 2 bytes where 1 are left", 12),
        ("0c000000010101", "-1 headers, allowed are 0 to 65536", 13),
        ("0c000000010180", "the bytes end inside a varint", 13),
        ("0c000000010106", "the bytes end inside it", 7),
    ],
)
def test_wrong_field_is_named(text: str, reason: str, offset: int) -> None:
    assert fault(PLAIN + bytes.fromhex(text), 2) == (f"record 1: {reason}", offset)


def test_a_record_that_runs_into_the_next() -> None:
    assert fault(b"\x0e" + PLAIN[1:] + PLAIN, 2) == ("record 0: its length does not fit its content", 0)


def test_headers() -> None:
    content = b"\x00\x00\x00\x01\x01" + varint(2) + framed(b"a") + framed(b"") + framed(b"") + varint(-1)
    assert read(framed(content))[0].headers == (("a", b""), ("", None))


def test_header_without_key() -> None:
    content = b"\x00\x00\x00\x01\x01" + varint(1) + varint(-1) + varint(-1)
    assert fault(framed(content)) == ("record 0: a header has no key", 7)


@pytest.mark.parametrize("cut", range(1, 5))
def test_headers_that_end_early(cut: int) -> None:
    content = b"\x00\x00\x00\x01\x01" + varint(1) + framed(b"a") + framed(b"b")
    with pytest.raises(RemoteProtocolError, match=r"^record 0: "):
        read(framed(content)[:-cut])


def test_header_count_has_a_limit() -> None:
    many = [("", None)] * MAX_HEADERS
    data, _ = encode_records([NewRecord(None, None, many)], 0, 0)
    assert len(read(data)[0].headers) == MAX_HEADERS
    data, _ = encode_records([NewRecord(None, None, [*many, ("", None)])], 0, 0)
    assert fault(data)[0] == f"record 0: {MAX_HEADERS + 1} headers, allowed are 0 to {MAX_HEADERS}"


def test_header_keys_that_are_not_utf8_survive_a_round_trip() -> None:
    content = b"\x00\x00\x00\x01\x01" + varint(1) + framed(b"\xff\xfe") + framed(b"")
    (record,) = read(framed(content))
    assert encode_records([NewRecord(None, None, record.headers)], 0, 0)[0] == framed(content)


def test_header_key_that_is_no_text_is_not_written() -> None:
    with pytest.raises(LocalProtocolError, match=r"header key '.ud800' cannot be encoded"):
        encode_records([NewRecord(None, None, [("\ud800", None)])], 0, 0)


def test_records_that_were_read_are_written_with_their_offsets_and_times() -> None:
    records = [
        Record(12, -(2**63), b"key", None, ()),
        Record(5_000, 2**63 - 1, None, b"v" * 3_000, (("a", None),)),
    ]
    data = encode_kept_records(records, 10, 2**63 - 1)
    assert list(read_records(data, 2, 10, 2**63 - 1, None)) == records
