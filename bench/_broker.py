"""A broker that is none: registered and heartbeating, so that topics can be placed, without any work of a broker.

What is measured is then the quorum alone. A whole broker of either make would follow the metadata log and make a folder
for each partition, on the same two cores, and the makes would differ in what theirs do.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
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
from server.features import supported_ranges

BROKER_ID = 100
HEARTBEAT_INTERVAL_S = 1.0


class PlaceholderBroker:
    """Registers on entering, keeps up its session from a thread, stops on leaving."""

    def __init__(self, leader: Callable[[], Node]) -> None:
        """``leader`` finds the active controller's node; it is asked again whenever that one is gone."""
        self._leader = leader
        self._epoch = -1
        self._incarnation = new_uuid()
        self._directory = new_uuid()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._keep_up, daemon=True)

    def __enter__(self) -> PlaceholderBroker:
        # A controller becomes active a moment after its node was elected.
        wait_until(self._has_registered, START_TIMEOUT_S, "an active controller that takes a broker in")
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._thread.join()

    def _has_registered(self) -> bool:
        try:
            with connect(self._leader().bootstrap_controller) as client:
                self._register(client)
                self._heartbeat(client)
        except (OSError, LookupError):
            return False
        return True

    def _register(self, client: Client) -> None:
        features = [
            BrokerRegistrationRequest.Feature(
                name=name, min_supported_version=lowest, max_supported_version=highest
            )
            for name, (lowest, highest) in supported_ranges().items()
        ]
        # Nobody ever connects there.
        listener = BrokerRegistrationRequest.Listener(name="PLAINTEXT", host="127.0.0.1", port=9)
        response = client.send(
            BrokerRegistrationRequest(
                broker_id=BROKER_ID,
                cluster_id=CLUSTER_ID,
                incarnation_id=self._incarnation,
                listeners=[listener],
                features=features,
                log_dirs=[self._directory],
            )
        )
        assert isinstance(response, BrokerRegistrationResponse)
        if response.error_code:
            raise LookupError(f"BrokerRegistration: {describe(response.error_code).name}")
        self._epoch = response.broker_epoch

    def _heartbeat(self, client: Client) -> None:
        response = client.send(
            BrokerHeartbeatRequest(
                broker_id=BROKER_ID, broker_epoch=self._epoch, current_metadata_offset=2**62, want_fence=False
            )
        )
        assert isinstance(response, BrokerHeartbeatResponse)
        if response.error_code:
            raise LookupError(f"BrokerHeartbeat: {describe(response.error_code).name}")

    def _keep_up(self) -> None:
        client: Client | None = None
        while not self._stopped.wait(HEARTBEAT_INTERVAL_S):
            try:
                client = client or connect(self._leader().bootstrap_controller)
                self._heartbeat(client)
            except (OSError, LookupError):
                # The controller moved or is busy; the session outlives several missed heartbeats.
                if client is not None:
                    client.close()
                client = None
        if client is not None:
            client.close()
