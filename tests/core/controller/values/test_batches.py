"""How records are spread over batches."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto_server.base.later import run_to_end
from kafkaproto_server.base.types import MAX_BATCH_BYTES
from kafkaproto_server.core.controller.values.batches import MAX_RECORDS_PER_BATCH, batch_ends


def test_no_records_make_no_batch() -> None:
    assert list(run_to_end(batch_ends([]))) == []


def test_a_batch_takes_as_many_records_as_one_may() -> None:
    values = [b"v"] * (2 * MAX_RECORDS_PER_BATCH + 1)
    assert list(run_to_end(batch_ends(values[:MAX_RECORDS_PER_BATCH]))) == [MAX_RECORDS_PER_BATCH]
    assert list(run_to_end(batch_ends(values))) == [
        MAX_RECORDS_PER_BATCH,
        2 * MAX_RECORDS_PER_BATCH,
        len(values),
    ]


def test_a_batch_takes_as_many_bytes_as_one_may() -> None:
    values = [bytes(MAX_BATCH_BYTES // 4)] * 8
    assert list(run_to_end(batch_ends(values))) == [3, 6, 8]


def test_a_record_that_fills_a_batch_stands_alone() -> None:
    large = bytes(MAX_BATCH_BYTES)
    assert list(run_to_end(batch_ends([b"v", large, b"v"]))) == [1, 2, 3]


@given(st.lists(st.sampled_from((0, 1, 127, 128, 70_000, 3_000_000)), max_size=8))
def test_a_batch_as_it_is_written_is_within_the_limit(sizes: list[int]) -> None:
    values = [bytes(size) for size in sizes]
    start = 0
    for end in run_to_end(batch_ends(values)):
        records = [NewRecord(key=None, value=value) for value in values[start:end]]
        assert len(build_batch(records, base_offset=2**62, timestamp_ms=2**60)) <= MAX_BATCH_BYTES
        start = end
    assert start == len(values)
