"""What a broker coordinates, assembled: groups, transactions, the states of share groups, and the share partitions that
it leads.

Each coordinator lives in the partitions of an internal topic that this broker leads, so all of them follow its
replicas: a partition that begins or ceases to lead, a marker that was written to one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec
import trio

from kafkaproto_server.base.metrics.coordinators import CoordinatorMetrics
from kafkaproto_server.base.ports import Clock
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.config.settings import CurrentSettings, SettingsTable
from kafkaproto_server.core.controller.values.topic_configs import InheritedConfigs
from kafkaproto_server.core.replicas.partition import Partition
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC, SHARE_TOPIC, TRANSACTIONS_TOPIC
from kafkaproto_server.node.observability.coordination import Coordination
from kafkaproto_server.requests.data import MarkerItem
from kafkaproto_server.shell.coordinators.broker_requests import OtherBrokers
from kafkaproto_server.shell.coordinators.dead_letter_channels import DeadLetterChannels
from kafkaproto_server.shell.coordinators.groups.groups import GroupCoordinators
from kafkaproto_server.shell.coordinators.groups.latest_offsets import LatestOffsetFinder
from kafkaproto_server.shell.coordinators.groups.settings import current_group_configs
from kafkaproto_server.shell.coordinators.groups.topic_watch import TopicChanges, TopicWatch
from kafkaproto_server.shell.coordinators.internal_topics import InternalTopics
from kafkaproto_server.shell.coordinators.share_state.services import ShareServices
from kafkaproto_server.shell.coordinators.surroundings import NodeSurroundings
from kafkaproto_server.shell.coordinators.transactions.transaction_services import TransactionServices
from kafkaproto_server.shell.quorum.image.published import Published
from kafkaproto_server.shell.replicas.coordinators.coordinator_log import PartitionLog
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.producer_ids import ProducerIdBlocks
from kafkaproto_server.shell.replicas.replica_manager import ReplicaManager
from kafkaproto_server.shell.share_partitions.service import share_service
from kafkaproto_server.shell.to_controller.channel import ControllerChannel


class OffsetsLogConfig(msgspec.Struct, frozen=True, kw_only=True):
    """How a group's records are written."""

    commit_timeout_ms: int
    """How long the other replicas may take for them."""
    compression: int
    """A codec by its number."""


_OFFSETS_LOG: Final = SettingsTable(
    OffsetsLogConfig,
    {
        "commit_timeout_ms": "offsets.commit.timeout.ms",
        "compression": "offsets.topic.compression.codec",
    },
)


class BrokerMetadata:
    """The metadata as a broker has them now, and its configs under them."""

    def __init__(self, published: Published, inherited: InheritedConfigs) -> None:
        self.published = published
        self._inherited = inherited

    def image(self) -> ClusterImage:
        """The newest committed image."""
        return self.published.image

    def configs(self) -> NodeConfigs:
        """The same object as long as the values are the same."""
        return self._inherited.at(self.published.image)


class BrokerCoordination:
    """The coordinators of one broker, and its share partitions."""

    def __init__(
        self,
        manager: ReplicaManager,
        metadata: BrokerMetadata,
        others: OtherBrokers,
        clock: Clock,
        *,
        producer_ids: ProducerIdBlocks,
        internal_topics: InternalTopics,
        dead_letter_channel: ControllerChannel,
    ) -> None:
        """``dead_letter_channel`` asks the controller for the topics of dead letters."""
        self.metrics = CoordinatorMetrics()
        self._manager = manager
        self._metadata = metadata
        self._others = others
        self._clock = clock
        # Before the groups: share groups have the states of their partitions initialized and deleted by its persister.
        self.share = ShareServices(
            others,
            manager=manager,
            image=metadata.image,
            configs=metadata.configs,
            create_topic=internal_topics.create,
            metrics=self.metrics,
            clock=clock,
        )
        self._latest_offsets = LatestOffsetFinder(
            others, image=metadata.image, find_offset=manager.find_offset, call_later=self._call_later
        )
        self.groups = self._new_groups()
        self._topic_watch = TopicWatch(
            metadata.published,
            lambda: self.groups.is_needed() or self.share.coordinators.is_needed(),
            self._topics_changed,
        )
        self.transactions = TransactionServices(
            others,
            manager=manager,
            image=metadata.image,
            configs=metadata.configs,
            new_producer_id=producer_ids.next,
            metrics=self.metrics,
            clock=clock,
        )
        self._dead_letter_channels = DeadLetterChannels(
            others,
            channel=dead_letter_channel,
            produce=manager.produce,
            call_later=self._call_later,
        )
        self.share_partitions = share_service(
            manager,
            metadata.image,
            metadata.configs,
            clock,
            others.rng,
            self.share.persister,
            self._dead_letter_channels,
            self.metrics.share_partitions,
        )

    def _new_groups(self) -> GroupCoordinators:
        manager, metadata = self._manager, self._metadata
        offsets_log = CurrentSettings(_OFFSETS_LOG, metadata.configs)

        def make_log(hosted: Hosted) -> PartitionLog:
            return manager.for_coordinators.log(
                hosted,
                lambda: offsets_log().commit_timeout_ms,
                self.metrics.group_commits,
                lambda: offsets_log().compression,
            )

        return GroupCoordinators(
            image=metadata.image,
            configs=current_group_configs(metadata.configs),
            surroundings=NodeSurroundings(
                self._clock, self._others.rng, manager.call_at, manager.for_coordinators.compute
            ),
            make_log=make_log,
            load=manager.for_coordinators.load,
            persister=self.share.persister,
            latest_offsets=self._latest_offsets.find,
            metrics=self.metrics,
        )

    def _call_later(self, delay_ms: int, call: Callable[[], None]) -> None:
        self._manager.call_at(self._clock.now_ms() + delay_ms, call)

    def observed(self) -> Coordination:
        """What metrics are made of."""
        return Coordination(
            metrics=self.metrics,
            groups=self.groups,
            transactions=self.transactions.coordinators,
            share=self.share.coordinators,
            share_service=self.share_partitions,
        )

    def role_changed(self, hosted: Hosted) -> None:
        """A replica of this broker begins or ceases to lead, or leads in another epoch."""
        if hosted.partition.topic == GROUPS_TOPIC:
            self.groups.led.role_changed(hosted)
        elif hosted.partition.topic == TRANSACTIONS_TOPIC:
            self.transactions.coordinators.led.role_changed(hosted)
        elif hosted.partition.topic == SHARE_TOPIC:
            self.share.coordinators.led.role_changed(hosted)

    def marker_written(self, partition: Partition, item: MarkerItem, offset: int) -> None:
        """The end of a transaction was written: offsets that a group committed in it count from here on, or never."""
        if partition.topic == GROUPS_TOPIC:
            self.groups.led.marker_written(partition.index, item.producer_id, not item.is_abort, offset)

    def _topics_changed(self, changes: TopicChanges) -> None:
        self.groups.topics_changed(changes)
        if changes.deleted:
            self.share.coordinators.topics_deleted([topic_id for _, topic_id in changes.deleted])

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        async with trio.open_nursery() as nursery:
            await nursery.start(self.transactions.run)
            await nursery.start(self.share.run)
            await nursery.start(self._latest_offsets.run)
            await nursery.start(self._dead_letter_channels.run)
            task_status.started()

    async def watch_topics(self) -> None:
        """Have groups follow the topics of each new image, until cancelled."""
        await self._topic_watch.run()
