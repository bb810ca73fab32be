"""The replicas of this broker as readers find them: by the metadata that hold when a request is looked at.

A request is looked at more than once, with other metadata each time, so nothing here is kept between two looks.

Apache Kafka: ``ReplicaManager.getPartitionOrException``, ``findPreferredReadReplica``; ``RackAwareReplicaSelector``.
"""

from __future__ import annotations

from collections.abc import Callable

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.apis.cluster.describe_cluster import endpoint_of
from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.core.replicas.fetch_sessions import FetchContext
from kafkaproto_server.core.replicas.partition import NO_EPOCH, Partition, PartitionError, Role
from kafkaproto_server.core.replicas.preferred_replica import preferred_replica
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests.fetch_requests import FetchValues, PartitionFetch, PartitionKey
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.requests.named_topics import MayRead, readable_topic
from kafkaproto_server.shell.storage.log.topic_log import TopicLog

NOT_READ = (
    ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    ErrorCode.UNKNOWN_TOPIC_ID,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
)
"""Errors of partitions that the sender may not read, or that nobody knows. They do not end the wait for the other
partitions. Otherwise a client would ask again and again, and be told nothing new."""


class ReadableReplicas:
    """Finds replicas, or says why a reader has to go elsewhere."""

    def __init__(
        self, replicas: HostedReplicas, image: Callable[[], ClusterImage], *, selects_by_rack: bool
    ) -> None:
        """``selects_by_rack``: consumers are sent to a replica in their rack (KIP-392)."""
        self._replicas = replicas
        self._image = image
        self._selects_by_rack = selects_by_rack

    def partition(self, key: PartitionKey) -> Partition | None:
        """The partition that a session has by name or id; None if there is no replica of it here."""
        topic, index = key
        topic_id = self._image().topic_ids.get(topic) if isinstance(topic, str) else topic
        hosted = None if topic_id is None else self._replicas.get(topic_id, index)
        return None if hosted is None else hosted.partition

    def name_of(self, topic_id: bytes) -> str | None:
        """The name of a topic; None if the metadata have none for this id."""
        topic = self._image().topics.get(topic_id)
        return None if topic is None else topic.name

    def find(self, fetch: PartitionFetch, may_read: MayRead, context: FetchContext) -> Hosted:
        """The replica that a request asks for. Raises PartitionError."""
        image = self._image()
        # Rights come before anything is said of the topic: without them a client must not learn that it exists.
        topic_id = readable_topic(image, fetch, may_read, context)
        hosted = self._replicas.get(topic_id, fetch.index)
        if hosted is None:
            topic = image.topics.get(topic_id)
            if topic is None or fetch.index not in topic.partitions:
                raise PartitionError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
            # Kafka tells a replica whose directory has failed from one that is on another broker.
            is_offline = (topic_id, fetch.index) in self._replicas.offline
            raise PartitionError(
                ErrorCode.KAFKA_STORAGE_ERROR if is_offline else ErrorCode.NOT_LEADER_OR_FOLLOWER
            )
        return hosted

    def preferred_replica(self, partition: Partition, fetch_offset: int, values: FetchValues) -> int:
        """Where a consumer should read instead; NO_NODE if it should read here."""
        rack_id = values.rack_id
        # Only a leader knows how far each replica is. A follower that is asked was chosen by its leader (KIP-392).
        if not self._selects_by_rack or not rack_id or partition.role is not Role.LEADER:
            return NO_NODE
        brokers = self._image().brokers

        def is_near(broker_id: int) -> bool:
            broker = brokers.get(broker_id)
            # A replica that has no listener of the consumer's kind cannot be reached by it.
            return (
                broker is not None
                and not broker.fenced
                and broker.rack == rack_id
                and endpoint_of(broker, values.listener_name) is not None
            )

        return preferred_replica(partition, fetch_offset, is_near)

    def is_stale(self, broker_id: int, broker_epoch: int) -> bool:
        """Whether a request is of an earlier run of a broker, which may have lost records since (KIP-903)."""
        broker = self._image().brokers.get(broker_id)
        return broker is not None and NO_EPOCH != broker_epoch < broker.epoch

    def leader_of(self, fetch: PartitionFetch) -> tuple[int, int]:
        """The leader of a partition and its epoch, as the metadata has them."""
        image = self._image()
        topic_id = fetch.topic_id if fetch.topic_name is None else image.topic_ids.get(fetch.topic_name, b"")
        topic = image.topics.get(topic_id)
        partition = None if topic is None else topic.partitions.get(fetch.index)
        return (NO_NODE, NO_EPOCH) if partition is None else (partition.leader, partition.leader_epoch)

    def read_failed(self, hosted: Hosted, log: TopicLog, error: Exception) -> None:
        self._replicas.read_failed(hosted, log, error)
