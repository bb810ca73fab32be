"""What the share coordinator does on its own: it deletes what nobody needs, and writes states anew that rest.

Tests: `core.coordinators.share_state.config`.
"""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.share_state.maintenance import WEIGHT_AT_ONCE
from kafkaproto_server.requests.share_state import ACKNOWLEDGED, ShareStateResult
from tests.core.coordinators.support.share_world import KEY, TOPIC_ID, ShareWorld

PRUNE_MS, COLD_MS = 1_000, 10_000
OTHER = KEY._replace(partition=1)


# -- pruning


def test_all_before_the_oldest_last_snapshot_is_deleted() -> None:
    world = ShareWorld(prune_interval_ms=PRUNE_MS, updates_per_snapshot=1)
    world.initialize()
    world.world.advance(PRUNE_MS)
    assert not world.pruned, "the snapshot is the first record"
    world.initialize(key=OTHER)
    for first in range(4):
        world.write((first, first, ACKNOWLEDGED, 1))
    assert world.names == "ssusus"
    world.world.advance(PRUNE_MS)
    assert [offset for offset, _ in world.pruned] == [1]
    world.write((7, 7, ACKNOWLEDGED, 1), key=OTHER)
    world.write((8, 8, ACKNOWLEDGED, 1), key=OTHER)
    assert world.names == "ssusus" + "us"
    world.world.advance(PRUNE_MS)
    assert [offset for offset, _ in world.pruned] == [1, 5]


def test_what_is_pruned_is_not_pruned_again_unless_it_failed() -> None:
    world = ShareWorld(prune_interval_ms=PRUNE_MS)
    world.initialize()
    world.initialize()
    for is_done, expected in ((False, [1]), (False, [1, 1]), (True, [1, 1, 1])):
        world.world.advance(PRUNE_MS)
        assert [offset for offset, _ in world.pruned] == expected
        world.pruned[-1][1](is_done)
    world.world.advance(5 * PRUNE_MS)
    assert len(world.pruned) == 3


def test_the_next_coordinator_needs_nothing_of_what_is_pruned() -> None:
    world = ShareWorld(prune_interval_ms=PRUNE_MS, updates_per_snapshot=2)
    for key in (KEY, OTHER):
        world.initialize(key=key)
    for first in range(8):
        for key in (KEY, OTHER):
            world.write((2 * first, 2 * first, ACKNOWLEDGED, 1), key=key)
    world.world.advance(PRUNE_MS)
    before = [world.state(key)[:3] for key in (KEY, OTHER)]
    world.log.start_offset = world.pruned[-1][0]
    assert world.log.start_offset > 0
    world.start()
    assert [world.state(key)[:3] for key in (KEY, OTHER)] == before


def test_a_tombstone_is_kept_until_there_is_something_behind_it() -> None:
    world = ShareWorld(prune_interval_ms=PRUNE_MS)
    world.initialize()
    world.delete()
    world.world.advance(PRUNE_MS)
    assert [offset for offset, _ in world.pruned] == [1]
    world.initialize(key=OTHER)
    world.world.advance(PRUNE_MS)
    assert [offset for offset, _ in world.pruned] == [1, 2]


def test_nothing_is_pruned_before_the_snapshots_are_committed() -> None:
    world = ShareWorld(prune_interval_ms=PRUNE_MS, commits_at_once=False)
    results: list[ShareStateResult] = []
    world.coordinator.initialize(KEY, 1, 0, results.append)
    world.coordinator.initialize(KEY, 1, 0, results.append)
    world.world.advance(PRUNE_MS)
    assert not world.pruned
    world.log.commit()
    assert [offset for offset, _ in world.pruned] == [1]


def test_nothing_is_pruned_if_the_log_is_lost_meanwhile() -> None:
    world = ShareWorld(prune_interval_ms=PRUNE_MS, commits_at_once=False)
    for _ in range(2):
        world.coordinator.initialize(KEY, 1, 0, lambda result: None)
    world.world.advance(PRUNE_MS)
    world.log.give_up(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    assert not world.pruned


def test_a_coordinator_that_has_ended_deletes_nothing_whatever_is_committed_then() -> None:
    world = ShareWorld(prune_interval_ms=PRUNE_MS)
    world.initialize()
    world.log.commits_at_once = False
    world.coordinator.initialize(KEY, 2, 0, lambda result: None)
    world.world.advance(PRUNE_MS)
    world.coordinator.unload()
    world.log.commit()
    assert not world.pruned


# -- states that rest


def test_a_state_that_rests_is_written_anew_once() -> None:
    world = ShareWorld(cold_snapshot_interval_ms=COLD_MS)
    world.initialize()
    world.write((3, 4, ACKNOWLEDGED, 1))
    created = world.value(0).create_timestamp
    world.world.advance(COLD_MS)
    assert world.names == "sus"
    snapshot = world.value()
    assert (snapshot.snapshot_epoch, len(snapshot.state_batches)) == (1, 1)
    assert (snapshot.create_timestamp, snapshot.write_timestamp) == (created, created + COLD_MS)
    world.world.advance(5 * COLD_MS)
    assert world.names == "sus"


def test_as_long_as_others_change_those_that_rest_are_written_again() -> None:
    """Otherwise theirs would be the oldest snapshot, behind which nothing is deleted."""
    world = ShareWorld(cold_snapshot_interval_ms=COLD_MS)
    world.initialize()
    world.world.advance(COLD_MS)
    world.world.advance(COLD_MS - 1)
    world.initialize(key=OTHER)
    world.world.advance(1)
    # The other one is young, so that the first one is not all that there is.
    assert [each.key.partition for each in world.log.records] == [0, 0, 1, 0]  # type: ignore[attr-defined]


# -- both


@pytest.mark.parametrize("reason", ["no share groups", "unloaded"])
def test_nothing_happens(reason: str) -> None:
    world = ShareWorld(prune_interval_ms=PRUNE_MS, cold_snapshot_interval_ms=COLD_MS)
    world.initialize()
    world.initialize()
    if reason == "unloaded":
        world.coordinator.unload()
    else:
        world.enabled = False
    world.world.advance(10 * COLD_MS)
    assert world.names == "ss"
    assert not world.pruned
    world.enabled = True
    world.world.advance(COLD_MS)
    assert world.names == ("ss" if reason == "unloaded" else "sss")


def test_many_states_are_dealt_with_in_turns() -> None:
    count = 3 * WEIGHT_AT_ONCE
    world = ShareWorld()
    world.partitions[TOPIC_ID] = count
    for index in range(count):
        world.initialize(key=KEY._replace(partition=index))
    world.write(*((2 * each, 2 * each, ACKNOWLEDGED, 1) for each in range(WEIGHT_AT_ONCE)))
    del world.partitions[TOPIC_ID]
    world.coordinator.topics_deleted([TOPIC_ID])
    written = []
    while "t" * count not in world.names:
        written.append(world.names.count("t"))
        world.world.advance(1)
    # The first one has many batches.
    assert written == [1, 1 + WEIGHT_AT_ONCE, 1 + 2 * WEIGHT_AT_ONCE]


def test_turns_end_with_the_coordinator_and_where_the_log_refuses() -> None:
    count = 2 * WEIGHT_AT_ONCE
    for end in ("unload", "refuse"):
        world = ShareWorld()
        world.partitions[TOPIC_ID] = count
        for index in range(count):
            world.initialize(key=KEY._replace(partition=index))
        del world.partitions[TOPIC_ID]
        world.coordinator.topics_deleted([TOPIC_ID])
        if end == "unload":
            world.coordinator.unload()
        else:
            world.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
        world.world.advance(10)
        assert world.names.count("t") == WEIGHT_AT_ONCE
        if end == "refuse":
            # With the next look for what is left.
            world.log.refusal = None
            world.world.advance(world.config.prune_interval_ms)
            assert world.names.count("t") == count


def test_an_unloaded_coordinator_comes_to_rest() -> None:
    world = ShareWorld(prune_interval_ms=PRUNE_MS, cold_snapshot_interval_ms=COLD_MS)
    world.initialize()
    world.world.advance(COLD_MS)
    assert world.world.due()
    world.coordinator.unload()
    world.world.advance(COLD_MS)
    assert not world.world.due()
