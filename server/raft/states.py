"""The states a node can be in towards its quorum, and the one table of legal transitions between them.

Knows nothing of events and decides nothing. States hold what is true while they last; a handler moves on by
building the next state and handing it to ``core.Core.transition_to``.

The table has the states that a quorum of one walks through. To the whole quorum belong Follower beside them,
and more ways out of each.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import ClassVar

from server.raft.accumulator import BatchAccumulator
from server.types import NO_NODE, LeaderAndEpoch, ReplicaKey


class StateName(enum.Enum):
    """States by the names that Kafka's metrics give them."""

    UNATTACHED = "unattached"
    PROSPECTIVE = "prospective"
    CANDIDATE = "candidate"
    LEADER = "leader"
    RESIGNED = "resigned"


LEGAL_AT_START = (StateName.UNATTACHED, StateName.CANDIDATE, StateName.RESIGNED)
"""States that a node may find itself in once it has read its disk."""

LEGAL_TRANSITIONS: dict[StateName, tuple[StateName, ...]] = {
    StateName.UNATTACHED: (StateName.PROSPECTIVE,),
    StateName.PROSPECTIVE: (StateName.CANDIDATE,),
    StateName.CANDIDATE: (StateName.LEADER,),
    StateName.LEADER: (StateName.RESIGNED,),
    StateName.RESIGNED: (StateName.PROSPECTIVE,),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Unattached:
    """Follows nobody in this epoch; may know who leads it, and may have given its vote."""

    name: ClassVar = StateName.UNATTACHED
    epoch: int
    leader_id: int = NO_NODE
    voted_key: ReplicaKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospective:
    """Asks whether an election would be won (a pre-vote, KIP-996) and raises no epoch yet. In memory only."""

    name: ClassVar = StateName.PROSPECTIVE
    epoch: int
    leader_id: int = NO_NODE
    voted_key: ReplicaKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Has voted for itself in this epoch and wants to lead it."""

    name: ClassVar = StateName.CANDIDATE
    leader_id: ClassVar = NO_NODE
    epoch: int
    vote_number: int | None
    """Number of the effects that make its own vote durable; None where the disk already held it."""


@dataclass(slots=True, kw_only=True)
class Leader:
    """Leads this epoch. The one state that changes while it lasts."""

    name: ClassVar = StateName.LEADER
    leader_id: int
    epoch: int
    epoch_start_offset: int
    accumulator: BatchAccumulator
    high_watermark: int | None = None
    """Unknown until a majority holds a record of this epoch."""
    end_offsets: dict[int, int] = field(default_factory=dict)
    """By voter id, the log end offset up to which that voter durably holds the log; absent where unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resigned:
    """Led this epoch and will not again: its log may have lost what it showed to others."""

    name: ClassVar = StateName.RESIGNED
    leader_id: ClassVar = NO_NODE
    epoch: int


State = Unattached | Prospective | Candidate | Leader | Resigned


def leader_and_epoch(state: State) -> LeaderAndEpoch:
    """Who leads, as a node in this state knows it."""
    return LeaderAndEpoch(leader_id=state.leader_id, epoch=state.epoch)


def check_start(state: State) -> None:
    """Assert that a node may start in this state."""
    assert state.name in LEGAL_AT_START, f"a node cannot start as {state.name.value}"


def check_transition(old: State, new: State) -> None:
    """Assert that the table allows the transition, and that the epoch does not go back."""
    assert new.name in LEGAL_TRANSITIONS[old.name], (
        f"{old.name.value} of epoch {old.epoch} cannot become {new.name.value}"
    )
    assert new.epoch >= old.epoch, f"epoch {new.epoch} of {new.name.value} follows {old.epoch}"
