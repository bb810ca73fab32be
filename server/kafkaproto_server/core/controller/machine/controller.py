"""The controller of one node (Kafka's `QuorumController`): active while this node leads the quorum, else standby.

**Standby.** It replays committed batches, or a snapshot in place of many of them, so its image is always up to date. It
refuses every request with NOT_CONTROLLER and the active controller's name.

**Active.** It decides a change (`changes`) on the newest image, replays the records and gives them out for replication.
The response is parked until the high watermark has passed the change's last record. The next change already sees this
one; nobody outside does until it is committed. If leadership is lost, it returns to the committed image.

**In slices.** It works on one change at a time, and one call of `handle` takes at most `STEPS_PER_SLICE` steps of it;
each `TimePassed` brings another slice. Between slices it notes commits, the quorum's control batches and heartbeats.
Commands wait. A heartbeat does not: it counts at once, so that no session ends because of a long change, and its
response comes from the image before the change. A heartbeat that leads to no record is no change. Small changes are
done within the call that brings them. Changes from heartbeats, and the fencing of brokers, go ahead of commands.

A response, even a refusal, may rest on earlier commands, so a command without records waits for their records.
The quorum keeps kraft.version. A command that raises it waits until the quorum has agreed, and is then decided anew.
A change that fails before its first append has changed nothing; if it fails later, its appended records are aborted. So
an unforeseen error gets UNKNOWN_SERVER_ERROR and a report, and this controller continues to lead.

The shell makes the responses to refused requests. Only a few commands are refused at a time: thousands may wait
when leadership is lost (`outbox`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import assert_never

import msgspec
from immutables import Map

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import AbortTransactionRecord, BrokerHeartbeatRequest, NoOpRecord
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto_server.base.later import Steps, run_to_end
from kafkaproto_server.base.ports import Rng
from kafkaproto_server.base.types import NO_NODE, earliest
from kafkaproto_server.core.controller.brokers.failed_brokers import (
    fence_failed_broker,
    fence_silent_broker,
    is_refuted,
)
from kafkaproto_server.core.controller.brokers.heartbeats import heartbeat_response
from kafkaproto_server.core.controller.brokers.session_watch import SessionWatch
from kafkaproto_server.core.controller.machine import periodic_tasks
from kafkaproto_server.core.controller.machine.activation import activation_records
from kafkaproto_server.core.controller.machine.appending import Batches, append_steps, batches_of
from kafkaproto_server.core.controller.machine.changes import (
    MAX_WAITING_CHANGES,
    Change,
    WaitingChanges,
    with_deadline,
)
from kafkaproto_server.core.controller.machine.log_states import LogStates, load_batch_steps
from kafkaproto_server.core.controller.machine.outbox import ControllerOutbox
from kafkaproto_server.core.controller.machine.parked_responses import ParkedResponse, ParkedResponses
from kafkaproto_server.core.controller.machine.permits import PermitIssuer
from kafkaproto_server.core.controller.machine.table import not_controller, run_of
from kafkaproto_server.core.controller.machine.upgrades import WaitingUpgrades
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult, Decision, Situation
from kafkaproto_server.core.controller.values.config import ControllerConfig
from kafkaproto_server.core.controller.values.effects import (
    Effect,
    PublishImage,
    ReportDeath,
    ReportFailure,
    UpgradeKRaftVersion,
)
from kafkaproto_server.core.controller.values.events import (
    BatchCommitted,
    BecameActive,
    BecameInactive,
    BrokerFailed,
    CommandReceived,
    Event,
    KRaftVersionChanged,
    KRaftVersionUpgraded,
    NodePaused,
    QuorumAppended,
    RecordsCommitted,
    SnapshotLoaded,
    TimePassed,
)
from kafkaproto_server.core.controller.values.sessions import (
    BrokerSession,
    sessions_after_contact,
    sessions_after_pause,
    sessions_at_activation,
)
from kafkaproto_server.core.controller.values.topic_configs import InheritedConfigs, TopicConfigs
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.loader import LoadState
from kafkaproto_server.metadata.security.delegation_tokens import TokenIndex

STEPS_PER_SLICE = 400
"""Steps of changes in one slice, each of some ten microseconds: a few milliseconds."""
STEPS_PER_CHANGE = 16
"""Steps that each change counts for besides its own, in case many small changes wait."""


class Controller:
    """The controller's state machine. One thread calls it, and nothing in it blocks."""

    def __init__(
        self,
        *,
        node_id: int,
        cluster_id: str,
        config: ControllerConfig,
        rng: Rng,
        bootstrap_records: Sequence[Message] = (),
        steps_per_slice: int = STEPS_PER_SLICE,
    ) -> None:
        """``bootstrap_records`` are those that the node was formatted with; a new log begins with them."""
        self._node_id = node_id
        self._cluster_id = cluster_id
        self._config = config
        self._inherited = InheritedConfigs(config.static_config, node_id)
        self._token_index = TokenIndex(config.delegation_token_secret_key or "")
        self._permits = PermitIssuer(config)
        self._rng = rng
        self._bootstrap_records = tuple(bootstrap_records)
        self._leader_id = NO_NODE
        self._active_epoch: int | None = None
        self._kraft_version = 0
        self._steps_per_slice = steps_per_slice
        self._log = LogStates()
        self._waiting = WaitingChanges()
        # The change that is being worked on, its remaining steps, and the state on which it was begun.
        self._change: Change | None = None
        self._steps: Iterator[None] = iter(())
        self._before_change = self._log.committed
        # The change of the heartbeat that is being handled.
        self._begun_heartbeat: Change | None = None
        self._parked = ParkedResponses()
        self._upgrades = WaitingUpgrades()
        self._watch = SessionWatch(config.broker_session_timeout_ms)
        # Brokers with a heartbeat that waits or is worked on, and their last contact: one may have no session yet.
        self._moving: Map[int, BrokerSession] = Map()
        self._failed_brokers = 0
        self._no_op_ms: int | None = None
        self._tasks = periodic_tasks.TaskSchedule(config)
        self._outbox = ControllerOutbox()
        # The times of the last event, and when something is due without an event.
        self._wall_ms = self._now_ms = 0
        self._due_ms: int | None = None

    # --- the three doors ---

    def handle(self, event: Event, now_ms: int, *, wall_ms: int) -> None:
        """Handle one event; `take_effects` returns what it leads to.

        ``now_ms`` is monotonic time, for all timeouts. ``wall_ms`` is the wall clock's time (milliseconds of Unix
        time), for timestamps that others read; it may jump.
        """
        self._wall_ms, self._now_ms = wall_ms, now_ms
        was_busy = self._is_busy
        match event:
            case CommandReceived():
                self._handle_command(event)
            case RecordsCommitted():
                self._handle_high_watermark(event)
            case BatchCommitted():
                self._handle_batch_committed(event)
            case BecameActive():
                self._become_active(event, now_ms)
            case BecameInactive():
                self._become_inactive(event)
            case SnapshotLoaded():
                self._handle_snapshot(event)
            case QuorumAppended():
                self._handle_control_batch(event)
            case KRaftVersionChanged():
                self._kraft_version = event.kraft_version
            case KRaftVersionUpgraded():
                self._handle_upgraded(event)
            case BrokerFailed():
                self._handle_failed_broker(event)
            case NodePaused():
                self._watch.paused(event.pause_ms)
                self._moving = sessions_after_pause(self._moving, event.pause_ms)
            case TimePassed():
                pass
            case _:
                assert_never(event)
        if self.is_active:
            if was_busy or (self._due_ms is not None and self._due_ms <= now_ms):
                self._do_what_is_due(now_ms)
            if self._is_busy and (not was_busy or isinstance(event, TimePassed)):
                self._work()
            self._respond_to_begun_heartbeat()
        self._outbox.release_refusals()
        self._due_ms = self._first_deadline_ms()

    def take_effects(self) -> list[Effect]:
        """The effects of the events so far, in order; each effect is given out once (`ControllerOutbox.take`)."""
        return self._outbox.take()

    def next_deadline_ms(self) -> int | None:
        """Monotonic time at which a `TimePassed` is due; None if nothing happens by time alone."""
        return self._now_ms if self.has_work else self._due_ms

    def _first_deadline_ms(self) -> int | None:
        return earliest(
            self._parked.next_deadline_ms(),
            self._upgrades.next_deadline_ms(),
            self._watch.check_ms,
            self._no_op_ms,
            self._tasks.next_deadline_ms,
        )

    def load_steps(self, batch: BatchCommitted) -> Steps[LoadState]:
        """The state after a committed batch, for `BatchCommitted.loaded`; raises ReplayError.

        Between these steps and the event, no event may come that changes the committed state.
        """
        return load_batch_steps(self._log.committed, batch)

    # --- what others may look at ---

    @property
    def has_work(self) -> bool:
        """Whether there is a change to work on, or a command to refuse; each `TimePassed` does some of it."""
        return self._is_busy or self._outbox.has_refusals

    @property
    def _is_busy(self) -> bool:
        """Whether a change is being worked on, or waits."""
        return self._change is not None or len(self._waiting) > 0

    @property
    def is_active(self) -> bool:
        """Whether this node is the active controller."""
        return self._active_epoch is not None

    @property
    def active_epoch(self) -> int | None:
        """Epoch in which this node is the active controller; None while it is not."""
        return self._active_epoch

    @property
    def leader_id(self) -> int:
        """Node id of the active controller; -1 if unknown."""
        return self._leader_id

    @property
    def newest_image(self) -> ClusterImage:
        """The image that commands are decided on, including what is not committed yet."""
        return self._log.newest.latest

    @property
    def committed_image(self) -> ClusterImage:
        """The newest committed state, without an open metadata transaction."""
        return self._log.committed.stable

    @property
    def next_committed_offset(self) -> int:
        """Offset at which the next `BatchCommitted` has to start."""
        return self._log.committed.latest.offset + 1

    @property
    def parked_reply_count(self) -> int:
        """Number of responses that wait for a commit, or for the quorum."""
        return len(self._parked) + len(self._upgrades)

    @property
    def last_contacts_ms(self) -> Mapping[int, int]:
        """Monotonic time of the last heartbeat of each broker with a session; empty at a standby."""
        return {broker_id: session.last_contact_ms for broker_id, session in self._watch.sessions.items()}

    @property
    def failed_brokers(self) -> int:
        """How many failed brokers (processes provably gone) this controller has fenced since its start."""
        return self._failed_brokers

    # --- leadership ---

    def _become_active(self, event: BecameActive, now_ms: int) -> None:
        assert not self.is_active, f"active in epoch {self._active_epoch} already"
        assert event.next_offset >= self._log.next_offset, (
            f"the log ends at {event.next_offset}, before the image"
        )
        self._active_epoch = event.epoch
        self._leader_id = self._node_id
        self._log.high_watermark = self._log.next_offset
        if event.next_offset > self._log.next_offset:
            self._log.append_control_batch(event.next_offset, event.epoch)
        # The first change of all: nothing may be decided before a transaction that was left open is aborted.
        activation = Change(name="the activation", decide=self._activation, is_vital=True, is_urgent=True)
        self._waiting.add(activation)
        self._watch.replace(sessions_at_activation(self._log.newest.stable, now_ms))
        if self._config.metadata_max_idle_interval_ms > 0:
            self._no_op_ms = now_ms + self._config.metadata_max_idle_interval_ms
        self._tasks.start(now_ms)

    def _activation(self) -> Decision:
        records = activation_records(self._log.newest, self._bootstrap_records, self._config.static_config)
        return CommandResult(records=records, atomic=False)

    def _become_inactive(self, event: BecameInactive) -> None:
        self._active_epoch = None
        self._leader_id = event.leader_id
        self._log.forget_uncommitted()
        self._watch.replace(Map())
        self._no_op_ms = None
        self._tasks.stop()
        error = not_controller(self._leader_id)
        dropped = self._drop_changes()
        for parked in self._parked.take_all():
            self._outbox.refuse_parked(parked, error)
        for command in (*dropped, *self._upgrades.take_all()):
            self._outbox.refuse(command, error)

    def _drop_changes(self) -> list[CommandReceived]:
        """Drop all changes; returns the commands among them, which still need a response."""
        changes = self._waiting.take_all()
        if self._change is not None:
            changes.insert(0, self._change)
        self._change, self._steps = None, iter(())
        self._before_change = self._log.committed
        self._begun_heartbeat = None
        self._watch.fencing.clear()
        self._moving = Map()
        return [change.command for change in changes if change.command is not None]

    # --- the log ---

    def _handle_batch_committed(self, event: BatchCommitted) -> None:
        assert not self.is_active, "an active controller learns of commits by the high watermark"
        assert event.base_offset == self.next_committed_offset, f"batch {event.base_offset} leaves a gap"
        state = run_to_end(self.load_steps(event)) if event.loaded is None else event.loaded
        assert state.latest.offset == event.last_offset, f"batch ends at {event.last_offset}"
        self._log.replace_committed(state)
        self._publish()

    def _handle_snapshot(self, event: SnapshotLoaded) -> None:
        assert not self.is_active, "an active controller has all that is committed"
        image, behind = event.image, self._log.committed.latest.offset
        assert image.offset >= behind, f"the snapshot ends at {image.offset}, before {behind}"
        # No snapshot is taken within a metadata transaction, so none is open after it.
        self._log.replace_committed(LoadState(latest=image, stable=image))
        self._publish()

    def _handle_high_watermark(self, event: RecordsCommitted) -> None:
        assert self.is_active, "a standby learns of commits batch by batch"
        if self._log.advance(event.high_watermark, event.timestamp_ms):
            self._publish()
        for parked in self._parked.take_committed(self._log.high_watermark):
            self._outbox.respond(parked.command, parked.response)

    def _handle_control_batch(self, event: QuorumAppended) -> None:
        assert self._active_epoch is not None, "a standby learns of control batches when they are committed"
        self._log.append_control_batch(event.next_offset, self._active_epoch)

    def _publish(self) -> None:
        image = self._log.committed.stable
        self._outbox.add(PublishImage(image=image, high_watermark=self._log.high_watermark))

    # --- one change after the other ---

    def _work(self) -> None:
        """Take one slice of steps: of the change that is being worked on, and of those after it."""
        left = self._steps_per_slice
        while left > 0:
            if self._change is None:
                change = self._waiting.take_first()
                if change is None:
                    return
                left -= STEPS_PER_CHANGE
                if not change.is_wanted():
                    change.ended()
                    continue
                self._change, self._steps = change, self._carry_out(change)
                self._before_change = self._log.newest
                taken_at_most = max(left, 1)
            elif not self._change.is_decided and not self._change.is_wanted():
                self._end_change()
                continue
            elif self._waiting.interrupts(self._change):
                self._waiting.put_back(self._change)
                self._change, self._steps = None, iter(())
                continue
            else:
                taken_at_most = left
            taken = 0
            for _ in islice(self._steps, taken_at_most):
                taken += 1
            left -= taken
            if taken < taken_at_most:
                self._end_change()

    def _end_change(self) -> None:
        change, self._change, self._steps = self._change, None, iter(())
        assert change is not None, "no change is worked on"
        self._before_change = self._log.newest
        change.ended()

    def _carry_out(self, change: Change) -> Iterator[None]:
        """All steps of a change: it is decided, then its records are appended."""
        try:
            decision = change.decide()
            result = (
                decision if decision is None or isinstance(decision, CommandResult) else (yield from decision)
            )
            if result is None:
                return
            found = yield from batches_of(result, self.newest_image.metadata_version)
        except ApiError as error:
            self._refuse_change(change, error)
            return
        except Exception as error:
            self._fail(change, error)
            return
        change.is_decided = True
        if (count := len(found[0])) > STEPS_PER_SLICE:
            # Do not keep all of the records from here on: to free so many at once takes long.
            result = msgspec.structs.replace(result, records=())
        try:
            yield from self._append(found)
        except Exception as error:
            self._take_back()
            self._fail(change, error)
            return
        self._finish(change, result, count)

    def _finish(self, change: Change, result: CommandResult, record_count: int) -> None:
        # Nothing here can fail: a command makes all of its changes, or none.
        command = change.command
        if result.kraft_version is not None:
            assert command is not None, "only a command raises kraft.version"
            self._ask_for_upgrade(command, result.kraft_version, validate_only=result.validate_only)
            return
        self._watch.apply(result.session, self._log.next_offset - 1)
        self._outbox.add(*result.reports)
        self._failed_brokers += sum(isinstance(report, ReportDeath) for report in result.reports)
        result.permits.settle()
        change.done(record_count)
        if command is not None:
            assert result.response is not None, f"{change.name} has no answer"
            self._park(command, result.response, self._log.next_offset)

    def _refuse_change(self, change: Change, error: ApiError) -> None:
        if change.command is not None:
            self._park(change.command, error, self._log.next_offset)

    def _fail(self, change: Change, error: Exception) -> None:
        """A fault of this server, which has changed nothing: no reason to stop, nor to give up leadership.

        Raises the error if nothing can continue without the change.
        """
        if change.is_vital:
            raise error
        self._outbox.add(ReportFailure(request_name=change.name, error=error))
        change.failed()
        if change.command is not None:
            self._outbox.refuse(change.command, ApiError(ErrorCode.UNKNOWN_SERVER_ERROR))

    def _park(self, command: CommandReceived, response: Message | ApiError, committed_at: int) -> None:
        """Respond to a command once everything below an offset is committed."""
        if committed_at <= self._log.high_watermark:
            self._outbox.respond(command, response)
        else:
            self._parked.park(ParkedResponse(command=command, response=response, committed_at=committed_at))

    def _append(self, found: Batches) -> Steps[None]:
        assert self._active_epoch is not None, "only the active controller appends"
        return append_steps(self._log, self._active_epoch, found, self._outbox.add)

    def _take_back(self) -> None:
        """Abort the metadata transaction that a change has begun, if it has begun one."""
        if self._log.newest.in_transaction:
            record = AbortTransactionRecord(reason="The change failed")
            run_to_end(self._append((deque([record]), deque([encode_metadata_record(record, 0)]), (1,))))

    # --- commands ---

    def _handle_command(self, event: CommandReceived) -> None:
        event, deadline_ms = with_deadline(event, self._now_ms)
        if not self.is_active:
            self._outbox.refuse(event, not_controller(self._leader_id))
        elif deadline_ms <= self._now_ms:
            self._outbox.refuse(event, ApiError(ErrorCode.REQUEST_TIMED_OUT))
        elif isinstance(event.request, BrokerHeartbeatRequest):
            self._handle_heartbeat(event, event.request)
        elif len(self._waiting) >= MAX_WAITING_CHANGES:
            waiting = f"{MAX_WAITING_CHANGES} changes wait for one that takes long."
            self._outbox.refuse(event, ApiError(ErrorCode.REQUEST_TIMED_OUT, waiting))
        else:
            self._add_command(event)

    def _add_command(self, event: CommandReceived, kraft_version: int | None = None) -> None:
        """Carry a command out in its turn, with this level of kraft.version; None means the level in force then."""
        decide = partial(self._decide, event, kraft_version)
        self._waiting.add(Change(name=event.request.NAME, decide=decide, command=event))

    def _handle_upgraded(self, event: KRaftVersionUpgraded) -> None:
        waiting = self._upgrades.take(event.command_id)
        if waiting is None:
            return
        if event.error_code == ErrorCode.NONE:
            self._add_command(waiting.command, waiting.level)
        elif event.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER:
            # Leadership is about to end; the Raft core always knows that first.
            self._outbox.refuse(waiting.command, ApiError(ErrorCode.NOT_CONTROLLER, event.message))
        else:
            self._outbox.refuse(waiting.command, ApiError(event.error_code, event.message))

    def _decide(self, event: CommandReceived, kraft_version: int | None) -> Decision:
        situation = self._situation(event, self._log.newest.latest)
        if kraft_version is not None:
            situation = msgspec.structs.replace(situation, kraft_version=kraft_version)
        return run_of(event)(situation, event.request)

    def _situation(
        self, event: CommandReceived, image: ClusterImage, contact: BrokerSession | None = None
    ) -> Situation:
        return Situation(
            image=image,
            next_offset=image.offset + 1,
            now_ms=self._now_ms,
            wall_ms=self._wall_ms,
            version=event.version,
            context=event.context,
            config=self._config,
            cluster_id=self._cluster_id,
            kraft_version=self._kraft_version,
            node_id=self._node_id,
            sessions=self._watch.sessions,
            inherited=self._inherited,
            token_index=self._token_index,
            rng=self._rng,
            permits=self._permits.permits(event, image, self._now_ms),
            contact=contact,
        )

    def _handle_heartbeat(self, event: CommandReceived, request: BrokerHeartbeatRequest) -> None:
        """Note the heartbeat at once, and move the broker to its next state when there is time for that."""
        broker_id, broker_epoch = request.broker_id, request.broker_epoch
        self._watch.heard(broker_id, broker_epoch, self._now_ms)
        self._moving = sessions_after_contact(self._moving, broker_id, broker_epoch, self._now_ms)
        self._respond_to_heartbeat(event, request)

    def _add_heartbeat(
        self, event: CommandReceived, request: BrokerHeartbeatRequest, *, is_answered: bool
    ) -> Change:
        """Carry a heartbeat out in its turn, unless the broker's session ends before."""
        broker_id = request.broker_id
        self._moving = self._moving.set(broker_id, self._contact(request))
        change = Change(
            name=request.NAME,
            decide=partial(self._decide_heartbeat, event, request),
            ended=partial(self._end_moving, broker_id),
            command=None if is_answered else event,
            is_urgent=True,
        )
        self._waiting.add(change)
        return change

    def _contact(self, request: BrokerHeartbeatRequest) -> BrokerSession:
        return BrokerSession(broker_epoch=request.broker_epoch, last_contact_ms=self._now_ms)

    def _decide_heartbeat(self, event: CommandReceived, request: BrokerHeartbeatRequest) -> Decision | None:
        contact = self._moving[request.broker_id]
        if not self._watch.is_valid(contact, self._now_ms):
            return None
        return run_of(event)(self._situation(event, self._log.newest.latest, contact), request)

    def _end_moving(self, broker_id: int) -> None:
        self._watch.heard_meanwhile(broker_id, self._moving[broker_id])
        self._moving = self._moving.delete(broker_id)

    def _respond_to_begun_heartbeat(self) -> None:
        """Respond to a heartbeat whose change takes more than one slice; the change continues without it."""
        begun, self._begun_heartbeat = self._begun_heartbeat, None
        if begun is None or begun is not self._change or begun.command is None:
            return
        command, begun.command = begun.command, None
        assert isinstance(command.request, BrokerHeartbeatRequest), "only heartbeats are kept as such"
        self._respond_to_heartbeat(command, command.request)

    def _respond_to_heartbeat(self, event: CommandReceived, request: BrokerHeartbeatRequest) -> None:
        """Respond from the image before the change that is worked on, unless the heartbeat's own change can begin."""
        image = (self._log.newest if self._change is None else self._before_change).stable
        try:
            result, is_quiet = heartbeat_response(
                image, self._watch.sessions, self._contact(request), request
            )
        except ApiError as error:
            self._park(event, error, image.offset + 1)
            return
        except Exception as error:
            self._outbox.add(ReportFailure(request_name=event.request.NAME, error=error))
            self._outbox.refuse(event, ApiError(ErrorCode.UNKNOWN_SERVER_ERROR))
            return
        if not is_quiet and not self._is_busy:
            self._begun_heartbeat = self._add_heartbeat(event, request, is_answered=False)
            return
        self._watch.apply(result.session, self._log.next_offset - 1)
        if not is_quiet and request.broker_id not in self._moving:
            self._add_heartbeat(event, request, is_answered=True)
        assert result.response is not None, "a heartbeat is answered"
        self._park(event, result.response, image.offset + 1)

    def _ask_for_upgrade(self, event: CommandReceived, level: int, *, validate_only: bool) -> None:
        assert self._active_epoch is not None, "only the active controller carries out commands"
        self._upgrades.add(event, level)
        self._outbox.ask_quorum(
            UpgradeKRaftVersion(
                command_id=event.command_id,
                epoch=self._active_epoch,
                level=level,
                validate_only=validate_only,
            )
        )

    # --- what time brings ---

    def _do_what_is_due(self, now_ms: int) -> None:
        for parked in self._parked.take_expired(now_ms):
            self._outbox.refuse_parked(parked, ApiError(ErrorCode.REQUEST_TIMED_OUT))
        for command in self._upgrades.take_expired(now_ms):
            self._outbox.refuse(command, ApiError(ErrorCode.REQUEST_TIMED_OUT))
        self._end_expired_changes(now_ms)
        for broker_id in self._watch.take_silent(now_ms):
            self._waiting.add(self._silence(broker_id))
        if self._no_op_ms is not None and self._no_op_ms <= now_ms:
            self._no_op_ms = now_ms + self._config.metadata_max_idle_interval_ms
            if not self._is_busy:
                no_op = CommandResult(records=(NoOpRecord(),))
                self._waiting.add(Change(name=NoOpRecord.NAME, decide=lambda: no_op))
        for task in self._tasks.take_due(now_ms):
            self._waiting.add(
                Change(
                    name=task.name,
                    decide=partial(self._run_task, task),
                    done=partial(self._task_done, task),
                    ended=partial(self._tasks.ended, task),
                    failed=partial(self._task_failed, task),
                )
            )

    def _end_expired_changes(self, now_ms: int) -> None:
        """Refuse commands whose time limit has passed. A change that is not decided yet is then not made either."""
        expired = list(self._waiting.take_expired(now_ms))
        change = self._change
        if change is not None and change.deadline_ms is not None and change.deadline_ms <= now_ms:
            expired.append(change)
            if not change.is_decided:
                self._end_change()
        for each in expired:
            command, each.command = each.command, None
            assert command is not None, "only a command has a time limit"
            self._outbox.refuse(command, ApiError(ErrorCode.REQUEST_TIMED_OUT))

    def _run_task(self, task: periodic_tasks.PeriodicTask) -> Steps[CommandResult]:
        image = self.newest_image
        configs = TopicConfigs(image, self._inherited)
        situation = periodic_tasks.TaskSituation(image=image, configs=configs, wall_ms=self._wall_ms)
        records = yield from task.run(situation)
        return CommandResult(records=records, atomic=False)

    def _task_done(self, task: periodic_tasks.PeriodicTask, record_count: int) -> None:
        if record_count >= task.full_run:
            self._tasks.repeat(task, self._now_ms + periodic_tasks.AGAIN_MS)

    def _task_failed(self, task: periodic_tasks.PeriodicTask) -> None:
        self._tasks.repeat(task, self._now_ms + periodic_tasks.AFTER_FAILURE_MS)

    # --- brokers that are gone ---

    def _handle_failed_broker(self, event: BrokerFailed) -> None:
        # A standby has no sessions, so it ignores the event.
        if self.is_active:
            self._waiting.add(
                Change(
                    name=f"the death of broker {event.broker_id}",
                    decide=lambda: fence_failed_broker(self.newest_image, self._inherited, event),
                    is_wanted=lambda: not is_refuted(self._watch.sessions, event),
                    is_urgent=True,
                )
            )

    def _silence(self, broker_id: int) -> Change:
        return Change(
            name=f"the silence of broker {broker_id}",
            decide=partial(self._fence_silent, broker_id),
            is_wanted=lambda: self._watch.is_silent(broker_id, self._now_ms),
            ended=partial(self._watch.fencing_ended, broker_id),
            failed=lambda: self._watch.wait_another_session(broker_id, self._now_ms),
            is_urgent=True,
        )

    def _fence_silent(self, broker_id: int) -> Decision:
        session = self._watch.sessions[broker_id]
        return fence_silent_broker(self.newest_image, self._inherited, broker_id, session, self._now_ms)
