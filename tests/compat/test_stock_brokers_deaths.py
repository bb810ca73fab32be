"""Apache Kafka's own brokers on three controllers of ours: how they end, fall silent and come back, under load."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from compat.cluster import Cluster, alive_brokers
from compat.kafka.tools import run_tool
from compat.node import give_back, meta_properties, take_away
from compat.process import wait_until
from tests.compat.support.stock_brokers import (
    BROKERS,
    JBOD_BROKER,
    WAIT_S,
    controllers_said,
    create,
    leave_as_found,
    loaded,
    log_directories,
    recorded_directories,
    shown,
    stock_on_ours,
    wait_until_back,
    wait_until_led_without,
    wait_until_placed,
)

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

SESSION_S = 9.0
"""Kafka's default of broker.session.timeout.ms."""
HEARTBEAT_S = 2.0
"""Kafka's default of broker.heartbeat.interval.ms: of a session so much may be over when a broker dies."""
BALANCE_S = 3
"""How often preferred leaders are seen to."""
PROOF = "failed and is fenced"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Ready: every broker is unfenced."""
    folder = tmp_path_factory.mktemp("stock-brokers")
    with stock_on_ours(folder, {"leader.imbalance.check.interval.seconds": str(BALANCE_S)}) as cluster:
        cluster.format()
        cluster.start()
        yield cluster


@pytest.fixture
def cluster(running: Cluster) -> Iterator[Cluster]:
    """As every test finds it: whole, and without topics."""
    yield running
    leave_as_found(running)


def test_a_killed_broker_is_fenced_by_proof_and_loses_nothing_acknowledged(cluster: Cluster) -> None:
    create(cluster, "survivor", 6)
    victim = cluster.brokers[102]
    with loaded(cluster, "survivor") as load:
        before = len(controllers_said(cluster, "broker 102 (epoch"))
        began = time.monotonic()
        victim.kill()
        wait_until_led_without(cluster, 102)
        took = time.monotonic() - began
        load.wait_for_more()
    assert took < SESSION_S - HEARTBEAT_S, f"{took:.2f} s until all partitions were led again"
    (line,) = controllers_said(cluster, "broker 102 (epoch")[before:]
    assert PROOF in line
    for listener in ("PLAINTEXT", "SASL_PLAINTEXT"):
        assert f"{listener}://127.0.0.1:" in line
    victim.start()
    wait_until_back(cluster, 102)


def test_a_broker_that_hangs_is_fenced_by_its_session_alone(cluster: Cluster) -> None:
    create(cluster, "silent", 6)
    hanging = cluster.brokers[102]
    before = controllers_said(cluster, PROOF)
    with loaded(cluster, "silent") as load:
        os.kill(hanging.process.pid, signal.SIGSTOP)
        try:
            wait_until_led_without(cluster, 102)
            load.wait_for_more()
        finally:
            os.kill(hanging.process.pid, signal.SIGCONT)
        wait_until_back(cluster, 102)
    assert controllers_said(cluster, PROOF) == before


def test_a_broker_that_shuts_down_leaves_no_partition_offline_and_returns_at_once(cluster: Cluster) -> None:
    create(cluster, "orderly", 6)
    leaving = cluster.brokers[102]
    before = controllers_said(cluster, PROOF)
    offline: list[object] = []

    def has_left() -> bool:
        offline.extend(key for key, one in shown(cluster).items() if one.leader_id < 0)
        return not leaving.process.is_running

    with loaded(cluster, "orderly"):
        os.kill(leaving.process.pid, signal.SIGTERM)
        wait_until(has_left, WAIT_S, "the broker to end")
        wait_until_led_without(cluster, 102)
    assert offline == []
    leaving.start()
    # Its id was free again when it asked for the first time.
    said = leaving.process.err_path.read_text()
    assert "Successfully registered broker 102" in said
    assert "Unable to register broker 102" not in said
    wait_until_back(cluster, 102)
    assert controllers_said(cluster, PROOF) == before


def test_a_log_directory_that_fails_costs_its_replicas_and_the_last_one_the_broker(cluster: Cluster) -> None:
    create(cluster, "spread", 6)
    wait_until_placed(cluster, "spread", 6)
    broker = cluster.brokers[JBOD_BROKER]
    directories = broker.data_directories
    placed = {replica.name: each for each in directories for replica in each.glob("spread-*")}
    assert (len(placed), set(placed.values())) == (6, set(directories))
    recorded = recorded_directories(cluster, JBOD_BROKER)
    assert {name: recorded[name] for name in placed} == {
        name: meta_properties(each)["directory.id"] for name, each in placed.items()
    }

    def given_up() -> set[str]:
        return {
            f"{topic}-{index}"
            for (topic, index), one in shown(cluster, "spread").items()
            if JBOD_BROKER in one.offline_replicas and JBOD_BROKER not in one.isr_nodes
        }

    def wait_until_given_up(failed: set[Path]) -> None:
        held = {name for name, each in placed.items() if each in failed}
        wait_until(lambda: given_up() == held, WAIT_S, f"the replicas in {failed} to be given up")

    # The metadata log lies in the first one, without which no broker goes on.
    first, second, third = directories
    try:
        with loaded(cluster, "spread") as load:
            for failing, failed in ((second, {second}), (third, {second, third})):
                take_away(failing)
                wait_until_given_up(failed)
                assert all(one.leader_id >= 0 for one in shown(cluster).values())
                assert JBOD_BROKER in alive_brokers(cluster.brokers[101])
                errors = {one["logDir"]: one["error"] for one in log_directories(cluster, JBOD_BROKER)}
                assert {path for path, error in errors.items() if error} == set(map(str, failed))
                assert "KafkaStorageException" in errors[str(failing)]
            take_away(first)
            wait_until(lambda: not broker.process.is_running, WAIT_S, "the broker to end")
            wait_until_led_without(cluster, JBOD_BROKER)
            load.wait_for_more()
        wait_until_given_up(set(directories))
    finally:
        broker.kill()
        for directory in directories:
            give_back(directory)
    broker.start()
    wait_until_back(cluster, JBOD_BROKER)


def test_a_broker_that_is_gone_for_good_is_unregistered(cluster: Cluster) -> None:
    def known() -> set[int]:
        listed = run_tool(
            "kafka-cluster",
            "list-endpoints",
            "--bootstrap-server",
            cluster.servers,
            "--include-fenced-brokers",
        ).output()
        return {int(line.split()[0]) for line in listed.splitlines()[1:]}

    gone = cluster.brokers[JBOD_BROKER]
    gone.stop()
    try:
        assert known() == set(BROKERS)
        unregister = ("unregister", "--bootstrap-server", cluster.servers, "--id", str(JBOD_BROKER))
        unregistered = run_tool("kafka-cluster", *unregister).output()
        assert f"Broker {JBOD_BROKER} is no longer registered." in unregistered
        wait_until(lambda: known() == {101, 102}, WAIT_S, "the broker to be forgotten")
    finally:
        gone.start()
    cluster.wait_until_unfenced(JBOD_BROKER)
