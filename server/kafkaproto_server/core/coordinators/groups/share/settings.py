"""The settings of share groups: the broker's, and those of one group, whose own configuration goes first (KIP-932)."""

from __future__ import annotations

from collections.abc import Mapping

from kafkaproto_server.core.coordinators.groups.modern.settings import (
    ModernConfig,
    ModernSettings,
    modern_settings_of,
)


class ShareGroupConfig(ModernConfig, frozen=True, kw_only=True):
    """Each field is, if it names no other, the broker's key "group.share." with that name."""

    max_size: int = 200
    initialize_retry_interval_ms: int = 30_000
    commit_timeout_ms: int = 5_000
    """offsets.commit.timeout.ms"""


class ShareGroupSettings(ModernSettings, frozen=True, kw_only=True):
    """The settings of one group."""

    initialize_retry_interval_ms: int
    """group.share.initialize.retry.interval.ms, or offsets.commit.timeout.ms if that is more"""


def share_group_settings_of(config: ShareGroupConfig, own: Mapping[str, str]) -> ShareGroupSettings:
    """``own`` is what was set for the group; other keys in it are passed over."""
    return ShareGroupSettings(
        **modern_settings_of("share", config, own),
        initialize_retry_interval_ms=max(config.initialize_retry_interval_ms, config.commit_timeout_ms),
    )
