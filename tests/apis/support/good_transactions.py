"""Requests about transactions that are in order for a `PreparedCluster`."""

from __future__ import annotations

from typing import Any

from kafkaproto import messages as kafka
from kafkaproto.message import Message

TRANSACTIONAL_ID = "transaction"
OTHER_ID = "another transaction"


def beginning(transactional_id: str, timeout_ms: int = 60_000) -> kafka.InitProducerIdRequest:
    """A producer of a transactional id begins."""
    return kafka.InitProducerIdRequest(transactional_id=transactional_id, transaction_timeout_ms=timeout_ms)


def adding(producer: tuple[int, int], topic: str) -> kafka.AddPartitionsToTxnRequest:
    """As producers ask: up to version 3."""
    added = kafka.AddPartitionsToTxnRequest.AddPartitionsToTxnTopic
    return kafka.AddPartitionsToTxnRequest(
        v3_and_below_transactional_id=TRANSACTIONAL_ID,
        v3_and_below_producer_id=producer[0],
        v3_and_below_producer_epoch=producer[1],
        v3_and_below_topics=[added(name=topic, partitions=[0])],
    )


def newest_about_transactions(producer: tuple[int, int], group_id: str, topic_id: bytes) -> list[Message]:
    """In their newest versions. The producer has an open transaction with the topic."""
    request = kafka.AddPartitionsToTxnRequest
    identity: dict[str, Any] = {
        "transactional_id": TRANSACTIONAL_ID,
        "producer_id": producer[0],
        "producer_epoch": producer[1],
    }
    topics = [request.AddPartitionsToTxnTopic(name="alone", partitions=[0])]
    verified = request.AddPartitionsToTxnTransaction(**identity, verify_only=True, topics=topics)
    added = request.AddPartitionsToTxnTransaction(**identity, topics=topics)
    return [
        kafka.FindCoordinatorRequest(key_type=1, coordinator_keys=[TRANSACTIONAL_ID]),
        request(transactions=[verified]),
        request(transactions=[added]),
        kafka.AddOffsetsToTxnRequest(**identity, group_id=group_id),
        kafka.EndTxnRequest(**identity, committed=True),
        committing(producer, group_id, topic_id=topic_id),
        kafka.DescribeTransactionsRequest(transactional_ids=[TRANSACTIONAL_ID]),
        kafka.ListTransactionsRequest(
            state_filters=["Ongoing"],
            producer_id_filters=[producer[0]],
            duration_filter=0,
            transactional_id_pattern="trans.*",
        ),
    ]


def older_about_transactions(producer: tuple[int, int], group_id: str) -> list[tuple[Message, int]]:
    """In versions that ask in another way."""
    return [
        (beginning(OTHER_ID), 5),
        (adding(producer, "alone"), 3),
        (committing(producer, group_id, name="topic-1"), 5),
        (
            committing(
                producer, group_id, name="topic-1", generation_id_or_member_epoch=-1, group_instance_id=None
            ),
            3,
        ),
    ]


def committing(
    producer: tuple[int, int], group_id: str, *, name: str = "", topic_id: bytes = bytes(16), **fields: Any
) -> kafka.TxnOffsetCommitRequest:
    """A producer commits an offset of a group."""
    request = kafka.TxnOffsetCommitRequest
    partition = request.Partition(
        partition_index=0, committed_offset=5, committed_leader_epoch=0, committed_metadata="m"
    )
    return request(
        transactional_id=TRANSACTIONAL_ID,
        group_id=group_id,
        producer_id=producer[0],
        producer_epoch=producer[1],
        topics=[request.Topic(name=name, topic_id=topic_id, partitions=[partition])],
        **fields,
    )
