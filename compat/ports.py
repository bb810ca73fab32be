"""Ports of the loopback for the servers of tests: free now, and nobody else's while this process lives.

A server that is killed has to find its port free when it starts again. So a port is never one that the system gives to
outgoing connections, of which any client takes some at any time; and each process that asks takes its ports from a
block of its own, round and round. The block belongs to it by a Unix socket of an abstract name, which ends with it.
"""

import functools
import itertools
import socket
from collections.abc import Iterator
from pathlib import Path

FIRST_PORT = 10_000
BLOCK_SIZE = 500
OUTGOING_PORTS = Path("/proc/sys/net/ipv4/ip_local_port_range")


class NoPortsError(Exception):
    """No block of ports is left, or no port of the block is free."""


def free_ports(count: int) -> list[int]:
    """Numbers of `count` different ports of 127.0.0.1 that nobody uses. Raises NoPortsError."""
    ports: list[int] = []
    for port in itertools.islice(_own_ports(), BLOCK_SIZE):
        if len(ports) == count:
            break
        if _is_free(port):
            ports.append(port)
    if len(ports) < count:
        raise NoPortsError(f"{count} ports were asked for and {len(ports)} of {BLOCK_SIZE} are free")
    return ports


def free_port() -> int:
    """One of `free_ports`."""
    (port,) = free_ports(1)
    return port


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        # What only waits for late packets of an ended connection is in nobody's way.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


@functools.cache
def _own_ports() -> Iterator[int]:
    """The ports of this process's block, again and again."""
    first_outgoing = int(OUTGOING_PORTS.read_text(encoding="ascii").split()[0])
    for first in range(FIRST_PORT, first_outgoing - BLOCK_SIZE + 1, BLOCK_SIZE):
        holder = socket.socket(socket.AF_UNIX)
        try:
            holder.bind(f"\0kafkaproto-ports-{first}")
        except OSError:
            holder.close()
            continue
        return _cycle(first, holder)
    raise NoPortsError(f"every block of ports from {FIRST_PORT} to {first_outgoing - 1} belongs to a process")


def _cycle(first: int, holder: socket.socket) -> Iterator[int]:
    """The holder is kept for as long as the ports are."""
    with holder:
        yield from itertools.cycle(range(first, first + BLOCK_SIZE))
