"""The coordinator of groups on this broker: one shard for each partition of ``__consumer_offsets`` that it leads."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial

from kafkaproto.error_codes import ErrorCode
from kafkaproto.records.coordinator import GROUP_RECORDS
from kafkaproto_server.config_keys.node_configs import NodeConfigs
from kafkaproto_server.coordinator.groups.config import GroupConfig
from kafkaproto_server.coordinator.groups.shard import GroupShard
from kafkaproto_server.coordinator.values import CoordinatorError, Surroundings
from kafkaproto_server.image.image import ClusterImage
from kafkaproto_server.node.replicas.coordinator_loading import LoadedRecord, Loading
from kafkaproto_server.node.replicas.coordinator_log import PartitionLog
from kafkaproto_server.node.replicas.hosted import Hosted
from kafkaproto_server.node.replicas.topic_settings import number_of
from kafkaproto_server.replica.partition import Role
from kafkaproto_server.requests.coordinator_places import partition_of
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
from kafkaproto_server.requests.ports import GroupPort
from kafkaproto_server.topic_names import GROUPS_TOPIC

_log = logging.getLogger("kafkaproto.server.coordinators")


def group_config(configs: NodeConfigs) -> GroupConfig:
    """The settings of the coordinator, from the broker's configs."""
    return GroupConfig(
        min_session_timeout_ms=number_of(configs, "group.min.session.timeout.ms"),
        max_session_timeout_ms=number_of(configs, "group.max.session.timeout.ms"),
        max_size=number_of(configs, "group.max.size"),
        initial_rebalance_delay_ms=number_of(configs, "group.initial.rebalance.delay.ms"),
        offset_metadata_max_bytes=number_of(configs, "offset.metadata.max.bytes"),
        offsets_retention_ms=number_of(configs, "offsets.retention.minutes") * 60_000,
    )


class _Led:
    """A partition that this broker leads, and its groups."""

    def __init__(self, epoch: int, shard: GroupShard) -> None:
        self.epoch = epoch
        self.shard = shard
        self.loading: Loading | None = None


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
    ) -> None:
        """``make_log`` and ``load`` make the objects of these names for a replica; ``load`` takes the record types,
        ``take`` and ``done``."""
        self._image = image
        self._config = config
        self._surroundings = surroundings
        self._make_log = make_log
        self._load = load
        self._led: dict[int, _Led] = {}
        self.port = GroupPort(
            join=self._join,
            sync=self._sync,
            heartbeat=self._heartbeat,
            leave=self._leave,
            listed=self._listed,
            described=self._described,
        )

    # -- leaders -------------------------------------------------------------------------------------------------

    def role_changed(self, hosted: Hosted) -> None:
        """A replica of the topic leads, follows, or is no more."""
        partition = hosted.partition
        led = self._led.get(partition.index)
        leads = partition.role is Role.LEADER
        if led is not None and (not leads or led.epoch != partition.leader_epoch):
            self._unload(partition.index)
            led = None
        if leads and led is None:
            self._begin(hosted)

    def _begin(self, hosted: Hosted) -> None:
        partition = hosted.partition
        shard = GroupShard(self._config, self._make_log(hosted), self._surroundings)
        led = self._led[partition.index] = _Led(partition.leader_epoch, shard)
        led.loading = self._load(
            hosted, GROUP_RECORDS, take=partial(self._take, shard), done=partial(self._loaded, hosted, led)
        )
        led.loading.begin()

    @staticmethod
    def _take(shard: GroupShard, record: LoadedRecord) -> None:
        if record.key is not None:
            shard.replay(record.key, record.value)

    def _loaded(self, hosted: Hosted, led: _Led, error: Exception | None) -> None:
        led.loading = None
        index = hosted.partition.index
        if error is not None:
            # Its groups have no coordinator until another broker leads, or this one anew.
            _log.error("%s-%d cannot be loaded: %s", GROUPS_TOPIC, index, error)
            self._unload(index)
        else:
            led.shard.loaded()

    def _unload(self, index: int) -> None:
        led = self._led.pop(index, None)
        if led is not None:
            if led.loading is not None:
                led.loading.is_over = True
            led.shard.unload()

    def _shard(self, group_id: str) -> GroupShard:
        """Raises CoordinatorError unless this broker coordinates a group."""
        topic = self._image().topic_by_name(GROUPS_TOPIC)
        if topic is None:
            raise CoordinatorError(ErrorCode.NOT_COORDINATOR)
        led = self._led.get(partition_of(group_id, len(topic.partitions)))
        if led is None:
            raise CoordinatorError(ErrorCode.NOT_COORDINATOR)
        if led.loading is not None:
            raise CoordinatorError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
        return led.shard

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

    def _listed(self) -> ErrorCode | list[GroupListing]:
        if any(led.loading is not None for led in self._led.values()):
            return ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        return [each for led in self._led.values() for each in led.shard.listed()]

    def _described(self, group_id: str) -> DescribedGroup:
        try:
            return self._shard(group_id).described(group_id)
        except CoordinatorError as error:
            return DescribedGroup(code=error.code)

    def _leave(
        self, group_id: str, members: Sequence[tuple[str, str | None]]
    ) -> ErrorCode | list[ErrorCode]:
        try:
            return self._shard(group_id).leave(group_id, members)
        except CoordinatorError as error:
            return error.code
