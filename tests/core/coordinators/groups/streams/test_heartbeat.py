"""StreamsGroupHeartbeat: joining, following the target, leaving; statuses; what is written and what is told.

Tests: `core.coordinators.groups.streams.change`, `core.coordinators.groups.streams.config`,
`core.coordinators.groups.streams.endpoints`, `core.coordinators.groups.streams.member`,
`core.coordinators.groups.streams.records`, `core.coordinators.groups.streams.responses`,
`core.coordinators.groups.streams.status`, `core.coordinators.groups.streams.targets`,
`requests.streams_group_requests`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    StreamsGroupCurrentMemberAssignmentKey,
    StreamsGroupCurrentMemberAssignmentValue,
    StreamsGroupMetadataKey,
    StreamsGroupMetadataValue,
    StreamsGroupTargetAssignmentMetadataValue,
)
from kafkaproto_server.core.coordinators.groups.streams import heartbeat
from kafkaproto_server.core.coordinators.groups.streams.group import StreamsState
from kafkaproto_server.core.coordinators.groups.streams.member import StreamsMemberState
from kafkaproto_server.core.coordinators.groups.streams.status import StatusCode
from kafkaproto_server.requests.streams_group_requests import TaskSets, UserEndpoint
from tests.core.coordinators.support.streams import (
    GROUP,
    INTERVAL_MS,
    PLAIN,
    REBALANCE_MS,
    SESSION_MS,
    STATEFUL,
    Coordinator,
    joining,
    owned,
    statuses,
    subtopology,
    told,
    topology,
)

BOTH = {"0": [0, 1]}


def names_of(records: list[tuple[Any, Any]]) -> list[str]:
    """The records by their types; a tombstone begins with a minus."""
    return [
        ("-" if value is None else "") + key.NAME.removeprefix("StreamsGroup").removesuffix("Key")
        for key, value in records
    ]


def two_members() -> Coordinator:
    """m1 runs both tasks, m2 has joined and waits for one of them."""
    coordinator = Coordinator()
    coordinator.join("m1")
    coordinator.join("m2")
    return coordinator


# -- joining -----------------------------------------------------------------------------------------------------


def test_the_first_member_gets_everything_at_once() -> None:
    coordinator = Coordinator()
    response = coordinator.join("m1")
    assert (response.error_code, response.member_id, response.member_epoch) == (ErrorCode.NONE, "m1", 2)
    assert (response.heartbeat_interval_ms, response.task_offset_interval_ms) == (5_000, 60_000)
    assert response.acceptable_recovery_lag == 10_000
    assert told(response) == {"active": BOTH, "standby": {}, "warmup": {}}
    assert response.status == []
    assert coordinator.group.state is StreamsState.STABLE


def test_records_of_a_first_member_come_in_kafkas_order() -> None:
    coordinator = Coordinator()
    records = coordinator.records_of(lambda: coordinator.join("m1"))
    assert names_of(records) == [
        "MemberMetadata",
        "Topology",
        "Metadata",
        "TargetAssignmentMember",
        "TargetAssignmentMetadata",
        "CurrentMemberAssignment",
    ]
    assert set(coordinator.world.log.versions()) == {0}
    assert isinstance(records[2][1], StreamsGroupMetadataValue)
    assert records[2][1].validated_topology_epoch == 1
    assert [(each.key, each.value) for each in records[2][1].last_assignment_configs or ()] == [
        ("num.standby.replicas", "0")
    ]
    assert isinstance(records[-1][1], StreamsGroupCurrentMemberAssignmentValue)
    assert records[-1][1].active_tasks[0].assignment_epochs == [2, 2]


def test_a_response_waits_until_its_records_are_committed() -> None:
    coordinator = Coordinator()
    coordinator.world.log.commits_at_once = False
    joined = coordinator.send(member_id="m", member_epoch=0, **joining("m"))
    again = coordinator.send(member_id="m", member_epoch=2)
    assert joined == again == []
    coordinator.world.log.commit()
    assert [each.response.error_code for each in joined + again] == [ErrorCode.NONE, ErrorCode.NONE]


def test_a_member_learns_why_its_records_are_not_committed() -> None:
    coordinator = Coordinator()
    coordinator.world.log.commits_at_once = False
    joined = coordinator.send(member_id="m", member_epoch=0, **joining("m"))
    coordinator.world.log.give_up(ErrorCode.REQUEST_TIMED_OUT)
    assert [each.response.error_code for each in joined] == [ErrorCode.COORDINATOR_NOT_AVAILABLE]


def test_nothing_changes_if_the_records_cannot_be_written() -> None:
    coordinator = Coordinator()
    coordinator.world.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    code = coordinator.refusal(member_id="m", member_epoch=0, **joining("m"))
    assert code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert coordinator.groups.groups == {}


def test_tasks_that_another_member_runs_come_when_it_has_given_them_up() -> None:
    coordinator = two_members()
    response = coordinator.beat("m1", 2)
    assert (response.member_epoch, told(response)) == (2, {"active": {"0": [0]}, "standby": {}, "warmup": {}})
    assert told(coordinator.beat("m2", 3)) is None
    assert coordinator.beat("m1", 2, **owned(active={"0": [0, 1]})).member_epoch == 2
    assert coordinator.beat("m1", 2, **owned(active={"0": [0]})).member_epoch == 3
    response = coordinator.beat("m2", 3)
    assert (response.member_epoch, told(response)) == (3, {"active": {"0": [1]}, "standby": {}, "warmup": {}})
    assert coordinator.group.state is StreamsState.STABLE


def test_a_group_has_as_many_members_as_it_may() -> None:
    coordinator = Coordinator(max_size=1)
    coordinator.join("m1", instance_id="i")
    code = coordinator.refusal(member_id="m2", member_epoch=0, **joining("m2"))
    assert code == ErrorCode.GROUP_MAX_SIZE_REACHED
    coordinator.beat("m1", -2, instance_id="i")
    assert coordinator.join("m2", instance_id="i").error_code == ErrorCode.NONE


# -- waiting -----------------------------------------------------------------------------------------------------


def test_a_new_group_waits_for_more_members() -> None:
    coordinator = Coordinator(initial_rebalance_delay_ms=3_000)
    response = coordinator.join("m1")
    assert (response.member_epoch, statuses(response)) == (1, [StatusCode.ASSIGNMENT_DELAYED])
    assert told(response) == {"active": {}, "standby": {}, "warmup": {}}
    coordinator.world.advance(2_999)
    assert statuses(coordinator.join("m2")) == [StatusCode.ASSIGNMENT_DELAYED]
    # The topics are known since the second heartbeat, so it needs no third one.
    coordinator.world.advance(1)
    coordinator.world.advance(1)
    assert coordinator.group.assignment_epoch == 3
    assert told(coordinator.beat("m1", 1)) == {"active": {"0": [0]}, "standby": {}, "warmup": {}}
    assert told(coordinator.beat("m2", 1)) == {"active": {"0": [1]}, "standby": {}, "warmup": {}}


def test_a_group_of_one_heartbeat_is_assigned_with_the_second_one() -> None:
    coordinator = Coordinator(initial_rebalance_delay_ms=3_000)
    coordinator.join("m1")
    coordinator.world.advance(3_001)
    assert coordinator.group.assignment_epoch == 1
    assert told(coordinator.beat("m1", 1)) == {"active": BOTH, "standby": {}, "warmup": {}}


def test_a_group_that_ends_meanwhile_is_not_assigned() -> None:
    coordinator = Coordinator(initial_rebalance_delay_ms=3_000)
    coordinator.join("m1")
    coordinator.beat("m1", 1)
    coordinator.beat("m1", -1)
    written = coordinator.records_of(lambda: coordinator.world.advance(3_001))
    assert written == []


def test_the_next_assignment_waits_for_the_interval() -> None:
    coordinator = Coordinator(assignment_interval_ms=1_000)
    coordinator.join("m1")
    response = coordinator.join("m2")
    assert (response.member_epoch, statuses(response)) == (2, [StatusCode.ASSIGNMENT_DELAYED])
    assert coordinator.group.state is StreamsState.ASSIGNING
    coordinator.world.advance(1_000)
    assert (coordinator.beat("m2", 2).member_epoch, coordinator.group.assignment_epoch) == (3, 3)


def test_the_tasks_of_a_large_group_are_assigned_beside_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    coordinator = Coordinator()
    coordinator.join("m1")
    monkeypatch.setattr(heartbeat, "SIZE_AT_ONCE", 2)
    response = coordinator.join("m2", instance_id="i")
    assert (response.member_epoch, statuses(response)) == (2, [StatusCode.ASSIGNMENT_DELAYED])
    assert statuses(coordinator.beat("m1", 2)) == [StatusCode.ASSIGNMENT_DELAYED]
    # Meanwhile it is back under another id.
    coordinator.beat("m2", -2, instance_id="i")
    coordinator.join("m3", instance_id="i", process_id="p-m2")
    coordinator.world.advance(1)
    assert coordinator.group.assignment_epoch == coordinator.group.epoch
    assert coordinator.group.targets["m3"] == TaskSets({"0": frozenset([1])})


def test_who_joins_while_tasks_are_assigned_gets_none_of_those_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    coordinator = Coordinator()
    coordinator.join("m1")
    monkeypatch.setattr(heartbeat, "SIZE_AT_ONCE", 2)
    coordinator.join("m2")
    coordinator.join("m3")
    coordinator.world.advance(1)
    tasks = {member_id: dict(target.active) for member_id, target in coordinator.group.targets.items()}
    assert tasks == {"m1": {"0": frozenset([0])}, "m2": {"0": frozenset([1])}}


def test_while_targets_are_computed_beside_nothing_else_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    coordinator = Coordinator()
    coordinator.join("m1")
    monkeypatch.setattr(heartbeat, "SIZE_AT_ONCE", 2)
    asked: list[object] = []
    coordinator.world.compute = lambda work, done: asked.append(work)  # type: ignore[method-assign]
    coordinator.join("m2")
    assert statuses(coordinator.beat("m1", 2)) == [StatusCode.ASSIGNMENT_DELAYED]
    assert len(asked) == 1


def test_an_assignment_that_comes_too_late_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    coordinator = Coordinator()
    coordinator.join("m1")
    monkeypatch.setattr(heartbeat, "SIZE_AT_ONCE", 2)
    coordinator.join("m2")
    for member_id in ("m1", "m2"):
        coordinator.beat(member_id, -1)
    assert coordinator.records_of(lambda: coordinator.world.advance(1)) == []
    assert not coordinator.group.is_assigning


def test_another_coordinator_gets_no_records_of_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    coordinator = Coordinator()
    coordinator.join("m1")
    monkeypatch.setattr(heartbeat, "SIZE_AT_ONCE", 2)
    coordinator.join("m2")
    coordinator.groups.unload()
    assert coordinator.records_of(lambda: coordinator.world.advance(1)) == []


# -- topics ------------------------------------------------------------------------------------------------------


def test_members_wait_for_source_topics() -> None:
    coordinator = Coordinator({})
    response = coordinator.join("m1", user_endpoint=UserEndpoint("h", 1))
    assert (response.member_epoch, statuses(response)) == (2, [StatusCode.MISSING_SOURCE_TOPICS])
    assert coordinator.group.state is StreamsState.NOT_READY
    coordinator.beat("m1", 2)
    coordinator.change_topic("a", 2)
    response = coordinator.beat("m1", 2)
    assert (response.member_epoch, statuses(response)) == (3, [])
    assert told(response) == {"active": BOTH, "standby": {}, "warmup": {}}


def test_internal_topics_are_named_until_they_are_there() -> None:
    coordinator = Coordinator({"a": 2})
    (outcome,) = coordinator.send(member_id="m1", member_epoch=0, **joining("m1", STATEFUL))
    assert statuses(outcome.response) == [StatusCode.MISSING_INTERNAL_TOPICS]
    assert [(each.name, each.num_partitions) for each in outcome.missing_topics] == [("a-changelog", 2)]
    coordinator.change_topic("a-changelog", 2)
    (outcome,) = coordinator.send(member_id="m1", member_epoch=2)
    assert not outcome.missing_topics
    assert told(outcome.response) == {"active": BOTH, "standby": {}, "warmup": {}}


def test_tasks_are_taken_away_when_a_topic_is_gone() -> None:
    coordinator = Coordinator()
    coordinator.join("m1")
    coordinator.beat("m1", 2)
    coordinator.change_topic("a", None)
    response = coordinator.beat("m1", 2)
    assert statuses(response) == [StatusCode.MISSING_SOURCE_TOPICS]
    assert told(response) == {"active": {}, "standby": {}, "warmup": {}}


def test_topics_that_a_group_does_not_need_do_not_touch_it() -> None:
    coordinator = Coordinator()
    coordinator.join("m1")
    coordinator.beat("m1", 2)
    coordinator.change_topic("b", 2)
    assert coordinator.group.is_fresh
    assert coordinator.records_of(lambda: coordinator.beat("m1", 2)) == []


# -- settings ----------------------------------------------------------------------------------------------------


def test_other_settings_of_the_assignor_make_it_run_anew() -> None:
    coordinator = Coordinator()
    coordinator.join("m1", STATEFUL)
    coordinator.join("m2", STATEFUL)
    coordinator.own_config["streams.num.standby.replicas"] = "1"
    coordinator.beat("m2", 3)
    assert coordinator.group.assignment_configs == {"num.standby.replicas": "1"}
    assert coordinator.group.targets["m1"].standby == {"0": frozenset([1])}


def test_missing_tags_are_told_from_version_1_on() -> None:
    coordinator = Coordinator(rack_aware_assignment_tags="zone,rack")
    tags = [("zone", "z")]
    assert statuses(coordinator.join("m1", client_tags=tags, version=0)) == []
    response = coordinator.join("m1", client_tags=tags, version=1)
    assert statuses(response) == [StatusCode.MISSING_CLIENT_TAGS]
    assert "'rack'" in (response.status or [])[0].status_detail
    assert coordinator.group.assignment_configs["rack.aware.assignment.tags"] == "zone,rack"


# -- topologies --------------------------------------------------------------------------------------------------


def test_a_member_with_an_older_topology_hears_that() -> None:
    coordinator = Coordinator()
    coordinator.join("m1", topology(subtopology("0", ["a"]), epoch=3))
    assert statuses(coordinator.join("m2", PLAIN)) == [StatusCode.STALE_TOPOLOGY]
    assert statuses(coordinator.beat("m2", 3)) == [StatusCode.STALE_TOPOLOGY]


def test_a_topology_cannot_be_changed() -> None:
    coordinator = Coordinator()
    coordinator.join("m1")
    for other in (topology(subtopology("0", ["b"])), topology(subtopology("0", ["a"]), epoch=2)):
        code = coordinator.refusal(member_id="m2", member_epoch=0, **joining("m2", other))
        assert code == ErrorCode.INVALID_REQUEST


# -- members that leave ------------------------------------------------------------------------------------------


def test_tasks_of_a_member_that_leaves_are_free() -> None:
    coordinator = two_members()
    records = coordinator.records_of(lambda: coordinator.beat("m1", -1))
    assert names_of(records) == [
        "-CurrentMemberAssignment",
        "-TargetAssignmentMember",
        "-MemberMetadata",
        "Metadata",
    ]
    assert told(coordinator.beat("m2", 3)) == {"active": BOTH, "standby": {}, "warmup": {}}


def test_who_joins_after_the_last_member_need_not_wait() -> None:
    coordinator = Coordinator(assignment_interval_ms=1_000)
    coordinator.join("m1")
    records = coordinator.records_of(lambda: coordinator.beat("m1", -1))
    assert isinstance(records[-1][1], StreamsGroupTargetAssignmentMetadataValue)
    assert (records[-1][1].assignment_epoch, records[-1][1].assignment_timestamp) == (3, 0)
    assert coordinator.join("m2").member_epoch == 4


def test_a_static_member_that_is_back_keeps_its_tasks() -> None:
    coordinator = Coordinator()
    coordinator.join("m1", instance_id="i")
    assert coordinator.refusal(member_id="m2", member_epoch=0, instance_id="i", **joining("m1")) == (
        ErrorCode.UNRELEASED_INSTANCE_ID
    )
    assert coordinator.beat("m1", -2, instance_id="i").member_epoch == -2
    response = coordinator.join("m2", instance_id="i", process_id="p-m1")
    # Nothing that the assignor looks at is another.
    assert (response.member_epoch, told(response)) == (2, {"active": BOTH, "standby": {}, "warmup": {}})
    code = coordinator.refusal(member_id="m1", member_epoch=2, instance_id="i")
    assert code == ErrorCode.FENCED_INSTANCE_ID


def test_a_static_member_may_be_back_at_another_address() -> None:
    coordinator = Coordinator()
    coordinator.join("m1", instance_id="i", client_host="/10.0.0.1")
    away = coordinator.records_of(lambda: coordinator.beat("m1", -2, instance_id="i"))
    assert isinstance(away[0][1], StreamsGroupCurrentMemberAssignmentValue)
    assert away[0][1].active_tasks[0].assignment_epochs == [0, 0]
    records = coordinator.records_of(lambda: coordinator.join("m1", instance_id="i", client_host="/10.0.0.2"))
    assert "Metadata" not in names_of(records)
    assert coordinator.group.members["m1"].client_host == "/10.0.0.2"


def test_a_member_that_is_silent_is_fenced() -> None:
    coordinator = two_members()
    coordinator.world.advance(SESSION_MS - 1)
    coordinator.beat("m2", 3)
    coordinator.world.advance(1)
    assert list(coordinator.group.members) == ["m2"]
    assert told(coordinator.beat("m2", 3)) == {"active": BOTH, "standby": {}, "warmup": {}}


def test_a_member_that_does_not_give_up_its_tasks_is_fenced() -> None:
    coordinator = two_members()
    coordinator.beat("m1", 2)
    for _ in range(REBALANCE_MS // INTERVAL_MS):
        coordinator.beat("m1", 2, **owned(active=BOTH))
        coordinator.beat("m2", 3)
        coordinator.world.advance(INTERVAL_MS)
    assert list(coordinator.group.members) == ["m2"]


def test_sessions_and_revocations_begin_anew_at_another_broker() -> None:
    coordinator = two_members()
    coordinator.beat("m1", 2)
    coordinator.move()
    coordinator.world.advance(SESSION_MS - 1)
    assert set(coordinator.group.members) == {"m1", "m2"}
    coordinator.beat("m1", 2)
    coordinator.world.advance(1)
    assert set(coordinator.group.members) == {"m1"}
    coordinator.world.advance(REBALANCE_MS - SESSION_MS)
    assert not coordinator.group.members


# -- epochs ------------------------------------------------------------------------------------------------------


def test_a_member_may_be_one_epoch_behind_if_it_has_no_more_than_it_may() -> None:
    coordinator = Coordinator()
    coordinator.join("m1")
    coordinator.join("m2")
    coordinator.beat("m1", 2)
    coordinator.beat("m1", 2, **owned(active={"0": [0]}))
    assert coordinator.beat("m1", 2, **owned(active={"0": [0]})).member_epoch == 3
    for fields in ({}, owned(active=BOTH), owned(standby={"0": [0]}), owned(active={"1": [0]})):
        code = coordinator.refusal(member_id="m1", member_epoch=2, **fields)
        assert code == ErrorCode.FENCED_MEMBER_EPOCH
    assert coordinator.refusal(member_id="m1", member_epoch=4) == ErrorCode.FENCED_MEMBER_EPOCH


def test_tasks_that_there_are_not_are_refused() -> None:
    coordinator = Coordinator()
    coordinator.join("m1")
    for fields in (
        owned(active={"1": [0]}),
        owned(active={"1": []}),
        owned(standby={"0": [2]}),
        owned(warmup={"0": [-1]}),
    ):
        assert coordinator.refusal(member_id="m1", member_epoch=2, **fields) == ErrorCode.INVALID_REQUEST


# -- what is in memory only --------------------------------------------------------------------------------------


def test_endpoints_are_told_when_they_change() -> None:
    coordinator = Coordinator()
    coordinator.join("m1")
    coordinator.beat("m1", 2, endpoint_epoch=0)
    response = coordinator.join("m2", user_endpoint=UserEndpoint("h", 9))
    assert response.endpoint_information_epoch == 1
    coordinator.beat("m1", 2, endpoint_epoch=0)
    coordinator.beat("m1", 2, **owned(active={"0": [0]}))
    response = coordinator.beat("m2", 3, endpoint_epoch=1)
    assert response.endpoint_information_epoch == 2
    assert response.partitions_by_user_endpoint is not None
    (part,) = response.partitions_by_user_endpoint
    assert (part.user_endpoint.host, part.user_endpoint.port) == ("h", 9)
    assert [(each.topic, each.partitions) for each in part.active_partitions] == [("a", [1])]
    assert coordinator.beat("m1", 3, endpoint_epoch=2).partitions_by_user_endpoint is None


def test_an_application_that_is_to_end_tells_all_members() -> None:
    coordinator = two_members()
    coordinator.beat("m1", 2, shutdown_application=True)
    response = coordinator.beat("m2", 3)
    assert statuses(response) == [StatusCode.SHUTDOWN_APPLICATION]
    assert "'m1'" in (response.status or [])[0].status_detail
    coordinator.beat("m1", -1)
    coordinator.beat("m2", -1)
    assert statuses(coordinator.join("m3")) == []


def test_offsets_of_tasks_are_kept_for_known_subtopologies() -> None:
    coordinator = Coordinator()
    coordinator.join("m1")
    coordinator.beat("m1", 2, task_offsets=[("0", 1, 7), ("x", 0, 1)])
    coordinator.beat("m1", 2, task_end_offsets=[("0", 1, 9)])
    kept = coordinator.group.task_offsets["m1"]
    assert (kept.offsets, kept.end_offsets) == ({("0", 1): 7}, {("0", 1): 9})
    code = coordinator.refusal(member_id="m1", member_epoch=2, task_offsets=[("0", 1, 7), ("0", 1, 8)])
    assert code == ErrorCode.INVALID_REQUEST
    coordinator.beat("m1", -1)
    assert coordinator.group.task_offsets == {}


# -- logs of other releases --------------------------------------------------------------------------------------


def test_warm_up_tasks_of_a_later_release_are_revoked() -> None:
    coordinator = Coordinator({"a": 1})
    coordinator.join("m1")
    coordinator.join("m2")
    coordinator.beat("m1", 2)
    tasks = StreamsGroupCurrentMemberAssignmentValue.TaskIds(subtopology_id="0", partitions=[0])
    value = StreamsGroupCurrentMemberAssignmentValue(
        member_epoch=3, previous_member_epoch=2, state=StreamsMemberState.STABLE, warmup_tasks=[tasks]
    )
    key = StreamsGroupCurrentMemberAssignmentKey(group_id=GROUP, member_id="m2")
    coordinator.groups.replay(GROUP, key, value)
    assert coordinator.group.state is StreamsState.STABLE
    response = coordinator.beat("m2", 3)
    assert (coordinator.group.epoch, coordinator.group.assignment_epoch) == (4, 4)
    assert (response.member_epoch, told(response)) == (3, {"active": {}, "standby": {}, "warmup": {}})
    assert coordinator.beat("m2", 3, **owned()).member_epoch == 4
    assert coordinator.group.assignment_epoch == 4


def test_topics_are_checked_anew_if_an_older_release_did_not_note_that() -> None:
    coordinator = Coordinator()
    coordinator.join("m1")
    value = StreamsGroupMetadataValue(
        epoch=2,
        metadata_hash=coordinator.group.metadata_hash,
        last_assignment_configs=[
            StreamsGroupMetadataValue.LastAssignmentConfig(key="num.standby.replicas", value="0")
        ],
    )
    coordinator.groups.replay(GROUP, StreamsGroupMetadataKey(group_id=GROUP), value)
    states = [coordinator.group.state]
    assert coordinator.beat("m1", 2).member_epoch == 3
    assert [*states, coordinator.group.state] == [StreamsState.NOT_READY, StreamsState.STABLE]


def test_active_tasks_without_epochs_count_from_the_epoch_of_the_member() -> None:
    coordinator = Coordinator()
    coordinator.join("m1")
    tasks = StreamsGroupCurrentMemberAssignmentValue.TaskIds(subtopology_id="0", partitions=[0, 1])
    value = StreamsGroupCurrentMemberAssignmentValue(
        member_epoch=2, previous_member_epoch=0, state=StreamsMemberState.STABLE, active_tasks=[tasks]
    )
    key = StreamsGroupCurrentMemberAssignmentKey(group_id=GROUP, member_id="m1")
    coordinator.groups.replay(GROUP, key, value)
    assert coordinator.group.members["m1"].assigned.active == {"0": {0: 2, 1: 2}}


def test_a_member_in_an_unknown_state_begins_anew() -> None:
    coordinator = Coordinator()
    coordinator.join("m1")
    value = StreamsGroupCurrentMemberAssignmentValue(member_epoch=2, previous_member_epoch=0, state=9)
    key = StreamsGroupCurrentMemberAssignmentKey(group_id=GROUP, member_id="m1")
    coordinator.groups.replay(GROUP, key, value)
    assert coordinator.refusal(member_id="m1", member_epoch=2) == ErrorCode.FENCED_MEMBER_EPOCH
    code = coordinator.refusal(member_id="m1", member_epoch=2, **owned(active=BOTH))
    assert code == ErrorCode.FENCED_MEMBER_EPOCH
    assert told(coordinator.beat("m1", 2, **owned())) == {"active": BOTH, "standby": {}, "warmup": {}}


def test_for_the_next_coordinator_too_a_static_member_that_has_left_need_not_revoke() -> None:
    coordinator = Coordinator()
    coordinator.join("m1", instance_id="i", rebalance_timeout_ms=2_000)
    coordinator.join("m2")
    assert told(coordinator.beat("m1", 2, instance_id="i")) is not None
    coordinator.beat("m1", -2, instance_id="i")
    coordinator.move()
    coordinator.world.advance(3_000)
    # Its place is kept until its session ends.
    assert coordinator.group.members.keys() == {"m1", "m2"}
