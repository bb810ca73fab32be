"""The topics that requests of share groups name by id: which partitions are served, and what they are called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests.share_requests import TopicPartitionId

_NO_NAMES: Final[Mapping[bytes, str]] = {}

MayRead = Callable[[str], bool]
"""Whether the sender may read a topic."""


def refusal(
    image: ClusterImage, key: TopicPartitionId, may_read: MayRead, names: Mapping[bytes, str] = _NO_NAMES
) -> ErrorCode:
    """Why a partition is not served. ``names`` are those that the topics of a session had: if a topic is gone, the
    error says whether another one has its name now."""
    topic_id, index = key
    # By its id first: a member goes on with the topic that it knows, not with another one of the same name (KIP-516).
    topic = image.topics.get(topic_id)
    name = names.get(topic_id) if topic is None else topic.name
    if name is None:
        return ErrorCode.UNKNOWN_TOPIC_ID
    # Before it is said whether the partition is there, which is not for everybody to know.
    if not may_read(name):
        return ErrorCode.TOPIC_AUTHORIZATION_FAILED
    named = image.topic_by_name(name)
    if named is None or index not in named.partitions:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return ErrorCode.INCONSISTENT_TOPIC_ID if topic is None else ErrorCode.NONE


def topics_of(image: ClusterImage, keys: Iterable[TopicPartitionId]) -> dict[bytes, str]:
    """The topics of partitions, names by id."""
    topics = image.topics
    return {topic_id: topics[topic_id].name for topic_id in dict.fromkeys(each[0] for each in keys)}
