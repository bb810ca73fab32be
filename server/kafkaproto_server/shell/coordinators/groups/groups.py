"""The coordinator of groups on this broker: one shard for each partition of ``__consumer_offsets`` that it leads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import xxhash

from kafkaproto.records.coordinator import GROUP_RECORDS
from kafkaproto_server.base.metrics.coordinators import CoordinatorMetrics
from kafkaproto_server.base.regexes import compile_regex
from kafkaproto_server.config.keys.definitions import GROUP_KEYS
from kafkaproto_server.config.usable_configs import UsableConfigs
from kafkaproto_server.core.coordinators.groups.config import GroupConfigs
from kafkaproto_server.core.coordinators.groups.setup import ModernSetup
from kafkaproto_server.core.coordinators.groups.shard import GroupShard
from kafkaproto_server.core.coordinators.groups.share.lags import ShareLags
from kafkaproto_server.core.coordinators.groups.topics import ImageTopics
from kafkaproto_server.core.coordinators.values import ComputingSurroundings
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

GROUP_FEATURE = "group.version"


class GroupCoordinators:
    """All shards of this broker. Implements `GroupPort`."""

    def __init__(
        self,
        *,
        image: Callable[[], ClusterImage],
        configs: GroupConfigs,
        surroundings: ComputingSurroundings,
        make_log: Callable[[Hosted], PartitionLog],
        load: Callable[..., Loading],
        persister: Persister,
        latest_offsets: LatestOffsets,
        metrics: CoordinatorMetrics,
    ) -> None:
        """See `LedPartitions`, `ModernSetup` and `ShareLags`."""
        usable = UsableConfigs(GROUP_KEYS, "group")
        setup = ModernSetup(
            topics=ImageTopics(image, xxhash.xxh3_64_intdigest),
            own_config=lambda group_id: usable.of(group_id, image().config(GROUP_RESOURCE, group_id)),
            compile_regex=compile_regex,
        )
        self.led = LedPartitions(
            GROUPS_TOPIC,
            GROUP_RECORDS,
            image=image,
            make_log=make_log,
            make_shard=lambda log, epoch: GroupShard(
                configs, log, surroundings, setup, persister, metrics.groups
            ),
            load=load,
            load_times=metrics.group_loads,
        )
        self._image = image
        self._configs = configs
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
        return self._configs.consumer().is_served and self._has_feature(GROUP_FEATURE)

    def serves_share_groups(self) -> bool:
        return self._has_feature(SHARE_VERSION)

    def serves_streams_groups(self) -> bool:
        return self._configs.streams().is_served and self._has_feature(STREAMS_VERSION)

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
