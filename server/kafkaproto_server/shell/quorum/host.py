"""What the quorum's driver uses of the machine that it runs on."""

from __future__ import annotations

from dataclasses import dataclass

from kafkaproto_server.base.ports import Clock, Rng
from kafkaproto_server.shell.net.streams import Connect, connect_tcp
from kafkaproto_server.shell.process.threads import SYSTEM_THREADS, Threads


@dataclass(frozen=True, slots=True, kw_only=True)
class QuorumHost:
    """Clock, chance, threads and network. Simulated nodes have others than real ones."""

    clock: Clock
    rng: Rng
    threads: Threads = SYSTEM_THREADS
    connect: Connect = connect_tcp
