"""What administrators do with share groups: offsets are altered, read and deleted, and groups end.

Tests: `core.coordinators.groups.share.lags`, `core.coordinators.groups.share.partitions`,
`core.coordinators.groups.share.service`, `core.coordinators.groups.share.state_requests`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.groups.share.lags import OffsetOf, ShareLags
from kafkaproto_server.core.coordinators.groups.share.partitions import TopicStates
from kafkaproto_server.core.coordinators.groups.share.state_requests import PARTITIONS_AT_ONCE
from kafkaproto_server.requests.share_group_requests import LatestOffset, ShareOffset, TopicIdPartition
from kafkaproto_server.requests.share_state import ShareState
from tests.core.coordinators.support.consumers import topic_id
from tests.core.coordinators.support.share_groups import GROUP, TURN_MS, ShareCoordinator

MISSING = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
A, B = topic_id("a"), topic_id("b")


def starts(coordinator: ShareCoordinator) -> dict[tuple[bytes, int], tuple[int, int]]:
    """State epoch and start offset of each state."""
    return {
        (topic, index): (state.state_epoch, state.start_offset)
        for (_, topic, index), state in coordinator.persister.states.items()
    }


def test_offsets_are_set_and_a_group_is_made_for_them() -> None:
    coordinator = ShareCoordinator()
    assert coordinator.alter({"a": {0: 5, 7: 1}, "missing": {0: 0}}) == {
        "a": {0: ErrorCode.NONE, 7: MISSING},
        "missing": {0: MISSING},
    }
    assert starts(coordinator) == {(A, 0): (1, 5)}
    assert coordinator.listed() == [(GROUP, "share", "Empty", "share")]
    states = coordinator.group.states
    assert states is not None
    assert states.initialized == {A: TopicStates("a", frozenset({0}))}
    assert states.initializing == {}


def test_nothing_to_set_makes_no_group() -> None:
    coordinator = ShareCoordinator()
    assert coordinator.alter({"missing": {0: 0}}) == {"missing": {0: MISSING}}
    assert coordinator.alter({}) == {}
    assert coordinator.listed() == []


def test_a_group_with_members_keeps_its_offsets() -> None:
    coordinator = ShareCoordinator()
    coordinator.pulse("m", 0, "a")
    assert coordinator.alter({"a": {0: 5}}) == {"": ErrorCode.NON_EMPTY_GROUP}
    assert coordinator.forget("a") == {"": ErrorCode.NON_EMPTY_GROUP}
    assert coordinator.delete() is ErrorCode.NON_EMPTY_GROUP
    coordinator.pulse("m", -1)
    assert coordinator.alter({"a": {0: 5}}) == {"a": {0: ErrorCode.NONE}}
    assert starts(coordinator)[A, 0] == (coordinator.group.epoch, 5)


def test_each_partition_is_told_its_error() -> None:
    coordinator = ShareCoordinator()
    coordinator.persister.codes["initialize", 1] = ErrorCode.FENCED_STATE_EPOCH
    assert coordinator.alter({"a": {0: 5, 1: 6, 2: 0}}) == {
        "a": {0: ErrorCode.NONE, 1: ErrorCode.FENCED_STATE_EPOCH, 2: MISSING}
    }


def test_topics_are_forgotten() -> None:
    coordinator = ShareCoordinator({"a": 2, "b": 1, "c": 1})
    coordinator.alter({"a": {0: 5, 1: 5}, "b": {0: 1}})
    assert coordinator.forget("a", "c", "missing", "a") == {
        "a": ErrorCode.NONE,
        "c": MISSING,
        "missing": MISSING,
    }
    assert starts(coordinator) == {(B, 0): (1, 1)}
    states = coordinator.group.states
    assert states is not None
    assert (list(states.initialized), states.deleting) == ([B], {})
    assert coordinator.forget("a") == {"a": MISSING}


def test_what_could_not_be_deleted_is_deleted_next_time() -> None:
    coordinator = ShareCoordinator()
    coordinator.alter({"a": {0: 5, 1: 5}})
    coordinator.persister.codes["delete", 1] = ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert coordinator.forget("a") == {"a": ErrorCode.COORDINATOR_NOT_AVAILABLE}
    states = coordinator.group.states
    assert states is not None
    assert states.deleting == {A: "a"}
    coordinator.persister.codes.clear()
    assert coordinator.forget("a") == {"a": ErrorCode.NONE}
    assert starts(coordinator) == {}


def test_a_group_that_has_no_states_has_nothing_to_forget() -> None:
    coordinator = ShareCoordinator({})
    coordinator.pulse("m", 0, "a")
    coordinator.pulse("m", -1)
    assert coordinator.forget("a") == {}
    assert coordinator.forget("a", group="other") == {"": ErrorCode.GROUP_ID_NOT_FOUND}


def test_a_group_ends_after_its_states() -> None:
    coordinator = ShareCoordinator()
    coordinator.pulse("m", 0, "a")
    coordinator.pulse("m", -1)
    coordinator.persister.codes["delete", 1] = ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert coordinator.delete() is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert GROUP in coordinator.share
    coordinator.persister.codes.clear()
    assert coordinator.delete() is ErrorCode.NONE
    assert coordinator.listed() == []
    assert starts(coordinator) == {}
    coordinator.move()
    assert coordinator.listed() == []
    assert coordinator.delete() is ErrorCode.GROUP_ID_NOT_FOUND


def test_a_group_whose_states_are_being_deleted_takes_members_in_and_stays() -> None:
    coordinator = ShareCoordinator()
    coordinator.pulse("m", 0, "a")
    coordinator.pulse("m", -1)
    coordinator.persister.is_silent = True
    codes: list[ErrorCode] = []
    coordinator.shard.delete(GROUP, codes.append)
    coordinator.send("n", 0, "a")
    coordinator.persister.is_silent = False
    coordinator.persister.answer()
    coordinator.advance(TURN_MS)
    assert codes == [ErrorCode.NON_EMPTY_GROUP]
    assert sorted(coordinator.group.members) == ["n"]


@pytest.mark.parametrize("act", ["alter", "forget", "delete"])
def test_another_broker_takes_over_in_between(act: str) -> None:
    coordinator = ShareCoordinator()
    coordinator.alter({"a": {0: 5}})
    coordinator.persister.is_silent = True
    told: list[ErrorCode] = []
    if act == "alter":
        coordinator.share.alter(GROUP, {"a": {0: 7}}, lambda code, message, topics: told.append(code))
    elif act == "forget":
        coordinator.share.delete_offsets(GROUP, ["a"], lambda code, message, topics: told.append(code))
    else:
        coordinator.shard.delete(GROUP, told.append)
    coordinator.move()
    coordinator.persister.is_silent = False
    coordinator.persister.answer()
    coordinator.advance(TURN_MS)
    assert told == [ErrorCode.NONE if act == "alter" else ErrorCode.NOT_COORDINATOR]
    assert coordinator.delete() is ErrorCode.NONE, "whoever took over knows what may be left"
    assert starts(coordinator) == {}


def test_many_partitions_are_asked_for_some_at_a_time() -> None:
    count = 2 * PARTITIONS_AT_ONCE + 1
    coordinator = ShareCoordinator({"a": count})
    coordinator.persister.is_silent = True
    coordinator.send("m", 0, "a")
    for expected in (PARTITIONS_AT_ONCE, 2 * PARTITIONS_AT_ONCE, count):
        coordinator.advance(TURN_MS)
        assert len(coordinator.persister.asked) == expected
        coordinator.persister.answer()
    states = coordinator.group.states
    assert states is not None
    assert states.initialized == {A: TopicStates("a", frozenset(range(count)))}


def test_a_lag_that_is_too_large_wraps_around_as_in_java() -> None:
    coordinator = ShareCoordinator()
    place = TopicIdPartition(A, 0)
    state = ShareState(state_epoch=1, start_offset=-(2**63), delivery_complete_count=0)
    coordinator.persister.states[GROUP, A, 0] = state
    lags: list[int] = []
    ends: dict[TopicIdPartition, LatestOffset] = {place: (ErrorCode.NONE, 1)}
    ShareLags(coordinator.world, coordinator.persister, lambda wanted, found: found(ends)).find(
        GROUP, [place], lambda offset_of: lags.append(offset_of(place).lag)
    )
    coordinator.advance(TURN_MS)
    assert lags == [1 - 2**63]


def test_offsets_and_lags_are_found() -> None:
    coordinator = ShareCoordinator()
    done_with = ShareState(state_epoch=1, start_offset=5, delivery_complete_count=3)
    unknown = ShareState(state_epoch=1, start_offset=5)
    partitions = [TopicIdPartition(A, index) for index in range(5)]
    for index, state in enumerate((done_with, done_with, unknown)):
        coordinator.persister.states[GROUP, A, index] = state
    coordinator.persister.codes["read_summary", 4] = ErrorCode.COORDINATOR_NOT_AVAILABLE
    asked: list[Sequence[TopicIdPartition]] = []

    def latest(wanted: Sequence[TopicIdPartition], found: object) -> None:
        asked.append(wanted)
        ends: Mapping[TopicIdPartition, LatestOffset] = {
            partitions[0]: (ErrorCode.NONE, 20),
            partitions[1]: (ErrorCode.LEADER_NOT_AVAILABLE, -1),
        }
        assert callable(found)
        found(ends)

    results: list[ShareOffset] = []

    def found(offset_of: OffsetOf) -> None:
        results.extend(map(offset_of, partitions))

    ShareLags(coordinator.world, coordinator.persister, latest).find(GROUP, partitions, found)
    coordinator.advance(TURN_MS)
    assert asked == [partitions[:2]]
    lost = ErrorCode.LEADER_NOT_AVAILABLE
    assert results == [
        ShareOffset(partition=0, start_offset=5, leader_epoch=7, lag=12),
        ShareOffset(partition=1, start_offset=0, code=lost, message=lost.message),
        ShareOffset(partition=2, start_offset=5, leader_epoch=7),
        ShareOffset(partition=3, leader_epoch=7),
        ShareOffset(partition=4),
    ]
