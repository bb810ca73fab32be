"""Counters and state of one node's core, for its metrics.

Apache Kafka: ``KafkaRaftMetrics``.
"""

from __future__ import annotations

from dataclasses import dataclass

from kafkaproto_server.base.types import ReplicaKey


@dataclass(slots=True, kw_only=True)
class Counters:
    """Counters since the node started."""

    fetch_timeouts: int = 0
    """How often the fetch timeout passed without a response from the leader."""
    election_timeouts: int = 0
    """How often an election or a pre-vote ran out of time."""
    elections_started: int = 0
    elections_won: int = 0
    election_latency_sum_ms: int = 0
    """Over elections that ended with a known leader: the time from this node's first attempt to that moment."""
    election_latency_max_ms: int = 0
    election_latency_count: int = 0

    def note_election_latency(self, elapsed_ms: int) -> None:
        """Note how long an election of this node took."""
        self.election_latency_sum_ms += elapsed_ms
        self.election_latency_max_ms = max(self.election_latency_max_ms, elapsed_ms)
        self.election_latency_count += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RaftStatistics:
    """One node's state for its metrics, by the names of Kafka's metrics where there is one."""

    current_state: str
    """leader, candidate, prospective, prospective-voted, unattached, unattached-voted, follower, observer, resigned."""
    current_leader: int
    """-1 if none is known."""
    current_epoch: int
    current_vote: ReplicaKey | None
    high_watermark: int
    """-1 if unknown."""
    log_end_offset: int
    log_end_epoch: int
    number_of_voters: int
    number_of_observers: int
    """0 if this node does not lead."""
    number_unknown_voter_connections: int
    """Voters whose address for this node's listener is not known."""
    uncommitted_voter_change: bool
    """Whether this node leads, and its voter set in force is not committed yet."""
    fetch_timeouts: int
    election_timeouts: int
    elections_started: int
    elections_won: int
    election_latency_sum_ms: int
    election_latency_max_ms: int
    election_latency_count: int
