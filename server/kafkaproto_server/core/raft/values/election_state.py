"""The content of the quorum-state file: the epoch, the leader and the vote that a node must never forget.

Apache Kafka: ``ElectionState`` and ``QuorumStateData``.
"""

from __future__ import annotations

from dataclasses import dataclass

from kafkaproto_server.base.types import NO_NODE, ReplicaKey
from kafkaproto_server.core.raft.values.voters import matches_key


@dataclass(frozen=True, slots=True, kw_only=True)
class ElectionState:
    """One node's epoch, with the leader that it knows and the vote that it gave in that epoch."""

    epoch: int
    # Both may be set: a node that learns the leader of an epoch keeps the vote that it gave in it.
    # Only the leader itself writes no vote, as in Kafka.
    leader_id: int = NO_NODE
    voted_key: ReplicaKey | None = None
    """Without a directory id if the file has none (its version 0)."""

    def is_vote_for(self, key: ReplicaKey) -> bool:
        """Whether the vote went to this replica, as `matches_key` says."""
        return self.voted_key is not None and matches_key(self.voted_key, key)
