"""A node of the cluster: a replica of the quorum with a real controller, or with the image of a broker, on top.

In a server, `shell.quorum.image.committed_state` and `shell.quorum.driver` connect the two cores over several turns.
Here it happens at once: committed batches are handed over, the controller becomes active when everything before its
epoch was replayed, and its requests go to the Raft core before anything else happens to either core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from kafkaproto.message import Message
from kafkaproto.messages import BrokerHeartbeatRequest, FeatureLevelRecord
from kafkaproto.records.metadata import decode_metadata_record
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.base.types import OffsetAndEpoch
from kafkaproto_server.core.controller.machine.changes import MAX_AHEAD, Change
from kafkaproto_server.core.controller.machine.controller import Controller
from kafkaproto_server.core.controller.values import events as controller_events
from kafkaproto_server.core.controller.values.config import ControllerConfig
from kafkaproto_server.core.controller.values.effects import Effect, ReportDeath
from kafkaproto_server.core.controller.values.events import Event as ControllerEvent
from kafkaproto_server.core.raft.model.states import StateName
from kafkaproto_server.core.raft.values.config import RaftConfig
from kafkaproto_server.core.raft.values.effects import (
    AppendRefused,
    BecameLeader,
    ControlBatchAppended,
    HighWatermarkAdvanced,
    LeaderChanged,
    LeadershipLost,
    SendResponse,
    VotersChanged,
)
from kafkaproto_server.core.raft.values.events import Event, RequestReceived, SnapshotInstalled
from kafkaproto_server.core.raft.values.messages import InboundRequest, OutboundResponse
from kafkaproto_server.core.raft.values.voters import VoterSet
from kafkaproto_server.metadata.features import LATEST_METADATA_VERSION, METADATA_VERSION
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests.context import Response
from kafkaproto_server.shell.quorum.controller_runner import ControllerRunner
from kafkaproto_server.shell.quorum.image.image_builder import ImageBuilder, ObserverImage
from tests.sim.checkers.invariants import ViolationError
from tests.sim.metadata.checker import MetadataInvariant
from tests.sim.metadata.snapshot_files import SnapshotFiles
from tests.sim.replica import Replica, ReplicaRng
from tests.sim.replica_disk import ReplicaDisk
from tests.sim.replica_log import LogBatch
from tests.sim.snapshots import Snapshot

if TYPE_CHECKING:
    from tests.sim.metadata.checker import ImageChecker
    from tests.sim.metadata.records import RecordChecker
    from tests.sim.world import World

CLUSTER_ID = "c2ltdWxhdGVkIGNsdXN0ZX"
CONFIG = ControllerConfig(
    broker_session_timeout_ms=3_000,
    leader_imbalance_check_interval_seconds=2,
    unclean_leader_election_interval_ms=3_000,
    delegation_token_secret_key="simulated",
    delegation_token_expiry_check_interval_ms=1_500,
)
SLICES = (1, 3, 10, 400)
"""Steps of the controller's changes at a time: with few, a change of a dozen partitions takes many slices, and anything
may happen in between."""
SLICE_US = 2_000
"""What a slice takes, with all else that a node's loop has to do then."""
APPENDED_AT_MS = 1_700_000_000_000
"""The append time of every batch."""
OWN_REQUESTS = 10**9
"""Requests of a controller to its own Raft core have numbers from here on; those of peers never get so far."""
BUSY_SHARE = 0.3
"""How often a request finds the loop busy."""
MOST_BUSY_US = 50_000
_BOOTSTRAP: tuple[Message, ...] = (
    FeatureLevelRecord(name=METADATA_VERSION, feature_level=LATEST_METADATA_VERSION.level),
    FeatureLevelRecord(name="eligible.leader.replicas.version", feature_level=1),
)


class NodeClock:
    """``ports.Clock`` of one replica."""

    def __init__(self, replica: Replica) -> None:
        self._replica = replica

    def now_ms(self) -> int:
        """Monotonic milliseconds."""
        return self._replica.now_ms()

    def wall_ms(self) -> int:
        """Milliseconds since the epoch."""
        return 1_700_000_000_000 + self._replica.now_ms()


class WatchedController(Controller):
    """A controller that notes which brokers it fences because of a proof, and that is checked while it works."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.reported_deaths: list[ReportDeath] = []
        self._active_since_ms = 0
        self._heard_ms: dict[tuple[int, int], int] = {}
        """By broker id and epoch: the time of the last contact."""
        self._begin = self._changes._carry_out
        self._changes._carry_out = self._carry_out  # type: ignore[method-assign]

    def handle(self, event: ControllerEvent, now_ms: int, *, wall_ms: int) -> None:
        """As the controller's own."""
        if isinstance(event, controller_events.BecameActive):
            self._active_since_ms = now_ms
        elif isinstance(event, controller_events.CommandReceived) and isinstance(
            event.request, BrokerHeartbeatRequest
        ):
            self._heard_ms[event.request.broker_id, event.request.broker_epoch] = now_ms
        super().handle(event, now_ms, wall_ms=wall_ms)
        for broker_id, session in self._watch.sessions.items():
            heard_ms = self._heard_ms.get((broker_id, session.broker_epoch), 0)
            if session.last_contact_ms > max(self._active_since_ms, heard_ms):
                raise ViolationError(MetadataInvariant.CONTACTS_WERE_HEARD, f"broker {broker_id}")
            if session.last_contact_ms < heard_ms:
                raise ViolationError(MetadataInvariant.HEARTBEATS_COUNT, f"broker {broker_id}")

    def _carry_out(self, change: Change) -> Iterator[None]:
        watch = self._watch
        now_ms = self._situations.now_ms
        waits = [each for each in sorted(watch.fencing) if watch.is_silent(each, now_ms)]
        command = change.command
        is_command = command is not None and not isinstance(command.request, BrokerHeartbeatRequest)
        if waits and is_command and change.times_passed < MAX_AHEAD:
            raise ViolationError(MetadataInvariant.FENCING_GOES_FIRST, f"{change.name} before {waits}")
        return self._begin(change)

    def take_effects(self) -> list[Effect]:
        """As the controller's own."""
        effects = super().take_effects()
        self.reported_deaths += [effect for effect in effects if isinstance(effect, ReportDeath)]
        return effects


class Node(Replica):
    """A replica with the controller or broker that runs on it in this life."""

    died: Callable[[Node, ReportDeath], None]
    """Called with each broker that a controller fences because of a proof; set once for all nodes."""

    images: ImageChecker
    """The checker of the run's images; set once for all nodes."""

    records: RecordChecker
    """The checker of its records; set once for all nodes."""

    def __init__(
        self,
        world: World,
        node_id: int,
        disk: ReplicaDisk,
        configure: Callable[[Replica], RaftConfig],
        *,
        can_be_voter: bool,
    ) -> None:
        self.half: ControllerRunner | None = None
        self.image = ClusterImage()
        super().__init__(world, node_id, disk, configure, can_be_voter=can_be_voter)

    def _begin_life(self) -> None:
        super()._begin_life()
        self.image = ClusterImage()
        self._is_obeying = False
        self._own_requests: dict[int, Callable[[OutboundResponse], None]] = {}
        self._last_own_request = OWN_REQUESTS
        self._commands: list[tuple[Message, Deferred[Response]]] = []
        self._controller_wake_at: int | None = None
        self.builder: ImageBuilder
        if not self.can_be_voter:
            self.half = None
            self.builder = ObserverImage(self._publish)
            return
        self.controller = WatchedController(
            node_id=self.id,
            cluster_id=CLUSTER_ID,
            config=CONFIG,
            rng=ReplicaRng(f"controller {self.world.seed} {self.id} {self.life}"),
            bootstrap_records=_BOOTSTRAP,
            steps_per_slice=self.world.rng.choice(SLICES),
        )
        self.half = self.builder = ControllerRunner(
            self.controller,
            node_id=self.id,
            clock=NodeClock(self),
            to_raft=self.handle,
            ask_raft=self._ask_own_raft,
            publish=self._publish,
        )

    def start(self) -> None:
        """Begin a life from what is durable: the newest snapshot, and the log from there on."""
        super().start()
        if self.is_up and self.half is not None:
            self.half.handle(controller_events.KRaftVersionChanged(kraft_version=self.core.kraft_version))
            self._apply_controller_effects()

    # -- the driver's loop ---------------------------------------------------------------------------------------

    def handle(self, event: Event) -> None:
        """Let the Raft core handle one event, and the controller the effects of it."""
        super().handle(event)
        self._apply_controller_effects()

    def _apply_controller_effects(self) -> None:
        """Apply the controller's effects until there are no more."""
        half, life = self.half, self.life
        if half is None or self._is_obeying:
            return
        self._is_obeying = True
        while self.is_up and life == self.life:
            if self._is_current:
                half.maybe_activate(self.high_watermark)
            has_asked = half.apply_effects()
            self._tell_deaths()
            if not has_asked:
                break
        if self.is_up and life == self.life:
            self._is_obeying = False
            self._schedule_controller()

    def _tell_deaths(self) -> None:
        deaths, self.controller.reported_deaths = self.controller.reported_deaths, []
        for death in deaths:
            type(self).died(self, death)

    def _schedule_controller(self) -> None:
        assert self.half is not None
        deadline_ms = self.half.next_deadline_ms
        if deadline_ms is None:
            return
        if self.half.has_work:
            if self._controller_wake_at is None or self._controller_wake_at > self.world.now + SLICE_US:
                self._wake_controller_at(self.world.now + 1 + self.world.rng.randrange(SLICE_US))
            return
        at = max(self.world.now, -(-(deadline_ms - self._clock_base_ms) * 1_000_000 // self.clock_rate))
        if self._controller_wake_at is None or at < self._controller_wake_at:
            self._wake_controller_at(at)

    def _wake_controller_at(self, at: int) -> None:
        self._controller_wake_at = at
        self.world.at(at, self._wake_controller, (self.life, at))

    def _wake_controller(self, due: tuple[int, int]) -> None:
        life, at = due
        if life != self.life or at != self._controller_wake_at or not self.is_up:
            self.world.idle += 1
            return
        if self.is_paused:
            self.inbox.append((self._wake_controller, due))
            return
        assert self.half is not None
        self._controller_wake_at = None
        self.half.handle(controller_events.TimePassed())
        self._apply_controller_effects()

    def command(self, request: Message, reply: Deferred[Response]) -> None:
        """Let this node's controller carry out a request: at once, or, if its loop is busy, together with all others
        that come meanwhile.
        """
        self._commands.append((request, reply))
        if len(self._commands) > 1:
            return
        if self.world.rng.random() < BUSY_SHARE:
            self.world.after(self.world.rng.randrange(MOST_BUSY_US), self._take_commands, self.life)
        else:
            self._take_commands(self.life)

    def _take_commands(self, life: int) -> None:
        if life != self.life or not self.is_up:
            self.world.idle += 1
            return
        if self.is_paused:
            self.inbox.append((self._take_commands, life))
            return
        assert self.half is not None, f"node {self.id} is no controller"
        commands, self._commands = self._commands, []
        for request, reply in commands:
            context = controller_events.CommandContext(
                listener_name="CONTROLLER", client_host="127.0.0.1", deadline_ms=None
            )
            self.half.command(request, type(request).MAX_VERSION, context, reply)
        self._apply_controller_effects()

    def broker_failed(self, death: controller_events.BrokerFailed) -> None:
        """Tell this node's controller that a broker's process is gone."""
        assert self.half is not None, f"node {self.id} is no controller"
        self.half.handle(death)
        self._apply_controller_effects()

    def _ask_own_raft(self, request: InboundRequest, answered: Callable[[OutboundResponse], None]) -> None:
        self._last_own_request += 1
        number = self._last_own_request
        self._own_requests[number] = answered
        self.handle(RequestReceived(request_id=number, request=request, listener_name="CONTROLLER"))

    # -- committed state -----------------------------------------------------------------------------------------

    @property
    def _is_current(self) -> bool:
        return self.high_watermark > 0 and self.builder.next_offset >= self.high_watermark

    def _publish(self, image: ClusterImage) -> None:
        self.images.published(self, image)
        self.records.committed(self.world.commits.batches)
        self.image = image

    def _feed(self) -> None:
        """Hand over committed batches that were not handed over yet."""
        latest = self.disk.latest_snapshot
        if latest is not None and latest.id.offset > self.builder.next_offset:
            self.builder.take_snapshot(self._files.image_of(latest))
        for batch in self.disk.log.batches_from(self.builder.next_offset):
            if batch.next_offset > self.high_watermark:
                break
            if batch.base_offset >= self.builder.next_offset:
                self.builder.take_batch(committed(batch))

    def begin_snapshot(self) -> None:
        """Begin to write a snapshot; none within a metadata transaction."""
        batch = self.disk.log.batch_with(self.applied_offset - 1)
        if batch is None or self.image.offset + 1 != self.applied_offset:
            return
        super().begin_snapshot()

    @property
    def _files(self) -> SnapshotFiles:
        assert isinstance(self.world.library, SnapshotFiles)
        return self.world.library

    def _new_snapshot(
        self, snapshot_id: OffsetAndEpoch, kraft_version: int, voters: VoterSet | None
    ) -> Snapshot:
        return self._files.write_image(snapshot_id, self.image, self.digest, kraft_version, voters)

    def _hear_of_snapshot(self, event: Event) -> None:
        if isinstance(event, SnapshotInstalled):
            self.builder.take_snapshot(self._files.image_of(self.disk.snapshots[event.snapshot.id]))
        super()._hear_of_snapshot(event)

    # -- what the Raft core tells --------------------------------------------------------------------------------

    def _tell_own_response(self, notice: SendResponse) -> None:
        answered = self._own_requests.pop(notice.request_id, None)
        if answered is None:
            self._tell_response(notice)
        else:
            answered(notice.response)

    def _tell_committed(self, notice: HighWatermarkAdvanced) -> None:
        self._tell_high_watermark(notice)
        if self.half is not None and self.half.active_epoch is not None:
            self.half.handle(
                controller_events.RecordsCommitted(high_watermark=notice.offset, timestamp_ms=APPENDED_AT_MS)
            )
        else:
            self._feed()

    def _tell_leads(self, notice: BecameLeader) -> None:
        self._tell_became_leader(notice)
        if self.core.state.name is StateName.LEADER and self.core.state.epoch == notice.epoch:
            assert self.half is not None
            self.half.became_leader(notice)

    def _tell_lost(self, notice: LeadershipLost) -> None:
        self._tell_leadership_lost(notice)
        assert self.half is not None
        self.half.leadership_lost(notice.epoch)
        self._feed()

    def _tell_control(self, notice: ControlBatchAppended) -> None:
        assert self.half is not None
        self.half.control_batch_appended(notice)

    def _tell_append_refused(self, notice: AppendRefused) -> None:
        assert self.half is not None
        self.half.append_refused(notice)

    def _tell_leader_changed(self, notice: LeaderChanged) -> None:
        if self.half is not None:
            self.half.leader_changed(notice.leader)

    def _tell_voters_changed(self, notice: VotersChanged) -> None:
        if self.half is not None:
            self.half.handle(controller_events.KRaftVersionChanged(kraft_version=notice.kraft_version))


def committed(batch: LogBatch) -> controller_events.BatchCommitted:
    """A batch of the log as a controller is handed it."""
    is_control = not batch.records
    return controller_events.BatchCommitted(
        base_offset=batch.base_offset,
        last_offset=batch.next_offset - 1,
        epoch=batch.epoch,
        timestamp_ms=APPENDED_AT_MS,
        records=None if is_control else tuple(decode_metadata_record(value)[0] for value in batch.records),
    )


Node.tellers = {
    **Replica.tellers,
    SendResponse: Node._tell_own_response,
    HighWatermarkAdvanced: Node._tell_committed,
    LeadershipLost: Node._tell_lost,
    ControlBatchAppended: Node._tell_control,
    AppendRefused: Node._tell_append_refused,
    BecameLeader: Node._tell_leads,
    LeaderChanged: Node._tell_leader_changed,
    VotersChanged: Node._tell_voters_changed,
}
