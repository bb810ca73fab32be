"""Packed batches are the same as a tuple of them, and take little memory."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.messages import ShareSnapshotValue
from kafkaproto_server.core.coordinators.share_state.batches import BatchError, combined, is_in_order
from kafkaproto_server.core.coordinators.share_state.packed_batches import MANY, PackedBatches, packed
from kafkaproto_server.core.coordinators.share_state.state import state_of_snapshot
from kafkaproto_server.requests.share_state import MAX_STATE_BATCHES, StateBatch


def alternating(count: int, first: int = 0) -> tuple[StateBatch, ...]:
    """Batches of one record each, of which neighbours differ."""
    return tuple(StateBatch(first + each, first + each, 2 * (each % 2), 1) for each in range(count))


def test_few_batches_stay_as_they_are() -> None:
    few = alternating(MANY - 1)
    assert packed(few) is few
    many = packed(alternating(MANY))
    assert isinstance(many, PackedBatches)
    assert packed(many) is many


def test_packed_batches_are_a_sequence() -> None:
    batches = (*alternating(30), StateBatch(-1, 2**63 - 1, -128, -32_768))
    many = packed(batches)
    assert isinstance(many, PackedBatches)
    assert (len(many), tuple(many), many[0], many[-1]) == (31, batches, batches[0], batches[-1])
    assert tuple(many[3:7]) == batches[3:7]
    assert many == batches
    assert many != batches[1:]
    with pytest.raises(IndexError):
        many[31]


small = st.builds(
    lambda first, length, state, count: StateBatch(first, first + length, state, count),
    st.integers(0, 40),
    st.integers(-1, 9),
    st.sampled_from([0, 2, 3, 4]),
    st.integers(1, 3),
)


@given(st.integers(MANY, 40), st.lists(small, max_size=4), st.integers(-1, 45))
def test_what_is_put_over_them_gives_the_same(count: int, new: list[StateBatch], start_offset: int) -> None:
    so_far = alternating(count)
    results = []
    for batches in (so_far, packed(so_far)):
        try:
            results.append(tuple(combined(batches, tuple(new), start_offset)))
        except BatchError:
            results.append(())
    assert results[0] == results[1]
    assert is_in_order(results[0]) or len(results[0]) == 1


def test_a_state_takes_little_more_than_its_record() -> None:
    batches = [ShareSnapshotValue.StateBatch(**each._asdict()) for each in alternating(MAX_STATE_BATCHES)]
    value = ShareSnapshotValue(state_batches=batches)
    size = len(value.encode(0))
    tracemalloc.start()
    try:
        states = [state_of_snapshot(value) for _ in range(10)]
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(states) == 10
    assert kept < 10 * size
