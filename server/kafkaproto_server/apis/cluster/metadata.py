"""Metadata (3), versions 0-13, broker listeners.

The response comes from this broker's own committed image. Fenced brokers are left out, and a partition led by one of
them has LEADER_NOT_AVAILABLE. A request names topics, gives their ids (from version 12 on), or asks for all (null; an
empty list in version 0). A named topic that does not exist is created if the configuration and the request allow it:
the broker requests its creation from the controller, with its own numbers of partitions and replicas, and this
response still has UNKNOWN_TOPIC_OR_PARTITION, as Kafka's does. If a request gives the id of one topic, it is a request
by ids, and its names are ignored. The response names this broker as controller while it is not fenced: every broker
forwards requests to the controller. Topics that the client may not describe are left out of a request for all topics.
If they are named, they have TOPIC_AUTHORIZATION_FAILED, and so do topics that do not exist and that the client may not
create.

A topic's part of the response is encoded once, and kept while the topic and the brokers do not change
(`requests.caches`): clients that ask for all topics ask often. That part is the same for all clients that may describe
the topic; authorized operations are inserted. The handler works in steps.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import islice

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import CreateTopicsRequest, MetadataRequest, MetadataResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import (
    OPERATIONS_NOT_ASKED,
    authorized_operations,
    cluster_authorized_operations,
    is_allowed,
)
from kafkaproto_server.apis.bounds import ITEMS
from kafkaproto_server.apis.cluster.describe_cluster import endpoint_of
from kafkaproto_server.apis.cluster.shown_controller import shown_controller
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.types import NO_NODE, ZERO_UUID
from kafkaproto_server.metadata.image.entries import BrokerRegistration, PartitionImage, TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.metadata.topic_names import INTERNAL_TOPICS, topic_name_problem
from kafkaproto_server.requests.caches import EncodedTopics, KeptTopic
from kafkaproto_server.requests.context import Encoded, RequestContext
from kafkaproto_server.requests.encoding import Joiner, element_codec, inner_codec, whole
from kafkaproto_server.requests.refusals import Refusal, refuse_each

_FIRST_WITH_TOPIC_IDS = 12
"""Version 10 has the field, but requests by id are only served from version 12 on (KIP-516)."""
_FIRST_WITH_ALL_AS_NULL = 1
_FIRST_WITH_ANY_REPLICA = 1
_FIRST_WITH_LISTENER_ERROR = 6
_FIRST_WITH_OPERATIONS = 8
_FIRST_FLEXIBLE = 9
_AUTO_CREATE_TIMEOUT_MS = 30_000
_MOST_REPLICAS = 2**15 - 1
"""More cannot be asked for; the config has no limit."""
_PARTITIONS_A_STEP = 8
"""The number of partitions that are encoded at once, which takes some ten microseconds."""
MAX_AUTO_CREATED = 1_000
"""The number of missing topics that one request can create; the client retries for the others."""


def handle_metadata(
    request: MetadataRequest, context: RequestContext, services: Services
) -> Steps[Encoded | MetadataResponse]:
    """Return the brokers, and the requested topics."""
    version = context.api_version
    asked = yield from _asked(request, version)
    if asked.is_wrong:
        return (yield from _refuse(request, ErrorCode.INVALID_REQUEST))
    view = _View(services.metadata.image(), context, services)
    response = _Response(view, includes_operations=request.include_topic_authorized_operations)
    if asked.all_topics:
        yield from _add_all(response, view)
    elif asked.ids:
        # One id makes it a request by ids: names are ignored.
        yield from _add_by_id(response, view, asked.ids)
    else:
        creates = services.controller.auto_create_topics and request.allow_auto_topic_creation
        missing = yield from _add_by_name(response, view, asked.names, creates=creates)
        if missing:
            _create(missing, context, services)
    alive = view.brokers
    return response.finished(
        MetadataResponse(
            brokers=alive,
            cluster_id=services.node.cluster_id,
            controller_id=shown_controller([each.node_id for each in alive], services.node),
            cluster_authorized_operations=(
                cluster_authorized_operations(context, services)
                if request.include_cluster_authorized_operations
                else OPERATIONS_NOT_ASKED
            ),
        )
    )


@dataclass(slots=True, kw_only=True)
class _AskedTopics:
    """The requested topics. A topic that is named several times has one result."""

    all_topics: bool
    ids: dict[bytes, None] = field(default_factory=dict)
    names: dict[str, None] = field(default_factory=dict)
    is_wrong: bool = False


def _asked(request: MetadataRequest, version: int) -> Steps[_AskedTopics]:
    topics = request.topics
    asked = _AskedTopics(all_topics=topics is None or (not topics and version < _FIRST_WITH_ALL_AS_NULL))
    by_nothing = False
    for topic in topics or ():
        if topic.topic_id != ZERO_UUID:
            asked.ids[topic.topic_id] = None
        if topic.name is None:
            by_nothing = True
        else:
            asked.names[topic.name] = None
        yield
    by_id = bool(asked.ids)
    # From version 12 on, a topic may have its id in place of its name (KIP-516).
    asked.is_wrong = by_id or by_nothing if version < _FIRST_WITH_TOPIC_IDS else by_nothing and not by_id
    return asked


def _refuse(request: MetadataRequest, error: ErrorCode) -> Steps[MetadataResponse]:
    response = MetadataResponse(error_code=error)
    for topic in request.topics or ():
        response.topics.append(
            MetadataResponse.Topic(error_code=error, name=topic.name or "", topic_id=topic.topic_id)
        )
        yield
    return response


class _View:
    """The image as one listener shows it to one client."""

    def __init__(self, image: ClusterImage, context: RequestContext, services: Services) -> None:
        self.image = image
        self.context = context
        self.services = services
        self.listener_name = context.listener_name
        self.version = context.api_version
        self.codec = element_codec(MetadataResponse, "topics", self.version, _sample_topic)
        self._partition_codec = inner_codec(
            self.codec, "partitions", _sample_topic, MetadataResponse.Partition
        )
        self.brokers: list[MetadataResponse.Broker] = []
        self._alive: dict[int, BrokerRegistration] = {}
        for broker in image.brokers_in_order():
            endpoint = endpoint_of(broker, self.listener_name)
            if endpoint is not None and not broker.fenced:
                self._alive[broker.broker_id] = broker
                self.brokers.append(
                    MetadataResponse.Broker(
                        node_id=broker.broker_id, host=endpoint.host, port=endpoint.port, rack=broker.rack
                    )
                )
        self._kept: EncodedTopics = services.metadata.caches.topics_for(
            (self.version, self.listener_name), image
        )

    def may(self, operation: Operation, topic_name: str) -> bool:
        """Whether the client may perform an operation on a topic, whether or not it exists."""
        return is_allowed(self.context, self.services, operation, ResourceType.TOPIC, topic_name)

    def encoded(self, topic: TopicImage) -> Steps[KeptTopic]:
        """A topic's part of the response, without its authorized operations."""
        kept = self._kept.get(topic)
        if kept is None:
            described = MetadataResponse.Topic(
                name=topic.name, topic_id=topic.topic_id, is_internal=topic.name in INTERNAL_TOPICS
            )
            errors = Counter({int(ErrorCode.NONE): 1})
            # A topic may have hundreds of thousands of partitions. All of them as messages would take memory, and time
            # to be freed.
            codec, pieces = self._partition_codec, []
            partitions = topic.partitions_in_order()
            while some := [self._partition(*each) for each in islice(partitions, _PARTITIONS_A_STEP)]:
                pieces.append(codec.elements(some))
                for shown in some:
                    errors[shown.error_code] += 1
                yield
            before, after = codec.around(self.codec.elements([described]), len(topic.partitions))
            data = b"".join([before, *pieces, after])
            healthy = errors.pop(int(ErrorCode.NONE))
            kept = KeptTopic(topic=topic, data=data, healthy=healthy, errors=dict(errors))
            if self.services.metadata.caches.has_room():
                self._kept.keep(kept)
        return kept

    def _partition(self, index: int, partition: PartitionImage) -> MetadataResponse.Partition:
        alive = self._alive
        replicas, isr = list(partition.replicas), list(partition.isr)
        error = ErrorCode.NONE
        leader = partition.leader
        if leader not in alive:
            leader, error = NO_NODE, self._leader_error(partition.leader)
        if self.version < _FIRST_WITH_ANY_REPLICA:
            # The first clients assumed that they could connect to every replica.
            replicas = [broker for broker in replicas if broker in alive]
            isr = [broker for broker in isr if broker in alive]
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
            offline_replicas=[
                broker_id
                for broker_id, directory_id in zip(partition.replicas, partition.directories, strict=True)
                if broker_id not in alive or not alive[broker_id].has_online_directory(directory_id)
            ],
        )

    def _leader_error(self, leader: int) -> ErrorCode:
        broker = self.image.brokers.get(leader)
        # The leader serves, but not on this listener: newer clients learn of this mistake in its configuration.
        lacks_listener = broker is not None and not broker.fenced
        if lacks_listener and self.version >= _FIRST_WITH_LISTENER_ERROR:
            return ErrorCode.LISTENER_NOT_FOUND
        return ErrorCode.LEADER_NOT_AVAILABLE


def _sample_topic() -> MetadataResponse.Topic:
    return MetadataResponse.Topic(name="")


def offline_replicas(image: ClusterImage, partition: PartitionImage, listener_name: str) -> list[int]:
    """Replicas on brokers that are missing, fenced or not on the listener, or in directories that are lost."""
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


class _Response:
    """Collects the topics of a response."""

    def __init__(self, view: _View, *, includes_operations: bool) -> None:
        self._view = view
        self._includes_operations = includes_operations and view.version >= _FIRST_WITH_OPERATIONS
        # The operations are a topic's last field before its tags.
        self._operations_end = 1 if view.version >= _FIRST_FLEXIBLE else 0
        self._joiner = Joiner()
        self._count = 0
        self._healthy = 0
        self._errors: Counter[int] = Counter()

    def add(self, topic: TopicImage) -> Steps[None]:
        """Add a topic that the client may describe."""
        kept = yield from self._view.encoded(topic)
        self._healthy += kept.healthy
        if kept.errors:
            self._errors.update(kept.errors)
        self._add(kept.data, topic.name)
        yield

    def add_error(
        self,
        error: ErrorCode,
        name: str | None,
        *,
        topic_id: bytes = ZERO_UUID,
        is_internal: bool = False,
    ) -> None:
        """Add a topic that does not exist, or that the client may not describe."""
        described = MetadataResponse.Topic(
            error_code=error, name=name, topic_id=topic_id, is_internal=is_internal
        )
        self._errors[error] += 1
        tells_operations = name is not None and error != ErrorCode.TOPIC_AUTHORIZATION_FAILED
        self._add(self._view.codec.elements([described]), name if tells_operations else None)

    def _add(self, data: bytes, name: str | None) -> None:
        self._count += 1
        if self._includes_operations and name is not None:
            view = self._view
            operations = authorized_operations(view.context, view.services, ResourceType.TOPIC, name)
            end = len(data) - self._operations_end
            data = data[: end - 4] + operations.to_bytes(4, "big", signed=True) + data[end:]
        self._joiner.add(data)

    def finished(self, rest: MetadataResponse) -> Encoded:
        """The whole response; ``rest`` is the response without its topics."""
        before, after = self._view.codec.around(rest.encode(self._view.version), self._count)
        errors = dict(self._errors)
        # One more for the top-level code. Old versions lack it but count it as well.
        errors[int(ErrorCode.NONE)] = self._healthy + 1
        return Encoded(buffers=whole(before, self._joiner, after), errors=errors)


def _add_all(response: _Response, view: _View) -> Steps[None]:
    image = view.image
    names = yield from view.services.metadata.caches.topic_names(image)
    for name in names:
        if view.may(Operation.DESCRIBE, name):
            yield from response.add(image.topics[image.topic_ids[name]])
        else:
            yield


def _add_by_id(response: _Response, view: _View, ids: dict[bytes, None]) -> Steps[None]:
    for topic_id in ids:
        found = view.image.topics.get(topic_id)
        if found is not None and view.may(Operation.DESCRIBE, found.name):
            yield from response.add(found)
            continue
        # It is no secret that a topic with this id exists; its name is one.
        error = ErrorCode.UNKNOWN_TOPIC_ID if found is None else ErrorCode.TOPIC_AUTHORIZATION_FAILED
        response.add_error(error, None, topic_id=topic_id)
        yield


def _add_by_name(
    response: _Response, view: _View, names: dict[str, None], *, creates: bool
) -> Steps[list[str]]:
    """Add the topics of these names. Returns those that are to be created."""
    missing: list[str] = []
    may_create_any = creates and is_allowed(view.context, view.services, Operation.CREATE)
    for name in names:
        found = view.image.topic_by_name(name)
        if not view.may(Operation.DESCRIBE, name):
            response.add_error(ErrorCode.TOPIC_AUTHORIZATION_FAILED, name)
        elif found is not None:
            yield from response.add(found)
        elif topic_name_problem(name) is not None:
            response.add_error(ErrorCode.INVALID_TOPIC_EXCEPTION, name)
        else:
            is_internal = name in INTERNAL_TOPICS
            error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            if creates and not may_create_any and not view.may(Operation.CREATE, name):
                error = ErrorCode.TOPIC_AUTHORIZATION_FAILED
            elif creates and is_internal:
                # Not as clients' topics: it has the partitions and configs that its coordinators need.
                view.services.controller.create_internal_topic(name)
            elif creates and len(missing) < MAX_AUTO_CREATED:
                missing.append(name)
            response.add_error(error, name, is_internal=is_internal)
        yield
    return missing


def _create(missing: list[str], context: RequestContext, services: Services) -> None:
    port = services.controller
    creations = [
        CreateTopicsRequest.CreatableTopic(
            name=name,
            # Of this broker: the controller may have others.
            num_partitions=port.num_partitions,
            replication_factor=min(max(port.default_replication_factor, -1), _MOST_REPLICAS),
        )
        for name in missing
    ]
    port.create_topics(CreateTopicsRequest(topics=creations, timeout_ms=_AUTO_CREATE_TIMEOUT_MS), context)


def refuse(request: MetadataRequest, refusal: Refusal) -> Steps[MetadataResponse]:
    """The error once for each topic. The version with a top-level error uses that for failures as a whole; older ones
    ignore it."""
    topics = yield from refuse_each(
        request.topics or (),
        lambda topic: MetadataResponse.Topic(
            error_code=refusal.code, name=topic.name, topic_id=topic.topic_id
        ),
    )
    return MetadataResponse(error_code=refusal.code, topics=topics)


API = Api(
    key=ApiKey.METADATA,
    bounds=ITEMS,
    broker=Served(handler=handle_metadata, access=of_items(Operation.DESCRIBE, ResourceType.TOPIC)),
    refuse=refuse,
)
