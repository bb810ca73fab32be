"""``RaftNode``: the only entry point of the Raft core. Events go in, effects come out.

    node = RaftNode(config, rng)
    node.handle(Opened(...), now_ms)
    loop:
        while effects := node.take_effects():
            apply effects (see ``effects``); once those are durable that must be:
                node.handle(Persisted(number=effects.number), now_ms)
        wait for an event, at most until node.next_deadline_ms(); none in time is a Tick
        node.handle(event, now_ms)

The driver has to take effects after every event, so that it applies the NOW effects before the next event.
``next_deadline_ms`` is an absolute time of the same monotonic clock as ``now_ms``, or None if only an event can change
anything. It can change with every event, so ask again before each wait.

This file only dispatches; the rules are in ``roles``. ``handle`` raises nothing but AssertionError, which means that
this process contradicts itself and has to stop.

Apache Kafka: ``KafkaRaftClient.poll``.
"""

from __future__ import annotations

from typing import assert_never

from kafkaproto_server.base.ports import Rng
from kafkaproto_server.base.types import Endpoint, LeaderAndEpoch
from kafkaproto_server.core.raft.model import states
from kafkaproto_server.core.raft.model.core import Core, apply_control
from kafkaproto_server.core.raft.model.log_index import LogIndex
from kafkaproto_server.core.raft.model.states import (
    Candidate,
    Follower,
    Leader,
    Prospective,
    Resigned,
    State,
    Unattached,
)
from kafkaproto_server.core.raft.roles import (
    check_quorum,
    commit,
    election,
    fetch_service,
    follower,
    leader,
    leaving,
    membership,
    quorum_epoch,
    resigned,
    responses,
    snapshot_fetch,
    status,
    transitions,
    unattached,
    voting,
)
from kafkaproto_server.core.raft.values.config import NEVER, SHUTDOWN_TIMEOUT_MS, RaftConfig
from kafkaproto_server.core.raft.values.effects import Effects, ShutdownCompleted
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.events import (
    AppendRequested,
    Event,
    LogStartMoved,
    Opened,
    Persisted,
    RequestFailed,
    RequestReceived,
    ResignRequested,
    ResponseReceived,
    ShutdownRequested,
    SnapshotCreated,
    SnapshotInstalled,
    SnapshotRejected,
    Tick,
)
from kafkaproto_server.core.raft.values.messages import (
    AddVoterRequest,
    BeginQuorumEpochRequest,
    EndQuorumEpochRequest,
    FetchRequest,
    FetchSnapshotRequest,
    RemoveVoterRequest,
    UpdateVoterRequest,
    UpdateVoterResponse,
    UpgradeKRaftVersionRequest,
    VoterChangeResponse,
    VoteRequest,
)
from kafkaproto_server.core.raft.values.quorum_description import NotLeader, QuorumDescription
from kafkaproto_server.core.raft.values.statistics import RaftStatistics
from kafkaproto_server.core.raft.values.voters import VoterHistory, VoterSet


class RaftNode:
    """One replica of the metadata quorum."""

    def __init__(self, config: RaftConfig, rng: Rng) -> None:
        self._config = config
        self._rng = rng
        self._opened: Core | None = None
        self._now_ms: int | None = None

    def handle(self, event: Event, now_ms: int) -> None:
        """Handle one event at the monotonic time ``now_ms``, which never goes back."""
        assert self._now_ms is None or now_ms >= self._now_ms, (
            f"time went back from {self._now_ms} to {now_ms}"
        )
        self._now_ms = now_ms
        if self._opened is None:
            assert isinstance(event, Opened), "the first event has to be Opened"
            self._opened = _open(self._config, self._rng, event, now_ms)
        else:
            _dispatch(self._opened, event, now_ms)
        # With every event, so that deadlines are met however often the driver sends a `Tick`.
        _tick(self._core, now_ms)
        # Last: an event may change the voters more than once, and only what is in force afterwards
        # is news.
        self._core.notify_voters()

    def take_effects(self) -> Effects | None:
        """The effects of the events so far, each given out once; None if there are none."""
        core = self._core
        return core.outbox.take(states.leader_and_epoch(core.state))

    def next_deadline_ms(self) -> int | None:
        """When ``Tick`` is due at the latest; None if no time alone changes anything."""
        core = self._core
        deadline_ms = NEVER if core.is_stopped else _state_deadline_ms(core)
        if core.shutdown_deadline_ms is not None:
            deadline_ms = min(deadline_ms, core.shutdown_deadline_ms)
        return None if deadline_ms == NEVER else int(deadline_ms)

    def describe_quorum(self, now_ms: int, wall_ms: int) -> QuorumDescription | NotLeader:
        """The quorum as this leader sees it; `NotLeader` if this node does not lead. ``now_ms`` is the monotonic time,
        ``wall_ms`` the wall clock's time of the same moment."""
        core = self._core
        if not isinstance(core.state, Leader):
            return NotLeader()
        return status.describe_quorum(core, core.state, now_ms, wall_ms)

    def statistics(self) -> RaftStatistics:
        """This node's state and counters for its metrics."""
        assert self._now_ms is not None, "the first event has to be Opened"
        return status.describe_statistics(self._core, self._now_ms)

    def voters_at(self, offset: int) -> tuple[int, VoterSet | None]:
        """kraft.version and recorded voters for the header of a snapshot that ends at ``offset``."""
        voters = self._core.voters
        return voters.kraft_version_at(offset), voters.voters_at(offset)

    def leader_endpoint(self, listener_name: str) -> Endpoint | None:
        """The leader's endpoint for this listener; None if no leader, or no such endpoint of it, is known."""
        return self._core.leader_endpoint(listener_name)

    def follows_live_leader(self, now_ms: int) -> bool:
        """Whether this node leads, or its leader has responded to it in time."""
        return transitions.follows_live_leader(self._core, now_ms)

    @property
    def state(self) -> State:
        """This node's state in the quorum; to be read, not to be changed."""
        return self._core.state

    @property
    def node_id(self) -> int:
        """The id of the node, by which voters and leaders are named."""
        return self._config.key.id

    @property
    def is_voter(self) -> bool:
        """Whether the voter set in force names this node."""
        return self._core.is_voter

    @property
    def is_electable(self) -> bool:
        """Whether this node may lead: as a voter, or as one whose removal is not known to be committed.

        Only in the latter case can a node that is no voter be Prospective, Candidate or Leader.
        """
        return self._core.is_electable

    @property
    def leader_and_epoch(self) -> LeaderAndEpoch:
        """The leader and epoch that this node knows now, durable or not."""
        return states.leader_and_epoch(self._core.state)

    @property
    def high_watermark(self) -> int | None:
        """Everything below this offset is committed; None while unknown. A leader has to find it out anew."""
        core = self._core
        return core.state.high_watermark if isinstance(core.state, Leader) else core.high_watermark

    @property
    def told_high_watermark(self) -> int | None:
        """The high watermark that a leader has sent since this node's start, or this node's own if it leads; None
        before the first. Unlike `high_watermark` it may be past the end of this node's log."""
        core = self._core
        return core.state.high_watermark if isinstance(core.state, Leader) else core.told_high_watermark

    @property
    def log_start_offset(self) -> int:
        return self._core.log.start_offset

    @property
    def log_end_offset(self) -> int:
        """Log end offset, including the batches that are not durable yet."""
        return self._core.log.end_offset

    @property
    def voters(self) -> VoterSet:
        """The voter set in force."""
        return self._core.voters.latest

    @property
    def kraft_version(self) -> int:
        return self._core.voters.kraft_version

    @property
    def _core(self) -> Core:
        assert self._opened is not None, "the first event has to be Opened"
        return self._opened


def _open(config: RaftConfig, rng: Rng, event: Opened, now_ms: int) -> Core:
    log = LogIndex(
        start_offset=event.log_start_offset,
        end_offset=event.log_end_offset,
        epoch_starts=event.epoch_starts,
        snapshots=[(snapshot.id, snapshot.size_bytes) for snapshot in event.snapshots],
    )
    voters = VoterHistory(config.static_voters)
    for recorded in event.control_records:
        # A voter set from beyond the log's end was never in this log, or is cut off: it must not be
        # in force.
        assert recorded.offset < event.log_end_offset, (
            f"a control record at offset {recorded.offset} of a log that ends at {event.log_end_offset}"
        )
        apply_control(voters, recorded.offset, recorded.record)
    # As `Core.random_election_timeout_ms`; there is no core yet.
    timeout_ms = config.election_timeout_ms + rng.below(config.election_timeout_ms)
    state = election.restore_state(config, voters, event.election, log.last_epoch, now_ms, timeout_ms)
    core = Core(config=config, rng=rng, log=log, voters=voters, state=state, now_ms=now_ms)
    # What the file says of an older epoch is no longer this node's state, and has to be written anew.
    if event.election is not None and event.election.epoch >= log.last_epoch:
        core.restore_election_state(event.election)
    # The set at the start is where later removals are told from.
    core.voters_changed()
    return core


def _dispatch(core: Core, event: Event, now_ms: int) -> None:
    match event:
        case RequestReceived():
            _handle_request(core, event, now_ms)
        case ResponseReceived():
            responses.handle_response(core, event, now_ms)
        case RequestFailed():
            responses.handle_failure(core, event, now_ms)
        case AppendRequested():
            leader.handle_append_requested(core, event, now_ms)
        case Persisted():
            core.outbox.mark_persisted(event.number)
            # This node counts as a replica like any other: what it has just synced may be what a
            # majority lacked.
            commit.handle_persisted(core, now_ms)
        case Tick():
            """Only time has passed; ``_tick`` does what is due."""
        case SnapshotCreated():
            core.log.add_snapshot(event.snapshot.id, event.snapshot.size_bytes)
        case SnapshotInstalled():
            snapshot_fetch.handle_installed(core, event)
        case SnapshotRejected():
            snapshot_fetch.handle_rejected(core, event, now_ms)
        case LogStartMoved():
            core.log.move_start(event.log_start_offset)
        case ResignRequested():
            # Only the leadership that was meant: this node may lead a later epoch by now.
            if isinstance(core.state, Leader) and core.state.epoch == event.epoch:
                leaving.resign(core, core.state, now_ms)
        case ShutdownRequested():
            _handle_shutdown_requested(core, now_ms)
        case Opened():
            raise AssertionError("Opened came twice")
        case _:
            assert_never(event)


def _handle_request(core: Core, event: RequestReceived, now_ms: int) -> None:
    """Pass a request to the module that responds to it; refuse changes of voters here if this node does not lead."""
    request_id, listener_name = event.request_id, event.listener_name
    state = core.state
    match event.request:
        case VoteRequest() as request:
            voting.handle_vote(core, request_id, request, listener_name, now_ms)
        case BeginQuorumEpochRequest() as request:
            quorum_epoch.handle_begin(core, request_id, request, listener_name, now_ms)
        case EndQuorumEpochRequest() as request:
            quorum_epoch.handle_end(core, request_id, request, listener_name, now_ms)
        case FetchRequest() as request:
            fetch_service.handle_fetch(core, request_id, request, listener_name, now_ms)
        case FetchSnapshotRequest() as request:
            fetch_service.handle_fetch_snapshot(core, request_id, request, listener_name, now_ms)
        case UpdateVoterRequest() as request:
            error = core.check_leader_only(request.epoch)
            if isinstance(state, Leader) and error is RaftError.NONE:
                # A voter that reports its endpoints is alive, whatever becomes of the report.
                check_quorum.heard_from(core, state, request.voter, now_ms)
                membership.handle_update_voter(core, state, request_id, request, listener_name, now_ms)
            else:
                core.respond(
                    request_id,
                    UpdateVoterResponse(
                        error=error,
                        leader=states.leader_and_epoch(state),
                        leader_endpoint=core.leader_endpoint(listener_name),
                    ),
                )
        # Its sender is a tool or a new voter that names no epoch. What makes the change safe is the
        # leader's own epoch, in the log.
        case AddVoterRequest() as request if isinstance(state, Leader):
            membership.handle_add_voter(core, state, request_id, request, now_ms)
        case RemoveVoterRequest() as request if isinstance(state, Leader):
            membership.handle_remove_voter(core, state, request_id, request, now_ms)
        case UpgradeKRaftVersionRequest() as request if (
            isinstance(state, Leader) and state.epoch == request.epoch
        ):
            membership.handle_upgrade_kraft_version(core, state, request_id, request, now_ms)
        case AddVoterRequest() | RemoveVoterRequest() | UpgradeKRaftVersionRequest():
            core.respond(request_id, VoterChangeResponse(error=RaftError.NOT_LEADER_OR_FOLLOWER, message=""))
        case _:
            assert_never(event.request)


def _handle_shutdown_requested(core: Core, now_ms: int) -> None:
    """Resign, and wait for a new leader. A node that does not lead, or is the only voter, has nothing to wait for."""
    assert not core.is_stopping, "shutdown was requested twice"
    # Before it resigns, so that nothing that follows makes it stand again. It still votes: somebody
    # has to elect the next leader.
    core.is_stopping = True
    core.shutdown_deadline_ms = now_ms
    if isinstance(core.state, Leader):
        leaving.resign(core, core.state, now_ms)
        # A sole voter has no successor, and its log waits for nobody.
        if not core.voters.latest.is_only_voter(core.config.key):
            core.shutdown_deadline_ms = now_ms + SHUTDOWN_TIMEOUT_MS


def _maybe_complete_shutdown(core: Core, now_ms: int) -> None:
    """Stop once a former leader knows a later epoch, sees that nobody can be elected, or has waited long enough."""
    state = core.state
    if core.shutdown_deadline_ms is None:
        return
    # Any other state means that a later epoch is known, and so the hand-over is done or out of its
    # hands.
    may_be_succeeded = isinstance(state, Resigned) and resigned.may_be_succeeded(core, state)
    if not may_be_succeeded or now_ms >= core.shutdown_deadline_ms:
        core.shutdown_deadline_ms = None
        core.is_stopped = True
        core.outbox.notify_after_persist(ShutdownCompleted())


def _tick(core: Core, now_ms: int) -> None:
    """Do everything that is due. If that changes the state, do what is due in the new state, too."""
    _maybe_complete_shutdown(core, now_ms)
    former: State | None = None
    # A pre-vote of a quorum of one is won at once, for example, and then so is the election.
    while core.state is not former and not core.is_stopped:
        former = core.state
        match former:
            case Unattached():
                unattached.tick(core, former, now_ms)
            case Prospective():
                election.tick_prospective(core, former, now_ms)
            case Candidate():
                election.tick_candidate(core, former, now_ms)
            case Leader():
                leader.tick(core, former, now_ms)
            case Follower():
                follower.tick(core, former, now_ms)
            case Resigned():
                resigned.tick(core, former, now_ms)
            case _:
                assert_never(former)


def _state_deadline_ms(core: Core) -> float:
    state = core.state
    match state:
        case Unattached():
            return unattached.deadline_ms(core, state)
        case Prospective() | Candidate():
            return election.deadline_ms(core, state)
        case Leader():
            return leader.deadline_ms(core, state)
        case Follower():
            return follower.deadline_ms(core, state)
        case Resigned():
            return resigned.deadline_ms(core, state)
        case _:
            assert_never(state)
