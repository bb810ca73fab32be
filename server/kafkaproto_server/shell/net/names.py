"""Looks up host names without delaying anything else.

The system's resolver blocks, for tens of seconds if its servers are silent. trio calls it in the threads that all
blocking work shares, so a few dozen names that cannot be resolved would delay the checks of the disk. Here lookups have
a few threads of their own, and a name is never looked up twice at the same time: a task that asks for a name that is
being looked up waits for the same result. Every caller can stop waiting at any time. If nobody waits for a lookup any
more, it is not started; if it has started, it ends in its thread, which does not keep the process from ending.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import trio

MAX_LOOKUPS = 8
"""Simultaneous lookups for connections to other nodes. A quorum has fewer names."""

_Addresses = list[tuple[Any, ...]]
_Key = tuple[Any, ...]

GetAddresses = Callable[..., _Addresses]
"""`socket.getaddrinfo`, or a replacement."""


class _Lookup:
    def __init__(self) -> None:
        self.waiting = 0
        """The number of tasks that wait for it."""
        self.is_done = trio.Event()
        self.addresses: _Addresses | None = None
        self.error: Exception | None = None
        """If there are neither addresses nor an error, the lookup was not started."""


class NameLookups(trio.abc.HostnameResolver):
    """Looks up names for one purpose."""

    def __init__(self, max_lookups: int, get_addresses: GetAddresses = socket.getaddrinfo) -> None:
        self._limiter = trio.CapacityLimiter(max_lookups)
        self._get_addresses = get_addresses
        self._lookups: dict[_Key, _Lookup] = {}

    def install(self) -> None:
        """Make trio use this for all lookups in this run."""
        trio.socket.set_custom_hostname_resolver(self)

    async def tcp_addresses(self, host: str, port: int) -> _Addresses:
        """The result of `socket.getaddrinfo` for a TCP port, without addresses of a kind that this machine lacks.
        Raises OSError, or ValueError for an invalid name."""
        kind = socket.SOCK_STREAM
        try:
            # With this flag the call never asks a resolver, so it cannot block. Addresses need no
            # thread.
            return socket.getaddrinfo(host, port, type=kind, flags=socket.AI_NUMERICHOST)
        except socket.gaierror:
            return await self.getaddrinfo(host, port, type=kind, flags=socket.AI_ADDRCONFIG)

    async def getaddrinfo(
        self,
        host: bytes | str | None,
        port: bytes | str | int | None,
        family: int = 0,
        type: int = 0,
        proto: int = 0,
        flags: int = 0,
    ) -> _Addresses:
        """As `socket.getaddrinfo`, for a port that is a number."""
        assert isinstance(port, int), "services have no names here"
        # The port is left out, so that a name is looked up only once for all of its ports.
        found = await self._find((host, None, family, type, proto, flags))
        return [(*kind, (address[0], port, *address[2:])) for *kind, address in found]

    async def getnameinfo(
        self, sockaddr: tuple[str, int] | tuple[str, int, int, int], flags: int
    ) -> tuple[str, str]:
        return await trio.to_thread.run_sync(
            socket.getnameinfo, sockaddr, flags, abandon_on_cancel=True, limiter=self._limiter
        )

    async def _find(self, key: _Key) -> _Addresses:
        while True:
            lookup = self._lookups.get(key)
            if lookup is None:
                lookup = self._lookups[key] = _Lookup()
                # Not a task of the caller: others may wait for the same name when the first one
                # gives up.
                trio.lowlevel.spawn_system_task(self._run, key, lookup)
            lookup.waiting += 1
            try:
                await lookup.is_done.wait()
            finally:
                lookup.waiting -= 1
            if lookup.error is not None:
                raise lookup.error
            if lookup.addresses is not None:
                return lookup.addresses

    async def _run(self, key: _Key, lookup: _Lookup) -> None:
        # After the run has ended, a thread that hangs reports nothing any more.
        await trio.to_thread.run_sync(
            self._look_up, key, lookup, abandon_on_cancel=True, limiter=self._limiter
        )
        # No result is kept: an address may change, and the system's resolver has a cache of its
        # own.
        del self._lookups[key]
        lookup.is_done.set()

    def _look_up(self, key: _Key, lookup: _Lookup) -> None:
        """In a thread. All callers may have stopped waiting before the thread was free."""
        if lookup.waiting:
            try:
                lookup.addresses = self._get_addresses(*key)
            except Exception as error:
                # The waiting tasks raise it, whatever it is.
                lookup.error = error
