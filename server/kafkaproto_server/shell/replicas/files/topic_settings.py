"""What a topic's configs mean for its replicas on this broker, parsed once for each state of the configs."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from kafkaproto_server.config.keys.definitions import TOPIC_KEYS
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.config.settings import Settings, SettingsTable
from kafkaproto_server.config.usable_configs import UsableConfigs
from kafkaproto_server.core.log_state.cleanable import CompactionLimits
from kafkaproto_server.core.quotas.replication_quotas import ThrottledReplicas, throttled_replicas
from kafkaproto_server.core.replicas.incoming_rules import IncomingRules, incoming_rules
from kafkaproto_server.metadata.image.entries import TOPIC_RESOURCE
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.topic_retention import TopicRetention


class TopicSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of the partitions of one topic."""

    log: LogConfig
    incoming: IncomingRules
    min_insync_replicas: int
    deletes: bool
    """Whether ``cleanup.policy`` has ``delete``."""
    retention: TopicRetention
    file_delete_delay_ms: int
    flush_ms: int
    """How long records may stay in memory only."""
    compaction: CompactionLimits | None
    """None if ``cleanup.policy`` has no ``compact``."""
    throttled_as_leader: ThrottledReplicas | None
    throttled_as_follower: ThrottledReplicas | None


class KnownSettings:
    """The settings of all topics. Images share what did not change, so most calls cost two comparisons, and the answer
    is the same object until something has changed."""

    def __init__(self) -> None:
        self._node_configs: NodeConfigs | None = None
        # What topics inherit from these configs: most topics set one key or two, and there are many topics.
        self._inherited: dict[str, str] = {}
        # By topic: the values that it sets, and the settings that follow.
        self._known: dict[str, tuple[Mapping[str, str], TopicSettings]] = {}
        self._usable = UsableConfigs(TOPIC_KEYS, "topic")

    def of(self, topic: str, image: ClusterImage, node_configs: NodeConfigs) -> TopicSettings:
        """The settings of a topic. ``node_configs`` is the same object as long as it has the same values."""
        if node_configs is not self._node_configs:
            self._node_configs = node_configs
            self._inherited = _inherited(node_configs)
            # Any of them may inherit what has changed.
            self._known.clear()
        # Images share what did not change: if it is the same object, it has the same values.
        own = image.config(TOPIC_RESOURCE, topic)
        known = self._known.get(topic)
        if known is not None and known[0] is own:
            return known[1]
        settings = _settings({**self._inherited, **self._usable.of(topic, own)})
        self._known[topic] = (own, settings)
        return settings

    def forget(self, topic: str) -> None:
        self._known.pop(topic, None)
        self._usable.forget(topic)


class _TopicConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What a topic's configs say of its logs, as values."""

    segment_bytes: int
    segment_ms: int
    segment_jitter_ms: int
    index_interval_bytes: int
    segment_index_bytes: int
    flush_messages: int
    flush_ms: int
    file_delete_delay_ms: int
    min_insync_replicas: int
    cleanup_policy: tuple[str, ...]
    retention_bytes: int
    retention_ms: int
    min_cleanable_dirty_ratio: float
    min_compaction_lag_ms: int
    max_compaction_lag_ms: int
    delete_retention_ms: int
    leader_throttled_replicas: str
    follower_throttled_replicas: str


class TopicTable(SettingsTable[Settings]):
    """The keys of topics for a struct's fields."""

    def read_values(self, values: Mapping[str, str]) -> Settings:
        """The settings of a topic, of its values in effect by key."""
        return self._struct(**{field: read(values[key]) for field, (key, read) in self._read.items()})


_TOPIC = TopicTable(
    _TopicConfig,
    {
        "segment_bytes": "segment.bytes",
        "segment_ms": "segment.ms",
        "segment_jitter_ms": "segment.jitter.ms",
        "index_interval_bytes": "index.interval.bytes",
        "segment_index_bytes": "segment.index.bytes",
        "flush_messages": "flush.messages",
        "flush_ms": "flush.ms",
        "file_delete_delay_ms": "file.delete.delay.ms",
        "min_insync_replicas": "min.insync.replicas",
        "cleanup_policy": "cleanup.policy",
        "retention_bytes": "retention.bytes",
        "retention_ms": "retention.ms",
        "min_cleanable_dirty_ratio": "min.cleanable.dirty.ratio",
        "min_compaction_lag_ms": "min.compaction.lag.ms",
        "max_compaction_lag_ms": "max.compaction.lag.ms",
        "delete_retention_ms": "delete.retention.ms",
        "leader_throttled_replicas": "leader.replication.throttled.replicas",
        "follower_throttled_replicas": "follower.replication.throttled.replicas",
    },
)
_INCOMING_KEYS = (
    "cleanup.policy",
    "compression.gzip.level",
    "compression.lz4.level",
    "compression.type",
    "compression.zstd.level",
    "max.decompressed.message.bytes",
    "max.message.bytes",
    "message.timestamp.after.max.ms",
    "message.timestamp.before.max.ms",
    "message.timestamp.type",
    "segment.bytes",
)


_KEYS = (*_TOPIC.keys, *_INCOMING_KEYS)


def _inherited(node_configs: NodeConfigs) -> dict[str, str]:
    """The values of a topic that sets none."""
    values: dict[str, str] = {}
    for key in _KEYS:
        value = node_configs.effective_topic_config(key, {}).value
        assert value is not None, f"{key} has a default"
        values[key] = value
    return values


def _settings(values: Mapping[str, str]) -> TopicSettings:
    """``values`` are those in effect."""
    topic = _TOPIC.read_values(values)
    # As texts: `incoming_rules` reads them by the keys' own definitions.
    incoming = incoming_rules({key: values[key] for key in _INCOMING_KEYS})
    return TopicSettings(
        log=LogConfig(
            segment_bytes=topic.segment_bytes,
            segment_ms=topic.segment_ms,
            segment_jitter_ms=topic.segment_jitter_ms,
            index_interval_bytes=topic.index_interval_bytes,
            segment_index_bytes=topic.segment_index_bytes,
            # Of any topic: it may have been compacted before its policy was what it is.
            has_gaps=True,
            # In a log that is compacted, a gap is no sign of a loss.
            cuts_at_gaps="compact" not in topic.cleanup_policy,
            # Replication keeps the records; a roll syncs the segment in the background.
            is_durable_at_once=False,
            flush_messages=topic.flush_messages,
        ),
        incoming=incoming,
        min_insync_replicas=topic.min_insync_replicas,
        deletes="delete" in topic.cleanup_policy,
        retention=TopicRetention(max_bytes=topic.retention_bytes, max_age_ms=topic.retention_ms),
        file_delete_delay_ms=topic.file_delete_delay_ms,
        flush_ms=topic.flush_ms,
        compaction=_compaction(topic) if incoming.is_compacted else None,
        throttled_as_leader=throttled_replicas(topic.leader_throttled_replicas),
        throttled_as_follower=throttled_replicas(topic.follower_throttled_replicas),
    )


def _compaction(topic: _TopicConfig) -> CompactionLimits:
    return CompactionLimits(
        min_dirty_ratio=topic.min_cleanable_dirty_ratio,
        min_lag_ms=topic.min_compaction_lag_ms,
        max_lag_ms=topic.max_compaction_lag_ms,
        delete_retention_ms=topic.delete_retention_ms,
    )
