"""Raft requests as messages become the core's, and the core's answers messages, in every version."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto import messages as kafka
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.message import Message
from kafkaproto_server.base.types import (
    METADATA_TOPIC,
    METADATA_TOPIC_ID,
    ZERO_UUID,
    Endpoint,
    LeaderAndEpoch,
    OffsetAndEpoch,
    ReplicaKey,
)
from kafkaproto_server.core.raft import wire
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.messages import (
    NO_HIGH_WATERMARK,
    AddVoterRequest,
    BeginQuorumEpochRequest,
    EndQuorumEpochRequest,
    FetchRequest,
    FetchSnapshotRequest,
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

NODE_1 = ReplicaKey(id=1, directory_id=bytes.fromhex("2eafd6cae0b94e9ab599b9da2f64561e"))
NODE_2 = ReplicaKey(id=2, directory_id=bytes.fromhex("193b03df81fb4b45b8d6e6262a231284"))
NODE_3 = ReplicaKey(id=3, directory_id=bytes.fromhex("3feded0e34d644da8f91e9d5fa7d061a"))
LEADER = LeaderAndEpoch(leader_id=3, epoch=1)
LEADER_ENDPOINT = Endpoint(name=LISTENER, host="127.0.0.1", port=21313)

ANY_HIGH_WATERMARK = 2**63 - 1
"""Of a Fetch below v18, as its schema says."""
GOLDEN: dict[str, tuple[bytes, type[Message], object]] = {
    "Fetch": (
        golden.FETCH_V18,
        kafka.FetchRequest,
        FetchRequest(
            replica=NODE_3,
            epoch=0,
            fetch_offset=0,
            last_fetched_epoch=0,
            max_wait_ms=500,
            max_bytes=1024 * 1024,
            high_watermark=NO_HIGH_WATERMARK,
        ),
    ),
    "Vote": (
        golden.PRE_VOTE_V2,
        kafka.VoteRequest,
        VoteRequest(
            replica=NODE_3,
            voter_id=2,
            voter_directory_id=NODE_2.directory_id,
            epoch=0,
            last_epoch=0,
            last_offset=0,
            is_pre_vote=True,
        ),
    ),
    "BeginQuorumEpoch": (
        golden.BEGIN_QUORUM_EPOCH_V1,
        kafka.BeginQuorumEpochRequest,
        BeginQuorumEpochRequest(
            leader_id=3,
            epoch=1,
            voter_id=2,
            voter_directory_id=NODE_2.directory_id,
            leader_endpoints=(LEADER_ENDPOINT,),
        ),
    ),
    "EndQuorumEpoch": (
        golden.END_QUORUM_EPOCH_V1,
        kafka.EndQuorumEpochRequest,
        EndQuorumEpochRequest(leader_id=3, epoch=1, preferred_candidates=(NODE_1, NODE_2)),
    ),
    "FetchSnapshot": (
        golden.FETCH_SNAPSHOT_V1,
        kafka.FetchSnapshotRequest,
        FetchSnapshotRequest(
            replica=ReplicaKey(id=11, directory_id=bytes.fromhex("ac65566a3e471fbce5eaccff12a44f22")),
            epoch=6,
            snapshot=OffsetAndEpoch(offset=845, epoch=6),
            position=0,
            max_bytes=1024 * 1024,
        ),
    ),
    "UpdateRaftVoter": (
        golden.UPDATE_RAFT_VOTER_V0,
        kafka.UpdateRaftVoterRequest,
        UpdateVoterRequest(
            epoch=1,
            voter=ReplicaKey(id=1, directory_id=bytes.fromhex("8f565223da8dee54eecbaba474d7534e")),
            endpoints=(Endpoint(name=LISTENER, host="127.0.0.1", port=21511),),
            min_kraft_version=0,
            max_kraft_version=1,
        ),
    ),
    "AddRaftVoter": (
        golden.ADD_RAFT_VOTER_V1,
        kafka.AddRaftVoterRequest,
        AddVoterRequest(
            voter=ReplicaKey(id=4, directory_id=bytes.fromhex("c350ba2437a6d3d1bf4f13d9ae32a3e3")),
            endpoints=(Endpoint(name=LISTENER, host="127.0.0.1", port=21304),),
            timeout_ms=2000,
            ack_when_committed=False,
        ),
    ),
}
"""Every request that was caught, with its class and what it asks."""


def decoded(name: str) -> tuple[Message, int]:
    """A caught request as its message, with its version."""
    frame, message_class, _ = GOLDEN[name]
    _, version, body = body_of_request(frame)
    message, end = message_class.decode(body, version)
    assert end == len(body)
    return message, version


class TestGoldenRequests:
    @pytest.mark.parametrize("name", GOLDEN)
    def test_a_caught_request_asks_what_the_stock_node_wanted(self, name: str) -> None:
        message, version = decoded(name)
        assert wire.decode_request(message, version, cluster_id=CLUSTER_ID) == GOLDEN[name][2]

    @pytest.mark.parametrize("name", GOLDEN)
    @given(position=st.integers(0, 400), value=st.integers(0, 255))
    def test_a_changed_byte_leaves_a_request_or_a_response_or_is_no_message(
        self, name: str, position: int, value: int
    ) -> None:
        frame, message_class, _ = GOLDEN[name]
        _, version, body = body_of_request(frame)
        bad = bytearray(body)
        bad[position % len(bad)] = value
        with contextlib.suppress(RemoteProtocolError):
            message, _ = message_class.decode(bytes(bad), version)
            found = wire.decode_request(message, version, cluster_id=CLUSTER_ID)
            if isinstance(found, Message):
                found.encode(version)

    @pytest.mark.parametrize("name", GOLDEN)
    def test_a_request_cut_off_anywhere_is_no_message(self, name: str) -> None:
        frame, message_class, _ = GOLDEN[name]
        _, version, body = body_of_request(frame)
        for cut in range(len(body)):
            with pytest.raises(RemoteProtocolError):
                message_class.decode(body[:cut], version)


def topic_requests() -> list[
    tuple[str, Callable[[list[tuple[str, list[int]]]], Message], int, type[Message]]
]:
    """Of each request that names partitions by topic name: how to build one, its newest version, its response."""

    def vote(named: list[tuple[str, list[int]]]) -> Message:
        kind = kafka.VoteRequest
        return kind(
            topics=[
                kind.TopicData(
                    topic_name=name,
                    partitions=[kind.PartitionData(partition_index=index) for index in indexes],
                )
                for name, indexes in named
            ]
        )

    def begin(named: list[tuple[str, list[int]]]) -> Message:
        kind = kafka.BeginQuorumEpochRequest
        return kind(
            topics=[
                kind.TopicData(
                    topic_name=name,
                    partitions=[kind.PartitionData(partition_index=index) for index in indexes],
                )
                for name, indexes in named
            ]
        )

    def end(named: list[tuple[str, list[int]]]) -> Message:
        kind = kafka.EndQuorumEpochRequest
        return kind(
            topics=[
                kind.TopicData(
                    topic_name=name,
                    partitions=[kind.PartitionData(partition_index=index) for index in indexes],
                )
                for name, indexes in named
            ]
        )

    def fetch(named: list[tuple[str, list[int]]]) -> Message:
        kind = kafka.FetchRequest
        ids = {METADATA_TOPIC: METADATA_TOPIC_ID, "": ZERO_UUID}
        return kind(
            topics=[
                kind.FetchTopic(
                    topic_id=ids.get(name, b"\x07" * 16),
                    partitions=[kind.FetchPartition(partition=index) for index in indexes],
                )
                for name, indexes in named
            ]
        )

    return [
        ("Vote", vote, 2, kafka.VoteResponse),
        ("BeginQuorumEpoch", begin, 1, kafka.BeginQuorumEpochResponse),
        ("EndQuorumEpoch", end, 1, kafka.EndQuorumEpochResponse),
        ("Fetch", fetch, 18, kafka.FetchResponse),
    ]


def fetch_snapshot(named: list[tuple[str, list[int]]]) -> kafka.FetchSnapshotRequest:
    kind = kafka.FetchSnapshotRequest
    return kind(
        max_bytes=-1,
        topics=[
            kind.TopicSnapshot(
                name=name, partitions=[kind.PartitionSnapshot(partition=index) for index in indexes]
            )
            for name, indexes in named
        ],
    )


WRONG_PARTITIONS: list[list[tuple[str, list[int]]]] = [
    [],
    [(METADATA_TOPIC, [])],
    [("other", [0])],
    [("", [0])],
    [(METADATA_TOPIC, [1])],
    [(METADATA_TOPIC, [-1])],
    [(METADATA_TOPIC, [0, 0])],
    [(METADATA_TOPIC, [0, 1])],
    [(METADATA_TOPIC, [0]), ("other", [0])],
    [(METADATA_TOPIC, [0]), (METADATA_TOPIC, [0])],
    [(METADATA_TOPIC, [0]), ("other", [])],
]


class TestRefusedHere:
    @pytest.mark.parametrize("named", WRONG_PARTITIONS, ids=str)
    @pytest.mark.parametrize("which", topic_requests(), ids=lambda which: which[0])
    def test_anything_but_the_metadata_log_is_an_invalid_request(
        self,
        which: tuple[str, Callable[[list[tuple[str, list[int]]]], Message], int, type[Message]],
        named: list[tuple[str, list[int]]],
    ) -> None:
        _, build, version, response = which
        found = wire.decode_request(build(named), version, cluster_id=CLUSTER_ID)
        assert found == response(error_code=42)  # type: ignore[call-arg]

    @pytest.mark.parametrize("which", topic_requests(), ids=lambda which: which[0])
    def test_the_metadata_log_alone_goes_on_to_the_core(
        self, which: tuple[str, Callable[[list[tuple[str, list[int]]]], Message], int, type[Message]]
    ) -> None:
        _, build, version, _ = which
        found = wire.decode_request(build([(METADATA_TOPIC, [0])]), version, cluster_id=CLUSTER_ID)
        assert not isinstance(found, Message)

    @pytest.mark.parametrize("named", WRONG_PARTITIONS[2:], ids=str)
    def test_fetch_snapshot_responses_each_partition_with_empty_records(
        self, named: list[tuple[str, list[int]]]
    ) -> None:
        found = wire.decode_request(fetch_snapshot(named), 1, cluster_id=CLUSTER_ID)
        assert isinstance(found, kafka.FetchSnapshotResponse)
        response, _ = kafka.FetchSnapshotResponse.decode(found.encode(1), 1)
        assert response.error_code == 0
        shown = [
            (topic.name, [partition.index for partition in topic.partitions]) for topic in response.topics
        ]
        assert shown == named
        for topic in response.topics:
            for partition in topic.partitions:
                assert partition.error_code == RaftError.UNKNOWN_TOPIC_OR_PARTITION
                assert partition.unaligned_records == b""

    @pytest.mark.parametrize("named", WRONG_PARTITIONS[:2], ids=str)
    def test_fetch_snapshot_of_nothing_is_an_invalid_request(
        self, named: list[tuple[str, list[int]]]
    ) -> None:
        found = wire.decode_request(fetch_snapshot(named), 1, cluster_id=CLUSTER_ID)
        assert found == kafka.FetchSnapshotResponse(error_code=RaftError.INVALID_REQUEST)

    @pytest.mark.parametrize("version", range(4, 13))
    def test_a_fetch_without_topic_ids_cannot_mean_the_metadata_log(self, version: int) -> None:
        kind = kafka.FetchRequest
        request = kind(
            topics=[
                kind.FetchTopic(
                    topic=METADATA_TOPIC,
                    topic_id=METADATA_TOPIC_ID,
                    partitions=[kind.FetchPartition(partition=0)],
                )
            ]
        )
        found = wire.decode_request(request, version, cluster_id=CLUSTER_ID)
        assert isinstance(found, kafka.FetchResponse)
        response, _ = kafka.FetchResponse.decode(found.encode(version), version)
        assert response == kafka.FetchResponse(error_code=RaftError.INVALID_REQUEST if version >= 7 else 0)

    @pytest.mark.parametrize(
        ("request_message", "version", "response"),
        [
            (kafka.FetchRequest(cluster_id="other"), 18, kafka.FetchResponse(error_code=104)),
            (kafka.VoteRequest(cluster_id="other"), 0, kafka.VoteResponse(error_code=104)),
            (
                kafka.BeginQuorumEpochRequest(cluster_id="other"),
                1,
                kafka.BeginQuorumEpochResponse(error_code=104),
            ),
            (kafka.EndQuorumEpochRequest(cluster_id=""), 1, kafka.EndQuorumEpochResponse(error_code=104)),
            (kafka.FetchSnapshotRequest(cluster_id="x"), 0, kafka.FetchSnapshotResponse(error_code=104)),
            (kafka.UpdateRaftVoterRequest(cluster_id="x"), 0, kafka.UpdateRaftVoterResponse(error_code=104)),
            (
                kafka.AddRaftVoterRequest(cluster_id="x"),
                1,
                kafka.AddRaftVoterResponse(
                    error_code=104,
                    error_message=f"Cluster id 'x' is not that of this cluster, '{CLUSTER_ID}'.",
                ),
            ),
            (
                kafka.RemoveRaftVoterRequest(cluster_id="x"),
                0,
                kafka.RemoveRaftVoterResponse(
                    error_code=104,
                    error_message=f"Cluster id 'x' is not that of this cluster, '{CLUSTER_ID}'.",
                ),
            ),
        ],
        ids=lambda value: value.NAME if isinstance(value, Message) else "",
    )
    def test_another_cluster_is_refused_before_anything_else(
        self, request_message: Message, version: int, response: Message
    ) -> None:
        found = wire.decode_request(request_message, version, cluster_id=CLUSTER_ID)
        assert found == response
        assert isinstance(found, Message)
        found.encode(version)

    @pytest.mark.parametrize("name", ["Vote", "BeginQuorumEpoch", "EndQuorumEpoch", "Fetch", "FetchSnapshot"])
    def test_no_cluster_id_is_as_good_as_the_right_one(self, name: str) -> None:
        message, version = decoded(name)
        message.cluster_id = None  # type: ignore[attr-defined]
        assert wire.decode_request(message, version, cluster_id=CLUSTER_ID) == GOLDEN[name][2]

    def test_no_cluster_id_is_accepted_for_a_change_of_voters_too(self) -> None:
        request = kafka.RemoveRaftVoterRequest(cluster_id=None, voter_id=1, voter_directory_id=b"\x05" * 16)
        assert wire.decode_request(request, 0, cluster_id=CLUSTER_ID) == RemoveVoterRequest(
            voter=ReplicaKey(id=1, directory_id=b"\x05" * 16)
        )

    def test_what_is_no_raft_request_is_our_own_mistake(self) -> None:
        with pytest.raises(AssertionError, match="ProduceRequest is no Raft request"):
            wire.decode_request(kafka.ProduceRequest(), 9, cluster_id=CLUSTER_ID)


class TestOldVersions:
    def test_a_vote_without_directories_names_none(self) -> None:
        kind = kafka.VoteRequest
        partition = kind.PartitionData(replica_id=3, replica_epoch=4, last_offset_epoch=3, last_offset=9)
        request = kind(topics=[kind.TopicData(topic_name=METADATA_TOPIC, partitions=[partition])])
        again, _ = kind.decode(request.encode(0), 0)
        assert wire.decode_request(again, 0, cluster_id=CLUSTER_ID) == VoteRequest(
            replica=ReplicaKey(id=3),
            voter_id=-1,
            voter_directory_id=None,
            epoch=4,
            last_epoch=3,
            last_offset=9,
            is_pre_vote=False,
        )

    def test_successors_of_an_old_end_quorum_epoch_are_ids_alone(self) -> None:
        kind = kafka.EndQuorumEpochRequest
        partition = kind.PartitionData(leader_id=3, leader_epoch=4, preferred_successors=[2, 1])
        request = kind(topics=[kind.TopicData(topic_name=METADATA_TOPIC, partitions=[partition])])
        again, _ = kind.decode(request.encode(0), 0)
        assert wire.decode_request(again, 0, cluster_id=CLUSTER_ID) == EndQuorumEpochRequest(
            leader_id=3, epoch=4, preferred_candidates=(ReplicaKey(id=2), ReplicaKey(id=1))
        )

    @pytest.mark.parametrize("version", range(13, 19))
    def test_a_fetch_says_who_fetches_in_the_way_of_its_version(self, version: int) -> None:
        kind = kafka.FetchRequest
        partition = kind.FetchPartition(partition=0, replica_directory_id=b"\x05" * 16, high_watermark=7)
        request = kind(topics=[kind.FetchTopic(topic_id=METADATA_TOPIC_ID, partitions=[partition])])
        if version >= 15:
            request.replica_state = kind.ReplicaState(replica_id=8)
        else:
            request.replica_id = 8
        again, _ = kind.decode(request.encode(version), version)
        found = wire.decode_request(again, version, cluster_id=CLUSTER_ID)
        assert isinstance(found, FetchRequest)
        assert found.replica == ReplicaKey(id=8, directory_id=b"\x05" * 16 if version >= 17 else None)
        assert found.high_watermark == (7 if version >= 18 else ANY_HIGH_WATERMARK)

    def test_numbers_go_on_as_they_are(self) -> None:
        kind = kafka.FetchSnapshotRequest
        partition = kind.PartitionSnapshot(
            partition=0,
            current_leader_epoch=-2,
            snapshot_id=kind.SnapshotId(end_offset=-3, epoch=-4),
            position=-5,
        )
        request = kind(
            replica_id=-6,
            max_bytes=-7,
            topics=[kind.TopicSnapshot(name=METADATA_TOPIC, partitions=[partition])],
        )
        assert wire.decode_request(request, 1, cluster_id=CLUSTER_ID) == FetchSnapshotRequest(
            replica=ReplicaKey(id=-6),
            epoch=-2,
            snapshot=OffsetAndEpoch(offset=-3, epoch=-4),
            position=-5,
            max_bytes=-7,
        )


class TestGoldenResponses:
    def test_fetch_without_a_leader(self) -> None:
        response = PendingFetchResponse(
            error=RaftError.NOT_LEADER_OR_FOLLOWER,
            leader=LeaderAndEpoch(leader_id=-1, epoch=0),
            log_start_offset=0,
        )
        found = wire.encode_response(decoded("Fetch")[0], 18, response)
        assert found.encode(18) == body_of_response(golden.FETCH_V18_RESPONSE)

    def test_pre_vote_granted_and_refused(self) -> None:
        request, version = decoded("Vote")
        granted = VoteResponse(leader=LeaderAndEpoch(leader_id=-1, epoch=0), is_granted=True)
        found = wire.encode_response(request, version, granted)
        assert found.encode(version) == body_of_response(golden.PRE_VOTE_V2_GRANTED)
        refused = VoteResponse(
            leader=LEADER, leader_endpoint=Endpoint(name=LISTENER, host="127.0.0.1", port=21313)
        )
        found = wire.encode_response(request, version, refused)
        assert found.encode(version) == body_of_response(golden.PRE_VOTE_V2_REFUSED)

    def test_update_of_a_voter_taken(self) -> None:
        response = UpdateVoterResponse(
            leader=LEADER, leader_endpoint=Endpoint(name=LISTENER, host="127.0.0.1", port=21513)
        )
        found = wire.encode_response(decoded("UpdateRaftVoter")[0], 0, response)
        assert found.encode(0) == body_of_response(golden.UPDATE_RAFT_VOTER_V0_RESPONSE)


class TestResponses:
    @pytest.mark.parametrize(("version", "ports"), [(0, []), (1, [21313]), (2, [21313])])
    def test_vote_says_where_the_leader_is_from_v1_on(self, version: int, ports: list[int]) -> None:
        core_response = VoteResponse(
            error=RaftError.FENCED_LEADER_EPOCH, leader=LEADER, leader_endpoint=LEADER_ENDPOINT
        )
        found = wire.encode_response(kafka.VoteRequest(), version, core_response)
        response, _ = kafka.VoteResponse.decode(found.encode(version), version)
        (partition,) = response.topics[0].partitions
        assert (partition.error_code, partition.leader_id, partition.leader_epoch) == (74, 3, 1)
        assert [node.port for node in response.node_endpoints] == ports

    @pytest.mark.parametrize(("version", "ports"), [(0, []), (1, [21313])])
    def test_begin_and_end_quorum_epoch_too(self, version: int, ports: list[int]) -> None:
        response = QuorumEpochResponse(
            error=RaftError.INVALID_VOTER_KEY, leader=LEADER, leader_endpoint=LEADER_ENDPOINT
        )
        begin = wire.encode_response(kafka.BeginQuorumEpochRequest(), version, response)
        begun, _ = kafka.BeginQuorumEpochResponse.decode(begin.encode(version), version)
        end = wire.encode_response(kafka.EndQuorumEpochRequest(), version, response)
        ended, _ = kafka.EndQuorumEpochResponse.decode(end.encode(version), version)
        for topics in (begun.topics, ended.topics):
            assert topics[0].topic_name == METADATA_TOPIC
            (partition,) = topics[0].partitions
            assert (partition.error_code, partition.leader_id, partition.leader_epoch) == (125, 3, 1)
        assert [node.port for node in begun.node_endpoints] == ports
        assert [node.port for node in ended.node_endpoints] == ports

    @pytest.mark.parametrize("version", range(13, 19))
    def test_fetch_has_records_and_always_the_leader(self, version: int) -> None:
        core_response = PendingFetchResponse(
            leader=LEADER, leader_endpoint=LEADER_ENDPOINT, high_watermark=5, log_start_offset=2
        )
        found = wire.encode_response(kafka.FetchRequest(), version, core_response, [b"ab", memoryview(b"cd")])
        response, _ = kafka.FetchResponse.decode(found.encode(version), version)
        (topic,) = response.responses
        assert topic.topic_id == METADATA_TOPIC_ID
        (partition,) = topic.partitions
        assert (partition.partition_index, partition.error_code) == (0, 0)
        assert (partition.high_watermark, partition.log_start_offset, partition.last_stable_offset) == (
            5,
            2,
            -1,
        )
        assert (partition.current_leader.leader_id, partition.current_leader.leader_epoch) == (3, 1)
        assert (partition.diverging_epoch.epoch, partition.snapshot_id.end_offset) == (-1, -1)
        assert partition.records == b"abcd"
        assert [node.port for node in response.node_endpoints] == ([21313] if version >= 17 else [])

    def test_fetch_shows_divergence_and_snapshots(self) -> None:
        core_response = PendingFetchResponse(
            leader=LEADER,
            log_start_offset=0,
            diverging=OffsetAndEpoch(offset=12, epoch=3),
            snapshot=OffsetAndEpoch(offset=0, epoch=0),
        )
        found = wire.encode_response(kafka.FetchRequest(), 17, core_response)
        response, _ = kafka.FetchResponse.decode(found.encode(17), 17)
        (partition,) = response.responses[0].partitions
        assert (partition.diverging_epoch.epoch, partition.diverging_epoch.end_offset) == (3, 12)
        assert (partition.snapshot_id.epoch, partition.snapshot_id.end_offset) == (0, 0)
        assert partition.records == b""

    @pytest.mark.parametrize(("version", "ports"), [(0, []), (1, [21313])])
    def test_a_piece_of_a_snapshot(self, version: int, ports: list[int]) -> None:
        core_response = PendingFetchSnapshotResponse(
            leader=LEADER,
            leader_endpoint=LEADER_ENDPOINT,
            snapshot=OffsetAndEpoch(offset=845, epoch=6),
            size=1000,
            position=900,
        )
        found = wire.encode_response(kafka.FetchSnapshotRequest(), version, core_response, b"piece")
        response, _ = kafka.FetchSnapshotResponse.decode(found.encode(version), version)
        (topic,) = response.topics
        (partition,) = topic.partitions
        assert (topic.name, partition.index, partition.error_code) == (METADATA_TOPIC, 0, 0)
        assert (partition.snapshot_id.end_offset, partition.snapshot_id.epoch) == (845, 6)
        assert (partition.size, partition.position, partition.unaligned_records) == (1000, 900, b"piece")
        assert (partition.current_leader.leader_id, partition.current_leader.leader_epoch) == (3, 1)
        assert [node.port for node in response.node_endpoints] == ports

    @pytest.mark.parametrize("version", [0, 1])
    def test_an_error_of_fetch_snapshot_reaches_the_peer(self, version: int) -> None:
        """Stock leaders leave the records null there, which cannot be encoded, and answer -1 at top level."""
        core_response = PendingFetchSnapshotResponse(
            error=RaftError.SNAPSHOT_NOT_FOUND, leader=LEADER, snapshot=OffsetAndEpoch(offset=-1, epoch=-1)
        )
        found = wire.encode_response(kafka.FetchSnapshotRequest(), version, core_response)
        response, _ = kafka.FetchSnapshotResponse.decode(found.encode(version), version)
        (partition,) = response.topics[0].partitions
        assert (response.error_code, partition.error_code, partition.unaligned_records) == (0, 98, b"")

    @pytest.mark.parametrize(
        ("core_response", "shown"),
        [
            (VoterChangeResponse(), (0, None)),
            (VoterChangeResponse(message="fine"), (0, None)),
            (VoterChangeResponse(error=RaftError.NOT_LEADER_OR_FOLLOWER), (6, "")),
            (VoterChangeResponse(error=RaftError.DUPLICATE_VOTER, message="why"), (126, "why")),
        ],
    )
    def test_a_change_of_voters_has_words_for_errors_only(
        self, core_response: VoterChangeResponse, shown: tuple[int, str | None]
    ) -> None:
        for version in (0, 1):
            added = wire.encode_response(kafka.AddRaftVoterRequest(), version, core_response)
            response, _ = kafka.AddRaftVoterResponse.decode(added.encode(version), version)
            assert (response.error_code, response.error_message) == shown
        removed = wire.encode_response(kafka.RemoveRaftVoterRequest(), 0, core_response)
        assert isinstance(removed, kafka.RemoveRaftVoterResponse)
        assert (removed.error_code, removed.error_message) == shown

    def test_an_update_without_a_leader_names_none(self) -> None:
        core_response = UpdateVoterResponse(
            error=RaftError.NOT_LEADER_OR_FOLLOWER, leader=LeaderAndEpoch(leader_id=-1, epoch=7)
        )
        found = wire.encode_response(kafka.UpdateRaftVoterRequest(), 0, core_response)
        response, _ = kafka.UpdateRaftVoterResponse.decode(found.encode(0), 0)
        leader = response.current_leader
        assert (leader.leader_id, leader.leader_epoch, leader.host, leader.port) == (-1, 7, "", 0)
        assert response.error_code == 6
