"""Batches of which compaction leaves a part."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.records.batch import NewRecord, Record, RecordBatchView, build_batch, keep_records
from kafkaproto.records.compression import Compression

TEXT = st.one_of(st.none(), st.binary(max_size=20), st.just(b"x" * 3_000))
RECORDS = st.lists(
    st.builds(
        NewRecord,
        TEXT,
        TEXT,
        st.lists(st.tuples(st.text(max_size=3), TEXT), max_size=2),
        st.integers(0, 1 << 40),
    ),
    min_size=1,
    max_size=12,
)


@given(
    RECORDS,
    st.data(),
    st.sampled_from(list(Compression)),
    st.sampled_from([0, 1]),
    st.sampled_from([None, 77]),
    st.sampled_from([None, 99]),
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
    kept = [record for record in records if data.draw(st.booleans())]
    found = RecordBatchView(keep_records(batch, kept, delete_horizon_ms=horizon_after))
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
    kept = [Record(4_999, 0, b"", b"", ())]
    assert list(RecordBatchView(keep_records(batch, kept)).records()) == kept
