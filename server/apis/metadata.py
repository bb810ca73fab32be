"""Metadata (3), versions 0-13, broker listeners.

Answered from this broker's own committed image; brokers that are fenced are left out, and a partition led by one of
them has LEADER_NOT_AVAILABLE. Topics may be named, given by id (from version 12 on), or be all of them (null; an empty
list in version 0). A named topic that does not exist is created where the configuration and the request allow it: the
request for it goes to the controller, and this answer still says UNKNOWN_TOPIC_OR_PARTITION, as Kafka's does.
One topic given by id makes the request one by ids; names beside it are passed over.
The controller named is a random broker: any of them forwards what is meant for the controller.
Topics that the client may not describe are left out where it asks for all, and have TOPIC_AUTHORIZATION_FAILED where it
names them, as do those that are not there and it may not create.

Not done: creating Kafka's own topics by being asked for them; they need settings that come with the coordinators.
"""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import CreateTopicsRequest, MetadataRequest, MetadataResponse
from server.apis.authorization import (
    OPERATIONS_NOT_ASKED,
    authorized_operations,
    cluster_authorized_operations,
    is_allowed,
)
from server.apis.cluster import endpoint_of
from server.apis.context import RequestContext, Services
from server.image.image import ClusterImage, PartitionImage, TopicImage
from server.security.acls import Operation, ResourceType
from server.topic_names import INTERNAL_TOPICS, topic_name_problem
from server.types import NO_NODE, ZERO_UUID

_FIRST_WITH_TOPIC_IDS = 12
"""Version 10 has the field, but a request by id is served from 12 on only (KIP-516)."""
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
    refusal = _refusal(request, version)
    if refusal is not None:
        return _refuse(request, refusal)
    view = _View(image, context, services)
    topics = _topics(request, view, version)
    if services.auto_create_topics and request.allow_auto_topic_creation:
        _create_missing(topics, context, services)
    if request.include_topic_authorized_operations:
        for topic in topics:
            if topic.name is not None and topic.error_code != ErrorCode.TOPIC_AUTHORIZATION_FAILED:
                topic.topic_authorized_operations = authorized_operations(
                    context, services, ResourceType.TOPIC, topic.name
                )
    alive = view.brokers
    return MetadataResponse(
        brokers=alive,
        cluster_id=services.cluster_id,
        controller_id=alive[services.choose(len(alive))].node_id if alive else NO_NODE,
        topics=topics,
        cluster_authorized_operations=(
            cluster_authorized_operations(context, services)
            if request.include_cluster_authorized_operations
            else OPERATIONS_NOT_ASKED
        ),
    )


def _refusal(request: MetadataRequest, version: int) -> ErrorCode | None:
    """Why the whole request is refused, None where it is served."""
    topics = request.topics or ()
    by_id = any(topic.topic_id != ZERO_UUID for topic in topics)
    by_nothing = any(topic.name is None for topic in topics)
    is_wrong = by_id or by_nothing if version < _FIRST_WITH_TOPIC_IDS else by_nothing and not by_id
    return ErrorCode.INVALID_REQUEST if is_wrong else None


def _refuse(request: MetadataRequest, error: ErrorCode) -> MetadataResponse:
    return MetadataResponse(
        error_code=error,
        topics=[
            MetadataResponse.Topic(error_code=error, name=topic.name or "", topic_id=topic.topic_id)
            for topic in request.topics or ()
        ],
    )


class _View:
    """The image as one listener shows it to one client."""

    def __init__(self, image: ClusterImage, context: RequestContext, services: Services) -> None:
        self.image = image
        self._context = context
        self._services = services
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

    def may_be_described(self, topic_name: str) -> bool:
        """Whether the client may know of a topic, be there one or not."""
        return is_allowed(self._context, self._services, Operation.DESCRIBE, ResourceType.TOPIC, topic_name)

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
        return [view.topic(topic) for topic in image.topics_in_order() if view.may_be_described(topic.name)]
    # A topic that is asked for twice is answered once.
    ids = dict.fromkeys(topic.topic_id for topic in asked if topic.topic_id != ZERO_UUID)
    if ids:
        # One id makes it a request by id: names beside it do not count.
        return [_by_id(topic_id, view) for topic_id in ids]
    return [_by_name(name, view) for name in dict.fromkeys(topic.name for topic in asked) if name is not None]


def _by_id(topic_id: bytes, view: _View) -> MetadataResponse.Topic:
    found = view.image.topics.get(topic_id)
    if found is not None and view.may_be_described(found.name):
        return view.topic(found)
    # That a topic of the id exists is no secret, its name is.
    error = ErrorCode.UNKNOWN_TOPIC_ID if found is None else ErrorCode.TOPIC_AUTHORIZATION_FAILED
    return MetadataResponse.Topic(error_code=error, name=None, topic_id=topic_id)


def _by_name(name: str, view: _View) -> MetadataResponse.Topic:
    if not view.may_be_described(name):
        return MetadataResponse.Topic(error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED, name=name)
    found = view.image.topic_by_name(name)
    if found is not None:
        return view.topic(found)
    is_legal = topic_name_problem(name) is None
    return MetadataResponse.Topic(
        error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if is_legal else ErrorCode.INVALID_TOPIC_EXCEPTION,
        name=name,
        is_internal=name in INTERNAL_TOPICS,
    )


def _create_missing(
    topics: list[MetadataResponse.Topic], context: RequestContext, services: Services
) -> None:
    missing = []
    for topic in topics:
        if topic.name is None or topic.error_code != ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            continue
        asked = (Operation.CREATE, ResourceType.TOPIC, topic.name)
        if not is_allowed(context, services, Operation.CREATE) and not is_allowed(context, services, *asked):
            topic.error_code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        elif not topic.is_internal:
            missing.append(topic.name)
    if missing:
        creations = [
            CreateTopicsRequest.CreatableTopic(name=name, num_partitions=-1, replication_factor=-1)
            for name in missing
        ]
        services.create_topics(
            CreateTopicsRequest(topics=creations, timeout_ms=_AUTO_CREATE_TIMEOUT_MS), context
        )
