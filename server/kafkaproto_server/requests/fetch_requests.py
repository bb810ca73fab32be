"""A Fetch request as values: what the sender wants of each partition, in one form for all versions.

Up to version 12 a request names topics, from version 13 on it has topic ids (KIP-516). So the key of a partition has
two parts: the name or the id, and the index of the partition. All keys of one request have the same form. If a
request names a partition twice, the second naming counts, at the place of the first.

Fields that a version does not have get their defaults when the message is decoded: no session (epoch -1), and -1 for
epochs and log start offsets. From version 15 on a follower's id is in ReplicaState (KIP-903). The high watermark and
the directory id of a partition (versions 17 and 18) are for the metadata log only, so they are not kept here.

Apache Kafka: ``FetchRequest``, ``FetchParams``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

import msgspec

from kafkaproto.messages import FetchRequest
from kafkaproto_server.base.types import ZERO_UUID

PartitionKey: TypeAlias = tuple[bytes | str, int]
"""Topic id (versions from 13 on) or topic name, and the index of the partition."""

FIRST_VERSION_WITH_TOPIC_IDS: Final = 13
_FIRST_VERSION_WITH_REPLICA_STATE: Final = 15


class PartitionFetch(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a sender wants of one partition."""

    topic_id: bytes
    """16 bytes; zeros if the request has names."""
    topic_name: str | None
    """None if the request has topic ids."""
    index: int
    fetch_offset: int
    max_bytes: int
    """Limit for this partition; the first batch is sent even if it is larger."""
    current_leader_epoch: int = -1
    """Epoch that the sender believes the leader to be in; -1 if it does not say."""
    last_fetched_epoch: int = -1
    """Epoch of the last record that a follower has; -1 from consumers."""
    log_start_offset: int = -1
    """Where a follower's log starts; -1 from consumers."""


class FetchValues(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    replica_id: int
    """Broker id of a follower; negative from consumers."""
    replica_epoch: int
    """Broker epoch of a follower, or -1."""
    max_wait_ms: int
    min_bytes: int
    max_bytes: int
    isolation_level: int
    """0 read_uncommitted, 1 read_committed."""
    session_id: int
    session_epoch: int
    rack_id: str
    """Where a consumer is; empty if it does not say."""
    uses_topic_ids: bool
    partitions: dict[PartitionKey, PartitionFetch]
    forgotten: list[PartitionKey]
    listener_name: str = ""
    """The listener on which the request came in."""
    client_host: str = ""
    """The host that sent it."""

    @property
    def is_from_follower(self) -> bool:
        """Whether a broker sent it that replicates the partitions."""
        return self.replica_id >= 0


def partition_key(fetch: PartitionFetch) -> PartitionKey:
    """The key under which sessions and watchers know the partition."""
    return (fetch.topic_id if fetch.topic_name is None else fetch.topic_name, fetch.index)


def fetch_values(
    request: FetchRequest, version: int, listener_name: str = "", client_host: str = ""
) -> FetchValues:
    """The values of a decoded request; ``version`` is the version that it was sent in, ``listener_name`` the listener
    on which it came in, ``client_host`` the host that sent it."""
    uses_topic_ids = version >= FIRST_VERSION_WITH_TOPIC_IDS
    partitions: dict[PartitionKey, PartitionFetch] = {}
    for topic in request.topics:
        topic_id = topic.topic_id if uses_topic_ids else ZERO_UUID
        topic_name = None if uses_topic_ids else topic.topic
        topic_key = topic_id if uses_topic_ids else topic.topic
        for each in topic.partitions:
            index = each.partition
            partitions[topic_key, index] = PartitionFetch(
                topic_id=topic_id,
                topic_name=topic_name,
                index=index,
                fetch_offset=each.fetch_offset,
                max_bytes=each.partition_max_bytes,
                # Kafka takes any negative epoch for none.
                current_leader_epoch=each.current_leader_epoch if each.current_leader_epoch >= 0 else -1,
                last_fetched_epoch=each.last_fetched_epoch if each.last_fetched_epoch >= 0 else -1,
                log_start_offset=each.log_start_offset,
            )
    replica_id, replica_epoch = request.replica_id, -1
    if version >= _FIRST_VERSION_WITH_REPLICA_STATE:
        state = request.replica_state
        replica_id, replica_epoch = state.replica_id, state.replica_epoch
    return FetchValues(
        replica_id=replica_id,
        replica_epoch=replica_epoch,
        max_wait_ms=request.max_wait_ms,
        min_bytes=request.min_bytes,
        max_bytes=request.max_bytes,
        isolation_level=request.isolation_level,
        session_id=request.session_id,
        session_epoch=request.session_epoch,
        rack_id=request.rack_id,
        listener_name=listener_name,
        client_host=client_host,
        uses_topic_ids=uses_topic_ids,
        partitions=partitions,
        forgotten=[
            (topic.topic_id if uses_topic_ids else topic.topic, index)
            for topic in request.forgotten_topics_data
            for index in topic.partitions
        ],
    )


def fetch_topics(partitions: Iterable[PartitionFetch]) -> list[FetchRequest.FetchTopic]:
    """The topics of a request that wants the partitions, in their order: partitions of one topic that follow each other
    share an entry.
    """
    topics: list[FetchRequest.FetchTopic] = []
    last: tuple[bytes, str | None] | None = None
    for each in partitions:
        if last != (each.topic_id, each.topic_name):
            last = (each.topic_id, each.topic_name)
            topics.append(FetchRequest.FetchTopic(topic=each.topic_name or "", topic_id=each.topic_id))
        topics[-1].partitions.append(
            FetchRequest.FetchPartition(
                partition=each.index,
                current_leader_epoch=each.current_leader_epoch,
                fetch_offset=each.fetch_offset,
                last_fetched_epoch=each.last_fetched_epoch,
                log_start_offset=each.log_start_offset,
                partition_max_bytes=each.max_bytes,
            )
        )
    return topics


def forgotten_topics(keys: Iterable[PartitionKey]) -> list[FetchRequest.ForgottenTopic]:
    """The part of a request that forgets the partitions, grouped as in `fetch_topics`."""
    topics: list[FetchRequest.ForgottenTopic] = []
    last: bytes | str | None = None
    for topic, index in keys:
        if last != topic:
            last = topic
            topics.append(
                FetchRequest.ForgottenTopic(topic=topic)
                if isinstance(topic, str)
                else FetchRequest.ForgottenTopic(topic_id=topic)
            )
        topics[-1].partitions.append(index)
    return topics
