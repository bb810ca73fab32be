"""The process in which seeds are searched for."""

from __future__ import annotations

import os
import time

import pytest

from tests.sim.mutations.searcher import Searcher


def half(number: int) -> int:
    """A search."""
    if number % 2:
        raise ValueError(f"{number} is odd")
    return number // 2


def spin(number: int) -> None:
    """One that never ends, and takes what interrupts it for a failure of what it simulates."""
    while True:
        try:
            while True:
                number += 1
        except BaseException:
            number = 0


def wait(number: int) -> int:
    """One that takes long by the clock only."""
    time.sleep(number)
    return os.getpid()


def test_a_search_is_done_in_the_same_process_until_one_does_not_end(searcher: Searcher) -> None:
    first = searcher(wait, 0, 10.0)
    assert first != os.getpid()
    assert searcher(half, 8, 10.0) == 4
    with pytest.raises(ValueError, match="9 is odd"):
        searcher(half, 9, 10.0)
    assert searcher(wait, 0, 10.0) == first
    with pytest.raises(TimeoutError, match=r"within 0\.2 s of processor time"):
        searcher(spin, 0, 0.2)
    assert searcher(wait, 0, 10.0) != first


def test_what_takes_long_by_the_clock_only_goes_on(searcher: Searcher) -> None:
    assert searcher(wait, 1, 0.5)


def test_a_search_that_waits_for_ever_is_ended(searcher: Searcher) -> None:
    with pytest.raises(TimeoutError):
        searcher(wait, 60, 0.05)
