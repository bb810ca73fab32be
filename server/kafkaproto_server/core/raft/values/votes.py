"""Counts the responses to one node's vote requests of one epoch, or to its pre-votes.

The voters are those of the moment when the election began. The count knows nothing of states, time or messages.

Apache Kafka: ``EpochElection``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from kafkaproto_server.base.types import Voter
from kafkaproto_server.core.raft.values import quorum


@dataclass(slots=True, kw_only=True)
class VoteCount:
    """Which voters granted the vote, which rejected it, and which cannot be reached."""

    voters: tuple[Voter, ...]
    granted: dict[int, None] = field(default_factory=dict)
    """By node id, in the order in which the grants came; the same holds for the other two."""
    rejected: dict[int, None] = field(default_factory=dict)
    absent: dict[int, None] = field(default_factory=dict)
    """Voters at whose address nobody listens, or whose address is not known. They are still among `unrecorded`."""

    @property
    def voter_ids(self) -> tuple[int, ...]:
        """Ids of the voters, ascending."""
        return tuple(voter.key.id for voter in self.voters)

    @property
    def granting_ids(self) -> tuple[int, ...]:
        """Ids of the voters that granted, ascending."""
        return tuple(voter_id for voter_id in self.voter_ids if voter_id in self.granted)

    def unrecorded(self) -> Iterable[Voter]:
        """Voters that have neither granted nor rejected yet."""
        return (
            voter
            for voter in self.voters
            if voter.key.id not in self.granted and voter.key.id not in self.rejected
        )

    def grant(self, voter_id: int) -> None:
        """Note a grant; the first response of a voter counts."""
        # What followed from the first response has happened already, so a later one does not change
        # it.
        if voter_id not in self.rejected:
            self.granted[voter_id] = None
            self.absent.pop(voter_id, None)

    def reject(self, voter_id: int) -> None:
        """Note a rejection; the first response of a voter counts."""
        if voter_id not in self.granted:
            self.rejected[voter_id] = None
            self.absent.pop(voter_id, None)

    def miss(self, voter_id: int) -> None:
        """Note that this voter cannot be reached."""
        # What it said while it was there still counts.
        if voter_id not in self.granted and voter_id not in self.rejected:
            self.absent[voter_id] = None

    @property
    def is_won(self) -> bool:
        return quorum.is_majority(self.granted, self.voter_ids)

    @property
    def is_lost(self) -> bool:
        """Whether the voters that granted or may still grant are fewer than a majority."""
        # Who is absent may come back, and its grant would count then. But nobody should wait for
        # it: the next attempt asks it again.
        hopeful = [
            voter_id
            for voter_id in self.voter_ids
            if voter_id not in self.rejected and voter_id not in self.absent
        ]
        return not quorum.is_majority(hopeful, self.voter_ids)
