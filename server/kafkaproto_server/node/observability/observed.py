"""What the metrics of a node are read from."""

from __future__ import annotations

from dataclasses import dataclass

from kafkaproto_server.node.observability.coordination import Coordination
from kafkaproto_server.shell.broker.lifecycle_manager import BrokerLifecycleManager
from kafkaproto_server.shell.replicas.replica_manager import ReplicaManager


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedBroker:
    """The parts of a node that only a broker has."""

    lifecycle: BrokerLifecycleManager | None
    """None until the broker begins to register."""
    manager: ReplicaManager
    coordination: Coordination
