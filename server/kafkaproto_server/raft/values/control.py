"""Control records of the log as the core has them (KIP-595, KIP-853); ``wire`` knows their bytes."""

from __future__ import annotations

from dataclasses import dataclass

from kafkaproto_server.raft.values.voters import VoterSet


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderChange:
    """LEADER_CHANGE: the first record of every epoch that has a leader."""

    leader_id: int
    voter_ids: tuple[int, ...]
    """Ascending."""
    granting_voter_ids: tuple[int, ...]
    """Those who had granted their vote when the majority was reached, the leader among them."""


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
    """A record that recovery found, and where it stands in the log."""

    offset: int
    """Of a record read from a snapshot: the snapshot's end offset - 1, hence -1 from the 0-0 one."""
    record: KRaftVersion | KRaftVoters
