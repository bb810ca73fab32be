"""A network in memory: hosts, listening sockets, and streams whose bytes arrive late, in pieces, or not at all.

A stream keeps the order of its bytes, as TCP does; two streams do not wait for each other. What a cut link holds back
arrives when the link is whole again. A process that ends has its connections reset at once. A machine that loses power
says nothing; when it is back, it resets connections that it does not know.
"""

from __future__ import annotations

import errno
import itertools
import os
import random
import socket
import zlib
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import trio

from kafkaproto_server.base.file_part import Sendable, as_buffers
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.shell.net.network import SocketAddress, SocketOptions
from kafkaproto_server.shell.net.passes import WaitTurn, at_once
from tests.sim.nodes.timeline import Timeline

CAPACITY_BYTES = 128 * 1024
"""What a direction holds of bytes that nobody has read."""
SMALL_CAPACITY_BYTES = 700
"""That of some, so that ordinary messages are written in several pieces."""
BACKLOG = 64
LONGEST_DELAY_S = 2.0
SYN_RETRY_S = 1.0
CONNECT_GIVE_UP_S = 60.0
LOOKUP_S = 0.002
BLACK_HOLE = "black-hole-"
"""Names that begin so are never answered for."""
_FIRST_CLIENT_PORT = 40_000

_FIN, _RESET = "fin", "reset"


class SimStream:
    """One end of a connection."""

    def __init__(self, host: NetHost, peer_address: tuple[str, int], descriptor: int, name: str) -> None:
        self._host = host
        self._name = name
        self.peer_address = peer_address
        self.descriptor = descriptor
        self.inbox = bytearray()
        self.has_ended = False
        """The other end has ended its stream."""
        self.is_broken = False
        self.is_closed = False
        self.sending: _Direction
        self.wait_turn: WaitTurn = at_once
        self._readers = trio.lowlevel.ParkingLot()
        self._writers = trio.lowlevel.ParkingLot()

    @property
    def remote_host(self) -> str:
        return self.peer_address[0]

    def send_now(self, data: Sendable) -> int:
        if self.is_closed or self.is_broken:
            raise trio.BrokenResourceError(f"{self._name} is broken")
        (buffer,) = as_buffers([data])
        return self.sending.take(buffer)

    async def send_some(self, data: Sendable) -> int:
        while True:
            if self.is_closed:
                raise trio.ClosedResourceError("this stream was closed")
            if self.is_broken or self.sending.room:
                await trio.lowlevel.checkpoint()
            else:
                await self._writers.park()
            if self.is_closed:
                raise trio.ClosedResourceError("this stream was closed")
            if sent := self.send_now(data):
                return sent

    async def send_all(self, data: Buffer) -> None:
        view = memoryview(data)
        sent = self.send_now(view)
        while sent < len(view):
            sent += await self.send_some(view[sent:])

    async def wait_readable(self) -> None:
        if self.is_closed:
            raise trio.ClosedResourceError("this stream was closed")
        if self.has_input():
            await trio.lowlevel.checkpoint()
        else:
            await self._readers.park()
        if self.is_closed:
            raise trio.ClosedResourceError("this stream was closed")
        await self.wait_turn()

    def receive_now(self, max_bytes: int) -> bytes | None:
        if self.is_closed or self.is_broken:
            raise trio.BrokenResourceError(f"{self._name} is broken")
        if self.inbox:
            data = bytes(self.inbox[:max_bytes])
            del self.inbox[:max_bytes]
            self.receiving.was_read(len(data))
            return data
        return b"" if self.has_ended else None

    async def receive_some(self, max_bytes: int) -> bytes:
        while True:
            await self.wait_readable()
            data = self.receive_now(max_bytes)
            if data is not None:
                return data

    def has_input(self) -> bool:
        return bool(self.inbox) or self.has_ended or self.is_broken

    def ends_within(self, size_bytes: int) -> bool:
        return self.is_broken or (self.has_ended and len(self.inbox) < size_bytes)

    def close(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            self._host.gone(self)
            # Unread bytes make a close a reset, as the kernel does it.
            self.sending.mark(_RESET if self.inbox else _FIN)
            self._wake()

    # -- from the network ------------------------------------------------------------------------------------

    receiving: _Direction

    def arrived(self, piece: bytes | str) -> None:
        """Bytes, or the end, have arrived."""
        if self.is_closed:
            # Nobody is there any more, and the kernel says so.
            if piece not in (_FIN, _RESET):
                self.sending.mark(_RESET)
            return
        if piece == _RESET:
            self.is_broken = True
        elif piece == _FIN:
            self.has_ended = True
        else:
            assert isinstance(piece, bytes)
            self.inbox += piece
        self._wake()

    def vanish(self, sign: str | None) -> None:
        """Its process has ended (with a sign for the other end), or its machine lost power (without)."""
        if not self.is_closed:
            self.is_closed = True
            if sign is not None:
                self.sending.mark(sign)

    def break_now(self) -> None:
        """The connection is reset from outside."""
        self.is_broken = True
        self._wake()

    def room_again(self) -> None:
        """The other end has read."""
        self._writers.unpark_all()

    def _wake(self) -> None:
        self._readers.unpark_all()
        self._writers.unpark_all()


class _Direction:
    """One direction of a connection."""

    def __init__(
        self, net: Net, sender: SimStream, receiver: SimStream, ends: tuple[NetHost, NetHost]
    ) -> None:
        self._net = net
        self._sender = sender
        self._receiver = receiver
        self.ends = ends
        self._capacity = SMALL_CAPACITY_BYTES if net.is_narrow() else CAPACITY_BYTES
        self._unread = 0
        self._last_arrival = 0.0
        self._held: deque[bytes | str] = deque()
        self._is_sealed = False

    @property
    def room(self) -> int:
        return self._capacity - self._unread

    def take(self, data: Buffer) -> int:
        size = min(self.room, len(data))
        view = memoryview(data)[:size]
        self._unread += size
        start = 0
        while start < size:
            end = size if self._net.rng.random() < 0.8 else self._net.rng.randint(start + 1, size)
            self._carry(bytes(view[start:end]))
            start = end
        return size

    def mark(self, sign: str) -> None:
        if not self._is_sealed:
            self._is_sealed = sign == _RESET
            self._carry(sign)

    def _carry(self, piece: bytes | str) -> None:
        now = trio.current_time()
        self._last_arrival = max(self._last_arrival, now + self._net.delay_s(*self.ends))
        self._net.timeline.after(self._last_arrival - now, partial(self._arrive, piece))

    def _arrive(self, piece: bytes | str) -> None:
        source, target = self.ends
        if self._held or self._net.is_cut(source, target):
            if not self._held:
                self._net.held.append(self)
            self._held.append(piece)
            return
        self._give(piece)

    def _give(self, piece: bytes | str) -> None:
        source, target = self.ends
        if not target.is_powered:
            return
        shown = piece if isinstance(piece, str) else f"{len(piece)} {zlib.crc32(piece):08x}"
        self._net.timeline.trace.add(f"{self._receiver._name} {shown}")
        if self._receiver.is_closed and isinstance(piece, bytes):
            # A machine that is back, or a process that has closed, knows nothing of this connection.
            self._net.timeline.after(self._net.delay_s(target, source), self._sender.break_now)
            return
        self._net.delivered_bytes += 0 if isinstance(piece, str) else len(piece)
        self._receiver.arrived(piece)

    def release(self) -> None:
        """The link is whole again."""
        held, self._held = self._held, deque()
        for piece in held:
            self._give(piece)

    def was_read(self, size: int) -> None:
        was_full = not self.room
        self._unread -= size
        if was_full:
            self._net.timeline.after(self._net.delay_s(*reversed(self.ends)), self._sender.room_again)


class SimIncoming:
    """See `shell.net.network.Incoming`."""

    def __init__(self, stream: SimStream) -> None:
        self._stream = stream

    @property
    def descriptor(self) -> int:
        return self._stream.descriptor

    def peer(self) -> tuple[str, int] | None:
        return None if self._stream.is_broken else self._stream.peer_address

    def stream(self, wait_turn: WaitTurn) -> SimStream:
        self._stream.wait_turn = wait_turn
        return self._stream

    def close(self) -> None:
        self._stream.close()


class SimListening:
    """See `shell.net.network.ListeningSocket`."""

    def __init__(self, host: NetHost, port: int) -> None:
        self._host = host
        self.port = port
        self._waiting: deque[SimStream] = deque()
        self._acceptors = trio.lowlevel.ParkingLot()

    @property
    def is_full(self) -> bool:
        return len(self._waiting) >= BACKLOG

    def offer(self, stream: SimStream) -> None:
        self._waiting.append(stream)
        self._acceptors.unpark_all()

    async def wait_readable(self) -> None:
        if self._waiting:
            await trio.lowlevel.checkpoint()
        while not self._waiting:
            await self._acceptors.park()

    async def accept(self) -> SimIncoming:
        await self.wait_readable()
        descriptor = self._host.descriptor()
        stream = self._waiting.popleft()
        stream.descriptor = descriptor
        self._host.has(stream)
        return SimIncoming(stream)

    def close(self) -> None:
        self._host.listening.pop(self.port, None)
        self.abandon()

    def abandon(self) -> None:
        """Nobody will accept what waits."""
        for stream in self._waiting:
            stream.vanish(_RESET)
        self._waiting.clear()


class NetHost:
    """One machine on the network, and what its process has open. It is a `shell.net.network.Network` for that
    process."""

    def __init__(self, net: Net, name: str, address: str) -> None:
        self.net = net
        self.name = name
        self.address = address
        self.is_powered = True
        self.descriptor_limit = 10_000
        self.listening: dict[int, SimListening] = {}
        self.streams: dict[SimStream, None] = {}
        self._next_port = _FIRST_CLIENT_PORT
        self._descriptors: set[int] = set()
        self.other_descriptors: Callable[[], int] = lambda: 0
        """How many its process uses for other things."""

    # -- `Network` ---------------------------------------------------------------------------------------------

    def start(self) -> None:
        pass

    async def listen(self, host: str, port: int, options: SocketOptions) -> Sequence[SimListening]:
        await trio.lowlevel.checkpoint()
        assert host in ("", self.address, self.name), f"{self.name} is not {host}"
        assert port, "ports are fixed here"
        if port in self.listening:
            raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))
        self.listening[port] = SimListening(self, port)
        return [self.listening[port]]

    async def connect(self, host: str, port: int) -> SimStream:
        ((_, _, _, _, address),) = await self.names(1).tcp_addresses(host, port)
        return await self._connect(address[0], port)

    def names(self, max_lookups: int) -> SimNames:
        return SimNames(self.net)

    async def touch(self, family: int, address: SocketAddress) -> None:
        (await self._connect(address[0], address[1])).close()

    async def _connect(self, address: str, port: int) -> SimStream:
        net, target = self.net, self.net.by_address.get(address)
        descriptor = self.descriptor()
        stream: SimStream | None = None
        try:
            with trio.fail_after(CONNECT_GIVE_UP_S):
                while True:
                    await trio.sleep(net.delay_s(self, target or self))
                    if target is None or not target.is_powered or net.is_cut(self, target):
                        await trio.sleep(SYN_RETRY_S)
                        continue
                    listening = target.listening.get(port)
                    if listening is not None and listening.is_full:
                        await trio.sleep(SYN_RETRY_S)
                        continue
                    break
                if listening is not None:
                    stream = net.pair(self, target, port, descriptor, listening)
                await trio.sleep(net.delay_s(target, self))
        except trio.TooSlowError:
            self.free(descriptor)
            raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT)) from None
        except BaseException:
            if stream is not None:
                stream.close()
            self.free(descriptor)
            raise
        if stream is None:
            self.free(descriptor)
            raise ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED))
        self.has(stream)
        return stream

    # -- what the process has open -------------------------------------------------------------------------------

    def descriptor(self) -> int:
        """The lowest free one. Raises OSError."""
        if self.is_short:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        # Files have the lowest numbers here: they are opened first, and closed last.
        first = 3 + self.other_descriptors()
        number = next(number for number in itertools.count(first) if number not in self._descriptors)
        self._descriptors.add(number)
        return number

    @property
    def is_short(self) -> bool:
        """Whether its process has no descriptors left."""
        return 3 + len(self._descriptors) + self.other_descriptors() >= self.descriptor_limit

    def free(self, descriptor: int) -> None:
        self._descriptors.discard(descriptor)

    def has(self, stream: SimStream) -> None:
        self.streams[stream] = None

    def gone(self, stream: SimStream) -> None:
        if self.streams.pop(stream, 0) is None:
            self.free(stream.descriptor)

    def next_port(self) -> int:
        self._next_port += 1
        return self._next_port

    def process_ended(self, sign: str | None = _RESET) -> None:
        """Everything that the process had open is closed: with a sign to the other ends, or in silence."""
        for listening in list(self.listening.values()):
            listening.abandon()
        self.listening.clear()
        for stream in list(self.streams):
            stream.vanish(sign)
        self.streams.clear()
        self._descriptors.clear()

    def lose_power(self) -> None:
        """The machine is off."""
        self.process_ended(None)
        self.is_powered = False


class SimNames:
    """See `shell.net.network.Names`."""

    def __init__(self, net: Net) -> None:
        self._net = net

    async def tcp_addresses(self, host: str, port: int) -> list[tuple[Any, ...]]:
        address = host
        if not host[:1].isdigit():
            await trio.sleep(LOOKUP_S * self._net.rng.random())
            while self._net.is_silent(host):
                await trio.sleep(1)
            named = self._net.by_name.get(host)
            if named is None:
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            address = named.address
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]


class Net:
    """The network."""

    def __init__(self, rng: random.Random, timeline: Timeline, *, delay_ms: tuple[float, float]) -> None:
        self.rng = rng
        self.timeline = timeline
        self._delay_ms = delay_ms
        self.by_name: dict[str, NetHost] = {}
        self.by_address: dict[str, NetHost] = {}
        self.silent_names: dict[str, None] = {}
        """Names that nobody answers for."""
        self.held: list[_Direction] = []
        self.connections = 0
        self.narrow_share = 0.0
        """The part of the connections that hold little."""
        self.delivered_bytes = 0
        self._cut: dict[tuple[str, str], None] = {}
        self._slow: dict[str, float] = {}

    def host(self, name: str) -> NetHost:
        """A new machine."""
        number = len(self.by_name) + 1
        host = NetHost(self, name, f"10.0.0.{number}")
        self.by_name[name] = self.by_address[host.address] = host
        return host

    def delay_s(self, source: NetHost, target: NetHost) -> float:
        """How long a piece is under way."""
        if source is target:
            return 0.00005
        low, high = self._delay_ms
        # Seldom very long: pieces of one connection wait for it, those of others do not.
        longest = high * 20 if self.rng.random() < 0.01 else high
        slow = max(self._slow.get(source.name, 1.0), self._slow.get(target.name, 1.0))
        return min(self.rng.uniform(low, longest) * slow / 1000, LONGEST_DELAY_S)

    def is_narrow(self) -> bool:
        """Whether a new direction holds little."""
        return self.rng.random() < self.narrow_share

    def pair(
        self, client: NetHost, server: NetHost, port: int, descriptor: int, listening: SimListening
    ) -> SimStream:
        """Both ends of a new connection; the server's waits to be accepted."""
        self.connections += 1
        number = self.connections
        client_port = client.next_port()
        mine = SimStream(client, (server.address, port), descriptor, f"c{number}>{client.name}")
        theirs = SimStream(server, (client.address, client_port), -1, f"c{number}>{server.name}")
        mine.sending = theirs.receiving = _Direction(self, mine, theirs, (client, server))
        theirs.sending = mine.receiving = _Direction(self, theirs, mine, (server, client))
        listening.offer(theirs)
        self.timeline.trace.add(f"c{number} {client.name} to {server.name}:{port}")
        return mine

    # -- faults ------------------------------------------------------------------------------------------------

    def is_silent(self, name: str) -> bool:
        """Whether nobody answers for a name."""
        return name in self.silent_names or name.startswith(BLACK_HOLE)

    def is_cut(self, source: NetHost, target: NetHost) -> bool:
        return (source.name, target.name) in self._cut

    def cut(self, source: NetHost, target: NetHost) -> None:
        """Nothing passes in this direction."""
        self._cut[source.name, target.name] = None

    def join(self, source: NetHost, target: NetHost) -> None:
        """It passes again, and what was held back arrives."""
        self._cut.pop((source.name, target.name), None)
        self._release()

    def join_all(self) -> None:
        self._cut.clear()
        self._slow.clear()
        self.silent_names.clear()
        self._release()

    def slow_down(self, host: NetHost, factor: float) -> None:
        self._slow[host.name] = factor

    def _release(self) -> None:
        held, self.held = self.held, []
        for direction in held:
            if self.is_cut(*direction.ends):
                self.held.append(direction)
            else:
                direction.release()

    def reset_some(self, host: NetHost) -> bool:
        """Reset one of the host's connections, at both ends."""
        if not host.streams:
            return False
        stream = self.rng.choice(list(host.streams))
        stream.break_now()
        stream.sending.mark(_RESET)
        return True
