"""Requests and responses between the replicas of the quorum, as the core has them; ``wire`` knows their bytes.

These classes check nothing. Cluster id, topic and partition were checked before a request becomes one of these, but
every number may still be any value of its wire type. A response holds what the peer sent, and may be nonsense too.

Apache Kafka: the schemas of these requests, KIP-595, KIP-630, KIP-853, KIP-996 and KIP-1166.
"""

from __future__ import annotations

import msgspec

from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.base.types import Endpoint, LeaderAndEpoch, OffsetAndEpoch, ReplicaKey
from kafkaproto_server.core.raft.values.control import RecordedControl
from kafkaproto_server.core.raft.values.errors import RaftError

NO_HIGH_WATERMARK = -1
"""On the wire: the sender does not know the high watermark."""


class Destination(msgspec.Struct, frozen=True, kw_only=True):
    """Where a request goes: a node, or a bootstrap server whose node id is not known."""

    id: int
    """Node id; -2, -3, ... for the first, second, ... bootstrap server."""
    host: str
    port: int


# -- requests ------------------------------------------------------------------------------------------------------


class VoteRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Vote (52), v0 to v2: the request of a candidate, or of a prospective node (pre-vote, KIP-996)."""

    replica: ReplicaKey
    """The replica that asks for the vote."""
    voter_id: int
    """The node id that the request is meant for; -1 if it does not say."""
    voter_directory_id: bytes | None
    epoch: int
    last_epoch: int
    """Epoch of the asking node's last record."""
    last_offset: int
    """Its log end offset."""
    is_pre_vote: bool


class BeginQuorumEpochRequest(msgspec.Struct, frozen=True, kw_only=True):
    """BeginQuorumEpoch (53), v0 and v1: a leader announces itself."""

    leader_id: int
    epoch: int
    voter_id: int
    voter_directory_id: bytes | None
    leader_endpoints: tuple[Endpoint, ...]
    """All listeners of the leader; empty in v0."""


class EndQuorumEpochRequest(msgspec.Struct, frozen=True, kw_only=True):
    """EndQuorumEpoch (54), v0 and v1: a leader has resigned."""

    leader_id: int
    epoch: int
    preferred_candidates: tuple[ReplicaKey, ...]
    """Best successor first; without directory ids in v0."""


class FetchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Fetch (1), v13 to v18, of the metadata log."""

    replica: ReplicaKey
    """Id -1 for a reader that is no replica."""
    epoch: int
    """The leader epoch that the sender knows."""
    fetch_offset: int
    last_fetched_epoch: int
    max_wait_ms: int
    max_bytes: int
    high_watermark: int
    """The high watermark that the sender knows, or NO_HIGH_WATERMARK. A Fetch below v18 cannot say it, which counts as
    the largest number: a new high watermark alone is then no news to the sender."""


class FetchSnapshotRequest(msgspec.Struct, frozen=True, kw_only=True):
    """FetchSnapshot (59), v0 and v1."""

    replica: ReplicaKey
    epoch: int
    snapshot: OffsetAndEpoch
    position: int
    max_bytes: int


class AddVoterRequest(msgspec.Struct, frozen=True, kw_only=True):
    """AddRaftVoter (80), v0 and v1 (KIP-853)."""

    voter: ReplicaKey
    endpoints: tuple[Endpoint, ...]
    timeout_ms: int
    ack_when_committed: bool


class RemoveVoterRequest(msgspec.Struct, frozen=True, kw_only=True):
    voter: ReplicaKey


class UpdateVoterRequest(msgspec.Struct, frozen=True, kw_only=True):
    epoch: int
    voter: ReplicaKey
    endpoints: tuple[Endpoint, ...]
    min_kraft_version: int
    max_kraft_version: int


class ApiVersionsRequest(msgspec.Struct, frozen=True, kw_only=True):
    """ApiVersions (18): asks which kraft.versions a node supports. The core sends it and never receives it."""


class UpgradeKRaftVersionRequest(msgspec.Struct, frozen=True, kw_only=True):
    """This node's active controller wants to raise kraft.version (UpdateFeatures). The core only receives it."""

    epoch: int
    """Epoch in which the controller is active."""
    level: int
    validate_only: bool


# -- responses -----------------------------------------------------------------------------------------------------


class VoteResponse(msgspec.Struct, frozen=True, kw_only=True):
    error: RaftError = RaftError.NONE
    leader: LeaderAndEpoch
    """The leader that the responding node knows; also in every other response with this field."""
    leader_endpoint: Endpoint | None = None
    """The leader's endpoint for the listener of the request; also in every other response with this field."""
    is_granted: bool = False


class QuorumEpochResponse(msgspec.Struct, frozen=True, kw_only=True):
    """Response to BeginQuorumEpoch and EndQuorumEpoch."""

    error: RaftError = RaftError.NONE
    leader: LeaderAndEpoch
    leader_endpoint: Endpoint | None = None


class LogRange(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the log that the driver reads into a response: whole batches, at least one if there is one."""

    offset: int
    end_offset: int
    """Exclusive; a batch boundary."""
    max_bytes: int


class PendingFetchResponse(msgspec.Struct, frozen=True, kw_only=True):
    """The core's response to Fetch. The driver adds the records that ``read`` names, or none."""

    error: RaftError = RaftError.NONE
    leader: LeaderAndEpoch
    leader_endpoint: Endpoint | None = None
    high_watermark: int = NO_HIGH_WATERMARK
    log_start_offset: int
    diverging: OffsetAndEpoch | None = None
    snapshot: OffsetAndEpoch | None = None
    read: LogRange | None = None


class FetchedBatch(msgspec.Struct, frozen=True, kw_only=True):
    """One whole batch of a Fetch response; its CRC was checked."""

    base_offset: int
    next_offset: int
    epoch: int
    control: tuple[RecordedControl, ...] = ()
    """Its KRAFT_VERSION and KRAFT_VOTERS records."""
    payload: Buffer
    """The bytes of the batch as they are in the log."""


class FetchResponse(msgspec.Struct, frozen=True, kw_only=True):
    """A leader's response to this node's own Fetch."""

    error: RaftError = RaftError.NONE
    leader: LeaderAndEpoch
    leader_endpoint: Endpoint | None = None
    high_watermark: int = NO_HIGH_WATERMARK
    diverging: OffsetAndEpoch | None = None
    snapshot: OffsetAndEpoch | None = None
    batches: tuple[FetchedBatch, ...] = ()


class SnapshotRange(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a snapshot file that the driver reads into a response."""

    snapshot: OffsetAndEpoch
    position: int
    length: int


class PendingFetchSnapshotResponse(msgspec.Struct, frozen=True, kw_only=True):
    """The core's response to FetchSnapshot. The driver adds the bytes that ``read`` names, or none.

    If the file turns out to be gone, the driver responds SNAPSHOT_NOT_FOUND instead.
    """

    error: RaftError = RaftError.NONE
    leader: LeaderAndEpoch
    leader_endpoint: Endpoint | None = None
    snapshot: OffsetAndEpoch
    size: int = 0
    position: int = 0
    read: SnapshotRange | None = None


class FetchSnapshotResponse(msgspec.Struct, frozen=True, kw_only=True):
    """A leader's response to this node's own FetchSnapshot."""

    error: RaftError = RaftError.NONE
    leader: LeaderAndEpoch
    leader_endpoint: Endpoint | None = None
    snapshot: OffsetAndEpoch
    size: int
    position: int
    data: Buffer


class VoterChangeResponse(msgspec.Struct, frozen=True, kw_only=True):
    """Response to AddRaftVoter, RemoveRaftVoter and UpgradeKRaftVersion."""

    error: RaftError = RaftError.NONE
    message: str | None = None
    """What is wrong, in words; None if nothing is."""


class UpdateVoterResponse(msgspec.Struct, frozen=True, kw_only=True):
    error: RaftError = RaftError.NONE
    leader: LeaderAndEpoch
    leader_endpoint: Endpoint | None = None


class ApiVersionsResponse(msgspec.Struct, frozen=True, kw_only=True):
    """The kraft.versions that a node says it supports."""

    error: RaftError = RaftError.NONE
    min_kraft_version: int = 0
    max_kraft_version: int = 0
    can_vote: bool = True
    """Whether the node serves every request that a voter has to serve; a node that is only a broker does not."""


InboundRequest = (
    VoteRequest
    | BeginQuorumEpochRequest
    | EndQuorumEpochRequest
    | FetchRequest
    | FetchSnapshotRequest
    | AddVoterRequest
    | RemoveVoterRequest
    | UpdateVoterRequest
    | UpgradeKRaftVersionRequest
)
"""Requests that the core receives."""

OutboundRequest = (
    VoteRequest
    | BeginQuorumEpochRequest
    | EndQuorumEpochRequest
    | FetchRequest
    | FetchSnapshotRequest
    | AddVoterRequest
    | RemoveVoterRequest
    | UpdateVoterRequest
    | ApiVersionsRequest
)
"""Requests that the core sends."""

OutboundResponse = (
    VoteResponse
    | QuorumEpochResponse
    | PendingFetchResponse
    | PendingFetchSnapshotResponse
    | VoterChangeResponse
    | UpdateVoterResponse
)
"""Responses that the core gives to inbound requests."""

InboundResponse = (
    VoteResponse
    | QuorumEpochResponse
    | FetchResponse
    | FetchSnapshotResponse
    | VoterChangeResponse
    | UpdateVoterResponse
    | ApiVersionsResponse
)
"""Responses that the core receives to its outbound requests."""
