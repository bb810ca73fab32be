"""The records of share groups: keys 10 to 15 of ``__consumer_offsets``, as Apache Kafka 4.4.0 writes them.

Values have version 0.
"""

from __future__ import annotations

from kafkaproto.messages import (
    ShareGroupCurrentMemberAssignmentKey,
    ShareGroupCurrentMemberAssignmentValue,
    ShareGroupMemberMetadataKey,
    ShareGroupMemberMetadataValue,
    ShareGroupMetadataKey,
    ShareGroupMetadataValue,
    ShareGroupStatePartitionMetadataKey,
    ShareGroupTargetAssignmentMemberKey,
    ShareGroupTargetAssignmentMemberValue,
    ShareGroupTargetAssignmentMetadataKey,
    ShareGroupTargetAssignmentMetadataValue,
)
from kafkaproto_server.core.coordinators.groups.modern.targets import TargetWriter
from kafkaproto_server.core.coordinators.groups.share.group import ShareGroup
from kafkaproto_server.core.coordinators.groups.share.member import ShareGroupMember
from kafkaproto_server.core.coordinators.groups.share.partitions import StatePartitions
from kafkaproto_server.core.coordinators.values import Record
from kafkaproto_server.requests.consumer_group_requests import Partitions

SHARE_GROUP_KEYS = (
    ShareGroupMetadataKey,
    ShareGroupMemberMetadataKey,
    ShareGroupTargetAssignmentMetadataKey,
    ShareGroupTargetAssignmentMemberKey,
    ShareGroupCurrentMemberAssignmentKey,
    ShareGroupStatePartitionMetadataKey,
)
"""The types of keys; each has the id of its group."""

STABLE = 0
"""The state of every member, in records."""


def member_record(group_id: str, member: ShareGroupMember) -> Record:
    """Who a member is and what it subscribes to."""
    value = ShareGroupMemberMetadataValue(
        rack_id=member.rack_id,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topic_names=list(member.subscribed_topic_names),
    )
    return Record(ShareGroupMemberMetadataKey(group_id=group_id, member_id=member.member_id), value)


def epoch_record(group_id: str, epoch: int, metadata_hash: int) -> Record:
    """The group's epoch, and the hash of the topics that it was made for."""
    value = ShareGroupMetadataValue(epoch=epoch, metadata_hash=metadata_hash)
    return Record(ShareGroupMetadataKey(group_id=group_id), value)


def target_record(group_id: str, member_id: str, partitions: Partitions) -> Record:
    """The target assignment of one member."""
    value = ShareGroupTargetAssignmentMemberValue(
        topic_partitions=[
            ShareGroupTargetAssignmentMemberValue.TopicPartition(topic_id=topic_id, partitions=list(indexes))
            for topic_id, indexes in partitions.items()
        ]
    )
    return Record(ShareGroupTargetAssignmentMemberKey(group_id=group_id, member_id=member_id), value)


def target_epoch_record(group_id: str, epoch: int, wall_ms: int) -> Record:
    """The epoch of the whole target assignment, and when it was made."""
    value = ShareGroupTargetAssignmentMetadataValue(assignment_epoch=epoch, assignment_timestamp=wall_ms)
    return Record(ShareGroupTargetAssignmentMetadataKey(group_id=group_id), value)


def current_record(group_id: str, member: ShareGroupMember) -> Record:
    """A member's epoch, and what it has."""
    value = ShareGroupCurrentMemberAssignmentValue(
        member_epoch=member.epoch,
        previous_member_epoch=member.previous_epoch,
        state=STABLE,
        assigned_partitions=[
            ShareGroupCurrentMemberAssignmentValue.TopicPartitions(
                topic_id=topic_id, partitions=list(indexes)
            )
            for topic_id, indexes in member.assigned.items()
        ],
    )
    return Record(ShareGroupCurrentMemberAssignmentKey(group_id=group_id, member_id=member.member_id), value)


def states_record(group_id: str, states: StatePartitions) -> Record:
    """Which partitions have a state, get one, or lose it."""
    return Record(ShareGroupStatePartitionMetadataKey(group_id=group_id), states.value())


def removal_records(group_id: str, member_id: str) -> list[Record]:
    """Removes a member. The order matters to who replays them: the member itself is the last."""
    return [
        Record(ShareGroupCurrentMemberAssignmentKey(group_id=group_id, member_id=member_id), None),
        Record(ShareGroupTargetAssignmentMemberKey(group_id=group_id, member_id=member_id), None),
        Record(ShareGroupMemberMetadataKey(group_id=group_id, member_id=member_id), None),
    ]


def deletion_records(group: ShareGroup) -> list[Record]:
    """Removes a group without members."""
    assert not group.members, "a group with members is not deleted"
    return [
        Record(ShareGroupTargetAssignmentMetadataKey(group_id=group.group_id), None),
        Record(ShareGroupStatePartitionMetadataKey(group_id=group.group_id), None),
        Record(ShareGroupMetadataKey(group_id=group.group_id), None),
    ]


TARGETS = TargetWriter(target_record, target_epoch_record)
