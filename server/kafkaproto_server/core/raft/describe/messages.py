"""One line of text for each message of the quorum: for transcripts, logs and failure reports.

Ours alone.
"""

from __future__ import annotations

from typing import assert_never

from kafkaproto_server.base.types import Endpoint, LeaderAndEpoch, OffsetAndEpoch, ReplicaKey
from kafkaproto_server.core.raft.values.messages import (
    AddVoterRequest,
    ApiVersionsRequest,
    ApiVersionsResponse,
    BeginQuorumEpochRequest,
    EndQuorumEpochRequest,
    FetchRequest,
    FetchResponse,
    FetchSnapshotRequest,
    FetchSnapshotResponse,
    InboundRequest,
    InboundResponse,
    OutboundRequest,
    OutboundResponse,
    PendingFetchResponse,
    PendingFetchSnapshotResponse,
    QuorumEpochResponse,
    RemoveVoterRequest,
    UpdateVoterRequest,
    UpdateVoterResponse,
    UpgradeKRaftVersionRequest,
    VoterChangeResponse,
    VoteRequest,
    VoteResponse,
)
from kafkaproto_server.core.raft.values.voters import VoterSet


def describe_message(message: InboundRequest | OutboundRequest | OutboundResponse | InboundResponse) -> str:
    """A request or a response, with its important fields."""
    match message:
        case (
            VoteRequest()
            | BeginQuorumEpochRequest()
            | EndQuorumEpochRequest()
            | FetchRequest()
            | FetchSnapshotRequest()
            | AddVoterRequest()
            | RemoveVoterRequest()
            | UpdateVoterRequest()
            | ApiVersionsRequest()
            | UpgradeKRaftVersionRequest()
        ):
            return _request(message)
        case _:
            return _response(message)


def describe_key(key: ReplicaKey) -> str:
    """The node id and the first bytes of the directory id, which suffice for a reader to tell two replicas apart."""
    return str(key.id) if key.directory_id is None else f"{key.id}/{key.directory_id[:2].hex()}"


def describe_voters(voters: VoterSet) -> str:
    """Each voter with its endpoints."""
    return "[" + ", ".join(f"{describe_key(v.key)}@{_endpoints(v.endpoints)}" for v in voters.voters) + "]"


def describe_snapshot_id(snapshot: OffsetAndEpoch) -> str:
    """Offset and epoch, in the order of the file's name."""
    return f"{snapshot.offset}-{snapshot.epoch}"


def _request(request: InboundRequest | OutboundRequest) -> str:
    match request:
        case VoteRequest():
            name = "PreVote" if request.is_pre_vote else "Vote"
            return (
                f"{name} from={describe_key(request.replica)} epoch={request.epoch}"
                f" log={request.last_offset}@{request.last_epoch}"
            )
        case BeginQuorumEpochRequest():
            return f"BeginQuorumEpoch leader={request.leader_id} epoch={request.epoch}"
        case EndQuorumEpochRequest():
            candidates = [describe_key(key) for key in request.preferred_candidates]
            return f"EndQuorumEpoch leader={request.leader_id} epoch={request.epoch} candidates={candidates}"
        case FetchRequest():
            return (
                f"Fetch from={describe_key(request.replica)} epoch={request.epoch}"
                f" at={request.fetch_offset}@{request.last_fetched_epoch} hw={request.high_watermark}"
            )
        case FetchSnapshotRequest():
            return (
                f"FetchSnapshot from={describe_key(request.replica)} epoch={request.epoch}"
                f" {describe_snapshot_id(request.snapshot)} at={request.position}"
            )
        case AddVoterRequest():
            return f"AddRaftVoter {describe_key(request.voter)}@{_endpoints(request.endpoints)}"
        case RemoveVoterRequest():
            return f"RemoveRaftVoter {describe_key(request.voter)}"
        case UpdateVoterRequest():
            return f"UpdateRaftVoter {describe_key(request.voter)}@{_endpoints(request.endpoints)}"
        case ApiVersionsRequest():
            return "ApiVersions"
        case UpgradeKRaftVersionRequest():
            return f"UpgradeKRaftVersion epoch={request.epoch} level={request.level}"
        case _:
            assert_never(request)


def _response(response: OutboundResponse | InboundResponse) -> str:
    error = "" if not response.error else f" {response.error.name}"
    match response:
        case VoteResponse():
            verdict = "granted" if response.is_granted else "refused"
            return f"Vote {verdict}{error} {_leader(response.leader)}"
        case QuorumEpochResponse():
            return f"QuorumEpoch{error} {_leader(response.leader)}"
        case PendingFetchResponse():
            read = response.read
            records = "" if read is None else f" records={read.offset}..{read.end_offset}"
            return f"Fetch{error} {_leader(response.leader)}{_fetched(response)}{records}"
        case FetchResponse():
            batches = "".join(f" {batch.base_offset}..{batch.next_offset}" for batch in response.batches)
            return f"Fetch{error} {_leader(response.leader)}{_fetched(response)}{batches}"
        case PendingFetchSnapshotResponse():
            length = 0 if response.read is None else response.read.length
            return f"FetchSnapshot{error} {_leader(response.leader)}{_piece(response, length)}"
        case FetchSnapshotResponse():
            return f"FetchSnapshot{error} {_leader(response.leader)}{_piece(response, len(response.data))}"
        case VoterChangeResponse():
            return f"VoterChange{error} {response.message or ''}".rstrip()
        case UpdateVoterResponse():
            return f"UpdateRaftVoter{error} {_leader(response.leader)}"
        case ApiVersionsResponse():
            versions = f"{response.min_kraft_version}..{response.max_kraft_version}"
            return f"ApiVersions{error} kraft.version={versions}"
        case _:
            assert_never(response)


def _leader(leader: LeaderAndEpoch) -> str:
    return f"leader={leader.leader_id} epoch={leader.epoch}"


def _fetched(response: PendingFetchResponse | FetchResponse) -> str:
    parts = [f" hw={response.high_watermark}"]
    if response.diverging is not None:
        parts.append(f" diverging={response.diverging.offset}@{response.diverging.epoch}")
    if response.snapshot is not None:
        parts.append(f" snapshot={describe_snapshot_id(response.snapshot)}")
    return "".join(parts)


def _piece(response: PendingFetchSnapshotResponse | FetchSnapshotResponse, length: int) -> str:
    return (
        f" {describe_snapshot_id(response.snapshot)} at={response.position} bytes={length} of={response.size}"
    )


def _endpoints(endpoints: tuple[Endpoint, ...]) -> str:
    return ",".join(f"{endpoint.name}={endpoint.host}:{endpoint.port}" for endpoint in endpoints)
