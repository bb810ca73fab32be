"""Settings of one node in the quorum: its identity, its endpoints and its ``controller.quorum.*`` values.

Apache Kafka: ``QuorumConfig``.
"""

from __future__ import annotations

from dataclasses import dataclass

from kafkaproto_server.base.types import MAX_BATCH_BYTES, Endpoint, ReplicaKey, Voter
from kafkaproto_server.core.raft.values.messages import Destination
from kafkaproto_server.core.raft.values.voters import (
    KRAFT_VERSION_MAX,
    KRAFT_VERSION_MIN,
    VoterSet,
    endpoints_as_recorded,
)

FETCH_MAX_WAIT_MS = 500
"""How long a leader may hold a Fetch that brings nothing new, at most; fixed in Kafka too."""

OBSERVER_EXPIRY_MS = 300_000
"""How long a replica that is no voter counts as an observer after its last Fetch; fixed in Kafka too."""

SHUTDOWN_TIMEOUT_MS = 5_000
"""How long a leader that shuts down waits for a new leader; fixed in Kafka too."""

NEVER = float("inf")
"""A deadline that never comes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaftConfig:
    """Settings of one node's Raft core; none of them changes while it runs."""

    key: ReplicaKey
    """This node's id and the id of the directory that holds its metadata log."""
    can_be_voter: bool = True
    """Whether the node has the controller role. A node without it is an observer and never syncs what it fetched."""
    endpoints: tuple[Endpoint, ...] = ()
    """Controller listeners that this node advertises, in the order of the configuration; empty without the role."""
    listener_name: str = "CONTROLLER"
    """Listener under which this node reaches the others: the first of ``controller.listener.names``."""
    # Kafka reads them on every node, too: at kraft.version 0 no record says who votes (KIP-595).
    static_voters: VoterSet | None = None
    """Voters of ``controller.quorum.voters``; they count while the log names none (kraft.version 0)."""
    # As in Kafka: such ids keep them apart from nodes, whose ids are never negative.
    bootstrap_servers: tuple[Destination, ...] = ()
    """``controller.quorum.bootstrap.servers`` with ids -2, -3, ...; if it is empty, the static voters are asked."""
    election_timeout_ms: int = 1000
    """``controller.quorum.election.timeout.ms``: a voter waits this long, plus a random time of up to as much again."""
    fetch_timeout_ms: int = 2000
    """``controller.quorum.fetch.timeout.ms``: how long a follower waits for its leader. A leader waits one and a half
    times as long for a majority of the voters."""
    election_backoff_max_ms: int = 1000
    """``controller.quorum.election.backoff.max.ms``: the longest wait of a successor that is not the preferred one."""
    request_timeout_ms: int = 2000
    """``controller.quorum.request.timeout.ms``: the driver ends requests after it, the core ends voter changes."""
    retry_backoff_ms: int = 20
    """``controller.quorum.retry.backoff.ms``: how long a destination gets no request after one to it failed."""
    append_linger_ms: int = 25
    """``controller.quorum.append.linger.ms``: the longest time that a record waits for others to share its batch."""
    # Configurable since Kafka 4.3; before, 8 MiB was fixed.
    fetch_max_bytes: int = 1024 * 1024
    """``controller.quorum.fetch.max.bytes``."""
    fetch_snapshot_max_bytes: int = 1024 * 1024
    """``controller.quorum.fetch.snapshot.max.bytes``."""
    auto_join: bool = False
    """``controller.quorum.auto.join.enable``."""
    max_batch_bytes: int = MAX_BATCH_BYTES
    """Limit on a batch as it lies in the log, header included."""

    def __post_init__(self) -> None:
        assert self.key.id >= 0, f"node id {self.key.id} is negative"
        # It is a time from now on; a negative one would be a deadline that has always passed.
        assert self.append_linger_ms >= 0, f"append linger {self.append_linger_ms} ms is negative"

    @property
    def fetch_max_wait_ms(self) -> int:
        """How long a leader may hold this node's Fetches."""
        # With shorter timeouts than Kafka's constant, each Fetch to a leader that has nothing new would look like a
        # leader that is gone, and there would be an election several times a second, for ever.
        return min(FETCH_MAX_WAIT_MS, self.request_timeout_ms // 2, self.fetch_timeout_ms // 2)

    @property
    def own_voter(self) -> Voter:
        """This node's entry as it writes it into a KRAFT_VOTERS record."""
        return Voter(
            key=self.key,
            # As the record has them, or each comparison with the record would find a difference
            # (`describes_same`).
            endpoints=endpoints_as_recorded(self.endpoints),
            min_kraft_version=KRAFT_VERSION_MIN,
            max_kraft_version=KRAFT_VERSION_MAX,
        )
