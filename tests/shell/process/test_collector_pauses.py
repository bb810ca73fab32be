"""Collections that took long do not walk over the same objects again."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest
import trio
from trio.testing import MockClock

from kafkaproto_server.shell.process.collector_pauses import (
    FULL_COLLECTION,
    LOOK_INTERVAL_S,
    MANY_SURVIVORS,
    YOUNG_COLLECTIONS,
    YOUNG_OBJECTS,
    CollectorPauses,
)

VERY_MANY = 10**9
"""A process with many tests has more objects than any node."""


@pytest.fixture(autouse=True)
def _unfrozen() -> Iterator[None]:
    yield
    gc.unfreeze()


def collected_with(long_pause_ms: float) -> tuple[CollectorPauses, int]:
    """How many objects are out of sight after a full collection."""
    gc.unfreeze()
    pauses = CollectorPauses(long_pause_ms)
    pauses.start()
    try:
        gc.collect()
    finally:
        pauses.stop()
    return pauses, gc.get_freeze_count()


def test_what_survived_a_long_collection_is_out_of_its_sight() -> None:
    pauses, hidden = collected_with(0.0)
    assert hidden > 1000
    assert pauses.longest_ms > 0


def test_short_collections_change_nothing() -> None:
    _, hidden = collected_with(1e9)
    assert hidden == 0


def test_the_young_generations_change_nothing() -> None:
    gc.unfreeze()
    pauses = CollectorPauses(0.0)
    pauses.start()
    try:
        gc.collect(1)
    finally:
        pauses.stop()
    assert gc.get_freeze_count() == 0


def test_a_cycle_made_later_is_still_collected() -> None:
    pauses = CollectorPauses(0.0)
    pauses.start()
    try:
        gc.collect()
        cycle: list[object] = []
        cycle.append(cycle)
        del cycle
        assert gc.collect() >= 1
    finally:
        pauses.stop()


class Cycle:
    """Something that only the collector frees."""

    def __init__(self) -> None:
        self.itself = self


def hidden_cycle(objects: int) -> tuple[weakref.ref[Cycle], list[list[int]]]:
    """A cycle that was alive when it was moved out of sight with so many other objects, and is garbage now; and
    these."""
    cycle = Cycle()
    others: list[list[int]] = [[] for _ in range(objects)]
    gc.collect()
    return weakref.ref(cycle), others


@pytest.fixture
def started() -> Iterator[CollectorPauses]:
    """All that survives is moved out of sight at once."""
    pauses = CollectorPauses(0.0, VERY_MANY)
    pauses.start()
    yield pauses
    pauses.stop()


def test_a_cycle_that_was_alive_when_it_was_moved_is_freed_once_enough_is_out_of_sight(
    started: CollectorPauses,
) -> None:
    cycle, few = hidden_cycle(MANY_SURVIVORS // 2)
    gc.collect()
    started.maybe_look_at_all()
    assert cycle() is not None
    _, others = hidden_cycle(MANY_SURVIVORS)
    started.maybe_look_at_all()
    assert cycle() is None
    # Everything is out of sight again, and counts from there.
    assert len(few) + len(others) < gc.get_freeze_count()
    cycle, _ = hidden_cycle(MANY_SURVIVORS // 2)
    started.maybe_look_at_all()
    assert cycle() is not None


def test_a_node_with_very_many_objects_is_not_held_up(started: CollectorPauses) -> None:
    started._max_looked_at = MANY_SURVIVORS
    cycle, _ = hidden_cycle(2 * MANY_SURVIVORS)
    started.maybe_look_at_all()
    assert cycle() is not None


def test_what_was_moved_and_is_gone_does_not_count(started: CollectorPauses) -> None:
    hidden_cycle(2 * MANY_SURVIVORS)
    started.maybe_look_at_all()
    cycle, others = hidden_cycle(2 * MANY_SURVIVORS)
    del others
    started.maybe_look_at_all()
    assert cycle() is not None


@pytest.mark.trio
async def test_it_is_seen_to_from_time_to_time(started: CollectorPauses, autojump_clock: MockClock) -> None:
    cycle, _ = hidden_cycle(2 * MANY_SURVIVORS)
    with trio.move_on_after(LOOK_INTERVAL_S + 1):
        await started.run()
    assert cycle() is None


def test_young_objects_are_collected_less_often_while_it_is_started() -> None:
    before = gc.get_threshold()
    pauses = CollectorPauses()
    pauses.start()
    try:
        assert gc.get_threshold() == (YOUNG_OBJECTS, YOUNG_COLLECTIONS, before[FULL_COLLECTION])
    finally:
        pauses.stop()
    assert gc.get_threshold() == before
