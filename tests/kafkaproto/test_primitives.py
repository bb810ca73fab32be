"""Varints: against kafka-python's, at every size, cut anywhere, too long and too large."""

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.primitives import (
    read_unsigned_varint,
    read_varint,
    read_varlong,
    write_unsigned_varint,
    write_varint,
    write_varlong,
)
from tests.kafkaproto.support import kafka_python_records

Reader = Callable[[bytes, int], tuple[int, int]]

INT32 = st.integers(-(2**31), 2**31 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)
UINT32 = st.integers(0, 2**32 - 1)


def unsigned(value: int) -> bytes:
    out = bytearray()
    write_unsigned_varint(out, value)
    return bytes(out)


def varint(value: int) -> bytes:
    out = bytearray()
    write_varint(out, value)
    return bytes(out)


def varlong(value: int) -> bytes:
    out = bytearray()
    write_varlong(out, value)
    return bytes(out)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "00"),
        (1, "01"),
        (127, "7f"),
        (128, "8001"),
        (16383, "ff7f"),
        (16384, "808001"),
        (2097151, "ffff7f"),
        (2097152, "80808001"),
        (268435455, "ffffff7f"),
        (268435456, "8080808001"),
        (2**32 - 1, "ffffffff0f"),
    ],
)
def test_unsigned_varint_by_size(value: int, text: str) -> None:
    encoded = bytes.fromhex(text)
    assert unsigned(value) == encoded
    assert read_unsigned_varint(b"\xff" + encoded + b"\xff", 1) == (value, 1 + len(encoded))


@given(UINT32)
def test_unsigned_varint_round_trip(value: int) -> None:
    encoded = unsigned(value)
    for buffer in (encoded, bytearray(encoded), memoryview(encoded)):
        assert read_unsigned_varint(buffer, 0) == (value, len(encoded))


@given(INT32)
@example(-(2**31))
@example(2**31 - 1)
def test_varint_agrees_with_kafka_python(value: int) -> None:
    theirs = bytearray()
    kafka_python_records.encode_varint(value, theirs.append)
    assert varint(value) == theirs
    assert read_varint(theirs, 0) == (value, len(theirs))


@given(INT64)
@example(-(2**63))
@example(2**63 - 1)
def test_varlong_agrees_with_kafka_python(value: int) -> None:
    theirs = bytearray()
    kafka_python_records.encode_varint(value, theirs.append)
    assert varlong(value) == theirs
    assert read_varlong(theirs, 0) == (value, len(theirs))


@pytest.mark.parametrize("read", [read_unsigned_varint, read_varint, read_varlong])
def test_longer_encodings_than_needed_are_read_as_kafka_reads_them(read: Reader) -> None:
    assert read(bytes.fromhex("8000"), 0) == (0, 2)
    assert read(bytes.fromhex("8080808000"), 0) == (0, 5)


@pytest.mark.parametrize(
    ("read", "largest"),
    [
        (read_unsigned_varint, unsigned(2**32 - 1)),
        (read_varint, varint(-(2**31))),
        (read_varlong, varlong(-(2**63))),
    ],
)
def test_cut_anywhere_is_an_error_at_its_start(read: Reader, largest: bytes) -> None:
    for size in range(len(largest)):
        with pytest.raises(RemoteProtocolError, match="bytes end inside") as caught:
            read(b"\x00\x00" + largest[:size], 2)
        assert caught.value.offset == 2


@pytest.mark.parametrize("read", [read_unsigned_varint, read_varint])
@pytest.mark.parametrize("text", ["ffffffff10", "8080808080", "808080808001", "ffffffffff7f"])
def test_more_than_32_bits_are_refused(read: Reader, text: str) -> None:
    with pytest.raises(RemoteProtocolError, match="does not fit in 32 bits") as caught:
        read(b"\x00" + bytes.fromhex(text), 1)
    assert caught.value.offset == 1


@pytest.mark.parametrize("last", ["02", "7f", "80", "ff"])
def test_more_than_64_bits_are_refused(last: str) -> None:
    with pytest.raises(RemoteProtocolError, match="does not fit in 64 bits") as caught:
        read_varlong(b"\x00" + b"\xff" * 9 + bytes.fromhex(last) + b"\x00", 1)
    assert caught.value.offset == 1


@pytest.mark.parametrize(
    ("write", "value"),
    [
        (write_unsigned_varint, -1),
        (write_unsigned_varint, 2**32),
        (write_varint, -(2**31) - 1),
        (write_varint, 2**31),
        (write_varlong, -(2**63) - 1),
        (write_varlong, 2**63),
    ],
)
def test_values_out_of_range_are_not_written(write: Callable[[bytearray, int], None], value: int) -> None:
    out = bytearray(b"kept")
    with pytest.raises(LocalProtocolError, match=str(value)):
        write(out, value)
    assert out == b"kept"
