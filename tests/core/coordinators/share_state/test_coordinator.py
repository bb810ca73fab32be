"""The share coordinator: who is fenced, what is written, and what the next coordinator knows of it.

Tests: `core.coordinators.share_state.maintenance`, `core.coordinators.share_state.ports`,
`core.coordinators.share_state.state`, `core.coordinators.share_state.stored_partitions`, `requests.share_state`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ShareSnapshotKey, ShareSnapshotValue, ShareUpdateKey, ShareUpdateValue
from kafkaproto_server.core.coordinators.share_state.state import SharePartitionKey
from kafkaproto_server.core.coordinators.values import Record
from kafkaproto_server.requests.share_state import (
    ACKNOWLEDGED,
    AVAILABLE,
    MAX_STATE_BATCHES,
    ShareState,
    ShareStateResult,
    StateBatch,
)
from tests.core.coordinators.support.share_world import HOUR_MS, KEY, OTHER_ID, TOPIC_ID, ShareWorld
from tests.core.coordinators.support.transaction_log import WALL_OFFSET_MS

OK = ErrorCode.NONE
INVALID, SERVER = ErrorCode.INVALID_REQUEST, ErrorCode.UNKNOWN_SERVER_ERROR
UNKNOWN = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
FENCED_STATE, FENCED_LEADER = ErrorCode.FENCED_STATE_EPOCH, ErrorCode.FENCED_LEADER_EPOCH
NEGATIVE = KEY._replace(partition=-1)
NOWHERE = KEY._replace(partition=4)


def begun(**settings: Any) -> ShareWorld:
    world = ShareWorld(**settings)
    assert world.initialize(epoch=1, start=10).code is OK
    return world


# -- initialize


def test_a_state_begins_with_a_snapshot() -> None:
    world = begun()
    assert world.names == "s"
    value = world.value()
    assert (value.snapshot_epoch, value.state_epoch, value.leader_epoch) == (0, 1, 0)
    assert (value.start_offset, value.delivery_complete_count, value.state_batches) == (10, 0, [])
    assert value.create_timestamp == value.write_timestamp == WALL_OFFSET_MS


def test_without_a_start_offset_it_is_not_known_how_many_records_are_done() -> None:
    world = ShareWorld()
    world.initialize(start=-1)
    assert (world.value().start_offset, world.value().delivery_complete_count) == (-1, -1)


def test_a_state_that_begins_anew_has_nothing_of_the_old_one_but_its_fences() -> None:
    world = begun()
    world.read(leader_epoch=5)
    world.write((10, 12, AVAILABLE, 1), leader_epoch=5)
    assert world.initialize(epoch=2, start=20).code is OK
    assert world.value().snapshot_epoch == 1
    assert world.read(leader_epoch=5) == ShareStateResult(OK, None, ShareState(2, 20, 0, ()))
    assert world.read(leader_epoch=4).code is FENCED_LEADER
    assert world.write(epoch=1, leader_epoch=5).code is FENCED_STATE
    # The leader epoch that was known needs no record; the summary has that of the records.
    assert world.names == "suus"
    assert world.summary() == ShareStateResult(OK, None, ShareState(2, 20, 0), 0)


def test_a_former_leader_stays_fenced_by_a_state_that_begins_anew_and_is_written() -> None:
    world = begun()
    world.read(leader_epoch=5)
    world.initialize(epoch=2, start=20)
    assert world.write((20, 21, ACKNOWLEDGED, 1), epoch=2, leader_epoch=5).code is OK
    assert world.value().leader_epoch == 0
    for _ in range(2):
        assert world.read(leader_epoch=4).code is FENCED_LEADER
        world.start()


def test_what_is_no_beginning() -> None:
    world = begun()
    assert world.initialize(key=NEGATIVE, epoch=-1).message == "The partition -1 is negative."
    assert world.initialize(epoch=-1).code is INVALID
    assert world.initialize(epoch=0).code is FENCED_STATE
    assert world.initialize(key=NOWHERE).code is UNKNOWN
    assert world.initialize(epoch=1).code is OK, "the same epoch is not older"


# -- read


def test_a_reader_gets_the_state_and_its_epoch_holds_from_then_on() -> None:
    world = begun()
    world.write((12, 14, ACKNOWLEDGED, 1), start=11, count=3)
    state = ShareState(1, 11, 3, (StateBatch(12, 14, ACKNOWLEDGED, 1),))
    assert world.read(leader_epoch=2) == ShareStateResult(OK, None, state)
    assert world.names == "suu"
    assert world.value().leader_epoch == 2
    assert world.value().state_batches == []
    # Once more, and by the next coordinator.
    assert world.read(leader_epoch=2).state == state
    assert world.names == "suu"
    world.start()
    assert world.read(leader_epoch=1).code is FENCED_LEADER
    assert world.write(leader_epoch=1).code is FENCED_LEADER
    assert world.read(leader_epoch=2) == ShareStateResult(OK, None, state)
    assert world.names == "suu"


def test_what_cannot_be_read() -> None:
    world = begun()
    world.read(leader_epoch=3)
    assert world.read(key=NEGATIVE).code is INVALID
    assert world.read(leader_epoch=-1).message == "The leader epoch -1 is negative."
    assert world.read(key=KEY._replace(group_id="other")).code is INVALID
    assert world.read(leader_epoch=2).message == "The leader epoch 2 is older than 3."
    del world.partitions[TOPIC_ID]
    assert world.read(leader_epoch=3).code is UNKNOWN


# -- summary


def test_a_summary_has_no_batches_and_fences_nobody() -> None:
    world = begun()
    world.write((10, 12, AVAILABLE, 1), count=2, start=10)
    before = world.state()
    assert world.summary() == ShareStateResult(OK, None, ShareState(1, 10, 2), 0)
    assert (world.names, world.state()) == ("su", before)


def test_the_summary_of_a_partition_without_state() -> None:
    world = ShareWorld()
    assert world.summary() == ShareStateResult(OK, None, ShareState(0, -1, -1), 0)
    assert world.summary(NEGATIVE).code is INVALID
    assert world.summary(NOWHERE).code is UNKNOWN


# -- write


def test_updates_then_a_snapshot() -> None:
    world = begun(updates_per_snapshot=2)
    for first in (10, 11, 12, 13):
        world.write((first, first, ACKNOWLEDGED, first))
    assert world.names == "suusu"
    snapshot, update = world.value(3), world.value(4)
    assert [each.first_offset for each in snapshot.state_batches] == [10, 11, 12]
    assert [each.first_offset for each in update.state_batches] == [13]
    assert (snapshot.snapshot_epoch, update.snapshot_epoch) == (1, 1)
    world.start()
    state = world.read(leader_epoch=0).state
    assert state is not None
    assert [each.first_offset for each in state.batches] == [10, 11, 12, 13]


def test_a_snapshot_for_another_reason_leaves_the_count_of_updates() -> None:
    """As in Apache Kafka, so that the same records are written."""
    world = begun(updates_per_snapshot=2)
    world.write()
    world.initialize()
    world.write()
    world.write()
    world.write()
    assert world.names == "sususu"


def test_without_updates_each_write_is_a_snapshot() -> None:
    world = begun(updates_per_snapshot=0)
    world.write((10, 10, ACKNOWLEDGED, 1))
    world.read(leader_epoch=7)
    assert world.names == "sss"
    assert [world.value(each).leader_epoch for each in range(3)] == [0, 0, 7]


def test_a_write_leaves_the_leader_epoch_as_it_is() -> None:
    world = begun()
    world.write(leader_epoch=9)
    assert world.value().leader_epoch == 0
    assert world.write(leader_epoch=0).code is OK


@pytest.mark.parametrize(
    ("start", "count", "expected"),
    [
        (-1, 9, (10, 4)),
        (9, 9, (10, 4)),
        (10, 3, (10, 4)),
        (10, 5, (10, 5)),
        (11, 1, (11, 1)),
        (11, -1, (11, -1)),
    ],
)
def test_the_start_offset_moves_forward_with_its_count(
    start: int, count: int, expected: tuple[int, int]
) -> None:
    world = begun()
    world.write(start=10, count=4)
    world.write(start=start, count=count)
    state = world.summary().state
    assert state is not None
    assert (state.start_offset, state.delivery_complete_count) == expected


WRONG_BATCHES = (
    (5, 4, 0, 1),
    (-10, -5, 0, 1),
    (5, 2**63 - 1, 2, 1),
    (5, 9, 9, 1),
    (5, 9, 1, 1),
    (5, 9, -1, 1),
    (5, 9, 0, -5),
)
"""Offsets, delivery state and delivery count."""


def test_what_cannot_be_written() -> None:
    world = begun()
    world.initialize(epoch=3)
    world.read(leader_epoch=3)
    wrong: list[tuple[dict[str, Any], ErrorCode]] = [
        ({"key": NEGATIVE, "epoch": 3, "leader_epoch": 3}, INVALID),
        ({"epoch": 3, "leader_epoch": -1}, INVALID),
        ({"epoch": -1, "leader_epoch": 3}, INVALID),
        ({"key": KEY._replace(partition=1), "epoch": 3, "leader_epoch": 3}, INVALID),
        ({"epoch": 2, "leader_epoch": 2}, FENCED_LEADER),
        ({"epoch": 2, "leader_epoch": 3}, FENCED_STATE),
    ]
    before = world.names
    for fields, code in wrong:
        assert world.write(**fields).code is code, fields
    for batch in WRONG_BATCHES:
        assert world.write(batch, (800, 900, 0, 1), epoch=3, leader_epoch=3).code is INVALID, batch
        assert world.write(batch, epoch=3, leader_epoch=3).code is INVALID, batch
    assert world.write(epoch=3, leader_epoch=3, start=-2).code is INVALID
    assert world.write(epoch=3, leader_epoch=3, count=-2).code is INVALID
    many = [(2 * each, 2 * each, 0, 1) for each in range(MAX_STATE_BATCHES + 1)]
    assert world.write(*many, epoch=3, leader_epoch=3).code is SERVER
    del world.partitions[TOPIC_ID]
    assert world.write(epoch=3, leader_epoch=3).code is UNKNOWN
    assert world.names == before


def test_a_full_state_takes_a_write_that_makes_room() -> None:
    world = begun()
    begin = 100
    many = [(begin + 2 * each, begin + 2 * each, 0, 1) for each in range(MAX_STATE_BATCHES)]
    assert world.write(*many, start=begin).code is OK
    behind = begin + 2 * MAX_STATE_BATCHES
    assert world.write((behind, behind, 2, 1), start=begin).code is SERVER
    assert world.write((behind, behind, 2, 1), start=begin + 1).code is OK
    assert world.write((behind + 1, behind + 1, 0, 1), start=begin + 1).code is SERVER
    assert world.write((behind + 1, behind + 1, 0, 1), start=behind).code is OK
    state = world.read(leader_epoch=1).state
    assert state is not None
    assert state.batches == (StateBatch(behind, behind, 2, 1), StateBatch(behind + 1, behind + 1, 0, 1))


def snapshot(*batches: tuple[int, int, int, int], epoch: int = 1) -> Record:
    """A record of a coordinator that may not be ours."""
    found = [ShareSnapshotValue.StateBatch(*each) for each in batches]
    value = ShareSnapshotValue(snapshot_epoch=2**31 - 1, state_epoch=epoch, state_batches=found)
    return Record(ShareSnapshotKey(group_id="g", topic_id=TOPIC_ID, partition=0), value)


def brought(*records: Record, **settings: Any) -> ShareWorld:
    """A coordinator that has read these."""
    world = ShareWorld(**settings)
    world.log.append(records)
    world.start()
    return world


def test_the_former_beginning_of_a_state_stays_fenced_if_a_record_takes_it_back() -> None:
    """Apache Kafka's coordinator remembers the highest state epoch as well."""
    world = brought(snapshot(epoch=5), snapshot(epoch=3))
    assert world.initialize(epoch=4).code is FENCED_STATE
    assert world.write(epoch=4).code is FENCED_STATE
    assert world.initialize(epoch=5).code is OK


@pytest.mark.parametrize("updates_per_snapshot", [0, 500], ids=["as a whole", "as an update"])
def test_nothing_is_written_over_a_batch_that_ends_before_it_begins(updates_per_snapshot: int) -> None:
    """Apache Kafka could not read the partition any more: it fails when it puts other batches over such a one."""
    world = brought(snapshot((15, 12, AVAILABLE, 1)), updates_per_snapshot=updates_per_snapshot)
    before = world.names
    assert world.write((20, 21, ACKNOWLEDGED, 1)).code is SERVER
    assert world.names == before
    # Its offsets lie before this start offset, so that it goes.
    assert world.write((20, 21, ACKNOWLEDGED, 1), start=20).code is OK


@pytest.mark.parametrize("wrong", WRONG_BATCHES, ids=repr)
def test_a_batch_that_a_record_has_brought_stays_until_the_state_begins_anew(
    wrong: tuple[int, int, int, int],
) -> None:
    world = brought(snapshot(wrong))
    state = world.read(leader_epoch=1).state
    assert state is not None
    assert state.batches == (StateBatch(*wrong),)
    assert world.write((15, 16, 0, 1)).code in (OK, SERVER)
    world.world.advance(2 * HOUR_MS)
    assert world.initialize(epoch=2).code is OK
    state = world.read(leader_epoch=1).state
    assert state is not None
    assert not state.batches


# -- delete


def test_a_deleted_state_is_gone_with_its_fences() -> None:
    world = begun()
    world.read(leader_epoch=5)
    assert world.delete().code is OK
    assert world.names == "sut"
    assert world.delete().code is OK
    assert world.names == "sut", "there is nothing to remove"
    assert world.read(leader_epoch=5).code is INVALID
    assert world.initialize(epoch=0).code is OK
    assert world.read(leader_epoch=1).code is OK
    assert world.value(3).snapshot_epoch == 0
    assert world.delete(NEGATIVE).code is INVALID
    assert world.delete(NOWHERE).code is UNKNOWN


# -- commits


def test_responses_wait_until_what_they_rest_on_is_committed() -> None:
    world = ShareWorld(commits_at_once=False)
    results: list[ShareStateResult] = []
    world.coordinator.initialize(KEY, 1, 0, results.append)
    world.coordinator.read_summary(KEY, results.append)
    world.coordinator.initialize(KEY, 0, 0, results.append)
    assert not results
    world.log.commit()
    assert [each.code for each in results] == [OK, OK, FENCED_STATE]


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_COORDINATOR),
        (ErrorCode.MESSAGE_TOO_LARGE, SERVER),
    ],
)
def test_what_the_log_refuses_has_not_happened(problem: ErrorCode, told: ErrorCode) -> None:
    world = begun()
    before = world.state()
    world.log.refusal = problem
    assert world.write((10, 12, AVAILABLE, 1)).code is told
    assert world.initialize(epoch=2).code is told
    assert world.read(leader_epoch=9).code is told
    assert world.state() == before


def test_what_is_not_committed_in_time_is_in_doubt() -> None:
    world = ShareWorld(commits_at_once=False)
    results: list[ShareStateResult] = []
    world.coordinator.initialize(KEY, 1, 0, results.append)
    world.log.give_up(ErrorCode.REQUEST_TIMED_OUT)
    assert [each.code for each in results] == [ErrorCode.COORDINATOR_NOT_AVAILABLE]
    assert results[0].message


# -- what others have written


def test_an_update_whose_snapshot_is_pruned_counts_until_the_next_one() -> None:
    world = ShareWorld()
    key = ShareUpdateKey(group_id="g", topic_id=TOPIC_ID, partition=0)
    batch = ShareUpdateValue.StateBatch(first_offset=8, last_offset=9, delivery_state=2, delivery_count=1)
    value = ShareUpdateValue(
        snapshot_epoch=4, leader_epoch=6, start_offset=7, delivery_complete_count=2, state_batches=[batch]
    )
    world.coordinator.replay(key, value, 0, -1)
    state, leader_epoch, state_epoch, updates = world.state()
    assert (leader_epoch, state_epoch, updates) == (6, -1, 1)
    assert (state.snapshot_epoch, state.state_epoch, state.start_offset) == (4, 0, 7)
    assert state.batches == (StateBatch(8, 9, 2, 1),)
    # Nothing says of what it was an update.
    world.coordinator.replay(key, None, 1, -1)
    assert world.state() == (state, leader_epoch, state_epoch, updates)


def test_epochs_and_offsets_that_an_update_leaves_open() -> None:
    world = begun()
    value = ShareUpdateValue(snapshot_epoch=0, leader_epoch=-1, start_offset=-1, state_batches=[])
    world.coordinator.replay(ShareUpdateKey(group_id="g", topic_id=TOPIC_ID, partition=0), value, 1, -1)
    state = world.state()[0]
    assert (state.start_offset, state.leader_epoch, state.delivery_complete_count) == (10, 0, -1)


def test_batches_that_no_coordinator_writes_do_no_harm() -> None:
    """A damaged log: they overlap, or end before they begin."""
    batch = ShareSnapshotValue.StateBatch
    batches = [
        batch(first_offset=5, last_offset=9, delivery_state=0, delivery_count=1),
        batch(first_offset=7, last_offset=6, delivery_state=0, delivery_count=1),
        batch(first_offset=0, last_offset=5, delivery_state=2, delivery_count=2),
    ]
    world = ShareWorld()
    key = ShareSnapshotKey(group_id="g", topic_id=TOPIC_ID, partition=0)
    world.coordinator.replay(key, ShareSnapshotValue(state_batches=batches), 0, -1)
    assert world.state()[0].batches == (StateBatch(0, 5, 2, 2), StateBatch(6, 9, 0, 1))


def test_a_deletion_of_what_is_not_known() -> None:
    world = ShareWorld()
    world.coordinator.replay(ShareSnapshotKey(group_id="g", topic_id=TOPIC_ID, partition=0), None, 0, -1)
    assert world.state() is None


# -- topics that are deleted


def test_states_of_a_deleted_topic_are_removed() -> None:
    world = begun()
    other = SharePartitionKey("g", OTHER_ID, 0)
    world.initialize(key=other)
    world.initialize(key=KEY._replace(group_id="h", partition=3))
    del world.partitions[TOPIC_ID]
    world.coordinator.topics_deleted([TOPIC_ID, b"\x05" * 16])
    assert world.names == "ssstt"
    assert world.state(other) is not None
    assert world.state() is None


def test_a_former_coordinator_keeps_nothing() -> None:
    world = begun()
    world.coordinator.unload()
    assert world.state() is None
    assert world.coordinator._stored.needed.first is None
    assert not world.coordinator._stored.of_topic


def test_a_coordinator_removes_what_the_one_before_left() -> None:
    world = begun()
    del world.partitions[TOPIC_ID]
    world.start()
    assert world.names == "st"
