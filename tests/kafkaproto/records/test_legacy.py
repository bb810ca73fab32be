"""Message formats 0 and 1: logs of old brokers, and bytes that nobody honest wrote."""

from __future__ import annotations

import gzip
import random
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from struct import pack
from typing import Any

import cramjam
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.log import BatchScan, StopReason
from kafkaproto.records.batch import NewRecord, Record, RecordBatchView, TimestampType, build_batch
from kafkaproto.records.kept import StoredRecord
from kafkaproto.records.legacy import (
    LegacyBatchView,
    LegacyStoredRecords,
    iterate_stored_batches,
    read_head,
    view_of_batch,
    with_right_checksum,
)
from kafkaproto.records.times import record_times
from tests.support.old_logs import LOGS, RECORDS, files
from tests.support.old_messages import TIME_MS, message

GZIP, SNAPPY, LZ4 = 1, 2, 3
APPEND_TIME = 8


def segments(log: str) -> Iterator[bytes]:
    for name, content in files(log).items():
        if name.endswith(".log"):
            yield content


def views(log: str) -> Iterator[RecordBatchView]:
    for content in segments(log):
        yield from iterate_stored_batches(content)


def wrapper(offset: int, inner: Sequence[bytes], *, magic: int, attributes: int = GZIP) -> bytes:
    data = b"".join(inner)
    packed = gzip.compress(data) if attributes & 7 == GZIP else data
    return message(offset, packed, magic=magic, attributes=attributes)


def read(data: bytes, **options: int) -> list[Record]:
    view = LegacyBatchView(data)
    view.check()
    return list(view.records(**options))


# -- logs of old brokers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("log", LOGS)
def test_the_records_are_those_that_an_old_consumer_reads(log: str) -> None:
    found: list[list[Any]] = []
    for view in views(log):
        view.check()
        assert view.next_offset == view.last_offset + 1 == view.header().next_offset
        kind = view.timestamp_type.name if view.magic else None
        names = {None: "NoTimestampType", "CREATE_TIME": "CreateTime", "LOG_APPEND_TIME": "LogAppendTime"}
        records = list(view.records())
        assert view.first_offset == records[0].offset
        assert list(record_times(view)) == [(each.offset, each.timestamp) for each in records]
        assert view.max_timestamp == max(each.timestamp for each in records)
        for each in records:
            assert each.headers == ()
            key = None if each.key is None else each.key.hex()
            value = None if each.value is None else each.value.hex()
            found.append([each.offset, each.timestamp, names[kind], key, value])
    assert found == RECORDS[log]


@pytest.mark.parametrize("log", LOGS)
def test_a_scan_takes_every_batch(log: str) -> None:
    next_offset = 0
    for content in segments(log):
        scan = BatchScan(content, next_offset=next_offset, with_old_formats=True)
        assert all(view.base_offset <= view.last_offset for view in scan)
        assert (scan.valid_end, scan.stop_reason) == (len(content), StopReason.END)
        next_offset = scan.next_offset


@pytest.mark.parametrize("log", ["v0-none", "v0-lz4", "v1-gzip", "v1-snappy"])
def test_a_log_that_is_cut_anywhere_ends_with_its_last_whole_batch(log: str) -> None:
    content = next(segments(log))
    ends = [0]
    for view in iterate_stored_batches(content):
        ends.append(view.position + view.size_in_bytes)
    for size in range(len(content)):
        scan = BatchScan(content[:size], with_old_formats=True)
        whole = max(end for end in ends if end <= size)
        assert len(list(scan)) == ends.index(whole)
        assert scan.valid_end == whole
        assert scan.stop_reason is (StopReason.END if size == whole else StopReason.PARTIAL)
        assert [view.position for view in iterate_stored_batches(content[:size])] == ends[: ends.index(whole)]


@pytest.mark.parametrize("log", ["v0-none", "v0-gzip", "v1-none", "v1-lz4"])
def test_a_changed_byte_is_noticed(log: str) -> None:
    """The offset alone has no checksum, and the length only leads elsewhere."""
    content = next(segments(log))
    size = next(iterate_stored_batches(content)).size_in_bytes
    for position in range(12, size):
        for bit in range(8):
            changed = bytearray(content[:size])
            changed[position] ^= 1 << bit
            scan = BatchScan(bytes(changed), with_old_formats=True)
            assert list(scan) == []
            assert scan.fault is not None


# -- what a batch says ------------------------------------------------------------------------------------------------


def test_what_a_message_has_no_field_for() -> None:
    view = LegacyBatchView(message(41, b"value", magic=1, attributes=APPEND_TIME))
    header = view.header()
    assert (view.base_offset, view.last_offset, view.next_offset, view.first_offset) == (41, 41, 42, 41)
    assert (header.base_offset, header.last_offset, header.next_offset) == (41, 41, 42)
    assert (view.last_offset_delta, view.record_count, header.record_count) == (0, 1, 1)
    assert view.partition_leader_epoch == header.partition_leader_epoch == -1
    assert (view.producer_id, view.producer_epoch, view.base_sequence) == (-1, -1, -1)
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (-1, -1, -1)
    assert not header.has_producer_id
    assert not view.is_transactional
    assert not view.is_control
    assert not header.is_control
    assert view.delete_horizon_ms is None
    assert view.timestamp_type is TimestampType.LOG_APPEND_TIME
    assert view.base_timestamp == view.max_timestamp == TIME_MS
    assert view.crc == header.crc
    assert view.batch_length == header.batch_length == view.size_in_bytes - 12
    assert view.raw == message(41, b"value", magic=1, attributes=APPEND_TIME)


@pytest.mark.parametrize("magic", [0, 1])
def test_bits_that_mean_nothing_are_no_attributes(magic: int) -> None:
    """As control or transactional records, messages would be hidden from consumers."""
    view = LegacyBatchView(message(0, b"value", magic=magic, attributes=0xF8))
    view.check()
    assert view.attributes == view.header().attributes == (APPEND_TIME if magic else 0)
    assert not view.is_control
    assert not view.is_transactional
    assert [each.value for each in view.records()] == [b"value"]


def test_first_offset_of_what_cannot_be_read_is_the_last_one() -> None:
    assert LegacyBatchView(message(9, b"no gzip", magic=1, attributes=GZIP)).first_offset == 9


# -- wrappers ---------------------------------------------------------------------------------------------------------


def test_offsets_in_a_wrapper_count_back_from_its_own() -> None:
    inner = [message(each, b"v", magic=1) for each in (0, 1, 4)]
    assert [each.offset for each in read(wrapper(104, inner, magic=1))] == [100, 101, 104]
    # The first record need not have offset 0.
    later = [message(each, b"v", magic=1) for each in (7, 9)]
    assert [each.offset for each in read(wrapper(109, later, magic=1))] == [107, 109]


def test_offsets_in_a_wrapper_of_format_0_are_their_own() -> None:
    inner = [message(each, b"v", magic=0) for each in (100, 101, 104)]
    assert [each.offset for each in read(wrapper(104, inner, magic=0))] == [100, 101, 104]


def test_append_time_of_a_wrapper_is_that_of_its_records() -> None:
    inner = [message(each, b"v", magic=1, timestamp=each) for each in (0, 1)]
    whole = wrapper(1, inner, magic=1, attributes=GZIP | APPEND_TIME)
    assert [each.timestamp for each in read(whole)] == [TIME_MS, TIME_MS]
    assert [each.timestamp for each in read(wrapper(1, inner, magic=1))] == [0, 1]


def test_a_wrapper_may_hold_messages_of_the_other_format() -> None:
    """As brokers before 0.10.1 left them (KAFKA-4298)."""
    inner = [message(0, b"a", magic=0), message(1, b"b", magic=1, timestamp=5)]
    assert [(each.offset, each.timestamp) for each in read(wrapper(11, inner, magic=1))] == [
        (10, -1),
        (11, 5),
    ]


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize(
    ("inner", "reason"),
    [
        ([], "holds no message"),
        ([message(0, b"v", magic=1)[:-1]], "ends inside a message"),
        ([message(0, b"v", magic=1), b"\0" * 20], "cannot have length 0"),
        ([message(0, b"v", magic=1), b"\0" * 5], "5 bytes are no message"),
        ([wrapper(0, [message(0, b"v", magic=0)], magic=0)], "holds a wrapper"),
        ([message(-1, b"v", magic=1), message(5, b"v", magic=1)], "with offset -1 in a wrapper"),
        ([message(0, b"v", magic=2)], "magic 2 is not 0 or 1"),
    ],
)
def test_what_is_no_set_of_messages(magic: int, inner: list[bytes], reason: str) -> None:
    view = LegacyBatchView(wrapper(5, inner, magic=magic))
    view.check()
    with pytest.raises(RemoteProtocolError, match=reason) as caught:
        list(view.records())
    assert "wrapper with offset 5" in str(caught.value)
    with pytest.raises(RemoteProtocolError, match=reason):
        list(LegacyStoredRecords(view))


def test_offsets_behind_that_of_the_wrapper_are_refused() -> None:
    """The cleaner would take one for that of another record."""
    with pytest.raises(RemoteProtocolError, match="offset 6 in a wrapper with offset 5"):
        read(wrapper(5, [message(6, b"v", magic=0)], magic=0))
    with pytest.raises(RemoteProtocolError, match="offset -1 in a wrapper with offset 5"):
        read(wrapper(5, [message(0, b"v", magic=1), message(6, b"v", magic=1)], magic=1))


@pytest.mark.parametrize(("magic", "codec"), [(0, 4), (1, 4), (1, 7)])
def test_compressions_that_old_formats_do_not_have(magic: int, codec: int) -> None:
    inner = message(0, b"v", magic=magic)
    view = LegacyBatchView(message(0, bytes(cramjam.zstd.compress(inner)), magic=magic, attributes=codec))
    with pytest.raises(RemoteProtocolError, match=f"has no compression {codec}"):
        list(view.records())


@pytest.mark.parametrize("magic", [0, 1])
def test_a_wrapper_without_value_is_refused(magic: int) -> None:
    view = LegacyBatchView(message(0, None, magic=magic, attributes=GZIP))
    for act in (view.check, lambda: list(view.records())):
        with pytest.raises(RemoteProtocolError, match="is empty"):
            act()


@pytest.mark.parametrize("magic", [0, 1])
def test_a_bomb_is_given_up_at_the_limit(magic: int) -> None:
    data = wrapper(0, [message(0, bytes(50_000_000), magic=magic)], magic=magic)
    assert len(data) < 60_000
    with pytest.raises(RemoteProtocolError, match="more than the 1000000 bytes allowed"):
        read(data, max_decompressed_bytes=1_000_000)


# -- lying lengths ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("length", [-(2**31), -2, 3, 6, 1000, 2**31 - 1])
@pytest.mark.parametrize("is_key", [True, False])
def test_a_key_or_value_has_to_fill_the_message(magic: int, length: int, is_key: bool) -> None:
    good = bytearray(message(0, b"value", magic=magic, key=b"key.."))
    start = 18 + 8 * magic + (0 if is_key else 9)
    good[start : start + 4] = pack(">i", length)
    good[12:16] = pack(">I", zlib.crc32(good[16:]))
    view = LegacyBatchView(bytes(good))
    for act in (view.check, lambda: list(view.records())):
        with pytest.raises(RemoteProtocolError, match="fits in the message"):
            act()


@pytest.mark.parametrize(("magic", "least"), [(0, 14), (1, 22)])
def test_lengths_that_no_message_has(magic: int, least: int) -> None:
    good = message(0, None, magic=magic)
    assert len(good) == 12 + least
    assert read(good)[0].value is None
    for length in (-(2**31), -1, 0, least - 1):
        bad = good[:8] + pack(">i", length) + good[12:]
        with pytest.raises(RemoteProtocolError, match=f"cannot have length {length}"):
            LegacyBatchView(bad)
    with pytest.raises(RemoteProtocolError, match="has only"):
        LegacyBatchView(good[:8] + pack(">i", least + 1) + good[12:])
    with pytest.raises(RemoteProtocolError, match="cannot have length 13"):
        list(iterate_stored_batches(good[:8] + pack(">i", 13) + good[12:]))


@pytest.mark.parametrize("offset", [-1, 2**63 - 1])
def test_offsets_that_no_message_has(offset: int) -> None:
    with pytest.raises(RemoteProtocolError, match=f"no offset is {offset}"):
        LegacyBatchView(message(offset, b"v", magic=1)).check()


@pytest.mark.parametrize("magic", [0, 1, 2])
def test_what_ends_inside_the_head_of_a_batch_is_none_of_any_format(magic: int) -> None:
    whole = message(0, None, magic=min(magic, 1))
    if magic == 2:
        whole = build_batch([NewRecord(b"k", b"v")], base_offset=0, timestamp_ms=TIME_MS)
    view = view_of_batch(b"before" + whole, 6)
    assert (view.magic, view.size_in_bytes) == (magic, len(whole))
    for size in range(len(whole)):
        with pytest.raises(RemoteProtocolError):
            view_of_batch(whole[:size])


@pytest.mark.parametrize("magic", [0, 1])
def test_each_message_says_whether_its_checksum_is_right(magic: int) -> None:
    inner = [bytearray(message(offset, b"value", magic=magic)) for offset in range(3)]
    inner[1][-1] ^= 1
    for data, right in zip(inner, (True, False, True), strict=True):
        assert [each.is_valid for each in LegacyBatchView(data).messages()] == [right]
    outer = wrapper(2, [bytes(each) for each in inner], magic=magic)
    assert [each.is_valid for each in LegacyBatchView(outer).messages()] == [True, False, True]


def test_a_batch_of_format_2_is_no_message() -> None:
    with pytest.raises(RemoteProtocolError, match="magic 2 is not 0 or 1"):
        read_head(bytes(16) + b"\2" + bytes(60), 0)
    with pytest.raises(RemoteProtocolError, match="magic 3"):
        list(iterate_stored_batches(bytes(8) + pack(">i", 60) + bytes(4) + b"\3" + bytes(60)))


# -- the checksum of LZ4 ----------------------------------------------------------------------------------------------


def lz4(data: bytes, *, has_size: bool) -> bytes:
    compressor = cramjam.lz4.Compressor(content_checksum=False, block_linked=False)
    compressor.compress(data)
    frame = bytes(compressor.finish())
    if not has_size:
        return frame
    # The library writes no size of the content. It takes one, with the only checksum of the header that is right.
    head = frame[:4] + bytes([frame[4] | 8]) + frame[5:6] + len(data).to_bytes(8, "little")
    for checksum in range(256):
        sized = head + bytes([checksum]) + frame[7:]
        with suppress(cramjam.DecompressionError):
            cramjam.lz4.decompress(sized)
            return sized
    raise AssertionError("no checksum is right")


@pytest.mark.parametrize("has_size", [False, True])
def test_any_header_checksum_of_lz4_is_taken_in_format_0_alone(has_size: bool) -> None:
    inner = message(0, b"value " * 20, magic=0)
    frame = lz4(inner, has_size=has_size)
    at = 14 if has_size else 6
    assert with_right_checksum(frame) == frame
    for byte in (0, 26, 255):
        broken = frame[:at] + bytes([byte]) + frame[at + 1 :]
        assert with_right_checksum(broken) == frame
        assert read(message(0, broken, magic=0, attributes=LZ4))[0].value == b"value " * 20
        if broken != frame:
            with pytest.raises(RemoteProtocolError, match="damaged"):
                read(message(0, broken, magic=1, attributes=LZ4))


def test_what_is_no_lz4_frame_stays_as_it_is() -> None:
    for data in (b"", b"\x04\x22\x4d\x18", b"\x04\x22\x4d\x18\x68\x40" + bytes(4), b"something else"):
        assert with_right_checksum(data) == data


# -- compaction -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("log", [each for each in LOGS if each.startswith("v")])
def test_what_is_kept_becomes_a_batch_of_format_2(log: str) -> None:
    dice = random.Random(log)
    for view in views(log):
        assert isinstance(view, LegacyBatchView)
        records = list(view.records())
        stored = LegacyStoredRecords(view)
        assert list(stored) == [StoredRecord(each.offset, each.key, each.value is None) for each in records]
        is_kept = bytes(dice.choice((0, 1)) for _ in records[1:]) + b"\1"
        for horizon_ms in (None, TIME_MS + 5):
            made = RecordBatchView(stored.keep(is_kept, delete_horizon_ms=horizon_ms))
            made.check()
            kept = [each for each, stays in zip(records, is_kept, strict=True) if stays]
            assert list(made.records()) == kept
            assert (made.base_offset, made.last_offset) == (kept[0].offset, kept[-1].offset)
            assert made.record_count == len(kept)
            assert made.compression == view.compression
            assert made.timestamp_type == view.timestamp_type
            assert made.max_timestamp == max(each.timestamp for each in kept)
            assert made.delete_horizon_ms == horizon_ms
            assert (made.partition_leader_epoch, made.producer_id, made.base_sequence) == (-1, -1, -1)


# -- any bytes --------------------------------------------------------------------------------------------------------


@given(st.data())
def test_nothing_but_a_protocol_error_comes_of_changed_bytes(data: st.DataObject) -> None:
    content = bytearray(next(segments(data.draw(st.sampled_from(LOGS[:8])))))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(content)))
    try:
        for view in iterate_stored_batches(bytes(content[:end])):
            try:
                for _ in view.records(1 << 20):
                    pass
                assert view.first_offset <= view.last_offset
            except RemoteProtocolError:
                pass
            view.check()
    except RemoteProtocolError:
        pass


@given(
    st.lists(st.tuples(st.none() | st.binary(max_size=20), st.none() | st.binary(max_size=20)), min_size=1)
)
def test_any_records_are_read_as_they_were_written(pairs: list[tuple[bytes | None, bytes | None]]) -> None:
    for magic in (0, 1):
        base = 1000
        shift = 0 if magic else base
        inner = [
            message(shift + index, value, magic=magic, key=key, timestamp=index)
            for index, (key, value) in enumerate(pairs)
        ]
        found = read(wrapper(base + len(pairs) - 1, inner, magic=magic))
        expected = [
            Record(base + index, index if magic else -1, key, value, ())
            for index, (key, value) in enumerate(pairs)
        ]
        assert found == expected
        assert [read(each)[0][2:4] for each in inner] == pairs


@given(st.data())
def test_nothing_but_a_protocol_error_comes_of_a_wrapper_with_changed_messages(data: st.DataObject) -> None:
    """Their checksums are not looked at, and that of the wrapper is right."""
    log = data.draw(st.sampled_from([each for each in LOGS if each.startswith("v") and "none" not in each]))
    view = data.draw(st.sampled_from(list(views(log))))
    inner = bytearray(view.plain_records())
    for _ in range(data.draw(st.integers(1, 4))):
        inner[data.draw(st.integers(0, len(inner) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.just(len(inner)) | st.integers(0, len(inner)))
    changed = LegacyBatchView(wrapper(view.last_offset, [bytes(inner[:end])], magic=view.magic))
    changed.check()
    try:
        records = list(changed.records())
        assert all(0 <= each.offset <= changed.last_offset for each in records)
        assert [each.record for each in changed.messages()] == records
        stored = LegacyStoredRecords(changed)
        assert [each.offset for each in stored] == [each.offset for each in records]
    except RemoteProtocolError:
        return
    kept = RecordBatchView(stored.keep(bytes([1]) * len(records)))
    kept.check()
    assert list(kept.records()) == records


def test_records_whose_offsets_do_not_ascend_are_not_compacted() -> None:
    """Some producers wrote the same offset for all of them. They can be read."""
    same = LegacyBatchView(wrapper(7, [message(0, b"v", magic=1), message(0, b"w", magic=1)], magic=1))
    assert [(each.offset, each.value) for each in same.records()] == [(7, b"v"), (7, b"w")]
    for offsets in ((0, 0), (3, 2, 4)):
        view = LegacyBatchView(wrapper(7, [message(each, b"v", magic=1) for each in offsets], magic=1))
        with pytest.raises(RemoteProtocolError, match="follows offset"):
            list(LegacyStoredRecords(view))
