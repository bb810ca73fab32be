"""The settings of streams groups: by Kafka's keys, and those of one group, whose own configuration goes first."""

from __future__ import annotations

from collections.abc import Mapping

from kafkaproto_server.core.coordinators.groups.modern.settings import (
    ModernConfig,
    ModernSettings,
    modern_settings_of,
)

NUM_STANDBY_REPLICAS, RACK_AWARE_TAGS = "num.standby.replicas", "rack.aware.assignment.tags"
"""The names of the assignor's settings in records."""


class StreamsConfig(ModernConfig, frozen=True, kw_only=True):
    """Each field is the broker's key "group.streams." with nearly that name."""

    is_served: bool = True
    """Whether group.coordinator.rebalance.protocols has "streams"."""
    initial_rebalance_delay_ms: int = 3_000
    num_standby_replicas: int = 0
    max_standby_replicas: int = 2
    task_offset_interval_ms: int = 60_000
    min_task_offset_interval_ms: int = 15_000
    acceptable_recovery_lag: int = 10_000
    rack_aware_assignment_tags: str = ""


class StreamsSettings(ModernSettings, frozen=True, kw_only=True):
    """The settings of one group."""

    initial_rebalance_delay_ms: int
    """How long a group waits for more members after the first one."""
    task_offset_interval_ms: int
    """Between two heartbeats in which a member says how far its states are."""
    acceptable_recovery_lag: int
    num_standby_replicas: int
    rack_aware_tags: tuple[str, ...]

    @property
    def assignment_configs(self) -> dict[str, str]:
        """What the assignor works by, as a record keeps it: another one means that tasks are assigned anew."""
        found = {NUM_STANDBY_REPLICAS: str(self.num_standby_replicas)}
        if self.rack_aware_tags:
            found[RACK_AWARE_TAGS] = ",".join(self.rack_aware_tags)
        return found


def streams_settings_of(config: StreamsConfig, own: Mapping[str, str]) -> StreamsSettings:
    """``own`` is what was set for the group; other keys in it are passed over.

    A value outside the broker's limits counts as the limit: the limits may have changed since it was set.
    """

    def number(key: str, default: int, lowest: int = 0, highest: int | None = None) -> int:
        value = own.get(f"streams.{key}")
        if value is None:
            return default
        return max(lowest, int(value) if highest is None else min(highest, int(value)))

    tags = own.get("streams.rack.aware.assignment.tags", config.rack_aware_assignment_tags)
    return StreamsSettings(
        **modern_settings_of("streams", config, own),
        initial_rebalance_delay_ms=number("initial.rebalance.delay.ms", config.initial_rebalance_delay_ms),
        task_offset_interval_ms=number(
            "task.offset.interval.ms", config.task_offset_interval_ms, config.min_task_offset_interval_ms
        ),
        acceptable_recovery_lag=number("acceptable.recovery.lag", config.acceptable_recovery_lag),
        num_standby_replicas=number(
            "num.standby.replicas", config.num_standby_replicas, 0, config.max_standby_replicas
        ),
        rack_aware_tags=tuple(each.strip() for each in tags.split(",") if each.strip()),
    )
