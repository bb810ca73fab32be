"""Metadata (3), versions 0-13, broker listeners.

Answered from this broker's own committed image; brokers that are fenced are left out, and a partition led by one of
them has LEADER_NOT_AVAILABLE. Topics may be named, given by id (from version 12 on), or be all of them (null; an empty
list in version 0). A named topic that does not exist is created where the configuration and the request allow it: the
request for it goes to the controller, and this answer still says UNKNOWN_TOPIC_OR_PARTITION, as Kafka's does.
The controller named is a random broker: any of them forwards what is meant for the controller.
"""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import CreateTopicsRequest, MetadataRequest, MetadataResponse
from server.apis.cluster import endpoint_of
from server.apis.context import RequestContext, Services
from server.apis.operations import CLUSTER_OPERATIONS, NOT_ASKED, TOPIC_OPERATIONS
from server.apis.topic_names import INTERNAL_TOPICS, topic_name_problem
from server.image.image import ClusterImage, PartitionImage, TopicImage
from server.types import NO_NODE, ZERO_UUID

_FIRST_WITH_TOPIC_IDS = 12
"""Version 10 has the field, but a request by id is served from 12 on only."""
_FIRST_WITH_ALL_AS_NULL = 1
_FIRST_WITH_ANY_REPLICA = 1
_FIRST_WITH_LISTENER_ERROR = 6
_AUTO_CREATE_TIMEOUT_MS = 30_000


def handle_metadata(
    request: MetadataRequest, context: RequestContext, services: Services
) -> MetadataResponse:
    """Brokers, and the topics asked for."""
    image = services.image()
    version = context.api_version
    if _asks_ids_too_early(request, version):
        return _refuse(request)
    view = _View(image, context)
    topics = _topics(request, view, version)
    if services.auto_create_topics and request.allow_auto_topic_creation:
        _create_missing(topics, context, services)
    if request.include_topic_authorized_operations:
        for topic in topics:
            if topic.error_code == ErrorCode.NONE:
                topic.topic_authorized_operations = TOPIC_OPERATIONS
    alive = view.brokers
    return MetadataResponse(
        brokers=alive,
        cluster_id=services.cluster_id,
        controller_id=alive[services.choose(len(alive))].node_id if alive else NO_NODE,
        topics=topics,
        cluster_authorized_operations=(
            CLUSTER_OPERATIONS if request.include_cluster_authorized_operations else NOT_ASKED
        ),
    )


def _asks_ids_too_early(request: MetadataRequest, version: int) -> bool:
    return version < _FIRST_WITH_TOPIC_IDS and any(
        topic.name is None or topic.topic_id != ZERO_UUID for topic in request.topics or ()
    )


def _refuse(request: MetadataRequest) -> MetadataResponse:
    return MetadataResponse(
        topics=[
            MetadataResponse.Topic(
                error_code=ErrorCode.INVALID_REQUEST, name=topic.name or "", topic_id=topic.topic_id
            )
            for topic in request.topics or ()
        ]
    )


class _View:
    """The image as one listener shows it."""

    def __init__(self, image: ClusterImage, context: RequestContext) -> None:
        self.image = image
        self.listener_name = context.listener_name
        self.version = context.api_version
        self.brokers: list[MetadataResponse.Broker] = []
        for broker in image.brokers_in_order():
            endpoint = endpoint_of(broker, self.listener_name)
            if endpoint is not None and not broker.fenced:
                self.brokers.append(
                    MetadataResponse.Broker(
                        node_id=broker.broker_id, host=endpoint.host, port=endpoint.port, rack=broker.rack
                    )
                )
        self.alive = frozenset(broker.node_id for broker in self.brokers)

    def topic(self, topic: TopicImage) -> MetadataResponse.Topic:
        """One topic with its partitions."""
        return MetadataResponse.Topic(
            name=topic.name,
            topic_id=topic.topic_id,
            is_internal=topic.name in INTERNAL_TOPICS,
            partitions=[
                self._partition(index, partition) for index, partition in topic.partitions_in_order()
            ],
        )

    def _partition(self, index: int, partition: PartitionImage) -> MetadataResponse.Partition:
        replicas, isr = list(partition.replicas), list(partition.isr)
        error = ErrorCode.NONE
        leader = partition.leader
        if leader not in self.alive:
            leader, error = NO_NODE, self._leader_error(partition.leader)
        if self.version < _FIRST_WITH_ANY_REPLICA:
            # The first clients took every replica for one that they could talk to.
            replicas = [broker for broker in replicas if broker in self.alive]
            isr = [broker for broker in isr if broker in self.alive]
            if error == ErrorCode.NONE and len(replicas) + len(isr) < len(partition.replicas) + len(
                partition.isr
            ):
                error = ErrorCode.REPLICA_NOT_AVAILABLE
        return MetadataResponse.Partition(
            error_code=error,
            partition_index=index,
            leader_id=leader,
            leader_epoch=partition.leader_epoch,
            replica_nodes=replicas,
            isr_nodes=isr,
            offline_replicas=offline_replicas(self.image, partition, self.listener_name),
        )

    def _leader_error(self, leader: int) -> ErrorCode:
        broker = self.image.brokers.get(leader)
        lacks_listener = broker is not None and not broker.fenced
        if lacks_listener and self.version >= _FIRST_WITH_LISTENER_ERROR:
            return ErrorCode.LISTENER_NOT_FOUND
        return ErrorCode.LEADER_NOT_AVAILABLE


def offline_replicas(image: ClusterImage, partition: PartitionImage, listener_name: str) -> list[int]:
    """Replicas on brokers that are away, fenced or not on the listener, or in directories that are lost."""
    result = []
    for broker_id, directory_id in zip(partition.replicas, partition.directories, strict=True):
        broker = image.brokers.get(broker_id)
        if (
            broker is None
            or broker.fenced
            or endpoint_of(broker, listener_name) is None
            or not broker.has_online_directory(directory_id)
        ):
            result.append(broker_id)
    return result


def _topics(request: MetadataRequest, view: _View, version: int) -> list[MetadataResponse.Topic]:
    image = view.image
    asked = request.topics
    if asked is None or (not asked and version < _FIRST_WITH_ALL_AS_NULL):
        return [view.topic(topic) for topic in image.topics_in_order()]
    result = []
    # A topic that is named twice is answered once.
    for name, topic_id in dict.fromkeys((topic.name, topic.topic_id) for topic in asked):
        if name is not None:
            found = image.topic_by_name(name)
            error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            if found is None and topic_name_problem(name) is not None:
                error = ErrorCode.INVALID_TOPIC_EXCEPTION
        else:
            found = image.topics.get(topic_id)
            error = ErrorCode.UNKNOWN_TOPIC_ID
        if found is None:
            missing_id = ZERO_UUID if name is not None else topic_id
            result.append(MetadataResponse.Topic(error_code=error, name=name, topic_id=missing_id))
        else:
            result.append(view.topic(found))
    return result


def _create_missing(
    topics: list[MetadataResponse.Topic], context: RequestContext, services: Services
) -> None:
    missing = [
        topic.name
        for topic in topics
        if topic.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION and topic.name is not None
    ]
    if missing:
        creations = [
            CreateTopicsRequest.CreatableTopic(name=name, num_partitions=-1, replication_factor=-1)
            for name in missing
        ]
        services.create_topics(
            CreateTopicsRequest(topics=creations, timeout_ms=_AUTO_CREATE_TIMEOUT_MS), context
        )
