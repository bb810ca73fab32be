"""Placement: what holds for every placement, and how even it is.

Tests: `core.controller.values.command`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.base.later import run_to_end
from kafkaproto_server.core.controller.partitions.placement import (
    UsableBroker,
    directory_for_new_replica,
    place,
    usable_brokers,
)
from kafkaproto_server.core.controller.values.command import ApiError
from kafkaproto_server.metadata.image.entries import MIGRATING_DIRECTORY, UNASSIGNED_DIRECTORY
from tests.core.controller.support.harness import Harness, SeededRng, directory


def placed(brokers: Sequence[UsableBroker], count: int, factor: int, rng: SeededRng) -> list[tuple[int, ...]]:
    return run_to_end(place(brokers, count, factor, rng))


def broker(broker_id: int, rack: str | None = None, *, fenced: bool = False) -> UsableBroker:
    return UsableBroker(broker_id=broker_id, rack=rack, fenced=fenced)


@st.composite
def clusters(draw: st.DrawFn) -> list[UsableBroker]:
    """Brokers of which at least one is unfenced."""
    count = draw(st.integers(1, 9))
    brokers = [
        broker(number, draw(st.sampled_from((None, "a", "b", "c"))), fenced=draw(st.booleans()))
        for number in range(count)
    ]
    return [*brokers, broker(count, draw(st.sampled_from((None, "a"))))]


@given(clusters(), st.data(), st.integers(0, 1000))
def test_replicas_are_distinct_known_and_led_by_an_unfenced_one(
    brokers: list[UsableBroker], data: st.DataObject, seed: int
) -> None:
    factor = data.draw(st.integers(1, len(brokers)))
    known = {each.broker_id: each for each in brokers}
    partitions = placed(brokers, 20, factor, SeededRng(seed))
    assert len(partitions) == 20
    for replicas in partitions:
        assert len(replicas) == factor
        assert len({*replicas}) == factor
        assert {*replicas} <= {*known}
        assert not known[replicas[0]].fenced


@given(clusters(), st.data(), st.integers(0, 1000))
def test_replicas_are_spread_over_the_racks(
    brokers: list[UsableBroker], data: st.DataObject, seed: int
) -> None:
    factor = data.draw(st.integers(1, len(brokers)))
    racks = {each.broker_id: each.rack for each in brokers}
    rack_count = len({*racks.values()})
    for replicas in placed(brokers, 20, factor, SeededRng(seed)):
        used = {racks[replica] for replica in replicas}
        # The leader's rack is passed over once only, so at most one rack may be missed.
        assert len(used) >= min(factor, rack_count) - (1 if factor > rack_count else 0)
        if factor <= rack_count:
            assert len(used) == factor


@pytest.mark.parametrize("racks", [(None,), ("a", "b", "c")])
def test_leaders_and_replicas_are_even_where_the_brokers_are(racks: tuple[str | None, ...]) -> None:
    brokers = [broker(number, racks[number % len(racks)]) for number in range(6)]
    partitions = placed(brokers, 600, 3, SeededRng(1))
    leaders = Counter(replicas[0] for replicas in partitions)
    held = Counter(replica for replicas in partitions for replica in replicas)
    assert leaders == dict.fromkeys(range(6), 100)
    assert max(held.values()) - min(held.values()) <= 120


def test_a_small_topic_leads_from_every_broker_before_any_leads_twice() -> None:
    brokers = [broker(number, "ab"[number % 2]) for number in range(4)]
    for seed in range(20):
        leaders = [replicas[0] for replicas in placed(brokers, 4, 1, SeededRng(seed))]
        assert sorted(leaders) == [0, 1, 2, 3]


def test_the_same_brokers_do_not_share_partitions_for_ever() -> None:
    brokers = [broker(number) for number in range(6)]
    partners = set(placed(brokers, 120, 2, SeededRng(3)))
    assert len(partners) > 12


def test_fenced_brokers_follow_only_when_others_do_not_suffice() -> None:
    brokers = [broker(1), broker(2), broker(3, fenced=True)]
    assert all(3 not in replicas for replicas in placed(brokers, 20, 2, SeededRng(1)))
    assert all(replicas[2] == 3 for replicas in placed(brokers, 20, 3, SeededRng(1)))


def test_another_seed_starts_elsewhere() -> None:
    brokers = [broker(number, "abc"[number % 3]) for number in range(9)]
    firsts = {tuple(placed(brokers, 1, 3, SeededRng(seed))[0]) for seed in range(30)}
    assert len(firsts) > 5
    assert placed(brokers, 9, 3, SeededRng(4)) == placed(list(reversed(brokers)), 9, 3, SeededRng(4))


@pytest.mark.parametrize(
    ("brokers", "message"),
    [
        ([], "Replication factor 1 needs as many brokers; 0 take replicas."),
        ([broker(1, fenced=True)], "Every broker that could take replicas is fenced."),
    ],
)
def test_brokers_that_do_not_suffice_are_named(brokers: list[UsableBroker], message: str) -> None:
    with pytest.raises(ApiError) as error:
        placed(brokers, 1, 1, SeededRng())
    assert (error.value.code, error.value.message, str(error.value)) == (38, message, message)


def test_brokers_that_shut_down_or_are_cordoned_get_nothing_new() -> None:
    harness = Harness()
    harness.start_brokers(1, 2)
    harness.start_brokers(3, 4, rack="r")
    harness.register(5)
    harness.create_topic("t", [1])
    harness.heartbeat(1, want_shut_down=True)
    harness.heartbeat(3, cordoned_log_dirs=[directory(3), directory(3, 1)])
    harness.heartbeat(4, cordoned_log_dirs=[directory(3)])
    assert usable_brokers(harness.image) == [broker(2), broker(4, "r"), broker(5, fenced=True)]
    # Once it has shut down it is a broker that comes back.
    for broker_id in (2, 3, 4):
        harness.heartbeat(broker_id)
    assert harness.heartbeat(1, want_shut_down=True).should_shut_down
    assert usable_brokers(harness.image)[0] == broker(1, fenced=True)


def test_a_new_replica_is_where_its_broker_can_only_put_it() -> None:
    harness = Harness()
    harness.register(1)
    harness.register(2, log_dirs=[directory(2), directory(2, 1)])
    assert directory_for_new_replica(harness.image, 1) == directory(1)
    assert directory_for_new_replica(harness.image, 2) == UNASSIGNED_DIRECTORY
    assert directory_for_new_replica(harness.image, 3) == UNASSIGNED_DIRECTORY


def test_a_new_replica_on_a_broker_that_told_no_directories_is_migrating() -> None:
    from tests.metadata.image.test_replay import register, replayed

    assert directory_for_new_replica(replayed(register(7, log_dirs=[])), 7) == MIGRATING_DIRECTORY
