"""DescribeQuorum's answers as clients of each version decode them."""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeQuorumRequest, DescribeQuorumResponse
from kafkaproto_server.base.types import METADATA_TOPIC, ZERO_UUID, Endpoint, ReplicaKey, Voter
from kafkaproto_server.core.raft import wire
from kafkaproto_server.core.raft.values.quorum_description import (
    NotLeader,
    QuorumDescription,
    ReplicaDescription,
)
from kafkaproto_server.core.raft.values.voters import VoterSet


def request(*topics: tuple[str, list[int]]) -> DescribeQuorumRequest:
    return DescribeQuorumRequest(
        topics=[
            DescribeQuorumRequest.TopicData(
                topic_name=name,
                partitions=[
                    DescribeQuorumRequest.PartitionData(partition_index=index) for index in partitions
                ],
            )
            for name, partitions in topics
        ]
    )


PROPER = request((METADATA_TOPIC, [0]))
DESCRIPTION = QuorumDescription(
    leader_id=1,
    epoch=4,
    high_watermark=17,
    voters=(
        ReplicaDescription(
            key=ReplicaKey(id=1, directory_id=b"\x01" * 16),
            log_end_offset=18,
            last_fetch_timestamp_ms=1000,
            last_caught_up_timestamp_ms=1001,
        ),
    ),
    observers=(ReplicaDescription(key=ReplicaKey(id=9)),),
    voter_set=VoterSet(
        voters=(
            Voter(
                key=ReplicaKey(id=1, directory_id=b"\x01" * 16),
                endpoints=(Endpoint(name="CONTROLLER", host="127.0.0.1", port=9093),),
            ),
        )
    ),
)


def answer(
    asked: DescribeQuorumRequest, version: int, description: QuorumDescription | NotLeader
) -> DescribeQuorumResponse:
    """The response as a client of that version decodes it."""
    encoded = wire.describe_quorum_response(asked, version, description).encode(version)
    response, end = DescribeQuorumResponse.decode(encoded, version)
    assert end == len(encoded)
    return response


class TestDescribeQuorum:
    def test_v2_tells_all(self) -> None:
        response = answer(PROPER, 2, DESCRIPTION)
        assert (response.error_code, response.error_message) == (0, "")
        (topic,) = response.topics
        (partition,) = topic.partitions
        assert topic.topic_name == METADATA_TOPIC
        assert (partition.partition_index, partition.error_code, partition.error_message) == (0, 0, "")
        assert (partition.leader_id, partition.leader_epoch, partition.high_watermark) == (1, 4, 17)
        state = DescribeQuorumResponse.ReplicaState
        assert partition.current_voters == [
            state(
                replica_id=1,
                replica_directory_id=b"\x01" * 16,
                log_end_offset=18,
                last_fetch_timestamp=1000,
                last_caught_up_timestamp=1001,
            )
        ]
        assert partition.observers == [state(replica_id=9, log_end_offset=-1)]
        assert response.nodes == [
            DescribeQuorumResponse.Node(
                node_id=1,
                listeners=[DescribeQuorumResponse.Listener(name="CONTROLLER", host="127.0.0.1", port=9093)],
            )
        ]

    def test_v1_has_no_directories_and_v0_no_timestamps_either(self) -> None:
        (v1,) = answer(PROPER, 1, DESCRIPTION).topics[0].partitions[0].current_voters
        assert (v1.replica_directory_id, v1.last_fetch_timestamp, v1.last_caught_up_timestamp) == (
            ZERO_UUID,
            1000,
            1001,
        )
        (v0,) = answer(PROPER, 0, DESCRIPTION).topics[0].partitions[0].current_voters
        assert (v0.log_end_offset, v0.last_fetch_timestamp, v0.last_caught_up_timestamp) == (18, -1, -1)

    @pytest.mark.parametrize("version", [0, 1, 2])
    def test_a_node_that_does_not_lead_answers_with_zeros(self, version: int) -> None:
        response = answer(PROPER, version, NotLeader())
        (partition,) = response.topics[0].partitions
        assert response.error_code == 0
        assert partition.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
        assert (partition.leader_id, partition.leader_epoch, partition.high_watermark) == (0, 0, 0)
        assert (partition.current_voters, partition.observers, response.nodes) == ([], [], [])
        assert partition.error_message == (ErrorCode.NOT_LEADER_OR_FOLLOWER.message if version == 2 else "")

    @pytest.mark.parametrize("description", [DESCRIPTION, NotLeader()], ids=["leader", "other"])
    @pytest.mark.parametrize(
        "topics",
        [
            [("other", [0])],
            [(METADATA_TOPIC, [1])],
            [(METADATA_TOPIC, [0, 1])],
            [(METADATA_TOPIC, [0, 0])],
            [(METADATA_TOPIC, [0]), ("other", [0])],
            [(METADATA_TOPIC, [0]), ("other", [])],
            [(METADATA_TOPIC, [])],
            [("", [-1])],
        ],
    )
    def test_anything_but_the_one_partition_is_unknown(
        self, topics: list[tuple[str, list[int]]], description: QuorumDescription | NotLeader
    ) -> None:
        response = answer(request(*topics), 2, description)
        assert response.error_code == 0
        assert response.nodes == []
        named = [
            (topic.topic_name, [partition.partition_index for partition in topic.partitions])
            for topic in response.topics
        ]
        assert named == topics
        for topic in response.topics:
            for partition in topic.partitions:
                assert partition.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
                assert partition.error_message == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.message
                assert (partition.leader_id, partition.leader_epoch, partition.high_watermark) == (0, 0, 0)

    @pytest.mark.parametrize("version", [0, 1, 2])
    def test_a_request_that_names_nothing_gets_nothing(self, version: int) -> None:
        assert answer(request(), version, DESCRIPTION) == DescribeQuorumResponse()
