"""The work of a broker's coordinators and share partitions, in numbers that only grow.

They are the broker's: a coordinator that moves to another broker leaves what it did here behind. How many groups there
are, and in which states, is known where the groups are. The names of Kafka's metrics are in `node.observability`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from kafkaproto_server.base.metrics.histogram import Histogram


@dataclass(slots=True, kw_only=True)
class GroupMetrics:
    """What happened to groups. A change counts once its record is in the log."""

    offset_commits: int = 0
    """Offsets that were committed, those in transactions too."""
    offsets_expired: int = 0
    """Offsets that were removed because their time was over."""
    offset_deletions: int = 0
    """Offsets that administrators deleted (OffsetDelete)."""
    completed_rebalances: int = 0
    """Generations of classic groups that got their assignment."""
    consumer_rebalances: int = 0
    """Group epochs of consumer groups that members that came, subscriptions or topics made necessary. Apache Kafka does
    not count those of members that leave."""
    share_rebalances: int = 0
    """The same of share groups."""
    streams_rebalances: int = 0
    """The same of streams groups."""


@dataclass(slots=True, kw_only=True)
class ShareStateMetrics:
    writes: int = 0
    """Records that were written for a write, or for a read with a new leader epoch."""
    write_latencies: Histogram = field(default_factory=Histogram)
    """From a write to its response, without those that were refused."""


@dataclass(slots=True, kw_only=True)
class SharePartitionMetrics:
    """What became of the records of share partitions."""

    acknowledgements: list[int] = field(default_factory=lambda: [0] * 5)
    """Records by acknowledge type, once that is persisted."""
    load_times: Histogram = field(default_factory=Histogram)
    """From the first fetch of a share partition until its state is known."""
    acquire_times: Histogram = field(default_factory=Histogram)
    """From a ShareFetch request until its records are acquired, or its time is over."""
    fetch_ratios: Histogram = field(default_factory=Histogram)
    """The percents of a request's share partitions that it acquired records of, as if they were milliseconds."""
    expired_fetches: int = 0
    """Requests that waited for their whole time."""

    def acknowledged(self, counts: Iterable[int]) -> None:
        """So many records of each type were acknowledged."""
        for kind, number in enumerate(counts):
            self.acknowledgements[kind] += number


@dataclass(slots=True, kw_only=True)
class VerificationMetrics:
    """What leaders asked of the coordinators of transactions."""

    failures: int = 0
    """Partitions that are not part of the transaction, or of which that is not known."""
    times: Histogram = field(default_factory=Histogram)


@dataclass(slots=True, kw_only=True)
class CoordinatorMetrics:
    groups: GroupMetrics = field(default_factory=GroupMetrics)
    share_states: ShareStateMetrics = field(default_factory=ShareStateMetrics)
    share_partitions: SharePartitionMetrics = field(default_factory=SharePartitionMetrics)
    verification: VerificationMetrics = field(default_factory=VerificationMetrics)
    group_loads: Histogram = field(default_factory=Histogram)
    """How long it took to load each partition of ``__consumer_offsets``."""
    transaction_loads: Histogram = field(default_factory=Histogram)
    """The same of ``__transaction_state``."""
    share_loads: Histogram = field(default_factory=Histogram)
    """The same of ``__share_group_state``."""
    group_commits: Histogram = field(default_factory=Histogram)
    """How long responses of the coordinator of groups waited until the records before them were committed."""
    transaction_commits: Histogram = field(default_factory=Histogram)
    """The same of the coordinator of transactions."""
    share_commits: Histogram = field(default_factory=Histogram)
    """The same of the share coordinator."""

    def rotate(self) -> None:
        """Begin a new half of the histograms' windows."""
        share = self.share_partitions
        for each in (
            self.share_states.write_latencies,
            share.load_times,
            share.acquire_times,
            share.fetch_ratios,
            self.verification.times,
            self.group_loads,
            self.transaction_loads,
            self.share_loads,
            self.group_commits,
            self.transaction_commits,
            self.share_commits,
        ):
            each.rotate()
