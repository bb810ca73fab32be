"""Transactions on one broker, assembled: the coordinators of transactional ids, the way to those of other brokers, and
Produce in transactions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import trio

from kafkaproto_server.base.metrics.coordinators import CoordinatorMetrics
from kafkaproto_server.base.ports import Clock
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.config.settings import CurrentSettings
from kafkaproto_server.core.coordinators.transactions.coordinator import TransactionCoordinator
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC
from kafkaproto_server.requests.coordinator_places import partition_of
from kafkaproto_server.requests.data import Produced, ProduceItem
from kafkaproto_server.requests.transaction_requests import (
    AsksCoordinator,
    Producer,
    Told,
    TopicPartition,
)
from kafkaproto_server.shell.coordinators.broker_requests import OtherBrokers
from kafkaproto_server.shell.coordinators.internal_topics import INTERNAL_TOPICS
from kafkaproto_server.shell.coordinators.surroundings import NodeSurroundings
from kafkaproto_server.shell.coordinators.transactions.added_partitions import AddedPartitions
from kafkaproto_server.shell.coordinators.transactions.markers import MarkerChannels
from kafkaproto_server.shell.coordinators.transactions.transactional_appends import (
    VERIFICATION,
    TransactionalAppends,
)
from kafkaproto_server.shell.coordinators.transactions.transactions import (
    TRANSACTIONS,
    NewProducerId,
    TransactionCoordinators,
)
from kafkaproto_server.shell.replicas.replica_manager import ReplicaManager


class TransactionServices:
    """All of a broker that has to do with transactions. Implements `TransactionPort`."""

    def __init__(
        self,
        others: OtherBrokers,
        *,
        manager: ReplicaManager,
        image: Callable[[], ClusterImage],
        configs: Callable[[], NodeConfigs],
        new_producer_id: NewProducerId,
        metrics: CoordinatorMetrics,
        clock: Clock,
    ) -> None:
        """``configs`` returns the same object as long as it has the same values."""
        self._image = image
        self._offsets_topic = CurrentSettings(INTERNAL_TOPICS[GROUPS_TOPIC], configs)
        self.markers = MarkerChannels(
            others,
            image=image,
            write_markers=manager.write_markers,
            call_later=lambda delay_ms, call: manager.call_at(clock.now_ms() + delay_ms, call),
        )
        self.coordinators = TransactionCoordinators(
            image=image,
            config=CurrentSettings(TRANSACTIONS, configs),
            surroundings=NodeSurroundings(
                clock, others.rng, manager.call_at, manager.for_coordinators.compute
            ),
            new_producer_id=new_producer_id,
            markers=self.markers,
            make_log=lambda hosted: manager.for_coordinators.log(
                hosted, others.timeout_ms, metrics.transaction_commits
            ),
            load=manager.for_coordinators.load,
            load_times=metrics.transaction_loads,
        )
        self.added = AddedPartitions(
            others,
            image=image,
            coordinators=self.coordinators,
            metrics=metrics.verification,
            clock=clock,
        )
        self._appends = TransactionalAppends(
            added=self.added,
            leading=manager.for_coordinators.leading,
            produce=manager.produce,
            clock=clock,
            call_at=manager.call_at,
            settings=CurrentSettings(VERIFICATION, configs),
        )
        manager.set_verifies_transactions(self._appends.verifies)

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        async with trio.open_nursery() as nursery:
            await nursery.start(self.markers.run)
            await nursery.start(self.added.run)
            task_status.started()

    def of(self, transactional_id: str) -> TransactionCoordinator:
        return self.coordinators.of(transactional_id)

    def all(self) -> Iterator[TransactionCoordinator]:
        return self.coordinators.all()

    def offsets_partition(self, group_id: str) -> TopicPartition:
        """The partition of ``__consumer_offsets`` for a group, also while there is no such topic."""
        topic = self._image().topic_by_name(GROUPS_TOPIC)
        if topic is None:
            partitions = self._offsets_topic().num_partitions
        else:
            partitions = len(topic.partitions)
        return TopicPartition(GROUPS_TOPIC, partition_of(group_id, partitions))

    def verify_offsets(self, group_id: str, producer: Producer, asks: AsksCoordinator, told: Told) -> None:
        topic_id = self._image().topic_ids.get(GROUPS_TOPIC, b"")
        index = self.offsets_partition(group_id).partition
        self._appends.verify_offsets(topic_id, index, producer, asks, told)

    def produce(
        self,
        items: Sequence[ProduceItem],
        transactional_id: str,
        asks: AsksCoordinator,
        acks: int,
        timeout_ms: int,
        done: Produced,
    ) -> None:
        self._appends.produce(items, transactional_id, asks, acks, timeout_ms, done)
