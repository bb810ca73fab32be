"""The broker's settings for its groups, as tables: the key of each field."""

from __future__ import annotations

from collections.abc import Callable

from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.config.settings import CurrentSettings, Derived, SettingsTable, entries_of
from kafkaproto_server.core.coordinators.groups.classic.config import ClassicGroupConfig
from kafkaproto_server.core.coordinators.groups.config import GroupConfigs
from kafkaproto_server.core.coordinators.groups.consumer.assignors import RANGE, UNIFORM
from kafkaproto_server.core.coordinators.groups.consumer.settings import ConsumerGroupConfig
from kafkaproto_server.core.coordinators.groups.offsets.config import OffsetsConfig
from kafkaproto_server.core.coordinators.groups.share.settings import ShareGroupConfig
from kafkaproto_server.core.coordinators.groups.streams.config import StreamsConfig

PROTOCOLS = "group.coordinator.rebalance.protocols"
_ASSIGNOR_CLASSES = {
    "org.apache.kafka.coordinator.group.assignor.UniformAssignor": UNIFORM,
    "org.apache.kafka.coordinator.group.assignor.RangeAssignor": RANGE,
}


def assignors_of(text: str) -> tuple[str, ...]:
    """The assignors by the names that clients use; those that come with a broker may be given by their classes."""
    return tuple(_ASSIGNOR_CLASSES.get(each, each) for each in entries_of(text))


CLASSIC = SettingsTable(
    ClassicGroupConfig,
    {
        "min_session_timeout_ms": "group.min.session.timeout.ms",
        "max_session_timeout_ms": "group.max.session.timeout.ms",
        "max_size": "group.max.size",
        "initial_rebalance_delay_ms": "group.initial.rebalance.delay.ms",
    },
)
OFFSETS = SettingsTable(
    OffsetsConfig,
    {
        "metadata_max_bytes": "offset.metadata.max.bytes",
        "retention_ms": Derived("offsets.retention.minutes", lambda text: int(text) * 60_000),
        "retention_check_interval_ms": "offsets.retention.check.interval.ms",
    },
)
CONSUMER = SettingsTable(
    ConsumerGroupConfig,
    {
        "is_served": Derived(PROTOCOLS, lambda text: "consumer" in entries_of(text)),
        "session_timeout_ms": "group.consumer.session.timeout.ms",
        "min_session_timeout_ms": "group.consumer.min.session.timeout.ms",
        "max_session_timeout_ms": "group.consumer.max.session.timeout.ms",
        "heartbeat_interval_ms": "group.consumer.heartbeat.interval.ms",
        "min_heartbeat_interval_ms": "group.consumer.min.heartbeat.interval.ms",
        "max_heartbeat_interval_ms": "group.consumer.max.heartbeat.interval.ms",
        "assignment_interval_ms": "group.consumer.assignment.interval.ms",
        "min_assignment_interval_ms": "group.consumer.min.assignment.interval.ms",
        "max_assignment_interval_ms": "group.consumer.max.assignment.interval.ms",
        "max_size": "group.consumer.max.size",
        "migration_policy": Derived("group.consumer.migration.policy", lambda text: text.strip().lower()),
        "assignors": Derived("group.consumer.assignors", assignors_of),
        "regex_refresh_interval_ms": "group.consumer.regex.refresh.interval.ms",
    },
)
SHARE = SettingsTable(
    ShareGroupConfig,
    {
        "session_timeout_ms": "group.share.session.timeout.ms",
        "min_session_timeout_ms": "group.share.min.session.timeout.ms",
        "max_session_timeout_ms": "group.share.max.session.timeout.ms",
        "heartbeat_interval_ms": "group.share.heartbeat.interval.ms",
        "min_heartbeat_interval_ms": "group.share.min.heartbeat.interval.ms",
        "max_heartbeat_interval_ms": "group.share.max.heartbeat.interval.ms",
        "assignment_interval_ms": "group.share.assignment.interval.ms",
        "min_assignment_interval_ms": "group.share.min.assignment.interval.ms",
        "max_assignment_interval_ms": "group.share.max.assignment.interval.ms",
        "max_size": "group.share.max.size",
        "initialize_retry_interval_ms": "group.share.initialize.retry.interval.ms",
        "commit_timeout_ms": "offsets.commit.timeout.ms",
    },
)
STREAMS = SettingsTable(
    StreamsConfig,
    {
        "is_served": Derived(PROTOCOLS, lambda text: "streams" in entries_of(text)),
        "session_timeout_ms": "group.streams.session.timeout.ms",
        "min_session_timeout_ms": "group.streams.min.session.timeout.ms",
        "max_session_timeout_ms": "group.streams.max.session.timeout.ms",
        "heartbeat_interval_ms": "group.streams.heartbeat.interval.ms",
        "min_heartbeat_interval_ms": "group.streams.min.heartbeat.interval.ms",
        "max_heartbeat_interval_ms": "group.streams.max.heartbeat.interval.ms",
        "assignment_interval_ms": "group.streams.assignment.interval.ms",
        "min_assignment_interval_ms": "group.streams.min.assignment.interval.ms",
        "max_assignment_interval_ms": "group.streams.max.assignment.interval.ms",
        "initial_rebalance_delay_ms": "group.streams.initial.rebalance.delay.ms",
        "max_size": "group.streams.max.size",
        "num_standby_replicas": "group.streams.num.standby.replicas",
        "max_standby_replicas": "group.streams.max.standby.replicas",
        "task_offset_interval_ms": "group.streams.task.offset.interval.ms",
        "min_task_offset_interval_ms": "group.streams.min.task.offset.interval.ms",
        "acceptable_recovery_lag": "group.streams.acceptable.recovery.lag",
        "rack_aware_assignment_tags": "group.streams.rack.aware.assignment.tags",
    },
)


def current_group_configs(configs: Callable[[], NodeConfigs]) -> GroupConfigs:
    """The settings of each kind as they are now. ``configs`` returns the same object as long as it has the same
    values."""
    return GroupConfigs(
        classic=CurrentSettings(CLASSIC, configs),
        offsets=CurrentSettings(OFFSETS, configs),
        consumer=CurrentSettings(CONSUMER, configs),
        share=CurrentSettings(SHARE, configs),
        streams=CurrentSettings(STREAMS, configs),
    )
