"""The task that owns this node's replica of the quorum and its controller, and the log under them.

Both cores are synchronous and live in one task, so that reserving offsets and using them is one step: what the
controller wants appended goes to the Raft core at once, what the Raft core commits goes to the controller at once. Disk
work runs in a worker thread, one piece at a time; meanwhile events gather, and what they append shares the next write.

Others reach the cores by `submit` and read what was last published: image, leader, high watermark.
"""

from __future__ import annotations

import logging
import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import trio

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.message import Message
from kafkaproto.messages import DescribeQuorumRequest
from kafkaproto.records.batch import RecordBatchView, iterate_batches
from kafkaproto.records.metadata import decode_metadata_record
from server.apis.context import Answer, NoAnswer
from server.controller import effects as controller_effects
from server.controller import events as controller_events
from server.controller.controller import Controller
from server.features import supported_ranges
from server.image.image import EMPTY_IMAGE, ClusterImage
from server.ports import Clock
from server.raft import effects as raft_effects
from server.raft import events as raft_events
from server.raft.node import RaftNode
from server.raft.wire import describe_quorum_response, encode_batch
from server.storage.errors import StorageError
from server.storage.log import Log
from server.storage.quorum_state_file import QuorumState, QuorumStateFile
from server.types import NO_NODE, Deferred, Endpoint, LeaderAndEpoch

T = TypeVar("T")

_log = logging.getLogger("kafkaproto.server.quorum")

MAX_WAITING_COMMANDS = 10_000
"""Commands that wait for the controller. A connection has one request in progress, so this many connections would
have to ask at once."""

CATCH_UP_READ_BYTES = 1024 * 1024
"""How much of the committed log is handed to an inactive controller at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Command:
    request: Message
    version: int
    context: controller_events.CommandContext
    reply: Deferred[Answer]


class UnsupportedFeatureError(Exception):
    """The cluster runs at a feature level that this release does not know: it cannot tell what records mean."""


def check_features(image: ClusterImage) -> None:
    """Raise UnsupportedFeatureError, which names feature and levels, where the cluster is beyond this release."""
    supported = supported_ranges()
    for name, level in sorted(image.features.items()):
        lowest, highest = supported.get(name, (0, 0))
        if not lowest <= level <= highest:
            raise UnsupportedFeatureError(
                f"the cluster's metadata has {name} at level {level}; this release supports {lowest} to {highest}"
            )


class _Stop:
    """Asks the driver to give up leadership and end."""


@dataclass(slots=True)
class Published:
    """What other tasks may look at. Replaced piece by piece, never changed behind their back between awaits."""

    image: ClusterImage = EMPTY_IMAGE
    """The newest committed state."""
    leader: LeaderAndEpoch = field(default_factory=lambda: LeaderAndEpoch(leader_id=NO_NODE, epoch=0))
    active_epoch: int | None = None
    """The epoch in which this node's controller is active; None while it is not."""
    changed: trio.Event = field(default_factory=trio.Event)
    """Set, and replaced by a new one, whenever one of the above is another."""


class QuorumDriver:
    """Runs the Raft core and the controller core of one node."""

    def __init__(
        self,
        *,
        raft: RaftNode,
        opened: raft_events.Opened,
        controller: Controller,
        log: Log,
        quorum_state_file: QuorumStateFile,
        clock: Clock,
    ) -> None:
        self._raft = raft
        self._opened = opened
        self._controller = controller
        self._log = log
        self._quorum_state_file = quorum_state_file
        self._clock = clock
        self._send_event, self._receive_event = trio.open_memory_channel[_Command | _Stop](
            MAX_WAITING_COMMANDS
        )
        self._one_thread = trio.CapacityLimiter(1)
        self._replies: dict[int, Deferred[Answer]] = {}
        self._next_command_id = 0
        self._leading: raft_effects.BecameLeader | None = None
        self._appended_at: deque[tuple[int, int]] = deque()
        self._timestamp_ms = -1
        self._is_shut_down = False
        self._has_ended = trio.Event()
        self.published = Published()

    # -- what others may ask -----------------------------------------------------------------------------------

    def submit(
        self, request: Message, version: int, context: controller_events.CommandContext
    ) -> Deferred[Answer]:
        """Have the controller carry out a command; it answers NOT_CONTROLLER itself where it is not active."""
        reply: Deferred[Answer] = Deferred()
        command = _Command(request=request, version=version, context=context, reply=reply)
        try:
            self._send_event.send_nowait(command)
        except trio.WouldBlock:
            reply.resolve(NoAnswer(reason=f"{MAX_WAITING_COMMANDS} requests wait for the controller already"))
        return reply

    def describe_quorum(self, request: Message, version: int) -> Message:
        """Answer DescribeQuorum from this replica."""
        assert isinstance(request, DescribeQuorumRequest)
        return describe_quorum_response(request, version, self._raft.describe_quorum(self._clock.wall_ms()))

    @property
    def kraft_version(self) -> int:
        """The finalized level of kraft.version."""
        return self._raft.kraft_version

    def leader_endpoint(self, listener_name: str) -> Endpoint | None:
        """Where the quorum's leader serves a listener, as its voters record says; None while unknown."""
        leader_id = self.published.leader.leader_id
        for voter in self._raft.voters.voters:
            if voter.key.id == leader_id:
                return next((each for each in voter.endpoints if each.name == listener_name), None)
        return None

    @property
    def follows_leader(self) -> bool:
        """Whether the quorum has a leader, and this node follows it, or is it and has become active."""
        return self.published.active_epoch is not None

    async def wait_until_follows_leader(self) -> None:
        """Return once `follows_leader` holds."""
        while not self.follows_leader:
            await self.published.changed.wait()

    async def stop(self) -> None:
        """Have the driver give up leadership and write what is to be written; returns once the log is closed."""
        await self._send_event.send(_Stop())
        await self._has_ended.wait()

    # -- the loop ----------------------------------------------------------------------------------------------

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Drive the cores until `stop`. Raises OSError where the disk fails: nothing is promised after that."""
        self._raft.handle(self._opened, self._clock.now_ms())
        self._controller.handle(
            controller_events.KRaftVersionChanged(kraft_version=self._raft.kraft_version),
            self._clock.now_ms(),
        )
        await self._obey()
        task_status.started()
        while not self._is_shut_down:
            await self._wait_and_handle()
            await self._obey()
        await self._on_disk(self._log.close)
        self._has_ended.set()

    async def _wait_and_handle(self) -> None:
        """Take in the next event, or the passing of time, and all that has gathered behind it."""
        deadlines = [self._raft.next_deadline_ms(), self._controller.next_deadline_ms()]
        deadline_ms = min((each for each in deadlines if each is not None), default=None)
        wait_s = math.inf if deadline_ms is None else (deadline_ms - self._clock.now_ms()) / 1000
        with trio.move_on_after(max(0.0, wait_s)):
            self._handle(await self._receive_event.receive())
            while True:
                try:
                    self._handle(self._receive_event.receive_nowait())
                except trio.WouldBlock:
                    break
        now_ms = self._clock.now_ms()
        self._raft.handle(raft_events.Tick(), now_ms)
        self._controller.handle(controller_events.Tick(), now_ms)

    def _handle(self, event: _Command | _Stop) -> None:
        now_ms = self._clock.now_ms()
        if isinstance(event, _Stop):
            self._raft.handle(raft_events.ShutdownRequested(), now_ms)
            return
        self._next_command_id += 1
        self._replies[self._next_command_id] = event.reply
        self._controller.handle(
            controller_events.CommandReceived(
                command_id=self._next_command_id,
                request=event.request,
                version=event.version,
                context=event.context,
            ),
            now_ms,
        )

    async def _obey(self) -> None:
        """Carry out effects until neither core has any."""
        while True:
            self._obey_controller()
            effects = self._raft.take_effects()
            if effects is None:
                return
            await self._obey_raft(effects)

    # -- the controller's effects ------------------------------------------------------------------------------

    def _obey_controller(self) -> None:
        for effect in self._controller.take_effects():
            match effect:
                case controller_effects.AppendRecords():
                    self._raft.handle(
                        raft_events.AppendRequested(
                            epoch=effect.epoch,
                            base_offset=effect.base_offset,
                            records=effect.records,
                        ),
                        self._clock.now_ms(),
                    )
                case controller_effects.Respond():
                    self._replies.pop(effect.command_id).resolve(effect.response)
                case controller_effects.PublishImage():
                    if effect.image.features is not self.published.image.features:
                        check_features(effect.image)
                    self._publish(image=effect.image)

    def _publish(
        self,
        *,
        image: ClusterImage | None = None,
        leader: LeaderAndEpoch | None = None,
    ) -> None:
        published = self.published
        published.image = image or published.image
        published.leader = leader or published.leader
        changed, published.changed = published.changed, trio.Event()
        changed.set()

    # -- the Raft core's effects -------------------------------------------------------------------------------

    async def _obey_raft(self, effects: raft_effects.Effects) -> None:
        for told in effects.tell_now:
            await self._tell(told)
        if effects.must_persist:
            timestamp_ms = self._clock.wall_ms()
            batches = [encode_batch(batch, timestamp_ms) for batch in effects.append]
            self._appended_at.extend((batch.next_offset, timestamp_ms) for batch in effects.append)
            await self._on_disk(partial(self._persist, batches, effects.election_state))
        for later in effects.tell_after_persist:
            await self._tell(later)
        if effects.must_persist:
            self._raft.handle(raft_events.Persisted(number=effects.number), self._clock.now_ms())

    def _persist(
        self, batches: Sequence[bytes], election_state: raft_effects.WriteElectionState | None
    ) -> None:
        """In a worker thread: the log first, then the vote, then the sync that makes the log's part durable."""
        if batches:
            self._log.append(batches)
        if election_state is not None:
            self._quorum_state_file.write(
                QuorumState(
                    leader_id=election_state.state.leader_id,
                    leader_epoch=election_state.state.epoch,
                    voted=election_state.state.voted_key,
                    voter_ids=election_state.voter_ids,
                    data_version=election_state.kraft_version,
                )
            )
        if batches:
            self._log.sync()

    async def _tell(self, told: raft_effects.TellNow | raft_effects.TellAfterPersist) -> None:
        match told:
            case raft_effects.HighWatermarkAdvanced(offset=offset):
                await self._high_watermark_advanced(offset)
            case raft_effects.AppendRefused():
                # The controller learns of lost leadership by itself; anything else is our own mistake.
                assert told.reason is raft_effects.AppendRefusal.NOT_LEADER, f"append refused: {told}"
            case raft_effects.LeaderChanged(leader=leader):
                self._publish(leader=leader)
            case raft_effects.BecameLeader():
                self._leading = told
                _log.info("leads the quorum in epoch %d", told.epoch)
            case raft_effects.LeadershipLost(epoch=epoch):
                self._leading = None
                self.published.active_epoch = None
                self._controller.handle(
                    controller_events.BecameInactive(leader_id=NO_NODE, epoch=epoch), self._clock.now_ms()
                )
            case raft_effects.ShutdownCompleted():
                self._is_shut_down = True

    async def _high_watermark_advanced(self, offset: int) -> None:
        while self._appended_at and self._appended_at[0][0] <= offset:
            self._timestamp_ms = self._appended_at.popleft()[1]
        leading = self._leading
        if leading is not None and self.published.active_epoch == leading.epoch:
            self._controller.handle(
                controller_events.HighWatermarkAdvanced(
                    high_watermark=offset, timestamp_ms=self._timestamp_ms
                ),
                self._clock.now_ms(),
            )
            return
        await self._hand_over_committed(offset)
        if leading is not None and offset > leading.epoch_start_offset:
            self.published.active_epoch = leading.epoch
            self._controller.handle(
                controller_events.BecameActive(epoch=leading.epoch, next_offset=leading.next_offset),
                self._clock.now_ms(),
            )
            self._publish()

    async def _hand_over_committed(self, high_watermark: int) -> None:
        """Give the inactive controller what is committed and new to it."""
        while self._controller.next_committed_offset < high_watermark:
            start = self._controller.next_committed_offset
            data = await self._on_disk(partial(self._log.read, start, CATCH_UP_READ_BYTES))
            for batch in iterate_batches(data):
                if batch.next_offset > high_watermark:
                    break
                self._controller.handle(self._committed(batch), self._clock.now_ms())
            assert self._controller.next_committed_offset > start, (
                f"no whole batch at committed offset {start}"
            )

    def _committed(self, batch: RecordBatchView) -> controller_events.BatchCommitted:
        try:
            return committed_batch(batch)
        except RemoteProtocolError as error:
            raise StorageError(
                f"{self._log.directory}: the batch at offset {batch.base_offset} is whole, but this release cannot "
                f"read its records: {error}"
            ) from error

    async def _on_disk(self, work: Callable[[], T]) -> T:
        return await trio.to_thread.run_sync(work, limiter=self._one_thread)


def committed_batch(batch: RecordBatchView) -> controller_events.BatchCommitted:
    """A batch of the log as the controller takes it; RemoteProtocolError for a record of an unknown type or version."""
    records = None
    if not batch.is_control:
        records = tuple(decode_metadata_record(record.value or b"")[0] for record in batch.records())
    return controller_events.BatchCommitted(
        base_offset=batch.base_offset,
        last_offset=batch.last_offset,
        epoch=batch.partition_leader_epoch,
        timestamp_ms=batch.max_timestamp,
        records=records,
    )
