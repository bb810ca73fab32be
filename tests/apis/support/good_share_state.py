"""Requests about the state of share groups that are in order for a `PreparedCluster`."""

from __future__ import annotations

from kafkaproto import messages as kafka
from kafkaproto.message import Message

SHARE_GROUP = "share"
STATE_EPOCH, LEADER_EPOCH = 2, 3
PARTITION = 0


def initializing(topic_id: bytes) -> kafka.InitializeShareGroupStateRequest:
    """The state of partition 0 begins."""
    request = kafka.InitializeShareGroupStateRequest
    partition = request.PartitionData(partition=PARTITION, state_epoch=STATE_EPOCH, start_offset=5)
    topic = request.InitializeStateData(topic_id=topic_id, partitions=[partition])
    return request(group_id=SHARE_GROUP, topics=[topic])


def reading(topic_id: bytes) -> kafka.ReadShareGroupStateRequest:
    """Its leader reads it."""
    request = kafka.ReadShareGroupStateRequest
    partition = request.PartitionData(partition=PARTITION, leader_epoch=LEADER_EPOCH)
    topic = request.ReadStateData(topic_id=topic_id, partitions=[partition])
    return request(group_id=SHARE_GROUP, topics=[topic])


def about_share_state(topic_id: bytes) -> list[Message]:
    """All that can be asked."""
    write = kafka.WriteShareGroupStateRequest
    batch = write.StateBatch(first_offset=7, last_offset=9, delivery_state=2, delivery_count=1)
    written = write.PartitionData(
        partition=PARTITION,
        state_epoch=STATE_EPOCH,
        leader_epoch=LEADER_EPOCH,
        start_offset=6,
        delivery_complete_count=3,
        state_batches=[batch],
    )
    delete = kafka.DeleteShareGroupStateRequest
    deleted = delete.PartitionData(partition=PARTITION)
    summary = kafka.ReadShareGroupStateSummaryRequest
    asked = summary.PartitionData(partition=PARTITION, leader_epoch=LEADER_EPOCH)
    return [
        initializing(topic_id),
        reading(topic_id),
        write(
            group_id=SHARE_GROUP,
            topics=[write.WriteStateData(topic_id=topic_id, partitions=[written])],
        ),
        delete(
            group_id=SHARE_GROUP,
            topics=[delete.DeleteStateData(topic_id=topic_id, partitions=[deleted])],
        ),
        summary(
            group_id=SHARE_GROUP,
            topics=[summary.ReadStateSummaryData(topic_id=topic_id, partitions=[asked])],
        ),
    ]
