"""What replicas of the quorum ask and answer each other, as the core has it; ``wire`` knows the bytes.

Shapes only: cluster id, topic and partition were checked before a request becomes one of these, while every number
may still be anything that fits the wire's type. A response is whatever the peer said, and may be nonsense too.
"""

from __future__ import annotations

import msgspec

from kafkaproto_server.ports import Buffer
from kafkaproto_server.raft.values.control import RecordedControl
from kafkaproto_server.raft.values.errors import RaftError
from kafkaproto_server.types import Endpoint, LeaderAndEpoch, OffsetAndEpoch, ReplicaKey

NO_HIGH_WATERMARK = -1
"""On the wire: the sender does not know the high watermark."""


class Destination(msgspec.Struct, frozen=True, kw_only=True):
    """Where a request goes: a node, or a bootstrap server that nobody knows the node id of."""

    id: int
    """Node id; -2, -3, ... for the first, second, ... bootstrap server."""
    host: str
    port: int


# -- requests ------------------------------------------------------------------------------------------------------


class VoteRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Vote (52), v0 to v2: a candidate's request, or a prospective's (KIP-996)."""

    replica: ReplicaKey
    """Who asks."""
    voter_id: int
    """Whom it believes to ask; -1 where it does not say."""
    voter_directory_id: bytes | None
    epoch: int
    last_epoch: int
    """Epoch of the asking node's last record."""
    last_offset: int
    """Its log end offset."""
    is_pre_vote: bool


class BeginQuorumEpochRequest(msgspec.Struct, frozen=True, kw_only=True):
    """BeginQuorumEpoch (53), v0 and v1: a leader makes itself known."""

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
    """The leader epoch that the asking node knows."""
    fetch_offset: int
    last_fetched_epoch: int
    max_wait_ms: int
    max_bytes: int
    high_watermark: int
    """What the asking node knows; NO_HIGH_WATERMARK. A Fetch below v18 cannot say it, which counts as the largest
    number: it is never told of a high watermark alone."""


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
    """RemoveRaftVoter (81) (KIP-853)."""

    voter: ReplicaKey


class UpdateVoterRequest(msgspec.Struct, frozen=True, kw_only=True):
    """UpdateRaftVoter (82) (KIP-853)."""

    epoch: int
    voter: ReplicaKey
    endpoints: tuple[Endpoint, ...]
    min_kraft_version: int
    max_kraft_version: int


class ApiVersionsRequest(msgspec.Struct, frozen=True, kw_only=True):
    """ApiVersions (18): which kraft.versions does a node support? Only sent, never received, by the core."""


class UpgradeKRaftVersionRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The active controller of this node wants kraft.version raised (UpdateFeatures); only received."""

    epoch: int
    """Epoch in which the controller is active."""
    level: int
    validate_only: bool


# -- responses -----------------------------------------------------------------------------------------------------


class VoteResponse(msgspec.Struct, frozen=True, kw_only=True):
    """Answer to Vote."""

    error: RaftError = RaftError.NONE
    leader: LeaderAndEpoch
    """As the answering node knows it; also in every other response that has one."""
    leader_endpoint: Endpoint | None = None
    """Where the leader serves the listener that the request came in on; also in every other response that has one."""
    is_granted: bool = False


class QuorumEpochResponse(msgspec.Struct, frozen=True, kw_only=True):
    """Answer to BeginQuorumEpoch and EndQuorumEpoch."""

    error: RaftError = RaftError.NONE
    leader: LeaderAndEpoch
    leader_endpoint: Endpoint | None = None


class LogRange(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of the log that the driver reads into an answer: whole batches, at least one if there is one."""

    offset: int
    end_offset: int
    """Exclusive; a batch boundary."""
    max_bytes: int


class FetchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The core's answer to Fetch. The driver adds the records: those of ``read``, else none."""

    error: RaftError = RaftError.NONE
    leader: LeaderAndEpoch
    leader_endpoint: Endpoint | None = None
    high_watermark: int = NO_HIGH_WATERMARK
    log_start_offset: int
    diverging: OffsetAndEpoch | None = None
    snapshot: OffsetAndEpoch | None = None
    read: LogRange | None = None


class FetchedBatch(msgspec.Struct, frozen=True, kw_only=True):
    """One whole batch of an answered Fetch, its CRC checked."""

    base_offset: int
    next_offset: int
    epoch: int
    control: tuple[RecordedControl, ...] = ()
    """Its KRAFT_VERSION and KRAFT_VOTERS records."""
    payload: Buffer
    """The batch as it lies in the log."""


class FetchResponse(msgspec.Struct, frozen=True, kw_only=True):
    """A leader's answer to this node's own Fetch."""

    error: RaftError = RaftError.NONE
    leader: LeaderAndEpoch
    leader_endpoint: Endpoint | None = None
    high_watermark: int = NO_HIGH_WATERMARK
    diverging: OffsetAndEpoch | None = None
    snapshot: OffsetAndEpoch | None = None
    batches: tuple[FetchedBatch, ...] = ()


class SnapshotRange(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a snapshot file that the driver reads into an answer."""

    snapshot: OffsetAndEpoch
    position: int
    length: int


class FetchSnapshotAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The core's answer to FetchSnapshot. The driver adds the bytes of ``read``, else none.

    Where the file turns out to be gone, the driver answers SNAPSHOT_NOT_FOUND in its place.
    """

    error: RaftError = RaftError.NONE
    leader: LeaderAndEpoch
    leader_endpoint: Endpoint | None = None
    snapshot: OffsetAndEpoch
    size: int = 0
    position: int = 0
    read: SnapshotRange | None = None


class FetchSnapshotResponse(msgspec.Struct, frozen=True, kw_only=True):
    """A leader's answer to this node's own FetchSnapshot."""

    error: RaftError = RaftError.NONE
    leader: LeaderAndEpoch
    leader_endpoint: Endpoint | None = None
    snapshot: OffsetAndEpoch
    size: int
    position: int
    data: Buffer


class VoterChangeResponse(msgspec.Struct, frozen=True, kw_only=True):
    """Answer to AddRaftVoter, RemoveRaftVoter and UpgradeKRaftVersion."""

    error: RaftError = RaftError.NONE
    message: str | None = None
    """What is wrong, in words; None where nothing is."""


class UpdateVoterResponse(msgspec.Struct, frozen=True, kw_only=True):
    """Answer to UpdateRaftVoter."""

    error: RaftError = RaftError.NONE
    leader: LeaderAndEpoch
    leader_endpoint: Endpoint | None = None


class ApiVersionsResponse(msgspec.Struct, frozen=True, kw_only=True):
    """What a node says of its kraft.versions."""

    error: RaftError = RaftError.NONE
    min_kraft_version: int = 0
    max_kraft_version: int = 0
    can_vote: bool = True
    """Whether it serves every request that a voter has to serve; a broker alone does not."""


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
"""Requests that the core answers."""

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

Answer = (
    VoteResponse
    | QuorumEpochResponse
    | FetchAnswer
    | FetchSnapshotAnswer
    | VoterChangeResponse
    | UpdateVoterResponse
)
"""What the core answers inbound requests with."""

Response = (
    VoteResponse
    | QuorumEpochResponse
    | FetchResponse
    | FetchSnapshotResponse
    | VoterChangeResponse
    | UpdateVoterResponse
    | ApiVersionsResponse
)
"""What comes back for outbound requests."""
