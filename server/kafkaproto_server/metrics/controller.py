"""What a controller did, in numbers that only grow; the names of Kafka's metrics stand with their families."""

from __future__ import annotations

from dataclasses import dataclass, field

from kafkaproto_server.metrics.histogram import Histogram


@dataclass(slots=True, kw_only=True)
class ControllerMetrics:
    """Counts and durations since the start."""

    operations: int = 0
    """Events that the controller took in: commands, commits, changes of leadership, ticks."""
    commands: int = 0
    """Commands among them."""
    commands_timed_out: int = 0
    """Commands that were answered REQUEST_TIMED_OUT."""
    heartbeats_timed_out: int = 0
    """Brokers' heartbeats among those."""
    failures: int = 0
    """Commands that failed in a way nobody foresaw."""
    new_active_controllers: int = 0
    """How often another controller, or this one anew, became the active one."""
    unclean_elections: int = 0
    """Leaders that this controller, as the active one, elected from outside of ISR and ELR."""
    elr_elections: int = 0
    """Leaders that it elected from the ELR (KIP-966)."""
    queue_times: Histogram = field(default_factory=Histogram)
    """Of each command: from its arrival until the controller took it in."""
    processing_times: Histogram = field(default_factory=Histogram)
    """Of each event: how long the controller was busy with it."""

    def rotate(self) -> None:
        """Begin a new half of the histograms' windows."""
        self.queue_times.rotate()
        self.processing_times.rotate()
