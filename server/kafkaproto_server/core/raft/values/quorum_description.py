"""A leader's description of its quorum, for DescribeQuorum (KIP-595, KIP-836, KIP-853).

Apache Kafka: ``DescribeQuorumResponse``.
"""

from __future__ import annotations

from dataclasses import dataclass

from kafkaproto_server.base.types import ReplicaKey
from kafkaproto_server.core.raft.values.voters import VoterSet

UNKNOWN = -1
"""Stands for an unknown offset or timestamp, here and on the wire."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaDescription:
    """How far one replica has come, as the leader knows it. Timestamps are the leader's wall clock in milliseconds."""

    key: ReplicaKey
    log_end_offset: int = UNKNOWN
    last_fetch_timestamp_ms: int = UNKNOWN
    last_caught_up_timestamp_ms: int = UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class QuorumDescription:
    """A leader's view of its quorum at one moment."""

    leader_id: int
    epoch: int
    high_watermark: int
    """-1 while unknown."""
    voters: tuple[ReplicaDescription, ...]
    """One entry per voter, ascending by id."""
    observers: tuple[ReplicaDescription, ...]
    voter_set: VoterSet
    """The voters with their endpoints."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotLeader:
    """This node cannot describe the quorum, because it does not lead it."""
