"""The settings of the coordinator of groups, by Kafka's keys."""

from __future__ import annotations

import msgspec

from kafkaproto_server.core.coordinators.groups.streams.config import StreamsConfig


class GroupConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Each field is the broker's key of nearly that name."""

    min_session_timeout_ms: int = 6_000
    """group.min.session.timeout.ms"""
    max_session_timeout_ms: int = 1_800_000
    """group.max.session.timeout.ms"""
    max_size: int = 2_147_483_647
    """group.max.size"""
    initial_rebalance_delay_ms: int = 3_000
    """group.initial.rebalance.delay.ms"""
    offset_metadata_max_bytes: int = 4_096
    """offset.metadata.max.bytes"""
    offsets_retention_ms: int = 7 * 24 * 3_600_000
    """offsets.retention.minutes"""
    offsets_retention_check_interval_ms: int = 600_000
    """offsets.retention.check.interval.ms"""
    serves_consumer_groups: bool = True
    """Whether group.coordinator.rebalance.protocols has "consumer"."""
    consumer_migration_policy: str = "bidirectional"
    """group.consumer.migration.policy"""
    consumer_session_timeout_ms: int = 45_000
    """group.consumer.session.timeout.ms"""
    consumer_min_session_timeout_ms: int = 45_000
    """group.consumer.min.session.timeout.ms"""
    consumer_max_session_timeout_ms: int = 60_000
    """group.consumer.max.session.timeout.ms"""
    consumer_heartbeat_interval_ms: int = 5_000
    """group.consumer.heartbeat.interval.ms"""
    consumer_min_heartbeat_interval_ms: int = 5_000
    """group.consumer.min.heartbeat.interval.ms"""
    consumer_max_heartbeat_interval_ms: int = 15_000
    """group.consumer.max.heartbeat.interval.ms"""
    consumer_assignment_interval_ms: int = 1_000
    """group.consumer.assignment.interval.ms"""
    consumer_min_assignment_interval_ms: int = 0
    """group.consumer.min.assignment.interval.ms"""
    consumer_max_assignment_interval_ms: int = 15_000
    """group.consumer.max.assignment.interval.ms"""
    consumer_max_size: int = 2_147_483_647
    """group.consumer.max.size"""
    consumer_assignors: tuple[str, ...] = ("uniform", "range")
    """group.consumer.assignors; the first one is for groups whose members name none."""
    consumer_regex_refresh_interval_ms: int = 600_000
    """group.consumer.regex.refresh.interval.ms"""
    share_session_timeout_ms: int = 45_000
    """group.share.session.timeout.ms"""
    share_min_session_timeout_ms: int = 45_000
    """group.share.min.session.timeout.ms"""
    share_max_session_timeout_ms: int = 60_000
    """group.share.max.session.timeout.ms"""
    share_heartbeat_interval_ms: int = 5_000
    """group.share.heartbeat.interval.ms"""
    share_min_heartbeat_interval_ms: int = 5_000
    """group.share.min.heartbeat.interval.ms"""
    share_max_heartbeat_interval_ms: int = 15_000
    """group.share.max.heartbeat.interval.ms"""
    share_assignment_interval_ms: int = 1_000
    """group.share.assignment.interval.ms"""
    share_min_assignment_interval_ms: int = 0
    """group.share.min.assignment.interval.ms"""
    share_max_assignment_interval_ms: int = 15_000
    """group.share.max.assignment.interval.ms"""
    share_max_size: int = 200
    """group.share.max.size"""
    share_initialize_retry_interval_ms: int = 30_000
    """group.share.initialize.retry.interval.ms, or offsets.commit.timeout.ms if that is more"""
    streams: StreamsConfig = StreamsConfig()
    """The keys of streams groups."""
