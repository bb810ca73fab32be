"""Sorting in steps is sorting, however the values come, and each step is short."""

from __future__ import annotations

import random
from collections import Counter
from typing import ClassVar

import pytest

from kafkaproto_server.base.later import Steps, run_to_end
from kafkaproto_server.metadata.image.sorting import sorted_steps

FEW, MANY = 128, 30_000
"""Values of one run, and of runs that are merged twice."""


def mixed(count: int) -> list[int]:
    values = [number // 3 for number in range(count)]
    random.Random(4711).shuffle(values)
    return values


@pytest.mark.parametrize("count", [0, 1, FEW, FEW + 1, MANY])
def test_sorting_in_steps_is_sorting(count: int) -> None:
    values = mixed(count)
    assert run_to_end(sorted_steps(iter(values))) == sorted(values)
    assert run_to_end(sorted_steps(iter(values), lambda value: -value)) == sorted(values, reverse=True)


def test_values_of_the_same_key_stay_in_the_order_in_which_they_came() -> None:
    values = mixed(5_000)
    assert run_to_end(sorted_steps(values, lambda value: value % 10)) == sorted(
        values, key=lambda value: value % 10
    )


class Counted:
    """A value that counts what is done with it."""

    done: ClassVar[Counter[str]] = Counter()

    def __init__(self, value: int) -> None:
        self.value = value

    def __lt__(self, other: Counted) -> bool:
        Counted.done["comparisons"] += 1
        return self.value < other.value

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, Counted)
        Counted.done["comparisons"] += 1
        return self.value == other.value

    __hash__ = None  # type: ignore[assignment]


def counted_key(value: Counted) -> Counted:
    Counted.done["keys"] += 1
    return value


def most_done_in_a_step(steps: Steps[list[Counted]], what: str) -> int:
    most = 0
    while True:
        Counted.done.clear()
        try:
            next(steps)
        except StopIteration:
            return max(most, Counted.done[what])
        most = max(most, Counted.done[what])


@pytest.mark.parametrize("count", [MANY // 10, MANY])
def test_no_step_does_much_however_many_values_there_are(count: int) -> None:
    values = [Counted(value) for value in mixed(count)]
    # A run is sorted, or the first values of a merge are put in order.
    assert most_done_in_a_step(sorted_steps(values), "comparisons") <= 2_000
    assert most_done_in_a_step(sorted_steps(values, counted_key), "comparisons") <= 2_000
    assert most_done_in_a_step(sorted_steps(values, counted_key), "keys") <= 150
