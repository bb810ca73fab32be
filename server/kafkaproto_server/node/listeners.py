"""The listeners of a node, and the moments at which they begin.

They are bound before the directories are opened: a port that is taken should leave the directories untouched, and a
controller's ports are among its voter's endpoints. They run only once there is something to serve; connections that
come before wait in the kernel. Listeners for controllers run before the broker registers, those for clients when it is
unfenced.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

import msgspec
import trio

from kafkaproto.connection import IncomingRequest, UnsupportedApiVersions
from kafkaproto_server.apis.table import frame_limit, served_versions
from kafkaproto_server.base.metrics.requests import RequestMetrics
from kafkaproto_server.base.types import Endpoint, ListenerKind
from kafkaproto_server.config.node_config import Config
from kafkaproto_server.shell.net.admission import Admission
from kafkaproto_server.shell.net.connections import ConnectionInfo, Respond
from kafkaproto_server.shell.net.limits import MAX_CONTROLLER_REQUEST_SIZE_BYTES, MAX_QUEUED_REQUEST_BYTES
from kafkaproto_server.shell.net.listener import Listener, ListenerConfig, SharedByListeners
from kafkaproto_server.shell.net.memory import RequestMemory, UnreadResponses
from kafkaproto_server.shell.net.network import Network, SocketOptions
from kafkaproto_server.shell.net.passes import Passes
from kafkaproto_server.shell.quorum.broker_probe import BrokerProbe
from kafkaproto_server.shell.serving.dispatch import Dispatcher

DRAIN_TIMEOUT_MS: Final = 2_000
"""How long a stopping listener waits for requests in progress."""
_NO_LIMIT_MS: Final = 10**12
"""Used for a negative ``connections.max.idle.ms``: some thirty years."""


class NodeListeners:
    """All listeners of a node."""

    def __init__(
        self,
        config: Config,
        *,
        admission: Admission,
        metrics: RequestMetrics,
        passes: Passes,
        network: Network,
    ) -> None:
        """All of them share ``admission``, ``metrics`` and ``passes``."""
        self._config = config
        self._admission = admission
        self._metrics = metrics
        self._passes = passes
        self._network = network
        self._memory = RequestMemory(queued_request_bytes(config))
        # Separate for each kind of listener, so that clients that read slowly do not cost a controller its connection.
        self._unread = {kind: UnreadResponses() for kind in ListenerKind}
        self._dispatcher: Dispatcher | None = None
        """From `serve_by` on, which comes before any of them runs."""
        self._probe: BrokerProbe | None = None
        self._ports: Mapping[str, int] = {}
        self._listeners = tuple(
            self._listener(kind, endpoint)
            for kind, endpoints in (
                (ListenerKind.BROKER, config.broker_listeners),
                (ListenerKind.CONTROLLER, config.controller_listeners),
            )
            for endpoint in endpoints
        )

    def __iter__(self) -> Iterator[Listener]:
        return iter(self._listeners)

    def _listener(self, kind: ListenerKind, endpoint: Endpoint) -> Listener:
        config = self._config
        idle_ms = config.connections_max_idle_ms
        max_request_bytes = config.socket_request_max_bytes
        if kind is ListenerKind.CONTROLLER:
            max_request_bytes = min(max_request_bytes, MAX_CONTROLLER_REQUEST_SIZE_BYTES)
        return Listener(
            ListenerConfig(
                name=endpoint.name,
                kind=kind,
                host=endpoint.host,
                port=endpoint.port,
                max_connections=config.listener_limit(endpoint.name, "max.connections"),
                max_creation_rate=config.listener_limit(endpoint.name, "max.connection.creation.rate"),
                is_protected=(
                    len(config.broker_listeners) > 1 and endpoint.name == config.inter_broker_listener_name
                ),
                max_request_size_bytes=max_request_bytes,
                idle_timeout_ms=idle_ms if idle_ms >= 0 else _NO_LIMIT_MS,
                socket_options=_socket_options(config),
            ),
            served_versions=partial(served_versions, kind),
            serve=self._serve,
            shared=SharedByListeners(
                admission=self._admission,
                memory=self._memory,
                unread=self._unread[kind],
                passes=self._passes,
                metrics=self._metrics,
            ),
            connection_ended=self._connection_ended,
            frame_limit=partial(frame_limit, kind=kind),
            network=self._network,
        )

    async def bind(self) -> None:
        """Raises OSError, which names listener and address."""
        self._ports = {listener.config.name: await listener.bind() for listener in self}

    def with_ports(self, endpoints: tuple[Endpoint, ...]) -> tuple[Endpoint, ...]:
        """The endpoints to advertise: port 0 is replaced by the bound port, an empty host by this machine's name."""
        return tuple(
            msgspec.structs.replace(
                endpoint,
                port=endpoint.port or self._ports[endpoint.name],
                host=endpoint.host or socket.getfqdn(),
            )
            for endpoint in endpoints
        )

    def serve_by(self, dispatcher: Dispatcher, probe: BrokerProbe | None) -> None:
        """All that they need to run. ``probe`` is told of each connection that ends."""
        self._dispatcher, self._probe = dispatcher, probe

    def _serve(
        self, request: IncomingRequest | UnsupportedApiVersions, connection: ConnectionInfo, respond: Respond
    ) -> None:
        assert self._dispatcher is not None, "listeners run after `serve_by`"
        self._dispatcher.serve(request, connection, respond)

    def _connection_ended(self, connection: ConnectionInfo) -> None:
        assert self._dispatcher is not None, "listeners run after `serve_by`"
        self._dispatcher.connection_ended(connection)
        if self._probe is not None:
            self._probe.connection_ended(connection)

    async def start(self, nursery: trio.Nursery, kind: ListenerKind) -> None:
        """Run those of a kind."""
        for listener in self:
            if listener.config.kind is kind:
                await nursery.start(listener.run)

    async def stop(self) -> None:
        """Finish the requests in progress, and end those that run."""
        async with trio.open_nursery() as stopping:
            for listener in self:
                if listener.is_running:
                    stopping.start_soon(listener.stop, DRAIN_TIMEOUT_MS)

    def close(self) -> None:
        """Give up the ports of those that never ran."""
        for listener in self:
            listener.close()


def queued_request_bytes(config: Config) -> int:
    """The number of bytes that all listeners together may hold of requests."""
    if config.queued_max_request_bytes > 0:
        return config.queued_max_request_bytes
    return max(MAX_QUEUED_REQUEST_BYTES, config.socket_request_max_bytes)


def _socket_options(config: Config) -> SocketOptions:
    """What the keys say that are set. Kafka's defaults for the others suit another server."""
    properties, found = config.properties, SocketOptions()

    def number(key: str, otherwise: int | None) -> int | None:
        if not properties.is_set(key):
            return otherwise
        # -1 leaves it to the system.
        return value if (value := properties.integer(key)) >= 0 else None

    return SocketOptions(
        backlog=number("socket.listen.backlog.size", found.backlog) or found.backlog,
        send_buffer_bytes=number("socket.send.buffer.bytes", found.send_buffer_bytes),
        receive_buffer_bytes=number("socket.receive.buffer.bytes", found.receive_buffer_bytes),
    )
