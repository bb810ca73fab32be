"""Requests about records that a share group has in flight, in order for a `PreparedCluster`."""

from __future__ import annotations

from kafkaproto import messages as kafka
from kafkaproto.message import Message

SHARE_PARTITION_GROUP = "sharing"
SHARE_MEMBER = "sharer"


def sharing_state(topic_id: bytes) -> kafka.InitializeShareGroupStateRequest:
    """The group is done with the first record of the topic's only partition. So what is said of it changes nothing."""
    request = kafka.InitializeShareGroupStateRequest
    partition = request.PartitionData(partition=0, state_epoch=1, start_offset=1)
    topic = request.InitializeStateData(topic_id=topic_id, partitions=[partition])
    return request(group_id=SHARE_PARTITION_GROUP, topics=[topic])


def share_fetch(topic_id: bytes, member_id: str, epoch: int = 0) -> kafka.ShareFetchRequest:
    """A member begins or continues its session, and acquires what it can now."""
    request = kafka.ShareFetchRequest
    topic = request.FetchTopic(topic_id=topic_id, partitions=[request.FetchPartition(partition_index=0)])
    return request(
        group_id=SHARE_PARTITION_GROUP,
        member_id=member_id,
        share_session_epoch=epoch,
        min_bytes=1,
        max_bytes=1_000_000,
        max_records=100,
        batch_size=100,
        topics=[topic],
    )


def share_acknowledgement(topic_id: bytes) -> kafka.ShareAcknowledgeRequest:
    """The member accepts the first record."""
    request = kafka.ShareAcknowledgeRequest
    batch = request.AcknowledgementBatch(first_offset=0, last_offset=0, acknowledge_types=[1])
    partition = request.AcknowledgePartition(partition_index=0, acknowledgement_batches=[batch])
    topic = request.AcknowledgeTopic(topic_id=topic_id, partitions=[partition])
    return request(
        group_id=SHARE_PARTITION_GROUP, member_id=SHARE_MEMBER, share_session_epoch=1, topics=[topic]
    )


def about_share_partitions(topic_id: bytes, other_id: bytes) -> list[Message]:
    """All that can be asked: the member accepts the first record, in each way."""
    request = kafka.ShareFetchRequest
    fetch = share_fetch(topic_id, SHARE_MEMBER, epoch=1)
    batch = request.AcknowledgementBatch(first_offset=0, last_offset=0, acknowledge_types=[1])
    fetch.topics[0].partitions[0].acknowledgement_batches = [batch]
    fetch.forgotten_topics_data = [request.ForgottenTopic(topic_id=other_id, partitions=[0])]
    return [fetch, share_acknowledgement(topic_id)]
