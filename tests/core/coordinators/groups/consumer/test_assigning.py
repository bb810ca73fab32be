"""Targets of a large group: they are computed beside the loop, while the group goes on.

Tests: `core.coordinators.groups.consumer.targets`, `core.coordinators.groups.modern.targets`,
`requests.consumer_group_requests`.
"""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.groups.consumer import heartbeat
from kafkaproto_server.core.coordinators.groups.consumer.group import ConsumerState
from kafkaproto_server.core.coordinators.groups.consumer.targets import question
from kafkaproto_server.requests.consumer_group_requests import Partitions
from tests.core.coordinators.groups.consumer.test_heartbeat import two_members
from tests.core.coordinators.support.consumers import GROUP, INTERVAL_MS, Coordinator, topic_id

A = topic_id("a")


@pytest.fixture(autouse=True)
def every_group_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """No target is computed at once."""
    monkeypatch.setattr(heartbeat, "SIZE_AT_ONCE", 0)


def targets(coordinator: Coordinator) -> dict[str, Partitions]:
    """Those of the group, without members that have none."""
    return {member_id: target for member_id, target in coordinator.group.targets.items() if target}


def computed(coordinator: Coordinator) -> None:
    """What is being computed is there."""
    coordinator.world.advance(0)


def test_members_go_on_until_the_target_is_there() -> None:
    coordinator = two_members()
    first, second = coordinator.group.members["m1"].epoch, coordinator.group.members["m2"].epoch
    assert coordinator.group.state is ConsumerState.ASSIGNING
    assert coordinator.beat("m1", first).assignment is None
    assert coordinator.beat("m2", second).assignment is None
    computed(coordinator)
    assert coordinator.group.assignment_epoch == coordinator.group.epoch
    assert coordinator.beat("m1", first).assignment == {A: (0,)}
    coordinator.beat("m1", first, topic_partitions={A: (0,)})
    assert coordinator.beat("m2", second).assignment == {A: (1,)}


def test_the_first_member_has_its_target_at_once() -> None:
    outcome = Coordinator().join("m1", "a")
    assert (outcome.code, outcome.assignment) == (ErrorCode.NONE, {A: (0, 1)})


def test_a_group_is_large_by_its_partitions_and_the_topics_of_all_its_members() -> None:
    coordinator = Coordinator({"a1": 3, "a2": 2, "b": 4})
    coordinator.join("m1", "b", subscribed_topic_regex="a.*")
    coordinator.join("m2", "a1", "b")
    coordinator.world.advance(10)
    group = coordinator.group
    # Nine partitions; m1 has one topic and the two that its expression matches, m2 has two.
    assert question(group, group.members, coordinator.topics).size == 9 + 3 + 2


def test_one_target_is_computed_at_a_time() -> None:
    coordinator = two_members()
    asked: list[object] = []
    coordinator.world.compute = lambda work, done: asked.append(work)  # type: ignore[method-assign]
    coordinator.join("m3", "a")
    assert not asked
    computed(coordinator)
    coordinator.world.advance(INTERVAL_MS)
    coordinator.beat("m1", coordinator.group.members["m1"].epoch)
    coordinator.beat("m2", coordinator.group.members["m2"].epoch)
    assert len(asked) == 1


def test_who_has_left_meanwhile_gets_no_target() -> None:
    coordinator = two_members()
    coordinator.beat("m2", -1)
    computed(coordinator)
    assert list(targets(coordinator)) == ["m1"]
    # The group has another epoch since, whose targets come next.
    assert coordinator.group.state is ConsumerState.ASSIGNING
    coordinator.world.advance(INTERVAL_MS)
    coordinator.beat("m1", coordinator.group.members["m1"].epoch, topic_partitions={A: (0, 1)})
    computed(coordinator)
    assert targets(coordinator) == {"m1": {A: (0, 1)}}


def test_who_has_joined_meanwhile_gets_the_next_target() -> None:
    coordinator = two_members()
    coordinator.join("m3", "a")
    computed(coordinator)
    assert sorted(targets(coordinator)) == ["m1", "m2"]
    coordinator.world.advance(INTERVAL_MS)
    coordinator.change_topic("a", 3)
    coordinator.beat("m3", coordinator.group.members["m3"].epoch)
    computed(coordinator)
    assert sorted(targets(coordinator)) == ["m1", "m2", "m3"]


def test_a_static_member_that_is_back_under_another_id_gets_its_target() -> None:
    coordinator = two_members()
    computed(coordinator)
    coordinator.world.advance(INTERVAL_MS)
    coordinator.join("m3", "a", instance_id="i")
    coordinator.change_topic("a", 3)
    coordinator.world.advance(INTERVAL_MS)
    coordinator.beat("m1", coordinator.group.members["m1"].epoch)
    coordinator.beat("m3", -2, instance_id="i")
    coordinator.join("m4", "a", instance_id="i")
    computed(coordinator)
    assert sorted(targets(coordinator)) == ["m1", "m2", "m4"]


def test_a_group_that_is_empty_meanwhile_keeps_no_target() -> None:
    coordinator = two_members()
    coordinator.beat("m1", -1)
    coordinator.beat("m2", -1)
    records = coordinator.records_of(lambda: computed(coordinator))
    assert not records
    assert coordinator.group.state is ConsumerState.EMPTY
    coordinator.join("m3", "a")
    computed(coordinator)
    assert targets(coordinator) == {"m3": {A: (0, 1)}}


def test_a_target_that_cannot_be_written_is_computed_anew() -> None:
    coordinator = two_members()
    coordinator.world.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    computed(coordinator)
    coordinator.world.log.refusal = None
    assert list(targets(coordinator)) == ["m1"]
    coordinator.beat("m2", coordinator.group.members["m2"].epoch)
    computed(coordinator)
    assert sorted(targets(coordinator)) == ["m1", "m2"]


def test_another_coordinator_computes_its_own() -> None:
    coordinator = two_members()
    coordinator.move()
    records = coordinator.records_of(lambda: computed(coordinator))
    assert not records
    coordinator.beat("m2", coordinator.groups.groups[GROUP].members["m2"].epoch)
    computed(coordinator)
    assert sorted(targets(coordinator)) == ["m1", "m2"]
