"""What the replicas of a broker use of the node that they are on."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kafkaproto_server.base.ports import Clock, Disk, Rng
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.net.streams import Connect
from kafkaproto_server.shell.process.threads import Workers


class LocalMachine(NamedTuple):
    """The machine that the node runs on."""

    disk: Disk
    clock: Clock
    rng: Rng
    workers: Workers
    """The threads that do what would make the event loop wait."""


class LocalBroker(NamedTuple):
    """The broker, as its controllers know it."""

    broker_id: int
    epoch: Callable[[], int | None]
    """The epoch of its registration; None until it is registered."""
    is_session_over: Callable[[], bool]
    """Whether the controllers may have fenced it, because they have not heard of it for long."""


class CurrentMetadata(NamedTuple):
    """The newest committed metadata, as far as the node has applied it."""

    image: Callable[[], ClusterImage]
    node_configs: Callable[[], NodeConfigs]
    """Returns the same object as long as it has the same values."""


class BrokerNetwork(NamedTuple):
    """How other brokers are reached."""

    connect: Connect
    listener_name: str
    """``inter.broker.listener.name``."""
