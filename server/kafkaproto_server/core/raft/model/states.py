"""The states of a node in the quorum, and the table of legal transitions between them (Kafka's `QuorumState`).

States know no events and decide nothing. A state holds what is true while it lasts. A handler leaves it by building the
next state and passing it to ``core.Core.transition_to``. An observer is not a state of its own: it is a node that the
voter set in force does not name, and it is Unattached or Follower, or still Resigned after it led.

Prospective and Resigned are never written to quorum-state; all other states are written when they begin.

Apache Kafka: ``QuorumState`` and a class for each state, such as ``FollowerState``.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import ClassVar

from kafkaproto_server.base.purgatory import Purgatory
from kafkaproto_server.base.types import NO_NODE, Endpoint, LeaderAndEpoch, ReplicaKey, Voter
from kafkaproto_server.core.raft.model.accumulator import BatchAccumulator
from kafkaproto_server.core.raft.model.membership_state import MembershipState
from kafkaproto_server.core.raft.model.progress import Progress
from kafkaproto_server.core.raft.values.messages import FetchRequest
from kafkaproto_server.core.raft.values.votes import VoteCount


class StateName(enum.Enum):
    """States by the names that Kafka's metrics give them."""

    UNATTACHED = "unattached"
    PROSPECTIVE = "prospective"
    CANDIDATE = "candidate"
    LEADER = "leader"
    FOLLOWER = "follower"
    RESIGNED = "resigned"


class EpochRule(enum.Enum):
    """What a transition does to the epoch."""

    SAME = "stays in the epoch"
    LATER = "needs a later epoch"
    ANY = "stays in the epoch or goes to a later one"


# A pre-vote is not on disk, so none is resumed. A leader may have lost records that it showed, so
# it resigns (KIP-595).
LEGAL_AT_START = (StateName.UNATTACHED, StateName.CANDIDATE, StateName.FOLLOWER, StateName.RESIGNED)
"""States in which a node may start after it has read its disk."""

LEGAL_TRANSITIONS: dict[StateName, dict[StateName, EpochRule]] = {
    StateName.UNATTACHED: {
        # Within the epoch it votes, or tries again after a pause.
        StateName.UNATTACHED: EpochRule.ANY,
        # KIP-996: whoever wants to lead asks first, and disturbs nobody by asking.
        StateName.PROSPECTIVE: EpochRule.SAME,
        StateName.FOLLOWER: EpochRule.ANY,
    },
    StateName.PROSPECTIVE: {
        StateName.UNATTACHED: EpochRule.ANY,
        StateName.PROSPECTIVE: EpochRule.SAME,
        # The only way to raise the epoch by a vote for oneself: a majority has said that it would
        # follow.
        StateName.CANDIDATE: EpochRule.LATER,
        StateName.FOLLOWER: EpochRule.ANY,
    },
    StateName.CANDIDATE: {
        StateName.UNATTACHED: EpochRule.LATER,
        StateName.PROSPECTIVE: EpochRule.SAME,
        # The votes were given for this epoch and for no other.
        StateName.LEADER: EpochRule.SAME,
        StateName.FOLLOWER: EpochRule.ANY,
    },
    StateName.LEADER: {
        # An epoch has one leader. Nobody else can lead this one, so only a later one ends the
        # leadership.
        StateName.UNATTACHED: EpochRule.LATER,
        StateName.FOLLOWER: EpochRule.LATER,
        StateName.RESIGNED: EpochRule.SAME,
    },
    StateName.FOLLOWER: {
        StateName.UNATTACHED: EpochRule.LATER,
        StateName.PROSPECTIVE: EpochRule.SAME,
        StateName.FOLLOWER: EpochRule.LATER,
    },
    StateName.RESIGNED: {
        StateName.UNATTACHED: EpochRule.LATER,
        StateName.PROSPECTIVE: EpochRule.SAME,
        StateName.FOLLOWER: EpochRule.LATER,
    },
}


@dataclass(slots=True, kw_only=True)
class Unattached:
    """Follows no leader in this epoch. It may know the leader, and may have given its vote."""

    name: ClassVar = StateName.UNATTACHED
    epoch: int
    leader_id: int = NO_NODE
    voted_key: ReplicaKey | None = None
    election_at_ms: int
    """When a voter seeks an election; an observer never does."""


@dataclass(slots=True, kw_only=True)
class Follower:
    """Knows the leader of this epoch and fetches from it."""

    name: ClassVar = StateName.FOLLOWER
    epoch: int
    leader_id: int
    leader_endpoints: tuple[Endpoint, ...]
    """The known listeners of the leader, at least one."""
    voted_key: ReplicaKey | None = None
    fetch_deadline_ms: int
    """When the fetch timeout ends, unless a Fetch succeeds before."""
    # A leader that was only heard of is no reason to refuse others a pre-vote
    # (`transitions.follows_live_leader`).
    has_fetched: bool = False
    """Whether a Fetch to this leader has succeeded."""
    fetch_id: int | None = None
    """The last request to the leader; it may be over already."""
    link_is_dead: bool = False
    """Whether this node believes that the leader is gone: its connection ended, it resigned, or it is silent."""
    leader_resigned: bool = False
    """Whether the leader said that it resigned, in a response to this node's own Fetch."""
    successor_rank: int | None = None
    """This node's place, from 0, among the successors that the leader named when it resigned; None if it named none."""
    election_at_ms: int | None = None
    """When a voter asks for pre-votes, while the link is dead."""
    refused_pre_votes: int = 0
    """How many pre-votes this node has lost since the link died."""


@dataclass(slots=True, kw_only=True)
class Prospective:
    """Asks whether an election would be won (a pre-vote, KIP-996), without raising the epoch. In memory only."""

    name: ClassVar = StateName.PROSPECTIVE
    epoch: int
    leader_id: int = NO_NODE
    voted_key: ReplicaKey | None = None
    votes: VoteCount
    deadline_ms: int
    began_ms: int
    """When this node began to seek leadership, in this epoch or an earlier one."""
    follower: Follower | None = None
    """The follower that this node was, and is again if too few voters grant; None if it was none."""


@dataclass(slots=True, kw_only=True)
class Candidate:
    """Has voted for itself in this epoch and wants to lead it."""

    name: ClassVar = StateName.CANDIDATE
    leader_id: ClassVar = NO_NODE
    epoch: int
    voted_key: ReplicaKey
    """Itself."""
    votes: VoteCount
    vote_number: int | None
    """Number of the effects that make its own vote durable; None if the disk held it already."""
    deadline_ms: int
    began_ms: int
    is_lost: bool = False
    """Whether the election cannot be won any more. The deadline is then only the end of a pause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkedFetch:
    """A Fetch that waits at the leader for records or a new high watermark."""

    request_id: int
    request: FetchRequest
    listener_name: str


@dataclass(slots=True, kw_only=True)
class Leader:
    name: ClassVar = StateName.LEADER
    leader_id: int
    epoch: int
    epoch_start_offset: int
    accumulator: BatchAccumulator
    leadership_number: int
    """Number of the effects that make leadership durable."""
    high_watermark: int | None = None
    """None until a majority holds a record of this epoch."""
    progress: Progress
    """How far the other replicas have come."""
    heard_from: dict[int, None] = field(default_factory=dict)
    """Voters, by node id, that the leader has heard from since it last heard from a majority."""
    check_quorum_at_ms: int
    """When to resign, unless the leader hears from a majority before."""
    begin_at_ms: dict[int, int] = field(default_factory=dict)
    """By the other voters' ids, when to send the next BeginQuorumEpoch; a Fetch of the voter postpones it."""
    unreached: set[int] = field(default_factory=set)
    """Voters, by node id, to which the last BeginQuorumEpoch failed, and that the leader has not heard from since."""
    parked: Purgatory[ParkedFetch] = field(default_factory=Purgatory)
    membership: MembershipState = field(default_factory=MembershipState)

    def end_offset_of(self, key: ReplicaKey) -> int | None:
        """End offset of another replica's log by its last Fetch; None if it has not fetched."""
        replica = self.progress.get(key)
        return None if replica is None else replica.end_offset

    def has_caught_up(self, key: ReplicaKey, within_ms: int, now_ms: int) -> bool:
        """Whether a replica was at the end of this log at some moment of the last ``within_ms``."""
        return self.progress.has_caught_up(key, within_ms, now_ms)


@dataclass(slots=True, kw_only=True)
class Resigned:
    """Led this epoch and never leads it again: its log may have lost records that it showed to others."""

    name: ClassVar = StateName.RESIGNED
    leader_id: ClassVar = NO_NODE
    epoch: int
    election_at_ms: int
    """When a voter moves to the next epoch."""
    unacknowledged: dict[int, Voter]
    """Voters, by node id, that have not acknowledged EndQuorumEpoch yet."""
    preferred_candidates: tuple[ReplicaKey, ...] = ()
    """Best successor first."""
    absent: dict[int, None] = field(default_factory=dict)
    """Voters, by node id, at whose address nobody listened for EndQuorumEpoch."""


State = Unattached | Prospective | Candidate | Leader | Follower | Resigned


def leader_and_epoch(state: State) -> LeaderAndEpoch:
    """The leader and epoch that a node in this state knows."""
    return LeaderAndEpoch(leader_id=state.leader_id, epoch=state.epoch)


def voted_key(state: State) -> ReplicaKey | None:
    """The vote of a node in this state in its epoch; None if there is none, or if it no longer matters."""
    return None if isinstance(state, Leader | Resigned) else state.voted_key


def check_start(state: State) -> None:
    """Assert that a node may start in this state."""
    assert state.name in LEGAL_AT_START, f"a node cannot start as {state.name.value}"


def check_transition(old: State, new: State) -> None:
    """Assert that the table allows the transition, and that within an epoch neither vote nor leader changes."""
    change = f"{old.name.value} of epoch {old.epoch} to {new.name.value} of epoch {new.epoch}"
    # These are asserts and no checks: handlers leave out what a peer may not bring about
    # (`transitions.learn`), so a transition that is wrong is this process contradicting itself.
    rule = LEGAL_TRANSITIONS[old.name].get(new.name)
    assert rule is not None, f"{change}: there is no such transition"
    if new.epoch == old.epoch:
        assert rule is not EpochRule.LATER, f"{change}: this transition {rule.value}"
        # One vote an epoch, and one leader (Raft, section 5.2). A Leader has no vote to keep: its
        # own has done its work.
        vote = voted_key(old)
        assert vote is None or isinstance(new, Leader | Resigned) or voted_key(new) == vote, (
            f"{change}: the vote for {vote} is taken back"
        )
        assert old.leader_id in (NO_NODE, new.leader_id) or isinstance(new, Resigned), (
            f"{change}: the leader was {old.leader_id} and would be {new.leader_id}"
        )
    else:
        # In an earlier epoch this node may have voted, and it keeps no vote but that of its present
        # one.
        assert new.epoch > old.epoch, f"{change}: the epoch goes back"
        assert rule is not EpochRule.SAME, f"{change}: this transition {rule.value}"
