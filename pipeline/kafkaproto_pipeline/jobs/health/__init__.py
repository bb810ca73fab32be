"""The health of the cluster hour by hour, the worst hours first."""

from kafkaproto_pipeline.jobs.health.job import (
    JOB,
    by_hour,
    flapping_brokers,
    flapping_partitions,
    leadership_skew,
    record_growth,
    snapshot_lag,
    worst_brokers,
    worst_partitions,
)

__all__ = [
    "JOB",
    "by_hour",
    "flapping_brokers",
    "flapping_partitions",
    "leadership_skew",
    "record_growth",
    "snapshot_lag",
    "worst_brokers",
    "worst_partitions",
]
