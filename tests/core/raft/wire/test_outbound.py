"""The core's requests become messages in every version, and what comes back the core's responses.

Tests: `core.raft.wire.values`.
"""

from __future__ import annotations

import contextlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto import messages as kafka
from kafkaproto.api import api_by_key
from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.message import Message
from kafkaproto_server.base.types import (
    METADATA_TOPIC,
    METADATA_TOPIC_ID,
    Endpoint,
    LeaderAndEpoch,
    OffsetAndEpoch,
    ReplicaKey,
)
from kafkaproto_server.core.raft import wire
from kafkaproto_server.core.raft.values.effects import PendingBatch
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.messages import (
    AddVoterRequest,
    ApiVersionsRequest,
    ApiVersionsResponse,
    BeginQuorumEpochRequest,
    EndQuorumEpochRequest,
    FetchedBatch,
    FetchRequest,
    FetchResponse,
    FetchSnapshotRequest,
    FetchSnapshotResponse,
    InboundResponse,
    OutboundRequest,
    OutboundResponse,
    PendingFetchResponse,
    PendingFetchSnapshotResponse,
    QuorumEpochResponse,
    RemoveVoterRequest,
    UpdateVoterRequest,
    UpdateVoterResponse,
    VoterChangeResponse,
    VoteRequest,
    VoteResponse,
)
from tests.core.raft.support import golden_messages as golden
from tests.core.raft.support.golden_messages import CLUSTER_ID, LISTENER, body_of_request, body_of_response
from tests.core.raft.wire.test_inbound import GOLDEN

ANY_HIGH_WATERMARK = 2**63 - 1
"""Of a Fetch below v18, as its schema says."""
KEY = ReplicaKey(id=3, directory_id=b"\x03" * 16)
OTHER = ReplicaKey(id=2, directory_id=b"\x02" * 16)
ENDPOINTS = (
    Endpoint(name=LISTENER, host="one.example", port=9093),
    Endpoint(name="SECOND", host="two.example", port=65535),
)
LEADER = LeaderAndEpoch(leader_id=3, epoch=4)

VOTE = VoteRequest(
    replica=KEY,
    voter_id=2,
    voter_directory_id=OTHER.directory_id,
    epoch=4,
    last_epoch=3,
    last_offset=17,
    is_pre_vote=False,
)
BEGIN = BeginQuorumEpochRequest(
    leader_id=3,
    epoch=4,
    voter_id=2,
    voter_directory_id=OTHER.directory_id,
    leader_endpoints=ENDPOINTS,
)
END = EndQuorumEpochRequest(leader_id=3, epoch=4, preferred_candidates=(OTHER, KEY))
FETCH = FetchRequest(
    replica=KEY,
    epoch=4,
    fetch_offset=17,
    last_fetched_epoch=3,
    max_wait_ms=500,
    max_bytes=1000,
    high_watermark=15,
)
FETCH_SNAPSHOT = FetchSnapshotRequest(
    replica=KEY, epoch=4, snapshot=OffsetAndEpoch(offset=10, epoch=2), position=100, max_bytes=1000
)
ADD = AddVoterRequest(voter=KEY, endpoints=ENDPOINTS, timeout_ms=2000, ack_when_committed=False)
REMOVE = RemoveVoterRequest(voter=KEY)
UPDATE = UpdateVoterRequest(epoch=4, voter=KEY, endpoints=ENDPOINTS, min_kraft_version=0, max_kraft_version=1)

ALL_VERSIONS: list[tuple[OutboundRequest, int, OutboundRequest]] = [
    (VOTE, 0, msgspec.structs.replace(VOTE, replica=ReplicaKey(id=3), voter_id=-1, voter_directory_id=None)),
    (VOTE, 1, VOTE),
    (VOTE, 2, VOTE),
    (msgspec.structs.replace(VOTE, is_pre_vote=True), 2, msgspec.structs.replace(VOTE, is_pre_vote=True)),
    (
        msgspec.structs.replace(VOTE, voter_directory_id=None),
        2,
        msgspec.structs.replace(VOTE, voter_directory_id=None),
    ),
    (BEGIN, 0, msgspec.structs.replace(BEGIN, voter_id=-1, voter_directory_id=None, leader_endpoints=())),
    (BEGIN, 1, BEGIN),
    (END, 0, msgspec.structs.replace(END, preferred_candidates=(ReplicaKey(id=2), ReplicaKey(id=3)))),
    (END, 1, END),
    *(
        (
            FETCH,
            version,
            msgspec.structs.replace(FETCH, replica=ReplicaKey(id=3), high_watermark=ANY_HIGH_WATERMARK),
        )
        for version in range(13, 17)
    ),
    (FETCH, 17, msgspec.structs.replace(FETCH, high_watermark=ANY_HIGH_WATERMARK)),
    (FETCH, 18, FETCH),
    (FETCH_SNAPSHOT, 0, msgspec.structs.replace(FETCH_SNAPSHOT, replica=ReplicaKey(id=3))),
    (FETCH_SNAPSHOT, 1, FETCH_SNAPSHOT),
    (ADD, 0, msgspec.structs.replace(ADD, ack_when_committed=True)),
    (ADD, 1, ADD),
    (REMOVE, 0, REMOVE),
    (UPDATE, 0, UPDATE),
]
"""Each request in each version, and what a receiver reads in it: old versions say less."""


def sent(request: OutboundRequest, version: int) -> Message:
    """The request's message after a trip over the wire."""
    message = wire.encode_request(request, version, cluster_id=CLUSTER_ID)
    again, end = type(message).decode(message.encode(version), version)
    assert end == len(message.encode(version))
    return again


class TestRequests:
    @pytest.mark.parametrize("name", GOLDEN)
    def test_our_request_is_byte_for_byte_the_one_of_a_stock_node(self, name: str) -> None:
        frame, _, request = GOLDEN[name]
        api_key, version, body = body_of_request(frame)
        found = wire.encode_request(request, version, cluster_id=CLUSTER_ID)  # type: ignore[arg-type]
        assert api_key == found.API_KEY
        assert found.encode(version) == body

    @pytest.mark.parametrize(("request_", "version", "expected"), ALL_VERSIONS)
    def test_a_receiver_reads_what_was_meant(
        self, request_: OutboundRequest, version: int, expected: OutboundRequest
    ) -> None:
        found = wire.decode_request(sent(request_, version), version, cluster_id=CLUSTER_ID)
        assert found == expected

    @pytest.mark.parametrize("request_", [VOTE, BEGIN, END, FETCH, FETCH_SNAPSHOT, ADD, REMOVE, UPDATE])
    def test_every_request_names_the_cluster(self, request_: OutboundRequest) -> None:
        version = wire.request_versions(request_).max_version
        found = wire.decode_request(sent(request_, version), version, cluster_id="another")
        assert isinstance(found, Message)
        assert found.error_code == ErrorCode.INCONSISTENT_CLUSTER_ID  # type: ignore[attr-defined]

    @pytest.mark.parametrize(
        "request_", [VOTE, BEGIN, END, FETCH, FETCH_SNAPSHOT, ADD, REMOVE, UPDATE, ApiVersionsRequest()]
    )
    def test_versions_exist_and_every_one_can_be_sent(self, request_: OutboundRequest) -> None:
        api_key, low, high = wire.request_versions(request_)
        info = api_by_key(api_key)
        assert info is not None
        assert info.min_version <= low <= high == info.max_version
        for version in range(low, high + 1):
            assert api_key == sent(request_, version).API_KEY

    def test_a_pre_vote_is_sent_in_no_version_that_cannot_tell_it_from_a_vote(self) -> None:
        assert wire.request_versions(msgspec.structs.replace(VOTE, is_pre_vote=True)).min_version == 2

    def test_api_versions_is_asked_in_a_version_that_names_kraft_version(self) -> None:
        assert wire.request_versions(ApiVersionsRequest()) == (18, 4, 5)
        _, version, body = body_of_request(golden.API_VERSIONS_V4)
        stock, _ = kafka.ApiVersionsRequest.decode(body, version)
        ours = sent(ApiVersionsRequest(), version)
        assert isinstance(ours, kafka.ApiVersionsRequest)
        assert stock.client_software_name == "apache-kafka-java"
        assert ours.client_software_name == "kafkaproto"


BATCH = wire.encode_batch(PendingBatch(base_offset=17, epoch=4, records=(b"one", b"two")), 1000)
LEADER_ENDPOINT = Endpoint(name=LISTENER, host="127.0.0.1", port=21313)

RESPONSES: list[tuple[OutboundRequest, int, OutboundResponse, bytes, InboundResponse]] = [
    (
        VOTE,
        2,
        VoteResponse(leader=LEADER, leader_endpoint=LEADER_ENDPOINT, is_granted=True),
        b"",
        VoteResponse(leader=LEADER, leader_endpoint=LEADER_ENDPOINT, is_granted=True),
    ),
    (VOTE, 0, VoteResponse(leader=LEADER, leader_endpoint=LEADER_ENDPOINT), b"", VoteResponse(leader=LEADER)),
    *(
        (
            request,
            1,
            QuorumEpochResponse(error=error, leader=LEADER, leader_endpoint=LEADER_ENDPOINT),
            b"",
            QuorumEpochResponse(error=error, leader=LEADER, leader_endpoint=LEADER_ENDPOINT),
        )
        for request in (BEGIN, END)
        for error in (RaftError.NONE, RaftError.FENCED_LEADER_EPOCH, RaftError.UNKNOWN_SERVER_ERROR)
    ),
    (
        FETCH,
        18,
        PendingFetchResponse(
            leader=LEADER, leader_endpoint=LEADER_ENDPOINT, high_watermark=16, log_start_offset=3
        ),
        BATCH,
        FetchResponse(
            leader=LEADER,
            leader_endpoint=LEADER_ENDPOINT,
            high_watermark=16,
            batches=(FetchedBatch(base_offset=17, next_offset=19, epoch=4, payload=BATCH),),
        ),
    ),
    (
        FETCH,
        13,
        PendingFetchResponse(leader=LEADER, log_start_offset=0, diverging=OffsetAndEpoch(offset=5, epoch=0)),
        b"",
        FetchResponse(leader=LEADER, diverging=OffsetAndEpoch(offset=5, epoch=0)),
    ),
    (
        FETCH,
        17,
        PendingFetchResponse(leader=LEADER, log_start_offset=0, snapshot=OffsetAndEpoch(offset=9, epoch=2)),
        b"",
        FetchResponse(leader=LEADER, snapshot=OffsetAndEpoch(offset=9, epoch=2)),
    ),
    (
        FETCH_SNAPSHOT,
        1,
        PendingFetchSnapshotResponse(
            leader=LEADER,
            leader_endpoint=LEADER_ENDPOINT,
            snapshot=FETCH_SNAPSHOT.snapshot,
            size=105,
            position=100,
        ),
        b"bytes",
        FetchSnapshotResponse(
            leader=LEADER,
            leader_endpoint=LEADER_ENDPOINT,
            snapshot=FETCH_SNAPSHOT.snapshot,
            size=105,
            position=100,
            data=b"bytes",
        ),
    ),
    (
        ADD,
        1,
        VoterChangeResponse(error=RaftError.DUPLICATE_VOTER, message="why"),
        b"",
        VoterChangeResponse(error=RaftError.DUPLICATE_VOTER, message="why"),
    ),
    (REMOVE, 0, VoterChangeResponse(), b"", VoterChangeResponse()),
    (
        UPDATE,
        0,
        UpdateVoterResponse(error=RaftError.VOTER_NOT_FOUND, leader=LEADER, leader_endpoint=LEADER_ENDPOINT),
        b"",
        UpdateVoterResponse(error=RaftError.VOTER_NOT_FOUND, leader=LEADER, leader_endpoint=LEADER_ENDPOINT),
    ),
    (
        UPDATE,
        0,
        UpdateVoterResponse(leader=LeaderAndEpoch(leader_id=-1, epoch=4)),
        b"",
        UpdateVoterResponse(leader=LeaderAndEpoch(leader_id=-1, epoch=4)),
    ),
]


def decode(request: OutboundRequest, message: Message) -> InboundResponse | wire.TopLevelError:
    return wire.decode_response(request, message, listener_name=LISTENER)


class TestResponses:
    @pytest.mark.parametrize(("request_", "version", "response", "records", "expected"), RESPONSES)
    def test_what_one_node_answers_the_other_reads(
        self,
        request_: OutboundRequest,
        version: int,
        response: OutboundResponse,
        records: bytes,
        expected: InboundResponse,
    ) -> None:
        message = wire.encode_response(sent(request_, version), version, response, records)
        again, _ = type(message).decode(message.encode(version), version)
        assert decode(request_, again) == expected

    def test_caught_responses_say_what_the_stock_node_meant(self) -> None:
        fetch, _ = kafka.FetchResponse.decode(body_of_response(golden.FETCH_V18_RESPONSE), 18)
        no_leader = LeaderAndEpoch(leader_id=-1, epoch=0)
        assert decode(FETCH, fetch) == FetchResponse(error=RaftError.NOT_LEADER_OR_FOLLOWER, leader=no_leader)
        granted, _ = kafka.VoteResponse.decode(body_of_response(golden.PRE_VOTE_V2_GRANTED), 2)
        assert decode(VOTE, granted) == VoteResponse(leader=no_leader, is_granted=True)
        refused, _ = kafka.VoteResponse.decode(body_of_response(golden.PRE_VOTE_V2_REFUSED), 2)
        assert decode(VOTE, refused) == VoteResponse(
            leader=LeaderAndEpoch(leader_id=3, epoch=1), leader_endpoint=LEADER_ENDPOINT
        )
        updated, _ = kafka.UpdateRaftVoterResponse.decode(
            body_of_response(golden.UPDATE_RAFT_VOTER_V0_RESPONSE), 0
        )
        assert decode(UPDATE, updated) == UpdateVoterResponse(
            leader=LeaderAndEpoch(leader_id=3, epoch=1),
            leader_endpoint=Endpoint(name=LISTENER, host="127.0.0.1", port=21513),
        )

    @pytest.mark.parametrize(
        ("request_", "message"),
        [
            (VOTE, kafka.VoteResponse(error_code=104)),
            (BEGIN, kafka.BeginQuorumEpochResponse(error_code=104)),
            (END, kafka.EndQuorumEpochResponse(error_code=104)),
            (FETCH, kafka.FetchResponse(error_code=104)),
            (FETCH_SNAPSHOT, kafka.FetchSnapshotResponse(error_code=104)),
        ],
    )
    def test_a_top_level_error_is_all_there_is(self, request_: OutboundRequest, message: Message) -> None:
        assert decode(request_, message) == wire.TopLevelError(error=RaftError.INCONSISTENT_CLUSTER_ID)

    def test_a_code_that_no_raft_request_has_is_an_unknown_error(self) -> None:
        assert decode(VOTE, kafka.VoteResponse(error_code=77)) == wire.TopLevelError(
            error=RaftError.UNKNOWN_SERVER_ERROR
        )

    @pytest.mark.parametrize(
        ("request_", "message"),
        [
            (VOTE, kafka.VoteResponse()),
            (BEGIN, kafka.BeginQuorumEpochResponse()),
            (END, kafka.EndQuorumEpochResponse()),
            (FETCH, kafka.FetchResponse()),
            (FETCH_SNAPSHOT, kafka.FetchSnapshotResponse()),
        ],
    )
    def test_a_response_about_nothing_is_refused(self, request_: OutboundRequest, message: Message) -> None:
        with pytest.raises(RemoteProtocolError, match=f"{message.NAME}: the answer is not about"):
            decode(request_, message)

    def test_a_response_about_another_partition_is_refused(self) -> None:
        vote = kafka.VoteResponse
        wrong_index = vote.TopicData(
            topic_name=METADATA_TOPIC, partitions=[vote.PartitionData(partition_index=1)]
        )
        with pytest.raises(RemoteProtocolError, match="not about __cluster_metadata-0"):
            decode(VOTE, vote(topics=[wrong_index]))
        wrong_name = vote.TopicData(topic_name="other", partitions=[vote.PartitionData()])
        with pytest.raises(RemoteProtocolError, match="not about __cluster_metadata-0"):
            decode(VOTE, vote(topics=[wrong_name]))
        with pytest.raises(RemoteProtocolError, match="FetchResponse: the answer is about partition 2"):
            decode(FETCH, fetch_response(partition_index=2))
        with pytest.raises(
            RemoteProtocolError, match="FetchSnapshotResponse: the answer is about partition 2"
        ):
            decode(FETCH_SNAPSHOT, fetch_snapshot_response(index=2))
        with pytest.raises(RemoteProtocolError, match="FetchSnapshotResponse: the answer is not about the"):
            decode(FETCH_SNAPSHOT, fetch_snapshot_response(name="other"))

    @pytest.mark.parametrize(("leader_id", "epoch"), [(-2, 0), (0, -1), (-1, -2), (3, -1)])
    def test_a_leader_that_cannot_be_is_refused(self, leader_id: int, epoch: int) -> None:
        vote = kafka.VoteResponse
        partition = vote.PartitionData(leader_id=leader_id, leader_epoch=epoch)
        message = vote(topics=[vote.TopicData(topic_name=METADATA_TOPIC, partitions=[partition])])
        with pytest.raises(RemoteProtocolError, match=f"leader {leader_id} of epoch {epoch} cannot be"):
            decode(VOTE, message)

    def test_the_endpoint_of_another_node_is_not_the_leaders(self) -> None:
        vote = kafka.VoteResponse
        partition = vote.PartitionData(leader_id=3, leader_epoch=4)
        message = vote(
            topics=[vote.TopicData(topic_name=METADATA_TOPIC, partitions=[partition])],
            node_endpoints=[vote.NodeEndpoint(node_id=2, host="other", port=1)],
        )
        assert decode(VOTE, message) == VoteResponse(leader=LEADER)
        partition.leader_id = -1
        message.node_endpoints[0].node_id = -1
        assert decode(VOTE, message) == VoteResponse(leader=LeaderAndEpoch(leader_id=-1, epoch=4))

    @pytest.mark.parametrize("port", [-1, 65_536, 2**31 - 1])
    def test_a_port_that_cannot_be_is_refused(self, port: int) -> None:
        fetch = fetch_response()
        fetch.node_endpoints = [kafka.FetchResponse.NodeEndpoint(node_id=3, host="host", port=port)]
        with pytest.raises(RemoteProtocolError, match=f"port {port} is not within 0 to 65535"):
            decode(FETCH, fetch)
        update = kafka.UpdateRaftVoterResponse
        leader = update.CurrentLeader(leader_id=3, leader_epoch=4, host="host", port=port)
        with pytest.raises(RemoteProtocolError, match=f"port {port} is not within 0 to 65535"):
            decode(UPDATE, update(current_leader=leader))

    def test_half_a_position_is_refused(self) -> None:
        kind = kafka.FetchResponse
        fetch = fetch_response()
        fetch.responses[0].partitions[0].diverging_epoch = kind.EpochEndOffset(epoch=2, end_offset=-1)
        with pytest.raises(RemoteProtocolError, match="diverging_epoch: offset -1 of epoch 2 cannot be"):
            decode(FETCH, fetch)
        fetch = fetch_response()
        fetch.responses[0].partitions[0].snapshot_id = kind.SnapshotId(epoch=-1, end_offset=4)
        with pytest.raises(RemoteProtocolError, match="snapshot_id: offset 4 of epoch -1 cannot be"):
            decode(FETCH, fetch)

    def test_fetched_batches_have_to_continue_the_log_that_the_request_told_of(self) -> None:
        fetch = fetch_response()
        fetch.responses[0].partitions[0].records = BATCH
        with pytest.raises(RemoteProtocolError, match="offset 16 was to come next"):
            decode(msgspec.structs.replace(FETCH, fetch_offset=16), fetch)
        with pytest.raises(RemoteProtocolError, match="epoch 4 follows epoch 5"):
            decode(msgspec.structs.replace(FETCH, last_fetched_epoch=5), fetch)

    def test_a_snapshot_response_without_a_leader_names_none(self) -> None:
        """The tagged leader is left out where both its numbers are 0, and epoch 0 has no leader."""
        found = decode(FETCH_SNAPSHOT, fetch_snapshot_response())
        assert isinstance(found, FetchSnapshotResponse)
        assert found.leader == LeaderAndEpoch(leader_id=-1, epoch=0)

    def test_records_that_are_null_are_none(self) -> None:
        fetch = fetch_response()
        fetch.responses[0].partitions[0].records = None
        found = decode(FETCH, fetch)
        assert isinstance(found, FetchResponse)
        assert found.batches == ()
        part = fetch_snapshot_response()
        part.topics[0].partitions[0].unaligned_records = None
        piece = decode(FETCH_SNAPSHOT, part)
        assert isinstance(piece, FetchSnapshotResponse)
        assert piece.data == b""

    def test_api_versions_tells_the_range_of_kraft_version(self) -> None:
        kind = kafka.ApiVersionsResponse
        other = kind.SupportedFeatureKey(name="metadata.version", min_version=7, max_version=30)
        feature = kind.SupportedFeatureKey(name="kraft.version", min_version=0, max_version=1)
        assert decode(ApiVersionsRequest(), kind(supported_features=[other, feature])) == ApiVersionsResponse(
            min_kraft_version=0, max_kraft_version=1, can_vote=False
        )
        assert decode(ApiVersionsRequest(), kind(supported_features=[other])) == ApiVersionsResponse(
            can_vote=False
        )
        assert decode(ApiVersionsRequest(), kind(error_code=35)) == ApiVersionsResponse(
            error=RaftError.UNSUPPORTED_VERSION, can_vote=False
        )

    @pytest.mark.parametrize(
        ("response", "can_vote"),
        [
            (golden.CONTROLLER_API_VERSIONS_V4_RESPONSE, True),
            (golden.BROKER_API_VERSIONS_V4_RESPONSE, False),
        ],
    )
    def test_a_controllers_listener_serves_what_a_voter_has_to_and_a_brokers_does_not(
        self, response: bytes, can_vote: bool
    ) -> None:
        message, _ = kafka.ApiVersionsResponse.decode(response[4:], 4)
        assert decode(ApiVersionsRequest(), message) == ApiVersionsResponse(
            min_kraft_version=0, max_kraft_version=1, can_vote=can_vote
        )

    @pytest.mark.parametrize("missing", [52, 53, 54])
    def test_one_request_that_is_missing_is_enough(self, missing: int) -> None:
        message, _ = kafka.ApiVersionsResponse.decode(golden.CONTROLLER_API_VERSIONS_V4_RESPONSE[4:], 4)
        message.api_keys = [served for served in message.api_keys if served.api_key != missing]
        response = decode(ApiVersionsRequest(), message)
        assert isinstance(response, ApiVersionsResponse)
        assert not response.can_vote

    def test_what_answers_no_raft_request_is_our_own_mistake(self) -> None:
        with pytest.raises(AssertionError, match="ProduceResponse answers no Raft request"):
            decode(VOTE, kafka.ProduceResponse())

    @pytest.mark.parametrize(("request_", "version", "response", "records", "expected"), RESPONSES)
    @given(position=st.integers(0, 400), value=st.integers(0, 255))
    def test_a_response_with_any_byte_changed_is_read_or_refused(
        self,
        request_: OutboundRequest,
        version: int,
        response: OutboundResponse,
        records: bytes,
        expected: InboundResponse,
        position: int,
        value: int,
    ) -> None:
        message = wire.encode_response(sent(request_, version), version, response, records)
        bad = bytearray(message.encode(version))
        bad[position % len(bad)] = value
        with contextlib.suppress(RemoteProtocolError):
            again, _ = type(message).decode(bytes(bad), version)
            assert isinstance(decode(request_, again), type(expected) | wire.TopLevelError)


def fetch_response(partition_index: int = 0) -> kafka.FetchResponse:
    kind = kafka.FetchResponse
    partition = kind.PartitionData(
        partition_index=partition_index,
        current_leader=kind.LeaderIdAndEpoch(leader_id=3, leader_epoch=4),
    )
    return kind(responses=[kind.FetchableTopicResponse(topic_id=METADATA_TOPIC_ID, partitions=[partition])])


def fetch_snapshot_response(index: int = 0, name: str = METADATA_TOPIC) -> kafka.FetchSnapshotResponse:
    kind = kafka.FetchSnapshotResponse
    partition = kind.PartitionSnapshot(index=index)
    return kind(topics=[kind.TopicSnapshot(name=name, partitions=[partition])])


def test_the_cores_error_codes_are_those_of_the_library() -> None:
    for error in RaftError:
        assert int(ErrorCode[error.name]) == int(error)
