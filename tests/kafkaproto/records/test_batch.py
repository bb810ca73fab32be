"""Record batches: Kafka's own bytes, kafka-python both ways, and whatever else may lie in a buffer."""

from __future__ import annotations

import struct
import tracemalloc
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.errors import LocalProtocolError, RemoteProtocolError
from kafkaproto.primitives import Buffer
from kafkaproto.records.batch import (
    HEADER_SIZE,
    NewRecord,
    Record,
    RecordBatchView,
    TimestampType,
    assign_offsets,
    build_batch,
    iterate_batches,
)
from kafkaproto.records.compression import Compression
from kafkaproto.records.crc32c import crc32c
from tests.kafkaproto.support.golden_batches import (
    BOOTSTRAP_CHECKPOINT,
    BOOTSTRAP_DATA_BATCH,
    BOOTSTRAP_FOOTER_BATCH,
    BOOTSTRAP_HEADER_BATCH,
    COMMIT_MARKER_BATCH,
    DATA_BATCHES,
    DATA_RECORDS,
    LEADER_CHANGE_BATCH,
    LOG_APPEND_TIME_BATCH,
    NO_OP_BATCH,
    OLD_BATCHES,
    SOLE_VOTER_BATCH,
    STANDALONE_CHECKPOINT,
)
from tests.kafkaproto.support.kafka_python_records import DefaultRecordBatch, DefaultRecordBatchBuilder
from tests.kafkaproto.support.strategies import COMPRESSIONS, RECORD_LISTS

METADATA_BATCHES = [
    LEADER_CHANGE_BATCH,
    SOLE_VOTER_BATCH,
    NO_OP_BATCH,
    BOOTSTRAP_HEADER_BATCH,
    BOOTSTRAP_DATA_BATCH,
    BOOTSTRAP_FOOTER_BATCH,
]
EXPECTED_RECORDS = [
    Record(100, 1_700_000_000_000, b"key", b"value-" * 20, (("trace", b"on"), ("empty", None))),
    Record(101, 1_700_000_000_005, None, b"", ()),
    Record(102, 1_699_999_999_990, b"", None, ()),
]


def with_bytes(batch: bytes, position: int, replacement: bytes) -> bytes:
    """The batch with some bytes replaced and its crc made right again."""
    changed = bytearray(batch)
    changed[position : position + len(replacement)] = replacement
    changed[17:21] = struct.pack(">I", crc32c(changed[21:]))
    return bytes(changed)


def with_body(body: bytes, count: int) -> bytes:
    """A batch with a right header and crc around this body."""
    batch = build_batch([(None, b"", ())], base_offset=0, timestamp_ms=0)[:HEADER_SIZE] + body
    batch = with_bytes(batch, 8, struct.pack(">i", len(batch) - 12))
    return with_bytes(batch, 57, struct.pack(">i", count))


# What Apache Kafka wrote.


@pytest.mark.parametrize("compression", list(Compression))
def test_kafkas_data_batch_is_read_field_by_field(compression: Compression) -> None:
    batch = RecordBatchView(DATA_BATCHES[compression])
    batch.check()
    assert batch.base_offset == 100
    assert batch.batch_length == len(DATA_BATCHES[compression]) - 12
    assert batch.size_in_bytes == len(DATA_BATCHES[compression])
    assert batch.partition_leader_epoch == 7
    assert batch.magic == 2
    assert batch.crc == crc32c(DATA_BATCHES[compression][21:])
    assert batch.attributes == 0x10 | compression
    assert batch.compression == compression
    assert batch.is_transactional
    assert not batch.is_control
    assert batch.timestamp_type is TimestampType.CREATE_TIME
    assert batch.delete_horizon_ms is None
    assert batch.last_offset_delta == 2
    assert batch.last_offset == 102
    assert batch.next_offset == 103
    assert batch.base_timestamp == 1_700_000_000_000
    assert batch.max_timestamp == 1_700_000_000_005
    assert batch.producer_id == 4000
    assert batch.producer_epoch == 3
    assert batch.base_sequence == 10
    assert batch.record_count == 3
    assert list(batch.records()) == EXPECTED_RECORDS


@pytest.mark.parametrize("compression", list(Compression))
def test_kafkas_data_batch_is_built(compression: Compression) -> None:
    built = build_batch(
        DATA_RECORDS,
        base_offset=100,
        partition_leader_epoch=7,
        timestamp_ms=0,
        compression=compression,
        transactional=True,
        producer_id=4000,
        producer_epoch=3,
        base_sequence=10,
    )
    batch = RecordBatchView(built)
    batch.check()
    assert batch.attributes == 0x10 | compression
    assert list(batch.records()) == EXPECTED_RECORDS
    if compression in (Compression.NONE, Compression.SNAPPY):
        assert built == DATA_BATCHES[compression]


def test_log_append_time_replaces_all_timestamps() -> None:
    batch = RecordBatchView(LOG_APPEND_TIME_BATCH)
    assert batch.timestamp_type is TimestampType.LOG_APPEND_TIME
    assert [record.timestamp for record in batch.records()] == [1_700_000_009_999] * 3
    built = build_batch(
        DATA_RECORDS,
        base_offset=100,
        partition_leader_epoch=7,
        timestamp_ms=1_700_000_009_999,
        timestamp_type=TimestampType.LOG_APPEND_TIME,
    )
    assert built == LOG_APPEND_TIME_BATCH


def test_transaction_marker() -> None:
    batch = RecordBatchView(COMMIT_MARKER_BATCH)
    (record,) = batch.records()
    assert batch.is_control
    assert batch.is_transactional
    built = build_batch(
        [(record.key, record.value, ())],
        base_offset=50,
        partition_leader_epoch=7,
        timestamp_ms=1_700_000_000_000,
        control=True,
        transactional=True,
        producer_id=4000,
        producer_epoch=3,
    )
    assert built == COMMIT_MARKER_BATCH


@pytest.mark.parametrize("data", METADATA_BATCHES)
def test_batches_of_the_metadata_log_are_read_and_built_again(data: bytes) -> None:
    batch = RecordBatchView(data)
    batch.check()
    records = list(batch.records())
    assert [record.offset for record in records] == [*range(batch.base_offset, batch.next_offset)]
    assert {record.timestamp for record in records} == {batch.base_timestamp}
    assert data == build_batch(
        [(record.key, record.value, record.headers) for record in records],
        base_offset=batch.base_offset,
        partition_leader_epoch=batch.partition_leader_epoch,
        timestamp_ms=batch.base_timestamp,
        control=batch.is_control,
    )


# kafka-python, both ways.


@pytest.mark.parametrize("compression", list(Compression))
@given(records=RECORD_LISTS)
def test_kafka_python_reads_what_we_build(compression: Compression, records: list[NewRecord]) -> None:
    theirs = DefaultRecordBatch(
        build_batch(
            records,
            base_offset=1000,
            partition_leader_epoch=5,
            timestamp_ms=77,
            compression=compression,
            producer_id=9,
            producer_epoch=1,
            base_sequence=3,
        )
    )
    assert theirs.validate_crc()
    assert (theirs.leader_epoch, theirs.producer_id, theirs.producer_epoch) == (5, 9, 1)
    assert (theirs.base_sequence, theirs.compression_type) == (3, compression)
    for delta, (read, record) in enumerate(zip(theirs, records, strict=True)):
        assert read.offset == 1000 + delta
        assert read.timestamp == (77 if record.timestamp_ms is None else record.timestamp_ms)
        assert (read.key, read.value, read.headers) == (record.key, record.value, list(record.headers))


def read_back(record: NewRecord, offset: int, timestamp: int) -> Record:
    """A record as it is read once it was built."""

    def as_bytes(data: Buffer | None) -> bytes | None:
        return None if data is None else bytes(data)

    headers = tuple((name, as_bytes(value)) for name, value in record.headers)
    return Record(offset, timestamp, as_bytes(record.key), as_bytes(record.value), headers)


@pytest.mark.parametrize("compression", list(Compression))
@given(records=RECORD_LISTS)
def test_we_read_what_kafka_python_builds(compression: Compression, records: list[NewRecord]) -> None:
    builder = DefaultRecordBatchBuilder(
        magic=2,
        compression_type=compression,
        is_transactional=1,
        producer_id=9,
        producer_epoch=1,
        base_sequence=3,
        batch_size=1 << 20,
    )
    for delta, record in enumerate(records):
        timestamp = record.timestamp_ms or 0
        builder.append(delta, timestamp, record.key, record.value, list(record.headers))
    batch = RecordBatchView(builder.build())
    batch.check()
    assert batch.is_transactional
    assert (batch.producer_id, batch.producer_epoch, batch.base_sequence) == (9, 1, 3)
    assert batch.max_timestamp == max(record.timestamp_ms or 0 for record in records)
    assert list(batch.records()) == [
        read_back(record, delta, record.timestamp_ms or 0) for delta, record in enumerate(records)
    ]


# Building.


@given(records=RECORD_LISTS, compression=COMPRESSIONS, base_offset=st.integers(0, 2**62))
def test_round_trip(records: list[NewRecord], compression: int, base_offset: int) -> None:
    batch = RecordBatchView(
        build_batch(records, base_offset=base_offset, timestamp_ms=5, compression=compression)
    )
    batch.check()
    assert batch.record_count == len(records)
    timestamps = [5 if record.timestamp_ms is None else record.timestamp_ms for record in records]
    assert batch.base_timestamp == timestamps[0]
    assert batch.max_timestamp == max(timestamps)
    assert list(batch.records()) == [
        read_back(record, base_offset + delta, timestamps[delta]) for delta, record in enumerate(records)
    ]


def test_keys_and_values_may_be_any_buffer() -> None:
    plain = build_batch([(b"key", b"value", [("h", b"x")])], base_offset=0, timestamp_ms=0)
    assert plain == build_batch(
        [(bytearray(b"key"), memoryview(b"value"), [("h", memoryview(b"x"))])], base_offset=0, timestamp_ms=0
    )


def test_long_keys_values_and_many_records() -> None:
    records = [(b"k" * 3000, b"v" * 70_000, ()), *[(None, b"", ())] * 3000]
    batch = RecordBatchView(build_batch(records, base_offset=0, timestamp_ms=0))
    read = list(batch.records())
    assert (read[0].key, read[0].value) == (b"k" * 3000, b"v" * 70_000)
    assert [record.offset for record in read] == [*range(3001)]


def test_delete_horizon_is_what_timestamps_count_from() -> None:
    batch = RecordBatchView(
        build_batch([NewRecord(b"k", None, (), 500)], base_offset=0, timestamp_ms=0, delete_horizon_ms=900)
    )
    assert batch.delete_horizon_ms == 900
    assert batch.base_timestamp == 900
    assert batch.max_timestamp == 500
    assert [record.timestamp for record in batch.records()] == [500]


def test_a_batch_of_no_records_is_not_built() -> None:
    with pytest.raises(LocalProtocolError, match="at least one record"):
        build_batch([], base_offset=0, timestamp_ms=0)


@pytest.mark.parametrize(
    "field",
    [
        {"base_offset": 2**63},
        {"partition_leader_epoch": 2**31},
        {"producer_id": 2**63},
        {"producer_epoch": 2**15},
        {"base_sequence": -(2**31) - 1},
        {"timestamp_ms": 2**63},
    ],
)
def test_numbers_that_do_not_fit_are_refused(field: dict[str, int]) -> None:
    fields: dict[str, Any] = {"base_offset": 0, "timestamp_ms": 0, **field}
    with pytest.raises(LocalProtocolError, match="does not fit"):
        build_batch([(None, b"", ())], **fields)


def test_timestamps_whose_distance_is_no_int64_are_read_back() -> None:
    times = [-(2**62), 2**63 - 1, -(2**63)]
    data = build_batch([NewRecord(None, b"", (), each) for each in times], base_offset=0, timestamp_ms=0)
    assert [record.timestamp for record in RecordBatchView(data).records()] == times


@pytest.mark.parametrize("timestamp", [-(2**63) - 1, 2**63])
def test_timestamp_that_is_no_int64_is_refused(timestamp: int) -> None:
    with pytest.raises(LocalProtocolError, match="does not fit in a signed 64-bit"):
        build_batch(
            [NewRecord(None, b"", (), 2**62), NewRecord(None, b"", (), timestamp)],
            base_offset=0,
            timestamp_ms=0,
        )


@pytest.mark.parametrize("compression", [5, 8, -1])
def test_unknown_compression_is_refused(compression: int) -> None:
    with pytest.raises(LocalProtocolError, match=f"no compression {compression}"):
        build_batch([(None, b"", ())], base_offset=0, timestamp_ms=0, compression=compression)


def test_leader_stamps_offset_and_epoch_without_a_new_crc() -> None:
    built = bytearray(build_batch([(None, b"v", ())], base_offset=0, timestamp_ms=0))
    assign_offsets(built, 4711, 12)
    batch = RecordBatchView(built)
    batch.check()
    assert (batch.base_offset, batch.partition_leader_epoch) == (4711, 12)
    assert [record.offset for record in batch.records()] == [4711]


def test_stamping_one_of_several_batches_leaves_the_others() -> None:
    one = build_batch([(None, b"v", ())], base_offset=0, timestamp_ms=0)
    both = bytearray(one + one)
    assign_offsets(memoryview(both)[len(one) :], 4711, 12)
    assert both[: len(one)] == one
    assert [batch.base_offset for batch in iterate_batches(both)] == [0, 4711]


# Views and iteration.


def test_views_of_batches_one_behind_the_other() -> None:
    batches = list(iterate_batches(b"junk" + BOOTSTRAP_CHECKPOINT, 4))
    assert [batch.position for batch in batches] == [4, 4 + 83, 4 + 83 + 253]
    assert [batch.base_offset for batch in batches] == [0, 1, 7]
    assert [batch.is_control for batch in batches] == [True, False, True]
    assert b"".join(batch.raw for batch in batches) == BOOTSTRAP_CHECKPOINT
    for batch in batches:
        batch.check()


def test_a_view_copies_nothing() -> None:
    data = bytearray(NO_OP_BATCH)
    batch = RecordBatchView(data)
    data[0:8] = struct.pack(">q", 99)
    assert batch.base_offset == 99
    assert batch.raw.obj is data


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_buffer_is_read(kind: type[bytes | bytearray | memoryview]) -> None:
    for data in (SOLE_VOTER_BATCH, DATA_BATCHES[Compression.SNAPPY]):
        (batch,) = iterate_batches(kind(data))
        batch.check()
        assert list(batch.records()) == list(RecordBatchView(data).records())


def test_partial_batch_at_the_end_is_left_out() -> None:
    for size in range(len(STANDALONE_CHECKPOINT)):
        batches = list(iterate_batches(STANDALONE_CHECKPOINT[:size]))
        assert len(batches) == (0 if size < 166 else 1)
    assert len(list(iterate_batches(STANDALONE_CHECKPOINT))) == 2


def test_a_view_of_a_partial_batch_is_refused() -> None:
    for size in range(len(NO_OP_BATCH)):
        with pytest.raises(RemoteProtocolError) as caught:
            RecordBatchView(b"--" + NO_OP_BATCH[:size], 2)
        assert caught.value.offset == (2 if size <= 16 else 10)


@pytest.mark.parametrize(("magic", "data"), OLD_BATCHES)
def test_old_formats_are_named_and_refused(magic: int, data: bytes) -> None:
    with pytest.raises(RemoteProtocolError, match=f"magic {magic} is too old, only magic 2") as caught:
        RecordBatchView(data)
    assert caught.value.offset == 16
    with pytest.raises(RemoteProtocolError, match=f"magic {magic} is too old") as caught:
        list(iterate_batches(NO_OP_BATCH + data))
    assert caught.value.offset == len(NO_OP_BATCH) + 16


@pytest.mark.parametrize("magic", [3, 127, 128, 255])
def test_unknown_magic_is_refused(magic: int) -> None:
    with pytest.raises(RemoteProtocolError, match=f"cannot have magic {magic}, only 2") as caught:
        RecordBatchView(with_bytes(NO_OP_BATCH, 16, bytes((magic,))))
    assert caught.value.offset == 16


@pytest.mark.parametrize("length", [-(2**31), -1, 0, 13, 14, 48])
def test_impossible_lengths_are_refused(length: int) -> None:
    data = with_bytes(NO_OP_BATCH, 8, struct.pack(">i", length))
    for attempt in (RecordBatchView, lambda data: list(iterate_batches(data))):
        with pytest.raises(RemoteProtocolError, match=f"cannot have length {length}") as caught:
            attempt(data)
        assert caught.value.offset == 8


def test_length_beyond_the_bytes() -> None:
    data = with_bytes(NO_OP_BATCH, 8, struct.pack(">i", 2**31 - 1))
    assert list(iterate_batches(data)) == []
    with pytest.raises(RemoteProtocolError, match="of length 2147483647 has only 60 bytes"):
        RecordBatchView(data)


# Checking.


@pytest.mark.parametrize("data", [LEADER_CHANGE_BATCH, DATA_BATCHES[Compression.ZSTD]])
def test_every_flipped_byte_under_the_crc_is_caught(data: bytes) -> None:
    for position in range(17, len(data)):
        damaged = bytearray(data)
        damaged[position] ^= 0x40
        with pytest.raises(RemoteProtocolError, match="the crc of the record batch") as caught:
            RecordBatchView(damaged).check()
        assert caught.value.offset == 17


def test_crc_error_names_batch_and_both_values() -> None:
    damaged = b"\x00" * 3 + LEADER_CHANGE_BATCH[:-1] + b"\x01"
    with pytest.raises(RemoteProtocolError) as caught:
        RecordBatchView(damaged, 3).check()
    assert str(caught.value) == (
        f"the crc of the record batch with base offset 0 is {crc32c(damaged[24:]):#010x},"
        " its header says 0xef53f3b5 (at byte 20)"
    )


@pytest.mark.parametrize(
    ("position", "reason"), [(23, "last offset delta -1"), (57, "cannot have -1 records")]
)
def test_negative_counts_are_refused(position: int, reason: str) -> None:
    data = with_bytes(NO_OP_BATCH, position, b"\xff" * 4)
    with pytest.raises(RemoteProtocolError, match=reason) as caught:
        RecordBatchView(data).check()
    assert caught.value.offset == position


@pytest.mark.parametrize("base_offset", [2**63 - 2, 2**63 - 1])
def test_offsets_that_are_no_int64_are_refused(base_offset: int) -> None:
    records = [NewRecord(None, b"")] * 2
    RecordBatchView(build_batch(records, base_offset=2**63 - 3, timestamp_ms=0)).check()
    with pytest.raises(RemoteProtocolError, match="as the last one of a record batch"):
        RecordBatchView(build_batch(records, base_offset=base_offset, timestamp_ms=0)).check()


def test_a_batch_that_compaction_emptied_has_no_records() -> None:
    batch = RecordBatchView(with_body(b"", 0))
    batch.check()
    assert list(batch.records()) == []


# Hostile content behind a right crc.


def read_all(data: bytes, **options: int) -> RemoteProtocolError:
    """The error that reading the records of a batch ends with; no other may escape."""
    with pytest.raises(RemoteProtocolError) as caught:
        list(RecordBatchView(data).records(**options))
    return caught.value


@pytest.mark.parametrize("count", [2, 4, 1_000_000_000, -1])
def test_a_wrong_count_is_found_without_allocating_for_it(count: int) -> None:
    for compression in Compression:
        data = with_bytes(DATA_BATCHES[compression], 57, struct.pack(">i", count))
        tracemalloc.start()
        try:
            error = read_all(data)
            assert tracemalloc.get_traced_memory()[1] < 1_000_000
        finally:
            tracemalloc.stop()
        assert error.where == "record batch with base offset 100"


def test_place_of_an_error_in_uncompressed_records() -> None:
    data = b"----" + with_bytes(DATA_BATCHES[0], HEADER_SIZE + 148, b"\x0e")
    with pytest.raises(RemoteProtocolError) as caught:
        list(RecordBatchView(data, 4).records())
    assert str(caught.value) == (
        "record batch with base offset 100: record 1: its length does not fit its content (at byte 213)"
    )


def test_place_of_an_error_in_compressed_records() -> None:
    body = RecordBatchView(DATA_BATCHES[Compression.GZIP]).raw[HEADER_SIZE:]
    data = with_bytes(with_body(bytes(body), 2), 21, b"\x00\x01")
    assert str(read_all(data)) == (
        "record batch with base offset 0: 7 bytes follow the last record"
        " (at byte 155 of the decompressed records) (at byte 61)"
    )


@pytest.mark.parametrize("compression", [5, 6, 7])
def test_unknown_compression_cannot_be_read(compression: int) -> None:
    data = with_bytes(DATA_BATCHES[0], 21, struct.pack(">h", compression))
    assert str(read_all(data)) == (
        f"record batch with base offset 100: there is no compression {compression}, only 0 to 4 (at byte 61)"
    )


def test_limit_on_decompressed_bytes() -> None:
    bomb = build_batch([(None, bytes(1_000_000), ())], base_offset=0, timestamp_ms=0, compression=4)
    assert len(bomb) < 1000
    assert len(list(RecordBatchView(bomb).records())) == 1
    error = read_all(bomb, max_decompressed_bytes=100_000)
    assert error.reason == "the zstd data hold more than the 100000 bytes allowed"


@pytest.mark.parametrize("compression", list(Compression))
def test_truncated_records_are_refused_at_every_length(compression: Compression) -> None:
    whole = DATA_BATCHES[compression]
    for size in range(HEADER_SIZE, len(whole)):
        data = with_bytes(whole[:size], 8, struct.pack(">i", size - 12))
        read_all(data)


@pytest.mark.parametrize("compression", list(Compression))
@given(data=st.data())
def test_damaged_records_never_raise_anything_else(compression: Compression, data: st.DataObject) -> None:
    changed = bytearray(DATA_BATCHES[compression])
    for _ in range(data.draw(st.integers(1, 4))):
        position = data.draw(st.integers(HEADER_SIZE, len(changed) - 1))
        changed[position] = data.draw(st.integers(0, 255))
    with suppress(RemoteProtocolError):
        assert sum(1 for _ in RecordBatchView(changed).records()) == 3


@given(body=st.binary(max_size=60), count=st.integers(0, 4), compression=st.integers(0, 7))
def test_garbage_never_raises_anything_else(body: bytes, count: int, compression: int) -> None:
    data = with_bytes(with_body(body, count), 21, struct.pack(">h", compression))
    batch = RecordBatchView(data)
    batch.check()
    with suppress(RemoteProtocolError):
        assert sum(1 for _ in batch.records()) == count


def test_a_header_says_what_its_batch_is() -> None:
    plain = RecordBatchView(build_batch([NewRecord(None, b"v")] * 3, base_offset=7, timestamp_ms=1)).header()
    assert (plain.last_offset, plain.next_offset) == (9, 10)
    assert (plain.is_transactional, plain.is_control, plain.has_producer_id, plain.compression) == (
        False,
        False,
        False,
        0,
    )
    marker = RecordBatchView(
        build_batch(
            [NewRecord(b"k", b"v")],
            base_offset=0,
            timestamp_ms=1,
            control=True,
            transactional=True,
            producer_id=5,
            producer_epoch=1,
        )
    ).header()
    assert marker.is_transactional
    assert marker.is_control
    assert marker.has_producer_id
