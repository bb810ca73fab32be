"""`watch` tells a Kafka topic of a broker's death: Spark's Kafka connector, stock brokers, controllers of ours.

What the topic has is read by a stock client library and by Spark's own Kafka source.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from compat.cluster import Cluster, wait_until_whole
from compat.kafka.stock import small_stock_node
from compat.ours import BIN, OurNode
from compat.process import ServerProcess, wait_until
from compat.quorum import connect
from compat.spark.jars import connector_jars, connector_release
from compat.spark.standalone import QUICK_JVM
from kafkaproto.messages import CreateTopicsRequest, CreateTopicsResponse
from kafkaproto_pipeline.jobs.watch.checks import CheckError, check_topic
from kafkaproto_pipeline.jobs.watch.command import CONNECTOR
from tests.compat.support.stock_brokers import WAIT_S, read_all

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

VICTIM = 102
ALERTS, ORDERS = "alerts", "orders"
PARTITIONS = 2
TOLD_S = 60.0
"""From kill -9 to the files; a second or two where nothing else runs."""
READER_TIMEOUT_S = 120.0

Told = list[tuple[str, str, str]]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Three controllers of ours and two stock brokers, with the topics."""
    overrides = {"auto.create.topics.enable": "false", "offsets.topic.replication.factor": "1"}
    with Cluster(
        OurNode,
        small_stock_node,
        tmp_path / "cluster",
        brokers=2,
        broker_overrides=overrides,
    ) as made:
        made.format()
        made.start()
        create(made, ALERTS, minimum=1)
        create(made, ORDERS, minimum=2)
        yield made


def create(cluster: Cluster, name: str, *, minimum: int) -> None:
    """A topic with a replica on each broker, of which so many have to be in sync."""
    config = CreateTopicsRequest.CreatableTopicConfig(name="min.insync.replicas", value=str(minimum))
    topic = CreateTopicsRequest.CreatableTopic(
        name=name, num_partitions=PARTITIONS, replication_factor=2, configs=[config]
    )
    with connect(cluster.brokers[101].bootstrap_server, timeout_ms=int(WAIT_S * 1000)) as client:
        response = client.send(CreateTopicsRequest(topics=[topic], timeout_ms=int(WAIT_S * 1000)))
    assert isinstance(response, CreateTopicsResponse)
    assert [each.error_code for each in response.topics] == [0], response
    wait_until_whole(cluster.running_brokers(), {name: PARTITIONS})


@contextmanager
def watching(cluster: Cluster, folder: Path) -> Iterator[ServerProcess]:
    """The command as a process that has begun to watch."""
    jars = ",".join(map(str, connector_jars()))
    command = [
        *(str(BIN / "metadata-pipeline"), "watch", "--bootstrap-controllers", cluster.controller_servers),
        *("--output", str(folder / "alerts"), "--checkpoint", str(folder / "checkpoint")),
        *("--to-topic", ALERTS, "--bootstrap-server", cluster.servers),
        *("--master", "local[2]", "--conf", f"spark.jars={jars}"),
        *("--conf", f"spark.driver.extraJavaOptions={QUICK_JVM}"),
    ]
    watch = ServerProcess(
        command, folder / "watch", folder, {"COLUMNS": "200", "SPARK_LAUNCHER_OPTS": QUICK_JVM}
    )
    try:
        watch.wait_for_line(watch.out_path, "watching cluster", WAIT_S)
        yield watch
    finally:
        watch.kill()


def in_files(folder: Path) -> list[str]:
    """The alerts in the files, as lines of JSON."""
    paths = folder.glob("alerts/watch=*/batch=*/part-*.json")
    return [line for path in paths for line in path.read_text().splitlines()]


def by_spark(servers: str, topic: str) -> list[str]:
    """Every value in a topic, by the stock source of a Spark that has nothing of ours."""
    program = (
        "import json, sys\n"
        "from pyspark.sql import SparkSession\n"
        "jars, options, servers, topic = sys.argv[1:]\n"
        "builder = SparkSession.builder.master('local[1]').config('spark.ui.enabled', 'false')\n"
        "builder = builder.config('spark.jars', jars).config('spark.driver.extraJavaOptions', options)\n"
        "reader = builder.getOrCreate().read.format('kafka').option('kafka.bootstrap.servers', servers)\n"
        "rows = reader.option('subscribe', topic).load().selectExpr('CAST(value AS STRING)').collect()\n"
        "print(json.dumps([row[0] for row in rows]))\n"
    )
    jars = ",".join(map(str, connector_jars()))
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LAUNCHER_OPTS": QUICK_JVM}
    done = subprocess.run(
        [sys.executable, "-c", program, jars, QUICK_JVM, servers, topic],
        capture_output=True,
        text=True,
        timeout=READER_TIMEOUT_S,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    values: list[str] = json.loads(done.stdout.splitlines()[-1])
    return values


def alerts_of(lines: Sequence[str]) -> Told:
    """Kind, severity and subject of each alert but the quorum's own, which may elect on a busy machine; sorted."""
    rows = [json.loads(line) for line in lines]
    found = sorted((row["kind"], row["severity"], row["subject"]) for row in rows)
    return [each for each in found if each[2] != "quorum"]


def test_a_killed_broker_is_told_to_files_and_topic(cluster: Cluster, tmp_path: Path) -> None:
    expected = [
        *(("ISR below minimum", "critical", f"{ORDERS}-{number}") for number in range(PARTITIONS)),
        ("broker fenced", "critical", f"broker {VICTIM}"),
    ]
    with pytest.raises(CheckError, match=r"there is no topic 'alarms' at 127\.0\.0\.1:\d+; create it first"):
        check_topic("alarms", cluster.servers)
    with watching(cluster, tmp_path) as watch:
        cluster.brokers[VICTIM].kill()
        wait_until(lambda: alerts_of(in_files(tmp_path)) == expected, TOLD_S, "the alerts in the files")
        # Told to end, it ends with what it has begun: the topic comes after the files.
        assert watch.interrupt(WAIT_S) == 0, watch.last_words()
        said, wrong = watch.out_path.read_text(), watch.err_path.read_text()
    assert said.splitlines()[-1] == "stopped"
    # After ten seconds it says how long that takes.
    assert re.fullmatch(r"starting Spark\n(starting Spark: \d+ s\n)*", wrong), wrong
    for _, severity, subject in expected:
        assert any(severity in line and subject in line for line in said.splitlines()), said
    servers = cluster.brokers[101].bootstrap_server
    written = sorted(in_files(tmp_path))
    assert sorted(read_all(servers, ALERTS, PARTITIONS)) == written
    assert sorted(by_spark(servers, ALERTS)) == written


def test_the_connector_that_users_are_told_of_is_the_one_that_is_tested() -> None:
    assert CONNECTOR.rpartition(":")[2] == connector_release()
