"""Replicas move between log directories: by the stock tools, and with the codes of Apache Kafka (KIP-113)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compat.kafka.stock import StockNode
from compat.kafka.tools import run_tool
from compat.node import Node
from compat.probe import Probe
from compat.process import wait_until
from kafkaproto.messages import (
    AlterReplicaLogDirsRequest,
    DescribeLogDirsRequest,
    IncrementalAlterConfigsRequest,
)
from tests.compat.support.nodes import SERVES_TIMEOUT_S, create, make_node, node_class

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

NAMES = ("a", "b")
LONG = "x" * 240
BROKER_RESOURCE = 4
RECORDS = 2000


def node_with_directories(make: type[Node], directory: Path) -> Node:
    """A running node with the log directories a and b, and its metadata log in m."""
    overrides = {
        "log.dirs": ",".join(str(directory / name) for name in NAMES),
        "metadata.log.dir": str(directory / "m"),
    }
    node = make_node(make, directory, overrides)
    node.start()
    return node


@pytest.fixture(scope="module")
def mover(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """The node under test."""
    node = node_with_directories(node_class(), tmp_path_factory.mktemp("mover"))
    try:
        yield node
    finally:
        node.close()


def path(node: Node, name: str) -> str:
    return str(node.directory / name)


def alter(node: Node, *wanted: tuple[str, str, int], version: int = 2) -> dict[tuple[str, int], int]:
    """Ask for directories of partitions: path, topic, index. Returns the error codes."""
    kafka = AlterReplicaLogDirsRequest
    by_path: dict[str, list[AlterReplicaLogDirsRequest.AlterReplicaLogDirTopic]] = {}
    for directory, name, index in wanted:
        by_path.setdefault(directory, []).append(kafka.AlterReplicaLogDirTopic(name=name, partitions=[index]))
    request = kafka(dirs=[kafka.AlterReplicaLogDir(path=each, topics=by_path[each]) for each in by_path])
    with Probe(node.bootstrap_server) as probe:
        response: Any = probe.ask(request, version)
    return {
        (topic.topic_name, each.partition_index): each.error_code
        for topic in response.results
        for each in topic.partitions
    }


def places(node: Node, topic: str, index: int = 0) -> tuple[list[str], list[str]]:
    """The directories that have a replica, and those that have a copy that is being made."""
    found: tuple[list[str], list[str]] = ([], [])
    with Probe(node.bootstrap_server) as probe:
        response: Any = probe.ask(DescribeLogDirsRequest(topics=None), 5)
    for result in response.results:
        for each in result.topics:
            for partition in each.partitions:
                if (each.name, partition.partition_index) == (topic, index):
                    found[partition.is_future_key].append(Path(result.log_dir).name)
    return found


def cordon(node: Node, *names: str) -> None:
    kafka = IncrementalAlterConfigsRequest
    value = ",".join(path(node, each) for each in names)
    config = kafka.AlterableConfig(name="cordoned.log.dirs", config_operation=0, value=value)
    resource = kafka.AlterConfigsResource(
        resource_type=BROKER_RESOURCE, resource_name=str(node.node_id), configs=[config]
    )
    with Probe(node.bootstrap_server) as probe:
        response: Any = probe.ask(kafka(resources=[resource]), 1)
    assert [each.error_code for each in response.responses] == [0]


def codes(node: Node) -> list[Any]:
    """What a node responds to a number of requests, one after the other."""
    for name in ("t", LONG):
        create(node, name)
    wait_until(lambda: len(places(node, "t")[0]) == 1, SERVES_TIMEOUT_S, "the replica to be there")
    (here,) = places(node, "t")[0]
    other = next(each for each in NAMES if each != here)
    a, b = path(node, here), path(node, other)
    found: list[Any] = []
    for version in (1, 2):
        for wanted in (
            [],
            [("/nowhere", "t", 0)],
            [("", "t", 0)],
            [(here, "t", 0)],
            [(f"{a}/", "t", 0)],
            [(a, LONG, 0), (b, LONG, 1)],
            [(a, "unknown", 0), (b, "a b", 0), (b, "t", 9), (b, "t", -1)],
            [("/nowhere", "unknown", 0)],
            [(a, "t", 0)],
            [("/nowhere", "t", 0), (a, "t", 0)],
            [(a, "t", 0), ("/nowhere", "t", 0)],
        ):
            found.append(sorted(alter(node, *wanted, version=version).items()))
    found.append(alter(node, (b, "t", 0)))
    wait_until(lambda: places(node, "t") == ([other], []), SERVES_TIMEOUT_S, "the replica to move")
    cordon(node, here)
    found.append(alter_once_cordoned(node, a))
    found.append(alter(node, (b, "t", 0)))
    return found


def alter_once_cordoned(node: Node, directory: str) -> dict[tuple[str, int], int]:
    """A broker learns of its configs a moment later: nothing moves that is not there."""
    results: list[dict[tuple[str, int], int]] = []

    def is_cordoned() -> bool:
        results.append(alter(node, (directory, "unknown", 0)))
        return results[-1] != results[0] or results[0] == {("unknown", 0): 39}

    wait_until(is_cordoned, SERVES_TIMEOUT_S, "the directory to be cordoned")
    return {**results[-1], **alter(node, (directory, "t", 0))}


def test_the_codes_are_those_of_kafka(mover: Node, tmp_path: Path) -> None:
    stock = node_with_directories(StockNode, tmp_path)
    try:
        expected = codes(stock)
    finally:
        stock.close()
    assert codes(mover) == expected


def reassign(node: Node, directory: Path, log_dir: str, *arguments: str) -> str:
    """What kafka-reassign-partitions prints for a plan that has partition 0 in a log directory."""
    plan = directory / "plan.json"
    wanted = {"topic": "moved", "partition": 0, "replicas": [node.node_id], "log_dirs": [log_dir]}
    plan.write_text(json.dumps({"version": 1, "partitions": [wanted]}))
    tool = ("kafka-reassign-partitions", "--bootstrap-server", node.bootstrap_server)
    return run_tool(*tool, "--reassignment-json-file", str(plan), *arguments).output()


def described(node: Node) -> list[tuple[str, bool]]:
    """Directory and future key of each replica of partition 0, as kafka-log-dirs prints it."""
    tool = ("kafka-log-dirs", "--bootstrap-server", node.bootstrap_server, "--describe")
    printed = run_tool(*tool, "--topic-list", "moved").output()
    line = next(each for each in printed.splitlines() if each.startswith("{"))
    (broker,) = json.loads(line)["brokers"]
    return sorted(
        (Path(each["logDir"]).name, partition["isFuture"])
        for each in broker["logDirs"]
        for partition in each["partitions"]
        if partition["partition"] == "moved-0"
    )


def test_the_stock_tools_move_a_replica(mover: Node, tmp_path: Path) -> None:
    node = mover
    cordon(node)
    create(node, "moved")
    tool = ("kafka-console-producer", "--bootstrap-server", node.bootstrap_server, "--topic", "moved")
    lines = "".join(f"{number:0500}\n" for number in range(RECORDS))
    run_tool(*tool, "--producer-property", "partitioner.ignore.keys=true", stdin=lines).output()
    (here,) = places(node, "moved")[0]
    other = next(each for each in NAMES if each != here)

    # As slow as this, it takes longer than the test.
    throttle = ("--replica-alter-log-dirs-throttle", "1000")
    printed = reassign(node, tmp_path, path(node, other), "--execute", *throttle)
    assert f"moving log directory to {path(node, other)} for replica moved-0" in printed
    assert described(node) == sorted([(here, False), (other, True)])
    printed = reassign(node, tmp_path, path(node, other), "--verify", "--preserve-throttles")
    assert f"Reassignment of replica moved-0-{node.node_id} is still in progress" in printed

    # Any directory: it moves nowhere.
    reassign(node, tmp_path, "any", "--execute", "--additional")
    assert described(node) == sorted([(here, False), (other, True)])

    # The throttle goes with the move.
    printed = reassign(node, tmp_path, path(node, other), "--cancel")
    assert "moved-0" in printed
    wait_until(lambda: places(node, "moved") == ([here], []), SERVES_TIMEOUT_S, "the move to be given up")
    reassign(node, tmp_path, path(node, other), "--execute")
    wait_until(lambda: places(node, "moved") == ([other], []), SERVES_TIMEOUT_S, "the replica to move")
    assert described(node) == [(other, False)]
    printed = reassign(node, tmp_path, path(node, other), "--verify")
    assert f"Reassignment of replica moved-0-{node.node_id} completed successfully" in printed
