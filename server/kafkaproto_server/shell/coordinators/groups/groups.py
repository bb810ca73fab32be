"""The coordinator of groups on this broker: one shard for each partition of ``__consumer_offsets`` that it leads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import xxhash

from kafkaproto.records.coordinator import GROUP_RECORDS
from kafkaproto_server.base.metrics.coordinators import CoordinatorMetrics
from kafkaproto_server.base.regexes import compile_regex
from kafkaproto_server.config.keys.definitions import GROUP_KEYS
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.config.usable_configs import UsableConfigs
from kafkaproto_server.core.coordinators.groups.config import GroupConfig
from kafkaproto_server.core.coordinators.groups.consumer.assignors import RANGE, UNIFORM
from kafkaproto_server.core.coordinators.groups.setup import ConsumerSetup
from kafkaproto_server.core.coordinators.groups.shard import GroupShard
from kafkaproto_server.core.coordinators.groups.share.lags import ShareLags
from kafkaproto_server.core.coordinators.groups.streams.config import StreamsConfig
from kafkaproto_server.core.coordinators.groups.topics import ImageTopics
from kafkaproto_server.core.coordinators.values import Compute, Surroundings
from kafkaproto_server.metadata.features import SHARE_VERSION, STREAMS_VERSION
from kafkaproto_server.metadata.image.entries import GROUP_RESOURCE
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC
from kafkaproto_server.requests.share_group_requests import LatestOffsets, ShareOffsetsDescribed
from kafkaproto_server.requests.share_state import Persister
from kafkaproto_server.shell.coordinators.groups.share_offsets import ShareOffsetReader
from kafkaproto_server.shell.coordinators.groups.topic_watch import TopicChanges
from kafkaproto_server.shell.coordinators.led import LedPartitions
from kafkaproto_server.shell.replicas.coordinators.coordinator_loading import Loading
from kafkaproto_server.shell.replicas.coordinators.coordinator_log import PartitionLog
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.topic_settings import number_of


class CurrentGroupConfig:
    """The settings as they are now. They are computed anew when a config changes."""

    def __init__(self, configs: Callable[[], NodeConfigs]) -> None:
        self._configs = configs
        self._known_of: NodeConfigs | None = None
        self._known = GroupConfig()

    def __call__(self) -> GroupConfig:
        configs = self._configs()
        if configs is not self._known_of:
            self._known_of, self._known = configs, _group_config(configs)
        return self._known


def _group_config(configs: NodeConfigs) -> GroupConfig:
    """The settings of the coordinator, from the broker's configs."""
    return GroupConfig(
        min_session_timeout_ms=number_of(configs, "group.min.session.timeout.ms"),
        max_session_timeout_ms=number_of(configs, "group.max.session.timeout.ms"),
        max_size=number_of(configs, "group.max.size"),
        initial_rebalance_delay_ms=number_of(configs, "group.initial.rebalance.delay.ms"),
        offset_metadata_max_bytes=number_of(configs, "offset.metadata.max.bytes"),
        offsets_retention_ms=number_of(configs, "offsets.retention.minutes") * 60_000,
        offsets_retention_check_interval_ms=number_of(configs, "offsets.retention.check.interval.ms"),
        consumer_session_timeout_ms=number_of(configs, "group.consumer.session.timeout.ms"),
        consumer_min_session_timeout_ms=number_of(configs, "group.consumer.min.session.timeout.ms"),
        consumer_max_session_timeout_ms=number_of(configs, "group.consumer.max.session.timeout.ms"),
        consumer_heartbeat_interval_ms=number_of(configs, "group.consumer.heartbeat.interval.ms"),
        consumer_min_heartbeat_interval_ms=number_of(configs, "group.consumer.min.heartbeat.interval.ms"),
        consumer_max_heartbeat_interval_ms=number_of(configs, "group.consumer.max.heartbeat.interval.ms"),
        consumer_assignment_interval_ms=number_of(configs, "group.consumer.assignment.interval.ms"),
        consumer_min_assignment_interval_ms=number_of(configs, "group.consumer.min.assignment.interval.ms"),
        consumer_max_assignment_interval_ms=number_of(configs, "group.consumer.max.assignment.interval.ms"),
        consumer_max_size=number_of(configs, "group.consumer.max.size"),
        serves_consumer_groups="consumer" in _entries_of(configs, _PROTOCOLS),
        consumer_migration_policy=(configs.value_of("group.consumer.migration.policy") or "").strip().lower(),
        consumer_assignors=_assignors(configs),
        consumer_regex_refresh_interval_ms=number_of(configs, "group.consumer.regex.refresh.interval.ms"),
        share_session_timeout_ms=number_of(configs, "group.share.session.timeout.ms"),
        share_min_session_timeout_ms=number_of(configs, "group.share.min.session.timeout.ms"),
        share_max_session_timeout_ms=number_of(configs, "group.share.max.session.timeout.ms"),
        share_heartbeat_interval_ms=number_of(configs, "group.share.heartbeat.interval.ms"),
        share_min_heartbeat_interval_ms=number_of(configs, "group.share.min.heartbeat.interval.ms"),
        share_max_heartbeat_interval_ms=number_of(configs, "group.share.max.heartbeat.interval.ms"),
        share_assignment_interval_ms=number_of(configs, "group.share.assignment.interval.ms"),
        share_min_assignment_interval_ms=number_of(configs, "group.share.min.assignment.interval.ms"),
        share_max_assignment_interval_ms=number_of(configs, "group.share.max.assignment.interval.ms"),
        share_max_size=number_of(configs, "group.share.max.size"),
        share_initialize_retry_interval_ms=max(
            number_of(configs, "group.share.initialize.retry.interval.ms"),
            number_of(configs, "offsets.commit.timeout.ms"),
        ),
        streams=_streams_config(configs),
    )


def _streams_config(configs: NodeConfigs) -> StreamsConfig:
    """The settings for streams groups, from the broker's configs."""

    def number(key: str) -> int:
        return number_of(configs, f"group.streams.{key}")

    return StreamsConfig(
        is_served="streams" in _entries_of(configs, _PROTOCOLS),
        session_timeout_ms=number("session.timeout.ms"),
        min_session_timeout_ms=number("min.session.timeout.ms"),
        max_session_timeout_ms=number("max.session.timeout.ms"),
        heartbeat_interval_ms=number("heartbeat.interval.ms"),
        min_heartbeat_interval_ms=number("min.heartbeat.interval.ms"),
        max_heartbeat_interval_ms=number("max.heartbeat.interval.ms"),
        assignment_interval_ms=number("assignment.interval.ms"),
        min_assignment_interval_ms=number("min.assignment.interval.ms"),
        max_assignment_interval_ms=number("max.assignment.interval.ms"),
        initial_rebalance_delay_ms=number("initial.rebalance.delay.ms"),
        max_size=number("max.size"),
        num_standby_replicas=number("num.standby.replicas"),
        max_standby_replicas=number("max.standby.replicas"),
        task_offset_interval_ms=number("task.offset.interval.ms"),
        min_task_offset_interval_ms=number("min.task.offset.interval.ms"),
        acceptable_recovery_lag=number("acceptable.recovery.lag"),
        rack_aware_assignment_tags=configs.value_of("group.streams.rack.aware.assignment.tags") or "",
    )


GROUP_FEATURE = "group.version"
_PROTOCOLS = "group.coordinator.rebalance.protocols"
_ASSIGNOR_CLASSES = {
    "org.apache.kafka.coordinator.group.assignor.UniformAssignor": UNIFORM,
    "org.apache.kafka.coordinator.group.assignor.RangeAssignor": RANGE,
}


def _assignors(configs: NodeConfigs) -> tuple[str, ...]:
    """The assignors by the names that clients use; those that come with a broker may be given by their classes."""
    names = _entries_of(configs, "group.consumer.assignors")
    return tuple(_ASSIGNOR_CLASSES.get(each, each) for each in names)


def _entries_of(configs: NodeConfigs, key: str) -> list[str]:
    """The entries of a broker's list."""
    return [each.strip() for each in (configs.value_of(key) or "").split(",") if each.strip()]


class GroupCoordinators:
    """All shards of this broker. Implements `GroupPort`."""

    def __init__(
        self,
        *,
        image: Callable[[], ClusterImage],
        config: Callable[[], GroupConfig],
        surroundings: Surroundings,
        make_log: Callable[[Hosted], PartitionLog],
        load: Callable[..., Loading],
        compute: Compute,
        persister: Persister,
        latest_offsets: LatestOffsets,
        metrics: CoordinatorMetrics,
    ) -> None:
        """See `LedPartitions`, `ConsumerSetup` and `ShareLags`."""
        hash64 = xxhash.xxh3_64_intdigest
        usable = UsableConfigs(GROUP_KEYS, "group")
        setup = ConsumerSetup(
            topics=ImageTopics(image, hash64),
            own_config=lambda group_id: usable.of(group_id, image().config(GROUP_RESOURCE, group_id)),
            hash64=hash64,
            compile_regex=compile_regex,
            compute=compute,
        )
        self.led = LedPartitions(
            GROUPS_TOPIC,
            GROUP_RECORDS,
            image=image,
            make_log=make_log,
            make_shard=lambda log, epoch: GroupShard(
                config, log, surroundings, setup, persister, metrics.groups
            ),
            load=load,
            load_times=metrics.group_loads,
        )
        self._image = image
        self._config = config
        self._share_offsets = ShareOffsetReader(
            image, self.of, ShareLags(surroundings, persister, latest_offsets)
        )

    # -- see GroupPort -------------------------------------------------------------------------------------------

    def of(self, group_id: str) -> GroupShard:
        """The coordinator of a group. Raises CoordinatorError."""
        return self.led.of(group_id)

    def all(self) -> Iterator[GroupShard]:
        """Those of all partitions that this broker leads. Raises CoordinatorError while one is being loaded."""
        return self.led.all()

    def serves_consumer_groups(self) -> bool:
        return self._config().serves_consumer_groups and self._has_feature(GROUP_FEATURE)

    def serves_share_groups(self) -> bool:
        return self._has_feature(SHARE_VERSION)

    def serves_streams_groups(self) -> bool:
        return self._config().streams.is_served and self._has_feature(STREAMS_VERSION)

    def _has_feature(self, name: str) -> bool:
        return self._image().features.get(name, 0) > 0

    def describe_share_offsets(
        self, group_id: str, topics: Mapping[str, Sequence[int]] | None, described: ShareOffsetsDescribed
    ) -> None:
        self._share_offsets.describe(group_id, topics, described)

    # -- the node ------------------------------------------------------------------------------------------------

    def is_needed(self) -> bool:
        """Whether this broker coordinates groups."""
        return self.led.is_any

    def topics_changed(self, changes: TopicChanges) -> None:
        """Topics of the cluster have changed."""
        for shard in self.led.loaded():
            shard.topics_changed(changes.changed, has_new=changes.has_new)
            if changes.deleted:
                shard.topics_deleted(changes.deleted)
