"""The ids of a log's producers, beside a list of them."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.producer_snapshot import ProducerSnapshotEntry
from kafkaproto_server.core.log_state import producer_ids
from kafkaproto_server.core.log_state.producer_ids import ProducerIds
from kafkaproto_server.core.log_state.producers import ProducerStates

COUNT = 100_000


@given(st.data())
def test_walks_see_what_was_there_when_they_began(data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(producer_ids, "IDS_PER_PAGE", 3)
        ids, model, number = ProducerIds(), list[int](), 0
        walks: list[tuple[Iterator[int], list[int]]] = []
        removal: Iterator[None] | None = None
        gone: set[int] = set()
        for act in data.draw(st.lists(st.sampled_from(["add", "add", "walk", "step", "keep"]), max_size=60)):
            if act == "add":
                number += 1
                ids.add(number)
                model.append(number)
            elif act == "walk":
                walk, count = ids.walk()
                assert count == len(model)
                walks.append((walk, list(model)))
            elif act == "keep" and removal is None:
                gone = {each for each in model if data.draw(st.booleans())}

                def is_kept(each: int, gone: set[int] = gone) -> bool:
                    if each in gone:
                        model.remove(each)
                    return each not in gone

                removal = ids.keep(is_kept)
            elif act == "step" and removal is not None and next(removal, 0) == 0:
                removal = None
                assert not gone.intersection(model)
            assert list(ids.walk()[0]) == model
            assert list(ids.ascending()) == sorted(model)
            assert all(len(page) <= 3 for page in ids._pages)
        for walk, expected in walks:
            assert list(walk) == expected


def many() -> ProducerStates:
    rng = random.Random(1)
    states = ProducerStates()
    entries = [
        ProducerSnapshotEntry(rng.getrandbits(62), 0, 0, number, 0, 1_000, -1, -1) for number in range(COUNT)
    ]
    states.load(entries, end_offset=COUNT, now_ms=0, expiration_ms=1_000)
    return states


@pytest.mark.parametrize(
    "begin",
    [
        lambda states: states.snapshot().take(10),
        lambda states: next(states.active()),
        lambda states: next(states.expire(10_000, 1_000)),
    ],
    ids=["snapshot", "active", "expire"],
)
def test_to_begin_a_walk_over_many_copies_nothing_of_them(begin: Callable[[ProducerStates], object]) -> None:
    """To copy the ids of a million takes 60 ms."""
    states = many()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        begin(states)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak - before < COUNT * 8 / 4
