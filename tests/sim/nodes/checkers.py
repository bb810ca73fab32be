"""What must hold of whole nodes, looked at after every step of a task."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence

import trio

from kafkaproto_server.base.types import NO_NODE, LeaderAndEpoch
from kafkaproto_server.core.raft.model.states import Leader
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.quorum.image.published import Published
from tests.sim.checkers.invariants import Invariant, ViolationError
from tests.sim.disk import PowerLossError
from tests.sim.metadata.checker import ImageChecker
from tests.sim.nodes.disks import DiskWatch, DurableLogs, durable_election
from tests.sim.nodes.host import Host
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.strangers import FIRST_ID as FIRST_STRANGER_ID
from tests.sim.nodes.threads import Spent
from tests.support.instructions import InstructionCounter

MAX_TURN_INSTRUCTIONS = 10_000_000
"""Of Python, which take some 50 ms of the processor: instructions are the same each time, and on every machine."""
SUSPECT_TURN_S = 0.02
"""The instructions of a turn are counted if it has taken so much processor time: counting all would take long."""
_MARK_S = 0.004
"""Of real time. So often, or more seldom, the processor time is asked for: it takes longer than all else that is done
after a turn."""
_wall_s, _cpu_s = time.perf_counter, time.thread_time
"""The real ones; a run replaces the first."""
MAX_OBSERVERS = 8
"""That a leader remembers in the simulation: few, so that strangers can exceed it."""
MOST_STEPS = 100_000
"""Of all tasks, at one moment of virtual time."""
_OWN_TASKS = frozenset(
    {
        "tests.sim.nodes.run._Simulation.main",
        "tests.sim.nodes.timeline.Timeline.run",
        # What clients are told is compared with all that nodes have.
        "tests.sim.nodes.coordination.classic_members.ClassicMember.run",
        "tests.sim.nodes.coordination.consumer_members.ConsumerMember.run",
        "tests.sim.nodes.coordination.moving_members.MovingMember.run",
        "tests.sim.nodes.coordination.offset_administrators.OffsetAdministrator.run",
        "tests.sim.nodes.coordination.share_members.ShareMember.run",
        "tests.sim.nodes.coordination.streams_members.StreamsMember.run",
        "tests.sim.nodes.data.consumers.Consumer.run",
        "tests.sim.nodes.data.operators._Operator.run",
        "tests.sim.nodes.data.producers.Producer.run",
        "tests.sim.nodes.late.clients.LateClient.run",
    }
)


class StepChecker(trio.abc.Instrument):
    """Looks at all nodes after each step of any task."""

    def __init__(self, hosts: Sequence[Host]) -> None:
        self._hosts = hosts
        self.images = ImageChecker()
        self.published: Callable[[ClusterImage], None] = lambda image: None
        """Called with each image that a node shows."""
        self._on_disks: list[ViolationError] = []
        """What was seen there; a node must not swallow it."""
        for host in hosts:
            watch = DiskWatch(host, self._on_disks.append)
            host.disk.renamed, host.disk.kept = watch.renamed, watch.kept
        self._logs = DurableLogs()
        self._committed = 0
        """The end of what any node shows, or calls committed."""
        self._furthest: dict[int, int] = {}
        """By node, the last offset of the newest image that it has shown."""
        self._unfenced: set[tuple[int, int]] = set()
        """(broker id, broker epoch)."""
        self._seen: dict[int, tuple[Published, LeaderAndEpoch, int, ClusterImage]] = {}
        """By node: the last state that it showed, part by part; each is replaced as a whole."""
        self._leaders: dict[int, tuple[int, int]] = {}
        self._epochs: dict[int, int] = {}
        self._now = 0.0
        self._steps = 0
        self.violation: ViolationError | None = None
        self._turns = 0
        """Those that have ended."""
        self.longest_turn_s = 0.0
        """Of processor time, up to `_MARK_S` more than it was."""
        self.suspect_turns: list[int] = []
        """Numbers of the turns that took long."""
        self._long_s = 0.0
        """A turn that took longer is measured."""
        self._began_s = _wall_s() - Spent.seconds
        """When the turn began, without what was spent before."""
        self._marked_s, self._marked_cpu_s = _wall_s(), _cpu_s()
        """When the processor time was asked for, and what it was."""
        self.stop: trio.CancelScope | None = None
        """Cancelled at a violation."""

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        """See `trio.abc.Instrument`."""
        now_s = _wall_s()
        # No turn takes more of the processor's time than has passed.
        passed_s = now_s - Spent.seconds - self._began_s
        is_long = passed_s > self._long_s and task.name not in _OWN_TASKS
        if is_long:
            self._measure(passed_s)
        self._turns += 1
        if self.violation is None:
            try:
                self._check_time()
                self._look()
            except ViolationError as violation:
                self.found(violation)
        if is_long or now_s - self._marked_s > _MARK_S:
            self._marked_s, self._marked_cpu_s = now_s, _cpu_s()
        self._began_s = _wall_s() - Spent.seconds

    def found(self, violation: ViolationError) -> None:
        """End the run with a violation, if it is the first one."""
        if self.violation is None:
            self.violation = violation
            if self.stop is not None:
                self.stop.cancel()

    def _measure(self, passed_s: float) -> None:
        took_s = min(passed_s, _cpu_s() - self._marked_cpu_s)
        self.longest_turn_s = max(self.longest_turn_s, took_s)
        self._long_s = min(self.longest_turn_s, SUSPECT_TURN_S)
        if took_s > SUSPECT_TURN_S:
            self.suspect_turns.append(self._turns)

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
            before = self._seen.get(host.id)
            if (
                before is not None
                and before[3] is published.image
                and before[2] == published.high_watermark
                and before[1] is published.leader
                and before[0] is published
            ):
                continue
            self._look_at(host, published)
        if self._on_disks:
            raise self._on_disks[0]

    def _look_at(self, host: Host, published: Published) -> None:
        leader, image = published.leader, published.image
        before = self._seen.get(host.id)
        self._seen[host.id] = published, leader, published.high_watermark, image
        self._check_leader(host, leader.epoch, leader.leader_id)
        if (committed := max(published.high_watermark, image.offset + 1)) > self._committed:
            self._committed = committed
            self._check_majority(host)
        if before is None or before[3] is not image:
            self._furthest[host.id] = max(self._furthest.get(host.id, 0), image.offset)
            self._check_unfenced(image)
            self.images.published(host.view, image)  # type: ignore[arg-type]
            self.published(image)

    def _check_majority(self, told_by: Host) -> None:
        # Whoever tells first is the leader, which counts by its newest voter set.
        assert told_by.quorum is not None
        voter_ids = told_by.quorum.voters.ids
        ends = {host.id: self._logs.end_offset(host) for host in self._hosts if host.id in voter_ids}
        if 2 * sum(end >= self._committed for end in ends.values()) <= len(ends):
            what = f"node {told_by.id} calls {self._committed} committed, and the durable logs end at {ends}"
            raise ViolationError(Invariant.MAJORITY_REACHED, what)

    def _check_unfenced(self, image: ClusterImage) -> None:
        for broker_id, broker in image.brokers.items():
            found = broker_id, broker.epoch
            if broker.fenced or found in self._unfenced:
                continue
            self._unfenced.add(found)
            read = self._furthest.get(broker_id)
            if read is not None and read < broker.epoch:
                what = f"{broker_id} has read up to {read}, and is registered at {broker.epoch}"
                raise ViolationError(NodeInvariant.UNFENCED_ONCE_READ, what)

    def _check_leader(self, host: Host, epoch: int, leader_id: int) -> None:
        if not epoch:
            # Nothing is known yet in this life.
            return
        if epoch < self._epochs.get(host.id, 0):
            raise ViolationError(
                Invariant.MONOTONIC_EPOCH, f"node {host.id} goes from {self._epochs[host.id]} to {epoch}"
            )
        self._epochs[host.id] = epoch
        election = durable_election(host.disk)
        if election is None or election.leader_epoch < epoch:
            raise ViolationError(
                Invariant.DURABLE_BEFORE_TOLD, f"node {host.id} is in epoch {epoch}, its disk has {election}"
            )
        if leader_id == host.id:
            known = self._leaders.setdefault(epoch, (host.id, host.life))
            if known != (host.id, host.life):
                raise ViolationError(
                    Invariant.ELECTION_SAFETY,
                    f"epoch {epoch}: node {host.id} leads, and {known} (id, life) did",
                )


class CountingChecker(StepChecker):
    """Counts the instructions of some turns as well, and ends the run after the last of them."""

    def __init__(self, hosts: Sequence[Host], counted_turns: Collection[int]) -> None:
        """``counted_turns``: their numbers."""
        super().__init__(hosts)
        self.most_instructions = 0
        """Of those turns."""
        self.largest_turn = ""
        """The task that took them."""
        self._counted_turns = counted_turns
        self._last_turn = max(counted_turns)
        self._counter: InstructionCounter | None = None

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        """See `trio.abc.Instrument`."""
        if self._turns in self._counted_turns:
            self._counter = Spent.counter = InstructionCounter()
            self._counter.start()

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        """See `trio.abc.Instrument`."""
        if self._counter is not None:
            self._counter.stop()
            if self._counter.instructions > self.most_instructions and task.name not in _OWN_TASKS:
                self.most_instructions, self.largest_turn = self._counter.instructions, task.name
            self._counter = Spent.counter = None
        super().after_task_step(task)
        if self._turns > self._last_turn and self.stop is not None:
            self.stop.cancel()


class ErrorLog(logging.Handler):
    """Keeps the first error that a node logs with its cause, or that it calls unforeseen."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.first: logging.LogRecord | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        # A machine without power logs nothing: only here does the rest of a handler still run.
        if self.first is None and record.exc_info and not isinstance(record.exc_info[1], PowerLossError):
            self.first = record


MOST_EPOCHS_A_SECOND = 10.0
"""Elections may fail and be repeated. A stranger's epoch is higher by thousands."""


def check_strangers(image: ClusterImage, highest_epoch: int, simulated_s: float) -> None:
    """Raise ViolationError if a stranger has left a mark."""
    strange = [each for each in (*image.brokers, *image.controllers) if each >= FIRST_STRANGER_ID]
    if strange or highest_epoch > 10 + MOST_EPOCHS_A_SECOND * simulated_s:
        raise ViolationError(NodeInvariant.NOTHING_FORGED, f"nodes {strange}, epoch {highest_epoch}")


def forgotten_election(host: Host) -> str | None:
    """How a node's disk differs from the election that the node believes in; None if it does not."""
    quorum = host.quorum
    if quorum is None or quorum._raft._opened is None or quorum._effects._unsynced:
        return None
    core = quorum._raft._opened
    believed, durable = core._election_state, durable_election(host.disk)
    if believed is None or core.outbox._election_state is not None:
        return None
    voted_id = NO_NODE if believed.voted_key is None else believed.voted_key.id
    if durable is not None and (durable.leader_epoch, durable.voted_id) == (believed.epoch, voted_id):
        return None
    return f"node {host.id} believes in {believed}, its disk has {durable}"


MOST_CONNECTIONS = 10
"""From one node to one listener of another. A node in order has two lanes to it, and nine to the active controller if
it has all kinds of requests for it."""
MOST_TASKS = 5
"""Of one kind in one node. A broker has five kinds of requests for other brokers."""
_QUEUE_TASKS = "broker_requests._Queue.run"
"""There is one for each of these kinds and each other broker."""
_CONNECTION_TASKS = ("Acceptor._run_and_leave", "Pump._read_all")


def _crowded_tasks(hosts: Sequence[Host]) -> str | None:
    """The kind of tasks that there are too many of; None if there is none. Connections are counted by themselves."""
    kinds: Counter[str] = Counter()
    tasks = [trio.lowlevel.current_root_task()]
    while tasks:
        task = tasks.pop()
        if task is not None:
            kinds[task.name.rstrip("0123456789")] += 1
            tasks += [child for nursery in task.child_nurseries for child in nursery.child_tasks]
    for kind, count in kinds.items():
        most = MOST_TASKS * len(hosts) * (len(hosts) if kind.endswith(_QUEUE_TASKS) else 1)
        if count > most and not kind.endswith(_CONNECTION_TASKS):
            return f"{count} tasks {kind}"
    return None


def left_behind(hosts: Sequence[Host], clients: Sequence[str]) -> str | None:
    """What is left of these clients, all of which are gone; None if nothing is."""
    crowded_tasks = _crowded_tasks(hosts)
    if crowded_tasks is not None:
        return crowded_tasks
    for host in hosts:
        left = [stream for stream in host.net.streams if stream.peer_address[0] in clients]
        if left:
            return f"node {host.id} has {len(left)} connections of clients that are gone"
        peers = Counter(stream.peer_address for stream in host.net.streams)
        crowded = [address for address, count in peers.items() if count > MOST_CONNECTIONS]
        if crowded:
            return f"node {host.id} has {peers[crowded[0]]} connections to {crowded[0]}"
        node, quorum = host.node, host.quorum
        if node is None or quorum is None:
            return f"node {host.id} does not run"
        if node._slices.waiting:
            return f"node {host.id} has {node._slices.waiting} pieces of work"
        for listener in node._listeners or ():
            held = sum(listener._shared.memory._held.values())
            unread = sum(listener._shared.unread._held.values())
            places, pumps = listener._door.count, len(listener._pumps)
            if places > pumps:
                return f"node {host.id} counts {places} connections, and has {pumps}"
            if held or unread:
                return f"node {host.id} holds {held} bytes of requests and {unread} of responses"
        unknown = [node_id for node_id, _ in quorum._channel._peers if node_id >= FIRST_STRANGER_ID]
        if unknown:
            return f"node {host.id} keeps connections to {unknown}"
        log_start = quorum._storage.log.log_start_offset
        if quorum._raft.log_start_offset != log_start:
            return f"node {host.id} believes that its log starts at {quorum._raft.log_start_offset}, not {log_start}"
        led = quorum._raft.state
        if isinstance(led, Leader) and len(led.progress) > MAX_OBSERVERS + len(hosts):
            return f"node {host.id} remembers {len(led.progress)} replicas"
        if quorum._effects.unanswered > 2 * len(hosts):
            return f"node {host.id} has {quorum._effects.unanswered} requests of replicas"
    return None
