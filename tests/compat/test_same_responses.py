"""The same requests to a node under test and to Apache Kafka, whose answer is the right one.

Both nodes have the same cluster id, properties and topics; answers.py says what is left out of the comparison.
Every version of every request goes over the wire, on the listener where Kafka serves it. Where Kafka stumbles
(UNKNOWN_SERVER_ERROR for something that the client did) we differ on purpose: see compat/kafka/FINDINGS.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from compat.node import Node
from compat.probe import Probe
from compat.process import wait_until
from kafkaproto.api import api_by_key
from kafkaproto.message import Message
from kafkaproto.messages import (
    CreatePartitionsRequest,
    CreateTopicsRequest,
    CreateTopicsResponse,
    DeleteTopicsRequest,
    DescribeClusterRequest,
    DescribeConfigsRequest,
    DescribeQuorumRequest,
    DescribeTopicPartitionsRequest,
    MetadataRequest,
    MetadataResponse,
)
from tests.compat.support.nodes import CREATE_TIMEOUT_MS, SERVES_TIMEOUT_S
from tests.compat.support.responses import answer

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

# Topics that both nodes have: name -> (partitions, configs).
TOPICS: dict[str, tuple[int, dict[str, str]]] = {
    "alpha": (3, {"retention.ms": "1000"}),
    "beta": (1, {}),
    "with.dot": (2, {"cleanup.policy": "compact", "min.insync.replicas": "1"}),
}
UNKNOWN_ID = bytes(range(16))
# Resource types of DescribeConfigs.
TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS = 2, 4, 8, 16
# Configs in which the two nodes differ because they are two nodes.
NODES_OWN_CONFIGS = {"listeners", "advertised.listeners", "controller.quorum.bootstrap.servers", "log.dirs"}

Assignment = CreateTopicsRequest.CreatableReplicaAssignment
Config = CreateTopicsRequest.CreatableTopicConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A request, the listeners to send it to, and the first version that can say it."""

    name: str
    request: Message
    listeners: tuple[str, ...] = ("broker",)
    from_version: int = 0

    def versions(self) -> range:
        """Every version of the request that Kafka serves."""
        assert self.request.API_KEY is not None
        api = api_by_key(self.request.API_KEY)
        assert api is not None
        return range(max(api.min_version, self.from_version), api.max_stable_version + 1)


def creatable(name: str, partitions: int = 1, replicas: int = 1, **more: Any) -> Any:
    """A topic to create."""
    return CreateTopicsRequest.CreatableTopic(
        name=name, num_partitions=partitions, replication_factor=replicas, **more
    )


def assigned(*brokers: list[int], partitions: int = -1, replicas: int = -1) -> Any:
    """A topic to create whose partitions 0, 1, ... lie on the brokers given."""
    assignments = [Assignment(partition_index=index, broker_ids=ids) for index, ids in enumerate(brokers)]
    return creatable("new", partitions, replicas, assignments=assignments)


def configured(name: str, value: str | None) -> Any:
    """A topic to create with one config."""
    return creatable("new", configs=[Config(name=name, value=value)])


@pytest.fixture(scope="module")
def pair(rival_node: Node, stock_node: Node) -> tuple[Node, Node]:
    """The node under test and the stock node, both with TOPICS, which both already serve."""
    for node in (rival_node, stock_node):
        request = CreateTopicsRequest(
            topics=[
                creatable(
                    name, count, configs=[Config(name=key, value=value) for key, value in configs.items()]
                )
                for name, (count, configs) in TOPICS.items()
            ],
            timeout_ms=CREATE_TIMEOUT_MS,
        )
        with Probe(node.bootstrap_server) as probe:
            response = probe.ask(request, 7)
            assert isinstance(response, CreateTopicsResponse)
            assert [topic.error_code for topic in response.topics] == [0] * len(TOPICS)
            wait_until(partial(serves_topics, probe), SERVES_TIMEOUT_S, f"{node.kind} to lead {TOPICS}")
    return rival_node, stock_node


def serves_topics(probe: Probe) -> bool:
    """Whether Metadata shows a leader for every partition of TOPICS."""
    response = probe.ask(MetadataRequest(topics=None), 12)
    assert isinstance(response, MetadataResponse)
    led = {topic.name: sum(part.leader_id == 1 for part in topic.partitions) for topic in response.topics}
    return led == {name: count for name, (count, _) in TOPICS.items()}


def metadata_cases() -> Iterator[Case]:
    topic = MetadataRequest.Topic
    named = [topic(name="beta"), topic(name="alpha")]
    yield Case(name="all topics", request=MetadataRequest(topics=None), from_version=1)
    yield Case(name="an empty list", request=MetadataRequest(topics=[]))
    yield Case(name="two topics", request=MetadataRequest(topics=named))
    yield Case(name="a topic twice", request=MetadataRequest(topics=[*named, *named]))
    yield Case(
        name="an unknown topic", request=MetadataRequest(topics=[topic(name="nope"), topic(name="beta")])
    )
    yield Case(name="a bad name", request=MetadataRequest(topics=[topic(name="a b")]))
    yield Case(name="an empty name", request=MetadataRequest(topics=[topic(name="")]))
    yield Case(
        name="an unknown id",
        request=MetadataRequest(topics=[topic(name=None, topic_id=UNKNOWN_ID)]),
        from_version=12,
    )
    yield Case(
        name="an unknown topic that must not be created",
        request=MetadataRequest(topics=[topic(name="nope")], allow_auto_topic_creation=False),
        from_version=4,
    )
    yield Case(
        name="topic operations",
        request=MetadataRequest(topics=named, include_topic_authorized_operations=True),
        from_version=8,
    )


def describe_cluster_cases() -> Iterator[Case]:
    both = ("broker", "controller")
    yield Case(name="brokers", request=DescribeClusterRequest(endpoint_type=1), listeners=both)
    for endpoint_type in (0, 2, 3, 127):
        yield Case(
            name=f"endpoint type {endpoint_type}",
            request=DescribeClusterRequest(endpoint_type=endpoint_type),
            listeners=both,
            from_version=1,
        )
    yield Case(
        name="operations",
        request=DescribeClusterRequest(include_cluster_authorized_operations=True),
        listeners=both,
    )
    yield Case(
        name="controllers and operations",
        request=DescribeClusterRequest(endpoint_type=2, include_cluster_authorized_operations=True),
        listeners=("controller",),
        from_version=1,
    )
    yield Case(
        name="fenced brokers too",
        request=DescribeClusterRequest(include_fenced_brokers=True),
        from_version=2,
    )


def describe_quorum_cases() -> Iterator[Case]:
    def ask(*partitions: tuple[str, int]) -> DescribeQuorumRequest:
        topics = [
            DescribeQuorumRequest.TopicData(
                topic_name=name, partitions=[DescribeQuorumRequest.PartitionData(partition_index=index)]
            )
            for name, index in partitions
        ]
        return DescribeQuorumRequest(topics=topics)

    both = ("broker", "controller")
    metadata = "__cluster_metadata"
    yield Case(name="the metadata log", request=ask((metadata, 0)), listeners=both)
    yield Case(name="another topic", request=ask(("alpha", 0)), listeners=both)
    yield Case(name="another partition", request=ask((metadata, 1)), listeners=both)
    yield Case(name="nothing", request=ask(), listeners=both)
    yield Case(name="the log and another", request=ask((metadata, 0), ("alpha", 0)), listeners=both)


def create_topics_cases() -> Iterator[Case]:
    wanted: dict[str, list[Any]] = {
        "a good topic": [creatable("new", 4)],
        "a topic that exists": [creatable("alpha")],
        "a name that collides": [creatable("with_dot")],
        "an empty name": [creatable("")],
        "a name of one period": [creatable(".")],
        "a name of two periods": [creatable("..")],
        "a name with a space": [creatable("a b")],
        "a name of 249 characters": [creatable("x" * 249)],
        "a name of 250 characters": [creatable("x" * 250)],
        "the name of the metadata log": [creatable("__cluster_metadata")],
        "no partitions": [creatable("new", 0)],
        "minus two partitions": [creatable("new", -2)],
        "too many partitions": [creatable("new", 10_001)],
        "no replicas": [creatable("new", 1, 0)],
        "more replicas than brokers": [creatable("new", 1, 3)],
        "default partitions and replicas": [creatable("new", -1, -1)],
        "the same name twice": [creatable("new"), creatable("new", 2)],
        "a good and a bad topic": [creatable("new"), creatable("a b"), creatable("alpha")],
        "an assignment": [assigned([1], [1])],
        "an unknown broker": [assigned([7])],
        "a broker twice": [assigned([1, 1])],
        "no brokers": [assigned([])],
        "different replica counts": [assigned([1], [])],
        "an assignment and a count": [assigned([1], partitions=1)],
        "an assignment and a factor": [assigned([1], replicas=1)],
        "an assignment that leaves out partition 0": [
            creatable("new", -1, -1, assignments=[Assignment(partition_index=1, broker_ids=[1])])
        ],
        "a partition assigned twice": [
            creatable(
                "new",
                -1,
                -1,
                assignments=[Assignment(partition_index=0, broker_ids=[1]) for _ in range(2)],
            )
        ],
        "a good config": [configured("cleanup.policy", "compact,delete")],
        "a config that is not a number": [configured("retention.ms", "soon")],
        "a config out of range": [configured("retention.ms", "-2")],
        "a config that is not allowed": [configured("cleanup.policy", "shred")],
        "a config without a value": [configured("retention.ms", None)],
        "an unknown config": [configured("no.such.config", "1")],
    }
    for name, topics in wanted.items():
        request = CreateTopicsRequest(topics=topics, timeout_ms=CREATE_TIMEOUT_MS, validate_only=True)
        yield Case(name=name, request=request, listeners=("broker", "controller"))


def delete_topics_cases() -> Iterator[Case]:
    state = DeleteTopicsRequest.DeleteTopicState
    both = ("broker", "controller")

    def by_name(*names: str) -> DeleteTopicsRequest:
        return DeleteTopicsRequest(topic_names=list(names), timeout_ms=CREATE_TIMEOUT_MS)

    def by_state(*topics: Any) -> DeleteTopicsRequest:
        return DeleteTopicsRequest(topics=list(topics), timeout_ms=CREATE_TIMEOUT_MS)

    unknown = state(name=None, topic_id=UNKNOWN_ID)
    yield Case(
        name="an unknown name, v6", request=by_state(state(name="nope")), listeners=both, from_version=6
    )
    yield Case(name="an unknown id", request=by_state(unknown), listeners=both, from_version=6)
    yield Case(name="an id twice", request=by_state(unknown, unknown), listeners=both, from_version=6)
    yield Case(name="neither", request=by_state(state(name=None)), listeners=both, from_version=6)
    yield Case(name="name and id", request=by_state(state(name="alpha", topic_id=UNKNOWN_ID)), from_version=6)
    yield Case(name="nothing", request=by_state(), listeners=both, from_version=6)
    yield Case(name="a name twice", request=by_state(state(name="nope"), state(name="nope")), from_version=6)


def create_partitions_cases() -> Iterator[Case]:
    topic = CreatePartitionsRequest.CreatePartitionsTopic
    assignment = CreatePartitionsRequest.CreatePartitionsAssignment

    def on(*brokers: list[int]) -> list[Any]:
        return [assignment(broker_ids=ids) for ids in brokers]

    def to(count: int, name: str = "alpha") -> Any:
        return topic(name=name, count=count, assignments=None)

    wanted: dict[str, list[Any]] = {
        "more": [to(5)],
        "as many as there are": [to(3)],
        "fewer": [to(2)],
        "none": [to(0)],
        "an unknown topic": [to(5, "nope")],
        "assigned": [topic(name="alpha", count=5, assignments=on([1], [1]))],
        "too few assignments": [topic(name="alpha", count=5, assignments=on([1]))],
        "an unknown broker": [topic(name="alpha", count=4, assignments=on([7]))],
        "a broker twice": [topic(name="alpha", count=4, assignments=on([1, 1]))],
        "no brokers": [topic(name="alpha", count=4, assignments=on([]))],
        "an empty assignment": [topic(name="alpha", count=4, assignments=[])],
        "a topic twice": [to(4), to(5)],
        "a good and a bad topic": [to(4), to(5, "nope")],
    }
    for name, topics in wanted.items():
        request = CreatePartitionsRequest(topics=topics, timeout_ms=CREATE_TIMEOUT_MS, validate_only=True)
        yield Case(name=name, request=request, listeners=("broker", "controller"))


def describe_topic_partitions_cases() -> Iterator[Case]:
    topic = DescribeTopicPartitionsRequest.TopicRequest
    cursor = DescribeTopicPartitionsRequest.Cursor

    def ask(*names: str, **more: Any) -> DescribeTopicPartitionsRequest:
        return DescribeTopicPartitionsRequest(topics=[topic(name=name) for name in names], **more)

    wanted: dict[str, DescribeTopicPartitionsRequest] = {
        "out of order": ask("with.dot", "beta", "alpha"),
        "a topic twice": ask("beta", "beta"),
        "all": ask(),
        "an unknown topic": ask("nope", "beta"),
        "a bad name": ask("a b"),
        "two partitions at most": ask("alpha", "beta", response_partition_limit=2),
        "exactly the partitions of a topic": ask("alpha", "beta", response_partition_limit=3),
        "no partitions at most": ask("alpha", response_partition_limit=0),
        "a cursor": ask("alpha", "beta", cursor=cursor(topic_name="alpha", partition_index=1)),
        "a cursor at a topic's end": ask(
            "alpha", "beta", cursor=cursor(topic_name="alpha", partition_index=3)
        ),
        "a cursor before its topic": ask("beta", cursor=cursor(topic_name="alpha", partition_index=1)),
        "a cursor behind all topics": ask("alpha", cursor=cursor(topic_name="zeta", partition_index=0)),
        "a negative cursor": ask("alpha", cursor=cursor(topic_name="alpha", partition_index=-1)),
        "a cursor over all": ask(cursor=cursor(topic_name="beta", partition_index=0)),
    }
    for name, request in wanted.items():
        yield Case(name=name, request=request)


def describe_configs_cases() -> Iterator[Case]:
    resource = DescribeConfigsRequest.DescribeConfigsResource

    def ask(*wanted: tuple[int, str, list[str] | None], **more: Any) -> DescribeConfigsRequest:
        resources = [
            resource(resource_type=kind, resource_name=name, configuration_keys=keys)
            for kind, name, keys in wanted
        ]
        return DescribeConfigsRequest(resources=resources, **more)

    some = ["retention.ms", "max.message.bytes", "no.such.config"]
    wanted: dict[str, DescribeConfigsRequest] = {
        "a topic": ask((TOPIC, "alpha", None)),
        "a topic with synonyms": ask((TOPIC, "alpha", None), include_synonyms=True),
        "another topic with synonyms": ask((TOPIC, "with.dot", None), include_synonyms=True),
        "some keys of a topic": ask((TOPIC, "alpha", some), include_synonyms=True),
        "no keys of a topic": ask((TOPIC, "alpha", [])),
        "an unknown topic": ask((TOPIC, "nope", None)),
        "a bad topic name": ask((TOPIC, "a b", None)),
        "an empty topic name": ask((TOPIC, "", None)),
        "another broker": ask((BROKER, "2", None)),
        "a broker that is not a number": ask((BROKER, "one", None)),
        "the cluster's default": ask((BROKER, "", None), include_synonyms=True),
        "another broker's loggers": ask((BROKER_LOGGER, "2", None)),
        "unknown client metrics": ask((CLIENT_METRICS, "nope", None)),
        "an unknown kind of resource": ask((99, "x", None)),
        "a broker and a topic": ask((BROKER, "1", ["message.max.bytes"]), (TOPIC, "beta", some)),
        "nothing": ask(),
    }
    for name, request in wanted.items():
        yield Case(name=name, request=request, listeners=("broker", "controller"))


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=f"{case.request.NAME.removesuffix('Request')}-{case.name}")
        for cases in (
            metadata_cases,
            describe_cluster_cases,
            describe_quorum_cases,
            create_topics_cases,
            delete_topics_cases,
            create_partitions_cases,
            describe_topic_partitions_cases,
            describe_configs_cases,
        )
        for case in cases()
    ],
)
def test_a_request_is_answered_as_kafka_answers_it(pair: tuple[Node, Node], case: Case) -> None:
    rival, stock = pair
    for listener in case.listeners:
        for version in case.versions():
            right = answer(stock, listener, case.request, version)
            told = answer(rival, listener, case.request, version)
            assert told == right, f"{case.request.NAME} v{version} on the {listener} listener"


def test_broker_configs_that_are_reported_are_kafkas(pair: tuple[Node, Node]) -> None:
    rival, stock = pair
    resource = DescribeConfigsRequest.DescribeConfigsResource(
        resource_type=BROKER, resource_name="1", configuration_keys=None
    )
    request = DescribeConfigsRequest(resources=[resource], include_synonyms=True)
    right = {
        config["name"]: config for config in answer(stock, "broker", request, 4)["results"][0]["configs"]
    }
    told = {config["name"]: config for config in answer(rival, "broker", request, 4)["results"][0]["configs"]}

    assert {"node.id", "process.roles", "message.max.bytes", "num.partitions"} <= told.keys() <= right.keys()
    for name in told.keys() - NODES_OWN_CONFIGS:
        assert told[name] == right[name]
