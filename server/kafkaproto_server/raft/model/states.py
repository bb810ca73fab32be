"""The states a node can be in towards its quorum, and the one table of legal transitions between them.

Knows nothing of events and decides nothing. States hold what is true while they last; a handler moves on by
building the next state and handing it to ``core.Core.transition_to``. An observer is no state of its own: it is a node
that the voter set in force does not name; it is Unattached or Follower, or still Resigned after it led.

What a Prospective is and a Resigned was, no disk remembers; all the others are written down when they begin.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import ClassVar

from kafkaproto_server.purgatory import Purgatory
from kafkaproto_server.raft.model.accumulator import BatchAccumulator
from kafkaproto_server.raft.model.membership_state import MembershipState
from kafkaproto_server.raft.model.progress import Progress
from kafkaproto_server.raft.values.messages import FetchRequest
from kafkaproto_server.raft.values.votes import VoteCount
from kafkaproto_server.types import NO_NODE, Endpoint, LeaderAndEpoch, ReplicaKey, Voter


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


LEGAL_AT_START = (StateName.UNATTACHED, StateName.CANDIDATE, StateName.FOLLOWER, StateName.RESIGNED)
"""States that a node may find itself in once it has read its disk."""

LEGAL_TRANSITIONS: dict[StateName, dict[StateName, EpochRule]] = {
    StateName.UNATTACHED: {
        StateName.UNATTACHED: EpochRule.ANY,
        StateName.PROSPECTIVE: EpochRule.SAME,
        StateName.FOLLOWER: EpochRule.ANY,
    },
    StateName.PROSPECTIVE: {
        StateName.UNATTACHED: EpochRule.ANY,
        StateName.PROSPECTIVE: EpochRule.SAME,
        StateName.CANDIDATE: EpochRule.LATER,
        StateName.FOLLOWER: EpochRule.ANY,
    },
    StateName.CANDIDATE: {
        StateName.UNATTACHED: EpochRule.LATER,
        StateName.PROSPECTIVE: EpochRule.SAME,
        StateName.LEADER: EpochRule.SAME,
        StateName.FOLLOWER: EpochRule.ANY,
    },
    StateName.LEADER: {
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
    """Follows nobody in this epoch; may know who leads it, and may have given its vote."""

    name: ClassVar = StateName.UNATTACHED
    epoch: int
    leader_id: int = NO_NODE
    voted_key: ReplicaKey | None = None
    election_at_ms: int
    """When a voter tries to get elected; an observer never does."""


@dataclass(slots=True, kw_only=True)
class Follower:
    """Knows the leader of this epoch and fetches from it."""

    name: ClassVar = StateName.FOLLOWER
    epoch: int
    leader_id: int
    leader_endpoints: tuple[Endpoint, ...]
    """As many of the leader's listeners as are known, one at least."""
    voted_key: ReplicaKey | None = None
    fetch_deadline_ms: int
    """When the fetch timeout ends, unless a Fetch succeeds before."""
    has_fetched: bool = False
    """Whether a Fetch to this leader has succeeded."""
    fetch_id: int | None = None
    """The request to the leader that is under way; it may be over already."""
    link_is_dead: bool = False
    """Whether the leader is known to be gone: by its connection, by its own word, or by its silence."""
    leader_resigned: bool = False
    """Whether the leader said so, in answer to this node's own Fetch."""
    successor_rank: int | None = None
    """This node's place among the successors that the leader named as it went, from 0; None while it named none."""
    election_at_ms: int | None = None
    """While the link is dead, when a voter asks for pre-votes."""
    refused_pre_votes: int = 0
    """How often that was in vain, since the link died."""


@dataclass(slots=True, kw_only=True)
class Prospective:
    """Asks whether an election would be won (a pre-vote, KIP-996) and raises no epoch yet. In memory only."""

    name: ClassVar = StateName.PROSPECTIVE
    epoch: int
    leader_id: int = NO_NODE
    voted_key: ReplicaKey | None = None
    votes: VoteCount
    deadline_ms: int
    began_ms: int
    """When this node began to try, in this epoch or an earlier one."""
    follower: Follower | None = None
    """What this node was, and is again if too few grant."""


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
    """Number of the effects that make its own vote durable; None where the disk already held it."""
    deadline_ms: int
    began_ms: int
    is_lost: bool = False
    """Whether the election cannot be won any more, and the deadline is only a pause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkedFetch:
    """A Fetch that waits at the leader for news."""

    request_id: int
    request: FetchRequest
    listener_name: str


@dataclass(slots=True, kw_only=True)
class Leader:
    """Leads this epoch."""

    name: ClassVar = StateName.LEADER
    leader_id: int
    epoch: int
    epoch_start_offset: int
    accumulator: BatchAccumulator
    leadership_number: int
    """Number of the effects that make leadership durable."""
    high_watermark: int | None = None
    """Unknown until a majority holds a record of this epoch."""
    progress: Progress
    """How far the other replicas are."""
    heard_from: dict[int, None] = field(default_factory=dict)
    """Voters, by node id, that were heard from since the last majority of them was."""
    check_quorum_at_ms: int
    """When to resign, unless a majority is heard from before."""
    begin_at_ms: dict[int, int] = field(default_factory=dict)
    """By the other voters' ids, when to tell them again who leads; a Fetch of theirs puts it off."""
    unreached: set[int] = field(default_factory=set)
    """Voters, by node id, where the last BeginQuorumEpoch failed, and that were not heard from since."""
    parked: Purgatory[ParkedFetch] = field(default_factory=Purgatory)
    membership: MembershipState = field(default_factory=MembershipState)

    def end_offset_of(self, key: ReplicaKey) -> int | None:
        """End offset of another replica's log, as its last Fetch told; None where it has not fetched."""
        replica = self.progress.get(key)
        return None if replica is None else replica.end_offset

    def has_caught_up(self, key: ReplicaKey, within_ms: int, now_ms: int) -> bool:
        """Whether a replica was at this log's end in the last ``within_ms``."""
        return self.progress.has_caught_up(key, within_ms, now_ms)


@dataclass(slots=True, kw_only=True)
class Resigned:
    """Led this epoch and will not again: its log may have lost what it showed to others."""

    name: ClassVar = StateName.RESIGNED
    leader_id: ClassVar = NO_NODE
    epoch: int
    election_at_ms: int
    """When a voter leaves for the next epoch."""
    unacknowledged: dict[int, Voter]
    """Voters, by node id, that are still to be told."""
    preferred_candidates: tuple[ReplicaKey, ...] = ()
    """Best successor first."""
    absent: dict[int, None] = field(default_factory=dict)
    """Voters, by node id, at whose address nobody listened when they were to be told."""


State = Unattached | Prospective | Candidate | Leader | Follower | Resigned


def leader_and_epoch(state: State) -> LeaderAndEpoch:
    """Who leads, as a node in this state knows it."""
    return LeaderAndEpoch(leader_id=state.leader_id, epoch=state.epoch)


def voted_key(state: State) -> ReplicaKey | None:
    """Whom a node in this state voted for in its epoch, as far as that still matters."""
    return None if isinstance(state, Leader | Resigned) else state.voted_key


def check_start(state: State) -> None:
    """Assert that a node may start in this state."""
    assert state.name in LEGAL_AT_START, f"a node cannot start as {state.name.value}"


def check_transition(old: State, new: State) -> None:
    """Assert that the table allows the transition, and that within an epoch neither vote nor leader changes."""
    change = f"{old.name.value} of epoch {old.epoch} to {new.name.value} of epoch {new.epoch}"
    rule = LEGAL_TRANSITIONS[old.name].get(new.name)
    assert rule is not None, f"{change}: there is no such transition"
    if new.epoch == old.epoch:
        assert rule is not EpochRule.LATER, f"{change}: this transition {rule.value}"
        vote = voted_key(old)
        assert vote is None or isinstance(new, Leader | Resigned) or voted_key(new) == vote, (
            f"{change}: the vote for {vote} is taken back"
        )
        assert old.leader_id in (NO_NODE, new.leader_id) or isinstance(new, Resigned), (
            f"{change}: the leader was {old.leader_id} and would be {new.leader_id}"
        )
    else:
        assert new.epoch > old.epoch, f"{change}: the epoch goes back"
        assert rule is not EpochRule.SAME, f"{change}: this transition {rule.value}"
