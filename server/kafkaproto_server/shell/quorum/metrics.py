"""Counters of the quorum's driver: plain numbers that only grow. A reader computes rates and averages from two
readings."""

from __future__ import annotations

from dataclasses import dataclass, field

from kafkaproto_server.base.metrics.histogram import Histogram


@dataclass(slots=True, kw_only=True)
class QuorumMetrics:
    """Counts and durations since the start."""

    commits: Histogram = field(default_factory=Histogram)
    """For each batch that this node appended as leader and that was committed: the time from append to commit."""
    persists: Histogram = field(default_factory=Histogram)
    """For each job of the disk's thread: the time from queueing it until it is durable."""
    flushes: Histogram = field(default_factory=Histogram)
    """Durations of the log's syncs."""
    appended_records: int = 0
    """Records that this node appended as leader."""
    fetched_records: int = 0
    """Records that this node fetched from leaders."""
    idle_ms: float = 0.0
    """Time in which the driver waited for something to do."""
    busy_ms: float = 0.0
    """Time in which the driver worked."""

    def count_commit(self, latency_ms: float) -> None:
        self.commits.add(latency_ms / 1000)

    def count_persist(self, latency_ms: float) -> None:
        self.persists.add(latency_ms / 1000)

    def count_flush(self, duration_ms: float) -> None:
        self.flushes.add(duration_ms / 1000)

    def rotate(self) -> None:
        """Begin a new half of the histograms' windows."""
        self.commits.rotate()
        self.persists.rotate()
        self.flushes.rotate()


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotMetrics:
    """Counters of snapshots since the start."""

    loaded: int
    """Snapshots from which this node's image was rebuilt."""
    written: int
    """Snapshots that this node wrote."""
    failed: int
    """Failed attempts to write one."""
    latest_bytes: int
    """Size of the newest one that this node wrote; 0 if there is none."""
    latest_age_ms: int
    """Time since it was complete; 0 if there is none."""
