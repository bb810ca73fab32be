"""The files of a node, read by Apache Kafka: by its tools, and by a stock server started on them.

The same short life is given to the node under test and to a stock node, so that their logs can be compared record
by record; and each implementation is then started on the directory that the other one wrote.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compat.kafka.shell import ask_shell
from compat.kafka.stock import StockNode
from compat.kafka.tools import run_tool
from compat.node import Node, combined_properties
from compat.ours import OurNode
from compat.process import wait_until
from tests.compat.support.nodes import (
    CLUSTER_ID,
    PARTITIONS,
    SERVES_TIMEOUT_S,
    SHORT_SESSION,
    create,
    led_topics,
    make_node,
    metadata,
    node_class,
)

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

FIRST_SEGMENT = "00000000000000000000"
BOOTSTRAP_SNAPSHOT = "00000000000000000000-0000000000.checkpoint"
TOPIC = "kept"
FINALIZED = re.compile(r"^Feature: (\S+).* FinalizedVersionLevel: (\S+)", re.MULTILINE)
# What every node has of its own: its ids, ports and epochs.
OWN_FIELDS = {"incarnationId", "topicId", "directories", "logDirs", "brokerEpoch", "port", "voterDirectoryId"}


@pytest.fixture(scope="module")
def lived_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A stopped node of the make under test that has had one topic."""
    yield from _lived(make_node(node_class(), tmp_path_factory.mktemp("lived"), SHORT_SESSION))


@pytest.fixture(scope="module")
def lived_stock_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A stock node after the same life."""
    yield from _lived(make_node(StockNode, tmp_path_factory.mktemp("lived-stock"), SHORT_SESSION))


def _lived(node: Node) -> Iterator[Node]:
    try:
        node.start()
        create(node, TOPIC, {"retention.ms": "1000"})
        node.stop()
        yield node
    finally:
        node.close()


def dumped(node: Node, file_name: str) -> str:
    """What kafka-dump-log prints of a file of the metadata log."""
    return dumped_file(node.metadata_log_directory / file_name)


def dumped_file(path: Path) -> str:
    """What kafka-dump-log prints of a file; it must have nothing to complain of."""
    result = run_tool("kafka-dump-log", "--cluster-metadata-decoder", "--files", str(path))
    assert result.stderr == "", result
    return result.output()


def control_records(dump: str) -> list[tuple[str, Any]]:
    """Name and content of the control records in a dump."""
    found = re.findall(r"headerKeys: \[\] (\w+):? (\{.*\})$", dump, re.MULTILINE)
    return [(name, _without_own(json.loads(content))) for name, content in found if name != "payload"]


def metadata_records(dump: str) -> list[Any]:
    """The metadata records in a dump, but for no-ops, whose number depends on how long the node lived."""
    found = [json.loads(content) for content in re.findall(r" payload: (\{.*\})$", dump, re.MULTILINE)]
    return [_without_own(record) for record in found if record["type"] != "NO_OP_RECORD"]


def _without_own(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_own(element) for element in value]
    if isinstance(value, dict):
        return {
            name: "its own" if name in OWN_FIELDS else _in_order(name, _without_own(content))
            for name, content in value.items()
        }
    return value


def _in_order(name: str, content: Any) -> Any:
    # Kafka writes the supported features of a node in the order of a hash table, metadata.version among them, of
    # which another implementation may support fewer levels.
    if name != "features":
        return content
    return sorted((entry["name"], entry["maxSupportedVersion"]) for entry in content)


def of_type(records: list[Any], *types: str) -> list[Any]:
    """The records of these types, in their order."""
    return [record for record in records if record["type"] in types]


def test_storage_info_finds_nothing_wrong(lived_node: Node) -> None:
    identity = lived_node.meta_properties
    printed = run_tool("kafka-storage", "info", "--config", str(lived_node.properties_path)).output()
    assert f"Found log directory:\n  {lived_node.data_directory}\n" in printed
    assert (
        f"Found metadata: {{cluster.id={CLUSTER_ID}, directory.id={identity['directory.id']}, node.id=1, version=1}}"
    ) in printed


def test_the_control_records_are_kafkas(lived_node: Node, lived_stock_node: Node) -> None:
    told = control_records(dumped(lived_node, f"{FIRST_SEGMENT}.log"))
    assert [name for name, _ in told] == ["LeaderChange", "KRaftVersion", "KRaftVoters"]
    assert told == control_records(dumped(lived_stock_node, f"{FIRST_SEGMENT}.log"))


def test_the_bootstrap_snapshot_is_kafkas(lived_node: Node, lived_stock_node: Node) -> None:
    told, right = (
        control_records(dumped(node, BOOTSTRAP_SNAPSHOT)) for node in (lived_node, lived_stock_node)
    )
    for records in (told, right):
        assert records[0][0] == "SnapshotHeader"
        assert records[0][1].pop("lastContainedLogTimestamp") > 0
    assert told == right


@pytest.mark.parametrize(
    "types",
    [
        pytest.param(
            (
                "BEGIN_TRANSACTION_RECORD",
                "FEATURE_LEVEL_RECORD",
                "CONFIG_RECORD",
                "END_TRANSACTION_RECORD",
            ),
            id="bootstrap",
        ),
        pytest.param(("REGISTER_CONTROLLER_RECORD",), id="controller"),
        pytest.param(("REGISTER_BROKER_RECORD",), id="broker"),
        pytest.param(("TOPIC_RECORD", "CONFIG_RECORD", "PARTITION_RECORD"), id="topics"),
        pytest.param(("PARTITION_CHANGE_RECORD",), id="partition-changes"),
    ],
)
def test_the_metadata_records_are_kafkas(
    lived_node: Node, lived_stock_node: Node, types: tuple[str, ...]
) -> None:
    told, right = (
        of_type(metadata_records(dumped(node, f"{FIRST_SEGMENT}.log")), *types)
        for node in (lived_node, lived_stock_node)
    )
    assert right
    assert told == right


def test_the_brokers_comings_and_goings_are_kafkas(lived_node: Node, lived_stock_node: Node) -> None:
    # The first heartbeat reports the log directories, and may come before or after the one that ends the fencing.
    told, right = (
        of_type(metadata_records(dumped(node, f"{FIRST_SEGMENT}.log")), "BROKER_REGISTRATION_CHANGE_RECORD")
        for node in (lived_node, lived_stock_node)
    )
    assert right
    assert sorted(told, key=str) == sorted(right, key=str)


@pytest.mark.parametrize("suffix", ["index", "timeindex"])
def test_the_indexes_agree_with_the_log(tmp_path: Path, lived_node: Node, suffix: str) -> None:
    for each, entry_size in (("log", 1), ("index", 8), ("timeindex", 12)):
        name = f"{FIRST_SEGMENT}.{each}"
        content = (lived_node.metadata_log_directory / name).read_bytes()
        # A stock node of 4.4 leaves indexes at their full size, of which the tool takes the first bytes for an entry.
        used = -(-len(content.rstrip(b"\0")) // entry_size) * entry_size
        (tmp_path / name).write_bytes(content if each == "log" else content[:used])
    printed = dumped_file(tmp_path / f"{FIRST_SEGMENT}.{suffix}")
    assert "mismatch" not in printed.lower()
    assert "Found" not in printed


def test_the_metadata_shell_walks_through_the_log(lived_node: Node) -> None:
    log = lived_node.metadata_log_directory / f"{FIRST_SEGMENT}.log"
    found, partition = ask_shell(log, ["find /image", f"cat /image/topics/byName/{TOPIC}/0"])
    assert {
        f"/image/topics/byName/{TOPIC}/{PARTITIONS - 1}",
        "/image/cluster/brokers/1",
        "/image/cluster/controllers/1",
    } <= set(found.split())
    assert "replicas=[1]," in partition


@pytest.mark.parametrize("has_static_voters", [False, True], ids=["dynamic", "static"])
def test_we_begin_with_what_kafkas_tool_formatted(tmp_path: Path, *, has_static_voters: bool) -> None:
    properties = combined_properties(tmp_path / "data")
    quorum: tuple[str, ...] = ("--standalone",)
    if has_static_voters:
        quorum = ()
        properties["controller.quorum.voters"] = f"1@{properties.pop('controller.quorum.bootstrap.servers')}"
    user = "SCRAM-SHA-256=[name=alice,password=secret]"
    options = (*quorum, "--release-version", "4.0-IV3", "--add-scram", user)
    StockNode(tmp_path, properties).format(CLUSTER_ID, options)
    node = OurNode(tmp_path, properties)
    try:
        node.start()
        bootstrap = ("--bootstrap-server", node.bootstrap_server)
        levels = dict(FINALIZED.findall(run_tool("kafka-features", *bootstrap, "describe").output()))
        assert (levels["metadata.version"], levels["group.version"]) == ("4.0-IV3", "1")
        users = run_tool("kafka-configs", *bootstrap, "--describe", "--entity-type", "users").output()
        assert "'alice' are SCRAM-SHA-256=iterations=4096" in users
    finally:
        node.close()


@pytest.mark.parametrize(
    ("first", "second"),
    [(OurNode, StockNode), (StockNode, OurNode)],
    ids=["ours-then-stock", "stock-then-ours"],
)
def test_one_make_goes_on_where_the_other_stopped(
    tmp_path: Path, first: type[Node], second: type[Node]
) -> None:
    before = make_node(first, tmp_path, SHORT_SESSION)
    after = second(tmp_path, before.properties)
    try:
        before.start()
        create(before, TOPIC)
        topics, identity = led_topics(before), before.meta_properties
        before.stop()

        after.start()
        wait_until(lambda: led_topics(after) == topics, SERVES_TIMEOUT_S, f"{after.kind} to lead {TOPIC}")
        assert metadata(after).cluster_id == CLUSTER_ID
        create(after, "later")
        after.stop()

        before.start()
        wait_until(
            lambda: led_topics(before).keys() == {TOPIC, "later"},
            SERVES_TIMEOUT_S,
            f"{before.kind} to lead both",
        )
        assert before.meta_properties == identity
    finally:
        before.close()
        after.close()
