"""A node's replica of the quorum and its controller, as one object for the rest of the node.

Both cores are synchronous and run in one task. `shell.quorum.loop` defines the order of events, and
`shell.quorum.effects` applies the effects of the Raft core. This module assembles the parts. The rest of the node uses
it to submit commands (`submit`), to pass on requests of other replicas (`raft_request`), and to read what was last
published: image, leader, high watermark.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial

import msgspec
import trio

from kafkaproto.message import Message
from kafkaproto.messages import BrokerHeartbeatRequest, DescribeQuorumRequest
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.base.metrics.controller import ControllerMetrics
from kafkaproto_server.base.types import NO_NODE, Endpoint
from kafkaproto_server.core.controller.machine.controller import Controller
from kafkaproto_server.core.controller.values import events as controller_events
from kafkaproto_server.core.raft.node import RaftNode
from kafkaproto_server.core.raft.values import events as raft_events
from kafkaproto_server.core.raft.values.config import RaftConfig
from kafkaproto_server.core.raft.values.messages import InboundRequest, OutboundResponse
from kafkaproto_server.core.raft.values.statistics import RaftStatistics
from kafkaproto_server.core.raft.values.voters import VoterSet
from kafkaproto_server.core.raft.wire import describe_quorum_response
from kafkaproto_server.requests.context import NoResponse, RequestContext, Response
from kafkaproto_server.shell.quorum.controller_runner import ControllerRunner
from kafkaproto_server.shell.quorum.disk_worker import DiskWorker
from kafkaproto_server.shell.quorum.effects import RaftEffects
from kafkaproto_server.shell.quorum.host import QuorumHost
from kafkaproto_server.shell.quorum.image.committed_state import CommittedState
from kafkaproto_server.shell.quorum.image.image_release import ImageRelease
from kafkaproto_server.shell.quorum.image.published import ImagePublisher, Published
from kafkaproto_server.shell.quorum.log_tail import LogTail
from kafkaproto_server.shell.quorum.loop import QuorumLoop
from kafkaproto_server.shell.quorum.metadata_log import MetadataLog, QuorumStorage
from kafkaproto_server.shell.quorum.metrics import QuorumMetrics, SnapshotMetrics
from kafkaproto_server.shell.quorum.pauses import PauseWatch
from kafkaproto_server.shell.quorum.peers import QuorumPeers
from kafkaproto_server.shell.quorum.raft_channel import PeerStatistics, RaftChannel
from kafkaproto_server.shell.quorum.raft_service import RaftService
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.metadata.snapshot_file import BOOTSTRAP_SNAPSHOT_ID

MAX_WAITING_REQUESTS = 10_000
"""Limit for commands that wait for the controller, and for requests that the Raft core has not answered. A connection
has one request in progress, so it takes this many connections with simultaneous requests to reach it."""


class QuorumDriver:
    """Runs the Raft core, and the controller core if the node is a controller."""

    def __init__(
        self,
        *,
        config: RaftConfig,
        cluster_id: str,
        raft: RaftNode,
        opened: raft_events.Opened,
        controller: Controller | None,
        storage: QuorumStorage,
        host: QuorumHost,
    ) -> None:
        """``config`` is that of ``raft``; ``controller`` is None on a node that is no controller."""
        self._node_id = config.key.id
        self._listener_name = config.listener_name
        self._raft = raft
        self._opened = opened
        self._storage = storage
        self._host = host
        self._clock = host.clock
        self._is_shutting_down = False
        self._has_ended = trio.Event()
        self.published = Published()
        self.metrics = QuorumMetrics()
        self._old_images = ImageRelease()
        self._images = ImagePublisher(self.published, self._old_images.replaced)
        # A pool of its own: a commit of the quorum must not wait for the logs of topics.
        self._workers = host.threads.workers(1)
        tail = LogTail(end_offset=storage.log.log_end_offset)
        self._metadata_log = MetadataLog(storage=storage, worker=self._disk_worker(storage), tail=tail)
        self._peers = QuorumPeers(raft, config.listener_name)
        self._channel = self._raft_channel(cluster_id, config.request_timeout_ms)
        self._service = RaftService(cluster_id=cluster_id, ask=self._take_request, log=self._metadata_log)
        self._controller = None if controller is None else self._controller_runner(controller)
        self._committed = CommittedState(
            log=self._metadata_log,
            raft=raft,
            controller=self._controller,
            images=self._images,
            metrics=self.metrics,
            host=host,
            to_raft=lambda event: self._loop.post_to_raft(event),
            wake=lambda: self._loop.wake(),
        )
        self._effects = RaftEffects(
            raft=raft,
            controller=self._controller,
            committed=self._committed,
            log=self._metadata_log,
            channel=self._channel,
            metrics=self.metrics,
            clock=self._clock,
            wake=lambda: self._loop.wake(),
        )
        self._loop = QuorumLoop(
            raft=raft,
            effects=self._effects,
            controller=self._controller,
            committed=self._committed,
            images=self._images,
            published=self.published,
            metrics=self.metrics,
            clock=self._clock,
        )

    def _disk_worker(self, storage: QuorumStorage) -> DiskWorker:
        return DiskWorker(
            log=storage.log,
            quorum_state_file=storage.quorum_state_file,
            snapshots=storage.snapshots,
            report=lambda report: self._loop.post(partial(self._effects.persisted, report)),
            workers=self._workers,
        )

    def _raft_channel(self, cluster_id: str, request_timeout_ms: int) -> RaftChannel:
        return RaftChannel(
            node_id=self._node_id,
            cluster_id=cluster_id,
            listener_name=self._listener_name,
            request_timeout_ms=request_timeout_ms,
            rng=self._host.rng,
            connect=self._host.connect,
            is_known=self._peers.is_known,
            report=lambda event: self._loop.post_to_raft(event),
        )

    def _controller_runner(self, controller: Controller) -> ControllerRunner:
        return ControllerRunner(
            controller,
            node_id=self._node_id,
            clock=self._clock,
            to_raft=lambda event: self._effects.to_raft(event),
            ask_raft=lambda request, answered: self._effects.ask(self._listener_name, request, answered),
            publish=self._images.take,
            pauses=PauseWatch(self._clock),
        )

    # -- start and stop ----------------------------------------------------------------------------------------

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Drive the cores until `stop`. Raises StorageError if the disk fails: the node promises nothing after that."""
        try:
            async with trio.open_nursery() as nursery:
                await nursery.start(self._workers.run)
                self._committed.start(nursery)
                nursery.start_soon(self._old_images.run)
                self._effects.begin(self._opened, nursery)
                # Not before the core knows its voters, which are those to be connected to.
                nursery.start_soon(self._channel.keep_ready, self._peers.other_voters)
                task_status.started()
                await self._loop.run(nursery)
                closed = trio.Event()
                # In the worker's lane, behind all writes that are queued: a clean close testifies
                # to them.
                self._metadata_log.worker.call(self._storage.log.close, lambda _: closed.set())
                await closed.wait()
                nursery.cancel_scope.cancel()
            # Not before: a thread may still be writing a snapshot.
            self._has_ended.set()
        finally:
            self._channel.close()

    async def hand_over(self) -> None:
        """Have the Raft core give up leadership. Returns once another node leads, or if waiting for that is useless.

        Until then the node has to be reachable: the new leader asks it for its vote, and its followers learn from it
        that it resigned.
        """
        if not self._is_shutting_down:
            self._is_shutting_down = True
            # Once: the core takes a second one for a contradiction.
            self._loop.post_to_raft(raft_events.ShutdownRequested())
        await self._effects.handed_over.wait()

    async def stop(self) -> None:
        """Do `hand_over` if it was not done, then end `run`. Returns once the log is closed."""
        # Whoever stops without it leaves its followers to find out by themselves that it is gone.
        await self.hand_over()
        # Behind the responses to all that was asked until now: what was promised is still sent.
        self._loop.close()
        await self._has_ended.wait()

    def abandon(self) -> None:
        """Close the log's files where `run` is over, or was never called, and `stop` was not waited for."""
        self._storage.log.abandon()

    # -- commands and requests ---------------------------------------------------------------------------------

    def submit(
        self, request: Message, version: int, context: controller_events.CommandContext
    ) -> Deferred[Response]:
        """Pass a command to the controller. If the controller is not active, it responds NOT_CONTROLLER itself."""
        result: Deferred[Response] = Deferred()
        # No response instead of an error: the connection is closed, and its sender has to come
        # back. That keeps the rest of the queue short enough to be served.
        if self._loop.waiting_commands >= MAX_WAITING_REQUESTS:
            result.resolve(
                NoResponse(reason=f"{MAX_WAITING_REQUESTS} requests wait for the controller already")
            )
            return result
        # A heartbeat hardly ever changes anything, but delaying it can end a broker's session.
        self._loop.command(
            # The time of arrival is taken here, because the command may wait for the loop.
            partial(self._command, request, version, context, result, time.perf_counter()),
            at_once=isinstance(request, BrokerHeartbeatRequest),
        )
        return result

    def _command(
        self,
        request: Message,
        version: int,
        context: controller_events.CommandContext,
        result: Deferred[Response],
        arrived_at: float,
    ) -> None:
        assert self._controller is not None, f"{request.NAME} for the controller of a node that has none"
        self._controller.metrics.queue_times.add(time.perf_counter() - arrived_at)
        self._controller.command(request, version, context, result)

    def broker_failed(self, death: controller_events.BrokerFailed, proof: str) -> None:
        """Tell the controller that a broker's process is gone; ``proof`` says in words how this is known."""
        assert self._controller is not None, "only a node with a controller hears of brokers"
        self._loop.post(partial(self._controller.handle, msgspec.structs.replace(death, proof=proof)))

    def raft_request(self, request: Message, context: RequestContext) -> Deferred[Response]:
        """Have the Raft core serve a request between replicas of the quorum."""
        return self._service.serve(request, context)

    def _take_request(
        self, request: InboundRequest, listener_name: str, answered: Callable[[OutboundResponse], None]
    ) -> str | None:
        """Queue a request of another replica. Returns None, or the reason for refusing it if too many requests wait."""
        # Parked Fetches count as well. The core bounds those, but not the rest of what anybody may
        # ask of it.
        if self._effects.unanswered >= MAX_WAITING_REQUESTS:
            return f"{MAX_WAITING_REQUESTS} requests wait for the quorum already"
        self._loop.post(partial(self._effects.ask, listener_name, request, answered))
        return None

    def describe_quorum(self, request: Message, version: int) -> Message:
        """The response to DescribeQuorum from this replica."""
        # Answered from memory at once, not through the loop's queue: it decides nothing.
        assert isinstance(request, DescribeQuorumRequest)
        description = self._raft.describe_quorum(self._clock.now_ms(), self._clock.wall_ms())
        return describe_quorum_response(request, version, description)

    # -- the leader --------------------------------------------------------------------------------------------

    def leader_endpoint(self, listener_name: str) -> Endpoint | None:
        """The endpoint of the quorum's leader for a listener; None if this node does not know it."""
        return self._raft.leader_endpoint(listener_name)

    @property
    def follows_leader(self) -> bool:
        """Whether the quorum has a leader and this node has that leader's state: it follows it, or it is the leader and
        its controller is active."""
        if self.published.leader.leader_id == self._node_id:
            # A leader whose controller is not active yet has not replayed all that is committed.
            return self.published.active_epoch is not None
        return self.published.leader.leader_id != NO_NODE and self._images.has_caught_up

    @property
    def hears_leader(self) -> bool:
        """Whether `follows_leader` holds and, as far as this node can tell, the leader is alive."""
        return self.follows_leader and self._raft.follows_live_leader(self._clock.now_ms())

    async def wait_until_follows_leader(self) -> None:
        while not self.follows_leader:
            await self.published.changed.wait()

    @property
    def kraft_version(self) -> int:
        """The level of kraft.version in force."""
        return self._raft.kraft_version

    @property
    def voters(self) -> VoterSet:
        """The voter set in force."""
        return self._raft.voters

    def peer_hosts(self) -> frozenset[str]:
        """The addresses of the other voters, as `QuorumPeers.hosts` has them."""
        return self._peers.hosts(self._channel.remote_hosts)

    # -- metrics -----------------------------------------------------------------------------------------------

    @property
    def failed_brokers(self) -> int:
        """The number of brokers that this node's controller fenced because their processes were provably gone."""
        return 0 if self._controller is None else self._controller.failed_brokers

    @property
    def controller_metrics(self) -> ControllerMetrics | None:
        """The metrics of this node's controller; None if it has none."""
        return None if self._controller is None else self._controller.metrics

    @property
    def since_last_contacts_ms(self) -> Mapping[int, int]:
        """Milliseconds since the last heartbeat of each broker; empty if this node's controller is not active."""
        return {} if self._controller is None else self._controller.since_last_contacts_ms

    def latest_snapshot_end_offset(self) -> int | None:
        """The end offset of the newest snapshot on disk; None if there is none. Blocks; any thread may call it."""
        latest = self._storage.snapshots.latest()
        return None if latest in (None, BOOTSTRAP_SNAPSHOT_ID) else latest.end_offset

    @property
    def log(self) -> Log:
        """The metadata log, for whoever reads its offsets and its size."""
        return self._storage.log

    def statistics(self) -> RaftStatistics:
        """The counters and the state of the Raft core."""
        return self._raft.statistics()

    def peer_statistics(self) -> dict[int, PeerStatistics]:
        """The requests that were sent to each node, by node id; -2, -3, ... for bootstrap servers, -1 for all unknown
        nodes."""
        return self._channel.statistics

    def snapshot_metrics(self) -> SnapshotMetrics:
        """The metrics of this node's snapshots."""
        snapshotter = self._committed.snapshotter
        return SnapshotMetrics(
            loaded=self._committed.feed.loaded_snapshots,
            written=snapshotter.written,
            failed=snapshotter.failed,
            latest_bytes=snapshotter.latest_bytes,
            latest_age_ms=self._clock.now_ms() - snapshotter.latest_at_ms if snapshotter.written else 0,
        )

    @property
    def waiting_events(self) -> int:
        """The number of events and commands that wait for the loop."""
        return self._loop.waiting_events
