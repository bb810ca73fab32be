"""What a node has of the machine that it runs on."""

from __future__ import annotations

from dataclasses import dataclass

from kafkaproto_server.base.ports import Clock, Disk, Rng
from kafkaproto_server.shell.net.network import TCP, Network
from kafkaproto_server.shell.process.threads import SYSTEM_THREADS, Threads


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeMachine:
    """Disk, clock, chance, network and threads: all that a node reaches outside its process, and all that the simulator
    has in another form."""

    disk: Disk
    clock: Clock
    rng: Rng
    network: Network = TCP
    threads: Threads = SYSTEM_THREADS
