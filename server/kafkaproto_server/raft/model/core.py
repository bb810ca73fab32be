"""The state that every handler works on, and the few ways to change it that keep its parts together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from kafkaproto_server.ports import Rng
from kafkaproto_server.raft.model import states
from kafkaproto_server.raft.model.joining_state import JoiningState
from kafkaproto_server.raft.model.log_index import LogIndex
from kafkaproto_server.raft.model.outbox import Outbox
from kafkaproto_server.raft.model.refusals import Refusals
from kafkaproto_server.raft.model.requests import RequestManager
from kafkaproto_server.raft.model.snapshot_download import SnapshotDownload
from kafkaproto_server.raft.model.states import Leader, Resigned, State
from kafkaproto_server.raft.values.config import RaftConfig
from kafkaproto_server.raft.values.control import ControlRecord, KRaftVersion, KRaftVoters, LeaderChange
from kafkaproto_server.raft.values.effects import (
    ClaimRefused,
    LeadershipLost,
    PendingBatch,
    SendAnswer,
    SendRequest,
    VotersChanged,
    WriteElectionState,
)
from kafkaproto_server.raft.values.election_state import ElectionState
from kafkaproto_server.raft.values.errors import RaftError
from kafkaproto_server.raft.values.messages import (
    Answer,
    Destination,
    FetchedBatch,
    FetchRequest,
    InboundRequest,
    OutboundRequest,
    Response,
    VoteRequest,
)
from kafkaproto_server.raft.values.statistics import Counters
from kafkaproto_server.raft.values.trust import Doubt
from kafkaproto_server.raft.values.voters import VoterHistory
from kafkaproto_server.types import Endpoint, OffsetAndEpoch, ReplicaKey


@dataclass(slots=True, kw_only=True)
class WaitingVote:
    """A Vote request that is answered once its candidate was asked for its epoch."""

    request_id: int
    request: VoteRequest
    listener_name: str
    candidate: Destination
    """Where the log has the candidate."""
    fetches: int = 0
    """How many Fetches to the candidate ended since the request came."""


class Core:
    """One node's log index, voter history, state, requests and outbox."""

    def __init__(
        self,
        *,
        config: RaftConfig,
        rng: Rng,
        log: LogIndex,
        voters: VoterHistory,
        state: State,
        now_ms: int,
    ) -> None:
        states.check_start(state)
        self.config = config
        self.rng = rng
        self.log = log
        self.voters = voters
        self.outbox = Outbox(durable_end_offset=log.end_offset, syncs_log=config.can_be_voter)
        self.requests = RequestManager(config.retry_backoff_ms)
        self.joining = JoiningState()
        self.counters = Counters()
        self.high_watermark: int | None = None
        """Highest offset below which everything is known to be committed; None while nothing is."""
        self.told_high_watermark: int | None = None
        """Highest high watermark that a leader named to this node since its start. This node's log may end before."""
        self.download: SnapshotDownload | None = None
        """A snapshot of which a part is fetched."""
        self.installing: OffsetAndEpoch | None = None
        """The snapshot that is about to replace the log. Until it has, nobody can say where the log ends: this node
        fetches nothing and wants no leadership."""
        self.failed_elections = 0
        """Elections and pre-votes lost in a row, without having known a leader in between."""
        self.discovery_id: int | None = None
        """The Fetch under way that asks anybody who leads."""
        self.discovery_at_ms = 0
        """When to ask the next one."""
        self.fruitless_discoveries = 0
        """Answers in a row that told nothing new."""
        self.discovery_hint: Destination | None = None
        """A voter that somebody made a claim about, and that is to be asked as soon as it can be."""
        self.leader_lost_ms = now_ms
        """When this node last had a leader that it did not doubt, itself or another; else the start."""
        self.waiting_votes: list[WaitingVote] = []
        """Vote requests of voters in later epochs, which these voters are asked about."""
        self._refusals = Refusals(now_ms)
        self.is_stopping = False
        self.is_stopped = False
        self.shutdown_deadline_ms: int | None = None
        """While this node waits for its successor before it stops: until when."""
        self._state = state
        self._election_state: ElectionState | None = None
        self._told_voters = voters.latest
        self._told_kraft_version = voters.kraft_version

    @property
    def state(self) -> State:
        """What this node is towards its quorum."""
        return self._state

    @property
    def is_voter(self) -> bool:
        """Whether the voter set in force names this node."""
        return self.voters.latest.is_voter(self.config.key)

    @property
    def is_electable(self) -> bool:
        """Whether this node is one of those that may lead."""
        return self.may_be_voter(self.config.key)

    def may_be_voter(self, key: ReplicaKey) -> bool:
        """Whether a replica is a voter by the log at hand: of the set in force, or of the one before a change that is
        not known to be committed. Without the latter nobody might be left to commit it."""
        if self.voters.latest.is_voter(key):
            return True
        offset = self.voters.latest_offset
        if offset is None or offset < (self.high_watermark or 0):
            return False
        former = self.voters.voters_at(offset)
        return former is not None and former.is_voter(key)

    @property
    def committed_floor(self) -> int:
        """No record below this offset may ever be cut off."""
        latest = self.log.latest_snapshot
        snapshot_end = 0 if latest is None else latest.offset
        return max(self.high_watermark or 0, self.log.start_offset, min(snapshot_end, self.log.end_offset))

    def transition_to(self, state: State) -> None:
        """Become ``state``; asserts that it is legal from here."""
        states.check_transition(self._state, state)
        self._state = state
        if isinstance(state, Leader | states.Follower):
            self.discovery_hint = None

    def random_election_timeout_ms(self) -> int:
        """An election timeout and up to as much again, so that nodes rarely try at the same time."""
        return self.config.election_timeout_ms + self.rng.below(self.config.election_timeout_ms)

    # -- what to write -------------------------------------------------------------------------------------------------

    def restore_election_state(self, state: ElectionState) -> None:
        """Note what quorum-state holds at the start."""
        self._election_state = state

    def write_election_state(self) -> int:
        """Make the state durable, if the disk does not say the same already; returns the effects' number that does."""
        state = self._state
        assert not isinstance(state, Resigned), "resignation is not written down"
        election = ElectionState(
            epoch=state.epoch, leader_id=state.leader_id, voted_key=states.voted_key(state)
        )
        if election == self._election_state:
            return self.outbox.election_number
        self._election_state = election
        return self.outbox.write_election_state(
            WriteElectionState(
                state=election,
                kraft_version=self.voters.kraft_version,
                voter_ids=self.voters.latest.ids,
            )
        )

    def append(self, batch: PendingBatch) -> None:
        """Put a batch of this leader's at the log's end. Control records take effect at once."""
        self.log.append(epoch=batch.epoch, base_offset=batch.base_offset, next_offset=batch.next_offset)
        self.outbox.append(batch)
        for offset, record in enumerate(batch.control, start=batch.base_offset):
            self.apply_control(offset, record)

    def append_fetched(self, batch: FetchedBatch) -> None:
        """Put a leader's batch at the log's end. Control records take effect at once, long before they commit."""
        self.log.append(epoch=batch.epoch, base_offset=batch.base_offset, next_offset=batch.next_offset)
        self.outbox.append(batch)
        for recorded in batch.control:
            self.apply_control(recorded.offset, recorded.record)

    def truncate(self, end_offset: int) -> None:
        """Cut the log; voters and kraft.version are again what they were there."""
        assert end_offset >= self.committed_floor, (
            f"truncation to {end_offset} would cut off what is committed up to {self.committed_floor}"
        )
        self.log.truncate_to(end_offset)
        self.outbox.truncate(end_offset)
        self.voters.truncate_to(end_offset)
        self.voters_changed()

    def apply_control(self, offset: int, record: ControlRecord) -> None:
        """Bring a control record into force."""
        apply_control(self.voters, offset, record)
        self.voters_changed()

    def voters_changed(self) -> None:
        """Take note of the voter set in force, after every change of it."""
        self.joining.voters_changed(self.voters.latest_offset, is_voter=self.is_voter)

    def check_leader_only(self, epoch: int) -> RaftError:
        """The check that every request to a leader has to pass; ``epoch`` is the one that the asking node knows."""
        if epoch < self.state.epoch:
            return RaftError.FENCED_LEADER_EPOCH
        if epoch > self.state.epoch:
            return RaftError.UNKNOWN_LEADER_EPOCH
        return RaftError.NONE if isinstance(self.state, Leader) else RaftError.NOT_LEADER_OR_FOLLOWER

    # -- whom to tell --------------------------------------------------------------------------------------------------

    def answer(self, request_id: int, answer: Answer) -> None:
        """Answer an inbound request."""
        self.outbox.send(SendAnswer(request_id=request_id, answer=answer), after_log=False)

    def ask(self, destination: Destination, request: OutboundRequest, now_ms: int) -> int | None:
        """Send a request, and return its id; None, with nothing sent, while the lane is busy or rests.

        The offset of a voter's Fetch promises that all before it is durable.
        """
        request_id = self.requests.begin(destination, request, now_ms)
        if request_id is None:
            return None
        after_log = isinstance(request, FetchRequest) and self.config.can_be_voter
        self.outbox.send(
            SendRequest(request_id=request_id, destination=destination, request=request), after_log=after_log
        )
        return request_id

    def refuse(self, peer_id: int, claim: InboundRequest | Response, doubt: Doubt, now_ms: int) -> None:
        """Report that a claim is not believed, unless the same was reported of this peer lately."""
        is_voter = self.voters.latest.get(peer_id) is not None
        if self._refusals.is_news(peer_id, doubt, now_ms, is_voter=is_voter):
            self.outbox.tell_now(ClaimRefused(peer_id=peer_id, claim=claim, doubt=doubt))

    def tell_leadership_lost(self, leader: Leader) -> None:
        """Tell that this node does not lead ``leader``'s epoch any more."""
        self.outbox.tell_lost(LeadershipLost(epoch=leader.epoch), leader.leadership_number)

    def tell_voters(self) -> None:
        """Tell the voter set or the kraft.version in force, if they are not what was told last."""
        latest, kraft_version = self.voters.latest, self.voters.kraft_version
        if latest is self._told_voters and kraft_version == self._told_kraft_version:
            return
        is_news = latest != self._told_voters or kraft_version != self._told_kraft_version
        self._told_voters, self._told_kraft_version = latest, kraft_version
        if is_news:
            self.outbox.tell_now(VotersChanged(kraft_version=kraft_version))

    # -- where others are ----------------------------------------------------------------------------------------------

    def voter_destination(self, node_id: int) -> Destination | None:
        """Where this node reaches a voter; None where the voter set does not say."""
        endpoint = self.voters.latest.endpoint(node_id, self.config.listener_name)
        return None if endpoint is None else destination_of(node_id, endpoint)

    def leader_endpoint(self, listener_name: str) -> Endpoint | None:
        """Where the leader, if one is known, serves a listener; None where that is not known."""
        state = self._state
        known: tuple[Endpoint, ...] = ()
        if isinstance(state, Leader):
            known = self.config.endpoints
        elif isinstance(state, states.Follower):
            known = state.leader_endpoints
        found = next((endpoint for endpoint in known if endpoint.name == listener_name), None)
        return found or self.voters.latest.endpoint(state.leader_id, listener_name)


def apply_control(voters: VoterHistory, offset: int, record: ControlRecord) -> None:
    """Bring a control record into force, whether it was read from disk or is being appended."""
    match record:
        case KRaftVersion():
            voters.add_kraft_version(offset, record.level)
        case KRaftVoters():
            voters.add_voters(offset, record.voters)
        case LeaderChange():
            """A leader change is in force by the election that it records."""
        case _:
            assert_never(record)


def destination_of(node_id: int, endpoint: Endpoint) -> Destination:
    """A node at one of its endpoints."""
    return Destination(id=node_id, host=endpoint.host, port=endpoint.port)
