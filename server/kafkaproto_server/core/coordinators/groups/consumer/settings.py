"""The settings of consumer groups: the broker's, and those of one group, whose own configuration goes first."""

from __future__ import annotations

from collections.abc import Mapping

from kafkaproto_server.core.coordinators.groups.modern.settings import (
    ModernConfig,
    ModernSettings,
    modern_settings_of,
)


class ConsumerGroupConfig(ModernConfig, frozen=True, kw_only=True):
    """Each field is, if it names no other, the broker's key "group.consumer." with that name."""

    is_served: bool = True
    """Whether group.coordinator.rebalance.protocols has "consumer"."""
    migration_policy: str = "bidirectional"
    """group.consumer.migration.policy"""
    assignors: tuple[str, ...] = ("uniform", "range")
    """group.consumer.assignors; the first one is for groups whose members name none."""
    regex_refresh_interval_ms: int = 600_000
    """group.consumer.regex.refresh.interval.ms"""


class ConsumerGroupSettings(ModernSettings, frozen=True, kw_only=True):
    """The settings of one group."""

    assignors: tuple[str, ...]
    """The names of the broker's assignors."""
    regex_refresh_interval_ms: int
    """How long it relies on what its regular expressions match."""


def consumer_settings_of(config: ConsumerGroupConfig, own: Mapping[str, str]) -> ConsumerGroupSettings:
    """``own`` is what was set for the group; other keys in it are passed over."""
    return ConsumerGroupSettings(
        **modern_settings_of("consumer", config, own),
        assignors=config.assignors,
        regex_refresh_interval_ms=config.regex_refresh_interval_ms,
    )
