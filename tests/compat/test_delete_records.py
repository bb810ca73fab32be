"""DeleteRecords and retention beside Apache Kafka: the stock tool, the same responses, and the files that stay."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from compat.cluster import Cluster, wait_until_whole
from compat.kafka.stock import small_stock_node
from compat.kafka.tools import run_tool
from compat.node import Node
from compat.ours import OurNode
from compat.probe import Probe
from compat.process import wait_until
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ProduceRequest,
    ProduceResponse,
)
from kafkaproto.records.batch import NewRecord, build_batch
from tests.compat.support.nodes import create, delete_topics, make_node, node_class

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

EARLIEST, LATEST = -2, -1
MIXED_PARTITIONS = 6
OPEN_TIMEOUT_S = 30.0


def produce(node: Node, topic: str, count: int, *, timestamp_ms: int | None = None, size: int = 1) -> None:
    """Writes batches of one record to a topic's first partition."""
    now_ms = int(time.time() * 1000)
    records = [NewRecord(key=b"k", value=b"v" * size)]
    batch = build_batch(records, base_offset=0, timestamp_ms=now_ms if timestamp_ms is None else timestamp_ms)
    request = ProduceRequest(acks=-1, timeout_ms=10_000)
    partition = ProduceRequest.PartitionProduceData(index=0, records=batch)
    request.topic_data.append(ProduceRequest.TopicProduceData(name=topic, partition_data=[partition]))
    with Probe(node.bootstrap_server) as probe:

        def is_written() -> bool:
            response = probe.ask(request, 11)
            assert isinstance(response, ProduceResponse)
            code = response.responses[0].partition_responses[0].error_code
            # The leader of a new topic may still be opening its log.
            assert code in (ErrorCode.NONE, ErrorCode.NOT_LEADER_OR_FOLLOWER)
            return code == ErrorCode.NONE

        for _ in range(count):
            wait_until(is_written, OPEN_TIMEOUT_S, f"{topic} to have a leader that writes")


def delete(node: Node, topic: str, index: int, offset: int, version: int) -> tuple[int, int]:
    """Error code and low watermark of the response."""
    partition = DeleteRecordsRequest.DeleteRecordsPartition(partition_index=index, offset=offset)
    request = DeleteRecordsRequest(
        topics=[DeleteRecordsRequest.DeleteRecordsTopic(name=topic, partitions=[partition])], timeout_ms=5_000
    )
    with Probe(node.bootstrap_server) as probe:
        response = probe.ask(request, version)
    assert isinstance(response, DeleteRecordsResponse)
    (found,) = response.topics[0].partitions
    assert (response.topics[0].name, found.partition_index) == (topic, index)
    return found.error_code, found.low_watermark


def offset_at(node: Node, topic: str, timestamp: int) -> tuple[int, int]:
    """Offset and leader epoch of a special timestamp."""
    partition = ListOffsetsRequest.ListOffsetsPartition(
        partition_index=0, current_leader_epoch=-1, timestamp=timestamp
    )
    request = ListOffsetsRequest(
        replica_id=-1, topics=[ListOffsetsRequest.ListOffsetsTopic(name=topic, partitions=[partition])]
    )
    with Probe(node.bootstrap_server) as probe:
        response = probe.ask(request, 7)
    assert isinstance(response, ListOffsetsResponse)
    (found,) = response.topics[0].partitions
    return found.offset, found.leader_epoch


def test_the_stock_tool_deletes_records(node: Node, topic: str, tmp_path: Path) -> None:
    create(node, topic)
    produce(node, topic, 5)
    partitions = [
        {"topic": topic, "partition": 0, "offset": 3},
        {"topic": topic, "partition": 1, "offset": -1},
    ]
    wanted = tmp_path / "offsets.json"
    wanted.write_text(json.dumps({"partitions": partitions, "version": 1}))
    printed = run_tool(
        "kafka-delete-records",
        "--bootstrap-server",
        node.bootstrap_server,
        "--offset-json-file",
        str(wanted),
    ).output()
    assert f"partition: {topic}-0\tlow_watermark: 3" in printed
    assert f"partition: {topic}-1\tlow_watermark: 0" in printed
    assert offset_at(node, topic, EARLIEST) == (3, 0)
    assert offset_at(node, topic, LATEST) == (5, 0)


def test_responses_are_those_of_a_stock_node(node: Node, stock_node: Node, topic: str) -> None:
    found: dict[str, list[Any]] = {}
    for each in (node, stock_node):
        create(each, topic)
        create(each, f"{topic}-compacted", {"cleanup.policy": "compact"})
        create(each, f"{topic}-both", {"cleanup.policy": "compact,delete"})
        for name in ("", "-compacted", "-both"):
            produce(each, topic + name, 4)
        found[each.kind] = [
            (name, index, offset, version, delete(each, topic + name, index, offset, version))
            for name, index, offset, version in (
                ("", 0, 0, 0),
                ("", 0, 1, 1),
                ("", 0, 0, 2),
                ("", 0, 5, 2),
                ("", 0, -2, 2),
                ("", 0, 3, 2),
                ("", 0, -1, 2),
                ("", 0, 4, 2),
                ("", 7, 0, 2),
                ("-unknown", 0, 0, 2),
                ("-compacted", 0, 1, 2),
                ("-both", 0, 1, 2),
            )
        ] + [offset_at(each, topic, EARLIEST)]
        delete_topics(each, [topic + name for name in ("", "-compacted", "-both")])
    assert found[node.kind] == found[stock_node.kind]
    assert found[node.kind][6][-1] == (0, 4)


@pytest.fixture
def tidy_node(tmp_path: Path) -> Iterator[Node]:
    """A node that looks for old records twice a second."""
    node = make_node(
        node_class(),
        tmp_path,
        {
            "log.retention.check.interval.ms": "500",
            "log.initial.task.delay.ms": "500",
            "log.segment.delete.delay.ms": "500",
        },
    )
    try:
        node.start()
        yield node
    finally:
        node.close()


def test_old_records_go_with_their_files_and_stay_away(tidy_node: Node, tmp_path: Path) -> None:
    configs = {"retention.ms": "3600000", "segment.bytes": "1048576", "file.delete.delay.ms": "500"}
    create(tidy_node, "old", configs)
    create(tidy_node, "large", {"retention.bytes": "1500000", "segment.bytes": "1048576"})
    produce(tidy_node, "old", 3, timestamp_ms=int(time.time() * 1000) - 7_200_000, size=600_000)
    produce(tidy_node, "large", 5, size=600_000)
    wait_until(lambda: offset_at(tidy_node, "old", EARLIEST) == (3, 0), 20.0, "old records are gone")
    wait_until(lambda: offset_at(tidy_node, "large", EARLIEST) == (2, 0), 20.0, "the log is small enough")

    def logs() -> list[str]:
        return sorted(each.name for each in tmp_path.glob("**/old-0/*.log*"))

    wait_until(lambda: logs() == [f"{3:020}.log"], 20.0, "their files are removed")
    tidy_node.stop()
    tidy_node.start()
    assert offset_at(tidy_node, "old", EARLIEST)[0] == offset_at(tidy_node, "old", LATEST)[0] == 3
    assert offset_at(tidy_node, "large", EARLIEST)[0] == 2


def test_leaders_and_followers_of_both_makes_move_their_log_starts(tmp_path: Path) -> None:
    def make_broker(directory: Path, properties: Mapping[str, str]) -> Node:
        return (small_stock_node if properties["node.id"] == "101" else OurNode)(directory, properties)

    with Cluster(OurNode, make_broker, tmp_path, controllers=1) as cluster:
        cluster.format()
        cluster.start()
        cluster.create_topic("replicated", MIXED_PARTITIONS)
        wait_until_whole(cluster.running_brokers(), {"replicated": MIXED_PARTITIONS})
        producer = Producer({"bootstrap.servers": cluster.servers, "acks": "all", "log_level": 0})
        for number in range(MIXED_PARTITIONS * 4):
            producer.produce("replicated", b"v", partition=number % MIXED_PARTITIONS)
        assert producer.flush(30) == 0
        wanted = tmp_path / "offsets.json"
        partitions = [
            {"topic": "replicated", "partition": index, "offset": 3} for index in range(MIXED_PARTITIONS)
        ]
        wanted.write_text(json.dumps({"partitions": partitions, "version": 1}))
        printed = run_tool(
            "kafka-delete-records",
            "--bootstrap-server",
            cluster.servers,
            "--offset-json-file",
            str(wanted),
        ).output()
        # Each leader responds when all replicas, of whatever make, have deleted the records.
        for index in range(MIXED_PARTITIONS):
            assert f"partition: replicated-{index}\tlow_watermark: 3" in printed
