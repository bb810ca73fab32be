"""The times of records, without the records."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.records.batch import NewRecord, RecordBatchView, build_batch
from kafkaproto.records.compression import Compression
from kafkaproto.records.times import record_times
from tests.kafkaproto.records.test_kept_records import RECORDS
from tests.support.instructions import InstructionCounter


@given(
    RECORDS,
    st.sampled_from(list(Compression)),
    st.sampled_from([0, 1]),
    st.sampled_from([None, 77, (1 << 63) - 1]),
)
def test_times_are_those_of_the_records(
    new: list[NewRecord], compression: Compression, timestamp_type: int, horizon_ms: int | None
) -> None:
    batch = RecordBatchView(
        build_batch(
            new,
            base_offset=1_000,
            timestamp_ms=50,
            compression=compression,
            timestamp_type=timestamp_type,
            delete_horizon_ms=horizon_ms,
        )
    )
    assert list(record_times(batch)) == [(each.offset, each.timestamp) for each in batch.records()]


def test_what_lies_in_a_record_costs_nothing() -> None:
    def instructions(headers: int) -> int:
        record = NewRecord(b"k", b"v", [("h", b"")] * headers)
        batch = RecordBatchView(build_batch([record], base_offset=0, timestamp_ms=1))
        with InstructionCounter() as counter:
            assert list(record_times(batch)) == [(0, 1)]
        return counter.instructions

    assert instructions(60_000) < instructions(1) + 50


@given(RECORDS, st.data())
def test_bytes_that_are_no_records_are_refused(new: list[NewRecord], data: st.DataObject) -> None:
    whole = build_batch(new, base_offset=0, timestamp_ms=50)
    end = data.draw(st.integers(61, len(whole) - 1))
    cut = bytearray(whole[:end])
    cut[8:12] = (end - 12).to_bytes(4, "big")
    with pytest.raises(RemoteProtocolError):
        list(record_times(RecordBatchView(bytes(cut))))


def test_a_length_that_does_not_fit_is_refused() -> None:
    whole = bytearray(build_batch([NewRecord(None, b"v")], base_offset=0, timestamp_ms=50))
    for length in (0, 1, 2, 9, 200):
        whole[61] = length
        with pytest.raises(RemoteProtocolError, match=r"its length does not fit|bytes follow"):
            list(record_times(RecordBatchView(bytes(whole))))
