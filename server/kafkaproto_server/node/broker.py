"""The broker of a node: its data, and its life as the controllers see it.

The data come first, because what lies on the disks is part of the registration. So they ask here for what only the
registration brings, and hear that there is nothing yet.
"""

from __future__ import annotations

from collections.abc import Callable

import trio

from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.config.node_config import Config
from kafkaproto_server.core.broker.lifecycle import BrokerIdentity, BrokerLifecycle
from kafkaproto_server.metadata.features import supported_ranges
from kafkaproto_server.node.broker_data import BrokerData
from kafkaproto_server.node.channels import NodeChannels
from kafkaproto_server.node.machine import NodeMachine
from kafkaproto_server.node.observability.observed import ObservedBroker
from kafkaproto_server.node.startup import OpenedNode
from kafkaproto_server.shell.broker.lifecycle_manager import (
    BrokerChannels,
    BrokerLifecycleManager,
    LocalReplicas,
)
from kafkaproto_server.shell.replicas.files.checkpointed import PartitionId
from kafkaproto_server.shell.replicas.replica_manager import ReplicaManager

CONTROLLED_SHUTDOWN_TIMEOUT_MS = 30_000
"""How long a stopping broker waits until the controller has moved its partitions away."""


class NodeBroker:
    """The parts that only a broker has, and what they ask of each other."""

    def __init__(
        self,
        config: Config,
        opened: OpenedNode,
        machine: NodeMachine,
        channels: NodeChannels,
        directory_failed: Callable[[str, str], None],
    ) -> None:
        self._config = config
        self._opened = opened
        self._machine = machine
        self._channels = channels
        self._lifecycle: BrokerLifecycleManager | None = None
        """None until `prepare`, because it needs the ports of the listeners."""
        self.data = BrokerData(
            config=config,
            opened=opened,
            machine=machine,
            channel=channels.new,
            broker_epoch=lambda: self.broker_epoch,
            is_session_over=self._is_session_over,
            directory_failed=directory_failed,
            replica_lost=self._replica_lost,
        )

    @property
    def manager(self) -> ReplicaManager:
        """The replicas, which its data plane holds."""
        return self.data.manager

    @property
    def broker_epoch(self) -> int | None:
        """The epoch of this process's registration; None before it."""
        return None if self._lifecycle is None else self._lifecycle.broker_epoch

    @property
    def is_running(self) -> bool:
        """Whether it is unfenced and serves clients."""
        return self._lifecycle is not None and self._lifecycle.is_running

    def observed(self) -> ObservedBroker:
        """What metrics are made of."""
        return ObservedBroker(
            lifecycle=self._lifecycle,
            manager=self.data.manager,
            coordination=self.data.coordination.observed(),
        )

    def _is_session_over(self) -> bool:
        return self._lifecycle is not None and self._lifecycle.is_session_over

    def _replica_lost(self, replica: PartitionId, is_lost: bool) -> None:
        assert self._lifecycle is not None, "replicas are opened after `prepare`"
        self._lifecycle.replica_lost(replica, is_lost)

    def directories_changed(self) -> None:
        """A log directory failed, or was cordoned."""
        self.data.manager.directories_changed()
        # Before the registration, nothing was reported about the directories yet.
        if self._lifecycle is not None:
            self._lifecycle.directories_changed()

    def prepare(self, endpoints: tuple[Endpoint, ...]) -> None:
        """From here on `register` may be called, and its time runs."""
        config, opened, data = self._config, self._opened, self.data
        self._lifecycle = BrokerLifecycleManager(
            self._new_lifecycle(endpoints),
            broker_id=config.node_id,
            replicas=LocalReplicas(
                directories=opened.log_directories,
                on_disk=data.on_disk,
                emptied=data.emptied,
                listener=data.manager,
            ),
            static_config=config.properties.values,
            channels=BrokerChannels(heartbeats=self._channels.new(), assignments=self._channels.new()),
            published=opened.quorum.published,
            heartbeat_interval_ms=config.broker_heartbeat_interval_ms,
            clock=self._machine.clock,
        )

    def _new_lifecycle(self, endpoints: tuple[Endpoint, ...]) -> BrokerLifecycle:
        config, opened = self._config, self._opened
        return BrokerLifecycle(
            BrokerIdentity(
                broker_id=config.node_id,
                cluster_id=opened.cluster_id,
                incarnation_id=opened.broker_incarnation_id,
                endpoints=endpoints,
                rack=config.broker_rack,
                features=supported_ranges(),
                previous_broker_epoch=opened.previous_broker_epoch,
            ),
            directories=opened.log_directories,
            heartbeat_interval_ms=config.broker_heartbeat_interval_ms,
            registration_timeout_ms=config.initial_broker_registration_timeout_ms,
            directory_failure_timeout_ms=config.log_dir_failure_timeout_ms,
            session_timeout_ms=config.broker_session_timeout_ms,
            now_ms=self._machine.clock.now_ms(),
        )

    async def register(self, nursery: trio.Nursery) -> None:
        """Return once the broker is registered and unfenced; its heartbeats go on. Raises RegistrationTimeout."""
        assert self._lifecycle is not None, "`prepare` comes first"
        await nursery.start(self._lifecycle.run)

    async def leave(self) -> None:
        """Have the controller move the partitions away that this broker leads."""
        assert self._lifecycle is not None, "`prepare` comes first"
        await self._lifecycle.leave(CONTROLLED_SHUTDOWN_TIMEOUT_MS)
