"""The APIs of share groups at a broker that coordinates them: versions, rights, and what another broker is asked.

Tests: `apis.groups.alter_share_group_offsets`, `apis.groups.delete_share_group_offsets`,
`apis.groups.describe_share_group_offsets`, `apis.groups.description_size`, `apis.groups.share_group_describe`,
`apis.groups.share_group_heartbeat`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto import messages as kafka
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC, SHARE_TOPIC
from tests.apis.support.data_broker import DataBroker
from tests.apis.support.services import with_changes

GROUP, TOPIC = ResourceType.GROUP, ResourceType.TOPIC
NONE = ErrorCode.NONE
DENIED_GROUP, DENIED_TOPIC = ErrorCode.GROUP_AUTHORIZATION_FAILED, ErrorCode.TOPIC_AUTHORIZATION_FAILED
SETTLING_MS = 50


@pytest.fixture
def sharing(broker: DataBroker) -> DataBroker:
    """There is a share coordinator, and the feature share.version."""
    broker.topic(SHARE_TOPIC)
    broker.services = with_changes(broker.services, serves_share_groups=lambda: True)
    return broker


def beat(broker: DataBroker, member_id: str = "m", epoch: int = 0, *names: str) -> Any:
    request = kafka.ShareGroupHeartbeatRequest(
        group_id="g", member_id=member_id, member_epoch=epoch, subscribed_topic_names=list(names) or None
    )
    response = broker.ask(request, 1)
    for _ in range(SETTLING_MS):
        broker.replicas.pass_time(1)
    return response


def altering(*names: str) -> Message:
    request = kafka.AlterShareGroupOffsetsRequest
    partition = request.Partition(partition_index=0, start_offset=3)
    return request(
        group_id="g", topics=[request.Topic(topic_name=name, partitions=[partition]) for name in names]
    )


def deleting(*names: str) -> Message:
    request = kafka.DeleteShareGroupOffsetsRequest
    return request(group_id="g", topics=[request.Topic(topic_name=name) for name in names])


def describing(*names: str) -> Message:
    request = kafka.DescribeShareGroupOffsetsRequest
    topics = [request.Topic(topic_name=name, partitions=[0]) for name in names]
    return request(groups=[request.Group(group_id="g", topics=topics or None)])


def test_a_members_life(sharing: DataBroker) -> None:
    joined = beat(sharing, "m", 0, "t")
    assert (joined.error_code, joined.member_id, joined.member_epoch) == (NONE, "m", 2)
    assert joined.assignment.topic_partitions == []
    sharing.replicas.pass_time(1_000)
    (assigned,) = beat(sharing, "m", 2).assignment.topic_partitions
    assert (assigned.topic_id, assigned.partitions) == (sharing.topic_id("t"), [0, 1])
    assert beat(sharing, "m", 3).assignment is None
    (described,) = sharing.ask(kafka.ShareGroupDescribeRequest(group_ids=["g"]), 1).groups
    (member,) = described.members
    assert (described.group_state, described.assignor_name) == ("Stable", "simple")
    assert [each.topic_name for each in member.assignment.topic_partitions] == ["t"]
    assert beat(sharing, "m", -1).error_code == NONE


@pytest.mark.parametrize("member_id", ["", "m" * 37])
def test_ids_of_members_are_those_of_uuids_or_shorter(sharing: DataBroker, member_id: str) -> None:
    assert beat(sharing, member_id, 0, "t").error_code == ErrorCode.INVALID_REQUEST


def test_offsets_are_altered_described_and_deleted(sharing: DataBroker) -> None:
    (altered,) = sharing.ask(altering("t"), 0).responses
    assert [each.error_code for each in altered.partitions] == [NONE]
    for request in (describing("t"), describing()):
        for version, lag in ((0, -1), (1, -3)):
            (group,) = sharing.ask(request, version).groups
            (topic,) = group.topics
            (partition,) = topic.partitions
            assert (partition.start_offset, partition.error_code, partition.lag) == (3, NONE, lag)
    (deleted,) = sharing.ask(deleting("t"), 0).responses
    assert (deleted.topic_name, deleted.error_code) == ("t", NONE)
    (group,) = sharing.ask(describing(), 1).groups
    assert (group.topics, group.error_code) == ([], NONE)


def test_the_first_of_many_of_one_name_counts(sharing: DataBroker) -> None:
    assert len(sharing.ask(altering("t", "t"), 0).responses) == 1
    assert len(sharing.ask(deleting("t", "t"), 0).responses) == 1
    twice = describing("t")
    twice.groups *= 2  # type: ignore[attr-defined]
    assert len(sharing.ask(twice, 1).groups) == 1


def test_who_may_not_is_refused(sharing: DataBroker) -> None:
    beat(sharing, "m", 0, "t")
    beat(sharing, "m", 2)
    sharing.replicas.pass_time(1_000)
    beat(sharing, "m", 2)
    describe = kafka.ShareGroupDescribeRequest(group_ids=["g"])
    sharing.allow((Operation.DESCRIBE, TOPIC, "t"))
    assert beat(sharing, "m", 3).error_code == DENIED_GROUP
    assert sharing.ask(describe, 1).groups[0].error_code == DENIED_GROUP
    assert sharing.ask(describing("t"), 1).groups[0].error_code == DENIED_GROUP
    assert sharing.ask(altering("t"), 0).error_code == DENIED_GROUP
    assert sharing.ask(deleting("t"), 0).error_code == DENIED_GROUP
    sharing.allow((Operation.DELETE, GROUP, "g"), (Operation.READ, GROUP, "g"))
    assert beat(sharing, "m", 3, "t").error_code == DENIED_TOPIC
    assert sharing.ask(describe, 1).groups[0].error_code == DENIED_TOPIC
    (topic,) = sharing.ask(describing("t"), 1).groups[0].topics
    assert topic.partitions[0].error_code == DENIED_TOPIC
    assert sharing.ask(describing(), 1).groups[0].topics == []
    beat(sharing, "m", -1)
    assert sharing.ask(altering("t"), 0).responses[0].partitions[0].error_code == DENIED_TOPIC
    assert sharing.ask(deleting("t"), 0).responses[0].error_code == DENIED_TOPIC


def test_without_the_feature_there_are_no_share_groups(sharing: DataBroker) -> None:
    sharing.services = with_changes(sharing.services, serves_share_groups=lambda: False)
    unsupported = ErrorCode.UNSUPPORTED_VERSION
    assert beat(sharing, "m", 0, "t").error_code == unsupported
    assert (
        sharing.ask(kafka.ShareGroupDescribeRequest(group_ids=["g"]), 1).groups[0].error_code == unsupported
    )
    assert sharing.ask(describing("t"), 1).groups[0].error_code == unsupported
    assert sharing.ask(altering("t"), 0).error_code == unsupported
    assert sharing.ask(deleting("t"), 0).error_code == unsupported


def test_a_broker_that_does_not_coordinate_says_so(
    sharing: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing.replicas.groups.led, "_topic", "a topic of others")
    elsewhere = ErrorCode.NOT_COORDINATOR
    assert beat(sharing, "m", 0, "t").error_code == elsewhere
    assert sharing.ask(kafka.ShareGroupDescribeRequest(group_ids=["g"]), 1).groups[0].error_code == elsewhere
    assert sharing.ask(describing(), 1).groups[0].error_code == elsewhere
    assert sharing.ask(altering("t"), 0).error_code == elsewhere
    assert sharing.ask(deleting("t"), 0).error_code == elsewhere
    # Of named partitions any broker finds the states.
    (group,) = sharing.ask(describing("t"), 1).groups
    assert (group.error_code, group.topics[0].partitions[0].start_offset) == (NONE, -1)


def test_a_group_survives_another_leader_epoch(sharing: DataBroker) -> None:
    beat(sharing, "m", 0, "t")
    hosted = sharing.replicas.manager.replicas.get(sharing.topic_id(GROUPS_TOPIC), 0)
    assert hosted is not None
    sharing.replicas.groups.led._unload(0)
    sharing.replicas.groups.led.role_changed(hosted)
    sharing.replicas.pass_time(1_000)
    assert beat(sharing, "m", 2).member_epoch == 3
