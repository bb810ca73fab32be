"""Brokers that are killed, stopped and started again, as processes: who is fenced, how soon, and on what ground."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from compat.ours import BIN
from compat.process import wait_until
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import UnregisterBrokerRequest, UnregisterBrokerResponse
from kafkaproto_server.tools.cluster.cluster_layout import Shape
from tests.integration.support.asking import connect, metadata
from tests.integration.support.clusters import WAIT_S, NodeCluster, node_cluster, until

pytestmark = pytest.mark.slow

CONTROLLER = 1
DYING, LIVING = 101, 102
SESSION_S = 3
LONG_SESSION_S = 30
SHORT_SESSIONS = {CONTROLLER: f"broker.session.timeout.ms={SESSION_S * 1000}"}
LONG_SESSIONS = {CONTROLLER: f"broker.session.timeout.ms={LONG_SESSION_S * 1000}"}
WELL_UNDER_A_SECOND_S = 0.9
AT_ONCE_S = LONG_SESSION_S / 2
"""For a process to start and register, on a machine that has other things to do."""


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeCluster]:
    """A controller that waits long for heartbeats, and two brokers."""
    shape = Shape(controllers=1, brokers=2)
    with node_cluster(tmp_path_factory.mktemp("patient"), shape, own_properties=LONG_SESSIONS) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeCluster]:
    """The same, but the controller waits for three seconds."""
    shape = Shape(controllers=1, brokers=2)
    with node_cluster(tmp_path_factory.mktemp("impatient"), shape, own_properties=SHORT_SESSIONS) as cluster:
        yield cluster


def serving(cluster: NodeCluster) -> set[int]:
    """The brokers that are not fenced, as the one that is left alone tells its clients."""
    return {broker.node_id for broker in metadata(cluster.servers[1]).brokers}


def until_known(cluster: NodeCluster) -> None:
    """Wait until both brokers serve, and have done so for some heartbeats."""
    until(lambda: serving(cluster) == {DYING, LIVING}, "both brokers")
    time.sleep(1)


def controllers_log(cluster: NodeCluster) -> str:
    return cluster.said(CONTROLLER)


def wait_until_missed(cluster: NodeCluster, since: float) -> float:
    """Seconds until a broker's clients do not hear of the other one any more."""
    wait_until(lambda: serving(cluster) == {LIVING}, WAIT_S, "the broker to be fenced")
    return time.monotonic() - since


def test_a_killed_broker_is_fenced_by_proof_and_comes_back_at_once(patient: NodeCluster) -> None:
    until_known(patient)
    begin = time.monotonic()
    patient.kill(DYING)
    assert wait_until_missed(patient, begin) < WELL_UNDER_A_SECOND_S
    log = controllers_log(patient)
    assert f"broker {DYING} (epoch " in log
    assert "failed and is fenced: the connection of its heartbeats ended" in log
    # Its successor, and one that is there before anybody has missed it, need not wait for a session. By its command it
    # does not listen yet when the controller looks whether anybody does.
    for _ in range(2):
        begin = time.monotonic()
        patient.restart(DYING, by_command=True)
        assert time.monotonic() - begin < AT_ONCE_S
        until(lambda: serving(patient) == {DYING, LIVING}, "the broker's next life")
        patient.kill(DYING)
    patient.restart(DYING, by_command=True)


def test_a_broker_that_stops_in_order_may_start_again_at_once(patient: NodeCluster) -> None:
    until_known(patient)
    before = controllers_log(patient).count("failed and is fenced")
    patient.terminate(DYING)
    begin = time.monotonic()
    patient.restart(DYING)
    assert time.monotonic() - begin < AT_ONCE_S
    assert controllers_log(patient).count("failed and is fenced") == before


def unregister(cluster: NodeCluster, broker_id: int) -> UnregisterBrokerResponse:
    """What the controller says to it, asked by way of the broker that is left alone."""
    with connect(cluster.servers[1]) as client:
        response = client.send(UnregisterBrokerRequest(broker_id=broker_id))
    assert isinstance(response, UnregisterBrokerResponse)
    return response


def test_a_broker_that_was_unregistered_is_nobody_until_it_starts_again(patient: NodeCluster) -> None:
    until_known(patient)
    assert unregister(patient, DYING).error_code == ErrorCode.NONE
    again = unregister(patient, DYING)
    assert (again.error_code, again.error_message) == (
        ErrorCode.BROKER_ID_NOT_REGISTERED,
        f"Broker {DYING} is not registered.",
    )
    # It goes on sending heartbeats, which count for nothing.
    time.sleep(1)
    assert serving(patient) == {LIVING}
    patient.kill(DYING)
    patient.restart(DYING, by_command=True)
    until(lambda: serving(patient) == {DYING, LIVING}, "the broker's next life")


def test_a_broker_that_hangs_is_fenced_by_its_session_alone(impatient: NodeCluster) -> None:
    until_known(impatient)
    begin = time.monotonic()
    os.kill(impatient.pids[DYING], signal.SIGSTOP)
    try:
        # Its newest heartbeat came at most an interval before.
        assert wait_until_missed(impatient, begin) > SESSION_S - 0.5
    finally:
        os.kill(impatient.pids[DYING], signal.SIGCONT)
    until(lambda: serving(impatient) == {DYING, LIVING}, "the broker to be taken in again")
    assert "failed and is fenced" not in controllers_log(impatient)


def changes_of_registrations(cluster: NodeCluster) -> int:
    """How often a broker was unfenced, fenced or cordoned so far."""
    (segment,) = cluster.properties_path(CONTROLLER).parent.glob("**/__cluster_metadata-0/*.log")
    command = [str(BIN / "kafka-dump-log"), "--cluster-metadata-decoder", "--files", str(segment)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return result.stdout.count("BROKER_REGISTRATION_CHANGE_RECORD")


def test_a_controller_that_hangs_for_a_session_fences_nobody_when_it_goes_on(impatient: NodeCluster) -> None:
    until_known(impatient)
    before = changes_of_registrations(impatient)
    assert before >= 2
    os.kill(impatient.pids[CONTROLLER], signal.SIGSTOP)
    try:
        time.sleep(SESSION_S + 1)
    finally:
        os.kill(impatient.pids[CONTROLLER], signal.SIGCONT)
    # Whoever is fenced is so at once, or never for lack of heartbeats.
    time.sleep(SESSION_S + 1)
    assert changes_of_registrations(impatient) == before
    assert "this node did not run for" in controllers_log(impatient)


def test_a_broker_that_dies_with_the_active_controller_is_missed_by_the_next_one(tmp_path: Path) -> None:
    long_sessions = dict.fromkeys((1, 2, 3), LONG_SESSIONS[CONTROLLER])
    with node_cluster(tmp_path, Shape(combined=3), own_properties=long_sessions) as cluster:
        dying = cluster.view().leader_id
        others = [server for node_id, server in enumerate(cluster.servers, 1) if node_id != dying]
        alive = {1, 2, 3} - {dying}

        def serving_now() -> set[int]:
            return {broker.node_id for broker in metadata(others[0]).brokers}

        until(lambda: serving_now() == {1, 2, 3}, "all brokers")
        time.sleep(1)
        begin = time.monotonic()
        cluster.kill(dying)
        wait_until(lambda: serving_now() == alive, WAIT_S, "the broker to be fenced")
        assert time.monotonic() - begin < LONG_SESSION_S / 3
        time.sleep(1)
        assert serving_now() == alive
