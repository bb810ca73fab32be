"""Segments and their indexes: names, entries, and how far the bytes of a log are valid."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.log import (
    OFFSET_INDEX_SUFFIX,
    TIME_INDEX_SUFFIX,
    BatchScan,
    OffsetIndexEntry,
    StopReason,
    TimeIndexEntry,
    encode_offset_index_entry,
    encode_time_index_entry,
    find_batch,
    iterate_offset_index,
    iterate_time_index,
    parse_segment_file_name,
    segment_file_name,
)
from kafkaproto.records.batch import build_batch
from tests.kafkaproto.support.golden_batches import LEADER_CHANGE_BATCH, NO_OP_BATCH, OLD_BATCHES

MAX_OFFSET = 2**63 - 1


def batch(base_offset: int, count: int = 1, value: bytes = b"value") -> bytes:
    return build_batch([(None, value, ())] * count, base_offset=base_offset, timestamp_ms=1000)


LOG = batch(40) + batch(41, 3) + batch(50, 2)
ENDS = [len(batch(40)), len(batch(40) + batch(41, 3)), len(LOG)]


# Names.


@pytest.mark.parametrize(
    ("base_offset", "name"),
    [
        (0, "00000000000000000000.log"),
        (42, "00000000000000000042.log"),
        (MAX_OFFSET, "09223372036854775807.log"),
    ],
)
def test_segment_file_names(base_offset: int, name: str) -> None:
    assert segment_file_name(base_offset) == name
    assert parse_segment_file_name(name) == base_offset


@pytest.mark.parametrize("suffix", [OFFSET_INDEX_SUFFIX, TIME_INDEX_SUFFIX])
def test_index_file_names(suffix: str) -> None:
    name = segment_file_name(7, suffix)
    assert name == "00000000000000000007" + suffix
    assert parse_segment_file_name(name, suffix) == 7
    assert parse_segment_file_name(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "0000000000000000042.log",
        "000000000000000000042.log",
        "-0000000000000000042.log",
        "00000000000000000042.LOG",
        "00000000000000000042.log.deleted",
        "00000000000000000042.log\n",
        "00000000000000000042",
        "09223372036854775808.log",
        "\u06600000000000000000042.log",
        "leader-epoch-checkpoint",
    ],
)
def test_other_names_are_no_segments(name: str) -> None:
    assert parse_segment_file_name(name) is None


# Indexes.


def test_offset_index_entries_are_eight_bytes() -> None:
    data = encode_offset_index_entry(100, OffsetIndexEntry(103, 4096))
    data += encode_offset_index_entry(100, OffsetIndexEntry(100 + 2**31 - 1, 2**31 - 1))
    assert data == bytes.fromhex("00000003 00001000 7fffffff 7fffffff")
    entries = [OffsetIndexEntry(103, 4096), OffsetIndexEntry(2147483747, 2147483647)]
    assert list(iterate_offset_index(data, 100)) == entries
    assert list(iterate_offset_index(memoryview(data + bytes(80)), 100)) == entries


def test_time_index_entries_are_twelve_bytes() -> None:
    data = encode_time_index_entry(100, TimeIndexEntry(1_700_000_000_000, 103))
    data += encode_time_index_entry(100, TimeIndexEntry(1_700_000_000_001, 103))
    assert data == bytes.fromhex("0000018bcfe56800 00000003 0000018bcfe56801 00000003")
    entries = [TimeIndexEntry(1_700_000_000_000, 103), TimeIndexEntry(1_700_000_000_001, 103)]
    assert list(iterate_time_index(data, 100)) == entries
    assert list(iterate_time_index(data + bytes(120), 100)) == entries


def test_preallocated_indexes_have_no_entries() -> None:
    assert list(iterate_offset_index(bytes(10_485_760), 5)) == []
    assert list(iterate_time_index(bytes(10_485_756), 5)) == []
    assert list(iterate_offset_index(b"", 5)) == []


def test_entries_at_the_base_offset_itself() -> None:
    # A first batch of one record, indexed where the segment starts with a batch that is not the first.
    assert list(iterate_offset_index(bytes.fromhex("00000000 00000010"), 5)) == [OffsetIndexEntry(5, 16)]
    assert list(iterate_time_index(bytes.fromhex("0000000000000001 00000000"), 5)) == [TimeIndexEntry(1, 5)]


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("00000001 00000010 00000001 00000020", 8),
        ("00000002 00000010 00000001 00000020", 8),
        ("00000001 00000010 00000002 00000010", 8),
        ("00000001 00000010 00000002 0000000f", 8),
        ("ffffffff 00000010", 0),
        ("00000001 ffffffff", 0),
    ],
)
def test_offset_index_that_does_not_ascend(text: str, offset: int) -> None:
    with pytest.raises(RemoteProtocolError, match=r"OffsetIndexEntry\(.*\) does not ascend from") as caught:
        list(iterate_offset_index(bytes.fromhex(text), 100))
    assert caught.value.offset == offset


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("0000000000000005 00000001 0000000000000005 00000002", 12),
        ("0000000000000005 00000001 0000000000000004 00000002", 12),
        ("0000000000000005 00000002 0000000000000006 00000001", 12),
        ("ffffffffffffffff 00000001", 0),
        ("0000000000000005 ffffffff", 0),
    ],
)
def test_time_index_that_does_not_ascend(text: str, offset: int) -> None:
    with pytest.raises(RemoteProtocolError, match=r"TimeIndexEntry\(.*\) does not ascend from") as caught:
        list(iterate_time_index(bytes.fromhex(text), 100))
    assert caught.value.offset == offset


@pytest.mark.parametrize("size", [1, 7, 9, 15])
def test_index_that_ends_inside_an_entry(size: int) -> None:
    with pytest.raises(RemoteProtocolError, match="no whole number of 8-byte entries") as caught:
        list(iterate_offset_index(b"\x01" * size, 0))
    assert caught.value.offset == size // 8 * 8
    with pytest.raises(RemoteProtocolError, match="no whole number of 12-byte entries"):
        list(iterate_time_index(b"\x01" * size, 0))


def test_entries_out_of_reach_are_not_written() -> None:
    for offset, position in ((100 + 2**31, 0), (100 - 2**31 - 1, 0), (100, 2**31)):
        with pytest.raises(LocalProtocolError, match="does not fit in an index with base offset 100"):
            encode_offset_index_entry(100, OffsetIndexEntry(offset, position))
    with pytest.raises(LocalProtocolError, match="does not fit in a time index with base offset 100"):
        encode_time_index_entry(100, TimeIndexEntry(0, 100 + 2**31))


# Scanning.


def scanned(data: bytes, *, start: int = 0, next_offset: int = 0) -> tuple[list[int], BatchScan]:
    scan = BatchScan(data, start=start, next_offset=next_offset)
    assert scan.stop_reason is None
    return [view.base_offset for view in scan], scan


def test_a_valid_log_is_scanned_to_its_end() -> None:
    scan = BatchScan(LOG, next_offset=40)
    for view, end, next_offset in zip(scan, ENDS, [41, 44, 52], strict=True):
        assert view.position + view.size_in_bytes == scan.valid_end == end
        assert scan.next_offset == next_offset
    assert (scan.stop_reason, scan.fault) == (StopReason.END, None)


def test_scanning_nothing() -> None:
    offsets, scan = scanned(b"", next_offset=7)
    assert (offsets, scan.valid_end, scan.next_offset) == ([], 0, 7)
    assert (scan.stop_reason, scan.fault) == (StopReason.END, None)


def test_scanning_from_the_middle() -> None:
    offsets, scan = scanned(LOG, start=ENDS[0])
    assert (offsets, scan.valid_end, scan.stop_reason) == ([41, 50], len(LOG), StopReason.END)


def test_a_log_cut_anywhere_ends_with_its_last_whole_batch() -> None:
    for size in range(len(LOG)):
        offsets, scan = scanned(LOG[:size])
        whole = [end for end in ENDS if end <= size]
        assert len(offsets) == len(whole)
        assert scan.valid_end == (whole[-1] if whole else 0)
        if size in (0, *ENDS):
            assert scan.stop_reason is StopReason.END
        else:
            assert scan.stop_reason is StopReason.PARTIAL
            assert scan.fault is not None
            assert scan.fault.offset in (scan.valid_end, scan.valid_end + 8)


def test_any_changed_byte_stops_the_scan_at_its_batch() -> None:
    for position in range(ENDS[0], ENDS[1]):
        if ENDS[0] + 12 <= position < ENDS[0] + 16:
            continue  # The leader epoch is outside the crc.
        changed = bytearray(LOG)
        changed[position] ^= 0x80
        offsets, scan = scanned(bytes(changed), next_offset=40)
        if position in range(ENDS[0] + 1, ENDS[0] + 8):
            continue  # A base offset that is too high is valid as such; the next batch shows it.
        assert offsets == [40]
        assert scan.valid_end == ENDS[0]
        if position == ENDS[0] + 9:
            assert scan.stop_reason is StopReason.PARTIAL  # The length is possible, but beyond the end.
        elif position == ENDS[0] + 16:
            assert scan.stop_reason is StopReason.UNKNOWN_FORMAT
        else:
            assert scan.stop_reason in (StopReason.DAMAGED, StopReason.PARTIAL)
        assert scan.fault is not None


@pytest.mark.parametrize("magic", [0, 1, 3, 255])
def test_a_batch_of_a_format_that_is_not_known_is_neither_torn_nor_damaged(magic: int) -> None:
    other = bytearray(LOG[ENDS[0] : ENDS[1]])
    other[16] = magic
    for size in range(17, len(other)):
        offsets, scan = scanned(LOG[: ENDS[0]] + other[:size], next_offset=40)
        assert (offsets, scan.valid_end, scan.stop_reason) == ([40], ENDS[0], StopReason.UNKNOWN_FORMAT)
    # What does not continue the log may be anything.
    assert scanned(bytes(other), next_offset=50)[1].stop_reason is StopReason.DAMAGED
    assert scanned(bytes(8) + bytes(other[8:]), next_offset=1)[1].stop_reason is StopReason.DAMAGED


def test_old_formats_are_read_if_the_scan_is_told_to() -> None:
    for magic, old in OLD_BATCHES:
        _, scan = scanned(old)
        assert (scan.valid_end, scan.stop_reason) == (0, StopReason.UNKNOWN_FORMAT)
        assert next(iter(BatchScan(old, with_old_formats=True))).magic == magic
        for size in range(1, 26):
            cut = BatchScan(old[:size], with_old_formats=True)
            assert list(cut) == []
            assert cut.stop_reason is StopReason.PARTIAL


@pytest.mark.parametrize(
    ("tail", "reason"),
    [
        (bytes(100), "magic 0 is too old"),
        (b"\xff" * 100, "cannot have magic 255"),
        (bytes(8) + b"\x00\x00\x00\x05" + bytes(4) + b"\x02" + bytes(60), "cannot have length 5"),
        (bytes(8) + b"\x80\x00\x00\x00" + bytes(4) + b"\x02" + bytes(60), "cannot have length -2147483648"),
        (NO_OP_BATCH[:-1] + b"\x01", "the crc of the record batch with base offset 13"),
        (LEADER_CHANGE_BATCH, "has base offset 0, expected is 14 or more"),
    ],
)
def test_damage_is_told_from_a_torn_tail(tail: bytes, reason: str) -> None:
    offsets, scan = scanned(NO_OP_BATCH + tail)
    assert (offsets, scan.valid_end, scan.stop_reason) == ([13], len(NO_OP_BATCH), StopReason.DAMAGED)
    assert reason in str(scan.fault)
    assert scan.fault is not None
    assert len(NO_OP_BATCH) <= (scan.fault.offset or 0) < len(NO_OP_BATCH) + 61


@given(tail=st.binary(max_size=200))
def test_garbage_behind_a_log_is_never_valid(tail: bytes) -> None:
    offsets, scan = scanned(LOG + tail)
    assert (offsets, scan.valid_end) == ([40, 41, 50], len(LOG))
    assert (scan.stop_reason is StopReason.END) == (tail == b"")


# Finding a batch behind damage.


def test_the_batch_behind_damage_is_found() -> None:
    damaged = bytearray(LOG)
    damaged[ENDS[0] + 70] ^= 1
    _, scan = scanned(bytes(damaged))
    assert scan.valid_end == ENDS[0]
    for buffer in (bytes(damaged), damaged, memoryview(damaged)):
        assert find_batch(buffer, scan.valid_end, scan.next_offset) == ENDS[1]


def test_nothing_is_found_behind_a_torn_tail() -> None:
    for size in range(ENDS[1] + 1, len(LOG)):
        assert find_batch(LOG[:size], ENDS[1], 44) is None


def test_batches_with_offsets_that_are_too_low_are_not_found() -> None:
    assert find_batch(LOG, 0, 40) == 0
    assert find_batch(LOG, 1, 40) == ENDS[0]
    assert find_batch(LOG, 0, 42) == ENDS[1]
    assert find_batch(LOG, 0, 51) is None


def test_a_batch_is_found_at_any_distance() -> None:
    garbage = random.Random(1).randbytes(20_000) + b"\x02" * 50
    assert find_batch(garbage + NO_OP_BATCH + b"\x02", 0, 0) == len(garbage)
    assert find_batch(garbage, 0, 0) is None
    assert find_batch(b"", 0, 0) is None
