"""What a node remembers of its own place among the voters, in memory only."""

from __future__ import annotations

from dataclasses import dataclass

from kafkaproto_server.raft.values.voters import BOOTSTRAP_OFFSET

_STATIC_OFFSET = BOOTSTRAP_OFFSET - 1
"""Stands for the offset of a voter set that no record holds: it is older than any that one does."""


@dataclass(slots=True, kw_only=True)
class JoiningState:
    """What a node remembers of it from its start on, in memory only."""

    seen_offset: int | None = None
    """Offset of the record of the voter set that was seen last; None before any was looked at."""
    was_voter: bool = False
    """Whether that set held this node."""
    is_removed: bool = False
    """Whether this node learned that it was removed from the voters, and is no voter again since."""
    followed_epoch: int | None = None
    """Epoch of the leader that the next three are about."""
    due_ms: int = 0
    """When something may be asked of the leader next."""
    pending_request_id: int | None = None
    """Of the request that the leader has not answered yet."""
    has_told_leader: bool = False
    """Whether this leader took an UpdateRaftVoter."""

    def voters_changed(self, latest_offset: int | None, *, is_voter: bool) -> None:
        """Notice a removal of this node. To be called after every change of the voter set in force, in any state.

        Only a later record removes. That an uncommitted addition was truncated away does not, and the set that was in
        force at the start, whose predecessors are history, does not either.
        """
        offset = _STATIC_OFFSET if latest_offset is None else latest_offset
        if is_voter:
            self.is_removed = False
        elif self.was_voter and self.seen_offset is not None and offset > self.seen_offset:
            self.is_removed = True
        self.seen_offset = offset
        self.was_voter = is_voter
