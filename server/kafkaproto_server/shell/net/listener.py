"""Accepts connections: binds, runs one task per connection, stops gracefully.

This module makes no decision about Kafka's protocol: the ``serve`` function that is passed in handles requests.
`shell.net.admission` decides which connections are accepted, and which ones are closed to make room. The accept loop
survives a shortage of file descriptors or memory: it logs the shortage once, has a connection closed, waits, and
continues.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

import msgspec
import trio

from kafkaproto.connection import FrameLimit, ServedVersions, ServerConnection
from kafkaproto_server.base.metrics.requests import RequestMetrics
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.shell.net.admission import UNLIMITED, Admission, AdmissionLimits, Door, Place
from kafkaproto_server.shell.net.connections import ConnectionInfo, Serve
from kafkaproto_server.shell.net.limits import (
    ACCEPT_BACKOFF_MS,
    IDLE_TIMEOUT_MS,
    MAX_REQUEST_SIZE_BYTES,
)
from kafkaproto_server.shell.net.memory import RequestMemory, UnreadResponses
from kafkaproto_server.shell.net.network import TCP, Incoming, ListeningSocket, Network, SocketOptions
from kafkaproto_server.shell.net.passes import Passes, WaitTurn
from kafkaproto_server.shell.net.pump import Allowance, Pump
from kafkaproto_server.shell.net.streams import ByteStream
from kafkaproto_server.shell.storage.errors import is_shortage

_log = logging.getLogger("kafkaproto.server.net")

_log_shortage = logging.getLogger("kafkaproto.server.net.shortages")
"""A logger of its own, so that what the operator has to know is not lost among lines that peers cause."""

_USUAL = SocketOptions()

ConnectionEnded = Callable[[ConnectionInfo], None]

RunConnection = Callable[[Incoming, Place], Awaitable[None]]

MakeStream = Callable[[Incoming, WaitTurn], ByteStream]
"""Makes the stream of a connection that was accepted. A layer such as TLS lies between the connection and what it
returns."""


def plain_stream(incoming: Incoming, wait_turn: WaitTurn) -> ByteStream:
    return incoming.stream(wait_turn)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenerConfig:
    """Where one listener listens, and the limits for its peers."""

    name: str
    """Listener name, for example ``CONTROLLER``."""
    kind: ListenerKind
    host: str
    """Name or address to bind; empty for all addresses of the machine."""
    port: int
    """0 lets the system choose a free port."""
    max_connections: int = UNLIMITED
    """For this listener; see `shell.net.admission` for the node's limits."""
    max_creation_rate: int = UNLIMITED
    """Connections per second."""
    is_protected: bool = False
    """See `Admission.door`."""
    max_request_size_bytes: int = MAX_REQUEST_SIZE_BYTES
    idle_timeout_ms: int = IDLE_TIMEOUT_MS
    socket_options: SocketOptions = _USUAL


class SharedByListeners(msgspec.Struct, frozen=True, kw_only=True):
    """What a listener has in common with others of its node. By default it has its own."""

    admission: Admission = msgspec.field(default_factory=lambda: Admission(AdmissionLimits()))
    """Which connections are accepted: of all listeners of the node."""
    memory: RequestMemory = msgspec.field(default_factory=RequestMemory)
    """The memory of the requests of all listeners of the node."""
    unread: UnreadResponses = msgspec.field(default_factory=UnreadResponses)
    """The memory of the responses of all listeners of its kind."""
    passes: Passes = msgspec.field(default_factory=Passes)
    """The turns of all listeners of the node."""
    metrics: RequestMetrics = msgspec.field(default_factory=RequestMetrics)
    """Counts the requests of all listeners to which it is passed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenerStatistics:
    """A listener's counts at one moment."""

    accepted_connections: int
    """All since the start."""
    open_connections: int


class Listener:
    """One listener of a node: `run` it in a nursery, `stop` it to end gracefully."""

    def __init__(
        self,
        config: ListenerConfig,
        *,
        served_versions: ServedVersions,
        serve: Serve,
        shared: SharedByListeners | None = None,
        connection_ended: ConnectionEnded | None = None,
        frame_limit: FrameLimit | None = None,
        make_stream: MakeStream = plain_stream,
        network: Network = TCP,
    ) -> None:
        """``served_versions`` says which API versions are served here, ``serve`` handles each request. ``frame_limit``
        may limit the requests of an API further than the listener's ``max_request_size_bytes``.

        ``connection_ended`` is called for each served connection that has ended, whichever side ended it.
        ``make_stream`` makes the stream of each accepted connection.
        """
        self.config = config
        self._shared = shared or SharedByListeners()
        self._door = self._shared.admission.door(
            config.name,
            config.kind,
            max_connections=config.max_connections,
            creation_rate=config.max_creation_rate,
            is_protected=config.is_protected,
        )
        self._network = network
        self._sockets: Sequence[ListeningSocket] | None = None
        self._bound_port = config.port
        self._has_begun = False
        self._served_versions = served_versions
        self._serve = serve
        self._connection_ended = connection_ended
        self._frame_limit = frame_limit
        self._make_stream = make_stream
        self._pumps: dict[int, Pump] = {}
        self._accepted = 0
        self._accept_scope = trio.CancelScope()
        self._connections_scope = trio.CancelScope()
        self._has_ended = trio.Event()

    @property
    def port(self) -> int:
        """The bound port; the listener must be bound."""
        assert self._sockets is not None, "the listener is not bound"
        return self._bound_port

    @property
    def is_running(self) -> bool:
        """Whether `run` was called and has not ended."""
        return self._has_begun and not self._has_ended.is_set()

    def statistics(self) -> ListenerStatistics:
        return ListenerStatistics(accepted_connections=self._accepted, open_connections=len(self._pumps))

    async def bind(self) -> int:
        """Start to listen before `run` accepts connections; returns the bound port.

        A node has to know its ports before it can register them, and may serve only after it has registered.
        Connections that arrive meanwhile wait in the kernel's backlog. Raises OSError, which names listener and
        address.
        """
        self._sockets = await bind_listener(
            self.config.name, self.config.host, self.config.port, self._network, self.config.socket_options
        )
        self._bound_port = self._sockets[0].port
        return self._bound_port

    def close(self) -> None:
        """Stop listening if `bind` was called and `run` was not. A listener leaves nothing else open."""
        if not self._has_begun:
            for socket in self._sockets or ():
                socket.close()

    async def run(self, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED) -> None:
        """Listen and serve until `stop` is called or the task is cancelled; reports the bound port when it has started.

        Raises OSError, which names listener and address, if it cannot listen there. Exceptions from ``serve`` that no
        peer caused are raised as well, inside an exception group.
        """
        self._has_begun = True
        try:
            with self._connections_scope:
                if self._sockets is None:
                    await self.bind()
                sockets = self._sockets
                assert sockets is not None
                async with trio.open_nursery() as nursery:
                    with self._accept_scope:
                        task_status.started(sockets[0].port)
                        await Acceptor(self._door, sockets).run(nursery, self._run_connection)
                    # After the accept loop has ended, so that no connection is missed.
                    for pump in list(self._pumps.values()):
                        pump.drain()
        finally:
            self._has_ended.set()

    async def stop(self, drain_timeout_ms: int) -> None:
        """Accept nothing more, wait at most ``drain_timeout_ms`` for the requests in progress, and close.

        Returns once `run` has closed everything; it must be running.
        """
        # The deadline first: it holds even if a connection never ends by itself.
        self._connections_scope.deadline = trio.current_time() + drain_timeout_ms / 1000
        self._accept_scope.cancel()
        await self._has_ended.wait()

    async def _run_connection(self, incoming: Incoming, place: Place) -> None:
        peer = incoming.peer()
        if peer is None:
            incoming.close()
            return
        config, shared = self.config, self._shared
        self._accepted += 1
        connection_id = self._accepted
        info = ConnectionInfo(
            connection_id=connection_id,
            listener_name=config.name,
            listener_kind=config.kind,
            peer_host=peer[0],
            peer_port=peer[1],
        )
        wait_turn = partial(shared.passes.wait_turn, info.peer_host)
        pump = Pump(
            stream=self._make_stream(incoming, wait_turn),
            connection=ServerConnection(
                self._served_versions,
                max_request_size=config.max_request_size_bytes,
                frame_limit=self._frame_limit,
            ),
            info=info,
            serve=self._serve,
            metrics=shared.metrics,
            allowance=Allowance(
                idle_timeout_ms=config.idle_timeout_ms,
                memory=shared.memory,
                unread=shared.unread,
                wait_turn=wait_turn,
            ),
            made_request=place.made_request,
        )
        place.occupy(pump)
        # No checkpoint came before this: when the accept loop has ended, every accepted connection is registered here.
        self._pumps[connection_id] = pump
        try:
            await pump.run()
        finally:
            del self._pumps[connection_id]
            # Behind the end of the pump: from here on no response can reach the peer any more.
            if self._connection_ended is not None:
                self._connection_ended(info)


async def bind_listener(
    name: str, host: str, port: int, network: Network = TCP, options: SocketOptions = _USUAL
) -> Sequence[ListeningSocket]:
    """See `Network.listen`. Raises OSError, which names listener and address."""
    try:
        return await network.listen(host, port, options)
    except OSError as error:
        raise OSError(error.errno, f"listener {name} cannot listen on {host}:{port}: {error}") from error


class Acceptor:
    """The accept loop of one listener, over one or several sockets."""

    def __init__(self, door: Door, sockets: Sequence[ListeningSocket]) -> None:
        self._door = door
        self._sockets = sockets
        self._said_full = False

    async def run(self, nursery: trio.Nursery, run_connection: RunConnection) -> None:
        """Accept until cancelled, then close the sockets. Each connection runs as a task of ``nursery``.

        Connections without room wait in the kernel's backlog.
        """
        try:
            async with trio.open_nursery() as accepting:
                for socket in self._sockets:
                    accepting.start_soon(self._accept_from, socket, nursery, run_connection)
        finally:
            for socket in self._sockets:
                socket.close()

    async def _accept_from(
        self, socket: ListeningSocket, nursery: trio.Nursery, run_connection: RunConnection
    ) -> None:
        while True:
            # Wait for a connection before making room, so that none is closed for a connection that does not come.
            await socket.wait_readable()
            self._say_if_full()
            await self._door.wait_for_room()
            incoming = await self._accept_one(socket)
            peer = incoming.peer()
            # A port scan connects and leaves at once. That is no line in the log.
            place = "it hung up" if peer is None else self._door.enter(peer[0], incoming.descriptor)
            if isinstance(place, Place):
                nursery.start_soon(self._run_and_leave, run_connection, incoming, place)
                continue
            if peer is not None:
                _log.info("refused a connection of %s to listener %s: %s", peer[0], self._door.name, place)
            incoming.close()

    async def _run_and_leave(self, run_connection: RunConnection, incoming: Incoming, place: Place) -> None:
        try:
            await run_connection(incoming, place)
        finally:
            place.leave()

    def _say_if_full(self) -> None:
        is_full = self._door.is_full
        if is_full and not self._said_full:
            _log_shortage.warning(
                "listener %s has reached its limit of %d connections: idle ones are closed, new ones wait",
                self._door.name,
                self._door.count,
            )
        # Log this again only after there was room: at the limit, every close lets another connection in.
        self._said_full = is_full

    async def _accept_one(self, socket: ListeningSocket) -> Incoming:
        said_short = False
        while True:
            try:
                return await socket.accept()
            except OSError as error:
                if not is_shortage(error):
                    raise
                if not said_short:
                    _log_shortage.warning(
                        "listener %s cannot accept connections: %s; it keeps trying", self._door.name, error
                    )
                said_short = True
                # To wait alone would not help: an idle peer may keep its descriptor for ten
                # minutes.
                self._door.relieve()
            await trio.sleep(ACCEPT_BACKOFF_MS / 1000)
