"""Voter sets, and how the set and the kraft.version in force follow from the log.

A KRAFT_VOTERS record takes effect as soon as it is *appended*, not when it commits (KIP-853). Truncating the log below
the record undoes it. So the core keeps a history of sets and versions by offset, and the last entry is in force.

Apache Kafka: ``VoterSet``, ``VoterSetHistory`` and ``KRaftControlRecordStateMachine``.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from kafkaproto_server.base.types import Endpoint, ReplicaKey, Voter

BOOTSTRAP_OFFSET = -1
"""Offset of the control records of the 0-0 snapshot: those of any snapshot count as the record right before its end."""

KRAFT_VERSION_MIN = 0
KRAFT_VERSION_MAX = 1
"""Range of kraft.version that this core supports: at 0 the voters are static, at 1 the log records them."""


def endpoints_as_recorded(endpoints: Iterable[Endpoint]) -> tuple[Endpoint, ...]:
    """The endpoints as a KRAFT_VOTERS record returns them: the record has no field for the security protocol."""
    return tuple(msgspec.structs.replace(endpoint, security_protocol=0) for endpoint in endpoints)


def endpoint_named(endpoints: Iterable[Endpoint], listener_name: str) -> Endpoint | None:
    """The endpoint of that listener; None if it is not among them."""
    return next((endpoint for endpoint in endpoints if endpoint.name == listener_name), None)


def describes_same(recorded: Voter, current: Voter) -> bool:
    """Whether two entries have the same endpoints, in any order, and the same supported versions."""
    return (
        # The order is that of a configuration, which an operator may change without changing
        # anything.
        sorted(recorded.endpoints, key=lambda endpoint: endpoint.name)
        == sorted(current.endpoints, key=lambda endpoint: endpoint.name)
        and recorded.min_kraft_version == current.min_kraft_version
        and recorded.max_kraft_version == current.max_kraft_version
    )


def matches_key(recorded: ReplicaKey, replica: ReplicaKey) -> bool:
    """Whether a key that was written down, as a voter or as a vote, means this replica.

    A key without a directory id matches by node id alone: kraft.version 0 and quorum-state of that version know none.
    """
    # Not the other way round: a replica that does not say its directory id may have any disk, and so any log.
    return recorded.id == replica.id and recorded.directory_id in (None, replica.directory_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class VoterSet:
    """The members of a quorum in ascending order of their ids, which are distinct; it may be empty."""

    voters: tuple[Voter, ...]

    def __post_init__(self) -> None:
        ids = self.ids
        # Ascending ids make equal sets equal values, and LEADER_CHANGE and quorum-state name them
        # in this order.
        assert all(low < high for low, high in itertools.pairwise(ids)), (
            f"voter ids {list(ids)} do not ascend"
        )

    @property
    def ids(self) -> tuple[int, ...]:
        """The voters' node ids, ascending."""
        return tuple(voter.key.id for voter in self.voters)

    def get(self, node_id: int) -> Voter | None:
        """The entry with this node id and any directory; None if there is none."""
        return next((voter for voter in self.voters if voter.key.id == node_id), None)

    def is_voter(self, key: ReplicaKey) -> bool:
        """Whether the set holds this replica; an entry without a directory id matches by node id alone."""
        voter = self.get(key.id)
        return voter is not None and matches_key(voter.key, key)

    def is_only_voter(self, key: ReplicaKey) -> bool:
        """Whether this replica is the only voter."""
        # The whole key: a node with the only voter's id and another disk must not elect itself.
        return len(self.voters) == 1 and self.is_voter(key)

    def endpoint(self, node_id: int, listener_name: str) -> Endpoint | None:
        """The endpoint of that listener of the voter with this node id; None if the set does not have it."""
        voter = self.get(node_id)
        return None if voter is None else endpoint_named(voter.endpoints, listener_name)

    def with_voter(self, updated: Voter) -> VoterSet:
        """The set with the entry of the same node id replaced; asserts that there is one."""
        assert self.get(updated.key.id) is not None, f"node {updated.key.id} is not a voter"
        return VoterSet(
            voters=tuple(updated if voter.key.id == updated.key.id else voter for voter in self.voters)
        )

    def with_added(self, voter: Voter) -> VoterSet:
        """The set with this voter added; asserts that its node id is new to the set."""
        assert self.get(voter.key.id) is None, f"node {voter.key.id} is a voter already"
        return VoterSet(voters=tuple(sorted((*self.voters, voter), key=lambda member: member.key.id)))

    def without(self, key: ReplicaKey) -> VoterSet:
        """The set without this voter; asserts that it held exactly this replica."""
        rest = tuple(voter for voter in self.voters if voter.key != key)
        assert len(rest) == len(self.voters) - 1, f"node {key.id} with that directory is not a voter"
        return VoterSet(voters=rest)

    def overlaps(self, other: VoterSet) -> bool:
        """Whether every majority of this set has a voter in common with every majority of the other one.

        A change of voters has to keep this property (KIP-853); otherwise two leaders could be elected in one epoch. It
        holds if at most one voter was added or removed. An entry that only gained a directory id is the same voter.
        """
        common = sum(1 for voter in self.voters if other._has_entry_of(voter.key))
        # What only one of the sets has. A voter that changed its directory counts twice: it is
        # another one.
        return len(self.voters) + len(other.voters) - 2 * common <= 1

    def _has_entry_of(self, key: ReplicaKey) -> bool:
        voter = self.get(key.id)
        # In both directions, because it does not matter which set is the newer one.
        return voter is not None and (matches_key(voter.key, key) or matches_key(key, voter.key))


class VoterHistory:
    """Voter sets and kraft.versions by the offset of the record that holds them."""

    def __init__(self, static_voters: VoterSet | None) -> None:
        self._static = static_voters or VoterSet(voters=())
        self._voter_sets: list[tuple[int, VoterSet]] = []
        self._kraft_versions: list[tuple[int, int]] = []

    def add_voters(self, offset: int, voters: VoterSet) -> None:
        """Put a KRAFT_VOTERS record into force; offsets ascend."""
        # Else a truncation could not tell which sets stay. Of a fetched batch, `follower` has
        # checked it.
        assert not self._voter_sets or offset > self._voter_sets[-1][0], (
            f"voter set at offset {offset} follows one at {self._voter_sets[-1][0]}"
        )
        self._voter_sets.append((offset, voters))

    def add_kraft_version(self, offset: int, level: int) -> None:
        """Put a KRAFT_VERSION record into force; offsets ascend.

        A level below the one before is accepted like any other: the leader decided on the record, not this node.
        """
        assert not self._kraft_versions or offset > self._kraft_versions[-1][0], (
            f"kraft.version at offset {offset} follows one at {self._kraft_versions[-1][0]}"
        )
        self._kraft_versions.append((offset, level))

    def truncate_to(self, end_offset: int) -> None:
        """Forget records at and after ``end_offset``, because the log no longer holds them."""
        # The entries of snapshots stay: no log is cut below a snapshot's end
        # (`Core.committed_floor`).
        self._voter_sets = [entry for entry in self._voter_sets if entry[0] < end_offset]
        self._kraft_versions = [entry for entry in self._kraft_versions if entry[0] < end_offset]

    def reset(self) -> None:
        """Forget every record, because a snapshot replaces the log; the caller then adds the snapshot's records."""
        self._voter_sets = []
        self._kraft_versions = []

    def voters_at(self, end_offset: int) -> VoterSet | None:
        """The voter set of the newest record before ``end_offset``; None if there is no such record."""
        # For the header of a snapshot, which must not name voters that came into force behind its
        # end (KIP-853).
        position = bisect_left(self._voter_sets, end_offset, key=_offset_of)
        return self._voter_sets[position - 1][1] if position else None

    def former_voter(self, key: ReplicaKey) -> Voter | None:
        """The newest entry of a replica in the sets before the one in force, as far as the log still has them; None if
        there is none."""
        # The newest first: its endpoints are the last that the log knew of the replica.
        former = (voters for _, voters in reversed(self._voter_sets[:-1]))
        return next((voters.get(key.id) for voters in former if voters.is_voter(key)), None)

    def kraft_version_at(self, end_offset: int) -> int:
        """The kraft.version of the newest record before ``end_offset``; 0 if there is none."""
        position = bisect_left(self._kraft_versions, end_offset, key=_offset_of)
        return self._kraft_versions[position - 1][1] if position else 0

    @property
    def latest(self) -> VoterSet:
        """The voter set in force: the newest recorded one, else the static one, else an empty set."""
        # The static set only as long as no record names one: after the upgrade the configuration is
        # not asked again.
        return self._voter_sets[-1][1] if self._voter_sets else self._static

    @property
    def latest_offset(self) -> int | None:
        """Offset of the record that holds the voter set in force; None if no record does."""
        return self._voter_sets[-1][0] if self._voter_sets else None

    @property
    def kraft_version(self) -> int:
        """The kraft.version in force; 0 if no record raised it."""
        return self._kraft_versions[-1][1] if self._kraft_versions else 0


def _offset_of(entry: tuple[int, object]) -> int:
    return entry[0]
