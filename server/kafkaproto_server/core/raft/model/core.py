"""``Core`` is the state that all handlers in ``roles`` work on, with the few changes that keep its parts consistent.

Apache Kafka: ``QuorumState`` and the fields of ``KafkaRaftClient``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from kafkaproto_server.base.ports import Rng
from kafkaproto_server.base.types import Endpoint, OffsetAndEpoch, ReplicaKey
from kafkaproto_server.core.raft.model import states
from kafkaproto_server.core.raft.model.joining_state import JoiningState
from kafkaproto_server.core.raft.model.log_index import LogIndex
from kafkaproto_server.core.raft.model.outbox import RaftOutbox
from kafkaproto_server.core.raft.model.refusals import Refusals
from kafkaproto_server.core.raft.model.requests import RequestManager
from kafkaproto_server.core.raft.model.snapshot_download import SnapshotDownload
from kafkaproto_server.core.raft.model.states import Leader, Resigned, State
from kafkaproto_server.core.raft.values.config import RaftConfig
from kafkaproto_server.core.raft.values.control import ControlRecord, KRaftVersion, KRaftVoters, LeaderChange
from kafkaproto_server.core.raft.values.effects import (
    ClaimRefused,
    LeadershipLost,
    PendingBatch,
    SendRequest,
    SendResponse,
    VotersChanged,
    WriteElectionState,
)
from kafkaproto_server.core.raft.values.election_state import ElectionState
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.messages import (
    Destination,
    FetchedBatch,
    FetchRequest,
    InboundRequest,
    InboundResponse,
    OutboundRequest,
    OutboundResponse,
    VoteRequest,
)
from kafkaproto_server.core.raft.values.statistics import Counters
from kafkaproto_server.core.raft.values.trust import Doubt
from kafkaproto_server.core.raft.values.voters import VoterHistory


@dataclass(slots=True, kw_only=True)
class WaitingVote:
    """A Vote request that gets its response once this node has asked the candidate for its epoch."""

    request_id: int
    request: VoteRequest
    listener_name: str
    candidate: Destination
    """The candidate at the endpoint that the log has for it."""
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
        # A leader never comes back as one: records that it showed to others may be lost (`states`).
        states.check_start(state)
        self.config = config
        self.rng = rng
        self.log = log
        self.voters = voters
        self.outbox = RaftOutbox(durable_end_offset=log.end_offset, syncs_log=config.can_be_voter)
        self.requests = RequestManager(config.retry_backoff_ms)
        self.joining = JoiningState()
        self.counters = Counters()
        # No file holds it. A restarted node learns it anew: a follower from its leader, a leader
        # once a majority holds a record of its own epoch (KIP-595).
        self.high_watermark: int | None = None
        """Highest offset below which everything is known to be committed; None while unknown."""
        self.told_high_watermark: int | None = None
        """Highest high watermark that a leader sent to this node since its start. This node's log may end before it."""
        # Here and not in a state: a follower that asks for pre-votes and follows again has lost
        # nothing of what it fetched.
        self.download: SnapshotDownload | None = None
        """A snapshot that is being fetched."""
        self.installing: OffsetAndEpoch | None = None
        """The snapshot that is about to replace the log. Until then nobody can say where the log ends, so this node
        neither fetches nor seeks leadership."""
        self.failed_elections = 0
        """Elections and pre-votes lost in a row, without a known leader in between."""
        self.discovery_id: int | None = None
        """The Fetch under way that asks some node who leads."""
        self.discovery_at_ms = 0
        """When to ask the next node who leads."""
        self.fruitless_discoveries = 0
        """Such Fetches that ended in a row without bringing a leader or a new epoch."""
        self.discovery_hint: Destination | None = None
        """A voter that a request made a claim about; this node asks it as soon as possible."""
        self.leader_lost_ms = now_ms
        """When this node last had a leader that it did not doubt, itself or another; else when it started."""
        # At most `voting.MAX_WAITING`: anybody may ask for votes.
        self.waiting_votes: list[WaitingVote] = []
        """Vote requests of voters in later epochs; this node is asking these voters for their epoch."""
        self._refusals = Refusals(now_ms)
        self.is_stopping = False
        self.is_stopped = False
        self.shutdown_deadline_ms: int | None = None
        """When a node that shuts down stops at the latest, while it waits for a new leader."""
        self._state = state
        self._election_state: ElectionState | None = None
        self._told_voters = voters.latest
        self._told_kraft_version = voters.kraft_version

    @property
    def state(self) -> State:
        """This node's state in the quorum: leader, follower and so on."""
        return self._state

    @property
    def is_voter(self) -> bool:
        """Whether the voter set in force names this node."""
        return self.voters.latest.is_voter(self.config.key)

    @property
    def is_electable(self) -> bool:
        """Whether this node may lead, as `may_be_voter` says."""
        return self.may_be_voter(self.config.key)

    def may_be_voter(self, key: ReplicaKey) -> bool:
        """Whether a replica is a voter by this node's log: of the set in force, or of the set before it while the
        change is not known to be committed. Without the latter, nobody might be left who can be elected and commit it.
        """
        if self.voters.latest.is_voter(key):
            return True
        offset = self.voters.latest_offset
        # A high watermark that is not known proves nothing, so it counts as 0.
        if offset is None or offset < (self.high_watermark or 0):
            return False
        # The set that is in force again if the record at ``offset`` is truncated away. Voters of
        # both sets may still have to elect somebody.
        former = self.voters.voters_at(offset)
        return former is not None and former.is_voter(key)

    @property
    def committed_floor(self) -> int:
        """No record below this offset may ever be truncated: it is committed, or covered by a snapshot."""
        # Snapshots are made of committed records only (KIP-630). So after a restart one says what
        # is committed even before a leader does.
        latest = self.log.latest_snapshot
        # A log that does not start at 0 has a snapshot, which ends there or later.
        return max(self.high_watermark or 0, 0 if latest is None else latest.offset)

    def transition_to(self, state: State) -> None:
        """Become ``state``; asserts that the transition is legal."""
        states.check_transition(self._state, state)
        self._state = state
        if isinstance(state, Leader | states.Follower):
            self.discovery_hint = None

    def random_election_timeout_ms(self) -> int:
        """An election timeout plus up to as much again, so that nodes rarely stand at the same time."""
        # As in Kafka: between one and two timeouts.
        return self.config.election_timeout_ms + self.rng.below(self.config.election_timeout_ms)

    # -- what to write -------------------------------------------------------------------------------------------------

    def restore_election_state(self, state: ElectionState) -> None:
        """Note the content of quorum-state at the start."""
        self._election_state = state

    def write_election_state(self) -> int:
        """Write the state to quorum-state, unless the file says the same already.

        Returns the number of the effects that make it durable.
        """
        state = self._state
        # A node that restarts reads its own id as the leader, and starts as Resigned because of that.
        assert not isinstance(state, Resigned), "resignation is not written down"
        election = ElectionState(
            epoch=state.epoch, leader_id=state.leader_id, voted_key=states.voted_key(state)
        )
        # Each write costs a sync, and messages wait for it.
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
        """Append a batch of this leader. Control records take effect at once (KIP-853)."""
        assert isinstance(self._state, Leader), "only a leader appends records of its own"
        assert batch.epoch == self._state.epoch, (
            f"a batch of epoch {batch.epoch} from the leader of {self._state.epoch}"
        )
        # The core appends ahead of the disk. Only the outbox knows what is durable, and only that
        # counts towards a commit (`commit`).
        self.log.append(epoch=batch.epoch, base_offset=batch.base_offset, next_offset=batch.next_offset)
        self.outbox.append(batch)
        # Not at the commit: two leaders could otherwise count by sets without a common majority (KIP-853).
        for offset, record in enumerate(batch.control, start=batch.base_offset):
            self.apply_control(offset, record)

    def append_fetched(self, batch: FetchedBatch) -> None:
        """Append a batch that was fetched. Control records take effect at once, before they are committed (KIP-853)."""
        assert isinstance(self._state, states.Follower), "only a follower appends what it fetched"
        self.log.append(epoch=batch.epoch, base_offset=batch.base_offset, next_offset=batch.next_offset)
        self.outbox.append(batch)
        # LEADER_CHANGE is not among them: the epoch of its batch says all that a follower needs of
        # it.
        for recorded in batch.control:
            self.apply_control(recorded.offset, recorded.record)

    def truncate(self, end_offset: int) -> None:
        """Truncate the log; voters and kraft.version become again what they were at ``end_offset``."""
        # Stop rather than lose what was acknowledged: a leader that asks for this breaks the protocol.
        assert end_offset >= self.committed_floor, (
            f"truncation to {end_offset} would cut off what is committed up to {self.committed_floor}"
        )
        self.log.truncate_to(end_offset)
        self.outbox.truncate(end_offset)
        # Sets come into force at the append, so they leave with their records (KIP-853).
        self.voters.truncate_to(end_offset)
        self.voters_changed()

    def apply_control(self, offset: int, record: ControlRecord) -> None:
        """Bring a control record into force."""
        apply_control(self.voters, offset, record)
        self.voters_changed()

    def voters_changed(self) -> None:
        """Note the voter set in force. To be called after every change of it."""
        self.joining.voters_changed(self.voters.latest_offset, is_voter=self.is_voter)

    def check_leader_only(self, epoch: int) -> RaftError:
        """The check that every request to a leader has to pass; ``epoch`` is the epoch that the sender knows.

        FENCED_LEADER_EPOCH if it is older than this node's epoch, UNKNOWN_LEADER_EPOCH if it is newer,
        NOT_LEADER_OR_FOLLOWER if this node does not lead, else NONE.
        """
        # The order of the checks is Kafka's: the epoch comes before leadership, and says more.
        if epoch < self.state.epoch:
            return RaftError.FENCED_LEADER_EPOCH
        # It moves this node to no later epoch, in Kafka neither. Whoever sent it has to be asked
        # (`trust`).
        if epoch > self.state.epoch:
            return RaftError.UNKNOWN_LEADER_EPOCH
        return RaftError.NONE if isinstance(self.state, Leader) else RaftError.NOT_LEADER_OR_FOLLOWER

    # -- whom to tell --------------------------------------------------------------------------------------------------

    def respond(self, request_id: int, response: OutboundResponse) -> None:
        """Send the response to an inbound request."""
        # What a response says of the log is what the leader knows, not what its disk holds:
        # followers may be ahead of it (`commit`). For an election state every message waits
        # (`RaftOutbox.send`).
        self.outbox.send(SendResponse(request_id=request_id, response=response), after_log=False)

    def ask(self, destination: Destination, request: OutboundRequest, now_ms: int) -> int | None:
        """Send a request and return its id; None, with nothing sent, while the lane is busy or backs off.

        The offset of a voter's Fetch promises that everything before it is durable, so such a Fetch waits for the log.
        """
        # A Fetch names the end of the log, which nobody knows until the snapshot has replaced it.
        assert self.installing is None or not isinstance(request, FetchRequest), (
            "a Fetch from a log without an end"
        )
        request_id = self.requests.begin(destination, request, now_ms)
        if request_id is None:
            return None
        # Observers promise nothing, so their Fetches need not wait for the disk.
        after_log = isinstance(request, FetchRequest) and self.config.can_be_voter
        self.outbox.send(
            SendRequest(request_id=request_id, destination=destination, request=request), after_log=after_log
        )
        return request_id

    def refuse(
        self, peer_id: int, claim: InboundRequest | InboundResponse, doubt: Doubt, now_ms: int
    ) -> None:
        """Report that this node does not believe a claim, unless it reported the same of this peer lately."""
        # By node id alone: a directory id would be one more thing that the peer only claims.
        is_voter = self.voters.latest.get(peer_id) is not None
        if self._refusals.is_news(peer_id, doubt, now_ms, is_voter=is_voter):
            self.outbox.notify_now(ClaimRefused(peer_id=peer_id, claim=claim, doubt=doubt))

    def notify_leadership_lost(self, leader: Leader) -> None:
        """Notify the node that it does not lead ``leader``'s epoch any more."""
        self.outbox.notify_lost(LeadershipLost(epoch=leader.epoch), leader.leadership_number)

    def notify_voters(self) -> None:
        """Notify the node of the voter set and kraft.version in force, if they changed since the last notice."""
        latest, kraft_version = self.voters.latest, self.voters.kraft_version
        # By identity first, because this is asked after every event and the set hardly ever
        # changes.
        if latest is self._told_voters and kraft_version == self._told_kraft_version:
            return
        # A truncation, or a leader that repeats its voters, may bring an equal set back.
        is_news = latest != self._told_voters or kraft_version != self._told_kraft_version
        self._told_voters, self._told_kraft_version = latest, kraft_version
        if is_news:
            self.outbox.notify_now(VotersChanged(kraft_version=kraft_version))

    # -- where others are ----------------------------------------------------------------------------------------------

    def voter_destination(self, node_id: int) -> Destination | None:
        """The address at which this node reaches a voter; None if the voter set does not have it."""
        endpoint = self.voters.latest.endpoint(node_id, self.config.listener_name)
        return None if endpoint is None else destination_of(node_id, endpoint)

    def leader_endpoint(self, listener_name: str) -> Endpoint | None:
        """The leader's endpoint for a listener; None if no leader, or no such endpoint of it, is known."""
        state = self._state
        known: tuple[Endpoint, ...] = ()
        if isinstance(state, Leader):
            known = self.config.endpoints
        elif isinstance(state, states.Follower):
            known = state.leader_endpoints
        # What responses said comes before the log, whose entry may be of before the leader moved.
        # It is the endpoint of the listener that was asked, because each network has its own
        # (KIP-853).
        found = next((endpoint for endpoint in known if endpoint.name == listener_name), None)
        return found or self.voters.latest.endpoint(state.leader_id, listener_name)


def apply_control(voters: VoterHistory, offset: int, record: ControlRecord) -> None:
    """Bring a control record into force: one that was read from disk, or one that is being appended."""
    match record:
        case KRaftVersion():
            voters.add_kraft_version(offset, record.level)
        case KRaftVoters():
            voters.add_voters(offset, record.voters)
        case LeaderChange():
            """The election itself has brought a leader change into force."""
        case _:
            assert_never(record)


def destination_of(node_id: int, endpoint: Endpoint) -> Destination:
    """A node at one of its endpoints."""
    return Destination(id=node_id, host=endpoint.host, port=endpoint.port)
