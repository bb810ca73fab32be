"""What the replicas of a broker use of the machine that it runs on."""

from __future__ import annotations

from typing import NamedTuple

from kafkaproto_server.base.ports import Clock, Disk, Rng
from kafkaproto_server.shell.process.threads import Workers


class Machine(NamedTuple):
    disk: Disk
    clock: Clock
    rng: Rng
    workers: Workers
    """The threads that do what would make the event loop wait."""
