"""Control records of the log as the core uses them (KIP-595, KIP-853); ``wire`` encodes and decodes their bytes.

Apache Kafka: ``LeaderChangeMessage``, ``KRaftVersionRecord`` and ``VotersRecord``.
"""

from __future__ import annotations

from dataclasses import dataclass

from kafkaproto_server.core.raft.values.voters import VoterSet


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderChange:
    """LEADER_CHANGE: the first record of every epoch that has a leader."""

    leader_id: int
    voter_ids: tuple[int, ...]
    """Ascending."""
    granting_voter_ids: tuple[int, ...]
    """The voters that had granted their vote when the majority was reached, the leader included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KRaftVersion:
    """KRAFT_VERSION: the finalized level of the feature kraft.version."""

    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KRaftVoters:
    """KRAFT_VOTERS: the whole voter set from this offset on."""

    voters: VoterSet


ControlRecord = LeaderChange | KRaftVersion | KRaftVoters


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedControl:
    """A control record and its offset in the log."""

    offset: int
    """For a record read from a snapshot: the snapshot's end offset - 1, hence -1 for the 0-0 snapshot."""
    # Of LEADER_CHANGE only the batch matters: its epoch and its offset.
    record: KRaftVersion | KRaftVoters
