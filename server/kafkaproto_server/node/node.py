"""A node: assembles its parts, starts them in order, and stops them in order.

Start: ports, directories and log (`node.startup`), the quorum's task, the controller listeners. Then controller and
broker register with the active controller, over the network even if this node is the active controller. Clients are
served once the broker is unfenced. A node that is only a broker takes part in the quorum as an observer, and has no
controller listener.

Stop, in reverse order: the broker hands over its partitions (controlled shutdown), the quorum's task gives up
leadership, listeners finish the requests in progress, the log is closed. Everything runs in one nursery. An error there
ends the node, unless a peer caused it or it occurred while one request was served (`shell.serving.dispatch`).
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import msgspec
import trio

from kafkaproto.api import ApiKey
from kafkaproto.directory_files import META_PROPERTIES_NAME
from kafkaproto.message import Message
from kafkaproto_server.apis.ports.controller import ControllerPort, QuorumPort
from kafkaproto_server.apis.ports.node import NodePort
from kafkaproto_server.apis.ports.services import ABSENT, Services
from kafkaproto_server.apis.table import frame_limit, served_versions, timeout_ms
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.base.metrics.requests import RequestMetrics
from kafkaproto_server.base.ports import Clock, Disk, Rng
from kafkaproto_server.base.types import Endpoint, ListenerKind, ReplicaKey
from kafkaproto_server.config.log_levels import logger_levels, set_logger_levels
from kafkaproto_server.config.node_config import Config
from kafkaproto_server.core.broker.lifecycle import BrokerIdentity, BrokerLifecycle
from kafkaproto_server.core.controller.values.events import CommandContext
from kafkaproto_server.core.controller.values.topic_configs import InheritedConfigs
from kafkaproto_server.core.quotas.connection_rates import ConnectionRates
from kafkaproto_server.core.quotas.rate import RateWindows
from kafkaproto_server.metadata.features import supported_ranges
from kafkaproto_server.metadata.security.authorizer import Authorizer, AuthorizerConfig, CurrentAuthorizer
from kafkaproto_server.node.broker_data import BrokerData, metadata_port
from kafkaproto_server.node.descriptors import admission_limits
from kafkaproto_server.node.startup import OpenedNode, mark_clean_shutdown, open_node
from kafkaproto_server.requests.context import RequestContext, Response
from kafkaproto_server.shell.broker.directory_watch import DirectoryWatch
from kafkaproto_server.shell.broker.lifecycle_manager import (
    BrokerLifecycleManager,
    ControllerChannels,
    LocalReplicas,
)
from kafkaproto_server.shell.net.admission import Admission
from kafkaproto_server.shell.net.http import HttpResponse, Route, serve_http
from kafkaproto_server.shell.net.limits import MAX_CONTROLLER_REQUEST_SIZE_BYTES, MAX_QUEUED_REQUEST_BYTES
from kafkaproto_server.shell.net.listener import Listener, ListenerConfig
from kafkaproto_server.shell.net.memory import RequestMemory, UnreadResponses
from kafkaproto_server.shell.net.network import TCP, Network, SocketOptions
from kafkaproto_server.shell.net.passes import Passes
from kafkaproto_server.shell.net.pump import ConnectionInfo
from kafkaproto_server.shell.process.memory import use_one_arena
from kafkaproto_server.shell.process.threads import SYSTEM_THREADS, Threads
from kafkaproto_server.shell.quorum.broker_probe import BrokerProbe, Prober
from kafkaproto_server.shell.quorum.driver import QuorumDriver
from kafkaproto_server.shell.quorum.voter_watch import voter_problem, warn_of_voter_problem
from kafkaproto_server.shell.replicas.files.checkpointed import PartitionId
from kafkaproto_server.shell.serving.connection_limits import ConnectionLimits
from kafkaproto_server.shell.serving.dispatch import Dispatcher
from kafkaproto_server.shell.serving.making_room import MakingRoom
from kafkaproto_server.shell.serving.slices import Slices
from kafkaproto_server.shell.serving.throttling import Throttling
from kafkaproto_server.shell.to_controller.channel import ControllerChannel
from kafkaproto_server.shell.to_controller.forwarding import Forwarder
from kafkaproto_server.shell.to_controller.registration import keep_registered
from kafkaproto_server.shell.to_controller.streams_topics import StreamsTopics

if TYPE_CHECKING:
    from kafkaproto_server.node.observability.page import NodeMetrics

_log = logging.getLogger("kafkaproto.server.node")

CONTROLLED_SHUTDOWN_TIMEOUT_MS = 30_000
"""How long a stopping broker waits until the controller has moved its partitions away."""

DRAIN_TIMEOUT_MS = 2_000
"""How long a stopping listener waits for requests in progress."""


_NO_LIMIT_MS = 10**12
"""Used for a negative ``connections.max.idle.ms``: some thirty years."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Running:
    """The parts of a started node."""

    opened: OpenedNode
    listeners: list[Listener]
    broker: BrokerLifecycleManager | None


class Node:
    """One node. `run` it, `stop` it."""

    def __init__(
        self,
        config: Config,
        *,
        disk: Disk,
        clock: Clock,
        rng: Rng,
        network: Network = TCP,
        threads: Threads = SYSTEM_THREADS,
        format_if_new: bool = False,
    ) -> None:
        """``format_if_new``: empty directories are formatted as a new cluster that consists of this node.

        The simulator passes a ``network`` and ``threads`` of its own.
        """
        self._network = network
        self._threads = threads
        self._config = config
        self._format_if_new = format_if_new
        self._disk = disk
        self._clock = clock
        self._rng = rng
        self._stop_asked = trio.Event()
        self._running: _Running | None = None
        self._opened: OpenedNode | None = None
        """Until it is closed in order."""
        self._channels: list[ControllerChannel] = []
        self._listeners: list[Listener] = []
        self._requests = RequestMetrics()
        self._passes = Passes()
        self._slices = Slices(self._passes)
        windows = RateWindows(config.quota_window_num, config.quota_window_size_seconds * 1000)
        self._connection_rates = ConnectionRates(windows)
        self._throttling = Throttling(windows, clock.now_ms, self._connection_rates)
        self._metrics: NodeMetrics | None = None
        self._data: BrokerData | None = None
        """On a broker: its replicas."""
        self._probe: BrokerProbe | None = None

    def stop(self) -> None:
        """Request a controlled shutdown; `run` returns after it."""
        self._stop_asked.set()

    @property
    def is_ready(self) -> bool:
        """Whether the node serves clients, and its quorum has a leader that it follows or is."""
        running = self._running
        if running is None or not running.opened.quorum.hears_leader:
            return False
        return running.broker is None or running.broker.is_running

    async def run(self, announce: Callable[[str], None]) -> None:
        """Run until `stop`. ``announce`` gets the line that says that the node serves.

        Raises OSError and StorageError if its directories or ports cannot be used, and RegistrationTimeout if no
        controller accepts the broker's registration.
        """
        # Before the first thread.
        use_one_arena()
        try:
            async with trio.open_nursery() as nursery:
                with trio.CancelScope() as until_stopped:
                    nursery.start_soon(self._cancel_when_stopped, until_stopped)
                    await self._start(nursery)
                    announce(self._ready_line())
                    await trio.sleep_forever()
                await self._stop_in_order()
                nursery.cancel_scope.cancel()
        finally:
            for channel in self._channels:
                channel.close()
            for listener in self._listeners:
                listener.close()
            if self._opened is not None:
                # It did not come to an orderly stop, and the process may live on.
                self._opened.abandon()

    async def _cancel_when_stopped(self, scope: trio.CancelScope) -> None:
        await self._stop_asked.wait()
        scope.cancel()

    # -- start -------------------------------------------------------------------------------------------------

    async def _start(self, nursery: trio.Nursery) -> None:
        config = self._config
        self._network.start()
        if config.http_listener is not None:
            address = config.http_listener
            # First of all, so that probes get a response while a long log is being recovered.
            await nursery.start(partial(serve_http, address.host, address.port, self._routes()))
        admission = Admission(await self._threads.run(admission_limits, config), self._connection_rates)
        memory = RequestMemory(_queued_request_bytes(config))
        # Separate for each kind of listener, so that clients that read slowly do not cost a controller its connection.
        unread = {kind: UnreadResponses() for kind in ListenerKind}
        dispatcher: list[Dispatcher] = []
        listeners = [
            self._listener(kind, endpoint, dispatcher, admission, memory, unread[kind])
            for kind, endpoints in (
                (ListenerKind.BROKER, config.broker_listeners),
                (ListenerKind.CONTROLLER, config.controller_listeners),
            )
            for endpoint in endpoints
        ]
        self._listeners = listeners
        # Before the directories are opened: a port that is taken should leave them untouched.
        ports = {listener.config.name: await listener.bind() for listener in listeners}
        self._opened = opened = await self._threads.run(
            partial(
                open_node,
                config,
                controller_endpoints=_with_ports(config.advertised_controller_listeners, ports),
                format_if_new=self._format_if_new,
                disk=self._disk,
                clock=self._clock,
                rng=self._rng,
                threads=self._threads,
                connect=self._network.connect,
            )
        )
        watch = self._directory_watch(opened)
        # Before the quorum writes: a node whose metadata directory fails the check must not vote.
        await nursery.start(watch.run)
        await nursery.start(opened.quorum.run)
        if config.is_controller:
            nursery.start_soon(warn_of_voter_problem, partial(self._voter_problem, opened))
        if config.http_listener is not None:
            self._start_metrics(nursery, opened.quorum, listeners)
        self._start_probe(nursery, opened.quorum)
        if config.is_broker:
            await self._start_data(nursery, opened, watch, admission)
        services = self._services(nursery, opened, watch)
        await nursery.start(self._passes.run)
        await nursery.start(self._slices.run)
        await nursery.start(self._throttling.run, opened.quorum.published)
        dispatcher.append(self._dispatcher(services))
        for listener in listeners:
            # Before the broker registers, because the active controller may be this node.
            if listener.config.kind is ListenerKind.CONTROLLER:
                await nursery.start(listener.run)
        broker = self._broker(opened, _with_ports(config.advertised_broker_listeners, ports))
        self._running = _Running(opened=opened, listeners=listeners, broker=broker)
        if config.is_controller:
            self._register_controller(
                nursery, opened, _with_ports(config.advertised_controller_listeners, ports)
            )
        # Its listeners serve only once it is unfenced: clients would get metadata that is not
        # current.
        if broker is not None:
            await nursery.start(broker.run)
            for listener in listeners:
                if listener.config.kind is ListenerKind.BROKER:
                    await nursery.start(listener.run)
        await opened.quorum.wait_until_follows_leader()

    async def _start_data(
        self, nursery: trio.Nursery, opened: OpenedNode, watch: DirectoryWatch, admission: Admission
    ) -> None:
        """What only a broker has."""
        self._throttling.also = self._connection_limits(admission).use
        self._data = BrokerData(
            config=self._config,
            opened=opened,
            disk=self._disk,
            clock=self._clock,
            rng=self._rng,
            threads=self._threads,
            channel=partial(self._channel, opened, str(self._config.node_id)),
            broker_epoch=self._broker_epoch,
            is_session_over=self._is_session_over,
            directory_failed=watch.failed,
            replica_lost=self._replica_lost,
            connect=self._network.connect,
        )
        await nursery.start(self._data.run)

    def _dispatcher(self, services: Services) -> Dispatcher:
        return Dispatcher(
            services,
            self._requests,
            heartbeat=None if self._probe is None else self._probe.heartbeat,
            slices=self._slices,
            making_room=MakingRoom(_queued_request_bytes(self._config)),
            throttling=self._throttling,
        )

    def _voter_problem(self, opened: OpenedNode) -> str | None:
        key = ReplicaKey(id=self._config.node_id, directory_id=opened.metadata_directory_id)
        path = f"{self._config.metadata_log_dir}/{META_PROPERTIES_NAME}"
        quorum = opened.quorum
        return voter_problem(key, quorum.voters, path, follows=quorum.follows_leader)

    def _start_probe(self, nursery: trio.Nursery, quorum: QuorumDriver) -> None:
        if self._config.is_controller and self._config.broker_death_proof_enable:
            self._probe = BrokerProbe(
                published=quorum.published,
                report=quorum.broker_failed,
                heartbeat_interval_ms=self._config.broker_heartbeat_interval_ms,
                clock=self._clock,
                prober=Prober(self._network),
            )
            nursery.start_soon(self._probe.run)

    def _connection_ended(self, dispatcher: list[Dispatcher], connection: ConnectionInfo) -> None:
        dispatcher[0].connection_ended(connection)
        if self._probe is not None:
            self._probe.connection_ended(connection)

    def _start_metrics(
        self, nursery: trio.Nursery, quorum: QuorumDriver, listeners: Sequence[Listener]
    ) -> None:
        # Imported only here: the Prometheus library takes some 30 ms to import, a tenth of a node's start.
        from kafkaproto_server.node.observability.page import NodeMetrics

        config = self._config
        self._metrics = NodeMetrics(
            quorum=quorum,
            requests=self._requests,
            listeners=listeners,
            is_controller=config.is_controller,
            is_broker=config.is_broker,
            has_static_voters=bool(config.controller_quorum_voters),
            broker=lambda: None if self._running is None else self._running.broker,
            manager=lambda: None if self._data is None else self._data.manager,
            coordination=lambda: None if self._data is None else self._data.coordination(),
            throttling=self._throttling,
            clock=self._clock,
        )
        nursery.start_soon(self._metrics.run)

    def _connection_limits(self, admission: Admission) -> ConnectionLimits:
        config = self._config
        return ConnectionLimits(
            admission,
            InheritedConfigs(config.properties.values, config.node_id),
            config.max_connections_per_ip_overrides,
            [listener.config.name for listener in self._listeners],
            self._threads,
        )

    def _directory_watch(self, opened: OpenedNode) -> DirectoryWatch:
        config = self._config
        return DirectoryWatch(
            disk=self._disk,
            metadata_path=config.metadata_log_dir,
            metadata_directory_id=opened.metadata_directory_id,
            is_controller=config.is_controller,
            directories=opened.log_directories if config.is_broker else None,
            changed=self._directories_changed,
            threads=self._threads,
        )

    def _directories_changed(self) -> None:
        if self._data is not None:
            self._data.manager.directories_changed()
        # Before the broker exists, nothing was reported about the directories yet.
        if self._running is not None and self._running.broker is not None:
            self._running.broker.directories_changed()

    def _replica_lost(self, replica: PartitionId, is_lost: bool) -> None:
        running = self._running
        assert running is not None, "replicas are opened while the node runs"
        assert running.broker is not None, "replicas are opened by a broker"
        running.broker.replica_lost(replica, is_lost)

    def _listener(
        self,
        kind: ListenerKind,
        endpoint: Endpoint,
        dispatcher: list[Dispatcher],
        admission: Admission,
        memory: RequestMemory,
        unread: UnreadResponses,
    ) -> Listener:
        """A listener that serves through the dispatcher that is in ``dispatcher`` when it runs."""
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
            serve=lambda request, connection, respond: dispatcher[0].serve(request, connection, respond),
            metrics=self._requests,
            connection_ended=partial(self._connection_ended, dispatcher),
            admission=admission,
            frame_limit=partial(frame_limit, kind=kind),
            memory=memory,
            unread=unread,
            passes=self._passes,
            network=self._network,
        )

    def _channel(self, opened: OpenedNode, client_id: str) -> ControllerChannel:
        name = self._config.controller_listener_names[0]
        quorum = opened.quorum
        channel = ControllerChannel(
            client_id=client_id,
            locate=lambda: quorum.leader_endpoint(name),
            news=lambda: quorum.published.changed,
            rng=self._rng,
            connect=self._network.connect,
        )
        self._channels.append(channel)
        return channel

    def _services(self, nursery: trio.Nursery, opened: OpenedNode, watch: DirectoryWatch) -> Services:
        quorum = opened.quorum
        client_id = str(self._config.node_id)
        forwarder = Forwarder(
            nursery, self._channel(opened, client_id), creation_channel=self._channel(opened, client_id)
        )

        def submit(request: Message, context: RequestContext) -> Deferred[Response]:
            return quorum.submit(request, context.api_version, self._command_context(request, context))

        current, data = current_authorizer(self._config), self._data

        def authorizer() -> Authorizer | None:
            if current is None:
                return None
            # An image from an early part of the log may lack an ACL that was added since, or hold
            # one that was removed.
            if not quorum.published.is_current:
                return current.while_loading(quorum.peer_hosts())
            return current.at(quorum.published.image.acl_index)

        return Services(
            node=NodePort(
                id=self._config.node_id,
                cluster_id=opened.cluster_id,
                choose=self._rng.below,
                static_config=self._config.properties.values,
                logger_levels=logger_levels,
                set_logger_levels=set_logger_levels,
                log_directories=watch.statuses,
            ),
            metadata=metadata_port(lambda: quorum.published.image, authorizer),
            controller=ControllerPort(
                submit=submit,
                forward=forwarder.forward,
                served_versions=forwarder.controller_versions,
                auto_create_topics=self._config.auto_create_topics_enable,
                num_partitions=self._config.num_partitions,
                default_replication_factor=self._config.default_replication_factor,
                create_internal_topic=_no_topics if data is None else data.create_internal_topic,
                create_topics=forwarder.create_topics,
                create_streams_topics=StreamsTopics(forwarder, self._clock.now_ms).create,
            ),
            quorum=QuorumPort(
                leader=lambda: quorum.published.leader,
                kraft_version=lambda: quorum.kraft_version,
                describe=quorum.describe_quorum,
                answer=quorum.raft_request,
            ),
            replicas=ABSENT if data is None else data.port,
            groups=ABSENT if data is None else data.groups,
            transactions=ABSENT if data is None else data.transactions,
            share_state=ABSENT if data is None else data.share.coordinators,
            shares=ABSENT if data is None else data.share_partitions,
        )

    def _command_context(self, request: Message, context: RequestContext) -> CommandContext:
        # The response to a heartbeat has to arrive before the next one is due.
        limit_ms = timeout_ms(request)
        if context.api_key == ApiKey.BROKER_HEARTBEAT:
            limit_ms = self._config.broker_heartbeat_interval_ms // 2
        return CommandContext(
            listener_name=context.listener_name,
            principal=context.principal,
            client_host=context.client_host,
            client_id=context.client_id,
            deadline_ms=None if limit_ms is None else self._clock.now_ms() + max(0, limit_ms),
        )

    def _register_controller(
        self, nursery: trio.Nursery, opened: OpenedNode, endpoints: tuple[Endpoint, ...]
    ) -> None:
        config = self._config
        nursery.start_soon(
            partial(
                keep_registered,
                node_id=config.node_id,
                incarnation_id=self._rng.uuid(),
                endpoints=endpoints,
                features=supported_ranges(),
                channel=self._channel(opened, str(config.node_id)),
                published=opened.quorum.published,
            )
        )

    def _broker(self, opened: OpenedNode, endpoints: tuple[Endpoint, ...]) -> BrokerLifecycleManager | None:
        config = self._config
        if not config.is_broker:
            return None
        lifecycle = BrokerLifecycle(
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
            now_ms=self._clock.now_ms(),
        )
        assert self._data is not None, "a broker has replicas"
        return BrokerLifecycleManager(
            lifecycle,
            broker_id=config.node_id,
            replicas=LocalReplicas(
                directories=opened.log_directories,
                on_disk=self._data.on_disk,
                emptied=self._data.emptied,
                listener=self._data.manager,
            ),
            static_config=config.properties.values,
            channels=ControllerChannels(
                heartbeats=self._channel(opened, str(config.node_id)),
                assignments=self._channel(opened, str(config.node_id)),
            ),
            published=opened.quorum.published,
            heartbeat_interval_ms=config.broker_heartbeat_interval_ms,
            clock=self._clock,
        )

    def _broker_epoch(self) -> int | None:
        running = self._running
        return None if running is None or running.broker is None else running.broker.broker_epoch

    def _is_session_over(self) -> bool:
        running = self._running
        return running is not None and running.broker is not None and running.broker.is_session_over

    def _ready_line(self) -> str:
        running, config = self._running, self._config
        assert running is not None
        parts = [f"ready node.id={config.node_id}", f"roles={','.join(config.process_roles)}"]
        for listener in running.listeners:
            kind = listener.config.kind.value
            if not any(part.startswith(f"{kind}=") for part in parts):
                parts.append(f"{kind}={listener.config.host or '0.0.0.0'}:{listener.port}")
        return " ".join([*parts, f"cluster.id={running.opened.cluster_id}"])

    def _routes(self) -> Mapping[str, Route]:
        async def ready() -> HttpResponse:
            if self.is_ready:
                return HttpResponse(status=200, body="ready\n")
            return HttpResponse(status=503, body="not ready\n")

        async def live() -> HttpResponse:
            """The process responds as long as its loop runs. It counts as live while its quorum has a leader."""
            running = self._running
            if running is not None and running.opened.quorum.hears_leader:
                return HttpResponse(status=200, body="live\n")
            return HttpResponse(status=503, body="the quorum has no leader\n")

        async def metrics() -> HttpResponse:
            if self._metrics is None:
                return HttpResponse(status=503, body="the node is still starting\n")
            return await self._metrics.page()

        return {"/ready": ready, "/live": live, "/metrics": metrics}

    # -- stop --------------------------------------------------------------------------------------------------

    async def _stop_in_order(self) -> None:
        running = self._running
        if running is None:
            return
        if running.broker is not None:
            # While the quorum still has its leader, which may be this node: it moves the partitions
            # away.
            await running.broker.leave(CONTROLLED_SHUTDOWN_TIMEOUT_MS)
        # While the listeners are open, because the other nodes have to reach this one for that.
        await running.opened.quorum.hand_over()
        async with trio.open_nursery() as stopping:
            for listener in running.listeners:
                if listener.is_running:
                    stopping.start_soon(listener.stop, DRAIN_TIMEOUT_MS)
        if self._data is not None:
            await self._data.stop()
        # After the listeners: responses that wait for a commit can still be sent.
        await running.opened.quorum.stop()
        # Only after everything is closed, because the mark says that nothing was lost.
        epoch = running.broker.broker_epoch if running.broker is not None else None
        if epoch is not None:
            await self._threads.run(
                partial(
                    mark_clean_shutdown,
                    running.opened.log_directories,
                    disk=self._disk,
                    broker_epoch=epoch,
                    unread=() if self._data is None else self._data.manager.replicas.unread_directories,
                )
            )
        # Last, because another process may write to the directories from here on.
        running.opened.release()
        self._opened = None
        _log.info("stopped")


def current_authorizer(config: Config) -> CurrentAuthorizer | None:
    """The node's authorizer; None if it has none."""
    if not config.authorizer_class_name:
        return None
    authorizer_config = AuthorizerConfig(
        super_users=config.super_users,
        allow_everyone_if_no_acl_found=config.allow_everyone_if_no_acl_found,
    )
    return CurrentAuthorizer(authorizer_config)


def _no_topics(name: str) -> None:
    raise AssertionError(f"{name} is asked for by brokers only")


def _queued_request_bytes(config: Config) -> int:
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


def _with_ports(endpoints: tuple[Endpoint, ...], ports: Mapping[str, int]) -> tuple[Endpoint, ...]:
    """The endpoints to advertise: port 0 is replaced by the bound port, an empty host by this machine's name."""
    return tuple(
        msgspec.structs.replace(
            endpoint,
            port=endpoint.port or ports[endpoint.name],
            host=endpoint.host or socket.getfqdn(),
        )
        for endpoint in endpoints
    )
