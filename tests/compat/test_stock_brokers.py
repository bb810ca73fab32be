"""Apache Kafka's own brokers on three controllers of ours: what their tools do, and that records and groups work."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, Message, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from compat.cluster import Cluster, wait_until_whole
from compat.kafka.tools import run_tool
from compat.node import meta_properties
from compat.process import wait_until
from tests.compat.support.quorum import ids_by_status, replication
from tests.compat.support.stock_brokers import (
    BROKERS,
    JBOD_BROKER,
    WAIT_S,
    create,
    leave_as_found,
    log_directories,
    login_server,
    recorded_directories,
    shown,
    stock_on_ours,
    tool,
    wait_until_placed,
)

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

RECORD_BYTES = 1000
FILLED_RECORDS = 1000


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Ready: every broker is unfenced. Preferred leaders are seen to when a tool asks for it."""
    with stock_on_ours(
        tmp_path_factory.mktemp("stock-brokers"), {"auto.leader.rebalance.enable": "false"}
    ) as cluster:
        cluster.format()
        cluster.start()
        yield cluster


@pytest.fixture
def cluster(running: Cluster) -> Iterator[Cluster]:
    """As every test finds it: whole, and without topics."""
    yield running
    leave_as_found(running)


def test_they_register_and_follow_the_metadata_log(cluster: Cluster) -> None:
    rows = ids_by_status(replication("--bootstrap-controller", cluster.controller_servers))
    assert rows["Observer"] == set(BROKERS)
    assert rows["Leader"] | rows["Follower"] == {1, 2, 3}
    endpoints = run_tool("kafka-cluster", "list-endpoints", "--bootstrap-server", cluster.servers).output()
    assert {int(line.split()[0]) for line in endpoints.splitlines()[1:]} == set(BROKERS)


def test_topics_are_created_described_grown_and_deleted(cluster: Cluster) -> None:
    create(cluster, "grown", 2)
    tool(cluster, "kafka-topics", "--alter", "--topic", "grown", "--partitions", "4").output()
    wait_until_whole(cluster.running_brokers(), {"grown": 4}, WAIT_S)
    described = tool(cluster, "kafka-topics", "--describe", "--topic", "grown").output()
    assert "PartitionCount: 4\tReplicationFactor: 3\tConfigs: min.insync.replicas=2" in described
    assert len(re.findall(r"Leader: 10\d\tReplicas: (10\d,){2}10\d\tIsr: (10\d,){2}10\d", described)) == 4
    tool(cluster, "kafka-topics", "--delete", "--topic", "grown").output()
    wait_until(lambda: ("grown", 0) not in shown(cluster), WAIT_S, "the topic to be gone")


def test_what_the_console_producer_sends_the_consumers_of_a_group_get(cluster: Cluster) -> None:
    create(cluster, "console", 3)
    lines = [f"line {number}" for number in range(200)]
    tool(
        cluster, "kafka-console-producer", "--topic", "console", "--command-property", "acks=all",
        stdin="".join(f"{line}\n" for line in lines),
    ).output()  # fmt: skip
    for protocol in ("classic", "consumer"):
        read = tool(
            cluster, "kafka-console-consumer", "--topic", "console", "--group", f"readers-{protocol}",
            "--from-beginning", "--max-messages", str(len(lines)), "--timeout-ms", "60000",
            "--command-property", f"group.protocol={protocol}",
        ).output()  # fmt: skip
        assert sorted(read.splitlines()) == sorted(lines)
        group = tool(
            cluster, "kafka-consumer-groups", "--describe", "--group", f"readers-{protocol}"
        ).output()
        rows = [line.split() for line in group.splitlines() if "console" in line]
        assert sum(int(row[3]) for row in rows) == len(lines)
        # A partition that the last consumer had no position in yet when it had all records is not shown.
        assert {row[5] for row in rows} == {"0"}, group


def test_configs_quotas_and_scram_credentials_through_kafka_configs(cluster: Cluster) -> None:
    topic = ("--entity-type", "topics", "--entity-name", "configured")
    broker = ("--entity-type", "brokers", "--entity-name", "101")
    everybody = ("--entity-type", "brokers", "--entity-default")
    user = ("--entity-type", "users", "--entity-name", "bob")

    def altered(entity: tuple[str, ...], *change: str) -> None:
        tool(cluster, "kafka-configs", "--alter", *entity, *change).output()

    def described(entity: tuple[str, ...]) -> str:
        return tool(cluster, "kafka-configs", "--describe", *entity).output()

    def wait_until_shown(entity: tuple[str, ...], *texts: str) -> None:
        wait_until(
            lambda: all(map(described(entity).__contains__, texts)),
            WAIT_S,
            f"{texts} of {entity} to be shown",
        )

    create(cluster, "configured", 1)
    altered(topic, "--add-config", "retention.ms=70000")
    altered(broker, "--add-config", "log.cleaner.threads=2")
    altered(everybody, "--add-config", "log.retention.ms=80000000")
    altered(user, "--add-config", "producer_byte_rate=50000")
    altered(user, "--add-config", "SCRAM-SHA-256=[iterations=8192,password=secret]")
    wait_until_shown(topic, "  retention.ms=70000 ")
    wait_until_shown(broker, "  log.cleaner.threads=2 ")
    wait_until_shown(everybody, "  log.retention.ms=80000000 ")
    quota = "Quota configs for user-principal 'bob' are producer_byte_rate=50000"
    wait_until_shown(user, quota, "SCRAM-SHA-256=iterations=8192")
    altered(user, "--delete-config", "SCRAM-SHA-256")
    altered(user, "--delete-config", "producer_byte_rate")
    wait_until(lambda: "=" not in described(user), WAIT_S, "nothing left of the user")
    refused = tool(cluster, "kafka-configs", "--alter", *topic, "--add-config", "retention.ms=soon")
    assert (refused.exit_code, "InvalidConfigurationException" in refused.stderr) == (1, True), refused


def _fill(cluster: Cluster, topic: str, partition_count: int) -> None:
    """So many bytes in each partition that a throttled move takes minutes."""
    producer = Producer({"bootstrap.servers": cluster.servers, "acks": "all", "log_level": 0})
    failed: list[KafkaError] = []

    def delivered(error: KafkaError | None, _message: Message) -> None:
        if error is not None:
            failed.append(error)

    for number in range(FILLED_RECORDS * partition_count):
        producer.produce(
            topic, b"x" * RECORD_BYTES, partition=number % partition_count, on_delivery=delivered
        )
    assert producer.flush(WAIT_S) == 0
    assert failed == []


def _plan(moves: dict[int, list[int]], topic: str) -> dict[str, Any]:
    listed = [{"topic": topic, "partition": index, "replicas": replicas} for index, replicas in moves.items()]
    return {"version": 1, "partitions": listed}


def test_partitions_are_reassigned_verified_and_taken_back(cluster: Cluster, tmp_path: Path) -> None:
    plan, topics = tmp_path / "plan.json", tmp_path / "topics.json"

    def reassign(action: str, moves: dict[int, list[int]], *more: str) -> str:
        plan.write_text(json.dumps(_plan(moves, "moved")))
        arguments = (f"--{action}", "--reassignment-json-file", str(plan), *more)
        return tool(cluster, "kafka-reassign-partitions", *arguments).output()

    def replicas() -> dict[int, list[int]]:
        return {index: list(one.replica_nodes) for (_, index), one in shown(cluster, "moved").items()}

    first = ("--create", "--topic", "moved", "--replica-assignment", "101:102,102:101")
    tool(cluster, "kafka-topics", *first).output()
    wait_until_whole(cluster.running_brokers(), {"moved": 2}, WAIT_S)
    _fill(cluster, "moved", 2)
    topics.write_text(json.dumps({"version": 1, "topics": [{"topic": "moved"}]}))
    generated = tool(
        cluster, "kafka-reassign-partitions", "--generate", "--topics-to-move-json-file", str(topics),
        "--broker-list", "101,103",
    ).output()  # fmt: skip
    (proposed,) = re.findall(r"Proposed partition reassignment configuration\n(\{.*\})", generated)
    moves = {one["partition"]: one["replicas"] for one in json.loads(proposed)["partitions"]}
    assert [sorted(each) for each in moves.values()] == [[101, 103]] * 2
    assert "Successfully started partition reassignments" in reassign("execute", moves)
    wait_until(lambda: "is still in progress" not in reassign("verify", moves), WAIT_S, "the move")
    assert reassign("verify", moves).count("is completed.") == 2
    assert replicas() == moves

    # So slow that it is under way until it is cancelled.
    larger = {index: [*each, 102] for index, each in moves.items()}
    reassign("execute", larger, "--throttle", "100")
    assert reassign("verify", larger).count("is still in progress.") == 2
    listed = tool(cluster, "kafka-reassign-partitions", "--list").output()
    assert listed.count("adding: 102.") == 2, listed
    described = tool(cluster, "kafka-topics", "--describe", "--topic", "moved").output()
    assert described.count("Adding Replicas: 102") == 2, described
    assert "Successfully cancelled partition reassignments" in reassign("cancel", larger)
    listed = tool(cluster, "kafka-reassign-partitions", "--list").output()
    assert "No partition reassignments found." in listed
    wait_until(lambda: replicas() == moves, WAIT_S, "the replicas of before")


def test_a_preferred_leader_is_elected_by_the_tool(cluster: Cluster, tmp_path: Path) -> None:
    create_with = ("--replica-assignment", "101:102:103")
    tool(cluster, "kafka-topics", "--create", "--topic", "elected", *create_with).output()
    wait_until_whole(cluster.running_brokers(), {"elected": 1}, WAIT_S)
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(_plan({0: [102, 101, 103]}, "elected")))
    arguments = ("--execute", "--reassignment-json-file", str(plan))
    tool(cluster, "kafka-reassign-partitions", *arguments).output()
    one = ("--election-type", "preferred", "--topic", "elected", "--partition", "0")
    elected = tool(cluster, "kafka-leader-election", *one).output()
    assert "Successfully completed leader election (PREFERRED) for partitions elected-0" in elected
    wait_until(lambda: shown(cluster, "elected")["elected", 0].leader_id == 102, WAIT_S, "the leader")
    again = tool(cluster, "kafka-leader-election", *one).output()
    assert "Valid replica already elected for partitions elected-0" in again


def test_features_are_lowered_and_raised(cluster: Cluster) -> None:
    def level() -> str:
        described = tool(cluster, "kafka-features", "describe").output()
        (line,) = (line for line in described.splitlines() if "share.version" in line)
        found = re.search(r"FinalizedVersionLevel: (\d)", line)
        assert found, line
        return found[1]

    assert level() == "2"
    tool(cluster, "kafka-features", "downgrade", "--feature", "share.version=0").output()
    wait_until(lambda: level() == "0", WAIT_S, "the lower level")
    tool(cluster, "kafka-features", "upgrade", "--feature", "share.version=2").output()
    wait_until(lambda: level() == "2", WAIT_S, "the higher level")
    refused = tool(cluster, "kafka-features", "upgrade", "--feature", "metadata.version=99")
    assert refused.exit_code == 1, refused


def test_acls_decide_what_a_client_that_logged_in_may_do(cluster: Cluster) -> None:
    alice: dict[str, str | int | float | bool] = {
        "bootstrap.servers": login_server(cluster),
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "SCRAM-SHA-256",
        "sasl.username": "alice",
        "sasl.password": "secret",
        "log_level": 0,
    }

    def produced() -> int:
        """The error code of a record that alice sends."""
        producer = Producer({**alice, "message.timeout.ms": int(WAIT_S * 1000)})
        codes: list[int] = []
        producer.produce(
            "guarded", b"x", on_delivery=lambda error, _: codes.append(error.code() if error else 0)
        )
        assert producer.flush(WAIT_S) == 0
        return codes[0]

    def created() -> int:
        """The error code of a topic that alice creates; the brokers forward that, in her name."""
        admin = AdminClient(alice)
        response = admin.create_topics([NewTopic("alices", num_partitions=1)], request_timeout=WAIT_S)
        try:
            response["alices"].result()
        except KafkaException as error:
            return int(error.args[0].code())
        return 0

    def acls(*arguments: str) -> str:
        return tool(cluster, "kafka-acls", *arguments).output()

    denied = KafkaError.TOPIC_AUTHORIZATION_FAILED
    user = ("--entity-type", "users", "--entity-name", "alice")
    password = "SCRAM-SHA-256=[iterations=4096,password=secret]"
    tool(cluster, "kafka-configs", "--alter", *user, "--add-config", password).output()
    create(cluster, "guarded", 1)
    assert (produced(), created()) == (denied, denied)

    rule = ("--allow-principal", "User:alice", "--operation", "Write", "--topic", "guarded")
    added = acls("--add", *rule)
    assert "(principal=User:alice, host=*, operation=WRITE, permissionType=ALLOW)" in added
    acls("--add", "--allow-principal", "User:alice", "--operation", "Create", "--topic", "alices")
    wait_until(lambda: produced() == 0, WAIT_S, "the ACL to be known")
    assert created() == 0
    listed = acls("--list", "--principal", "User:alice")
    assert len(re.findall(r"operation=(?:WRITE|CREATE), permissionType=ALLOW", listed)) == 2

    # An ACL that denies goes before one that allows.
    acls("--add", "--deny-principal", "User:alice", "--operation", "Write", "--topic", "guarded")
    wait_until(lambda: produced() == denied, WAIT_S, "the denial to be known")
    acls("--remove", "--force", "--topic", "guarded")
    acls("--remove", "--force", "--topic", "alices")
    wait_until(lambda: acls("--list").strip() == "", WAIT_S, "no ACL to be left")
    assert produced() == denied


def test_a_broker_with_several_log_directories_tells_where_its_replicas_are(cluster: Cluster) -> None:
    create(cluster, "spread", 6)
    wait_until_placed(cluster, "spread", 6)
    directories = log_directories(cluster, JBOD_BROKER)
    assert [one["error"] for one in directories] == [None] * 3
    placed = {
        each["partition"]: one["logDir"]
        for one in directories
        for each in one["partitions"]
        if each["partition"].startswith("spread-")
    }
    assert len(placed) == 6
    assert len(set(placed.values())) == 3

    recorded = recorded_directories(cluster, JBOD_BROKER)
    assert {name: recorded[name] for name in placed} == {
        name: meta_properties(Path(each))["directory.id"] for name, each in placed.items()
    }
    assert all(not one.offline_replicas for one in shown(cluster, "spread").values())
