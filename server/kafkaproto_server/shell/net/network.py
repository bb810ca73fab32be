"""What a node needs of a network: to listen, to connect, to look up names. Here it is TCP; the simulator has another.

Listeners, channels and probes take these functions from outside and know no sockets. A layer such as TLS goes on top of
the streams (`shell.net.streams`).
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Protocol

import msgspec
import trio

from kafkaproto_server.shell.net.limits import LISTEN_BACKLOG, SEND_BUFFER_BYTES, UNSENT_BYTES
from kafkaproto_server.shell.net.names import MAX_LOOKUPS, NameLookups
from kafkaproto_server.shell.net.passes import WaitTurn
from kafkaproto_server.shell.net.streams import ByteStream, OutboundStream, SocketBytes, connect_tcp

SocketAddress = tuple[Any, ...]
"""As `socket.getaddrinfo` returns it: host, port, and more for IPv6."""


class Incoming(Protocol):
    """A connection that was accepted."""

    @property
    def descriptor(self) -> int:
        """Its file descriptor."""

    def peer(self) -> tuple[str, int] | None:
        """Address and port of the peer; None if it has already disconnected."""

    def stream(self, wait_turn: WaitTurn) -> ByteStream:
        """Its bytes. ``wait_turn`` is awaited before each read."""

    def close(self) -> None:
        """Close at once."""


class ListeningSocket(Protocol):
    """One address that a listener listens on."""

    @property
    def port(self) -> int:
        """The bound port."""

    async def wait_readable(self) -> None:
        """Return once a connection waits to be accepted."""

    async def accept(self) -> Incoming:
        """The next connection. Raises OSError."""

    def close(self) -> None:
        """Stop listening."""


class Names(Protocol):
    """Looks up host names for one purpose, such that slow lookups delay nothing else."""

    async def tcp_addresses(self, host: str, port: int) -> list[tuple[Any, ...]]:
        """As `socket.getaddrinfo`, for a TCP port. Raises OSError, or ValueError for an invalid name."""


class Network(Protocol):
    """A node's way to other nodes and to clients."""

    def start(self) -> None:
        """Called once, within trio, before anything else."""

    async def listen(self, host: str, port: int, options: SocketOptions) -> Sequence[ListeningSocket]:
        """Listen on a host's addresses, or on all addresses of the machine if ``host`` is empty; with port 0, on one
        address at a free port. Raises OSError."""

    async def connect(self, host: str, port: int) -> OutboundStream:
        """See `shell.net.streams.Connect`."""

    def names(self, max_lookups: int) -> Names:
        """Lookups for another purpose than connecting."""

    async def touch(self, family: int, address: SocketAddress) -> None:
        """Connect to one address and close the connection. Raises OSError: ConnectionRefusedError if nothing listens
        there."""


class SocketOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the system is told of a listener and its connections."""

    backlog: int = LISTEN_BACKLOG
    send_buffer_bytes: int | None = SEND_BUFFER_BYTES
    """None if the system may choose, and change it."""
    receive_buffer_bytes: int | None = None
    """The same."""


class TcpIncoming:
    """A connection of a TCP socket. Implements `Incoming`."""

    def __init__(self, socket_stream: trio.SocketStream) -> None:
        self.socket_stream = socket_stream

    @property
    def descriptor(self) -> int:
        return self.socket_stream.socket.fileno()

    def peer(self) -> tuple[str, int] | None:
        try:
            host, port, *_ = self.socket_stream.socket.getpeername()
        except OSError:
            return None
        return host, port

    def stream(self, wait_turn: WaitTurn) -> ByteStream:
        # trio sets this to 16 KiB.
        with suppress(OSError):
            self.socket_stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT_BYTES)
        return SocketBytes(self.socket_stream, wait_turn)

    def close(self) -> None:
        self.socket_stream.socket.close()


class TcpListeningSocket:
    """A listening TCP socket. Implements `ListeningSocket`."""

    def __init__(self, listener: trio.SocketListener) -> None:
        self._listener = listener

    @property
    def port(self) -> int:
        port: int = self._listener.socket.getsockname()[1]
        return port

    async def wait_readable(self) -> None:
        await trio.lowlevel.wait_readable(self._listener.socket)

    async def accept(self) -> TcpIncoming:
        return TcpIncoming(await self._listener.accept())

    def close(self) -> None:
        self._listener.socket.close()


class TcpNetwork:
    """The machine's own network. Implements `Network`."""

    def start(self) -> None:
        # Connecting uses trio's resolver.
        NameLookups(MAX_LOOKUPS).install()

    async def listen(self, host: str, port: int, options: SocketOptions) -> Sequence[TcpListeningSocket]:
        sockets = await trio.open_tcp_listeners(port, host=host or None, backlog=options.backlog)
        for each in sockets:
            # Connections inherit them. The receive buffer's size has to be known before a connection is accepted.
            if options.send_buffer_bytes is not None:
                each.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, options.send_buffer_bytes)
            if options.receive_buffer_bytes is not None:
                each.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, options.receive_buffer_bytes)
        if port == 0:
            # Each address of a host would get another port.
            for extra in sockets[1:]:
                await extra.aclose()
            del sockets[1:]
        return [TcpListeningSocket(each) for each in sockets]

    async def connect(self, host: str, port: int) -> OutboundStream:
        return await connect_tcp(host, port)

    def names(self, max_lookups: int) -> NameLookups:
        return NameLookups(max_lookups)

    async def touch(self, family: int, address: SocketAddress) -> None:
        with trio.socket.socket(family, socket.SOCK_STREAM) as probe:
            await probe.connect(address)


TCP = TcpNetwork()
