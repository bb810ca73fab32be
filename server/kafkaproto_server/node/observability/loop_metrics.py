"""Metrics of what all requests share: the listeners, and the event loop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from prometheus_client.core import Metric

from kafkaproto_server.node.observability.families import counters, gauge, gauges, histogram
from kafkaproto_server.node.observability.loop_watch import STALL_BOUNDS_MS, LoopWatch
from kafkaproto_server.shell.net.listener import ListenerStatistics

IDLE_THREADS: Final = (
    "kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent",
    "kafka_network_socketserver_networkprocessoravgidlepercent",
    "kafka_network_socketserver_networkprocessoravgidle_percent",
)
"""The share of their time, 0 to 1, that Kafka's threads wait. Boards have two spellings of the second one."""


def listener_work(listeners: Mapping[str, ListenerStatistics]) -> Iterator[Metric]:
    """The connections of listeners, by name."""
    by_name = sorted(listeners.items())
    yield gauges(
        "kafka_server_socket_server_metrics_connection_count",
        "Open connections.",
        [({"listener": name}, each.open_connections) for name, each in by_name],
    )
    yield counters(
        "kafka_server_socket_server_metrics_connection_creation",
        "Connections accepted.",
        [({"listener": name}, each.accepted_connections) for name, each in by_name],
    )


def loop_work(loop: LoopWatch, idle: float) -> Iterator[Metric]:
    """How the loop spends its time. ``idle`` is the share of it that it waits."""
    yield histogram(
        "kafkaproto_event_loop_stall_ms",
        "How long the event loop was busy at a time.",
        STALL_BOUNDS_MS,
        loop.stalls,
        loop.stalled_s * 1000,
    )
    yield histogram(
        "kafkaproto_event_loop_cpu_ms",
        "Processor time that the event loop's thread took at a time.",
        STALL_BOUNDS_MS,
        loop.cpu_passes,
        loop.cpu_s * 1000,
    )
    yield gauge(
        "kafkaproto_event_loop_stall_ms_max", "The longest of the last minute or two.", loop.longest_ms
    )
    yield gauge("kafkaproto_event_loop_idle_ratio", "Share of its time that the event loop waits.", idle)
    for name in IDLE_THREADS:
        yield gauge(name, "The same: the event loop does the work of these threads of Kafka.", idle)
