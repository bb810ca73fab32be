"""A share group on a broker of Apache Kafka, whose state our broker keeps.

The brokers of both are in one cluster. The stock one leads the topic and coordinates the group, ours leads
``__share_group_state``. One consumer reads half of the records. Then both brokers are killed and start again, so that
the stock one has to read from ours what became of the records, and another consumer reads the other half.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from compat.cluster import alive_brokers
from compat.kafka.stock import StockNode
from compat.kafka.tools import run_tool
from compat.node import Node, combined_properties
from compat.ours import OurNode
from compat.ports import free_port
from compat.process import wait_until
from compat.quorum import connect
from compat.runs.telling import Tell
from kafkaproto.messages import CreateTopicsRequest, CreateTopicsResponse

OURS, STOCK = 1, 2
TOPIC, GROUP = "shared", "sharers"
PARTITIONS = 2
RECORDS = 40
WAIT_S = 90.0
CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"
SETTINGS = {
    "auto.create.topics.enable": "false",
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    "offsets.topic.num.partitions": "1",
    "share.coordinator.state.topic.num.partitions": str(PARTITIONS),
    # Leases of a consumer that was killed end with its session.
    "group.share.min.session.timeout.ms": "1000",
    "group.share.session.timeout.ms": "6000",
    "group.share.min.heartbeat.interval.ms": "500",
    "group.share.heartbeat.interval.ms": "500",
}


class ShareStateError(Exception):
    """A record was not read once, or the state is not what it has to be."""


def run(folder: Path, *, tell: Tell) -> None:
    """The whole story. Raises ShareStateError, or what a node or tool raises."""
    nodes = _nodes(folder)
    try:
        for node in nodes:
            node.start()
        wait_until(lambda: alive_brokers(nodes[0]) == {OURS, STOCK}, WAIT_S, "both brokers")
        _create_topics(nodes[0])
        tool = partial(_tool, nodes[1])
        earliest = "share.auto.offset.reset=earliest"
        tool(
            "kafka-configs",
            "--alter",
            "--entity-type",
            "groups",
            "--entity-name",
            GROUP,
            "--add-config",
            earliest,
        )
        lines = [f"line {number}" for number in range(RECORDS)]
        tool("kafka-console-producer", "--topic", TOPIC, stdin="".join(f"{line}\n" for line in lines))
        read = _read(nodes[1], RECORDS // 2)
        tell(f"read {len(read)} records; both brokers are killed")
        for node in nodes:
            node.kill()
        for node in nodes:
            node.start()
        wait_until(lambda: alive_brokers(nodes[0]) == {OURS, STOCK}, WAIT_S, "both brokers")
        read += _read(nodes[1], RECORDS - len(read))
        if sorted(read) != sorted(lines):
            raise ShareStateError(f"{len(read)} records, {len(set(lines) - set(read))} are missing: {read}")
        tell(f"read all {len(read)} records, each of them once")
        described = tool("kafka-share-groups", "--describe", "--group", GROUP)
        if described.count(TOPIC) != PARTITIONS:
            raise ShareStateError(f"kafka-share-groups: {described}")
        tool("kafka-share-groups", "--delete", "--group", GROUP)
        tell("kafka-share-groups has described the group and deleted it")
    finally:
        for node in reversed(nodes):
            node.close()


def _nodes(folder: Path) -> tuple[Node, Node]:
    """Ours, with the controller, and the stock broker."""
    of_ours = combined_properties(folder / "ours", OURS)
    ours = OurNode(folder / "node-ours", {**of_ours, **SETTINGS})
    of_stock = {
        "process.roles": "broker",
        "node.id": str(STOCK),
        "listeners": f"PLAINTEXT://127.0.0.1:{free_port()}",
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.bootstrap.servers": of_ours["controller.quorum.bootstrap.servers"],
        "log.dirs": str(folder / "stock"),
        **SETTINGS,
    }
    stock = StockNode(folder / "node-stock", of_stock)
    ours.format(CLUSTER_ID)
    stock.format(CLUSTER_ID, ())
    return ours, stock


def _create_topics(node: Node) -> None:
    """Each with the broker that is to lead it as its only replica."""
    request = CreateTopicsRequest
    topics = [
        request.CreatableTopic(
            name=name,
            num_partitions=-1,
            replication_factor=-1,
            assignments=[
                request.CreatableReplicaAssignment(partition_index=index, broker_ids=[leader])
                for index in range(partitions)
            ],
            configs=[request.CreatableTopicConfig(name="cleanup.policy", value=policy)],
        )
        for name, partitions, leader, policy in (
            ("__share_group_state", PARTITIONS, OURS, "delete"),
            ("__consumer_offsets", 1, STOCK, "compact"),
            (TOPIC, PARTITIONS, STOCK, "delete"),
        )
    ]
    with connect(node.bootstrap_server) as client:
        response = client.send(request(topics=topics, timeout_ms=10_000))
    assert isinstance(response, CreateTopicsResponse)
    codes = [each.error_code for each in response.topics]
    if any(codes):
        raise ShareStateError(f"the topics could not be created: {codes}")


def _tool(node: Node, name: str, *arguments: str, stdin: str | None = None) -> str:
    return run_tool(name, "--bootstrap-server", node.bootstrap_server, *arguments, stdin=stdin).output()


def _read(node: Node, records: int) -> list[str]:
    """What a consumer of the group reads that ends after so many records."""
    return _tool(
        node, "kafka-console-share-consumer", "--topic", TOPIC, "--group", GROUP,
        "--max-messages", str(records), "--timeout-ms", "60000",
    ).split("\n")[:records]  # fmt: skip
