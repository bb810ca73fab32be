"""DescribeTopicPartitions where the recording of test_stock_answers.py does not reach.

Tests: `apis.cluster.describe_topic_partitions`.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from kafkaproto.message import Message
from kafkaproto.messages import (
    DescribeTopicPartitionsRequest,
    FeatureLevelRecord,
    PartitionRecord,
    TopicRecord,
)
from kafkaproto_server.apis.cluster.describe_topic_partitions import (
    MAX_PARTITIONS,
    handle_describe_topic_partitions,
)
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.apis.support.services import ask, context, golden, image_of, services

TOPIC_ID = bytes(range(16))
Cursor = DescribeTopicPartitionsRequest.Cursor


def image_with_topic(indexes: Iterable[int]) -> ClusterImage:
    """One topic, led by brokers that are not there."""
    records: list[Message] = [
        FeatureLevelRecord(name="metadata.version", feature_level=30),
        TopicRecord(name="many", topic_id=TOPIC_ID),
    ]
    records += [
        PartitionRecord(
            partition_id=index, topic_id=TOPIC_ID, replicas=[4], isr=[4], leader=4, directories=[bytes(16)]
        )
        for index in indexes
    ]
    return image_of(records)


@pytest.mark.parametrize("limit", [MAX_PARTITIONS, MAX_PARTITIONS + 1, 2**31 - 1])
def test_a_response_holds_no_more_partitions_than_kafkas_own_limit(limit: int) -> None:
    image = image_with_topic(range(MAX_PARTITIONS + 1))
    response = ask(DescribeTopicPartitionsRequest(response_partition_limit=limit), 0, image)
    assert len(response.topics[0].partitions) == MAX_PARTITIONS
    assert response.next_cursor.partition_index == MAX_PARTITIONS
    last = ask(
        DescribeTopicPartitionsRequest(cursor=Cursor(topic_name="many", partition_index=2000)), 0, image
    )
    assert [partition.partition_index for partition in last.topics[0].partitions] == [MAX_PARTITIONS]
    assert last.next_cursor is None


def test_a_cursor_beyond_every_index_leaves_the_topic_empty() -> None:
    cursor = Cursor(topic_name="many", partition_index=2**31 - 1)
    response = ask(DescribeTopicPartitionsRequest(cursor=cursor), 0, image_with_topic(range(2)))
    assert [(topic.name, topic.partitions) for topic in response.topics] == [("many", [])]
    assert response.next_cursor is None


@pytest.mark.parametrize("limit", range(1, 8))
def test_following_the_cursor_shows_every_partition_once_and_in_order(limit: int) -> None:
    image = golden().image
    seen, cursor = [], None
    while True:
        request = DescribeTopicPartitionsRequest(
            response_partition_limit=limit,
            cursor=None if cursor is None else Cursor(topic_name=cursor[0], partition_index=cursor[1]),
        )
        response = ask(request, 0, image)
        page = [
            (topic.name, partition.partition_index)
            for topic in response.topics
            for partition in topic.partitions
        ]
        assert 0 < len(page) <= limit
        seen += page
        if response.next_cursor is None:
            break
        cursor = (response.next_cursor.topic_name, response.next_cursor.partition_index)
    assert seen == sorted(seen)
    assert seen == [
        (topic.name, index) for topic in image.topics_in_order() for index, _ in topic.partitions_in_order()
    ]


@pytest.mark.parametrize("indexes", [range(40), [2, 3, 40, 41, 1000], [0, 1, 2, 7], [*range(0, 40, 2), 77]])
@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_a_page_begins_at_its_cursor_whatever_indexes_there_are(indexes: Iterable[int], limit: int) -> None:
    image = image_with_topic(indexes)
    for first in range(max(indexes) + 2):
        request = DescribeTopicPartitionsRequest(
            response_partition_limit=limit, cursor=Cursor(topic_name="many", partition_index=first)
        )
        response = ask(request, 0, image)
        rest = sorted(index for index in indexes if index >= first)
        assert [each.partition_index for each in response.topics[0].partitions] == rest[:limit]
        following = response.next_cursor and response.next_cursor.partition_index
        assert following == (rest[limit] if len(rest) > limit else None)


def test_a_page_takes_no_longer_because_of_the_other_partitions() -> None:
    steps = []
    for partitions in (1_000, 5_000):
        request = DescribeTopicPartitionsRequest(
            response_partition_limit=10, cursor=Cursor(topic_name="many", partition_index=500)
        )
        known = services(image_with_topic(range(partitions)))
        steps.append(sum(1 for _ in handle_describe_topic_partitions(request, context(request, 0), known)))
    assert steps[0] == steps[1]


def test_no_topics_at_all_is_an_empty_response() -> None:
    response = ask(DescribeTopicPartitionsRequest(), 0, ClusterImage())
    assert (response.topics, response.next_cursor) == ([], None)
