"""Which server the tests of `tests/compat` run against, and how one is made.

KAFKAPROTO_COMPAT_NODE=stock runs every one of them against Apache Kafka itself, which is how the expectations were
written: a test that the stock server does not pass says nothing about ours.
"""

import contextlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from compat.kafka.stock import StockNode
from compat.node import Node, combined_properties
from compat.ours import OurNode
from compat.probe import Probe
from compat.process import wait_until
from kafkaproto.messages import (
    CreateTopicsRequest,
    CreateTopicsResponse,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    MetadataRequest,
    MetadataResponse,
)

NODE_VARIABLE = "KAFKAPROTO_COMPAT_NODE"
NODE_CLASSES: dict[str, type[Node]] = {"ours": OurNode, "stock": StockNode}
CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"

CREATE_TIMEOUT_MS = 10_000
SERVES_TIMEOUT_S = 20.0
PARTITIONS = 2
# After a kill -9 the broker is let in again when the session of its former life is over.
SHORT_SESSION = {"broker.session.timeout.ms": "2000", "broker.heartbeat.interval.ms": "500"}
# A member of a group that was killed is missed soon: after six seconds with the consumer protocol, and after as little
# as one second with the classic one, where members say for themselves how long. Members of streams groups are as those
# with the consumer protocol.
IMPATIENT = {
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "1000",
    "group.consumer.min.session.timeout.ms": "1000",
    "group.consumer.session.timeout.ms": "6000",
    "group.consumer.min.heartbeat.interval.ms": "500",
    "group.consumer.heartbeat.interval.ms": "500",
    "group.streams.min.session.timeout.ms": "1000",
    "group.streams.session.timeout.ms": "6000",
    "group.streams.min.heartbeat.interval.ms": "500",
    "group.streams.heartbeat.interval.ms": "500",
    "group.streams.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": "3",
    "transaction.state.log.num.partitions": "3",
}


def node_class() -> type[Node]:
    """The make of server under test: ours unless the variable says stock."""
    wanted = os.environ.get(NODE_VARIABLE, "ours")
    if wanted not in NODE_CLASSES:
        raise ValueError(f"{NODE_VARIABLE}={wanted}: allowed are {', '.join(NODE_CLASSES)}")
    return NODE_CLASSES[wanted]


def make_node(make: type[Node], directory: Path, overrides: Mapping[str, str] | None = None) -> Node:
    """A formatted sole node of that implementation with both roles, not started; its files lie under the directory."""
    properties = combined_properties(directory / "data")
    node = make(directory, {**properties, **(overrides or {})})
    node.format(CLUSTER_ID)
    return node


@contextlib.contextmanager
def beside_stock(
    factory: pytest.TempPathFactory, overrides: Mapping[str, str]
) -> Iterator[tuple[Node, Node]]:
    """A node under test and one of Apache Kafka with the same settings, both started."""
    nodes = [
        make_node(make, factory.mktemp(name), overrides)
        for make, name in ((node_class(), "tested"), (StockNode, "stock"))
    ]
    try:
        for node in nodes:
            node.start()
        yield nodes[0], nodes[1]
    finally:
        for node in nodes:
            node.close()


def topic_name(test_name: str) -> str:
    """A legal topic name out of the name of a test, parameters and all; without underscores and periods, of
    which kafka-topics warns that they may collide."""
    return re.sub(r"[^a-zA-Z0-9]+", "-", test_name).strip("-")


def create(node: Node, name: str, configs: Mapping[str, str] | None = None) -> None:
    """Creates a topic of PARTITIONS partitions and waits until the broker leads them."""
    topic = CreateTopicsRequest.CreatableTopic(
        name=name,
        num_partitions=PARTITIONS,
        replication_factor=1,
        configs=[
            CreateTopicsRequest.CreatableTopicConfig(name=key, value=value)
            for key, value in (configs or {}).items()
        ],
    )
    with Probe(node.bootstrap_server) as probe:
        response = probe.ask(CreateTopicsRequest(topics=[topic], timeout_ms=CREATE_TIMEOUT_MS), 7)
    assert isinstance(response, CreateTopicsResponse)
    assert [created.error_code for created in response.topics] == [0]
    wait_until(lambda: name in led_topics(node), SERVES_TIMEOUT_S, f"a leader of {name}")


def delete_topics(node: Node, names: Sequence[str]) -> None:
    """Deletes topics of a node that others share who compare all that is on it."""
    topics = [DeleteTopicsRequest.DeleteTopicState(name=name) for name in names]
    with Probe(node.bootstrap_server) as probe:
        response = probe.ask(DeleteTopicsRequest(topics=topics, timeout_ms=CREATE_TIMEOUT_MS), 6)
    assert isinstance(response, DeleteTopicsResponse)
    assert [deleted.error_code for deleted in response.responses] == [0] * len(names)
    wait_until(
        lambda: not {each.name for each in metadata(node).topics} & {*names},
        SERVES_TIMEOUT_S,
        f"{', '.join(names)} to be gone",
    )


def metadata(node: Node) -> MetadataResponse:
    """What the node says of all topics."""
    with Probe(node.bootstrap_server) as probe:
        response = probe.ask(MetadataRequest(topics=None), 12)
    assert isinstance(response, MetadataResponse)
    return response


def led_topics(node: Node) -> dict[str, bytes]:
    """Topic name -> topic id, of topics all of whose partitions have a leader."""
    return {
        topic.name: topic.topic_id
        for topic in metadata(node).topics
        if topic.name is not None and [part.leader_id for part in topic.partitions] == [1] * PARTITIONS
    }
