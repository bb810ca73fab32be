"""Batches of which compaction leaves a part.

Tests: `kafkaproto.records.kept`.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.records.batch import NewRecord, RecordBatchView, build_batch
from kafkaproto.records.compression import Compression
from kafkaproto.records.crc32c import crc32c
from kafkaproto.records.kept import StoredRecord, StoredRecords, without_records

TEXT = st.one_of(st.none(), st.binary(max_size=20), st.just(b"x" * 3_000))
RECORDS = st.lists(
    st.builds(
        NewRecord,
        TEXT,
        TEXT,
        st.lists(st.tuples(st.text(max_size=3), TEXT), max_size=2),
        st.integers(0, 1 << 40) | st.integers(-(1 << 63), (1 << 63) - 1),
    ),
    min_size=1,
    max_size=12,
)


@given(
    RECORDS,
    st.data(),
    st.sampled_from(list(Compression)),
    st.sampled_from([0, 1]),
    st.sampled_from([None, 77, (1 << 63) - 1]),
    st.sampled_from([None, 99, (1 << 63) - 1]),
)
def test_a_part_of_a_batch_keeps_offsets_times_and_header(
    new: list[NewRecord],
    data: st.DataObject,
    compression: Compression,
    timestamp_type: int,
    horizon_before: int | None,
    horizon_after: int | None,
) -> None:
    batch = RecordBatchView(
        build_batch(
            new,
            base_offset=1_000,
            partition_leader_epoch=5,
            timestamp_ms=50,
            compression=compression,
            transactional=True,
            producer_id=3,
            producer_epoch=4,
            base_sequence=6,
            timestamp_type=timestamp_type,
            delete_horizon_ms=horizon_before,
        )
    )
    records = list(batch.records())
    is_kept = [data.draw(st.integers(0, 1)) for _ in records]
    kept = [record for record, stays in zip(records, is_kept, strict=True) if stays]
    stored = StoredRecords(batch)
    assert list(stored) == [StoredRecord(each.offset, each.key, each.value is None) for each in records]
    found = RecordBatchView(
        stored.keep(is_kept, delete_horizon_ms=horizon_after) if kept else without_records(batch)
    )
    found.check()
    assert list(found.records()) == kept
    before, after = batch.header(), found.header()
    changing = {
        "batch_length": 0,
        "crc": 0,
        "attributes": 0,
        "base_timestamp": 0,
        "max_timestamp": 0,
        "record_count": 0,
    }
    assert after._replace(**changing) == before._replace(**changing)
    assert found.timestamp_type == batch.timestamp_type
    if not kept:
        # The header alone.
        assert found.size_in_bytes == 61
        assert found.delete_horizon_ms is None
        assert (found.base_timestamp, found.max_timestamp) == (-1, batch.max_timestamp)
        return
    assert found.compression == compression
    assert found.delete_horizon_ms == (horizon_before if horizon_after is None else horizon_after)
    if timestamp_type == 0:
        assert found.max_timestamp == max(record.timestamp for record in kept)
    else:
        assert found.max_timestamp == batch.max_timestamp


def test_offsets_far_behind_the_base_are_kept() -> None:
    batch = RecordBatchView(build_batch([NewRecord(b"", b"")] * 5_000, base_offset=0, timestamp_ms=0))
    kept = RecordBatchView(StoredRecords(batch).keep([0] * 4_999 + [1]))
    assert list(kept.records()) == list(batch.records())[-1:]


def with_body(body: bytes, count: int, last_offset_delta: int | None = None) -> RecordBatchView:
    """A batch whose records are any bytes."""
    batch = bytearray(build_batch([NewRecord(b"", b"")], base_offset=100, timestamp_ms=5)[:61] + body)
    batch[8:12] = (len(batch) - 12).to_bytes(4)
    batch[23:27] = (count - 1 if last_offset_delta is None else last_offset_delta).to_bytes(4, signed=True)
    batch[57:61] = count.to_bytes(4, signed=True)
    batch[17:21] = crc32c(batch[21:]).to_bytes(4)
    return RecordBatchView(batch)


@given(st.data(), RECORDS)
def test_what_the_reader_of_records_refuses_is_refused(data: st.DataObject, new: list[NewRecord]) -> None:
    plain = RecordBatchView(build_batch(new, base_offset=100, timestamp_ms=50)).plain_records()
    body = bytearray(plain)
    for _ in range(data.draw(st.integers(0, 3))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    batch = with_body(bytes(body[: data.draw(st.sampled_from([len(body), len(body) - 1]))]), len(new))
    try:
        read = list(batch.records())
    except RemoteProtocolError:
        read = None
    if read is None or not all(100 <= each.offset <= batch.last_offset for each in read):
        with pytest.raises(RemoteProtocolError, match="record batch with base offset 100: "):
            list(StoredRecords(batch))
        return
    stored = StoredRecords(batch)
    assert list(stored) == [StoredRecord(each.offset, each.key, each.value is None) for each in read]
    assert list(RecordBatchView(stored.keep([1] * len(read))).records()) == read


PLAIN = bytes.fromhex("0c000000010100")
"""Length 6, attributes, deltas 0, null key, null value, no headers."""


@pytest.mark.parametrize(
    ("body", "count", "text"),
    [
        (PLAIN, 2, "7 bytes cannot be 2 records"),
        (PLAIN, -1, "7 bytes cannot be -1 records"),
        (PLAIN + PLAIN, 1, "7 bytes follow the last record"),
        (bytes.fromhex("0c000002010100"), 1, "offset delta 1 in a batch whose last one is 0"),
        (bytes.fromhex("0c000001010100"), 1, "offset delta -1 in a batch whose last one is 0"),
        (bytes.fromhex("01000000010100"), 1, "its length does not fit its content"),
        (bytes.fromhex("0c000000010500"), 1, "a key or value cannot have length -3"),
        (bytes.fromhex("0c0000007e0100"), 1, "the bytes end inside it"),
        (bytes.fromhex("0c0000000101027e"), 1, "the bytes end inside it"),
    ],
)
def test_wrong_records_are_named(body: bytes, count: int, text: str) -> None:
    with pytest.raises(RemoteProtocolError, match=text):
        list(StoredRecords(with_body(body, count)))


def test_numbers_that_are_longer_than_needed_stay() -> None:
    padded = bytes.fromhex("20 00 8000 8000 8200 61 8100 8200 8000 8100")
    batch = with_body(padded, 1)
    assert list(StoredRecords(batch)) == [StoredRecord(100, b"a", True)]
    kept = RecordBatchView(StoredRecords(batch).keep([1], delete_horizon_ms=9))
    assert list(kept.records()) == list(batch.records())
