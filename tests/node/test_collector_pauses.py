"""Collections that took long do not walk over the same objects again."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from kafkaproto_server.node.collector_pauses import (
    FULL_COLLECTION,
    YOUNG_COLLECTIONS,
    YOUNG_OBJECTS,
    CollectorPauses,
)


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


def test_young_objects_are_collected_less_often_while_it_is_started() -> None:
    before = gc.get_threshold()
    pauses = CollectorPauses()
    pauses.start()
    try:
        assert gc.get_threshold() == (YOUNG_OBJECTS, YOUNG_COLLECTIONS, before[FULL_COLLECTION])
    finally:
        pauses.stop()
    assert gc.get_threshold() == before
