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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import trio

from kafkaproto_server.base.metrics.requests import RequestMetrics
from kafkaproto_server.base.ports import Clock, Disk, Rng
from kafkaproto_server.base.types import Endpoint, ListenerKind
from kafkaproto_server.config.node_config import Config
from kafkaproto_server.core.controller.values.topic_configs import InheritedConfigs
from kafkaproto_server.core.quotas.connection_rates import ConnectionRates
from kafkaproto_server.core.quotas.rate import RateWindows
from kafkaproto_server.node.broker import NodeBroker
from kafkaproto_server.node.channels import NodeChannels
from kafkaproto_server.node.controller import keep_controller_registered, start_probe, watch_voter
from kafkaproto_server.node.descriptors import admission_limits
from kafkaproto_server.node.listeners import NodeListeners, queued_request_bytes
from kafkaproto_server.node.machine import NodeMachine
from kafkaproto_server.node.services import services_of
from kafkaproto_server.node.startup import OpenedNode, mark_clean_shutdown, open_node
from kafkaproto_server.shell.broker.directory_watch import DirectoryWatch
from kafkaproto_server.shell.net.admission import Admission
from kafkaproto_server.shell.net.http import HttpResponse, Route, serve_http
from kafkaproto_server.shell.net.network import TCP, Network
from kafkaproto_server.shell.net.passes import Passes
from kafkaproto_server.shell.process.memory import use_one_arena
from kafkaproto_server.shell.process.threads import SYSTEM_THREADS, Threads
from kafkaproto_server.shell.quorum.broker_probe import BrokerProbe
from kafkaproto_server.shell.quorum.driver import QuorumDriver
from kafkaproto_server.shell.serving.connection_limits import ConnectionLimits
from kafkaproto_server.shell.serving.dispatch import Dispatcher
from kafkaproto_server.shell.serving.making_room import MakingRoom
from kafkaproto_server.shell.serving.slices import Slices
from kafkaproto_server.shell.serving.throttling import Throttling
from kafkaproto_server.shell.to_controller.forwarding import Forwarder

if TYPE_CHECKING:
    from kafkaproto_server.node.observability.page import NodeMetrics

_log = logging.getLogger("kafkaproto.server.node")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Running:
    """The parts of a started node."""

    opened: OpenedNode
    listeners: NodeListeners
    broker: NodeBroker | None


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
        self._machine = NodeMachine(disk=disk, clock=clock, rng=rng, network=network, threads=threads)
        self._config = config
        self._format_if_new = format_if_new
        self._stop_asked = trio.Event()
        self._running: _Running | None = None
        self._opened: OpenedNode | None = None
        """Until it is closed in order."""
        self._channels: NodeChannels | None = None
        self._listeners: NodeListeners | None = None
        self._requests = RequestMetrics()
        self._passes = Passes()
        self._slices = Slices(self._passes)
        windows = RateWindows(config.quota_window_num, config.quota_window_size_seconds * 1000)
        self._connection_rates = ConnectionRates(windows)
        self._throttling = Throttling(windows, clock.now_ms, self._connection_rates)
        self._metrics: NodeMetrics | None = None
        self._broker: NodeBroker | None = None
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
            if self._channels is not None:
                self._channels.close()
            if self._listeners is not None:
                self._listeners.close()
            if self._opened is not None:
                # It did not come to an orderly stop, and the process may live on.
                self._opened.abandon()

    async def _cancel_when_stopped(self, scope: trio.CancelScope) -> None:
        await self._stop_asked.wait()
        scope.cancel()

    # -- start -------------------------------------------------------------------------------------------------

    async def _start(self, nursery: trio.Nursery) -> None:
        config = self._config
        self._machine.network.start()
        if config.http_listener is not None:
            address = config.http_listener
            # First of all, so that probes get a response while a long log is being recovered.
            await nursery.start(partial(serve_http, address.host, address.port, self._routes()))
        admission = Admission(
            await self._machine.threads.run(admission_limits, config), self._connection_rates
        )
        listeners = self._listeners = NodeListeners(
            config,
            admission=admission,
            metrics=self._requests,
            passes=self._passes,
            network=self._machine.network,
        )
        # Before the directories are opened: a port that is taken should leave them untouched.
        await listeners.bind()
        controller_endpoints = listeners.with_ports(config.advertised_controller_listeners)
        self._opened = opened = await self._open(controller_endpoints)
        quorum = opened.quorum
        watch = self._directory_watch(opened)
        # Before the quorum writes: a node whose metadata directory fails the check must not vote.
        await nursery.start(watch.run)
        await nursery.start(quorum.run)
        if config.is_controller:
            nursery.start_soon(watch_voter, config, opened)
        if config.http_listener is not None:
            self._start_metrics(nursery, quorum, listeners)
        self._probe = start_probe(nursery, config, quorum, self._machine)
        channels = self._channels = NodeChannels(config, quorum, self._machine)
        if config.is_broker:
            self._throttling.also = self._connection_limits(admission, listeners).use
            self._broker = NodeBroker(config, opened, self._machine, channels, watch.failed)
            await nursery.start(self._broker.data.run)
        dispatcher = self._dispatcher(nursery, opened, channels, watch)
        await nursery.start(self._passes.run)
        await nursery.start(self._slices.run)
        await nursery.start(self._throttling.run, quorum.published)
        listeners.serve_by(dispatcher, self._probe)
        # Before the broker registers, because the active controller may be this node.
        await listeners.start(nursery, ListenerKind.CONTROLLER)
        broker = self._broker
        if broker is not None:
            broker.prepare(listeners.with_ports(config.advertised_broker_listeners))
        self._running = _Running(opened=opened, listeners=listeners, broker=broker)
        if config.is_controller:
            nursery.start_soon(
                keep_controller_registered,
                config,
                self._machine.rng.uuid(),
                controller_endpoints,
                channels.new(),
                quorum.published,
            )
        # Its listeners serve only once it is unfenced: clients would get metadata that is not current.
        if broker is not None:
            await broker.register(nursery)
            await listeners.start(nursery, ListenerKind.BROKER)
        await quorum.wait_until_follows_leader()

    async def _open(self, controller_endpoints: tuple[Endpoint, ...]) -> OpenedNode:
        machine = self._machine
        return await machine.threads.run(
            partial(
                open_node,
                self._config,
                controller_endpoints=controller_endpoints,
                format_if_new=self._format_if_new,
                disk=machine.disk,
                clock=machine.clock,
                rng=machine.rng,
                threads=machine.threads,
                connect=machine.network.connect,
            )
        )

    def _dispatcher(
        self, nursery: trio.Nursery, opened: OpenedNode, channels: NodeChannels, watch: DirectoryWatch
    ) -> Dispatcher:
        services = services_of(
            self._config,
            opened,
            self._machine,
            forwarder=Forwarder(nursery, channels.new(), creation_channel=channels.new()),
            log_directories=watch.statuses,
            data=None if self._broker is None else self._broker.data,
        )
        return Dispatcher(
            services,
            self._requests,
            heartbeat=None if self._probe is None else self._probe.heartbeat,
            slices=self._slices,
            making_room=MakingRoom(queued_request_bytes(self._config)),
            throttling=self._throttling,
        )

    def _start_metrics(self, nursery: trio.Nursery, quorum: QuorumDriver, listeners: NodeListeners) -> None:
        # Imported only here: the Prometheus library takes some 30 ms to import, a tenth of a node's start.
        from kafkaproto_server.node.observability.page import NodeMetrics

        self._metrics = NodeMetrics(
            self._config,
            quorum=quorum,
            requests=self._requests,
            listeners=tuple(listeners),
            broker=lambda: None if self._broker is None else self._broker.observed(),
            throttling=self._throttling,
            clock=self._machine.clock,
        )
        nursery.start_soon(self._metrics.run)

    def _connection_limits(self, admission: Admission, listeners: NodeListeners) -> ConnectionLimits:
        config = self._config
        return ConnectionLimits(
            admission,
            InheritedConfigs(config.properties.values, config.node_id),
            config.max_connections_per_ip_overrides,
            [listener.config.name for listener in listeners],
            self._machine.threads,
        )

    def _directory_watch(self, opened: OpenedNode) -> DirectoryWatch:
        config = self._config
        return DirectoryWatch(
            disk=self._machine.disk,
            metadata_path=config.metadata_log_dir,
            metadata_directory_id=opened.metadata_directory_id,
            is_controller=config.is_controller,
            directories=opened.log_directories if config.is_broker else None,
            changed=self._directories_changed,
            threads=self._machine.threads,
        )

    def _directories_changed(self) -> None:
        if self._broker is not None:
            self._broker.directories_changed()

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
            # While the quorum still has its leader, which may be this node: it moves the partitions away.
            await running.broker.leave()
        # While the listeners are open, because the other nodes have to reach this one for that.
        await running.opened.quorum.hand_over()
        await running.listeners.stop()
        if running.broker is not None:
            await running.broker.data.stop()
        # After the listeners: responses that wait for a commit can still be sent.
        await running.opened.quorum.stop()
        # Only after everything is closed, because the mark says that nothing was lost.
        if running.broker is not None and running.broker.broker_epoch is not None:
            await self._machine.threads.run(
                partial(
                    mark_clean_shutdown,
                    running.opened.log_directories,
                    disk=self._machine.disk,
                    broker_epoch=running.broker.broker_epoch,
                    unread=running.broker.manager.replicas.clean_stop.unread_directories,
                )
            )
        # Last, because another process may write to the directories from here on.
        running.opened.release()
        self._opened = None
        _log.info("stopped")
