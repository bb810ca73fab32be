"""A group as its records make it: tombstones, records of older releases, compacted logs.

Tests: `core.coordinators.groups.consumer.member`, `core.coordinators.groups.consumer.records`,
`core.coordinators.groups.modern.group`.
"""

from __future__ import annotations

import msgspec

from kafkaproto.messages import (
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupCurrentMemberAssignmentValue,
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMemberMetadataValue,
    ConsumerGroupMetadataKey,
    ConsumerGroupMetadataValue,
    ConsumerGroupPartitionMetadataKey,
    ConsumerGroupPartitionMetadataValue,
    ConsumerGroupRegularExpressionKey,
    ConsumerGroupRegularExpressionValue,
    ConsumerGroupTargetAssignmentMemberKey,
    ConsumerGroupTargetAssignmentMemberValue,
    ConsumerGroupTargetAssignmentMetadataKey,
    ConsumerGroupTargetAssignmentMetadataValue,
)
from kafkaproto_server.core.coordinators.groups.consumer.group import (
    ConsumerGroup,
    ResolvedRegex,
)
from kafkaproto_server.core.coordinators.groups.consumer.member import ConsumerMemberState, indexes_of
from kafkaproto_server.core.coordinators.groups.consumer.records import deletion_records, member_record
from tests.core.coordinators.support.consumers import GROUP, Coordinator, compacted, persistent

A = bytes([1] * 16)
Topics = ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions
CURRENT = ConsumerGroupCurrentMemberAssignmentKey(group_id=GROUP, member_id="m")
METADATA = ConsumerGroupMemberMetadataKey(group_id=GROUP, member_id="m")
TARGET = ConsumerGroupTargetAssignmentMemberKey(group_id=GROUP, member_id="m")
TARGET_EPOCH = ConsumerGroupTargetAssignmentMetadataKey(group_id=GROUP)
REGEX = ConsumerGroupRegularExpressionKey(group_id=GROUP, regular_expression="a.*")


def metadata(**fields: object) -> ConsumerGroupMemberMetadataValue:
    values = {"instance_id": None, "rack_id": None, "server_assignor": None, "subscribed_topic_regex": None}
    return ConsumerGroupMemberMetadataValue(**{**values, "classic_member_metadata": None, **fields})  # type: ignore[arg-type]


def current(
    epoch: int, *indexes: int, epochs: list[int] | None = None
) -> ConsumerGroupCurrentMemberAssignmentValue:
    return ConsumerGroupCurrentMemberAssignmentValue(
        member_epoch=epoch,
        previous_member_epoch=epoch - 1,
        state=0,
        assigned_partitions=[Topics(topic_id=A, partitions=list(indexes), assignment_epochs=epochs)],
        partitions_pending_revocation=[],
    )


def test_a_group_begins_with_any_record_and_ends_with_the_tombstone_of_its_epoch() -> None:
    groups = Coordinator().groups
    groups.replay(GROUP, METADATA, None)
    assert groups.groups == {}
    groups.replay(GROUP, METADATA, metadata(client_id="c"))
    assert groups.groups[GROUP].members["m"].client_id == "c"
    key = ConsumerGroupMetadataKey(group_id=GROUP)
    groups.replay(GROUP, key, ConsumerGroupMetadataValue(epoch=5, metadata_hash=-7))
    assert (groups.groups[GROUP].epoch, groups.groups[GROUP].metadata_hash) == (5, -7)
    groups.replay(GROUP, key, None)
    assert groups.groups == {}


def test_partition_metadata_of_older_releases_is_remembered_only_to_be_removed() -> None:
    group = ConsumerGroup(GROUP)
    key = ConsumerGroupPartitionMetadataKey(group_id=GROUP)
    assert group.replay(key, ConsumerGroupPartitionMetadataValue(topics=[]))
    assert group.has_partition_metadata
    assert group.replay(key, None)
    assert not group.has_partition_metadata


def test_targets_and_their_epoch() -> None:
    group = ConsumerGroup(GROUP)
    TopicPartition = ConsumerGroupTargetAssignmentMemberValue.TopicPartition
    value = ConsumerGroupTargetAssignmentMemberValue(
        topic_partitions=[TopicPartition(topic_id=A, partitions=[2, 0])]
    )
    group.replay(TARGET, value)
    assert group.targets == {"m": {A: (0, 2)}}
    assert group.target_of("m", None) == {A: (0, 2)}
    assert group.target_of("n", None) == {}
    epoch = ConsumerGroupTargetAssignmentMetadataValue(assignment_epoch=4, assignment_timestamp=9)
    group.replay(TARGET_EPOCH, epoch)
    assert (group.assignment_epoch, group.assignment_wall_ms) == (4, 9)
    group.replay(TARGET_EPOCH, None)
    group.replay(TARGET, None)
    group.replay(TARGET, None)
    assert (group.assignment_epoch, group.targets) == (-1, {})


def test_expressions() -> None:
    group = ConsumerGroup(GROUP)
    value = ConsumerGroupRegularExpressionValue(topics=["b", "a"], version=3, timestamp=4)
    group.replay(REGEX, value)
    group.replay(METADATA, metadata(subscribed_topic_names=["c"], subscribed_topic_regex="a.*"))
    assert group.regexes == {"a.*": ResolvedRegex(topics=frozenset("ab"), version=3, wall_ms=4)}
    assert list(group.topics_of(group.members["m"])) == ["a", "b", "c"]
    assert group.subscribed_topics() == {"a", "b", "c"}
    group.replay(REGEX, None)
    group.replay(REGEX, None)
    assert list(group.topics_of(group.members["m"])) == ["c"]


def test_topics_are_those_of_the_members_that_are_left_and_come() -> None:
    group = ConsumerGroup(GROUP)
    group.replay(REGEX, ConsumerGroupRegularExpressionValue(topics=["x"], version=3, timestamp=4))
    group.replay(METADATA, metadata(subscribed_topic_names=["a"]))
    group.replay(METADATA, metadata(subscribed_topic_names=["b"], subscribed_topic_regex="a.*"))
    other = ConsumerGroupMemberMetadataKey(group_id=GROUP, member_id="o")
    group.replay(other, metadata(subscribed_topic_names=["b"]))
    assert group.subscribed_topics() == {"b", "x"}
    m, o = group.members["m"], group.members["o"]
    assert group.subscribed_topics(without=[m]) == {"b"}
    assert group.subscribed_topics(without=[m, o]) == set()
    assert group.subscribed_topics(
        without=[o], plus=msgspec.structs.replace(o, subscribed_topic_names=("c",))
    ) == {
        "b",
        "c",
        "x",
    }
    assert group.subscribed_topics(regexes={}) == {"b"}
    group.replay(other, None)
    assert group.subscribed_topics() == {"b", "x"}
    group.replay(METADATA, None)
    assert (group.subscribed_topics(), group.name_counts) == (set(), {})


def test_what_a_member_of_the_classic_protocol_said_is_kept() -> None:
    group = ConsumerGroup(GROUP)
    Classic = ConsumerGroupMemberMetadataValue.ClassicMemberMetadata
    Protocol = ConsumerGroupMemberMetadataValue.ClassicProtocol
    classic = Classic(session_timeout_ms=9, supported_protocols=[Protocol(name="range", metadata=b"x")])
    group.replay(METADATA, metadata(classic_member_metadata=classic))
    member = group.members["m"]
    assert member.is_classic
    value = member_record(GROUP, member).value
    assert isinstance(value, ConsumerGroupMemberMetadataValue)
    assert value.classic_member_metadata == classic


def test_a_member_owns_what_it_is_assigned_and_what_it_has_to_revoke() -> None:
    group = ConsumerGroup(GROUP)
    value = current(4, 0, 1, epochs=[2, 3])
    value.partitions_pending_revocation = [Topics(topic_id=A, partitions=[2], assignment_epochs=None)]
    value.state = 1
    group.replay(CURRENT, value)
    member = group.members["m"]
    assert member.state is ConsumerMemberState.UNREVOKED_PARTITIONS
    # Without epochs, the partitions count as assigned in the member's epoch.
    assert (member.assigned, member.revoking) == ({A: {0: 2, 1: 3}}, {A: {2: 4}})
    assert indexes_of(member.assigned) == {A: (0, 1)}
    assert group.owners == {(A, 0): "m", (A, 1): "m", (A, 2): "m"}
    group.replay(CURRENT, current(5, 1, epochs=[3]))
    assert group.owners == {(A, 1): "m"}
    group.replay(CURRENT, None)
    assert (group.owners, group.members["m"].epoch) == ({}, -1)


def test_a_state_of_a_later_release_is_unknown() -> None:
    group = ConsumerGroup(GROUP)
    value = current(4)
    value.state = 5
    group.replay(CURRENT, value)
    assert group.members["m"].state is ConsumerMemberState.UNKNOWN


def test_a_partition_belongs_to_whom_the_last_record_gives_it() -> None:
    group = ConsumerGroup(GROUP)
    group.replay(CURRENT, current(4, 0))
    other = ConsumerGroupCurrentMemberAssignmentKey(group_id=GROUP, member_id="n")
    group.replay(other, current(5, 0))
    # The record with which m gave it up comes after that, as it was written again later.
    group.replay(CURRENT, current(5))
    assert group.owners == {(A, 0): "n"}


def test_instance_ids_follow_their_members() -> None:
    group = ConsumerGroup(GROUP)
    group.replay(METADATA, metadata(instance_id="i"))
    assert group.static_member("i") is group.members["m"]
    group.replay(METADATA, metadata(instance_id="j"))
    assert group.static_ids == {"j": "m"}
    assert group.static_member("i") is None
    other = ConsumerGroupMemberMetadataKey(group_id=GROUP, member_id="n")
    group.replay(other, metadata(instance_id="j"))
    group.replay(METADATA, None)
    assert group.static_ids == {"j": "n"}


def test_the_state_follows_from_the_epochs() -> None:
    group = ConsumerGroup(GROUP)
    states = [group.state]
    group.replay(CURRENT, current(1))
    group.epoch = 2
    states.append(group.state)
    group.assignment_epoch = 2
    states.append(group.state)
    group.replay(CURRENT, current(2))
    states.append(group.state)
    assert [each.value for each in states] == ["Empty", "Assigning", "Reconciling", "Stable"]


def test_a_deletion_leaves_nothing() -> None:
    coordinator = Coordinator()
    coordinator.join("m", "a", subscribed_topic_regex="b")
    coordinator.world.advance(0)
    records = deletion_records(coordinator.group)
    written = {repr(key) for key, _ in coordinator.world.log.records()}
    assert {repr(record.key) for record in records} >= written
    assert all(record.value is None for record in records)


def test_a_compacted_log_says_the_same() -> None:
    coordinator = Coordinator({"a": 3})
    coordinator.join("m1", "a", instance_id="i")
    coordinator.world.advance(5_000)
    coordinator.join("m2", "a")
    coordinator.beat("m1", 1, instance_id="i")
    coordinator.beat("m1", -2, instance_id="i")
    coordinator.join("m3", "a", instance_id="i")
    before = persistent(coordinator.group)
    coordinator.move()
    assert persistent(coordinator.group) == before
    coordinator.move(compacted(coordinator.world.log.records()))
    assert persistent(coordinator.group) == before
