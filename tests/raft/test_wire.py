"""The core's values as bytes. The golden ones were read from the disks of Apache Kafka 4.3.1 nodes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.error_codes import ErrorCode
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.messages import (
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    EndTxnMarker,
    KRaftVersionRecord,
    SnapshotFooterRecord,
    VotersRecord,
)
from kafkaproto.records.batch import iterate_batches
from kafkaproto.records.control import ControlRecordType, encode_control_record
from server.raft import wire
from server.raft.accumulator import BATCH_HEADER_BYTES, record_bytes
from server.raft.config import RaftConfig
from server.raft.control import KRaftVersion, KRaftVoters, LeaderChange, RecordedControl
from server.raft.effects import PendingBatch
from server.raft.quorum_description import NotLeader, QuorumDescription, ReplicaDescription
from server.raft.voters import VoterSet
from server.types import METADATA_TOPIC, ZERO_UUID, Endpoint, ReplicaKey, Voter
from tests.raft.machine import Disk, Machine

LEADER_CHANGE_OF_THREE_STATIC_VOTERS = bytes.fromhex(
    "0000000000000000 0000005e 00000001 02 ef53f3b5 0020 00000000 000001a1fc8169fe 000001a1fc8169fe"
    "ffffffffffffffff ffff ffffffff 00000001 58 00 00 00 08 00000002 44"
    "0000 00000002 04 00000001 00 00000002 00 00000003 00 03 00000002 00 00000003 00 00 00"
)
FIRST_BATCH_OF_A_SOLE_VOTER = bytes.fromhex(
    "0000000000000000000000a20000000102918ebc5b002000000002000001a1fc8167ea000001a1fc8167eaffffffffffff"
    "ffffffffffffffff000000033a00000008000000022600000000000102000000010002000000010000001e00000208000000050a"
    "000000010000820100000408000000066e000002000000014e2b3111edc84929a21d44883400a396020b434f4e54524f4c4c4552"
    "0a3132372e302e302e31526d000000000100000000"
)
CHECKPOINT_OF_FORMAT_STANDALONE = bytes.fromhex(
    "00000000000000000000009a0000000002ffc6342f002000000002000001a1fc965b75000001a1fc965b75ffffffffffffffffffff"
    "ffffffff000000032a0000000800000003160000000001a1fc965b6e00001e00000208000000050a000000010000820100000408"
    "000000066e0000020000000120e40dc5689246d2a371e016b0224eec020b434f4e54524f4c4c45520a3132372e302e302e3154c5"
    "00000000010000000000000000000000030000003f000000000289365a78002000000000000001a1fc965b83000001a1fc965b83"
    "ffffffffffffffffffffffffffff000000011a00000008000000040600000000"
)


def sole_voter(node_id: int, directory_id: str, port: int) -> Voter:
    return Voter(
        key=ReplicaKey(id=node_id, directory_id=bytes.fromhex(directory_id)),
        endpoints=(Endpoint(name="CONTROLLER", host="127.0.0.1", port=port),),
    )


def recorded(batches: bytes, end_offset: int) -> list[object]:
    """What wire makes of every control record of a snapshot that ends there."""
    return [
        wire.recorded_control(end_offset - 1, record.key, record.value)
        for batch in iterate_batches(batches)
        for record in batch.records()
    ]


class TestBatches:
    def test_leader_change_of_a_static_quorum_equals_that_of_kafka(self) -> None:
        change = LeaderChange(leader_id=2, voter_ids=(1, 2, 3), granting_voter_ids=(2, 3))
        batch = PendingBatch(base_offset=0, epoch=1, control=(change,))
        assert wire.encode_batch(batch, 0x1A1FC8169FE) == LEADER_CHANGE_OF_THREE_STATIC_VOTERS

    def test_first_batch_of_a_sole_voter_equals_that_of_kafka(self) -> None:
        voter = sole_voter(1, "4e2b3111edc84929a21d44883400a396", 21101)
        snapshot = [
            wire.recorded_control(-1, *encode_control_record(kind, message))
            for kind, message in [
                (ControlRecordType.KRAFT_VERSION, KRaftVersionRecord(kraft_version=1)),
                (ControlRecordType.KRAFT_VOTERS, voters_record(voter)),
            ]
        ]
        disk = Disk(snapshot_records=tuple(record for record in snapshot if record is not None))
        machine = Machine(RaftConfig(key=voter.key, endpoints=voter.endpoints), disk)
        machine.start()
        machine.settle()
        assert wire.encode_batch(disk.log[0], 0x1A1FC8167EA) == FIRST_BATCH_OF_A_SOLE_VOTER

    def test_data_records_have_no_keys_and_are_not_control(self) -> None:
        batch = PendingBatch(base_offset=7, epoch=3, records=(b"one", b"two"))
        (view,) = iterate_batches(wire.encode_batch(batch, 1234))
        view.check()
        assert (view.base_offset, view.partition_leader_epoch, view.is_control) == (7, 3, False)
        assert [(record.key, record.value) for record in view.records()] == [(None, b"one"), (None, b"two")]
        assert (view.base_timestamp, view.max_timestamp) == (1234, 1234)

    @given(sizes=st.lists(st.integers(0, 20_000), min_size=1, max_size=150))
    def test_a_batch_is_as_large_as_the_accumulator_counts(self, sizes: list[int]) -> None:
        batch = PendingBatch(base_offset=0, epoch=0, records=tuple(bytes(size) for size in sizes))
        counted = BATCH_HEADER_BYTES + sum(record_bytes(delta, size) for delta, size in enumerate(sizes))
        assert len(wire.encode_batch(batch, 0)) == counted

    def test_records_that_fill_a_batch_of_8_mib_are_counted_right(self) -> None:
        sizes = (8 * 1024 * 1024 - 80,)
        batch = PendingBatch(base_offset=0, epoch=0, records=tuple(bytes(size) for size in sizes))
        assert len(wire.encode_batch(batch, 0)) == BATCH_HEADER_BYTES + record_bytes(0, sizes[0])


def voters_record(*voters: Voter) -> VotersRecord:
    return VotersRecord(
        voters=[
            VotersRecord.Voter(
                voter_id=voter.key.id,
                voter_directory_id=voter.key.directory_id or ZERO_UUID,
                endpoints=[
                    VotersRecord.Endpoint(name=endpoint.name, host=endpoint.host, port=endpoint.port)
                    for endpoint in voter.endpoints
                ],
                kraft_version_feature=VotersRecord.KRaftVersionFeature(max_supported_version=1),
            )
            for voter in voters
        ]
    )


class TestControlRecords:
    def test_checkpoint_of_a_stock_format_gives_version_and_voters(self) -> None:
        header, version, voters, footer = recorded(CHECKPOINT_OF_FORMAT_STANDALONE, 0)
        assert header is None
        assert footer is None
        assert version == RecordedControl(offset=-1, record=KRaftVersion(level=1))
        expected = VoterSet(voters=(sole_voter(1, "20e40dc5689246d2a371e016b0224eec", 21701),))
        assert voters == RecordedControl(offset=-1, record=KRaftVoters(voters=expected))

    def test_voters_of_a_record_are_sorted_and_a_zero_directory_is_none(self) -> None:
        message = voters_record(
            sole_voter(2, "20e40dc5689246d2a371e016b0224eec", 1), Voter(key=ReplicaKey(id=1), endpoints=())
        )
        found = wire.recorded_control(4, *encode_control_record(ControlRecordType.KRAFT_VOTERS, message))
        assert found is not None
        assert isinstance(found.record, KRaftVoters)
        assert [voter.key.id for voter in found.record.voters.voters] == [1, 2]
        assert found.record.voters.voters[0].key.directory_id is None

    def test_static_voters_are_written_with_a_zero_directory(self) -> None:
        voters = VoterSet(voters=(Voter(key=ReplicaKey(id=1), endpoints=()),))
        batch = PendingBatch(base_offset=0, epoch=0, control=(KRaftVoters(voters=voters),))
        (found,) = recorded(wire.encode_batch(batch, 0), 1)
        assert found == RecordedControl(offset=0, record=KRaftVoters(voters=voters))

    @pytest.mark.parametrize("ids", [[], [1, 1], [-1], [3, 2, 3]])
    def test_a_voter_set_that_cannot_be_one_is_refused(self, ids: list[int]) -> None:
        message = VotersRecord(voters=[VotersRecord.Voter(voter_id=voter_id) for voter_id in ids])
        with pytest.raises(RemoteProtocolError, match=r"VotersRecord\.voters: voter ids"):
            wire.recorded_control(0, *encode_control_record(ControlRecordType.KRAFT_VOTERS, message))

    @pytest.mark.parametrize("level", [-1, 2])
    def test_an_unknown_kraft_version_is_refused(self, level: int) -> None:
        message = KRaftVersionRecord(kraft_version=level)
        with pytest.raises(RemoteProtocolError, match=f"kraft.version {level} is not supported, only 0 to 1"):
            wire.recorded_control(0, *encode_control_record(ControlRecordType.KRAFT_VERSION, message))

    def test_markers_of_producer_transactions_have_no_place_in_the_metadata_log(self) -> None:
        key_and_value = encode_control_record(ControlRecordType.COMMIT, EndTxnMarker())
        with pytest.raises(
            RemoteProtocolError, match="COMMIT: the metadata log has no producer transactions"
        ):
            wire.recorded_control(0, *key_and_value)

    def test_records_without_consequence_bring_nothing_into_force(self) -> None:
        footer = encode_control_record(ControlRecordType.SNAPSHOT_FOOTER, SnapshotFooterRecord())
        assert wire.recorded_control(0, *footer) is None


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
    voter_set=VoterSet(voters=(sole_voter(1, "01" * 16, 9093),)),
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
