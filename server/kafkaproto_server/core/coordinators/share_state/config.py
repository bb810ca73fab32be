"""Settings of the share coordinator. Apache Kafka has them in ShareCoordinatorConfig."""

from __future__ import annotations

import msgspec


class ShareStateConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The settings, as the broker's configs give them."""

    updates_per_snapshot: int = 500
    """``share.coordinator.snapshot.update.records.per.snapshot``: after so many updates of a share partition, all of
    its state is written."""
    prune_interval_ms: int = 300_000
    """``share.coordinator.state.topic.prune.interval.ms``: how often records that nobody needs are deleted."""
    cold_snapshot_interval_ms: int = 300_000
    """``share.coordinator.cold.partition.snapshot.interval.ms``: how often the state of share partitions that do not
    change is written anew. Otherwise old records could not be deleted."""
    write_timeout_ms: int = 5_000
    """``share.coordinator.write.timeout.ms``: how long a request waits until what it has written is committed."""
