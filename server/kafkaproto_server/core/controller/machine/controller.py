"""The controller of one node (Kafka's `QuorumController`): active while this node leads the quorum, else standby.

**Standby.** It replays committed batches, or a snapshot in place of many of them, so its image is always up to date. It
refuses every request with NOT_CONTROLLER and the active controller's name.

**Active.** It decides a change (`changes`) on the newest image, replays the records and gives them out for replication.
The response is parked until the high watermark has passed the change's last record. The next change already sees this
one; nobody outside does until it is committed. If leadership is lost, it returns to the committed image.

**In slices.** It works on one change at a time, and one call of `handle` takes one slice of it (`change_processor`);
each `TimePassed` brings another slice. Between slices it notes commits, the quorum's control batches and heartbeats
(`broker_liveness`). Commands wait. Small changes are done within the call that brings them.

A response, even a refusal, may rest on earlier commands, so a command without records waits for their records.
The quorum keeps kraft.version. A command that raises it waits until the quorum has agreed, and is then decided anew.

The shell makes the responses to refused requests. Only a few commands are refused at a time: thousands may wait
when leadership is lost (`outbox`).

Apache Kafka: ``QuorumController``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import assert_never

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import BrokerHeartbeatRequest
from kafkaproto_server.base.later import Steps, run_to_end
from kafkaproto_server.base.ports import Rng
from kafkaproto_server.base.types import NO_NODE, earliest
from kafkaproto_server.core.controller.brokers.session_watch import SessionWatch
from kafkaproto_server.core.controller.machine.activation import activation_records
from kafkaproto_server.core.controller.machine.broker_liveness import BrokerLiveness
from kafkaproto_server.core.controller.machine.change_processor import STEPS_PER_SLICE, ChangeProcessor
from kafkaproto_server.core.controller.machine.changes import MAX_WAITING_CHANGES, Change, with_deadline
from kafkaproto_server.core.controller.machine.log_states import LogStates, load_batch_steps
from kafkaproto_server.core.controller.machine.outbox import ControllerOutbox
from kafkaproto_server.core.controller.machine.periodic_changes import PeriodicChanges
from kafkaproto_server.core.controller.machine.situations import Situations
from kafkaproto_server.core.controller.machine.table import not_controller, run_of
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult, Decision
from kafkaproto_server.core.controller.values.config import ControllerConfig
from kafkaproto_server.core.controller.values.effects import Effect, PublishImage
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
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.loader import LoadState


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
        self._config = config
        self._bootstrap_records = tuple(bootstrap_records)
        self._leader_id = NO_NODE
        self._log = LogStates()
        self._outbox = ControllerOutbox()
        self._situations = Situations(node_id=node_id, cluster_id=cluster_id, config=config, rng=rng)
        self._watch = SessionWatch(config.broker_session_timeout_ms)
        self._changes = ChangeProcessor(self._log, self._watch, self._outbox, steps_per_slice=steps_per_slice)
        self._liveness = BrokerLiveness(self._log, self._watch, self._changes, self._outbox, self._situations)
        self._periodic = PeriodicChanges(config, self._log, self._changes, self._situations)
        # When something is due without an event.
        self._due_ms: int | None = None

    # --- the three doors ---

    def handle(self, event: Event, now_ms: int, *, wall_ms: int) -> None:
        """Handle one event; `take_effects` returns what it leads to.

        ``now_ms`` is monotonic time, for all timeouts. ``wall_ms`` is the wall clock's time (milliseconds of Unix
        time), for timestamps that others read; it may jump.
        """
        # First of all: the slice of an older change that this event brings decides by the new time, too.
        self._situations.now_ms, self._situations.wall_ms = now_ms, wall_ms
        # Taken before the event. A change that the event itself brings gets its first slice at once. An event that
        # comes during a long change does no slice of it: each heartbeat would hold up the event loop by one.
        was_busy = self._changes.is_busy
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
                self._situations.kraft_version = event.kraft_version
            case KRaftVersionUpgraded():
                self._handle_upgraded(event)
            case BrokerFailed():
                # A standby has no sessions, so it ignores the event.
                if self.is_active:
                    self._liveness.handle_failed_broker(event)
            case NodePaused():
                self._liveness.paused(event.pause_ms)
            # Nothing of its own: what is due, and the next slice, come below. They follow other events, too.
            case TimePassed():
                pass
            case _:
                assert_never(event)
        if self.is_active:
            # While something waits, each event looks: the time limits of waiting commands are not in `_due_ms`, because
            # then there is work anyway.
            if was_busy or (self._due_ms is not None and self._due_ms <= now_ms):
                self._do_what_is_due(now_ms)
            if self._changes.is_busy and (not was_busy or isinstance(event, TimePassed)):
                self._changes.work()
            self._liveness.respond_to_begun_heartbeat()
        # At a standby as well: what is left from a lost leadership is refused a few at a time.
        self._outbox.release_refusals()
        self._due_ms = self._first_deadline_ms()

    def take_effects(self) -> list[Effect]:
        """The effects of the events so far, in order; each effect is given out once (`ControllerOutbox.take`)."""
        return self._outbox.take()

    def next_deadline_ms(self) -> int | None:
        """Monotonic time at which a `TimePassed` is due; None if nothing happens by time alone."""
        # With work left a `TimePassed` is due at once: it brings the next slice.
        return self._situations.now_ms if self.has_work else self._due_ms

    def _first_deadline_ms(self) -> int | None:
        return earliest(
            self._changes.next_deadline_ms(), self._watch.check_ms, self._periodic.next_deadline_ms()
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
        return self._changes.is_busy or self._outbox.has_refusals

    @property
    def is_active(self) -> bool:
        """Whether this node is the active controller."""
        return self._changes.epoch is not None

    @property
    def active_epoch(self) -> int | None:
        """Epoch in which this node is the active controller; None while it is not."""
        return self._changes.epoch

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
        return self._changes.parked_response_count

    @property
    def last_contacts_ms(self) -> Mapping[int, int]:
        """Monotonic time of the last heartbeat of each broker with a session; empty at a standby."""
        return {broker_id: session.last_contact_ms for broker_id, session in self._watch.sessions.items()}

    @property
    def failed_brokers(self) -> int:
        """How many failed brokers (processes provably gone) this controller has fenced since its start."""
        return self._liveness.failed_brokers

    # --- leadership ---

    def _become_active(self, event: BecameActive, now_ms: int) -> None:
        assert not self.is_active, f"active in epoch {self._changes.epoch} already"
        assert event.next_offset >= self._log.next_offset, (
            f"the log ends at {event.next_offset}, before the image"
        )
        self._changes.start(event.epoch)
        self._leader_id = self._node_id
        # What was replayed is committed: a standby gets committed batches only.
        self._log.high_watermark = self._log.next_offset
        # LEADER_CHANGE, and a voter set beside it, are the quorum's own, and did not come here as a batch. The image
        # has to reach their offset, or the first record would get one that is taken.
        if event.next_offset > self._log.next_offset:
            self._log.append_control_batch(event.next_offset, event.epoch)
        # The first change of all: nothing may be decided before a transaction that was left open is aborted.
        activation = Change(name="the activation", decide=self._activation, is_vital=True, is_urgent=True)
        self._changes.waiting.add(activation)
        self._liveness.start()
        self._periodic.start(now_ms)

    def _activation(self) -> Decision:
        records = activation_records(self._log.newest, self._bootstrap_records, self._config.static_config)
        # The bootstrap records stand in a metadata transaction, so they may take several batches. Kafka writes them
        # non-atomically for the same reason (ActivationRecordsGenerator).
        return CommandResult(records=records, atomic=False)

    def _become_inactive(self, event: BecameInactive) -> None:
        self._leader_id = event.leader_id
        # What was appended may still be committed by another leader. Then it comes as `BatchCommitted`; until then
        # nobody may decide on it.
        self._log.forget_uncommitted()
        self._changes.stop(not_controller(self._leader_id))
        self._liveness.stop()
        self._periodic.stop()

    # --- the log ---

    def _handle_batch_committed(self, event: BatchCommitted) -> None:
        assert not self.is_active, "an active controller learns of commits by the high watermark"
        assert event.base_offset == self.next_committed_offset, f"batch {event.base_offset} leaves a gap"
        # A small batch is replayed here. Of a large one the shell has taken the steps before, so that they do not hold
        # up the loop.
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
        # The image before the responses: a client that hears of its new topic asks for it next, and perhaps this node.
        if self._log.advance(event.high_watermark, event.timestamp_ms):
            self._publish()
        self._changes.committed()

    def _handle_control_batch(self, event: QuorumAppended) -> None:
        epoch = self._changes.epoch
        assert epoch is not None, "a standby learns of control batches when they are committed"
        self._log.append_control_batch(event.next_offset, epoch)

    def _publish(self) -> None:
        image = self._log.committed.stable
        self._outbox.add(PublishImage(image=image, high_watermark=self._log.high_watermark))

    # --- commands ---

    def _handle_command(self, event: CommandReceived) -> None:
        event, deadline_ms = with_deadline(event, self._situations.now_ms)
        if not self.is_active:
            self._outbox.refuse(event, not_controller(self._leader_id))
        # Also a time limit of 0 or less: it is over when the request arrives. Kafka's controllers respond alike.
        elif deadline_ms <= self._situations.now_ms:
            self._outbox.refuse(event, ApiError(ErrorCode.REQUEST_TIMED_OUT))
        # Before the limit of waiting changes: a session must not end because others ask for much. A broker has at most
        # one change that waits, so its heartbeats cannot fill the queue.
        elif isinstance(event.request, BrokerHeartbeatRequest):
            self._liveness.handle_heartbeat(event, event.request)
        # REQUEST_TIMED_OUT is a code after which Kafka's clients repeat the request.
        elif len(self._changes.waiting) >= MAX_WAITING_CHANGES:
            waiting = f"{MAX_WAITING_CHANGES} changes wait for one that takes long."
            self._outbox.refuse(event, ApiError(ErrorCode.REQUEST_TIMED_OUT, waiting))
        else:
            self._add_command(event)

    def _add_command(self, event: CommandReceived, kraft_version: int | None = None) -> None:
        """Carry a command out in its turn, with this level of kraft.version; None means the level in force then."""
        decide = partial(self._decide, event, kraft_version)
        self._changes.waiting.add(Change(name=event.request.NAME, decide=decide, command=event))

    def _handle_upgraded(self, event: KRaftVersionUpgraded) -> None:
        waiting = self._changes.upgrades.take(event.command_id)
        if waiting is None:
            return
        if event.error_code == ErrorCode.NONE:
            # Decided anew, since other changes were made while the quorum was asked.
            self._add_command(waiting.command, waiting.level)
        elif event.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER:
            # Leadership is about to end; the Raft core always knows that first.
            self._outbox.refuse(waiting.command, ApiError(ErrorCode.NOT_CONTROLLER, event.message))
        else:
            self._outbox.refuse(waiting.command, ApiError(event.error_code, event.message))

    def _decide(self, event: CommandReceived, kraft_version: int | None) -> Decision:
        situation = self._situations.situation(event, self._log.newest.latest, self._watch.sessions)
        # The quorum has agreed to this level, or could. In the latter case (validate_only) the level in force is still
        # the old one, and the command would ask again for ever.
        if kraft_version is not None:
            situation = msgspec.structs.replace(situation, kraft_version=kraft_version)
        return run_of(event)(situation, event.request)

    # --- what time brings ---

    def _do_what_is_due(self, now_ms: int) -> None:
        # Before the slice: no command is decided whose sender has given up.
        self._changes.end_expired(now_ms)
        self._liveness.fence_silent_brokers(now_ms)
        self._periodic.add_due(now_ms)
