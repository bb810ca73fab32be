"""Connects a node's controller core with the Raft core and with the rest of the node.

Both cores run in one task. So when the controller has reserved offsets, its records are in the Raft core before
anything else happens to either core. This module decides when the controller becomes active, which response belongs to
which command, and what the controller's effects mean for the rest of the node.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any, assert_never

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import BrokerHeartbeatRequest
from kafkaproto_server.apis.table import refuse
from kafkaproto_server.base.later import Deferred, Steps, StepsType
from kafkaproto_server.base.metrics.controller import ControllerMetrics
from kafkaproto_server.base.ports import Clock
from kafkaproto_server.base.types import NO_NODE, LeaderAndEpoch
from kafkaproto_server.core.controller.machine.controller import Controller
from kafkaproto_server.core.controller.values import effects, events
from kafkaproto_server.core.raft.values import effects as raft_effects
from kafkaproto_server.core.raft.values import events as raft_events
from kafkaproto_server.core.raft.values.messages import (
    InboundRequest,
    OutboundResponse,
    UpgradeKRaftVersionRequest,
    VoterChangeResponse,
)
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.loader import LoadState
from kafkaproto_server.requests.context import Response
from kafkaproto_server.requests.refusals import Refusal
from kafkaproto_server.requests.release import is_large, release_steps
from kafkaproto_server.shell.quorum.pauses import PauseWatch

_log = logging.getLogger("kafkaproto.server.quorum")

MAX_GATHERED_BYTES = 1024 * 1024
"""Limit for the records that several commands pass to the Raft core together. It is far below the size of a batch, so
the core never refuses the sum of records that it would accept one command at a time."""

STEPS_AT_ONCE = 64
"""The number of steps of a refusal that run immediately: a short refusal is complete after them."""

AskRaft = Callable[[InboundRequest, Callable[[OutboundResponse], None]], None]
"""Pass a request to the Raft core; the function is called with its answer."""


class ControllerRunner:
    """Owns the controller core. Every method is synchronous; `apply_effects` carries out the effects of the events."""

    def __init__(
        self,
        controller: Controller,
        *,
        node_id: int,
        clock: Clock,
        to_raft: Callable[[raft_events.Event], None],
        ask_raft: AskRaft,
        publish: Callable[[ClusterImage], None],
        pauses: PauseWatch | None = None,
    ) -> None:
        """``publish`` is called with every committed image, before the responses that depend on it.

        ``pauses`` knows when the node did not run; None if that never happens.
        """
        self._controller = controller
        self._node_id = node_id
        self._clock = clock
        self._to_raft = to_raft
        self._ask_raft = ask_raft
        self._publish = publish
        self._pauses = pauses
        self.metrics = ControllerMetrics()
        self._last_active: LeaderAndEpoch | None = None
        # The result of a Deferred may be the steps that make the response.
        self._parked_responses: dict[int, Deferred[Any]] = {}
        self._next_command_id = 0
        self._leading: raft_effects.BecameLeader | None = None
        self._control_appended: raft_effects.ControlBatchAppended | None = None
        self._refused_epoch: int | None = None
        self._gathered: list[effects.AppendRecords] = []
        self._gathered_bytes = 0

    # -- an image builder ----------------------------------------------------------------------------------------

    @property
    def next_offset(self) -> int:
        """The offset at which the next committed batch has to begin."""
        return self._controller.next_committed_offset

    def load_steps(self, batch: events.BatchCommitted) -> Steps[LoadState]:
        """The state of the log's content after the next batch: for `events.BatchCommitted.loaded`."""
        return self._controller.load_steps(batch)

    def take_batch(self, batch: events.BatchCommitted) -> None:
        """Replay a batch that another leader appended, or that this one appended before its controller became
        active."""
        self.handle(batch)

    def take_snapshot(self, image: ClusterImage) -> None:
        """Start over from a snapshot."""
        self.handle(events.SnapshotLoaded(image=image))

    # -- events --------------------------------------------------------------------------------------------------

    @property
    def active_epoch(self) -> int | None:
        """The epoch in which the controller is active; None while it is not."""
        return self._controller.active_epoch

    @property
    def failed_brokers(self) -> int:
        """The number of brokers that were fenced since the start because their processes were provably gone."""
        return self._controller.failed_brokers

    @property
    def since_last_contacts_ms(self) -> Mapping[int, int]:
        """Milliseconds since the last heartbeat of each broker with a session; empty if this controller is not
        active."""
        now_ms = self._clock.now_ms()
        return {
            broker_id: now_ms - last_ms for broker_id, last_ms in self._controller.last_contacts_ms.items()
        }

    @property
    def has_work(self) -> bool:
        """Whether the controller has work left from its last slice. Each `events.TimePassed` makes it continue."""
        return self._controller.has_work

    @property
    def next_deadline_ms(self) -> int | None:
        """The time at which the controller wants a `events.TimePassed`."""
        deadline_ms = self._controller.next_deadline_ms()
        if self._pauses is None or self.active_epoch is None:
            return deadline_ms
        # Without this an idle controller would sleep longer, and its own sleep would look like a
        # pause.
        look_ms = self._pauses.next_look_ms
        return look_ms if deadline_ms is None else min(look_ms, deadline_ms)

    def handle(self, event: events.Event) -> None:
        """Pass an event to the controller."""
        if self._pauses is not None:
            pause_ms = self._pauses.look()
            if pause_ms and self.active_epoch is not None:
                _log.warning(
                    "this node did not run for %d ms: brokers' sessions last that much longer", pause_ms
                )
                # Before any other event: the event may be a `TimePassed` that would fence brokers for their
                # silence.
                self._hand_over(events.NodePaused(pause_ms=pause_ms))
        self._hand_over(event)

    def _hand_over(self, event: events.Event) -> None:
        begin = time.perf_counter()
        # Two clocks: sessions go by the one that nobody sets, and records carry the time that
        # people read.
        self._controller.handle(event, self._clock.now_ms(), wall_ms=self._clock.wall_ms())
        self.metrics.operations += 1
        self.metrics.processing_times.add(time.perf_counter() - begin)

    def command(
        self, request: Message, version: int, context: events.CommandContext, result: Deferred[Response]
    ) -> None:
        """Have the controller carry out a request. ``result`` resolves to the response, or to steps that make it."""
        # Never used again, so that a response that is late cannot meet another command.
        self._next_command_id += 1
        self.metrics.commands += 1
        # Registered first, because the controller may respond within `handle`.
        self._parked_responses[self._next_command_id] = result
        self.handle(
            events.CommandReceived(
                command_id=self._next_command_id, request=request, version=version, context=context
            )
        )

    def leader_changed(self, leader: LeaderAndEpoch) -> None:
        """The quorum has another leader. For this node's own leadership, `became_leader` is called."""
        # As Kafka's NewActiveControllersCount: a transition to no leader does not count.
        if leader.leader_id != NO_NODE and leader != self._last_active:
            self._last_active = leader
            self.metrics.new_active_controllers += 1
        if leader.leader_id != self._node_id and self.active_epoch is None:
            self.handle(events.BecameInactive(leader_id=leader.leader_id, epoch=leader.epoch))

    def became_leader(self, told: raft_effects.BecameLeader) -> None:
        """This node leads the quorum. The controller becomes active once the epoch's first batch is committed and
        replayed."""
        self._leading = told

    def leadership_lost(self, epoch: int) -> None:
        """This node no longer leads. The controller drops what is not committed and refuses the requests that wait for
        it."""
        # Both are of the epoch that is over. If they stayed, the next high watermark could make
        # this controller active in it (KAFKA-17333).
        self._leading = self._control_appended = None
        self.handle(events.BecameInactive(leader_id=NO_NODE, epoch=epoch))

    def control_batch_appended(self, told: raft_effects.ControlBatchAppended) -> None:
        """The quorum appended records of its own to the log; the controller's next records come after them."""
        if self.active_epoch == told.epoch:
            self.handle(events.QuorumAppended(next_offset=told.next_offset))
        else:
            # The controller does not reserve offsets yet. It learns of these when it becomes
            # active.
            self._control_appended = told

    def maybe_activate(self, high_watermark: int) -> bool:
        """Become active if this node leads and has replayed all that is committed. Returns whether it became active."""
        leading = self._leading
        # A leader's high watermark counts in its own epoch only once a record of that epoch is
        # committed. Until then, records of earlier epochs may still be lost (Raft, section 5.4.2).
        if leading is None or self.active_epoch is not None or high_watermark <= leading.epoch_start_offset:
            return False
        # Behind the epoch's first batch, which the Raft core wrote without the controller.
        next_offset = leading.next_offset
        if self._control_appended is not None and self._control_appended.epoch == leading.epoch:
            # Control batches (KRAFT_VOTERS, ...) may have been appended between election and activation, after the
            # epoch's first batch.
            next_offset = self._control_appended.next_offset
        self.handle(events.BecameActive(epoch=leading.epoch, next_offset=next_offset))
        _log.info("the controller is active in epoch %d from offset %d on", leading.epoch, next_offset)
        return True

    def append_refused(self, told: raft_effects.AppendRefused) -> None:
        """The Raft core did not accept records that the controller counts as appended."""
        if told.reason is not raft_effects.AppendRefusal.NOT_LEADER:
            # The controller's memory is now ahead of the log, and stays so. Another leader starts from what is
            # committed.
            _log.error(
                "records from offset %d on were refused (%s): the controller resigns from epoch %d",
                told.base_offset,
                told.reason.value,
                told.epoch,
            )
            self._refused_epoch = told.epoch

    # -- effects -------------------------------------------------------------------------------------------------

    def apply_effects(self) -> bool:
        """Carry out the controller's effects. Returns whether there were any."""
        # In the order in which they were decided, except for records: those of several commands
        # become one append, one batch and one sync.
        asked = self._controller.take_effects()
        for effect in asked:
            if isinstance(effect, effects.AppendRecords):
                self._gather(effect)
                continue
            match effect:
                case effects.Respond():
                    # Popped: a second response to one command fails here, and not at a client.
                    self._parked_responses.pop(effect.command_id).resolve(effect.response)
                case effects.Refuse():
                    self._count_timeout(effect)
                    self._parked_responses.pop(effect.command_id).resolve(_begun(_refusal(effect)))
                case effects.PublishImage():
                    self._publish(effect.image)
                case effects.UpgradeKRaftVersion():
                    # The controller gives it out alone, when nothing else is left: control records
                    # take the next offsets.
                    assert not self._gathered, "records with offsets that the control records would take"
                    self._upgrade_kraft_version(effect)
                case effects.ReportFailure():
                    self.metrics.failures += 1
                    _log.error("%s failed: %r", effect.request_name, effect.error, exc_info=effect.error)
                case effects.ReportSilence() | effects.ReportDeath() | effects.ReportShutdown():
                    _report(effect)
                case _:
                    assert_never(effect)
        # Before the driver takes the next event: it may bring a control batch, which would take
        # these offsets.
        self._append_gathered()
        # Each time until leadership is lost: until then the controller counts on records that the
        # log does not have.
        if self._refused_epoch is not None and self._refused_epoch == self.active_epoch:
            self._to_raft(raft_events.ResignRequested(epoch=self._refused_epoch))
        return bool(asked)

    def _count_timeout(self, refusal: effects.Refuse) -> None:
        if refusal.code is ErrorCode.REQUEST_TIMED_OUT:
            self.metrics.commands_timed_out += 1
            self.metrics.heartbeats_timed_out += isinstance(refusal.request, BrokerHeartbeatRequest)

    def _gather(self, append: effects.AppendRecords) -> None:
        """Keep records for `_append_gathered`. If they do not fit those already kept, those are appended first."""
        self.metrics.unclean_elections += append.elections.unclean
        self.metrics.elr_elections += append.elections.from_elr
        # Their values alone. The limit is so far below that of a batch that the rest does not
        # matter.
        size = sum(map(len, append.records))
        gathered = self._gathered
        # Records of two epochs must not share an append: the core refuses those of the older one.
        if gathered and (
            gathered[-1].epoch != append.epoch or self._gathered_bytes + size > MAX_GATHERED_BYTES
        ):
            self._append_gathered()
        self._gathered.append(append)
        self._gathered_bytes += size

    def _append_gathered(self) -> None:
        """Have the Raft core append the records of several commands, as if they came from one command."""
        gathered, self._gathered, self._gathered_bytes = self._gathered, [], 0
        # After a refusal the offsets of all later records are wrong. They are dropped until the
        # controller has resigned.
        if not gathered or gathered[0].epoch == self._refused_epoch:
            return
        self._to_raft(
            raft_events.AppendRequested(
                epoch=gathered[0].epoch,
                base_offset=gathered[0].base_offset,
                records=tuple(record for append in gathered for record in append.records),
            )
        )

    def _upgrade_kraft_version(self, effect: effects.UpgradeKRaftVersion) -> None:
        def answered(response: OutboundResponse) -> None:
            assert isinstance(response, VoterChangeResponse), f"{response} for a change of kraft.version"
            self.handle(
                events.KRaftVersionUpgraded(
                    command_id=effect.command_id,
                    error_code=ErrorCode(response.error),
                    message=response.message,
                )
            )

        self._ask_raft(
            UpgradeKRaftVersionRequest(
                epoch=effect.epoch, level=effect.level, validate_only=effect.validate_only
            ),
            answered,
        )


def _refusal(refusal: effects.Refuse) -> Steps[Message]:
    """The response to a refused command. The response that was prepared for its success is freed first."""
    response = refuse(
        refusal.request, Refusal(code=refusal.code, message=refusal.text, version=refusal.version)
    )
    # A response of megabytes is freed in steps: to free it at once would stop the loop.
    void = [refusal.void] if refusal.void is not None and is_large(refusal.void) else []
    # The generator would otherwise keep a reference, and nothing would be freed step by step.
    del refusal
    yield from release_steps(void)
    return (yield from response) if isinstance(response, StepsType) else response


def _begun(steps: Steps[Message]) -> Message | Steps[Message]:
    """Run the first steps. Returns the message if they complete it, else the remaining steps."""
    try:
        for _ in range(STEPS_AT_ONCE):
            next(steps)
    except StopIteration as stop:
        message: Message = stop.value
        return message
    return steps


def _report(report: effects.Report) -> None:
    """Log why the controller fenced a broker, or what it did with the broker's shutdown."""
    broker = (report.broker_id, report.broker_epoch)
    match report:
        case effects.ReportSilence():
            _log.warning(
                "broker %d (epoch %d) is fenced: it sent no heartbeat for %d ms", *broker, report.silent_ms
            )
        case effects.ReportDeath():
            _log.warning("broker %d (epoch %d) failed and is fenced: %s", *broker, report.proof)
        case effects.ReportShutdown():
            if report.is_taken_back:
                text = "broker %d (epoch %d) goes on: its shutdown, which its heartbeats do not ask for, is taken back"
                _log.warning(text, *broker)
            else:
                _log.info("broker %d (epoch %d) asks for a controlled shutdown", *broker)
        case _:
            assert_never(report)
