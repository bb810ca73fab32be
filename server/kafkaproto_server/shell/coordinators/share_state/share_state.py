"""The share coordinator on this broker: one shard for each partition of ``__share_group_state`` that it leads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from kafkaproto.error_codes import ErrorCode
from kafkaproto.records.coordinator import SHARE_RECORDS
from kafkaproto_server.base.metrics.coordinators import CoordinatorMetrics
from kafkaproto_server.config.settings import SettingsTable
from kafkaproto_server.core.coordinators.share_state.config import ShareStateConfig
from kafkaproto_server.core.coordinators.share_state.coordinator import ShareCoordinator
from kafkaproto_server.core.coordinators.share_state.state import SharePartitionKey
from kafkaproto_server.core.coordinators.values import Surroundings
from kafkaproto_server.metadata.features import SHARE_VERSION
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.topic_names import SHARE_TOPIC
from kafkaproto_server.requests.coordinator_places import share_key
from kafkaproto_server.requests.data import DeletionItem, DeletionResult, RecordsDeleted
from kafkaproto_server.shell.coordinators.led import LedPartitions
from kafkaproto_server.shell.replicas.coordinators.coordinator_loading import Loading
from kafkaproto_server.shell.replicas.coordinators.coordinator_log import PartitionLog
from kafkaproto_server.shell.replicas.files.hosted import Hosted

PRUNE_TIMEOUT_MS = 30_000
"""How long the other replicas have time to delete records; the next time comes anyway."""


SHARE_STATE = SettingsTable(
    ShareStateConfig,
    {
        "updates_per_snapshot": "share.coordinator.snapshot.update.records.per.snapshot",
        "prune_interval_ms": "share.coordinator.state.topic.prune.interval.ms",
        "cold_snapshot_interval_ms": "share.coordinator.cold.partition.snapshot.interval.ms",
        "write_timeout_ms": "share.coordinator.write.timeout.ms",
    },
)


class _Ports:
    def __init__(
        self,
        image: Callable[[], ClusterImage],
        delete_records: Callable[[DeletionItem, int, RecordsDeleted], None],
        log: PartitionLog,
    ) -> None:
        self._image = image
        self._delete_records = delete_records
        self._log = log

    def is_enabled(self) -> bool:
        return self._image().features.get(SHARE_VERSION, 0) > 0

    def has_partition(self, topic_id: bytes, partition: int) -> bool:
        topic = self._image().topics.get(topic_id)
        return topic is not None and 0 <= partition < len(topic.partitions)

    def prune(self, offset: int, done: Callable[[bool], None]) -> None:
        def deleted(result: DeletionResult) -> None:
            done(result.code is ErrorCode.NONE)

        item = DeletionItem(topic_id=self._log.topic_id, index=self._log.index, offset=offset)
        self._delete_records(item, PRUNE_TIMEOUT_MS, deleted)


class ShareCoordinators:
    """All shards of this broker."""

    def __init__(
        self,
        *,
        image: Callable[[], ClusterImage],
        config: Callable[[], ShareStateConfig],
        surroundings: Surroundings,
        delete_records: Callable[[DeletionItem, int, RecordsDeleted], None],
        make_log: Callable[[Hosted], PartitionLog],
        load: Callable[..., Loading],
        metrics: CoordinatorMetrics,
    ) -> None:
        """See `LedPartitions`. ``delete_records`` deletes the oldest records of a partition."""

        def make_shard(log: PartitionLog, epoch: int) -> ShareCoordinator:
            ports = _Ports(image, delete_records, log)
            return ShareCoordinator(config, log, surroundings, ports, metrics.share_states)

        self.led: LedPartitions[ShareCoordinator] = LedPartitions(
            SHARE_TOPIC,
            SHARE_RECORDS,
            image=image,
            make_log=make_log,
            make_shard=make_shard,
            load=load,
            load_times=metrics.share_loads,
        )

    def pruned_offsets(self) -> dict[int, int]:
        """By partition: the records before it are deleted, because later ones say all that is so."""
        return {
            index: coordinator.pruned_offset
            for index, coordinator in self.led.loaded_by_partition()
            if coordinator.pruned_offset is not None
        }

    def is_needed(self) -> bool:
        """Whether this broker coordinates share partitions."""
        return self.led.is_any

    def topics_deleted(self, topic_ids: Sequence[bytes]) -> None:
        """Topics of the cluster are no more."""
        for coordinator in self.led.loaded():
            coordinator.topics_deleted(topic_ids)

    def of(self, key: SharePartitionKey) -> ShareCoordinator:
        """The coordinator of a share partition. Raises CoordinatorError."""
        return self.led.of(share_key(*key))

    def all(self) -> Iterator[ShareCoordinator]:
        """Those of all partitions that this broker leads. Raises CoordinatorError while one is being loaded."""
        return self.led.all()
