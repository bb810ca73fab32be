"""What controllers and brokers tell of their work: counted by the controller half, told under Kafka's names."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import NoReturn

import msgspec
import pytest
from msgspec import structs
from prometheus_client.core import Metric

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    AllocateProducerIdsRequest,
    BrokerHeartbeatRequest,
    CreateTopicsRequest,
    PartitionChangeRecord,
)
from kafkaproto_server.base.later import Deferred, Steps, run_to_end
from kafkaproto_server.base.metrics.controller import ControllerMetrics
from kafkaproto_server.base.metrics.histogram import Histogram
from kafkaproto_server.base.types import NO_NODE, LeaderAndEpoch
from kafkaproto_server.core.controller.machine.table import COMMANDS
from kafkaproto_server.core.controller.values.effects import AppendRecords
from kafkaproto_server.core.controller.values.events import CommandContext
from kafkaproto_server.metadata.image.entries import RECOVERING, TOPIC_RESOURCE
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE
from kafkaproto_server.metadata.image.loader import LoadState
from kafkaproto_server.node.observability.controller_metrics import (
    BrokerMetrics,
    broker_contacts,
    broker_work,
    controller_lag,
    controller_work,
)
from tests.core.controller.support.harness import alter_configs_request, registration_request
from tests.shell.quorum.test_controller_runner import Harness

CONTROLLER = "kafka_controller_kafkacontroller"


def told(families: Iterable[Metric]) -> Mapping[str, float]:
    """Values by name and, behind it, the values of labels."""
    return {
        " ".join((sample.name, *sample.labels.values())): sample.value
        for family in families
        for sample in family.samples
    }


# -- what is told --------------------------------------------------------------------------------------------------


def test_a_controllers_work_by_kafkas_names() -> None:
    metrics = ControllerMetrics(
        operations=9,
        commands=5,
        commands_timed_out=4,
        heartbeats_timed_out=3,
        failures=2,
        new_active_controllers=6,
        unclean_elections=7,
        elr_elections=8,
    )
    metrics.queue_times.add(0.002)
    metrics.processing_times.add(0.003)
    found = told(controller_work(metrics, failed_brokers=1, idle_ratio=0.75))
    events = "kafka_controller_controllereventmanager"
    stats = "kafka_controller_controllerstats"
    assert {name: value for name, value in found.items() if " " not in name} == {
        f"{events}_eventqueuetimems_count": 1,
        f"{events}_eventqueuetimems_sum": 2,
        f"{events}_eventqueueprocessingtimems_count": 1,
        f"{events}_eventqueueprocessingtimems_sum": 3,
        f"{events}_avgidleratio": 0.75,
        f"{CONTROLLER}_eventqueueoperationsstartedcount": 9,
        f"{CONTROLLER}_eventqueueoperationstimedoutcount": 4,
        f"{CONTROLLER}_timedoutbrokerheartbeatcount": 3,
        f"{CONTROLLER}_newactivecontrollerscount": 6,
        f"{CONTROLLER}_metadataerrorcount": 2,
        f"{stats}_uncleanleaderelections_total": 7,
        f"{stats}_electionfromeligibleleaderreplicas_total": 8,
        "kafkaproto_broker_deaths_proven_total": 1,
        "kafka_controller_kafkacontroller_controllerrequestsrate_total": 5,
    }
    assert found[f"{events}_eventqueuetimems 0.99"] == pytest.approx(2, rel=0.1)
    metrics.rotate()
    metrics.rotate()
    found = told(controller_work(metrics, failed_brokers=1, idle_ratio=0.75))
    assert found[f"{events}_eventqueuetimems 0.99"] == found[f"{events}_eventqueueprocessingtimems 0.99"] == 0


def test_how_long_each_broker_has_been_silent() -> None:
    assert told(broker_contacts({10: 1200, 9: 30})) == {
        f"{CONTROLLER}_timesincelastheartbeatreceivedms 9": 30,
        f"{CONTROLLER}_timesincelastheartbeatreceivedms 10": 1200,
    }


def test_lags_of_a_controller_by_the_names_of_the_kip() -> None:
    commits = Histogram()
    commits.add(0.004)
    image = msgspec.structs.replace(EMPTY_IMAGE, offset=90)
    found = told(controller_lag(image, high_watermark=100, snapshot_end_offset=60, commits=commits))
    assert {name: value for name, value in found.items() if " " not in name} == {
        f"{CONTROLLER}_metadatalag": 9,
        f"{CONTROLLER}_metadatacommitlatencyms_count": 1,
        f"{CONTROLLER}_metadatacommitlatencyms_sum": 4,
        f"{CONTROLLER}_metadatacommitrate_total": 100,
        f"{CONTROLLER}_metadatasnapshotlag": 40,
    }
    found = told(controller_lag(image, high_watermark=100, snapshot_end_offset=None, commits=commits))
    assert found[f"{CONTROLLER}_metadatasnapshotlag"] == 0


def test_a_brokers_work() -> None:
    image = msgspec.structs.replace(EMPTY_IMAGE, offset=99)
    figures = BrokerMetrics(state=3, apply_errors=2, queued_assignments=4, is_session_over=True)
    assert told(broker_work(image, figures, high_watermark=103)) == {
        "kafka_server_kafkaserver_brokerstate": 3,
        "kafka_server_broker_metadata_metrics_metadata_load_error_count": 0,
        "kafka_server_broker_metadata_metrics_metadata_apply_error_count": 2,
        "kafka_server_assignmentsmanager_queuedreplicatodirassignments": 4,
        "org_apache_kafka_server_assignmentsmanager_queuedreplicatodirassignments": 4,
        "kafkaproto_broker_session_over": 1,
        "kafka_controller_kafkaserver_metadatalag": 3,
    }


def test_a_broker_that_has_not_begun_is_not_running() -> None:
    assert set(told(broker_work(EMPTY_IMAGE, None, high_watermark=0)).values()) == {0}


# -- what is counted -----------------------------------------------------------------------------------------------


def test_commands_and_events_are_counted_and_timed() -> None:
    harness = Harness()
    harness.activate()
    metrics = harness.half.metrics
    before = metrics.operations
    harness.command(alter_configs_request(TOPIC_RESOURCE, "none", ("retention.ms", 0, "1")))
    assert metrics.commands == 1
    assert metrics.operations == before + 1
    assert metrics.processing_times.count == metrics.operations


def test_commands_whose_time_is_over_are_counted_and_heartbeats_among_them() -> None:
    harness = Harness()
    harness.activate()

    def answered_late(request: CreateTopicsRequest | BrokerHeartbeatRequest) -> None:
        harness.half.command(request, 1, CommandContext(deadline_ms=1), Deferred())
        harness.apply_effects()

    answered_late(CreateTopicsRequest(topics=[CreateTopicsRequest.CreatableTopic(name="a")]))
    metrics = harness.half.metrics
    assert (metrics.commands_timed_out, metrics.heartbeats_timed_out) == (1, 0)
    answered_late(BrokerHeartbeatRequest(broker_id=1))
    assert (metrics.commands_timed_out, metrics.heartbeats_timed_out) == (2, 1)


def test_another_refusal_is_no_timeout() -> None:
    harness = Harness()
    (response,) = harness.command(BrokerHeartbeatRequest(broker_id=1))
    assert getattr(response, "error_code", None) == ErrorCode.NOT_CONTROLLER
    assert harness.half.metrics.commands_timed_out == 0


def test_leaders_count_once_an_epoch_and_no_leader_does_not() -> None:
    harness = Harness()
    for leader_id, epoch in ((2, 5), (2, 5), (NO_NODE, 6), (2, 6), (1, 7)):
        harness.half.leader_changed(LeaderAndEpoch(leader_id=leader_id, epoch=epoch))
    assert harness.half.metrics.new_active_controllers == 3


def test_a_command_that_fails_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    harness = Harness()
    harness.activate()

    def fail(*_: object) -> NoReturn:
        raise ValueError("nobody foresaw this")

    monkeypatch.setitem(COMMANDS, ApiKey.ALLOCATE_PRODUCER_IDS, fail)
    harness.command(AllocateProducerIdsRequest(broker_id=1))
    assert harness.half.metrics.failures == 1


def test_the_active_controller_knows_when_brokers_were_heard_of() -> None:
    harness = Harness()
    assert harness.half.since_last_contacts_ms == {}
    harness.activate()
    harness.command(registration_request(7, cluster_id="cluster"), version=4)
    epoch = harness.half._controller.newest_image.brokers[7].epoch
    harness.command(BrokerHeartbeatRequest(broker_id=7, broker_epoch=epoch, want_fence=True))
    assert harness.half.since_last_contacts_ms == {7: 0}


def test_elections_are_counted_as_their_records_are_appended(monkeypatch: pytest.MonkeyPatch) -> None:
    harness = Harness()
    harness.activate()
    controller = harness.half._controller
    record = PartitionChangeRecord(
        partition_id=0, topic_id=bytes(15) + b"\x01", leader=1, leader_recovery_state=RECOVERING
    )

    # What the record does to an image, beside its offset, is another matter.
    def load_steps(state: LoadState, *, base_offset: int, **_: object) -> Steps[LoadState]:
        yield
        return structs.replace(state, latest=structs.replace(state.latest, offset=base_offset))

    monkeypatch.setattr("kafkaproto_server.core.controller.machine.appending.load_steps", load_steps)
    run_to_end(controller._changes._append((deque([record]), deque([b"encoded"]), (1,))))
    (append,) = controller.take_effects()
    assert isinstance(append, AppendRecords)
    harness.half._gather(append)
    assert (harness.half.metrics.unclean_elections, harness.half.metrics.elr_elections) == (1, 0)
