"""Apache Kafka's own brokers on three controllers of ours, and our brokers on theirs: their tools, data and deaths.

One cluster for nearly all tests, which leave it as they found it, in the order of this file: the last ones damage it.
"""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compat.cluster import Cluster, alive_brokers
from compat.kafka.stock import StockNode
from compat.kafka.tools import ToolResult, run_tool
from compat.ours import OurNode
from compat.process import wait_until
from tests.compat.quorum_support import ids_by_status, replication
from tests.compat.stock_brokers_support import (
    BALANCE_S,
    BROKERS,
    JBOD_BROKER,
    WAIT_S,
    create,
    has_preferred_leaders,
    is_whole,
    loaded,
    shown,
    stock_on_ours,
)

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

SESSION_S = 9.0
"""Kafka's default of broker.session.timeout.ms."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Ready: every broker is unfenced and has the group coordinator's topic to itself."""
    with stock_on_ours(tmp_path_factory.mktemp("stock-brokers")) as cluster:
        cluster.format()
        cluster.start()
        yield cluster


@pytest.fixture(autouse=True)
def _alive(request: pytest.FixtureRequest) -> None:
    """Has the test that killed a node fail, not the next one."""
    if "cluster" in request.fixturenames:
        cluster = request.getfixturevalue("cluster")
        for node in (*cluster.quorum.nodes.values(), *cluster.brokers.values()):
            node.assert_running()


def tool(cluster: Cluster, name: str, *arguments: str, stdin: str | None = None) -> ToolResult:
    """One run of a stock tool against the brokers."""
    return run_tool(name, "--bootstrap-server", cluster.servers, *arguments, stdin=stdin)


def test_they_register_and_follow_the_metadata_log(cluster: Cluster) -> None:
    rows = ids_by_status(replication("--bootstrap-controller", cluster.controller_servers))
    assert rows["Observer"] == set(BROKERS)
    assert rows["Leader"] | rows["Follower"] == {1, 2, 3}
    endpoints = run_tool("kafka-cluster", "list-endpoints", "--bootstrap-server", cluster.servers).output()
    assert {int(line.split()[0]) for line in endpoints.splitlines()[1:]} == set(BROKERS)


def test_topics_are_created_described_grown_and_deleted(cluster: Cluster) -> None:
    create(cluster, "grown", 2)
    tool(cluster, "kafka-topics", "--alter", "--topic", "grown", "--partitions", "4").output()
    wait_until(lambda: is_whole(cluster, "grown"), WAIT_S, "the new partitions")
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
            "--from-beginning", "--max-messages", str(len(lines)), "--timeout-ms", "30000",
            "--command-property", f"group.protocol={protocol}",
        ).output()  # fmt: skip
        assert sorted(read.splitlines()) == sorted(lines)
        group = tool(
            cluster, "kafka-consumer-groups", "--describe", "--group", f"readers-{protocol}"
        ).output()
        rows = [line.split() for line in group.splitlines() if "console" in line]
        assert sum(int(row[3]) for row in rows) == len(lines)
        assert [row[5] for row in rows] == ["0"] * 3, group


def test_configs_quotas_and_scram_credentials_through_kafka_configs(cluster: Cluster) -> None:
    def altered(*entity: str, add: str) -> str:
        tool(cluster, "kafka-configs", "--alter", *entity, "--add-config", add).output()
        wait_until(lambda: add in described(*entity), WAIT_S, f"{add} to be shown")
        return described(*entity)

    def described(*entity: str) -> str:
        return tool(cluster, "kafka-configs", "--describe", *entity).output()

    create(cluster, "configured", 1)
    topic = ("--entity-type", "topics", "--entity-name", "configured")
    assert "retention.ms=70000 " in altered(*topic, add="retention.ms=70000")
    broker = ("--entity-type", "brokers", "--entity-name", "101")
    assert "log.cleaner.threads=2 " in altered(*broker, add="log.cleaner.threads=2")
    everybody = ("--entity-type", "brokers", "--entity-default")
    assert "log.retention.ms=80000000 " in altered(*everybody, add="log.retention.ms=80000000")
    user = ("--entity-type", "users", "--entity-name", "alice")
    assert "Quota configs for user-principal 'alice' are" in altered(*user, add="producer_byte_rate=50000")
    added = "SCRAM-SHA-256=[iterations=8192,password=secret]"
    tool(cluster, "kafka-configs", "--alter", *user, "--add-config", added).output()
    wait_until(lambda: "SCRAM-SHA-256=iterations=8192" in described(*user), WAIT_S, "the credential")
    tool(cluster, "kafka-configs", "--alter", *user, "--delete-config", "SCRAM-SHA-256").output()
    tool(cluster, "kafka-configs", "--alter", *user, "--delete-config", "producer_byte_rate").output()
    wait_until(lambda: "=" not in described(*user), WAIT_S, "nothing left of the user")
    refused = tool(cluster, "kafka-configs", "--alter", *topic, "--add-config", "retention.ms=soon")
    assert (refused.exit_code, "InvalidConfigurationException" in refused.stderr) == (1, True), refused


def _plan(moves: dict[int, list[int]], topic: str) -> dict[str, Any]:
    listed = [{"topic": topic, "partition": index, "replicas": replicas} for index, replicas in moves.items()]
    return {"version": 1, "partitions": listed}


def test_partitions_are_reassigned_verified_and_taken_back(cluster: Cluster, tmp_path: Path) -> None:
    create(cluster, "moved", 2)
    keyed = ("--reader-property", "parse.key=true", "--reader-property", "key.separator=:")
    filler = "".join(f"{number}:{'x' * 1000}\n" for number in range(2000))
    tool(cluster, "kafka-console-producer", "--topic", "moved", *keyed, stdin=filler).output()
    topics = tmp_path / "topics.json"
    topics.write_text(json.dumps({"version": 1, "topics": [{"topic": "moved"}]}))
    generated = tool(
        cluster, "kafka-reassign-partitions", "--generate", "--topics-to-move-json-file", str(topics),
        "--broker-list", "101,102",
    )  # fmt: skip
    assert generated.exit_code != 0 or "Proposed partition reassignment" in generated.stdout, generated

    plan = tmp_path / "plan.json"

    def reassign(action: str, moves: dict[int, list[int]], *more: str) -> str:
        plan.write_text(json.dumps(_plan(moves, "moved")))
        arguments = (f"--{action}", "--reassignment-json-file", str(plan), *more)
        return tool(cluster, "kafka-reassign-partitions", *arguments).output()

    smaller = {0: [101, 102], 1: [102, 101]}
    assert "Successfully started partition reassignments" in reassign("execute", smaller)
    wait_until(lambda: "is still in progress" not in reassign("verify", smaller), WAIT_S, "the move")
    assert reassign("verify", smaller).count("is completed.") == 2
    assert {tuple(one.replica_nodes) for one in shown(cluster, "moved").values()} == {(101, 102), (102, 101)}

    # So slow that it is under way until it is cancelled.
    larger = {0: [101, 102, 103], 1: [102, 101, 103]}
    reassign("execute", larger, "--throttle", "100")
    listed = tool(cluster, "kafka-reassign-partitions", "--list").output()
    assert listed.count("adding: 103.") == 2, listed
    described = tool(cluster, "kafka-topics", "--describe", "--topic", "moved").output()
    assert described.count("Adding Replicas: 103") == 2, described
    assert "Successfully cancelled partition reassignments" in reassign("cancel", larger)
    assert (
        "No partition reassignments found." in tool(cluster, "kafka-reassign-partitions", "--list").output()
    )
    assert {tuple(one.replica_nodes) for one in shown(cluster, "moved").values()} == {(101, 102), (102, 101)}
    tool(cluster, "kafka-topics", "--delete", "--topic", "moved").output()


def test_a_preferred_leader_is_elected_by_the_tool(cluster: Cluster, tmp_path: Path) -> None:
    create_with = ("--replica-assignment", "101:102:103")
    tool(cluster, "kafka-topics", "--create", "--topic", "elected", *create_with).output()
    wait_until(lambda: is_whole(cluster, "elected"), WAIT_S, "the topic")
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(_plan({0: [102, 101, 103]}, "elected")))
    arguments = ("--execute", "--reassignment-json-file", str(plan))
    tool(cluster, "kafka-reassign-partitions", *arguments).output()
    one = ("--election-type", "preferred", "--topic", "elected", "--partition", "0")
    elected = tool(cluster, "kafka-leader-election", *one).output()
    # The controller may have seen to it by itself in the meantime.
    assert re.search(r"Successfully completed leader election|Valid replica already elected", elected), (
        elected
    )
    wait_until(lambda: shown(cluster, "elected")["elected", 0].leader_id == 102, WAIT_S, "the leader")
    tool(cluster, "kafka-topics", "--delete", "--topic", "elected").output()


def test_features_are_lowered_and_raised(cluster: Cluster) -> None:
    def level() -> str:
        described = tool(cluster, "kafka-features", "describe").output()
        (line,) = (line for line in described.splitlines() if "share.version" in line)
        found = re.search(r"FinalizedVersionLevel: (\d)", line)
        assert found, line
        return found[1]

    assert level() == "1"
    tool(cluster, "kafka-features", "downgrade", "--feature", "share.version=0").output()
    wait_until(lambda: level() == "0", WAIT_S, "the lower level")
    tool(cluster, "kafka-features", "upgrade", "--feature", "share.version=1").output()
    wait_until(lambda: level() == "1", WAIT_S, "the higher level")
    refused = tool(cluster, "kafka-features", "upgrade", "--feature", "metadata.version=99")
    assert refused.exit_code == 1, refused


def log_directories(cluster: Cluster, broker_id: int) -> list[dict[str, Any]]:
    """What ``kafka-log-dirs`` prints of a broker."""
    shown = tool(cluster, "kafka-log-dirs", "--describe", "--broker-list", str(broker_id)).output()
    (line,) = (line for line in shown.splitlines() if line.startswith("{"))
    (broker,) = json.loads(line)["brokers"]
    assert broker["broker"] == broker_id
    directories: list[dict[str, Any]] = broker["logDirs"]
    return directories


def test_a_broker_with_several_log_directories_tells_where_its_replicas_are(cluster: Cluster) -> None:
    create(cluster, "spread", 6)
    directories = log_directories(cluster, JBOD_BROKER)
    assert [one["error"] for one in directories] == [None] * 3
    holding = [
        one["logDir"]
        for one in directories
        if any("spread" in each["partition"] for each in one["partitions"])
    ]
    assert len(holding) == 3
    assert all(not one.offline_replicas for one in shown(cluster, "spread").values())


def wait_until_led_without(cluster: Cluster, broker_id: int) -> None:
    """Until another broker shows a live leader for every partition."""
    wait_until(
        lambda: all(one.leader_id not in {-1, broker_id} for one in shown(cluster).values()),
        WAIT_S,
        f"every partition to be led by others than broker {broker_id}",
    )


def wait_until_back(cluster: Cluster, broker_id: int) -> None:
    """Until the broker is unfenced, in every ISR, and leads what it is preferred for."""
    cluster.wait_until_unfenced(broker_id)
    wait_until(lambda: is_whole(cluster), WAIT_S, f"broker {broker_id} back in all ISRs")
    wait_until(lambda: has_preferred_leaders(cluster), BALANCE_S + WAIT_S, "preferred leaders to lead again")


def test_a_killed_broker_is_fenced_by_proof_and_loses_nothing_acknowledged(cluster: Cluster) -> None:
    create(cluster, "survivor", 6)
    with loaded(cluster, "survivor"):
        victim = cluster.brokers[102]
        victim.kill()
        began = time.monotonic()
        wait_until_led_without(cluster, 102)
        took = time.monotonic() - began
        assert took < SESSION_S / 3, f"{took:.2f} s until all partitions were led again"
        time.sleep(1.0)
    victim.start()
    wait_until_back(cluster, 102)


def test_a_broker_that_shuts_down_leaves_no_partition_offline_and_returns_at_once(cluster: Cluster) -> None:
    leaving = cluster.brokers[102]
    offline: list[object] = []

    def has_left() -> bool:
        offline.extend(key for key, one in shown(cluster).items() if one.leader_id < 0)
        return not leaving.process.is_running

    with loaded(cluster, "survivor"):
        os.kill(leaving.process.pid, signal.SIGTERM)
        wait_until(has_left, WAIT_S, "the broker to end")
        wait_until_led_without(cluster, 102)
    assert offline == []
    began = time.monotonic()
    leaving.start()
    took = time.monotonic() - began
    assert took < SESSION_S, f"{took:.1f} s to start again: it had to wait for its old session"
    wait_until_back(cluster, 102)


def test_a_log_directory_that_fails_costs_its_replicas_only(cluster: Cluster) -> None:
    broker = cluster.brokers[JBOD_BROKER]
    failing = Path(broker.properties["log.dirs"].split(",")[1])
    replicas = {key for key, one in shown(cluster).items() if JBOD_BROKER in one.replica_nodes}
    names = {f"{topic}-{index}" for topic, index in replicas}
    held = {path.name for path in failing.iterdir() if path.name in names}
    assert held
    with loaded(cluster, "survivor"):
        failing.rename(failing.with_name("taken-away"))
        failing.write_text("not a directory")

        def given_up() -> set[str]:
            return {
                f"{topic}-{index}"
                for (topic, index), one in shown(cluster).items()
                if JBOD_BROKER in one.offline_replicas and JBOD_BROKER not in one.isr_nodes
            }

        wait_until(lambda: given_up() == held, WAIT_S, f"the replicas in {failing} to be given up")
        assert all(one.leader_id >= 0 for one in shown(cluster).values())
    assert JBOD_BROKER in alive_brokers(cluster.brokers[101])
    errors = {one["logDir"]: one["error"] for one in log_directories(cluster, JBOD_BROKER)}
    assert sorted(errors.values(), key=str) == [None, None, errors[str(failing)]]
    assert "KafkaStorageException" in errors[str(failing)]
    broker.stop()
    failing.unlink()
    failing.with_name("taken-away").rename(failing)
    broker.start()
    wait_until_back(cluster, JBOD_BROKER)


def test_a_broker_that_is_gone_for_good_is_unregistered(cluster: Cluster) -> None:
    cluster.brokers[JBOD_BROKER].stop()

    def known() -> set[int]:
        listed = run_tool(
            "kafka-cluster",
            "list-endpoints",
            "--bootstrap-server",
            cluster.servers,
            "--include-fenced-brokers",
        ).output()
        return {int(line.split()[0]) for line in listed.splitlines()[1:]}

    assert known() == set(BROKERS)
    unregister = ("unregister", "--bootstrap-server", cluster.servers, "--id", str(JBOD_BROKER))
    assert f"Broker {JBOD_BROKER} is no longer registered." in run_tool("kafka-cluster", *unregister).output()
    wait_until(lambda: known() == {101, 102}, WAIT_S, "the broker to be forgotten")


def test_our_brokers_run_on_stock_controllers_as_far_as_metadata_goes(tmp_path: Path) -> None:
    with Cluster(StockNode, OurNode, tmp_path, controllers=1, brokers=2) as mirror:
        mirror.format()
        mirror.start()
        bootstrap = ("--bootstrap-server", mirror.servers)
        made = ("--create", "--topic", "mirrored", "--partitions", "4", "--replication-factor", "2")
        run_tool("kafka-topics", *bootstrap, *made).output()
        wait_until(lambda: is_whole(mirror, "mirrored"), WAIT_S, "the topic at both brokers")
        described = run_tool("kafka-topics", *bootstrap, "--describe", "--topic", "mirrored").output()
        assert "PartitionCount: 4\tReplicationFactor: 2" in described
        assert mirror.brokers[101].stop() == 0
        wait_until_led_without(mirror, 101)
        mirror.brokers[101].start()
        mirror.wait_until_unfenced(101)
