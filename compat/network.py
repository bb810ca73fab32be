"""A network between nodes of either implementation that can be cut: nodes, links or one direction of a link go silent.

Before every node stands a relay, and the relay's address is all that the other nodes are told of it
(`advertised.listeners`, the voters, the bootstrap servers). What is cut is silent, as a network is that drops every
packet: nothing passes, no connection ends, nobody is told. When it is healed, what was under way arrives in order,
as TCP would send it again. While it is cut nothing is read, so what a relay holds is bounded, and a sender feels it.

A relay knows who calls by looking which node's process holds the other end of the connection, as Linux tells it. Who is
no node, a tool or the test itself, is never cut off.

Of one thing it differs: the caller's half of a new connection's handshake succeeds, and then the caller hears nothing.
"""

from __future__ import annotations

import os
import socket
import struct
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

import trio

CHUNK_BYTES = 64 * 1024
"""Read at once, and so the most that a relay holds in each direction of a connection."""
HOST = "127.0.0.1"
THREAD_TIMEOUT_S = 30.0
# Linux finds one socket by its two ends (sock_diag(7)). Its tables in /proc have all sockets of the machine; to read
# them took so long on a busy machine that a relay held up more than it was told to cut.
SOCK_DIAG = 4
SOCK_DIAG_BY_FAMILY = 20
NLM_F_REQUEST = 1
ALL_STATES = 0xFFFFFFFF
NO_COOKIE = (ALL_STATES, ALL_STATES)
ANSWER_BYTES = 4096
INODE_AT = 84
"""Behind the header of the answer, 16 bytes, the socket's id and its counters."""
# Closes with RST instead of FIN.
_RESET = struct.pack("ii", 1, 0)

FindPid = Callable[[], int | None]
"""The process id of a node, or None while it does not run."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class _End:
    """One of a connection's ends: a node, or a client where there is no id."""

    node_id: int | None
    socket: socket.socket


class Network:
    """Relays in a thread of their own; usable between entering and leaving the context."""

    def __init__(self) -> None:
        """Nothing runs yet."""
        self._pids: dict[int, FindPid] = {}
        # Everything below is touched by the thread alone.
        self._off: set[int] = set()
        self._cut: set[tuple[int, int]] = set()
        self._healed = trio.Event()
        self._nursery: trio.Nursery
        self._token: trio.lowlevel.TrioToken
        self._is_up = threading.Event()
        self._thread = threading.Thread(target=trio.run, args=(self._serve,), name="network", daemon=True)

    def __enter__(self) -> Network:
        self._thread.start()
        assert self._is_up.wait(THREAD_TIMEOUT_S)
        return self

    def __exit__(self, *reason: object) -> None:
        self._call(lambda: self._nursery.cancel_scope.cancel())
        self._thread.join(THREAD_TIMEOUT_S)
        assert not self._thread.is_alive()

    def add(self, node_id: int, port: int, find_pid: FindPid) -> str:
        """HOST:PORT of a new relay before the node that will listen on this port."""
        listener = socket.create_server((HOST, 0), backlog=128)
        listener.setblocking(False)
        self._pids[node_id] = find_pid
        self._call(lambda: self._nursery.start_soon(self._accept, listener, node_id, port))
        address: tuple[str, int] = listener.getsockname()
        return f"{HOST}:{address[1]}"

    def cut_off(self, node_id: int) -> None:
        """From now on nothing passes between this node and any other, in either direction."""
        self._call(lambda: self._off.add(node_id))

    def cut(self, one: int, other: int) -> None:
        """From now on nothing passes between these two nodes."""
        self._call(lambda: self._cut.update({(one, other), (other, one)}))

    def cut_one_way(self, sources: Collection[int], targets: Collection[int]) -> None:
        """From now on nothing passes from these nodes to those, whoever opened the connection."""
        self._call(lambda: self._cut.update(product(sources, targets)))

    def heal(self) -> None:
        """Ends every cut; what was held back goes on."""
        self._call(self._heal)

    def _call(self, act: Callable[[], T]) -> T:
        # In the thread nothing else happens meanwhile: when a cut returns, not a byte passes any more.
        return trio.from_thread.run_sync(act, trio_token=self._token)

    def _heal(self) -> None:
        self._off.clear()
        self._cut.clear()
        self._healed.set()
        self._healed = trio.Event()

    async def _serve(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        async with trio.open_nursery() as self._nursery:
            self._is_up.set()
            await trio.sleep_forever()

    async def _accept(self, listener: socket.socket, node_id: int, port: int) -> None:
        with listener:
            while True:
                await trio.lowlevel.wait_readable(listener)
                try:
                    accepted, (_, caller_port) = listener.accept()
                except OSError:
                    # Gone before it was accepted.
                    continue
                ports = (caller_port, listener.getsockname()[1])
                self._nursery.start_soon(self._relay, accepted, ports, node_id, port)

    async def _relay(self, accepted: socket.socket, ports: tuple[int, int], node_id: int, port: int) -> None:
        """One connection, from its beginning to its end."""
        with accepted, socket.socket() as onward:
            try:
                caller = await trio.to_thread.run_sync(self._find_caller, ports)
            except ConnectionError:
                return
            here, there = _End(node_id=caller, socket=accepted), _End(node_id=node_id, socket=onward)
            for end in (here, there):
                end.socket.setblocking(False)
                end.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                # A handshake needs both directions.
                while self._is_cut(here, there) or self._is_cut(there, here):
                    await self._healed.wait()
                await trio.socket.from_stdlib_socket(onward).connect((HOST, port))
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._pass_on, here, there)
                    nursery.start_soon(self._pass_on, there, here)
            except* OSError:
                # One end refused or reset; the other is told so.
                for end in (here, there):
                    end.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)

    async def _pass_on(self, source: _End, target: _End) -> None:
        """Everything in one direction up to its end. Raises OSError if an end resets and the other may know."""
        held = b""
        while True:
            if held:
                await trio.lowlevel.wait_writable(target.socket)
            else:
                await trio.lowlevel.wait_readable(source.socket)
            # No checkpoint where it is open: a cut comes before the next step or after it.
            await self._wait_until_open(source, target)
            if held:
                try:
                    held = held[target.socket.send(held) :]
                except OSError:
                    await self._wait_until_open(target, source)
                    raise
            elif not (held := source.socket.recv(CHUNK_BYTES)):
                target.socket.shutdown(socket.SHUT_WR)
                return

    def _is_cut(self, source: _End, target: _End) -> bool:
        if source.node_id is None or target.node_id is None or source.node_id == target.node_id:
            return False
        pair = (source.node_id, target.node_id)
        return pair in self._cut or not self._off.isdisjoint(pair)

    async def _wait_until_open(self, source: _End, target: _End) -> None:
        while self._is_cut(source, target):
            await self._healed.wait()

    def _find_caller(self, ports: tuple[int, int]) -> int | None:
        """Whose process holds the socket between these two ports; None for a client.

        Raises ConnectionError if it is closed already: whoever it was waits for nothing, and might be cut off.
        """
        inode = _find_inode(*ports)
        for node_id, find_pid in list(self._pids.items()):
            pid = find_pid()
            if pid is not None and _holds(pid, inode):
                return node_id
        return None


def _find_inode(local_port: int, remote_port: int) -> str:
    """The inode of a socket; raises ConnectionError once it is closed, for then it has none."""
    host = socket.inet_aton(HOST).ljust(16, b"\0")
    ends = struct.pack("!HH", local_port, remote_port) + host + host + struct.pack("=III", 0, *NO_COOKIE)
    body = struct.pack("=BBBBI", socket.AF_INET, socket.IPPROTO_TCP, 0, 0, ALL_STATES) + ends
    with socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, SOCK_DIAG) as asked:
        header = struct.pack("=IHHII", 16 + len(body), SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST, 1, 0)
        asked.send(header + body)
        answer = asked.recv(ANSWER_BYTES)
    (kind,) = struct.unpack_from("=H", answer, 4)
    inode = struct.unpack_from("=I", answer, INODE_AT)[0] if kind == SOCK_DIAG_BY_FAMILY else 0
    if not inode:
        raise ConnectionError(f"no socket between ports {local_port} and {remote_port}")
    return str(inode)


def _holds(pid: int, inode: str) -> bool:
    folder = f"/proc/{pid}/fd"
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return False
    for name in names:
        # Many are closed while this goes on.
        with suppress(FileNotFoundError):
            if os.readlink(f"{folder}/{name}") == f"socket:[{inode}]":
                return True
    return False
