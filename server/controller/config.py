"""The settings that the controller acts by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


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
    """The node's properties as given: what topics inherit where neither they nor the cluster say."""
    local_broker_incarnation_id: bytes | None = None
    """Incarnation id of the broker that runs in this very process; None in a controller-only process."""
    static_voter_ids: tuple[int, ...] = ()
    """Node ids of controller.quorum.voters; empty where the voters are in the log."""
