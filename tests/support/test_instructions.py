"""Instructions are counted in what is called, and only there."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from tests.support.instructions import InstructionCounter


def test_the_same_work_takes_the_same_instructions() -> None:
    assert counted(1_000) == counted(1_000) > 1_000


def test_twice_the_work_takes_twice_the_instructions() -> None:
    once, twice, thrice = counted(1_000), counted(2_000), counted(3_000)
    assert thrice - twice == twice - once > 1_000


def test_generators_that_began_before_are_counted() -> None:
    numbers = numbers_up_to(1_000)
    next(numbers)
    with InstructionCounter() as counter:
        work(numbers)
    assert counter.instructions > 2_000


def test_nothing_is_counted_afterwards() -> None:
    before = sys.gettrace()
    with InstructionCounter() as counter:
        work(range(10))
    instructions = counter.instructions
    work(range(1_000))
    assert counter.instructions == instructions
    assert sys.gettrace() is before


def counted(elements: int) -> int:
    with InstructionCounter() as counter:
        work(range(elements))
    return counter.instructions


def work(numbers: Iterator[int] | range) -> int:
    total = 0
    for number in numbers:
        total += number
    return total


def numbers_up_to(last: int) -> Iterator[int]:
    number = 0
    while number < last:
        yield number
        number += 1
