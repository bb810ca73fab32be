"""Descriptions of consumer groups, as ConsumerGroupDescribe responds."""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ConsumerGroupDescribeResponse
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.core.coordinators.groups.consumer.group import ConsumerGroup
from kafkaproto_server.core.coordinators.groups.consumer.member import ConsumerMember, indexes_held
from kafkaproto_server.core.coordinators.groups.consumer.targets import preferred_assignor
from kafkaproto_server.core.coordinators.groups.topics import Topics
from kafkaproto_server.requests.consumer_group_requests import Partitions

CLASSIC_MEMBER, CONSUMER_MEMBER = 0, 1
"""Types of members in the response (KIP-1099)."""


def described_group(
    group: ConsumerGroup, topics: Topics, assignors: tuple[str, ...]
) -> ConsumerGroupDescribeResponse.DescribedGroup:
    """A group. ``assignors`` are those of the broker; topics that no longer exist are left out."""
    return ConsumerGroupDescribeResponse.DescribedGroup(
        group_id=group.group_id,
        group_state=group.state.value,
        group_epoch=group.epoch,
        assignment_epoch=group.assignment_epoch,
        assignor_name=preferred_assignor(group.members, assignors),
        members=[
            _member(member, group.targets.get(member.member_id, {}), topics)
            for _, member in sorted(group.members.items())
        ],
    )


def values_of_consumer_group(group: ConsumerGroup) -> int:
    """How many values the description of a group holds, about."""
    values = 0
    for member in group.members.values():
        values += 20 + len(member.subscribed_topic_names)
        for indexes in (*member.assigned.values(), *group.targets.get(member.member_id, {}).values()):
            values += 5 + len(indexes)
    return values


def unknown_group(group_id: str) -> ConsumerGroupDescribeResponse.DescribedGroup:
    """What the response says of a group that does not exist, or is of another kind."""
    return ConsumerGroupDescribeResponse.DescribedGroup(
        error_code=ErrorCode.GROUP_ID_NOT_FOUND,
        error_message=f"There is no consumer group {quoted(group_id)}.",
        group_id=group_id,
    )


def _member(
    member: ConsumerMember, target: Partitions, topics: Topics
) -> ConsumerGroupDescribeResponse.Member:
    return ConsumerGroupDescribeResponse.Member(
        member_id=member.member_id,
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        member_epoch=member.epoch,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topic_names=list(member.subscribed_topic_names),
        subscribed_topic_regex=member.subscribed_topic_regex,
        # It has what it is asked to give up until it says that it has given it up.
        assignment=_assignment(indexes_held(member), topics),
        target_assignment=_assignment(target, topics),
        member_type=CLASSIC_MEMBER if member.is_classic else CONSUMER_MEMBER,
    )


def _assignment(partitions: Partitions, topics: Topics) -> ConsumerGroupDescribeResponse.Assignment:
    found = []
    for topic_id, indexes in partitions.items():
        view = topics.by_id(topic_id)
        if view is not None:
            found.append(
                ConsumerGroupDescribeResponse.TopicPartitions(
                    topic_id=topic_id, topic_name=view.name, partitions=list(indexes)
                )
            )
    return ConsumerGroupDescribeResponse.Assignment(topic_partitions=found)
