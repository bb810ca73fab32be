"""A broker's data plane, assembled: its replicas, and the tasks that speak with the controller for them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Final

import msgspec
import trio

from kafkaproto_server.config.node_config import Config
from kafkaproto_server.config.settings import CurrentSettings, SettingsTable
from kafkaproto_server.core.controller.values.topic_configs import InheritedConfigs
from kafkaproto_server.node.broker_coordination import BrokerCoordination, BrokerMetadata
from kafkaproto_server.node.descriptors import topic_file_limit
from kafkaproto_server.node.machine import NodeMachine
from kafkaproto_server.node.startup import OpenedNode
from kafkaproto_server.shell.coordinators.broker_requests import OtherBrokers
from kafkaproto_server.shell.coordinators.internal_topics import InternalTopics
from kafkaproto_server.shell.replicas.files.checkpointed import PartitionId
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.followers.isr_sender import IsrSender
from kafkaproto_server.shell.replicas.local_node import (
    BrokerNetwork,
    CurrentMetadata,
    LocalBroker,
    LocalMachine,
)
from kafkaproto_server.shell.replicas.producer_ids import ProducerIdBlocks
from kafkaproto_server.shell.replicas.replica_manager import IO_THREADS, ReplicaManager
from kafkaproto_server.shell.storage.open_files import OpenFiles
from kafkaproto_server.shell.to_controller.channel import ControllerChannel


class OtherBrokersConfig(msgspec.Struct, frozen=True, kw_only=True):
    """How long this broker waits for others."""

    request_timeout_ms: int


_OTHER_BROKERS: Final = SettingsTable(OtherBrokersConfig, {"request_timeout_ms": "request.timeout.ms"})


class BrokerData:
    """The data plane of one broker. Implements `shell.replicas.roles.ReplicaEvents`."""

    def __init__(
        self,
        *,
        config: Config,
        opened: OpenedNode,
        machine: NodeMachine,
        channel: Callable[[], ControllerChannel],
        broker_epoch: Callable[[], int | None],
        is_session_over: Callable[[], bool],
        directory_failed: Callable[[str, str], None],
        replica_lost: Callable[[PartitionId, bool], None],
    ) -> None:
        """``channel`` makes a channel to the active controller. ``broker_epoch`` is that of the broker's
        registration."""
        published = opened.quorum.published
        inherited = InheritedConfigs(config.properties.values, config.node_id)
        metadata = BrokerMetadata(published, inherited)
        self._isr_sender = IsrSender(config.node_id, channel(), broker_epoch, machine.clock)
        self.producer_ids = ProducerIdBlocks(config.node_id, channel(), broker_epoch)
        self.on_disk = tuple(chain.from_iterable(survey.found for survey in opened.surveys.values()))
        """What lies in the directories at the start."""
        self.emptied = tuple(each for each, survey in opened.surveys.items() if survey.is_emptied)
        """The ids of those that look as if no broker had ever run on them."""
        self.directory_failed, self.replica_lost = directory_failed, replica_lost
        self.manager = manager = ReplicaManager(
            broker=LocalBroker(config.node_id, broker_epoch, is_session_over),
            machine=LocalMachine(
                OpenFiles(machine.disk, topic_file_limit(config)),
                machine.clock,
                machine.rng,
                machine.threads.workers(IO_THREADS),
            ),
            network=BrokerNetwork(machine.network.connect, config.inter_broker_listener_name),
            metadata=CurrentMetadata(metadata.image, metadata.configs),
            directories=opened.log_directories,
            surveys=opened.surveys,
            isr_changes=self._isr_sender,
            events=self,
        )
        self._internal_topics = InternalTopics(channel(), metadata.configs())
        self.create_internal_topic = self._internal_topics.create
        waits = CurrentSettings(_OTHER_BROKERS, metadata.configs)
        others = OtherBrokers(
            broker_id=config.node_id,
            endpoint=manager.brokers.endpoint,
            rng=machine.rng,
            connect=machine.network.connect,
            timeout_ms=lambda: waits().request_timeout_ms,
        )
        self.coordination = BrokerCoordination(
            manager,
            metadata,
            others,
            machine.clock,
            producer_ids=self.producer_ids,
            internal_topics=self._internal_topics,
            dead_letter_channel=channel(),
        )
        manager.set_marker_written(self.coordination.marker_written)

    def role_changed(self, hosted: Hosted) -> None:
        self.coordination.role_changed(hosted)

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        async with trio.open_nursery() as nursery:
            # Before the replicas: a coordinator sends markers as soon as its partition is loaded.
            await nursery.start(self.coordination.run)
            await nursery.start(self.manager.run)
            nursery.start_soon(self._isr_sender.run)
            nursery.start_soon(self.producer_ids.run)
            nursery.start_soon(self._internal_topics.run)
            nursery.start_soon(self.coordination.watch_topics)
            task_status.started()

    async def stop(self) -> None:
        """Close all logs in order."""
        await self.manager.stop()
