"""The work of a controller, in numbers that only grow. The names of Kafka's metrics are in `node.observability`."""

from __future__ import annotations

from dataclasses import dataclass, field

from kafkaproto_server.base.metrics.histogram import Histogram


@dataclass(slots=True, kw_only=True)
class ControllerMetrics:
    """Counts and durations since the start."""

    operations: int = 0
    """Events that the controller handled: commands, commits, changes of leadership, ticks."""
    commands: int = 0
    """Commands among these events."""
    commands_timed_out: int = 0
    """Commands whose response was REQUEST_TIMED_OUT."""
    heartbeats_timed_out: int = 0
    """Broker heartbeats among those."""
    failures: int = 0
    """Commands that failed with an unexpected error."""
    new_active_controllers: int = 0
    """How often another controller, or this one again, became the active one."""
    unclean_elections: int = 0
    """Leaders that this controller, as the active one, elected from outside the ISR and the ELR."""
    elr_elections: int = 0
    """Leaders that it elected from the ELR (KIP-966)."""
    queue_times: Histogram = field(default_factory=Histogram)
    """For each command: the time from its arrival until the controller started it."""
    processing_times: Histogram = field(default_factory=Histogram)
    """For each event: how long the controller was busy with it."""

    def rotate(self) -> None:
        """Begin a new half of the histograms' windows."""
        self.queue_times.rotate()
        self.processing_times.rotate()
