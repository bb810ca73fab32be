"""Voter sets, and how the set and the kraft.version in force follow from the log.

A KRAFT_VOTERS record takes effect as soon as it is *appended*, not when it commits (KIP-853), and is undone
when the log is truncated below it. So what is in force is a history by offset, and its last entry counts.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from server.types import Endpoint, ReplicaKey, Voter

BOOTSTRAP_OFFSET = -1
"""Offset of control records of the 0-0 snapshot: a snapshot's count as if they stood right before its end."""

KRAFT_VERSION_MIN = 0
KRAFT_VERSION_MAX = 1
"""Range of kraft.version that this core supports: 0 has static voters, 1 has them recorded in the log."""


def endpoints_as_recorded(endpoints: Iterable[Endpoint]) -> tuple[Endpoint, ...]:
    """The endpoints as they come back from a KRAFT_VOTERS record, which holds no security protocol."""
    return tuple(dataclasses.replace(endpoint, security_protocol=0) for endpoint in endpoints)


@dataclass(frozen=True, slots=True, kw_only=True)
class VoterSet:
    """The members of a quorum in ascending order of their ids, which are distinct; it may be empty."""

    voters: tuple[Voter, ...]

    def __post_init__(self) -> None:
        ids = self.ids
        assert all(low < high for low, high in itertools.pairwise(ids)), (
            f"voter ids {list(ids)} do not ascend"
        )

    @property
    def ids(self) -> tuple[int, ...]:
        """The voters' node ids, ascending."""
        return tuple(voter.key.id for voter in self.voters)

    def get(self, node_id: int) -> Voter | None:
        """The entry with this node id, whatever its directory; None where there is none."""
        return next((voter for voter in self.voters if voter.key.id == node_id), None)

    def is_voter(self, key: ReplicaKey) -> bool:
        """Whether the set holds this replica; an entry without a directory id matches by node id alone."""
        voter = self.get(key.id)
        return voter is not None and voter.key.directory_id in (None, key.directory_id)

    def is_only_voter(self, key: ReplicaKey) -> bool:
        """Whether this replica is a quorum by itself."""
        return len(self.voters) == 1 and self.is_voter(key)

    def with_voter(self, updated: Voter) -> VoterSet:
        """The set with the entry of the same node id replaced; asserts that there is one."""
        assert self.get(updated.key.id) is not None, f"node {updated.key.id} is not a voter"
        return VoterSet(
            voters=tuple(updated if voter.key.id == updated.key.id else voter for voter in self.voters)
        )


class VoterHistory:
    """Voter sets and kraft.versions by the offset of the record that brought them."""

    def __init__(self, static_voters: VoterSet | None) -> None:
        self._static = static_voters or VoterSet(voters=())
        self._voter_sets: list[tuple[int, VoterSet]] = []
        self._kraft_versions: list[tuple[int, int]] = []

    def add_voters(self, offset: int, voters: VoterSet) -> None:
        """Put a KRAFT_VOTERS record into force; offsets ascend."""
        assert not self._voter_sets or offset > self._voter_sets[-1][0], (
            f"voter set at offset {offset} follows one at {self._voter_sets[-1][0]}"
        )
        self._voter_sets.append((offset, voters))

    def add_kraft_version(self, offset: int, level: int) -> None:
        """Put a KRAFT_VERSION record into force; offsets ascend and levels never fall."""
        assert not self._kraft_versions or offset > self._kraft_versions[-1][0], (
            f"kraft.version at offset {offset} follows one at {self._kraft_versions[-1][0]}"
        )
        assert level >= self.kraft_version, f"kraft.version {level} follows {self.kraft_version}"
        self._kraft_versions.append((offset, level))

    def truncate_to(self, end_offset: int) -> None:
        """Forget records at and after ``end_offset``, because the log no longer holds them."""
        self._voter_sets = [entry for entry in self._voter_sets if entry[0] < end_offset]
        self._kraft_versions = [entry for entry in self._kraft_versions if entry[0] < end_offset]

    @property
    def latest(self) -> VoterSet:
        """The voter set in force: the newest recorded one, else the static one, else an empty set."""
        return self._voter_sets[-1][1] if self._voter_sets else self._static

    @property
    def latest_offset(self) -> int | None:
        """Offset of the record that holds the voter set in force; None where no record does."""
        return self._voter_sets[-1][0] if self._voter_sets else None

    @property
    def kraft_version(self) -> int:
        """The kraft.version in force; 0 where no record raised it."""
        return self._kraft_versions[-1][1] if self._kraft_versions else 0
