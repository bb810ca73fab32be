"""The families of metrics about the work of controllers and brokers on the cluster's metadata.

Kafka's metrics have Kafka's names (`node.observability.families` says how they are formed). Metrics that KIP-631
defined and Kafka never shipped have the KIP's names, for example ``MetadataLag``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from prometheus_client.core import Metric

from kafkaproto_server.base.metrics.controller import ControllerMetrics
from kafkaproto_server.base.metrics.histogram import Histogram
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.node.observability.families import BROKER, CONTROLLER, counter, gauge, gauges, summary

EVENTS = "kafka_controller_controllereventmanager"
STATS = "kafka_controller_controllerstats"
SERVER = "kafka_server_kafkaserver"
ASSIGNMENTS = ("kafka_server_assignmentsmanager", "org_apache_kafka_server_assignmentsmanager")
"""In Kafka, this metric is in two domains."""


def controller_work(
    metrics: ControllerMetrics, *, failed_brokers: int, idle_ratio: float
) -> Iterator[Metric]:
    """The work of a controller since its start. ``idle_ratio`` is that of the task that it shares with the quorum."""
    yield summary(
        f"{EVENTS}_eventqueuetimems", "From a command's arrival to its turn.", [({}, metrics.queue_times)]
    )
    yield summary(
        f"{EVENTS}_eventqueueprocessingtimems",
        "How long the controller was busy with an event.",
        [({}, metrics.processing_times)],
    )
    yield gauge(f"{EVENTS}_avgidleratio", "Share of its time that the controller waits.", idle_ratio)
    yield counter(
        f"{CONTROLLER}_controllerrequestsrate",
        "Requests that the controller was asked to carry out (KIP-631).",
        metrics.commands,
    )
    yield gauge(
        f"{CONTROLLER}_eventqueueoperationsstartedcount",
        "Events that the controller took in.",
        metrics.operations,
    )
    yield gauge(
        f"{CONTROLLER}_eventqueueoperationstimedoutcount",
        "Commands that were answered REQUEST_TIMED_OUT.",
        metrics.commands_timed_out,
    )
    yield gauge(
        f"{CONTROLLER}_timedoutbrokerheartbeatcount",
        "Brokers' heartbeats that were answered so.",
        metrics.heartbeats_timed_out,
    )
    yield gauge(
        f"{CONTROLLER}_newactivecontrollerscount",
        "How often a controller became the active one, as far as this node knows.",
        metrics.new_active_controllers,
    )
    yield gauge(
        f"{CONTROLLER}_metadataerrorcount",
        "Commands that failed in a way nobody foresaw; metadata that cannot be replayed end the process.",
        metrics.failures,
    )
    yield counter(
        f"{STATS}_uncleanleaderelections",
        "Leaders elected by this controller from outside of ISR and ELR.",
        metrics.unclean_elections,
    )
    yield counter(
        f"{STATS}_electionfromeligibleleaderreplicas",
        "Leaders elected by this controller from the ELR.",
        metrics.elr_elections,
    )
    yield counter(
        "kafkaproto_broker_deaths_proven",
        "Brokers fenced by this controller because their processes were provably gone.",
        failed_brokers,
    )


def broker_contacts(since_ms: Mapping[int, int]) -> Iterator[Metric]:
    """How long brokers have been silent, as the active controller knows it."""
    yield gauges(
        f"{CONTROLLER}_timesincelastheartbeatreceivedms",
        "Time since a broker's last heartbeat; told by the active controller.",
        [({"broker": str(broker_id)}, since) for broker_id, since in sorted(since_ms.items())],
    )


def controller_lag(
    image: ClusterImage, *, high_watermark: int, snapshot_end_offset: int | None, commits: Histogram
) -> Iterator[Metric]:
    """The metrics of a controller that KIP-631 defines."""
    yield gauge(
        f"{CONTROLLER}_metadatalag",
        "Committed records not replayed yet (KIP-631).",
        _lag(image, high_watermark),
    )
    yield summary(
        f"{CONTROLLER}_metadatacommitlatencyms", "From append to commit (KIP-631).", [({}, commits)]
    )
    # There is one log, and everything below the high watermark is committed: this many records.
    yield counter(
        f"{CONTROLLER}_metadatacommitrate", "Records of the log that are committed (KIP-631).", high_watermark
    )
    yield gauge(
        f"{CONTROLLER}_metadatasnapshotlag",
        "Committed records behind the newest snapshot, 0 if there is none (KIP-631).",
        0 if snapshot_end_offset is None else max(0, high_watermark - snapshot_end_offset),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerMetrics:
    """The state of a broker, and how it keeps up with the metadata."""

    state: int
    """Kafka's number of the state."""
    apply_errors: int
    queued_assignments: int
    is_session_over: bool


def broker_work(
    image: ClusterImage, statistics: BrokerMetrics | None, *, high_watermark: int
) -> Iterator[Metric]:
    """The work of a broker on the metadata. ``statistics`` is None until the broker begins to register."""
    yield gauge(
        f"{SERVER}_brokerstate",
        "0 not running, 1 starting, 2 recovery, 3 running, 6 pending controlled shutdown, 7 shutting down.",
        0 if statistics is None else statistics.state,
    )
    # Metadata that cannot be replayed ends the process, so that no node serves metadata with a gap.
    yield gauge(f"{BROKER}_metadata_load_error_count", "Metadata that could not be replayed.", 0)
    yield gauge(
        f"{BROKER}_metadata_apply_error_count",
        "Metadata that asked for what this broker could not do.",
        0 if statistics is None else statistics.apply_errors,
    )
    for domain in ASSIGNMENTS:
        yield gauge(
            f"{domain}_queuedreplicatodirassignments",
            "Replicas whose directory no controller has confirmed yet.",
            0 if statistics is None else statistics.queued_assignments,
        )
    yield gauge(
        "kafkaproto_broker_session_over",
        "1 if no controller took a heartbeat for so long that the broker takes no records (KIP-631).",
        int(statistics is not None and statistics.is_session_over),
    )
    yield gauge(
        "kafka_controller_kafkaserver_metadatalag",
        "Committed records not replayed yet (KIP-631).",
        _lag(image, high_watermark),
    )


def _lag(image: ClusterImage, high_watermark: int) -> int:
    return max(0, high_watermark - 1 - image.offset)
