"""A broker of ours and one of Apache Kafka in one cluster, each asked for what the other one leads.

From Produce 10 and Fetch 16 on the response names the leader and its address (KIP-951). Each gets the same requests,
about topics that mirror each other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from compat.cluster import Cluster
from compat.kafka.stock import small_stock_node
from compat.kafka.tools import run_tool
from compat.node import Node
from compat.ours import OurNode
from compat.probe import Probe
from compat.process import wait_until
from kafkaproto.api import api_by_key
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    DescribeProducersRequest,
    FetchRequest,
    ListOffsetsRequest,
    MetadataRequest,
    OffsetForLeaderEpochRequest,
    ProduceRequest,
)
from kafkaproto.records.batch import NewRecord, build_batch

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

OURS, STOCK = 101, 102
OTHER = {OURS: STOCK, STOCK: OURS}
WAIT_S = 30.0
BATCH = build_batch([NewRecord(key=b"k", value=b"v")], base_offset=0, timestamp_ms=100)


def in_a_rack(directory: Path, properties: Mapping[str, str]) -> Node:
    """One broker of each kind, in a rack of its own."""
    is_ours = int(properties["node.id"]) == OURS
    more = {**properties, "broker.rack": f"rack-{properties['node.id']}"}
    return OurNode(directory, more) if is_ours else small_stock_node(directory, more)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """For each broker a topic that only it has, `on-ID`, and one that the other one replicates, `led-by-ID`."""
    cluster = Cluster(OurNode, in_a_rack, tmp_path_factory.mktemp("hints"), controllers=1, brokers=2)
    try:
        cluster.format()
        cluster.start()
        for topic, replicas in (
            (f"on-{OURS}", f"{OURS}"),
            (f"on-{STOCK}", f"{STOCK}"),
            (f"led-by-{OURS}", f"{OURS}:{STOCK}"),
            (f"led-by-{STOCK}", f"{STOCK}:{OURS}"),
        ):
            run_tool(
                "kafka-topics", "--bootstrap-server", cluster.servers, "--create", "--topic", topic,
                "--replica-assignment", replicas,
            ).output()  # fmt: skip
        for node in cluster.brokers.values():
            wait_until(partial(_follows, node), WAIT_S, f"{node.kind} to follow")
        yield cluster
    finally:
        cluster.close()


def _follows(node: Node) -> bool:
    """Whether a broker serves consumers of the topic that it replicates, and knows the topic that it does not."""
    other = OTHER[node.node_id]
    ids = _ids(node)
    if len(ids) < 4:
        return False
    with Probe(node.bootstrap_server) as probe:
        found: Any = probe.ask(_fetch(ids, f"led-by-{other}", 18), 18)
    return bool(found.responses[0].partitions[0].error_code == ErrorCode.NONE)


def _ids(node: Node) -> dict[str, bytes]:
    with Probe(node.bootstrap_server) as probe:
        response: Any = probe.ask(MetadataRequest(topics=None), 12)
    return {topic.name: topic.topic_id for topic in response.topics if topic.name is not None}


def _fetch(ids: dict[str, bytes], topic: str, version: int) -> Message:
    has_ids = version >= 13
    fetched = FetchRequest.FetchTopic(
        topic="" if has_ids else topic,
        topic_id=ids[topic] if has_ids else bytes(16),
        partitions=[FetchRequest.FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1000)],
    )
    return FetchRequest(replica_id=-1, max_wait_ms=0, min_bytes=1, max_bytes=1000, topics=[fetched])


def _produce(ids: dict[str, bytes], topic: str, version: int) -> Message:
    has_ids = version >= 13
    written = ProduceRequest.TopicProduceData(
        name="" if has_ids else topic,
        topic_id=ids[topic] if has_ids else bytes(16),
        partition_data=[ProduceRequest.PartitionProduceData(index=0, records=BATCH)],
    )
    return ProduceRequest(acks=-1, timeout_ms=5000, topic_data=[written])


def _list_offsets(ids: dict[str, bytes], topic: str, version: int) -> Message:
    asked = ListOffsetsRequest.ListOffsetsPartition(partition_index=0, timestamp=-1)
    return ListOffsetsRequest(
        replica_id=-1, topics=[ListOffsetsRequest.ListOffsetsTopic(name=topic, partitions=[asked])]
    )


def _end_of_epoch(ids: dict[str, bytes], topic: str, version: int) -> Message:
    request = OffsetForLeaderEpochRequest
    asked = request.OffsetForLeaderPartition(partition=0, leader_epoch=0)
    return request(topics=[request.OffsetForLeaderTopic(topic=topic, partitions=[asked])])


def _producers(ids: dict[str, bytes], topic: str, version: int) -> Message:
    asked = DescribeProducersRequest.TopicRequest(name=topic, partition_indexes=[0])
    return DescribeProducersRequest(topics=[asked])


@pytest.mark.parametrize("topic", ["on", "led-by"])
@pytest.mark.parametrize(
    ("key", "make"),
    [(0, _produce), (1, _fetch), (2, _list_offsets), (23, _end_of_epoch), (61, _producers)],
    ids=["Produce", "Fetch", "ListOffsets", "OffsetForLeaderEpoch", "DescribeProducers"],
)
def test_who_does_not_lead_answers_as_kafka_does(cluster: Cluster, key: int, make: Any, topic: str) -> None:
    api = api_by_key(key)
    assert api is not None
    for version in range(api.min_version, api.max_stable_version + 1):
        told, right = (
            mirrored(cluster, broker_id, make, f"{topic}-{OTHER[broker_id]}", version)
            for broker_id in (OURS, STOCK)
        )
        assert told == right, f"version {version}"


def mirrored(cluster: Cluster, broker_id: int, make: Any, topic: str, version: int) -> str:
    """The answer of one broker with names for the two of them."""
    asked, other = cluster.brokers[broker_id], cluster.brokers[OTHER[broker_id]]
    ids = _ids(asked)
    with Probe(asked.bootstrap_server) as probe:
        text = json.dumps(_without_texts(probe.ask(make(ids, topic, version), version).to_json(version)))
    return text.replace(other.bootstrap_server.split(":")[1], "its port").replace(str(other.node_id), "other")


def _without_texts(value: Any) -> Any:
    """An answer without messages for people, and without ids of topics."""
    if isinstance(value, list):
        return [_without_texts(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _without_texts(each) for key, each in value.items() if key not in ("errorMessage", "topicId")
    }
