"""Apache Kafka and our node start on the same disk of an old broker, answer the same, and replicate it.

The logs are those that `record_old_formats` has recorded: message formats 0 and 1, plain and compressed.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, TopicPartition

from compat.cluster import Cluster, partitions, wait_until_whole
from compat.kafka.stock import StockNode, small_stock_node
from compat.kafka.tools import run_tool
from compat.node import Node
from compat.ours import OurNode
from compat.probe import Probe
from compat.process import wait_until
from compat.quorum import connect
from compat.topic_logs import compare_logs
from kafkaproto.messages import (
    AlterPartitionReassignmentsRequest,
    CreateTopicsRequest,
    FetchRequest,
    IncrementalAlterConfigsRequest,
    ListOffsetsRequest,
)
from kafkaproto.records.legacy import iterate_stored_batches
from tests.compat.support.nodes import SERVES_TIMEOUT_S, create, led_topics, make_node
from tests.support.old_logs import FOLDER, LOGS, RECORDS

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

TIMES = (0, 1_400_000_000_000, 1_400_000_003_500, 1_400_000_015_500, 1_400_000_025_000, 1_400_000_038_900)
SPECIAL_TIMES = (-1, -2, -3, -4)
LATE = 4_000_000_000_000
COMPACTED = ("v0-gzip", "v0-lz4", "v0-none", "v1-none", "v1-snappy", "v1-append-time-gzip", "mixed")
CLEANED_TIMEOUT_S = 60.0
STARTS_WITHOUT_TIMES = ("v1-compacted-none", "v1-compacted-lz4", "mixed")
"""Logs whose first segments have no timestamp, and later ones have. There Apache Kafka finds nothing by time: it takes
the time of such a segment's file for its largest timestamp, and looks into no other."""
FIRST_CLEANING = {"log.cleaner.backoff.ms": "200", "log.segment.delete.delay.ms": "0"}
TOPIC, GROUP = 2, 32


def old_disk(directory: Path) -> StockNode:
    """A node of Apache Kafka, stopped, with a topic for each log, whose partition 0 an old broker has written."""
    node = make_node(StockNode, directory, {**FIRST_CLEANING, "log.retention.ms": "-1"})
    assert isinstance(node, StockNode)
    node.start()
    for name in LOGS:
        create(node, name)
    node.stop()
    for name in LOGS:
        put_log(name, directory / "data" / f"{name}-0")
    return node


def put_log(log: str, folder: Path) -> None:
    """Put the files of an old log in the place of those of a partition."""
    for path in folder.iterdir():
        if path.name != "partition.metadata":
            path.unlink()
    for path in (FOLDER / log).iterdir():
        shutil.copy(path, folder)


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Node, Node]]:
    """Apache Kafka and ours, each with its copy of the disk, both running."""
    first = tmp_path_factory.mktemp("old")
    other = tmp_path_factory.mktemp("copy")
    stock = old_disk(first)
    shutil.copytree(first / "data", other / "data", dirs_exist_ok=True)
    ours = OurNode(other, {**stock.properties, **_own_ports(other)})
    try:
        for node in (stock, ours):
            node.start()
            wait_until(lambda: {*LOGS} <= {*led_topics(node)}, SERVES_TIMEOUT_S, "leaders")  # noqa: B023
        yield stock, ours
    finally:
        for node in (stock, ours):
            node.close()


def _own_ports(directory: Path) -> dict[str, str]:
    properties = make_node(OurNode, directory / "other").properties
    names = ("listeners", "controller.quorum.bootstrap.servers")
    return {**{name: properties[name] for name in names}, "log.dirs": str(directory / "data")}


def fetched(node: Node, topic: str, offset: int, version: int = 11) -> tuple[int, int, int, bytes]:
    """What a consumer gets from an offset on: error, high watermark, log start and the records."""
    partition = FetchRequest.FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=1 << 20)
    request = FetchRequest(
        replica_id=-1,
        max_wait_ms=100,
        min_bytes=1,
        topics=[FetchRequest.FetchTopic(topic=topic, partitions=[partition])],
    )
    with Probe(node.bootstrap_server) as probe:
        response: Any = probe.ask(request, version)
    found = response.responses[0].partitions[0]
    return found.error_code, found.high_watermark, found.log_start_offset, bytes(found.records or b"")


def all_records(node: Node, topic: str) -> list[list[Any]]:
    """The records of a log: offset, timestamp, key and value."""
    found: list[list[Any]] = []
    offset = 0
    while True:
        error, end, _, records = fetched(node, topic, offset)
        assert error == 0
        if offset >= end or not records:
            return found
        for view in iterate_stored_batches(records):
            view.check()
            for record in view.records():
                if record.offset >= offset:
                    found.append([record.offset, record.timestamp, _hex(record.key), _hex(record.value)])
            offset = view.next_offset


def _hex(data: bytes | None) -> str | None:
    return None if data is None else data.hex()


def listed(node: Node, topic: str, timestamp: int, version: int = 9) -> tuple[int, int, int, int]:
    """ListOffsets: error, timestamp, offset and leader epoch."""
    partition = ListOffsetsRequest.ListOffsetsPartition(partition_index=0, timestamp=timestamp)
    request = ListOffsetsRequest(
        replica_id=-1, topics=[ListOffsetsRequest.ListOffsetsTopic(name=topic, partitions=[partition])]
    )
    with Probe(node.bootstrap_server) as probe:
        response: Any = probe.ask(request, version)
    found = response.topics[0].partitions[0]
    return found.error_code, found.timestamp, found.offset, found.leader_epoch


@pytest.mark.parametrize("topic", LOGS)
def test_the_same_batches_are_fetched(nodes: tuple[Node, Node], topic: str) -> None:
    """From any offset, at the oldest and the newest version that both serve by topic name."""
    stock, ours = nodes
    assert all_records(ours, topic) == [[each[0], each[1], each[3], each[4]] for each in RECORDS[topic]]
    for version in (4, 12):
        for offset in (*range(0, 41, 5), 120):
            assert fetched(ours, topic, offset, version) == fetched(stock, topic, offset, version), offset


@pytest.mark.parametrize("topic", LOGS)
def test_records_are_found_by_time(nodes: tuple[Node, Node], topic: str) -> None:
    stock, ours = nodes
    times = sorted({*TIMES, *(each[1] + 1 for each in RECORDS[topic]), LATE})
    for timestamp in SPECIAL_TIMES:
        assert listed(ours, topic, timestamp) == listed(stock, topic, timestamp), timestamp
    for timestamp in times:
        found = listed(ours, topic, timestamp)
        first = next((each for each in RECORDS[topic] if each[1] >= timestamp), (-1, -1))
        assert found[:3] == (0, first[1], first[0]), timestamp
        if topic not in STARTS_WITHOUT_TIMES:
            assert found == listed(stock, topic, timestamp), timestamp
    for timestamp in times if topic in STARTS_WITHOUT_TIMES else ():
        assert listed(stock, topic, timestamp)[:3] == (0, -1, -1)


def test_librdkafka_reads_them(nodes: tuple[Node, Node]) -> None:
    _, ours = nodes
    consumer = Consumer(
        {"bootstrap.servers": ours.bootstrap_server, "group.id": "reader", "enable.auto.commit": False}
    )
    try:
        for log in LOGS:
            consumer.assign([TopicPartition(log, 0, 0)])
            found = consumer.consume(len(RECORDS[log]), SERVES_TIMEOUT_S)
            assert [[each.offset(), _hex(each.key()), _hex(each.value())] for each in found] == [
                [each[0], each[3], each[4]] for each in RECORDS[log]
            ]
    finally:
        consumer.close()


def _text(data: str | None) -> str:
    return "null" if data is None else bytes.fromhex(data).decode()


def test_the_java_consumer_reads_them(nodes: tuple[Node, Node]) -> None:
    _, ours = nodes
    shown = ("print.key=true", "print.offset=true", "print.timestamp=true")
    properties = [part for each in shown for part in ("--formatter-property", each)]
    for log in LOGS:
        printed = run_tool(
            "kafka-console-consumer",
            *(
                "--bootstrap-server",
                ours.bootstrap_server,
                "--topic",
                log,
                "--partition",
                "0",
                "--offset",
                "0",
            ),
            *("--max-messages", str(len(RECORDS[log])), *properties),
        )
        assert printed.stdout.splitlines() == [
            f"{kind}:{time_ms}\tOffset:{offset}\t{_text(key)}\t{_text(value)}"
            if time_ms >= 0
            else f"NO_TIMESTAMP\tOffset:{offset}\t{_text(key)}\t{_text(value)}"
            for offset, time_ms, kind, key, value in RECORDS[log]
        ]


def test_a_share_group_gets_each_record_once(nodes: tuple[Node, Node]) -> None:
    """Where a wrapper begins, only its records tell."""
    _, ours = nodes
    for log in ("v0-gzip", "v1-lz4", "v1-none", "mixed"):
        earliest_for_share_group(ours, f"share-{log}")
        printed = run_tool(
            "kafka-console-share-consumer",
            *("--bootstrap-server", ours.bootstrap_server, "--topic", log, "--group", f"share-{log}"),
            *("--max-messages", str(len(RECORDS[log])), "--timeout-ms", str(int(SERVES_TIMEOUT_S * 1000))),
        )
        assert printed.stdout.splitlines() == [_text(each[4]) for each in RECORDS[log]]


def earliest_for_share_group(node: Node, group: str) -> None:
    kafka = IncrementalAlterConfigsRequest
    config = kafka.AlterableConfig(name="share.auto.offset.reset", config_operation=0, value="earliest")
    resource = kafka.AlterConfigsResource(resource_type=GROUP, resource_name=group, configs=[config])
    with Probe(node.bootstrap_server) as probe:
        response: Any = probe.ask(kafka(resources=[resource]), 1)
    assert {each.error_code for each in response.responses} == {0}


def compact(node: Node, topics: tuple[str, ...]) -> None:
    """Have topics compacted: everything but the last segment is clean on return."""
    kafka = IncrementalAlterConfigsRequest
    configs = {
        "cleanup.policy": "compact",
        "min.cleanable.dirty.ratio": "0.0",
        "delete.retention.ms": "1000000",
    }
    resources = [
        kafka.AlterConfigsResource(
            resource_type=TOPIC,
            resource_name=topic,
            configs=[
                kafka.AlterableConfig(name=name, config_operation=0, value=value)
                for name, value in configs.items()
            ],
        )
        for topic in topics
    ]
    with Probe(node.bootstrap_server) as probe:
        response: Any = probe.ask(kafka(resources=resources), 1)
    assert {each.error_code for each in response.responses} == {0}
    checkpoint = node.directory / "data" / "cleaner-offset-checkpoint"
    lasts = {topic: max(int(path.stem) for path in (FOLDER / topic).glob("*.log")) for topic in topics}

    def is_clean() -> bool:
        if not checkpoint.exists():
            return False
        lines = checkpoint.read_text().splitlines()
        return all(f"{topic} 0 {last}" in lines for topic, last in lasts.items())

    wait_until(is_clean, CLEANED_TIMEOUT_S, "the cleaner")


def batches(node: Node, topic: str) -> list[dict[str, Any]]:
    """All batches of the files of a log, with their headers and records, but for what follows from the compression."""
    found = []
    for path in sorted((node.directory / "data" / f"{topic}-0").glob("*.log")):
        for view in iterate_stored_batches(path.read_bytes()):
            header = view.header()._asdict()
            horizon = view.delete_horizon_ms
            for name in ("crc", "batch_length"):
                del header[name]
            if horizon is not None:
                del header["base_timestamp"]
            found.append(
                {
                    "segment": path.name,
                    **header,
                    "records": list(view.records()),
                    "horizon": horizon is not None,
                }
            )
    return found


def test_the_cleaner_leaves_the_same(nodes: tuple[Node, Node]) -> None:
    """Old batches become batches of format 2. Runs last: it changes the logs."""
    stock, ours = nodes
    for node in (stock, ours):
        compact(node, COMPACTED)
    for topic in COMPACTED:
        assert batches(ours, topic) == batches(stock, topic)
        assert all_records(ours, topic) == all_records(stock, topic)
        for timestamp in (-1, -2, *TIMES, LATE) if topic not in STARTS_WITHOUT_TIMES else ():
            assert listed(ours, topic, timestamp) == listed(stock, topic, timestamp), (topic, timestamp)


STOCK, *OURS = range(101, 104)
LEADERS = (STOCK, OURS[0])


def test_followers_have_the_same_bytes(tmp_path: Path) -> None:
    """Ours of Apache Kafka, Apache Kafka of ours, and ours of ours; all logs, also after another start."""

    def make_broker(directory: Path, properties: Mapping[str, str]) -> Node:
        is_stock = int(properties["node.id"]) == STOCK
        return (small_stock_node if is_stock else OurNode)(directory, properties)

    topics = {f"{log}-{leader}": (log, leader) for log in LOGS for leader in LEADERS}
    with Cluster(OurNode, make_broker, tmp_path, controllers=1) as cluster:
        cluster.format()
        cluster.start()
        create_assigned(cluster, {topic: [leader] for topic, (_, leader) in topics.items()})
        brokers = cluster.brokers
        for node in brokers.values():
            node.stop()
        for topic, (log, leader) in topics.items():
            put_log(log, brokers[leader].data_directories[0] / f"{topic}-0")
        for node in brokers.values():
            node.start()
        counts = dict.fromkeys(topics, 1)
        wait_until_whole(cluster.running_brokers(), counts)
        reassign(
            cluster,
            {
                topic: [leader, *(each for each in brokers if each != leader)]
                for topic, (_, leader) in topics.items()
            },
        )
        wait_until_whole_of_three(cluster, counts)
        for _ in range(2):
            for topic, (log, leader) in topics.items():
                expected = [[each[0], each[1], each[3], each[4]] for each in RECORDS[log]]
                assert all_records(brokers[leader], topic) == expected
            for node in brokers.values():
                node.stop()
            for topic, (log, _) in topics.items():
                content = b"".join(path.read_bytes() for path in sorted((FOLDER / log).glob("*.log")))
                assert compare_logs(list(brokers.values()), topic) == (3, 3 * len(content))
            for node in brokers.values():
                node.start()
            wait_until_whole(cluster.running_brokers(), counts)


def create_assigned(cluster: Cluster, topics: Mapping[str, list[int]]) -> None:
    """Create topics of one partition with these replicas."""
    kafka = CreateTopicsRequest
    wanted = [
        kafka.CreatableTopic(
            name=name,
            num_partitions=-1,
            replication_factor=-1,
            assignments=[kafka.CreatableReplicaAssignment(partition_index=0, broker_ids=replicas)],
            configs=[kafka.CreatableTopicConfig(name="retention.ms", value="-1")],
        )
        for name, replicas in topics.items()
    ]
    with connect(next(iter(cluster.brokers.values())).bootstrap_server) as client:
        response: Any = client.send(kafka(topics=wanted, timeout_ms=20_000))
    assert {each.error_code for each in response.topics} == {0}
    wait_until_whole(cluster.running_brokers(), dict.fromkeys(topics, 1))


def reassign(cluster: Cluster, topics: Mapping[str, list[int]]) -> None:
    """Give topics of one partition other replicas."""
    kafka = AlterPartitionReassignmentsRequest
    wanted = [
        kafka.ReassignableTopic(
            name=name, partitions=[kafka.ReassignablePartition(partition_index=0, replicas=replicas)]
        )
        for name, replicas in topics.items()
    ]
    with connect(next(iter(cluster.brokers.values())).bootstrap_server) as client:
        response: Any = client.send(kafka(topics=wanted, timeout_ms=20_000))
    assert {each.error_code for topic in response.responses for each in topic.partitions} == {0}


def wait_until_whole_of_three(cluster: Cluster, counts: Mapping[str, int]) -> None:
    """Until each partition has three replicas, all in sync."""
    node = next(iter(cluster.brokers.values()))
    wait_until(
        lambda: all(
            len(each.isr_nodes) == len(each.replica_nodes) == 3
            for each in partitions(node.bootstrap_server, [*counts]).values()
        ),
        SERVES_TIMEOUT_S * 3,
        "all replicas to be in sync",
    )
