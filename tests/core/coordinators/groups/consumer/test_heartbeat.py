"""ConsumerGroupHeartbeat: joining, following the target, leaving; refusals; what is written and what is told.

Tests: `core.coordinators.groups.consumer.validation`, `core.coordinators.groups.consumer.values`,
`core.coordinators.groups.membership`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    ConsumerGroupCurrentMemberAssignmentValue,
    ConsumerGroupMetadataKey,
    ConsumerGroupPartitionMetadataKey,
    ConsumerGroupPartitionMetadataValue,
    GroupMetadataKey,
)
from kafkaproto_server.core.coordinators.groups.consumer.group import ConsumerState
from kafkaproto_server.core.coordinators.groups.consumer.heartbeat import TOPICS_REFRESH_INTERVAL_MS
from kafkaproto_server.core.coordinators.groups.consumer.member import ConsumerMemberState
from kafkaproto_server.core.coordinators.values import CoordinatorError, Record
from kafkaproto_server.requests.consumer_group_requests import HeartbeatValues
from tests.core.coordinators.support.consumers import (
    GROUP,
    INTERVAL_MS,
    REBALANCE_MS,
    SESSION_MS,
    Client,
    Coordinator,
    topic_id,
)

A = topic_id("a")
JOIN: dict[str, Any] = {
    "member_id": "m",
    "member_epoch": 0,
    "rebalance_timeout_ms": REBALANCE_MS,
    "subscribed_topic_names": ("a",),
    "topic_partitions": {},
}


def names_of(records: list[tuple[Any, Any]]) -> list[str]:
    """The records by their types; a tombstone begins with a minus."""
    return [
        ("-" if value is None else "") + key.NAME.removeprefix("ConsumerGroup").removesuffix("Key")
        for key, value in records
    ]


def two_members() -> Coordinator:
    """m1 has both partitions of a, m2 has joined and waits for one of them."""
    coordinator = Coordinator()
    coordinator.join("m1", "a")
    coordinator.world.advance(INTERVAL_MS)
    coordinator.join("m2", "a")
    return coordinator


# -- joining -----------------------------------------------------------------------------------------------------


def test_the_first_member_gets_everything_at_once() -> None:
    coordinator = Coordinator()
    outcome = coordinator.join("m1", "a")
    assert outcome.code == ErrorCode.NONE
    assert (outcome.member_id, outcome.member_epoch, outcome.heartbeat_interval_ms) == ("m1", 1, 5_000)
    assert outcome.assignment == {A: (0, 1)}
    assert coordinator.group.state == ConsumerState.STABLE


def test_records_of_a_first_member_come_in_kafkas_order() -> None:
    coordinator = Coordinator()
    records = coordinator.records_of(lambda: coordinator.join("m1", "a"))
    assert names_of(records) == [
        "MemberMetadata",
        "Metadata",
        "TargetAssignmentMember",
        "TargetAssignmentMetadata",
        "CurrentMemberAssignment",
    ]
    assert set(coordinator.world.log.versions()) == {0}
    current = records[-1][1]
    assert isinstance(current, ConsumerGroupCurrentMemberAssignmentValue)
    assert current.assigned_partitions[0].assignment_epochs == [1, 1]


def test_the_coordinator_makes_an_id_for_a_member_of_version_0() -> None:
    coordinator = Coordinator()
    outcome = coordinator.join("", "a", makes_member_id=False)
    assert outcome.member_id
    assert list(coordinator.group.members) == [outcome.member_id]


def test_a_response_waits_until_its_records_are_committed() -> None:
    coordinator = Coordinator()
    coordinator.world.log.commits_at_once = False
    joined = coordinator.send(**JOIN)
    assert joined == []
    # What needs no record of its own waits as well: it shows what those records say.
    again = coordinator.send(member_id="m", member_epoch=1)
    assert again == []
    coordinator.world.log.commit()
    assert [each.code for each in joined + again] == [ErrorCode.NONE, ErrorCode.NONE]


def test_a_member_learns_why_its_records_are_not_committed() -> None:
    coordinator = Coordinator()
    coordinator.world.log.commits_at_once = False
    joined = coordinator.send(**JOIN)
    coordinator.world.log.give_up(ErrorCode.REQUEST_TIMED_OUT)
    assert [each.code for each in joined] == [ErrorCode.COORDINATOR_NOT_AVAILABLE]


def test_nothing_changes_if_the_records_cannot_be_written() -> None:
    coordinator = Coordinator()
    coordinator.world.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    assert coordinator.refusal(**JOIN) == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert coordinator.groups.groups == {}


def test_records_that_make_room_for_a_group_are_written_first() -> None:
    coordinator = Coordinator()
    tombstone = Record(GroupMetadataKey(group=GROUP), None)
    coordinator.groups.heartbeat(
        HeartbeatValues(group_id=GROUP, **JOIN), lambda outcome: None, before=[tombstone]
    )
    assert coordinator.world.log.records()[0] == (tombstone.key, None)
    assert list(coordinator.group.members) == ["m"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"group_id": ""}, ErrorCode.INVALID_REQUEST),
        ({"group_id": " "}, ErrorCode.INVALID_REQUEST),
        ({"member_id": ""}, ErrorCode.INVALID_REQUEST),
        ({"instance_id": ""}, ErrorCode.INVALID_REQUEST),
        ({"rack_id": ""}, ErrorCode.INVALID_REQUEST),
        ({"rack_id": " \t\x00"}, ErrorCode.INVALID_REQUEST),
        # Java's trim leaves other white space.
        ({"rack_id": "\u00a0"}, ErrorCode.NONE),
        ({"rebalance_timeout_ms": -1}, ErrorCode.INVALID_REQUEST),
        ({"topic_partitions": None}, ErrorCode.INVALID_REQUEST),
        ({"topic_partitions": {A: (0,)}}, ErrorCode.INVALID_REQUEST),
        ({"topic_partitions": {}, "lists_topics": True}, ErrorCode.INVALID_REQUEST),
        ({"subscribed_topic_names": None}, ErrorCode.INVALID_REQUEST),
        ({"member_epoch": -3}, ErrorCode.INVALID_REQUEST),
        ({"member_epoch": -2}, ErrorCode.INVALID_REQUEST),
        ({"member_epoch": 1, "member_id": "", "makes_member_id": False}, ErrorCode.INVALID_REQUEST),
        ({"server_assignor": "random"}, ErrorCode.UNSUPPORTED_ASSIGNOR),
        ({"subscribed_topic_regex": "("}, ErrorCode.INVALID_REGULAR_EXPRESSION),
        ({"member_epoch": 1}, ErrorCode.GROUP_ID_NOT_FOUND),
        ({"member_epoch": -1}, ErrorCode.GROUP_ID_NOT_FOUND),
        ({"server_assignor": "range", "subscribed_topic_names": ()}, ErrorCode.NONE),
    ],
)
def test_requests_that_make_no_sense_are_refused(changes: dict[str, Any], code: ErrorCode) -> None:
    coordinator = Coordinator()
    assert coordinator.refusal(**{**JOIN, **changes}) == code
    assert bool(coordinator.world.log.records()) == (code == ErrorCode.NONE)


def test_a_full_group_takes_nobody_in_but_keeps_its_members() -> None:
    coordinator = Coordinator(max_size=1)
    coordinator.join("m", "a")
    assert coordinator.refusal(**{**JOIN, "member_id": "n"}) == ErrorCode.GROUP_MAX_SIZE_REACHED
    assert coordinator.refusal(member_id="m", member_epoch=1) == ErrorCode.NONE


# -- epochs ------------------------------------------------------------------------------------------------------


def test_unknown_members_and_epochs_are_refused() -> None:
    coordinator = Coordinator()
    coordinator.join("m", "a")
    assert coordinator.refusal(member_id="n", member_epoch=1) == ErrorCode.UNKNOWN_MEMBER_ID
    assert coordinator.refusal(member_id="m", member_epoch=2) == ErrorCode.FENCED_MEMBER_EPOCH
    assert coordinator.refusal(member_id="n", member_epoch=-1) == ErrorCode.UNKNOWN_MEMBER_ID


def test_the_epoch_before_is_accepted_from_a_member_that_owns_no_more_than_it_may() -> None:
    coordinator = two_members()
    # m1 has revoked partition 1, and the response with its new epoch is lost.
    coordinator.beat("m1", 1)
    assert coordinator.beat("m1", 1, topic_partitions={A: (0,)}).member_epoch == 2
    assert coordinator.refusal(member_id="m1", member_epoch=1) == ErrorCode.FENCED_MEMBER_EPOCH
    both = {A: (0, 1)}
    assert (
        coordinator.refusal(member_id="m1", member_epoch=1, topic_partitions=both)
        == ErrorCode.FENCED_MEMBER_EPOCH
    )
    assert coordinator.beat("m1", 1, topic_partitions={A: (0,)}).member_epoch == 2


def test_a_fenced_member_joins_again_with_the_id_that_it_had() -> None:
    coordinator = two_members()
    coordinator.beat("m1", 1)
    assert coordinator.refusal(member_id="m1", member_epoch=7) == ErrorCode.FENCED_MEMBER_EPOCH
    # It owns nothing now, so it has revoked what it had to.
    outcome = coordinator.join("m1", "a")
    assert (outcome.member_epoch, outcome.assignment) == (2, {A: (0,)})
    assert coordinator.group.epoch == 2


def test_a_partition_is_given_away_only_after_it_was_revoked() -> None:
    coordinator = two_members()
    second = coordinator.group.members["m2"]
    assert (second.epoch, second.state, second.assigned) == (2, ConsumerMemberState.UNRELEASED_PARTITIONS, {})
    told = coordinator.beat("m1", 1)
    assert (told.member_epoch, told.assignment) == (1, {A: (0,)})
    assert coordinator.group.members["m1"].state is ConsumerMemberState.UNREVOKED_PARTITIONS
    assert coordinator.beat("m2", 2).assignment is None
    assert coordinator.group.state.value == "Reconciling"
    # A heartbeat that says nothing of partitions is no revocation.
    assert coordinator.beat("m1", 1).member_epoch == 1
    assert coordinator.beat("m1", 1, topic_partitions={A: (0,)}).member_epoch == 2
    assert coordinator.beat("m2", 2).assignment == {A: (1,)}
    assert coordinator.group.state == ConsumerState.STABLE


def test_the_assignment_is_told_when_it_changes_and_to_full_requests() -> None:
    coordinator = Coordinator()
    coordinator.join("m", "a")
    assert coordinator.beat("m", 1).assignment is None
    full = {
        "rebalance_timeout_ms": REBALANCE_MS,
        "subscribed_topic_names": ("a",),
        "topic_partitions": {A: (0, 1)},
    }
    assert coordinator.beat("m", 1, **full).assignment == {A: (0, 1)}
    for name in full:
        part = {each: value for each, value in full.items() if each != name}
        assert coordinator.beat("m", 1, **part).assignment is None


def test_a_heartbeat_without_news_writes_nothing() -> None:
    coordinator = Coordinator()
    coordinator.join("m", "a")
    assert coordinator.records_of(lambda: coordinator.beat("m", 1)) == []


def test_a_new_subscription_makes_a_new_group_epoch_and_a_rack_does_not() -> None:
    coordinator = Coordinator({"a": 2, "b": 1})
    coordinator.join("m", "a")
    coordinator.world.advance(INTERVAL_MS)
    coordinator.beat("m", 1, rack_id="r", client_id="c")
    assert coordinator.group.epoch == 1
    assert coordinator.group.members["m"].rack_id == "r"
    outcome = coordinator.beat("m", 1, subscribed_topic_names=("b", "a"))
    assert coordinator.group.epoch == 2
    assert outcome.assignment == {A: (0, 1), topic_id("b"): (0,)}


def test_another_preferred_assignor_makes_a_new_group_epoch() -> None:
    coordinator = Coordinator({"a": 3})
    for member_id in ("m1", "m2", "m3"):
        coordinator.join(member_id, "a", server_assignor="uniform")
        coordinator.world.advance(INTERVAL_MS)
    epoch = coordinator.group.epoch
    coordinator.beat("m3", coordinator.group.members["m3"].epoch, server_assignor="range")
    assert coordinator.group.epoch == epoch
    coordinator.beat("m2", coordinator.group.members["m2"].epoch, server_assignor="range")
    assert coordinator.group.epoch == epoch + 1


def test_assignments_keep_their_distance() -> None:
    coordinator = Coordinator(assignment_interval_ms=1_000)
    coordinator.join("m1", "a")
    coordinator.world.advance(999)
    # The new member is in the group, and has nothing before the next assignment.
    outcome = coordinator.join("m2", "a")
    assert (outcome.member_epoch, outcome.assignment) == (1, {})
    assert coordinator.group.state == ConsumerState.ASSIGNING
    coordinator.world.advance(1)
    assert coordinator.beat("m2", 1).member_epoch == 2


def test_the_distance_of_assignments_survives_a_move_and_can_be_set_for_a_group() -> None:
    coordinator = Coordinator(assignment_interval_ms=1_000)
    coordinator.join("m1", "a")
    coordinator.move()
    assert coordinator.join("m2", "a").member_epoch == 1
    coordinator.own_config["consumer.assignment.interval.ms"] = "0"
    assert coordinator.beat("m2", 1).member_epoch == 2


def test_an_assignment_of_the_future_delays_nothing() -> None:
    coordinator = Coordinator()
    coordinator.join("m1", "a")
    coordinator.group.assignment_wall_ms += 10 * SESSION_MS
    assert coordinator.join("m2", "a").member_epoch == 2


def test_the_assignor_that_most_members_want_is_taken() -> None:
    coordinator = Coordinator({"a": 3}, assignment_interval_ms=0)
    coordinator.join("m1", "a")
    coordinator.join("m2", "a", server_assignor="range")
    assert coordinator.group.targets == {"m1": {A: (0, 1)}, "m2": {A: (2,)}}


# -- subscriptions and topics ------------------------------------------------------------------------------------


def test_a_member_revokes_at_once_what_it_does_not_subscribe_to_any_more() -> None:
    coordinator = Coordinator({"a": 2, "b": 1})
    coordinator.join("m", "a", "b")
    # The last assignment is too young for a new one.
    outcome = coordinator.beat("m", 1, subscribed_topic_names=("a",))
    assert (outcome.member_epoch, outcome.assignment) == (1, {A: (0, 1)})
    assert coordinator.group.members["m"].state is ConsumerMemberState.UNREVOKED_PARTITIONS


def test_new_partitions_are_assigned_when_the_coordinator_is_told() -> None:
    coordinator = Coordinator()
    coordinator.join("m", "a")
    coordinator.world.advance(INTERVAL_MS)
    coordinator.topics.change("a", 3)
    assert coordinator.beat("m", 1).assignment is None
    coordinator.tell(["b"], has_new=True)
    assert coordinator.beat("m", 1).assignment is None
    coordinator.tell(["a"], has_new=False)
    outcome = coordinator.beat("m", 1)
    assert (outcome.member_epoch, outcome.assignment) == (2, {A: (0, 1, 2)})


def test_topics_are_looked_at_from_time_to_time_without_being_told() -> None:
    coordinator = Coordinator(max_session_timeout_ms=10 * TOPICS_REFRESH_INTERVAL_MS)
    coordinator.own_config["consumer.session.timeout.ms"] = str(2 * TOPICS_REFRESH_INTERVAL_MS)
    coordinator.join("m", "a")
    coordinator.topics.change("a", 3)
    coordinator.world.advance(TOPICS_REFRESH_INTERVAL_MS - 1)
    assert coordinator.beat("m", 1).assignment is None
    coordinator.world.advance(1)
    assert coordinator.beat("m", 1).assignment == {A: (0, 1, 2)}


def test_other_racks_make_a_new_group_epoch() -> None:
    coordinator = Coordinator()
    coordinator.join("m", "a")
    coordinator.topics.racks["a"] = [["r1"], ["r2"]]
    coordinator.tell(["a"], has_new=False)
    coordinator.beat("m", 1)
    assert coordinator.group.epoch == 2


def test_a_deleted_topic_is_given_up() -> None:
    coordinator = Coordinator({"a": 2, "b": 1})
    coordinator.join("m", "a", "b")
    coordinator.world.advance(INTERVAL_MS)
    coordinator.change_topic("b", None)
    assert coordinator.beat("m", 1).assignment == {A: (0, 1)}
    assert coordinator.beat("m", 1, topic_partitions={A: (0, 1)}).member_epoch == 2


def test_what_older_releases_kept_of_topics_is_removed() -> None:
    coordinator = Coordinator()
    coordinator.join("m", "a")
    key = ConsumerGroupPartitionMetadataKey(group_id=GROUP)
    coordinator.groups.replay(GROUP, key, ConsumerGroupPartitionMetadataValue(topics=[]))
    coordinator.tell(["a"], has_new=False)
    records = coordinator.records_of(lambda: coordinator.beat("m", 1))
    assert records == [(key, None)]
    assert not coordinator.group.has_partition_metadata


# -- leaving and fencing -----------------------------------------------------------------------------------------


def test_a_member_that_leaves_frees_its_partitions_at_once() -> None:
    coordinator = two_members()
    records = coordinator.records_of(lambda: coordinator.beat("m1", -1))
    assert names_of(records) == [
        "-CurrentMemberAssignment",
        "-TargetAssignmentMember",
        "-MemberMetadata",
        "Metadata",
    ]
    coordinator.world.advance(INTERVAL_MS)
    outcome = coordinator.beat("m2", 2)
    assert (outcome.member_epoch, outcome.assignment) == (3, {A: (0, 1)})


def test_an_empty_group_is_assigned() -> None:
    coordinator = Coordinator()
    coordinator.join("m", "a")
    records = coordinator.records_of(lambda: coordinator.beat("m", -1))
    assert names_of(records)[3:] == ["Metadata", "TargetAssignmentMetadata"]
    assert (coordinator.group.epoch, coordinator.group.assignment_epoch) == (2, 2)
    assert coordinator.join("n", "a").assignment == {A: (0, 1)}


def test_the_response_to_a_member_that_leaves_has_its_epoch() -> None:
    coordinator = Coordinator()
    coordinator.join("m", "a")
    outcome = coordinator.beat("m", -1)
    assert (outcome.code, outcome.member_id, outcome.member_epoch) == (ErrorCode.NONE, "m", -1)
    assert outcome.assignment is None
    assert coordinator.group.state == ConsumerState.EMPTY


def test_a_silent_member_is_fenced_when_its_session_ends() -> None:
    coordinator = Coordinator()
    coordinator.join("m", "a")
    coordinator.world.advance(SESSION_MS - 1)
    coordinator.beat("m", 1)
    coordinator.world.advance(SESSION_MS - 1)
    assert list(coordinator.group.members) == ["m"]
    coordinator.world.advance(1)
    assert coordinator.group.members == {}
    assert coordinator.group.epoch == 2


def test_a_session_timeout_that_was_set_for_the_group_counts() -> None:
    coordinator = Coordinator()
    coordinator.own_config["consumer.session.timeout.ms"] = "50000"
    coordinator.own_config["consumer.heartbeat.interval.ms"] = "7000"
    assert coordinator.join("m", "a").heartbeat_interval_ms == 7_000
    coordinator.world.advance(49_999)
    assert coordinator.group.members
    coordinator.world.advance(1)
    assert not coordinator.group.members


def test_a_member_is_fenced_later_if_it_cannot_be_written_now() -> None:
    coordinator = Coordinator()
    coordinator.join("m", "a")
    coordinator.world.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    coordinator.world.advance(SESSION_MS)
    assert coordinator.group.members
    coordinator.world.log.refusal = None
    coordinator.world.advance(500)
    assert not coordinator.group.members


def test_sessions_begin_anew_on_another_broker() -> None:
    coordinator = Coordinator()
    coordinator.join("m", "a")
    coordinator.world.advance(SESSION_MS - 1)
    coordinator.move()
    coordinator.world.advance(SESSION_MS - 1)
    assert coordinator.group.members
    coordinator.world.advance(1)
    assert not coordinator.group.members


def beat_for(coordinator: Coordinator, member_id: str, epoch: int, time_ms: int) -> None:
    """Heartbeats of a member that revokes nothing."""
    end_ms = coordinator.world.now_ms() + time_ms
    while coordinator.world.now_ms() < end_ms:
        coordinator.world.advance(min(INTERVAL_MS, end_ms - coordinator.world.now_ms()))
        if member_id in coordinator.group.members:
            coordinator.beat(member_id, epoch)


def test_a_member_that_does_not_revoke_in_time_is_fenced() -> None:
    coordinator = two_members()
    coordinator.beat("m1", 1)
    beat_for(coordinator, "m1", 1, REBALANCE_MS - 1)
    assert "m1" in coordinator.group.members
    coordinator.world.advance(1)
    assert "m1" not in coordinator.group.members


def test_a_member_that_revokes_in_time_stays() -> None:
    coordinator = two_members()
    coordinator.beat("m1", 1)
    beat_for(coordinator, "m1", 1, REBALANCE_MS - INTERVAL_MS)
    coordinator.beat("m1", 1, topic_partitions={A: (0,)})
    epoch = coordinator.group.members["m1"].epoch
    beat_for(coordinator, "m1", epoch, REBALANCE_MS)
    assert "m1" in coordinator.group.members


def test_the_time_to_revoke_begins_anew_on_another_broker() -> None:
    coordinator = two_members()
    coordinator.beat("m1", 1)
    beat_for(coordinator, "m1", 1, REBALANCE_MS - 1)
    coordinator.move()
    beat_for(coordinator, "m1", 1, REBALANCE_MS - 1)
    assert "m1" in coordinator.group.members
    coordinator.world.advance(1)
    assert "m1" not in coordinator.group.members


def test_a_member_that_is_back_has_a_session_of_its_own() -> None:
    coordinator = Coordinator()
    coordinator.join("m", "a")
    coordinator.world.advance(SESSION_MS - 1)
    coordinator.beat("m", -1)
    coordinator.join("m", "a")
    coordinator.world.advance(SESSION_MS - 1)
    assert coordinator.group.members


def test_a_group_without_members_can_be_deleted() -> None:
    coordinator = Coordinator()
    coordinator.join("m", "a")
    with pytest.raises(CoordinatorError) as refused:
        coordinator.groups.deletion_records(GROUP)
    assert refused.value.code == ErrorCode.NON_EMPTY_GROUP
    coordinator.beat("m", -1)
    records = coordinator.groups.deletion_records(GROUP)
    assert isinstance(records[-1].key, ConsumerGroupMetadataKey)
    for record in records:
        coordinator.groups.replay(GROUP, record.key, record.value)
    assert coordinator.groups.groups == {}
    with pytest.raises(CoordinatorError) as unknown:
        coordinator.groups.deletion_records(GROUP)
    assert unknown.value.code == ErrorCode.GROUP_ID_NOT_FOUND


# -- static members ----------------------------------------------------------------------------------------------


def test_a_static_member_that_is_back_gets_what_it_had_without_a_rebalance() -> None:
    coordinator = Coordinator()
    coordinator.join("m1", "a", instance_id="i")
    outcome = coordinator.beat("m1", -2, instance_id="i")
    assert (outcome.member_id, outcome.member_epoch) == ("m1", -2)
    assert coordinator.group.members["m1"].epoch == -2
    records = coordinator.records_of(lambda: coordinator.join("m2", "a", instance_id="i"))
    assert names_of(records) == [
        "-CurrentMemberAssignment",
        "-TargetAssignmentMember",
        "-MemberMetadata",
        "MemberMetadata",
        "TargetAssignmentMember",
        "CurrentMemberAssignment",
        "CurrentMemberAssignment",
    ]
    assert list(coordinator.group.members) == ["m2"]
    assert coordinator.group.members["m2"].epoch == coordinator.group.epoch == 1
    assert coordinator.group.members["m2"].assigned == {A: {0: 1, 1: 1}}
    assert coordinator.group.state == ConsumerState.STABLE


def test_a_static_member_that_is_back_may_subscribe_to_other_topics() -> None:
    coordinator = Coordinator({"a": 2, "b": 1})
    coordinator.join("m1", "a", instance_id="i")
    coordinator.beat("m1", -2, instance_id="i")
    coordinator.world.advance(INTERVAL_MS)
    outcome = coordinator.join("m2", "b", instance_id="i")
    assert (outcome.member_epoch, outcome.assignment) == (2, {topic_id("b"): (0,)})
    assert list(coordinator.group.members) == list(coordinator.group.targets) == ["m2"]


def test_an_instance_id_has_one_member() -> None:
    coordinator = Coordinator()
    coordinator.join("m1", "a", instance_id="i")
    taken = {**JOIN, "member_id": "m2", "instance_id": "i"}
    assert coordinator.refusal(**taken) == ErrorCode.UNRELEASED_INSTANCE_ID
    for epoch in (1, -1, -2):
        other = {"member_id": "m2", "member_epoch": epoch}
        assert coordinator.refusal(**other, instance_id="i") == ErrorCode.FENCED_INSTANCE_ID
        assert coordinator.refusal(**other, instance_id="j") == ErrorCode.UNKNOWN_MEMBER_ID


def test_a_static_member_that_is_not_back_in_time_is_fenced() -> None:
    coordinator = Coordinator()
    coordinator.join("m1", "a", instance_id="i")
    coordinator.beat("m1", -2, instance_id="i")
    coordinator.world.advance(SESSION_MS)
    assert coordinator.group.members == {}
    assert coordinator.group.static_ids == {}


def test_a_static_member_that_leaves_for_good_is_gone() -> None:
    coordinator = Coordinator()
    coordinator.join("m1", "a", instance_id="i")
    coordinator.beat("m1", -1, instance_id="i")
    assert coordinator.group.members == {}


def test_what_a_static_member_was_to_revoke_is_free_when_it_leaves() -> None:
    coordinator = Coordinator()
    coordinator.join("m1", "a", instance_id="i")
    coordinator.world.advance(INTERVAL_MS)
    coordinator.join("m2", "a")
    coordinator.beat("m1", 1, instance_id="i")
    assert coordinator.beat("m2", 2).assignment is None
    coordinator.beat("m1", -2, instance_id="i")
    assert coordinator.beat("m2", 2).assignment == {A: (1,)}


def test_a_client_follows_to_the_end() -> None:
    coordinator = Coordinator({"a": 5})
    clients = [Client(coordinator, f"m{number}") for number in range(3)]
    for client in clients:
        client.names = ("a",)
    for _ in range(6):
        coordinator.world.advance(INTERVAL_MS)
        for client in clients:
            client.beat()
    assert sorted(len(client.owned) for client in clients) == [1, 2, 2]
    assert len(set().union(*(client.owned for client in clients))) == 5


def test_only_changed_targets_are_written() -> None:
    coordinator = two_members()
    coordinator.world.advance(INTERVAL_MS)
    records = coordinator.records_of(lambda: coordinator.join("m3", "a"))
    assert names_of(records).count("TargetAssignmentMember") == 1
