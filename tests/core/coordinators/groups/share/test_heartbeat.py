"""Members of share groups: who joins, lives, leaves and is fenced, and what is written of it.

Tests: `core.coordinators.groups.share.change`, `core.coordinators.groups.share.describe`,
`core.coordinators.groups.share.group`, `core.coordinators.groups.share.initialization`,
`core.coordinators.groups.share.settings`, `core.coordinators.groups.share.targets`,
`core.coordinators.groups.share.validation`, `requests.share_group_requests`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    ShareGroupMemberMetadataKey,
    ShareGroupMemberMetadataValue,
    ShareGroupMetadataValue,
    ShareGroupStatePartitionMetadataValue,
    ShareGroupTargetAssignmentMetadataValue,
)
from kafkaproto_server.core.coordinators.groups.share.initialization import MAX_PARTITIONS
from tests.core.coordinators.support.consumers import topic_id
from tests.core.coordinators.support.share_groups import (
    GROUP,
    INTERVAL_MS,
    SESSION_MS,
    TURN_MS,
    ShareCoordinator,
    all_of,
    flat,
    persistent,
)


def test_a_member_gets_partitions_once_their_states_are_initialized() -> None:
    coordinator = ShareCoordinator()
    first = coordinator.pulse("m", 0, "a")
    assert (first.code, first.member_id, first.member_epoch, first.assignment) == (ErrorCode.NONE, "m", 2, {})
    assert first.heartbeat_interval_ms == INTERVAL_MS
    coordinator.advance(1_000)
    second = coordinator.pulse("m", 2)
    assert (second.member_epoch, second.assignment) == (3, {topic_id("a"): (0, 1)})
    coordinator.advance(1_000)
    third = coordinator.pulse("m", 3)
    assert (third.member_epoch, third.assignment) == (3, None)


def test_nothing_is_written_if_nothing_changes() -> None:
    coordinator = ShareCoordinator()
    coordinator.pulse("m", 0, "a")
    coordinator.settle()
    assert coordinator.records_of(lambda: coordinator.pulse("m", 3)) == []
    assert coordinator.pulse("m", 3, "a").assignment == {topic_id("a"): (0, 1)}, "it says everything"


def test_all_is_in_one_batch_and_told_when_committed() -> None:
    coordinator = ShareCoordinator()
    coordinator.log.commits_at_once = False
    heard = coordinator.send("m", 0, "a")
    assert len(coordinator.log.batch_ends) == 2
    coordinator.advance(TURN_MS)
    assert heard == []
    assert coordinator.persister.asked == [], "whoever takes over has to know of it first"
    coordinator.log.commit()
    coordinator.advance(TURN_MS)
    assert [each.code for each in heard] == [ErrorCode.NONE]
    assert {name for name, _ in coordinator.persister.asked} == {"initialize"}


def test_what_cannot_be_written_has_not_happened() -> None:
    coordinator = ShareCoordinator()
    coordinator.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    (outcome,) = coordinator.send("m", 0, "a")
    assert outcome.code is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert GROUP not in coordinator.share
    coordinator.log.refusal = None
    coordinator.pulse("m", 0, "a")
    assert sorted(coordinator.group.members) == ["m"]


def test_a_lost_commit_initializes_nothing() -> None:
    coordinator = ShareCoordinator()
    coordinator.log.commits_at_once = False
    heard = coordinator.send("m", 0, "a")
    coordinator.log.give_up(ErrorCode.REQUEST_TIMED_OUT)
    coordinator.advance(TURN_MS)
    assert [each.code for each in heard] == [ErrorCode.COORDINATOR_NOT_AVAILABLE]
    assert coordinator.persister.asked == []


@pytest.mark.parametrize(
    ("epoch", "code"),
    [
        (0, ErrorCode.NONE),
        (3, ErrorCode.NONE),
        (2, ErrorCode.NONE),
        (1, ErrorCode.FENCED_MEMBER_EPOCH),
        (4, ErrorCode.FENCED_MEMBER_EPOCH),
    ],
)
def test_a_member_may_be_one_epoch_behind(epoch: int, code: ErrorCode) -> None:
    coordinator = ShareCoordinator()
    coordinator.pulse("m", 0, "a")
    coordinator.settle()
    assert coordinator.group.members["m"].epoch == 3
    assert coordinator.pulse("m", epoch, "a").code is code


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"member_id": ""}, ErrorCode.INVALID_REQUEST),
        ({"member_id": " "}, ErrorCode.INVALID_REQUEST),
        ({"group_id": ""}, ErrorCode.INVALID_REQUEST),
        ({"rack_id": ""}, ErrorCode.INVALID_REQUEST),
        ({"member_epoch": -2}, ErrorCode.INVALID_REQUEST),
        ({"subscribed_topic_names": None}, ErrorCode.INVALID_REQUEST),
        ({"subscribed_topic_names": ()}, ErrorCode.INVALID_REQUEST),
        ({"member_epoch": 1}, ErrorCode.UNKNOWN_MEMBER_ID),
        ({"member_epoch": -1}, ErrorCode.UNKNOWN_MEMBER_ID),
        ({"group_id": "other", "member_epoch": 1}, ErrorCode.GROUP_ID_NOT_FOUND),
        ({"group_id": "other", "member_epoch": -1}, ErrorCode.GROUP_ID_NOT_FOUND),
    ],
)
def test_what_is_refused_changes_nothing(fields: dict[str, Any], code: ErrorCode) -> None:
    coordinator = ShareCoordinator()
    coordinator.pulse("known", 0, "a")
    records = coordinator.records_of(
        lambda: _refused(coordinator, code, **{"member_id": "m", "member_epoch": 0, **fields})
    )
    assert records == []


def _refused(coordinator: ShareCoordinator, code: ErrorCode, **fields: Any) -> None:
    (outcome,) = coordinator.send(fields.pop("member_id"), fields.pop("member_epoch"), "a", **fields)
    assert outcome.code is code


def test_a_full_group_takes_nobody_in_and_keeps_those_it_has() -> None:
    coordinator = ShareCoordinator(share_max_size=1)
    coordinator.pulse("m", 0, "a")
    assert coordinator.pulse("n", 0, "a").code is ErrorCode.GROUP_MAX_SIZE_REACHED
    assert coordinator.pulse("m", 0, "a").code is ErrorCode.NONE


def test_who_leaves_is_gone_at_once() -> None:
    coordinator = ShareCoordinator()
    for member_id in "mn":
        coordinator.pulse(member_id, 0, "a")
    coordinator.settle()
    epoch = coordinator.group.epoch
    assert coordinator.group.assignment_epoch == epoch
    left = coordinator.pulse("m", -1)
    assert coordinator.group.assignment_epoch == epoch, "what it had is assigned to others next"
    assert (left.code, left.member_id, left.member_epoch, left.heartbeat_interval_ms) == (
        ErrorCode.NONE, "m", -1, 0,
    )  # fmt: skip
    assert coordinator.group.epoch == epoch + 1
    assert flat(coordinator.settle()["n"]) == all_of("a", 2)


def test_the_last_one_leaves_no_assignment_behind() -> None:
    coordinator = ShareCoordinator()
    coordinator.pulse("m", 0, "a")
    coordinator.settle()
    records = coordinator.records_of(lambda: coordinator.pulse("m", -1))
    assert records[-1][1] == ShareGroupTargetAssignmentMetadataValue(assignment_epoch=4)
    assert coordinator.group.state.value == "Empty"
    # Whoever joins next gets its partitions at once.
    assert flat(coordinator.pulse("n", 0, "a").assignment or {}) == all_of("a", 2)


def test_a_session_ends_unless_there_is_a_heartbeat() -> None:
    coordinator = ShareCoordinator()
    coordinator.pulse("m", 0, "a")
    coordinator.advance(SESSION_MS - 100)
    coordinator.pulse("m", 2)
    coordinator.advance(SESSION_MS - 100)
    assert sorted(coordinator.group.members) == ["m"]
    coordinator.advance(200)
    assert not coordinator.group.members
    assert coordinator.pulse("m", 2).code is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_session_that_ends_while_nothing_can_be_written_ends_later() -> None:
    coordinator = ShareCoordinator()
    coordinator.pulse("m", 0, "a")
    coordinator.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    coordinator.advance(SESSION_MS + 1_000)
    assert sorted(coordinator.group.members) == ["m"]
    coordinator.log.refusal = None
    coordinator.advance(1_000)
    assert not coordinator.group.members


def test_an_assignment_waits_for_its_interval() -> None:
    coordinator = ShareCoordinator(share_assignment_interval_ms=1_000)
    coordinator.pulse("m", 0, "a")
    assert coordinator.pulse("m", 2).member_epoch == 2, "the group epoch is 3, and has no assignment yet"
    assert coordinator.group.epoch == 3
    coordinator.advance(1_000)
    assert coordinator.pulse("m", 2).member_epoch == 3


def test_a_new_topic_is_read_from_where_its_leader_says_and_new_partitions_from_the_first_record() -> None:
    coordinator = ShareCoordinator()
    coordinator.pulse("m", 0, "a", "b")
    coordinator.change_topic("b", 1)
    coordinator.change_topic("a", 3)
    coordinator.settle()
    offsets = {
        (topic, index): state.start_offset
        for (_, topic, index), state in coordinator.persister.states.items()
    }
    a, b = topic_id("a"), topic_id("b")
    assert offsets == {(a, 0): -1, (a, 1): -1, (a, 2): 0, (b, 0): -1}


def test_a_changed_topic_makes_a_new_epoch() -> None:
    coordinator = ShareCoordinator()
    coordinator.pulse("m", 0, "a")
    coordinator.settle()
    coordinator.change_topic("other", 1)
    assert coordinator.pulse("m", 3).member_epoch == 3
    coordinator.topics.racks["a"] = [["r"], ["r"]]
    coordinator.shard.topics_changed(["a"], has_new=False)
    coordinator.advance(1_000)
    assert coordinator.pulse("m", 3).member_epoch == 4


def test_a_deleted_topic_is_forgotten() -> None:
    coordinator = ShareCoordinator({"a": 2, "b": 1})
    coordinator.pulse("m", 0, "a", "b")
    coordinator.settle()
    coordinator.change_topic("b", None)
    states = coordinator.group.states
    assert states is not None
    assert list(states.initialized) == [topic_id("a")]
    assert flat(coordinator.settle()["m"]) == all_of("a", 2)


def test_if_a_state_cannot_be_initialized_all_are_tried_again() -> None:
    coordinator = ShareCoordinator()
    coordinator.persister.codes["initialize", 1] = ErrorCode.COORDINATOR_NOT_AVAILABLE
    coordinator.pulse("m", 0, "a")
    states = coordinator.group.states
    assert states is not None
    assert (states.initializing, states.initialized) == ({}, {})
    coordinator.persister.codes.clear()
    coordinator.pulse("m", 2)
    assert flat(coordinator.settle()["m"]) == all_of("a", 2)


def test_if_nothing_comes_of_it_it_is_tried_again_after_a_while() -> None:
    coordinator = ShareCoordinator(share_initialize_retry_interval_ms=30_000)
    coordinator.persister.is_silent = True
    coordinator.pulse("m", 0, "a")
    coordinator.advance(20_000)
    assert coordinator.records_of(lambda: coordinator.pulse("m", 2)) == []
    coordinator.advance(10_000)
    coordinator.persister.is_silent = False
    ((_, value), *_) = coordinator.records_of(lambda: coordinator.pulse("m", 2))
    assert isinstance(value, ShareGroupStatePartitionMetadataValue)
    coordinator.persister.answer()
    assert flat(coordinator.settle()["m"]) == all_of("a", 2)


def test_what_the_persister_says_too_late_is_passed_over() -> None:
    coordinator = ShareCoordinator()
    coordinator.persister.is_silent = True
    coordinator.pulse("m", 0, "a")
    coordinator.shard.unload()
    coordinator.log.refusal = ErrorCode.NOT_LEADER_OR_FOLLOWER
    coordinator.persister.answer()


def test_another_broker_takes_over() -> None:
    coordinator = ShareCoordinator({"a": 2, "b": 1})
    for member_id in "mn":
        coordinator.pulse(member_id, 0, "a", "b")
    coordinator.settle()
    before = persistent(coordinator.group)
    coordinator.move()
    assert persistent(coordinator.group) == before
    coordinator.advance(SESSION_MS - 100)
    assert sorted(coordinator.group.members) == ["m", "n"], "sessions begin anew"
    coordinator.advance(200)
    assert not coordinator.group.members


def test_the_targets_of_a_large_group_are_computed_beside() -> None:
    coordinator = ShareCoordinator({"a": 3_000})
    coordinator.pulse("m", 0, "a")
    for _ in range(10):
        coordinator.advance(100)
    outcome = coordinator.pulse("m", 2)
    assert (outcome.code, outcome.member_epoch) == (ErrorCode.NONE, 2), "it keeps what it has"
    assert coordinator.group.assignment_epoch == 3
    assert len(flat(coordinator.pulse("m", 2).assignment or {})) == 3_000


def test_while_targets_are_computed_beside_nothing_else_is_computed() -> None:
    coordinator = ShareCoordinator({"a": 3_000})
    coordinator.pulse("m", 0, "a")
    coordinator.advance(1_000)
    asked: list[object] = []
    coordinator.world.compute = lambda work, done: asked.append(work)  # type: ignore[method-assign]
    for _ in range(3):
        coordinator.advance(1_000)
        coordinator.pulse("m", 2)
    assert len(asked) == 1


def test_a_group_has_so_many_partitions_and_no_more() -> None:
    coordinator = ShareCoordinator({"a": MAX_PARTITIONS - 1, "b": 5, "c": 1})
    coordinator.pulse("m", 0, "a", "b", "c")
    for _ in range(200):
        coordinator.advance(10)
    states = coordinator.group.states
    assert states is not None
    counts = {topic.name: sorted(topic.partitions) for topic in states.initialized.values()}
    assert (len(counts["a"]), counts["b"], states.initializing) == (MAX_PARTITIONS - 1, [0], {})
    coordinator.pulse("m", -1)
    assert coordinator.alter({"c": {0: 0}}) == {"": ErrorCode.INVALID_REQUEST}
    assert coordinator.alter({"b": {0: 0}}) == {"b": {0: ErrorCode.NONE}}


def test_a_group_that_is_gone_does_not_come_back_with_a_tombstone() -> None:
    groups = ShareCoordinator().share.groups
    groups.replay(GROUP, ShareGroupMemberMetadataKey(group_id=GROUP, member_id="m"), None)
    assert groups.groups == {}


def test_targets_that_come_too_late_are_passed_over() -> None:
    coordinator = ShareCoordinator({"a": 3_000})
    coordinator.pulse("m", 0, "a")
    for _ in range(10):
        coordinator.advance(100)
    coordinator.send("m", 2)
    coordinator.send("m", -1)
    coordinator.advance(TURN_MS)
    assert not coordinator.group.targets
    assert coordinator.group.assignment_epoch == 4


def test_who_has_left_while_targets_are_computed_gets_none() -> None:
    coordinator = ShareCoordinator({"a": 3_000})
    for member_id in "mn":
        coordinator.pulse(member_id, 0, "a")
    for _ in range(10):
        coordinator.advance(100)
    coordinator.send("m", coordinator.group.members["m"].epoch)
    assert coordinator.group.is_assigning
    coordinator.send("n", -1)
    coordinator.advance(TURN_MS)
    assert coordinator.group.targets.keys() == {"m"}


def test_another_coordinator_gets_no_records_of_this_one() -> None:
    coordinator = ShareCoordinator({"a": 3_000})
    coordinator.pulse("m", 0, "a")
    for _ in range(10):
        coordinator.advance(100)
    coordinator.send("m", 2)
    coordinator.shard.unload()
    assert coordinator.records_of(lambda: coordinator.advance(TURN_MS)) == []
    coordinator = ShareCoordinator()
    coordinator.persister.is_silent = True
    coordinator.pulse("m", 0, "a")
    coordinator.shard.unload()
    assert coordinator.records_of(coordinator.persister.answer) == []


def test_who_a_member_is_is_written_as_apache_kafka_has_it() -> None:
    coordinator = ShareCoordinator()
    records = coordinator.records_of(
        lambda: coordinator.send("m", 0, "b", "a", "a", rack_id="r", client_id="c", client_host="/h")
    )
    assert records[0][1] == ShareGroupMemberMetadataValue(
        rack_id="r", client_id="c", client_host="/h", subscribed_topic_names=["a", "b"]
    )
    assert isinstance(records[1][1], ShareGroupMetadataValue)
    assert records[1][1].epoch == 2


def test_a_groups_own_configuration_goes_first() -> None:
    coordinator = ShareCoordinator()
    coordinator.own_config["share.heartbeat.interval.ms"] = "7000"
    coordinator.own_config["share.session.timeout.ms"] = "1"
    assert coordinator.pulse("m", 0, "a").heartbeat_interval_ms == 7_000
    coordinator.advance(SESSION_MS - 100)
    assert sorted(coordinator.group.members) == ["m"], "not below the broker's least"


def test_states_of_topics_that_nobody_reads_make_no_new_epoch() -> None:
    coordinator = ShareCoordinator({"a": 2, "b": 1})
    coordinator.pulse("m", 0, "a", "b")
    coordinator.settle()
    coordinator.pulse("m", 3, "a")
    coordinator.settle()
    assert coordinator.records_of(lambda: coordinator.pulse("m", 4)) == []


def test_a_topic_that_was_to_be_forgotten_is_read_again() -> None:
    coordinator = ShareCoordinator()
    coordinator.alter({"a": {0: 5, 1: 5}})
    coordinator.persister.codes["delete", 0] = ErrorCode.COORDINATOR_NOT_AVAILABLE
    coordinator.forget("a")
    coordinator.pulse("m", 0, "a")
    states = coordinator.group.states
    assert states is not None
    assert (states.deleting, sorted(states.initialized)) == ({}, [topic_id("a")])
