"""All that the quorum's core sends to other nodes."""

from __future__ import annotations

from typing import Any

import trio

from kafkaproto import messages as kafka
from kafkaproto.message import Message
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto_server.base.types import (
    METADATA_TOPIC,
    METADATA_TOPIC_ID,
    Endpoint,
    OffsetAndEpoch,
    ReplicaKey,
)
from kafkaproto_server.core.raft.values import messages
from kafkaproto_server.core.raft.values.effects import SendRequest
from kafkaproto_server.core.raft.values.events import RequestFailed, RequestFailure
from kafkaproto_server.core.raft.values.messages import Destination, OutboundRequest
from kafkaproto_server.shell.quorum.raft_channel import RaftChannel
from tests.node.support.controllers import MiddleRng
from tests.versions.support.peer import TIMEOUT_MS, ReleasePeer
from tests.versions.support.senders import REFUSED, Sender
from tests.versions.support.served import CONTROLLER

KEY = ReplicaKey(id=1, directory_id=bytes(range(16)))
LISTENER = Endpoint(name="CONTROLLER", host="localhost", port=9093)
LEADER, EPOCH = 2, 5
BATCH = build_batch([NewRecord(None, b"value")], base_offset=7, partition_leader_epoch=5, timestamp_ms=1)
SNAPSHOT = OffsetAndEpoch(offset=30, epoch=4)

_VOTE = messages.VoteRequest(
    replica=KEY,
    voter_id=2,
    voter_directory_id=b"v" * 16,
    epoch=EPOCH,
    last_epoch=4,
    last_offset=7,
    is_pre_vote=False,
)
REQUESTS: dict[str, tuple[str, OutboundRequest]] = {
    "a fetch": (
        "FetchRequest",
        messages.FetchRequest(
            replica=KEY,
            epoch=EPOCH,
            fetch_offset=7,
            last_fetched_epoch=5,
            max_wait_ms=100,
            max_bytes=1 << 20,
            high_watermark=6,
        ),
    ),
    "a vote": ("VoteRequest", _VOTE),
    "a pre-vote": (
        "VoteRequest",
        messages.VoteRequest(
            **{name: getattr(_VOTE, name) for name in _VOTE.__struct_fields__ if name != "is_pre_vote"},
            is_pre_vote=True,
        ),
    ),
    "a new leader": (
        "BeginQuorumEpochRequest",
        messages.BeginQuorumEpochRequest(
            leader_id=1, epoch=EPOCH, voter_id=2, voter_directory_id=b"v" * 16, leader_endpoints=(LISTENER,)
        ),
    ),
    "a leader that resigned": (
        "EndQuorumEpochRequest",
        messages.EndQuorumEpochRequest(leader_id=1, epoch=EPOCH, preferred_candidates=(KEY,)),
    ),
    "a piece of a snapshot": (
        "FetchSnapshotRequest",
        messages.FetchSnapshotRequest(
            replica=KEY, epoch=EPOCH, snapshot=SNAPSHOT, position=3, max_bytes=1 << 20
        ),
    ),
    "a voter that joins": (
        "AddRaftVoterRequest",
        messages.AddVoterRequest(
            voter=KEY, endpoints=(LISTENER,), timeout_ms=1_000, ack_when_committed=False
        ),
    ),
    "a voter that leaves": ("RemoveRaftVoterRequest", messages.RemoveVoterRequest(voter=KEY)),
    "a voter that has changed": (
        "UpdateRaftVoterRequest",
        messages.UpdateVoterRequest(
            epoch=EPOCH, voter=KEY, endpoints=(LISTENER,), min_kraft_version=1, max_kraft_version=1
        ),
    ),
    "features of a node": ("ApiVersionsRequest", messages.ApiVersionsRequest()),
}
"""The name of each request in the sources, and one with a value in all that the core can say."""


def responses(request: Message) -> Message:
    """What a leader responds that takes everything."""
    match request:
        case kafka.FetchRequest():
            partition = kafka.FetchResponse.PartitionData(
                high_watermark=8,
                records=BATCH,
                current_leader=kafka.FetchResponse.LeaderIdAndEpoch(leader_id=LEADER, leader_epoch=EPOCH),
            )
            topic = kafka.FetchResponse.FetchableTopicResponse(
                topic_id=METADATA_TOPIC_ID, partitions=[partition]
            )
            return kafka.FetchResponse(responses=[topic])
        case kafka.VoteRequest():
            vote = kafka.VoteResponse
            granted = vote.PartitionData(leader_id=-1, leader_epoch=EPOCH, vote_granted=True)
            return vote(topics=[vote.TopicData(topic_name=METADATA_TOPIC, partitions=[granted])])
        case kafka.BeginQuorumEpochRequest() | kafka.EndQuorumEpochRequest():
            kind: Any = getattr(kafka, request.NAME.replace("Request", "Response"))
            followed = kind.PartitionData(leader_id=LEADER, leader_epoch=EPOCH)
            told: Message = kind(topics=[kind.TopicData(topic_name=METADATA_TOPIC, partitions=[followed])])
            return told
        case kafka.FetchSnapshotRequest():
            snapshot = kafka.FetchSnapshotResponse
            piece = snapshot.PartitionSnapshot(
                snapshot_id=snapshot.SnapshotId(end_offset=SNAPSHOT.offset, epoch=SNAPSHOT.epoch),
                current_leader=snapshot.LeaderIdAndEpoch(leader_id=LEADER, leader_epoch=EPOCH),
                size=10,
                position=3,
                unaligned_records=b"piece",
            )
            return snapshot(topics=[snapshot.TopicSnapshot(name=METADATA_TOPIC, partitions=[piece])])
        case kafka.AddRaftVoterRequest():
            return kafka.AddRaftVoterResponse()
        case kafka.RemoveRaftVoterRequest():
            return kafka.RemoveRaftVoterResponse()
        case _:
            assert isinstance(request, kafka.UpdateRaftVoterRequest)
            leader = kafka.UpdateRaftVoterResponse.CurrentLeader(
                leader_id=LEADER, leader_epoch=EPOCH, host="localhost", port=9093
            )
            return kafka.UpdateRaftVoterResponse(current_leader=leader)


async def _ask(peer: ReleasePeer, request: OutboundRequest) -> object:
    """The name of the response's class, or REFUSED if the core is told that the node does not know the request."""
    ends: list[Any] = []
    channel = RaftChannel(
        node_id=1,
        cluster_id="cluster",
        listener_name="CONTROLLER",
        request_timeout_ms=TIMEOUT_MS,
        rng=MiddleRng(),
        is_known=lambda node_id: True,
        report=ends.append,
        connect=peer.connect,
    )
    destination = Destination(id=2, host="localhost", port=9093)
    async with trio.open_nursery() as nursery:
        channel.send(nursery, SendRequest(request_id=3, destination=destination, request=request))
    (end,) = ends
    if isinstance(end, RequestFailed):
        return REFUSED if end.failure is RequestFailure.UNSUPPORTED else end
    return type(end.response).__name__


def _sender(name: str, request_name: str, request: OutboundRequest) -> Sender:
    handled = {
        "BeginQuorumEpochRequest": "QuorumEpochResponse",
        "EndQuorumEpochRequest": "QuorumEpochResponse",
        "AddRaftVoterRequest": "VoterChangeResponse",
        "RemoveRaftVoterRequest": "VoterChangeResponse",
        "UpdateRaftVoterRequest": "UpdateVoterResponse",
    }
    return Sender(
        name=name,
        listener=CONTROLLER,
        sends=(request_name,),
        modules=("server/kafkaproto_server/core/raft/wire/outbound.py",),
        respond=responses,
        run=lambda peer: _ask(peer, request),
        handled=handled.get(request_name, request_name.replace("Request", "Response")),
    )


TO_VOTERS = tuple(_sender(name, *both) for name, both in REQUESTS.items())
"""The senders of this module."""
