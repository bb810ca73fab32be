"""What one node brings to the quorum: who and where it is, and its ``controller.quorum.*`` values."""

from __future__ import annotations

from dataclasses import dataclass

from server.raft.voters import KRAFT_VERSION_MAX, KRAFT_VERSION_MIN, VoterSet, endpoints_as_recorded
from server.types import Endpoint, ReplicaKey, Voter

MAX_BATCH_BYTES = 8 * 1024 * 1024
"""Largest batch that a leader appends; Kafka fixes it at this and gives it no key."""

APPEND_LINGER_DEFAULT_MS = 25
"""Kafka's default for ``controller.quorum.append.linger.ms``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaftConfig:
    """Settings of one node's Raft core; none of them changes while it runs."""

    key: ReplicaKey
    """This node's id and the id of the directory that holds its metadata log."""
    endpoints: tuple[Endpoint, ...] = ()
    """Controller listeners as this node advertises them, in the order of the configuration."""
    static_voters: VoterSet | None = None
    """Voters of ``controller.quorum.voters``; they count while the log names none (kraft.version 0)."""
    append_linger_ms: int = APPEND_LINGER_DEFAULT_MS
    """``controller.quorum.append.linger.ms``: how long a record waits for more to share its batch."""
    max_batch_bytes: int = MAX_BATCH_BYTES
    """Limit on a batch as it lies in the log, header included."""

    def __post_init__(self) -> None:
        assert self.key.id >= 0, f"node id {self.key.id} is negative"
        assert self.append_linger_ms >= 0, f"append linger {self.append_linger_ms} ms is negative"

    @property
    def own_voter(self) -> Voter:
        """This node as a KRAFT_VOTERS record of its own making describes it."""
        return Voter(
            key=self.key,
            endpoints=endpoints_as_recorded(self.endpoints),
            min_kraft_version=KRAFT_VERSION_MIN,
            max_kraft_version=KRAFT_VERSION_MAX,
        )
