"""The controller of one node: standby while another node leads the quorum, active while this one does.

**Standby.** Committed batches, or a snapshot in place of many of them, come in and are replayed; the image
stays hot, and every request is refused with NOT_CONTROLLER and the active controller's name.

**Active.** A command is decided on the newest image, its records are replayed into that at once and handed
over for replication. The answer is parked: it leaves when the high watermark has passed the command's last
record. The next command already sees the change; nobody outside does until it is committed. So nothing
half-done shows, and if leadership goes, what was not committed is forgotten by going back to the committed
image, which costs nothing, however large the cluster.

An answer may rest on what commands before it did, refusals included, so a command without records waits for
the records of those before it.

kraft.version belongs to the quorum. A command that raises it waits until the quorum has agreed and is then
decided anew, on the image of that moment.

Invariants: the images' offsets are the log's; `_appended` holds one state per append that is not committed;
what fails in a command fails before anything here has changed. So a failure that nobody foresaw is answered
UNKNOWN_SERVER_ERROR and reported, and this controller goes on leading.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import TypeAlias, assert_never

from immutables import Map

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import NoOpRecord
from kafkaproto.records.metadata import encode_metadata_record
from server.controller.activation import activation_records
from server.controller.batches import MAX_BATCH_BYTES, MAX_RECORDS_PER_BATCH
from server.controller.command import ApiError, Result, Situation
from server.controller.config import ControllerConfig
from server.controller.effects import (
    AppendRecords,
    Effect,
    PublishImage,
    ReportFailure,
    ReportSilence,
    Respond,
    UpgradeKRaftVersion,
)
from server.controller.election_counts import count_elections
from server.controller.events import (
    BatchCommitted,
    BecameActive,
    BecameInactive,
    BrokerProvenDead,
    CommandReceived,
    ControlBatchAppended,
    Event,
    HighWatermarkAdvanced,
    KRaftVersionChanged,
    KRaftVersionUpgraded,
    NodePaused,
    SnapshotLoaded,
    Tick,
)
from server.controller.heartbeats import fencing_records
from server.controller.metadata_transactions import fitted
from server.controller.periodic_tasks import (
    AFTER_FAILURE_MS,
    AGAIN_MS,
    PeriodicTask,
    TaskSchedule,
    TaskSituation,
)
from server.controller.proven_death import records_of_death
from server.controller.replies import ParkedReplies, ParkedReply
from server.controller.sessions import BrokerSession, sessions_after_pause, sessions_at_activation
from server.controller.settings import InheritedConfigs, TopicSettings
from server.controller.table import COMMANDS, Command
from server.controller.upgrades import WaitingUpgrades
from server.image.image import ClusterImage
from server.image.loader import LoadState, load_control_batch, load_records
from server.image.records import record_version
from server.ports import Rng
from server.types import NO_NODE

_Append: TypeAlias = tuple[AppendRecords, LoadState]
"""A batch to append, and what the log's content is with it."""


class Controller:
    """The controller's state machine; one thread calls it, nothing in it blocks."""

    def __init__(
        self,
        *,
        node_id: int,
        cluster_id: str,
        config: ControllerConfig,
        rng: Rng,
        bootstrap_records: Sequence[Message] = (),
    ) -> None:
        """``bootstrap_records`` are those of the node's bootstrap.checkpoint; a new log begins with them."""
        self._node_id = node_id
        self._cluster_id = cluster_id
        self._config = config
        self._inherited = InheritedConfigs(config.static_config, node_id)
        self._rng = rng
        self._bootstrap_records = tuple(bootstrap_records)
        self._leader_id = NO_NODE
        self._active_epoch: int | None = None
        self._kraft_version = 0
        self._committed = LoadState()
        self._high_watermark = 0
        self._appended: deque[LoadState] = deque()
        self._replies = ParkedReplies()
        self._upgrades = WaitingUpgrades()
        self._sessions: Map[int, BrokerSession] = Map()
        # No session ends before this; None while there is none.
        self._session_check_ms: int | None = None
        self._proven_deaths = 0
        self._no_op_ms: int | None = None
        self._tasks = TaskSchedule(config)
        self._effects: list[Effect] = []
        self._asked_of_quorum: deque[UpgradeKRaftVersion] = deque()
        # Wall time of the event that is being handled.
        self._wall_ms = 0

    # --- the three doors ---

    def handle(self, event: Event, now_ms: int, *, wall_ms: int) -> None:
        """Take in one event; what it leads to is for `take_effects`.

        ``now_ms`` is monotonic time, by which everything here is measured. ``wall_ms`` is the wall clock's
        (milliseconds of Unix time), for what is written down for others to read, and may jump.
        """
        self._wall_ms = wall_ms
        match event:
            case BecameActive():
                self._become_active(event, now_ms)
            case BecameInactive():
                self._become_inactive(event)
            case BatchCommitted():
                self._handle_batch_committed(event)
            case SnapshotLoaded():
                self._handle_snapshot(event)
            case HighWatermarkAdvanced():
                self._handle_high_watermark(event)
            case ControlBatchAppended():
                self._handle_control_batch(event)
            case KRaftVersionChanged():
                self._kraft_version = event.kraft_version
            case KRaftVersionUpgraded():
                self._handle_upgraded(event, now_ms)
            case CommandReceived():
                self._handle_command(event, now_ms)
            case BrokerProvenDead():
                self._handle_proven_death(event)
            case NodePaused():
                self._sessions = sessions_after_pause(self._sessions, event.pause_ms)
            case Tick():
                pass
            case _:
                assert_never(event)
        if self.is_active:
            self._do_what_is_due(now_ms)

    def take_effects(self) -> list[Effect]:
        """What has come of the events so far, in order; each effect is handed out once.

        What the quorum is asked to do brings control records of its own. It is handed out alone, once nothing else is
        left: so they come behind all records that have been handed out, and before any that will be.
        """
        if not self._effects and self._asked_of_quorum:
            return [self._asked_of_quorum.popleft()]
        effects, self._effects = self._effects, []
        return effects

    def next_deadline_ms(self) -> int | None:
        """Monotonic time at which a `Tick` is wanted, None where nothing is to happen by itself."""
        deadlines = (
            self._replies.next_deadline_ms(),
            self._upgrades.next_deadline_ms(),
            self._session_check_ms,
            self._no_op_ms,
            self._tasks.next_deadline_ms(),
        )
        return min((deadline for deadline in deadlines if deadline is not None), default=None)

    # --- what others may look at ---

    @property
    def is_active(self) -> bool:
        """Whether this node is the active controller."""
        return self._active_epoch is not None

    @property
    def active_epoch(self) -> int | None:
        """Epoch in which this node is the active controller, None while it is not."""
        return self._active_epoch

    @property
    def leader_id(self) -> int:
        """Node id of the active controller as far as known, -1 for none."""
        return self._leader_id

    @property
    def newest_image(self) -> ClusterImage:
        """The state that commands are decided on, with what is not committed yet."""
        return self._newest.latest

    @property
    def committed_image(self) -> ClusterImage:
        """The newest committed state, without an open metadata transaction."""
        return self._committed.stable

    @property
    def next_committed_offset(self) -> int:
        """Offset at which the next `BatchCommitted` has to start."""
        return self._committed.latest.offset + 1

    @property
    def parked_reply_count(self) -> int:
        """Answers that wait for their records to be committed, or for the quorum."""
        return len(self._replies) + len(self._upgrades)

    @property
    def last_contacts_ms(self) -> Mapping[int, int]:
        """When each broker with a session was last heard of, by the monotonic clock; nothing at a standby."""
        return {broker_id: session.last_contact_ms for broker_id, session in self._sessions.items()}

    @property
    def proven_deaths(self) -> int:
        """Brokers that were fenced because their processes were provably gone; all since the start."""
        return self._proven_deaths

    @property
    def _newest(self) -> LoadState:
        return self._appended[-1] if self._appended else self._committed

    @property
    def _next_offset(self) -> int:
        return self._newest.latest.offset + 1

    # --- leadership ---

    def _become_active(self, event: BecameActive, now_ms: int) -> None:
        assert not self.is_active, f"active in epoch {self._active_epoch} already"
        assert event.next_offset >= self._next_offset, (
            f"the log ends at {event.next_offset}, before the image"
        )
        self._active_epoch = event.epoch
        self._leader_id = self._node_id
        self._high_watermark = self._next_offset
        if event.next_offset > self._next_offset:
            self._handle_control_batch(ControlBatchAppended(next_offset=event.next_offset))
        records = activation_records(self._newest, self._bootstrap_records, self._config.static_config)
        self._append(self._prepare(records))
        self._set_sessions(sessions_at_activation(self.newest_image, now_ms))
        if self._config.metadata_max_idle_interval_ms > 0:
            self._no_op_ms = now_ms + self._config.metadata_max_idle_interval_ms
        self._tasks.start(now_ms)

    def _become_inactive(self, event: BecameInactive) -> None:
        self._active_epoch = None
        self._leader_id = event.leader_id
        self._appended.clear()
        self._set_sessions(Map())
        self._no_op_ms = None
        self._tasks.stop()
        for command in (*self._replies.take_all(), *self._upgrades.take_all()):
            self._refuse(command, self._not_controller())

    def _not_controller(self) -> ApiError:
        if self._leader_id == NO_NODE:
            return ApiError(ErrorCode.NOT_CONTROLLER, "No controller appears to be active.")
        where = f"The active controller appears to be node {self._leader_id}."
        return ApiError(ErrorCode.NOT_CONTROLLER, where)

    # --- the log ---

    def _handle_batch_committed(self, event: BatchCommitted) -> None:
        assert not self.is_active, "an active controller learns of commits by the high watermark"
        assert event.base_offset == self.next_committed_offset, f"batch {event.base_offset} leaves a gap"
        if event.records is None:
            self._committed = load_control_batch(
                self._committed,
                last_offset=event.last_offset,
                epoch=event.epoch,
                timestamp_ms=event.timestamp_ms,
            )
        else:
            self._committed = load_records(
                self._committed,
                base_offset=event.base_offset,
                epoch=event.epoch,
                timestamp_ms=event.timestamp_ms,
                records=event.records,
            )
        assert self._committed.latest.offset == event.last_offset, f"batch ends at {event.last_offset}"
        self._high_watermark = event.last_offset + 1
        self._publish()

    def _handle_snapshot(self, event: SnapshotLoaded) -> None:
        assert not self.is_active, "an active controller has all that is committed"
        image, behind = event.image, self._committed.latest.offset
        assert image.offset >= behind, f"the snapshot ends at {image.offset}, before {behind}"
        # No snapshot is taken within a metadata transaction, so none is open after it.
        self._committed = LoadState(latest=image, stable=image)
        self._high_watermark = image.offset + 1
        self._publish()

    def _handle_high_watermark(self, event: HighWatermarkAdvanced) -> None:
        assert self.is_active, "a standby learns of commits batch by batch"
        assert event.high_watermark <= self._next_offset, f"{event.high_watermark} is beyond the log's end"
        self._high_watermark = max(self._high_watermark, event.high_watermark)
        committed = self._committed
        while self._appended and self._appended[0].latest.offset < self._high_watermark:
            committed = self._appended.popleft()
        if committed is not self._committed:
            self._committed = _stamped(committed, event.timestamp_ms)
            self._publish()
        for reply in self._replies.take_committed(self._high_watermark):
            self._respond(reply.command, reply.response)

    def _handle_control_batch(self, event: ControlBatchAppended) -> None:
        assert self._active_epoch is not None, "a standby learns of control batches when they are committed"
        state = load_control_batch(
            self._newest,
            last_offset=event.next_offset - 1,
            epoch=self._active_epoch,
            timestamp_ms=self._newest.latest.timestamp_ms,
        )
        self._appended.append(state)

    def _publish(self) -> None:
        self._effects.append(PublishImage(image=self._committed.stable, high_watermark=self._high_watermark))

    def _prepare(self, records: Sequence[Message]) -> list[_Append]:
        """Encode and replay records, in as few batches as hold them, without changing anything here yet.

        Where that is more than one batch, they are a metadata transaction.
        """
        assert self._active_epoch is not None, "only the active controller appends"
        metadata_version = self.newest_image.metadata_version
        values = [encode_metadata_record(each, record_version(each, metadata_version)) for each in records]
        records, encoded, ends = fitted(records, values)
        appends: list[_Append] = []
        state, start = self._newest, 0
        for end in ends:
            base_offset = state.latest.offset + 1
            elections = count_elections(state.latest, records[start:end])
            # The append time is not known before the driver writes the batch; it is stamped on commit.
            state = load_records(
                state,
                base_offset=base_offset,
                epoch=self._active_epoch,
                timestamp_ms=state.latest.timestamp_ms,
                records=records[start:end],
            )
            effect = AppendRecords(
                epoch=self._active_epoch,
                base_offset=base_offset,
                records=tuple(encoded[start:end]),
                elections=elections,
            )
            appends.append((effect, state))
            start = end
        return appends

    def _append(self, appends: Sequence[_Append]) -> None:
        for effect, state in appends:
            assert effect.base_offset == self._next_offset, f"{effect.base_offset} is not the next offset"
            self._effects.append(effect)
            self._appended.append(state)

    # --- commands ---

    def _handle_command(self, event: CommandReceived, now_ms: int) -> None:
        deadline_ms = event.context.deadline_ms
        if not self.is_active:
            self._refuse(event, self._not_controller())
        elif deadline_ms is not None and deadline_ms <= now_ms:
            self._refuse(event, ApiError(ErrorCode.REQUEST_TIMED_OUT))
        else:
            self._carry_out(event, now_ms, kraft_version=self._kraft_version)

    def _handle_upgraded(self, event: KRaftVersionUpgraded, now_ms: int) -> None:
        waiting = self._upgrades.take(event.command_id)
        if waiting is None:
            return
        if event.error_code == ErrorCode.NONE:
            self._carry_out(waiting.command, now_ms, kraft_version=waiting.level)
        elif event.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER:
            # Leadership is on its way out, which the quorum's core always knows first.
            self._refuse(waiting.command, ApiError(ErrorCode.NOT_CONTROLLER, event.message))
        else:
            self._refuse(waiting.command, ApiError(event.error_code, event.message))

    def _carry_out(self, event: CommandReceived, now_ms: int, *, kraft_version: int) -> None:
        command = _command(event)
        situation = Situation(
            image=self.newest_image,
            next_offset=self._next_offset,
            now_ms=now_ms,
            wall_ms=self._wall_ms,
            version=event.version,
            context=event.context,
            config=self._config,
            cluster_id=self._cluster_id,
            kraft_version=kraft_version,
            node_id=self._node_id,
            sessions=self._sessions,
            inherited=self._inherited,
            rng=self._rng,
        )
        try:
            result = command.run(situation, event.request)
            appends = self._prepare(result.records)
            if result.atomic and len(appends) > 1:
                raise _too_large(len(result.records))
        except ApiError as error:
            refusal = command.refusal(event.request, error, event.version)
            result, appends = Result(response=refusal), []
        except Exception as error:
            # A mistake of ours, met before anything has changed: no reason to stop, nor to give up leadership.
            self._effects.append(ReportFailure(request_name=event.request.NAME, error=error))
            self._refuse(event, ApiError(ErrorCode.UNKNOWN_SERVER_ERROR))
            return
        # Nothing below can fail: a command changes all that it changes, or nothing.
        if result.kraft_version is not None:
            self._ask_for_upgrade(event, result.kraft_version, validate_only=result.validate_only)
            return
        self._append(appends)
        if result.sessions is not None:
            self._set_sessions(result.sessions)
        reply = ParkedReply(command=event, response=result.response, committed_at=self._next_offset)
        if reply.committed_at <= self._high_watermark:
            self._respond(event, reply.response)
        else:
            self._replies.park(reply)

    def _ask_for_upgrade(self, event: CommandReceived, level: int, *, validate_only: bool) -> None:
        assert self._active_epoch is not None, "only the active controller carries out commands"
        self._upgrades.add(event, level)
        self._asked_of_quorum.append(
            UpgradeKRaftVersion(
                command_id=event.command_id,
                epoch=self._active_epoch,
                level=level,
                validate_only=validate_only,
            )
        )

    def _refuse(self, event: CommandReceived, error: ApiError) -> None:
        self._respond(event, _command(event).refusal(event.request, error, event.version))

    def _respond(self, event: CommandReceived, response: Message) -> None:
        self._effects.append(Respond(command_id=event.command_id, response=response))

    # --- what time brings ---

    def _set_sessions(self, sessions: Map[int, BrokerSession]) -> None:
        self._sessions = sessions
        if not sessions:
            self._session_check_ms = None
        elif self._session_check_ms is None:
            self._session_check_ms = self._first_session_end_ms()
        # Else the time stands: contacts only put ends off, and a new session ends after all others.

    def _first_session_end_ms(self) -> int:
        timeout_ms = self._config.broker_session_timeout_ms
        return min(session.end_ms(timeout_ms) for session in self._sessions.values())

    def _do_what_is_due(self, now_ms: int) -> None:
        for command in (*self._replies.take_expired(now_ms), *self._upgrades.take_expired(now_ms)):
            self._refuse(command, ApiError(ErrorCode.REQUEST_TIMED_OUT))
        if self._session_check_ms is not None and self._session_check_ms <= now_ms:
            self._fence_silent_brokers(now_ms)
        if self._no_op_ms is not None and self._no_op_ms <= now_ms:
            self._append(self._prepare([NoOpRecord()]))
            self._no_op_ms = now_ms + self._config.metadata_max_idle_interval_ms
        for task in self._tasks.take_due(now_ms):
            self._run_task(task, now_ms)

    def _run_task(self, task: PeriodicTask, now_ms: int) -> None:
        image = self.newest_image
        situation = TaskSituation(
            image=image, settings=TopicSettings(image, self._inherited), wall_ms=self._wall_ms
        )
        try:
            records = task.run(situation)
            appends = self._prepare(records)
        except Exception as error:
            # As with commands: a mistake of ours, which has changed nothing.
            self._effects.append(ReportFailure(request_name=task.name, error=error))
            self._tasks.repeat(task, now_ms + AFTER_FAILURE_MS)
            return
        self._append(appends)
        if len(records) >= task.full_run:
            self._tasks.repeat(task, now_ms + AGAIN_MS)

    def _handle_proven_death(self, event: BrokerProvenDead) -> None:
        # A standby has no sessions, so that nothing comes of it there.
        records = records_of_death(self.newest_image, self._inherited, self._sessions, event)
        if records is not None:
            self._append(self._prepare(records))
            self._set_sessions(self._sessions.delete(event.broker_id))
            self._proven_deaths += 1

    def _fence_silent_brokers(self, now_ms: int) -> None:
        settings = TopicSettings(self.newest_image, self._inherited)
        for broker_id in sorted(self._sessions):
            session = self._sessions[broker_id]
            if session.is_valid(now_ms, self._config.broker_session_timeout_ms):
                continue
            broker = self.newest_image.brokers[broker_id]
            assert broker.epoch == session.broker_epoch, f"broker {broker_id} has an old session"
            if not broker.fenced:
                self._append(self._prepare(fencing_records(self.newest_image, settings, broker)))
                silence = ReportSilence(
                    broker_id=broker_id,
                    broker_epoch=broker.epoch,
                    silent_ms=now_ms - session.last_contact_ms,
                )
                self._effects.append(silence)
            self._sessions = self._sessions.delete(broker_id)
        self._session_check_ms = self._first_session_end_ms() if self._sessions else None


def _command(event: CommandReceived) -> Command:
    api_key = event.request.API_KEY
    assert api_key is not None, f"{event.request.NAME} has no api key"
    assert api_key in COMMANDS, f"{event.request.NAME} is no command of the controller"
    return COMMANDS[api_key]


def _stamped(state: LoadState, timestamp_ms: int) -> LoadState:
    """The state with the append time of its last batch, which is known only now."""
    latest = state.latest.at(state.latest.offset, state.latest.epoch, timestamp_ms)
    return LoadState(latest=latest, stable=state.stable if state.in_transaction else latest)


def _too_large(record_count: int) -> ApiError:
    return ApiError(
        ErrorCode.POLICY_VIOLATION,
        f"The request leads to {record_count} metadata records, more than one batch holds:"
        f" at most {MAX_RECORDS_PER_BATCH} records and {MAX_BATCH_BYTES} bytes.",
    )
