"""The coordinator of groups on this broker: one shard for each partition of ``__consumer_offsets`` that it leads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

import xxhash

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    ConsumerGroupDescribeResponse,
    StreamsGroupDescribeResponse,
    StreamsGroupHeartbeatResponse,
)
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
from kafkaproto_server.core.coordinators.values import Compute, CoordinatorError, Surroundings
from kafkaproto_server.metadata.features import STREAMS_VERSION
from kafkaproto_server.metadata.image.entries import GROUP_RESOURCE
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC
from kafkaproto_server.requests.consumer_group_requests import Heard, HeartbeatOutcome, HeartbeatValues
from kafkaproto_server.requests.group_requests import (
    DescribedGroup,
    GroupListing,
    Joined,
    JoinOutcome,
    JoinValues,
    Synced,
    SyncOutcome,
    SyncValues,
)
from kafkaproto_server.requests.offset_requests import (
    Committer,
    GroupDeleted,
    OffsetCommitPartition,
    OffsetReader,
    OffsetsFetched,
    ProducerKey,
    Results,
    TopicPartitions,
)
from kafkaproto_server.requests.ports import GroupPort
from kafkaproto_server.requests.share_group_requests import LatestOffsets
from kafkaproto_server.requests.share_state import Persister
from kafkaproto_server.requests.streams_group_requests import (
    StreamsHeard,
    StreamsHeartbeatOutcome,
    StreamsHeartbeatValues,
)
from kafkaproto_server.shell.coordinators.groups.share_groups import ShareGroupCoordinators
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
    """All shards of this broker."""

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
        self._shard = self.led.shard
        lags = ShareLags(surroundings, persister, latest_offsets)
        self.share_port = ShareGroupCoordinators(image, self._shard, lags).port
        self.port = GroupPort(
            join=self._join,
            sync=self._sync,
            heartbeat=self._heartbeat,
            leave=self._leave,
            listed=self._listed,
            described=self._described,
            described_values=self._described_values,
            commit_offsets=self._commit,
            commit_in_transaction=self._commit_in_transaction,
            fetch_offsets=self._fetch,
            delete_offsets=self._delete_offsets,
            delete_group=self._delete,
            serves_consumer_groups=lambda: (
                config().serves_consumer_groups and image().features.get(GROUP_FEATURE, 0) > 0
            ),
            consumer_heartbeat=self._consumer_heartbeat,
            consumer_described=self._consumer_described,
            serves_streams_groups=lambda: (
                config().streams.is_served and image().features.get(STREAMS_VERSION, 0) > 0
            ),
            streams_heartbeat=self._streams_heartbeat,
            streams_described=self._streams_described,
        )

    def is_needed(self) -> bool:
        """Whether this broker coordinates groups."""
        return self.led.is_any

    def topics_changed(self, changes: TopicChanges) -> None:
        """Topics of the cluster have changed."""
        for shard in self.led.loaded_shards():
            shard.topics_changed(changes.changed, has_new=changes.has_new)
            if changes.deleted:
                shard.topics_deleted(changes.deleted)

    # -- members -------------------------------------------------------------------------------------------------

    def _join(self, group_id: str, values: JoinValues, joined: Joined) -> None:
        try:
            shard = self._shard(group_id)
        except CoordinatorError as error:
            joined(JoinOutcome(error.code, values.member_id))
        else:
            shard.join(group_id, values, joined)

    def _sync(self, group_id: str, values: SyncValues, synced: Synced) -> None:
        try:
            shard = self._shard(group_id)
        except CoordinatorError as error:
            synced(SyncOutcome(error.code))
        else:
            shard.sync(group_id, values, synced)

    def _heartbeat(
        self, group_id: str, member_id: str, instance_id: str | None, generation: int
    ) -> ErrorCode:
        try:
            return self._shard(group_id).heartbeat(group_id, member_id, instance_id, generation)
        except CoordinatorError as error:
            # A member that beats while its group is loaded has nothing to do.
            is_loading = error.code is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
            return ErrorCode.NONE if is_loading else error.code

    def _listed(self) -> ErrorCode | Iterator[GroupListing]:
        if self.led.is_loading:
            return ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        return chain.from_iterable(shard.listed() for shard in self.led.loaded_shards())

    def _described_values(self, group_id: str) -> int:
        try:
            return self._shard(group_id).described_values(group_id)
        except CoordinatorError:
            return 0

    def _described(self, group_id: str) -> DescribedGroup:
        try:
            return self._shard(group_id).described(group_id)
        except CoordinatorError as error:
            return DescribedGroup(code=error.code)

    def _leave(self, group_id: str, members: Sequence[tuple[str, str | None]]) -> ErrorCode | list[ErrorCode]:
        try:
            return self._shard(group_id).leave(group_id, members)
        except CoordinatorError as error:
            return error.code

    def _consumer_heartbeat(self, values: HeartbeatValues, heard: Heard) -> None:
        try:
            shard = self._shard(values.group_id)
        except CoordinatorError as error:
            heard(HeartbeatOutcome(code=error.code))
        else:
            shard.consumer_heartbeat(values, heard)

    def _consumer_described(self, group_id: str) -> ConsumerGroupDescribeResponse.DescribedGroup:
        try:
            return self._shard(group_id).consumer_described(group_id)
        except CoordinatorError as error:
            return ConsumerGroupDescribeResponse.DescribedGroup(group_id=group_id, error_code=error.code)

    def _streams_heartbeat(self, values: StreamsHeartbeatValues, heard: StreamsHeard) -> None:
        try:
            shard = self._shard(values.group_id)
        except CoordinatorError as error:
            response = StreamsGroupHeartbeatResponse(error_code=error.code)
            heard(StreamsHeartbeatOutcome(response=response))
        else:
            shard.streams_heartbeat(values, heard)

    def _streams_described(self, group_id: str) -> StreamsGroupDescribeResponse.DescribedGroup:
        try:
            return self._shard(group_id).streams_described(group_id)
        except CoordinatorError as error:
            return StreamsGroupDescribeResponse.DescribedGroup(group_id=group_id, error_code=error.code)

    # -- offsets -------------------------------------------------------------------------------------------------

    def _commit(
        self,
        group_id: str,
        committer: Committer,
        partitions: Sequence[OffsetCommitPartition],
        retention_time_ms: int,
        committed: Results,
    ) -> None:
        try:
            shard = self._shard(group_id)
        except CoordinatorError as error:
            committed(error.code, ())
        else:
            shard.commit(group_id, committer, partitions, retention_time_ms, committed)

    def _commit_in_transaction(
        self,
        group_id: str,
        committer: Committer,
        partitions: Sequence[OffsetCommitPartition],
        producer: ProducerKey,
        committed: Results,
    ) -> None:
        try:
            shard = self._shard(group_id)
        except CoordinatorError as error:
            committed(error.code, ())
        else:
            shard.commit_in_transaction(group_id, committer, partitions, producer, committed)

    def _fetch(
        self,
        group_id: str,
        reader: OffsetReader,
        topics: Sequence[TopicPartitions] | None,
        fetched: OffsetsFetched,
    ) -> None:
        try:
            shard = self._shard(group_id)
        except CoordinatorError as error:
            fetched(error.code, ())
        else:
            shard.fetch(group_id, reader, topics, fetched)

    def _delete_offsets(self, group_id: str, topics: Sequence[TopicPartitions], deleted: Results) -> None:
        try:
            shard = self._shard(group_id)
        except CoordinatorError as error:
            deleted(error.code, ())
        else:
            shard.delete_offsets(group_id, topics, deleted)

    def _delete(self, group_id: str, deleted: GroupDeleted) -> None:
        try:
            shard = self._shard(group_id)
        except CoordinatorError as error:
            deleted(error.code)
        else:
            shard.delete(group_id, deleted)
