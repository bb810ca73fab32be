"""What a topic's configs mean for its replicas on this broker, parsed once for each state of the configs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from kafkaproto_server.config.keys.definitions import TOPIC_KEYS
from kafkaproto_server.config.layers import NodeConfigs
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
    """The settings of all topics. Images share what did not change, so most calls cost two comparisons."""

    def __init__(self) -> None:
        self._node_configs: NodeConfigs | None = None
        self._known: dict[str, tuple[Mapping[str, str], TopicSettings]] = {}
        self._usable = UsableConfigs(TOPIC_KEYS, "topic")

    def of(self, topic: str, image: ClusterImage, node_configs: NodeConfigs) -> TopicSettings:
        """The settings of a topic. ``node_configs`` is the same object as long as it has the same values."""
        if node_configs is not self._node_configs:
            self._node_configs = node_configs
            self._known.clear()
        own = image.config(TOPIC_RESOURCE, topic)
        known = self._known.get(topic)
        if known is not None and known[0] is own:
            return known[1]
        settings = _settings(node_configs, self._usable.of(topic, own))
        self._known[topic] = (own, settings)
        return settings

    def forget(self, topic: str) -> None:
        self._known.pop(topic, None)
        self._usable.forget(topic)


def number_of(configs: NodeConfigs, key: str) -> int:
    """The value of a broker's config that is a number and has a default."""
    value = configs.value_of(key)
    assert value is not None, f"{key} has a default"
    return int(value)


def is_on(configs: NodeConfigs, key: str) -> bool:
    """The value of a broker's config that is true or false and has a default."""
    value = configs.value_of(key)
    assert value is not None, f"{key} has a default"
    return value.strip().lower() == "true"


_LOG_KEYS = (
    "segment.bytes",
    "segment.ms",
    "segment.jitter.ms",
    "index.interval.bytes",
    "segment.index.bytes",
    "flush.messages",
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


def _settings(node_configs: NodeConfigs, own: Mapping[str, str]) -> TopicSettings:
    """``own`` is what the topic sets, and can be used."""

    def value(key: str) -> str:
        found = node_configs.effective_topic_config(key, own).value
        assert found is not None, f"{key} has a default"
        return found

    incoming = incoming_rules({key: value(key) for key in _INCOMING_KEYS})
    segment_bytes, segment_ms, jitter_ms, interval_bytes, index_bytes, flush_messages = (
        int(value(key)) for key in _LOG_KEYS
    )
    policies = [each.strip() for each in value("cleanup.policy").split(",")]
    return TopicSettings(
        log=LogConfig(
            segment_bytes=segment_bytes,
            segment_ms=segment_ms,
            segment_jitter_ms=jitter_ms,
            index_interval_bytes=interval_bytes,
            segment_index_bytes=index_bytes,
            has_gaps=True,
            cuts_at_gaps="compact" not in policies,
            is_durable_at_once=False,
            flush_messages=flush_messages,
        ),
        incoming=incoming,
        min_insync_replicas=int(value("min.insync.replicas")),
        deletes="delete" in policies,
        retention=TopicRetention(
            max_bytes=int(value("retention.bytes")), max_age_ms=int(value("retention.ms"))
        ),
        file_delete_delay_ms=int(value("file.delete.delay.ms")),
        flush_ms=int(value("flush.ms")),
        compaction=_compaction(value) if incoming.is_compacted else None,
        throttled_as_leader=throttled_replicas(value("leader.replication.throttled.replicas")),
        throttled_as_follower=throttled_replicas(value("follower.replication.throttled.replicas")),
    )


def _compaction(value: Callable[[str], str]) -> CompactionLimits:
    return CompactionLimits(
        min_dirty_ratio=float(value("min.cleanable.dirty.ratio")),
        min_lag_ms=int(value("min.compaction.lag.ms")),
        max_lag_ms=int(value("max.compaction.lag.ms")),
        delete_retention_ms=int(value("delete.retention.ms")),
    )
