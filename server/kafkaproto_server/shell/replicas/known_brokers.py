"""What the metadata says of the brokers of the cluster, for the partitions that this broker leads or follows."""

from __future__ import annotations

from collections.abc import Callable

from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.metadata.image.image import ClusterImage


class KnownBrokers:
    """The brokers in the metadata. Implements `core.replicas.partition.Brokers`."""

    def __init__(self, image: Callable[[], ClusterImage], listener_name: str) -> None:
        """``listener_name`` is that of the listener between brokers."""
        self._image = image
        self._listener_name = listener_name

    def is_eligible(self, broker_id: int, broker_epoch: int, directory_id: bytes) -> bool:
        broker = self._image().brokers.get(broker_id)
        return (
            broker is not None
            # A broker that is fenced or shuts down is not to be led from soon (KIP-841).
            and broker.is_active()
            # One that has restarted since it fetched may have lost what it had then (KIP-903). Followers of before
            # that KIP send no epoch.
            and broker_epoch in (-1, broker.epoch)
            # The controllers would take a replica in a failed directory out of the ISR again (KIP-858).
            and broker.has_online_directory(directory_id)
        )

    def is_alive(self, broker_id: int) -> bool:
        broker = self._image().brokers.get(broker_id)
        return broker is not None and not broker.fenced

    def endpoint(self, broker_id: int) -> Endpoint | None:
        """Where another broker is reached by brokers; None while it is fenced, since nothing answers there."""
        broker = self._image().brokers.get(broker_id)
        if broker is None or broker.fenced:
            return None
        return next((each for each in broker.endpoints if each.name == self._listener_name), None)
