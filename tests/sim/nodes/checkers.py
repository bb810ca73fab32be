"""What must hold of whole nodes, looked at after every step of a task."""

from __future__ import annotations

import enum
import logging
import time
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import trio

from kafkaproto_server.image.image import ClusterImage
from tests.sim.checkers.invariants import Invariant, ViolationError
from tests.sim.metadata.checker import ImageChecker
from tests.sim.nodes.host import Host
from tests.sim.nodes.threads import Spent

MAX_TURN_S = 0.05
MOST_STEPS = 100_000
"""Of all tasks, at one moment of virtual time."""
_OWN_TASKS = ("tests.sim.nodes.run._Simulation.main", "tests.sim.nodes.timeline.Timeline.run")


class NodeInvariant(enum.Enum):
    """Beside those of the cores' simulation."""

    NO_FAILURE = "no node ends, and no task of it logs an error, that nobody foresaw"
    WHOLE_RESPONSES = "responses are whole, in order, and each to a request"
    ONE_RESPONSE = "each request of a client that waits gets a response, or its connection ends"
    SHORT_TURNS = "no turn of the event loop takes more than 50 ms of the processor"
    READY_AT_LAST = "in a healed cluster every node serves, and all show one image"
    ACKNOWLEDGES_AT_LAST = "a healed cluster carries out what it is asked"
    NOTHING_LEFT = (
        "when all clients are gone, nothing of theirs is left: connection, descriptor, memory, work"
    )
    STOPS_AT_LAST = "nodes that are told to stop do so in order, and close all files"
    NOTHING_FORGED = (
        "nothing of a stranger's is in the metadata, and no epoch is higher than elections made it"
    )
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
        self._now = 0.0
        self._steps = 0
        self.violation: ViolationError | None = None
        self.longest_turn_s = 0.0
        self.longest_turn = ""
        self.stop: trio.CancelScope | None = None
        """Cancelled at a violation."""

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        """See `trio.abc.Instrument`."""
        self._began = time.thread_time() - Spent.seconds

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        """See `trio.abc.Instrument`."""
        is_node = task.name not in _OWN_TASKS
        took = time.thread_time() - Spent.seconds - self._began if self._began and is_node else 0.0
        if took > self.longest_turn_s:
            self.longest_turn_s = took
            self.longest_turn = task.name
        if self.violation is None:
            try:
                self._check_time()
                self._look()
            except ViolationError as violation:
                self.violation = violation
                if self.stop is not None:
                    self.stop.cancel()

    def _check_time(self) -> None:
        now = trio.current_time()
        self._steps = self._steps + 1 if now == self._now else 0
        self._now = now
        if self._steps > MOST_STEPS:
            raise ViolationError(
                Invariant.BOUNDED_WORK, f"{self._steps} steps of tasks, and no time has passed"
            )

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
                    Invariant.ELECTION_SAFETY,
                    f"epoch {epoch}: node {host.id} leads, and {known} (id, life) did",
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


MOST_EPOCHS_A_SECOND = 10.0
"""Elections may fail and be repeated. A stranger's epoch is higher by thousands."""


def check_strangers(image: ClusterImage, highest_epoch: int, simulated_s: float, first_id: int) -> None:
    """Raise ViolationError if a stranger has left a mark."""
    strange = [each for each in (*image.brokers, *image.controllers) if each >= first_id]
    if strange or highest_epoch > 10 + MOST_EPOCHS_A_SECOND * simulated_s:
        raise ViolationError(NodeInvariant.NOTHING_FORGED, f"nodes {strange}, epoch {highest_epoch}")


def left_behind(hosts: Sequence[Host], clients: Sequence[str]) -> str | None:
    """What is left of these clients, all of which are gone; None if nothing is."""
    for host in hosts:
        left = [stream for stream in host.net.streams if stream.peer_address[0] in clients]
        if left:
            return f"node {host.id} has {len(left)} connections of clients that are gone"
        node, quorum = host.node, host.quorum
        if node is None or quorum is None:
            return f"node {host.id} does not run"
        if node._slices.waiting:
            return f"node {host.id} has {node._slices.waiting} pieces of work"
        for listener in node._listeners:
            held = sum(listener._memory._held.values())
            unread = sum(listener._unread._held.values())
            if held or unread:
                return f"node {host.id} holds {held} bytes of requests and {unread} of responses"
        if quorum._effects.unanswered > 2 * len(hosts):
            return f"node {host.id} has {quorum._effects.unanswered} requests of replicas"
    return None
