"""Batches that claim more offsets than they have records at."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.records.batch import NewRecord, RecordBatchView, build_batch
from kafkaproto.records.compression import Compression, compress
from kafkaproto_server.core.share_partitions import claims
from kafkaproto_server.core.share_partitions.acquiring import LogBatch, Wanted, acquire
from kafkaproto_server.core.share_partitions.claims import LONG_GAP, MANY_OFFSETS, claims_many, long_gaps
from tests.core.replicas.support.produce_cases import raw_record, with_body
from tests.core.share_partitions.test_acquiring import accept, partition

BASE = 1_000


def claiming(claimed: int, *deltas: int, compression: int = 0, count: int | None = None) -> RecordBatchView:
    """A batch with records at some offsets, that claims so many."""
    honest = build_batch([NewRecord(b"k", b"v")], base_offset=BASE, timestamp_ms=0, compression=compression)
    body = compress(compression, b"".join(map(raw_record, deltas)))
    count = len(deltas) if count is None else count
    return RecordBatchView(with_body(honest, body, last_offset_delta=claimed - 1, record_count=count))


def gaps(*batches: RecordBatchView) -> list[tuple[int, int]]:
    """As they are counted from the base offset."""
    return [(first - BASE, last - BASE) for first, last in long_gaps(batches)]


@pytest.mark.parametrize("compression", list(Compression))
@pytest.mark.parametrize("claimed", [MANY_OFFSETS + 1, 2**31 - 1])
def test_what_is_behind_the_last_record_is_a_gap(claimed: int, compression: int) -> None:
    for count in (None, 2**31 - 1):
        view = claiming(claimed, 0, 1, 2, compression=compression, count=count)
        assert claims_many([view])
        assert gaps(view) == [(3, claimed - 1)]


def test_batches_that_claim_little_are_not_looked_at() -> None:
    view = claiming(MANY_OFFSETS, 0, 1, 2)
    assert not claims_many([view])
    assert gaps(view) == []


def test_only_long_gaps_count() -> None:
    last = 500_000
    view = claiming(last + 1, 5, LONG_GAP + 5, 2 * LONG_GAP + 6, last)
    assert gaps(view) == [(LONG_GAP + 6, 2 * LONG_GAP + 5), (2 * LONG_GAP + 7, last - 1)]


def test_an_offset_that_comes_again_moves_no_gap() -> None:
    last = 500_000
    view = claiming(last + 1, LONG_GAP, 5, last)
    assert gaps(view) == [(0, LONG_GAP - 1), (LONG_GAP + 1, last - 1)]


@pytest.mark.parametrize("body", [b"", b"\xff" * 50, b"\x01" + bytes(20)])
@pytest.mark.parametrize("compression", list(Compression))
def test_what_cannot_be_read_has_no_records(body: bytes, compression: int) -> None:
    view = claiming(2**31 - 1, 0, compression=compression)
    packed = body if compression else raw_record(0) + body
    view = RecordBatchView(with_body(bytes(view.raw), packed, record_count=2**31 - 1))
    ((first, last),) = gaps(view)
    assert first <= 1
    assert last == 2**31 - 2


def test_of_very_many_records_some_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "MOST_RECORDS", 100)
    view = claiming(2**31 - 1, *range(300))
    ((first, last),) = gaps(view)
    # The bytes of the others may be more records, since the smallest one has seven bytes.
    assert 300 <= first < 400
    assert last == 2**31 - 2


def test_what_is_too_long_when_it_is_decompressed_may_be_as_many_records_as_fit() -> None:
    value = build_batch([NewRecord(b"k", bytes(9_000_000))], base_offset=BASE, timestamp_ms=0, compression=4)
    view = RecordBatchView(with_body(value, value[61:], last_offset_delta=2**31 - 2, record_count=2**31 - 1))
    ((first, last),) = gaps(view)
    assert 1 <= first < 2_000_000
    assert last == 2**31 - 2


@given(
    st.lists(st.integers(0, 200_000), min_size=1, max_size=20, unique=True).map(sorted),
    st.integers(0, 100_000),
)
def test_no_offset_with_a_record_is_in_a_gap_and_what_is_delivered_is_bounded(
    deltas: list[int], behind: int
) -> None:
    claimed = max(MANY_OFFSETS + 1, deltas[-1] + 1 + behind)
    found = gaps(claiming(claimed, *deltas))
    assert not any(first <= each <= last for each in deltas for first, last in found)
    assert claimed - sum(last - first + 1 for first, last in found) <= (len(deltas) + 1) * LONG_GAP


@pytest.mark.parametrize("is_record_limit", [False, True])
def test_gaps_are_archived_and_not_acquired(*, is_record_limit: bool) -> None:
    core = partition()
    wanted = Wanted(member_id="m", max_records=5, batch_size=5, is_record_limit=is_record_limit)
    end = 2**31
    log = [LogBatch(0, end - 1), LogBatch(end, end + 3)]
    assert acquire(core, wanted, 0, log, (), 0, [LogBatch(3, end - 1)]) == [(0, 2, 1)]
    assert core.next_fetch_offset() == end
    accept(core, 0, 2)
    assert (core.start_offset, core.delivery_complete_count) == (end, 0)
    assert acquire(core, wanted, end, log[1:], (), 0) == [(end, end + 3, 1)]
