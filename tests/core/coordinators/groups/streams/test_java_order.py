"""The orders of Java's collections, as a JVM printed them."""

from __future__ import annotations

import heapq
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.core.coordinators.groups.streams.java_order import (
    PriorityQueue,
    hash_map_order,
    string_hash,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [("", 0), ("a", 97), ("p1", 3521), ("kafka", 101807910), ("\U0001f600", 1772899), ("zzzzzzz", 215481018)],
)
def test_hash_codes_of_strings(text: str, value: int) -> None:
    assert string_hash(text) == value


@given(st.lists(st.integers(0, 9)))
def test_a_queue_gives_its_items_in_order(items: list[int]) -> None:
    queue = PriorityQueue(float, items)
    assert [queue.poll() for _ in items] == sorted(items)
    assert not queue


def test_a_queue_breaks_ties_as_java_does() -> None:
    queue = PriorityQueue(lambda each: 0.0, "abcdef")
    assert [queue.poll() for _ in range(6)] == list("afedcb")


@pytest.mark.parametrize(
    ("items", "order"),
    [
        ("1a 0b 0c 1d 0e 1f 0g 0h", "0b 0e 0g 0h 0c 1d 1a 1f"),
        ("2a 1b 1c 2d 2e 2f 2g 0h 1i 2j", "0h 1b 1i 1c 2g 2f 2e 2j 2d 2a"),
    ],
)
def test_a_queue_with_some_ties_has_the_order_of_java(items: str, order: str) -> None:
    queue = PriorityQueue(lambda each: float(each[0]), items.split())
    assert [queue.poll() for _ in items.split()] == order.split()


def test_a_table_that_is_three_quarters_full_does_not_grow_yet() -> None:
    # Their hash codes are 1 to 11, 16 and 17: with 16 places the last ones come first.
    keys = [chr(code) for code in (*range(1, 12), 16, 17)]
    assert hash_map_order(keys[:12]) == [chr(16), *keys[:11]]
    assert hash_map_order(keys) == keys


def test_keys_with_the_same_place_stay_in_the_order_in_which_they_were_put() -> None:
    # Their hash codes are the same.
    assert hash_map_order(["Aa", "BB"]) == ["Aa", "BB"]
    assert hash_map_order(["BB", "Aa"]) == ["BB", "Aa"]
    assert hash_map_order(["Aa", "BB"], by_computing=True) == ["BB", "Aa"]


def test_a_table_doubles_before_or_after_it_is_full() -> None:
    assert hash_map_order(["p1", "p2"], 2) == ["p1", "p2"]
    # There is room for both: it looks at that only before it adds one.
    assert hash_map_order(["p1", "p2"], 2, by_computing=True) == ["p2", "p1"]
    assert hash_map_order(["p1", "p2", "p1"], 2, by_computing=True) == ["p1", "p2"]


def test_a_heap_of_python_breaks_ties_otherwise() -> None:
    """That is why there is a queue of its own."""
    rng = Random(1)
    items = [(rng.randrange(2), number) for number in range(40)]
    queue = PriorityQueue(lambda each: float(each[0]), items)
    heap = list(items)
    heapq.heapify(heap)
    assert [queue.poll() for _ in items] != [heapq.heappop(heap) for _ in items]
