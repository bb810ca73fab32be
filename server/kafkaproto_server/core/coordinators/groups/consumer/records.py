"""The records of consumer groups: keys 3 to 8 and 16 of ``__consumer_offsets``, as Apache Kafka 4.4.0 writes them.

Values have version 0. Key 4 (partition metadata) is only removed: since 4.1 a hash in key 3 does its work.
"""

from __future__ import annotations

from collections.abc import Iterable

from kafkaproto.messages import (
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupCurrentMemberAssignmentValue,
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMemberMetadataValue,
    ConsumerGroupMetadataKey,
    ConsumerGroupMetadataValue,
    ConsumerGroupPartitionMetadataKey,
    ConsumerGroupRegularExpressionKey,
    ConsumerGroupRegularExpressionValue,
    ConsumerGroupTargetAssignmentMemberKey,
    ConsumerGroupTargetAssignmentMemberValue,
    ConsumerGroupTargetAssignmentMetadataKey,
    ConsumerGroupTargetAssignmentMetadataValue,
)
from kafkaproto_server.core.coordinators.groups.consumer.group import ConsumerGroup
from kafkaproto_server.core.coordinators.groups.consumer.member import ConsumerMember, Owned
from kafkaproto_server.core.coordinators.groups.modern.targets import TargetWriter
from kafkaproto_server.core.coordinators.values import Record
from kafkaproto_server.requests.consumer_group_requests import Partitions

CONSUMER_GROUP_KEYS = (
    ConsumerGroupMetadataKey,
    ConsumerGroupPartitionMetadataKey,
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupTargetAssignmentMetadataKey,
    ConsumerGroupTargetAssignmentMemberKey,
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupRegularExpressionKey,
)
"""The types of keys; each has the id of its group."""


def member_record(group_id: str, member: ConsumerMember) -> Record:
    """Who a member is and what it subscribes to."""
    value = ConsumerGroupMemberMetadataValue(
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topic_names=list(member.subscribed_topic_names),
        subscribed_topic_regex=member.subscribed_topic_regex,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        server_assignor=member.server_assignor,
        classic_member_metadata=member.classic_metadata,
    )
    return Record(ConsumerGroupMemberMetadataKey(group_id=group_id, member_id=member.member_id), value)


def epoch_record(group_id: str, epoch: int, metadata_hash: int) -> Record:
    """The group's epoch, and the hash of the topics that it was made for."""
    value = ConsumerGroupMetadataValue(epoch=epoch, metadata_hash=metadata_hash)
    return Record(ConsumerGroupMetadataKey(group_id=group_id), value)


def no_partition_metadata_record(group_id: str) -> Record:
    """Removes what older releases kept instead of a hash."""
    return Record(ConsumerGroupPartitionMetadataKey(group_id=group_id), None)


def target_record(group_id: str, member_id: str, partitions: Partitions) -> Record:
    """The target assignment of one member."""
    value = ConsumerGroupTargetAssignmentMemberValue(
        topic_partitions=[
            ConsumerGroupTargetAssignmentMemberValue.TopicPartition(
                topic_id=topic_id, partitions=list(indexes)
            )
            for topic_id, indexes in partitions.items()
        ]
    )
    return Record(ConsumerGroupTargetAssignmentMemberKey(group_id=group_id, member_id=member_id), value)


def target_epoch_record(group_id: str, epoch: int, wall_ms: int) -> Record:
    """The epoch of the whole target assignment, and when it was made."""
    value = ConsumerGroupTargetAssignmentMetadataValue(assignment_epoch=epoch, assignment_timestamp=wall_ms)
    return Record(ConsumerGroupTargetAssignmentMetadataKey(group_id=group_id), value)


def current_record(group_id: str, member: ConsumerMember) -> Record:
    """A member's epoch, and what it has."""
    value = ConsumerGroupCurrentMemberAssignmentValue(
        member_epoch=member.epoch,
        previous_member_epoch=member.previous_epoch,
        state=member.state,
        assigned_partitions=_topics(member.assigned),
        partitions_pending_revocation=_topics(member.revoking),
    )
    return Record(
        ConsumerGroupCurrentMemberAssignmentKey(group_id=group_id, member_id=member.member_id), value
    )


def _topics(owned: Owned) -> list[ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions]:
    return [
        ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions(
            topic_id=topic_id,
            partitions=sorted(owned[topic_id]),
            assignment_epochs=[owned[topic_id][index] for index in sorted(owned[topic_id])],
        )
        for topic_id in sorted(owned)
    ]


def regex_record(group_id: str, regex: str, names: Iterable[str], version: int, wall_ms: int) -> Record:
    """The topics that a regular expression matches, as of a version of the metadata."""
    value = ConsumerGroupRegularExpressionValue(topics=sorted(names), version=version, timestamp=wall_ms)
    return Record(ConsumerGroupRegularExpressionKey(group_id=group_id, regular_expression=regex), value)


def no_regex_record(group_id: str, regex: str) -> Record:
    """Removes a regular expression that nobody subscribes to any more."""
    return Record(ConsumerGroupRegularExpressionKey(group_id=group_id, regular_expression=regex), None)


def removal_records(group_id: str, member_id: str) -> list[Record]:
    """Removes a member. The order matters to who replays them: the member itself is the last."""
    return [
        Record(ConsumerGroupCurrentMemberAssignmentKey(group_id=group_id, member_id=member_id), None),
        Record(ConsumerGroupTargetAssignmentMemberKey(group_id=group_id, member_id=member_id), None),
        Record(ConsumerGroupMemberMetadataKey(group_id=group_id, member_id=member_id), None),
    ]


def deletion_records(group: ConsumerGroup) -> list[Record]:
    """Removes a group with all that it has."""
    group_id = group.group_id
    ids = sorted(group.members)
    records = [
        Record(ConsumerGroupCurrentMemberAssignmentKey(group_id=group_id, member_id=each), None)
        for each in ids
    ]
    records += [
        Record(ConsumerGroupTargetAssignmentMemberKey(group_id=group_id, member_id=each), None)
        for each in ids
    ]
    records.append(Record(ConsumerGroupTargetAssignmentMetadataKey(group_id=group_id), None))
    records += [
        Record(ConsumerGroupMemberMetadataKey(group_id=group_id, member_id=each), None) for each in ids
    ]
    records += [no_regex_record(group_id, each) for each in sorted(group.regexes)]
    records.append(no_partition_metadata_record(group_id))
    records.append(Record(ConsumerGroupMetadataKey(group_id=group_id), None))
    return records


TARGETS = TargetWriter(target_record, target_epoch_record)
