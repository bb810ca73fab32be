"""The topic that a Fetch request has by its name or its id: whether it is there, and whether the sender may read it."""

from __future__ import annotations

from collections.abc import Callable

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.replicas.fetch_sessions import FetchContext
from kafkaproto_server.core.replicas.partition import PartitionError
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests.fetch_requests import PartitionFetch

MayRead = Callable[[str], bool]
"""Whether the sender may read a topic."""


def readable_topic(
    image: ClusterImage, fetch: PartitionFetch, may_read: MayRead, context: FetchContext
) -> bytes:
    """The id of the topic; no topic has it if a name is unknown. Raises PartitionError."""
    topic, name = None, fetch.topic_name
    if name is None:
        topic = image.topics.get(fetch.topic_id)
        name = context.known_name(fetch.topic_id) if topic is None else topic.name
    if name is None:
        raise PartitionError(ErrorCode.UNKNOWN_TOPIC_ID)
    if not may_read(name):
        raise PartitionError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    if fetch.topic_name is not None:
        return image.topic_ids.get(name, b"")
    if topic is None:
        # It is gone. As in Apache Kafka, the error depends on what has its name now.
        other = image.topic_by_name(name)
        is_there = other is not None and fetch.index in other.partitions
        code = ErrorCode.INCONSISTENT_TOPIC_ID if is_there else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        raise PartitionError(code)
    return fetch.topic_id
