"""The settings of share groups as they are now: a group's own configs go before the broker's.

Each look of a ShareFetch at each of its share partitions asks for them, and so does its response. So they are made once
for each state of what they are made of: the broker's configs, the group's, and the feature level. Images share what did
not change, so most calls cost three comparisons.

Apache Kafka: ``ShareGroupConfigProvider``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from kafkaproto_server.config.keys.definitions import GROUP_KEYS
from kafkaproto_server.config.keys.usable import usable
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.config.settings import CurrentSettings, SettingsTable
from kafkaproto_server.core.share_partitions.settings import (
    SharePartitionConfig,
    ShareSettings,
    share_settings_of,
)
from kafkaproto_server.metadata.features import SHARE_VERSION
from kafkaproto_server.metadata.image.entries import GROUP_RESOURCE
from kafkaproto_server.metadata.image.image import ClusterImage

DEAD_LETTERS_SINCE = 2
"""The level of share.version from which on share groups have dead-letter topics."""
MAX_KNOWN: Final = 1_000
"""So many groups' settings are kept. Clients choose the names of groups, and nobody says when one is used no more."""

_CONFIG = SettingsTable(
    SharePartitionConfig,
    {
        "record_lock_duration_ms": "group.share.record.lock.duration.ms",
        "min_record_lock_duration_ms": "group.share.min.record.lock.duration.ms",
        "max_record_lock_duration_ms": "group.share.max.record.lock.duration.ms",
        "delivery_count_limit": "group.share.delivery.count.limit",
        "min_delivery_count_limit": "group.share.min.delivery.count.limit",
        "max_delivery_count_limit": "group.share.max.delivery.count.limit",
        "partition_max_record_locks": "group.share.partition.max.record.locks",
        "min_partition_max_record_locks": "group.share.min.partition.max.record.locks",
        "max_partition_max_record_locks": "group.share.max.partition.max.record.locks",
        "max_share_sessions": "group.share.max.share.sessions",
        "fetch_max_bytes": "fetch.max.bytes",
    },
)


class _Known(NamedTuple):
    """The settings of one group, and what they were made of."""

    config: SharePartitionConfig
    own: Mapping[str, str]
    level: int
    settings: ShareSettings


class CurrentShareSettings:
    """The settings of all share groups on this broker."""

    def __init__(self, image: Callable[[], ClusterImage], configs: Callable[[], NodeConfigs]) -> None:
        """``configs`` returns the same object as long as it has the same values."""
        self._image = image
        self._config = CurrentSettings(_CONFIG, configs)
        self._known: dict[str, _Known] = {}

    @property
    def config(self) -> SharePartitionConfig:
        """The broker's settings as they are now."""
        return self._config()

    def of(self, group_id: str) -> ShareSettings:
        """The settings of a group as they are now."""
        image, config = self._image(), self._config()
        own, level = image.config(GROUP_RESOURCE, group_id), image.features.get(SHARE_VERSION, 0)
        known = self._known.get(group_id)
        if known is not None and known.own is own and known.config is config and known.level == level:
            return known.settings
        settings = share_settings_of(
            config, usable(GROUP_KEYS, own)[0], has_dead_letters=level >= DEAD_LETTERS_SINCE
        )
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        self._known[group_id] = _Known(config, own, level, settings)
        return settings
