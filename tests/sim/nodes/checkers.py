"""What must hold of whole nodes, looked at after every step of a task."""

from __future__ import annotations

import enum
import logging
import time
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import trio

from tests.sim.checkers.invariants import Invariant, ViolationError
from tests.sim.metadata.checker import ImageChecker
from tests.sim.nodes.host import Host

MAX_TURN_S = 0.05


class NodeInvariant(enum.Enum):
    """Beside those of the cores' simulation."""

    NO_FAILURE = "no node ends, and no task of it logs an error, that nobody foresaw"
    WHOLE_RESPONSES = "responses are whole, in order, and each to a request"
    ONE_RESPONSE = "each request of a client that waits gets a response, or its connection ends"
    SHORT_TURNS = "no turn of the event loop takes more than 50 ms of the processor"
    READY_AT_LAST = "in a healed cluster every node serves, and all show one image"
    ACKNOWLEDGES_AT_LAST = "a healed cluster carries out what it is asked"
    NOTHING_LEFT = "when all clients are gone, nothing of theirs is left: connection, descriptor, memory, work"
    STOPS_AT_LAST = "nodes that are told to stop do so in order, and close all files"
    UNFENCED_ONCE_READ = "a broker is unfenced only once it has read its own registration"


class StepChecker(trio.abc.Instrument):
    """Looks at all nodes after each step of any task."""

    def __init__(self, hosts: Sequence[Host]) -> None:
        self._hosts = hosts
        self.images = ImageChecker()
        self._views = {
            host.id: SimpleNamespace(id=host.id, world=SimpleNamespace(commits=SimpleNamespace(batches=())))
            for host in hosts
        }
        self._seen: dict[int, tuple[int, int, int, Any]] = {}
        self._leaders: dict[int, tuple[int, int]] = {}
        self._epochs: dict[int, int] = {}
        self._began = 0.0
        self.violation: ViolationError | None = None
        self.longest_turn_s = 0.0
        self.stop: trio.CancelScope | None = None
        """Cancelled at a violation."""

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        """See `trio.abc.Instrument`."""
        self._began = time.thread_time()

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        """See `trio.abc.Instrument`."""
        took = time.thread_time() - self._began if self._began else 0.0
        if took > self.longest_turn_s:
            self.longest_turn_s = took
        if self.violation is None:
            try:
                self._look()
            except ViolationError as violation:
                self.violation = violation
                if self.stop is not None:
                    self.stop.cancel()

    @property
    def highest_epoch(self) -> int:
        """Of all leaders."""
        return max(self._leaders, default=0)

    def _look(self) -> None:
        for host in self._hosts:
            quorum = host.quorum
            if quorum is None:
                continue
            published = quorum.published
            now = (host.life, published.leader.epoch, published.leader.leader_id, published.image)
            before = self._seen.get(host.id)
            if before is not None and before[3] is now[3] and before[:3] == now[:3]:
                continue
            self._seen[host.id] = now
            self._check_leader(host, published.leader.epoch, published.leader.leader_id)
            if before is None or before[3] is not now[3]:
                self.images.published(self._views[host.id], published.image)  # type: ignore[arg-type]

    def _check_leader(self, host: Host, epoch: int, leader_id: int) -> None:
        if not epoch:
            # Nothing is known yet in this life.
            return
        if epoch < self._epochs.get(host.id, 0):
            raise ViolationError(
                Invariant.MONOTONIC_EPOCH, f"node {host.id} goes from {self._epochs[host.id]} to {epoch}"
            )
        self._epochs[host.id] = epoch
        if leader_id == host.id:
            known = self._leaders.setdefault(epoch, (host.id, host.life))
            if known != (host.id, host.life):
                raise ViolationError(
                    Invariant.ELECTION_SAFETY, f"epoch {epoch}: node {host.id} leads, and {known} (id, life) did"
                )


class ErrorLog(logging.Handler):
    """Keeps the first error that a node logs with its cause, or that it calls unforeseen."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.first: logging.LogRecord | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        if self.first is None and record.exc_info:
            self.first = record


def left_behind(hosts: Sequence[Host], clients: Sequence[str]) -> str | None:
    """What is left of these clients, all of which are gone; None if nothing is."""
    for host in hosts:
        left = [stream for stream in host.net.streams if stream.peer_address[0] in clients]
        if left:
            return f"node {host.id} has {len(left)} connections of clients that are gone"
        node = host.node
        if node is not None and node._slices.waiting:
            return f"node {host.id} has {node._slices.waiting} pieces of work"
    return None
