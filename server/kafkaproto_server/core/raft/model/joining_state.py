"""What a node remembers of its own membership in the voter set, in memory only; ``roles.joining`` works on it.

Ours alone: Kafka's node does not remember that it was removed, and joins again (KAFKA-19850).
"""

from __future__ import annotations

from dataclasses import dataclass

from kafkaproto_server.core.raft.values.voters import BOOTSTRAP_OFFSET

_STATIC_OFFSET = BOOTSTRAP_OFFSET - 1
"""Stands for the offset of a voter set that no record holds: it is older than any recorded set."""


@dataclass(slots=True, kw_only=True)
class JoiningState:
    """What a node remembers of its membership since its start."""

    seen_offset: int | None = None
    """Offset of the record of the last voter set that this node looked at; None before the first."""
    was_voter: bool = False
    """Whether that set held this node."""
    is_removed: bool = False
    """Whether this node learned that it was removed from the voters, and has not become a voter again."""
    followed_epoch: int | None = None
    """Epoch of the leader that the next three fields are about."""
    due_ms: int = 0
    """When this node may send the leader the next request."""
    pending_request_id: int | None = None
    """Id of the request that has no response of the leader yet."""
    has_told_leader: bool = False
    """Whether this leader accepted an UpdateRaftVoter."""

    def voters_changed(self, latest_offset: int | None, *, is_voter: bool) -> None:
        """Notice a removal of this node. To be called after every change of the voter set in force, in any state.

        Only a later record is a removal. If an uncommitted addition was truncated away, that is none. Neither is the
        set that was in force at the start: this node does not remember the sets before it.
        """
        offset = _STATIC_OFFSET if latest_offset is None else latest_offset
        # Somebody has added this node again. What is over must not keep it from joining later.
        if is_voter:
            self.is_removed = False
        # By offset, because a set with a lower offset is one that a truncation brought back: nobody
        # removed this node then.
        elif self.was_voter and self.seen_offset is not None and offset > self.seen_offset:
            self.is_removed = True
        # Also if nothing follows from it: the next change is judged against this set.
        self.seen_offset = offset
        self.was_voter = is_voter
