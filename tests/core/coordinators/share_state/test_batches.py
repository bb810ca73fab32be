"""Batches put over each other, against a model that looks at each record."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.core.coordinators.share_state.batches import BatchError, combined, is_in_order
from kafkaproto_server.requests.share_state import ACKNOWLEDGED, ARCHIVED, AVAILABLE, StateBatch

NO_START = -1
LAST = 2**63 - 1


def batch(first: int, last: int, state: int = AVAILABLE, count: int = 1) -> StateBatch:
    return StateBatch(first, last, state, count)


BATCHES = st.builds(
    lambda first, length, state, count: batch(first, first + length, state, count),
    st.integers(0, 30),
    st.integers(0, 8),
    st.sampled_from((AVAILABLE, ACKNOWLEDGED, ARCHIVED)),
    st.integers(1, 3),
)
WRITES = st.lists(
    st.tuples(st.lists(BATCHES, max_size=4), st.one_of(st.just(NO_START), st.integers(0, 25))), max_size=6
)


def model(batches: list[StateBatch], start_offset: int) -> tuple[StateBatch, ...]:
    """For each record the batch that counts, and records that are alike as one batch."""
    counts: dict[int, tuple[int, int]] = {}
    for first, last, state, count in batches:
        for offset in range(max(first, start_offset), last + 1):
            counts[offset] = max(counts.get(offset, (0, 0)), (count, state))
    found: list[StateBatch] = []
    for offset, (count, state) in sorted(counts.items()):
        if found and found[-1].last_offset + 1 == offset and found[-1][2:] == (state, count):
            found[-1] = found[-1]._replace(last_offset=offset)
        else:
            found.append(batch(offset, offset, state, count))
    return tuple(found)


@given(WRITES)
def test_of_each_record_the_batch_with_the_most_deliveries_counts(
    writes: list[tuple[list[StateBatch], int]],
) -> None:
    so_far: tuple[StateBatch, ...] = ()
    for new, start_offset in writes:
        expected = model([*so_far, *new], start_offset)
        so_far = tuple(combined(so_far, tuple(new), start_offset))
        assert so_far == expected
        assert is_in_order(so_far)


@given(st.lists(BATCHES, max_size=8))
def test_the_order_of_batches_means_nothing(new: list[StateBatch]) -> None:
    at_once = combined((), tuple(new), NO_START)
    one_by_one: tuple[StateBatch, ...] = ()
    for each in reversed(new):
        one_by_one = tuple(combined(one_by_one, (each,), NO_START))
    assert one_by_one == at_once


def test_neighbours_that_are_alike_become_one() -> None:
    so_far = (batch(0, 4, ACKNOWLEDGED), batch(10, 14, ACKNOWLEDGED), batch(20, 24))
    assert combined(so_far, (batch(5, 9, ACKNOWLEDGED),), NO_START) == (
        batch(0, 14, ACKNOWLEDGED),
        batch(20, 24),
    )


def test_many_batches_that_end_together() -> None:
    new = [batch(each, 40, count=each + 1) for each in range(40)]
    assert combined((), tuple(new), NO_START) == (
        *(batch(each, each, count=each + 1) for each in range(39)),
        batch(39, 40, count=40),
    )


@pytest.mark.parametrize("wrong", [batch(5, 4), batch(5, LAST), batch(9, -1)], ids=repr)
def test_a_batch_that_ends_before_it_begins_is_taken_only_alone(wrong: StateBatch) -> None:
    assert combined((), (wrong,), NO_START) == (wrong,)
    for so_far, new in (((batch(0, 1),), (wrong,)), ((wrong,), (batch(0, 1),)), ((), (wrong, batch(0, 1)))):
        with pytest.raises(BatchError):
            combined(so_far, new, NO_START)
    assert not is_in_order([wrong])


@pytest.mark.parametrize(
    "batches",
    [
        [batch(0, 4), batch(4, 5, ACKNOWLEDGED)],
        [batch(5, 6), batch(0, 1)],
        [batch(0, 4), batch(5, 6)],
    ],
    ids=["overlap", "order", "alike"],
)
def test_what_is_not_in_order(batches: list[StateBatch]) -> None:
    assert not is_in_order(batches)
