"""Clients that others wrote, unchanged, each listing the cluster and creating, describing and deleting a topic.

Every client has a small program in compat/CLIENT/ that prints what it saw in one common form; compat/README.md
describes that form. The expectations are what each of them sees of a stock node.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from compat.node import Node
from tests.compat.support.nodes import CLUSTER_ID, PARTITIONS, create

pytestmark = [pytest.mark.clients, pytest.mark.slow]

COMPAT = Path(__file__).resolve().parents[2] / "compat"
CLIENT_TIMEOUT_S = 60.0
TOUR_PARTITIONS = 3
TOPIC_ALREADY_EXISTS = 36

TOURS = {
    "kafka-python": [sys.executable, str(COMPAT / "kafka_python" / "tour.py")],
    "confluent-kafka": [sys.executable, str(COMPAT / "confluent_kafka" / "tour.py")],
    "aiokafka": [sys.executable, str(COMPAT / "aiokafka" / "tour.py")],
    "kafkajs": ["node", str(COMPAT / "kafkajs" / "tour.js")],
    "franz-go": [str(COMPAT / ".cache" / "go" / "tour")],
}
# Those that can ask who leads the metadata quorum.
ASK_THE_QUORUM = {"kafka-python", "franz-go"}


def run(command: list[str]) -> str:
    """What a client's program prints; fails the test with all it said if it ends with an error."""
    environment = {**os.environ, "NODE_PATH": str(COMPAT / ".cache" / "kafkajs" / "node_modules")}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=CLIENT_TIMEOUT_S, env=environment, check=False
        )
    except FileNotFoundError as error:
        pytest.fail(f"{error}: run compat/install --clients")
    assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def kafka_admin(node: Node, *arguments: str) -> Any:
    """What `python -m kafka.admin` of kafka-python answers, as JSON."""
    command = [sys.executable, "-m", "kafka.admin", "--bootstrap-servers", node.bootstrap_server]
    return json.loads(run([*command, "--format", "json", *arguments]))


def kcat(node: Node, *arguments: str) -> str:
    """What `kcat -L` prints about the cluster."""
    return run(["kcat", "-b", node.bootstrap_server, "-L", *arguments])


def host_and_port(node: Node) -> dict[str, Any]:
    """The broker's address in the form in which clients print it."""
    host, port = node.bootstrap_server.split(":")
    return {"host": host, "port": int(port)}


@pytest.mark.parametrize("client", TOURS)
def test_a_client_tours_the_cluster(node: Node, topic: str, client: str) -> None:
    seen = json.loads(run([*TOURS[client], node.bootstrap_server, topic]))

    assert seen["client"].startswith(client)
    assert seen["cluster_id"] == CLUSTER_ID
    assert seen["controller"] == 1
    assert seen["brokers"] == [{"id": 1, **host_and_port(node)}]
    assert topic not in seen["topics_before"]
    assert seen["create_again"] == TOPIC_ALREADY_EXISTS
    assert seen["partitions"] == [
        {"partition": index, "leader": 1, "replicas": [1], "isr": [1]} for index in range(TOUR_PARTITIONS)
    ]
    assert topic in seen["topics_with"]
    assert topic not in seen["topics_after"]
    if client in ASK_THE_QUORUM:
        assert seen["quorum"] == {"leader": 1, "voters": [1]}


def test_kcat_lists_brokers_and_topics(node: Node, topic: str) -> None:
    create(node, topic)
    listed = json.loads(kcat(node, "-J"))
    kafka_admin(node, "topics", "delete", "--topic", topic)

    assert listed["controllerid"] == 1
    assert listed["brokers"] == [{"id": 1, "name": node.bootstrap_server}]
    assert [entry["partitions"] for entry in listed["topics"] if entry["topic"] == topic] == [
        [
            {"partition": index, "leader": 1, "replicas": [{"id": 1}], "isrs": [{"id": 1}]}
            for index in range(PARTITIONS)
        ]
    ]


def test_kcat_prints_the_cluster_for_people(node: Node) -> None:
    lines = kcat(node).splitlines()
    assert " 1 brokers:" in lines
    assert f"  broker 1 at {node.bootstrap_server} (controller)" in lines


def test_kafka_admin_describes_the_cluster(node: Node) -> None:
    described = kafka_admin(node, "cluster", "describe")
    assert described.pop("brokers") == [
        {"broker_id": 1, "rack": None, "is_fenced": False, **host_and_port(node)}
    ]
    # Without an authorizer everybody may do everything that there is to do to a cluster.
    assert len(described.pop("authorized_operations")) == 7
    assert described == {"cluster_id": CLUSTER_ID, "controller_id": 1}


def test_kafka_admin_describes_the_quorum(node: Node) -> None:
    described = kafka_admin(node, "cluster", "describe-quorum")
    host, port = node.bootstrap_controller.split(":")
    assert described["nodes"] == [
        {"node_id": 1, "listeners": [{"name": "CONTROLLER", "host": host, "port": int(port)}]}
    ]
    (partition,) = described["topics"][0]["partitions"]
    (voter,) = partition["current_voters"]
    assert (partition["leader_id"], partition["observers"]) == (1, [])
    assert voter["replica_id"] == 1
    assert voter["log_end_offset"] >= partition["high_watermark"] > 0


def test_kafka_admin_describes_features(node: Node) -> None:
    described = kafka_admin(node, "cluster", "describe-features")
    assert {name: feature["finalized"] for name, feature in described.items()} == {
        "eligible.leader.replicas.version": [1, 1],
        "group.version": [1, 1],
        "kraft.version": [1, 1],
        "metadata.version": [33, 33],
        "share.version": [2, 2],
        "streams.version": [1, 1],
        "transaction.version": [2, 2],
    }


def test_kafka_admin_runs_a_topic_from_create_to_delete(node: Node, topic: str) -> None:
    create = ["--topic", topic, "--num-partitions", "2", "--replication-factor", "1"]
    (created,) = kafka_admin(node, "topics", "create", *create)["topics"]
    assert (created["name"], created["num_partitions"], created["replication_factor"]) == (topic, 2, 1)
    assert created["configs"]["retention.ms"]["value"] == "604800000"
    assert topic in kafka_admin(node, "topics", "list")

    (described,) = kafka_admin(node, "topics", "describe", "--topic", topic)
    assert described["topic_id"] == created["topic_id"]
    assert described["is_internal"] is False
    assert len(described["authorized_operations"]) == 8
    (by_id,) = kafka_admin(node, "topics", "describe", "--id", described["topic_id"])
    assert by_id == described

    (deleted,) = kafka_admin(node, "topics", "delete", "--topic", topic)["topics"]
    assert (deleted["name"], deleted["error_code"]) == (topic, 0)
    assert topic not in kafka_admin(node, "topics", "list")
