"""The invariants by name, and the exception that says that one of them does not hold.

If the public TLA+ specifications of KRaft (github.com/Vanlightly/kafka-tlaplus, KIP-853 and KIP-996) or Kafka's own
simulation test have an invariant, it has their name, or theirs is given beside ours.
"""

from __future__ import annotations

import enum


class Invariant(enum.Enum):
    """What must hold after every event. Those named EVENTUALLY must hold at the latest some time after everything is
    repaired.
    """

    ELECTION_SAFETY = (
        "at most one leader an epoch, in one life of it (ElectionSafety, NeverTwoLeadersInSameEpoch)"
    )
    MONOTONIC_EPOCH = "a replica's epoch never goes back, not even over a restart (MonotonicEpoch)"
    VOTE_NEVER_CHANGES = "a replica votes for one replica an epoch, over all its lives"
    DURABLE_BEFORE_TOLD = (
        "votes, epochs, leadership and fetched records are durable before anybody hears of them"
    )
    LOG_MATCHING = "logs that agree on a batch agree on all before it (LogMatching, NoLogDivergence)"
    LEADER_COMPLETENESS = (
        "a leader holds all that was committed in older epochs (LeaderCompleteness, LeaderHasAllAckedValues)"
    )
    DURABILITY = "what was committed or acknowledged stays, unchanged (Durability, AckedValueNotLost)"
    MAJORITY_REACHED = (
        "the high watermark is a record of the leader's own epoch, which a majority of the voters holds durably "
        "(MajorityReachedHighWatermark)"
    )
    MONOTONIC_HIGH_WATERMARK = "a replica's high watermark never goes back (MonotonicHighWatermark)"
    STATE_MACHINE_SAFETY = "replicas that applied the log up to one offset are in one state"
    SNAPSHOT_EQUALITY = (
        "a snapshot is the state of the committed log at its offset, the same on every replica"
    )
    ONE_VOTER_CHANGE = (
        "voter sets that follow each other differ by one voter, and the older one is committed: no two majorities "
        "are disjoint"
    )
    STAYS_REMOVED = "a voter that was removed does not join again by itself in the same life"
    VALID_ROLES = "states fit the replica's role and voter set (StatesMatchRoles, ValidRolesAndStates)"
    NO_ILLEGAL_STATE = "no replica contradicts itself (NoIllegalState)"
    NEW_VOTER_IS_READY = "a voter that is added held all of the leader's log a short time ago"
    NOTHING_FORGED = "no log holds anything of an unknown node's: neither its records nor itself as a voter"
    NOTHING_LEFT_BEHIND = (
        "an unknown node is asked nothing at its address but ApiVersions, and leaders remember a bounded number of "
        "replicas"
    )
    EPOCHS_ARE_BOUNDED = "a candidate or a leader that resigned began every epoch"
    ROOM_FOR_EPOCHS = "no replica is in an epoch from which a quorum could not go on"
    VOTES_FOR_VOTERS = (
        "a replica votes for an unknown node only after three election timeouts without a leader"
    )
    ONE_RESPONSE = "every request gets one answer, and a destination one request at a time on each lane"
    STABLE_EPOCH = "a healthy quorum's epoch does not rise, whatever one link or an outsider does"
    BOUNDED_WORK = "a replica does not spin"
    EVENTUALLY_LEADER_ELECTED = "a healed quorum has a leader (EventuallyLeaderElected)"
    NOT_STUCK_IN_PROSPECTIVE = "in a healed quorum no replica stays prospective (NotStuckInProspective)"
    VALUES_EVENTUALLY_ACKED = (
        "a healed quorum commits an append, and every live replica applies it (ValuesEventuallyAcked)"
    )
    RECONFIGURATION_NOT_STUCK = "a healed quorum changes its voters (ReconfigurationNotStuck)"
    SHUTDOWN_COMPLETES = "a replica that was asked to stop does so"


class ViolationError(Exception):
    """An invariant does not hold."""

    def __init__(self, invariant: enum.Enum, what: str) -> None:
        """``invariant`` is one of `Invariant`, or of those that another level of the simulation has."""
        super().__init__(f"{invariant.name}: {what}")
        self.invariant = invariant
