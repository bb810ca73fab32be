"""Descriptions of share groups, as ShareGroupDescribe responds."""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ShareGroupDescribeResponse
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.core.coordinators.groups.share.assignor import SIMPLE
from kafkaproto_server.core.coordinators.groups.share.group import ShareGroup
from kafkaproto_server.core.coordinators.groups.share.member import ShareGroupMember
from kafkaproto_server.core.coordinators.groups.topics import Topics
from kafkaproto_server.requests.consumer_group_requests import Partitions

Described = ShareGroupDescribeResponse.DescribedGroup


def described_share_group(group: ShareGroup, topics: Topics) -> Described:
    """A group. Topics that no longer exist are left out."""
    return Described(
        group_id=group.group_id,
        group_state=group.state.value,
        group_epoch=group.epoch,
        assignment_epoch=group.assignment_epoch,
        assignor_name=SIMPLE,
        members=[_member(member, topics) for _, member in sorted(group.members.items())],
    )


def values_of_share_group(group: ShareGroup) -> int:
    """How many values the description of a group holds, about."""
    values = 0
    for member in group.members.values():
        values += 15 + len(member.subscribed_topic_names)
        values += sum(5 + len(indexes) for indexes in member.assigned.values())
    return values


def unknown_share_group(group_id: str) -> Described:
    """What the response says of a group that does not exist, or is of another kind."""
    return Described(
        error_code=ErrorCode.GROUP_ID_NOT_FOUND,
        error_message=f"There is no share group {quoted(group_id)}.",
        group_id=group_id,
    )


def _member(member: ShareGroupMember, topics: Topics) -> ShareGroupDescribeResponse.Member:
    return ShareGroupDescribeResponse.Member(
        member_id=member.member_id,
        rack_id=member.rack_id,
        member_epoch=member.epoch,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topic_names=list(member.subscribed_topic_names),
        assignment=_assignment(member.assigned, topics),
    )


def _assignment(partitions: Partitions, topics: Topics) -> ShareGroupDescribeResponse.Assignment:
    found = []
    for topic_id, indexes in partitions.items():
        view = topics.by_id(topic_id)
        if view is not None:
            found.append(
                ShareGroupDescribeResponse.TopicPartitions(
                    topic_id=topic_id, topic_name=view.name, partitions=list(indexes)
                )
            )
    return ShareGroupDescribeResponse.Assignment(topic_partitions=found)
