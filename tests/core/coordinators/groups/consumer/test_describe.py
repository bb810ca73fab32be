"""Descriptions of groups, in every version of the response."""

from __future__ import annotations

import pytest

from kafkaproto.messages import ConsumerGroupDescribeResponse
from kafkaproto_server.core.coordinators.groups.consumer.describe import described_group, unknown_group
from tests.core.coordinators.support.consumers import GROUP, INTERVAL_MS, Coordinator, topic_id

ASSIGNORS = ("uniform", "range")
A = topic_id("a")


def test_a_group_and_its_members() -> None:
    coordinator = Coordinator()
    coordinator.join("m1", "a", instance_id="i", rack_id="r", client_id="c", client_host="/h")
    coordinator.world.advance(INTERVAL_MS)
    coordinator.join("m2", "a", subscribed_topic_regex="b.*", server_assignor="range")
    found = described_group(coordinator.group, coordinator.topics, ASSIGNORS)
    assert (found.group_id, found.group_state) == (GROUP, "Reconciling")
    assert (found.error_code, found.error_message) == (0, None)
    assert (found.group_epoch, found.assignment_epoch, found.assignor_name) == (2, 2, "range")
    first, second = found.members
    assert (first.member_id, first.instance_id, first.rack_id) == ("m1", "i", "r")
    assert (first.client_id, first.client_host, first.member_epoch) == ("c", "/h", 1)
    assert (first.subscribed_topic_names, first.subscribed_topic_regex) == (["a"], "")
    assert second.subscribed_topic_regex == "b.*"
    (assigned,) = first.assignment.topic_partitions
    assert (assigned.topic_id, assigned.topic_name, assigned.partitions) == (A, "a", [0, 1])
    assert second.assignment.topic_partitions == []
    (target,) = second.target_assignment.topic_partitions
    assert (target.topic_id, target.topic_name, target.partitions) == (A, "a", [1])
    assert (first.member_type, second.member_type) == (1, 1)


def test_a_member_has_what_it_is_to_give_up_until_it_has_given_it_up() -> None:
    coordinator = Coordinator()
    coordinator.join("m1", "a")
    coordinator.world.advance(INTERVAL_MS)
    coordinator.join("m2", "a")
    coordinator.beat("m1", 1, topic_partitions={A: (0, 1)})

    def held() -> list[list[int]]:
        members = described_group(coordinator.group, coordinator.topics, ASSIGNORS).members
        return [
            [i for each in member.assignment.topic_partitions for i in each.partitions] for member in members
        ]

    assert held() == [[0, 1], []]
    coordinator.beat("m1", 1, topic_partitions={A: (0,)})
    assert held() == [[0], []]
    coordinator.beat("m2", 2, topic_partitions={})
    assert held() == [[0], [1]]


def test_topics_that_are_gone_are_left_out() -> None:
    coordinator = Coordinator()
    coordinator.join("m", "a")
    coordinator.topics.change("a", None)
    (member,) = described_group(coordinator.group, coordinator.topics, ASSIGNORS).members
    assert member.assignment.topic_partitions == []


@pytest.mark.parametrize("version", [0, 1])
def test_descriptions_can_be_encoded(version: int) -> None:
    coordinator = Coordinator()
    coordinator.join("m", "a")
    groups = [described_group(coordinator.group, coordinator.topics, ASSIGNORS), unknown_group("x")]
    message = ConsumerGroupDescribeResponse(groups=groups)
    again, _ = ConsumerGroupDescribeResponse.decode(message.encode(version), version)
    assert [each.group_state for each in again.groups] == ["Stable", ""]
    assert [each.error_code for each in again.groups] == [0, 69]
