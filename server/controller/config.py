"""The settings that the controller acts by, and its fixed limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MAX_RECORDS_PER_COMMAND = 10_000
"""Records that one request may lead to; more is POLICY_VIOLATION. They go into one batch."""
MAX_PARTITIONS_PER_REQUEST = 10_000
"""Partitions that one request may create."""
MAX_BATCH_BYTES = 8 * 1024 * 1024
"""Largest batch of the metadata log; stock nodes hold batches in buffers of this size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerConfig:
    """Settings of one controller; the defaults are Kafka's."""

    broker_session_timeout_ms: int = 9_000
    """broker.session.timeout.ms: silence after which a broker is fenced."""
    metadata_max_idle_interval_ms: int = 500
    """metadata.max.idle.interval.ms: how often a NoOpRecord is written; 0 for never."""
    num_partitions: int = 1
    """num.partitions, for topics that are created without a count."""
    default_replication_factor: int = 1
    """default.replication.factor, for topics that are created without one."""
    delete_topic_enable: bool = True
    """delete.topic.enable."""
    static_config: Mapping[str, str] = field(default_factory=dict)
    """The node's properties as they were given: what topics inherit where neither they nor the cluster say."""
    local_broker_incarnation_id: bytes | None = None
    """Incarnation id of the broker that runs in this very process; None in a controller-only process."""
