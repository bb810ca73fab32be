"""Apache Kafka's own command-line tools against a running node: what a user types first.

Each expectation was written from what the tool prints about a stock node of the same release.
"""

import json
import re

import pytest
from click.testing import CliRunner

from compat.kafka.tools import ToolResult, run_tool
from compat.node import Node
from kafkaproto_server.tools.quorum.cluster import cli as kafka_cluster

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

# Name, highest supported level and finalised level of every feature of the release, as kafka-features prints them. The
# tool is of an older release than the node, as long as Maven has no newer one, and has no name for the newest level.
FEATURES = {
    "eligible.leader.replicas.version": ("1", "1"),
    "group.version": ("1", "1"),
    "kraft.version": ("1", "1"),
    "metadata.version": ("UNKNOWN 33", "UNKNOWN 33"),
    "share.version": ("2", "2"),
    "streams.version": ("1", "1"),
    "transaction.version": ("2", "2"),
}
# The lowest level is 0 for all but this one, of which a server may leave out the oldest.
LOWEST_METADATA_VERSIONS = {"3.3-IV3", "3.9-IV0"}


@pytest.fixture(params=["broker", "controller"])
def bootstrap(request: pytest.FixtureRequest, node: Node) -> tuple[str, str]:
    """The option and the address that make a tool ask the one or the other listener."""
    if request.param == "broker":
        return "--bootstrap-server", node.bootstrap_server
    return "--bootstrap-controller", node.bootstrap_controller


def topics(node: Node, *arguments: str) -> ToolResult:
    """One run of kafka-topics."""
    return run_tool("kafka-topics", "--bootstrap-server", node.bootstrap_server, *arguments)


def fields(line: str) -> dict[str, str]:
    """`Name: value` pairs of a line of tab-separated ones."""
    pairs = (part.split(":", 1) for part in line.strip("\n").split("\t") if part)
    return {name: value.strip() for name, value in pairs}


def listed_topics(node: Node) -> list[str]:
    """What kafka-topics --list prints."""
    return topics(node, "--list").output().split()


def test_metadata_quorum_status_names_the_leader_and_the_voters(
    node: Node, bootstrap: tuple[str, str]
) -> None:
    printed = run_tool("kafka-metadata-quorum", *bootstrap, "describe", "--status").output()
    status = {name: value.strip() for name, value in (line.split(":", 1) for line in printed.splitlines())}

    voters = json.loads(status.pop("CurrentVoters"))
    assert int(status.pop("HighWatermark")) > 0
    assert int(status.pop("LeaderEpoch")) > 0
    assert status == {
        "ClusterId": node.meta_properties["cluster.id"],
        "LeaderId": "1",
        "MaxFollowerLag": "0",
        "MaxFollowerLagTimeMs": "0",
        "CurrentObservers": "[]",
    }
    assert voters == [
        {
            "id": 1,
            "directoryId": node.meta_properties["directory.id"],
            "endpoints": [f"CONTROLLER://{node.bootstrap_controller}"],
        }
    ]


def test_metadata_quorum_replication_shows_the_leader_without_lag(
    node: Node, bootstrap: tuple[str, str]
) -> None:
    printed = run_tool("kafka-metadata-quorum", *bootstrap, "describe", "--replication").output()
    heading, row = printed.splitlines()
    shown = dict(zip(heading.split(), row.split(), strict=True))

    assert int(shown.pop("LogEndOffset")) > 0
    # The leader speaks of itself: both times are its own clock at the answer.
    assert int(shown.pop("LastFetchTimestamp")) == int(shown.pop("LastCaughtUpTimestamp")) > 0
    assert shown == {
        "NodeId": "1",
        "DirectoryId": node.meta_properties["directory.id"],
        "Lag": "0",
        "Status": "Leader",
    }


def test_metadata_quorum_replication_for_humans_says_how_long_ago(bootstrap: tuple[str, str]) -> None:
    # The tool refuses timestamps of the future, so this also says that the leader's clock is not ahead.
    arguments = ["describe", "--replication", "--human-readable"]
    printed = run_tool("kafka-metadata-quorum", *bootstrap, *arguments).output()
    assert len(re.findall(r"\d+ ms ago", printed)) == 2


def told_by_both(*arguments: str) -> str:
    """What Kafka's kafka-cluster prints, which is what ours prints, blanks at the ends of lines included."""
    printed = run_tool("kafka-cluster", *arguments).output()
    assert CliRunner().invoke(kafka_cluster, arguments).output == printed
    return printed


def test_cluster_id_is_the_formatted_one(node: Node, bootstrap: tuple[str, str]) -> None:
    printed = told_by_both("cluster-id", *bootstrap)
    assert printed.strip() == f"Cluster ID: {node.meta_properties['cluster.id']}"


def test_list_endpoints_shows_the_broker(node: Node) -> None:
    printed = told_by_both("list-endpoints", "--bootstrap-server", node.bootstrap_server)
    host, port = node.bootstrap_server.split(":")
    assert [line.split() for line in printed.splitlines()] == [
        ["ID", "HOST", "PORT", "RACK", "STATE", "ENDPOINT_TYPE"],
        ["1", host, port, "null", "unfenced", "broker"],
    ]


def test_list_endpoints_shows_the_controller(node: Node) -> None:
    printed = told_by_both("list-endpoints", "--bootstrap-controller", node.bootstrap_controller)
    host, port = node.bootstrap_controller.split(":")
    assert [line.split() for line in printed.splitlines()] == [
        ["ID", "HOST", "PORT", "RACK", "ENDPOINT_TYPE"],
        ["1", host, port, "null", "controller"],
    ]


def test_features_are_those_of_the_release(bootstrap: tuple[str, str]) -> None:
    printed = run_tool("kafka-features", *bootstrap, "describe").output()
    shown = {}
    for line in printed.splitlines():
        row = dict(re.findall(r"(\w+): (\S+(?: \d+)?)", line))
        shown[row["Feature"]] = row

    assert {
        name: (row["SupportedMaxVersion"], row["FinalizedVersionLevel"]) for name, row in shown.items()
    } == FEATURES
    assert shown.pop("metadata.version")["SupportedMinVersion"] in LOWEST_METADATA_VERSIONS
    assert {row["SupportedMinVersion"] for row in shown.values()} == {"0"}
    assert len({row["Epoch"] for row in shown.values()}) == 1


def test_a_tool_told_that_a_broker_is_a_controller_gives_up_at_once(node: Node) -> None:
    result = run_tool("kafka-cluster", "cluster-id", "--bootstrap-controller", node.bootstrap_server)
    assert result.exit_code == 1
    assert "MismatchedEndpointTypeException" in result.stderr


def test_a_tool_told_that_a_controller_is_a_broker_gives_up_at_once(node: Node) -> None:
    result = run_tool("kafka-cluster", "cluster-id", "--bootstrap-server", node.bootstrap_controller)
    assert result.exit_code == 1
    assert "The node does not support METADATA" in result.stderr


def test_broker_api_versions_lists_what_the_java_client_needs(node: Node) -> None:
    arguments = ["--bootstrap-server", node.bootstrap_server]
    heading, *rows = run_tool("kafka-broker-api-versions", *arguments).output().splitlines()
    assert heading == f"{node.bootstrap_server} (id: 1 rack: null isFenced: false) -> ("

    usable = {}
    for row in rows:
        if found := re.fullmatch(r"\t(\w+)\((\d+)\): \d+(?: to \d+)? \[usable: (\d+)\],?", row):
            usable[found[1]] = int(found[3])
    needed = {
        "Metadata": 13,
        "ApiVersions": 4,
        "CreateTopics": 7,
        "DeleteTopics": 6,
        "DescribeConfigs": 4,
        "CreatePartitions": 3,
        "DescribeQuorum": 2,
        "DescribeCluster": 2,
        "DescribeTopicPartitions": 0,
    }
    assert needed == {name: usable.get(name) for name in needed}


def test_topics_live_from_create_to_delete(node: Node, topic: str) -> None:
    create = ["--create", "--topic", topic, "--partitions", "3", "--replication-factor", "1"]
    created = topics(node, *create, "--config", "retention.ms=1000").output()
    assert created == f"Created topic {topic}.\n"
    assert topic in listed_topics(node)

    first, *partitions = topics(node, "--describe", "--topic", topic).output().splitlines()
    described = fields(first)
    assert re.fullmatch(r"[A-Za-z0-9_-]{22}", described.pop("TopicId"))
    # min.insync.replicas is a cluster-wide dynamic setting since ELR came, and so is shown with every topic.
    assert described == {
        "Topic": topic,
        "PartitionCount": "3",
        "ReplicationFactor": "1",
        "Configs": "min.insync.replicas=1,retention.ms=1000",
    }
    assert [fields(line) for line in partitions] == [
        {
            "Topic": topic,
            "Partition": str(index),
            "Leader": "1",
            "Replicas": "1",
            "Isr": "1",
            "Elr": "",
            "LastKnownElr": "",
        }
        for index in range(3)
    ]

    topics(node, "--alter", "--topic", topic, "--partitions", "5").output()
    altered = topics(node, "--describe", "--topic", topic).output().splitlines()
    assert fields(altered[0])["PartitionCount"] == "5"
    assert len(altered) == 1 + 5

    topics(node, "--delete", "--topic", topic).output()
    assert topic not in listed_topics(node)
    gone = topics(node, "--describe", "--topic", topic)
    assert gone.exit_code == 1
    assert f"Topic '{topic}' does not exist as expected" in gone.stdout


def test_a_replica_assignment_decides_the_partitions(node: Node, topic: str) -> None:
    topics(node, "--create", "--topic", topic, "--replica-assignment", "1,1").output()
    described = topics(node, "--describe", "--topic", topic).output().splitlines()
    assert fields(described[0])["PartitionCount"] == "2"
    assert topics(node, "--describe", "--unavailable-partitions").output() == ""
    topics(node, "--delete", "--topic", topic).output()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        pytest.param(
            ["--replication-factor", "3"], "InvalidReplicationFactorException", id="too-many-replicas"
        ),
        pytest.param(["--replica-assignment", "7"], "InvalidReplicaAssignmentException", id="unknown-broker"),
    ],
)
def test_a_topic_that_cannot_be_is_refused(node: Node, topic: str, arguments: list[str], error: str) -> None:
    result = topics(node, "--create", "--topic", topic, *arguments)
    assert result.exit_code == 1, result
    assert error in result.stderr, result


def test_a_topic_that_exists_is_not_created_again(node: Node, topic: str) -> None:
    topics(node, "--create", "--topic", topic).output()
    again = topics(node, "--create", "--topic", topic)
    assert again.exit_code == 1
    assert "TopicExistsException" in again.stderr
    topics(node, "--create", "--topic", topic, "--if-not-exists").output()
    fewer = topics(node, "--alter", "--topic", topic, "--partitions", "1")
    assert fewer.exit_code == 1
    assert "InvalidPartitionsException" in fewer.stderr
    topics(node, "--delete", "--topic", topic).output()


def test_configs_describe_a_topic(node: Node, topic: str) -> None:
    topics(node, "--create", "--topic", topic, "--config", "retention.ms=1000").output()
    describe = ["--describe", "--entity-type", "topics", "--entity-name", topic]
    printed = run_tool("kafka-configs", "--bootstrap-server", node.bootstrap_server, *describe).output()
    assert printed.splitlines() == [
        f"Dynamic configs for topic {topic} are:",
        "  retention.ms=1000 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:retention.ms=1000}",
    ]
    printed = run_tool(
        "kafka-configs", "--bootstrap-server", node.bootstrap_server, *describe, "--all"
    ).output()
    assert (
        "  max.message.bytes=1048588 sensitive=false synonyms={DEFAULT_CONFIG:message.max.bytes=1048588}"
    ) in printed.splitlines()
    topics(node, "--delete", "--topic", topic).output()


def test_configs_describe_the_broker(bootstrap: tuple[str, str]) -> None:
    describe = ["--describe", "--entity-type", "brokers", "--entity-name", "1"]
    printed = run_tool("kafka-configs", *bootstrap, *describe).output()
    assert printed == "Dynamic configs for broker 1 are:\n"
