"""Requests about share groups that are in order for a `PreparedCluster`."""

from __future__ import annotations

from kafkaproto import messages as kafka
from kafkaproto.message import Message

JOINED_GROUP, EMPTY_GROUP = "share-joined", "share-empty"


def beating(group: str, member_id: str, epoch: int) -> kafka.ShareGroupHeartbeatRequest:
    """A member joins, or lives and says all it can say."""
    return kafka.ShareGroupHeartbeatRequest(
        group_id=group,
        member_id=member_id,
        member_epoch=epoch,
        rack_id="rack",
        subscribed_topic_names=["topic-1"],
    )


def altering(offset: int) -> kafka.AlterShareGroupOffsetsRequest:
    """The group without members begins at an offset."""
    request = kafka.AlterShareGroupOffsetsRequest
    partition = request.Partition(partition_index=0, start_offset=offset)
    topic = request.Topic(topic_name="alone", partitions=[partition])
    return request(group_id=EMPTY_GROUP, topics=[topic])


def about_share_groups() -> list[Message]:
    """All that can be asked."""
    described = kafka.DescribeShareGroupOffsetsRequest
    topic = described.Topic(topic_name="alone", partitions=[0])
    deleted = kafka.DeleteShareGroupOffsetsRequest
    return [
        beating("share-new", "other", 0),
        beating(JOINED_GROUP, "first", 2),
        kafka.ShareGroupHeartbeatRequest(group_id=JOINED_GROUP, member_id="first", member_epoch=-1),
        kafka.ShareGroupDescribeRequest(group_ids=[JOINED_GROUP], include_authorized_operations=True),
        described(groups=[described.Group(group_id=EMPTY_GROUP, topics=[topic])]),
        altering(5),
        deleted(group_id=EMPTY_GROUP, topics=[deleted.Topic(topic_name="alone")]),
    ]
