"""A broker's data plane, assembled: its replicas, and the tasks that speak with the controller for them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

import trio

from kafkaproto_server.apis.cluster.describe_cluster import endpoint_of
from kafkaproto_server.apis.ports.node import MetadataPort
from kafkaproto_server.apis.ports.replicas import ReplicaPort
from kafkaproto_server.base.metrics.coordinators import CoordinatorMetrics
from kafkaproto_server.base.ports import Clock, Disk, Rng
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.config.node_config import Config
from kafkaproto_server.core.controller.values.topic_configs import InheritedConfigs
from kafkaproto_server.core.replicas.partition import Partition
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.security.authorizer import Authorizer
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC, SHARE_TOPIC, TRANSACTIONS_TOPIC
from kafkaproto_server.node.descriptors import topic_file_limit
from kafkaproto_server.node.observability.coordination import Coordination
from kafkaproto_server.node.startup import OpenedNode
from kafkaproto_server.requests.data import MarkerItem
from kafkaproto_server.requests.share_group_requests import LatestOffsets
from kafkaproto_server.requests.share_state import Persister
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
from kafkaproto_server.shell.net.streams import Connect
from kafkaproto_server.shell.process.threads import Threads
from kafkaproto_server.shell.quorum.image.published import Published
from kafkaproto_server.shell.replicas.files.checkpointed import PartitionId
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.topic_settings import number_of
from kafkaproto_server.shell.replicas.followers.isr_sender import IsrSender
from kafkaproto_server.shell.replicas.producer_ids import ProducerIdBlocks
from kafkaproto_server.shell.replicas.replica_manager import IO_THREADS, ReplicaManager
from kafkaproto_server.shell.share_partitions.service import ShareService, share_service
from kafkaproto_server.shell.storage.open_files import OpenFiles
from kafkaproto_server.shell.to_controller.channel import ControllerChannel


def metadata_port(
    image: Callable[[], ClusterImage], authorizer: Callable[[], Authorizer | None]
) -> MetadataPort:
    """The port to the metadata; ``image`` returns the newest committed one."""

    def endpoint(broker_id: int, listener_name: str) -> Endpoint | None:
        broker = image().brokers.get(broker_id)
        return None if broker is None or broker.fenced else endpoint_of(broker, listener_name)

    def rack(broker_id: int) -> str | None:
        broker = image().brokers.get(broker_id)
        return None if broker is None else broker.rack

    return MetadataPort(image=image, authorizer=authorizer, endpoint=endpoint, rack=rack)


def _group_coordinators(
    manager: ReplicaManager,
    published: Published,
    configs: Callable[[], NodeConfigs],
    surroundings: NodeSurroundings,
    persister: Persister,
    latest_offsets: LatestOffsets,
    metrics: CoordinatorMetrics,
) -> GroupCoordinators:
    return GroupCoordinators(
        image=lambda: published.image,
        configs=current_group_configs(configs),
        surroundings=surroundings,
        make_log=lambda hosted: manager.coordinator_log(
            hosted,
            lambda: number_of(configs(), "offsets.commit.timeout.ms"),
            metrics.group_commits,
            lambda: number_of(configs(), "offsets.topic.compression.codec"),
        ),
        load=manager.coordinator_loading,
        persister=persister,
        latest_offsets=latest_offsets,
        metrics=metrics,
    )


class BrokerData:
    """The data plane of one broker."""

    def __init__(
        self,
        *,
        config: Config,
        opened: OpenedNode,
        disk: Disk,
        clock: Clock,
        rng: Rng,
        threads: Threads,
        channel: Callable[[], ControllerChannel],
        broker_epoch: Callable[[], int | None],
        is_session_over: Callable[[], bool],
        directory_failed: Callable[[str, str], None],
        replica_lost: Callable[[PartitionId, bool], None],
        connect: Connect,
    ) -> None:
        """``channel`` makes a channel to the active controller. ``broker_epoch`` is that of the broker's
        registration."""
        self.metrics = CoordinatorMetrics()
        published = opened.quorum.published
        inherited = InheritedConfigs(config.properties.values, config.node_id)

        def configs() -> NodeConfigs:
            return inherited.at(published.image)

        self._isr_sender = IsrSender(config.node_id, channel(), broker_epoch, clock)
        self._producer_ids = ProducerIdBlocks(config.node_id, channel(), broker_epoch)
        self.on_disk = tuple(chain.from_iterable(survey.found for survey in opened.surveys.values()))
        """What lies in the directories at the start."""
        self.emptied = tuple(each for each, survey in opened.surveys.items() if survey.is_emptied)
        """The ids of those that look as if no broker had ever run on them."""
        self.manager = ReplicaManager(
            broker_id=config.node_id,
            disk=OpenFiles(disk, topic_file_limit(config)),
            clock=clock,
            rng=rng,
            workers=threads.workers(IO_THREADS),
            directories=opened.log_directories,
            surveys=opened.surveys,
            image=lambda: published.image,
            node_configs=configs,
            isr_changes=self._isr_sender,
            directory_failed=directory_failed,
            replica_lost=replica_lost,
            connect=connect,
            inter_broker_listener=config.inter_broker_listener_name,
            broker_epoch=broker_epoch,
            is_session_over=is_session_over,
        )
        manager = self.manager
        self._internal_topics = InternalTopics(channel(), inherited.at(published.image))
        self.create_internal_topic = self._internal_topics.create
        others = OtherBrokers(
            broker_id=config.node_id,
            endpoint=manager.endpoint,
            rng=rng,
            connect=connect,
            timeout_ms=lambda: number_of(configs(), "request.timeout.ms"),
        )
        self._begin_services(others, published, configs, clock, channel())
        manager.role_changed = self._role_changed
        manager.set_marker_written(self._marker_written)
        self.port = self._replica_port()

    def _begin_services(
        self,
        others: OtherBrokers,
        published: Published,
        configs: Callable[[], NodeConfigs],
        clock: Clock,
        channel: ControllerChannel,
    ) -> None:
        """Coordinators, and what leaders of partitions do beside Produce and Fetch."""
        self.share = self._share(others, published, configs, clock)
        self._latest_offsets = self._offset_finder(others, published, clock)
        self.groups = _group_coordinators(
            self.manager,
            published,
            configs,
            NodeSurroundings(clock, others.rng, self.manager.call_at, self.manager.compute),
            self.share.persister,
            self._latest_offsets.find,
            self.metrics,
        )
        self._topic_watch = TopicWatch(
            published,
            lambda: self.groups.is_needed() or self.share.coordinators.is_needed(),
            self._topics_changed,
        )
        self.transactions = self._transactions(others, published, configs, clock)
        self.share_partitions, self._dead_letter_channels = self._share_partitions(
            others, published, configs, channel, clock
        )

    def _transactions(
        self,
        others: OtherBrokers,
        published: Published,
        configs: Callable[[], NodeConfigs],
        clock: Clock,
    ) -> TransactionServices:
        return TransactionServices(
            others,
            manager=self.manager,
            image=lambda: published.image,
            configs=configs,
            new_producer_id=self._producer_ids.next,
            metrics=self.metrics,
            clock=clock,
        )

    def _share(
        self,
        others: OtherBrokers,
        published: Published,
        configs: Callable[[], NodeConfigs],
        clock: Clock,
    ) -> ShareServices:
        return ShareServices(
            others,
            manager=self.manager,
            image=lambda: published.image,
            configs=configs,
            create_topic=self.create_internal_topic,
            metrics=self.metrics,
            clock=clock,
        )

    def _share_partitions(
        self,
        others: OtherBrokers,
        published: Published,
        configs: Callable[[], NodeConfigs],
        channel: ControllerChannel,
        clock: Clock,
    ) -> tuple[ShareService, DeadLetterChannels]:
        manager = self.manager
        channels = DeadLetterChannels(
            others,
            channel=channel,
            produce=lambda items, acks, timeout_ms, done: manager.produce(
                items, acks=acks, timeout_ms=timeout_ms, done=done
            ),
            call_later=lambda delay_ms, call: manager.call_at(clock.now_ms() + delay_ms, call),
        )
        service = share_service(
            manager,
            lambda: published.image,
            configs,
            clock,
            others.rng,
            self.share.persister,
            channels,
            self.metrics.share_partitions,
        )
        return service, channels

    def _offset_finder(
        self,
        others: OtherBrokers,
        published: Published,
        clock: Clock,
    ) -> LatestOffsetFinder:
        manager = self.manager
        return LatestOffsetFinder(
            others,
            image=lambda: published.image,
            find_offset=manager.find_offset,
            call_later=lambda delay_ms, call: manager.call_at(clock.now_ms() + delay_ms, call),
        )

    def _replica_port(self) -> ReplicaPort:
        manager = self.manager
        return ReplicaPort(
            produce=lambda items, acks, timeout_ms, done: manager.produce(
                items, acks=acks, timeout_ms=timeout_ms, done=done
            ),
            write_markers=manager.write_markers,
            fetch=manager.fetches.fetch,
            delete_records=manager.delete_records,
            alter_directory=manager.alter_directory,
            find_offset=manager.find_offset,
            end_of_epoch=manager.questions.end_of_epoch,
            producers_of=manager.questions.producers_of,
            logs=manager.questions.logs,
            leader_of=manager.leader_of,
            new_producer_id=self._producer_ids.next,
        )

    def coordination(self) -> Coordination:
        return Coordination(
            metrics=self.metrics,
            groups=self.groups,
            transactions=self.transactions.coordinators,
            share=self.share.coordinators,
            share_service=self.share_partitions,
        )

    def _role_changed(self, hosted: Hosted) -> None:
        if hosted.partition.topic == GROUPS_TOPIC:
            self.groups.led.role_changed(hosted)
        elif hosted.partition.topic == TRANSACTIONS_TOPIC:
            self.transactions.coordinators.led.role_changed(hosted)
        elif hosted.partition.topic == SHARE_TOPIC:
            self.share.coordinators.led.role_changed(hosted)

    def _topics_changed(self, changes: TopicChanges) -> None:
        self.groups.topics_changed(changes)
        if changes.deleted:
            self.share.coordinators.topics_deleted([topic_id for _, topic_id in changes.deleted])

    def _marker_written(self, partition: Partition, item: MarkerItem, offset: int) -> None:
        if partition.topic == GROUPS_TOPIC:
            self.groups.led.marker_written(partition.index, item.producer_id, not item.is_abort, offset)

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        async with trio.open_nursery() as nursery:
            # Before the replicas: a coordinator sends markers as soon as its partition is loaded.
            await nursery.start(self.transactions.run)
            await nursery.start(self.share.run)
            await nursery.start(self._latest_offsets.run)
            await nursery.start(self._dead_letter_channels.run)
            await nursery.start(self.manager.run)
            nursery.start_soon(self._isr_sender.run)
            nursery.start_soon(self._producer_ids.run)
            nursery.start_soon(self._internal_topics.run)
            nursery.start_soon(self._topic_watch.run)
            task_status.started()

    async def stop(self) -> None:
        """Close all logs in order."""
        await self.manager.stop()
