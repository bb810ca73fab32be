"""Batches by size and time; the scenarios ``append_*`` show the same from outside."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.base.types import BATCH_HEADER_BYTES
from kafkaproto_server.core.raft.model.accumulator import BatchAccumulator, record_bytes
from kafkaproto_server.core.raft.values.effects import AppendRefusal, PendingBatch

MAX_BATCH_BYTES = 400


def accumulator(*, linger_ms: int = 25, next_offset: int = 0) -> BatchAccumulator:
    return BatchAccumulator(
        epoch=5, next_offset=next_offset, linger_ms=linger_ms, max_batch_bytes=MAX_BATCH_BYTES
    )


def size(batch: PendingBatch) -> int:
    return BATCH_HEADER_BYTES + sum(
        record_bytes(delta, len(value)) for delta, value in enumerate(batch.records)
    )


def test_nothing_gathered_has_no_deadline_and_no_batch() -> None:
    empty = accumulator()
    assert empty.deadline_ms is None
    assert empty.maybe_drain(10**9) == ()


def test_the_linger_counts_from_the_oldest_record() -> None:
    lingering = accumulator(next_offset=7)
    lingering.append(7, [b"a"], atomic=True, now_ms=100)
    lingering.append(8, [b"b"], atomic=True, now_ms=120)
    assert lingering.deadline_ms == 125
    assert lingering.maybe_drain(124) == ()
    assert lingering.maybe_drain(125) == (PendingBatch(base_offset=7, epoch=5, records=(b"a", b"b")),)
    assert lingering.deadline_ms is None
    assert lingering.next_offset == 9


def test_an_append_that_does_not_continue_the_log_is_our_own_fault() -> None:
    with pytest.raises(AssertionError, match="append at 8, but the next is 7"):
        accumulator(next_offset=7).append(8, [b"a"], atomic=True, now_ms=0)


def test_an_append_of_nothing_is_our_own_fault() -> None:
    with pytest.raises(AssertionError, match="at least one record"):
        accumulator().append(0, [], atomic=True, now_ms=0)


@given(
    appends=st.lists(
        st.tuples(st.lists(st.integers(0, 350), min_size=1, max_size=5), st.booleans(), st.integers(0, 9)),
        max_size=30,
    )
)
def test_every_record_is_handed_out_once_in_order_and_units_stay_whole(
    appends: list[tuple[list[int], bool, int]],
) -> None:
    gathering = accumulator()
    accepted: list[bytes] = []
    units: list[tuple[int, int]] = []
    batches: list[PendingBatch] = []
    now_ms = 0
    for sizes, atomic, elapsed_ms in appends:
        now_ms += elapsed_ms
        values = [bytes([index % 256]) * length for index, length in enumerate(sizes, start=len(accepted))]
        base = gathering.next_offset
        if gathering.append(base, values, atomic=atomic, now_ms=now_ms) is None:
            accepted += values
            if atomic:
                units.append((base, base + len(values)))
        else:
            assert gathering.next_offset == base
            parts = [values] if atomic else [[value] for value in values]
            assert any(
                size(PendingBatch(base_offset=0, epoch=0, records=tuple(part))) > MAX_BATCH_BYTES
                for part in parts
            )
        drained = gathering.maybe_drain(now_ms)
        assert drained or gathering.deadline_ms is None or gathering.deadline_ms > now_ms
        batches += drained
    batches += gathering.maybe_drain(now_ms + 25)
    assert [value for batch in batches for value in batch.records] == accepted
    assert all(size(batch) <= MAX_BATCH_BYTES for batch in batches)
    assert all(one.next_offset == other.base_offset for one, other in itertools.pairwise(batches))
    for first, last in units:
        assert any(batch.base_offset <= first and last <= batch.next_offset for batch in batches)


def test_a_refusal_says_why() -> None:
    assert accumulator().append(0, [bytes(400)], atomic=True, now_ms=0) is AppendRefusal.BATCH_TOO_LARGE
