"""CreateTopics (19, v2-7): checks names, counts, assignments and configs, and refuses topics one by one.

All topics of a request that can be created are one atomic batch: per topic its TopicRecord, its ConfigRecords, its
PartitionRecords. The response first lists the topics that could be created, then those that could not.

A quota on the rate of partition changes refuses topics from v6 on, and delays the sender before (KIP-599).

Not here: create-topic policies, which are Java classes.

Apache Kafka: ``ReplicationControlManager.createTopics``.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    ConfigRecord,
    CreateTopicsRequest,
    CreateTopicsResponse,
    TopicRecord,
)
from kafkaproto.uuids import to_text
from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.types import METADATA_TOPIC
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.core.controller.partitions.assignments import check_assignments
from kafkaproto_server.core.controller.partitions.placement import (
    UsableBroker,
    new_partition,
    place,
    usable_brokers,
)
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult, Situation
from kafkaproto_server.metadata.image.entries import TOPIC_RESOURCE, PartitionImage
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.records import partition_record
from kafkaproto_server.metadata.image.topic_names import is_ambiguous, metric_name
from kafkaproto_server.metadata.topic_names import topic_name_problem

_USE_DEFAULT = -1
MAX_PARTITIONS_PER_REQUEST = 10_000
"""Partitions that one request may create, as in Apache Kafka's controllers."""
MAX_CONFIGS_OF_RESOURCE = 1_000
"""Configs that a request may name for one resource: a broker has some 300 keys, all other resources have fewer."""

_CreatableTopic = CreateTopicsRequest.CreatableTopic
_TopicResult = CreateTopicsResponse.CreatableTopicResult
_TopicConfig = CreateTopicsResponse.CreatableTopicConfigs


@dataclass(frozen=True, slots=True, kw_only=True)
class _NewTopic:
    """A topic that can be created."""

    name: str
    topic_id: bytes
    configs: dict[str, str]
    partitions: list[PartitionImage]


def create_topics(situation: Situation, request: CreateTopicsRequest) -> Steps[CommandResult]:
    """Create the topics that can be created; none at all if the request asks for too many partitions."""
    configs = situation.topic_defaults()
    names = _Names(situation.image)
    for topic in request.topics:
        names.add(topic)
        yield
    # Before anything of that size is placed: the counts come from outside.
    too_much = yield from _too_many_partitions(situation, names)
    brokers = usable_brokers(situation.image)
    created: list[_NewTopic] = []
    failed: list[_TopicResult] = []
    for topic in names.distinct_topics():
        # As in Kafka, a name that the request itself rules out comes before the total of partitions.
        refusal = names.problem(topic.name) or too_much
        if refusal is not None:
            failed.append(_failure(topic.name, refusal))
        else:
            try:
                names.check(topic.name)
                created.append((yield from _new_topic(situation, topic, configs, brokers)))
            except ApiError as error:
                failed.append(_failure(topic.name, error))
        yield
    records: list[Message] = []
    successes: list[_TopicResult] = []
    for new in created:
        records += yield from _records(new, situation.image.metadata_version)
        successes.append(_success(new, configs))
    return CommandResult(
        response=CreateTopicsResponse(
            throttle_time_ms=situation.permits.throttle_ms, topics=[*successes, *failed]
        ),
        # Checked and placed as for real, topic id included, so that the response shows what would be created. Kafka's
        # has an id, too.
        records=() if request.validate_only else records,
        permits=situation.permits,
    )


def _too_many_partitions(situation: Situation, names: _Names) -> Steps[ApiError | None]:
    """The error for all topics of the request if they have too many partitions together; else None."""
    default = situation.config.num_partitions
    total = 0
    for topic in names.distinct_topics():
        yield
        if names.problem(topic.name) is not None:
            continue
        if topic.assignments:
            total += len(topic.assignments)
        else:
            # A negative count is refused for its own topic. It must not make room for others.
            total += default if topic.num_partitions == _USE_DEFAULT else max(topic.num_partitions, 0)
    if total <= MAX_PARTITIONS_PER_REQUEST:
        return None
    return ApiError(
        ErrorCode.POLICY_VIOLATION,
        f"The request asks for {total} partitions; one request may create {MAX_PARTITIONS_PER_REQUEST}.",
    )


class _Names:
    """The topic names in a request, checked against each other and against those that exist."""

    def __init__(self, image: ClusterImage) -> None:
        self._image = image
        self._by_name: dict[str, list[_CreatableTopic]] = {}

    def add(self, topic: _CreatableTopic) -> None:
        """Note a topic of the request."""
        self._by_name.setdefault(topic.name, []).append(topic)

    def distinct_topics(self) -> Iterator[_CreatableTopic]:
        """One topic for each name, in the order of the request."""
        return (topics[0] for topics in self._by_name.values())

    def problem(self, name: str) -> ApiError | None:
        """What is wrong with the name in this request, apart from existing topics."""
        # Neither mention counts: nobody knows which one is meant.
        if len(self._by_name[name]) > 1:
            return ApiError(ErrorCode.INVALID_REQUEST, f"Topic {name} is named twice.")
        # The quorum's own log is a topic to Fetch only. A second one under its name would be taken
        # for it.
        if name == METADATA_TOPIC:
            return ApiError(ErrorCode.INVALID_REQUEST, f"{METADATA_TOPIC} belongs to the cluster itself.")
        return None

    def check(self, name: str) -> None:
        """Raise ApiError unless a topic of this name may be created."""
        check_topic_name(name)
        if name in self._image.topic_ids:
            raise ApiError(ErrorCode.TOPIC_ALREADY_EXISTS, f"Topic {name} exists.")
        colliding = self._existing_with_same_metric_name(name)
        if colliding is not None:
            raise ApiError(
                ErrorCode.INVALID_TOPIC_EXCEPTION,
                f"Topic {name} would collide with topic {colliding} in the names of metrics,"
                " where '.' and '_' are the same.",
            )

    def _existing_with_same_metric_name(self, name: str) -> str | None:
        if not is_ambiguous(name):
            return None
        existing = self._image.ambiguous_names.get(metric_name(name))
        return None if existing is None else existing[-1]


def check_topic_name(name: str) -> None:
    """Raise ApiError (INVALID_TOPIC_EXCEPTION) unless the name may be a topic's."""
    problem = topic_name_problem(name)
    if problem is not None:
        raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, problem)


def check_number_of_configs(configs: Sequence[object]) -> None:
    """Raise ApiError for more configs of one resource than there are keys."""
    if len(configs) > MAX_CONFIGS_OF_RESOURCE:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"{len(configs)} configs of one resource; at most {MAX_CONFIGS_OF_RESOURCE} are taken.",
        )


def _new_topic(
    situation: Situation, topic: _CreatableTopic, configs: NodeConfigs, brokers: Sequence[UsableBroker]
) -> Steps[_NewTopic]:
    check_number_of_configs(topic.configs)
    own = _own_configs(topic)
    # Together with what the topic inherits: some keys are valid only beside the value of another one.
    problem = configs.validate_topic(own)
    if problem is not None:
        raise ApiError(ErrorCode.INVALID_CONFIG, problem)
    image = situation.image
    if topic.assignments:
        assignments = yield from _manual_assignments(image, topic)
    else:
        assignments = yield from _placed(situation, topic, brokers)
    situation.take_permits(len(assignments))
    topic_id = _unused_topic_id(situation)
    partitions = []
    for replicas in assignments:
        partitions.append(new_partition(image, replicas))
        yield
    return _NewTopic(name=topic.name, topic_id=topic_id, configs=own, partitions=partitions)


def _own_configs(topic: _CreatableTopic) -> dict[str, str]:
    """The values that the request sets; if it names a key twice, the last value counts."""
    own: dict[str, str] = {}
    for config in topic.configs:
        # In CreateTopics there is nothing that null could reset. To ignore it would hide a mistake
        # of the client.
        if config.value is None:
            raise ApiError(ErrorCode.INVALID_CONFIG, f"Config {config.name} has no value.")
        own[config.name] = config.value
    return own


def _manual_assignments(image: ClusterImage, topic: _CreatableTopic) -> Steps[list[tuple[int, ...]]]:
    if topic.replication_factor != _USE_DEFAULT:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"With an assignment the replication factor must be -1, not {topic.replication_factor}.",
        )
    if topic.num_partitions != _USE_DEFAULT:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"With an assignment the partition count must be -1, not {topic.num_partitions}.",
        )
    by_index: dict[int, tuple[int, ...]] = {}
    for assignment in topic.assignments:
        if assignment.partition_index in by_index:
            raise ApiError(
                ErrorCode.INVALID_REPLICA_ASSIGNMENT,
                f"Partition {assignment.partition_index} is assigned twice.",
            )
        by_index[assignment.partition_index] = tuple(assignment.broker_ids)
    # The first partition's replicas set the replication factor, wherever the request has that partition.
    ordered = [by_index[index] for index in sorted(by_index)]
    yield from check_assignments(image, ordered, replication_factor=None)
    # Clients choose a partition by its number modulo the count, so a gap would be a partition that
    # nobody serves.
    if sorted(by_index) != list(range(len(by_index))):
        raise ApiError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"Partitions must be numbered from 0 without gaps, not {', '.join(map(str, sorted(by_index)))}.",
        )
    assert ordered, f"topic {topic.name} is assigned to nobody"
    return ordered


def _placed(
    situation: Situation, topic: _CreatableTopic, brokers: Sequence[UsableBroker]
) -> Steps[list[tuple[int, ...]]]:
    factor, count = topic.replication_factor, topic.num_partitions
    if factor == 0 or factor < _USE_DEFAULT:
        raise ApiError(
            ErrorCode.INVALID_REPLICATION_FACTOR,
            f"Replication factor {factor} is neither above 0 nor -1 for the default.",
        )
    if count == 0 or count < _USE_DEFAULT:
        raise ApiError(
            ErrorCode.INVALID_PARTITIONS,
            f"Partition count {count} is neither above 0 nor -1 for the default.",
        )
    if factor == _USE_DEFAULT:
        # The controller's own config counts, not that of the broker that forwarded the request
        # (KIP-464). It is therefore the same whichever broker a client asks.
        factor = situation.config.default_replication_factor
    if count == _USE_DEFAULT:
        count = situation.config.num_partitions
    return (yield from place(brokers, count, factor, situation.rng))


def _unused_topic_id(situation: Situation) -> bytes:
    """A new topic id. Its text never starts with "-", which command lines would take for an option."""
    while True:
        topic_id = situation.rng.uuid()
        # Kafka's Uuid.randomUuid avoids the dash, too.
        if topic_id not in situation.image.topics and not to_text(topic_id).startswith("-"):
            return topic_id


def _records(new: _NewTopic, metadata_version: int) -> Steps[list[Message]]:
    # Kafka's order: replay refuses a partition whose topic it does not know.
    records: list[Message] = [TopicRecord(name=new.name, topic_id=new.topic_id)]
    for key, value in new.configs.items():
        records.append(
            ConfigRecord(resource_type=TOPIC_RESOURCE, resource_name=new.name, name=key, value=value)
        )
    for index, partition in enumerate(new.partitions):
        records.append(partition_record(new.topic_id, index, partition, metadata_version))
        yield
    return records


def _success(new: _NewTopic, configs: NodeConfigs) -> _TopicResult:
    assert new.partitions, f"topic {new.name} has no partition"
    return _TopicResult(
        name=new.name,
        topic_id=new.topic_id,
        error_message=None,
        num_partitions=len(new.partitions),
        replication_factor=len(new.partitions[0].replicas),
        # The values in force, as Kafka shows them (KIP-525): clients create a topic and read here what they got.
        configs=_shown(configs, new.configs) if new.configs else _shown_defaults(configs),
    )


@functools.lru_cache(maxsize=1)
def _shown_defaults(configs: NodeConfigs) -> list[_TopicConfig]:
    """The configs in the response for a topic that sets none: the same for most topics, so responses share them."""
    return _shown(configs, {})


def _shown(configs: NodeConfigs, own: Mapping[str, str]) -> list[_TopicConfig]:
    return [
        _TopicConfig(
            name=entry.name,
            value=entry.value,
            read_only=entry.is_read_only,
            config_source=entry.source,
            is_sensitive=entry.is_sensitive,
        )
        for entry in configs.effective_topic_configs(own)
    ]


def _failure(name: str, error: ApiError) -> _TopicResult:
    return _TopicResult(name=name, error_code=error.code, error_message=error.message)
