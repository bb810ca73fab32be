"""Brokers that are none: registered and heartbeating, so that topics can be placed, without any work of a broker.

What is measured is then the quorum alone. A whole broker of either implementation would follow the metadata log and
make a folder for each partition, on the same two cores, and the implementations would differ in what theirs do.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType

from compat.node import START_TIMEOUT_S, Node
from compat.process import wait_until
from compat.quorum import CLUSTER_ID, connect, new_uuid
from kafkaproto.client import Client
from kafkaproto.error_codes import describe
from kafkaproto.messages import (
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
)
from kafkaproto_server.metadata.features import supported_ranges

HEARTBEAT_INTERVAL_S = 1.0
CAUGHT_UP = 2**62
"""A metadata offset that no registration lies beyond."""


@dataclass(slots=True)
class _Placeholder:
    """One broker."""

    broker_id: int
    incarnation: bytes = field(default_factory=new_uuid)
    directory: bytes = field(default_factory=new_uuid)
    epoch: int = -1


class PlaceholderBrokers:
    """Register on entering, keep up their sessions from a thread, stop on leaving."""

    def __init__(self, leader: Callable[[], Node], broker_ids: Sequence[int] = (100,)) -> None:
        """``leader`` finds the active controller's node; it is asked again whenever that one is gone."""
        self._leader = leader
        self._brokers = [_Placeholder(broker_id) for broker_id in broker_ids]
        # Who connects there is not served, but not refused either: nobody takes these brokers for dead.
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._keep_up, daemon=True)

    def __enter__(self) -> PlaceholderBrokers:
        # A controller becomes active a moment after its node was elected.
        wait_until(self._have_registered, START_TIMEOUT_S, "an active controller that takes brokers in")
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._thread.join()
        self._listener.close()

    def heartbeat_requests(self) -> list[BrokerHeartbeatRequest]:
        """The heartbeat of each broker."""
        return [_heartbeat(broker) for broker in self._brokers]

    def _have_registered(self) -> bool:
        try:
            with connect(self._leader().bootstrap_controller) as client:
                for broker in self._brokers:
                    self._register(client, broker)
                    _send_heartbeat(client, broker)
        except (OSError, LookupError):
            return False
        return True

    def _register(self, client: Client, broker: _Placeholder) -> None:
        if broker.epoch >= 0:
            return
        features = [
            BrokerRegistrationRequest.Feature(
                name=name, min_supported_version=lowest, max_supported_version=highest
            )
            for name, (lowest, highest) in supported_ranges().items()
        ]
        host, port = self._listener.getsockname()
        response = client.send(
            BrokerRegistrationRequest(
                broker_id=broker.broker_id,
                cluster_id=CLUSTER_ID,
                incarnation_id=broker.incarnation,
                listeners=[BrokerRegistrationRequest.Listener(name="PLAINTEXT", host=host, port=port)],
                features=features,
                log_dirs=[broker.directory],
            )
        )
        assert isinstance(response, BrokerRegistrationResponse)
        if response.error_code:
            raise LookupError(f"BrokerRegistration: {describe(response.error_code).name}")
        broker.epoch = response.broker_epoch

    def _keep_up(self) -> None:
        client: Client | None = None
        while not self._stopped.wait(HEARTBEAT_INTERVAL_S):
            try:
                client = client or connect(self._leader().bootstrap_controller)
                for broker in self._brokers:
                    _send_heartbeat(client, broker)
            except (OSError, LookupError):
                # The controller moved or is busy; the session outlives several missed heartbeats.
                if client is not None:
                    client.close()
                client = None
        if client is not None:
            client.close()


def _heartbeat(broker: _Placeholder) -> BrokerHeartbeatRequest:
    return BrokerHeartbeatRequest(
        broker_id=broker.broker_id,
        broker_epoch=broker.epoch,
        current_metadata_offset=CAUGHT_UP,
        want_fence=False,
    )


def _send_heartbeat(client: Client, broker: _Placeholder) -> None:
    response = client.send(_heartbeat(broker))
    assert isinstance(response, BrokerHeartbeatResponse)
    if response.error_code:
        raise LookupError(f"BrokerHeartbeat: {describe(response.error_code).name}")
