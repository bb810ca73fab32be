"""The task that owns this node's replica of the quorum, its controller, and what the Raft core asks for.

Both cores are synchronous and live in one task, so that reserving offsets and using them is one step: what the
controller wants appended goes to the Raft core at once, what the Raft core commits goes to the controller at once. The
Raft core's effects are taken after every event. What it tells NOW happens before the next event; what has to be written
is queued for the disk's thread (`node.quorum.disk_worker`), so that peers are served and events taken in while a sync
is under way; what waits for that follows when the thread reports.

Others reach the cores by `submit` and `raft_request`, and read what was last published: image, leader, high watermark.
Brokers' heartbeats are taken in by whoever submits them, where the loop waits: it need not be woken for each.
"""

from __future__ import annotations

import ipaddress
import logging
import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import assert_never

import msgspec
import trio

from kafkaproto.message import Message
from kafkaproto.messages import BrokerHeartbeatRequest, DescribeQuorumRequest
from kafkaproto_server.controller.core.controller import Controller
from kafkaproto_server.controller.values import events as controller_events
from kafkaproto_server.metrics.controller import ControllerMetrics
from kafkaproto_server.node.quorum.committed_state import CommittedState, QuorumStorage
from kafkaproto_server.node.quorum.controller_half import ControllerHalf
from kafkaproto_server.node.quorum.disk_worker import DiskWorker, DiskWrite, Persisted, PersistJob
from kafkaproto_server.node.quorum.image_release import ImageRelease
from kafkaproto_server.node.quorum.log_tail import LogTail, TailBatch
from kafkaproto_server.node.quorum.metrics import QuorumMetrics, SnapshotFigures
from kafkaproto_server.node.quorum.pauses import PauseWatch
from kafkaproto_server.node.quorum.published import ImagePublisher, Published
from kafkaproto_server.node.quorum.raft_channel import PeerStatistics, RaftChannel
from kafkaproto_server.node.quorum.raft_service import RaftService
from kafkaproto_server.ports import Clock, Rng
from kafkaproto_server.raft.describe.core import (
    describe_effects,
    describe_event,
    describe_refusal,
    describe_state,
)
from kafkaproto_server.raft.node import RaftNode
from kafkaproto_server.raft.values import effects as raft_effects
from kafkaproto_server.raft.values import events as raft_events
from kafkaproto_server.raft.values.config import RaftConfig
from kafkaproto_server.raft.values.messages import Answer as RaftAnswer
from kafkaproto_server.raft.values.messages import Destination, FetchedBatch, InboundRequest
from kafkaproto_server.raft.values.statistics import RaftStatistics
from kafkaproto_server.raft.values.voters import VoterSet
from kafkaproto_server.raft.wire import describe_quorum_response, encode_batch
from kafkaproto_server.requests.context import Answer, NoAnswer, RequestContext
from kafkaproto_server.storage.metadata.snapshot_file import BOOTSTRAP_SNAPSHOT_ID
from kafkaproto_server.types import NO_NODE, Deferred, Endpoint, LeaderAndEpoch

_log = logging.getLogger("kafkaproto.server.quorum")

_trace = logging.getLogger("kafkaproto.server.quorum.trace")
"""At DEBUG: every event of the Raft core and every effect, a line each. They hold no records."""

MAX_WAITING_REQUESTS = 10_000
"""Commands that wait for the controller, and requests that the Raft core has not answered. A connection has one request
in progress, so this many connections would have to ask at once."""

TURN_MS = 2.0
"""How long events, and after them commands, are taken in before other tasks get their turn."""

MAX_TICK_INTERVAL_MS = 10.0
"""How long deadlines may go unlooked at while there are events. Each event has the core that it goes to look at its
own."""


class QuorumDriver:
    """Runs the Raft core, and the controller core where the node has that role."""

    def __init__(
        self,
        *,
        config: RaftConfig,
        cluster_id: str,
        raft: RaftNode,
        opened: raft_events.Opened,
        controller: Controller | None,
        storage: QuorumStorage,
        clock: Clock,
        rng: Rng,
    ) -> None:
        """``config`` is what ``raft`` was made with; ``controller`` is None on a node without that role."""
        self._node_id = config.key.id
        self._listener_name = config.listener_name
        self._raft = raft
        self._opened = opened
        self._storage = storage
        self._clock = clock
        self._inbox: deque[Callable[[], None]] = deque()
        # What the controller is asked. All else goes before: a batch that is durable, or a follower that has it, may
        # be what those who asked earlier wait for.
        self._commands: deque[Callable[[], None]] = deque()
        self._wake = trio.Event()
        # Monotonic time until which the loop waits for something to do; None while it has something.
        self._waits_until_ms: float | None = None
        self._ticked_at = 0.0
        self._waiting_commands = 0
        self._asked: dict[int, Callable[[RaftAnswer], None]] = {}
        self._next_request_id = 0
        self._unfinished: deque[raft_effects.Effects] = deque()
        # Number of effects that are not durable yet, and when they were handed to the disk's thread.
        self._unsynced: deque[tuple[int, float]] = deque()
        self._is_shutting_down = False
        self._must_close = False
        self._handed_over = trio.Event()
        self._has_ended = trio.Event()
        self._nursery: trio.Nursery | None = None
        self.published = Published()
        self._old_images = ImageRelease()
        self._images = ImagePublisher(self.published, self._old_images.replaced)
        self.metrics = QuorumMetrics()
        self._tail = LogTail(end_offset=storage.log.log_end_offset)
        self._worker = DiskWorker(
            log=storage.log,
            quorum_state_file=storage.quorum_state_file,
            snapshots=storage.snapshots,
            report=lambda report: self._post(partial(self._persisted, report)),
        )
        self._channel = RaftChannel(
            node_id=config.key.id,
            cluster_id=cluster_id,
            listener_name=config.listener_name,
            request_timeout_ms=config.request_timeout_ms,
            rng=rng,
            is_known=self._is_known,
            report=self._post_to_raft,
        )
        self._service = RaftService(
            cluster_id=cluster_id,
            ask=self._take_request,
            log=storage.log,
            tail=self._tail,
            snapshots=storage.snapshots,
            worker=self._worker,
        )
        self._controller = None if controller is None else self._controller_half(controller)
        self._committed = self._committed_state(clock, rng)

    def _controller_half(self, controller: Controller) -> ControllerHalf:
        return ControllerHalf(
            controller,
            node_id=self._node_id,
            clock=self._clock,
            to_raft=self._to_raft,
            ask_raft=partial(self._ask_raft, self._listener_name),
            publish=self._images.take,
            pauses=PauseWatch(self._clock),
        )

    def _committed_state(self, clock: Clock, rng: Rng) -> CommittedState:
        return CommittedState(
            storage=self._storage,
            tail=self._tail,
            worker=self._worker,
            controller=self._controller,
            images=self._images,
            published=self.published,
            metrics=self.metrics,
            voters_at=self._raft.voters_at,
            told_high_watermark=lambda: self._raft.told_high_watermark,
            to_raft=self._post_to_raft,
            clock=clock,
            rng=rng,
            wake=lambda: self._wake.set(),
        )

    # -- what others may ask -----------------------------------------------------------------------------------

    def submit(
        self, request: Message, version: int, context: controller_events.CommandContext
    ) -> Deferred[Answer]:
        """Have the controller carry out a command; it answers NOT_CONTROLLER itself where it is not active."""
        reply: Deferred[Answer] = Deferred()
        if self._waiting_commands >= MAX_WAITING_REQUESTS:
            reply.resolve(NoAnswer(reason=f"{MAX_WAITING_REQUESTS} requests wait for the controller already"))
            return reply
        self._waiting_commands += 1
        self._commands.append(partial(self._command, request, version, context, reply, time.perf_counter()))
        if self._waits_until_ms is not None and isinstance(request, BrokerHeartbeatRequest):
            self._take_at_once(self._waits_until_ms)
        else:
            self._wake.set()
        return reply

    def broker_proven_dead(self, death: controller_events.BrokerProvenDead, proof: str) -> None:
        """Tell the controller that a broker's process is gone; ``proof`` says in words how that is known."""
        assert self._controller is not None, "only a node with a controller hears of brokers"
        self._post(partial(self._controller.handle, msgspec.structs.replace(death, proof=proof)))

    @property
    def proven_deaths(self) -> int:
        """Brokers that this node's controller fenced because their processes were provably gone."""
        return 0 if self._controller is None else self._controller.proven_deaths

    @property
    def controller_metrics(self) -> ControllerMetrics | None:
        """What this node's controller counts, None where there is none."""
        return None if self._controller is None else self._controller.metrics

    @property
    def since_last_contacts_ms(self) -> Mapping[int, int]:
        """Milliseconds since each broker was heard of, where this node's controller is active; else nothing."""
        return {} if self._controller is None else self._controller.since_last_contacts_ms

    def latest_snapshot_end_offset(self) -> int | None:
        """Where the newest snapshot on disk ends, None where there is none. Blocks; any thread may call it."""
        latest = self._storage.snapshots.latest()
        return None if latest in (None, BOOTSTRAP_SNAPSHOT_ID) else latest.end_offset

    def raft_request(self, request: Message, context: RequestContext) -> Deferred[Answer]:
        """Have the Raft core answer one of the quorum's own requests."""
        return self._service.serve(request, context)

    def describe_quorum(self, request: Message, version: int) -> Message:
        """Answer DescribeQuorum from this replica."""
        assert isinstance(request, DescribeQuorumRequest)
        description = self._raft.describe_quorum(self._clock.now_ms(), self._clock.wall_ms())
        return describe_quorum_response(request, version, description)

    def statistics(self) -> RaftStatistics:
        """What the Raft core counts, and what it is."""
        return self._raft.statistics()

    def peer_statistics(self) -> dict[int, PeerStatistics]:
        """What was asked of each peer, by node id; -2, -3, ... for bootstrap servers, -1 for all unknown nodes."""
        return self._channel.statistics

    def snapshot_figures(self) -> SnapshotFigures:
        """What became of this node's snapshots."""
        snapshotter = self._committed.snapshotter
        return SnapshotFigures(
            loaded=self._committed.feed.loaded_snapshots,
            written=snapshotter.written,
            failed=snapshotter.failed,
            latest_bytes=snapshotter.latest_bytes,
            latest_age_ms=self._clock.now_ms() - snapshotter.latest_at_ms if snapshotter.written else 0,
        )

    @property
    def waiting_events(self) -> int:
        """How many events wait for the loop."""
        return len(self._inbox) + len(self._commands)

    @property
    def kraft_version(self) -> int:
        """The level of kraft.version in force."""
        return self._raft.kraft_version

    @property
    def voters(self) -> VoterSet:
        """The voter set in force."""
        return self._raft.voters

    def peer_hosts(self) -> frozenset[str]:
        """The addresses of the other voters, as `ipaddress` writes them: those of the voter set in force, and for
        names those to which this node is or was connected."""
        hosts: set[str] = set()
        for destination in self._other_voters():
            try:
                hosts.add(str(ipaddress.ip_address(destination.host)))
            except ValueError:
                hosts |= self._channel.remote_hosts(destination)
        return frozenset(hosts)

    def leader_endpoint(self, listener_name: str) -> Endpoint | None:
        """Where the quorum's leader serves a listener, as far as this node knows."""
        return self._raft.leader_endpoint(listener_name)

    @property
    def follows_leader(self) -> bool:
        """Whether the quorum has a leader, and this node knows its state: follows it, or is it and is active."""
        if self.published.leader.leader_id == self._node_id:
            return self.published.active_epoch is not None
        return self.published.leader.leader_id != NO_NODE and self._images.has_caught_up

    @property
    def hears_leader(self) -> bool:
        """Whether `follows_leader` holds, and the leader is alive as far as this node can tell."""
        return self.follows_leader and self._raft.follows_live_leader(self._clock.now_ms())

    async def wait_until_follows_leader(self) -> None:
        """Return once `follows_leader` holds."""
        while not self.follows_leader:
            await self.published.changed.wait()

    async def hand_over(self) -> None:
        """Have the Raft core give up leadership; returns once another node leads or cannot be waited for.

        Until then the node has to be reachable: its successor asks it for its vote, and its followers learn from it.
        """
        if not self._is_shutting_down:
            self._is_shutting_down = True
            self._post(partial(self._to_raft, raft_events.ShutdownRequested()))
        await self._handed_over.wait()

    async def stop(self) -> None:
        """`hand_over` where that is not done, then end `run`; returns once the log is closed."""
        await self.hand_over()
        self._post(self._close)
        await self._has_ended.wait()

    # -- the loop ----------------------------------------------------------------------------------------------

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Drive the cores until `stop`. Raises StorageError where the disk fails: nothing is promised after that."""
        try:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                await nursery.start(self._worker.run)
                self._committed.start(nursery)
                nursery.start_soon(self._old_images.run)
                self._open()
                nursery.start_soon(self._channel.keep_ready, self._other_voters)
                task_status.started()
                while not self._must_close:
                    await self._wait()
                    self._turn(nursery)
                closed = trio.Event()
                self._worker.call(self._storage.log.close, lambda _: closed.set())
                await closed.wait()
                self._has_ended.set()
                nursery.cancel_scope.cancel()
        finally:
            self._channel.close()

    def _open(self) -> None:
        """Begin with what was found on disk."""
        self._to_raft(self._opened)
        self._tell_kraft_version(self._raft.kraft_version)
        self._obey_controller()

    def _other_voters(self) -> Iterator[Destination]:
        """Whom a voter has to do with in an election; an observer has to do with nobody."""
        if self._raft.is_voter:
            for voter in self._raft.voters.voters:
                endpoint = self._raft.voters.endpoint(voter.key.id, self._listener_name)
                if endpoint is not None and voter.key.id != self._node_id:
                    yield Destination(id=voter.key.id, host=endpoint.host, port=endpoint.port)

    def _is_known(self, node_id: int) -> bool:
        """Whether the quorum knows a node, be it as a bootstrap server, which has a negative id here."""
        return (
            node_id < NO_NODE
            or node_id == self._raft.leader_and_epoch.leader_id
            or any(voter.key.id == node_id for voter in self._raft.voters.voters)
        )

    async def _wait(self) -> None:
        """Return when there is something to do: an event, a deadline, committed batches to hand over."""
        if self.waiting_events or self._committed.can_step or self._has_work:
            await trio.lowlevel.checkpoint()
            return
        deadlines = (self._raft.next_deadline_ms(), self._controller_deadline_ms)
        until_ms = min((each for each in deadlines if each is not None), default=math.inf)
        wait_s = (until_ms - self._clock.now_ms()) / 1000
        self._wake = trio.Event()
        begin = time.perf_counter()
        self._waits_until_ms = until_ms
        try:
            with trio.move_on_after(max(0.0, wait_s)):
                await self._wake.wait()
        finally:
            self._waits_until_ms = None
        self.metrics.idle_ms += (time.perf_counter() - begin) * 1000

    @property
    def _has_work(self) -> bool:
        """Whether the controller works on a change, a slice a turn."""
        return self._controller is not None and self._controller.has_work

    @property
    def _controller_deadline_ms(self) -> int | None:
        return None if self._controller is None else self._controller.next_deadline_ms

    def _take_at_once(self, until_ms: float) -> None:
        """Take what was just asked, outside the loop's turns, while the loop waits until ``until_ms``.

        For what comes often and hardly ever changes anything: waking the loop costs more than the answer.
        """
        self._waits_until_ms = None
        begin = time.perf_counter()
        try:
            self._take_commands()
        except Exception as error:
            # For the loop, which ends with it: whoever asks must not take it for the failure of one request.
            self._post(partial(_raise, error))
            return
        busy_ms = (time.perf_counter() - begin) * 1000
        self.metrics.busy_ms += busy_ms
        self.metrics.idle_ms -= busy_ms
        self._waits_until_ms = until_ms
        deadline_ms = self._controller_deadline_ms
        if self.waiting_events or (deadline_ms is not None and deadline_ms < until_ms):
            self._wake.set()

    def _turn(self, nursery: trio.Nursery) -> None:
        begin = time.perf_counter()
        if not self.waiting_events or begin - self._ticked_at > MAX_TICK_INTERVAL_MS / 1000:
            self._ticked_at = begin
            self._tick()
        while self._inbox and (time.perf_counter() - begin) * 1000 < TURN_MS:
            self._inbox.popleft()()
            self._obey_controller()
        self._take_commands()
        if self._has_work:
            self._tick_controller()
        if self._committed.can_step:
            self._committed.step(nursery)
            self._obey_controller()
        self._maybe_become_current()
        self._committed.tell_snapshotter()
        self.metrics.busy_ms += (time.perf_counter() - begin) * 1000

    def _take_commands(self) -> None:
        """Have the controller decide on what it was asked; what comes of it goes to the Raft core together."""
        begin = time.perf_counter()
        while self._commands:
            self._commands.popleft()()
            if (time.perf_counter() - begin) * 1000 > TURN_MS:
                break
        self._obey_controller()

    def _tick(self) -> None:
        now_ms = self._clock.now_ms()
        deadline_ms = self._raft.next_deadline_ms()
        if deadline_ms is not None and deadline_ms <= now_ms:
            self._to_raft(raft_events.Tick())
        if self._controller is not None and not self._controller.has_work:
            deadline_ms = self._controller.next_deadline_ms
            if deadline_ms is not None and deadline_ms <= now_ms:
                self._tick_controller()
        self._obey_controller()

    def _tick_controller(self) -> None:
        """Let the controller do what is due, or more of what it has begun."""
        assert self._controller is not None, "no controller"
        self._controller.handle(controller_events.Tick())
        self._obey_controller()

    def _obey_controller(self) -> None:
        """Carry out what the controller asks for until it asks for nothing more."""
        while self._controller is not None and self._controller.obey():
            pass

    def _post(self, work: Callable[[], None]) -> None:
        """Have the loop do something; events of all kinds take this way."""
        self._inbox.append(work)
        self._wake.set()

    def _close(self) -> None:
        self._must_close = True

    # -- events ------------------------------------------------------------------------------------------------

    def _post_to_raft(self, event: raft_events.Event) -> None:
        self._post(partial(self._to_raft, event))

    def _to_raft(self, event: raft_events.Event) -> None:
        if _trace.isEnabledFor(logging.DEBUG):
            _trace.debug("< %s", describe_event(event))
        try:
            self._raft.handle(event, self._clock.now_ms())
        except AssertionError:
            # The process ends by this. What led to it has to be in the log.
            _log.critical(
                "the quorum's core fails: %s; its state: %s",
                describe_event(event),
                describe_state(self._raft),
            )
            raise
        self._take_effects()
        # Its deadline may be another, and something may be committed: a loop that waits has to look.
        self._wake.set()

    def _command(
        self,
        request: Message,
        version: int,
        context: controller_events.CommandContext,
        reply: Deferred[Answer],
        arrived_at: float,
    ) -> None:
        self._waiting_commands -= 1
        assert self._controller is not None, f"{request.NAME} for the controller of a node that has none"
        self._controller.metrics.queue_times.add(time.perf_counter() - arrived_at)
        self._controller.command(request, version, context, reply)

    def _take_request(
        self, request: InboundRequest, listener_name: str, answered: Callable[[RaftAnswer], None]
    ) -> str | None:
        """Queue a request of a peer; where too many wait, the reason comes back instead of an answer."""
        if len(self._asked) >= MAX_WAITING_REQUESTS:
            return f"{MAX_WAITING_REQUESTS} requests wait for the quorum already"
        self._post(partial(self._ask_raft, listener_name, request, answered))
        return None

    def _ask_raft(
        self, listener_name: str, request: InboundRequest, answered: Callable[[RaftAnswer], None]
    ) -> None:
        self._next_request_id += 1
        self._asked[self._next_request_id] = answered
        self._to_raft(
            raft_events.RequestReceived(
                request_id=self._next_request_id, request=request, listener_name=listener_name
            )
        )

    def _persisted(self, report: Persisted) -> None:
        """The disk's thread has made effects durable, and all before them."""
        if report.sync_ms is not None:
            self.metrics.count_flush(report.sync_ms)
        now = time.perf_counter()
        while self._unsynced and self._unsynced[0][0] <= report.number:
            self.metrics.count_persist((now - self._unsynced.popleft()[1]) * 1000)
        for event in report.events:
            if isinstance(event, raft_events.SnapshotInstalled):
                self._tail.restart_at(event.snapshot.id.offset)
                self._committed.feed.load_newest_snapshot()
            self._to_raft(event)
        self._tell_persisted(report.number)
        self._to_raft(raft_events.Persisted(number=report.number))

    def _tell_persisted(self, number: int) -> None:
        """Tell what waited for effects up to a number, and for none after them."""
        while self._unfinished and (
            self._unfinished[0].number <= number or not self._unfinished[0].must_persist
        ):
            for told in self._unfinished.popleft().tell_after_persist:
                self._tell(told)

    # -- the Raft core's effects -------------------------------------------------------------------------------

    def _take_effects(self) -> None:
        """Begin to carry out what the Raft core asks for."""
        effects = self._raft.take_effects()
        if effects is None:
            return
        if _trace.isEnabledFor(logging.DEBUG):
            _trace.debug("> %s", describe_effects(effects))
        if effects.must_persist:
            # Before anything is told: an answer may need what is written here.
            self._unsynced.append((effects.number, time.perf_counter()))
            self._worker.persist(
                PersistJob(
                    number=effects.number,
                    writes=tuple(self._write(write) for write in effects.writes),
                    election_state=effects.election_state,
                    must_sync=effects.must_sync,
                )
            )
        # The controller has to know of control records before anything makes it reserve offsets again.
        for told in effects.tell_now:
            if isinstance(told, raft_effects.ControlBatchAppended):
                self._tell(told)
        for told in effects.tell_now:
            if not isinstance(told, raft_effects.ControlBatchAppended):
                self._tell(told)
        self._unfinished.append(effects)
        if not self._unfinished[0].must_persist:
            self._tell_persisted(0)

    def _write(self, write: raft_effects.LogWrite) -> DiskWrite:
        """A change as the disk's thread takes it; batches are in memory from here on."""
        match write:
            case raft_effects.PendingBatch():
                timestamp_ms = self._clock.wall_ms()
                payload = encode_batch(write, timestamp_ms)
                self._tail.append(
                    TailBatch(base_offset=write.base_offset, next_offset=write.next_offset, payload=payload)
                )
                self._committed.appended(
                    next_offset=write.next_offset, timestamp_ms=timestamp_ms, size_bytes=len(payload)
                )
                self.metrics.appended_records += write.next_offset - write.base_offset
                return payload
            case FetchedBatch(payload=payload):
                self._tail.append(
                    TailBatch(base_offset=write.base_offset, next_offset=write.next_offset, payload=payload)
                )
                self.metrics.fetched_records += write.next_offset - write.base_offset
                return payload
            case raft_effects.TruncateLog(end_offset=end_offset):
                self._tail.truncate_to(end_offset)
        return write

    def _tell(self, told: raft_effects.TellNow | raft_effects.TellAfterPersist) -> None:
        match told:
            case raft_effects.SendRequest():
                assert self._nursery is not None
                self._channel.send(self._nursery, told)
            case raft_effects.SendAnswer():
                self._asked.pop(told.request_id)(told.answer)
            case raft_effects.HighWatermarkAdvanced():
                self._committed.high_watermark_advanced(told.offset)
            case raft_effects.LeaderChanged():
                _log.info("leader %d, epoch %d", told.leader.leader_id, told.leader.epoch)
                self.published.leader = told.leader
                self.published.notify()
                if self._controller is not None:
                    self._controller.leader_changed(told.leader)
            case raft_effects.VotersChanged():
                self._tell_kraft_version(told.kraft_version)
            case raft_effects.ShutdownCompleted():
                self._handed_over.set()
            case raft_effects.ClaimRefused():
                _log.warning("does not believe %s", describe_refusal(told))
            case _:
                self._tell_leadership(told)

    def _tell_leadership(
        self,
        told: raft_effects.BecameLeader
        | raft_effects.LeadershipLost
        | raft_effects.ControlBatchAppended
        | raft_effects.AppendRefused,
    ) -> None:
        assert self._controller is not None, f"node {self._node_id} is no controller, and is told {told}"
        match told:
            case raft_effects.BecameLeader():
                # It was queued behind a write; if leadership was lost meanwhile, that was told already.
                if self._raft.leader_and_epoch == LeaderAndEpoch(leader_id=self._node_id, epoch=told.epoch):
                    _log.info("leads the quorum in epoch %d", told.epoch)
                    self._controller.became_leader(told)
            case raft_effects.LeadershipLost():
                _log.info("leads the quorum no more; its epoch was %d", told.epoch)
                self._committed.leadership_lost()
                self._controller.leadership_lost(told.epoch)
                self._publish_active_epoch()
            case raft_effects.ControlBatchAppended():
                self._controller.control_batch_appended(told)
            case raft_effects.AppendRefused():
                self._controller.append_refused(told)
            case _:
                assert_never(told)

    def _tell_kraft_version(self, kraft_version: int) -> None:
        if self._controller is not None:
            self._controller.handle(controller_events.KRaftVersionChanged(kraft_version=kraft_version))

    # -- committed state ---------------------------------------------------------------------------------------

    def _maybe_become_current(self) -> None:
        """See whether the replay of what is committed has come to where the node may act on it."""
        if self._committed.is_current:
            self._images.caught_up()
            high_watermark = self.published.high_watermark
            if self._controller is not None and self._controller.maybe_activate(high_watermark):
                self._obey_controller()
                self._publish_active_epoch()

    def _publish_active_epoch(self) -> None:
        if self._controller is not None and self._controller.active_epoch != self.published.active_epoch:
            self.published.active_epoch = self._controller.active_epoch
            self.published.notify()


def _raise(error: Exception) -> None:
    raise error
